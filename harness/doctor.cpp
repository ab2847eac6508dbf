// SPDX-License-Identifier: MIT
// One function for each thing that is looked at. A finding says what was seen, in figures where there are any, and what
// to do next; what is as it should be is said too, so that a reader knows that it was looked at.
#include "doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "cgroup.h"
#include "corpus.h"
#include "facts.h"
#include "grid.h"
#include "machine.h"
#include "peers.h"
#include "regime.h"
#include "storage.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

using Grade = Finding::Grade;

// What a default run keeps on the disk at once: two corpora of 1 GiB and the largest output.
constexpr std::uint64_t default_run_bytes = std::uint64_t{3} << 30;

class Examination {
 public:
  Examination(const Layout& layout, fs::path root) : layout_(layout), root_(std::move(root)) {}
  std::vector<Finding> all();

 private:
  void say(Grade grade, const std::string& subject, const std::string& text, const std::string& remedy = {}) {
    findings_.push_back({grade, subject, text, remedy, false});
  }
  fs::path proc(const std::string& name) const { return root_ / "proc" / name; }
  fs::path sys(const std::string& name) const { return root_ / "sys" / name; }
  static bool present(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
  }
  static bool writable(const fs::path& path) { return ::access(path.c_str(), W_OK) == 0; }

  void tools();
  void hyperfine();
  void gnuplot();
  void strace();
  void peers();
  void privilege();
  void residency_calls();
  void memory_limit();
  void virtualization();
  void returned_memory();
  void idle_cache();
  void processors();
  void clock_speed();
  void load();
  void memory();
  void corpus_file_system();
  void truncation();
  void free_space();

  const Layout& layout_;
  fs::path root_;
  std::vector<Finding> findings_;
};

std::vector<Finding> Examination::all() {
  tools();
  hyperfine();
  gnuplot();
  strace();
  peers();
  privilege();
  residency_calls();
  memory_limit();
  virtualization();
  returned_memory();
  idle_cache();
  processors();
  clock_speed();
  load();
  memory();
  corpus_file_system();
  truncation();
  free_space();
  return findings_;
}

void Examination::tools() {
  if (!find_program((layout_.tools / "plumb").string()).empty())
    return say(Grade::good, "tools", fmt::format("in {}", layout_.tools.string()));
  say(Grade::missing, "tools", fmt::format("plumb is not in {}", layout_.tools.string()), "make build");
  findings_.back().required = true;
}

// What is wrong with a program that has to be there in some version; nothing: none.
std::optional<std::string> version_trouble(const fs::path& program, const std::string& version, int major, int minor) {
  if (program.empty()) return "not found in PATH";
  if (version.empty()) return fmt::format("{} does not say its version", program.string());
  if (!version_at_least(version, major, minor))
    return fmt::format("{} is version {}, older than {}.{}", program.string(), version, major, minor);
  return {};
}

void Examination::hyperfine() {
  const fs::path program = find_program("hyperfine");
  const std::string version = program.empty() ? "" : hyperfine_version(program);
  if (const auto trouble = version_trouble(program, version, hyperfine_major, hyperfine_minor)) {
    say(Grade::missing, "hyperfine", *trouble, "make setup, or install hyperfine 1.15 or newer");
    findings_.back().required = true;
  } else {
    say(Grade::good, "hyperfine", fmt::format("version {}", version));
  }
}

void Examination::gnuplot() {
  const fs::path program = find_program("gnuplot");
  const std::string version = program.empty() ? "" : gnuplot_version(program);
  if (const auto trouble = version_trouble(program, version, gnuplot_major, gnuplot_minor))
    return say(Grade::missing, "gnuplot", *trouble + ": tables are made, figures are not",
               "make setup, or install gnuplot 5.4 or newer (Debian: gnuplot-nox)");
  std::string without;
  for (const char* terminal : {"pngcairo", "svg"})
    if (!gnuplot_has_terminal(program, terminal)) without += (without.empty() ? "" : " and ") + std::string(terminal);
  if (!without.empty())
    return say(Grade::missing, "gnuplot",
               fmt::format("version {} without {}: figures of that kind are not made", version, without),
               "install a gnuplot with cairo (Debian: gnuplot-nox)");
  say(Grade::good, "gnuplot", fmt::format("version {}", version));
}

