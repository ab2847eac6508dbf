// SPDX-License-Identifier: MIT
// Where a path is kept: file system, mount options, free space, and the block device below with its counters. Nothing
// here throws: what cannot be found out is empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iobench {

// The nearest parent that exists, or the path itself.
std::filesystem::path existing_parent(const std::filesystem::path& path);

struct Mount {
  std::string type;     // "ext4"; empty: unknown
  std::string options;  // of the mount and of the file system, comma separated
  std::string source;   // "/dev/vda", "tmpfs", "server:/export"
};
struct MountPoint {
  std::filesystem::path point;  // where it is
  std::filesystem::path shows;  // what of its file system is there: "/", or the folder that was bound
  Mount mount;
};
// All of them as /proc/self/mountinfo has them, in the order of mounting.
std::vector<MountPoint> mounts(const std::filesystem::path& root = "/");
// The mount that holds `path`, as /proc/self/mountinfo has it (ROOT stands for "/" in tests).
Mount mount_of(const std::filesystem::path& path, const std::filesystem::path& root = "/");

bool in_memory(const Mount& mount);   // tmpfs, ramfs: there is no device to be cold on
bool on_network(const Mount& mount);  // nfs, cifs, 9p, …

// Folder of the block device that holds `path`, such as /sys/dev/block/254:0; empty: none (tmpfs, overlay, network).
std::filesystem::path block_device_of(const std::filesystem::path& path);
// Facts of that device by name ("name", "model", "rotational", "scheduler", …), those that there are, in a fixed order.
std::vector<std::pair<std::string, std::string>> device_facts(const std::filesystem::path& block_device);

// Whether some of the file's extents are shared with another file, as after a clone (xfs, btrfs), by FIEMAP; none: the
// file system does not tell.
std::optional<bool> shares_extents(const std::filesystem::path& path);

// Free bytes for us on the file system that holds `path` (or its nearest existing parent); 0: unknown.
std::uint64_t free_bytes(const std::filesystem::path& path);

}  // namespace iobench
