// SPDX-License-Identifier: MIT
// A table of cells, written for the terminal, as Markdown and as CSV, with everything escaped that a label may hold. It
// knows nothing of benchmarks. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace iobench {

struct Cell {
  std::string text;                 // for people; "–" where there is nothing, never nan or inf
  std::vector<std::string> fields;  // for CSV, one per key of the column; missing or empty: nothing was measured
};
struct Column {
  std::string heading;            // for people: "wall, median"
  std::vector<std::string> keys;  // CSV headings with units: {"wall_s"}, {"wall_low_s", "wall_high_s", "wall_level"}
  bool numeric = true;            // aligned to the right
};
struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;
};

// Takes the notes that all of several tables have out of them, to be said once. Fewer than two tables keep theirs.
std::vector<std::string> take_common_notes(std::vector<Table>& tables);

// Aligned columns; text columns and headings are wrapped until the table fits in `width` code points, where it can.
std::string to_text(const Table& table, std::size_t width = 100);
// Title, pipe table, notes as a list of prose: each line of the table has as many cells as the heading.
std::string to_markdown(const Table& table);
// RFC 4180 with LF line ends. A cell that a spreadsheet would take for a formula gets a leading apostrophe.
std::string to_csv(const Table& table);

// One line in which nothing is taken for markup, also at the beginning of a line or in a table.
std::string markdown_escape(const std::string& text);
// The same of prose, in which `code` between paired backticks stays code.
std::string markdown_prose(const std::string& text);
// Prose in its pieces. A pair of backticks is one at the beginning of a word and the next one, where that ends a word and
// no space is just inside; every other backtick is a character. Texts come without the backticks that pair, as printable.
struct Piece {
  std::string text;
  bool code = false;
};
std::vector<Piece> inline_code(const std::string& prose);
// One line without control characters and without malformed UTF-8, for terminals, Markdown and figures.
std::string printable(const std::string& text);
// Code points of UTF-8 text.
std::size_t code_points(const std::string& text);
// `text` broken at spaces into lines of at most `width` code points; longer words are broken inside.
std::vector<std::string> wrap(const std::string& text, std::size_t width);
// "- " before each item, wrapped to `width`.
std::string list_text(const std::vector<std::string>& items, std::size_t width);

}  // namespace iobench
