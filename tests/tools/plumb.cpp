// SPDX-License-Identifier: MIT
// plumb: every IN with every OUT, every way a command can end, and an account that is right and always there.
#include "catch.h"
#include "server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace iobench;
using namespace iobench::testing;
using nlohmann::json;

namespace {

constexpr std::size_t big = (1 << 20) + 7;

std::vector<std::string> plumb(std::vector<std::string> words) {
  words.insert(words.begin(), tool_path("plumb"));
  return words;
}

// A scratch directory, a file of input in it, and standard ends that a test may replace.
struct Bench {
  Scratch scratch;
  std::string bytes = some_bytes(big);
  std::string in = scratch.write("in", bytes);
  std::string out = scratch / "out";
  std::string account_path = scratch / "account.json";
  Descriptor null = open_file("/dev/null", O_RDWR);
  Launch ends{.in = null.get(), .out = null.get()};

  Ended run(const std::vector<std::string>& words) const { return testing::run(plumb(words), ends); }
  Ended run_accounted(std::vector<std::string> words) const {
    words.insert(words.begin(), {"--account", account_path});
    return run(words);
  }
  json account() const { return json::parse(read_file(account_path)); }
  std::string output() const { return read_file(out); }
};

std::vector<pid_t> children_of(pid_t pid) {
  std::istringstream list(read_file_or_empty("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children"));
  std::vector<pid_t> children;
  for (pid_t child; list >> child;) children.push_back(child);
  return children;
}

bool is_gone(pid_t pid) {
  const std::string stat = read_file_or_empty("/proc/" + std::to_string(pid) + "/stat");
  return stat.empty() || stat[stat.rfind(')') + 2] == 'Z';  // nobody may be there to reap it
}

}  // namespace

TEST_CASE("every IN with every OUT") {
  const Bench bench;
  const Descriptor file = open_file(bench.in, O_RDONLY);
  Server tcp_source({"net-source"}, {.in = file.get(), .out = -1});
  Server unix_source({"net-source", "--unix", bench.scratch / "source"}, {.in = file.get(), .out = -1});
  const std::string inputs[] = {bench.in, "pipe:" + bench.in, tcp_source.tcp(), tcp_source.tcp("127.0.0.1"),
                                "unix:" + std::string(bench.scratch / "source"), "-"};
  for (const std::string& input : inputs)
    for (const std::string kind : {"", "new:", "over:", "append:", "-", "null", "pipe", "pipe:splice", "pipe:128K", "tcp:", "unix:"}) {
      INFO(input << " to " << kind);
      unlink(bench.out.c_str());
      if (kind == "over:") bench.scratch.write("out", bench.bytes + "tail");
      if (kind == "append:") bench.scratch.write("out", "before");
      std::string output = kind.empty() || kind.back() == ':' ? kind + bench.out : kind;
      std::optional<Server> sink;
      Launch ends{.in = file.get(), .out = bench.null.get()};
      lseek(file.get(), 0, SEEK_SET);
      const Descriptor stdout_file = open_file(bench.out, kind == "new:" ? O_RDONLY | O_CREAT : O_WRONLY | O_CREAT | O_APPEND);
      if (kind == "new:") unlink(bench.out.c_str());
      if (kind == "-") ends.out = stdout_file.get();
      if (kind == "tcp:" || kind == "unix:") {
        const std::string path = bench.scratch / "sink";
        sink.emplace(kind == "unix:" ? std::vector<std::string>{"net-sink", "--once", "--unix", path}
                                     : std::vector<std::string>{"net-sink", "--once"},
                     Launch{.in = bench.null.get(), .out = stdout_file.get()});
        output = kind == "unix:" ? "unix:" + path : sink->tcp();
      }
      const Ended ended = run(plumb({"--account", bench.account_path, input, output, tool_path("readwrite"), "-b", "64K"}), ends);
      CHECK(ended.status == 0);
      CHECK(ended.err == "");
      if (sink) CHECK(sink->wait().status == 0);
      const json account = bench.account();
      CHECK(account["written_bytes"] == big);
      const bool piped = kind.rfind("pipe", 0) == 0;
      if (piped) CHECK(account["delivered_bytes"] == big);
      if (!piped) CHECK(account["delivered_bytes"].is_null());
      CHECK(account["delivered_s"].is_null() == !(piped || sink));
      if (piped || kind == "null") continue;
      const std::string copied = bench.output();
      if (kind == "over:") CHECK((copied == bench.bytes + "tail"));
      else if (kind == "append:") CHECK((copied == "before" + bench.bytes));
      else CHECK((copied == bench.bytes));
    }
}

