// SPDX-License-Identifier: MIT
// What a reader has to be careful about, each with the next thing to do: a machine that was not left alone, times that
// drift or come in two modes, rounds that are too few for what was asked. Pure.
#pragma once

#include <string>
#include <vector>

#include "plan.h"
#include "summary.h"
#include "surroundings.h"

namespace iobench {

struct Warning {
  std::string text;  // what was seen, on what; one line, rows with the same cause together
  std::string next;  // what to do about it
  // Of the next run, when more are part of that; 0: they are not. All that ask for more ask for the same number, the
  // largest, since a run has one.
  std::size_t rounds = 0;
};

// Gravest first, at most this many; what is left out is counted by the last one.
inline constexpr std::size_t most_warnings = 10;

// What is warned of, and from where on:
inline constexpr double others_share = 0.05;   // of all processors' time in a round, by programs that are not ours
inline constexpr double stolen_share = 0.01;   // of all processors' time in a round, by the virtual machine's host
inline constexpr double clock_change = 0.10;   // of the processors' frequency, from the fastest round to the slowest
inline constexpr double drift = 0.05;          // of a group's times, first round to last, in a family of all groups
inline constexpr double wide_interval = 0.25;  // of a row's median, to the farther end of its interval
inline constexpr double high_floor = 1.25;     // a group's noise floor, a ratio

std::vector<Warning> find_warnings(const Plan& plan, const std::vector<SuiteResult>& results,
                                   const std::vector<Surroundings>& surroundings);

// "TEXT. Next: NEXT."
std::string to_sentence(const Warning& warning);

}  // namespace iobench
