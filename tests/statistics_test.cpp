// SPDX-License-Identifier: MIT
// Intervals against values from the literature, against the enumeration of every sign pattern, and against simulation;
// odd data in words.
#include "statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "catch.h"
#include "system.h"

using namespace iobench;

namespace {

using Values = std::vector<double>;

Values counting(std::size_t n) {
  Values values;
  for (std::size_t i = 1; i <= n; ++i) values.push_back(static_cast<double>(i * i));  // distinct Walsh averages enough
  return values;
}

// The two-sided p of "the centre of the differences is theta": every one of the 2^n sign patterns of the ranks is
// counted. Nothing here knows of Walsh averages or of dynamic programming.
double enumerated_p(Values differences, double theta) {
  for (double& difference : differences) difference -= theta;
  std::sort(differences.begin(), differences.end(), [](double x, double y) { return std::fabs(x) < std::fabs(y); });
  const std::size_t n = differences.size();
  std::size_t observed = 0;
  for (std::size_t i = 0; i < n; ++i) observed += differences[i] > 0 ? i + 1 : 0;
  std::size_t as_low = 0, as_high = 0;
  for (std::size_t pattern = 0; pattern < (std::size_t{1} << n); ++pattern) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += pattern >> i & 1 ? i + 1 : 0;
    as_low += sum <= observed;
    as_high += sum >= observed;
  }
  return std::min(1.0, 2.0 * static_cast<double>(std::min(as_low, as_high)) / static_cast<double>(std::size_t{1} << n));
}

bool mentions(const std::string& note, const std::string& words) {
  return note.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("median and its order-statistic interval") {
  const Values seven = {5, 1, 4, 2, 7, 3, 6};
  const Summary summary = summarize(seven);
  CHECK(summary.n == 7);
  CHECK(summary.median == 4);
  CHECK(summary.interval.low == 1);
  CHECK(summary.interval.high == 7);
  CHECK(summary.interval.level == 63.0 / 64);  // 1 - 2 / 2^7: the range
  CHECK(summary.note.empty());

  // Exact binomial tables (Conover, Practical Nonparametric Statistics, 3rd ed., table A3): n, rank from each end,
  // level.
  struct Known {
    std::size_t n, rank;
    double level;
  };
  for (const Known& known :
       {Known{6, 1, 31.0 / 32}, Known{9, 2, 123.0 / 128}, Known{10, 2, 501.0 / 512}, Known{11, 2, 253.0 / 256},
        Known{20, 6, 125647.0 / 131072}, Known{21, 6, 127585.0 / 131072}, Known{100, 40, 0.9647997997822951}}) {
    INFO(known.n);
    Values values;
    for (std::size_t i = 1; i <= known.n; ++i) values.push_back(static_cast<double>(i));
    const Summary found = summarize(values);
    CHECK(found.interval.low == static_cast<double>(known.rank));
    CHECK(found.interval.high == static_cast<double>(known.n + 1 - known.rank));
    CHECK(found.interval.level == Approx(known.level).epsilon(1e-13));
  }
  CHECK(summarize(Values{1, 2, 3, 10}).median == 2.5);
}

TEST_CASE("the signed-rank interval of a published example") {
  // Hamilton depression scores of nine patients (Hollander and Wolfe, example 3.1): estimate 0.46, and (0.010, 0.786)
  // at 96.1 %; R 4.2 wilcox.test(x, y, paired = TRUE, conf.int = TRUE) prints the same.
  const Values x = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const Values y = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  const PairedDifference found = paired_difference(x, y, 0.95);
  CHECK(found.pairs == 9);
  CHECK(found.difference == Approx(0.46));
  CHECK(found.interval.low == Approx(0.010));
  CHECK(found.interval.high == Approx(0.786));
  CHECK(found.interval.level == 123.0 / 128);
  CHECK(found.note.empty());
}

TEST_CASE("signed-rank levels by number of pairs") {
  // Critical values 8, 52, 434 and 1955 at n = 10, 20, 50, 100 are those of the tables (Wilcoxon and Wilcox, 1964; R's
  // qsignrank); the levels were counted with integers of any size.
  struct Known {
    std::size_t n;
    double level;
  };
  for (const Known& known : {Known{7, 61.0 / 64}, Known{8, 123.0 / 128}, Known{10, 487.0 / 512},
                             Known{11, 981.0 / 1024}, Known{20, 498891.0 / 524288}, Known{21, 1000349.0 / 1048576},
                             Known{50, 0.9505535931993983}, Known{100, 0.9500762403957075}}) {
    INFO(known.n);
    CHECK(paired_difference(counting(known.n), Values(known.n, 0.0), 0.95).interval.level ==
          Approx(known.level).epsilon(1e-13));
  }
  const PairedDifference six = paired_difference(counting(6), Values(6, 0.0), 0.95);
  CHECK(six.interval.low == 1);
  CHECK(six.interval.high == 36);
  CHECK(six.interval.level == 31.0 / 32);
  const PairedDifference seven = paired_difference(counting(7), Values(7, 0.0), 0.98);
  CHECK(seven.interval.low == 1);
  CHECK(seven.interval.high == 49);
  CHECK(seven.interval.level == 63.0 / 64);
}

TEST_CASE("the interval is what enumeration of all sign patterns does not reject") {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 3);
  for (const std::size_t n : {6u, 7u, 8u, 9u, 10u, 11u})
    for (const double level : {0.8, 0.9, 0.95, 0.99}) {
      Values values;
      for (std::size_t i = 0; i < n; ++i) values.push_back(uniform(generator));
      const Interval interval = paired_difference(values, Values(n, 0.0), level).interval;
      INFO("n " << n << " level " << level);
      REQUIRE(interval.exists());
      const double alpha = 1 - interval.level, near = 1e-9;
      CHECK(enumerated_p(values, interval.low - near) <= alpha + 1e-12);
      CHECK(enumerated_p(values, interval.low + near) > alpha + 1e-12);
      CHECK(enumerated_p(values, interval.high + near) <= alpha + 1e-12);
      CHECK(enumerated_p(values, interval.high - near) > alpha + 1e-12);
      // Largest k: the next narrower interval would fall short of the level.
      const double next = enumerated_p(values, interval.low + near);
      CHECK((interval.level < level || 1 - next < level));
    }
}

