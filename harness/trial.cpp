// SPDX-License-Identifier: MIT
#include "trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "system.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t warm_slack_bytes = 1u << 20;  // the loader's and the C library's own pages
constexpr double warm_slack = 0.01, cold_at_least = 0.95;

// A new output needs memory that the host may have taken back. A cold input does not: it gets the pages that evicting it
// has just freed. A confined run recycles the pages of its own group.
bool allocates_page_cache(const PlannedRow& row) {
  return row.row.regime() != Cache::confined && (row.row.output == Output::file || row.row.output == Output::tmpfs);
}

Sample not_reached(const std::string& reason) {
  Sample sample;
  sample.status = "regime-not-reached";
  sample.reason = reason;
  sample.started_unix_s = unix_time_s();
  return sample;
}

// "v1:iobench-4711.3": the version and the group's own name; where it is kept is nobody's business.
std::string group_name(const MemoryControl& control, const MemoryGroup& group) {
  return fmt::format("v{}:{}", control.version, group.path().filename().string());
}

}  // namespace

std::string judge_evidence(const PlannedRow& row, const Sample& sample) {
  const Cache regime = row.row.regime();
  if (!row.row.reads_disk() || regime == Cache::none) return {};
  if (!sample.device_read_bytes) return "unknown: the kernel does not tell what the run had from devices";
  const std::uint64_t delivered = *sample.device_read_bytes;
  if (regime == Cache::warm) {
    const auto bytes = static_cast<double>(row.moved_bytes());
    const auto allowed = std::max(warm_slack_bytes, static_cast<std::uint64_t>(warm_slack * bytes));
    if (delivered <= allowed) return {};
    return fmt::format("not warm: devices delivered {} during the run", format_size(delivered));
  }
  if (static_cast<double>(delivered) >= cold_at_least * static_cast<double>(row.size_bytes)) return {};
  return fmt::format("not {}: devices delivered {} of {}: the rest was cached, or was not read", to_string(regime),
                     format_size(delivered), format_size(row.size_bytes));
}

Trials::Trials(const Placement& placement, const Connections& connections, const Runner& runner,
               std::vector<fs::path> programs, const MemoryControl* control, std::string cpus)
    : placement_(placement),
      connections_(connections),
      runner_(runner),
      programs_(std::move(programs)),
      control_(control),
      cpus_(std::move(cpus)) {}

Sample Trials::run(const PlannedRow& row, const Evidence& evidence, const Debt& debt, const MemoryGroup* group) {
  Job job = placement_.job(row, cpus_);
  if (group) job.cgroup = group->path().string();
  const double looking_s = monotonic_s();
  const auto device_before = device_written_bytes(placement_.corpus_directory());
  double running_s = monotonic_s();
  Sample sample;
  try {
    const Connections::Open open = connections_.open(row, job, placement_.corpus(row));
    running_s = monotonic_s();
    sample = runner_.time(open.job);
  } catch (const Error& error) {
    sample.status = "failed";
    sample.reason = error.what();
    sample.started_unix_s = unix_time_s();
  }
  const double ran_s = monotonic_s();
  const auto device_after = device_written_bytes(placement_.corpus_directory());
  times_.evidence += running_s - looking_s + monotonic_s() - ran_s;
  times_.measured += sample.wall_s.value_or(0);
  if (device_before && device_after) sample.device_write_bytes = *device_after - *device_before;
  if (evidence.input.known) sample.resident_before = evidence.input.resident_fraction;
  sample.dirty_before_bytes = evidence.input.dirty_bytes;
  sample.writeback_before_bytes = debt.left_bytes;
  if (group) {
    sample.limit_bytes = group->limit_bytes();
    sample.cgroup = group_name(*control_, *group);
    // Whoever else of the group was killed, the run is not the one that was asked for.
    if (const std::uint64_t killed = group->killed(); killed > 0) {
      sample.status = "failed";
      sample.reason = fmt::format("out of memory: the kernel killed {} of its processes at the limit of {}", killed,
                                  format_size(group->limit_bytes()));
    }
  }
  if (sample.status != "ok") return sample;
  if (std::string reason = judge_evidence(row, sample); !reason.empty()) {
    sample.status = "regime-not-reached";
    sample.reason = std::move(reason);
  }
  return sample;
}

Sample Trials::attempt(const PlannedRow& row) {
  const double from_s = monotonic_s(), measured_s = times_.measured, evidence_s = times_.evidence;
  const Cache regime = row.row.regime();
  placement_.require_same_input();
  placement_.prepare_output(row);
  const Debt debt = wait_for_writeback(placement_.corpus_directory());
  if (allocates_page_cache(row)) touch_memory(row.size_bytes);
  Evidence evidence;
  // What is cached outside a group stays usable inside: a confined run begins as a cold one.
  if (row.row.reads_disk() && regime != Cache::none)
    evidence = apply_regime(regime == Cache::confined ? Cache::cold : regime, placement_.corpus(row)->path);
  times_.evidence += evidence.asked_s;
  if (evidence.caches_dropped) {
    touch_files(programs_);
    touch_files({placement_.job(row, "").argv[0]});
  }
  Sample sample;
  if (!evidence.reached) {
    sample = not_reached(fmt::format("not {}: {}", to_string(regime), evidence.note));
    if (evidence.input.known) sample.resident_before = evidence.input.resident_fraction;
    sample.dirty_before_bytes = evidence.input.dirty_bytes;
    sample.writeback_before_bytes = debt.left_bytes;
  } else if (regime == Cache::confined) {
    std::optional<MemoryGroup> group;
    try {
      if (!control_) throw Error("there is no memory cgroup");
      if (memory_limit_bytes(row) >= row.size_bytes)
        throw Error(fmt::format("the smallest limit, {}, holds all of its {}", format_size(memory_limit_bytes(row)),
                                format_size(row.size_bytes)));
      group.emplace(*control_, memory_limit_bytes(row));
    } catch (const Error& error) {
      sample = not_reached(fmt::format("not confined: {}", error.what()));
    }
    if (group) sample = run(row, evidence, debt, &*group);
  } else {
    sample = run(row, evidence, debt, nullptr);
  }
  placement_.discard_output(row);
  placement_.require_same_input();  // else the sample says nothing of the bytes that it names
  times_.regimes += monotonic_s() - from_s - (times_.measured - measured_s) - (times_.evidence - evidence_s);
  sample.operations = row.operations();
  sample.bytes = row.moved_bytes();
  return sample;
}

}  // namespace iobench
