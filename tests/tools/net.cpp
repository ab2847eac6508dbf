// SPDX-License-Identifier: MIT
// net-sink and net-source: every byte arrives, and nothing that a client does hurts the server or another client.
#include "catch.h"
#include "server.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

using namespace iobench;
using namespace iobench::testing;

namespace {

constexpr std::size_t big = (1 << 20) + 7;

// Output to a file of the scratch directory, input from the null device.
struct Ends {
  explicit Ends(const Scratch& scratch, const std::string& name = "copy")
      : path(scratch / name), null(open_file("/dev/null", O_RDWR)), file(open_file(path, O_WRONLY | O_CREAT | O_APPEND)) {}
  Launch to_file() const { return {.in = null.get(), .out = file.get()}; }
  Launch to_null() const { return {.in = null.get(), .out = null.get()}; }
  std::string copied() const { return read_file(path); }
  std::filesystem::path path;
  Descriptor null, file;
};

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) count++;
  return count;
}

// User and system time of a process in clock ticks.
long ticks_of(pid_t pid) {
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  long user = 0, system = 0;
  std::sscanf(stat.c_str() + stat.rfind(')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system);
  return user + system;
}

}  // namespace

TEST_CASE("the first line says where, exactly") {
  const Scratch scratch;
  const Ends ends(scratch);
  for (const std::string tool : {"net-sink", "net-source"}) {
    Server server({tool}, ends.to_null());
    const std::string port = std::to_string(server.port());
    CHECK(server.said().substr(0, server.said().find('\n')) == tool + ": listening on 127.0.0.1:" + port);
    CHECK(server.end(SIGTERM).status == 128 + SIGTERM);
    const std::string path = scratch / "here";
    Server local({tool, "--unix", path}, ends.to_null());
    CHECK(local.said() == tool + ": listening on " + path + "\n");
    CHECK(local.end(SIGINT).status == 128 + SIGINT);
    CHECK(access(path.c_str(), F_OK) != 0);
  }
}

TEST_CASE("net-sink --once receives exactly") {
  const Scratch scratch;
  const std::string bytes = some_bytes(big);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{262143}, std::size_t{262144},
                                 std::size_t{262145}, big}) {
    INFO(size << " bytes");
    const Ends ends(scratch, "copy" + std::to_string(size));
    Server sink({"net-sink", "--once"}, ends.to_file());
    deliver(dial(sink.port()), std::string_view(bytes).substr(0, size));
    CHECK(sink.wait().status == 0);
    CHECK((ends.copied() == bytes.substr(0, size)));
  }
}

TEST_CASE("net-sink writes into a pipe and a UNIX socket, and listens on one") {
  const Scratch scratch;
  const Ends ends(scratch);
  const std::string bytes = some_bytes(big);
  for (Pair (*make)() : {pipe_pair, unix_pair}) {
    Pair pair = make();
    Server sink({"net-sink", "--once", "--unix", scratch / "sink"}, {.in = ends.null.get(), .out = pair.writer.get()});
    pair.writer.reset();
    Drainer drainer(std::move(pair.reader));
    deliver(dial_unix(scratch / "sink"), bytes);
    CHECK(sink.wait().status == 0);
    CHECK((drainer.join() == bytes));
  }
}

TEST_CASE("an output that fails is 1 and says why") {
  const Scratch scratch;
  const Ends ends(scratch);
  const Descriptor full = open_file("/dev/full", O_WRONLY);
  Server disk({"net-sink"}, {.in = ends.null.get(), .out = full.get()});
  send_all(dial(disk.port()).get(), "x");
  const Ended no_space = disk.wait();
  CHECK(no_space.status == 1);
  CHECK(no_space.err.find("net-sink: write standard output: No space left on device") != std::string::npos);

  Pair pipe = pipe_pair();
  const std::string path = scratch / "sink";
  Server gone({"net-sink", "--once", "--unix", path}, {.in = ends.null.get(), .out = pipe.writer.get()});
  pipe.reader.reset();
  send_all(dial_unix(path).get(), "x");
  const Ended broken = gone.wait();
  CHECK(broken.status == 1);
  CHECK(broken.err.find("net-sink: write standard output: Broken pipe") != std::string::npos);
  CHECK(access(path.c_str(), F_OK) != 0);
}

