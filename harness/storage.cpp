// SPDX-License-Identifier: MIT
// Paths to mounts by device number (stat against /proc/self/mountinfo), mounts to devices by number or, for file
// systems with numbers of their own such as btrfs, by the name of their source.
#include "storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "facts.h"
#include "system.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescape(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool octal = text[at] == '\\' && at + 3 < text.size() && text.find_first_not_of("01234567", at + 1) > at + 3;
    if (octal) {
      plain += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
      at += 3;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

// "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard": optional fields end with the lone dash.
std::optional<MountPoint> parse_mount_line(const std::string& line) {
  std::istringstream words(line);
  std::string id, parent, number, shows, point, options, word, type, source, more;
  if (!(words >> id >> parent >> number >> shows >> point >> options)) return {};
  while (words >> word && word != "-") continue;
  if (!(words >> type >> source)) return {};
  words >> more;
  const std::string all_options = more.empty() ? options : options + "," + more;
  return MountPoint{unescape(point), unescape(shows), {type, all_options, unescape(source)}};
}

bool below(const std::string& path, const std::string& folder) {
  if (folder == "/") return true;
  return path.compare(0, folder.size(), folder) == 0 && (path.size() == folder.size() || path[folder.size()] == '/');
}

fs::path device_folder(dev_t device) {
  const fs::path folder = fmt::format("/sys/dev/block/{}:{}", major(device), minor(device));
  std::error_code ignored;
  return fs::exists(folder, ignored) ? folder : fs::path();
}

}  // namespace

fs::path existing_parent(const fs::path& path) {
  std::error_code ignored;
  fs::path at = fs::absolute(path, ignored);
  while (!at.empty() && !fs::exists(at, ignored) && at != at.parent_path()) at = at.parent_path();
  const fs::path canonical = fs::canonical(at, ignored);
  return canonical.empty() ? at : canonical;
}

std::vector<MountPoint> mounts(const fs::path& root) {
  std::istringstream lines(read_file_or_empty(root / "proc/self/mountinfo"));
  std::vector<MountPoint> all;
  for (std::string line; std::getline(lines, line);)
    if (auto found = parse_mount_line(line)) all.push_back(std::move(*found));
  return all;
}

Mount mount_of(const fs::path& path, const fs::path& root) {
  const std::string place = existing_parent(path).string();
  Mount best;
  std::size_t longest = 0;
  for (const MountPoint& found : mounts(root)) {
    const std::string point = found.point.string();
    // Of two mounts on one point the later hides the earlier.
    if (!below(place, point) || point.size() < longest) continue;
    best = found.mount;
    longest = point.size();
  }
  return best;
}

bool in_memory(const Mount& mount) {
  return mount.type == "tmpfs" || mount.type == "ramfs";
}

bool on_network(const Mount& mount) {
  static constexpr std::array types = {"nfs", "nfs4",       "cifs",           "smb3",     "smbfs",  "9p",   "ceph",
                                       "afs", "fuse.sshfs", "fuse.glusterfs", "virtiofs", "lustre", "gfs2", "ocfs2"};
  return std::find(types.begin(), types.end(), mount.type) != types.end();
}

fs::path block_device_of(const fs::path& path) {
  const fs::path place = existing_parent(path);
  struct stat status = {};
  if (::stat(place.c_str(), &status) != 0) return {};
  if (const fs::path folder = device_folder(status.st_dev); !folder.empty()) return folder;
  const Mount mount = mount_of(place);
  if (::stat(mount.source.c_str(), &status) != 0 || !S_ISBLK(status.st_mode)) return {};
  return device_folder(status.st_rdev);
}

std::vector<std::pair<std::string, std::string>> device_facts(const fs::path& block_device) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (block_device.empty()) return facts;
  std::error_code ignored;
  fs::path folder = fs::canonical(block_device, ignored);
  facts.emplace_back("name", folder.filename().string());
  if (fs::exists(folder / "partition", ignored)) folder = folder.parent_path();  // the queue is the whole disk's
  const auto add = [&](const std::string& name, const fs::path& file) {
    if (const std::string text = fact(folder / file); !text.empty()) facts.emplace_back(name, text);
  };
  add("model", "device/model");
  add("sectors_512", "size");
  for (const char* fact : {"rotational", "scheduler", "nr_requests", "read_ahead_kb", "max_sectors_kb", "write_cache",
                           "fua", "logical_block_size", "physical_block_size", "minimum_io_size", "optimal_io_size",
                           "discard_max_bytes", "rq_affinity", "nomerges", "wbt_lat_usec", "io_poll", "zoned", "dax"})
    add(fact, fs::path("queue") / fact);
  // Of a mapped device: "LVM", "CRYPT"; its name and the rest of its number are somebody's own.
  if (const std::string kind = fact(folder / "dm/uuid"); !kind.empty())
    facts.emplace_back("mapped", kind.substr(0, kind.find('-')));
  add("raid_level", "md/level");
  std::string below;
  for (const auto& entry : fs::directory_iterator(folder / "slaves", ignored))
    below += (below.empty() ? "" : " ") + entry.path().filename().string();
  if (!below.empty()) facts.emplace_back("made_of", below);
  return facts;
}

std::optional<bool> shares_extents(const fs::path& path) {
  constexpr std::size_t extents = 256;  // a call
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::vector<std::uint64_t> memory((sizeof(struct fiemap) + extents * sizeof(struct fiemap_extent)) / 8 + 1);
  auto* map = reinterpret_cast<struct fiemap*>(memory.data());
  for (std::uint64_t at = 0;;) {
    std::fill(memory.begin(), memory.end(), 0);
    map->fm_start = at;
    map->fm_length = FIEMAP_MAX_OFFSET - at;
    map->fm_flags = FIEMAP_FLAG_SYNC;  // an extent that is not yet written has no place to share
    map->fm_extent_count = extents;
    if (::ioctl(file.get(), FS_IOC_FIEMAP, map) != 0) return std::nullopt;
    for (std::uint32_t i = 0; i < map->fm_mapped_extents; ++i) {
      const struct fiemap_extent& extent = map->fm_extents[i];
      if (extent.fe_flags & FIEMAP_EXTENT_SHARED) return true;
      if (extent.fe_flags & FIEMAP_EXTENT_LAST) return false;
      at = extent.fe_logical + extent.fe_length;
    }
    if (map->fm_mapped_extents == 0) return false;
  }
}

std::uint64_t free_bytes(const fs::path& path) {
  struct statvfs status = {};
  if (::statvfs(existing_parent(path).c_str(), &status) != 0) return 0;
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

}  // namespace iobench
