// SPDX-License-Identifier: MIT
#include "connection.h"

#include <fmt/format.h>

#include <utility>

namespace iobench {

namespace fs = std::filesystem;

namespace {

bool is_socket(Input input) { return input == Input::tcp || input == Input::local; }
bool is_socket(Output output) { return output == Output::tcp || output == Output::local; }

// What another machine's net-source sends: all rows that it serves move as much, or there is no such command.
std::optional<std::uint64_t> bytes_from_another(const Plan& plan) {
  std::optional<std::uint64_t> bytes;
  for (const PlannedSuite& suite : plan.suites)
    for (const PlannedRow& row : suite.rows) {
      if (row.row.input != Input::tcp || row.row.link_bits_per_s || !row.row.made_by.empty()) continue;
      if (bytes && *bytes != row.size_bytes)
        throw Error(fmt::format("use the servers on another machine: rows that move {} and {} bytes cannot be served by one "
                                "net-source",
                                *bytes, row.size_bytes));
      bytes = row.size_bytes;
    }
  return bytes;
}

}  // namespace

Connections::Connections(const Plan& plan, fs::path tools, fs::path scratch, std::optional<OtherMachine> other)
    : tools_(std::move(tools)), scratch_(std::move(scratch)), other_(std::move(other)) {
  if (other_) require_servers(*other_, bytes_from_another(plan));
  for (const PlannedSuite& suite : plan.suites)
    for (const PlannedRow& row : suite.rows) {
      const std::uint64_t speed = row.row.link_bits_per_s;
      if (!speed || links_.contains(speed) || obstacles_.contains(speed)) continue;
      try {
        links_.try_emplace(speed, speed);
      } catch (const Error& error) {
        obstacles_[speed] = error.what();
      }
    }
}

std::string Connections::obstacle(const PlannedRow& row) const {
  const auto found = obstacles_.find(row.row.link_bits_per_s);
  return found == obstacles_.end() ? "" : found->second;
}

Server Connections::start(const char* program, bool tcp, const fs::path& file, std::uint64_t generated,
                          const SlowLink* link) const {
  ServerOptions options;
  options.program = tools_ / program;
  options.file = file;
  if (!tcp) options.socket = scratch_ / fmt::format("{}.socket", program);
  if (generated) options.generated = generated;
  if (link) {
    options.prefix = link->far();
    options.listen = SlowLink::far_address();
  }
  return Server(options);
}

Connections::Open Connections::connect(const PlannedRow& row, Job job, const Corpus* input, const fs::path& received,
                                       const SlowLink* link, const OtherMachine* other) const {
  Open open{std::move(job), {}, {}};
  if (link) open.job.prefix = link->near();
  if (other && row.row.input == Input::tcp && !input) {
    open.job.input = other->source_address();
  } else if (is_socket(row.row.input)) {
    open.source.emplace(start("net-source", row.row.input == Input::tcp, input ? input->path : "",
                              input ? 0 : row.size_bytes, link));
    open.job.input = open.source->address();
  }
  if (other && row.row.output == Output::tcp) {
    open.job.output = other->sink_address();
  } else if (is_socket(row.row.output)) {
    open.sink.emplace(start("net-sink", row.row.output == Output::tcp, received, 0, link));
    open.job.output = open.sink->address();
  }
  return open;
}

Connections::Open Connections::open(const PlannedRow& row, Job job, const Corpus* input) const {
  const auto crossed = links_.find(row.row.link_bits_per_s);
  const SlowLink* link = crossed == links_.end() ? nullptr : &crossed->second;
  return connect(row, std::move(job), input, {}, link, other_ && !link ? &*other_ : nullptr);
}

Connections::Open Connections::open_to_look(const PlannedRow& row, Job job, const Corpus* input,
                                            const fs::path& received) const {
  return connect(row, std::move(job), input, received, nullptr, nullptr);
}

}  // namespace iobench
