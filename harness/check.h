// SPDX-License-Identifier: MIT
// Before a row is timed: its output is verified once, whole, and its system calls are counted once, both untimed. Rows
// that differ only in what does not matter for the check (cache, a null sink against a new file, a smaller part of the
// corpus) share one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "placement.h"
#include "plan.h"

namespace iobench {

// At most this much is moved under strace, which makes a call some 50 times as dear: 4 MiB in blocks of 512 bytes are
// 16,384 calls, a third of a second (2026-11-30, 2 cores of an AMD EPYC (Zen 4), `strace -f -c readwrite -b 512`), and a
// block of 4 MiB is still a whole one.
inline constexpr std::uint64_t counted_bytes_limit = 4u << 20;

// One check per row, [suite][row]. `progress` gets the row's name and how far it is. Ends early, the rest unchecked with
// status "not run", when an interrupt is asked for.
RowChecks check_rows(const Plan& plan, Placement& placement, const Runner& runner, const std::filesystem::path& strace,
                     const ProgressFunction& progress);

}  // namespace iobench
