// SPDX-License-Identifier: MIT
// What an author left open, answered by what was measured here: a suite's [[open_question]] has an answer with places for
// figures, and this fills them in. A figure that was not measured says so in its place. Pure.
#pragma once

#include <string>
#include <vector>

#include "plan.h"
#include "summary.h"

namespace iobench {

// The answer with its places filled in. A place is in braces: {calls_per_mib of freadwrite}. There may stand:
//   METRIC of ROW              a metric of summary, median: "81.3 ms", "4.21 GB/s"
//   METRIC of ROW over OTHER   its ratio paired by round, with the 95 % interval: "1.037 [1.021, 1.052]"
//   calls_per_mib, program_bytes, instructions_per_byte of ROW   counted once before the runs
//   cpu_ns_per_byte of ROW     CPU time of the command
//   link_speed of ROW          of a link that takes as long for a byte as the command's CPU does: "1.24 Gbit/s"
//   outcome of ROW             what its check found: "4,095 of 1,048,576 bytes …", or "ok"
//   served by WORD, refused by WORD   ends of the rows whose method is WORD: "file to pipe, file to tcp"
std::string answer_text(const std::string& answer, const PlannedSuite& suite, const SuiteResult& result,
                        const std::vector<RowCheck>& checks);

}  // namespace iobench
