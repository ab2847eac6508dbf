// SPDX-License-Identifier: MIT
// Answers to open questions: every kind of place filled in from made-up results, and what is missing said in words.
#include "question.h"

#include <cmath>

#include "catch.h"
#include "made_up.h"
#include "summary.h"

using namespace iobench;

namespace {

constexpr std::size_t slow = 0, fast = 1, refused = 2, unmeasured = 3;

// Rows slow and fast of 64 MiB, measured in 7 rounds; one that its tool refuses, and one that was never run.
struct Asked {
  MadeUp made;

  Asked() {
    made.plan.options.corpus_bytes = 64u << 20;
    made.add_suite("asked", "Asked");
    const auto add = [&](const std::string& name, const std::string& method, const std::string& pair, Output output) {
      PlannedRow& row = made.add_row(name, "all", 7, {"readwrite"});
      row.row.values = {{"method", method}, {"pair", pair}};
      row.row.output = output;
    };
    add("slow", "readwrite", "file", Output::null);
    add("fast", "readwrite", "pipe", Output::file);
    add("refused", "sendfile-copy", "pipe", Output::local);
    add("unmeasured", "readwrite", "file", Output::tcp);
    made.set_baseline("fast");
    check(slow).calls_per_mib = 2048;
    check(slow).program_bytes = 16184;
    check(slow).instructions_per_byte = 12.345;
    check(slow).note = "4,096 of 8,192 bytes of its input came out, 4,096 did not";
    check(fast).calls_note = "strace is not installed";
    check(refused).status = "unsupported";
    check(refused).reason = "sendfile-copy: copy: Invalid argument";
    for (std::uint64_t round = 1; round <= 7; ++round) {
      const double factor = 1 + 0.001 * static_cast<double>(round);
      made.samples.push_back(made.sample(slow, round, 0.2 * factor, 0.125));
      made.samples.push_back(made.sample(fast, round, 0.1, 0.05));
      made.samples.push_back(made.sample(fast, round, 0.1, 0.05, true));
      Sample unsupported = made.sample(refused, round, 0, 0);
      unsupported.status = "unsupported";
      unsupported.reason = check(refused).reason;
      unsupported.wall_s = unsupported.user_s = unsupported.system_s = {};
      made.samples.push_back(unsupported);
    }
  }

  PlannedSuite& suite() { return made.plan.suites[0]; }
  RowCheck& check(std::size_t row) { return made.checks[0][row]; }
  std::string answer(const std::string& text) const {
    const std::vector<SuiteResult> results = summarize_results(made.plan, made.samples, made.checks);
    return answer_text(text, made.plan.suites[0], results[0], made.checks[0]);
  }
};

}  // namespace

TEST_CASE("a text without places stays as it is, and what is around a place too") {
  const Asked asked;
  CHECK(asked.answer("") == "");
  CHECK(asked.answer("Nobody knows.\n") == "Nobody knows.\n");
  CHECK(asked.answer("It is {wall of fast}, not {wall of slow}.") == "It is 100 ms, not 201 ms.");
  CHECK(asked.answer("{wall of fast}{wall of fast}") == "100 ms100 ms");
}

TEST_CASE("metrics of a row are medians with their units") {
  const Asked asked;
  CHECK(asked.answer("{wall of slow}") == "201 ms");
  CHECK(asked.answer("{cpu of slow}") == "125 ms");
  CHECK(asked.answer("{bytes_per_s of fast}") == "671 MB/s");
  CHECK(asked.answer("{operations_per_s of fast}") == "10 a second");
  CHECK(asked.answer("{peak_memory of fast}") == "1.43 MiB");
  CHECK(asked.answer("{wall_per_copy of fast}") == "100 ms");
}

TEST_CASE("a ratio is paired by round, with its interval") {
  const Asked asked;
  const std::string ratio = asked.answer("{wall of slow over fast}");
  CHECK(ratio.starts_with("2.008 [2.0"));
  CHECK(ratio.ends_with("]"));
  CHECK(asked.answer("{bytes_per_s of slow over fast}").starts_with("0.498 ["));
  CHECK(asked.answer("{wall of fast over slow}").starts_with("0.498 ["));
}