void Examination::strace() {
  if (find_program("strace").empty())
    return say(Grade::missing, "strace", "not found in PATH: system calls are not counted",
               "make setup, or install strace");
  const std::string scope = fact(proc("sys/kernel/yama/ptrace_scope"));
  if (scope == "3" || (scope == "2" && ::geteuid() != 0))
    return say(Grade::trap, "strace",
               fmt::format("kernel.yama.ptrace_scope is {}: system calls are not counted", scope),
               "as root: sysctl kernel.yama.ptrace_scope=1 (3 lasts until the next boot)");
  say(Grade::good, "strace", "system calls can be counted");
}

// Programs that rows compare with; nothing but those rows needs them.
void Examination::peers() {
  if (!present(layout_.data / "tools.toml")) return;
  std::set<std::string> programs, packages;
  const Toolbox toolbox = Toolbox::load(layout_.data / "tools.toml");
  for (const Tool& tool : toolbox.tools()) {
    if (tool.command.empty()) continue;
    const std::string program = missing_program(tool.build, tool.command[0]);
    if (program.empty()) continue;
    programs.insert(program);
    packages.insert(tool.package);
  }
  if (programs.empty()) return say(Grade::good, "peers", "all are installed");
  say(Grade::missing, "peers",
      fmt::format("{} not in PATH: rows of the suites peers, runtimes and small-files that use them are unsupported",
                  fmt::join(programs, ", ")),
      fmt::format("only for those rows: apt-get install {}", fmt::join(packages, " ")));
}

void Examination::privilege() {
  const bool can_drop = writable(proc("sys/vm/drop_caches"));
  if (can_drop) return say(Grade::good, "drop_caches", "can be used where a file's pages do not go by themselves");
  if (::geteuid() == 0)
    return say(Grade::trap, "drop_caches", "cannot be written, although this is root (a container?)",
               "cold rows use posix_fadvise and are refused where pages stay; run outside the container for more");
  say(Grade::root, "drop_caches",
      "root would add it for cold rows whose pages posix_fadvise leaves; as it is they end as regime-not-reached",
      "run as root only if rows end so");
  say(Grade::root, "page holders", "root would add the names of other users' processes that keep a file's pages cached",
      "run as root only if rows end as regime-not-reached");
}

void Examination::residency_calls() {
  if (cachestat_available())
    return say(Grade::good, "residency", "cachestat tells what of a file is cached, dirty, in write-back");
  say(Grade::trap, "residency", "no cachestat (Linux 6.5): mincore samples the pages, and dirty ones are not told",
      "use Linux 6.5 or newer for full evidence");
}

void Examination::memory_limit() {
  const MemoryControlSearch search = find_memory_control(root_);
  if (search.control)
    return say(Grade::good, "memory cgroup", search.control->how + ": rows can be confined to less than their corpus");
  if (search.systemd_run_would_help && find_user_manager().answers)
    return say(Grade::good, "memory cgroup",
               search.obstacle + ", but your systemd delegates one to `iobench run` for confined rows");
  const std::string instead = "; confined rows run cold instead, and are named so";
  if (search.root_would_help)
    return say(Grade::root, "memory cgroup", search.obstacle + ": root would add confined rows" + instead,
               search.systemd_run_would_help ? search.remedy + ", or run as root" : search.remedy);
  say(Grade::trap, "memory cgroup", search.obstacle + instead, search.remedy);
}

void Examination::virtualization() {
  const std::string machine = virtual_machine(root_);
  if (machine.empty()) return say(Grade::good, "virtual machine", "none seen");
  say(Grade::trap, "virtual machine", fmt::format("{}: its host may share the processors and cache the disk", machine),
      "trust only rows whose evidence is recorded; compare inside one run");
}

