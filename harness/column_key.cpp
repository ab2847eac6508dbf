// SPDX-License-Identifier: MIT
#include "column_key.h"

#include <set>
#include <string_view>
#include <utility>

namespace iobench {

const std::vector<std::string>& column_keys() {
  static const std::vector<std::string> all = {"label",
                                               "name",
                                               "tool",
                                               "n",
                                               "wall",
                                               "wall_interval",
                                               "wall_with_interval",
                                               "return",
                                               "durable",
                                               "bytes_per_s",
                                               "mb_per_s",
                                               "mb_per_s_with_interval",
                                               "of_limit",
                                               "ratio",
                                               "step",
                                               "over_control",
                                               "user",
                                               "system",
                                               "cpu",
                                               "user_per_copy",
                                               "system_per_copy",
                                               "cpu_per_copy",
                                               "cpu_ns_per_byte",
                                               "wall_per_copy",
                                               "cpu_times_baseline",
                                               "operations_per_s",
                                               "operations_per_s_with_interval",
                                               "calls_per_mib",
                                               "instructions_per_byte",
                                               "startup_calls",
                                               "program_bytes",
                                               "peak_memory",
                                               "sink",
                                               "cache",
                                               "status",
                                               "comment"};
  return all;
}

bool tells_speed(const ColumnKey& column) {
  static const std::set<std::string> speeds = {
      "wall",     "wall_interval",          "wall_with_interval", "bytes_per_s",
      "mb_per_s", "mb_per_s_with_interval", "wall_per_copy",      "operations_per_s",
      "operations_per_s_with_interval"};
  return column.kind == ColumnKey::Kind::built_in && speeds.contains(column.name);
}

ColumnKey parse_column_key(const std::string& text) {
  using Kind = ColumnKey::Kind;
  constexpr std::string_view where = " where ";
  ColumnKey key;
  const std::size_t at = text.find(where);
  key.name = text.substr(0, at);
  if (at != std::string::npos) key.only = text.substr(at + where.size());
  for (const auto& [prefix, kind] : {std::pair<std::string_view, Kind>{"row.", Kind::row_value},
                                     {"published.", Kind::published},
                                     {"published_ratio.", Kind::published_ratio},
                                     {"published_step.", Kind::published_step},
                                     {"published_over_control.", Kind::published_over_control}})
    if (key.name.starts_with(prefix)) {
      key.kind = kind;
      key.name.erase(0, prefix.size());
      break;
    }
  return key;
}

}  // namespace iobench
