// SPDX-License-Identifier: MIT
#include "question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "units.h"
#include "words.h"

namespace iobench {

namespace {

constexpr double shown_level = 0.95;

std::string figure_of(const std::string& metric_name, double value) {
  if (metric_name == "bytes_per_s") return format_rate(value);
  if (metric_name == "operations_per_s") return fmt::format("{} a second", format_count(static_cast<std::uint64_t>(std::llround(value))));
  if (metric_name == "peak_memory" || metric_name == "device_read") return format_size(static_cast<std::uint64_t>(value));
  return format_seconds(value);
}

std::string bit_rate_words(double bits_per_s) {
  return bits_per_s >= 1e9 ? fmt::format("{:.3g} Gbit/s", bits_per_s / 1e9) : fmt::format("{:.3g} Mbit/s", bits_per_s / 1e6);
}

class Filler {
 public:
  Filler(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks)
      : suite_(suite), result_(result), checks_(checks) {}

  std::string fill(const AnswerPlace& place) const {
    if (place.kind == "served" || place.kind == "refused") return pairs(place.row, place.kind == "served");
    const std::size_t row = row_named(place.row);
    if (row == suite_.rows.size()) return fmt::format("(no row {})", place.row);
    const RowCheck* check = row < checks_.size() ? &checks_[row] : nullptr;
    if (place.kind == "outcome") return outcome(row, check);
    if (place.kind == "calls_per_mib" || place.kind == "program_bytes" || place.kind == "instructions_per_byte")
      return counted(place.kind, check);
    if (result_.rows[row].ok.empty()) return not_measured(row, check);
    if (place.other.empty()) return median_of(place.kind, row);
    const std::size_t other = row_named(place.other);
    if (other == suite_.rows.size()) return fmt::format("(no row {})", place.other);
    if (result_.rows[other].ok.empty()) return not_measured(other, other < checks_.size() ? &checks_[other] : nullptr);
    return ratio_words(row_ratio(result_.rows[row], result_.rows[other], place.kind, shown_level));
  }

 private:
  std::size_t row_named(const std::string& name) const {
    std::size_t row = 0;
    while (row < suite_.rows.size() && !suite_.rows[row].row.is_called(name)) ++row;
    return row;
  }

  std::string not_measured(std::size_t row, const RowCheck* check) const {
    return fmt::format("(not measured: {}: {})", suite_.rows[row].row.name, status_words(result_.rows[row], check));
  }

  std::string outcome(std::size_t row, const RowCheck* check) const {
    if (check && !check->note.empty()) return check->note;
    return status_words(result_.rows[row], check);
  }

  static std::string counted(const std::string& kind, const RowCheck* check) {
    if (!check) return "(not counted)";
    if (kind == "program_bytes") return format_count(check->program_bytes);
    const bool calls = kind == "calls_per_mib";
    const double value = calls ? check->calls_per_mib : check->instructions_per_byte;
    const std::string& note = calls ? check->calls_note : check->instructions_note;
    if (value < 0) return fmt::format("(not counted{}{})", note.empty() ? "" : ": ", note);
    return value >= 1000 ? format_count(static_cast<std::uint64_t>(std::llround(value))) : format_ratio(value);
  }

  std::string median_of(const std::string& kind, std::size_t row) const {
    const RowResult& result = result_.rows[row];
    const bool per_byte = kind == "cpu_ns_per_byte" || kind == "link_speed";
    const double value = result.summary(per_byte ? "cpu" : kind).median;
    if (!std::isfinite(value) || (per_byte && value <= 0)) return "(not measured)";
    const double a_byte = value / static_cast<double>(suite_.rows[row].moved_bytes());
    if (kind == "cpu_ns_per_byte") return fmt::format("{:.3g} ns", a_byte * 1e9);
    if (kind == "link_speed") return bit_rate_words(8 / a_byte);
    return figure_of(kind, value);
  }

  // Which ends the rows of a method had that were served, or refused.
  std::string pairs(const std::string& method, bool served) const {
    std::vector<std::string> found;
    for (std::size_t row = 0; row < suite_.rows.size(); ++row) {
      const Row& planned = suite_.rows[row].row;
      if (planned.value("method") != method || planned.value("pair").empty()) continue;
      const bool ok = !result_.rows[row].ok.empty();
      const bool refused = row < checks_.size() && checks_[row].status == "unsupported";
      if (served ? ok : refused) found.push_back(fmt::format("{} to {}", planned.value("pair"), to_string(planned.output)));
    }
    return found.empty() ? "none" : fmt::format("{}", fmt::join(found, ", "));
  }

  const PlannedSuite& suite_;
  const SuiteResult& result_;
  const std::vector<RowCheck>& checks_;
};

}  // namespace

std::string answer_text(const std::string& answer, const PlannedSuite& suite, const SuiteResult& result,
                        const std::vector<RowCheck>& checks) {
  const Filler filler(suite, result, checks);
  std::string text;
  std::size_t at = 0;
  for (std::size_t open = answer.find('{'); open != std::string::npos; open = answer.find('{', at)) {
    const std::size_t close = answer.find('}', open);
    if (close == std::string::npos) break;
    text += answer.substr(at, open - at) + filler.fill(answer_place(answer.substr(open + 1, close - open - 1)));
    at = close + 1;
  }
  return text + answer.substr(at);
}

}  // namespace iobench
