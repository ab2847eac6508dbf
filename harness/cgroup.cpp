// SPDX-License-Identifier: MIT
// Reads the tree as files and changes it through CgroupTree alone. Names of files that differ between the versions
// are in one place, LimitFiles.
#include "cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <set>
#include <sstream>
#include <thread>

#include "facts.h"
#include "storage.h"
#include "system.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr const char* group_prefix = "iobench-";
constexpr const char* leaf_suffix = "self";
constexpr const char* tried_variable = "IOBENCH_DELEGATED";
constexpr const char* user_remedy = "systemd-run --user --scope -p Delegate=yes iobench run …";
constexpr const char* root_remedy = "as root: systemd-run --scope -p Delegate=yes iobench run …";
constexpr const char* container_remedy = "run outside the container, or give it a cgroup tree that it may write";

bool present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool writable(const fs::path& path) {
  return ::access(path.c_str(), W_OK) == 0;
}

std::vector<pid_t> members(const fs::path& group) {
  std::istringstream lines(read_file_or_empty(group / "cgroup.procs"));
  std::vector<pid_t> found;
  for (pid_t pid; lines >> pid;) found.push_back(pid);
  return found;
}

// Nothing: no number, such as "max".
std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

struct LimitFiles {
  const char* limit;
  const char* swap;    // there is none on kernels without swap accounting
  const char* events;  // has a line "oom_kill N"
};
constexpr LimitFiles limit_files(int version) {
  if (version == 1) return {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control"};
  return {"memory.max", "memory.swap.max", "memory.events"};
}

// Of a group and those above it; none: nothing is limited.
std::optional<std::uint64_t> lowest_limit(const fs::path& group, int version) {
  constexpr std::uint64_t no_limit = std::uint64_t{1} << 60;  // version 1 shows the largest number there is
  std::optional<std::uint64_t> lowest;
  const fs::path name = limit_files(version).limit;
  for (fs::path at = group; present(at / name) || present(at / "cgroup.type"); at = at.parent_path())
    if (const auto limit = number(fact(at / name)); limit && *limit < std::min(no_limit, lowest.value_or(no_limit)))
      lowest = limit;
  return lowest;
}

// -- the search --

// Our place in the hierarchy that has the memory controller.
struct Place {
  int version = 0;  // 0: no hierarchy at all
  fs::path own;     // our own group; empty: none that can be seen from here
  fs::path top;     // the highest that can be seen
};

bool is_among(const std::string& comma_separated, const std::string& word) {
  std::istringstream words(comma_separated);
  for (std::string one; std::getline(words, one, ',');)
    if (one == word) return true;
  return false;
}

// Where a group that /proc/self/cgroup names is to be found: a mount may show a part of the hierarchy only.
void look_at(Place& place, const fs::path& root, const std::string& path) {
  for (const MountPoint& at : mounts(root)) {
    const bool right = place.version == 2 ? at.mount.type == "cgroup2"
                                          : at.mount.type == "cgroup" && is_among(at.mount.options, "memory");
    const fs::path inside = fs::path(path).lexically_relative(at.shows);
    if (!right || inside.empty() || *inside.begin() == "..") continue;
    const fs::path top = root / at.point.relative_path();
    const fs::path own = inside == "." ? top : top / inside;
    if (present(own / "cgroup.procs")) place.own = own, place.top = top;
  }
}

Place find_place(const fs::path& root) {
  Place place;
  std::string path;
  std::istringstream lines(read_file_or_empty(root / "proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const bool has_memory = is_among(line.substr(first + 1, second - first - 1), "memory");
    const bool unified = second == first + 1;  // controllers are not named there
    if (has_memory || (unified && place.version == 0)) {
      place.version = has_memory ? 1 : 2;
      path = line.substr(second + 1);
    }
  }
  if (place.version != 0) look_at(place, root, path);
  return place;
}

pid_t parent_of(pid_t pid, const fs::path& root) {
  const std::string text = read_file_or_empty(root / "proc" / std::to_string(pid) / "stat");
  std::istringstream words(text.substr(std::min(text.size(), text.rfind(')') + 1)));  // the name may hold anything
  std::string state;
  pid_t parent = 0;
  return words >> state >> parent ? parent : 0;
}

// Whether the group holds only our own process tree: ourselves, our ancestors, and what those of them that are in the
// group have started (the other end of a pipeline, say).
bool holds_only_kin(const fs::path& group, const fs::path& root) {
  const std::vector<pid_t> all = members(group);
  std::set<pid_t> elders;
  for (pid_t pid = ::getpid(); pid > 0; pid = parent_of(pid, root))
    if (std::find(all.begin(), all.end(), pid) != all.end() && !elders.insert(pid).second) break;
  constexpr int depth = 1000;  // parents change while they are read: no circle is for ever
  return std::all_of(all.begin(), all.end(), [&](pid_t member) {
    pid_t at = member;
    for (int steps = 0; at > 0 && !elders.contains(at) && steps < depth; ++steps) at = parent_of(at, root);
    return elders.contains(at);
  });
}

bool is_leaf_of_ours(const fs::path& group) {
  const std::string name = group.filename().string();
  return name.starts_with(group_prefix) && group.extension() == std::string(".") + leaf_suffix;
}

bool hands_memory_down(const fs::path& group) {
  return has_word(fact(group / "cgroup.subtree_control"), "memory");
}

// Only the kernel's own root has none; it may have processes and children with limits at once.
bool is_kernel_root(const fs::path& group) {
  return !present(group / "cgroup.type");
}

MemoryControl version_2(const fs::path& parent, bool must_be_emptied) {
  return {2, parent, ::geteuid() == 0 ? "version 2, as root" : "version 2, delegated", must_be_emptied};
}

bool has_memory(const fs::path& group) {
  return has_word(fact(group / "cgroup.controllers"), "memory");
}

// To move a process, its mover must be allowed to write the procs file of the group above both places.
bool is_writable_group(const fs::path& group) {
  return writable(group) && writable(group / "cgroup.procs");
}

// From our own group upwards, the first whose children can have limits without a process being moved.
std::optional<MemoryControl> ready(const Place& place) {
  for (fs::path group = place.own;; group = group.parent_path()) {
    const bool can = hands_memory_down(group) ||
                     (is_kernel_root(group) && has_memory(group) && writable(group / "cgroup.subtree_control"));
    if (can && is_writable_group(group)) return version_2(group, false);
    if (group == place.top || group == group.parent_path()) return {};
  }
}

std::optional<MemoryControl> emptied(const Place& place, const fs::path& root) {
  const fs::path& own = place.own;
  const bool can = has_memory(own) && is_writable_group(own) && writable(own / "cgroup.subtree_control") &&
                   !is_kernel_root(own) && !is_leaf_of_ours(own) && holds_only_kin(own, root);
  return can ? std::optional(version_2(own, true)) : std::nullopt;
}

// What an ordinary user may write was delegated for such use, so that his own group comes first. Root may write
// everything: a group in use, a login session's for example, is left alone if another will do.
std::optional<MemoryControl> divisible(const Place& place, const fs::path& root) {
  std::optional<MemoryControl> found;
  if (::geteuid() != 0) found = emptied(place, root);
  if (!found) found = ready(place);
  return found ? found : emptied(place, root);
}

MemoryControlSearch none(const std::string& obstacle, const std::string& remedy) {
  return {{}, obstacle, remedy, false, false, 0};
}

MemoryControlSearch search_version_1(const Place& place) {
  const bool root = ::geteuid() == 0;
  if (writable(place.own) && writable(place.own / "cgroup.procs"))
    return {MemoryControl{1, place.own, root ? "version 1, as root" : "version 1, delegated", false},
            "",
            "",
            false,
            false,
            0};
  if (root) return none("version 1, but not writable although this is root", container_remedy);
  return {{}, "version 1, not ours to divide", "run as root", true, false, 0};
}

MemoryControlSearch search_version_2(const Place& place, const fs::path& root) {
  if (!has_word(fact(place.top / "cgroup.controllers"), "memory")) {
    if (!is_kernel_root(place.top)) return none("version 2, no memory controller in this container", container_remedy);
    return none("version 2, and the kernel has no memory controller for it",
                "boot without cgroup_disable=memory (on some boards: with cgroup_enable=memory)");
  }
  if (auto control = divisible(place, root)) return {std::move(control), "", "", false, false, 0};
  if (::geteuid() == 0) {
    if (!writable(place.own)) return none("version 2, but not writable although this is root", container_remedy);
    return none("version 2, our cgroup holds other processes too", root_remedy);
  }
  const bool systemd = present(root / "run/systemd/system");
  return {{}, "version 2, not ours to divide", systemd ? user_remedy : "run as root", true, systemd, 0};
}

}  // namespace

MemoryControlSearch find_memory_control(const fs::path& root) {
  const Place place = find_place(root);
  if (place.version == 0) return none("the kernel tells of none", "mount /proc; use a kernel with memory cgroups");
  if (place.own.empty())
    return none(fmt::format("version {}, our own cgroup cannot be seen from here", place.version),
                "run outside the container, or mount /sys/fs/cgroup into it");
  MemoryControlSearch search = place.version == 1 ? search_version_1(place) : search_version_2(place, root);
  search.limit_bytes = lowest_limit(place.own, place.version).value_or(0);
  return search;
}

// -- changes --

void CgroupTree::make(const fs::path& group) {
  if (::mkdir(group.c_str(), 0755) != 0) throw_errno(fmt::format("create the cgroup {}", group.string()));
}

void CgroupTree::write(const fs::path& file, const std::string& text) {
  const Descriptor opened = open_file(file, O_WRONLY);
  write_all(opened.get(), text.data(), text.size(), file);
}

int CgroupTree::remove(const fs::path& group) {
  return ::rmdir(group.c_str()) == 0 ? 0 : errno;
}

CgroupTree& kernel_cgroup_tree() {
  static CgroupTree tree;
  return tree;
}

namespace {

fs::path named(const fs::path& parent, const std::string& suffix) {
  return parent / fmt::format("{}{}.{}", group_prefix, ::getpid(), suffix);
}

// A process that has ended meanwhile needs no move.
void move_all(CgroupTree& tree, const fs::path& from, const fs::path& to) {
  constexpr int passes = 100;  // more may be forked while the first are moved
  for (int pass = 0; pass < passes; ++pass) {
    const std::vector<pid_t> pids = members(from);
    if (pids.empty()) return;
    for (const pid_t pid : pids) try {
        tree.write(to / "cgroup.procs", std::to_string(pid));
      } catch (const Error&) {
        if (::kill(pid, 0) == 0 || errno == EPERM) throw;
      }
  }
  throw Error(fmt::format("empty the cgroup {}: it gets new processes all the time", from.string()));
}

// Kills what runs in the group and removes it.
bool dispose(CgroupTree& tree, const fs::path& group, int version) {
  constexpr int tries = 50;
  constexpr auto pause = std::chrono::milliseconds(20);
  for (int i = 0; i < tries; ++i) {
    for (const pid_t pid : members(group))
      if (pid > 0 && pid != ::getpid()) ::kill(pid, SIGKILL);
    // Otherwise the file pages of version 1 keep the memory of a removed group in use until somebody needs it.
    if (version == 1) try {
        tree.write(group / "memory.force_empty", "0");
      } catch (const Error&) {
        // Busy, or a kernel without it: removing tells.
      }
    const int code = tree.remove(group);
    if (code == 0) return true;
    if (code != EBUSY) return false;
    std::this_thread::sleep_for(pause);
  }
  return false;
}

// A limit higher up that is lower than ours would be the one in force.
void refuse_lower_above(const MemoryControl& control, std::uint64_t limit_bytes) {
  if (const auto above = lowest_limit(control.parent, control.version); above && *above < limit_bytes)
    throw Error(
        fmt::format("limit memory to {} bytes: {}, or a cgroup above it, allows {} already; use a smaller corpus",
                    limit_bytes, control.parent.string(), *above));
}

std::uint64_t set_limit(CgroupTree& tree, const fs::path& group, const LimitFiles& files, std::uint64_t limit_bytes) {
  tree.write(group / files.limit, std::to_string(limit_bytes));
  // Of version 1 this is memory and swap together, which may not be less than memory alone: hence the order.
  const bool together = std::string_view(files.limit) == limit_files(1).limit;
  if (present(group / files.swap)) tree.write(group / files.swap, together ? std::to_string(limit_bytes) : "0");
  const std::string text = fact(group / files.limit);
  const auto in_force = number(text);
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (!in_force || *in_force == 0 || *in_force > limit_bytes || limit_bytes - *in_force >= page_bytes)
    throw Error(
        fmt::format("limit memory to {} bytes: {} reads back '{}'; confined rows cannot be measured here, "
                    "choose others",
                    limit_bytes, (group / files.limit).string(), text));
  return *in_force;
}

}  // namespace

MemoryDelegation::MemoryDelegation(const MemoryControl& control, CgroupTree& tree)
    : tree_(tree), parent_(control.parent) {
  if (control.version == 1 || hands_memory_down(parent_)) return;
  try {
    if (control.must_be_emptied) {
      leaf_ = named(parent_, leaf_suffix);
      if (!present(leaf_)) tree_.make(leaf_);
      move_all(tree_, parent_, leaf_);
    }
    tree_.write(parent_ / "cgroup.subtree_control", "+memory");
    enabled_ = true;
  } catch (const Error& error) {
    undo();
    throw Error(fmt::format("{}; start iobench in a cgroup of its own ({})", error.what(),
                            ::geteuid() == 0 ? root_remedy : user_remedy));
  }
}

MemoryDelegation::~MemoryDelegation() {
  undo();
}

void MemoryDelegation::undo() {
  try {
    if (enabled_) tree_.write(parent_ / "cgroup.subtree_control", "-memory");
    enabled_ = false;
    if (leaf_.empty() || !present(leaf_)) return;
    move_all(tree_, leaf_, parent_);
    tree_.remove(leaf_);
  } catch (const Error&) {
    // What stays is a group without limits; the next run removes it when it is empty.
  }
}

MemoryGroup::MemoryGroup(const MemoryControl& control, std::uint64_t limit_bytes, CgroupTree& tree)
    : tree_(tree), version_(control.version) {
  static std::atomic<unsigned> next{0};
  const LimitFiles files = limit_files(version_);
  refuse_lower_above(control, limit_bytes);
  do path_ = named(control.parent, std::to_string(next++));
  while (present(path_));
  try {
    tree_.make(path_);
  } catch (const Error& error) {
    throw Error(fmt::format("{}; run as root, or choose rows that are not confined", error.what()));
  }
  try {
    limit_bytes_ = set_limit(tree_, path_, files, limit_bytes);
  } catch (...) {
    dispose(tree_, path_, version_);
    throw;
  }
}

MemoryGroup::~MemoryGroup() {
  dispose(tree_, path_, version_);
}

std::uint64_t MemoryGroup::killed() const {
  std::istringstream lines(read_file_or_empty(path_ / limit_files(version_).events));
  std::string key, value;
  while (lines >> key >> value)
    if (key == "oom_kill") return number(value).value_or(0);
  return 0;
}

std::size_t remove_stale_groups(const MemoryControl& control, CgroupTree& tree) {
  std::size_t removed = 0;
  std::error_code ignored;
  std::vector<fs::path> groups;
  for (const auto& entry : fs::directory_iterator(control.parent, ignored))
    if (entry.is_directory(ignored)) groups.push_back(entry.path());
  for (const fs::path& group : groups) {
    const std::string name = group.filename().string(), prefix = group_prefix;
    if (!name.starts_with(prefix)) continue;
    const std::size_t dot = name.find('.');
    const auto owner =
        dot == std::string::npos ? std::nullopt : number(name.substr(prefix.size(), dot - prefix.size()));
    if (!owner || *owner == 0 || ::kill(static_cast<pid_t>(*owner), 0) == 0 || errno != ESRCH) continue;
    const std::vector<pid_t> pids = members(group);
    // Shown as 0: a process of another container, whose run may well be alive.
    const bool foreign = std::find(pids.begin(), pids.end(), 0) != pids.end();
    if (foreign || (is_leaf_of_ours(group) && !pids.empty())) continue;
    if (dispose(tree, group, control.version)) ++removed;
  }
  return removed;
}

// -- a user's own systemd --

namespace {

std::vector<std::string> scope(const std::vector<std::string>& argv) {
  std::vector<std::string> command = {
      "systemd-run", "--user", "--scope", "--quiet", "-p", "Delegate=yes", fmt::format("--setenv={}=1", tried_variable),
      "--"};
  command.insert(command.end(), argv.begin(), argv.end());
  return command;
}

}  // namespace

UserManager find_user_manager() {
  UserManager found{find_program("systemd-run"), false, std::getenv(tried_variable) != nullptr};
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (found.systemd_run.empty() || found.tried || !runtime) return found;
  if (!present(fs::path(runtime) / "systemd/private") && !present(fs::path(runtime) / "bus")) return found;
  SpawnOptions options;
  options.timeout_s = 5;
  try {
    found.answers = run_command(scope({"true"}), options).status == 0;
  } catch (const Error&) {
    // It does not, then.
  }
  return found;
}

std::vector<std::string> delegating_command(const MemoryControlSearch& search, const UserManager& manager,
                                            const std::vector<std::string>& argv) {
  const bool possible = !manager.systemd_run.empty() && manager.answers && !manager.tried;
  return !search.control && search.systemd_run_would_help && possible ? scope(argv) : std::vector<std::string>{};
}

}  // namespace iobench
