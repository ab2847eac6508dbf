// SPDX-License-Identifier: MIT
// plumb's account: right about the command, silent about plumb, valid JSON whatever was said, and always there.
#include "bench.h"
#include "catch.h"

#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace iobench;
using namespace iobench::testing;

TEST_CASE("keys, calls and bytes of the command alone") {
  const Bench bench;
  const std::string command = "|" + bench.out + "|" + tool_path("readwrite") + "|-b|1K";
  REQUIRE(bench.run_accounted(bench.in + command).status == 0);
  const Account whole = bench.account();
  REQUIRE(bench.run_accounted("null" + command).status == 0);
  const Account nothing = bench.account();  // the loader's own
  std::string keys;
  for (const std::string& key : whole.keys()) keys += key + " ";
  CHECK(keys == "version status signal repeat return_s delivered_s durable_s user_s system_s read_calls write_calls read_bytes "
                "written_bytes device_read_bytes feeder_device_read_bytes dirtied_bytes delivered_bytes minor_faults major_faults voluntary_switches "
                "involuntary_switches peak_memory_bytes cpus error ");
  const auto more = [&](const char* key) { return whole.number(key) - nothing.number(key); };
  CHECK(more("read_calls") == 1025);
  CHECK(more("write_calls") == 1025);
#ifdef __SANITIZE_ADDRESS__
  CHECK(std::abs(more("read_bytes") - static_cast<std::int64_t>(Bench::size)) < 4096);  // it reads /proc/self/maps first
#else
  CHECK(more("read_bytes") == Bench::size);
#endif
  CHECK(whole.number("written_bytes") == Bench::size);
  CHECK(whole.number("dirtied_bytes") >= static_cast<std::int64_t>(Bench::size));
  CHECK(whole.number("version") == 1);
  CHECK(whole.number("repeat") == 1);
  CHECK(whole.seconds("return_s") > 0);
  CHECK(whole.is_null("durable_s"));
  CHECK(whole.number("peak_memory_bytes") > 500000);
  CHECK(whole.text("error") == "");
  const std::string status = read_file("/proc/self/status");
  const std::size_t at = status.find("Cpus_allowed_list:\t") + 19;
  CHECK(whole.text("cpus") == status.substr(at, status.find('\n', at) - at));
}

TEST_CASE("an ordinary user's says the same") {
  if (geteuid() != 0 || !has_program("setpriv")) {
    WARN("not tested: it takes root and setpriv to become somebody else");
    return;
  }
  const Bench bench;
  const std::string program = bench.scratch / "plumb";
  std::filesystem::copy_file(tool_path("plumb"), program);
  std::filesystem::permissions(std::filesystem::path(program).parent_path(), std::filesystem::perms::all);
  std::vector<std::string> job = plumb(bench.accounted("--repeat|3|pipe:" + bench.in +
                                                       "|pipe|sh|-c|cat; echo noise >&2; cat /proc/version >&2"));
  job[0] = program;
  REQUIRE(run(job, bench.ends).status == 0);
  const Account root = bench.account();
  unlink(bench.account_path.c_str());
  job.insert(job.begin(), {"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all"});
  REQUIRE(run(job, bench.ends).status == 0);
  const Account nobody = bench.account();
  // Not the read calls: how many pieces a pipe is read in depends on who is faster.
  for (const char* key : {"written_bytes", "read_bytes", "delivered_bytes", "dirtied_bytes"}) {
    INFO(key);
    CHECK(nobody.number(key) == root.number(key));
  }
  CHECK(nobody.number("read_calls") > 0);
  CHECK(nobody.number("write_calls") > 0);
}

TEST_CASE("what devices delivered to the feeder of a pipe is told apart from the command's") {
  const Bench bench;
  REQUIRE(bench.run_accounted("pipe:" + bench.in + "|null|cat").status == 0);
  CHECK(bench.account().number("feeder_device_read_bytes") >= 0);
  REQUIRE(bench.run_accounted("--repeat|2|pipe:" + bench.in + "|null|cat").status == 0);
  CHECK_FALSE(bench.account().is_null("feeder_device_read_bytes"));
  REQUIRE(bench.run_accounted("pipe:/dev/zero|null|head|-c|10").status == 0);  // it never comes to the end
  CHECK(bench.account().is_null("feeder_device_read_bytes"));
  REQUIRE(bench.run_accounted(bench.in + "|null|cat").status == 0);
  CHECK(bench.account().is_null("feeder_device_read_bytes"));
}

TEST_CASE("user and system time are the command's") {
  const Bench bench;
  bench.scratch.write("in", bench.bytes.substr(0, 1 << 17));
  const auto cpu_s = [&](const std::string& block) {
    REQUIRE(bench.run_accounted(bench.in + "|null|" + tool_path("readwrite") + "|-b|" + block).status == 0);
    return bench.account().seconds("user_s") + bench.account().seconds("system_s");
  };
  CHECK(cpu_s("1") > cpu_s("1M"));
}

