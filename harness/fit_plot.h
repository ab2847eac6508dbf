// SPDX-License-Identifier: MIT
// The fit of time on bytes and calls, drawn through the points of a sweep over block sizes: which sizes it was made
// from, which it was checked on, what bytes alone and calls alone would take, and by how much each size is missed.
// Pure.
#pragma once

#include <vector>

#include "figure.h"

namespace iobench {

// For plots/fit.gp. The rows of the figure must be one sweep; `checks` as in suite_tables.
Drawing draw_fit(FigureSource source, const std::vector<RowCheck>& checks);

}  // namespace iobench
