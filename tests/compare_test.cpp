// SPDX-License-Identifier: MIT
// B against A with made-up results: what each verdict takes, what is left out and why, what a reader is told.
#include "compare.h"

#include <stdlib.h>

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "golden.h"
#include "made_up.h"
#include "message.h"
#include "scratch.h"

using namespace iobench;

namespace fs = std::filesystem;

namespace {

constexpr const char* machine_json =
    R"({"processor": {"model name": "EPYC", "processors": 2}, "memory": {"total_bytes": 25769803776},
        "kernel": {"name": "Linux", "release": "6.18.0", "architecture": "x86_64"}})";

// A baseline and two rows, with these times and this spread.
MadeUp run_of(const std::vector<double>& wall_s, double spread, std::uint64_t seed, std::size_t rounds = 11) {
  MadeUp made;
  made.plan.options.corpus_bytes = 64u << 20;
  made.add_suite("trio", "Three of a kind");
  made.add_row("base", "all", rounds, {"readwrite"});
  made.add_row("other", "all", rounds, {"getputc"});
  made.add_row("third", "all", rounds, {"sendfile-copy"});
  made.set_baseline("base");
  made.measure(wall_s, spread, seed);
  return made;
}

Findings findings_of(const MadeUp& made, const std::string& machine = machine_json) {
  Findings found;
  found.stored = {made.plan, made.checks};
  found.samples.samples = made.samples;
  found.results = summarize_results(made.plan, made.samples, made.checks, {"sendfile-copy"});
  found.machine_json = machine;
  return found;
}

Comparison compared(const MadeUp& a, const MadeUp& b) {
  return compare(findings_of(a), findings_of(b), "results/a", "results/b");
}

std::string verdict(const Comparison& comparison, const std::string& row) {
  for (const ComparedRow& one : comparison.rows)
    if (one.match.name == row) return to_string(one.judgement.verdict);
  return "not compared";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The words of a text on one line, so that no line break is in the way.
std::string unwrapped(const std::string& text) {
  std::string out;
  for (const char c : text)
    if ((c != '\n' && c != ' ') || (!out.empty() && out.back() != ' ')) out += c == '\n' ? ' ' : c;
  return out;
}

std::string said(const Comparison& comparison) {
  return unwrapped(to_text(comparison.blocks));
}

UnpairedRatio ratio_of(double low, double ratio, double high, double level = 0.99) {
  return {11, 11, ratio, {low, high, level}, ""};
}

std::string judged(double low, double ratio, double high, double noise_floor) {
  return to_string(judge(ratio_of(low, ratio, high), noise_floor, 1).verdict);
}

}  // namespace

TEST_CASE("a verdict takes an interval and a noise floor") {
  CHECK(judged(1.10, 1.20, 1.30, 1.05) == "slower");
  CHECK(judged(0.75, 0.80, 0.90, 1.05) == "faster");
  CHECK(judged(1.01, 1.02, 1.03, 1.01) == "slower");  // small and sure
  CHECK(judged(0.96, 1.00, 1.04, 1.01) == "no difference");
  CHECK(judged(1.01, 1.02, 1.03, 1.03) == "no difference");  // within the noise floor, and within 5 %
  CHECK(judged(0.90, 1.00, 1.10, 1.01) == "cannot tell");
  CHECK(judged(1.06, 1.10, 1.20, 1.15) == "cannot tell");  // not 1, but no farther than the noise
  CHECK(judged(0.80, 0.90, 0.95, 1.15) == "cannot tell");
  CHECK(judged(1.10, 1.20, 1.30, 1) == "cannot tell");  // no noise floor
  CHECK(judged(0.96, 1.00, 1.04, 1) == "no difference");
  // Either way by factors: 1 / 1.05 is as far from 1 as 1.05, 0.95 is farther.
  CHECK(judged(0.9524, 1.00, 1.05, 1.01) == "no difference");
  CHECK(judged(0.951, 1.00, 1.05, 1.01) == "cannot tell");

  const Judgement wide = judge(ratio_of(0.9, 1, 1.1), 1.2, 1);
  CHECK(wide.verdict == Verdict::no_difference);
  CHECK(wide.reason == "over 20.0 %");
  CHECK(judge(ratio_of(0.5, 1, 1.9), 2.5, 1).reason == "over a factor of 2.500");
  CHECK(judge(ratio_of(0.9, 1, 1.1), 1.01, 1).reason ==
        "the interval holds 1 and reaches beyond 5.0 %; more rounds narrow it");
  CHECK(judge(ratio_of(1.06, 1.10, 1.20), 1.15, 1).reason ==
        "the interval excludes 1, but the ratio is within the noise floor of 15.0 %");
  CHECK(judge(ratio_of(1.1, 1.2, 1.3), 1, 1).reason == "the interval excludes 1, but no noise floor is known");
}

