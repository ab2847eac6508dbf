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

#include "system.h"

namespace iobench {

using OptionalSeconds = std::optional<double>;
using OptionalCount = std::optional<std::uint64_t>;

struct Sample {
  std::string suite;
  std::string row;             // the row's name, NAME/again, or limit/memory-copy
  std::uint64_t round = 0;     // from 1
  std::uint64_t attempt = 1;
  std::string status = "ok";   // ok unsupported failed mismatch regime-not-reached
  std::string reason;          // one line; empty when ok
  std::uint64_t bytes = 0;     // moved by the run: size of one copy times operations
  std::uint64_t operations = 1;  // copies in the run (plumb --repeat)
  OptionalSeconds wall_s;      // hyperfine's: start of plumb to its end, delivery and sync included where asked
  OptionalSeconds return_s;    // plumb's, of the command alone: fork to exit
  OptionalSeconds delivered_s; // until the other end had seen the end of the data
  OptionalSeconds durable_s;   // until fdatasync of the output had returned
  OptionalSeconds user_s;      // of the command alone (wait4)
  OptionalSeconds system_s;
  OptionalCount read_calls;    // /proc/PID/io, loader included
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
  std::string cpus;            // processors the command was allowed on
  double started_unix_s = 0;
};

// Column names in file order; the test compares them with design and METHODOLOGY.
const std::vector<std::string>& sample_columns();
std::string to_csv_line(const Sample& sample);  // with the newline; quoted where needed
// What one column holds, as text; empty: not measured.

// Appends to DIR/samples.csv, which it creates with its two head lines when missing.
class SampleWriter {
 public:
  explicit SampleWriter(const std::filesystem::path& samples_csv);
  void append(const Sample& sample);

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

struct StoredSamples {
  std::vector<Sample> samples;
  std::string note;  // "line 17 was cut in the middle and left out", empty: nothing odd
};
// Throws Error file:line for a wrong head line (too old and too new are named), a missing column or a malformed field.
// A last line without its newline is a run that was killed: left out, said in the note.
StoredSamples read_samples(const std::filesystem::path& samples_csv);

// CSV text (RFC 4180, quotes, embedded newlines) to records; shared with published figures and tests.
struct CsvRecord {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};
std::vector<CsvRecord> parse_csv(const std::string& text, const std::string& path_for_errors);
std::string csv_field(const std::string& text);  // quoted where needed

}  // namespace iobench