TEST_CASE("a ratio is the exponential of the difference of logarithms") {
  const Values a = {2, 4.4, 6.3, 8.2, 10.5, 12.1, 13.9}, b = {1, 2, 3, 4, 5, 6, 7};
  Values logs;
  for (std::size_t i = 0; i < a.size(); ++i) logs.push_back(std::log(a[i] / b[i]));
  const PairedRatio ratio = paired_ratio(a, b, 0.95), inverse = paired_ratio(b, a, 0.95);
  const PairedDifference difference = paired_difference(logs, Values(a.size(), 0.0), 0.95);
  CHECK(ratio.ratio == Approx(std::exp(difference.difference)));
  CHECK(ratio.interval.low == Approx(std::exp(difference.interval.low)));
  CHECK(ratio.interval.high == Approx(std::exp(difference.interval.high)));
  CHECK(ratio.interval.level == difference.interval.level);
  CHECK(inverse.ratio == Approx(1 / ratio.ratio));
  CHECK(inverse.interval.low == Approx(1 / ratio.interval.high));
}

TEST_CASE("odd data is told in words", "[B95][B97][B124]") {
  SECTION("nothing") {
    CHECK(std::isnan(summarize({}).median));
    CHECK_FALSE(summarize({}).interval.exists());
    CHECK(summarize({}).note == "no values");
    CHECK(paired_ratio({}, {}, 0.95).ratio == 0);
    CHECK(paired_ratio({}, {}, 0.95).note == "no pairs");
    CHECK(paired_difference({}, {}, 0.95).note == "no pairs");
  }
  SECTION("one") {
    const Values one = {3};
    CHECK(summarize(one).median == 3);
    CHECK_FALSE(summarize(one).interval.exists());
    CHECK(summarize(one).note == "one value: no interval");
    CHECK(paired_ratio(one, Values{2}, 0.95).ratio == Approx(1.5));
    CHECK_FALSE(paired_ratio(one, Values{2}, 0.95).interval.exists());
  }
  SECTION("fewer than six") {
    const Summary summary = summarize(Values{1, 2, 3, 4, 5});
    CHECK(summary.interval.level == 15.0 / 16);
    CHECK(summary.note == "only 5 values cover 93.8 %, not 95.0 %: the interval is the whole range");
    CHECK(summarize(Values{1, 2}).interval.level == 0.5);
  }
  SECTION("enough values, but not for the level of a large family") {
    const PairedRatio ratio = paired_ratio(Values{1, 2, 3, 4, 5, 6, 7}, Values{2, 2, 2, 2, 2, 2, 2}, family_level(10));
    CHECK(ratio.interval.level == 63.0 / 64);
    CHECK(ratio.note == "7 pairs cover 98.4 %, not 99.5 %: the interval is the whole range");
  }
  SECTION("no spread") {
    const Values same(7, 4.0);
    CHECK(summarize(same).note == "no spread: all 7 values are equal");
    CHECK(summarize(same).interval.low == 4);
    CHECK(summarize(same).interval.high == 4);
    const PairedRatio ratio = paired_ratio(same, Values(7, 3.0), 0.95);
    CHECK(ratio.ratio == Approx(4.0 / 3));
    CHECK(mentions(ratio.note, "no spread"));
  }
  SECTION("zeros") {
    CHECK(mentions(summarize(Values{0, 0, 1, 2, 3, 4, 5}).note, "2 of 7 values zero"));
    const PairedRatio ratio =
        paired_ratio(Values{0, 1, 2, 3, -4, 5, 6, 7, 8, 9}, Values{1, 1, 1, 1, 1, INFINITY, 1, 1, 0, 1}, 0.5);
    CHECK(ratio.pairs == 6);
    CHECK(mentions(ratio.note, "4 pairs with a value that is zero, negative or not finite left out"));
    const PairedRatio none = paired_ratio(Values{0, 0}, Values{1, 1}, 0.95);
    CHECK(none.pairs == 0);
    CHECK(none.ratio == 0);
    CHECK(mentions(none.note, "no pairs"));
    CHECK(paired_difference(Values{0, 0, 0}, Values{0, 1, NAN}, 0.5).pairs == 2);
  }
  SECTION("unequal lengths are a mistake of the caller") {
    CHECK_THROWS_AS(paired_ratio(Values{1, 2}, Values{1}, 0.95), Error);
    CHECK_THROWS_AS(paired_difference(Values{1}, Values{1, 2}, 0.95), Error);
  }
}

