// SPDX-License-Identifier: MIT
#include "bench.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace iobench::testing {

using nlohmann::ordered_json;

std::vector<std::string> plumb(const std::string& line) {
  std::vector<std::string> words{tool_path("plumb")};
  std::size_t at = 0;
  for (std::size_t bar; (bar = line.find('|', at)) != std::string::npos; at = bar + 1) words.push_back(line.substr(at, bar - at));
  words.push_back(line.substr(at));
  return words;
}

Account::Account(const std::string& text) : text_(text) {
  if (!ordered_json::parse(text).is_object()) throw Error("the account is no object: " + text);
}

std::vector<std::string> Account::keys() const {
  std::vector<std::string> keys;
  const ordered_json object = ordered_json::parse(text_);
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

bool Account::is_null(const std::string& key) const { return ordered_json::parse(text_).at(key).is_null(); }
std::int64_t Account::number(const std::string& key) const { return ordered_json::parse(text_).at(key).get<std::int64_t>(); }
double Account::seconds(const std::string& key) const { return ordered_json::parse(text_).at(key).get<double>(); }
std::string Account::text(const std::string& key) const { return ordered_json::parse(text_).at(key).get<std::string>(); }
bool Account::is_valid(const std::string& text) { return ordered_json::accept(text); }

Ended Bench::run(const std::string& line) const { return testing::run(plumb(line), ends); }
Ended Bench::run_accounted(const std::string& line) const { return run(accounted(line)); }
Account Bench::account() const { return Account(read_file(account_path)); }

std::vector<pid_t> children_of(pid_t pid) {
  const std::string id = std::to_string(pid);
  std::istringstream list(read_file_or_empty("/proc/" + id + "/task/" + id + "/children"));
  std::vector<pid_t> children;
  for (pid_t child; list >> child;) children.push_back(child);
  return children;
}

// A zombie is gone too: nobody may be there to wait for it.
bool is_gone(pid_t pid) {
  const std::string stat = read_file_or_empty("/proc/" + std::to_string(pid) + "/stat");
  return stat.empty() || stat[stat.rfind(')') + 2] == 'Z';
}

}  // namespace iobench::testing