TEST_CASE("net-sink discards to the null device, a closed output, and on demand; whatever its input is", "[B90]") {
  const Scratch scratch;
  const Ends ends(scratch);
  const std::string bytes = some_bytes(big);
  const Launch launches[] = {ends.to_null(), {.in = -1, .out = -1}, {.in = -1, .out = ends.file.get()}};
  for (const Launch& launch : launches) {
    std::vector<std::string> argv{"net-sink", "--once"};
    if (launch.out == ends.file.get()) argv.push_back("--discard");
    Server sink(argv, launch);
    deliver(dial(sink.port()), bytes);
    CHECK(sink.wait().status == 0);
  }
  CHECK(ends.copied() == "");
}

TEST_CASE("--once does not count those who only knock, reset or sit there", "[B67]") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server sink({"net-sink", "--once"}, ends.to_file());
  const Descriptor silent = dial(sink.port());
  for (int i = 0; i < 50; i++) {
    if (i % 2) reset(dial(sink.port()));
    else dial(sink.port());
  }
  deliver(dial(sink.port()), "the real one");
  CHECK(sink.wait().status == 0);
  CHECK(ends.copied() == "the real one");
}

TEST_CASE("bytes lost by a reset are 1 with --once") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server sink({"net-sink", "--once"}, ends.to_file());
  Descriptor client = dial(sink.port());
  send_all(client.get(), "half");
  REQUIRE(eventually([&] { return ends.copied() == "half"; }));
  reset(std::move(client));
  const Ended ended = sink.wait();
  CHECK(ended.status == 1);
  CHECK(ended.err.find(": read: Connection reset by peer after 4 bytes") != std::string::npos);
}

TEST_CASE("streams do not mix: one client at a time, in the order of the first byte") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server sink({"net-sink"}, ends.to_file());
  const Descriptor silent = dial(sink.port());
  Descriptor first = dial(sink.port());
  send_all(first.get(), "1");
  REQUIRE(eventually([&] { return ends.copied() == "1"; }));
  Descriptor second = dial(sink.port());
  send_all(second.get(), "2222");
  send_all(first.get(), "11");
  REQUIRE(eventually([&] { return ends.copied() == "111"; }));
  deliver(std::move(first), "1");
  deliver(std::move(second), "2");
  CHECK(ends.copied() == "111122222");
  CHECK(sink.end(SIGTERM).status == 128 + SIGTERM);
}

TEST_CASE("fifty strays of every kind, then a real run, against both servers", "[B67]") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server sink({"net-sink"}, ends.to_null());
  Server source({"net-source", "-n", "100000"}, ends.to_null());
  std::vector<Descriptor> sitting;
  for (int i = 0; i < 50; i++)
    for (const Server* server : {&sink, &source}) {
      Descriptor stray = dial(server->port());
      if (i % 4 == 1) reset(std::move(stray));
      else if (i % 4 == 2) send_all(stray.get(), "GET / HTTP/1.0\r\n\r\n");
      else if (i % 4 == 3) sitting.push_back(std::move(stray));
    }
  deliver(dial(sink.port()), some_bytes(big));
  CHECK((drain(dial(source.port()).get()) == pattern(100000)));
  CHECK(sink.running());
  CHECK(source.running());
}

TEST_CASE("a silent client is let go after --idle") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server sink({"net-sink", "--idle", "500ms", "--clients", "1"}, ends.to_file());
  const Descriptor silent = dial(sink.port());
  send_all(silent.get(), "x");
  deliver(dial(sink.port()), "y");
  CHECK(drain(silent.get()) == "");  // closed by the server
  CHECK(ends.copied() == "xy");
  CHECK(sink.said().find("silent for too long after 1 bytes") != std::string::npos);
  Server source({"net-source", "--idle", "500ms", "--clients", "1"}, ends.to_null());
  const Descriptor never_reads = dial(source.port());
  char first = 0;
  const Descriptor reads = dial(source.port());
  CHECK(read(reads.get(), &first, 1) == 1);
  CHECK(first == pattern(1)[0]);
}

TEST_CASE("more clients than --clients wait for their turn") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server sink({"net-sink", "--clients", "2"}, ends.to_null());
  std::vector<std::thread> clients;
  for (int i = 0; i < 10; i++) clients.emplace_back([&] { deliver(dial(sink.port()), std::string(100000, 'x')); });
  for (std::thread& client : clients) client.join();
  CHECK(sink.running());
}

