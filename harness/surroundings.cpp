// SPDX-License-Identifier: MIT
// /proc/stat counts ticks of all processors; what belongs to this session is taken from getrusage, which the kernel
// keeps exactly.
#include "surroundings.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "csv.h"
#include "facts.h"
#include "system.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

using MaybeNumber = std::optional<double>;

const RecordKind& kind() {
  static const RecordKind surroundings{"surroundings", 1, surroundings_columns()};
  return surroundings;
}

std::string text_of(const MaybeNumber& value) {
  return value ? format_exact(*value) : std::string();
}

MaybeNumber maybe_number(const std::string& text) {
  return text.empty() ? std::nullopt : MaybeNumber(number_field(text));
}

Surroundings surroundings_of(const std::vector<std::string>& fields) {
  Surroundings round;
  round.suite = fields[0];
  round.round = count_field(fields[1]);
  round.seconds = number_field(fields[2]);
  round.busy_s = maybe_number(fields[3]);
  round.own_s = number_field(fields[4]);
  round.steal_s = maybe_number(fields[5]);
  if (!fields[6].empty()) round.throttle_events = count_field(fields[6]);
  round.mhz = maybe_number(fields[7]);
  round.processors = count_field(fields[8]);
  return round;
}

double cpu_s(int who) {
  rusage usage = {};
  if (::getrusage(who, &usage) != 0) return 0;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A counter's growth; one that fell (a processor went offline) says nothing.
template <typename Number>
std::optional<Number> growth(const std::optional<Number>& before, const std::optional<Number>& after) {
  return before && after && *after >= *before ? std::optional<Number>(*after - *before) : std::nullopt;
}

std::optional<std::uint64_t> count_at(const fs::path& file) {
  try {
    return count_field(fact(file));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// cpu0, cpu1, … below /sys/devices/system/cpu.
std::vector<fs::path> processor_folders(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("cpu") && name.size() > 3 && name.find_first_not_of("0123456789", 3) == std::string::npos)
      found.push_back(entry.path());
  }
  return found;
}

MaybeNumber mean_mhz(const std::vector<fs::path>& processors) {
  double sum_khz = 0;
  std::size_t known = 0;
  for (const fs::path& processor : processors)
    if (const auto khz = count_at(processor / "cpufreq/scaling_cur_freq"); khz && *khz > 0) {
      sum_khz += static_cast<double>(*khz);
      ++known;
    }
  return known ? MaybeNumber(sum_khz / 1000 / static_cast<double>(known)) : std::nullopt;
}

std::optional<std::uint64_t> throttle_events(const std::vector<fs::path>& processors) {
  std::optional<std::uint64_t> sum;
  for (const fs::path& processor : processors) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(processor / "thermal_throttle", ignored))
      if (entry.path().filename().string().ends_with("_throttle_count"))
        if (const auto count = count_at(entry.path())) sum = sum.value_or(0) + *count;
  }
  return sum;
}

}  // namespace

const std::vector<std::string>& surroundings_columns() {
  static const std::vector<std::string> names = {"suite",   "round",           "seconds", "busy_s",    "own_s",
                                                 "steal_s", "throttle_events", "mhz",     "processors"};
  return names;
}

SurroundingsWriter::SurroundingsWriter(const fs::path& surroundings_csv) : file_(surroundings_csv, kind()) {}

void SurroundingsWriter::append(const Surroundings& round) {
  file_.append(fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_field(flattened(round.suite)), round.round,
                           format_exact(round.seconds), text_of(round.busy_s), format_exact(round.own_s),
                           text_of(round.steal_s),
                           round.throttle_events ? std::to_string(*round.throttle_events) : std::string(),
                           text_of(round.mhz), round.processors));
}

StoredSurroundings read_surroundings(const fs::path& surroundings_csv) {
  std::error_code ignored;
  if (!fs::exists(surroundings_csv, ignored)) return {};
  const StoredRecords records = read_records(surroundings_csv, kind());
  StoredSurroundings stored{{}, records.note};
  for (const StoredRecord& record : records.records) try {
      stored.rounds.push_back(surroundings_of(record.fields));
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", surroundings_csv.string(), record.line, error.what()));
    }
  return stored;
}

SurroundingsSampler::SurroundingsSampler(fs::path root) : root_(std::move(root)) {
  start();
}

void SurroundingsSampler::start() {
  start_ = read();
}

// The line "cpu": user nice system idle iowait irq softirq steal, in ticks; a guest's time is inside user and nice.
SurroundingsSampler::Reading SurroundingsSampler::read() const {
  Reading now;
  now.at_s = monotonic_s();
  now.own_s = cpu_s(RUSAGE_SELF) + cpu_s(RUSAGE_CHILDREN);
  const double ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::istringstream lines(read_file_or_empty(root_ / "proc/stat"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name.starts_with("cpu") && name.size() > 3) ++now.processors;
    std::array<double, 8> ticks = {};
    std::size_t known = 0;
    while (name == "cpu" && known < ticks.size() && words >> ticks[known]) ++known;
    if (known < ticks.size()) continue;
    now.busy_s = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / ticks_per_s;
    now.steal_s = ticks[7] / ticks_per_s;
  }
  const std::vector<fs::path> processors = processor_folders(root_);
  now.throttle_events = throttle_events(processors);
  now.mhz = mean_mhz(processors);
  return now;
}

Surroundings SurroundingsSampler::since_start(const std::string& suite, std::uint64_t round) const {
  const Reading end = read();
  Surroundings made;
  made.suite = suite;
  made.round = round;
  made.seconds = std::max(end.at_s - start_.at_s, 0.0);
  made.busy_s = growth(start_.busy_s, end.busy_s);
  made.own_s = std::max(end.own_s - start_.own_s, 0.0);
  made.steal_s = growth(start_.steal_s, end.steal_s);
  made.throttle_events = growth(start_.throttle_events, end.throttle_events);
  if (start_.mhz && end.mhz) made.mhz = (*start_.mhz + *end.mhz) / 2;
  made.processors = end.processors;
  return made;
}

}  // namespace iobench