// Of memory that was freed, and of the balloon by which a host takes it.
void Examination::returned_memory() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(sys("bus/virtio/drivers/virtio_balloon"), ignored)) {
    const std::string features = fact(entry.path() / "features");
    if (features.empty()) continue;
    constexpr std::size_t reporting = 5;  // VIRTIO_BALLOON_F_REPORTING
    const bool reports = features.size() > reporting && features[reporting] == '1';
    return say(
        Grade::trap, "returned memory",
        reports ? "freed memory is reported and goes back to the host: its next first touch costs 4 to 5 times as much"
                : "the host can take memory away through the balloon",
        "memory is touched before each run that allocates; where you time commands yourself, overwrite in place");
  }
  if (virtual_machine(root_).empty()) return say(Grade::good, "returned memory", "no host to return it to");
  say(Grade::trap, "returned memory", "no balloon is seen, but a host may take freed memory back without one",
      "memory is touched before each run that allocates; compare inside one run");
}

void Examination::idle_cache() {
  const std::string remedy = "residency is proved just before each run; time no warm file that was not looked at";
  const std::string reclaim = fact(sys("module/damon_reclaim/parameters/enabled"));
  if (reclaim == "Y" || reclaim == "1")
    return say(Grade::trap, "idle cache", "this kernel evicts pages that are idle (damon_reclaim)", remedy);
  if (virtual_machine(root_).empty()) return say(Grade::good, "idle cache", "nothing seen that evicts it");
  say(Grade::trap, "idle cache", "the host may evict it: half of a warm file was gone after 195 s on one such machine",
      remedy);
}

void Examination::processors() {
  const long count = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (count == 1)
    return say(Grade::trap, "processors", "one: the two ends of a pipe take turns, and threads cannot gain",
               "give the machine a second processor to measure pipes and sockets");
  say(Grade::trap, "processors",
      fmt::format("{}: whether the two ends of a 64 KiB pipe share one changes its speed up to 3 times", count),
      "iobench run --cpus LIST pins all commands; samples.csv records the processors allowed; compare inside one run");
}