TEST_CASE("out of descriptors: clients wait, the server neither spins nor talks, and recovers", "[B70]") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server sink = Server::by_command({"sh", "-c", "ulimit -n 12; exec " + tool_path("net-sink") + " --port 0"}, ends.to_null());
  {
    std::vector<Descriptor> held;
    for (int i = 0; i < 30; i++) held.push_back(dial(sink.port()));
    REQUIRE(eventually([&] { return sink.said().find("accept: Too many open files") != std::string::npos; }));
    const long before = ticks_of(sink.pid());
    sleep_s(0.5);
    CHECK(ticks_of(sink.pid()) - before < 20);  // of the 50 that a spinning server would use
    CHECK(count_of(sink.said(), "\n") < 6);
  }
  deliver(dial(sink.port()), some_bytes(big));
  CHECK(sink.running());
}

TEST_CASE("accept fails in passing", "[B69]") {
  if (!has_program("strace")) {
    WARN("not tested: strace is missing");
    return;
  }
  const Scratch scratch;
  const Ends ends(scratch);
  for (const std::string error : {"ECONNABORTED", "EINTR", "EPROTO", "ENOBUFS", "ENOMEM", "EMFILE"}) {
    INFO(error);
    Server sink = Server::by_command({"strace", "-f", "-qq", "-o", "/dev/null", "-E", "ASAN_OPTIONS=detect_leaks=0", "-e",
                                      "trace=accept4", "-e", "inject=accept4:error=" + error + ":when=1+2",
                                      tool_path("net-sink"), "--once", "--port", "0"}, ends.to_null());
    deliver(dial(sink.port()), "bytes");
    CHECK(sink.wait().status == 0);
  }
}

TEST_CASE("a restart at once gets the port; a second server does not", "[B71]") {
  const Scratch scratch;
  const Ends ends(scratch);
  auto server = std::make_unique<Server>(std::vector<std::string>{"net-source", "-n", "10"}, ends.to_null());
  const std::string port = std::to_string(server->port());
  for (int i = 0; i < 10; i++) {
    drain(dial(server->port()).get());  // the server closes first and keeps the connection in TIME_WAIT
    Ended second = run({tool_path("net-source"), "--port", port}, ends.to_null());
    CHECK(second.status == 1);
    CHECK(second.err == "net-source: listen on 127.0.0.1:" + port + ": Address already in use\n");
    server->end(SIGKILL);
    server = std::make_unique<Server>(std::vector<std::string>{"net-source", "-n", "10", "--port", port}, ends.to_null());
    REQUIRE(server->running());
  }
}

TEST_CASE("the path of a killed server is taken over, a living one's and a file are not") {
  const Scratch scratch;
  const Ends ends(scratch);
  const std::string path = scratch / "sink";
  Server killed({"net-sink", "--unix", path}, ends.to_null());
  const Ended second = run({tool_path("net-sink"), "--unix", path}, ends.to_null());
  CHECK(second.status == 1);
  CHECK(second.err == "net-sink: listen on " + path + ": Address already in use\n");
  killed.end(SIGKILL);
  REQUIRE(access(path.c_str(), F_OK) == 0);
  Server heir({"net-sink", "--once", "--unix", path}, ends.to_null());
  deliver(dial_unix(path), "x");
  CHECK(heir.wait().status == 0);
  scratch.write("sink", "precious");
  const Ended refused = run({tool_path("net-sink"), "--unix", path}, ends.to_null());
  CHECK(refused.status == 1);
  CHECK(refused.err == "net-sink: listen on " + path + ": it exists and is not a socket\n");
  CHECK(read_file(path) == "precious");
  CHECK(run({tool_path("net-sink"), "--unix", std::string(200, 'x')}, ends.to_null()).status == 1);
}

