// SPDX-License-Identifier: MIT
// One list of columns serves writing, reading and the heading, so that they cannot disagree.
#include "samples.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <variant>

#include "units.h"

namespace iobench {

namespace {

constexpr const char* head_begin = "# iobench samples ";
constexpr int schema_version = 1;

using Text = std::string Sample::*;
using Count = std::uint64_t Sample::*;
using Seconds = double Sample::*;
using MaybeCount = OptionalCount Sample::*;
using MaybeNumber = std::optional<double> Sample::*;

struct Column {
  std::string name;
  std::variant<Text, Count, Seconds, MaybeCount, MaybeNumber> field;
};

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"suite", &Sample::suite},
      {"row", &Sample::row},
      {"round", &Sample::round},
      {"attempt", &Sample::attempt},
      {"status", &Sample::status},
      {"reason", &Sample::reason},
      {"bytes", &Sample::bytes},
      {"operations", &Sample::operations},
      {"wall_s", &Sample::wall_s},
      {"return_s", &Sample::return_s},
      {"delivered_s", &Sample::delivered_s},
      {"durable_s", &Sample::durable_s},
      {"user_s", &Sample::user_s},
      {"system_s", &Sample::system_s},
      {"read_calls", &Sample::read_calls},
      {"write_calls", &Sample::write_calls},
      {"device_read_bytes", &Sample::device_read_bytes},
      {"dirtied_bytes", &Sample::dirtied_bytes},
      {"device_write_bytes", &Sample::device_write_bytes},
      {"minor_faults", &Sample::minor_faults},
      {"major_faults", &Sample::major_faults},
      {"voluntary_switches", &Sample::voluntary_switches},
      {"involuntary_switches", &Sample::involuntary_switches},
      {"peak_memory_bytes", &Sample::peak_memory_bytes},
      {"resident_before", &Sample::resident_before},
      {"dirty_before_bytes", &Sample::dirty_before_bytes},
      {"writeback_before_bytes", &Sample::writeback_before_bytes},
      {"limit_bytes", &Sample::limit_bytes},
      {"cgroup", &Sample::cgroup},
      {"cpus", &Sample::cpus},
      {"started_unix_s", &Sample::started_unix_s},
  };
  return all;
}

// A text on one line: each run of blanks and control characters becomes one blank, none at the ends.
std::string flattened(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) > 0x20 && c != 0x7f)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string field_text(const Sample& sample, Text field) { return flattened(sample.*field); }
std::string field_text(const Sample& sample, Count field) { return std::to_string(sample.*field); }
std::string field_text(const Sample& sample, Seconds field) { return format_exact(sample.*field); }
std::string field_text(const Sample& sample, MaybeCount field) {
  return sample.*field ? std::to_string(*(sample.*field)) : std::string();
}
std::string field_text(const Sample& sample, MaybeNumber field) {
  return sample.*field ? format_exact(*(sample.*field)) : std::string();
}

std::uint64_t parse_count(const std::string& text) {
  std::uint64_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || code != std::errc() || end != text.data() + text.size())
    throw Error(fmt::format("'{}' is no count", text));
  return count;
}

double parse_seconds(const std::string& text) {
  const double value = parse_number(text);
  if (!std::isfinite(value) || value < 0) throw Error(fmt::format("'{}' is negative or no number", text));
  return value;
}

void set_field(Sample& sample, Text field, const std::string& text) { sample.*field = text; }
void set_field(Sample& sample, Count field, const std::string& text) { sample.*field = parse_count(text); }
void set_field(Sample& sample, Seconds field, const std::string& text) { sample.*field = parse_seconds(text); }
void set_field(Sample& sample, MaybeCount field, const std::string& text) {
  if (!text.empty()) sample.*field = parse_count(text);
}
void set_field(Sample& sample, MaybeNumber field, const std::string& text) {
  if (!text.empty()) sample.*field = parse_seconds(text);
}

bool is_status(const std::string& status) {
  return std::find(sample_statuses().begin(), sample_statuses().end(), status) != sample_statuses().end();
}

std::string head_lines() {
  return fmt::format("{}{}\n{}\n", head_begin, schema_version, fmt::join(sample_columns(), ","));
}

// The first line's schema, checked: what is not ours is named.
void check_schema(const std::string& text, const std::string& path) {
  const std::string line = text.substr(0, text.find('\n'));
  if (text.empty())
    throw Error(fmt::format("{}:1: the file is empty; '{}{}' is missing", path, head_begin, schema_version));
  if (line == fmt::format("{}{}", head_begin, schema_version)) return;
  if (!line.starts_with(head_begin))
    throw Error(fmt::format("{}:1: not a file of samples: it begins '{}', not '{}{}'", path,
                            flattened(line.substr(0, 60)), head_begin, schema_version));
  const std::string version = line.substr(std::string(head_begin).size());
  throw Error(fmt::format("{}:1: samples of schema '{}'; this iobench reads schema {} only", path,
                          flattened(version.substr(0, 60)), schema_version));
}

}  // namespace

