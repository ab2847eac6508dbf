// SPDX-License-Identifier: MIT
// A run that is not what its row says is refused, with the reason: each planted lie has its case here. Three calls of
// the C library are replaced in this program, so that they can be told to do nothing and to say that all is well.
#include "trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "catch.h"
#include "environment.h"
#include "scratch.h"
#include "storage.h"
#include "units.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

bool idle_fadvise = false, idle_sync = false, idle_drop = false;
constexpr std::uint64_t mib = 1u << 20, file_bytes = 24 * mib;

}  // namespace

extern "C" int posix_fadvise(int fd, off_t offset, off_t length, int advice) {
  return idle_fadvise ? 0 : static_cast<int>(-::syscall(SYS_fadvise64, fd, offset, length, advice));
}
extern "C" int fdatasync(int fd) { return idle_sync ? 0 : static_cast<int>(::syscall(SYS_fdatasync, fd)); }
extern "C" int syncfs(int fd) { return idle_sync ? 0 : static_cast<int>(::syscall(SYS_syncfs, fd)); }
extern "C" int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (idle_drop && std::strcmp(path, "/proc/sys/vm/drop_caches") == 0) path = "/dev/null";
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

namespace {

// A row of its own: a command that reads a file of 24 MiB.
struct Bench {
  Scratch scratch;
  Environment environment;
  fs::path tools = std::getenv("IOBENCH_TOOLS");
  fs::path input = scratch / "input";
  std::optional<Placement> placement;
  std::optional<Runner> runner;
  PlannedRow row;
  std::optional<MemoryControl> control = find_memory_control().control;

  explicit Bench(Cache cache, const std::string& program = "readwrite", Input from = Input::corpus) {
    environment.set("PATH", std::string(std::getenv("IOBENCH_ROOT")) + "/tests/fakes:" + std::getenv("PATH"));
    environment.set("FAKE_LOG", "");
    environment.set("FAKE_MODE", "");
    generate_corpus(input, 1, file_bytes);
    row.row.name = "row";
    row.row.program = program;
    row.row.tool = "readwrite";
    row.row.input = from;
    row.row.cache = cache;
    row.size_bytes = file_bytes;
    row.argv = {program};
    fs::create_directory(scratch / "work");
    place();
    runner.emplace(find_program("hyperfine"), tools / "plumb", scratch.path());
  }
  void place() {
    placement.emplace(Plan{}, scratch / "work", tools, fs::path{}, ProgressFunction{},
                      Corpus{input, fs::file_size(input), 0, {}, false});
  }
  Sample attempt() {
    const Connections connections(Plan{}, tools, scratch.path(), {});
    return Trials(*placement, connections, *runner, {}, control ? &*control : nullptr, "").attempt(row);
  }
};

bool can_be_cold(const Scratch& scratch) {
  if (!block_device_of(scratch.path()).empty()) return true;
  WARN("skipped: the build directory is on " << mount_of(scratch.path()).type << ", not on a block device");
  return false;
}

// Put back at the end of a test whatever it planted.
struct Honest {
  ~Honest() { idle_fadvise = idle_sync = idle_drop = false; }
};

// Another process, outside any group of ours, that waits until `go` appears, reads the file, and says `done`.
class Outsider {
 public:
  explicit Outsider(const Bench& bench) {
    child_ = ::fork();
    if (child_ != 0) return;
    const fs::path go = bench.scratch / "go";
    for (int i = 0; i < 1000 && ::access(go.c_str(), F_OK) != 0; ++i) ::usleep(10000);
    const int fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, bench.input.c_str(), O_RDONLY));
    static char block[mib];
    while (::read(fd, block, sizeof block) > 0) continue;
    ::close(static_cast<int>(::syscall(SYS_openat, AT_FDCWD, (bench.scratch / "done").c_str(), O_WRONLY | O_CREAT, 0666)));
    ::_exit(0);
  }
  ~Outsider() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Outsider(const Outsider&) = delete;
  Outsider& operator=(const Outsider&) = delete;

 private:
  pid_t child_ = -1;
};

// A command that lets the outsider read the file first.
fs::path late_reader(const Bench& bench) {
  return bench.scratch.script("late", fmt::format("touch {0}/go\nwhile [ ! -e {0}/done ]; do sleep 0.01; done\nexec cat",
                                                  bench.scratch.path().string()));
}

}  // namespace

