// SPDX-License-Identifier: MIT
// The fit of time on bytes and calls: known costs are found again, sizes that do not follow them are noticed, and what
// cannot be fitted is said in words.
#include "fit.h"

#include <cmath>
#include <limits>

#include "catch.h"
#include "made_up.h"

using namespace iobench;

namespace {

constexpr double per_byte = 0.08e-9, per_call = 0.45e-6;

FitPoint point(std::uint64_t block, double seconds_per_byte = per_byte, double seconds_per_call = per_call) {
  FitPoint made;
  made.block_bytes = block;
  made.bytes = 1073741824.0;
  made.calls = 2 * made.bytes / static_cast<double>(block);
  made.seconds = seconds_per_byte * made.bytes + seconds_per_call * made.calls;
  return made;
}

std::vector<FitPoint> sweep(std::uint64_t first, std::uint64_t last) {
  std::vector<FitPoint> points;
  for (std::uint64_t block = first; block <= last; block *= 2) points.push_back(point(block));
  return points;
}

std::vector<std::uint64_t> blocks(const std::vector<FitPoint>& points) {
  std::vector<std::uint64_t> found;
  for (const FitPoint& at : points) found.push_back(at.block_bytes);
  return found;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("exact times give their costs back") {
  const Fit fit = fit_time(sweep(512, 4u << 20));
  REQUIRE(fit.exists);
  CHECK(fit.fits);
  CHECK(fit.seconds_per_byte == Approx(per_byte));
  CHECK(fit.seconds_per_call == Approx(per_call));
  CHECK(fit.largest_error < 1e-9);
  const std::vector<std::uint64_t> fitted{512, 2048, 8192, 32768, 131072}, held{1024, 4096, 16384, 65536};
  CHECK(blocks(fit.fitted) == fitted);
  CHECK(blocks(fit.held_out) == held);
  CHECK(blocks(fit.beyond) == blocks(sweep(256u << 10, 4u << 20)));
  CHECK(fit.predicted_s(point(64u << 10)) == Approx(point(64u << 10).seconds));
  // 2 calls of 0.45 us against 65536 bytes of 0.08 ns
  CHECK(fit.call_share(point(64u << 10)) == Approx(0.9 / (0.9 + 5.24288)));
}

TEST_CASE("an even number of sizes holds out neither end") {
  const Fit fit = fit_time(sweep(1024, 32u << 10));
  const std::vector<std::uint64_t> held{2048, 8192};
  CHECK(blocks(fit.held_out) == held);
  CHECK(fit.fitted.size() == 4);
}

TEST_CASE("errors are relative: a long run does not rule") {
  // Worked by hand: with one unknown at 0 the least squares of relative error is sum(x) / sum(x^2), x = calls /
  // seconds.
  std::vector<FitPoint> points;
  for (std::uint64_t block = 1024; block <= 16384; block *= 2) points.push_back(point(block, 0, per_call));
  points[0].seconds *= 2;
  points[2].seconds /= 1.1;
  const Fit fit = fit_time(points);
  REQUIRE(fit.exists);
  CHECK(fit.seconds_per_byte == 0);
  const double x0 = 0.5 / per_call, x2 = 1.1 / per_call, x4 = 1 / per_call;
  CHECK(fit.seconds_per_call == Approx((x0 + x2 + x4) / (x0 * x0 + x2 * x2 + x4 * x4)));
}

TEST_CASE("a call that costs nothing has the cost 0, never less") {
  std::vector<FitPoint> points = sweep(512, 128u << 10);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].seconds = 0.1 * (1 + 0.01 * static_cast<double>(i));
  const Fit fit = fit_time(points);
  REQUIRE(fit.exists);
  CHECK(fit.seconds_per_call == 0);
  CHECK(fit.seconds_per_byte > 0);
  CHECK(fit.fits);
}

TEST_CASE("the check is on sizes that were held out, and one of them is enough to fail it") {
  std::vector<FitPoint> points = sweep(512, 128u << 10);
  points[5].seconds *= 1.15;  // 16K, held out
  Fit fit = fit_time(points);
  CHECK(fit.seconds_per_call == Approx(per_call));  // it had no say
  CHECK(fit.largest_error == Approx(1 - 1 / 1.15));
  CHECK(fit.worst_block_bytes == 16384);
  CHECK_FALSE(fit.fits);
  CHECK(fit.median_error < 1e-9);
  CHECK(contains(fit_words(fit), "the sizes that it has not seen, 1K, 4K, 16K, 64K, by 13.0 % at most (16K)"));

  points[5].seconds = points[5].seconds / 1.15 * 1.11;  // misses by 9.9 %
  CHECK(fit_time(points).fits);
}

TEST_CASE("noise of five percent does not hide the costs") {
  Noise noise(11);
  std::vector<FitPoint> points = sweep(512, 1u << 20);
  for (FitPoint& at : points) at.seconds *= noise.factor(0.05);
  const Fit fit = fit_time(points);
  CHECK(fit.fits);
  CHECK(fit.seconds_per_call == Approx(per_call).epsilon(0.05));
  CHECK(fit.seconds_per_byte == Approx(per_byte).epsilon(0.05));
}

TEST_CASE("what cannot be fitted is said") {
  CHECK(contains(fit_words(fit_time({})), "no fit: no block sizes up to 128K"));
  std::vector<FitPoint> four = sweep(1024, 8192);
  four.push_back(point(256u << 10));
  CHECK_FALSE(fit_time(four).exists);
  CHECK(contains(fit_words(fit_time(four)), "4 block sizes up to 128K with a time and counted calls"));

  SECTION("points that are no numbers are left out") {
    std::vector<FitPoint> points = sweep(1024, 16384);
    CHECK(fit_time(points).exists);
    const double bad =
        GENERATE(0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
    double FitPoint::*field = GENERATE(&FitPoint::bytes, &FitPoint::calls, &FitPoint::seconds);
    points[1].*field = bad;
    CHECK_FALSE(fit_time(points).exists);
  }
  SECTION("one size measured twice is one size") {
    std::vector<FitPoint> points = sweep(1024, 8192);
    points.push_back(points.back());
    CHECK_FALSE(fit_time(points).exists);
  }
  SECTION("equal calls at every size tell nothing") {
    std::vector<FitPoint> points = sweep(1024, 16384);
    for (FitPoint& at : points) at.calls = 1000, at.seconds = 1;
    const Fit fit = fit_time(points);
    CHECK_FALSE(fit.exists);
    CHECK(contains(fit.note, "do not differ in calls per byte"));
  }
}
