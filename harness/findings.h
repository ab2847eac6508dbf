// SPDX-License-Identifier: MIT
// A results directory, read once: what report, advice and comparison are made from.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "plan.h"
#include "samples.h"
#include "summary.h"
#include "system.h"

namespace iobench {

struct Findings {
  StoredPlan stored;
  StoredSamples samples;
  std::vector<SuiteResult> results;     // one per suite of the plan
  std::string machine_json;             // empty: missing
  std::string session_json;             // empty: missing
  std::set<std::string> moves_nothing;  // tools that move no data into the null device

  const std::vector<RowCheck>& checks(std::size_t suite) const;  // empty: none were kept
};

// Reads plan.json and samples.csv of `results` and, where they are, machine.json and session.json; what the tools are
// is in data/tools.toml of the layout. Throws Error as plan_from_json, read_samples and Toolbox::load do.
Findings read_findings(const std::filesystem::path& results, const Layout& layout);

}  // namespace iobench
