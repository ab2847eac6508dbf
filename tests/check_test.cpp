// SPDX-License-Identifier: MIT
// What is checked before anything is timed, on real commands and small inputs: ends on sockets, made inputs, records that
// are taken apart again, files by name, parts, refusals, counted calls and instructions; what goes wrong there is a row's
// own misfortune. Then whole sessions of such rows.
#include "check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "catch.h"
#include "lab.h"
#include "message.h"
#include "samples.h"
#include "sanitized.h"

using namespace iobench;
using iobench::testing::sanitized;
namespace fs = std::filesystem;

namespace {

// Each row in a group of its own, run once.
const std::string head = "title = \"t\"\nquestion = \"q\"\ngroup = [\"name\"]\n";

const std::string alter =
    "\nalter = { says = \"for tests\", from = \"test\", command = [\"tr\", \"\\\\200\", \"\\\\201\"], package = \"coreutils\" }\n";

struct Bench : Lab {
  explicit Bench(const std::string& rows) : Lab(head + rows, alter) { options.rounds = 1; }

  std::map<std::string, RowCheck> check() {
    const Plan plan = plan_session(options, layout, toolbox());
    Placement placement(plan, layout.corpus, layout.tools, layout.data / "peers", {});
    const Runner runner(find_program("hyperfine"), layout.tools / "plumb", placement.scratch());
    const Connections connections(plan, layout.tools, placement.scratch(), {});
    const RowChecks checks =
        check_rows(plan, placement, connections, runner, toolbox(), find_program("strace"), {});
    std::map<std::string, RowCheck> by_name;
    for (std::size_t row = 0; row < checks.at(0).size(); ++row) by_name[plan.suites[0].rows[row].row.name] = checks[0][row];
    left = names_in(placement.scratch());
    return by_name;
  }
  std::vector<std::string> left;  // in the scratch folder, after the checks

  static std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) names.push_back(entry.path().filename().string());
    return names;
  }
};

std::string row(const std::string& name, const std::string& fields) { return "[[row]]\nname = \"" + name + "\"\n" + fields; }

const std::string sockets = row("to-{output}", R"(
tool = "readwrite -b 64K"
input = "corpus"
output = ["tcp", "unix"]
cache = "warm"
)") + row("from-{input}", R"(
tool = "readwrite -b 64K"
input = ["tcp", "unix"]
output = ["file"]
)") + row("through", R"(
tool = "readwrite -b 64K"
input = "unix"
output = "tcp"
)") + row("drained", R"(
tool = "readwrite -b 64K --drain"
input = "tcp"
output = "none"
)");

const std::string records = row("write-{block}", R"(
tool = "record-write -b {block} --fill"
block = ["528", "4112"]
operation = "{block}"
input = "none"
output = "file"
)") + row("write-null", R"(
tool = "record-write --raw -b 528 --fill"
operation = 528
input = "none"
output = "null"
)") + row("write-corpus", R"(
tool = "record-write"
input = "corpus"
output = "file"
cache = "warm"
)") + row("read", R"(
tool = "record-read"
operation = 528
input = "corpus"
output = "null"
cache = "warm"
made_by = "record-write -b 528 --fill"
)") + row("read-{input}", R"(
tool = "record-read --raw"
operation = 528
input = ["tcp", "tmpfs"]
output = "pipe"
made_by = "record-write -b 528 --fill"
)") + row("read-drained", R"(
tool = "record-read --drain"
operation = 528
input = "corpus"
output = "none"
cache = "warm"
made_by = "record-write -b 528 --fill"
)");

void check_all_ok(const std::map<std::string, RowCheck>& checks, std::size_t expected) {
  CHECK(checks.size() == expected);
  for (const auto& [name, check] : checks) {
    INFO(name << ": " << check.reason);
    CHECK(check.status == "ok");
    CHECK(check.not_a_copy.empty());
    CHECK(check.note.empty());
  }
}

}  // namespace

TEST_CASE("what comes from a socket or goes to one is the whole input", "[check]") {
  Bench bench(sockets);
  const auto checks = bench.check();
  check_all_ok(checks, 6);
  CHECK(checks.at("from-tcp").calls_note == "its input comes from a server");
  if (!find_program("strace").empty() && !sanitized) CHECK(checks.at("to-unix").calls_note.empty());
  CHECK(checks.at("to-tcp").program_bytes == fs::file_size(bench.layout.tools / "readwrite"));
  for (const char* name : {"output", "received"})
    CHECK(std::count(bench.left.begin(), bench.left.end(), name) == 0);
}

