// SPDX-License-Identifier: MIT
#include "findings.h"

#include "toolbox.h"

namespace iobench {

const std::vector<RowCheck>& Findings::checks(std::size_t suite) const {
  static const std::vector<RowCheck> none;
  return suite < stored.checks.size() ? stored.checks[suite] : none;
}

Findings read_findings(const std::filesystem::path& results, const Layout& layout) {
  Findings found;
  const std::filesystem::path plan = results / "plan.json";
  found.stored = plan_from_json(read_file(plan), plan.string());
  found.samples = read_samples(results / "samples.csv");
  found.results = summarize_results(found.stored.plan, found.samples.samples);
  found.machine_json = read_file_or_empty(results / "machine.json");
  found.session_json = read_file_or_empty(results / "session.json");
  const Toolbox toolbox = Toolbox::load(layout.data / "tools.toml");
  for (const Tool& tool : toolbox.tools()) {
    if (tool.null_moves_nothing) found.moves_nothing.insert(tool.name);
  }
  return found;
}

}  // namespace iobench
