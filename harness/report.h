// SPDX-License-Identifier: MIT
// A results directory to tables/, plots/, report.md and report.html: what is said, in which order. How it is written is
// in blocks.h and page.h.
#pragma once

#include <filesystem>
#include <string>

#include "system.h"

namespace iobench {

// Reads plan.json and samples.csv of `results` and, where they are, machine.json and session.json; writes tables,
// figures, report.md and report.html beside them, and returns what the terminal is to show: the tables as text, the odd
// things in words, where the report is. The same results give the same report, byte for byte.
std::string write_report(const std::filesystem::path& results, const Layout& layout);

}  // namespace iobench
