// SPDX-License-Identifier: MIT
// What a plan costs: rough sums over its runs, so that somebody who reads --list knows whether to wait or to come back
// tomorrow. Nothing measured depends on them.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "plan.h"
#include "units.h"

namespace iobench {

namespace {

// The costs beside the tool's own, for estimates only. 2026-11-30, 2 cores of an AMD EPYC (Zen 4), 24 GiB, Debian 12,
// Linux 6.18, ext4 on a virtual disk; medians of interleaved rounds unless another command is named.
constexpr double cold_read_s = 1 / 1.6e9;           // buffered cold reads: 1.55 GB/s (results/reference) to 2.8
constexpr double evict_s = 60e-3 / (1 << 30);       // posix_fadvise(DONTNEED) of 512 MiB: 3 to 30 ms in three runs
constexpr double pipe_s = 0.7e-9;                   // file to pipe 1.2 GB/s where file to null has 10.8, blocks of 128K
constexpr double new_file_s = 0.2e-9;               // file to new file 3.3 GB/s, likewise
constexpr double over_s = 0.15e-9;                  // file over a file 4.0 GB/s, likewise
constexpr double tmpfs_s = 0.35e-9;                 // file to a new tmpfs file 2.3 GB/s, likewise
constexpr double socket_s = 0.35e-9;                // file to TCP on loopback 2.4 GB/s, to a UNIX socket 3.9, likewise
constexpr double truncation_s = 0.17e-3;            // of a small file that was just written: the flush that ext4 starts
constexpr double start_s = 1e-3;                    // a process: 0.7 ms for static C to 1.6 ms for dynamic C++ streams
constexpr double prepare_s = 60e-3;                 // a run beside its command: 23 ms at 64 MiB (make calibrate), more with size
constexpr double writeback_s = 1 / 1.1e9;           // what a file owes its device is waited out before the next run
constexpr double digest_s = 1 / 8.0e9;              // XXH3 of a warm file: 8 to 9 GB/s
constexpr double traced_call_s = 27e-6;             // strace -f of dd bs=512 count=20000: 40,000 calls in 1.0 to 1.3 s

// Of 512 MiB at 13.5 and 22 GB/s, 256 MiB read and written at the speeds above; making ready what is copied included.
double limit_s(Limit limit) {
  switch (limit) {
    case Limit::memory_copy: return 60e-3;
    case Limit::memory_copy_by_two: return 60e-3;
    case Limit::device_read: return 160e-3;
    case Limit::device_write: return 250e-3;
  }
  return 0;
}

double output_cost_s(Output output) {
  switch (output) {
    case Output::pipe: return pipe_s;
    case Output::file: return new_file_s;
    case Output::over: return over_s;
    case Output::tmpfs: return tmpfs_s;
    case Output::tcp:
    case Output::local: return socket_s;
    case Output::null:
    case Output::none: return 0;
  }
  return 0;
}

// The block of the row's -b, else the tool's own; 0: none, a byte a call through a library's buffer.
std::uint64_t block_bytes(const PlannedRow& row, const Tool* tool) {
  const std::vector<std::string>& words = row.row.arguments;
  const auto option = std::find(words.begin(), words.end(), "-b");
  const bool own = tool && tool->kind == "copy";  // -b of a peer may mean anything
  if (own && option != words.end() && option + 1 != words.end()) return parse_size(*(option + 1));
  return tool && !tool->block.empty() ? parse_size(tool->block) : 0;
}

bool has_word(const PlannedRow& row, const std::string& word) {
  const std::vector<std::string>& words = row.row.arguments;
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What only reads, or only writes, does half of a copy.
double sides(const PlannedRow& row) { return has_word(row, "--drain") || has_word(row, "--fill") ? 1 : 2; }

// Reads and writes that move `bytes`.
double calls(const PlannedRow& row, const Tool* tool, std::uint64_t bytes) {
  const std::uint64_t block = row.row.framed ? row.row.operation_bytes : block_bytes(row, tool);
  return block ? sides(row) * std::ceil(static_cast<double>(bytes) / static_cast<double>(block)) : 0;
}

bool from_device(const PlannedRow& row) { return row.row.reads_disk() && row.row.cache != Cache::warm; }
bool on_disk(Output output) { return output == Output::file || output == Output::over; }

// Verified once over the whole size, system calls counted once under strace.
double estimate_check_s(const PlannedRow& row, const Toolbox& toolbox) {
  const double counting =
      traced_call_s * calls(row, toolbox.find(row.row.tool), std::min(row.size_bytes, counted_bytes_limit));
  return estimate_run_s(row, toolbox) / static_cast<double>(row.row.repeat) +
         digest_s * static_cast<double>(row.size_bytes) + counting + 2 * prepare_s;
}

}  // namespace

std::uint64_t memory_limit_bytes(const PlannedRow& row) {
  return std::max(least_memory_limit_bytes, row.size_bytes / 2);
}

double estimate_run_s(const PlannedRow& row, const Toolbox& toolbox) {
  const Tool* tool = toolbox.find(row.row.tool);
  const auto bytes = static_cast<double>(row.size_bytes);
  double copy = output_cost_s(row.row.output) * bytes + (row.row.takes_names ? 0 : start_s);
  if (row.row.takes_names && on_disk(row.row.output) && has_word(row, "same")) copy += truncation_s;
  if (tool) {
    const bool raw = has_word(row, "--raw");
    const double per_byte = raw ? tool->raw_nanoseconds_per_byte : tool->nanoseconds_per_byte;
    const double per_call = raw ? tool->raw_nanoseconds_per_call : tool->nanoseconds_per_call;
    copy += (per_byte * bytes * sides(row) / 2 + per_call * calls(row, tool, row.size_bytes)) * 1e-9;
  }
  if (row.row.input == Input::pipe) copy += pipe_s * bytes;
  if (row.row.input == Input::tcp || row.row.input == Input::local) copy += socket_s * bytes;
  if (row.row.link_bits_per_s) copy = std::max(copy, 8 * bytes / static_cast<double>(row.row.link_bits_per_s));
  // Only the first copy of a run finds the cache cold.
  const double cold = from_device(row) ? cold_read_s * bytes : 0;
  return cold + copy * static_cast<double>(row.row.repeat);
}

PlanCost estimate_cost(const Plan& plan, const Toolbox& toolbox) {
  PlanCost cost;
  std::set<std::pair<bool, std::uint64_t>> corpora;  // cold or warm, size: a file each
  std::uint64_t largest_output = 0;
  const auto add = [&](const PlannedRow& row, std::uint64_t times) {
    if (on_disk(row.row.output)) {
      cost.written_bytes += row.size_bytes * times;
      cost.seconds += writeback_s * static_cast<double>(row.size_bytes * times);
    }
    cost.seconds += from_device(row) ? evict_s * static_cast<double>(row.size_bytes) : 0;
  };
  for (const PlannedSuite& suite : plan.suites) {
    for (const PlannedRow& row : suite.rows) {
      cost.seconds += estimate_check_s(row, toolbox);
      add(row, 1);
      if (row.row.reads_disk()) corpora.insert({from_device(row), row.size_bytes});
      if (on_disk(row.row.output)) largest_output = std::max(largest_output, row.size_bytes);
    }
    for (const Limit limit : suite.limits) cost.seconds += limit_s(limit) * static_cast<double>(suite.rounds());
  }
  for (const Run& run : plan.runs) {
    const PlannedRow& row = plan.suites[run.suite].rows[run.row];
    cost.seconds += prepare_s + estimate_run_s(row, toolbox);
    add(row, row.row.repeat);
  }
  cost.free_space_bytes = largest_output;
  for (const auto& [cold, size] : corpora) cost.free_space_bytes += size;
  return cost;
}

}  // namespace iobench