TEST_CASE("families and the rounds that make their level attainable") {
  CHECK(rounds_for(0) == 7);
  CHECK(rounds_for(1) == 7);
  CHECK(rounds_for(3) == 7);
  CHECK(rounds_for(4) == 8);
  CHECK(rounds_for(12) == 9);
  CHECK(family_level(0) == Approx(0.95));
  CHECK(family_level(10) == Approx(0.995));
  for (std::size_t comparisons = 1; comparisons <= 1000; ++comparisons) {
    const std::size_t rounds = rounds_for(comparisons);
    const double attained = 1 - std::ldexp(2.0, -static_cast<int>(rounds));
    REQUIRE(attained >= family_level(comparisons));
  }
  const std::size_t rounds = rounds_for(60);
  CHECK(paired_difference(counting(rounds), Values(rounds, 0.0), family_level(60)).note.empty());
}

TEST_CASE("rounds that make a family's level attainable without pairs") {
  CHECK(unpaired_rounds_for(0) == 4);  // 2 / C(8, 4) = 0.029
  CHECK(unpaired_rounds_for(1) == 4);
  CHECK(unpaired_rounds_for(85) == 7);  // 2 * 85 / C(14, 7) = 0.0495
  CHECK(unpaired_rounds_for(86) == 8);
  for (const std::size_t comparisons : {1u, 2u, 10u, 85u, 86u, 500u}) {
    const std::size_t rounds = unpaired_rounds_for(comparisons);
    Values a, b;
    for (std::size_t i = 1; i <= rounds; ++i) {
      a.push_back(static_cast<double>(2 * i));
      b.push_back(static_cast<double>(2 * i + 1));
    }
    CHECK(unpaired_ratio(a, b, family_level(comparisons)).interval.reaches(family_level(comparisons)));
    a.pop_back();
    b.pop_back();
    CHECK_FALSE(unpaired_ratio(a, b, family_level(comparisons)).interval.reaches(family_level(comparisons)));
  }
}

