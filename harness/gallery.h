// SPDX-License-Identifier: MIT
// `iobench plots`: the figures of the suites without a report: the published ones by themselves, also of suites that
// were never run here, and those of results.
#pragma once

#include <filesystem>
#include <string>

#include "system.h"

namespace iobench {

// Draws the published figures of every suite into FOLDER/published and those of RESULTS/reference into
// FOLDER/reference, where FOLDER is plots/ of the layout's results; nothing that is committed is touched. Returns what was
// drawn and where, in words. Throws Error when there is no gnuplot, and when a figure could not be drawn.
std::string draw_gallery(const Layout& layout);

// The figures of one results directory, into its plots/; otherwise the same.
std::string draw_results(const std::filesystem::path& results, const Layout& layout);

}  // namespace iobench
