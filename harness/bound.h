// SPDX-License-Identifier: MIT
// Which of the machine's limits bounds a row: what its bytes must pass on their way through a copying command, and the
// slowest of that. METHODOLOGY.md argues for the rule. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "row.h"
#include "statistics.h"

namespace iobench {

// What a session measures of the machine once a round, in the suites that need it.
enum class Limit { memory_copy, memory_copy_by_two, device_read, device_write };
const std::vector<Limit>& all_limits();
const char* to_string(Limit limit);  // "memory-copy", "memory-copy-2", "device-read", "device-write"
std::optional<Limit> limit_of(const std::string& word);
// The row of samples.csv under which it is kept: "limit/memory-copy".
std::string limit_row(Limit limit);
std::optional<Limit> limit_of_row(const std::string& sample_row);

// What was measured of one: bytes a second; without a value the reason.
struct MeasuredLimit {
  Summary rate;         // n = 0: not measured
  std::string why_not;  // of the samples that failed; empty: there are none
};
using MeasuredLimits = std::map<Limit, MeasuredLimit>;
// "memory copied by one thread 13.6 GB/s", "read directly from the device: not measured: tmpfs: it has no device"
std::string limit_words(Limit limit, const MeasuredLimit& measured);

// What the bytes of a row must pass.
struct Passage {
  int copies = 0;       // by the command itself: one in, unless it makes the bytes; one out, unless they are dropped
  bool shared = false;  // another process copies at the same time: at the other end of a pipe or socket
  bool from_device = false, to_device = false;
  std::uint64_t link_bits_per_s = 0;  // 0: no slow link
  bool operator==(const Passage&) const = default;
};
Passage passage_of(const Row& row);
// What has to be measured for it: the copies, and the device where its bytes come from it or have to reach it.
std::set<Limit> limits_for(const Row& row);

struct Bound {
  std::string name;        // "one copy", "two copies, shared", "device read", "the link"
  double bytes_per_s = 0;  // 0: it was not measured
  std::string words;       // what it is and how it comes about, with its rate; or why it was not measured
};
// The slowest of what the row passes; none: it passes nothing. A part that was not measured leaves the whole without a
// rate, unless there is a link, which is slow on purpose and bounds whatever crosses it.
std::optional<Bound> bound_of(const Passage& passage, const MeasuredLimits& measured);

}  // namespace iobench
