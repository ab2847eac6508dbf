// SPDX-License-Identifier: MIT
// Machines with one trap each, made of files below a folder, and programs that are scripts.
#include "doctor.h"
#include "grid.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "catch.h"
#include "environment.h"
#include "scratch.h"
#include "stranger.h"

using namespace iobench;
namespace fs = std::filesystem;
using Grade = Finding::Grade;

namespace {

const Finding* find(const std::vector<Finding>& findings, const std::string& subject) {
  const auto found =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.subject == subject; });
  return found == findings.end() ? nullptr : &*found;
}

// A quiet real machine, all programs in place; a test spoils one thing.
class Patient {
 public:
  Patient() : before_(std::getenv("PATH")) {
    layout.tools = root / "tools";
    layout.corpus = root / "corpus";
    root.script("tools/plumb", "true");
    fs::create_directories(layout.corpus);
    root.script("bin/hyperfine", "echo hyperfine 1.15.0");
    root.script("bin/gnuplot", "[ $1 = -e ] && echo ' pngcairo  x\n svg  y' >&2 || echo gnuplot 5.4 patchlevel 4");
    root.script("bin/strace", "true");
    root.file("proc/meminfo", "Dirty: 12 kB\nWriteback: 0 kB\nSwapTotal: 1000 kB\nSwapFree: 1000 kB\n");
    root.file("proc/cpuinfo", "flags : fpu sse2\n");
    root.file("proc/loadavg", "0.05 0.10 0.20 1/100 4711\n");
    root.file("proc/sys/vm/drop_caches", "");
    root.file("proc/self/mountinfo",
              "27 1 254:0 / / rw - ext4 /dev/vda rw,noauto_da_alloc\n"
              "30 27 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    root.file("proc/self/cgroup", "0::/user.slice\n");
    for (const char* folder : {"sys/fs/cgroup/", "sys/fs/cgroup/user.slice/"}) {
      root.file(std::string(folder) + "cgroup.controllers", "cpu memory");
      root.file(std::string(folder) + "cgroup.subtree_control", "memory");
      root.file(std::string(folder) + "cgroup.procs", "");
    }
    root.file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  }
  std::vector<Finding> examine() const {
    ::setenv("PATH", ((root / "bin").string() + ":/usr/sbin:/sbin").c_str(), 1);
    std::vector<Finding> findings = iobench::examine(layout, root.path());
    ::setenv("PATH", before_.c_str(), 1);
    return findings;
  }
  // The finding on `subject`; checks that what is not good comes with a remedy.
  Finding on(const std::string& subject) const {
    const std::vector<Finding> findings = examine();
    const Finding* found = find(findings, subject);
    REQUIRE(found);
    if (found->grade != Grade::good) CHECK_FALSE(found->remedy.empty());
    return *found;
  }

  Scratch root;
  Layout layout;

 private:
  std::string before_;
};

bool mentions(const Finding& finding, const std::string& words) {
  return finding.text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a quiet machine is said to be one") {
  const Patient patient;
  const std::vector<Finding> findings = patient.examine();
  CHECK(can_run(findings));
  for (const Finding& finding : findings) {
    INFO(finding.subject << ": " << finding.text);
    CHECK_FALSE(finding.text.empty());
    if (finding.grade == Grade::good) CHECK(finding.remedy.empty());
    const bool of_this_machine =
        finding.subject == "processors" || finding.subject == "residency" || finding.subject == "free space";
    if (!of_this_machine) CHECK(finding.grade == Grade::good);
  }
  const std::string text = findings_text(findings);
  CHECK(text.find("good     hyperfine        version 1.15.0\n") != std::string::npos);
  CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= findings.size());
}

TEST_CASE("hyperfine and the tools are required") {
  Patient patient;
  SECTION("missing") {
    fs::remove(patient.root / "bin/hyperfine");
    CHECK(mentions(patient.on("hyperfine"), "not found"));
    CHECK_FALSE(can_run(patient.examine()));
  }
  SECTION("too old") {
    patient.root.script("bin/hyperfine", "echo hyperfine 1.12.0");
    CHECK(mentions(patient.on("hyperfine"), "version 1.12.0, older than 1.15"));
    CHECK(patient.on("hyperfine").grade == Grade::missing);
    CHECK_FALSE(can_run(patient.examine()));
  }
  SECTION("silent") {
    patient.root.script("bin/hyperfine", "exit 1");
    CHECK(mentions(patient.on("hyperfine"), "does not say its version"));
    CHECK_FALSE(can_run(patient.examine()));
  }
  SECTION("tools not built") {
    fs::remove(patient.root / "tools/plumb");
    CHECK(patient.on("tools").remedy == "make build");
    CHECK_FALSE(can_run(patient.examine()));
  }
}

