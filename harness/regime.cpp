// SPDX-License-Identifier: MIT
// Asks the kernel twice: before, whether anything is to be done, and after, what was reached. An advice to the kernel
// is never taken for its effect.
#include "regime.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <thread>

#include "facts.h"
#include "storage.h"
#include "system.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr double cold_at_most = 0.01;              // of the pages; METHODOLOGY.md
constexpr std::uint64_t debt_at_most = 16u << 20;  // Dirty + Writeback, the whole machine's
constexpr double debt_wait_s = 10;
constexpr std::size_t read_bytes = 1u << 20;

// <linux/mman.h> has these since Linux 6.5, Debian 12's headers do not.
struct CachestatRange {
  std::uint64_t offset = 0, length = 0;  // length 0: to the end
};
struct Cachestat {
  std::uint64_t cached = 0, dirty = 0, writeback = 0, evicted = 0, recently_evicted = 0;  // pages
};
#ifdef SYS_cachestat
constexpr long cachestat_call = SYS_cachestat;
#else
constexpr long cachestat_call = 451;  // everywhere but on Alpha
#endif

std::uint64_t page_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// O_NONBLOCK: a FIFO is to be refused, not waited for.
Descriptor open_input(const fs::path& path) {
  return open_file(path, O_RDONLY | O_NONBLOCK);
}

struct stat status_of(const Descriptor& file, const fs::path& path) {
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) throw_errno(fmt::format("look at {}", path.string()));
  if (!S_ISREG(status.st_mode)) throw Error(fmt::format("look at {}: it is not a regular file", path.string()));
  return status;
}

// The rule that the kernel has for mincore since 5.2: others are told that every page is resident.
bool mincore_is_honest(const fs::path& path, const struct stat& status) {
  return ::geteuid() == 0 || status.st_uid == ::geteuid() || ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

// Resident part of runs of pages spread evenly over the file: every page of a file up to 16 MiB, 1.5 % of 1 GiB.
Residency sample_with_mincore(const Descriptor& file, const fs::path& path, const struct stat& status) {
  constexpr std::uint64_t runs = 256, pages_per_run = 16;
  if (!mincore_is_honest(path, status))
    return {false, 0, {}, {}, "mincore tells the truth only about files that one may write"};
  const std::uint64_t page = page_bytes(), size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t pages = (size + page - 1) / page;
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) return {false, 0, {}, {}, fmt::format("map for mincore: {}", std::strerror(errno))};
  std::uint64_t looked = 0, resident = 0;
  std::string trouble;
  const std::uint64_t step = std::max<std::uint64_t>(pages_per_run, pages / runs);
  for (std::uint64_t first = 0; first < pages && trouble.empty(); first += step) {
    unsigned char flags[pages_per_run] = {};
    const std::uint64_t count = std::min(pages_per_run, pages - first);
    if (::mincore(static_cast<std::byte*>(at) + first * page, count * page, flags) != 0)
      trouble = fmt::format("mincore: {}", std::strerror(errno));
    looked += count;
    resident +=
        static_cast<std::uint64_t>(std::count_if(flags, flags + count, [](unsigned char flag) { return flag & 1; }));
  }
  ::munmap(at, size);
  if (!trouble.empty()) return {false, 0, {}, {}, trouble};
  return {true, static_cast<double>(resident) / static_cast<double>(looked), {}, {}, "mincore"};
}

// Nothing of an empty file is in the cache.
Residency nothing_resident(const char* method) {
  return {true, 0, 0, 0, method};
}

// An overlay's file has no pages of its own: cachestat looks there and always sees an empty cache, while a mapping is of
// the file below.
bool is_overlay(const Descriptor& file) {
  struct statfs system = {};
  return ::fstatfs(file.get(), &system) == 0 && system.f_type == OVERLAYFS_SUPER_MAGIC;
}

