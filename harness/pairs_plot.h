// SPDX-License-Identifier: MIT
// Sources by sinks as a heat map: the colour is the lead over the fastest peer, the words are the fastest strategy and
// its throughput. Pure.
#pragma once

#include "figure.h"

namespace iobench {

Drawing draw_pairs(const FigureSource& source);

}  // namespace iobench
