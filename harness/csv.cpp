// SPDX-License-Identifier: MIT
#include "csv.h"

#include <fmt/format.h>

#include <string_view>

#include "system.h"
#include "units.h"

namespace iobench {

namespace {

// Walks over the text once; `at` never passes its end.
class CsvReader {
 public:
  CsvReader(const std::string& text, const std::string& path, std::size_t line)
      : text_(text), path_(path), line_(line) {}

  std::vector<CsvRecord> records() {
    std::vector<CsvRecord> records;
    while (at_ < text_.size())
      if (!skip_line_end()) records.push_back(record());
    return records;
  }

 private:
  CsvRecord record() {
    CsvRecord record{line_, {}};
    do record.fields.push_back(here() == '"' ? quoted_field() : plain_field());
    while (skip(","));
    if (at_ < text_.size() && !skip_line_end())
      throw Error(fmt::format("{}:{}: text behind a closing quote", path_, line_));
    return record;
  }

  std::string plain_field() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && here() != ',' && here() != '\n' && text_.compare(at_, 2, "\r\n") != 0) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string quoted_field() {
    const std::size_t opened = line_;
    std::string field;
    ++at_;
    while (at_ < text_.size()) {
      if (skip("\"\""))
        field += '"';
      else if (skip("\""))
        return field;
      else {
        line_ += here() == '\n';
        field += text_[at_++];
      }
    }
    throw Error(fmt::format("{}:{}: a quote is never closed", path_, opened));
  }

  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool skip(std::string_view expected) {
    if (text_.compare(at_, expected.size(), expected) != 0) return false;
    at_ += expected.size();
    return true;
  }

  bool skip_line_end() {
    if (!skip("\n") && !skip("\r\n")) return false;
    ++line_;
    return true;
  }

  const std::string& text_;
  const std::string& path_;
  std::size_t line_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<CsvRecord> parse_csv(const std::string& text, const std::string& path_for_errors, std::size_t first_line) {
  return CsvReader(text, path_for_errors, first_line).records();
}

namespace {

bool is_number(const std::string& text) {
  try {
    parse_number(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Behind any apostrophes, so that one that was there before is told from one of ours.
bool is_formula(const std::string& text) {
  const std::size_t begin = text.find_first_not_of('\'');
  if (begin == std::string::npos || std::string_view("=+-@\t\r").find(text[begin]) == std::string_view::npos) return false;
  return begin > 0 || !is_number(text);
}

}  // namespace

std::string disarmed(const std::string& text) {
  return is_formula(text) ? "'" + text : text;
}

std::string rearmed(const std::string& text) {
  return text.starts_with('\'') && is_formula(text) ? text.substr(1) : text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace iobench