const std::vector<std::string>& sample_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Column& column : columns()) all.push_back(column.name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& sample_statuses() {
  static const std::vector<std::string> all = {"ok", "unsupported", "failed", "mismatch", "regime-not-reached"};
  return all;
}

std::string to_csv_line(const Sample& sample) {
  std::string line;
  for (const Column& column : columns()) {
    if (!line.empty()) line += ',';
    line += csv_field(std::visit([&](auto field) { return field_text(sample, field); }, column.field));
  }
  return line + '\n';
}

SampleWriter::SampleWriter(const std::filesystem::path& samples_csv)
    : path_(samples_csv), file_(open_file(samples_csv, O_RDWR | O_CREAT | O_APPEND)) {
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) throw_errno(fmt::format("examine {}", path_.string()));
  if (!S_ISREG(status.st_mode)) throw Error(fmt::format("append to {}: not a regular file", path_.string()));
  const std::string present = read_file(path_);
  const std::string head = head_lines();
  if (head.starts_with(present) && present != head) {  // new, or killed before its head was whole
    if (::ftruncate(file_.get(), 0) != 0) throw_errno(fmt::format("truncate {}", path_.string()));
    write_all(file_.get(), head.data(), head.size(), path_);
    return;
  }
  if (!present.starts_with(head)) {
    check_schema(present, path_.string());
    throw Error(fmt::format("{}:2: the columns are not those that this iobench writes; nothing can be appended",
                            path_.string()));
  }
  const std::size_t whole = present.rfind('\n') + 1;
  if (whole != present.size() && ::ftruncate(file_.get(), static_cast<off_t>(whole)) != 0)
    throw_errno(fmt::format("truncate {}", path_.string()));
}

// No fsync: write(2) hands the line to the kernel, so that a killed run loses nothing; only a crash of the machine
// could, and syncing would put a flush of the device between the runs that are being measured.
void SampleWriter::append(const Sample& sample) {
  if (!is_status(sample.status))
    throw Error(fmt::format("append to {}: unknown status '{}'", path_.string(), flattened(sample.status)));
  const std::string line = to_csv_line(sample);
  write_all(file_.get(), line.data(), line.size(), path_);
}

namespace {

// For each of our columns, its place in the file's heading.
std::vector<std::size_t> places_in(const CsvRecord& heading, const std::string& path) {
  std::vector<std::size_t> places;
  for (const std::string& name : sample_columns()) {
    const auto count = std::count(heading.fields.begin(), heading.fields.end(), name);
    if (count != 1)
      throw Error(fmt::format("{}:{}: column '{}' is {}", path, heading.line, name, count ? "there twice" : "missing"));
    places.push_back(static_cast<std::size_t>(std::find(heading.fields.begin(), heading.fields.end(), name) -
                                              heading.fields.begin()));
  }
  return places;
}

Sample sample_of(const CsvRecord& record, const std::vector<std::size_t>& places, const std::string& path) {
  Sample sample;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Column& column = columns()[i];
    const std::string& text = record.fields[places[i]];
    try {
      std::visit([&](auto field) { set_field(sample, field, text); }, column.field);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}: {}", path, record.line, column.name, error.what()));
    }
  }
  if (!is_status(sample.status))
    throw Error(fmt::format("{}:{}: unknown status '{}'", path, record.line, flattened(sample.status)));
  return sample;
}

}  // namespace

StoredSamples read_samples(const std::filesystem::path& samples_csv) {
  const std::string path = samples_csv.string();
  std::string text = read_file(samples_csv);
  check_schema(text, path);
  StoredSamples stored;
  const std::size_t whole = text.rfind('\n') + 1;
  if (whole != text.size()) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines >= 2) stored.note = fmt::format("line {} was cut in the middle and left out", lines + 1);
    text.resize(whole);
  }
  const std::vector<CsvRecord> records = parse_csv(text.substr(std::min(text.find('\n') + 1, text.size())), path, 2);
  if (records.empty()) throw Error(fmt::format("{}:2: the heading with the column names is missing", path));
  const std::vector<std::size_t> places = places_in(records[0], path);
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].fields.size() != records[0].fields.size())
      throw Error(fmt::format("{}:{}: {} fields where the heading has {}", path, records[i].line,
                              records[i].fields.size(), records[0].fields.size()));
    stored.samples.push_back(sample_of(records[i], places, path));
  }
  return stored;
}

}  // namespace iobench
