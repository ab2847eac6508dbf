// SPDX-License-Identifier: MIT
// Samples to results: what a metric is, which samples count, which are paired. Values are worked out by hand.
#include "summary.h"

#include <cmath>
#include <limits>

#include "catch.h"
#include "made_up.h"
#include "message.h"

using namespace iobench;

namespace {

Sample copy_of(std::uint64_t bytes, std::uint64_t operations, double wall_s) {
  Sample sample;
  sample.bytes = bytes;
  sample.operations = operations;
  sample.wall_s = wall_s;
  return sample;
}

// Two rows of one group, "slow" against the baseline "fast", seven rounds planned; samples are each test's own.
MadeUp two_rows() {
  MadeUp made;
  made.plan.options.corpus_bytes = 1000;
  made.add_suite("pair", "A pair");
  made.add_row("fast", "all", 7, {"readwrite"});
  made.add_row("slow", "all", 7, {"getputc"});
  made.set_baseline("fast");
  for (std::size_t round = 1; round <= 7; ++round)
    for (const std::size_t row : {std::size_t{0}, std::size_t{1}}) {
      made.plan.runs.push_back({0, row, round, false});
      if (row == 0) made.plan.runs.push_back({0, row, round, true});
    }
  return made;
}

SuiteResult result_of(const MadeUp& made) {
  return summarize_results(made.plan, made.samples).at(0);
}

}  // namespace

TEST_CASE("metrics of a sample") {
  Sample sample = copy_of(1000, 4, 0.5);
  sample.user_s = 0.1;
  sample.system_s = 0.3;
  sample.peak_memory_bytes = 4096;
  CHECK(metric(sample, "wall") == 0.5);
  CHECK(metric(sample, "cpu").value() == Approx(0.4));
  CHECK(metric(sample, "bytes_per_s") == 2000);
  CHECK(metric(sample, "operations_per_s") == 8);
  CHECK(metric(sample, "wall_per_copy") == 0.125);
  CHECK(metric(sample, "cpu_per_copy").value() == Approx(0.1));
  CHECK(metric(sample, "user_per_copy").value() == Approx(0.025));
  CHECK(metric(sample, "system_per_copy").value() == Approx(0.075));
  CHECK(metric(sample, "peak_memory") == 4096);
  CHECK_FALSE(metric(sample, "return"));
  CHECK_FALSE(metric(sample, "device_read"));
  CHECK_THROWS_AS(metric(sample, "speed"), Error);
  for (const std::string& name : metric_names()) {
    INFO(name);
    CHECK(is_metric(name));
    CHECK_NOTHROW(metric(sample, name));
  }
}

TEST_CASE("what was not measured has no metric, and no time gives no rate", "[B93][B124]") {
  Sample sample = copy_of(1000, 1, 0);
  CHECK(metric(sample, "wall") == 0);
  CHECK_FALSE(metric(sample, "bytes_per_s"));
  CHECK_FALSE(metric(sample, "operations_per_s"));
  for (const double broken : {-0.0001, std::numeric_limits<double>::infinity(), std::nan("")}) {
    sample.wall_s = broken;
    CHECK_FALSE(metric(sample, "wall"));
    CHECK_FALSE(metric(sample, "bytes_per_s"));
  }
  sample = copy_of(0, 0, 1);
  CHECK_FALSE(metric(sample, "bytes_per_s"));
  CHECK_FALSE(metric(sample, "wall_per_copy"));
  sample.user_s = 0.1;  // without system_s there is no sum
  CHECK_FALSE(metric(sample, "cpu"));
}

TEST_CASE("rows are paired with their baseline by round") {
  MadeUp made = two_rows();
  // The baseline doubles from round to round and the row with it: only pairs of one round have the ratio 3.
  for (std::uint64_t round = 7; round >= 1; --round) {
    const double wall = std::exp2(static_cast<double>(round));
    if (round != 4) made.samples.push_back(made.sample(1, round, 3 * wall, 1));
    if (round != 2) made.samples.push_back(made.sample(0, round, wall, 1));
  }
  const SuiteResult result = result_of(made);
  REQUIRE(result.rows[1].against_baseline);
  CHECK(result.rows[1].against_baseline->pairs == 5);
  CHECK(result.rows[1].against_baseline->ratio == Approx(3));
  CHECK_FALSE(result.rows[0].against_baseline);
  CHECK(result.rows[1].ok.front().round == 1);
  CHECK(result.rows[1].summary("wall").n == 6);
  CHECK(result.runs_planned == 21);
  CHECK(result.runs_made == 12);
}

