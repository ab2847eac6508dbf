// SPDX-License-Identifier: MIT
// Whether two results may be compared: what differs between their machines and between their rows, in words and graded.
// What is compared then is compare's. Pure: texts, plans and samples in, words out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan.h"
#include "samples.h"

namespace iobench {

// What two machine.json texts say, "kernel, release: 6.1.0 against 6.18.0". Facts that change from minute to minute or
// say nothing of speed (host name, time, load, free space) are passed over; facts that this version does not know are
// a matter of care like most.
struct MachineDifferences {
  std::vector<std::string> different;  // another processor or architecture: nothing of the two can be compared
  std::vector<std::string> caution;    // kernel, mitigations, governor, file system, tools, …; or a text is missing
  std::size_t same = 0;                // facts that are the same
};
MachineDifferences compare_machines(const std::string& a_json, const std::string& b_json);

// One result, as far as comparability goes.
struct ComparedRun {
  const Plan& plan;
  const std::vector<Sample>& samples;
  const std::string& machine_json;  // empty: missing
};

// A row that one or both of two plans have under the name of its suite and its own.
struct RowPlace {
  std::size_t suite = 0, row = 0;  // indices into Plan::suites and PlannedSuite::rows
};
struct RowMatch {
  std::string suite, name;
  std::optional<RowPlace> a, b;  // none: only the other has it
  // Why its times cannot be compared: only one side has it, other command, ends, regime, size; or a confined write
  // under another version of memory cgroups, which charge write-back differently. Empty: they can.
  std::vector<std::string> different;
};

struct Comparability {
  std::vector<std::string> different;  // of the machines
  std::vector<std::string> caution;    // of the machines, and of the processors that commands were allowed on
  std::size_t same = 0;
  std::vector<RowMatch> rows;  // A's in the order of its plan, then those that only B has
};
Comparability compare_runs(const ComparedRun& a, const ComparedRun& b);

}  // namespace iobench
