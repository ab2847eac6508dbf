// SPDX-License-Identifier: MIT
// Limits: what is measured and within which bounds, which of them bounds a row, and the share of it.
#include "limit.h"

#include <fcntl.h>
#include <unistd.h>

#include "bound.h"
#include "catch.h"
#include "made_up.h"
#include "scratch.h"
#include "share.h"
#include "storage.h"
#include "summary.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

bool says(const LimitMeasurement& limit, const std::string& part) {
  return limit.why_not.find(part) != std::string::npos;
}

// No device and no memory moves 10 TB/s: what was compiled away, or not done, would seem to.
bool is_possible(const LimitMeasurement& limit) {
  return limit.seconds > static_cast<double>(limit.bytes) / 1e13;
}

MeasuredLimits machine() {
  MeasuredLimits limits;
  for (const auto& [limit, rate] : {std::pair{Limit::memory_copy, 14e9},
                                    {Limit::memory_copy_by_two, 24e9},
                                    {Limit::device_read, 2e9},
                                    {Limit::device_write, 1e9}})
    limits[limit].rate = summarize(std::vector<double>(7, rate));
  return limits;
}

Row row_between(Input input, Output output, Cache cache = Cache::none) {
  Row row;
  row.input = input;
  row.output = output;
  row.cache = cache;
  return row;
}

}  // namespace

TEST_CASE("memory copies move what they say, by as many threads as they say") {
  for (const unsigned threads : {1u, 2u, 3u}) {
    const LimitMeasurement limit = measure_memory_copy((100u << 20) + 1, threads);
    INFO(threads << " threads");
    CHECK(limit.why_not.empty());
    CHECK(limit.bytes == (100u << 20) + 1);
    CHECK(is_possible(limit));
  }
  CHECK(measure_memory_copy(0).bytes == 0);
  CHECK(measure_memory_copy(1, 2).bytes == 1);
}

TEST_CASE("a device is read within bounds, or why it is not is said") {
  const Scratch scratch;
  const fs::path file = scratch.file("cold", std::string((9u << 20) + 123, 'x'));
  const Descriptor open(::open(file.c_str(), O_RDONLY));
  REQUIRE(::fdatasync(open.get()) == 0);
  const LimitMeasurement whole = measure_device_read(file);
  if (!whole.why_not.empty()) {
    WARN("skipped: " << whole.why_not);
    return;
  }
  CHECK(whole.bytes == 9u << 20);  // but for the tail that no direct call reads
  CHECK(is_possible(whole));
  CHECK(measure_device_read(file, {5u << 20, 2}).bytes == 5u << 20);
  CHECK(measure_device_read(file, {64u << 20, 1e-9}).bytes == 4u << 20);  // one call, then its time is over
}

TEST_CASE("a device is written within bounds, and nothing stays") {
  const Scratch scratch;
  const LimitMeasurement limit = measure_device_write(scratch.path(), {6u << 20, 2});
  CHECK(scratch.entries() == 0);
  if (!limit.why_not.empty()) {
    WARN("skipped: " << limit.why_not);
    return;
  }
  CHECK(limit.bytes == 6u << 20);
  CHECK(is_possible(limit));
}

TEST_CASE("what has no device has no device's limit, and the reason") {
  const Scratch scratch;
  CHECK(says(measure_device_read(scratch / "none"), "open by O_DIRECT: No such file or directory"));
  CHECK(says(measure_device_write(scratch / "none"),
             "make a file without a name by O_DIRECT: No such file or directory"));
  const LimitMeasurement small = measure_device_read(scratch.file("small", "x"));
  CHECK(small.bytes == 0);
  CHECK_FALSE(small.why_not.empty());
  if (mount_of("/dev/shm").type != "tmpfs") return;
  const LimitMeasurement in_memory = measure_device_read("/dev/shm");
  CHECK(in_memory.why_not == "tmpfs: it has no device");
  CHECK(measure_device_write("/dev/shm").why_not == "tmpfs: it has no device");
}

TEST_CASE("which limit bounds a row, by its ends and its regime") {
  struct Case {
    Input input;
    Output output;
    Cache cache;
    const char* name;
    double rate;
  };
  for (const Case& given : std::vector<Case>{
           {Input::corpus, Output::null, Cache::warm, "one copy", 14e9},
           {Input::corpus, Output::none, Cache::warm, "one copy", 14e9},
           {Input::tmpfs, Output::null, Cache::none, "one copy", 14e9},
           {Input::none, Output::file, Cache::none, "one copy", 14e9},
           {Input::zero, Output::tmpfs, Cache::none, "one copy", 14e9},
           {Input::corpus, Output::file, Cache::warm, "two copies", 7e9},
           {Input::corpus, Output::over, Cache::warm, "two copies", 7e9},
           {Input::tmpfs, Output::tmpfs, Cache::none, "two copies", 7e9},
           {Input::pipe, Output::null, Cache::warm, "one copy, shared", 12e9},
           {Input::tcp, Output::none, Cache::none, "one copy, shared", 12e9},
           {Input::none, Output::local, Cache::none, "one copy, shared", 12e9},
           {Input::corpus, Output::pipe, Cache::warm, "two copies, shared", 6e9},
           {Input::corpus, Output::tcp, Cache::warm, "two copies, shared", 6e9},
           {Input::local, Output::file, Cache::none, "two copies, shared", 6e9},
           {Input::pipe, Output::pipe, Cache::warm, "two copies, shared", 6e9},
           {Input::corpus, Output::null, Cache::cold, "device read", 2e9},
           {Input::corpus, Output::file, Cache::confined, "device read", 2e9},
           {Input::pipe, Output::null, Cache::cold, "device read", 2e9},
       }) {
    INFO(to_string(given.input) << " to " << to_string(given.output) << ", " << to_string(given.cache));
    const std::optional<Bound> bound =
        bound_of(passage_of(row_between(given.input, given.output, given.cache)), machine());
    REQUIRE(bound);
    CHECK(bound->name == given.name);
    CHECK(bound->bytes_per_s == Approx(given.rate));
  }
}

