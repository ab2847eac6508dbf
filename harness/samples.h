// SPDX-License-Identifier: MIT
// The one schema of a measurement, and samples.csv: first line "# iobench samples 1", then the column names, then one
// line a run, appended with a single write as soon as the run has ended, never rewritten.
// Units: seconds as decimals with a point, bytes and counts as integers; a field that was not measured is empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "record_file.h"

namespace iobench {

using OptionalSeconds = std::optional<double>;
using OptionalCount = std::optional<std::uint64_t>;

struct Sample {
  std::string suite;
  std::string row;          // the row's name, NAME/again, or that of a limit (bound.h)
  std::uint64_t round = 0;  // from 1
  std::uint64_t attempt = 1;
  std::string status = "ok";     // ok unsupported failed mismatch regime-not-reached
  std::string reason;            // one line; empty when ok
  std::uint64_t bytes = 0;       // moved by the run: size of one copy times operations
  std::uint64_t operations = 1;  // copies in the run (plumb --repeat)
  OptionalSeconds wall_s;        // hyperfine's: start of plumb to its end, delivery and sync included where asked
  OptionalSeconds return_s;      // plumb's, of the command alone: fork to exit
  OptionalSeconds delivered_s;   // until the other end had seen the end of the data
  OptionalSeconds durable_s;     // until fdatasync of the output had returned
  OptionalSeconds user_s;        // of the command alone (wait4)
  OptionalSeconds system_s;
  OptionalCount read_calls;  // /proc/PID/io, loader included
  OptionalCount write_calls;
  OptionalCount device_read_bytes;   // /proc/PID/io read_bytes
  OptionalCount dirtied_bytes;       // /proc/PID/io write_bytes: pages dirtied, not device writes
  OptionalCount device_write_bytes;  // block-device statistics over the run: the whole machine's
  OptionalCount minor_faults;
  OptionalCount major_faults;
  OptionalCount voluntary_switches;
  OptionalCount involuntary_switches;
  OptionalCount peak_memory_bytes;
  std::optional<double> resident_before;  // fraction of the input in the page cache just before the run; empty: unknown
  OptionalCount dirty_before_bytes;       // of the input
  OptionalCount writeback_before_bytes;   // of the whole machine, after waiting it out
  OptionalCount limit_bytes;              // memory limit in force
  std::string cgroup;
  std::string cpus;  // processors the command was allowed on
  double started_unix_s = 0;
  bool operator==(const Sample&) const = default;
};

// Column names in file order; a test pins them, METHODOLOGY.md explains them.
const std::vector<std::string>& sample_columns();
// With the newline; quoted where needed. `reason` and the other texts are flattened: a sample is one line.
std::string to_csv_line(const Sample& sample);
const std::vector<std::string>& sample_statuses();

// Appends to samples.csv as RecordWriter does.
class SampleWriter {
 public:
  explicit SampleWriter(const std::filesystem::path& samples_csv);
  void append(const Sample& sample);

 private:
  RecordWriter file_;
};

struct StoredSamples {
  std::vector<Sample> samples;
  std::string note;  // "line 17 was cut in the middle and left out", empty: nothing odd
};
// As read_records; a malformed field is an Error file:line too.
StoredSamples read_samples(const std::filesystem::path& samples_csv);

}  // namespace iobench