TEST_CASE("a wrong byte on either side of a socket is a mismatch", "[check]") {
  Bench bench(row("to-{output}", "tool = \"alter\"\ninput = \"corpus\"\noutput = [\"tcp\", \"unix\"]\ncache = \"warm\"\n") +
              row("from-{input}", "tool = \"alter\"\ninput = [\"tcp\", \"unix\"]\noutput = \"null\"\n") +
              row("short", "tool = \"readwrite -b 64K -n 5000\"\ninput = \"tcp\"\noutput = \"null\"\n") +
              row("lost", "tool = \"readwrite -b 64K -n 5000\"\ninput = \"corpus\"\noutput = \"unix\"\ncache = \"warm\"\n"));
  const auto checks = bench.check();
  for (const char* name : {"to-tcp", "to-unix", "from-tcp", "from-unix"}) {
    INFO(name << ": " << checks.at(name).reason);
    CHECK(checks.at(name).status == "mismatch");
    CHECK(checks.at(name).reason.starts_with("wrote other bytes: "));
  }
  CHECK(checks.at("short").reason == "wrote 5000 bytes instead of 1048576");
  CHECK(checks.at("lost").reason == "wrote 5000 bytes instead of 1048576");
}

TEST_CASE("records are compared by what their other half makes of them", "[check]") {
  Bench bench(records);
  const auto checks = bench.check();
  check_all_ok(checks, 8);
  CHECK(checks.at("read").calls_note == "its input was made for one size");
}

TEST_CASE("the calls of what generates its bytes are those of the bytes", "[check]") {
  if (find_program("strace").empty() || sanitized) {
    WARN("skipped: strace is not installed, or the tools have sanitizers, which look for leaks and cannot under it");
    return;
  }
  Bench bench(row("fill-{block}", "tool = \"readwrite -b {block} --fill\"\nblock = [\"512\", \"1M\"]\ninput = \"none\"\noutput = \"file\"\n") +
              row("array", "tool = \"buffered-64K --fill\"\ninput = \"none\"\noutput = \"tcp\"\n") +
              row("raw", "tool = \"record-write --raw -b 1K --fill\"\noperation = \"1K\"\ninput = \"none\"\noutput = \"file\"\n") +
              row("copy", "tool = \"readwrite -b 1M\"\ninput = \"corpus\"\noutput = \"file\"\ncache = \"warm\"\n"));
  const auto checks = bench.check();
  CHECK(checks.at("fill-512").calls_per_mib == 2048);  // one write a block
  CHECK(checks.at("fill-1M").calls_per_mib == 1);
  CHECK(checks.at("array").calls_per_mib == 16);
  CHECK(checks.at("raw").calls_per_mib == 1024);  // heads are bytes, too
  CHECK(checks.at("copy").calls_per_mib == 2);
  for (const auto& [name, check] : checks) {
    INFO(name << ": " << check.calls_note);
    CHECK(check.startup_calls > 5);
    CHECK(check.startup_calls < 200);
  }
}

TEST_CASE("records that are cut, or hold other bytes, are mismatches; so is a reader that loses some", "[check]") {
  const std::string real = std::string(std::getenv("IOBENCH_TOOLS")) + "/";
  Bench cut(records);
  cut.replace_tool("record-write", real + "record-write \"$@\" | head -c -1");
  const std::string said = message_of([&] { cut.check(); });  // made inputs need it too, and are told before any check
  CHECK(said.starts_with("make an input with "));
  CHECK(said.ends_with(": it made 1048079 of 1048080 bytes"));

  const std::string written = records.substr(0, records.find("[[row]]\nname = \"read\""));
  Bench corrupt(written);
  corrupt.replace_tool("record-write", real + "record-write \"$@\" | head -c -1");
  for (const auto& [name, check] : corrupt.check()) {
    INFO(name << ": " << check.reason);
    CHECK(check.status == "mismatch");
    CHECK(check.reason.starts_with("what it wrote is refused: record-read: record "));
  }
  Bench altered(written);
  altered.replace_tool("record-write", real + "record-write \"$@\" | tr '\\200' '\\201'");
  for (const auto& [name, check] : altered.check()) {
    INFO(name << ": " << check.reason);
    CHECK(check.status == "mismatch");
    CHECK(check.reason.starts_with("wrote other bytes: "));
  }
  Bench lost(records.substr(written.size()));
  lost.replace_tool("record-read", real + "record-read \"$@\" | tail -c +2");
  for (const auto& [name, check] : lost.check()) {
    INFO(name << ": " << check.reason);
    if (name == "read-drained") continue;
    CHECK(check.status == "mismatch");
    CHECK(check.reason == "wrote 1032199 bytes instead of 1032200");
  }
}

