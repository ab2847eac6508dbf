// SPDX-License-Identifier: MIT
// Intervals against values from the literature, against the enumeration of every sign pattern, and against simulation;
// odd data in words.
#include "statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
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

TEST_CASE("odd data is told in words") {
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

TEST_CASE("median, deviation and variation") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(std::isnan(median({})));
  CHECK(standard_deviation(Values{2, 4, 4, 4, 5, 5, 7, 9}) == Approx(std::sqrt(32.0 / 7)));
  CHECK(std::isnan(standard_deviation(Values{1})));
  CHECK(coefficient_of_variation(Values{9, 11}) == Approx(std::sqrt(2.0) / 10));
  CHECK(std::isnan(coefficient_of_variation({})));
  CHECK(std::isnan(coefficient_of_variation(Values{-1, 1})));
}

// Times of two commands in the same round share its drift; the true ratio is 1.03. Coverage of the 95 % interval must
// be at least 94 %: with 4,000 tries its own standard error is 0.34 points at 95 %.
TEST_CASE("simulated coverage of the paired ratio") {
  std::mt19937_64 generator(19850614);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const double truth = 1.03;
  struct Shape {
    const char* name;
    std::function<double()> time;
    double drift;
  };
  const Shape shapes[] = {
      {"normal", [&] { return 1 + 0.05 * normal(generator); }, 0},
      {"skewed", [&] { return 1 + 0.1 * std::exp(normal(generator)); }, 0},
      {"two modes", [&] { return (uniform(generator) < 0.3 ? 1.5 : 1) + 0.02 * normal(generator); }, 0},
      {"common drift", [&] { return 1 + 0.03 * normal(generator); }, 0.2},
  };
  for (const Shape& shape : shapes)
    for (const std::size_t n : {7u, 11u, 21u}) {
      const int tries = 4000;
      int covered = 0;
      for (int attempt = 0; attempt < tries; ++attempt) {
        Values a, b;
        for (std::size_t round = 0; round < n; ++round) {
          const double common = std::exp(shape.drift * static_cast<double>(round));
          a.push_back(common * truth * shape.time());
          b.push_back(common * shape.time());
        }
        const Interval interval = paired_ratio(a, b, 0.95).interval;
        covered += interval.low <= truth && truth <= interval.high;
      }
      INFO(shape.name << ", n " << n);
      CHECK(static_cast<double>(covered) / tries >= 0.94);
    }
}
