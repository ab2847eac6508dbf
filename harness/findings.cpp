// SPDX-License-Identifier: MIT
#include "findings.h"

#include <algorithm>


namespace iobench {

const std::vector<RowCheck>& Findings::checks(std::size_t suite) const {
  static const std::vector<RowCheck> none;
  return suite < stored.checks.size() ? stored.checks[suite] : none;
}

namespace {

bool is_used(const Tool& tool, const Plan& plan) {
  return std::any_of(plan.suites.begin(), plan.suites.end(), [&](const PlannedSuite& suite) {
    return std::any_of(suite.rows.begin(), suite.rows.end(), [&](const PlannedRow& row) { return row.row.tool == tool.name; });
  });
}

}  // namespace

Findings read_findings(const std::filesystem::path& results, const Layout& layout) {
  Findings found;
  const std::filesystem::path plan = results / "plan.json";
  found.stored = plan_from_json(read_file(plan), plan.string());
  found.samples = read_samples(results / "samples.csv");
  found.surroundings = read_surroundings(results / "surroundings.csv");
  found.machine_json = read_file_or_empty(results / "machine.json");
  found.session_json = read_file_or_empty(results / "session.json");
  const Toolbox toolbox = Toolbox::load(layout.data / "tools.toml");
  std::set<std::string> moves_nothing;
  for (const Tool& tool : toolbox.tools()) {
    if (tool.null_moves_nothing) moves_nothing.insert(tool.name);
    if (tool.bytewise) found.bytewise.insert(tool.name);
  }
  for (const Tool& tool : toolbox.tools())
    if (tool.kind != "peer" && is_used(tool, found.stored.plan)) found.strategies.push_back(tool);
  found.results = summarize_results(found.stored.plan, found.samples.samples, found.stored.checks, moves_nothing);
  return found;
}

std::vector<std::vector<MeasuredRow>> rows_by_conditions(const Plan& plan) {
  std::vector<std::vector<MeasuredRow>> all;
  const auto planned = [&](const MeasuredRow& at) -> const PlannedRow& { return plan.suites[at.suite].rows[at.row]; };
  const auto alike = [](const PlannedRow& a, const PlannedRow& b) {
    return a.row.input == b.row.input && a.row.output == b.row.output && a.row.cache == b.row.cache &&
           a.size_bytes == b.size_bytes && a.row.repeat == b.row.repeat && a.row.sync == b.row.sync;
  };
  for (std::size_t suite = 0; suite < plan.suites.size(); ++suite)
    for (std::size_t row = 0; row < plan.suites[suite].rows.size(); ++row) {
      const MeasuredRow here{suite, row};
      const auto place = std::find_if(all.begin(), all.end(), [&](const std::vector<MeasuredRow>& rows) {
        return alike(planned(rows.front()), planned(here));
      });
      if (place == all.end())
        all.push_back({here});
      else
        place->push_back(here);
    }
  return all;
}

}  // namespace iobench
