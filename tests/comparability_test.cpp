// SPDX-License-Identifier: MIT
// What forbids a comparison, what asks for care, what is the same: facts of machines, rows of plans.
#include "comparability.h"

#include <algorithm>

#include "catch.h"
#include "machine.h"
#include "made_up.h"
#include "scratch.h"

using namespace iobench;

namespace {

const std::string machine = R"({
  "schema": "iobench machine 1", "host": "a", "time_utc": "2026-12-01T10:00:00Z", "load_average": 0.5, "load_average_5_minutes": 0.4,
  "processor": {"model name": "EPYC", "processors": 2, "cpu MHz": 2400.1, "scaling_governor": "performance",
                "caches": [{"level": 1, "size": "32K"}], "numa": [{"memory_bytes": 11000000000}]},
  "memory": {"total_bytes": 25769803776, "available_bytes": 1000, "swaps": [{"type": "zram", "used_bytes": 7}]},
  "kernel": {"name": "Linux", "release": "6.18.0", "architecture": "x86_64",
             "mitigations": {"spectre_v2": "Mitigation: Retpolines"}, "settings": {"fs/pipe-max-size": 1048576}},
  "cgroup": {"version": "v2"},
  "corpus_file_system": {"type": "ext4", "options": "rw,relatime", "free_bytes": 5, "device": {"rotational": 0}},
  "results_file_system": {"type": "ext4"},
  "build": {"compiler": "GCC 12.2", "flags": "pie", "optimized": true},
  "programs": [{"name": "readwrite", "version": "readwrite 0.1", "xxh3": "aa"},
               {"name": "getputc", "version": "getputc 0.1", "xxh3": "bb"},
               {"name": "hyperfine", "version": "hyperfine 1.15.0", "xxh3": "cc"},
               {"name": "gnuplot", "version": "gnuplot 5.4", "xxh3": "dd"}]})";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

bool contains(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

// Two rows: a warm one to the null device and a write, whose regime and limits the tests set.
MadeUp plan_of() {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 20;
  made.add_suite("pair", "A pair");
  made.add_row("read", "all", 7, {"readwrite", "-b", "4K"});
  made.add_row("write", "all", 7, {"getputc"}).row.output = Output::file;
  made.set_baseline("read");
  made.measure({1, 2}, 0.1, 1);
  return made;
}

Comparability compared(const MadeUp& a, const MadeUp& b) {
  return compare_runs({a.plan, a.samples, machine}, {b.plan, b.samples, machine});
}

std::vector<std::string> differences(const MadeUp& a, const MadeUp& b, const std::string& row) {
  for (const RowMatch& match : compared(a, b).rows)
    if (match.name == row) return match.different;
  return {"no such row"};
}

}  // namespace

TEST_CASE("a machine is comparable with itself, whatever the minute") {
  const MachineDifferences same = compare_machines(machine, machine);
  CHECK(same.different.empty());
  CHECK(same.caution.empty());
  CHECK(same.same == 22);
  std::string later = with(machine, "10:00:00", "11:30:00");
  later = with(later, "\"load_average\": 0.5", "\"load_average\": 3");
  later = with(later, "2400.1", "1800");
  later = with(later, "\"available_bytes\": 1000", "\"available_bytes\": 2000000");
  later = with(later, "\"free_bytes\": 5", "\"free_bytes\": 6");
  later = with(later, "\"used_bytes\": 7", "\"used_bytes\": 4096000");
  later = with(later, "11000000000", "10000000000");
  later = with(later, "0.4", "2.5");
  later = with(later, "\"host\": \"a\"", "\"host\": \"anonymous\"");
  later = with(later, "25769803776", "25769700000");            // some pages less
  later = with(later, "\"xxh3\": \"dd\"", "\"xxh3\": \"ee\"");  // gnuplot measures nothing
  CHECK(compare_machines(machine, later).caution.empty());
  CHECK(compare_machines(machine, later).same == 22);

  const Scratch scratch;
  const MachineOptions options{scratch / "corpus", scratch.path(), {scratch.script("tool", "echo 1.0")}, false};
  const std::string first = describe_machine(options);
  scratch.file("corpus", std::string(1 << 20, 'x'));
  const MachineDifferences ours = compare_machines(first, describe_machine(options));
  CHECK(ours.different.empty());
  CHECK(ours.caution.empty());
  CHECK(ours.same > 20);
}

