// SPDX-License-Identifier: MIT
// The intervals of a centre need the distribution of how many values of an ordered list (values, Walsh averages,
// differences) are above it. For a median and for pairs it is a sum of fair coins: n coins worth 1 each, or worth 1, 2,
// … n; one function makes either. For two samples it is the Mann-Whitney count. One rule turns a distribution and the
// list into an interval. A proportion's interval alone is found by bisection, on the binomial tail.
#include "statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "system.h"
#include "units.h"

namespace iobench {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// P(sum = t), t = 0 … sum of worths. Dyadic fractions: exact while they have at most 53 bits (n <= 53), good to 1e-15
// beyond.
std::vector<double> coin_sum_distribution(std::size_t coins, bool worth_its_rank) {
  std::vector<double> probability(worth_its_rank ? coins * (coins + 1) / 2 + 1 : coins + 1, 0.0);
  probability[0] = 1;
  std::size_t largest = 0;
  for (std::size_t coin = 1; coin <= coins; ++coin) {
    const std::size_t worth = worth_its_rank ? coin : 1;
    largest += worth;
    for (std::size_t t = largest + 1; t-- > 0;)
      probability[t] = 0.5 * (probability[t] + (t >= worth ? probability[t - worth] : 0.0));
  }
  return probability;
}

// P(U = u), u = 0 … m n, U the number of pairs in which the first of m values is above the second of n, all orders
// being equally likely. Its generating function is the product over i = 1 … m of (1 - q^(n + i)) / (1 - q^i),
// multiplied out factor by factor and kept a distribution (Harding, Applied Statistics 33, 1984: the recurrence of Mann
// and Whitney in linear space). Small u are summed without a subtraction.
std::vector<double> rank_sum_distribution(std::size_t m, std::size_t n) {
  std::vector<double> probability(m * n + 1, 0.0);
  probability[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    const std::size_t largest = i * n;
    for (std::size_t u = largest; u >= n + i; --u) probability[u] -= probability[u - n - i];
    for (std::size_t u = i; u <= largest; ++u) probability[u] += probability[u - i];
    const double share = static_cast<double>(i) / static_cast<double>(n + i);
    for (std::size_t u = 0; u <= largest; ++u) probability[u] *= share;
  }
  return probability;
}

// [ordered(k), ordered(M + 1 - k)] covers the centre with 1 - 2 P(sum <= k - 1): the largest k that reaches the level,
// or the whole range. `distribution` is that of the number of ordered values above the centre.
Interval central_interval(const std::vector<double>& ordered, const std::vector<double>& distribution, double level) {
  Interval interval;
  double tail = 0;
  for (std::size_t k = 1; 2 * k <= ordered.size() + 1; ++k) {
    tail += distribution[k - 1];
    const Interval narrower{ordered[k - 1], ordered[ordered.size() - k], std::max(1 - 2 * tail, 0.0)};
    if (k > 1 && !narrower.reaches(level)) break;
    interval = narrower;
  }
  return interval.exists() ? interval : Interval{};
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  if (n == 0) return not_a_number;
  return n % 2 == 1 ? sorted[n / 2] : sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
}

class Note {
 public:
  void add(const std::string& words) { text_ += (text_.empty() ? "" : "; ") + words; }
  std::string text() const { return text_; }

