// SPDX-License-Identifier: MIT
#include "verdict_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "units.h"
#include "words.h"

namespace iobench {

namespace {

const char* metric_words(const std::string& metric) {
  if (metric == "wall") return "wall time";
  if (metric == "cpu") return "CPU time";
  if (metric == "user") return "CPU time in the program";
  if (metric == "system") return "CPU time in the kernel";
  if (metric == "bytes_per_s") return "throughput";
  if (metric == "operations_per_s") return "operations a second";
  if (metric == "wall_per_copy") return "wall time a copy";
  if (metric == "cpu_per_copy") return "CPU time a copy";
  if (metric == "calls_per_mib") return "system calls per MiB";
  if (metric == "instructions_per_byte") return "instructions a byte";
  return "size of the program";
}

// Three significant digits, or a whole number with its thousands.
std::string number_words(double value) {
  if (std::fabs(value) < 1000 || !(std::fabs(value) < 1e15)) return format_ratio(value);
  return (value < 0 ? "-" : "") + format_count(static_cast<std::uint64_t>(std::llround(std::fabs(value))));
}

std::string count_words(double value) {
  return value == std::floor(value) && std::fabs(value) < 1000 ? format_fixed(value, 0) : number_words(value);
}

std::string bytes_words(double value) {
  return count_words(value) + " bytes";
}

// How a value or a difference of the metric is written.
std::string (*format_of(const std::string& metric))(double) {
  if (metric == "bytes_per_s") return format_rate;
  if (metric == "operations_per_s") return number_words;
  if (metric == "calls_per_mib") return count_words;
  if (metric == "instructions_per_byte") return number_words;
  if (metric == "program_bytes") return bytes_words;
  return format_seconds;
}

// A number of the claim's own unit. `as_given`: somebody wrote it, and no digit is lost.
std::string quantity(const ClaimSpec& claim, double value, bool as_given) {
  if (claim.kind != ClaimKind::ratio) return format_of(claim.metric)(value);
  return as_given ? format_exact(value) : format_ratio(value);
}

std::string bounds_words(const ClaimSpec& claim) {
  const Bounds bounds = parse_bounds(claim.holds_if);
  const auto words = [&](double bound) { return quantity(claim, bound, true); };
  if (bounds.low && bounds.high) return fmt::format("{} to {}", words(*bounds.low), words(*bounds.high));
  if (bounds.high) return (bounds.high_included ? "at most " : "below ") + words(*bounds.high);
  return (bounds.low_included ? "at least " : "above ") + words(*bounds.low);
}

// "1.004 times [1.001, 1.008]", "231 µs [210 µs, 250 µs]"
std::string estimate_words(const ClaimSpec& claim, const ClaimVerdict& verdict) {
  if (!verdict.estimate) return "–";
  std::string text = quantity(claim, *verdict.estimate, false);
  if (claim.kind == ClaimKind::ratio) text += " times";
  if (!verdict.interval.exists()) return text;
  return text + fmt::format(" [{}, {}]", quantity(claim, verdict.interval.low, false),
                            quantity(claim, verdict.interval.high, false));
}

// "CPU time, fgetputc over readwrite"
std::string subject_words(const ClaimSpec& claim) {
  std::string text = fmt::format("{}, {}", metric_words(claim.metric), claim.rows[0]);
  if (claim.kind != ClaimKind::value) text += (claim.kind == ClaimKind::ratio ? " over " : " less ") + claim.rows[1];
  if (!claim.minus.empty()) text += fmt::format(", {} subtracted", claim.minus);
  return text + (claim.per == 1 ? "" : fmt::format(", each of {}", count_words(claim.per)));
}

// What was measured, of what and how surely.
std::string measured_words(const ClaimSpec& claim, const ClaimVerdict& verdict) {
  std::string text = claim.kind == ClaimKind::difference ? "difference of " : "";
  text += metric_words(claim.metric);
  if (!claim.minus.empty()) text += fmt::format(" less that of {}", claim.minus);
  text += " " + estimate_words(claim, verdict);
  if (claim.per != 1) text += fmt::format(" for each of {}", count_words(claim.per));
  if (is_counted(claim.metric)) return text + " (counted)";
  return text + fmt::format(
                    " ({}, {} round{})",
                    verdict.interval.exists() ? "interval of " + format_percent(verdict.interval.level) : "no interval",
                    verdict.rounds, verdict.rounds == 1 ? "" : "s");
}

// Of the noise floor it says how large it is.
std::string reason_words(const ClaimSpec& claim, const ClaimVerdict& verdict) {
  if (verdict.reason != within_noise_floor) return verdict.reason;
  return fmt::format("{}, {}", verdict.reason,
                     claim.kind == ClaimKind::ratio ? floor_words(*verdict.noise_floor)
                                                    : quantity(claim, *verdict.noise_floor, false));
}

std::size_t number_of(const std::vector<JudgedSuite>& all, Outcome outcome) {
  std::size_t number = 0;
  for (const JudgedSuite& judged : all)
    number += static_cast<std::size_t>(
        std::count_if(judged.verdicts.begin(), judged.verdicts.end(),
                      [&](const ClaimVerdict& verdict) { return verdict.outcome == outcome; }));
  return number;
}

Cell text_cell(const std::string& text) {
  return {text.empty() ? "–" : text, {text}};
}

std::string exact(const std::optional<double>& value) {
  return value ? format_exact(*value) : "";
}

}  // namespace

std::string verdict_sentence(const ClaimSpec& claim, const ClaimVerdict& verdict) {
  std::string text = fmt::format("{}: {}", to_string(verdict.outcome), claim.says);
  if (!claim.who.empty()) text += fmt::format(" ({})", claim.who);
  text += verdict.estimate ? ": " + measured_words(claim, verdict) : ": no figure here";
  if (claim.published) text += ", published " + quantity(claim, *claim.published, true);
  text += "; holds if " + bounds_words(claim);
  if (const std::string reason = reason_words(claim, verdict); !reason.empty()) text += "; " + reason;
  return text + ".";
}

std::vector<std::string> verdict_sentences(const JudgedSuite& judged) {
  std::vector<std::string> said;
  for (const Outcome outcome : {Outcome::confirmed, Outcome::refuted, Outcome::inconclusive})
    for (std::size_t i = 0; i < judged.verdicts.size(); ++i)
      if (judged.verdicts[i].outcome == outcome)
        said.push_back(verdict_sentence(judged.suite->experiment.claims[i], judged.verdicts[i]));
  return said;
}

std::string verdict_counts(const std::vector<JudgedSuite>& all) {
  const std::size_t held = number_of(all, Outcome::confirmed), fell = number_of(all, Outcome::refuted),
                    open = number_of(all, Outcome::inconclusive);
  if (held + fell + open == 0) return "";
  return fmt::format("Of {} claim{} {} {}, {} fell, {} {} open.", held + fell + open,
                     held + fell + open == 1 ? "" : "s", held, held == 1 ? "holds" : "hold", fell, open,
                     open == 1 ? "is" : "are");
}

Table verdict_table(const std::vector<JudgedSuite>& all, bool names_suites) {
  Table table;
  table.title = "Claims";
  if (names_suites) table.columns.push_back({"suite", {"suite"}, false});
  for (const Column& column :
       {Column{"claim", {"says"}, false}, Column{"who", {"who"}, false},
        Column{"of what", {"kind", "rows", "minus", "per", "metric"}, false}, Column{"published", {"published"}, true},
        Column{"here", {"estimate", "low", "high", "level", "noise_floor"}, true}, Column{"rounds", {"rounds"}, true},
        Column{"holds if", {"holds_if"}, true}, Column{"verdict", {"verdict"}, false},
        Column{"why not", {"reason"}, false}})
    table.columns.push_back(column);
  for (const JudgedSuite& judged : all)
    for (std::size_t i = 0; i < judged.verdicts.size(); ++i) {
      const ClaimSpec& claim = judged.suite->experiment.claims[i];
      const ClaimVerdict& verdict = judged.verdicts[i];
      std::vector<Cell> row;
      if (names_suites) row.push_back(text_cell(judged.suite->experiment.name));
      row.push_back(text_cell(claim.says));
      row.push_back(text_cell(claim.who));
      row.push_back({subject_words(claim),
                     {to_string(claim.kind), fmt::format("{}", fmt::join(claim.rows, " ")), claim.minus,
                      format_exact(claim.per), claim.metric}});
      row.push_back({claim.published ? quantity(claim, *claim.published, true) : "–", {exact(claim.published)}});
      const Interval& interval = verdict.interval;
      const auto end = [&](double value) { return interval.exists() ? format_exact(value) : ""; };
      const Cell here{estimate_words(claim, verdict),
                      {exact(verdict.estimate), end(interval.low), end(interval.high), end(interval.level),
                       exact(verdict.noise_floor)}};
      row.push_back(here);
      row.push_back({verdict.rounds > 0 ? format_count(verdict.rounds) : "–",
                     {verdict.rounds > 0 ? std::to_string(verdict.rounds) : ""}});
      row.push_back({bounds_words(claim), {claim.holds_if}});
      row.push_back(text_cell(to_string(verdict.outcome)));
      row.push_back(text_cell(reason_words(claim, verdict)));
      table.rows.push_back(row);
    }
  if (!table.rows.empty())
    table.notes.push_back(
        "the claims of a suite share an error of 5 %: each interval, paired by round, is at the level of 1 less 5 % "
        "over "
        "their number. A verdict needs every bound outside of the interval, and farther from the estimate than the "
        "noise "
        "floor of its rows; what is counted is exact");
  return table;
}

Table headline_table(const std::vector<JudgedSuite>& all) {
  Table table;
  table.title = "What five published results say, and what holds here";
  for (const Column& column :
       {Column{"source", {"suite"}, false}, Column{"claim", {"says"}, false}, Column{"published", {"published"}, true},
        Column{"here", {"estimate"}, true}, Column{"verdict", {"verdict"}, false}})
    table.columns.push_back(column);
  for (const JudgedSuite& judged : all)
    for (std::size_t i = 0; i < judged.verdicts.size(); ++i) {
      const ClaimSpec& claim = judged.suite->experiment.claims[i];
      const ClaimVerdict& verdict = judged.verdicts[i];
      table.rows.push_back({text_cell(judged.suite->experiment.name), text_cell(claim.says),
                            {claim.published ? quantity(claim, *claim.published, true) : "–", {exact(claim.published)}},
                            {estimate_words(claim, verdict), {exact(verdict.estimate)}},
                            text_cell(to_string(verdict.outcome))});
    }
  return table;
}

}  // namespace iobench