TEST_CASE("without options it becomes the command") {
  const Bench bench;
  for (const std::string& input : {bench.in, std::string("null"), std::string("zero"), std::string("-")}) {
    Process process(plumb({input, bench.out, "sh", "-c", "echo $$; echo $PPID; head -c 3 | od -An -tx1"}), bench.ends);
    const std::string expected = std::to_string(process.pid()) + "\n" + std::to_string(getpid()) + "\n";
    CHECK(process.wait().status == 0);
    CHECK(bench.output().rfind(expected, 0) == 0);
    if (input == "zero") CHECK(bench.output() == expected + " 00 00 00\n");
    if (input == "null") CHECK(bench.output() == expected);
  }
  CHECK(bench.run({"./" + std::string("pipe"), "null", "cat"}).err == "plumb: open ./pipe: No such file or directory\n");
}

TEST_CASE("the status is the command's, and plumb's own are 125 to 127") {
  const Bench bench;
  const std::string plain = bench.scratch.write("plain", "not a program");
  struct { std::vector<std::string> words; int status; std::string err; } cases[] = {
      {{"null", "null", "sh", "-c", "exit 3"}, 3, ""},
      {{"null", "null", "sh", "-c", "kill -KILL $$"}, 137, ""},
      {{"null", "null", "sh", "-c", "kill -TERM $$"}, 143, ""},
      {{"null", "null", "iobench-has-no-such-command"}, 127, "plumb: run iobench-has-no-such-command: No such file or directory\n"},
      {{"null", "null", plain}, 126, "plumb: run " + plain + ": Permission denied\n"},
      {{"null", "null", "/"}, 126, "plumb: run /: Permission denied\n"},
      {{bench.scratch / "none", "null", "true"}, 125, "plumb: open " + std::string(bench.scratch / "none") + ": No such file or directory\n"},
      {{"null", "new:" + bench.in, "true"}, 125, "plumb: create " + bench.in + ": File exists\n"},
      {{"null", "over:" + bench.out, "true"}, 125, "plumb: open " + bench.out + ": No such file or directory\n"},
      {{"pipe:/", "null", "cat"}, 125, "plumb: read /: Is a directory\n"},
      {{"null", "tcp:127.0.0.1:1", "true"}, 125, "plumb: connect to tcp:127.0.0.1:1: Connection refused\n"},
      {{"unix:" + bench.out, "null", "true"}, 125, "plumb: connect to unix:" + bench.out + ": No such file or directory\n"},
      {{"--sync", "null", "null", "true"}, 125, "plumb: --sync with null: it is not a file\n"},
      {{"--cpus", "8191", "null", "null", "true"}, 125, "plumb: --cpus 8191: at most processor 1023\n"},
      {{"--cpus", "1023", "null", "null", "true"}, 125, "plumb: --cpus 1023: not all of these processors are there and allowed\n"},
      {{"--cgroup", bench.scratch / "none", "null", bench.out, "echo", "ran"}, 125,
       "plumb: enter the cgroup " + std::string(bench.scratch / "none") + ": No such file or directory\n"},
      {{"--repeat", "2", "null", "new:" + bench.out, "true"}, 125,
       "plumb: new:" + bench.out + " with --repeat: the second run would find the file\n"},
  };
  for (const auto& [words, status, err] : cases) {
    INFO(words[0] << " " << words[1] << " " << words[2]);
    const Ended plain_run = bench.run(words);
    // Becoming the command leaves the signal to whoever waits; our waiting says 128 + signal as plumb does.
    CHECK(plain_run.status == status);
    CHECK(plain_run.err == err);
    const Ended accounted = bench.run_accounted(words);
    CHECK(accounted.status == status);
    CHECK(accounted.err == err);
    const json account = bench.account();
    CHECK(account["status"] == status);
    CHECK(account["error"] == err);
    if (status == 137) CHECK(account["signal"] == 9);
    else if (status != 143) CHECK(account["signal"].is_null());
  }
  CHECK(bench.output() == "");  // `echo ran` never did
}