void Examination::clock_speed() {
  const std::string governor = fact(sys("devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  if (!governor.empty() && governor != "performance")
    say(Grade::trap, "governor", fmt::format("'{}': a run may begin at a low clock", governor),
        "as root: cpupower frequency-set -g performance");
  else
    say(Grade::good, "governor", governor.empty() ? "the clock is not governed here" : governor);
  const std::string boost = fact(sys("devices/system/cpu/cpufreq/boost"));
  const std::string no_turbo = fact(sys("devices/system/cpu/intel_pstate/no_turbo"));
  if (boost == "1" || no_turbo == "0")
    say(Grade::trap, "turbo", "on: the clock depends on heat and on the other cores",
        no_turbo.empty() ? "as root: echo 0 > /sys/devices/system/cpu/cpufreq/boost"
                         : "as root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo");
}

void Examination::load() {
  std::istringstream words(fact(proc("loadavg")));
  std::string text;
  words >> text;
  double average = 0;
  try {
    average = parse_number(text);
  } catch (const Error&) {
    return say(Grade::trap, "load", "unknown: /proc/loadavg cannot be read", "mount /proc");
  }
  constexpr double quiet = 0.5;  // of one processor over the last minute, idle services included
  const std::string seen = fmt::format("{} processes wanted to run over the last minute", format_fixed(average, 2));
  if (average > quiet)
    say(Grade::trap, "load", seen, "stop what else is running, or wait");
  else
    say(Grade::good, "load", seen);
  constexpr std::uint64_t much = 64u << 20;
  const std::uint64_t owed = meminfo("Dirty", root_) + meminfo("Writeback", root_);
  if (owed > much)
    say(Grade::trap, "write-back", fmt::format("{} wait to be written to disks", format_size(owed)),
        "sync; each run waits for its own debt, not for what others keep writing");
}

void Examination::memory() {
  const std::uint64_t swapped =
      meminfo("SwapTotal", root_) - std::min(meminfo("SwapTotal", root_), meminfo("SwapFree", root_));
  if (swapped > 0)
    say(Grade::trap, "swap", fmt::format("{} in use: memory has been short", format_size(swapped)),
        "close what needs memory; as root: swapoff -a && swapon -a");
  else
    say(Grade::good, "swap", "none in use");
  const std::string pages = bracketed(fact(sys("kernel/mm/transparent_hugepage/enabled")));
  if (pages == "never")
    say(Grade::trap, "huge pages", "transparent huge pages are off: large buffers cost more here than elsewhere",
        "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
  else if (!pages.empty())
    say(Grade::good, "huge pages", pages);
}

void Examination::corpus_file_system() {
  const Mount mount = mount_of(layout_.corpus, root_);
  const std::string seen =
      fmt::format("{} holds the corpus", mount.type.empty() ? "an unknown file system" : mount.type);
  const std::string remedy = "put the corpus on a local disk";
  static constexpr std::array cloning = {"xfs", "btrfs", "bcachefs", "ocfs2", "zfs"};
  if (in_memory(mount))
    say(Grade::trap, "file system", seen + ": it is memory, nothing can be cold", remedy);
  else if (on_network(mount))
    say(Grade::trap, "file system", seen + ": the network and the server's cache are measured too", remedy);
  else if (mount.type == "overlay")
    say(Grade::trap, "file system", seen + ": device statistics and shared extents are not seen through it", remedy);
  else if (std::find(cloning.begin(), cloning.end(), mount.type) != cloning.end())
    say(Grade::trap, "file system", seen + ": it can share extents, so that copy_file_range may copy nothing",
        "such rows are marked; do not rank them against copies");
  else
    say(mount.type.empty() ? Grade::trap : Grade::good, "file system", seen, mount.type.empty() ? "mount /proc" : "");
}

// ext4 (unless told otherwise), xfs and btrfs start write-back when a file that was truncated is closed, so that a
// crash does not leave it empty.
void Examination::truncation() {
  const Mount mount = mount_of(layout_.corpus, root_);
  const bool writes_back = (mount.type == "ext4" && mount.options.find("noauto_da_alloc") == std::string::npos) ||
                           mount.type == "xfs" || mount.type == "btrfs";
  if (!writes_back)
    return say(Grade::good, "truncation", "a truncated file is not known to be written back at its close here");
  say(Grade::trap, "truncation",
      fmt::format("{} writes a file that was truncated back at its close: up to twice the time of a new one",
                  mount.type),
      "outputs are removed before each run; do so too where you time commands yourself");
}

void Examination::free_space() {
  std::uint64_t placed = 0;
  std::error_code ignored;
  for (const fs::path& corpus : list_corpora(layout_.corpus)) {
    const auto size = fs::file_size(corpus, ignored);
    if (!ignored) placed += size;
  }
  const std::uint64_t free = free_bytes(layout_.corpus);
  const std::string seen = fmt::format("{} free for corpora and outputs", format_size(free)) +
                           (placed ? fmt::format(", {} of corpora are there", format_size(placed)) : "");
  if (free + placed < default_run_bytes)
    say(Grade::trap, "free space", seen + fmt::format("; a run with 1 GiB needs {}", format_size(default_run_bytes)),
        "make room, or choose a smaller corpus: CORPUS=256M");
  else
    say(Grade::good, "free space", seen);
}

const char* word(Grade grade) {
  switch (grade) {
    case Grade::good:
      return "good";
    case Grade::trap:
      return "trap";
    case Grade::missing:
      return "missing";
    case Grade::root:
      return "root";
  }
  return "";
}

}  // namespace

std::vector<Finding> examine(const Layout& layout, const fs::path& root) {
  return Examination(layout, root).all();
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    std::string lead = fmt::format("{:<8} {:<16} ", word(finding.grade), finding.subject);
    for (const std::string& line : wrap(finding.text, 74)) text += std::exchange(lead, std::string(26, ' ')) + line + "\n";
    if (finding.remedy.empty()) continue;
    lead = std::string(26, ' ') + "-> ";
    for (const std::string& line : wrap(finding.remedy, 71)) text += std::exchange(lead, std::string(29, ' ')) + line + "\n";
  }
  return text;
}

bool can_run(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.required; });
}

}  // namespace iobench
