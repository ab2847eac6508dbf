// SPDX-License-Identifier: MIT
// A TOML file as a tree that remembers what the meaning needs and a map forgets: the order of the file and the line of
// every key. The only includer of toml++ is document.cpp. A wrong type, a missing or an unknown key is one Error
// "FILE:LINE: what is wrong; did you mean …?". What the keys mean is left to toolbox, row and suite.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace iobench {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // in file order

struct Place {
  std::string file;
  int line = 0;
};
// Throws Error "FILE:LINE: what".
[[noreturn]] void fail(const Place& place, const std::string& what);

struct Entry;

struct Value {
  enum class Kind { text, integer, number, boolean, date, list, table };
  Kind kind = Kind::table;
  Place place;
  std::string text;  // of text, integer, number and boolean: as a row would spell it
  std::int64_t integer = 0;
  double number = 0;  // of integer and number
  bool boolean = false;
  std::vector<Value> items;    // of a list
  std::vector<Entry> entries;  // of a table, in file order

  bool is_scalar() const { return kind != Kind::list && kind != Kind::table && kind != Kind::date; }

  // The rest is for tables. `find` returns nullptr for a missing key; the others take a fallback or fail.
  const Value* find(const std::string& key) const;
  const Value& need(const std::string& key) const;
  void allow_only(const std::vector<std::string>& keys) const;
  std::string text_at(const std::string& key, const std::string& fallback = {}) const;  // a text, never an empty one
  std::string need_text(const std::string& key) const;
  bool flag_at(const std::string& key, bool fallback) const;
  double number_at(const std::string& key, double fallback) const;    // not negative
  std::vector<std::string> texts_at(const std::string& key) const;    // a list of texts; none when missing
  std::vector<const Value*> tables_at(const std::string& key) const;  // [[key]]; none when missing
  Pairs pairs_at(const std::string& key) const;                       // { a = "x", b = 1 }: scalars as text
};

struct Entry {
  std::string key;
  Place place;
  Value value;
};

// The root table of a TOML file. A syntax error is an Error with its line.
Value load_document(const std::filesystem::path& path);

// The text of a scalar, fit to stand in a name or a command: not empty, no control characters.
std::string scalar_text(const Value& value, const std::string& key);

// "; did you mean 'readwrite'?" for a close one of the known words, "; known are …" for a short list, otherwise empty.
std::string suggestion(const std::string& wrong, const std::vector<std::string>& known);

// Fails unless `name` can be a file name and a CSV field as it is: letters, digits and - . _ +, first a letter or a
// digit, at most 100 characters.
void check_name(const Place& place, const std::string& what, const std::string& name);

}  // namespace iobench