TEST_CASE("an interval that falls short of the family's level tells nothing") {
  const std::vector<double> ones{1, 1.01, 1.02}, twos{2, 2.02, 2.04};
  const Judgement few = judge(unpaired_ratio(twos, ones, family_level(1)), 1.01, 1);
  CHECK(few.verdict == Verdict::cannot_tell);
  CHECK(few.reason ==
        "only 3 and 3 values cover 90.0 %, not 95.0 %: the interval is the whole range; 4 rounds on both sides are "
        "needed");
  CHECK(judge(ratio_of(1.1, 1.2, 1.3, 0.99), 1.01, 5).verdict == Verdict::slower);
  CHECK(judge(ratio_of(1.1, 1.2, 1.3, 0.99), 1.01, 6).verdict == Verdict::cannot_tell);
  CHECK(judge(unpaired_ratio({}, ones, 0.95), 1.01, 1).verdict == Verdict::cannot_tell);
}

TEST_CASE("slower and faster are found, and the same is the same") {
  const MadeUp a = run_of({0.1, 0.2, 0.05}, 0.03, 1);
  const Comparison same = compared(a, run_of({0.1, 0.2, 0.05}, 0.03, 2));
  CHECK(same.not_comparable.empty());
  REQUIRE(same.rows.size() == 3);
  for (const char* row : {"base", "other", "third"}) CHECK(verdict(same, row) == "no difference");
  CHECK_FALSE(same.slower());
  CHECK(same.rows[0].ratio.interval.reaches(family_level(3)));

  const Comparison changed = compared(a, run_of({0.1, 0.3, 0.04}, 0.03, 2));
  CHECK(verdict(changed, "base") == "no difference");
  CHECK(verdict(changed, "other") == "slower");
  CHECK(changed.rows[1].ratio.ratio == Approx(1.5).epsilon(0.02));
  CHECK(verdict(changed, "third") == "faster");
  CHECK(changed.slower());
  CHECK(changed.slower(1.4));
  CHECK_FALSE(changed.slower(1.5));
  CHECK(contains(said(changed), "third: moves no data into the null device: its time is not that of a copy"));
  CHECK(contains(said(changed), "faster (not a copy)"));
  // The other way round the ratio turns over.
  const Comparison back = compared(run_of({0.1, 0.3, 0.04}, 0.03, 2), a);
  CHECK(back.rows[1].ratio.ratio == Approx(1 / changed.rows[1].ratio.ratio));
  CHECK(verdict(back, "other") == "faster");
}

TEST_CASE("noise is not a difference") {
  const MadeUp quiet = run_of({0.1, 0.2, 0.05}, 0.02, 1);
  MadeUp loud = run_of({0.1, 0.21, 0.05}, 0.02, 2);
  CHECK(verdict(compared(quiet, loud), "other") == "slower");
  // The noise floor of either side counts, the larger of the two.
  for (Sample& sample : loud.samples)
    if (sample.row == "base/again") *sample.wall_s *= sample.round % 2 ? 1.4 : 1;
  for (const Comparison& comparison : {compared(quiet, loud), compared(loud, quiet)}) {
    CHECK(comparison.rows[1].noise_floor > 1.3);
    CHECK(verdict(comparison, "other") == "no difference");
    CHECK(contains(comparison.rows[1].judgement.reason, "over "));
  }
  // A row that is noisier than the baseline, whose floor does not tell.
  MadeUp wide = quiet;
  for (Sample& sample : wide.samples)
    if (sample.row == "other") *sample.wall_s *= sample.round % 2 ? 1.3 : 0.8;
  CHECK(verdict(compared(quiet, wide), "other") == "cannot tell");
}

