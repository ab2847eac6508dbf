// SPDX-License-Identifier: MIT
// Each cause planted once is warned of once, with the next thing to do; results without it are left in peace.
#include "warnings.h"

#include <algorithm>
#include <functional>

#include "catch.h"
#include "made_up.h"

using namespace iobench;

namespace {

MadeUp quiet_lab() {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  add_buffer_sweep(made);
  add_perlman(made);
  return made;
}

std::vector<std::string> warnings_of(const MadeUp& made, const std::vector<Surroundings>& rounds = {}) {
  std::vector<std::string> said;
  for (const Warning& warning : find_warnings(made.plan, summarize_results(made.plan, made.samples), rounds))
    said.push_back(to_sentence(warning));
  return said;
}

// Changes the wall time of the samples that a row's name begins with.
void change(MadeUp& made, const std::string& row, const std::function<double(const Sample&)>& factor) {
  for (Sample& sample : made.samples)
    if (sample.row.starts_with(row)) sample.wall_s = *sample.wall_s * factor(sample);
}

std::vector<Surroundings> quiet_rounds() {
  std::vector<Surroundings> rounds;
  for (std::uint64_t number = 1; number <= 10; ++number) {
    Surroundings round;
    round.suite = "buffer-sweep";
    round.round = number;
    round.seconds = 30;
    round.processors = 2;
    round.busy_s = 32;
    round.own_s = 30;
    round.steal_s = 0.1;
    round.throttle_events = 0;
    round.mhz = 3000;
    rounds.push_back(round);
  }
  return rounds;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("nothing odd, no warning", "[B123]") {
  CHECK(warnings_of(quiet_lab()).empty());
  CHECK(warnings_of(quiet_lab(), quiet_rounds()).empty());
  MadeUp none;
  CHECK(warnings_of(none).empty());
  // A machine that says nothing is not accused.
  CHECK(warnings_of(quiet_lab(), std::vector<Surroundings>(5)).empty());
}

TEST_CASE("a machine that was not left alone") {
  std::vector<Surroundings> rounds = quiet_rounds();
  SECTION("other programs") {
    rounds[3].busy_s = 45;
    rounds[6].busy_s = 36;
    const std::vector<std::string> said = warnings_of(quiet_lab(), rounds);
    REQUIRE(said.size() == 1);
    CHECK(said[0] ==
          "Other programs were running in 2 of 10 rounds; most in round 4 of buffer-sweep: 25.0 % of all "
          "processors' time. Next: stop them, or run again when the machine is left alone; `top` names "
          "them.");
  }
  SECTION("the host") {
    rounds[9].steal_s = 3;
    const std::vector<std::string> said = warnings_of(quiet_lab(), rounds);
    REQUIRE(said.size() == 1);
    CHECK(contains(said[0],
                   "host kept processor time for others in 1 of 10 rounds; most in round 10 of buffer-sweep: "
                   "5.0 % of all"));
  }
  SECTION("heat") {
    rounds[2].throttle_events = 3;
    rounds[5].throttle_events = 1200;
    const std::vector<std::string> said = warnings_of(quiet_lab(), rounds);
    REQUIRE(said.size() == 1);
    CHECK(contains(said[0], "throttled for heat 1,203 times, in 2 of 10 rounds. Next: cool"));
  }
  SECTION("the clock") {
    rounds[8].mhz = 2600;
    const std::vector<std::string> said = warnings_of(quiet_lab(), rounds);
    REQUIRE(said.size() == 1);
    CHECK(contains(said[0], "clock was between 2600 and 3000 MHz"));
    CHECK(contains(said[0], "Next: set the governor `performance`"));
  }
}

TEST_CASE("drift over rounds is one warning a suite, with its size") {
  MadeUp made = quiet_lab();
  change(made, "null-warm", [](const Sample& sample) { return 1 + 0.02 * static_cast<double>(sample.round - 1); });
  const std::vector<std::string> said = warnings_of(made);
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0],
                 "buffer-sweep: times drifted from the first round to the last in 1 of 4 groups (warm file to "
                 "the null device, 1 GiB per run: +"));
  CHECK(contains(said[0], "Next: trust the ratios"));

  SECTION("one row alone is not the machine") {
    MadeUp one = quiet_lab();
    change(one, "null-warm-4K", [](const Sample& sample) { return 1 + 0.02 * static_cast<double>(sample.round - 1); });
    CHECK(warnings_of(one).empty());
  }
  SECTION("nor is a drift of a few percent") {
    MadeUp small = quiet_lab();
    change(small, "null", [](const Sample& sample) { return 1 + 0.003 * static_cast<double>(sample.round - 1); });
    CHECK(warnings_of(small).empty());
  }
}

