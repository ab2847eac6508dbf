// SPDX-License-Identifier: MIT
// The sources are read in order and around again, so that they come from memory; the blocks stay in the cache, as a
// copy tool's buffer does.
#include "limit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "digest.h"
#include "facts.h"
#include "storage.h"
#include "system.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t block_bytes = 1u << 20;
constexpr std::size_t huge_page_bytes = 2u << 20;
// Prototypes on the machine of METHODOLOGY.md reached 3.7 GB/s with huge pages and 2 MiB or more a call, 1.3 to 1.7
// with small pages.
constexpr std::size_t direct_bytes = 4u << 20;

// Twice the last-level cache, so that going around finds nothing of the round before: 64 MiB for the 32 MiB that a core
// complex of Zen 4 has, more where the kernel tells of more, up to a size that any machine can spare.
std::size_t source_size_bytes() {
  constexpr std::uint64_t least = 64u << 20, most = 512u << 20;
  const std::string cache = fact("/sys/devices/system/cpu/cpu0/cache/index3/size");  // "32768K"
  const std::uint64_t wanted = cache.empty() ? least : 2 * parse_size(cache);
  return static_cast<std::size_t>(std::clamp(wanted, least, most));
}

// Anonymous memory on a boundary of huge pages, in them where the kernel gives them: the limit is the copy's, not the
// page tables'.
class Pages {
 public:
  explicit Pages(std::size_t size) : mapped_bytes_(size + huge_page_bytes) {
    mapped_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw_errno("map memory for a limit");
    void* at = mapped_;
    std::size_t room = mapped_bytes_;
    bytes_ = static_cast<std::byte*>(std::align(huge_page_bytes, size, at, room));
    ::madvise(bytes_, size, MADV_HUGEPAGE);  // only a wish
  }
  ~Pages() { ::munmap(mapped_, mapped_bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* bytes() const { return bytes_; }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_;
  std::byte* bytes_ = nullptr;
};

// One thread's part.
struct Copier {
  Copier(std::size_t source_size, std::uint64_t part)
      : source(source_size), block(block_bytes), source_bytes(source_size), bytes(part) {
    fill_seeded(0, 0, {source.bytes(), source_bytes});  // all different: equal pages might be merged
    std::memset(block.bytes(), 1, block_bytes);
  }
  void copy() const {
    std::size_t at = 0;
    for (std::uint64_t copied = 0; copied < bytes; copied += block_bytes) {
      std::memcpy(block.bytes(), source.bytes() + at,
                  static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, bytes - copied)));
      // The compiler is told that somebody reads the block, or it might leave the copy out.
      asm volatile("" : : "r"(block.bytes()) : "memory");
      at = (at + block_bytes) % source_bytes;
    }
  }

  Pages source, block;
  std::size_t source_bytes;
  std::uint64_t bytes;
};

LimitMeasurement not_measured(const std::string& what, int code) {
  return {0, 0, fmt::format("{}: {}", what, std::strerror(code))};
}

LimitMeasurement copy_in_memory(std::uint64_t bytes, unsigned threads) {
  const std::size_t source_bytes = source_size_bytes();
  std::deque<Copier> copiers;
  for (unsigned i = 0; i < threads; ++i)
    copiers.emplace_back(source_bytes, bytes / threads + (i < bytes % threads ? 1 : 0));
  std::atomic<unsigned> waiting = 0;
  std::atomic<bool> go = false;
  const auto wait = [](const auto& until) {
    while (!until()) std::this_thread::yield();
  };
  std::vector<std::jthread> others;  // the first part is this thread's
  try {
    for (unsigned i = 1; i < threads; ++i)
      others.emplace_back([&, i] {
        ++waiting;
        wait([&] { return go.load(); });
        copiers[i].copy();
      });
  } catch (...) {
    go = true;  // those that were started end
    throw;
  }
  wait([&] { return waiting + 1 >= threads; });
  const double start_s = monotonic_s();
  go = true;
  copiers[0].copy();
  for (std::jthread& other : others) other.join();
  return {bytes, monotonic_s() - start_s, {}};
}