TEST_CASE("rows that pass nothing have no limit") {
  for (const auto& [input, output] :
       {std::pair{Input::none, Output::null}, {Input::none, Output::none}, {Input::zero, Output::null}})
    CHECK_FALSE(bound_of(passage_of(row_between(input, output)), machine()));
  Row control = row_between(Input::corpus, Output::file, Cache::warm);
  control.expect = Expected::nothing;
  CHECK_FALSE(bound_of(passage_of(control), machine()));
  control.expect = Expected::refusal;
  CHECK_FALSE(bound_of(passage_of(control), machine()));
}

TEST_CASE("the slowest of what a row passes bounds it") {
  Row row = row_between(Input::corpus, Output::file, Cache::cold);
  row.sync = true;
  CHECK(bound_of(passage_of(row), machine())->name == "device write");
  CHECK(limits_for(row).size() == 4);
  row.output = Output::tmpfs;  // has no device
  CHECK(bound_of(passage_of(row), machine())->name == "device read");
  MeasuredLimits fast = machine();
  fast[Limit::device_read].rate = summarize(std::vector<double>(7, 9e9));
  CHECK(bound_of(passage_of(row), fast)->name == "two copies");
  row.cache = Cache::warm;
  CHECK(limits_for(row) == std::set<Limit>{Limit::memory_copy, Limit::memory_copy_by_two});
  row.cache = Cache::cold;
  row.repeat = 2;  // the second copy finds it in the cache
  CHECK_FALSE(passage_of(row).from_device);
  row.repeat = 1;
  row.cache = Cache::confined;
  row.not_confined = true;  // it runs cold
  CHECK(passage_of(row).from_device);
}

TEST_CASE("a slow link is the limit of whatever crosses it, measured or not") {
  Row row = row_between(Input::none, Output::tcp);
  row.link_bits_per_s = 100'000'000;
  for (const MeasuredLimits& limits : {machine(), MeasuredLimits{}}) {
    const std::optional<Bound> bound = bound_of(passage_of(row), limits);
    CHECK(bound->name == "the link");
    CHECK(bound->bytes_per_s == 12.5e6);
    CHECK(bound->words == "the link: 12.5 MB/s, its speed");
  }
}

TEST_CASE("a limit that was not measured has no rate, and says so") {
  const Passage cold = passage_of(row_between(Input::corpus, Output::null, Cache::cold));
  MeasuredLimits limits = machine();
  limits[Limit::device_read] = {summarize(std::vector<double>{}), "tmpfs: it has no device"};
  CHECK(bound_of(cold, limits)->bytes_per_s == 0);
  CHECK(bound_of(cold, limits)->words ==
        "device read: what the device delivers when it is read directly was not measured in this run: tmpfs: it has no "
        "device");
  limits.erase(Limit::device_read);
  CHECK(bound_of(cold, limits)->words ==
        "device read: what the device delivers when it is read directly was not measured in this run");
  CHECK(bound_of(passage_of(row_between(Input::corpus, Output::pipe, Cache::warm)), machine())->words ==
        "two copies, shared: 6.00 GB/s, a quarter of what two threads copy in memory at once, since another process "
        "copies "
        "meanwhile at the other end");
}

TEST_CASE("a share of the limit, above it where no copy is made, and none where nothing is moved") {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  made.add_suite("shares", "Shares");
  for (const char* tool : {"half", "above", "none"}) made.add_row(tool, "all", 7, {tool});
  made.set_baseline("half");
  const double copy_s = static_cast<double>(1u << 30) / 14e9;
  made.measure({2 * copy_s, copy_s / 3, copy_s / 100}, 0, 1);
  const auto share = [&](std::size_t row) {
    const SuiteResult result = summarize_results(made.plan, made.samples, {}, {"none"}).at(0);
    return share_of_limit(made.plan.suites[0], result, row);
  };
  CHECK_FALSE(share(0).share);
  CHECK(share(0).words.empty());
  made.measure_limits(7, {{Limit::memory_copy, 14e9 * 1.008}});  // a drift about its middle
  CHECK(share(0).words == "50 % of one copy");
  CHECK(share(1).words == "300 % of one copy");
  CHECK(share(1).share.value() == Approx(3));
  CHECK(share(2).words == "not a copy");
  CHECK_FALSE(share(2).bound);
  made.plan.suites[0].rows[0].row.input = Input::none;
  CHECK(share(0).words == "no limit");
  CHECK(share_percent(0.00412) == "0.41 %");
  CHECK(share_percent(0.0412) == "4.1 %");
  CHECK(share_percent(0.412) == "41 %");
}