TEST_CASE("runs that are what they say are kept, with their evidence") {
  for (const Cache cache : {Cache::warm, Cache::cold}) {
    for (const Input from : {Input::corpus, Input::pipe}) {
      Bench bench(cache, "readwrite", from);
      if (!can_be_cold(bench.scratch)) return;
      INFO(to_string(cache) << " from " << to_string(from));
      const Sample sample = bench.attempt();
      INFO(sample.reason);
      CHECK(sample.status == "ok");
      CHECK(sample.resident_before.value_or(-1) == (cache == Cache::warm ? 1 : 0));
      REQUIRE(sample.device_read_bytes);
      if (cache == Cache::warm) CHECK(*sample.device_read_bytes <= mib);
      if (cache == Cache::cold) CHECK(*sample.device_read_bytes >= file_bytes * 95 / 100);
      CHECK(sample.bytes == file_bytes);
      CHECK(sample.wall_s == 0.25);
      CHECK(sample.cgroup.empty());
      CHECK_FALSE(sample.limit_bytes);
    }
  }
}

TEST_CASE("a confined run has its limit and its group on record", "[B118]") {
  Bench bench(Cache::confined, "cat");  // a tool built with sanitizers would not fit
  if (!can_be_cold(bench.scratch)) return;
  if (!bench.control) {
    WARN("skipped: " << find_memory_control().obstacle);
    const Sample sample = bench.attempt();
    CHECK(sample.status == "regime-not-reached");
    CHECK(sample.reason.find("not confined: ") == 0);
    CHECK_FALSE(sample.wall_s);
    return;
  }
  const Sample sample = bench.attempt();
  INFO(sample.reason);
  CHECK(sample.status == "ok");
  CHECK(sample.limit_bytes == memory_limit_bytes(bench.row));
  CHECK(sample.cgroup.find(fmt::format("v{}:iobench-{}.", bench.control->version, ::getpid())) == 0);
  CHECK(sample.device_read_bytes.value_or(0) >= file_bytes * 95 / 100);
  for (const auto& entry : fs::directory_iterator(bench.control->parent))
    CHECK(entry.path().filename().string().find(fmt::format("iobench-{}.", ::getpid())) != 0);
}

TEST_CASE("a command that needs more memory than its limit was killed for that, and the sample says so", "[B118]") {
  Bench bench(Cache::confined);
  if (!can_be_cold(bench.scratch)) return;
  if (!bench.control) {
    WARN("skipped: " << find_memory_control().obstacle);
    return;
  }
  const std::string hungry = "tail -n 1 /dev/zero";  // looks for the end of a line that has none
  for (const std::string& script : {"exec " + hungry, hungry + "\nexec cat"}) {  // its parent goes on as if all were well
    bench.row.argv = {bench.scratch.script("hungry", script).string()};
    const Sample sample = bench.attempt();
    INFO(script << ": " << sample.reason);
    CHECK(sample.status == "failed");
    CHECK(sample.reason == fmt::format("out of memory: the kernel killed 1 of its processes at the limit of {}",
                                       format_size(sample.limit_bytes.value())));
  }
}

TEST_CASE("a limit that is not in force is no run", "[B115]") {
  Bench bench(Cache::confined);
  bench.control = MemoryControl{1, bench.scratch / "no-such-tree", "planted", false};
  const Sample sample = bench.attempt();
  CHECK(sample.status == "regime-not-reached");
  CHECK(sample.reason.find("not confined: ") == 0);
  CHECK_FALSE(sample.wall_s);
  CHECK_FALSE(sample.limit_bytes);
}

TEST_CASE("a limit that the whole file fits into confines nothing") {
  Bench bench(Cache::confined);
  bench.row.size_bytes = 8 * mib;
  const Sample sample = bench.attempt();
  CHECK(sample.status == "regime-not-reached");
  CHECK_FALSE(sample.wall_s);
  if (bench.control && can_be_cold(bench.scratch))
    CHECK(sample.reason == "not confined: the smallest limit, 8 MiB, holds all of its 8 MiB");
}

TEST_CASE("planted: drop_caches and posix_fadvise that do nothing", "[B113]") {
  const Honest honest;
  Bench bench(Cache::cold);
  if (!can_be_cold(bench.scratch)) return;
  apply_regime(Cache::warm, bench.input);
  idle_fadvise = idle_drop = true;
  const Sample sample = bench.attempt();
  INFO(sample.reason);
  CHECK(sample.status == "regime-not-reached");
  CHECK(sample.reason.find("not cold: still 100.0 % resident") == 0);
  CHECK(sample.resident_before == 1);
  CHECK_FALSE(sample.wall_s);
  idle_fadvise = idle_drop = false;
  CHECK(bench.attempt().status == "ok");
}

