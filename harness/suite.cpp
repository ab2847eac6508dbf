// SPDX-License-Identifier: MIT
#include "suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "system.h"
#include "units.h"

namespace iobench {

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> all = {
      "wall",         "return",        "delivered",       "durable",          "cpu",
      "user",         "system",        "bytes_per_s",     "operations_per_s", "wall_per_copy",
      "cpu_per_copy", "user_per_copy", "system_per_copy", "cpu_per_byte",     "peak_memory",
      "device_read"};
  return all;
}

const std::vector<std::string>& plot_kinds() {
  static const std::vector<std::string> all = {"sweep", "bars", "fit", "pairs"};
  return all;
}

Pairs conditions_of(const std::string& only) {
  constexpr std::string_view both = " and ";
  Pairs found;
  for (std::size_t begin = 0; !only.empty() && begin <= only.size();) {
    const std::size_t end = std::min(only.find(both, begin), only.size());
    const std::string part = only.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      found.emplace_back("", part);
    else
      found.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    begin = end + both.size();
  }
  return found;
}

namespace {

// "64K" and "65536" are the same; so are equal texts.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto digit = [](const std::string& text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; };
  if (!digit(a) || !digit(b)) return false;
  try {
    return parse_size(a) == parse_size(b);
  } catch (const Error&) {
    return false;  // two different texts that are not both sizes
  }
}

}  // namespace

namespace {

// "perlman-1985": "1985"; other names come after all years.
std::string year_of(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  const std::string last = dash == std::string::npos ? "" : name.substr(dash + 1);
  const bool is_year = last.size() == 4 && last.find_first_not_of("0123456789") == std::string::npos;
  return is_year ? last : "none";
}

}  // namespace

std::vector<std::string> suite_names(const std::filesystem::path& data) {
  std::vector<std::string> names;
  std::error_code code;
  std::filesystem::directory_iterator entries(data / "suites", code);
  if (code) throw_errno(fmt::format("open {}", (data / "suites").string()), code.value());
  for (const std::filesystem::directory_entry& entry : entries)
    if (entry.path().extension() == ".toml" && entry.is_regular_file()) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(year_of(a), a) < std::pair(year_of(b), b);
  });
  return names;
}

AnswerPlace answer_place(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  const bool by = words.size() == 3 && (words[0] == "served" || words[0] == "refused") && words[1] == "by";
  const bool of = words.size() == 3 && words[1] == "of";
  if (by || of) return {words[0], words[2], ""};
  if (words.size() == 5 && words[1] == "of" && words[3] == "over") return {words[0], words[2], words[4]};
  return {};
}

bool has_values(const Row& row, const Pairs& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& pair) { return row.matches(pair.first, pair.second); });
}

bool is_shown(const Row& row, const std::string& only) {
  return has_values(row, conditions_of(only));
}

std::vector<std::size_t> matching_lines(const Published& published, const PublishedTable& table, const Row& row) {
  std::vector<std::size_t> matches;
  if (!is_shown(row, published.only)) return matches;
  for (std::size_t line = 0; line < table.rows.size(); ++line) {
    const bool all = std::all_of(published.match.begin(), published.match.end(), [&](const auto& pair) {
      const auto column = std::find(table.columns.begin(), table.columns.end(), pair.first);
      return column != table.columns.end() &&
             same_value(table.rows[line][static_cast<std::size_t>(column - table.columns.begin())],
                        fill_in(pair.second, row));
    });
    if (all) matches.push_back(line);
  }
  return matches;
}

std::optional<std::size_t> published_line(const Published& published, const PublishedTable& table, const Row& row) {
  if (published.match.empty()) return std::nullopt;
  const std::vector<std::size_t> lines = matching_lines(published, table, row);
  return lines.size() == 1 ? std::optional(lines[0]) : std::nullopt;
}

std::string published_value(const Published& published, const PublishedTable& table, const Row& row,
                            const std::string& column) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  const std::optional<std::size_t> line = published_line(published, table, row);
  if (found == table.columns.end() || !line) return {};
  return table.rows[*line][static_cast<std::size_t>(found - table.columns.begin())];
}

}  // namespace iobench
