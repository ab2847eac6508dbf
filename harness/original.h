// SPDX-License-Identifier: MIT
// The originals' figures beside ours, as numbers in the lab's own units: of a row, over its baseline's, over those of
// the row before, less their control's. What rounding or a published error leaves open is carried along. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan.h"

namespace iobench {

// A published figure and what it may stand for; low = high = value where neither rounding nor an error is told.
struct Estimate {
  double value = 0, low = 0, high = 0;
  bool is_open() const { return low < high; }
};

class Originals {
 public:
  // `table` is what the suite's [published] names; none: it has none, or it could not be read.
  Originals(const PlannedSuite& suite, const std::optional<PublishedTable>& table);

  // `column` is a column of the CSV; {placeholders} are filled in from the row.
  std::optional<std::size_t> line(std::size_t row) const;  // of the CSV that is beside the row
  std::string text(std::size_t row, const std::string& column) const;  // as printed; empty: none
  // none: no line, no number, or nothing to compare it with.
  std::optional<Estimate> value(std::size_t row, const std::string& column) const;
  std::optional<Estimate> ratio(std::size_t row, const std::string& column) const;  // over the group's baseline's; 1 its own
  std::optional<Estimate> step(std::size_t row, const std::string& column, const std::string& variable) const;
  std::optional<Estimate> over_control(std::size_t row, const std::string& column) const;

  // The lines of the CSV by themselves, in its order, without its controls where they are taken off.
  struct Line {
    std::string label;  // `template_text` over the columns of the CSV
    Estimate value;
  };
  std::vector<Line> lines(const std::string& column, const std::string& template_text, bool less_control) const;

  // "rounding", "the published error", or empty: why figures of this column are open.
  std::string uncertainty(const std::string& column) const;
  // Of the CSV's notes: whose figures they are, and what was measured.
  std::string author() const;
  std::string conditions() const;

 private:
  std::string cell(std::size_t line, const std::string& column) const;
  std::optional<Estimate> value_at(std::size_t line, const std::string& column) const;
  std::optional<Estimate> over_control_at(std::size_t line, const std::string& column) const;
  bool is_control(std::size_t line) const;

  const PlannedSuite& suite_;
  const PublishedTable* table_ = nullptr;
  const Published* published_ = nullptr;
};

}  // namespace iobench
