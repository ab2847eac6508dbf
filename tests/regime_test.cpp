// SPDX-License-Identifier: MIT
// Warm is warm, cold is cold, and where it is not, the evidence says so: each planted lie has its case here.
#include "regime.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "catch.h"
#include "corpus.h"
#include "scratch.h"
#include "storage.h"
#include "system.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t mib = 1u << 20;

bool on_a_device(const Scratch& scratch) {
  const bool device = !block_device_of(scratch.path()).empty();
  if (!device)
    WARN("skipped: the build directory is on " << mount_of(scratch.path()).type << ", not on a block device");
  return device;
}

bool can_be_cold(const Scratch& scratch) {
  return mount_of(scratch.path()).type == "overlay" || on_a_device(scratch);
}

fs::path make_input(const Scratch& scratch, std::uint64_t size = 8 * mib) {
  generate_corpus(scratch / "input", 1, size);
  return scratch / "input";
}

// Runs `body` in a child as another user; its exit status.
int as_nobody(int (*body)()) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::setgid(65534) == 0 && ::setuid(65534) == 0 ? body() : 99);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// A process that maps the file and has touched every page; ended with the object.
class Holder {
 public:
  explicit Holder(const fs::path& path) {
    int ready[2];
    if (::pipe(ready) != 0) throw_errno("create a pipe");
    child_ = ::fork();
    if (child_ == 0) {
      const int fd = ::open(path.c_str(), O_RDONLY);
      const auto size = static_cast<std::size_t>(fs::file_size(path));
      const auto* bytes = static_cast<const volatile char*>(::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0));
      for (std::size_t at = 0; at < size; at += 4096) static_cast<void>(bytes[at]);
      if (::write(ready[1], "r", 1) == 1) ::pause();
      ::_exit(0);
    }
    ::close(ready[1]);
    char byte = 0;
    if (::read(ready[0], &byte, 1) != 1) child_ = -1;
    ::close(ready[0]);
  }
  ~Holder() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  pid_t pid() const { return child_; }

 private:
  pid_t child_ = -1;
};

}  // namespace

TEST_CASE("warm and cold, as often as asked") {
  const Scratch scratch;
  if (!can_be_cold(scratch)) return;
  const fs::path input = make_input(scratch);
  for (int round = 0; round < 2; ++round) {
    const Evidence cold = apply_regime(Cache::cold, input);
    INFO(cold.note);
    REQUIRE(cold.input.known);
    CHECK(cold.reached);
    CHECK(cold.input.resident_fraction <= 0.01);
    CHECK(cold.input.dirty_bytes.value_or(0) == 0);
    const Evidence warm = apply_regime(Cache::warm, input);
    INFO(warm.note);
    CHECK(warm.reached);
    CHECK(warm.note == "read once in order");
    CHECK(warm.input.resident_fraction == 1);
    CHECK(residency(input).resident_fraction == 1);
    CHECK_FALSE(warm.caches_dropped);
  }
  const Evidence again = apply_regime(Cache::warm, input);
  CHECK(again.reached);
  CHECK(again.note == "found resident");
}

TEST_CASE("a file with pages that are not yet written becomes cold all the same") {
  const Scratch scratch;
  if (!can_be_cold(scratch)) return;
  const std::string bytes(4 * mib, 'x');
  const fs::path input = scratch / "dirty";
  const Descriptor file = open_file(input, O_WRONLY | O_CREAT);
  write_all(file.get(), bytes.data(), bytes.size(), input);
  const Residency before = residency(input);
  if (before.dirty_bytes) CHECK(*before.dirty_bytes + before.writeback_bytes.value_or(0) > 0);
  const Evidence cold = apply_regime(Cache::cold, input);
  INFO(cold.note);
  CHECK(cold.reached);
  CHECK(read_file(input) == bytes);
}

TEST_CASE("an overlay's file is as warm and as cold as the file below") {
  const Scratch scratch;
  if (!on_a_device(scratch)) return;
  for (const char* part : {"lower", "upper", "work", "merged"}) fs::create_directory(scratch / part);
  generate_corpus(scratch / "lower" / "input", 1, 8 * mib);
  const pid_t child = ::fork();
  if (child == 0) {  // a mount namespace of its own: nothing is left mounted
    const std::string options = fmt::format("lowerdir={0}/lower,upperdir={0}/upper,workdir={0}/work", scratch.path().string());
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("overlay", (scratch / "merged").c_str(), "overlay", 0, options.c_str()) != 0)
      ::_exit(99);
    const fs::path input = scratch / "merged" / "input";
    const Evidence cold = apply_regime(Cache::cold, input);
    const Evidence warm = apply_regime(Cache::warm, input);
    ::_exit((cold.reached && cold.input.resident_fraction <= 0.01 ? 0 : 1) +
            (warm.reached && warm.input.resident_fraction == 1 ? 0 : 2));
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 99) {
    WARN("skipped: this user may not mount an overlay here");
    return;
  }
  CHECK(status == 0);
}

