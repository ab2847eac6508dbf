// SPDX-License-Identifier: MIT
// What this machine can do at most, measured in this process beside the rows that are held against it: bandwidth of
// copies in memory, and of the device when nothing stands before it. Which of them bounds a row is left to bound.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace iobench {

struct LimitMeasurement {
  std::uint64_t bytes = 0;
  double seconds = 0;
  std::string why_not;  // why nothing was measured; empty: it was
};

// memcpy of `bytes` in all, each thread its own part at the same time, from a touched source of its own larger than the
// last-level cache into one reused 1 MiB block: the same memory traffic as read(2) of a cached file into a 1 MiB
// buffer, less the kernel. From the moment when all are ready to the last one's end. Never throws.
LimitMeasurement measure_memory_copy(std::uint64_t bytes, unsigned threads = 1);
inline constexpr std::uint64_t memory_copy_bytes = 512u
                                                   << 20;  // 40 ms here: long against the clock, short against a round

// Device bandwidth by O_DIRECT, one call of 4 MiB after the other, in huge pages on a boundary of 2 MiB; of at most
// `most_bytes`, ended after `most_s` seconds. Where the file system has no device, does not serve O_DIRECT, or serves
// it from memory, nothing was measured. Never throws.
struct DeviceBounds {
  std::uint64_t most_bytes = 256u << 20;
  double most_s = 2;
};
LimitMeasurement measure_device_read(const std::filesystem::path& file, const DeviceBounds& bounds = {});
// Into a new file without a name in `directory`, until its bytes are on the device (fdatasync).
LimitMeasurement measure_device_write(const std::filesystem::path& directory, const DeviceBounds& bounds = {});

}  // namespace iobench
