// SPDX-License-Identifier: MIT
// Three writers of one Table. Labels come from suite files and reasons from programs, so nothing in a cell is trusted:
// a terminal gets no control characters, Markdown no markup, a spreadsheet no formula.
#include "grid.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "csv.h"
#include "system.h"
#include "units.h"

namespace iobench {

namespace {

constexpr std::size_t column_gap = 2;
constexpr std::size_t highest_heading = 3;  // lines
constexpr std::size_t narrowest_text = 12;  // a text column is not wrapped below this

// Length of the well-formed UTF-8 sequence that begins at `at`, 0 for none (RFC 3629: no overlong forms or surrogates).
std::size_t sequence_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0, surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90, beyond = first == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

// Byte length of the first `count` code points.
std::size_t prefix_bytes(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size() && count > 0) {
    at += std::max<std::size_t>(1, sequence_length(text, at));
    --count;
  }
  return at;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, code_points(text)), ' ');
  return right ? space + text : text + space;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 1, from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    longest = std::max(longest, code_points(text.substr(from, to - from)));
    from = to + 1;
  }
  return longest;
}

const Cell& cell_at(const std::vector<Cell>& row, std::size_t column) {
  static const Cell none;
  return column < row.size() ? row[column] : none;
}

// Numbers keep their width; text columns give way, the widest first, until the line fits.
std::vector<std::size_t> column_widths(const Table& table, std::size_t width) {
  std::vector<std::size_t> widths;
  std::size_t total = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t widest = longest_word(table.columns[i].heading);
    while (wrap(table.columns[i].heading, widest).size() > highest_heading) ++widest;
    for (const auto& row : table.rows) widest = std::max(widest, code_points(printable(cell_at(row, i).text)));
    widths.push_back(widest);
    total += widest + (i ? column_gap : 0);
  }
  while (total > width) {
    std::size_t victim = SIZE_MAX;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (!table.columns[i].numeric && widths[i] > narrowest_text && (victim == SIZE_MAX || widths[i] > widths[victim]))
        victim = i;
    if (victim == SIZE_MAX) break;
    --widths[victim];
    --total;
  }
  return widths;
}

void append_lines(std::string& out, const std::vector<std::vector<std::string>>& cells, const Table& table,
                  const std::vector<std::size_t>& widths, bool from_bottom) {
  std::size_t height = 0;
  for (const auto& lines : cells) height = std::max(height, lines.size());
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t skipped = from_bottom ? height - cells[i].size() : 0;
      const bool filled = line >= skipped && line - skipped < cells[i].size();
      if (i) text.append(column_gap, ' ');
      text += padded(filled ? cells[i][line - skipped] : "", widths[i], table.columns[i].numeric);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
}

}  // namespace

std::string printable(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool c1_control = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    if (length == 0)
      out += '?';
    else if (byte < 0x20 || byte == 0x7F || c1_control)
      out += ' ';
    else
      out.append(text, at, length);
    at += std::max<std::size_t>(1, length);
  }
  return out;
}

std::size_t code_points(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string rest = printable(text);
  while (code_points(rest) > width) {
    const std::size_t limit = prefix_bytes(rest, width);
    std::size_t cut = rest.rfind(' ', limit);
    const bool at_space = cut != std::string::npos && cut > 0;
    if (!at_space) cut = std::max<std::size_t>(limit, 1);
    lines.push_back(rest.substr(0, cut));
    rest.erase(0, at_space ? cut + 1 : cut);
  }
  lines.push_back(rest);
  return lines;
}

std::vector<std::string> take_common_notes(std::vector<Table>& tables) {
  if (tables.size() < 2) return {};
  std::vector<std::string> common = tables.front().notes;
  for (const Table& table : tables)
    std::erase_if(common, [&](const std::string& note) {
      return std::find(table.notes.begin(), table.notes.end(), note) == table.notes.end();
    });
  for (Table& table : tables)
    std::erase_if(table.notes, [&](const std::string& note) {
      return std::find(common.begin(), common.end(), note) != common.end();
    });
  return common;
}

