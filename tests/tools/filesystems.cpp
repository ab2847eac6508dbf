// SPDX-License-Identifier: MIT
// Every tool from file to file on xfs, btrfs and tmpfs and from each to the others: the bytes arrive whole, or the tool
// refuses and has touched nothing. The file systems are made in images and mounted where nobody else sees them, and they
// go away with this process; that needs root, and the programs that make them.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include <iostream>

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;
namespace fs = std::filesystem;

namespace {

bool ran(const std::vector<std::string>& argv) {
  const Ended ended = run(argv, {});
  if (ended.status != 0) std::cout << "SKIP: " << argv[0] << ": " << ended.err << "\n";
  return ended.status == 0;
}

// A mount namespace of our own, once; false, said why, where we may not have one.
bool mounts_are_ours() {
  static const bool ours = [] {
    const bool may = geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
                     mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    if (!may) std::cout << "SKIP: no file systems are mounted: that needs root\n";
    return may;
  }();
  return ours;
}

struct Mounted {
  std::string type;
  fs::path path;
};

// In a folder of its own below `scratch`. xfs wants 300 MiB, which a sparse image does not take.
bool mount_new(const Scratch& scratch, const std::string& type, std::vector<Mounted>& mounted) {
  const fs::path path = scratch / type;
  fs::create_directory(path);
  if (type == "tmpfs") {
    if (mount("tmpfs", path.c_str(), "tmpfs", 0, "size=64m") != 0) return false;
  } else {
    if (!has_program("mkfs." + type)) {
      std::cout << "SKIP: " << type << ": mkfs." << type << " is missing\n";
      return false;
    }
    const fs::path image = scratch.write(type + ".image", "");
    fs::resize_file(image, 320u << 20);
    const std::string quiet = "-q";
    if (!ran({"mkfs." + type, quiet, image}) || !ran({"mount", "-o", "loop", image, path})) return false;
  }
  mounted.push_back({type, path});
  return true;
}

// Images are in use until what is mounted of them has gone.
struct FileSystems {
  FileSystems() {
    for (const std::string type : {"tmpfs", "xfs", "btrfs"}) mount_new(scratch, type, mounted);
    mounted.push_back({"here", scratch / "here"});
    fs::create_directory(scratch / "here");
  }
  ~FileSystems() {
    for (const Mounted& system : mounted)
      if (system.type != "here") umount2(system.path.c_str(), MNT_DETACH);
  }
  Scratch scratch;
  std::vector<Mounted> mounted;
};

void check(const CopyTool& tool, const Mounted& from, const Mounted& to, const std::string& bytes, bool over) {
  INFO(tool.name << " from " << from.type << " to " << to.type << (over ? ", overwritten" : ""));
  const Descriptor in = open_file(from.path / "in", O_RDONLY);
  const fs::path path = to.path / "out";
  const std::string before = over ? std::string(bytes.size() + 5000, '-') : "";
  if (over)
    iobench::write_all(open_file(path, O_WRONLY | O_CREAT | O_TRUNC).get(), before.data(), before.size(), path);
  else
    fs::remove(path);
  const Descriptor out = open_file(path, O_WRONLY | O_CREAT);
  const Ended ended = run(command(tool), {.in = in.get(), .out = out.get()});
  const std::string found = iobench::read_file(path);
  const auto size = static_cast<off_t>(bytes.size());
  if (ended.status == 77) {
    CHECK((from.type != to.type || tool.name == "vmsplice-copy" || (tool.name == "direct-copy" && to.type == "tmpfs")));
    CHECK((found == before));
    CHECK(lseek(in.get(), 0, SEEK_CUR) == 0);
  } else {
    CHECK(ended.status == 0);
    CHECK(ended.err == "");
    CHECK((found == bytes + (over ? before.substr(bytes.size()) : "")));
    CHECK(lseek(in.get(), 0, SEEK_CUR) == size);
    CHECK(lseek(out.get(), 0, SEEK_CUR) == size);
  }
}

}  // namespace

TEST_CASE("every tool on every file system, and from each to the others") {
  if (!mounts_are_ours()) return;
  const FileSystems systems;
  CHECK(systems.mounted.size() >= 2);
  const std::string bytes = some_bytes((1 << 20) + 7);
  for (const Mounted& from : systems.mounted) {
    const Descriptor in = open_file(from.path / "in", O_WRONLY | O_CREAT);
    iobench::write_all(in.get(), bytes.data(), bytes.size(), from.path / "in");
  }
  for (const CopyTool& tool : copy_tools())
    for (const Mounted& from : systems.mounted)
      for (const Mounted& to : systems.mounted)
        for (const bool over : {false, true}) {
          const bool same_loop = tool.name.rfind("buffered", 0) == 0 && tool.name != "buffered-8K";
          if (same_loop && (over || from.type != to.type)) continue;  // nothing depends on it
#ifdef __SANITIZE_ADDRESS__  // a tool starts ten times as slowly
          if (over != (from.type == to.type)) continue;
#endif
          check(tool, from, to, bytes, over);
        }
}