TEST_CASE("wrong use is 125 in one line, and accounted for once there is an account") {
  const Bench bench;
  const std::vector<std::vector<std::string>> wrong = {
      {}, {"null"}, {"null", "null"}, {"--nonsense", "null", "null", "true"}, {"--account"}, {"--wait", "soon", "null", "null", "true"},
      {"--repeat", "0", "null", "null", "true"}, {"--cpus", "a", "null", "null", "true"}, {"--cpus", "0-", "null", "null", "true"},
      {"--cpus", "1-0", "null", "null", "true"}, {"--cpus", "0,", "null", "null", "true"}, {"", "null", "true"}, {"null", "", "true"},
      {"pipe", "null", "true"}, {"pipe:", "null", "true"}, {"null", "pipe:x", "true"}, {"null", "pipe:splicex", "true"},
      {"null", "zero", "true"}, {"null", "tcp:localhost", "true"}, {"null", "tcp:localhost:0", "true"},
      {"null", "tcp::1:4433", "true"}, {"null", "tcp:[::1]:99999", "true"}, {"null", "unix:", "true"}, {"null", "over:", "true"},
      {"null", "pipe:1T", "true"}};
  for (const std::vector<std::string>& words : wrong) {
    const Ended ended = bench.run(words);
    INFO(ended.err);
    CHECK(ended.status == 125);
    CHECK(ended.err.rfind("plumb: ", 0) == 0);
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
    if (words == std::vector<std::string>{"--account"}) continue;
    CHECK(bench.run_accounted(words).status == 125);
    CHECK(bench.account()["error"] == ended.err);
  }
  CHECK(bench.run({"--account", "/nowhere/at/all", "null", "null", "true"}).status == 125);
  const Descriptor full = open_file("/dev/full", O_WRONLY);
  CHECK(bench.run({"--account", "/dev/full", "null", "null", "true"}).status == 125);
  CHECK(run(plumb({"--help"}), {.in = bench.null.get(), .out = full.get()}).status == 125);
  CHECK(bench.run({"--help"}).status == 0);
  CHECK(bench.run({"--version"}).status == 0);
}

TEST_CASE("the account: keys, calls and bytes of the command alone") {
  const Bench bench;
  REQUIRE(bench.run_accounted({bench.in, bench.out, tool_path("readwrite"), "-b", "1K"}).status == 0);
  const json whole = bench.account();
  REQUIRE(bench.run_accounted({"null", bench.out, tool_path("readwrite"), "-b", "1K"}).status == 0);
  const json nothing = bench.account();  // the loader's own
  std::vector<std::string> keys;
  for (const auto& item : whole.items()) keys.push_back(item.key());
  CHECK(keys == std::vector<std::string>{"cpus", "delivered_bytes", "delivered_s", "device_read_bytes", "dirtied_bytes",
                                         "durable_s", "error", "involuntary_switches", "major_faults", "minor_faults",
                                         "peak_memory_bytes", "read_bytes", "read_calls", "repeat", "return_s", "signal",
                                         "status", "system_s", "user_s", "version", "voluntary_switches", "write_calls",
                                         "written_bytes"});
  const auto more = [&](const char* key) { return whole[key].get<long>() - nothing[key].get<long>(); };
  CHECK(more("read_calls") == 1025);
  CHECK(more("write_calls") == 1025);
  CHECK(more("read_bytes") == big);
  CHECK(whole["written_bytes"] == big);
  CHECK(whole["dirtied_bytes"] >= big);
  CHECK(whole["version"] == 1);
  CHECK(whole["repeat"] == 1);
  CHECK(whole["return_s"] > 0);
  CHECK(whole["durable_s"].is_null());
  CHECK(whole["peak_memory_bytes"] > 500000);
  CHECK(whole["error"] == "");
  const std::string status = read_file("/proc/self/status");
  const std::size_t at = status.find("Cpus_allowed_list:\t") + 19;
  CHECK(whole["cpus"] == status.substr(at, status.find('\n', at) - at));
}

