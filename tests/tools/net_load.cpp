// SPDX-License-Identifier: MIT
// net-sink and net-source under load and abuse: bounded in count, bytes in equal bytes out, and a stream that was cut off
// never looks like one that ended.
#include "catch.h"
#include "server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <iostream>
#include <thread>

#include "bench.h"

using namespace iobench;
using namespace iobench::testing;

namespace {

// A connection from an address of the thread's own, so that ten thousand do not use up one address's ports.
Descriptor dial_from(int thread, int port) {
  Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 256 + static_cast<unsigned>(thread));
  if (bind(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) throw_errno("bind");
  return dial(port, false, std::move(made));
}

bool ends_by_reset(int connection) {
  char bytes[65536];
  ssize_t n = 0;
  do n = read(connection, bytes, sizeof bytes);
  while (n > 0);
  return n < 0 && errno == ECONNRESET;
}

}  // namespace

TEST_CASE("ten thousand short connections: bytes in are bytes out, and no child is left", "[B84][B91]") {
  constexpr int threads = 10, each = 1000;
  const Descriptor null = open_file("/dev/null", O_RDWR);
  Pair out = pipe_pair();
  Server sink({"net-sink"}, {.in = null.get(), .out = out.writer.get()});
  out.writer.reset();
  Drainer drainer(std::move(out.reader));
  std::atomic<std::size_t> sent{0}, served{0};
  std::vector<std::thread> clients;
  for (int t = 0; t < threads; t++)
    clients.emplace_back([&, t] {
      for (int i = 0; i < each; i++) {
        const std::string bytes(static_cast<std::size_t>(1 + (i * 7919 + t) % 3000), 'x');
        deliver(dial_from(t, sink.port()), bytes);
        sent += bytes.size();
        served++;
      }
    });
  for (std::thread& client : clients) client.join();
  CHECK(children_of(sink.pid()).empty());
  const Ended ended = sink.end(SIGTERM);
  CHECK(ended.status == 128 + SIGTERM);
  CHECK(drainer.join().size() == sent);
  CHECK(ended.err.find("connections served: 10000, bytes: " + std::to_string(sent) + "\n") != std::string::npos);
  std::cout << served << " connections served, " << sent << " bytes in and out\n";
}

TEST_CASE("1,025 clients at once, each gets all", "[B91]") {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 1200) {
    WARN("not tested: the hard limit on open files is " << limit.rlim_max);
    return;
  }
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, 1200);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  const Descriptor null = open_file("/dev/null", O_RDWR);
  Server source({"net-source", "-n", "1000", "--clients", "1100"}, {.in = null.get(), .out = null.get()});
  for (const int count : {1, 50, 64, 128, 500, 1025}) {
    std::vector<Descriptor> clients;
    for (int i = 0; i < count; i++) clients.push_back(dial(source.port()));
    int whole = 0;
    for (const Descriptor& client : clients) whole += drain(client.get()) == pattern(1000);
    CHECK(whole == count);
    std::cout << whole << " connections served at once\n";
  }
}

TEST_CASE("a server that is ended in the middle resets, it does not end the stream", "[B87]") {
  const Descriptor null = open_file("/dev/null", O_RDWR);
  for (const int signal : {SIGTERM, SIGKILL}) {
    Server source({"net-source"}, {.in = null.get(), .out = null.get()});
    const Descriptor reading = dial(source.port());
    char byte = 0;
    CHECK(read(reading.get(), &byte, 1) == 1);
    kill(source.pid(), signal);
    CHECK_FALSE(source.wait(2).timed_out);
    CHECK(ends_by_reset(reading.get()));
  }
  const Descriptor full = open_file("/dev/full", O_WRONLY);
  Server sink({"net-sink"}, {.in = null.get(), .out = full.get()});
  const Descriptor sending = dial(sink.port());
  send_all(sending.get(), "lost");
  CHECK(sink.wait().status == 1);
  CHECK(ends_by_reset(sending.get()));
}

TEST_CASE("a client may say ten million bytes before it listens, to a file and beside one that never reads", "[B74][B79]") {
  const Scratch scratch;
  const std::string bytes = some_bytes(10 << 20);
  const Descriptor file = open_file(scratch.write("in", bytes), O_RDONLY);
  Server source({"net-source"}, {.in = file.get(), .out = -1});
  const Descriptor never_reads = dial(source.port());
  const Descriptor client = dial(source.port());
  CHECK(send_all(client.get(), bytes));
  shutdown(client.get(), SHUT_WR);
  CHECK((drain(client.get(), 20000) == bytes));
}

TEST_CASE("strays cost a pipe's first client nothing", "[B67]") {
  const std::string bytes = some_bytes(1000);
  Pair pipe = pipe_pair();
  Server source({"net-source"}, {.in = pipe.reader.get(), .out = -1});
  pipe.reader.reset();
  for (int i = 0; i < 5; i++) reset(dial(source.port()));
  Feeder feeder(std::move(pipe.writer), bytes);
  CHECK((drain(dial(source.port()).get()) == bytes));
  CHECK(source.wait().status == 0);
}
