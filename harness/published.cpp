// SPDX-License-Identifier: MIT
#include "published.h"

#include <fmt/format.h>

#include <algorithm>

#include "csv.h"
#include "system.h"

namespace iobench {

PublishedTable load_published(const std::filesystem::path& csv) {
  const std::string path = csv.string();
  const std::string text = read_file(csv);
  PublishedTable table;
  std::size_t at = 0;
  std::size_t line = 1;
  for (; at < text.size() && text[at] == '#'; ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t begin = std::min(text.find_first_not_of("# ", at), end);
    table.notes.push_back(text.substr(begin, end - begin));
    at = std::min(end + 1, text.size());
  }
  std::vector<CsvRecord> records = parse_csv(text.substr(at), path, line);
  if (records.empty()) throw Error(fmt::format("{}:{}: the heading with the column names is missing", path, line));
  table.columns = records[0].fields;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].empty())
      throw Error(fmt::format("{}:{}: column {} has no name", path, records[0].line, i + 1));
    if (std::find(table.columns.begin(), table.columns.begin() + static_cast<std::ptrdiff_t>(i), table.columns[i]) !=
        table.columns.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error(fmt::format("{}:{}: column '{}' is there twice", path, records[0].line, table.columns[i]));
  }
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].fields.size() != table.columns.size())
      throw Error(fmt::format("{}:{}: {} fields where the heading has {}", path, records[i].line,
                              records[i].fields.size(), table.columns.size()));
    table.rows.push_back(std::move(records[i].fields));
  }
  return table;
}

}  // namespace iobench