TEST_CASE("copies by name, their control, and either of them mistaken for the other", "[check]") {
  const auto by_name = [](const std::string& name, const std::string& method, const std::string& more) {
    return row(name, "tool = \"copy-files --target {target} --method " + method + "\"\ntarget = \"new\"\ninput = \"corpus\"\n" +
                         "output = \"file\"\ncache = \"warm\"\nsize = 600\nrepeat = 3\n" + more);
  };
  Bench bench(by_name("copied", "readwrite", "") + by_name("control", "none", "expect = \"nothing\"\n") +
              by_name("nothing", "none", "") +
              row("kept", "tool = \"copy-files --target same --method stdio\"\ninput = \"tmpfs\"\noutput = \"tmpfs\"\nsize = 600\n"));
  auto checks = bench.check();
  CHECK(checks.at("copied").status == "ok");
  CHECK(checks.at("kept").status == "ok");
  CHECK(checks.at("copied").not_a_copy.empty());
  CHECK(checks.at("copied").calls_note == "its calls go with its files, not with its bytes");
  // "control" and "nothing" are one command with two expectations: they are not one check.
  CHECK(checks.at("control").status == "ok");
  CHECK(checks.at("control").not_a_copy == "opens and closes, and copies nothing: the control");
  CHECK(checks.at("nothing").status == "mismatch");
  CHECK(checks.at("nothing").reason == "wrote 0 bytes instead of 600");
  Bench mistaken(by_name("control", "readwrite", "expect = \"nothing\"\n"));
  checks = mistaken.check();
  CHECK(checks.at("control").status == "mismatch");
  CHECK(checks.at("control").reason == "wrote 600 bytes instead of 0");
}

TEST_CASE("what is lost, and what is refused, is said and is no failure", "[check]") {
  Bench bench(row("part", "tool = \"getc-then-read\"\ninput = \"corpus\"\noutput = \"file\"\ncache = \"warm\"\nexpect = \"part\"\n") +
              row("refused", "tool = \"sendfile-copy\"\ninput = \"pipe\"\noutput = \"file\"\ncache = \"warm\"\nexpect = \"refusal\"\n") +
              row("served", "tool = \"sendfile-copy\"\ninput = \"corpus\"\noutput = \"file\"\ncache = \"warm\"\nexpect = \"refusal\"\n"));
  const auto checks = bench.check();
  const RowCheck& part = checks.at("part");
  CHECK(part.status == "ok");
  CHECK(part.not_a_copy == "does not copy all of its input");
  CHECK(part.note == "1,044,481 of 1,048,576 bytes of its input came out, 4,095 did not");
  CHECK(checks.at("refused").status == "unsupported");
  CHECK(checks.at("refused").reason.starts_with("sendfile-copy: "));
  CHECK(checks.at("served").status == "ok");
  CHECK(checks.at("served").not_a_copy.empty());
}

TEST_CASE("a server that does not start, or dies, is its rows' misfortune", "[check]") {
  Bench deaf(sockets);
  deaf.replace_tool("net-sink", "echo 'net-sink: broken' >&2\nexit 1");
  const auto checks = deaf.check();
  for (const char* name : {"to-tcp", "to-unix", "through"}) {
    INFO(name);
    CHECK(checks.at(name).status == "failed");
    CHECK(checks.at(name).reason == "start net-sink: net-sink: broken");
  }
  for (const char* name : {"from-tcp", "from-unix", "drained"}) CHECK(checks.at(name).status == "ok");

  // Only at its first start: the row is verified, and its calls are not counted.
  Bench once(row("to", "tool = \"readwrite -b 64K\"\ninput = \"corpus\"\noutput = \"tcp\"\ncache = \"warm\"\n"));
  const std::string started = (once.scratch.path() / "started").string();
  once.replace_tool("net-sink", "[ -e " + started + " ] && { echo 'net-sink: tired' >&2; exit 1; }\ntouch " + started + "\nexec " +
                                    std::getenv("IOBENCH_TOOLS") + "/net-sink \"$@\"");
  const RowCheck tired = once.check().at("to");
  CHECK(tired.status == "ok");
  CHECK(tired.calls_per_mib == -1);
  CHECK(tired.calls_note == "start net-sink: net-sink: tired");

  // It takes all and says in the end that it could not keep it.
  Bench dying(sockets);
  dying.replace_tool("net-sink", std::string(std::getenv("IOBENCH_TOOLS")) + "/net-sink \"$@\"\necho 'net-sink: lost' >&2\nexit 1");
  const RowCheck lost = dying.check().at("to-tcp");
  CHECK(lost.status == "failed");
  CHECK(lost.reason.starts_with("wait for net-sink: "));
}

