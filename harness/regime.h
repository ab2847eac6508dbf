// SPDX-License-Identifier: MIT
// Warm and cold page cache: applied to an input file before each run, with the evidence that it was reached. Also the
// write-back debt that earlier outputs leave behind. METHODOLOGY.md says what each regime promises.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "suite.h"

namespace iobench {

// What of a file is in the page cache, by cachestat(2) (Linux 6.5), else mincore(2) on a sample of pages; mincore calls
// everything resident on a file that the caller may not write (since 5.2): then `known` is false.
struct Residency {
  bool known = false;
  double resident_fraction = 0;
  std::optional<std::uint64_t> dirty_bytes;
  std::optional<std::uint64_t> writeback_bytes;
  std::string method;  // "cachestat" | "mincore" | why it is unknown
};
Residency residency(const std::filesystem::path& path);
// The second way alone.
Residency residency_by_mincore(const std::filesystem::path& path);

bool cachestat_available();  // this kernel has the call

// What was found just before a run, after the regime was applied.
struct Evidence {
  Residency input;
  double applied_s = 0;         // time spent applying: the regime's own work, never part of a measurement
  double asked_s = 0;           // of it, time spent asking what is cached
  std::string note;             // "evicted by drop_caches", "still 12 % resident: mapped by pid 4711 (postgres)"
  bool caches_dropped = false;  // by drop_caches: the programs went too, so touch_files comes before the run
  bool reached = true;  // warm: all resident; cold: at most 1 % resident and nothing dirty; unknown residency: false
};
// warm: nothing to do when all is resident, else evicted and read once in order with 1 MiB reads.
// cold: fdatasync, posix_fadvise(DONTNEED); only if pages stay, and only as root, drop_caches. What still stays is held
// by a mapping: the note names who has it. Throws Error when the file cannot be opened, or an interrupt comes while
// reading.
Evidence apply_regime(Cache cache, const std::filesystem::path& input);

// Reads the files once (those that cannot be read are passed over), so that after drop_caches no program is loaded from
// disk inside a measurement.
void touch_files(const std::vector<std::filesystem::path>& paths);

// Waits until Dirty + Writeback of /proc/meminfo are at most 16 MiB, or 10 s: starts the write-back itself with sync of
// the file system that holds `directory`. Returns what was left and how long it took.
struct Debt {
  std::uint64_t left_bytes = 0;
  double waited_s = 0;
};
Debt wait_for_writeback(const std::filesystem::path& directory);

// Allocates and frees twice `bytes` in huge pages. A virtual machine's host takes freed memory back within seconds, and its
// next first touch costs 4 to 5 times as much (0.4 against 1.7 GB/s, 2026-11-30, 2 cores of an AMD EPYC (Zen 4), Linux
// 6.18): a run that allocates page cache would measure that or not, at random. Never more than half of what is available.
void touch_memory(std::uint64_t bytes);

// Sectors written so far by the block device that holds `path`, in bytes; none: not a block device (tmpfs, overlay).
std::optional<std::uint64_t> device_written_bytes(const std::filesystem::path& path);

}  // namespace iobench
