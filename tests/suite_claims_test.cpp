// SPDX-License-Identifier: MIT
// Every claim of every suite: samples that must confirm it, refute it and leave it open, made for that claim. A claim that
// no samples could refute would be none.
#include <cmath>
#include <cstdlib>
#include <map>

#include "catch.h"
#include "resume.h"
#include "system.h"
#include "verdict.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

const fs::path& data() {
  static const fs::path path = fs::path(std::getenv("IOBENCH_ROOT")) / "data";
  return path;
}

// A value inside the claim's bounds and one outside, both far from them.
struct Targets {
  double inside = 0, outside = 0;
};

Targets targets(const ClaimSpec& claim) {
  const Bounds bounds = parse_bounds(claim.holds_if);
  if (bounds.low && bounds.high) return {(*bounds.low + *bounds.high) / 2, *bounds.high * 2};
  const double bound = bounds.high ? *bounds.high : *bounds.low;
  const bool below = bounds.high.has_value();
  if (claim.kind == ClaimKind::difference) return {below ? bound - 0.1 : bound + 0.1, below ? bound + 0.1 : bound - 0.1};
  return {below ? bound / 2 : bound * 2, below ? bound * 2 : bound / 2};
}

double amount(const PlannedRow& row, const std::string& metric) {
  if (metric == "bytes_per_s") return static_cast<double>(row.moved_bytes());
  return metric.ends_with("_per_copy") || metric == "operations_per_s" ? static_cast<double>(row.operations()) : 1;
}

// Seconds of a run in which the metric is `value`.
double seconds_for(const PlannedRow& row, const std::string& metric, double value) {
  const bool rate = metric == "bytes_per_s" || metric == "operations_per_s";
  return rate ? amount(row, metric) / value : value * amount(row, metric);
}

struct Lab {
  Plan plan;
  RowChecks checks;
  std::map<std::string, std::size_t> rows;

  explicit Lab(const std::string& suite) {
    const Toolbox toolbox = Toolbox::load(data() / "tools.toml");
    plan = make_plan({load_suite(data(), suite, toolbox)}, {1u << 30, true, 1, 0});
    checks.emplace_back(plan.suites[0].rows.size());
    for (RowCheck& check : checks[0]) {
      check.program_bytes = 1000;
      check.calls_per_mib = 100;
      check.instructions_per_byte = 1;
    }
    for (std::size_t row = 0; row < plan.suites[0].rows.size(); ++row) rows[plan.suites[0].rows[row].row.name] = row;
  }

  // The verdict on the claim when it comes to `odd` in odd rounds and to `even` in even ones.
  Outcome judge(std::size_t index, double odd, double even) {
    const PlannedSuite& suite = plan.suites[0];
    const ClaimSpec& claim = suite.experiment.claims[index];
    const std::string& metric = claim.metric;
    // What the other row has, or the control: of the size of what is told apart from it.
    const double base = claim.kind == ClaimKind::value ? odd : 1;
    std::vector<Sample> samples;
    if (is_counted(metric)) {
      RowCheck& check = checks[0][rows.at(claim.rows[0])];
      const double other = claim.kind == ClaimKind::value ? 1 : metric == "program_bytes" ? 1000.0 : metric == "calls_per_mib" ? 100.0 : 1.0;
      check.program_bytes = static_cast<std::uint64_t>(std::llround(odd * other));
      check.calls_per_mib = check.instructions_per_byte = odd * other;
    }
    for (const Run& run : plan.runs) {
      const PlannedRow& row = suite.rows[run.row];
      // Within a thousandth, so that the baseline differs from itself by next to nothing.
      const double noise = 1 + 0.0004 * (static_cast<double>((run.round * 7 + run.row * 3 + (run.again ? 5 : 0)) % 9) / 8 - 0.5);
      const double wanted = run.round % 2 ? odd : even;
      double value = base;
      if (row.row.name == claim.rows[0]) {
        const bool adds = claim.kind == ClaimKind::difference || !claim.minus.empty();
        value = claim.kind == ClaimKind::ratio && !claim.minus.empty() ? base + wanted * base
                : adds                                                 ? base + wanted * claim.per
                                                                       : wanted;
      } else if (claim.kind == ClaimKind::ratio && !claim.minus.empty() && row.row.name == claim.rows[1]) {
        value = 2 * base;
      }
      Sample sample;
      sample.suite = suite.experiment.name;
      sample.row = sample_row(plan, run);
      sample.round = run.round;
      sample.bytes = row.moved_bytes();
      sample.operations = row.operations();
      const double jitter = value == base ? noise : 1;
      sample.wall_s = seconds_for(row, metric, value) * jitter;
      sample.user_s = *sample.wall_s / 2;
      sample.system_s = *sample.wall_s / 2;
      samples.push_back(sample);
    }
    const std::vector<SuiteResult> results = summarize_results(plan, samples, checks);
    const ClaimVerdict verdict = judge_claims(suite, results[0], checks[0]).at(index);
    UNSCOPED_INFO("for " << odd << " and " << even << ": " << to_string(verdict.outcome) << " " << verdict.reason);
    return verdict.outcome;
  }
};

}  // namespace

TEST_CASE("each claim of each suite is confirmed, refuted and left open by samples made for that") {
  std::size_t claims = 0;
  for (const std::string& suite : suite_names(data())) {
    Lab lab(suite);
    for (std::size_t i = 0; i < lab.plan.suites[0].experiment.claims.size(); ++i, ++claims) {
      const ClaimSpec claim = lab.plan.suites[0].experiment.claims[i];
      const Targets to = targets(claim);
      INFO(suite << ": " << claim.says << "; holds if " << claim.holds_if);
      CHECK(lab.judge(i, to.inside, to.inside) == Outcome::confirmed);
      CHECK(lab.judge(i, to.outside, to.outside) == Outcome::refuted);
      if (!is_counted(claim.metric)) CHECK(lab.judge(i, to.inside, to.outside) == Outcome::inconclusive);
    }
  }
  CHECK(claims >= 10);
}

TEST_CASE("each of the five sources has two claims or more") {
  for (const char* source : {"perlman-1985", "bradshaw-1999", "uppal-2004", "nutter-2008", "openjdk-2022"})
    CHECK(Lab(source).plan.suites[0].experiment.claims.size() >= 2);
}