TEST_CASE("every address it can be told to listen on", "[B81]") {
  const Scratch scratch;
  const Ends ends(scratch);
  const auto reachable = [](int port, bool ipv6) {
    try {
      dial(port, ipv6);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  struct { const char* address; bool v4, v6; } cases[] = {
      {"localhost", true, true}, {"127.0.0.1", true, false}, {"::1", false, true}, {"0.0.0.0", true, false}, {"::", false, true}};
  for (const auto& [address, v4, v6] : cases) {
    INFO(address);
    Server sink({"net-sink", "--listen", address}, ends.to_null());
    if (sink.said().find("listening on [::") == std::string::npos && v6) {
      WARN("not tested on " << address << ": no IPv6 here");
      continue;
    }
    CHECK(reachable(sink.port(), false) == v4);
    CHECK(reachable(sink.port(), true) == v6);
  }
  Server v4({"net-sink", "--listen", "0.0.0.0"}, ends.to_null());
  Server v6({"net-sink", "--listen", "::", "--port", std::to_string(v4.port())}, ends.to_null());
  CHECK(v6.said().find("Address already in use") == std::string::npos);
  const Ended nowhere = run({tool_path("net-sink"), "--listen", "192.0.2.1", "--port", "0"}, ends.to_null());
  CHECK(nowhere.status == 1);
  CHECK(nowhere.err == "net-sink: listen on 192.0.2.1: Cannot assign requested address\n");
}

TEST_CASE("IPv6 switched off: IPv4 alone", "[B80]") {
  const Scratch scratch;
  const Ends ends(scratch);
  std::string said, problem;
  // In a network of its own, which a thread can have.
  std::thread([&] {
    const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (unshare(CLONE_NEWNET) != 0) {
      problem = "no network namespace for this user";
      return;
    }
    const Descriptor control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq loopback{};
    std::string("lo").copy(loopback.ifr_name, IFNAMSIZ - 1);
    loopback.ifr_flags = IFF_UP;
    const Descriptor off(open("/proc/sys/net/ipv6/conf/all/disable_ipv6", O_WRONLY | O_CLOEXEC));
    if (ioctl(control.get(), SIOCSIFFLAGS, &loopback) != 0 || write(off.get(), "1", 1) != 1) {
      problem = "the namespace cannot be set up";
      return;
    }
    Server sink({"net-sink", "--once"}, ends.to_file());
    said = sink.said();
    try {
      deliver(dial(sink.port()), "x");
    } catch (const Error& error) {
      said += error.what();
    }
    sink.wait();
  }).join();
  if (!problem.empty()) {
    WARN("not tested: " << problem);
    return;
  }
  CHECK(count_of(said, "\n") == 1);
  CHECK(said.find("net-sink: listening on 127.0.0.1:") == 0);
  CHECK(ends.copied() == "x");
}

TEST_CASE("net-source generates, so many bytes for each, side by side") {
  const Scratch scratch;
  const Ends ends(scratch);
  for (const Launch& launch : {ends.to_null(), Launch{.in = -1, .out = -1}}) {
    Server source({"net-source", "-n", "1M"}, launch);
    const Descriptor never_reads = dial(source.port());
    CHECK((drain(dial(source.port()).get(), 1000) == pattern(1 << 20)));
    CHECK((drain(dial(source.port(), true).get()) == pattern(1 << 20)));
    CHECK(source.running());
  }
}

TEST_CASE("a client that never reads stalls nobody, and the end is prompt", "[B79]") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server source({"net-source"}, ends.to_null());
  const Descriptor never_reads = dial(source.port());
  std::string got(32 << 20, '\0');
  const Descriptor fast = dial(source.port());
  CHECK(recv(fast.get(), got.data(), got.size(), MSG_WAITALL) == static_cast<ssize_t>(got.size()));
  CHECK((got == pattern(got.size())));
  kill(source.pid(), SIGTERM);
  const Ended ended = source.wait(2);
  CHECK_FALSE(ended.timed_out);
  CHECK(ended.status == 128 + SIGTERM);
}

TEST_CASE("clients that take one byte and go, a hundred times", "[B66]") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server source({"net-source"}, ends.to_null());
  for (int i = 0; i < 100; i++) {
    Descriptor client = dial(source.port());
    char byte = 0;
    CHECK(read(client.get(), &byte, 1) == 1);
    if (i % 2) reset(std::move(client));
  }
  const Descriptor normal = dial(source.port());
  std::string got(1 << 20, '\0');
  CHECK(recv(normal.get(), got.data(), got.size(), MSG_WAITALL) == static_cast<ssize_t>(got.size()));
  CHECK((got == pattern(got.size())));
  CHECK(count_of(source.said(), "\n") < 60);
}