TEST_CASE("the noise floor is the larger end of the baseline against itself") {
  MadeUp made = two_rows();
  // again/first is 1.02 and once 1/1.05. Of the 28 Walsh averages of the logarithms, the interval at 95 % (n = 7) goes
  // from the third smallest, (ln 1.02 - ln 1.05) / 2, to the third largest, ln 1.02: the floor is 1.02.
  for (std::uint64_t round = 1; round <= 7; ++round) {
    made.samples.push_back(made.sample(0, round, 1, 1));
    made.samples.push_back(made.sample(0, round, round == 3 ? 1 / 1.05 : 1.02, 1, true));
    made.samples.push_back(made.sample(1, round, 1.03, 1));
  }
  SuiteResult result = result_of(made);
  REQUIRE(result.groups[0].again);
  CHECK(result.groups[0].again->pairs == 7);
  CHECK(result.groups[0].again->interval.low == Approx(std::sqrt(1.02 / 1.05)));
  CHECK(result.groups[0].noise_floor == Approx(1.02));
  CHECK(result.rows[1].against_baseline->ratio == Approx(1.03));
  CHECK_FALSE(result.rows[1].below_noise_floor);

  SECTION("its lower end counts as well") {
    for (Sample& sample : made.samples)
      if (sample.row == "fast/again") sample.wall_s = 1 / *sample.wall_s;
    CHECK(result_of(made).groups[0].noise_floor == Approx(1.02));
  }
  SECTION("far away from it a difference stands, on either side") {
    for (const double ratio : {1.5, 1 / 1.5}) {
      for (Sample& sample : made.samples)
        if (sample.row == "slow") sample.wall_s = ratio;
      CHECK_FALSE(result_of(made).rows[1].below_noise_floor);
    }
  }
  SECTION("inside it none does, on either side") {
    for (const double ratio : {1.01, 1 / 1.01}) {
      for (Sample& sample : made.samples)
        if (sample.row == "slow") sample.wall_s = ratio;
      CHECK(result_of(made).rows[1].below_noise_floor);
    }
  }
  SECTION("without a second slot it is not known, and nothing is below it") {
    std::erase_if(made.samples, [](const Sample& sample) { return sample.row == "fast/again"; });
    result = result_of(made);
    CHECK(result.groups[0].noise_floor == 1);
    CHECK_FALSE(result.groups[0].note.empty());
    CHECK_FALSE(result.rows[1].below_noise_floor);
  }
}

TEST_CASE("failed samples never enter a figure, and are told", "[B99]") {
  MadeUp made = two_rows();
  for (std::uint64_t round = 1; round <= 7; ++round) {
    made.samples.push_back(made.sample(0, round, 1, 1));
    made.samples.push_back(made.sample(1, round, round % 2 ? 2 : 0.001, 1));
    if (round % 2) continue;
    made.samples.back().status = "failed";
    made.samples.back().reason = "write standard output: No space left on device";
  }
  const RowResult row = result_of(made).rows[1];
  CHECK(row.ok.size() == 4);
  CHECK(row.failed == 3);
  CHECK(row.summary("wall").median == 2);
  CHECK(row.against_baseline->ratio == Approx(2));
  CHECK(row.against_baseline->pairs == 4);
  CHECK(row.against_baseline->note.find("3 rounds that only one side has left out; only 4 pairs") == 0);
  CHECK(row.status == "failed");
  CHECK(row.reason == "3 of 7 runs (rounds 2, 4, 6): write standard output: No space left on device");

  for (Sample& sample : made.samples)
    if (sample.row == "slow") sample.status = "unsupported";
  const RowResult none = result_of(made).rows[1];
  CHECK(none.ok.empty());
  CHECK(none.status == "unsupported");
  CHECK(none.summary("wall").n == 0);
  CHECK_FALSE(none.total("cpu"));
  CHECK(none.against_baseline->ratio == 0);
  CHECK_FALSE(none.cpu_is_sampled());
}

TEST_CASE("of several attempts of a round the last one stands") {
  MadeUp made = two_rows();
  Sample first = made.sample(1, 1, 9, 1), second = made.sample(1, 1, 2, 1);
  first.status = "regime-not-reached";
  second.attempt = 2;
  made.samples = {second, first};  // the file's order does not matter
  const RowResult row = result_of(made).rows[1];
  CHECK(row.status == "ok");
  CHECK(row.failed == 0);
  CHECK(row.summary("wall").median == 2);
  CHECK(row.note == "1 run was repeated");
}