TEST_CASE("a link that cannot be made makes its rows unsupported, and no others", "[check]") {
  Bench bench(row("slow", "tool = \"readwrite -b 64K\"\ninput = \"corpus\"\noutput = \"tcp\"\ncache = \"warm\"\nlink = \"100 Mbit/s\"\n") +
              row("plain", "tool = \"readwrite -b 64K\"\ninput = \"corpus\"\noutput = \"tcp\"\ncache = \"warm\"\n"));
  const fs::path fakes = bench.scratch.script("fakes/unshare", "echo 'unshare: not here' >&2\nexit 1").parent_path();
  bench.environment.set("PATH", fakes.string() + ":" + std::getenv("PATH"));
  const auto checks = bench.check();
  CHECK(checks.at("slow").status == "unsupported");
  CHECK(checks.at("slow").reason.find("unshare: not here") != std::string::npos);
  CHECK(checks.at("plain").status == "ok");
}

TEST_CASE("instructions are counted by valgrind, on little, without its start-up", "[check]") {
  const std::string counted = row("copy", R"(
tool = "readwrite -b {block}"
block = ["1K"]
input = "corpus"
output = "null"
cache = "warm"
count_instructions = true
)") + row("bytewise", "tool = \"getputc\"\ninput = \"corpus\"\noutput = \"null\"\ncache = \"warm\"\ncount_instructions = true\n") +
                              row("read", R"(
tool = "record-read"
operation = 528
input = "corpus"
output = "null"
cache = "warm"
made_by = "record-write -b 528 --fill"
count_instructions = true
)") + row("write", R"(
tool = "record-write -b 528 --fill"
operation = 528
input = "none"
output = "tcp"
count_instructions = true
)") + row("uncounted", "tool = \"getputc\"\ninput = \"corpus\"\noutput = \"pipe\"\ncache = \"warm\"\n");
  Bench bench(counted);
  SECTION("with it") {
    if (find_program("valgrind").empty() || sanitized) {
      WARN("skipped: valgrind is not installed, or the tools have sanitizers, which do not run under it");
      return;
    }
    const auto checks = bench.check();
    for (const char* name : {"copy", "bytewise", "read", "write"}) {
      INFO(name << ": " << checks.at(name).instructions_note);
      CHECK(checks.at(name).status == "ok");
      CHECK(checks.at(name).instructions_per_byte > 0);
    }
    // Two calls for 1,024 bytes, and at least a few instructions for each byte.
    CHECK(checks.at("copy").instructions_per_byte < 2);
    CHECK(checks.at("bytewise").instructions_per_byte > 5);
    CHECK(checks.at("bytewise").instructions_per_byte < 200);
    CHECK(checks.at("uncounted").instructions_per_byte == -1);
    CHECK(checks.at("uncounted").instructions_note.empty());
  }
  SECTION("without it, and without strace") {
    bench.environment.set("PATH", (fs::path(std::getenv("IOBENCH_ROOT")) / "tests/fakes").string());
    const auto checks = bench.check();
    CHECK(checks.at("copy").status == "ok");
    CHECK(checks.at("copy").instructions_per_byte == -1);
    CHECK(checks.at("copy").instructions_note == "valgrind is not installed");
    CHECK(checks.at("copy").calls_per_mib == -1);
    CHECK(checks.at("copy").calls_note == "strace is not installed");
  }
}

namespace {

std::map<std::string, Sample> samples_of(const SessionEnd& end) {
  std::map<std::string, Sample> by_row;
  for (const Sample& sample : read_samples(end.results / "samples.csv").samples)
    if (!limit_of_row(sample.row)) by_row[sample.row] = sample;
  return by_row;
}

// Scratch folders of this process in memory.
std::size_t folders_in_memory() {
  const std::vector<std::string> names = Bench::names_in("/dev/shm");
  return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with(fmt::format("run-{}.", ::getpid()));
  }));
}

}  // namespace