TEST_CASE("without a noise floor nothing is slower") {
  const MadeUp a = run_of({0.1, 0.2, 0.05}, 0.03, 1);
  MadeUp b = run_of({0.1, 0.3, 0.05}, 0.03, 2);
  std::erase_if(b.samples, [](const Sample& sample) { return sample.row == "base/again"; });
  const Comparison none = compared(a, b);
  CHECK(verdict(none, "other") == "cannot tell");
  CHECK(contains(said(none), "not known in B"));

  SECTION("a group that has none borrows the largest of its run") {
    MadeUp first = a, second = run_of({0.1, 0.3, 0.05}, 0.03, 2);
    for (MadeUp* made : {&first, &second}) {
      made->add_suite("single", "One");
      made->add_row("only", "all", 11, {"readwrite"});
      made->measure({made == &first ? 0.1 : 0.2}, 0.03, 5);
    }
    const Comparison comparison = compared(first, second);
    CHECK(verdict(comparison, "only") == "slower");
    CHECK(contains(said(comparison), "in A (the largest of its groups: this one has none)"));
  }
}

TEST_CASE("rows that cannot be compared are listed with the reason", "[B120]") {
  const MadeUp a = run_of({0.1, 0.2, 0.05}, 0.03, 1);
  MadeUp b = run_of({0.1, 0.2, 0.05}, 0.03, 2);
  SECTION("only on one side") {
    b.plan.suites[0].rows[2].row.name = "lately";
    for (Sample& sample : b.samples)
      if (sample.row == "third") sample.row = "lately";
    const Comparison comparison = compared(a, b);
    CHECK(comparison.rows.size() == 2);
    CHECK(contains(said(comparison), "trio/third: only A has it"));
    CHECK(contains(said(comparison), "trio/lately: only B has it"));
  }
  SECTION("failed on one side") {
    for (Sample& sample : b.samples)
      if (sample.row == "other") {
        sample.status = "failed";
        sample.reason = "killed by signal 9";
      }
    const Comparison comparison = compared(a, b);
    CHECK(comparison.rows.size() == 2);
    CHECK(contains(said(comparison), "trio/other: in B failed: all 11 runs: killed by signal 9"));
  }
  SECTION("failed in some rounds: compared, and told") {
    for (Sample& sample : b.samples)
      if (sample.row == "other" && sample.round < 3) sample.status = "failed";
    const Comparison comparison = compared(a, b);
    CHECK(comparison.rows.size() == 3);
    CHECK(contains(said(comparison), "other: in B failed: 2 of 11 runs (rounds 1, 2)"));
    CHECK(contains(said(comparison), "% each: 11 rounds of A, 9 of B"));
  }
  SECTION("another size") {
    for (PlannedRow& row : b.plan.suites[0].rows) row.size_bytes = 1u << 30;
    const Comparison comparison = compared(a, b);
    CHECK(comparison.rows.empty());
    CHECK(comparison.not_comparable == "no row can be compared");
    CHECK(contains(said(comparison), "trio/base, trio/other, trio/third: size: 64 MiB against 1 GiB"));
    CHECK(contains(said(comparison), "Not comparable: no row can be compared."));
    CHECK_FALSE(comparison.slower());
  }
}

TEST_CASE("machines decide first") {
  const MadeUp a = run_of({0.1, 0.2, 0.05}, 0.03, 1), b = run_of({0.1, 0.3, 0.05}, 0.03, 2);
  const std::string other_processor = R"({"processor": {"model name": "Xeon"}})";
  const Comparison refused = compare(findings_of(a), findings_of(b, other_processor), "a", "b");
  CHECK(refused.rows.empty());
  CHECK(refused.not_comparable == "processor, model name: EPYC against Xeon");
  CHECK(contains(said(refused), "Not comparable. What differs, A against B, and forbids it:"));
  CHECK_FALSE(contains(said(refused), "slower"));

  const Comparison care = compare(findings_of(a), findings_of(b, ""), "a", "b");
  CHECK(care.rows.size() == 3);
  CHECK(contains(said(care), "Comparable with care."));
  CHECK(contains(said(care), "machine.json of B is missing"));
  CHECK(contains(said(care), "B: b: unknown machine"));
  CHECK(contains(said(compared(a, b)), "Comparable: 6 facts of the machines and the programs are the same."));

  MadeUp cut = b;
  cut.samples.resize(20);
  CHECK(contains(said(compared(a, cut)), "B is not complete: 20 of 44 runs were made"));
}