Residency residency_of(const Descriptor& file, const fs::path& path, bool by_cachestat) {
  const struct stat status = status_of(file, path);
  by_cachestat = by_cachestat && !is_overlay(file);
  if (status.st_size == 0) return nothing_resident(by_cachestat ? "cachestat" : "mincore");
  CachestatRange range;
  Cachestat found;
  if (!by_cachestat || ::syscall(cachestat_call, file.get(), &range, &found, 0) != 0)
    return sample_with_mincore(file, path, status);
  const std::uint64_t page = page_bytes(), pages = (static_cast<std::uint64_t>(status.st_size) + page - 1) / page;
  const double fraction = static_cast<double>(found.cached) / static_cast<double>(pages);
  return {true, std::min(1.0, fraction), found.dirty * page, found.writeback * page, "cachestat"};
}

void evict(const Descriptor& file, const fs::path& path) {
  // Dirty pages are not dropped by the advice: they are written first. A read-only descriptor is enough.
  // Where the file system has nothing to sync, or may not be written, nothing of the file is dirty.
  if (::fdatasync(file.get()) != 0 && errno != EINVAL && errno != EROFS)
    throw_errno(fmt::format("sync {}", path.string()));
  if (const int code = ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED))
    throw_errno(fmt::format("evict {}", path.string()), code);
}

void read_in_order(const Descriptor& file, const fs::path& path) {
  std::vector<std::byte> block(read_bytes);
  off_t at = 0;
  for (;;) {
    if (const int signal = interrupt_requested())
      throw Error(fmt::format("read {}: interrupted", path.string()), 128 + signal);
    const ssize_t got = ::pread(file.get(), block.data(), block.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno(fmt::format("read {}", path.string()));
    if (got == 0) return;
    at += got;
  }
}

bool is_cold(const Residency& found) {
  return found.known && found.resident_fraction <= cold_at_most && found.dirty_bytes.value_or(0) == 0 &&
         found.writeback_bytes.value_or(0) == 0;
}

// "pid 4711 (postgres)" of a process that maps the file, or empty. Other users' maps are readable to root only.
std::string mapping_holder(const fs::path& path, const struct stat& status) {
  std::error_code ignored;
  const std::string name = fs::canonical(path, ignored).string();
  const std::string device = fmt::format("{:02x}:{:02x}", major(status.st_dev), minor(status.st_dev));
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::istringstream lines(read_file_or_empty(entry.path() / "maps"));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string range, rights, offset, line_device, inode, line_name;
      words >> range >> rights >> offset >> line_device >> inode >> std::ws;
      std::getline(words, line_name);
      // By name where the file system gives mappings another device number (btrfs, overlay).
      if (inode == std::to_string(status.st_ino) && (line_device == device || line_name == name))
        return fmt::format("pid {} ({})", pid, fact(entry.path() / "comm"));
    }
  }
  return {};
}

// Empty, or why it could not be done.
std::string drop_caches() {
  const Descriptor file(::open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), "1\n", 2) != 2) return fmt::format("drop_caches: {}", std::strerror(errno));
  return {};
}

// What of the file is cached now, and how long it took to ask.
void look(const Descriptor& file, const fs::path& path, Evidence& evidence) {
  const double from_s = monotonic_s();
  evidence.input = residency_of(file, path, true);
  evidence.asked_s += monotonic_s() - from_s;
}

void make_cold(const Descriptor& file, const fs::path& path, Evidence& evidence) {
  evict(file, path);
  look(file, path, evidence);
  evidence.note = "evicted by posix_fadvise";
  if (is_cold(evidence.input)) return;
  if (in_memory(mount_of(path))) {
    evidence.note = "its file system keeps files in memory: there is nothing to be cold on";
    return;
  }
  std::string obstacle = drop_caches();
  evidence.caches_dropped = obstacle.empty();
  look(file, path, evidence);
  evidence.note = "evicted by drop_caches";
  if (is_cold(evidence.input)) return;
  if (!evidence.input.known) {
    evidence.note = "residency unknown: " + evidence.input.method;
    return;
  }
  evidence.note = fmt::format("still {} resident", format_percent(evidence.input.resident_fraction));
  if (const std::string holder = mapping_holder(path, status_of(file, path)); !holder.empty())
    evidence.note += ": mapped by " + holder;
  if (const auto dirty = evidence.input.dirty_bytes.value_or(0) + evidence.input.writeback_bytes.value_or(0))
    evidence.note += fmt::format("; {} dirty or in write-back", format_size(dirty));
  if (!obstacle.empty()) evidence.note += "; " + obstacle;
}

