// SPDX-License-Identifier: MIT
// Results to what a program should do, for each source, sink and regime: the best strategy, the block sizes that are
// enough and what others cost, why, and the link below which a byte a call is free. Every sentence rests on intervals;
// what cannot be told, and what failed, is said. Pure.
#pragma once

#include <string>
#include <vector>

#include "findings.h"

namespace iobench {

struct Advice {
  std::string conditions;         // "Warm file to the null device, 1 GiB per run"
  std::vector<std::string> said;  // sentences, an idea each
};

// One for each kind of run of which there is a valid sample or a failure to tell, over all suites of the results.
std::vector<Advice> advise(const Findings& found);
// For a terminal, broken at `width` code points.
std::string to_text(const std::vector<Advice>& all, std::size_t width = 100);

}  // namespace iobench