TEST_CASE("the end of standard error is kept, as valid JSON, and passed on") {
  const Bench bench;
  const std::string say = bench.scratch / "said|null|sh|-c|cat >&2; exit 1";
  const std::string replaced = "\xef\xbf\xbd";
  const std::string plain = std::string("\"quoted\" \\ tab\t") + '\x01';
  const std::string good = " \xc3\xa9\xf0\x9f\x98\x80\x7f\n";
  bench.scratch.write("said", plain + "\xff\xc0\xaf\xed\xa0\x80" + good);
  const Ended ended = bench.run_accounted(say);
  CHECK(ended.status == 1);
  CHECK(ended.err == plain + "\xff\xc0\xaf\xed\xa0\x80" + good);
  CHECK(bench.account().text("error") ==
        plain + replaced + replaced + replaced + replaced + replaced + replaced + good);

  std::string lines;
  for (int i = 0; lines.size() < 100000; i++) lines += "line " + std::to_string(i) + "\n";
  bench.scratch.write("said", lines);
  CHECK((bench.run_accounted(say).err == lines));
  CHECK(bench.account().text("error") == lines.substr(lines.size() - 4096));

  // 4,096 bytes from the end is the middle of a character: what is left of it is not an error of the command's.
  std::string accents;
  for (int i = 0; i < 3000; i++) accents += "\xc3\xa9";
  bench.scratch.write("said", accents + "x");
  bench.run_accounted(say);
  CHECK((bench.account().text("error") == accents.substr(0, 4094) + "x"));
}

TEST_CASE("standard error that nobody reads, and that somebody holds open") {
  const Bench bench;
  // Through a shell, since the fixture gives every process a standard error. `true` ends before plumb can write to it.
  for (const std::string redirection : {"2>&-", "2> >(true)", "2>/dev/full"}) {
    INFO(redirection);
    std::vector<std::string> words =
        plumb(bench.accounted(bench.in + "|" + bench.out + "|sh|-c|sleep 0.1; echo said >&2; cat"));
    words.insert(words.begin(), {"bash", "-c", "exec \"$@\" " + redirection, "bash"});
    CHECK(run(words, bench.ends).status == 0);
    CHECK(bench.account().text("error") == "said\n");
    CHECK((bench.output() == bench.bytes));
  }
  const Ended held = bench.run_accounted("null|null|sh|-c|sleep 60 & echo $! >&2");
  CHECK(held.status == 0);
  CHECK_FALSE(held.timed_out);
  kill(std::atoi(held.err.c_str()), SIGKILL);
}

TEST_CASE("--repeat sums, rewinds, and stops at the first failure") {
  const Bench bench;
  const Descriptor file = open_file(bench.in, O_RDONLY);
  REQUIRE(lseek(file.get(), 7, SEEK_SET) == 7);
  const std::string job = bench.accounted("--repeat|5|-|pipe|" + tool_path("readwrite") + "|-b|1M");
  REQUIRE(run(plumb(job), {.in = file.get(), .out = bench.null.get()}).status == 0);
  const Account five = bench.account();
  CHECK(five.number("repeat") == 5);
  CHECK(five.number("written_bytes") == 5 * (Bench::size - 7));
  CHECK(five.number("delivered_bytes") == 5 * (Bench::size - 7));
  CHECK(five.seconds("delivered_s") >= five.seconds("return_s"));
  CHECK(five.number("write_calls") == 5);

  REQUIRE(bench.run_accounted("--repeat|3|" + bench.in + "|append:" + bench.out + "|cat").status == 0);
  CHECK((bench.output() == bench.bytes + bench.bytes + bench.bytes));

  unlink(bench.out.c_str());
  CHECK(bench.run_accounted("--repeat|10|null|append:" + bench.out + "|sh|-c|echo x; test $(wc -l <" + bench.out +
                            ") -lt 3").status == 1);
  CHECK(bench.account().number("repeat") == 3);
  CHECK(bench.account().number("status") == 1);
  CHECK(bench.output() == "x\nx\nx\n");
}

TEST_CASE("--sync waits for the device") {
  const Bench bench;
  for (const std::string& output : {bench.out, "over:" + bench.out, std::string("-")}) {
    const Descriptor file = open_file(bench.out, O_WRONLY | O_CREAT);
    REQUIRE(run(plumb(bench.accounted("--sync|" + bench.in + "|" + output + "|cat")),
                {.in = bench.null.get(), .out = file.get()}).status == 0);
    CHECK(bench.account().seconds("durable_s") >= bench.account().seconds("return_s"));
    CHECK((bench.output() == bench.bytes));
  }
}

TEST_CASE("--cpus pins the command") {
  const Bench bench;
  const std::string status = read_file("/proc/self/status");
  const std::string first = std::to_string(std::atoi(status.c_str() + status.find("Cpus_allowed_list:\t") + 19));
  for (const std::string& list : {first, first + "-" + first, first + "," + first}) {
    REQUIRE(bench.run_accounted("--cpus|" + list + "|null|" + bench.out + "|grep|Cpus_allowed_list|/proc/self/status").status == 0);
    CHECK(bench.output() == "Cpus_allowed_list:\t" + first + "\n");
    CHECK(bench.account().text("cpus") == first);
  }
}

TEST_CASE("--cgroup puts the command into the group") {
  const Bench bench;
  const std::string name = "iobench-plumb-test-" + std::to_string(getpid());
  std::string group;
  for (const std::string parent : {"/sys/fs/cgroup/memory/", "/sys/fs/cgroup/"})
    if (group.empty() && access((parent + "cgroup.procs").c_str(), W_OK) == 0 && mkdir((parent + name).c_str(), 0755) == 0)
      group = parent + name;
  if (group.empty()) {
    WARN("not tested: this user may not make a control group");
    return;
  }
  CHECK(bench.run("--cgroup|" + group + "|null|" + bench.out + "|cat|/proc/self/cgroup").status == 0);
  CHECK(bench.output().find("/" + name + "\n") != std::string::npos);
  const std::string job = "--cgroup|" + group + "|" + bench.in + "|" + bench.out + "|" + tool_path("readwrite") + "|-b|1M";
  CHECK(bench.run_accounted(job).status == 0);
  CHECK(bench.account().number("write_calls") == 2);  // not plumb's own, by which it entered
  CHECK(bench.account().number("written_bytes") == Bench::size);
  CHECK(rmdir(group.c_str()) == 0);
}
