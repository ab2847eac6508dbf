// SPDX-License-Identifier: MIT
// What this machine can do at most: the memory-copy bandwidth that no copy through a buffer can exceed for long.
// Measured in this process, beside the rows it is drawn with.
#pragma once

#include <cstdint>

namespace iobench {

struct LimitMeasurement {
  std::uint64_t bytes = 0;
  double seconds = 0;
};
// memcpy of `bytes` from a touched source larger than the last-level cache into one reused 1 MiB block, one thread: the
// same memory traffic as read(2) of a cached file into a 1 MiB buffer, less the kernel.
LimitMeasurement measure_memory_copy(std::uint64_t bytes);

}  // namespace iobench
