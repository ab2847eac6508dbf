// SPDX-License-Identifier: MIT
// Trends against full enumeration and by hand; two modes: what is one mode is left alone, what is two is found.
#include "patterns.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "catch.h"

using namespace iobench;

namespace {

double share(std::size_t tries, const std::function<bool()>& seen) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < tries; ++i) count += seen();
  return static_cast<double>(count) / static_cast<double>(tries);
}

}  // namespace

TEST_CASE("a trend's p is that of all orders") {
  const std::size_t n = GENERATE(2u, 3u, 5u, 7u);
  const auto statistic = [](const std::vector<double>& values) {
    int sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = i + 1; j < values.size(); ++j) sum += values[j] > values[i] ? 1 : -1;
    return std::abs(sum);
  };
  std::vector<double> order(n);
  std::iota(order.begin(), order.end(), 1.0);
  std::vector<std::vector<double>> all;
  do all.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / 40) {
    const auto as_far = std::count_if(all.begin(), all.end(), [&](const std::vector<double>& other) {
      return statistic(other) >= statistic(all[i]);
    });
    CHECK(trend(all[i]).p == Approx(static_cast<double>(as_far) / static_cast<double>(all.size())));
  }
}

TEST_CASE("a trend's size is the median slope times the steps") {
  const std::vector<double> rising{1, 2, 3, 4, 5, 6, 40};
  CHECK(trend(rising).change == Approx(6));
  CHECK(trend(rising).p == Approx(2.0 / 5040));
  const std::vector<double> falling{7, 6, 5, 4, 3, 2, 1};
  CHECK(trend(falling).change == Approx(-6));
  CHECK(trend(falling).p == Approx(2.0 / 5040));
  const std::vector<double> equal(8, 3.0);
  CHECK(trend(equal).p == 1);
  CHECK(trend(equal).change == 0);
  CHECK(trend(std::vector<double>{}).p == 1);
  CHECK(trend(std::vector<double>{4}).p == 1);
  // With ties the pairs that are in order are fewer, and p is larger.
  const std::vector<double> steps{1, 1, 1, 2, 2, 2, 3};
  CHECK(trend(steps).p > trend(rising).p);
  CHECK(trend(steps).p < 0.05);
}

TEST_CASE("scatter alone is a trend as often as p says, exactly and for many values") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const std::size_t n : {10u, 101u}) {
    const double rate = share(2000, [&] {
      std::vector<double> values(n);
      for (double& value : values) value = normal(random);
      return trend(values).p <= 0.05;
    });
    INFO(n);
    CHECK(rate < 0.065);
    CHECK(rate > 0.03);
  }
}

TEST_CASE("one mode seldom looks like two") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::exponential_distribution<double> exponential;
  std::uniform_real_distribution<double> uniform;
  const std::vector<std::function<double()>> shapes{
      [&] { return std::max(0.01, 1 + 0.2 * normal(random)); }, [&] { return std::exp(0.3 * normal(random)); },
      [&] { return 1 + 0.3 * exponential(random); }, [&] { return 1 + 0.5 * uniform(random); }};
  for (const std::size_t n : {7u, 10u, 15u, 21u, 30u})
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      const double rate = share(2000, [&] {
        std::vector<double> values(n);
        for (double& value : values) value = shapes[shape]();
        return two_modes(values).has_value();
      });
      INFO(n << " values, shape " << shape << ": " << rate);
      CHECK(rate < 0.015);
    }
}

TEST_CASE("two narrow modes are found, with their places and counts") {
  const std::vector<double> values{2.0, 1.01, 1.0, 2.02, 0.99, 1.0, 1.98};
  const auto found = two_modes(values);
  REQUIRE(found);
  CHECK(found->low == Approx(1.0));
  CHECK(found->high == Approx(2.0));
  CHECK(found->low_count == 4);
  CHECK(found->high_count == 3);

  SECTION("outliers are no mode") {
    CHECK_FALSE(two_modes(std::vector<double>{1, 1.01, 0.99, 1.02, 1, 2, 2.01}));
    CHECK_FALSE(two_modes(std::vector<double>{1, 1.01, 0.99, 1.02, 1, 1, 5}));
  }
  SECTION("modes nearer than 15 % are not worth a word") {
    CHECK_FALSE(two_modes(std::vector<double>{1, 1.001, 1, 1.14, 1.141, 1.14, 1}));
    CHECK(two_modes(std::vector<double>{1, 1.001, 1, 1.16, 1.161, 1.16, 1}));
  }
  SECTION("few values, zeros and equal values are not") {
    CHECK_FALSE(two_modes(std::vector<double>{1, 1, 2, 2}));
    CHECK_FALSE(two_modes(std::vector<double>{}));
    CHECK_FALSE(two_modes(std::vector<double>(10, 1.0)));
    CHECK_FALSE(two_modes(std::vector<double>{0, 0, 0, 1, 1, 1, 1}));
  }
}

TEST_CASE("of rows that are a fair coin between two narrow modes, half or more are found") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, 0.03);
  std::bernoulli_distribution coin;
  for (const std::size_t n : {10u, 14u, 21u}) {
    const double rate = share(1000, [&] {
      std::vector<double> values(n);
      for (double& value : values) value = (coin(random) ? 1.5 : 1.0) * std::exp(normal(random));
      return two_modes(values).has_value();
    });
    INFO(n << ": " << rate);
    CHECK(rate > 0.5);
  }
}
