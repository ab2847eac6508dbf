// SPDX-License-Identifier: MIT
#include "row.h"

#include <fmt/format.h>

#include <algorithm>

#include "system.h"
#include "units.h"

namespace iobench {

const std::vector<std::string>& input_words() {
  static const std::vector<std::string> all = {"corpus", "tmpfs", "pipe", "zero", "none", "tcp", "unix"};
  return all;
}
const std::vector<std::string>& output_words() {
  static const std::vector<std::string> all = {"null", "pipe", "file", "over", "tmpfs", "none", "tcp", "unix"};
  return all;
}
const std::vector<std::string>& expected_words() {
  static const std::vector<std::string> all = {"copy", "nothing", "part", "refusal"};
  return all;
}
const std::vector<std::string>& cache_words() {
  static const std::vector<std::string> all = {"warm", "cold", "confined", "none"};
  return all;
}

namespace {

template <class Enum>
std::optional<Enum> enum_of(const std::string& word, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

}  // namespace

const char* to_string(Input input) { return input_words()[static_cast<std::size_t>(input)].c_str(); }
const char* to_string(Output output) { return output_words()[static_cast<std::size_t>(output)].c_str(); }
const char* to_string(Cache cache) { return cache_words()[static_cast<std::size_t>(cache)].c_str(); }
const char* to_string(Expected expected) { return expected_words()[static_cast<std::size_t>(expected)].c_str(); }
std::optional<Input> input_of(const std::string& word) { return enum_of<Input>(word, input_words()); }
std::optional<Output> output_of(const std::string& word) { return enum_of<Output>(word, output_words()); }
std::optional<Cache> cache_of(const std::string& word) { return enum_of<Cache>(word, cache_words()); }
std::optional<Expected> expected_of(const std::string& word) { return enum_of<Expected>(word, expected_words()); }

std::string Row::value(const std::string& key) const {
  for (const auto& [variable, text] : values)
    if (variable == key) return text;
  if (key == "name") return name;
  if (key == "label") return label;
  if (key == "comment") return comment;
  if (key == "tool") return tool;
  if (key == "input") return to_string(input);
  if (key == "output") return to_string(output);
  if (key == "cache") return cache == Cache::confined && not_confined ? "not-confined" : to_string(cache);
  if (key == "sync") return sync ? "yes" : "";
  if (key == "link") return link_bits_per_s ? format_bit_rate(link_bits_per_s) : "";
  if (key == "size") return size_bytes ? format_short_size(*size_bytes) : "corpus";
  return {};
}

bool Row::matches(const std::string& key, const std::string& wanted) const {
  const std::string own = value(key);
  if (wanted == "no" && own.empty()) return true;
  return own == wanted || (key == "cache" && wanted == to_string(cache));
}

bool Row::is_called(const std::string& wanted) const {
  if (name == wanted || !not_confined) return name == wanted;
  std::string lost = wanted;  // as plan renames it
  for (std::size_t at = 0; (at = lost.find("confined", at)) != std::string::npos; at += 12) lost.insert(at, "not-");
  return name == lost;
}

bool Row::is_given_names() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& word) { return word.find("{source}") != std::string::npos; });
}

const std::vector<std::string>& session_places() {
  static const std::vector<std::string> all = {"source", "destination", "peers", "built"};
  return all;
}

const std::vector<std::string>& row_values() {
  static const std::vector<std::string> all = {"name",   "label", "comment", "tool", "input",
                                               "output", "cache", "sync",    "link", "size"};
  return all;
}

std::vector<std::string> placeholders(const std::string& text, const Place& place) {
  std::vector<std::string> names;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) fail(place, fmt::format("'{}' has a {{ without its }}", text));
    if (close == open + 1) fail(place, fmt::format("'{}' has an empty {{}}", text));
    names.push_back(text.substr(open + 1, close - open - 1));
    open = close;
  }
  return names;
}

std::string fill_in(const std::string& text, const Row& row) {
  std::string filled;
  std::size_t at = 0;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    const std::string name = text.substr(open + 1, close - open - 1);
    const std::vector<std::string>& later = session_places();
    const bool stays = std::find(later.begin(), later.end(), name) != later.end() && row.value(name).empty();
    filled += text.substr(at, open - at) + (stays ? "{" + name + "}" : row.value(name));
    at = close + 1;
  }
  return filled + text.substr(at);
}

}  // namespace iobench