// What devices have delivered to this process; 0: not known.
std::uint64_t delivered_bytes() {
  std::istringstream lines(read_file_or_empty("/proc/self/io"));
  std::string name;
  for (std::uint64_t value = 0; lines >> name >> value;)
    if (name == "read_bytes:") return value;
  return 0;
}

// Calls of `call` (of pread's kind) in order until `size` bytes are through, it has taken too long, or it fails: then
// why_not.
template <class Call>
LimitMeasurement in_direct_calls(std::uint64_t size, double most_s, const char* what, Call call) {
  LimitMeasurement limit;
  const double start_s = monotonic_s();
  while (limit.bytes < size && limit.seconds < most_s) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(direct_bytes, size - limit.bytes));
    const ssize_t moved = call(part, static_cast<off_t>(limit.bytes));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return not_measured(what, errno);
    if (moved == 0) break;
    limit.bytes += static_cast<std::uint64_t>(moved);
    limit.seconds = monotonic_s() - start_s;
  }
  return limit;
}

constexpr std::uint64_t whole_blocks(std::uint64_t bytes) {
  return bytes / 4096 * 4096;
}

LimitMeasurement read_directly(const fs::path& file, const DeviceBounds& bounds) {
  const Descriptor input(::open(file.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  if (!input) return not_measured("open by O_DIRECT", errno);
  struct stat status = {};
  if (::fstat(input.get(), &status) != 0) return not_measured("look at its size", errno);
  const std::uint64_t size = std::min(whole_blocks(static_cast<std::uint64_t>(status.st_size)), bounds.most_bytes);
  if (size == 0) return {0, 0, "the file is smaller than a block"};
  const Pages buffer(direct_bytes);
  std::memset(buffer.bytes(), 1, direct_bytes);
  const std::uint64_t before = delivered_bytes();
  LimitMeasurement limit = in_direct_calls(size, bounds.most_s, "read by O_DIRECT", [&](std::size_t part, off_t at) {
    return ::pread(input.get(), buffer.bytes(), part, at);
  });
  // Some file systems take O_DIRECT for a wish and answer from the page cache.
  if (limit.why_not.empty() && (delivered_bytes() - before) < limit.bytes / 100 * 95)
    return {0, 0, "O_DIRECT is served from memory here"};
  return limit;
}

LimitMeasurement write_directly(const fs::path& directory, const DeviceBounds& bounds) {
  const Descriptor output(::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_DIRECT | O_CLOEXEC, 0600));
  if (!output) return not_measured("make a file without a name by O_DIRECT", errno);
  const Pages buffer(direct_bytes);
  fill_seeded(0, 0, {buffer.bytes(), direct_bytes});
  const double start_s = monotonic_s();
  LimitMeasurement limit =
      in_direct_calls(whole_blocks(bounds.most_bytes), bounds.most_s, "write by O_DIRECT",
                      [&](std::size_t part, off_t at) { return ::pwrite(output.get(), buffer.bytes(), part, at); });
  if (!limit.why_not.empty()) return limit;
  if (::fdatasync(output.get()) != 0) return not_measured("sync", errno);
  limit.seconds = monotonic_s() - start_s;
  return limit;
}

template <class Measure>
LimitMeasurement on_device(const fs::path& place, Measure measure) {
  const Mount mount = mount_of(place);
  LimitMeasurement limit;
  if (in_memory(mount)) {
    limit.why_not = "it has no device";
  } else {
    try {
      limit = measure();
    } catch (const Error& error) {
      limit.why_not = error.what();
    }
  }
  if (!limit.why_not.empty() && !mount.type.empty()) limit.why_not = fmt::format("{}: {}", mount.type, limit.why_not);
  return limit;
}

}  // namespace

LimitMeasurement measure_memory_copy(std::uint64_t bytes, unsigned threads) {
  try {
    return copy_in_memory(bytes, threads);
  } catch (const std::exception& error) {
    return {0, 0, error.what()};
  }
}

LimitMeasurement measure_device_read(const fs::path& file, const DeviceBounds& bounds) {
  return on_device(file, [&] { return read_directly(file, bounds); });
}

LimitMeasurement measure_device_write(const fs::path& directory, const DeviceBounds& bounds) {
  return on_device(directory, [&] { return write_directly(directory, bounds); });
}

}  // namespace iobench