TEST_CASE("another processor or architecture forbids, the rest asks for care", "[B120]") {
  struct Case {
    const char *from, *to, *says;
  };
  for (const Case& one : {Case{"EPYC", "Xeon", "processor, model name: EPYC against Xeon"},
                          Case{"x86_64", "aarch64", "kernel, architecture: x86_64 against aarch64"}}) {
    const MachineDifferences found = compare_machines(machine, with(machine, one.from, one.to));
    CHECK(contains(found.different, one.says));
    CHECK(found.caution.empty());
  }
  for (const Case& one :
       {Case{"6.18.0", "6.1.0", "kernel, release: 6.18.0 against 6.1.0"},
        Case{"Retpolines", "IBRS", "kernel, mitigations, spectre_v2: Mitigation: Retpolines against Mitigation: IBRS"},
        Case{"performance", "powersave", "processor, scaling governor: performance against powersave"},
        Case{"25769803776", "17179869184", "memory, total: 24 GiB against 16 GiB"},
        Case{"rw,relatime", "rw,noatime", "corpus file system, options: rw,relatime against rw,noatime"},
        Case{"\"type\": \"ext4\"", "\"type\": \"xfs\"", "corpus file system, type: ext4 against xfs"},
        Case{"\"rotational\": 0", "\"rotational\": 1", "corpus file system, device, rotational: 0 against 1"},
        Case{"\"v2\"", "\"v1\"", "cgroup, version: v2 against v1"},
        Case{"true", "false", "build, optimized: yes against no"},
        Case{"32K", "48K", "processor, caches, 0, size: 32K against 48K"},
        Case{"\"scaling_governor\": \"performance\",", "",
             "processor, scaling governor: performance against not recorded"},
        Case{"\"model name\": \"EPYC\",", "", "processor, model name: EPYC against not recorded"},
        Case{"\"host\": \"a\",", "\"host\": \"a\", \"new_chapter\": {\"some_fact\": 7},",
             "new chapter, some fact: not recorded against 7"},
        Case{"1.15.0", "1.18.0", "hyperfine: hyperfine 1.15.0 against hyperfine 1.18.0"},
        Case{"\"bb\"", "\"b2\"", "programs whose digests differ: getputc"},
        Case{"\"getputc\"", "\"other\"", "programs that only A has: getputc"}}) {
    INFO(one.says);
    const MachineDifferences found = compare_machines(machine, with(machine, one.from, one.to));
    CHECK(found.different.empty());
    const std::string expected = one.says;
    std::string says = found.caution.empty() ? "" : found.caution.front();
    std::string plain = expected;
    std::replace(plain.begin(), plain.end(), '_', ' ');
    std::replace(says.begin(), says.end(), '_', ' ');
    CHECK(says == plain);
  }
}

TEST_CASE("a machine that is not recorded is a matter of care, in words") {
  CHECK(compare_machines(machine, "").caution ==
        std::vector<std::string>{"machine.json of B is missing: on what machine it was measured is not known"});
  CHECK(compare_machines("{cut", machine).caution ==
        std::vector<std::string>{"machine.json of A cannot be read: on what machine it was measured is not known"});
  CHECK(compare_machines("", "").caution.size() == 2);
  CHECK_NOTHROW(compare_machines("[]", "7"));
  CHECK_NOTHROW(compare_machines("{\"programs\": 3, \"kernel\": []}", "{\"programs\": [1, {\"name\": 2}]}"));
  CHECK_NOTHROW(compare_machines("{\"a\": " + std::string(200, '[') + std::string(200, ']') + "}", "{}"));
}

