// SPDX-License-Identifier: MIT
// What is left of a plan: every run exactly once, whatever was there already.
#include "resume.h"

#include <algorithm>

#include "catch.h"
#include "message.h"

using namespace iobench;

namespace {

Plan small_plan() {
  Experiment experiment;
  experiment.name = "suite";
  experiment.baseline = {{"name", "a"}};
  for (const char* name : {"a", "b", "c"}) {
    Row row;
    row.name = name;
    row.program = "readwrite";
    experiment.rows.push_back(row);
  }
  PlanOptions options;
  options.seed = 3;
  return make_plan({experiment}, options);
}

Sample sample_of(const Plan& plan, const Run& run, const std::string& status = "ok", std::uint64_t attempt = 1) {
  Sample sample;
  sample.suite = "suite";
  sample.row = sample_row(plan, run);
  sample.round = run.round;
  sample.status = status;
  sample.attempt = attempt;
  return sample;
}

}  // namespace

TEST_CASE("of nothing made, all is left, in order") {
  const Plan plan = small_plan();
  const std::vector<PendingRun> pending = pending_runs(plan, {});
  REQUIRE(pending.size() == plan.runs.size());
  for (std::size_t i = 0; i < pending.size(); ++i) {
    CHECK(pending[i].run == plan.runs[i]);
    CHECK(pending[i].attempt == 1);
  }
}

TEST_CASE("wherever a run was ended, its rest and its beginning are the whole, once each") {
  const Plan plan = small_plan();
  for (std::size_t made = 0; made <= plan.runs.size(); ++made) {
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < made; ++i) samples.push_back(sample_of(plan, plan.runs[i], i % 3 ? "ok" : "failed"));
    std::vector<Run> all(plan.runs.begin(), plan.runs.begin() + static_cast<std::ptrdiff_t>(made));
    for (const PendingRun& pending : pending_runs(plan, samples)) all.push_back(pending.run);
    CHECK((all == plan.runs));
  }
}

TEST_CASE("a run that was not proved has its attempts, and no more") {
  const Plan plan = small_plan();
  std::vector<Sample> samples;
  for (const Run& run : plan.runs) samples.push_back(sample_of(plan, run));
  samples[4].status = "regime-not-reached";
  std::vector<PendingRun> pending = pending_runs(plan, samples);
  REQUIRE(pending.size() == 1);
  CHECK(pending[0].run == plan.runs[4]);
  CHECK(pending[0].attempt == 2);
  samples.push_back(sample_of(plan, plan.runs[4], "regime-not-reached", 2));
  pending = pending_runs(plan, samples);
  REQUIRE(pending.size() == 1);
  CHECK(pending[0].attempt == 3);
  samples.push_back(sample_of(plan, plan.runs[4], "regime-not-reached", 3));
  CHECK(pending_runs(plan, samples).empty());
  samples.back().status = "ok";
  CHECK(pending_runs(plan, samples).empty());
}

TEST_CASE("samples that the plan does not have are refused, and so are doubles") {
  const Plan plan = small_plan();
  Sample sample = sample_of(plan, plan.runs[0]);
  CHECK(message_of([&] { pending_runs(plan, {sample, sample}); }).find("is there twice") != std::string::npos);
  sample.row = "d";
  CHECK(message_of([&] { pending_runs(plan, {sample}); }).find("row 'd', round 1 is not in plan.json") != std::string::npos);
  sample.row = limit_row(Limit::device_read);
  CHECK(pending_runs(plan, {sample}).size() == plan.runs.size());
  CHECK(measured_limits({sample}) == MeasuredOnce{{"suite", 1, Limit::device_read}});
}
