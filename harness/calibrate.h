// SPDX-License-Identifier: MIT
// What this machine can tell apart: how often two equal commands are called different, and which difference is found in
// nine tries of ten with how many rounds. Measured like everything else, on commands whose difference is known: the same
// one, moving a few per cent more of the same file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grid.h"
#include "samples.h"
#include "session.h"
#include "statistics.h"

namespace iobench {

struct CalibrationOptions {
  std::uint64_t size_bytes = 64u << 20;  // of the command's copy; the longest moves half as much again
  std::size_t rounds = 490;              // 70 tries of 7 in each of three groups: 210 comparisons of equals
  std::uint64_t seed = 0;
  std::string cpus;
};
// Three groups (null device, pipe, new file) of one command, warm, and the same with 1 to 50 % more to move.
Plan plan_calibration(const CalibrationOptions& options);
// The longest copy of the plan: how large the file has to be that all of them read.
std::uint64_t calibration_file_bytes(const CalibrationOptions& options);

// How often something was seen, with its exact interval at 95 %.
struct Rate {
  std::size_t hits = 0, tries = 0;
  double value() const { return tries ? static_cast<double>(hits) / static_cast<double>(tries) : 0; }
  Interval interval() const { return proportion_interval(hits, tries); }
};

// One group with one number of rounds: its rounds in their order, cut into as many tries as there are. A try says
// "different" as a table does: when the interval lies on one side of 1 and, for an effect, beyond the noise floor that
// the baseline against itself gave in the same rounds.
struct Power {
  std::size_t rounds = 0;
  Rate equals;                // NAME/again against NAME, called different
  std::vector<Rate> effects;  // found, in order of calibration_effects()
  // The smallest effect that every second try, the first among them, found in at least 90 %; SIZE_MAX: none. And how
  // often the other tries, which had no part in the choice, found it.
  std::size_t smallest = SIZE_MAX;
  Rate held_out;
};
struct CalibratedGroup {
  std::string name;
  // How much longer the runs took that had so much more to move, from all rounds: 0.1 is a tenth. Less than the effect,
  // since starting a command takes its time whatever there is to move. Empty: no whole round.
  std::vector<double> longer_by;
  std::vector<Power> by_rounds;  // as many of calibration_rounds() as have two tries at least
};
struct Calibration {
  std::vector<CalibratedGroup> groups;
  Rate equals;  // with the fewest rounds, all groups together
};
const std::vector<double>& calibration_effects();      // 0.01: one per cent more
const std::vector<std::size_t>& calibration_rounds();  // 7, 11, …

// Pure. Rounds that are not whole in a group (a run failed) are left out of it.
Calibration calibrate(const Plan& plan, const std::vector<Sample>& samples);
// Three tables, each with its notes: equals called different, smallest effects found, rounds that an effect needs.
std::vector<Table> calibration_tables(const Calibration& calibration);

}  // namespace iobench