TEST_CASE("the account of an ordinary user says the same") {
  if (geteuid() != 0 || !has_program("setpriv")) {
    WARN("not tested: it takes root and setpriv to become somebody else");
    return;
  }
  const Bench bench;
  const std::string program = bench.scratch / "plumb";
  std::filesystem::copy_file(tool_path("plumb"), program);
  std::filesystem::permissions(std::filesystem::path(program).parent_path(), std::filesystem::perms::all);
  const std::vector<std::string> job{program, "--account", bench.account_path, "--repeat", "3", "pipe:" + bench.in, "pipe",
                                     "sh", "-c", "cat; echo noise >&2; cat /proc/version >&2"};
  REQUIRE(run(job, bench.ends).status == 0);
  const json root = bench.account();
  unlink(bench.account_path.c_str());
  std::vector<std::string> as_nobody{"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all"};
  as_nobody.insert(as_nobody.end(), job.begin(), job.end());
  REQUIRE(run(as_nobody, bench.ends).status == 0);
  const json nobody = bench.account();
  for (const char* key : {"write_calls", "written_bytes", "read_bytes", "delivered_bytes"}) {
    INFO(key);
    CHECK(nobody[key] == root[key]);
  }
  // How many pieces a pipe is read in depends on who is faster.
  CHECK(nobody["read_calls"].get<long>() > 0);
  CHECK(nobody["dirtied_bytes"] == 0);
}

TEST_CASE("user and system time are the command's") {
  const Bench bench;
  bench.scratch.write("in", bench.bytes.substr(0, 1 << 17));
  REQUIRE(bench.run_accounted({bench.in, "null", tool_path("readwrite"), "-b", "1"}).status == 0);
  const json bytewise = bench.account();
  REQUIRE(bench.run_accounted({bench.in, "null", tool_path("readwrite"), "-b", "1M"}).status == 0);
  const json blocks = bench.account();
  const auto seconds = [](const json& account) { return account["user_s"].get<double>() + account["system_s"].get<double>(); };
  CHECK(seconds(bytewise) > seconds(blocks));
  CHECK(bytewise["system_s"] > 0);
}

TEST_CASE("the end of standard error is kept, as valid JSON, and passed on") {
  const Bench bench;
  const std::string odd = std::string("\"quoted\" \\ tab\t") + '\x01' + " \xff\xc0\xaf \xed\xa0\x80 \xc3\xa9\xf0\x9f\x98\x80\x7f\n";
  bench.scratch.write("odd", odd);
  const Ended ended = bench.run_accounted({bench.scratch / "odd", "null", "sh", "-c", "cat >&2; exit 1"});
  CHECK(ended.status == 1);
  CHECK(ended.err == odd);
  CHECK(bench.account()["error"] == std::string("\"quoted\" \\ tab\t") + '\x01' +
                                        " \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xc3\xa9\xf0\x9f\x98\x80\x7f\n");

  std::string lines;
  for (int i = 0; lines.size() < 100000; i++) lines += "line " + std::to_string(i) + "\n";
  bench.scratch.write("odd", lines);
  CHECK(bench.run_accounted({bench.scratch / "odd", "null", "sh", "-c", "cat >&2"}).err == lines);
  CHECK(bench.account()["error"] == lines.substr(lines.size() - 4096));

  // 4,096 bytes from the end is the middle of a character: what is left of it is not an error of the command's.
  std::string accents;
  for (int i = 0; i < 3000; i++) accents += "\xc3\xa9";
  bench.scratch.write("odd", accents + "x");
  REQUIRE(bench.run_accounted({bench.scratch / "odd", "null", "sh", "-c", "cat >&2"}).status == 0);
  CHECK(bench.account()["error"] == accents.substr(0, 4094) + "x");
}