TEST_CASE("two speeds, with both and what likely causes them") {
  struct Case {
    const char *rows, *cause;
  };
  const Case at = GENERATE(Case{"pipe-warm-64K", "pin them with `--cpus 0` or `--cpus 0,1`"},
                           Case{"file-warm-8K", "host had taken back"}, Case{"null-cold-2M", "the device, or its host"},
                           Case{"null-warm-1K", "another program or where the file lies"});
  MadeUp made = quiet_lab();
  change(made, at.rows, [](const Sample& sample) { return sample.round % 3 == 0 ? 1.8 : 1.0; });
  const std::vector<std::string> said = warnings_of(made);
  std::vector<std::string> modes;
  std::copy_if(said.begin(), said.end(), std::back_inserter(modes),
               [](const std::string& text) { return contains(text, "two speeds"); });
  REQUIRE(modes.size() == 1);
  CHECK(contains(modes[0], std::string("(") + at.rows));
  CHECK(contains(modes[0], "two speeds in 1 of 56 rows"));
  CHECK(contains(modes[0], ": 8 runs near "));
  CHECK(contains(modes[0], ", 3 near "));
  CHECK(contains(modes[0], at.cause));
  // More rounds would not make one mode of it.
  CHECK_FALSE(std::any_of(said.begin(), said.end(),
                          [](const std::string& text) { return contains(text, "known to no better"); }));
}

TEST_CASE("rows with the same cause are one warning") {
  MadeUp made = quiet_lab();
  change(made, "pipe-warm", [](const Sample& sample) { return sample.round % 3 == 0 ? 1.8 : 1.0; });
  const std::vector<std::string> said = warnings_of(made);
  const auto modes =
      std::count_if(said.begin(), said.end(), [](const std::string& text) { return contains(text, "two speeds"); });
  CHECK(modes == 1);
  CHECK(std::any_of(said.begin(), said.end(), [](const std::string& text) {
    return contains(text, "two speeds in 14 of 56 rows (") && contains(text, "; and 11 more)");
  }));
}

TEST_CASE("rounds too few or too scattered ask for more") {
  MadeUp made = quiet_lab();
  SECTION("too few valid rounds") {
    for (Sample& sample : made.samples)
      if (sample.row == "null-warm-4K" && sample.round > 4) sample.status = "failed";
    const std::vector<std::string> said = warnings_of(made);
    REQUIRE(said.size() == 1);
    CHECK(contains(said[0],
                   "buffer-sweep: too few valid rounds for an interval of 95 % in 1 of 56 rows, as few as 4 "
                   "(null-warm-4K)"));
    CHECK(contains(said[0], "`--rounds 11`"));
  }
  SECTION("too scattered") {
    Noise noise(3);
    change(made, "null-warm-4K", [&](const Sample&) { return noise.factor(1.2); });
    const std::vector<std::string> said = warnings_of(made);
    REQUIRE(said.size() == 1);
    CHECK(contains(said[0],
                   "buffer-sweep: the medians of 1 of 56 rows are known to no better than ±25 % (null-warm-4K "));
    CHECK(contains(said[0], "`--rounds 22`"));
  }
  SECTION("a noise floor above what is looked for") {
    Noise noise(4);
    change(made, "null-warm-64K/again", [&](const Sample&) { return noise.factor(1.2); });
    const std::vector<std::string> said = warnings_of(made);
    REQUIRE(said.size() == 1);
    CHECK(contains(said[0],
                   "buffer-sweep: in 1 of 4 groups the noise floor, the baseline against itself, is above 25 %"));
  }
}

TEST_CASE("all warnings that ask for more rounds ask for the same number, the largest") {
  MadeUp made = quiet_lab();
  Noise noise(3);
  change(made, "null-warm-4K", [&](const Sample&) { return noise.factor(1.2); });  // by itself 22
  for (Sample& sample : made.samples)
    if (sample.row == "getputc" && sample.round > 4) sample.status = "failed";  // by itself 7
  const std::vector<std::string> said = warnings_of(made);
  REQUIRE(said.size() == 2);
  for (const std::string& warning : said) CHECK(contains(warning, "Next: more rounds: `--rounds 22`; "));
}

TEST_CASE("as many rounds as the claims of a suite ask for") {
  MadeUp made = quiet_lab();
  made.plan.suites[1].experiment.claims.resize(6, made.plan.suites[1].experiment.claims[0]);  // 8 rounds, not 7
  for (Sample& sample : made.samples)
    if (sample.row == "getputc" && sample.round > 4) sample.status = "failed";
  const std::vector<std::string> said = warnings_of(made);
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0], "`--rounds 8`"));
}

TEST_CASE("there are never more than can be read") {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  for (int i = 0; i < 12; ++i) {
    made.add_suite("suite-" + std::to_string(i), "Suite");
    made.add_row("a", "all", 9, {"readwrite"});
    made.add_row("b", "all", 9, {"readwrite"});
    made.set_baseline("a");
    made.measure({0.1, 0.2}, 1.5, 7);
  }
  const std::vector<std::string> said = warnings_of(made);
  REQUIRE(said.size() == most_warnings);
  CHECK(contains(said.back(), "more warnings of the same kinds"));
}

TEST_CASE("equal times, and one that is a thousandth longer, are no cause for warning", "[B123]") {
  for (const double odd_one : {1.0, 1.001}) {
    MadeUp made = quiet_lab();
    for (Sample& sample : made.samples) sample.wall_s = sample.round == 3 ? odd_one : 1.0;
    INFO(odd_one);
    for (const std::string& said : warnings_of(made, quiet_rounds())) {
      INFO(said);
      CHECK_FALSE(contains(said, "nan"));
      CHECK_FALSE(contains(said, "inf "));
      CHECK_FALSE(contains(said, "two speeds"));
      CHECK_FALSE(contains(said, "scatter"));
    }
  }
}