void make_warm(const Descriptor& file, const fs::path& path, Evidence& evidence) {
  const auto all_resident = [&] { return evidence.input.known && evidence.input.resident_fraction >= 1; };
  look(file, path, evidence);
  evidence.note = "found resident";
  if (all_resident()) return;
  // Evicted first, so that the cache is filled by large reads alone: filled in small steps it is up to 1.7 times slower
  // to read (1 GiB written in 4 KiB pieces against 1 MiB, read with 1 MiB, 2026-11-30).
  evict(file, path);
  read_in_order(file, path);
  look(file, path, evidence);
  evidence.note = "read once in order";
  if (!evidence.input.known)
    evidence.note = "residency unknown: " + evidence.input.method;
  else if (!all_resident())
    evidence.note = fmt::format("{} resident after it was read once: it does not stay in memory",
                                format_percent(evidence.input.resident_fraction));
}

}  // namespace

bool cachestat_available() {
  CachestatRange range;
  Cachestat found;
  return ::syscall(cachestat_call, -1, &range, &found, 0) != 0 && errno == EBADF;
}

Residency residency(const fs::path& path) {
  return residency_of(open_input(path), path, true);
}
Residency residency_by_mincore(const fs::path& path) {
  return residency_of(open_input(path), path, false);
}

Evidence apply_regime(Cache cache, const fs::path& input) {
  Evidence evidence;
  if (cache == Cache::none) return evidence;
  const double start_s = monotonic_s();
  const Descriptor file = open_input(input);
  const bool empty = status_of(file, input).st_size == 0;
  if (cache == Cache::warm) {
    make_warm(file, input, evidence);
    evidence.reached = evidence.input.known && (evidence.input.resident_fraction >= 1 || empty);
  } else {
    make_cold(file, input, evidence);
    evidence.reached = is_cold(evidence.input);
  }
  evidence.applied_s = monotonic_s() - start_s;
  return evidence;
}

void touch_files(const std::vector<fs::path>& paths) {
  std::vector<std::byte> block(read_bytes);
  for (const fs::path& path : paths) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    while (file && ::read(file.get(), block.data(), block.size()) > 0) continue;
  }
}

void touch_memory(std::uint64_t bytes) {
  const std::uint64_t wanted = std::min(2 * bytes, meminfo("MemAvailable") / 2);
  if (wanted == 0) return;
  void* memory = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;  // a cure, not a condition: without it a run is noisier, and no less true
  ::madvise(memory, wanted, MADV_HUGEPAGE);
  for (std::uint64_t at = 0; at < wanted; at += page_bytes()) static_cast<volatile char*>(memory)[at] = 1;
  ::munmap(memory, wanted);
}

Debt wait_for_writeback(const fs::path& directory) {
  const auto owed = [] { return meminfo("Dirty") + meminfo("Writeback"); };
  const double start_s = monotonic_s();
  Debt debt{owed(), 0};
  if (debt.left_bytes <= debt_at_most) return debt;
  // In a thread of its own, since syncfs cannot be given a time: a slow disk with gigabytes to write would take
  // minutes.
  if (const int fd = ::open(existing_parent(directory).c_str(), O_RDONLY | O_CLOEXEC); fd >= 0)
    std::thread([fd] {
      ::syncfs(fd);
      ::close(fd);
    }).detach();
  do {
    ::usleep(10000);
    debt = {owed(), monotonic_s() - start_s};
  } while (debt.left_bytes > debt_at_most && debt.waited_s < debt_wait_s && interrupt_requested() == 0);
  return debt;
}

std::optional<std::uint64_t> device_written_bytes(const fs::path& path) {
  const fs::path device = block_device_of(path);
  if (device.empty()) return {};
  std::istringstream fields(
      fact(device / "stat"));  // Documentation/block/stat.rst: field 7, sectors of 512 bytes written
  std::uint64_t field = 0;
  for (int i = 0; i < 7; ++i)
    if (!(fields >> field)) return {};
  return field * 512;
}

}  // namespace iobench
