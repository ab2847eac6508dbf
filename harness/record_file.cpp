// SPDX-License-Identifier: MIT
#include "record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "csv.h"
#include "units.h"

namespace iobench {

namespace {

std::string first_line(const RecordKind& kind) {
  return fmt::format("# iobench {} {}", kind.name, kind.version);
}

std::string head_lines(const RecordKind& kind) {
  return fmt::format("{}\n{}\n", first_line(kind), fmt::join(kind.columns, ","));
}

// The first line's schema, checked: what is not ours is named.
void check_schema(const std::string& text, const std::string& path, const RecordKind& kind) {
  const std::string line = text.substr(0, text.find('\n'));
  if (text.empty()) throw Error(fmt::format("{}:1: the file is empty; '{}' is missing", path, first_line(kind)));
  if (line == first_line(kind)) return;
  const std::string head_begin = fmt::format("# iobench {} ", kind.name);
  if (!line.starts_with(head_begin))
    throw Error(fmt::format("{}:1: not a file of {}: it begins '{}', not '{}'", path, kind.name,
                            flattened(line.substr(0, 60)), first_line(kind)));
  const std::string version = line.substr(head_begin.size());
  throw Error(fmt::format("{}:1: {} of schema '{}'; this iobench reads schema {} only", path, kind.name,
                          flattened(version.substr(0, 60)), kind.version));
}

// For each of the kind's columns, its place in the file's heading.
std::vector<std::size_t> places_in(const CsvRecord& heading, const std::string& path, const RecordKind& kind) {
  std::vector<std::size_t> places;
  for (const std::string& name : kind.columns) {
    const auto count = std::count(heading.fields.begin(), heading.fields.end(), name);
    if (count != 1)
      throw Error(fmt::format("{}:{}: column '{}' is {}", path, heading.line, name, count ? "there twice" : "missing"));
    places.push_back(static_cast<std::size_t>(std::find(heading.fields.begin(), heading.fields.end(), name) -
                                              heading.fields.begin()));
  }
  return places;
}

}  // namespace

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

namespace {

// Neither another's file by way of a link nor what is no file: whoever made the results may have put it there.
Descriptor open_own(const std::filesystem::path& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error(fmt::format("append to {}: not a regular file", path.string()));
  return open_file(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
}

}  // namespace

RecordWriter::RecordWriter(const std::filesystem::path& path, const RecordKind& kind)
    : path_(path), file_(open_own(path)) {
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) throw_errno(fmt::format("examine {}", path_.string()));
  if (!S_ISREG(status.st_mode)) throw Error(fmt::format("append to {}: not a regular file", path_.string()));
  const std::string present = read_file(path_);
  const std::string head = head_lines(kind);
  if (head.starts_with(present) && present != head) {  // new, or killed before its head was whole
    if (::ftruncate(file_.get(), 0) != 0) throw_errno(fmt::format("truncate {}", path_.string()));
    write_all(file_.get(), head.data(), head.size(), path_);
    return;
  }
  if (!present.starts_with(head)) {
    check_schema(present, path_.string(), kind);
    throw Error(fmt::format("{}:2: the columns are not those that this iobench writes; nothing can be appended",
                            path_.string()));
  }
  const std::size_t whole = present.rfind('\n') + 1;
  if (whole != present.size() && ::ftruncate(file_.get(), static_cast<off_t>(whole)) != 0)
    throw_errno(fmt::format("truncate {}", path_.string()));
}

// No fsync: write(2) hands the line to the kernel, so that a killed run loses nothing; only a crash of the machine
// could, and syncing would put a flush of the device between the runs that are being measured.
// A line that found no room is taken back: whole lines stay.
void RecordWriter::append(const std::string& line) {
  const off_t before = ::lseek(file_.get(), 0, SEEK_END);
  try {
    write_all(file_.get(), line.data(), line.size(), path_);
  } catch (...) {
    [[maybe_unused]] const int cut = before >= 0 ? ::ftruncate(file_.get(), before) : -1;
    throw;
  }
}

StoredRecords read_records(const std::filesystem::path& file, const RecordKind& kind) {
  const std::string path = file.string();
  std::string text = read_file(file);
  check_schema(text, path, kind);
  StoredRecords stored;
  const std::size_t whole = text.rfind('\n') + 1;
  if (whole != text.size()) {
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines >= 2) stored.note = fmt::format("line {} was cut in the middle and left out", lines + 1);
    text.resize(whole);
  }
  const std::vector<CsvRecord> records = parse_csv(text.substr(std::min(text.find('\n') + 1, text.size())), path, 2);
  if (records.empty()) throw Error(fmt::format("{}:2: the heading with the column names is missing", path));
  const std::vector<std::size_t> places = places_in(records[0], path, kind);
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].fields.size() != records[0].fields.size())
      throw Error(fmt::format("{}:{}: {} fields where the heading has {}", path, records[i].line,
                              records[i].fields.size(), records[0].fields.size()));
    StoredRecord record{records[i].line, {}};
    for (const std::size_t place : places) record.fields.push_back(records[i].fields[place]);
    stored.records.push_back(std::move(record));
  }
  return stored;
}

std::uint64_t count_field(const std::string& text) {
  std::uint64_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || code != std::errc() || end != text.data() + text.size())
    throw Error(fmt::format("'{}' is no count", text));
  return count;
}

double number_field(const std::string& text) {
  const double value = parse_number(text);
  if (!std::isfinite(value) || value < 0) throw Error(fmt::format("'{}' is negative or no number", text));
  return value;
}

}  // namespace iobench
