// SPDX-License-Identifier: MIT
#include "resume.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace iobench {

std::string sample_row(const Plan& plan, const Run& run) {
  return plan.suites[run.suite].rows[run.row].row.name + (run.again ? "/again" : "");
}

std::vector<PendingRun> pending_runs(const Plan& plan, const std::vector<Sample>& samples) {
  using Key = std::tuple<std::string, std::string, std::uint64_t>;  // suite, row, round
  std::map<Key, std::map<std::uint64_t, const Sample*>> made;       // by attempt
  for (const Sample& sample : samples) {
    if (limit_of_row(sample.row)) continue;
    if (!made[{sample.suite, sample.row, sample.round}].emplace(sample.attempt, &sample).second)
      throw Error(fmt::format("samples.csv: suite '{}', row '{}', round {}, attempt {} is there twice", sample.suite,
                              sample.row, sample.round, sample.attempt));
  }
  std::vector<PendingRun> pending;
  for (const Run& run : plan.runs) {
    const auto found = made.find({plan.suites[run.suite].experiment.name, sample_row(plan, run), run.round});
    if (found == made.end()) {
      pending.push_back({run, 1});
      continue;
    }
    const auto& [attempt, last] = *found->second.rbegin();
    if (last->status == "regime-not-reached" && attempt < attempts_at_most) pending.push_back({run, attempt + 1});
    made.erase(found);
  }
  if (!made.empty())
    throw Error(fmt::format("samples.csv: suite '{}', row '{}', round {} is not in plan.json",
                            std::get<0>(made.begin()->first), std::get<1>(made.begin()->first),
                            std::get<2>(made.begin()->first)));
  return pending;
}

MeasuredOnce measured_limits(const std::vector<Sample>& samples) {
  MeasuredOnce measured;
  for (const Sample& sample : samples)
    if (const std::optional<Limit> limit = limit_of_row(sample.row)) measured.emplace(sample.suite, sample.round, *limit);
  return measured;
}

}  // namespace iobench
