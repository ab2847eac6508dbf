// SPDX-License-Identifier: MIT
// The memory cgroup in which a command is confined: whether this machine lets us make one, and the one that is made,
// used and removed. Version 1 and version 2, as root or in a cgroup that was delegated to us. A limit that is not in
// force is an error, never a group without one. How the kernel behaves: Documentation/admin-guide/cgroup-v2.rst
// and cgroup-v1/memory.rst of Linux.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace iobench {

struct MemoryControl {
  int version = 2;               // of the hierarchy that has the memory controller: 1 or 2
  std::filesystem::path parent;  // cgroup in which we may make groups
  std::string how;               // "version 1, as root", "version 2, delegated"
  // Version 2: the parent has processes, ourselves among them, and must lose them before its children can have limits.
  bool must_be_emptied = false;
};

struct MemoryControlSearch {
  std::optional<MemoryControl> control;
  std::string obstacle;                 // why there is none, one line; empty when there is one
  std::string remedy;                   // the next thing to do about it
  bool root_would_help = false;         // it is only the right to write that is missing
  bool systemd_run_would_help = false;  // a user's systemd can delegate a cgroup: see delegating_command
  std::uint64_t limit_bytes = 0;        // the lowest limit that holds for us already; 0: none
};
// Looks only; `root` stands for "/" before proc and sys in tests. Version 1: our own cgroup. Version 2: our own cgroup or
// the nearest one above it that hands the memory controller down; or our own cgroup after it was emptied, when it
// holds nothing but our own process tree.
MemoryControlSearch find_memory_control(const std::filesystem::path& root = "/");

// What is changed in a cgroup tree, so that tests can have a kernel of their own. Each throws Error("VERB PATH:
// reason").
class CgroupTree {
 public:
  virtual ~CgroupTree() = default;
  virtual void make(const std::filesystem::path& group);
  virtual void write(const std::filesystem::path& file, const std::string& text);
  virtual int remove(const std::filesystem::path& group);  // does not throw: 0 or errno, EBUSY while it has processes
};
CgroupTree& kernel_cgroup_tree();

// While it lives, the parent hands the memory controller down to its children. Nothing to do in most cases; where the
// parent must be emptied, its processes go to its child iobench-PID.self, and back at the end. Throws Error with the
// remedy, and undoes what it did, when that fails. Groups end before it does.
class MemoryDelegation {
 public:
  explicit MemoryDelegation(const MemoryControl& control, CgroupTree& tree = kernel_cgroup_tree());
  MemoryDelegation(const MemoryDelegation&) = delete;
  MemoryDelegation& operator=(const MemoryDelegation&) = delete;
  ~MemoryDelegation();

 private:
  void undo();

  CgroupTree& tree_;
  std::filesystem::path parent_, leaf_;  // leaf_: empty when nothing was moved
  bool enabled_ = false;
};

// The group PARENT/iobench-PID.N with a limit, without swap. At the end what is still running in it is killed and the
// group removed (tried for up to a second while the kernel calls it busy). File pages that were first touched outside
// stay charged there: they are to be evicted before a run.
class MemoryGroup {
 public:
  // Throws Error with the remedy when the group cannot be made, or when the limit, read back, is not the one asked for
  // (less than a page below it), or when a group above has a lower one.
  MemoryGroup(const MemoryControl& control, std::uint64_t limit_bytes, CgroupTree& tree = kernel_cgroup_tree());
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  ~MemoryGroup();

  const std::filesystem::path& path() const { return path_; }  // for plumb --cgroup
  std::uint64_t limit_bytes() const { return limit_bytes_; }   // as read back: whole pages
  std::uint64_t killed() const;  // processes that the kernel has killed for want of memory; 0 where it does not tell

 private:
  CgroupTree& tree_;
  int version_;
  std::filesystem::path path_;
  std::uint64_t limit_bytes_ = 0;
};

// Removes what killed runs left in the parent: groups iobench-PID.N of processes that are no more, with what still runs
// in them, and iobench-PID.self when it is empty: what is in there is not ours to kill. Returns how many were removed.
std::size_t remove_stale_groups(const MemoryControl& control, CgroupTree& tree = kernel_cgroup_tree());

// What the environment of an ordinary user has for being delegated a cgroup.
struct UserManager {
  std::filesystem::path systemd_run;  // empty: not in PATH
  bool answers = false;               // has made a scope on trial
  bool tried = false;                 // we were started by delegating_command
};
UserManager find_user_manager();
// The command that runs argv once more in a scope whose cgroup is ours to divide; empty when that would not help, is
// not possible, or was tried. argv[0]: the program's absolute path.
std::vector<std::string> delegating_command(const MemoryControlSearch& search, const UserManager& manager,
                                            const std::vector<std::string>& argv);

}  // namespace iobench