TEST_CASE("standard error that nobody reads, and that somebody holds open") {
  const Bench bench;
  // Through a shell, since the fixture gives every process a standard error. `true` ends before plumb can write to it.
  for (const std::string redirection : {"2>&-", "2> >(true)", "2>/dev/full"}) {
    INFO(redirection);
    const Ended ended = run({"bash", "-c", "exec \"$@\" " + redirection, "bash", tool_path("plumb"), "--account",
                             bench.account_path, bench.in, bench.out, "sh", "-c", "sleep 0.1; echo said >&2; cat"}, bench.ends);
    CHECK(ended.status == 0);
    CHECK(bench.account()["error"] == "said\n");
    CHECK((bench.output() == bench.bytes));
  }
  const Ended held = bench.run_accounted({"null", "null", "sh", "-c", "sleep 60 & echo $! >&2"});
  CHECK(held.status == 0);
  CHECK_FALSE(held.timed_out);
  kill(std::atoi(held.err.c_str()), SIGKILL);
}

TEST_CASE("--repeat sums, rewinds, and stops at the first failure") {
  const Bench bench;
  const Descriptor file = open_file(bench.in, O_RDONLY);
  REQUIRE(lseek(file.get(), 7, SEEK_SET) == 7);
  const Launch from_file{.in = file.get(), .out = bench.null.get()};
  const std::vector<std::string> job{"--account", bench.account_path, "--repeat", "5", "-", "pipe", tool_path("readwrite"), "-b", "1M"};
  REQUIRE(run(plumb(job), from_file).status == 0);
  json account = bench.account();
  CHECK(account["repeat"] == 5);
  CHECK(account["written_bytes"] == 5 * (big - 7));
  CHECK(account["delivered_bytes"] == 5 * (big - 7));
  CHECK(account["delivered_s"] >= account["return_s"]);
  CHECK(account["write_calls"] == 5);

  REQUIRE(bench.run_accounted({"--repeat", "3", bench.in, "append:" + bench.out, "cat"}).status == 0);
  CHECK((bench.output() == bench.bytes + bench.bytes + bench.bytes));

  const std::string fail_third = "echo x; test $(wc -l <" + bench.out + ") -lt 3";
  unlink(bench.out.c_str());
  CHECK(bench.run_accounted({"--repeat", "10", "null", "append:" + bench.out, "sh", "-c", fail_third}).status == 1);
  account = bench.account();
  CHECK(account["repeat"] == 3);
  CHECK(account["status"] == 1);
  CHECK(bench.output() == "x\nx\nx\n");
}

TEST_CASE("--sync waits for the device") {
  const Bench bench;
  for (const std::string& output : {bench.out, "over:" + bench.out, std::string("-")}) {
    const Descriptor file = open_file(bench.out, O_WRONLY | O_CREAT);
    REQUIRE(run(plumb({"--sync", "--account", bench.account_path, bench.in, output, "cat"}),
                {.in = bench.null.get(), .out = file.get()}).status == 0);
    const json account = bench.account();
    CHECK(account["durable_s"] >= account["return_s"]);
    CHECK((bench.output() == bench.bytes));
  }
}

