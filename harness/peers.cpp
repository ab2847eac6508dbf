// SPDX-License-Identifier: MIT
#include "peers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "system.h"

namespace iobench {

namespace fs = std::filesystem;

std::string missing_program(const std::vector<std::string>& build, const std::string& program) {
  if (!build.empty() && find_program(build[0]).empty()) return build[0];
  if (program.starts_with("{built}/") || !find_program(program).empty()) return {};
  return program;
}

Peers::Peers(const Plan& plan, fs::path programs, fs::path built) : programs_(std::move(programs)), built_(std::move(built)) {
  for (const PlannedSuite& suite : plan.suites)
    for (const PlannedRow& planned : suite.rows) {
      const Row& row = planned.row;
      if (row.build.empty() || compiled_.contains(row.build) || !missing_program(row.build, row.program).empty()) continue;
      compiled_[row.build] = compile(row.build);
    }
}

std::string Peers::compile(std::vector<std::string> command) const {
  std::error_code failure;
  fs::create_directories(built_, failure);
  if (failure) return fmt::format("create {}: {}", built_.string(), failure.message());
  place(command);
  const Finished finished = run_command(command);
  if (finished.interrupted) throw Error("interrupted", 128 + interrupt_requested());
  if (finished.status == 0) return {};
  return fmt::format("compile it with {}: {}", fmt::join(command, " "),
                     finished.err.empty() ? fmt::format("status {}", finished.status)
                                          : finished.err.substr(0, finished.err.find('\n')));
}

RowCheck Peers::check(const PlannedRow& planned) const {
  const Row& row = planned.row;
  RowCheck check;
  if (row.package.empty()) return check;
  if (const std::string missing = missing_program(row.build, row.program); !missing.empty()) {
    check.status = "unsupported";
    check.reason = fmt::format("{} is not installed; Debian has it in the package {}", missing, row.package);
  } else if (const auto found = compiled_.find(row.build); found != compiled_.end() && !found->second.empty()) {
    check.status = "failed";
    check.reason = found->second;
  }
  return check;
}

namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
}

}  // namespace

void Peers::place(std::vector<std::string>& argv) const {
  for (std::string& word : argv) {
    replace_all(word, "{peers}", programs_.string());
    replace_all(word, "{built}", built_.string());
  }
}

std::vector<fs::path> Peers::sources(const PlannedRow& row) const {
  std::vector<fs::path> found;
  for (const std::vector<std::string>& command : {row.row.build, row.argv})
    for (const std::string& word : command)
      if (word.starts_with("{peers}/")) found.push_back(programs_ / word.substr(std::string("{peers}/").size()));
  return found;
}

}  // namespace iobench