TEST_CASE("without gnuplot or strace there is still a run") {
  Patient patient;
  fs::remove(patient.root / "bin/strace");
  SECTION("gnuplot missing") {
    fs::remove(patient.root / "bin/gnuplot");
    CHECK(mentions(patient.on("gnuplot"), "tables are made, figures are not"));
  }
  SECTION("gnuplot too old, in its distribution's words") {
    patient.root.script("bin/gnuplot", "echo '5.2 patchlevel 5a (Gentoo)'");
    CHECK(mentions(patient.on("gnuplot"), "version 5.2, older than 5.4"));
  }
  SECTION("gnuplot without cairo") {
    patient.root.script("bin/gnuplot", "[ $1 = -e ] && echo ' png  x\n svg  y' >&2 || echo gnuplot 5.4 patchlevel 4");
    CHECK(mentions(patient.on("gnuplot"), "without pngcairo"));
    CHECK_FALSE(mentions(patient.on("gnuplot"), "svg"));
  }
  CHECK(patient.on("gnuplot").grade == Grade::missing);
  CHECK(mentions(patient.on("strace"), "system calls are not counted"));
  CHECK(can_run(patient.examine()));
}

TEST_CASE("peers that are not installed are one line, and no run needs them") {
  Patient patient;
  patient.layout.data = patient.root / "data";
  patient.root.file("data/tools.toml", "[tools]\nhere = { says = \"s\", from = \"f\", command = [\"strace\"], package = \"strace\" }\n");
  CHECK(patient.on("peers").grade == Grade::good);
  patient.root.file("data/tools.toml",
                    "[tools]\none = { says = \"s\", from = \"f\", command = [\"absent-pv\", \"-q\"], package = \"pv\" }\n"
                    "two = { says = \"s\", from = \"f\", command = [\"strace\"], build = [\"absent-javac\"], package = \"jdk\" }\n"
                    "three = { says = \"s\", from = \"f\", command = [\"absent-javac\"], package = \"jdk\" }\n");
  const Finding peers = patient.on("peers");
  CHECK(peers.grade == Grade::missing);
  CHECK(mentions(peers, "absent-javac, absent-pv not in PATH"));
  CHECK(peers.remedy == "only for those rows: apt-get install jdk pv");
  CHECK(can_run(patient.examine()));
}

