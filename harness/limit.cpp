// SPDX-License-Identifier: MIT
// The source is read in order and around again, so that it comes from memory; the block stays in the cache, as a copy
// tool's buffer does.
#include "limit.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "digest.h"
#include "facts.h"
#include "system.h"
#include "units.h"

namespace iobench {

namespace {

constexpr std::size_t block_bytes = 1u << 20;

// Twice the last-level cache, so that going around finds nothing of the round before: 64 MiB for the 32 MiB that a core
// complex of Zen 4 has, more where the kernel tells of more, up to a size that any machine can spare.
std::size_t source_size_bytes() {
  constexpr std::uint64_t least = 64u << 20, most = 512u << 20;
  const std::string cache = fact("/sys/devices/system/cpu/cpu0/cache/index3/size");  // "32768K"
  const std::uint64_t wanted = cache.empty() ? least : 2 * parse_size(cache);
  return static_cast<std::size_t>(std::clamp(wanted, least, most));
}

// Anonymous memory in huge pages where the kernel gives them: the limit is the copy's, not the page tables'.
class Pages {
 public:
  explicit Pages(std::size_t size) : size_(size) {
    void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw_errno("map memory for the memory-copy limit");
    ::madvise(at, size, MADV_HUGEPAGE);  // only a wish
    bytes_ = static_cast<std::byte*>(at);
  }
  ~Pages() { ::munmap(bytes_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* bytes() const { return bytes_; }

 private:
  std::byte* bytes_ = nullptr;
  std::size_t size_;
};

}  // namespace

LimitMeasurement measure_memory_copy(std::uint64_t bytes) {
  const std::size_t source_bytes = source_size_bytes();
  const Pages source(source_bytes), block(block_bytes);
  fill_seeded(0, 0, {source.bytes(), source_bytes});  // all different: equal pages might be merged
  std::memset(block.bytes(), 1, block_bytes);
  LimitMeasurement limit;
  const double start_s = monotonic_s();
  std::size_t at = 0;
  while (limit.bytes < bytes) {
    const std::size_t part = static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, bytes - limit.bytes));
    std::memcpy(block.bytes(), source.bytes() + at, part);
    // The compiler is told that somebody reads the block, or it might leave the copy out.
    asm volatile("" : : "r"(block.bytes()) : "memory");
    limit.bytes += part;
    at = (at + block_bytes) % source_bytes;
  }
  limit.seconds = monotonic_s() - start_s;
  return limit;
}

}  // namespace iobench
