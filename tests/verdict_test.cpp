// SPDX-License-Identifier: MIT
// Verdicts on claims: for every kind of claim samples that give each verdict, every reason that gives none, and the
// same estimates, intervals and verdicts computed again from the samples by counting all cases, without the code under
// test.
#include "verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "catch.h"
#include "made_up.h"
#include "verdict_words.h"

using namespace iobench;

namespace {

constexpr std::size_t a = 0, b = 1, control = 2;

// Rows a, b and control in one group, b its baseline, and `alone` in a group of its own.
struct Lab {
  MadeUp made;
  std::size_t rounds;

  explicit Lab(std::size_t planned_rounds = 8) : rounds(planned_rounds) {
    made.plan.options.corpus_bytes = 1u << 20;
    made.add_suite("claims", "Claims");
    for (const char* name : {"a", "b", "control"}) made.add_row(name, "all", rounds, {"readwrite"});
    made.set_baseline("b");
    made.add_row("alone", "single", rounds, {"readwrite"});
    for (std::size_t row = 0; row < 4; ++row) {
      RowCheck& check = made.checks[0][row];
      check.program_bytes = 1000 * (row + 1);
      check.calls_per_mib = 128.0 * static_cast<double>(row);
    }
  }

  PlannedSuite& suite() { return made.plan.suites[0]; }
  RowCheck& check(std::size_t row) { return made.checks[0][row]; }

  void measure(std::size_t row, const std::vector<double>& seconds, bool again = false) {
    for (std::size_t i = 0; i < seconds.size(); ++i)
      made.samples.push_back(made.sample(row, i + 1, seconds[i], seconds[i], again));
  }
  // Around `seconds`, from 1 - spread to 1 + spread, never twice the same factor for two rows.
  void measure_about(std::size_t row, double seconds, double spread, bool again = false) {
    std::vector<double> values;
    for (std::size_t i = 0; i < rounds; ++i) {
      const double place = static_cast<double>((i * (2 * row + 3) + row + (again ? 5 : 0)) % rounds);
      values.push_back(seconds * (1 + spread * (2 * place / static_cast<double>(rounds - 1) - 1)));
    }
    measure(row, values, again);
  }
  // a 3 s, b 2 s, control 1 s, alone 4 s, each within 0.2 %.
  void measure_all(double spread = 0.002) {
    measure_about(a, 3, spread);
    measure_about(b, 2, spread);
    measure_about(b, 2, spread, true);
    measure_about(control, 1, spread);
    measure_about(3, 4, spread);
  }

