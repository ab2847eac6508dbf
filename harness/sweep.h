// SPDX-License-Identifier: MIT
// A metric over a size: a line for each series, names at the ends of the lines, the limits that bound its rows. Pure.
#pragma once

#include <vector>

#include "figure.h"

namespace iobench {

// For plots/sweep.gp.
Drawing draw_sweep(FigureSource source);

// Heights for names beside the ends of lines: as near to `wanted` as `gap` between any two allows, inside [low, high].
std::vector<double> spread_labels(const std::vector<double>& wanted, double gap, double low, double high);

}  // namespace iobench