TEST_CASE("traps of the machine") {
  Patient patient;
  const Scratch& root = patient.root;
  SECTION("virtual, with a balloon that reports") {
    root.file("proc/cpuinfo", "flags : fpu hypervisor\n");
    root.file("sys/bus/virtio/drivers/virtio_balloon/virtio0/features", "0110010100\n");
    CHECK(patient.on("virtual machine").grade == Grade::trap);
    CHECK(mentions(patient.on("returned memory"), "goes back to the host"));
    CHECK(mentions(patient.on("idle cache"), "the host may evict it"));
    root.file("sys/bus/virtio/drivers/virtio_balloon/virtio0/features", "0110000100\n");
    CHECK_FALSE(mentions(patient.on("returned memory"), "goes back to the host"));
    fs::remove_all(root / "sys/bus");
    CHECK(mentions(patient.on("returned memory"), "no balloon is seen"));
  }
  SECTION("idle pages") {
    root.file("sys/module/damon_reclaim/parameters/enabled", "Y\n");
    CHECK(mentions(patient.on("idle cache"), "damon_reclaim"));
    CHECK(patient.on("idle cache").grade == Grade::trap);
  }
  SECTION("truncation") {
    root.file("proc/self/mountinfo", "27 1 254:0 / / rw - ext4 /dev/vda rw\n");
    CHECK(mentions(patient.on("truncation"), "ext4 writes a file that was truncated back"));
    root.file("proc/self/mountinfo", "27 1 254:0 / / rw - tmpfs tmpfs rw\n");
    CHECK(patient.on("truncation").grade == Grade::good);
  }
  SECTION("clock") {
    root.file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    root.file("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    CHECK(mentions(patient.on("governor"), "powersave"));
    CHECK(patient.on("turbo").remedy.find("no_turbo") != std::string::npos);
    root.file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    root.file("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    CHECK(patient.on("governor").grade == Grade::good);
    CHECK_FALSE(find(patient.examine(), "turbo"));
  }
  SECTION("load and what others write") {
    root.file("proc/loadavg", "2.99 1.61 0.81 3/100 4711\n");
    root.file("proc/meminfo", "Dirty: 200000 kB\nWriteback: 5000 kB\n");
    CHECK(mentions(patient.on("load"), "2.99"));
    CHECK(patient.on("load").grade == Grade::trap);
    CHECK(patient.on("write-back").grade == Grade::trap);
    root.file("proc/loadavg", "nonsense");
    CHECK(mentions(patient.on("load"), "unknown"));
  }
  SECTION("swap") {
    root.file("proc/meminfo", "SwapTotal: 2048 kB\nSwapFree: 1024 kB\n");
    CHECK(mentions(patient.on("swap"), "1 MiB in use"));
    root.file("proc/meminfo", "SwapTotal: 0 kB\nSwapFree: 0 kB\n");
    CHECK(patient.on("swap").grade == Grade::good);
  }
  SECTION("huge pages") {
    root.file("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    CHECK(patient.on("huge pages").grade == Grade::trap);
  }
  SECTION("file system") {
    for (const auto& [type, words] :
         {std::pair{"tmpfs", "memory"}, {"nfs4", "network"}, {"overlay", "overlay"}, {"xfs", "extents"}}) {
      root.file("proc/self/mountinfo", std::string("27 1 0:1 / / rw - ") + type + " source rw\n");
      INFO(type);
      CHECK(patient.on("file system").grade == Grade::trap);
      CHECK(mentions(patient.on("file system"), words));
    }
  }
  SECTION("nothing to read at all") {
    fs::remove_all(root / "proc");
    fs::remove_all(root / "sys");
    CHECK(mentions(patient.on("file system"), "unknown"));
    CHECK(patient.on("drop_caches").grade != Grade::good);
    CHECK(patient.on("memory cgroup").grade == Grade::trap);
    CHECK(can_run(patient.examine()));
  }
}

TEST_CASE("what confined runs would need") {
  Patient patient;
  const Scratch& root = patient.root;
  CHECK(mentions(patient.on("memory cgroup"), "version 2"));
  CHECK(mentions(patient.on("memory cgroup"), "rows can be confined"));
  SECTION("a container without the controller") {
    root.file("sys/fs/cgroup/cgroup.type", "domain");
    root.file("sys/fs/cgroup/cgroup.controllers", "cpu");
    CHECK(patient.on("memory cgroup").grade == Grade::trap);
    CHECK(mentions(patient.on("memory cgroup"), "confined rows run cold instead, and are named so"));
  }
  SECTION("version 1, beside a version 2 without memory") {
    root.file("proc/self/mountinfo", "34 30 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    root.file("sys/fs/cgroup/memory/mine/cgroup.procs", "");
    root.file("proc/self/cgroup", "9:name=systemd:/\n4:memory:/mine\n0::/\n");
    CHECK(mentions(patient.on("memory cgroup"), "version 1"));
    CHECK(patient.on("memory cgroup").grade == Grade::good);
  }
  SECTION("a cgroup that this process cannot see") {
    root.file("proc/self/cgroup", "0::/elsewhere\n");
    CHECK(patient.on("memory cgroup").grade == Grade::trap);
  }
}

TEST_CASE("an ordinary user hears what root would add, and whether systemd can help") {
  Patient patient;
  const Scratch& root = patient.root;
  root.file("proc/sys/vm/drop_caches", "");
  fs::create_directories(root / "run/systemd/system");
  Environment environment;
  SECTION("it cannot") {
    auto text = as_stranger(root, [&] { return findings_text(patient.examine()); });
    if (!text) return;
    const std::string broken = "\n" + std::string(29, ' ');  // a remedy goes on in the next line
    for (std::size_t at; (at = text->find(broken)) != std::string::npos;) text->replace(at, broken.size(), " ");
    for (const char* words : {"root     drop_caches      root would add it for cold rows",
                              "root     page holders     root would add the names",
                              "root     memory cgroup    version 2, not ours to divide: root would add confined rows",
                              "iobench run …, or run as root"}) {
      INFO(words);
      CHECK(text->find(words) != std::string::npos);
    }
  }
  SECTION("it can") {
    root.script("bin/systemd-run", "true");
    root.file("run/user/bus", "");
    environment.set("XDG_RUNTIME_DIR", (root / "run/user").string());
    const auto text = as_stranger(root, [&] { return findings_text(patient.examine()); });
    if (!text) return;
    CHECK(text->find("good     memory cgroup    version 2, not ours to divide, but your systemd") != std::string::npos);
  }
}

TEST_CASE("this machine can be examined") {
  Patient patient;
  const std::vector<Finding> findings = examine(patient.layout);
  CHECK(findings.size() >= 12);
  std::istringstream lines(findings_text(findings));
  for (std::string line; std::getline(lines, line);) CHECK(code_points(line) <= 100);
  for (const Finding& finding : findings) {
    CHECK(finding.text.find('\n') == std::string::npos);
    if (finding.grade != Grade::good) CHECK_FALSE(finding.remedy.empty());
  }
}