 private:
  std::string text_;
};

std::string counted(std::size_t n, const std::string& thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

void note_short_of_level(Note& note, const std::string& values, const Interval& interval, double level) {
  const bool few = interval.level < 0.95;
  if (!interval.reaches(level))
    note.add(fmt::format("{}{} cover {}, not {}: the interval is the whole range", few ? "only " : "", values,
                         format_percent(interval.level), format_percent(level)));
}

// What is odd about n values, and about an interval that may fall short of the level.
void note_oddities(Note& note, std::size_t n, const std::string& thing, bool spread, const Interval& interval,
                   double level) {
  if (n == 0)
    note.add(fmt::format("no {}s", thing));
  else if (n == 1)
    note.add(fmt::format("one {}: no interval", thing));
  else
    note_short_of_level(note, counted(n, thing), interval, level);
  if (n > 1 && !spread) note.add(fmt::format("no spread: all {} are equal", counted(n, thing)));
}

struct Centre {
  double estimate = not_a_number;
  Interval interval;
};

// Hodges-Lehmann pseudo-median and the signed-rank interval.
Centre signed_rank_centre(const std::vector<double>& values, double level) {
  if (values.empty()) return {};
  std::vector<double> walsh;
  walsh.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i; j < values.size(); ++j) walsh.push_back(values[i] + (values[j] - values[i]) / 2);
  std::sort(walsh.begin(), walsh.end());
  return {median_of_sorted(walsh), central_interval(walsh, coin_sum_distribution(values.size(), true), level)};
}

// Hodges-Lehmann shift of a over b and the rank-sum interval.
Centre rank_sum_centre(const std::vector<double>& a, const std::vector<double>& b, double level) {
  if (a.empty() || b.empty()) return {};
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double left : a)
    for (const double right : b) differences.push_back(left - right);
  std::sort(differences.begin(), differences.end());
  return {median_of_sorted(differences),
          central_interval(differences, rank_sum_distribution(a.size(), b.size()), level)};
}

std::vector<double> logs_of_positive(std::span<const double> values) {
  std::vector<double> logs;
  for (const double value : values)
    if (std::isfinite(value) && value > 0) logs.push_back(std::log(value));
  return logs;
}

void require_pairs(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size())
    throw Error(
        fmt::format("pair values by round: {} against {}", counted(a.size(), "value"), counted(b.size(), "value")));
}

bool has_spread(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); });
}

}  // namespace

Summary summarize(std::span<const double> values, double level) {
  std::vector<double> sorted;
  for (const double value : values)
    if (std::isfinite(value)) sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());
  Summary summary;
  summary.n = sorted.size();
  summary.median = median_of_sorted(sorted);
  if (!sorted.empty()) summary.interval = central_interval(sorted, coin_sum_distribution(sorted.size(), false), level);
  Note note;
  if (const std::size_t left_out = values.size() - sorted.size())
    note.add(fmt::format("{} not finite, left out", counted(left_out, "value")));
  note_oddities(note, summary.n, "value", has_spread(sorted), summary.interval, level);
  if (const auto zeros = static_cast<std::size_t>(std::count(sorted.begin(), sorted.end(), 0.0)))
    note.add(fmt::format("{} of {} zero", zeros, counted(summary.n, "value")));
  summary.note = note.text();
  return summary;
}

PairedRatio paired_ratio(std::span<const double> a, std::span<const double> b, double level) {
  require_pairs(a, b);
  std::vector<double> logs;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::isfinite(a[i]) && std::isfinite(b[i]) && a[i] > 0 && b[i] > 0) logs.push_back(std::log(a[i] / b[i]));
  const Centre centre = signed_rank_centre(logs, level);
  PairedRatio result;
  result.pairs = logs.size();
  if (!logs.empty()) result.ratio = std::exp(centre.estimate);
  if (centre.interval.exists())
    result.interval = {std::exp(centre.interval.low), std::exp(centre.interval.high), centre.interval.level};
  Note note;
  if (const std::size_t left_out = a.size() - logs.size())
    note.add(fmt::format("{} with a value that is zero, negative or not finite left out", counted(left_out, "pair")));
  note_oddities(note, logs.size(), "pair", has_spread(logs), centre.interval, level);
  result.note = note.text();
  return result;
}

UnpairedRatio unpaired_ratio(std::span<const double> a, std::span<const double> b, double level) {
  const std::vector<double> a_logs = logs_of_positive(a), b_logs = logs_of_positive(b);
  const Centre centre = rank_sum_centre(a_logs, b_logs, level);
  UnpairedRatio result;
  result.a_values = a_logs.size();
  result.b_values = b_logs.size();
  const bool both = !a_logs.empty() && !b_logs.empty();
  if (both) result.ratio = std::exp(centre.estimate);
  if (centre.interval.exists())
    result.interval = {std::exp(centre.interval.low), std::exp(centre.interval.high), centre.interval.level};
  Note note;
  if (const std::size_t left_out = a.size() + b.size() - a_logs.size() - b_logs.size())
    note.add(fmt::format("{} zero, negative or not finite left out", counted(left_out, "value")));
  const std::string sides = fmt::format("{} and {}", a_logs.size(), counted(b_logs.size(), "value"));
  if (!both)
    note.add(sides);
  else if (!centre.interval.exists())
    note.add(sides + ": no interval");
  else
    note_short_of_level(note, sides, centre.interval, level);
  if (both && a_logs.size() + b_logs.size() > 2 && !has_spread(a_logs) && !has_spread(b_logs))
    note.add("no spread: the values of each side are equal");
  result.note = note.text();
  return result;
}

PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, double level) {
  require_pairs(a, b);
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::isfinite(a[i]) && std::isfinite(b[i])) differences.push_back(a[i] - b[i]);
  const Centre centre = signed_rank_centre(differences, level);
  PairedDifference result{differences.size(), differences.empty() ? 0 : centre.estimate, centre.interval, {}};
  Note note;
  if (const std::size_t left_out = a.size() - differences.size())
    note.add(fmt::format("{} with a value that is not finite left out", counted(left_out, "pair")));
  note_oddities(note, differences.size(), "pair", has_spread(differences), centre.interval, level);
  result.note = note.text();
  return result;
}

namespace {

// P(X >= hits) for X of a binomial distribution with 0 < p < 1; each term relative to the first, which is a logarithm.
double binomial_upper_tail(std::size_t hits, std::size_t tries, double p) {
  const double n = static_cast<double>(tries), first = static_cast<double>(hits);
  const double log_first = std::lgamma(n + 1) - std::lgamma(first + 1) - std::lgamma(n - first + 1) +
                           first * std::log(p) + (n - first) * std::log1p(-p);
  const double odds = p / (1 - p);
  double term = 1, sum = 1;
  for (double k = first; k < n; ++k) {
    term *= (n - k) / (k + 1) * odds;
    sum += term;
  }
  return std::min(1.0, std::exp(log_first + std::log(sum)));  // a sum that overflows belongs to a tail near 1
}

// The p at which P(X >= hits) is `tail`: it grows with p. To the last bit.
double probability_with_tail(std::size_t hits, std::size_t tries, double tail) {
  double low = 0, high = 1;
  for (double p = 0.5; low < p && p < high; p = low + (high - low) / 2)
    (binomial_upper_tail(hits, tries, p) < tail ? low : high) = p;
  return low;
}

}  // namespace

Interval proportion_interval(std::size_t hits, std::size_t tries, double level) {
  if (hits > tries) throw Error(fmt::format("count hits: {} in {} tries", hits, tries));
  if (tries == 0) return {};
  const double tail = (1 - level) / 2;
  // The upper end is the lower end of the misses: P(X <= hits) at p is P(misses >= tries - hits) at 1 - p.
  return {hits == 0 ? 0 : probability_with_tail(hits, tries, tail),
          hits == tries ? 1 : 1 - probability_with_tail(tries - hits, tries, tail), level};
}

double family_level(std::size_t comparisons) {
  return 1 - family_error / static_cast<double>(std::max<std::size_t>(comparisons, 1));
}

std::size_t rounds_for(std::size_t comparisons) {
  constexpr std::size_t fewest = 7;
  if (comparisons == 0) return fewest;
  const double halvings = std::ceil(std::log2(static_cast<double>(comparisons) / family_error));
  return std::max(fewest, 1 + static_cast<std::size_t>(halvings));
}

std::size_t unpaired_rounds_for(std::size_t comparisons) {
  std::size_t rounds = 1;
  double orders = 2;  // C(2n, n)
  while (!Interval{0, 0, 1 - 2 / orders}.reaches(family_level(comparisons))) {
    ++rounds;
    orders *= static_cast<double>(4 * rounds - 2) / static_cast<double>(rounds);
  }
  return rounds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return median_of_sorted(values);
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return not_a_number;
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (n - 1));
}

double coefficient_of_variation(std::span<const double> values) {
  if (values.empty()) return not_a_number;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  return mean == 0 ? not_a_number : standard_deviation(values) / mean;
}

}  // namespace iobench