TEST_CASE("median, deviation and variation", "[B122][B123]") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(std::isnan(median({})));
  CHECK(standard_deviation(Values{1, 2, 3, 4}) == Approx(1.2909944));  // by n - 1; never called a standard error
  CHECK(standard_deviation(Values{2, 4, 4, 4, 5, 5, 7, 9}) == Approx(std::sqrt(32.0 / 7)));
  CHECK(std::isnan(standard_deviation(Values{1})));
  CHECK(coefficient_of_variation(Values{9, 11}) == Approx(std::sqrt(2.0) / 10));
  CHECK(std::isnan(coefficient_of_variation({})));
  CHECK(std::isnan(coefficient_of_variation(Values{-1, 1})));
}

namespace {

// How often each U, the number of pairs in which a value of a is above one of b, occurs among all orders of m values of
// a and n of b: every choice of m places is made. Nothing here knows of a recurrence.
Values enumerated_rank_sums(std::size_t m, std::size_t n) {
  Values counts(m * n + 1, 0.0);
  double orders = 0;
  for (std::uint64_t places = 0; places < (std::uint64_t{1} << (m + n)); ++places) {
    if (static_cast<std::size_t>(std::popcount(places)) != m) continue;
    std::size_t above = 0, seen_of_b = 0;
    for (std::size_t place = 0; place < m + n; ++place)
      if (places >> place & 1)
        above += seen_of_b;
      else
        ++seen_of_b;
    ++counts[above];
    ++orders;
  }
  for (double& count : counts) count /= orders;
  return counts;
}

// exp(1, 2, … m) and exp of fractions below: all m n ratios differ.
UnpairedRatio distinct_ratios(std::size_t m, std::size_t n, double level) {
  Values a, b;
  for (std::size_t i = 0; i < m; ++i) a.push_back(std::exp(static_cast<double>(i)));
  for (std::size_t i = 0; i < n; ++i) b.push_back(std::exp(static_cast<double>(i) / static_cast<double>(n)));
  return unpaired_ratio(a, b, level);
}

}  // namespace

TEST_CASE("the rank-sum interval of a published example") {
  // Permeability of the chorioamnion (Hollander and Wolfe, examples 4.1 to 4.4): shift 0.305, (-0.15, 0.76) at 96 %; R
  // 4.2 wilcox.test(x, y, conf.int = TRUE) prints the same.
  Values a, b;
  for (const double x : {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}) a.push_back(std::exp(x));
  for (const double y : {1.15, 0.88, 0.90, 0.74, 1.21}) b.push_back(std::exp(y));
  const UnpairedRatio found = unpaired_ratio(a, b, 0.95);
  CHECK(found.a_values == 10);
  CHECK(found.b_values == 5);
  CHECK(std::log(found.ratio) == Approx(0.305));
  CHECK(std::log(found.interval.low) == Approx(-0.15));
  CHECK(std::log(found.interval.high) == Approx(0.76));
  CHECK(found.interval.level == Approx(1 - 2 * 60.0 / 3003).epsilon(1e-13));  // 60 of C(15, 5) orders have U <= 8
  CHECK(found.note.empty());
  const UnpairedRatio inverse = unpaired_ratio(b, a, 0.95);
  CHECK(inverse.ratio == Approx(1 / found.ratio));
  CHECK(inverse.interval.low == Approx(1 / found.interval.high));
  CHECK(inverse.interval.high == Approx(1 / found.interval.low));
}

