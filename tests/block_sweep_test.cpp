// SPDX-License-Identifier: MIT
// Which rows make a sweep, which of its sizes are fast enough, and how often that loses one that is; the fit to a
// sweep.
#include "block_sweep.h"

#include <cmath>

#include "catch.h"
#include "made_up.h"

using namespace iobench;

namespace {

// readwrite over block sizes in one group, 11 rounds.
MadeUp sweep_of(const std::vector<std::string>& blocks, const std::vector<double>& walls, double spread,
                std::uint64_t seed, std::size_t rounds = 11) {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  made.add_suite("blocks", "Blocks");
  for (const std::string& block : blocks) {
    PlannedRow& row = made.add_row("block-" + block, "all", rounds, {"readwrite", "-b", block});
    row.row.values = {{"block", block}};
    made.checks.back().back().calls_per_mib = 2.0 * 1048576 / static_cast<double>(parse_size(block));
  }
  made.set_baseline("block-" + blocks.back());
  made.measure(walls, spread, seed);
  return made;
}

SuiteResult result_of(const MadeUp& made, const std::set<std::string>& moves_nothing = {}) {
  return summarize_results(made.plan, made.samples, made.checks, moves_nothing).at(0);
}

const std::vector<std::string> four{"1K", "4K", "64K", "1M"};

}  // namespace

TEST_CASE("a sweep is one tool in one group, in order of its blocks") {
  MadeUp made = sweep_of({"64K", "1K", "1M", "4K"}, {1.02, 2.01, 1.0, 1.2}, 0.001, 5);
  PlannedSuite& suite = made.plan.suites[0];
  std::vector<BlockSweep> sweeps = block_sweeps(suite, result_of(made));
  REQUIRE(sweeps.size() == 1);
  const std::vector<std::size_t> in_order{1, 3, 0, 2};
  CHECK(sweeps[0].rows == in_order);
  CHECK(sweeps[0].fastest == 2);

  SECTION("another tool, another depth, a block that is no size: not in it") {
    suite.rows[0].row.tool = "freadwrite";
    CHECK(block_sweeps(suite, result_of(made)).at(0).rows.size() == 3);
    suite.rows[0].row.tool = "readwrite";
    suite.rows[0].row.values.push_back({"depth", "4"});
    CHECK(block_sweeps(suite, result_of(made)).at(0).rows.size() == 3);
    suite.rows[0].row.values = {{"block", "large"}};
    CHECK(block_sweeps(suite, result_of(made)).at(0).rows.size() == 3);
    suite.rows[1].row.values = {};
    CHECK(block_sweeps(suite, result_of(made)).empty());
  }
  SECTION("rows that move nothing, or have no sample, are not in it") {
    for (PlannedRow& row : suite.rows) row.row.tool = "sendfile-copy";
    CHECK(block_sweeps(suite, result_of(made, {"sendfile-copy"})).empty());
    for (Sample& sample : made.samples)
      if (sample.row == "block-1K") sample.status = "failed";
    CHECK(block_sweeps(suite, result_of(made)).at(0).rows.size() == 3);
  }
}

TEST_CASE("fast enough is what is not shown slower than 1.05 times the fastest") {
  MadeUp made = sweep_of(four, {2.01, 1.2, 1.02, 1.0}, 0.001, 5);
  const PlannedSuite& suite = made.plan.suites[0];
  SuiteResult result = result_of(made);
  const BlockSweep sweep = block_sweeps(suite, result).at(0);
  FastBlocks fast = fast_blocks(suite, result, sweep);
  const std::vector<std::size_t> last_two{2, 3};
  CHECK(fast.rows == last_two);
  CHECK(fast.level >= family_level(3));

  SECTION("below the noise floor nothing is shown") {
    result.groups[0].noise_floor = 1.3;
    CHECK(fast_blocks(suite, result, sweep).rows.size() == 3);
  }
  SECTION("three rounds tell nothing") {
    made = sweep_of(four, {2.01, 1.2, 1.02, 1.0}, 0.001, 5, 3);
    result = result_of(made);
    fast = fast_blocks(made.plan.suites[0], result, block_sweeps(made.plan.suites[0], result).at(0));
    CHECK(fast.rows.empty());
    CHECK(fast.level == Approx(0.75));
  }
}

TEST_CASE("by simulation: choosing the fastest from the same samples loses few sizes that are enough") {
  // Nine sizes, all but one exactly at the limit of what is enough: the hardest case.
  const std::vector<std::string> blocks{"1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K", "256K"};
  std::vector<double> walls(blocks.size(), fast_enough);
  walls[6] = 1;
  std::size_t lost = 0;
  constexpr std::size_t tries = 400;
  for (std::size_t i = 0; i < tries; ++i) {
    const MadeUp made = sweep_of(blocks, walls, 0.3, 1000 + i, rounds_for(blocks.size() - 1));
    SuiteResult result = result_of(made);
    result.groups[0].noise_floor = 1;
    const PlannedSuite& suite = made.plan.suites[0];
    lost += fast_blocks(suite, result, block_sweeps(suite, result).at(0)).rows.size() < blocks.size();
  }
  INFO(lost << " of " << tries);
  CHECK(lost <= tries / 20);
}

TEST_CASE("the fit to a sweep finds its costs, with an interval over rounds") {
  std::vector<std::string> blocks;
  std::vector<double> walls;
  for (std::uint64_t block = 512; block <= 1u << 20; block *= 2) {
    blocks.push_back(format_short_size(block));
    walls.push_back(0.08e-9 * 1073741824 + 2 * 0.45e-6 * 1073741824 / static_cast<double>(block));
  }
  MadeUp made = sweep_of(blocks, walls, 0.06, 3);
  const SuiteResult result = result_of(made);
  const PlannedSuite& suite = made.plan.suites[0];
  const BlockSweep sweep = block_sweeps(suite, result).at(0);
  SweepFit found = fit_sweep(suite, result, made.checks[0], sweep);
  CHECK(found.fit.fits);
  CHECK(found.fit.seconds_per_call == Approx(0.45e-6).epsilon(0.03));
  CHECK(found.fit.seconds_per_byte == Approx(0.08e-9).epsilon(0.03));
  CHECK(found.seconds_per_call.n == 11);
  CHECK(found.seconds_per_call.interval.low < 0.45e-6);
  CHECK(found.seconds_per_call.interval.high > 0.45e-6);
  CHECK(found.seconds_per_byte.interval.exists());
  CHECK(found.fit.beyond.size() == 3);

  SECTION("calls that were not counted leave nothing to fit") {
    for (RowCheck& check : made.checks[0]) check.calls_per_mib = -1;
    CHECK_FALSE(fit_sweep(suite, result, made.checks[0], sweep).fit.exists);
    CHECK_FALSE(fit_sweep(suite, result, {}, sweep).fit.exists);
  }
  SECTION("a round without one of the sizes is not fitted by itself") {
    for (Sample& sample : made.samples)
      if (sample.row == "block-2K" && sample.round == 4) sample.status = "failed";
    const SuiteResult less = result_of(made);
    CHECK(fit_sweep(suite, less, made.checks[0], sweep).seconds_per_call.n == 10);
  }
}
