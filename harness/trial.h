// SPDX-License-Identifier: MIT
// One run of a row, made and proved: its output's place cleared, write-back waited out, memory touched, the regime
// applied, the command run, and the evidence judged. A run that is not proved is told apart from one that is, with the
// reason. METHODOLOGY.md says what each regime promises.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cgroup.h"
#include "connection.h"
#include "placement.h"
#include "plan.h"
#include "regime.h"
#include "runner.h"

namespace iobench {

// Where the time of runs went, in seconds.
struct TrialTimes {
  double measured = 0;  // by hyperfine
  double regimes = 0;   // making runs ready and clearing up after them, without the next
  double evidence = 0;  // asking the kernel what is cached, and the devices what they did
};

class Trials {
 public:
  // `programs` are read back after drop_caches, so that none is loaded from disk inside a measurement; `control`: where
  // groups for confined rows are made, nullptr when the plan has none.
  Trials(const Placement& placement, const Connections& connections, const Runner& runner, std::vector<std::filesystem::path> programs,
         const MemoryControl* control, std::string cpus);

  // All of a sample but suite, row, round and attempt. "interrupted" is not to be kept. Without a regime reached
  // beforehand the command is not run at all.
  Sample attempt(const PlannedRow& row);
  const TrialTimes& times() const { return times_; }

 private:
  Sample run(const PlannedRow& row, const Evidence& evidence, const Debt& debt, const MemoryGroup* group);

  const Placement& placement_;
  const Connections& connections_;
  const Runner& runner_;
  std::vector<std::filesystem::path> programs_;
  const MemoryControl* control_;
  std::string cpus_;
  TrialTimes times_;
};

// Whether a run that ended well was what its row says, by what the devices delivered during it; empty, or what is wrong.
// A warm one may have had the larger of 1 MiB and 1 % of its bytes from devices; a cold or confined one at least 95 % of
// its input.
std::string judge_evidence(const PlannedRow& row, const Sample& sample);

}  // namespace iobench
