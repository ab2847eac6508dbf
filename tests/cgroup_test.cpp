// SPDX-License-Identifier: MIT
// Memory cgroups of made-up machines and, where there is one, of this machine.
#include "cgroup.h"

#include "catch.h"

using namespace iobench;

TEST_CASE("a group here has the limit that it says") {
  const MemoryControlSearch search = find_memory_control();
  if (!search.control) {
    WARN("skipped: no memory cgroup here: " << search.obstacle);
    return;
  }
  const MemoryDelegation delegation(*search.control);
  const MemoryGroup group(*search.control, (std::uint64_t{32} << 20) + 5);
  CHECK(group.limit_bytes() == std::uint64_t{32} << 20);
}
