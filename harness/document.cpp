// SPDX-License-Identifier: MIT
// toml++'s tree turned into ours. toml++ iterates tables alphabetically: entries are sorted by where they stand.
#include "document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "system.h"
#include "units.h"

namespace iobench {

void fail(const Place& place, const std::string& what) {
  std::string line = what;  // quotes the file's words, which may hold anything; an error stays one line
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  throw Error(fmt::format("{}:{}: {}", place.file, place.line, line));
}

namespace {

const char* kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::text: return "text";
    case Value::Kind::integer: return "an integer";
    case Value::Kind::number: return "a number";
    case Value::Kind::boolean: return "true or false";
    case Value::Kind::date: return "a date";
    case Value::Kind::list: return "a list";
    case Value::Kind::table: return "a table";
  }
  return "nothing";
}

[[noreturn]] void wrong_kind(const Value& value, const std::string& key, const char* wanted) {
  fail(value.place, fmt::format("'{}' must be {}, not {}", key, wanted, kind_name(value.kind)));
}

Place place_of(const toml::source_region& region, const std::string& file) {
  return {file, static_cast<int>(region.begin.line)};
}

Value convert(const toml::node& node, const std::string& file) {
  Value value;
  value.place = place_of(node.source(), file);
  if (const toml::table* table = node.as_table()) {
    value.kind = Value::Kind::table;
    std::vector<std::pair<toml::source_position, Entry>> found;
    for (auto&& [key, child] : *table)
      found.emplace_back(key.source().begin,
                         Entry{std::string(key.str()), place_of(key.source(), file), convert(child, file)});
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [position, entry] : found) value.entries.push_back(std::move(entry));
  } else if (const toml::array* array = node.as_array()) {
    value.kind = Value::Kind::list;
    for (const toml::node& item : *array) value.items.push_back(convert(item, file));
  } else if (const auto* text = node.as_string()) {
    value.kind = Value::Kind::text;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Value::Kind::integer;
    value.integer = integer->get();
    value.number = static_cast<double>(value.integer);
    value.text = std::to_string(value.integer);
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = Value::Kind::number;
    value.number = number->get();
    value.text = format_exact(value.number);
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = Value::Kind::boolean;
    value.boolean = boolean->get();
    value.text = value.boolean ? "true" : "false";
  } else {
    value.kind = Value::Kind::date;
  }
  return value;
}

}  // namespace

Value load_document(const std::filesystem::path& path) {
  const std::string file = path.string();
  try {
    return convert(toml::parse(read_file(path), file), file);
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    std::replace(what.begin(), what.end(), '\n', ' ');
    fail(place_of(error.source(), file), what);
  }
}

const Value* Value::find(const std::string& key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

const Value& Value::need(const std::string& key) const {
  if (const Value* value = find(key)) return *value;
  fail(place, fmt::format("'{}' is missing", key));
}

void Value::allow_only(const std::vector<std::string>& keys) const {
  for (const Entry& entry : entries)
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end())
      fail(entry.place, fmt::format("unknown key '{}'{}", entry.key, suggestion(entry.key, keys)));
}

std::string Value::text_at(const std::string& key, const std::string& fallback) const {
  const Value* value = find(key);
  if (!value) return fallback;
  if (value->kind != Kind::text) wrong_kind(*value, key, "text");
  if (value->text.find_first_not_of(" \t\r\n") == std::string::npos)
    fail(value->place, fmt::format("'{}' is empty", key));
  return value->text;
}

std::string Value::need_text(const std::string& key) const {
  need(key);
  return text_at(key);
}

bool Value::flag_at(const std::string& key, bool fallback) const {
  const Value* value = find(key);
  if (!value) return fallback;
  if (value->kind != Kind::boolean) wrong_kind(*value, key, "true or false");
  return value->boolean;
}

double Value::number_at(const std::string& key, double fallback) const {
  const Value* value = find(key);
  if (!value) return fallback;
  if (value->kind != Kind::number && value->kind != Kind::integer) wrong_kind(*value, key, "a number");
  if (!std::isfinite(value->number) || value->number < 0)
    fail(value->place, fmt::format("'{}' must not be negative or infinite", key));
  return value->number;
}

std::vector<std::string> Value::texts_at(const std::string& key) const {
  std::vector<std::string> texts;
  const Value* value = find(key);
  if (!value) return texts;
  if (value->kind != Kind::list) wrong_kind(*value, key, "a list of texts");
  for (const Value& item : value->items) {
    if (item.kind != Kind::text) wrong_kind(item, key, "a list of texts");
    if (item.text.empty()) fail(item.place, fmt::format("'{}' has an empty text", key));
    texts.push_back(item.text);
  }
  return texts;
}

std::vector<const Value*> Value::tables_at(const std::string& key) const {
  std::vector<const Value*> tables;
  const Value* value = find(key);
  if (!value) return tables;
  const std::string wanted = fmt::format("written as [[{}]]", key);
  if (value->kind != Kind::list) wrong_kind(*value, key, wanted.c_str());
  for (const Value& item : value->items) {
    if (item.kind != Kind::table) wrong_kind(item, key, wanted.c_str());
    tables.push_back(&item);
  }
  return tables;
}

Pairs Value::pairs_at(const std::string& key) const {
  Pairs pairs;
  const Value* value = find(key);
  if (!value) return pairs;
  if (value->kind != Kind::table) wrong_kind(*value, key, "a table like { block = \"64K\" }");
  for (const Entry& entry : value->entries) pairs.emplace_back(entry.key, scalar_text(entry.value, entry.key));
  return pairs;
}

std::string scalar_text(const Value& value, const std::string& key) {
  if (!value.is_scalar()) wrong_kind(value, key, "text or a number");
  if (value.text.empty()) fail(value.place, fmt::format("'{}' is empty", key));
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(value.text.begin(), value.text.end(), control))
    fail(value.place, fmt::format("'{}' has a control character", key));
  return value.text;
}

namespace {

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment): the slips of a typing hand.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string suggestion(const std::string& wrong, const std::vector<std::string>& known) {
  // A third of the letters may be wrong, as in "redwrit"; more is another word. Long words are not worth the table.
  std::size_t best = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  const std::string* closest = nullptr;
  for (const std::string& word : known) {
    const std::size_t distance = wrong.size() > 100 ? best : edit_distance(wrong, word);
    if (distance < best) {
      best = distance;
      closest = &word;
    }
  }
  for (const std::string& word : known)  // or only the beginning of one was given
    if (!closest && wrong.size() >= 3 && word.starts_with(wrong)) closest = &word;
  if (closest) return fmt::format("; did you mean '{}'?", *closest);
  if (!known.empty() && known.size() <= 8) return fmt::format("; known are {}", fmt::join(known, ", "));
  return {};
}

void check_name(const Place& place, const std::string& what, const std::string& name) {
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto allowed = [&](char c) { return alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '+'; };
  if (name.empty() || name.size() > 100 || !alphanumeric(name[0]) || !std::all_of(name.begin(), name.end(), allowed))
    fail(place,
         fmt::format("{} '{}' becomes a file name: letters, digits and - . _ + only, first a letter or a digit, at "
                     "most 100 characters",
                     what, name.substr(0, 120)));
}

}  // namespace iobench
