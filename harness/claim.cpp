// SPDX-License-Identifier: MIT
#include "claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "system.h"
#include "units.h"

namespace iobench {

namespace {

bool is_time(const std::string& metric) {
  return metric == "wall" || metric == "cpu" || metric == "user" || metric == "system";
}

bool is_rate(const std::string& metric) {
  return metric == "bytes_per_s" || metric == "operations_per_s";
}

const Row& row_named(const Value& value, const std::string& key, const std::string& name,
                     const std::vector<Row>& rows) {
  std::vector<std::string> known;
  for (const Row& row : rows) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  fail(value.place, fmt::format("unknown row '{}' in '{}'{}", name, key, suggestion(name, known)));
}

// The one of ratio, difference and value that is there, and its rows.
void read_kind(const Value& table, ClaimSpec& claim) {
  const Value* found = nullptr;
  for (const ClaimKind kind : {ClaimKind::ratio, ClaimKind::difference, ClaimKind::value}) {
    const Value* here = table.find(to_string(kind));
    if (!here) continue;
    if (found)
      fail(here->place,
           fmt::format("'{}' beside '{}': a claim has one of them", to_string(kind), to_string(claim.kind)));
    found = here;
    claim.kind = kind;
  }
  if (!found) fail(table.place, "a claim needs 'ratio', 'difference' or 'value'");
  if (claim.kind == ClaimKind::value) {
    claim.rows = {table.need_text("value")};
    return;
  }
  claim.rows = table.texts_at(to_string(claim.kind));
  if (claim.rows.size() != 2) fail(found->place, fmt::format("'{}' must name two rows", to_string(claim.kind)));
  if (claim.rows[0] == claim.rows[1])
    fail(found->place, fmt::format("'{}' compares '{}' with itself", to_string(claim.kind), claim.rows[0]));
}

void read_minus(const Value& table, ClaimSpec& claim) {
  claim.minus = table.text_at("minus");
  if (claim.minus.empty()) return;
  const Place& place = table.need("minus").place;
  if (claim.kind == ClaimKind::difference) fail(place, "'minus' cancels out in a difference");
  if (is_rate(claim.metric))
    fail(place, fmt::format("'minus' subtracts times or counts, and '{}' is a rate", claim.metric));
  if (std::count(claim.rows.begin(), claim.rows.end(), claim.minus) > 0)
    fail(place, fmt::format("'minus' subtracts '{}' from itself", claim.minus));
}

void read_bounds(const Value& table, ClaimSpec& claim) {
  claim.holds_if = table.need_text("holds_if");
  const Place& place = table.need("holds_if").place;
  Bounds bounds;
  try {
    bounds = parse_bounds(claim.holds_if);
  } catch (const Error& error) {
    fail(place, fmt::format("'holds_if': {}", error.what()));
  }
  for (const std::optional<double>& bound : {bounds.low, bounds.high})
    if (claim.kind == ClaimKind::ratio && bound && !(*bound > 0)) fail(place, "'holds_if' of a ratio must be above 0");
}

// A time compares rows only where they do the same amount of work.
void check_rows(const Value& table, const ClaimSpec& claim, const std::vector<Row>& rows) {
  const Row* first = nullptr;
  for (const std::string& name : claim.all_rows()) {
    const char* key = name == claim.minus ? "minus" : to_string(claim.kind);
    const Value& value = table.need(key);
    const Row& row = row_named(value, key, name, rows);
    if (!first) first = &row;
    if (is_time(claim.metric) &&
        (row.size_bytes != first->size_bytes || row.share != first->share || row.repeat != first->repeat))
      fail(value.place, fmt::format("rows '{}' and '{}' move different amounts: their times cannot be compared, but "
                                    "bytes_per_s or operations_per_s can",
                                    first->name, row.name));
  }
}

}  // namespace

const char* to_string(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::ratio:
      return "ratio";
    case ClaimKind::difference:
      return "difference";
    case ClaimKind::value:
      return "value";
  }
  return "";
}

std::optional<ClaimKind> claim_kind_of(const std::string& word) {
  for (const ClaimKind kind : {ClaimKind::ratio, ClaimKind::difference, ClaimKind::value})
    if (word == to_string(kind)) return kind;
  return std::nullopt;
}

std::vector<std::string> ClaimSpec::all_rows() const {
  std::vector<std::string> all = rows;
  if (!minus.empty()) all.push_back(minus);
  return all;
}

Bounds parse_bounds(const std::string& holds_if) {
  const auto number = [&](std::size_t from, std::size_t to) {
    const std::size_t begin = std::min(holds_if.find_first_not_of(' ', from), to);
    const std::size_t end = holds_if.find_last_not_of(' ', to - 1) + 1;
    return parse_number(std::string_view(holds_if).substr(begin, end > begin ? end - begin : 0));
  };
  Bounds bounds;
  const std::size_t all = holds_if.size();
  if (const std::size_t dots = holds_if.find(".."); dots != std::string::npos && dots > 0) {
    bounds.low = number(0, dots);
    bounds.high = number(dots + 2, all);
    if (*bounds.low > *bounds.high) throw Error(fmt::format("'{}' goes downwards: no number lies in it", holds_if));
  } else if (holds_if.starts_with("<")) {
    bounds.high_included = holds_if.starts_with("<=");
    bounds.high = number(bounds.high_included ? 2 : 1, all);
  } else if (holds_if.starts_with(">")) {
    bounds.low_included = holds_if.starts_with(">=");
    bounds.low = number(bounds.low_included ? 2 : 1, all);
  } else {
    throw Error(fmt::format("'{}' is none of \"<= X\", \">= X\", \"< X\", \"> X\" and \"X .. Y\"", holds_if));
  }
  return bounds;
}

const std::vector<std::string>& claim_metrics() {
  static const std::vector<std::string> all = {"wall",          "cpu",          "user",
                                               "system",        "wall_per_copy", "cpu_per_copy",
                                               "bytes_per_s",   "operations_per_s", "calls_per_mib",
                                               "program_bytes", "instructions_per_byte"};
  return all;
}

bool is_counted(const std::string& claim_metric) {
  return claim_metric == "calls_per_mib" || claim_metric == "program_bytes" || claim_metric == "instructions_per_byte";
}

ClaimSpec load_claim(const Value& table, const std::vector<Row>& rows) {
  table.allow_only({"says", "who", "ratio", "difference", "value", "minus", "per", "metric", "published", "holds_if"});
  ClaimSpec claim;
  claim.says = table.need_text("says");
  claim.who = table.text_at("who");
  read_kind(table, claim);
  claim.metric = table.need_text("metric");
  if (std::count(claim_metrics().begin(), claim_metrics().end(), claim.metric) == 0)
    fail(table.need("metric").place,
         fmt::format("unknown metric '{}'{}", claim.metric, suggestion(claim.metric, claim_metrics())));
  read_minus(table, claim);
  claim.per = table.number_at("per", 1);
  if (!(claim.per > 0)) fail(table.need("per").place, "'per' must be above 0");
  if (claim.kind == ClaimKind::ratio && table.find("per"))
    fail(table.need("per").place, "'per' cancels out in a ratio");
  if (const Value* published = table.find("published")) {
    const bool is_number = published->kind == Value::Kind::number || published->kind == Value::Kind::integer;
    if (!is_number || !std::isfinite(published->number)) fail(published->place, "'published' must be a number");
    claim.published = published->number;
  }
  read_bounds(table, claim);
  check_rows(table, claim, rows);
  return claim;
}

}  // namespace iobench