TEST_CASE("net-source gives a file to every client, from where the descriptor stands") {
  const Scratch scratch;
  const Ends ends(scratch);
  const std::string bytes = some_bytes(big);
  const Descriptor file = open_file(scratch.write("in", bytes), O_RDONLY);
  REQUIRE(lseek(file.get(), 10, SEEK_SET) == 10);
  Server source({"net-source"}, {.in = file.get(), .out = -1});
  for (int i = 0; i < 3; i++) CHECK((drain(dial(source.port()).get()) == bytes.substr(10)));
  Server limited({"net-source", "-n", "5", "--once"}, {.in = file.get(), .out = -1});
  CHECK(drain(dial(limited.port()).get()) == bytes.substr(10, 5));
  CHECK(limited.wait().status == 0);
  const Descriptor directory = open_file("/", O_RDONLY);
  CHECK(run({tool_path("net-source"), "--port", "0"}, {.in = directory.get(), .out = -1}).err ==
        "net-source: standard input: Is a directory\n");
}

TEST_CASE("net-source gives a pipe to the first client, and ends", "[B75]") {
  const std::string bytes = some_bytes(big);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, big}) {
    Pair pipe = pipe_pair();
    Server source({"net-source"}, {.in = pipe.reader.get(), .out = -1});
    pipe.reader.reset();
    Feeder feeder(std::move(pipe.writer), std::string_view(bytes).substr(0, size), 5000);
    CHECK((drain(dial(source.port()).get()) == bytes.substr(0, size)));
    CHECK(source.wait().status == 0);
  }
  Pair pipe = pipe_pair();
  Server source({"net-source"}, {.in = pipe.reader.get(), .out = -1});
  pipe.reader.reset();
  Descriptor client = dial(source.port());
  {
    Feeder feeder(std::move(pipe.writer), bytes);
    char byte = 0;
    CHECK(read(client.get(), &byte, 1) == 1);
    reset(std::move(client));
    const Ended ended = source.wait();
    CHECK(ended.status == 1);
    CHECK(ended.err.find(": send: ") != std::string::npos);
  }
}

TEST_CASE("what a client says to net-source does not cost it the tail", "[B77]") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server source({"net-source", "-n", "300000"}, ends.to_null());
  for (int i = 0; i < 20; i++) {
    const Descriptor client = dial(source.port());
    send_all(client.get(), std::string(1024, 'x'));
    if (i % 2) shutdown(client.get(), SHUT_WR);
    CHECK((drain(client.get(), 7000) == pattern(300000)));
  }
}

TEST_CASE("a client that is reset while the last bytes are under way gives its place free") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server source({"net-source", "-n", "60000", "--clients", "1"}, ends.to_null());
  for (int i = 0; i < 3; i++) {
    Descriptor client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int small = 2048;  // so that the rest stays with the server
    setsockopt(client.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    client = dial(source.port(), false, std::move(client));
    shutdown(client.get(), SHUT_WR);
    sleep_s(0.05);
    reset(std::move(client));
  }
  const Descriptor next = dial(source.port());
  const timeval patience{10, 0};
  setsockopt(next.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  CHECK((drain(next.get()) == pattern(60000)));
}

TEST_CASE("many short connections, and more at once than select could watch", "[B91]") {
  const Scratch scratch;
  const Ends ends(scratch);
  Server sink({"net-sink", "--clients", "1100"}, ends.to_null());
  for (int i = 0; i < 200; i++) deliver(dial(sink.port()), "short");
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 1200) {
    WARN("1,025 clients not tested: the hard limit on open files is " << limit.rlim_max);
    return;
  }
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, 1200);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  std::vector<Descriptor> clients;
  for (int i = 0; i < 1025; i++) clients.push_back(dial(sink.port()));
  for (const Descriptor& client : clients) CHECK(send_all(client.get(), "x"));
  for (Descriptor& client : clients) deliver(std::move(client), "y");
  CHECK(sink.running());
}

TEST_CASE("wrong use of a server is 2, in one line") {
  const Scratch scratch;
  const Ends ends(scratch);
  const std::vector<std::vector<std::string>> wrong = {
      {"--port", "65536"}, {"--port", ""},      {"--port", "-1"},          {"--clients", "0"}, {"--idle", "0"},
      {"--idle", "soon"},  {"--nonsense"},      {"operand"},               {"-n", "10"},       {"--port"},
      {"--unix", "a", "--port", "1"}};
  for (std::vector<std::string> argv : wrong) {
    argv.insert(argv.begin(), tool_path("net-sink"));
    const Ended ended = run(argv, ends.to_null());
    INFO(argv[1] << ": " << ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.err.rfind("net-sink: ", 0) == 0);
    CHECK(count_of(ended.err, "\n") == 1);
  }
}