TEST_CASE("--cpus pins the command") {
  const Bench bench;
  const std::string status = read_file("/proc/self/status");
  const std::string first = std::to_string(std::atoi(status.c_str() + status.find("Cpus_allowed_list:\t") + 19));
  for (const std::string& list : {first, first + "-" + first, first + "," + first}) {
    REQUIRE(bench.run_accounted({"--cpus", list, "null", bench.out, "grep", "Cpus_allowed_list", "/proc/self/status"}).status == 0);
    CHECK(bench.output() == "Cpus_allowed_list:\t" + first + "\n");
    CHECK(bench.account()["cpus"] == first);
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
  CHECK(bench.run({"--cgroup", group, "null", bench.out, "cat", "/proc/self/cgroup"}).status == 0);
  CHECK(bench.output().find("/" + name + "\n") != std::string::npos);
  CHECK(bench.run_accounted({"--cgroup", group, bench.in, bench.out, tool_path("readwrite"), "-b", "1M"}).status == 0);
  CHECK(bench.account()["write_calls"] == 2);  // not plumb's own, by which it entered
  CHECK(bench.account()["written_bytes"] == big);
  CHECK(rmdir(group.c_str()) == 0);
}

TEST_CASE("the command gets descriptors 0, 1 and 2, and closed ones closed") {
  const Bench bench;
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--account", bench.account_path}})
    for (const std::string output : {"file", "pipe"}) {
      std::vector<std::string> words{"sh", "-c", "exec 7</dev/null; exec \"$@\"", "sh", tool_path("plumb")};
      words.insert(words.end(), options.begin(), options.end());
      words.insert(words.end(), {bench.in, output == "file" ? bench.out : output, "sh", "-c", "(ls /proc/$$/fd >&2); :"});
      CHECK(run(words, bench.ends).err == "0\n1\n2\n");
    }
  const std::string probe = "test -e /proc/$$/fd/0 || echo closed0 >&2; test -e /proc/$$/fd/1 || echo closed1 >&2";
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--account", bench.account_path}}) {
    std::vector<std::string> words = options;
    words.insert(words.end(), {"-", "-", "sh", "-c", probe});
    CHECK(run(plumb(words), {.in = -1, .out = -1}).err == "closed0\nclosed1\n");
    words[options.size()] = bench.in;
    words[options.size() + 1] = bench.out;
    CHECK(run(plumb(words), {.in = -1, .out = -1}).err == "");
  }
}

TEST_CASE("a broken pipe ends the command as it would without plumb") {
  const Bench bench;
  for (const bool ignored : {false, true})
    for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--account", bench.account_path}}) {
      Pair pipe = pipe_pair();
      pipe.reader.reset();
      std::vector<std::string> words = options;
      words.insert(words.end(), {bench.in, "-", tool_path("readwrite")});
      const Ended ended = run(plumb(words), {.in = -1, .out = pipe.writer.get(), .ignore_broken_pipe = ignored});
      CHECK(ended.status == (ignored ? 1 : 128 + SIGPIPE));
    }
  // A command that does not read all of a pipe is no failure of anybody's.
  CHECK(bench.run({"pipe:" + bench.in, bench.out, "head", "-c", "5"}).status == 0);
  CHECK((bench.output() == bench.bytes.substr(0, 5)));
}

TEST_CASE("delivery includes the other end") {
  const Bench bench;
  const Listener listener;
  std::atomic<bool> closed{false};
  std::thread peer([&] {
    const Descriptor connection = listener.accept();
    drain(connection.get());
    sleep_s(0.1);
    closed = true;
  });
  CHECK(bench.run({bench.in, "tcp:127.0.0.1:" + std::to_string(listener.port), "cat"}).status == 0);
  CHECK(closed);
  peer.join();
}

TEST_CASE("a peer that resets or does not finish is a failed delivery") {
  const Bench bench;
  const Listener listener;
  const std::string word = "tcp:127.0.0.1:" + std::to_string(listener.port);
  std::thread resetting([&] { reset(listener.accept()); });
  Ended ended = bench.run_accounted({"null", word, "sh", "-c", "sleep 0.1"});
  resetting.join();
  CHECK(ended.status == 125);
  CHECK(ended.err == "plumb: deliver to " + word + ": Connection reset by peer\n");
  CHECK(bench.account()["error"] == ended.err);
  CHECK(bench.account()["delivered_s"].is_null());

  ended = bench.run_accounted({"--wait", "200ms", bench.in, word, "head", "-c", "1000"});
  CHECK(ended.status == 125);
  CHECK(ended.err == "plumb: deliver to " + word + ": the other end has not seen the end of the data in time (see --wait)\n");
  CHECK_FALSE(ended.timed_out);

  // The command's own failure says more.
  CHECK(bench.run({"--wait", "100ms", "null", word, "sh", "-c", "exit 9"}).status == 9);

  // The reader of a pipe waits for all who can write, and what the command left behind can.
  ended = bench.run_accounted({"--wait", "200ms", "null", "pipe", "sh", "-c", "sleep 60 & echo $! >&2"});
  CHECK(ended.status == 125);
  CHECK(eventually([&] { return is_gone(std::atoi(ended.err.c_str())); }));
}