TEST_CASE("planted: fadvise on dirty pages") {
  const Honest honest;
  Bench bench(Cache::cold);
  if (!can_be_cold(bench.scratch)) return;
  const std::string bytes(8 * mib, 'x');
  bool caught = false;
  // Another program may sync the file system in between; then the pages are clean, and the run is what it says.
  for (int i = 0; i < 20 && !caught; ++i) {
    idle_sync = idle_drop = false;
    const Descriptor file(::open(bench.input.c_str(), O_WRONLY));
    write_all(file.get(), bytes.data(), bytes.size(), bench.input);
    bench.place();  // it was changed before the measurement, not during it
    idle_sync = idle_drop = true;
    const Sample sample = bench.attempt();
    INFO(sample.reason);
    caught = sample.status == "regime-not-reached";
    if (caught) CHECK(sample.reason.find("not cold: ") == 0);
    if (caught) CHECK_FALSE(sample.wall_s);
    if (!caught) CHECK(sample.dirty_before_bytes.value_or(0) == 0);
  }
  CHECK(caught);
}

TEST_CASE("planted: a file that another process maps") {
  Bench bench(Cache::cold);
  if (!can_be_cold(bench.scratch)) return;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const int fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, bench.input.c_str(), O_RDONLY));
    const auto* at = static_cast<const volatile char*>(::mmap(nullptr, file_bytes, PROT_READ, MAP_SHARED, fd, 0));
    for (std::size_t i = 0; i < file_bytes; i += 4096) static_cast<void>(at[i]);
    if (::write(ready[1], "r", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  const Sample sample = bench.attempt();
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  INFO(sample.reason);
  CHECK(sample.status == "regime-not-reached");
  CHECK(sample.reason.find(fmt::format("mapped by pid {}", holder)) != std::string::npos);
  CHECK(bench.attempt().status == "ok");
}

TEST_CASE("planted: a file cached from outside while the run goes on") {
  for (const Cache cache : {Cache::cold, Cache::confined}) {
    Bench bench(cache);
    if (!can_be_cold(bench.scratch)) return;
    if (cache == Cache::confined && !bench.control) {
      WARN("skipped: " << find_memory_control().obstacle);
      continue;
    }
    bench.row.argv = {late_reader(bench).string()};
    const Outsider outsider(bench);
    const Sample sample = bench.attempt();
    INFO(sample.reason);
    CHECK(sample.status == "regime-not-reached");
    CHECK(sample.reason.find(fmt::format("not {}: devices delivered ", to_string(cache))) == 0);
    CHECK(sample.wall_s == 0.25);  // it was run, and is kept as what it is
  }
}

TEST_CASE("planted: a warm file that is evicted while the run goes on") {
  Bench bench(Cache::warm);
  if (!can_be_cold(bench.scratch)) return;
  // dd with nocache and nothing to read advises the kernel to drop the whole file.
  bench.row.argv = {bench.scratch.script("evicting", "dd iflag=nocache count=0 status=none; exec cat").string()};
  const Sample sample = bench.attempt();
  INFO(sample.reason);
  CHECK(sample.status == "regime-not-reached");
  CHECK(sample.reason.find("not warm: devices delivered ") == 0);
}

TEST_CASE("planted: residency asked by a stranger") {
  if (::geteuid() != 0) {
    WARN("skipped: needs root to become somebody else");
    return;
  }
  Bench bench(Cache::warm);
  bench.input = "/bin/sh";  // somebody else's, and within everybody's reach, wherever this test lies
  read_file(bench.input);   // warm for certain
  bench.place();
  for (const Cache cache : {Cache::warm, Cache::cold}) {
    bench.row.row.cache = cache;
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(99);
      const Sample sample = bench.attempt();
      const bool unknown = sample.reason.find("residency unknown: ") != std::string::npos;
      ::_exit(sample.status == "regime-not-reached" && unknown && !sample.wall_s ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
}

TEST_CASE("evidence is judged by what devices delivered") {
  PlannedRow row;
  row.size_bytes = 1u << 30;
  Sample sample;
  const auto judged = [&](Cache cache, std::uint64_t delivered) {
    row.row.cache = cache;
    sample.device_read_bytes = delivered;
    return judge_evidence(row, sample);
  };
  CHECK(judged(Cache::warm, 0).empty());
  CHECK(judged(Cache::warm, (1u << 30) / 100).empty());
  CHECK(judged(Cache::warm, (1u << 30) / 99) == "not warm: devices delivered 10.3 MiB during the run");
  CHECK(judged(Cache::cold, 1020054733).empty());
  CHECK_FALSE(judged(Cache::cold, 1020054700).empty());
  CHECK_FALSE(judged(Cache::confined, 0).empty());
  row.row.not_confined = true;
  CHECK(judged(Cache::confined, 0).find("not cold: ") == 0);
  row.size_bytes = 4096;
  CHECK(judged(Cache::warm, 1u << 20).empty());
  sample.device_read_bytes.reset();
  CHECK(judge_evidence(row, sample).find("unknown: ") == 0);
  row.row.input = Input::zero;
  CHECK(judge_evidence(row, sample).empty());
}