TEST_CASE("a mapping that holds the pages is named", "[B113]") {
  const Scratch scratch;
  if (!on_a_device(scratch)) return;
  const fs::path input = make_input(scratch);
  {
    const Holder holder(input);
    REQUIRE(holder.pid() > 0);
    const Evidence cold = apply_regime(Cache::cold, input);
    INFO(cold.note);
    CHECK_FALSE(cold.reached);
    CHECK(cold.input.resident_fraction > 0.9);
    CHECK(cold.note.find("still ") == 0);
    CHECK(cold.note.find("mapped by pid " + std::to_string(holder.pid()) + " (regime") != std::string::npos);
  }
  CHECK(apply_regime(Cache::cold, input).reached);
}

TEST_CASE("a stranger does not know, and does not say warm", "[B113]") {
  if (::geteuid() != 0) {
    WARN("skipped: needs root to become somebody else");
    return;
  }
  read_file("/bin/sh");  // resident for certain
  CHECK(residency("/bin/sh").known);
  CHECK(as_nobody([] { return residency("/bin/sh").known ? 1 : 0; }) == 0);
  CHECK(as_nobody([] { return residency_by_mincore("/bin/sh").known ? 1 : 0; }) == 0);
  CHECK(as_nobody([] { return apply_regime(Cache::warm, "/bin/sh").reached ? 1 : 0; }) == 0);
  CHECK(as_nobody([] { return apply_regime(Cache::cold, "/bin/sh").reached ? 1 : 0; }) == 0);
}

TEST_CASE("mincore on a sample agrees with cachestat") {
  const Scratch scratch;
  if (!on_a_device(scratch)) return;
  const fs::path input = make_input(scratch, 40 * mib + 5);  // large enough that not every page is looked at
  apply_regime(Cache::warm, input);
  CHECK(residency_by_mincore(input).resident_fraction == 1);
  CHECK(residency_by_mincore(input).method == "mincore");
  apply_regime(Cache::cold, input);
  CHECK(residency_by_mincore(input).resident_fraction <= 0.01);
  const Descriptor file = open_file(input, O_RDONLY);
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);  // no read-ahead beyond the half
  std::string half(20 * mib, '\0');
  REQUIRE(::pread(file.get(), half.data(), half.size(), 0) == static_cast<ssize_t>(half.size()));
  const Residency exact = residency(input);
  CHECK(exact.resident_fraction > 0.45);
  CHECK(exact.resident_fraction < 0.55);
  CHECK(std::fabs(residency_by_mincore(input).resident_fraction - exact.resident_fraction) < 0.02);
}

TEST_CASE("inputs without anything to be warm or cold") {
  const Scratch scratch;
  const fs::path empty = scratch.file("empty", "");
  CHECK(apply_regime(Cache::warm, empty).reached);
  CHECK(apply_regime(Cache::cold, empty).reached);
  CHECK(apply_regime(Cache::none, {}).reached);
  CHECK_THROWS_AS(apply_regime(Cache::cold, scratch / "none"), Error);
  CHECK_THROWS_AS(apply_regime(Cache::warm, scratch.path()), Error);
  REQUIRE(::mkfifo((scratch / "fifo").c_str(), 0600) == 0);
  CHECK_THROWS_AS(residency(scratch / "fifo"), Error);
}

TEST_CASE("a file in memory is never cold") {
  const fs::path input = "/dev/shm/iobench-regime-test-" + std::to_string(::getpid());
  if (!in_memory(mount_of(input))) {
    WARN("skipped: /dev/shm is not in memory");
    return;
  }
  replace_file(input, std::string(mib, 'x'));
  const Evidence cold = apply_regime(Cache::cold, input);
  INFO(cold.note);
  CHECK_FALSE(cold.reached);
  CHECK(cold.note.find("in memory") != std::string::npos);
  CHECK_FALSE(cold.caches_dropped);
  CHECK(apply_regime(Cache::warm, input).reached);
  CHECK_FALSE(device_written_bytes(input));
  fs::remove(input);
}

TEST_CASE("touching brings files back") {
  const Scratch scratch;
  if (!on_a_device(scratch)) return;
  const fs::path input = make_input(scratch);
  apply_regime(Cache::cold, input);
  touch_files({scratch / "none", scratch.path(), input});
  CHECK(residency(input).resident_fraction == 1);
}

TEST_CASE("what is owed to the device is waited for, and what it wrote is counted") {
  const Scratch scratch;
  if (!on_a_device(scratch)) return;
  const auto before = device_written_bytes(scratch.path());
  REQUIRE(before);
  const std::string bytes(32 * mib, 'x');
  const Descriptor file = open_file(scratch / "output", O_WRONLY | O_CREAT);
  write_all(file.get(), bytes.data(), bytes.size(), scratch / "output");
  const Debt debt = wait_for_writeback(scratch.path());
  CHECK((debt.left_bytes <= 16 * mib || debt.waited_s >= 10));
  REQUIRE(::fsync(file.get()) == 0);
  CHECK(*device_written_bytes(scratch.path()) >= *before + bytes.size());
}
