// SPDX-License-Identifier: MIT
// One list of columns serves writing, reading and the heading, so that they cannot disagree.
#include "samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "csv.h"
#include "units.h"

namespace iobench {

namespace {

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

std::string field_text(const Sample& sample, Text field) { return disarmed(flattened(sample.*field)); }
std::string field_text(const Sample& sample, Count field) { return std::to_string(sample.*field); }
std::string field_text(const Sample& sample, Seconds field) { return format_exact(sample.*field); }
std::string field_text(const Sample& sample, MaybeCount field) {
  return sample.*field ? std::to_string(*(sample.*field)) : std::string();
}
std::string field_text(const Sample& sample, MaybeNumber field) {
  return sample.*field ? format_exact(*(sample.*field)) : std::string();
}

void set_field(Sample& sample, Text field, const std::string& text) { sample.*field = rearmed(text); }
void set_field(Sample& sample, Count field, const std::string& text) { sample.*field = count_field(text); }
void set_field(Sample& sample, Seconds field, const std::string& text) { sample.*field = number_field(text); }
void set_field(Sample& sample, MaybeCount field, const std::string& text) {
  if (!text.empty()) sample.*field = count_field(text);
}
void set_field(Sample& sample, MaybeNumber field, const std::string& text) {
  if (!text.empty()) sample.*field = number_field(text);
}

bool is_status(const std::string& status) {
  return std::find(sample_statuses().begin(), sample_statuses().end(), status) != sample_statuses().end();
}

const RecordKind& kind() {
  static const RecordKind samples{"samples", 1, sample_columns()};
  return samples;
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

SampleWriter::SampleWriter(const std::filesystem::path& samples_csv) : file_(samples_csv, kind()) {}

void SampleWriter::append(const Sample& sample) {
  if (!is_status(sample.status))
    throw Error(fmt::format("append to {}: unknown status '{}'", file_.path().string(), flattened(sample.status)));
  file_.append(to_csv_line(sample));
}

namespace {

Sample sample_of(const StoredRecord& record, const std::string& path) {
  Sample sample;
  for (std::size_t i = 0; i < columns().size(); ++i) {
    const Column& column = columns()[i];
    const std::string& text = record.fields[i];
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
  const StoredRecords records = read_records(samples_csv, kind());
  StoredSamples stored;
  stored.note = records.note;
  for (const StoredRecord& record : records.records) stored.samples.push_back(sample_of(record, samples_csv.string()));
  return stored;
}

}  // namespace iobench
