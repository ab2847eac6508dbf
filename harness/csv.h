// SPDX-License-Identifier: MIT
// CSV text as RFC 4180 has it: quotes where needed, line breaks inside quotes, LF or CRLF. It knows no columns: samples
// and published figures do.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace iobench {

struct CsvRecord {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};
// Empty lines are no records. `first_line` is the number of the text's first line in its file. Throws Error
// "FILE:LINE: …" for a quote that is never closed and for text behind a closing one.
std::vector<CsvRecord> parse_csv(const std::string& text, const std::string& path_for_errors,
                                 std::size_t first_line = 1);
std::string csv_field(const std::string& text);  // quoted where needed

// What a spreadsheet would take for a formula (it begins with = + - @, a tab or a return, and is no number) gets an
// apostrophe in front, which spreadsheets do not show. `rearmed` takes it off again: any text comes back as it was.
std::string disarmed(const std::string& text);
std::string rearmed(const std::string& text);

}  // namespace iobench