TEST_CASE("a session of such rows ends with a sample of each, and leaves nothing", "[check]") {
  Bench bench(sockets + records +
              row("names", "tool = \"copy-files --method readwrite\"\ninput = \"corpus\"\noutput = \"file\"\ncache = \"warm\"\nsize = 600\n"
                           "repeat = 3\n") +
              row("refused", "tool = \"sendfile-copy\"\ninput = \"pipe\"\noutput = \"file\"\ncache = \"warm\"\nexpect = \"refusal\"\n") +
              row("slow", "tool = \"readwrite -b 64K\"\ninput = \"corpus\"\noutput = \"tcp\"\ncache = \"warm\"\nlink = \"100 Mbit/s\"\n"));
  const SessionEnd end = bench.run();
  CHECK(end.runs_made == 17);
  CHECK(end.runs_failed == 0);
  const auto samples = samples_of(end);
  CHECK(samples.size() == 17);
  for (const auto& [name, sample] : samples) {
    INFO(name << ": " << sample.reason);
    if (name == "slow" && sample.status == "unsupported") {
      WARN("skipped: " << sample.reason);
      continue;
    }
    CHECK(sample.status == (name == "refused" ? "unsupported" : "ok"));
  }
  CHECK(samples.at("to-tcp").bytes == 1u << 20);
  CHECK(samples.at("names").operations == 3);
  CHECK(samples.at("names").bytes == 1800);
  CHECK(samples.at("read").operations == (1u << 20) / 528);
  for (const std::string& call : bench.calls()) {
    CHECK((call.find("'--count' '3'") != std::string::npos) == (call.find("copy-files") != std::string::npos));
    CHECK(call.find("sendfile-copy") == std::string::npos);
  }
  for (const auto& entry : fs::directory_iterator(bench.layout.corpus)) CHECK(entry.is_regular_file());
  CHECK(folders_in_memory() == 0);
}

TEST_CASE("servers that were started by hand are used, and asked for first", "[check]") {
  Bench bench(row("to", "tool = \"readwrite -b 64K\"\ninput = \"corpus\"\noutput = \"tcp\"\ncache = \"warm\"\n") +
              row("from", "tool = \"readwrite -b 64K\"\ninput = \"tcp\"\noutput = \"null\"\n"));
  bench.options.net_host = "localhost";
  std::optional<BackgroundCommand> sink, source;
  const fs::path tools = bench.layout.tools;
  sink.emplace(std::vector<std::string>{(tools / "net-sink").string(), "--listen", "127.0.0.1", "--discard"}, BackgroundCommand::Files{});
  source.emplace(std::vector<std::string>{(tools / "net-source").string(), "--listen", "127.0.0.1", "--generate", "-n", "1048576"},
                 BackgroundCommand::Files{});
  const std::string sink_said = sink->error_line(10), source_said = source->error_line(10);
  if (sink_said.find("listening on 127.0.0.1:4433") == std::string::npos ||
      source_said.find("listening on 127.0.0.1:3344") == std::string::npos) {
    WARN("skipped: " << sink_said << "; " << source_said);
    return;
  }
  const SessionEnd end = bench.run();
  CHECK(end.runs_failed == 0);
  for (const std::string& call : bench.calls()) {
    INFO(call);
    CHECK(((call.find("'tcp:localhost:4433'") != std::string::npos) || (call.find("'tcp:localhost:3344'") != std::string::npos)));
  }
  CHECK(bench.calls().size() == 2);
  CHECK(plan_from_json(read_file(end.results / "plan.json"), "plan.json").plan.options.other_machine);
  CHECK(read_file(end.results / "machine.json").find("localhost") == std::string::npos);  // which machine is nobody's business

  source.reset();
  const std::string said = message_of([&] { bench.run(); });
  CHECK(said.starts_with("use the servers on localhost: port 3344: "));
  CHECK(said.find("net-source --listen 0.0.0.0 -n 1M") != std::string::npos);
  CHECK(Bench::names_in(bench.layout.results).size() == 1);
}

TEST_CASE("a run that fails before its first sample leaves no results", "[check]") {
  Bench bench(records);
  bench.replace_tool("record-write", "echo 'record-write: broken' >&2\nexit 1");
  const std::string said = message_of([&] { bench.run(); });
  CHECK(said.starts_with("make an input with "));
  CHECK(said.ends_with("record-write: broken"));
  CHECK(Bench::names_in(bench.layout.results).empty());
  for (const auto& entry : fs::directory_iterator(bench.layout.corpus)) CHECK(entry.is_regular_file());
  CHECK(folders_in_memory() == 0);
  bench.options.results = bench.scratch.path() / "mine";
  message_of([&] { bench.run(); });
  CHECK_FALSE(fs::exists(bench.options.results / "plan.json"));
  CHECK_FALSE(fs::exists(bench.options.results / "samples.csv"));
}
