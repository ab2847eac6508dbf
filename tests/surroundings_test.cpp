// SPDX-License-Identifier: MIT
// surroundings.csv written, killed and read again; the counters of a made-up machine, and of this one.
#include "surroundings.h"

#include <unistd.h>

#include <cmath>

#include "catch.h"
#include "message.h"
#include "scratch.h"

using namespace iobench;

namespace fs = std::filesystem;

namespace {

Surroundings full_round() {
  Surroundings round;
  round.suite = "buffer-sweep";
  round.round = 3;
  round.seconds = 41.5;
  round.busy_s = 60.25;
  round.own_s = 40;
  round.steal_s = 0.5;
  round.throttle_events = 2;
  round.mhz = 2445.5;
  round.processors = 2;
  return round;
}

void set_processor(const Scratch& root, int number, std::uint64_t khz, std::uint64_t core, std::uint64_t package) {
  const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(number);
  root.file(folder + "/cpufreq/scaling_cur_freq", std::to_string(khz) + "\n");
  root.file(folder + "/thermal_throttle/core_throttle_count", std::to_string(core) + "\n");
  root.file(folder + "/thermal_throttle/package_throttle_count", std::to_string(package) + "\n");
  root.file(folder + "/thermal_throttle/core_throttle_total_time_ms", "99999\n");
}

}  // namespace

TEST_CASE("rounds are read as they were written") {
  const Scratch scratch;
  const fs::path csv = scratch / "surroundings.csv";
  CHECK(read_surroundings(csv).rounds.empty());
  Surroundings bare;
  bare.suite = "a,\"b\"\nc";
  bare.round = 1;
  SurroundingsWriter(csv).append(full_round());
  SurroundingsWriter(csv).append(bare);  // opened again, as by a run that is taken up
  bare.suite = "a,\"b\" c";
  const std::vector<Surroundings> expected{full_round(), bare};
  CHECK(read_surroundings(csv).rounds == expected);
  CHECK(
      read_file(csv).starts_with("# iobench surroundings 1\nsuite,round,seconds,busy_s,own_s,steal_s,throttle_events,"
                                 "mhz,processors\nbuffer-sweep,3,41.5,60.25,40,0.5,2,2445.5,2\n"));

  SECTION("a line that was cut is left out, and appending goes on behind the whole ones") {
    const std::string whole = read_file(csv);
    replace_file(csv, whole + "buffer-sweep,4,41");
    const StoredSurroundings stored = read_surroundings(csv);
    CHECK(stored.rounds == expected);
    CHECK(stored.note == "line 5 was cut in the middle and left out");
    SurroundingsWriter(csv).append(full_round());
    CHECK(read_surroundings(csv).rounds.size() == 3);
    CHECK(read_surroundings(csv).note.empty());
  }
  SECTION("what is wrong is an error with its line") {
    const std::string whole = read_file(csv);
    replace_file(csv, whole + "buffer-sweep,4,soon,,0,,,,0\n");
    CHECK(message_of([&] { read_surroundings(csv); }) ==
          csv.string() + ":5: 'soon' is not a number: write digits with a decimal point, such as 0.25 or 1e-3");
    replace_file(csv, "# iobench samples 1\n");
    CHECK_THROWS_AS(SurroundingsWriter(csv), Error);
    CHECK_THROWS_AS(read_surroundings(csv), Error);
  }
}

TEST_CASE("the counters of a machine, over a round") {
  const Scratch root;
  root.file("proc/stat", "cpu  1000 100 300 9000 50 20 30 40 500 0\ncpu0 1 1 1\ncpu1 1 1 1\nintr 5\n");
  set_processor(root, 0, 2000000, 10, 100);
  set_processor(root, 1, 3000000, 20, 100);
  SurroundingsSampler sampler(root.path());
  root.file("proc/stat", "cpu  1100 110 330 9900 55 22 33 44 600 0\ncpu0 1 1 1\ncpu1 1 1 1\nintr 5\n");
  set_processor(root, 0, 1000000, 13, 100);
  set_processor(root, 1, 1000000, 20, 101);
  const Surroundings round = sampler.since_start("suite", 7);
  const double ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  CHECK(round.suite == "suite");
  CHECK(round.round == 7);
  CHECK(*round.busy_s * ticks_per_s == Approx(100 + 10 + 30 + 2 + 3));
  CHECK(*round.steal_s * ticks_per_s == Approx(4));
  CHECK(round.throttle_events == std::optional<std::uint64_t>(4));
  CHECK(*round.mhz == Approx((2500 + 1000) / 2.0));
  CHECK(round.processors == 2);

  SECTION("from here on anew") {
    sampler.start();
    CHECK(*sampler.since_start("suite", 8).busy_s == 0);
  }
  SECTION("a counter that fell says nothing") {
    set_processor(root, 0, 1000000, 0, 0);
    CHECK_FALSE(sampler.since_start("suite", 7).throttle_events);
  }
}

TEST_CASE("a machine that says nothing gives empty fields") {
  const Scratch root;
  root.file("proc/stat", "cpu  1000 100\n");
  const Surroundings round = SurroundingsSampler(root.path()).since_start("suite", 1);
  CHECK_FALSE(round.busy_s);
  CHECK_FALSE(round.steal_s);
  CHECK_FALSE(round.throttle_events);
  CHECK_FALSE(round.mhz);
  CHECK(round.processors == 0);
}

TEST_CASE("this process and the children that it waited for are ours") {
  SurroundingsSampler sampler;
  volatile double work = 0;
  for (int i = 0; i < 20000000; ++i) work = work + 1;
  const double own = sampler.since_start("suite", 1).own_s;
  CHECK(own > 0);
  run_command({"sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"});
  const Surroundings round = sampler.since_start("suite", 1);
  CHECK(round.own_s > own);
  CHECK(round.processors > 0);
}
