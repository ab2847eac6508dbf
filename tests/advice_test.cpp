// SPDX-License-Identifier: MIT
// Advice: what is said of made-up results whose truth is known, and what is admitted where they do not tell.
#include "advice.h"

#include <algorithm>

#include "catch.h"
#include "made_up.h"

using namespace iobench;

namespace {

Findings findings_of(const MadeUp& made) {
  Findings found;
  found.stored = {made.plan, made.checks};
  found.samples.samples = made.samples;
  found.results = summarize_results(made.plan, made.samples, made.checks, {"sendfile-copy"});
  found.bytewise = {"getputc", "fgetputc"};
  return found;
}

// All sentences of the one advice on these conditions, a line each.
std::string advice_on(const std::vector<Advice>& all, const std::string& conditions) {
  std::string text;
  for (const Advice& advice : all)
    if (advice.conditions == conditions)
      for (const std::string& sentence : advice.said) text += sentence + "\n";
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

MadeUp lab() {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  return made;
}

}  // namespace

TEST_CASE("each kind of run has its advice, over suites") {
  MadeUp made = lab();
  add_buffer_sweep(made);
  add_perlman(made);
  const std::vector<Advice> all = advise(findings_of(made));
  REQUIRE(all.size() == 5);
  CHECK(all[0].conditions == "Warm file to the null device, 1 GiB per run");
  const std::string warm = advice_on(all, all[0].conditions);
  CHECK(contains(warm,
                 "Best strategy: readwrite -b 1M, 15.0 GB/s. Of each other tool the best: freadwrite, of another "
                 "suite, takes about 4."));
  CHECK(contains(warm,
                 "readwrite: 32K is the smallest of 14 block sizes not shown slower than 1.05 times the best, 1M; "
                 "besides it 64K, 128K, 256K, 512K, 1M (intervals of 99.7 % each). Noise floor 2.8 %."));
  CHECK(contains(warm, "Time against that of 1M: 8K 1.24"));
  CHECK(contains(warm, "64K 1.031 [1.000, 1.066] (not told apart)"));
  // Made up as 130 ns for each pair of calls and 1 s for 14.9 GB: 65 ns and 0.0671 ns.
  CHECK(contains(warm, "Why: a system call costs 65."));
  CHECK(contains(warm, "and a byte 0.067"));
  CHECK(contains(warm, "Beyond 128K caches rule, and nothing is fitted."));
  // 6.3 s and 6.4 s for 1 GiB, 98 % of it CPU time.
  CHECK(contains(warm, ": fgetputc 1.36 Gbit/s (171 MB/s"));
  CHECK(contains(warm, "; getputc 1.39 Gbit/s (173 MB/s"));
  CHECK_FALSE(contains(warm, "Without all their runs"));

  const std::string small = advice_on(all, "Warm file to the null device, 38,123 bytes x 20 per run");
  CHECK(contains(small, "Best strategy: readwrite, 811 µs per copy. Of each other tool the best: freadwrite takes "));
  CHECK(contains(small, "(not told apart)"));
  CHECK_FALSE(contains(small, "Gbit/s"));  // starting is most of their time

  const std::string text = to_text(all, 60);
  CHECK(text.starts_with("Warm file to the null device, 1 GiB per run\n- Best strategy: readwrite"));
  CHECK(contains(text, "\n\nCold file to the null device"));
}

TEST_CASE("no reason where the fit misses a size that it has not seen") {
  MadeUp made = lab();
  add_buffer_sweep(made);
  for (Sample& sample : made.samples)
    if (sample.row == "null-cold-16K" || sample.row == "pipe-warm-16K" || sample.row == "file-warm-16K" ||
        sample.row == "null-warm-16K")
      sample.wall_s = *sample.wall_s * 1.25;
  const std::vector<Advice> all = advise(findings_of(made));
  const std::vector<std::string> limits{"takes part of the time", "likely the device", "likely how the pipe's two ends",
                                        "likely the memory that a new file"};
  REQUIRE(all.size() == limits.size());
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const std::string said = advice_on(all, all[i].conditions);
    CHECK(contains(said,
                   "No reason is given: a fit of time on bytes and system calls at 512, 2K, 8K, 32K, 128K, which "
                   "misses the sizes that it has not seen, 1K, 4K, 16K, 64K, by "));
    CHECK(contains(said, limits[i]));
    CHECK_FALSE(contains(said, "Why:"));
    CHECK_FALSE(contains(said, "noise alone"));
  }
}

TEST_CASE("a noisy run admits that it tells little") {
  MadeUp made = lab();
  add_buffer_sweep(made);
  Noise noise(99);
  for (Sample& sample : made.samples)
    if (sample.wall_s) sample.wall_s = *sample.wall_s * noise.factor(1.6);
  const std::string said = to_text(advise(findings_of(made)), 10000);
  CHECK(contains(said, "so noisy a run says little here"));
  CHECK(contains(said, "noise alone may be the cause"));
}

TEST_CASE("too few rounds tell nothing of block sizes") {
  MadeUp made = lab();
  add_buffer_sweep(made);
  std::erase_if(made.samples, [](const Sample& sample) { return sample.round > 2; });
  const std::string said = to_text(advise(findings_of(made)), 10000);
  CHECK(contains(said, "which block sizes are enough cannot be told: the rounds reach intervals of 50.0 % only"));
  CHECK_FALSE(contains(said, "is the smallest"));

  made.samples.clear();
  const std::vector<Advice> none = advise(findings_of(made));
  REQUIRE(none.size() == 4);
  CHECK(none[0].said.at(0) == "Nothing is advised: there is no valid sample of a copy.");
  CHECK(contains(none[0].said.at(1), "Without all their runs: null-warm-512: not run; "));
  CHECK(contains(none[0].said.at(1), "; 10 more."));
}

TEST_CASE("what moves nothing is not ranked, what failed is named") {
  MadeUp made = lab();
  add_perlman(made);
  made.plan.suites[0].rows[3].row.tool = "sendfile-copy";
  for (Sample& sample : made.samples)
    if (sample.row == "getputc") {
      sample.status = "failed";
      sample.reason = "it died";
    }
  const std::string said = advice_on(advise(findings_of(made)), "Warm file to the null device, 1 GiB per run");
  CHECK(contains(said, "Best strategy: freadwrite, "));
  CHECK_FALSE(contains(said, "sendfile-copy takes"));
  CHECK(contains(said, "Not ranked, since not copies: "));
  CHECK(contains(said, "Without all their runs: getputc: failed: all 7 runs: it died."));
  CHECK(contains(said, "than one processor moves bytes that way: fgetputc"));
}

TEST_CASE("nearly equal tools are not told apart") {
  MadeUp made = lab();
  made.add_suite("pair", "Pair");
  made.add_row("readwrite", "all", 9, {"readwrite"});
  made.add_row("freadwrite", "all", 9, {"freadwrite"});
  made.set_baseline("readwrite");
  made.measure({0.2, 0.201}, 0.1, 4);
  const std::string said = to_text(advise(findings_of(made)), 10000);
  CHECK(contains(said, "(not told apart)"));
  CHECK_FALSE(contains(said, "block"));
}