TEST_CASE("odd samples are told in words, never as numbers that are none", "[B93][B95]") {
  const MadeUp a = run_of({0.1, 0.2, 0.05}, 0.03, 1);
  MadeUp b = a;
  for (Sample& sample : b.samples) {
    if (sample.row == "base") sample.wall_s = 0;
    if (sample.row == "other") sample.wall_s = 0.2;
  }
  std::erase_if(b.samples, [](const Sample& sample) { return sample.row == "third" && sample.round > 1; });
  const Comparison comparison = compared(a, b);
  const std::string text = said(comparison) + to_csv(comparison.table) + to_markdown(comparison.blocks);
  CHECK(verdict(comparison, "base") == "cannot tell");
  CHECK(contains(text, "base: cannot tell: 11 values zero, negative or not finite left out"));
  CHECK(contains(text, "other: B: no spread: all 11 values are equal"));
  CHECK(contains(text, "third: B: one value: no interval"));
  CHECK(verdict(comparison, "third") == "cannot tell");
  CHECK_FALSE(contains(text, "nan"));
  CHECK_FALSE(contains(text, "inf"));
}

TEST_CASE("golden: a whole comparison") {
  MadeUp a, b;
  for (MadeUp* made : {&a, &b}) {
    made->plan.options.corpus_bytes = 1u << 30;
    add_perlman(*made);
    made->add_suite("ends", "Where it goes");
    made->add_row("to-null", "all", 7, {"sendfile-copy"});
    made->add_row("to-pipe", "all", 7, {"sendfile-copy"}).row.output = Output::pipe;
    made->plan.suites.back().rows[1].row.cache = Cache::cold;
    made->set_baseline("to-null");
    made->measure({0.01, 0.3}, 0.05, made == &a ? 21 : 22);
  }
  // B: getputc slower, freadwrite failed twice, a row that only A has.
  for (Sample& sample : b.samples) {
    if (sample.row == "getputc") *sample.wall_s *= 1.2;
    if (sample.row == "freadwrite" && sample.round < 3) sample.status = "failed";
  }
  a.add_row("to-file", "all", 7, {"sendfile-copy"}).row.output = Output::file;
  std::string newer = machine_json;
  newer.replace(newer.find("6.18.0"), 6, "6.19.1");
  const Comparison comparison = compare(findings_of(a), findings_of(b, newer), "results/a", "results/b");
  check_golden("compare.txt", to_text(comparison.blocks));
  check_golden("compare.md", to_markdown(comparison.blocks));
  const std::string csv = to_csv(comparison.table);
  CHECK(
      csv.starts_with("suite,row,label,a_wall_s,b_wall_s,ratio,ratio_low,ratio_high,ratio_level,verdict,reason,sink,"
                      "cache,size_bytes,copies\nperlman-1985,fgetputc,fgetputc,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 11);
}

TEST_CASE("two directories") {
  const Scratch scratch;
  const fs::path root = ::getenv("IOBENCH_ROOT");
  const Layout layout{root / "data", root / "plots", "tools", "corpus", "results"};
  const auto store = [&](const std::string& name, const MadeUp& made) {
    scratch.file(name + "/plan.json", plan_to_json(made.plan, made.checks));
    scratch.file(name + "/machine.json", machine_json);
    SampleWriter writer(scratch / (name + "/samples.csv"));
    for (const Sample& sample : made.samples) writer.append(sample);
  };
  store("a", run_of({0.1, 0.2, 0.05}, 0.03, 1));
  store("b", run_of({0.1, 0.3, 0.05}, 0.03, 2));
  const auto message = [&](const char* b) {
    return message_of([&] { compare_results(scratch / "a", scratch / b, layout); });
  };
  const Comparison comparison = compare_results(scratch / "a", scratch / "b", layout);
  CHECK(verdict(comparison, "other") == "slower");
  CHECK(contains(said(comparison), "A: " + (scratch / "a").string().substr(0, 20)));

  CHECK(message("none") == "B: open " + (scratch / "none/plan.json").string() + ": No such file or directory");
  fs::remove(scratch / "b/samples.csv");
  CHECK(message("b") == "B: open " + (scratch / "b/samples.csv").string() + ": No such file or directory");
  scratch.file("b/plan.json", "{cut");
  CHECK(contains(message("b"), "B: " + (scratch / "b/plan.json").string() + ": not a plan of iobench"));
}
