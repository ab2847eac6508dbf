// SPDX-License-Identifier: MIT
// Order-statistic, signed-rank, rank-sum and proportion intervals, families of comparisons and how many rounds they
// need. Pure: numbers in, numbers and words out. Everything here is exact and nonparametric; METHODOLOGY.md says why.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace iobench {

inline constexpr double family_error = 0.05;  // chance that any interval of one family misses

struct Interval {
  double low = 0;
  double high = 0;
  double level = 0;  // achieved coverage, at least the wanted one; 0: no interval (see the note)
  bool exists() const { return level > 0; }
  // Whether it covers what was wanted, but for the last bits of a sum of probabilities. Otherwise nothing can be told
  // from it at that level.
  bool reaches(double wanted) const { return exists() && level >= wanted - 1e-12; }
};

// Median of a sample and its exact order-statistic interval (binomial; David and Nagaraja, Order Statistics,
// 2003, 7.1): the narrowest symmetric pair of order statistics with coverage >= level; where even the range falls
// short, the range and its level (7 values: 98.4 %). `note` says in words what is odd: no values, fewer than 6, no
// spread, zeros.
struct Summary {
  std::size_t n = 0;
  double median = 0;  // nan: no values
  Interval interval;
  std::string note;
};
Summary summarize(std::span<const double> values, double level = 0.95);

// Ratio a/b of values paired by round: exp of the Hodges-Lehmann pseudo-median of log(a_i / b_i) with the exact
// signed-rank interval from the ordered Walsh averages (Hollander, Wolfe and Chicken, Nonparametric Statistical
// Methods, 3rd ed., 3.1 to 3.3). Pairs with a value <= 0 or not finite are left out and counted in the note; unequal
// lengths throw Error. The cost grows as the cube of the pairs (1,000: 0.3 s).
struct PairedRatio {
  std::size_t pairs = 0;
  double ratio = 0;  // 0: none (see the note)
  Interval interval;
  std::string note;
};
PairedRatio paired_ratio(std::span<const double> a, std::span<const double> b, double level);

// As paired_ratio for differences a_i - b_i, in the values' unit.
struct PairedDifference {
  std::size_t pairs = 0;
  double difference = 0;
  Interval interval;
  std::string note;
};
PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, double level);

// Ratio a/b of two samples that no round pairs: exp of the Hodges-Lehmann shift, the median of all log(a_i / b_j), with
// the exact rank-sum (Mann-Whitney) interval from their order (Hollander, Wolfe and Chicken, 4.1 to 4.3). Exact where
// both samples have one shape and differ by a factor. Values <= 0 or not finite are left out and counted in the note.
// The cost grows as the cube of the values (1,000 against 1,000: 1 s).
struct UnpairedRatio {
  std::size_t a_values = 0, b_values = 0;
  double ratio = 0;  // 0: none (see the note)
  Interval interval;
  std::string note;
};
UnpairedRatio unpaired_ratio(std::span<const double> a, std::span<const double> b, double level);

// Of a probability of which `hits` of `tries` were seen: covers it with at least `level` (Clopper and Pearson,
// Biometrika 26, 1934). Without tries there is no interval; more hits than tries throw Error.
Interval proportion_interval(std::size_t hits, std::size_t tries, double level = 0.95);

// Level of each of m simultaneous intervals of a family (Bonferroni): 1 - family_error / m.
double family_level(std::size_t comparisons);
// Rounds that make that level attainable: max(7, 1 + ceil(log2(m / family_error))); 7 when m is 0.
std::size_t rounds_for(std::size_t comparisons);

// The same for unpaired ratios, a round being a value on either side: the fewest n with 2 / C(2n, n) <= family_error /
// m.
std::size_t unpaired_rounds_for(std::size_t comparisons);

double median(std::vector<double> values);                  // of a copy; nan for none
double standard_deviation(std::span<const double> values);  // n - 1; nan for fewer than 2
double coefficient_of_variation(std::span<const double> values);

}  // namespace iobench