TEST_CASE("rows match by suite and name, and say why they do not", "[B120]") {
  const MadeUp a = plan_of();
  MadeUp b = plan_of();
  for (const RowMatch& match : compared(a, b).rows) CHECK(match.different.empty());
  CHECK(compared(a, b).caution.empty());

  std::vector<PlannedRow>& rows = b.plan.suites[0].rows;
  SECTION("other command") {
    rows[0].argv[2] = "8K";
    CHECK(contains(differences(a, b, "read"), "command: readwrite -b 4K against readwrite -b 8K"));
    CHECK(differences(a, b, "write").empty());
  }
  SECTION("other ends, regime, size") {
    rows[0].row.input = Input::pipe;
    rows[0].row.output = Output::pipe;
    rows[0].row.cache = Cache::cold;
    rows[0].row.repeat = 3;
    rows[0].row.sync = true;
    rows[0].size_bytes = 64u << 20;
    const std::vector<std::string> found = differences(a, b, "read");
    for (const char* says : {"input: corpus against pipe", "output: null against pipe", "cache: warm against cold",
                             "size: 1 MiB against 64 MiB", "copies in a run: 1 against 3", "synced: no against yes"}) {
      INFO(says);
      CHECK(contains(found, says));
    }
  }
  SECTION("sizes that read alike") {
    MadeUp huge = plan_of();
    huge.plan.suites[0].rows[0].size_bytes = (std::uint64_t{1} << 40) + 1;
    rows[0].size_bytes = std::uint64_t{1} << 40;
    const std::vector<std::string> found = differences(huge, b, "read");
    REQUIRE(found.size() == 1);
    CHECK(found[0] != "size: 1 TiB against 1 TiB");
  }
  SECTION("missing on a side") {
    rows[0].row.name = "lately";
    CHECK(contains(differences(a, b, "read"), "only A has it"));
    CHECK(contains(differences(a, b, "lately"), "only B has it"));
    b.plan.suites[0].experiment.name = "other";
    CHECK(compared(a, b).rows.size() == 4);
  }
  SECTION("commands that were pinned") {
    for (Sample& sample : b.samples) sample.cpus = "0";
    CHECK(compared(a, b).caution == std::vector<std::string>{"processors of the commands: not recorded against 0"});
  }
}

TEST_CASE("confined rows need one limit, confined writes one version of memory cgroups") {
  const auto run = [&](const char* group, std::uint64_t limit) {
    MadeUp made = plan_of();
    for (PlannedRow& row : made.plan.suites[0].rows) row.row.cache = Cache::confined;
    for (Sample& sample : made.samples) {
      sample.cgroup = group;
      sample.limit_bytes = limit;
    }
    return made;
  };
  const MadeUp v1 = run("v1:bench", 1u << 19), v2 = run("v2:other", 1u << 19);
  CHECK(differences(v1, run("v1:another", 1u << 19), "write").empty());
  CHECK(differences(v1, v2, "read").empty());
  CHECK(contains(differences(v1, v2, "write"), "confined write, memory cgroup: v1 against v2"));
  CHECK(contains(differences(v1, run("v1:bench", 1u << 20), "read"), "memory limit: 512 KiB against 1 MiB"));
  CHECK(contains(differences(run("", 1u << 19), run("", 1u << 19), "write"),
                 "confined write, memory cgroup: not recorded against not recorded"));

  // Where there was no cgroup the row ran cold: as good as another that did, and no match for one that was confined.
  MadeUp cold = run("", 0);
  for (PlannedRow& row : cold.plan.suites[0].rows) row.row.not_confined = true;
  CHECK(differences(cold, cold, "write").empty());
  CHECK(contains(differences(v2, cold, "read"), "cache: confined against cold"));
}
