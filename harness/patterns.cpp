// SPDX-License-Identifier: MIT
#include "patterns.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics.h"

namespace iobench {

namespace {

constexpr std::size_t largest_exact = 100;

// P(inversions <= k) of a random order of n values. An item more brings 0 to n - 1 inversions, each as likely.
double inversions_at_most(std::size_t n, std::size_t k) {
  std::vector<double> probability{1};
  for (std::size_t items = 2; items <= n; ++items) {
    std::vector<double> next(probability.size() + items - 1, 0.0);
    double window = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (i < probability.size()) window += probability[i];
      if (i >= items) window -= probability[i - items];
      next[i] = window / static_cast<double>(items);
    }
    probability = std::move(next);
  }
  double sum = 0;
  for (std::size_t i = 0; i <= k && i < probability.size(); ++i) sum += probability[i];
  return std::min(sum, 1.0);
}

// Two-sided. Ties are shared out between the directions, an odd one to the rarer.
double p_of(std::size_t n, std::size_t rising, std::size_t falling) {
  const std::size_t pairs = n * (n - 1) / 2, excess = rising > falling ? rising - falling : falling - rising;
  if (excess == 0) return 1;
  if (n <= largest_exact) return std::min(1.0, 2 * inversions_at_most(n, (pairs - excess + 1) / 2));
  const double size = static_cast<double>(n);
  const double deviation = std::sqrt(size * (size - 1) * (2 * size + 5) / 18);
  return std::erfc((static_cast<double>(excess) - 1) / deviation / std::sqrt(2.0));
}

}  // namespace

Trend trend(std::span<const double> values) {
  Trend found;
  std::size_t rising = 0, falling = 0;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      rising += values[j] > values[i];
      falling += values[j] < values[i];
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  if (slopes.empty()) return found;
  found.change = median(slopes) * static_cast<double>(values.size() - 1);
  found.p = p_of(values.size(), rising, falling);
  return found;
}

std::optional<TwoModes> two_modes(std::span<const double> values) {
  constexpr std::size_t fewest = 3;
  constexpr double apart = 1.15, width_times_n = 20;
  std::vector<double> logs;
  for (const double value : values)
    if (std::isfinite(value) && value > 0) logs.push_back(std::log(value));
  std::sort(logs.begin(), logs.end());
  const std::size_t n = logs.size();
  const double widths = std::max(1.0, width_times_n / static_cast<double>(n));
  for (std::size_t at = fewest; at + fewest <= n; ++at) {
    const double gap = logs[at] - logs[at - 1];
    const double wider = std::max(logs[at - 1] - logs[0], logs[n - 1] - logs[at]);
    if (gap <= std::log(apart) || gap <= widths * wider) continue;
    const auto centre = [&](std::size_t begin, std::size_t end) {
      return std::exp(
          median({logs.begin() + static_cast<std::ptrdiff_t>(begin), logs.begin() + static_cast<std::ptrdiff_t>(end)}));
    };
    return TwoModes{centre(0, at), centre(at, n), at, n - at};
  }
  return std::nullopt;
}

}  // namespace iobench
