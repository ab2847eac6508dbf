// SPDX-License-Identifier: MIT
// A CSV file of records that only grows and bears being killed at any moment: first line "# iobench KIND VERSION", then
// the column names, then one line a record, each appended with a single write and never rewritten. What the columns
// mean is left to samples and surroundings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "system.h"

namespace iobench {

struct RecordKind {
  std::string name;  // "samples"
  int version = 1;
  std::vector<std::string> columns;
};

// A text on one line: each run of blanks and control characters becomes one blank, none at the ends.
std::string flattened(const std::string& text);

// Creates the file with its two head lines when it is missing or empty. A last line without its newline, of a run that
// was killed, is cut off first. Throws Error when the file's head is not exactly that of the kind.
class RecordWriter {
 public:
  RecordWriter(const std::filesystem::path& path, const RecordKind& kind);
  void append(const std::string& line);  // with its newline
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

struct StoredRecord {
  std::size_t line = 0;             // in the file, from 1
  std::vector<std::string> fields;  // one per column of the kind, in its order
};
struct StoredRecords {
  std::vector<StoredRecord> records;
  std::string note;  // "line 17 was cut in the middle and left out", empty: nothing odd
};
// Throws Error file:line for a wrong head line (too old and too new are named), a missing column or a line of another
// length. A last line without its newline is a run that was killed: left out, said in the note. Columns that are not
// the kind's are passed over, in any order.
StoredRecords read_records(const std::filesystem::path& path, const RecordKind& kind);

// A field's value; Error "'x' is no count" or "'x' is negative or no number".
std::uint64_t count_field(const std::string& text);
double number_field(const std::string& text);

}  // namespace iobench