TEST_CASE("rank-sum intervals by the tables of Mann and Whitney's U") {
  // Largest U that is significant at 5 %, two-sided (Siegel, Nonparametric Statistics, 1956, table K). The interval is
  // from the (U + 1)th smallest ratio to the (U + 1)th largest.
  struct Known {
    std::size_t m, n, critical;
  };
  for (const Known& known :
       {Known{4, 4, 0}, Known{5, 5, 2}, Known{5, 10, 8}, Known{7, 7, 8}, Known{7, 11, 16}, Known{8, 8, 13},
        Known{10, 10, 23}, Known{11, 11, 30}, Known{12, 12, 37}, Known{15, 15, 64}, Known{20, 20, 127}}) {
    INFO(known.m << " against " << known.n);
    Values ratios;
    for (std::size_t i = 0; i < known.m; ++i)
      for (std::size_t j = 0; j < known.n; ++j)
        ratios.push_back(std::exp(static_cast<double>(i) - static_cast<double>(j) / static_cast<double>(known.n)));
    std::sort(ratios.begin(), ratios.end());
    const Interval interval = distinct_ratios(known.m, known.n, 0.95).interval;
    CHECK(interval.low == Approx(ratios[known.critical]));
    CHECK(interval.high == Approx(ratios[ratios.size() - 1 - known.critical]));
  }
}

TEST_CASE("rank-sum levels are those of enumerating every order") {
  for (std::size_t m = 1; m <= 7; ++m)
    for (std::size_t n = 1; n <= 7; ++n) {
      INFO(m << " against " << n);
      const Values probability = enumerated_rank_sums(m, n);
      for (const double level : {0.5, 0.8, 0.95, 0.99, 0.999}) {
        double tail = probability[0], attained = 1 - 2 * tail;
        for (std::size_t u = 1; 2 * u < probability.size() && 1 - 2 * (tail + probability[u]) >= level - 1e-12; ++u)
          attained = 1 - 2 * (tail += probability[u]);
        const Interval interval = distinct_ratios(m, n, level).interval;
        CHECK(interval.level == Approx(attained).margin(1e-12));
      }
    }
  // The whole range of many: 1 - 2 / C(42, 21), and of a thousand it is 1 as far as a double knows.
  CHECK(1 - distinct_ratios(21, 21, 1).interval.level == Approx(2 / 538257874440.0).epsilon(1e-3));
  const Interval thousand = distinct_ratios(1000, 1000, 0.95).interval;
  CHECK(thousand.level >= 0.95);
  CHECK(thousand.level < 0.9501);
}

TEST_CASE("odd samples without pairs are said in words") {
  const Values seven = {1, 2, 3, 4, 5, 6, 7};
  CHECK(unpaired_ratio(Values{}, seven, 0.95).note == "0 and 7 values");
  CHECK(unpaired_ratio(Values{}, seven, 0.95).ratio == 0);
  CHECK(unpaired_ratio(seven, Values{0, NAN}, 0.95).note ==
        "2 values zero, negative or not finite left out; 7 and 0 values");
  const UnpairedRatio one = unpaired_ratio(Values{4}, Values{2}, 0.95);
  CHECK(one.ratio == Approx(2));
  CHECK_FALSE(one.interval.exists());
  CHECK(one.note == "1 and 1 value: no interval");
  const UnpairedRatio three = unpaired_ratio(Values{1, 2, 3}, Values{1, 2, 3}, 0.95);
  CHECK(three.interval.level == Approx(0.9));
  CHECK(three.note == "only 3 and 3 values cover 90.0 %, not 95.0 %: the interval is the whole range");
  CHECK(unpaired_ratio(seven, seven, 0.9999).note ==
        "7 and 7 values cover 99.9 %, not 99.99 %: the interval is the whole range");
  const UnpairedRatio flat = unpaired_ratio(Values(7, 3.0), Values(11, 2.0), 0.95);
  CHECK(flat.note == "no spread: the values of each side are equal");
  CHECK(flat.ratio == Approx(1.5));
  CHECK(flat.interval.low == flat.interval.high);
  CHECK(unpaired_ratio(Values(7, 3.0), seven, 0.95).note.empty());
}