std::string to_text(const Table& table, std::size_t width) {
  const std::vector<std::size_t> widths = column_widths(table, width);
  std::string out;
  for (const std::string& line : wrap(table.title, width)) out += line + "\n";
  out += "\n";
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < widths.size(); ++i) cells.push_back(wrap(table.columns[i].heading, widths[i]));
  append_lines(out, cells, table, widths, true);
  cells.clear();
  for (const std::size_t column : widths) {
    std::string rule;
    for (std::size_t i = 0; i < column; ++i) rule += "─";
    cells.push_back({rule});
  }
  append_lines(out, cells, table, widths, true);
  for (const auto& row : table.rows) {
    cells.clear();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string& text = cell_at(row, i).text;
      cells.push_back(table.columns[i].numeric ? std::vector{printable(text)} : wrap(text, widths[i]));
    }
    append_lines(out, cells, table, widths, false);
  }
  if (!table.notes.empty()) out += "\n";
  for (const std::string& note : table.notes) {
    const char* lead = "  ";
    for (const std::string& line : wrap(note, width - 2)) {
      out += lead + line + "\n";
      lead = "    ";
    }
  }
  return out;
}

namespace {

std::string without_markup(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else if (std::string_view("\\`*_[]>|~$").find(c) != std::string_view::npos)
      out += {'\\', c};
    else
      out += c;
  }
  return out;
}

// Outside of a table the first characters could begin a heading, a list, a rule or a code block.
std::string with_plain_beginning(std::string out) {
  const std::size_t first = out.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  out.erase(0, first);
  const std::size_t digits = out.find_first_not_of("0123456789");
  if (std::string_view("#+-=").find(out[0]) != std::string_view::npos)
    out.insert(0, 1, '\\');
  else if (digits != 0 && digits != std::string::npos && (out[digits] == '.' || out[digits] == ')') &&
           (digits + 1 == out.size() || out[digits + 1] == ' '))
    out.insert(digits, 1, '\\');
  return out;
}

// Where the code that begins after the backtick at `open` ends: at its closing backtick, or npos.
std::size_t code_end(const std::string& text, std::size_t open) {
  const auto within_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '`' || c == '\\'; };
  if (open > 0 && within_word(text[open - 1])) return std::string::npos;
  const std::size_t close = text.find('`', open + 1);
  if (close == std::string::npos || close == open + 1) return std::string::npos;
  if (text[open + 1] == ' ' || text[close - 1] == ' ') return std::string::npos;
  if (close + 1 < text.size() && within_word(text[close + 1])) return std::string::npos;
  return close;
}

}  // namespace

std::string markdown_escape(const std::string& text) {
  return with_plain_beginning(without_markup(text));
}

std::vector<Piece> inline_code(const std::string& prose) {
  const std::string text = printable(prose);
  std::vector<Piece> pieces(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '`' ? code_end(text, at) : std::string::npos;
    if (end == std::string::npos) {
      pieces.back().text += text[at];
      continue;
    }
    pieces.push_back({text.substr(at + 1, end - at - 1), true});
    pieces.emplace_back();
    at = end;
  }
  std::erase_if(pieces, [](const Piece& piece) { return piece.text.empty(); });
  return pieces;
}

std::string markdown_prose(const std::string& text) {
  std::string out;
  for (const Piece& piece : inline_code(text)) out += piece.code ? "`" + piece.text + "`" : without_markup(piece.text);
  return with_plain_beginning(out);
}

std::string to_markdown(const Table& table) {
  std::string out;
  if (!table.title.empty()) out += "**" + markdown_escape(table.title) + "**\n\n";
  std::string rule = "|";
  out += "|";
  for (const Column& column : table.columns) {
    out += " " + markdown_escape(column.heading) + " |";
    rule += column.numeric ? " ---: |" : " --- |";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < table.columns.size(); ++i) out += " " + markdown_escape(cell_at(row, i).text) + " |";
    out += "\n";
  }
  if (!table.notes.empty()) out += "\n";
  for (const std::string& note : table.notes) out += "- " + markdown_prose(note) + "\n";
  return out;
}

std::string to_csv(const Table& table) {
  std::string out;
  const auto append = [&](const std::string& field, bool first) {
    if (!first) out += ',';
    out += csv_field(disarmed(field));
  };
  bool first = true;
  for (const Column& column : table.columns)
    for (const std::string& key : column.keys) {
      append(key, first);
      first = false;
    }
  out += "\n";
  for (const auto& row : table.rows) {
    first = true;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      for (std::size_t key = 0; key < table.columns[i].keys.size(); ++key) {
        const std::vector<std::string>& fields = cell_at(row, i).fields;
        append(key < fields.size() ? fields[key] : std::string(), first);
        first = false;
      }
    out += "\n";
  }
  return out;
}

std::string list_text(const std::vector<std::string>& items, std::size_t width) {
  std::string text;
  for (const std::string& item : items) {
    const char* indent = "- ";
    for (const std::string& line : wrap(printable(item), width - 2)) {
      text += indent + line + "\n";
      indent = "  ";
    }
  }
  return text;
}

}  // namespace iobench
