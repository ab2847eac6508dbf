// SPDX-License-Identifier: MIT
// Rows as bars, now and, where there are published figures, then: absolute, or as multiples of the baseline. Pure.
#pragma once

#include "figure.h"

namespace iobench {

// For plots/bars.gp.
Drawing draw_bars(FigureSource source);

}  // namespace iobench