TEST_CASE("proportion intervals of published examples") {
  // Newcombe, Statistics in Medicine 17, 1998, table I, method 5 (Clopper and Pearson).
  struct Known {
    std::size_t hits, tries;
    double low, high;
  };
  for (const Known& known : {Known{81, 263, 0.2527, 0.3676}, Known{15, 148, 0.0578, 0.1617}, Known{0, 20, 0, 0.1684},
                             Known{1, 29, 0.0009, 0.1776}}) {
    INFO(known.hits << " of " << known.tries);
    const Interval found = proportion_interval(known.hits, known.tries);
    CHECK(found.low == Approx(known.low).margin(5e-5));
    CHECK(found.high == Approx(known.high).margin(5e-5));
    CHECK(found.level == 0.95);
    const Interval misses = proportion_interval(known.tries - known.hits, known.tries);
    CHECK(misses.low == Approx(1 - found.high).margin(1e-12));
    CHECK(misses.high == Approx(1 - found.low).margin(1e-12));
  }
  // Closed forms at the ends, where no hit or no miss was seen.
  for (const std::size_t tries : {1u, 7u, 200u, 100000u}) {
    const Interval none = proportion_interval(0, tries), all = proportion_interval(tries, tries, 0.99);
    CHECK(none.low == 0);
    CHECK(none.high == Approx(1 - std::pow(0.025, 1.0 / static_cast<double>(tries))));
    CHECK(all.low == Approx(std::pow(0.005, 1.0 / static_cast<double>(tries))));
    CHECK(all.high == 1);
  }
  CHECK_FALSE(proportion_interval(0, 0).exists());
  CHECK_THROWS_AS(proportion_interval(3, 2), Error);
}

TEST_CASE("coverage of the proportion interval, counted for every outcome", "[coverage]") {
  for (const std::size_t tries : {1u, 5u, 20u, 200u})
    for (const double level : {0.9, 0.95, 0.99}) {
      std::vector<Interval> intervals;
      for (std::size_t hits = 0; hits <= tries; ++hits) intervals.push_back(proportion_interval(hits, tries, level));
      double least = 1;
      for (double p = 0.0025; p < 1; p += 0.005) {
        double covered = 0, log_choices = 0;
        for (std::size_t hits = 0; hits <= tries; ++hits) {
          const double k = static_cast<double>(hits), n = static_cast<double>(tries);
          if (intervals[hits].low <= p && p <= intervals[hits].high)
            covered += std::exp(log_choices + k * std::log(p) + (n - k) * std::log(1 - p));
          log_choices += std::log((n - k) / (k + 1));
        }
        least = std::min(least, covered);
      }
      std::printf("coverage of the proportion interval, %3zu tries, level %.2f: at least %.4f\n", tries, level, least);
      INFO(tries << " tries, level " << level);
      CHECK(least >= level - 1e-9);
    }
}

namespace {

// splitmix64 (Steele, Lea and Flood 2014) and what is made of it: the same numbers with every library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform() {  // above 0, at most 1
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>(((z ^ (z >> 31)) >> 11) + 1) / 9007199254740992.0;
  }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }

 private:
  std::uint64_t state_;
};

