// SPDX-License-Identifier: MIT
// Two unknowns: the normal equations are solved directly, and where one of the unknowns comes out negative it is 0 and
// the other has an equation of its own.
#include "fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "statistics.h"
#include "units.h"

namespace iobench {

namespace {

bool usable(const FitPoint& point) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  return point.block_bytes > 0 && positive(point.bytes) && positive(point.calls) && positive(point.seconds);
}

std::vector<FitPoint> sorted_by_block(std::span<const FitPoint> points) {
  std::vector<FitPoint> sorted;
  for (const FitPoint& point : points)
    if (usable(point)) sorted.push_back(point);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const FitPoint& a, const FitPoint& b) { return a.block_bytes < b.block_bytes; });
  const auto same = [](const FitPoint& a, const FitPoint& b) { return a.block_bytes == b.block_bytes; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  return sorted;
}

// Sets both costs from the fitted points; false: the points do not tell bytes from calls.
bool solve(Fit& fit) {
  double bytes2 = 0, calls2 = 0, both = 0, bytes1 = 0, calls1 = 0;
  for (const FitPoint& point : fit.fitted) {
    const double bytes = point.bytes / point.seconds, calls = point.calls / point.seconds;
    bytes2 += bytes * bytes;
    calls2 += calls * calls;
    both += bytes * calls;
    bytes1 += bytes;
    calls1 += calls;
  }
  const double determinant = bytes2 * calls2 - both * both;
  if (!(determinant > 1e-9 * bytes2 * calls2)) return false;
  fit.seconds_per_byte = (bytes1 * calls2 - calls1 * both) / determinant;
  fit.seconds_per_call = (calls1 * bytes2 - bytes1 * both) / determinant;
  if (fit.seconds_per_byte < 0) {
    fit.seconds_per_byte = 0;
    fit.seconds_per_call = calls1 / calls2;
  } else if (fit.seconds_per_call < 0) {
    fit.seconds_per_byte = bytes1 / bytes2;
    fit.seconds_per_call = 0;
  }
  return true;
}

void check_on_held_out(Fit& fit) {
  std::vector<double> errors;
  for (const FitPoint& point : fit.held_out) {
    errors.push_back(std::fabs(fit.predicted_s(point) / point.seconds - 1));
    if (errors.back() < fit.largest_error) continue;
    fit.largest_error = errors.back();
    fit.worst_block_bytes = point.block_bytes;
  }
  fit.median_error = median(errors);
  fit.fits = fit.largest_error <= largest_held_out_error;
}

}  // namespace

double Fit::predicted_s(const FitPoint& point) const {
  return seconds_per_byte * point.bytes + seconds_per_call * point.calls;
}

double Fit::call_share(const FitPoint& point) const {
  const double predicted = predicted_s(point);
  return predicted > 0 ? seconds_per_call * point.calls / predicted : 0;
}

Fit fit_time(std::span<const FitPoint> points) {
  Fit fit;
  std::vector<FitPoint> sizes = sorted_by_block(points);
  const auto first_beyond = std::find_if(
      sizes.begin(), sizes.end(), [](const FitPoint& point) { return point.block_bytes > largest_fitted_block; });
  fit.beyond.assign(first_beyond, sizes.end());
  sizes.erase(first_beyond, sizes.end());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    (i % 2 == 1 && i + 1 < sizes.size() ? fit.held_out : fit.fitted).push_back(sizes[i]);
  if (sizes.size() < fewest_fitted_sizes) {
    fit.note = fmt::format("{} block size{} up to {} with a time and counted calls; a fit that is checked needs {}",
                           sizes.empty() ? "no" : std::to_string(sizes.size()), sizes.size() == 1 ? "" : "s",
                           format_short_size(largest_fitted_block), fewest_fitted_sizes);
    return fit;
  }
  if (!solve(fit)) {
    fit.note = "the block sizes do not differ in calls per byte";
    return fit;
  }
  fit.exists = true;
  check_on_held_out(fit);
  return fit;
}

std::string fit_words(const Fit& fit) {
  if (!fit.exists) return "no fit: " + fit.note;
  std::vector<std::string> fitted, held_out;
  for (const FitPoint& point : fit.fitted) fitted.push_back(format_short_size(point.block_bytes));
  for (const FitPoint& point : fit.held_out) held_out.push_back(format_short_size(point.block_bytes));
  return fmt::format(
      "a fit of time on bytes and system calls at {}, which misses the sizes that it has not seen, {}, by {} "
      "at most ({}) and {} in the middle",
      fmt::join(fitted, ", "), fmt::join(held_out, ", "), format_percent(fit.largest_error),
      format_short_size(fit.worst_block_bytes), format_percent(fit.median_error));
}

}  // namespace iobench
