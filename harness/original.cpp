// SPDX-License-Identifier: MIT
// Ends of intervals are put together so that they hold whatever the figures stand for: the least over the most. For
// rounded figures that is exact; of two published errors it is wider than their own would be.
#include "original.h"

#include <algorithm>
#include <cmath>

#include "summary.h"
#include "units.h"

namespace iobench {

namespace {

std::optional<double> number(const std::string& text) {
  try {
    return parse_number(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<double> factor(const Factors& factors, const std::string& column) {
  for (const auto& [name, value] : factors)
    if (name == column) return value;
  return std::nullopt;
}

std::optional<Estimate> quotient(const std::optional<Estimate>& a, const std::optional<Estimate>& b) {
  if (!a || !b || !(b->value > 0)) return std::nullopt;
  const double value = a->value / b->value;
  if (!(b->low > 0) || !(a->low > 0)) return Estimate{value, value, value};
  return Estimate{value, a->low / b->high, a->high / b->low};
}

std::optional<Estimate> difference(const std::optional<Estimate>& a, const std::optional<Estimate>& b) {
  if (!a || !b) return std::nullopt;
  return Estimate{a->value - b->value, a->low - b->high, a->high - b->low};
}

}  // namespace

Originals::Originals(const PlannedSuite& suite, const std::optional<PublishedTable>& table) : suite_(suite) {
  if (!table || !suite.experiment.published) return;
  table_ = &*table;
  published_ = &*suite.experiment.published;
}

std::string Originals::cell(std::size_t line, const std::string& column) const {
  const auto found = std::find(table_->columns.begin(), table_->columns.end(), column);
  return found == table_->columns.end() ? ""
                                        : table_->rows[line][static_cast<std::size_t>(found - table_->columns.begin())];
}

std::optional<std::size_t> Originals::line(std::size_t row) const {
  return table_ ? published_line(*published_, *table_, suite_.rows[row].row) : std::nullopt;
}

std::string Originals::text(std::size_t row, const std::string& column) const {
  const std::optional<std::size_t> at = line(row);
  return at ? cell(*at, fill_in(column, suite_.rows[row].row)) : "";
}

std::optional<Estimate> Originals::value_at(std::size_t line, const std::string& column) const {
  const std::optional<double> printed = number(cell(line, column));
  if (!printed) return std::nullopt;
  const double unit = factor(published_->units, column).value_or(1);
  double half_width = factor(published_->rounding, column).value_or(0);
  for (const auto& [name, error] : published_->errors)
    if (name == column) half_width = number(cell(line, error)).value_or(half_width);
  return Estimate{*printed * unit, (*printed - half_width) * unit, (*printed + half_width) * unit};
}

std::optional<Estimate> Originals::value(std::size_t row, const std::string& column) const {
  const std::optional<std::size_t> at = line(row);
  return at ? value_at(*at, fill_in(column, suite_.rows[row].row)) : std::nullopt;
}

std::optional<Estimate> Originals::ratio(std::size_t row, const std::string& column) const {
  const std::size_t baseline = suite_.groups[suite_.rows[row].group].baseline;
  if (baseline == SIZE_MAX) return std::nullopt;
  const std::optional<Estimate> over = quotient(value(row, column), value(baseline, column));
  return over && row == baseline ? Estimate{1, 1, 1} : over;
}

std::optional<Estimate> Originals::step(std::size_t row, const std::string& column, const std::string& variable) const {
  const std::optional<std::size_t> previous = previous_row(suite_, row, variable);
  return previous ? quotient(value(row, column), value(*previous, column)) : std::nullopt;
}

bool Originals::is_control(std::size_t line) const {
  return !published_->minus.empty() &&
         std::all_of(published_->minus.begin(), published_->minus.end(),
                     [&](const auto& pair) { return cell(line, pair.first) == pair.second; });
}

std::optional<Estimate> Originals::over_control_at(std::size_t line, const std::string& column) const {
  if (is_control(line)) return std::nullopt;
  for (std::size_t other = 0; other < table_->rows.size(); ++other) {
    const bool alike = std::all_of(published_->group.begin(), published_->group.end(), [&](const std::string& name) {
      return cell(line, name) == cell(other, name);
    });
    if (alike && is_control(other)) return difference(value_at(line, column), value_at(other, column));
  }
  return std::nullopt;
}

std::optional<Estimate> Originals::over_control(std::size_t row, const std::string& column) const {
  const std::optional<std::size_t> at = line(row);
  return at ? over_control_at(*at, fill_in(column, suite_.rows[row].row)) : std::nullopt;
}

std::vector<Originals::Line> Originals::lines(const std::string& column, const std::string& template_text,
                                              bool less_control) const {
  std::vector<Line> found;
  for (std::size_t line = 0; table_ && line < table_->rows.size(); ++line) {
    const std::optional<Estimate> value = less_control ? over_control_at(line, column) : value_at(line, column);
    if (!value) continue;
    Row values;  // the line, for its template
    for (const std::string& name : table_->columns) values.values.emplace_back(name, cell(line, name));
    found.push_back({fill_in(template_text, values), *value});
  }
  return found;
}

std::string Originals::uncertainty(const std::string& column) const {
  if (!published_) return "";
  for (const auto& [name, error] : published_->errors)
    if (name == column) return "the published error";
  return factor(published_->rounding, column) ? "rounding" : "";
}

std::string Originals::author() const {
  if (!table_ || table_->notes.empty()) return "";
  return table_->notes[0].substr(0, table_->notes[0].find(": "));
}

std::string Originals::conditions() const {
  if (!table_ || table_->notes.empty()) return "";
  const std::string& note = table_->notes[0];
  const std::size_t at = note.find(": ");
  return at == std::string::npos ? "" : note.substr(at + 2);
}

}  // namespace iobench