double normal_time(Random& random) {
  return 1 + 0.05 * random.normal();
}
double skewed_time(Random& random) {
  return 1 + 0.1 * std::exp(random.normal());
}
double two_modes_time(Random& random) {
  return (random.uniform() < 0.3 ? 1.5 : 1) + 0.02 * random.normal();
}

// Both sides of a round have the same noise, so that the logarithm of their ratio is symmetric about that of the truth.
struct Shape {
  const char* name;
  double (*time)(Random&);
  double trend = 0;  // of the logarithm, a round; common to both
  double walk = 0;   // deviation of a random step of it, a round; common to both
};
constexpr Shape shapes[] = {{"normal", normal_time},
                            {"skewed", skewed_time},
                            {"two modes", two_modes_time},
                            {"common trend", normal_time, 0.2, 0},
                            {"common random walk", skewed_time, 0, 0.1}};
constexpr double levels[] = {0.95, 0.99};
constexpr double truth = 1.03;

#ifdef __SANITIZE_ADDRESS__
constexpr int tries = 1000;  // the harness is not optimized then either
#else
constexpr int tries = 20000;
#endif

// Whether `covered` tries are what an exact interval of the level attained gives: within four standard errors of it,
// and at least the nominal level less a point.
void check_coverage(const char* of, const char* shape, std::size_t m, std::size_t n, double level, double attained,
                    int covered) {
  const double coverage = static_cast<double>(covered) / tries;
  const double error = std::sqrt(attained * (1 - attained) / tries);
  std::printf("coverage of the %s ratio, %-18s, n = %2zu, %2zu, level %.2f (attained %.4f): %.4f\n", of, shape, m, n,
              level, attained, coverage);
  INFO(of << ", " << shape << ", n " << m << " and " << n << ", level " << level << ", attained " << attained);
  CHECK(coverage >= level - 0.01);
  CHECK(std::fabs(coverage - attained) < 4 * error);
}

}  // namespace

TEST_CASE("simulated coverage of the paired ratio", "[coverage]") {
  Random random(19850614);
  for (const Shape& shape : shapes)
    for (const std::size_t n : {7u, 11u, 21u}) {
      int covered[2] = {};
      double attained[2] = {};
      for (int attempt = 0; attempt < tries; ++attempt) {
        Values a, b;
        double common = 0;
        for (std::size_t round = 0; round < n; ++round) {
          common += shape.trend + (shape.walk > 0 ? shape.walk * random.normal() : 0);
          a.push_back(std::exp(common) * truth * shape.time(random));
          b.push_back(std::exp(common) * shape.time(random));
        }
        for (std::size_t i = 0; i < 2; ++i) {
          const Interval interval = paired_ratio(a, b, levels[i]).interval;
          covered[i] += interval.low <= truth && truth <= interval.high;
          attained[i] = interval.level;
        }
      }
      for (std::size_t i = 0; i < 2; ++i)
        check_coverage("paired", shape.name, n, n, levels[i], attained[i], covered[i]);
    }
}

TEST_CASE("simulated coverage of the unpaired ratio", "[coverage]") {
  Random random(19851114);
  for (const Shape& shape : shapes) {
    if (shape.trend != 0 || shape.walk != 0)
      continue;  // nothing takes the drift off two runs that were not interleaved
    for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{7, 7}, {7, 11}, {21, 21}}) {
      int covered[2] = {};
      double attained[2] = {};
      for (int attempt = 0; attempt < tries; ++attempt) {
        Values a, b;
        for (std::size_t i = 0; i < m; ++i) a.push_back(truth * shape.time(random));
        for (std::size_t i = 0; i < n; ++i) b.push_back(shape.time(random));
        for (std::size_t i = 0; i < 2; ++i) {
          const Interval interval = unpaired_ratio(a, b, levels[i]).interval;
          covered[i] += interval.low <= truth && truth <= interval.high;
          attained[i] = interval.level;
        }
      }
      for (std::size_t i = 0; i < 2; ++i)
        check_coverage("unpaired", shape.name, m, n, levels[i], attained[i], covered[i]);
    }
  }
}