TEST_CASE("signals go to the command") {
  const Bench bench;
  const std::string ready = bench.scratch / "ready";
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    for (const bool trapped : {false, true}) {
      unlink(ready.c_str());
      const std::string script = std::string(trapped ? "trap 'exit 5' TERM INT HUP; " : "") + ": >" + ready +
                                 "; while :; do sleep 0.01; done";
      Process process(plumb({"--account", bench.account_path, "pipe:" + bench.in, "pipe", "sh", "-c", script}), bench.ends);
      REQUIRE(eventually([&] { return access(ready.c_str(), F_OK) == 0; }));
      kill(process.pid(), signal);
      CHECK(process.wait(10).status == (trapped ? 5 : 128 + signal));
      CHECK(bench.account()["status"] == (trapped ? 5 : 128 + signal));
    }
  // Also while only the delivery is waited for.
  const Listener listener;
  Process waiting(plumb({"null", "tcp:127.0.0.1:" + std::to_string(listener.port), "true"}), bench.ends);
  REQUIRE(eventually([&] { return children_of(waiting.pid()).empty(); }));
  const Descriptor connection = listener.accept();
  drain(connection.get());  // the command has ended
  kill(waiting.pid(), SIGTERM);
  CHECK(waiting.wait(10).status == 128 + SIGTERM);
}

TEST_CASE("killed, it leaves nobody behind") {
  const Bench bench;
  Process process(plumb({"--account", bench.account_path, "zero", "pipe", "sleep", "60"}), bench.ends);
  Process fed(plumb({"pipe:/dev/zero", "pipe", "sleep", "60"}), bench.ends);
  std::vector<pid_t> all;
  for (Process* each : {&process, &fed}) {
    const std::size_t expected = each == &fed ? 3 : 2;
    REQUIRE(eventually([&] { return children_of(each->pid()).size() == expected; }));
    const std::vector<pid_t> children = children_of(each->pid());
    all.insert(all.end(), children.begin(), children.end());
    kill(each->pid(), SIGKILL);
    CHECK(each->wait().status == 128 + SIGKILL);
  }
  for (const pid_t child : all) CHECK(eventually([&] { return is_gone(child); }));
}

TEST_CASE("killed, it leaves no account, not even an old one") {
  const Bench bench;
  REQUIRE(bench.run_accounted({bench.in, "null", "cat"}).status == 0);
  Process process(plumb({"--account", bench.account_path, "null", "null", "sleep", "60"}), bench.ends);
  REQUIRE(eventually([&] { return children_of(process.pid()).size() == 1; }));
  kill(process.pid(), SIGKILL);
  process.wait();
  CHECK_FALSE(json::accept(read_file(bench.account_path)));
}

TEST_CASE("it stays under 2 MiB") {
#if defined(__SANITIZE_ADDRESS__)
  WARN("not tested: the sanitizer's memory is not plumb's");
#else
  const Bench bench;
  Process process(plumb({"--account", bench.account_path, "pipe:/dev/zero", "pipe:1M", "sleep", "60"}), bench.ends);
  REQUIRE(eventually([&] { return children_of(process.pid()).size() == 3; }));
  CHECK(process.peak_memory_bytes() < (2u << 20));
  kill(process.pid(), SIGTERM);
  CHECK(process.wait().status == 128 + SIGTERM);
#endif
}

TEST_CASE("SIGCHLD ignored by whoever started it does not hide the command's end") {
  const Bench bench;
  const Ended ended = run({"sh", "-c", "trap '' CHLD; exec \"$@\"", "sh", tool_path("plumb"), "--account", bench.account_path,
                           "null", "pipe", "sh", "-c", "(exit 4); exit $?"}, bench.ends);
  CHECK(ended.status == 4);
  CHECK(bench.account()["status"] == 4);
}