TEST_CASE("what was counted once, and CPU a byte") {
  Asked asked;
  CHECK(asked.answer("{calls_per_mib of slow}") == "2,048");
  CHECK(asked.answer("{program_bytes of slow}") == "16,184");
  CHECK(asked.answer("{instructions_per_byte of slow}") == "12.3");
  // 0.125 s for 64 MiB are 1.863 ns a byte; a link takes as long for a byte at 8 bits in that.
  CHECK(asked.answer("{cpu_ns_per_byte of slow}") == "1.86 ns");
  CHECK(asked.answer("{link_speed of slow}") == "4.29 Gbit/s");
  asked.suite().rows[slow].row.repeat = 10;
  CHECK(asked.answer("{cpu_ns_per_byte of slow}") == "0.186 ns");
  asked.suite().rows[slow].row.repeat = 1;
  for (Sample& sample : asked.made.samples) {
    sample.user_s = 4;
    sample.system_s = 1;
  }
  CHECK(asked.answer("{link_speed of slow}") == "107 Mbit/s");
}

TEST_CASE("outcomes, and which ends a method served") {
  const Asked asked;
  CHECK(asked.answer("{outcome of slow}") == "4,096 of 8,192 bytes of its input came out, 4,096 did not");
  CHECK(asked.answer("{outcome of fast}") == "ok");
  CHECK(asked.answer("{outcome of refused}") == "unsupported: sendfile-copy: copy: Invalid argument");
  CHECK(asked.answer("{served by readwrite}") == "file to null, pipe to file");
  CHECK(asked.answer("{served by sendfile-copy}") == "none");
  CHECK(asked.answer("{refused by sendfile-copy}") == "pipe to unix");
  CHECK(asked.answer("{refused by readwrite}") == "none");
}

TEST_CASE("a figure that is not there says so in its place") {
  Asked asked;
  CHECK(asked.answer("{calls_per_mib of fast}") == "(not counted: strace is not installed)");
  CHECK(asked.answer("{instructions_per_byte of fast}") == "(not counted)");
  CHECK(asked.answer("{wall of unmeasured}") == "(not measured: unmeasured: not run)");
  CHECK(asked.answer("{link_speed of unmeasured}") == "(not measured: unmeasured: not run)");
  CHECK(asked.answer("{wall of refused over fast}") ==
        "(not measured: refused: unsupported: sendfile-copy: copy: Invalid argument)");
  CHECK(asked.answer("{wall of fast over refused}") ==
        "(not measured: refused: unsupported: sendfile-copy: copy: Invalid argument)");
  CHECK(asked.answer("{device_read of fast}") == "(not measured)");
  CHECK(asked.answer("{wall of nobody}") == "(no row nobody)");
  CHECK(asked.answer("{wall of fast over nobody}") == "(no row nobody)");
  // A plan that was stopped before its checks has none.
  asked.made.checks.clear();
  const std::vector<SuiteResult> results = summarize_results(asked.made.plan, asked.made.samples);
  CHECK(answer_text("{calls_per_mib of slow}", asked.suite(), results[0], {}) == "(not counted)");
  CHECK(answer_text("{outcome of slow}", asked.suite(), results[0], {}) == "ok");
  CHECK(answer_text("{refused by sendfile-copy}", asked.suite(), results[0], {}) == "none");
}

TEST_CASE("a row that could not be confined answers under the name of its suite") {
  Asked asked;
  Row& row = asked.suite().rows[slow].row;
  row.name = "not-confined-1K";
  row.cache = Cache::confined;
  row.not_confined = true;
  for (Sample& sample : asked.made.samples)
    if (sample.row == "slow") sample.row = row.name;
  CHECK(asked.answer("{wall of confined-1K}") == "201 ms");
}