TEST_CASE("CPU under 100 clock ticks over all runs is sampling") {
  MadeUp made = two_rows();
  for (std::uint64_t round = 1; round <= 7; ++round) {
    made.samples.push_back(made.sample(0, round, 1, 0.05));  // 0.35 s
    made.samples.push_back(made.sample(1, round, 1, 0.5));   // 3.5 s
  }
  const SuiteResult result = result_of(made);
  CHECK(result.rows[0].cpu_is_sampled());
  CHECK_FALSE(result.rows[1].cpu_is_sampled());
  CHECK(result.rows[0].total("cpu").value() == Approx(0.35));
}

TEST_CASE("rows that are not planned are an error, rows without samples are not", "[B120]") {
  MadeUp made = two_rows();
  CHECK(result_of(made).rows[0].status == "not run");
  made.samples.push_back(made.sample(0, 1, 1, 1));
  made.samples.back().row = "slow/again";  // only baselines have a second slot
  CHECK_THROWS_WITH(result_of(made), "samples.csv: row 'slow/again' of suite 'pair' is not in plan.json");
  made.samples = {made.sample(0, 1, 1, 1), made.sample(0, 1, 1, 1)};  // counted twice it would be a sample that is none
  CHECK_THROWS_WITH(result_of(made), Catch::Contains("is there twice"));
  made.samples.pop_back();
  made.samples.back().suite = "other";
  CHECK_THROWS_WITH(result_of(made), "samples.csv: suite 'other' is not in plan.json");
  const std::size_t last = made.plan.suites[0].rounds();
  for (const std::uint64_t round : {std::uint64_t{0}, std::uint64_t{last + 1}, UINT64_MAX}) {
    made.samples = {made.sample(0, round, 1, 1)};
    CHECK_THROWS_WITH(result_of(made), Catch::Contains("there is no round " + std::to_string(round) + " in plan.json"));
  }
  made.samples = {made.sample(0, last, 1, 1)};
  CHECK(result_of(made).rows[0].ok.size() == 1);
}

TEST_CASE("a noise floor of each metric, and none where nothing was measured twice") {
  MadeUp made = two_rows();
  CHECK_FALSE(noise_floor(made.plan.suites[0], result_of(made), 0, "wall"));
  for (std::uint64_t round = 1; round <= 7; ++round)
    for (const bool again : {false, true})
      made.samples.push_back(made.sample(made.plan.suites[0].groups[0].baseline, round, again ? 1.1 : 1.0, again ? 2 : 1, again));
  const SuiteResult result = result_of(made);
  CHECK(noise_floor(made.plan.suites[0], result, 0, "wall").value() == Approx(1.1));
  CHECK(noise_floor(made.plan.suites[0], result, 0, "wall").value() == result.groups[0].noise_floor);
  CHECK(noise_floor(made.plan.suites[0], result, 0, "cpu").value() == Approx(2));
  CHECK(noise_floor(made.plan.suites[0], result, 0, "bytes_per_s").value() == Approx(1.1));
}

TEST_CASE("a limit is a row of its own, and one that was refused says why") {
  MadeUp made = two_rows();
  Sample copy = copy_of(3000, 1, 2);
  copy.suite = "pair";
  copy.row = "limit/memory-copy";
  copy.round = 1;
  Sample refused = copy;
  refused.row = "limit/device-read";
  refused.status = "unsupported";
  refused.reason = "tmpfs: it has no device";
  made.samples = {copy, refused};
  const SuiteResult result = result_of(made);
  REQUIRE(result.limits.size() == 2);
  CHECK(result.limits.at(Limit::memory_copy).rate.median == 1500);
  CHECK(result.limits.at(Limit::memory_copy).why_not.empty());
  CHECK(result.limits.at(Limit::device_read).rate.n == 0);
  CHECK(result.limits.at(Limit::device_read).why_not == refused.reason);
  CHECK(result.runs_made == 0);
  CHECK(result_of(two_rows()).limits.empty());
  made.samples[0].row = "limit/nothing";
  CHECK(message_of([&] { result_of(made); }) == "samples.csv: row 'limit/nothing' of suite 'pair' is not in plan.json");
}

TEST_CASE("a group of one row has nothing to compare") {
  MadeUp made;
  made.add_suite("single", "One");
  made.add_row("only", "all", 7, {"readwrite"});
  made.samples.push_back(made.sample(0, 1, 1, 1));
  const SuiteResult result = result_of(made);
  CHECK_FALSE(result.rows[0].against_baseline);
  CHECK_FALSE(result.groups[0].again);
  CHECK_FALSE(ratio_to_baseline(made.plan.suites[0], result, 0, "wall"));
}