  ClaimVerdict judge(const ClaimSpec& claim) {
    suite().experiment.claims = {claim};
    const std::vector<SuiteResult> results = summarize_results(made.plan, made.samples, made.checks);
    return judge_claims(suite(), results[0], made.checks[0]).at(0);
  }
};

ClaimSpec claim_of(ClaimKind kind, const std::vector<std::string>& rows, const std::string& holds_if,
                   const std::string& metric = "wall") {
  ClaimSpec claim;
  claim.says = "it is so";
  claim.kind = kind;
  claim.rows = rows;
  claim.metric = metric;
  claim.holds_if = holds_if;
  return claim;
}

ClaimSpec ratio(const std::string& holds_if, const std::string& metric = "wall") {
  return claim_of(ClaimKind::ratio, {"a", "b"}, holds_if, metric);
}
ClaimSpec difference(const std::string& holds_if) {
  return claim_of(ClaimKind::difference, {"a", "b"}, holds_if);
}
ClaimSpec value(const std::string& holds_if) {
  return claim_of(ClaimKind::value, {"a"}, holds_if);
}
ClaimSpec less_control(ClaimSpec claim) {
  claim.minus = "control";
  return claim;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("bounds: every form, and where it holds") {
  const Bounds upper = parse_bounds("<= 1.01");
  CHECK_FALSE(upper.low);
  CHECK(upper.high == 1.01);
  CHECK(upper.high_included);
  CHECK_FALSE(parse_bounds("< 1").high_included);
  CHECK(parse_bounds(">=1e-3").low == 0.001);
  CHECK_FALSE(parse_bounds("> 2").low_included);
  const Bounds both = parse_bounds("15 .. 47");
  CHECK(both.low == 15);
  CHECK(both.high == 47);
  CHECK(parse_bounds("1.5..2") == parse_bounds("1.5 .. 2"));
  CHECK(parse_bounds("-5 .. -1").low == -5);
  for (const char* wrong :
       {"", "1.01", "= 1", "<=", "> x", "2 .. 1", "1 ..", ".. 2", "<= 1 .. 2", "<= nan", "about 3"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_bounds(wrong), Error);
  }
}

TEST_CASE("each kind of claim is confirmed, refuted or left open by where its interval lies") {
  Lab lab;
  lab.measure_all();
  struct Case {
    ClaimSpec claim;
    double estimate;
    const char *holds, *fails, *across;
  };
  ClaimSpec per = difference("");
  per.per = 1000;
  const Case cases[] = {
      {ratio(""), 1.5, "<= 1.6", ">= 1.6", "<= 1.5"},
      {ratio("", "bytes_per_s"), 2.0 / 3, "< 0.7", "> 0.7", "> 0.6667"},
      {difference(""), 1, "0.9 .. 1.1", "1.1 .. 1.2", "1 .. 1.2"},
      {per, 0.001, "> 0.0009", "< 0.0009", "< 0.001"},
      {value(""), 3, ">= 2.9", "<= 2.9", ">= 3"},
      {less_control(ratio("")), 2, "> 1.5", "2.5 .. 3", "2 .. 3"},
      {less_control(value("")), 2, "< 2.5", "> 2.5", "< 2"},
  };
  for (const Case& at : cases) {
    ClaimSpec claim = at.claim;
    INFO(to_string(claim.kind) << " " << claim.metric << " " << claim.minus);
    claim.holds_if = at.holds;
    const ClaimVerdict held = lab.judge(claim);
    CHECK(held.outcome == Outcome::confirmed);
    CHECK(held.reason.empty());
    CHECK(*held.estimate == Approx(at.estimate).epsilon(0.003));
    CHECK(held.interval.low < at.estimate);
    CHECK(held.interval.high > at.estimate);
    CHECK(held.interval.level >= 0.95);
    CHECK(held.level == Approx(0.95));
    CHECK(held.rounds == 8);
    claim.holds_if = at.fails;
    CHECK(lab.judge(claim).outcome == Outcome::refuted);
    claim.holds_if = at.across;
    const ClaimVerdict open = lab.judge(claim);
    CHECK(open.outcome == Outcome::inconclusive);
    CHECK(open.reason == "a bound lies inside the interval");
  }
}

TEST_CASE("other samples of the same rows turn each verdict round") {
  const auto outcome = [](const ClaimSpec& claim, double a_seconds) {
    Lab lab;
    lab.measure_about(a, a_seconds, 0.002);
    lab.measure_about(b, 2, 0.002);
    lab.measure_about(b, 2, 0.002, true);
    lab.measure_about(control, 1, 0.002);
    return lab.judge(claim).outcome;
  };
  const ClaimSpec claims[] = {ratio("<= 1.5"),
                              difference("<= 1"),
                              value("<= 3"),
                              less_control(ratio("<= 2")),
                              less_control(value("<= 2")),
                              ratio("<= 1.5", "cpu")};
  for (const ClaimSpec& claim : claims) {
    INFO(to_string(claim.kind) << " " << claim.metric << " " << claim.minus);
    CHECK(outcome(claim, 2.8) == Outcome::confirmed);
    CHECK(outcome(claim, 3.0) == Outcome::inconclusive);
    CHECK(outcome(claim, 3.2) == Outcome::refuted);
  }
}

TEST_CASE("a bound nearer to the estimate than the noise floor leaves a claim open") {
  for (const ClaimSpec& claim : {ratio("<= 1.6"), difference("<= 1.2"), value("<= 3.2"), less_control(ratio("<= 2.2")),
                                 less_control(value("<= 2.2")), ratio(">= 1.6"), value("> 3.2")}) {
    INFO(to_string(claim.kind) << " " << claim.minus << claim.holds_if);
    Lab quiet, noisy;
    quiet.measure_all();
    CHECK(quiet.judge(claim).outcome != Outcome::inconclusive);
    noisy.measure_all();
    // The same runs of every row; only the baseline's second slot swings by 15 %.
    std::erase_if(noisy.made.samples, [](const Sample& sample) { return sample.row == "b/again"; });
    noisy.measure_about(b, 2, 0.15, true);
    const ClaimVerdict open = noisy.judge(claim);
    CHECK(open.outcome == Outcome::inconclusive);
    CHECK(open.reason == "a bound is nearer to the estimate than the noise floor");
    CHECK(open.estimate == quiet.judge(claim).estimate);
  }
}

TEST_CASE("the noise floor of a difference is that of its largest row, whichever is subtracted") {
  Lab lab;
  lab.measure_all(0.01);
  const double floor = *lab.judge(ratio("< 9")).noise_floor;
  CHECK(floor > 1.005);
  CHECK(*lab.judge(difference("< 9")).noise_floor == Approx(3 * (floor - 1)).epsilon(0.01));
  ClaimSpec negative = claim_of(ClaimKind::value, {"control"}, "< 9");
  negative.minus = "a";
  negative.per = 10;
  const ClaimVerdict verdict = lab.judge(negative);
  CHECK(*verdict.estimate == Approx(-0.2).epsilon(0.01));
  CHECK(*verdict.noise_floor == Approx(0.3 * (floor - 1)).epsilon(0.01));
  CHECK(*lab.judge(value("< 9")).noise_floor == Approx(3 * (floor - 1)).epsilon(0.01));
  CHECK(*lab.judge(less_control(ratio("< 9"))).noise_floor == Approx(1 + 2 * (floor - 1)).epsilon(0.01));  // 2 of 1
}

TEST_CASE("the noise floor is that of the metric, and of the suite where a group has none") {
  Lab lab;
  lab.measure_all();
  for (Sample& sample : lab.made.samples)
    if (sample.row == "b/again") *sample.wall_s *= sample.round % 2 ? 1.3 : 0.8;
  CHECK(lab.judge(ratio("<= 1.6")).outcome == Outcome::inconclusive);
  CHECK(lab.judge(ratio("<= 1.6", "cpu")).outcome == Outcome::confirmed);
  const ClaimVerdict alone = lab.judge(claim_of(ClaimKind::value, {"alone"}, "<= 4.4"));
  CHECK(alone.outcome == Outcome::inconclusive);
  CHECK(*alone.noise_floor > 0.4);
  CHECK(lab.judge(claim_of(ClaimKind::value, {"alone"}, "<= 4.4", "cpu")).outcome == Outcome::confirmed);

  SECTION("and without one nothing is told") {
    std::erase_if(lab.made.samples, [](const Sample& sample) { return sample.row == "b/again"; });
    const ClaimVerdict open = lab.judge(ratio("<= 1.6"));
    CHECK(open.outcome == Outcome::inconclusive);
    CHECK(contains(open.reason, "no noise floor is known"));
    CHECK(open.estimate);
  }
}

TEST_CASE("rows that were not measured as they should have been give no verdict") {
  Lab lab;
  lab.measure_all();
  ClaimSpec claim = less_control(ratio("> 1.5"));
  REQUIRE(lab.judge(claim).outcome == Outcome::confirmed);
  const auto expect = [&](const std::string& reason) {
    const ClaimVerdict open = lab.judge(claim);
    INFO(open.reason);
    CHECK(open.outcome == Outcome::inconclusive);
    CHECK(contains(open.reason, reason));
  };
  SECTION("one run out of its regime") {
    lab.made.samples[3].status = "regime-not-reached";
    lab.made.samples[3].reason = "98 % resident";
    expect("a: regime-not-reached: 1 of 8 runs (round 4): 98 % resident");
  }
  SECTION("one run of the control that failed") {
    for (Sample& sample : lab.made.samples)
      if (sample.row == "control" && sample.round == 2) sample.status = "failed";
    expect("control: failed");
  }
  SECTION("a run that another claim needs") {
    lab.made.samples[3].status = "failed";
    claim = claim_of(ClaimKind::value, {"b"}, "< 3");
    CHECK(lab.judge(claim).outcome == Outcome::confirmed);
  }
  SECTION("unsupported") {
    std::erase_if(lab.made.samples, [](const Sample& sample) { return sample.row == "a"; });
    lab.check(a).status = "unsupported";
    lab.check(a).reason = "no such call";
    expect("a: unsupported: no such call");
    CHECK_FALSE(lab.judge(claim).estimate);
  }
  SECTION("never run") {
    std::erase_if(lab.made.samples, [](const Sample& sample) { return sample.row == "b"; });
    expect("b: not run");
  }
  SECTION("not confined") {
    lab.suite().rows[a].row.not_confined = true;
    expect("a: it ran cold, not confined");
  }
  SECTION("no round in common") {
    for (Sample& sample : lab.made.samples)
      if ((sample.row == "a") == (sample.round > 4)) sample.wall_s.reset();
    expect("no round has this of all of its rows");
  }
  SECTION("a metric that was not measured in one round leaves the round out") {
    lab.made.samples[0].wall_s.reset();
    CHECK(lab.judge(claim).rounds == 7);
    CHECK(lab.judge(claim).outcome == Outcome::confirmed);
  }
  SECTION("a control that takes as long") {
    lab.made.samples[2].wall_s = 0.5;
    expect("in 1 of 8 rounds a less control is not above 0: there is no ratio");
    claim = less_control(value("> 1"));
    CHECK(lab.judge(claim).estimate);
  }
  SECTION("no time at all") {
    for (Sample& sample : lab.made.samples)
      if (sample.row == "b") sample.wall_s = 0;
    claim = ratio("> 1");
    expect("in 8 of 8 rounds b is not above 0: there is no ratio");
  }
  SECTION("a split of CPU time that is sampling") {
    claim = ratio("> 1", "system");
    CHECK(lab.judge(claim).outcome == Outcome::confirmed);
    for (Sample& sample : lab.made.samples) {
      sample.user_s = *sample.user_s * 0.01;
      sample.system_s = *sample.system_s * 0.01;
    }
    expect("too little CPU time");
    claim = ratio("> 1", "cpu");
    CHECK(lab.judge(claim).outcome == Outcome::confirmed);
  }
}

TEST_CASE("a copy is never ranked against what is none") {
  Lab lab;
  lab.measure_all();
  lab.check(a).not_a_copy = "moves no data into the null device";
  const ClaimVerdict open = lab.judge(ratio("<= 2"));
  CHECK(open.outcome == Outcome::inconclusive);
  CHECK(open.reason == "a is not a copy: moves no data into the null device");
  CHECK(lab.judge(value("<= 4")).outcome == Outcome::confirmed);
  lab.check(b).not_a_copy = "moves no data into the null device";
  CHECK(lab.judge(ratio("<= 2")).outcome == Outcome::confirmed);
  lab.check(a).not_a_copy = lab.check(b).not_a_copy = "";
  lab.check(control).not_a_copy = "opens and closes";
  CHECK(lab.judge(less_control(ratio("<= 3"))).outcome == Outcome::confirmed);
}

TEST_CASE("rounds that cannot reach the level say how many can") {
  Lab lab(7);
  lab.measure_all();
  const ClaimSpec claim = ratio("<= 2");
  CHECK(lab.judge(claim).outcome == Outcome::confirmed);
  // Four claims share the error: seven rounds reach 98.4 % and 98.75 % are asked for.
  lab.suite().experiment.claims = std::vector<ClaimSpec>(4, claim);
  const std::vector<SuiteResult> results = summarize_results(lab.made.plan, lab.made.samples, lab.made.checks);
  const std::vector<ClaimVerdict> verdicts = judge_claims(lab.suite(), results[0], lab.made.checks[0]);
  REQUIRE(verdicts.size() == 4);
  CHECK(verdicts[3].outcome == Outcome::inconclusive);
  CHECK(contains(verdicts[3].reason, "7 rounds cannot reach the level of 98.8 %: 8 can"));
  lab.suite().experiment.claims.pop_back();
  CHECK(judge_claims(lab.suite(), results[0], lab.made.checks[0])[2].outcome == Outcome::confirmed);
}

TEST_CASE("counts are exact: the number itself is judged, without samples") {
  Lab lab;
  const auto outcome = [&](ClaimKind kind, const std::vector<std::string>& rows, const std::string& metric,
                           const std::string& holds_if) {
    return lab.judge(claim_of(kind, rows, holds_if, metric)).outcome;
  };
  // calls: a 0, b 128, control 256, alone 384; program bytes: 1000, 2000, 3000, 4000
  CHECK(outcome(ClaimKind::ratio, {"control", "b"}, "calls_per_mib", "> 1") == Outcome::confirmed);
  CHECK(outcome(ClaimKind::ratio, {"control", "b"}, "calls_per_mib", "<= 2") == Outcome::confirmed);
  CHECK(outcome(ClaimKind::ratio, {"control", "b"}, "calls_per_mib", "< 2") == Outcome::refuted);
  CHECK(outcome(ClaimKind::ratio, {"control", "b"}, "calls_per_mib", "> 2") == Outcome::refuted);
  CHECK(outcome(ClaimKind::ratio, {"control", "b"}, "calls_per_mib", ">= 2") == Outcome::confirmed);
  CHECK(outcome(ClaimKind::ratio, {"control", "b"}, "calls_per_mib", "2 .. 3") == Outcome::confirmed);
  CHECK(outcome(ClaimKind::difference, {"alone", "a"}, "program_bytes", "< 3001") == Outcome::confirmed);
  CHECK(outcome(ClaimKind::value, {"a"}, "calls_per_mib", "<= 0") == Outcome::confirmed);
  const ClaimVerdict value = lab.judge(less_control(claim_of(ClaimKind::value, {"alone"}, "< 2000", "program_bytes")));
  CHECK(value.outcome == Outcome::confirmed);
  CHECK(value.estimate == 1000.0);
  CHECK_FALSE(value.interval.exists());

  const ClaimVerdict none = lab.judge(claim_of(ClaimKind::ratio, {"b", "a"}, "> 1", "calls_per_mib"));
  CHECK(none.outcome == Outcome::inconclusive);
  CHECK(none.reason == "a is not above 0: there is no ratio");
  lab.check(b).calls_per_mib = -1;
  lab.check(b).calls_note = "strace was not found";
  CHECK(lab.judge(ratio("> 1", "calls_per_mib")).reason == "b: its calls were not counted: strace was not found");
  lab.check(a).program_bytes = 0;
  CHECK(lab.judge(ratio("> 1", "program_bytes")).reason == "a: its program's size is not known");
  lab.check(a).status = "mismatch";
  CHECK(lab.judge(ratio("> 1", "program_bytes")).reason == "a: mismatch");
  lab.made.checks[0].clear();
  CHECK(contains(lab.judge(ratio("> 1", "program_bytes")).reason, "a: it was not checked"));
}

namespace {

// What follows is a second implementation of the rule in METHODOLOGY.md, by counting all cases. It shares with the
// first the samples and the bounds' numbers, nothing else.

struct Recomputed {
  double estimate = 0, low = 0, high = 0, level = 0;
  Outcome outcome = Outcome::inconclusive;
};

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

// Interval and level from an ordered list, `weight` of coin i when it falls heads: all 2^n throws are counted.
Recomputed by_counting(std::vector<double> ordered, std::size_t coins,
                     const std::function<std::size_t(std::size_t)>& weight, double wanted) {
  std::sort(ordered.begin(), ordered.end());
  std::vector<std::size_t> throws(ordered.size() + 1);
  for (std::size_t heads = 0; heads < (std::size_t{1} << coins); ++heads) {
    std::size_t sum = 0;
    for (std::size_t coin = 0; coin < coins; ++coin)
      if (heads >> coin & 1) sum += weight(coin);
    ++throws[sum];
  }
  Recomputed found;
  found.estimate = middle(ordered);
  std::size_t tail = 0;
  for (std::size_t k = 0; 2 * k < ordered.size(); ++k) {
    tail += throws[k];
    const double level = 1 - 2 * static_cast<double>(tail) / std::pow(2.0, static_cast<double>(coins));
    if (k > 0 && level < wanted - 1e-12) break;
    if (level <= 0) break;
    found.low = ordered[k];
    found.high = ordered[ordered.size() - 1 - k];
    found.level = level;
  }
  return found;
}

Recomputed signed_rank(const std::vector<double>& values, double wanted) {
  std::vector<double> walsh;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) walsh.push_back((values[i] + values[j]) / 2);
  return by_counting(
      walsh, values.size(), [](std::size_t coin) { return coin + 1; }, wanted);
}

Recomputed median_of(const std::vector<double>& values, double wanted) {
  return by_counting(
      values, values.size(), [](std::size_t) { return 1; }, wanted);
}

double read_metric(const Sample& sample, const std::string& name) {
  if (name == "wall") return *sample.wall_s;
  if (name == "cpu") return *sample.user_s + *sample.system_s;
  if (name == "bytes_per_s") return static_cast<double>(sample.bytes) / *sample.wall_s;
  return static_cast<double>(sample.operations) / *sample.wall_s;
}

std::vector<double> of_row(const std::vector<Sample>& samples, const std::string& row, const std::string& metric) {
  std::vector<double> found;  // the samples of a row are in order of rounds here
  for (const Sample& sample : samples)
    if (sample.row == row) found.push_back(read_metric(sample, metric));
  return found;
}

std::vector<double> each(const std::vector<double>& x, const std::vector<double>& y, double (*of)(double, double)) {
  std::vector<double> result;
  for (std::size_t i = 0; i < x.size(); ++i) result.push_back(of(x[i], y[i]));
  return result;
}
double log_ratio(double x, double y) {
  return std::log(x) - std::log(y);
}
double less(double x, double y) {
  return x - y;
}

// With `comparisons` in the group of b and `claims` in the suite; bounds below and above, infinite where there is none.
Recomputed expected(const std::vector<Sample>& samples, const ClaimSpec& claim, std::size_t comparisons,
                  std::size_t claims, double least, double most) {
  const double wanted = 1 - 0.05 / static_cast<double>(claims);
  const auto values = [&](const std::string& row) { return of_row(samples, row, claim.metric); };
  const Recomputed twice =
      signed_rank(each(values("b/again"), values("b"), log_ratio), 1 - 0.05 / static_cast<double>(comparisons));
  const double floor = std::exp(std::max(std::fabs(twice.low), std::fabs(twice.high)));

  std::vector<std::vector<double>> sides;
  std::vector<double> noise;
  for (const std::string& row : claim.rows) {
    const std::vector<double> own = values(row);
    if (claim.minus.empty()) {
      sides.push_back(own);
      noise.push_back((floor - 1) * middle(own));
    } else {
      sides.push_back(each(own, values(claim.minus), less));
      noise.push_back((floor - 1) * std::max(middle(own), middle(values(claim.minus))));
    }
  }
  Recomputed found;
  double lowest = 0, highest = 0;  // what the floor makes of the estimate
  if (claim.kind == ClaimKind::ratio) {
    found = signed_rank(each(sides[0], sides[1], log_ratio), wanted);
    for (double* end : {&found.estimate, &found.low, &found.high}) *end = std::exp(*end);
    double factor = floor;
    if (!claim.minus.empty()) factor = 1 + std::max(noise[0] / middle(sides[0]), noise[1] / middle(sides[1]));
    lowest = found.estimate / factor;
    highest = found.estimate * factor;
  } else {
    if (claim.kind == ClaimKind::difference)
      found = signed_rank(each(sides[0], sides[1], less), wanted);
    else if (claim.minus.empty())
      found = median_of(sides[0], wanted);
    else
      found = signed_rank(sides[0], wanted);
    const double band = *std::max_element(noise.begin(), noise.end());
    lowest = (found.estimate - band) / claim.per;
    highest = (found.estimate + band) / claim.per;
    for (double* end : {&found.estimate, &found.low, &found.high}) *end /= claim.per;
  }
  const bool near = (lowest <= least && least <= highest) || (lowest <= most && most <= highest);
  if (found.level < wanted - 1e-12 || near) return found;
  if (least <= found.low && found.high <= most) found.outcome = Outcome::confirmed;
  if (found.high < least || most < found.low) found.outcome = Outcome::refuted;
  return found;
}

}  // namespace

TEST_CASE("estimates, intervals and verdicts are those that counting all cases gives") {
  constexpr std::size_t tries = 600;
  Noise noise(1985);
  const auto draw = [&](std::size_t below) {  // Noise gives factors from 0.5 to 1.5
    return std::min(below - 1, static_cast<std::size_t>((noise.factor(1) - 0.5) * static_cast<double>(below)));
  };
  std::map<std::string, std::set<Outcome>> seen;
  const char* const metrics[] = {"wall", "cpu", "bytes_per_s", "operations_per_s"};
  for (std::size_t attempt = 0; attempt < tries; ++attempt) {
    Lab lab(6 + draw(5));
    const double spread = attempt % 3 == 0 ? 0.2 : 0.02;
    for (const auto& [row, seconds, again] :
         {std::tuple{a, 3.0, false}, {b, 2.0, false}, {b, 2.0, true}, {control, 1.0, false}}) {
      std::vector<double> times;
      for (std::size_t round = 0; round < lab.rounds; ++round) times.push_back(seconds * noise.factor(spread));
      lab.measure(row, times, again);
    }
    ClaimSpec claim = claim_of(std::array{ClaimKind::ratio, ClaimKind::difference, ClaimKind::value}[draw(3)],
                               {"a", "b"}, "", metrics[draw(4)]);
    if (claim.kind == ClaimKind::value) claim.rows = {"a"};
    const bool rate = claim.metric.ends_with("per_s");
    if (claim.kind != ClaimKind::difference && !rate && draw(2)) claim.minus = "control";
    if (claim.kind != ClaimKind::ratio && draw(2)) claim.per = 250;

    // Bounds around the estimate: mostly within a few times the spread.
    const double infinite = std::numeric_limits<double>::infinity();
    const double centre = expected(lab.made.samples, claim, 2, 1, -infinite, infinite).estimate;
    const double bound = centre * noise.factor(6 * spread),
                 other = bound + std::fabs(centre) * spread * noise.factor(1);
    double least = -infinite, most = infinite;
    switch (draw(3)) {
      case 0:
        most = bound;
        claim.holds_if = "<= " + format_exact(bound);
        break;
      case 1:
        least = bound;
        claim.holds_if = ">= " + format_exact(bound);
        break;
      default:
        least = bound;
        most = other;
        claim.holds_if = format_exact(bound) + " .. " + format_exact(other);
    }
    const std::size_t claims = 1 + draw(4);
    lab.suite().experiment.claims.assign(claims, claim);
    const std::vector<SuiteResult> results = summarize_results(lab.made.plan, lab.made.samples, lab.made.checks);
    const ClaimVerdict found = judge_claims(lab.suite(), results[0], lab.made.checks[0]).back();
    const Recomputed wanted = expected(lab.made.samples, claim, 2, claims, least, most);
    INFO(attempt << ": " << to_string(claim.kind) << " " << claim.metric << " " << claim.minus << " " << claim.holds_if
                 << ": " << found.reason);
    CHECK(found.outcome == wanted.outcome);
    CHECK(*found.estimate == Approx(wanted.estimate).epsilon(1e-9));
    CHECK(found.interval.low == Approx(wanted.low).epsilon(1e-9));
    CHECK(found.interval.high == Approx(wanted.high).epsilon(1e-9));
    CHECK(found.interval.level == Approx(wanted.level).epsilon(1e-9));
    seen[std::string(to_string(claim.kind)) + " " + claim.minus].insert(wanted.outcome);
  }
  REQUIRE(seen.size() == 5);
  for (const auto& [kind, outcomes] : seen) {
    INFO(kind);
    CHECK(outcomes.size() == 3);
  }
}

TEST_CASE("sentences say the bound, what was measured, what was published, the level and the rounds", "[B122]") {
  Lab lab;
  lab.measure_all(0);
  ClaimSpec claim = ratio("<= 1.01", "cpu");
  claim.says = "a costs under 1 % more than b";
  claim.who = "the author";
  claim.published = 1.007;
  CHECK(
      verdict_sentence(claim, lab.judge(claim)) ==
      "REFUTED: a costs under 1 % more than b (the author): CPU time 1.500 times [1.500, 1.500] (interval of 96.1 %, 8 "
      "rounds), published 1.007; holds if at most 1.01.");
  claim.holds_if = "15 .. 47";
  claim.published = 23;
  claim.who = "";
  CHECK(contains(verdict_sentence(claim, lab.judge(claim)), "published 23; holds if 15 to 47."));

  claim = difference("> 0.0002");
  claim.per = 10000;
  claim.published = 0.0003;
  CHECK(verdict_sentence(claim, lab.judge(claim)) ==
        "REFUTED: it is so: difference of wall time 100 µs [100 µs, 100 µs] for each of 10,000 (interval of 96.1 %, 8 "
        "rounds), published 300 µs; holds if above 200 µs.");
  claim = less_control(ratio("> 1.5"));
  CHECK(
      verdict_sentence(claim, lab.judge(claim)) ==
      "CONFIRMED: it is so: wall time less that of control 2.000 times [2.000, 2.000] (interval of 96.1 %, 8 rounds); "
      "holds if above 1.5.");
  claim = claim_of(ClaimKind::value, {"control"}, "< 200", "calls_per_mib");
  claim.published = 1024;
  CHECK(verdict_sentence(claim, lab.judge(claim)) ==
        "REFUTED: it is so: system calls per MiB 256 (counted), published 1,024; holds if below 200.");
  claim = ratio("< 1.5");
  CHECK(verdict_sentence(claim, lab.judge(claim)) ==
        "INCONCLUSIVE: it is so: wall time 1.500 times [1.500, 1.500] (interval of 96.1 %, 8 rounds); holds if below "
        "1.5; a "
        "bound is nearer to the estimate than the noise floor, 0.0 %.");
  claim = value("<= 3.1");
  lab.suite().rows[a].row.not_confined = true;
  CHECK(verdict_sentence(claim, lab.judge(claim)) ==
        "INCONCLUSIVE: it is so: no figure here; holds if at most 3.10 s; a: it ran cold, not confined to less memory "
        "than "
        "its file.");
}

TEST_CASE("all claims of all suites: sentences in order, counts, and a table with every number") {
  Lab lab;
  lab.measure_all();
  lab.suite().experiment.claims = {ratio("<= 1.5"), ratio("> 2"), ratio("< 2"), value(">= 4")};
  lab.suite().experiment.claims[2].published = 1.95;
  lab.suite().experiment.claims[3].minus = "control";
  const std::vector<SuiteResult> results = summarize_results(lab.made.plan, lab.made.samples, lab.made.checks);
  const JudgedSuite judged{&lab.suite(), judge_claims(lab.suite(), results[0], lab.made.checks[0])};
  const std::vector<std::string> said = verdict_sentences(judged);
  REQUIRE(said.size() == 4);
  CHECK(said[0].starts_with("CONFIRMED"));
  CHECK(said[1].starts_with("REFUTED"));
  CHECK(said[2].starts_with("REFUTED"));
  CHECK(said[3].starts_with("INCONCLUSIVE"));
  CHECK(verdict_counts({judged}) == "Of 4 claims 1 holds, 2 fell, 1 is open.");
  CHECK(verdict_counts({}).empty());
  PlannedSuite empty;
  CHECK(verdict_counts({JudgedSuite{&empty, {}}}).empty());
  CHECK(verdict_table({JudgedSuite{&empty, {}}}, true).rows.empty());

  const std::string csv = to_csv(verdict_table({judged}, true));
  CHECK(
      csv.starts_with("suite,says,who,kind,rows,minus,per,metric,published,estimate,low,high,level,noise_floor,rounds,"
                      "holds_if,verdict,reason\nclaims,it is so,,ratio,a b,,1,wall,,1.5"));
  CHECK(contains(csv, ",8,> 2,REFUTED,\n"));
  CHECK(contains(csv, "wall,1.95,1.5"));
  CHECK(contains(csv, "claims,it is so,,value,a,control,1,wall,,2"));
  CHECK(contains(csv, ",8,<= 1.5,INCONCLUSIVE,a bound lies inside the interval\n"));
  const std::string markdown = to_markdown(verdict_table({judged}, false));
  CHECK(contains(markdown, "| it is so | – | wall time, a over b | 1.95 | 1.500 times \\[1.49"));
  CHECK(contains(markdown, "| it is so | – | wall time, a, control subtracted | – | 2.00 s \\["));
}
