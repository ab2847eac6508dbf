// SPDX-License-Identifier: MIT
// Facts of made-up machines: every kind of cgroup, of virtual machine and of mount.
#include "facts.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "catch.h"
#include "scratch.h"
#include "storage.h"
#include "system.h"

using namespace iobench;
namespace fs = std::filesystem;

TEST_CASE("single facts") {
  const Scratch root;
  root.file("proc/meminfo", "MemTotal:       24684092 kB\nHugePages_Total:       3\nSwapTotal:             0 kB\n");
  root.file("proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Some CPU: fast\nflags\t\t: fpu hypervisor sse2\n\nprocessor\t: 1\n");
  CHECK(meminfo("MemTotal", root.path()) == std::uint64_t{24684092} * 1024);
  CHECK(meminfo("HugePages_Total", root.path()) == 3);
  CHECK(meminfo("SwapTotal", root.path()) == 0);
  CHECK(meminfo("Mem", root.path()) == 0);
  CHECK(cpuinfo("model name", root.path()) == "Some CPU: fast");
  CHECK(cpuinfo("none", root.path()).empty());
  CHECK(fact(root.file("text", "  performance \n")) == "performance");
  CHECK(fact(root.file("blank", " \n")).empty());
  CHECK(fact(root / "none").empty());
  CHECK(bracketed("always [madvise] never") == "madvise");
  CHECK(bracketed("none") == "none");
  CHECK(bracketed("]odd[") == "]odd[");
  CHECK(has_word("pngcairo  PNG terminal\nsvg  W3C", "svg"));
  CHECK_FALSE(has_word("pngcairo", "png"));
  CHECK(meminfo("MemTotal") > 0);
}

TEST_CASE("control groups, version 1, 2, both, none") {
  const Scratch root;
  CHECK(cgroup_version(root.path()).empty());
  fs::create_directories(root / "sys/fs/cgroup/memory");
  CHECK(cgroup_version(root.path()) == "v1");
  root.file("sys/fs/cgroup/unified/cgroup.controllers", "");
  CHECK(cgroup_version(root.path()) == "hybrid");
  root.file("sys/fs/cgroup/cgroup.controllers", "cpu memory");
  CHECK(cgroup_version(root.path()) == "v2");
}

TEST_CASE("virtual machines") {
  const Scratch root;
  CHECK(virtual_machine(root.path()).empty());
  root.file("sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
  root.file("proc/cpuinfo", "flags : fpu sse2\n");
  CHECK(virtual_machine(root.path()).empty());
  root.file("sys/class/dmi/id/sys_vendor", "QEMU\n");
  CHECK(virtual_machine(root.path()) == "QEMU");
  fs::remove(root / "sys/class/dmi/id/sys_vendor");
  root.file("proc/cpuinfo", "flags : fpu hypervisor sse2\n");
  CHECK(virtual_machine(root.path()) == "yes");
  root.file("sys/hypervisor/type", "xen\n");
  CHECK(virtual_machine(root.path()) == "xen");
}

TEST_CASE("the mount that holds a path") {
  const Scratch root;
  const std::string here = fs::canonical(root.path()).string();
  root.file("proc/self/mountinfo",
            "27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard\n"
            "28 27 0:40 / " +
                here +
                "/with\\040blank rw - tmpfs tmpfs rw,size=4k\n"
                "29 27 0:41 / " +
                here +
                "/net rw - nfs4 server:/export rw,addr=10.0.0.1\n"
                "30 27 0:42 / " +
                here +
                "/net rw - btrfs /dev/vdb rw\n"
                "garbage\n");
  for (const char* folder : {"with blank/below", "net", "network"}) fs::create_directories(root / folder);
  CHECK(mount_of("/", root.path()).type == "ext4");
  CHECK(mount_of("/", root.path()).options == "rw,relatime,rw,discard");
  CHECK(mount_of(root / "with blank/below/not/yet/there", root.path()).type == "tmpfs");
  CHECK(in_memory(mount_of(root / "with blank", root.path())));
  CHECK(mount_of(root / "net", root.path()).type == "btrfs");  // the later of two on one point
  CHECK(mount_of(root / "network", root.path()).type == "ext4");
  CHECK(on_network({"nfs4", "", ""}));
  CHECK_FALSE(on_network({"ext4", "", ""}));
  CHECK(mount_of("/", root / "none").type.empty());
  CHECK_FALSE(mount_of("/").type.empty());
  CHECK(free_bytes(root.path()) > 0);
  CHECK(free_bytes(root / "not/yet/there") > 0);
  CHECK(existing_parent(root / "not/yet/there") == fs::canonical(root.path()));
  CHECK(block_device_of("/proc").empty());
  CHECK(device_facts({}).empty());
}

TEST_CASE("every mount, and what of its file system it shows") {
  const Scratch root;
  root.file(
      "proc/self/mountinfo",
      "27 1 254:0 / / rw - ext4 /dev/vda rw\n30 27 0:27 /docker/a\\040b /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
  const std::vector<MountPoint> all = mounts(root.path());
  REQUIRE(all.size() == 2);
  CHECK(all[1].point == "/sys/fs/cgroup");
  CHECK(all[1].shows == "/docker/a b");
  CHECK(all[1].mount.type == "cgroup2");
  CHECK(mounts(root / "none").empty());
}

TEST_CASE("a device made of others, without names that somebody gave it") {
  const Scratch root;
  root.file("dm-0/queue/scheduler", "[none]\n");
  root.file("dm-0/queue/wbt_lat_usec", "2000\n");
  root.file("dm-0/dm/name", "anna-home\n");
  root.file("dm-0/dm/uuid", "CRYPT-LUKS2-0123-anna-home\n");
  fs::create_directories(root / "dm-0/slaves/nvme0n1p3");
  std::string told;
  for (const auto& [key, value] : device_facts(root / "dm-0")) told += key + "=" + value + ";";
  CHECK(told == "name=dm-0;scheduler=[none];wbt_lat_usec=2000;mapped=CRYPT;made_of=nvme0n1p3;");
}

TEST_CASE("a clone is told from a copy, where a file system can make one") {
  const Scratch scratch;
  const auto original = scratch.file("original", std::string(1 << 20, 'x'));
  const auto copy = scratch.file("copy", read_file(original));
  CHECK(shares_extents(copy).value_or(false) == false);
  CHECK_FALSE(shares_extents(scratch / "missing"));

  // An xfs of its own, in a mount namespace of its own: nothing is left mounted.
  if (::geteuid() != 0 || find_program("mkfs.xfs").empty()) {
    WARN("clones not tested: it takes root and mkfs.xfs");
    return;
  }
  const std::string script = R"(set -e
truncate -s 320M "$1/image" && mkfs.xfs -q "$1/image" && mkdir "$1/mounted" && mount -o loop "$1/image" "$1/mounted"
head -c 1M /dev/zero | tr '\0' x > "$1/mounted/original"
cp --reflink=never "$1/mounted/original" "$1/mounted/copy"
cp --reflink=always "$1/mounted/original" "$1/mounted/clone")";
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      run_command({"sh", "-c", script, "sh", scratch.path().string()}).status != 0) {
    WARN("clones not tested: no xfs could be mounted here");
    return;
  }
  CHECK(shares_extents(scratch / "mounted/copy") == false);
  CHECK(shares_extents(scratch / "mounted/clone") == true);
  CHECK(shares_extents(scratch / "mounted/original") == true);
  ::umount((scratch / "mounted").c_str());
}
