// SPDX-License-Identifier: MIT
// Before a row is timed: its output is verified once, whole, and its system calls are counted once, both untimed. Rows
// that differ only in what does not matter for the check (cache, a null sink against a new file, a smaller part of the
// corpus) share one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "connection.h"
#include "placement.h"
#include "plan.h"

namespace iobench {

// Where a file is given instead of corpora the commands are anybody's, and need not copy: what a command writes is
// compared with the input, and only noted where it is something else.
// One check per row, [suite][row]. `progress` gets the row's name and how far it is. Ends early, the rest unchecked with
// status "not run", when an interrupt is asked for.
RowChecks check_rows(const Plan& plan, Placement& placement, const Connections& connections, const Runner& runner,
                     const Toolbox& toolbox, const std::filesystem::path& strace, const ProgressFunction& progress);

}  // namespace iobench
