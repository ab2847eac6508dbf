// SPDX-License-Identifier: MIT
#include "server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace iobench::testing {

namespace {

void connect_to(int fd, const void* address, std::size_t size, const std::string& where) {
  if (connect(fd, static_cast<const sockaddr*>(address), static_cast<socklen_t>(size)) != 0) throw_errno("connect " + where);
}

Descriptor stream_socket(int family) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw_errno("socket");
  return Descriptor(fd);
}

}  // namespace

bool eventually(const std::function<bool()>& condition) {
  for (int attempt = 0; attempt < 2000; attempt++) {
    if (condition()) return true;
    sleep_s(0.005);
  }
  return false;
}

Server::Server(std::vector<std::string> argv, const Launch& launch) {
  argv[0] = tool_path(argv[0]);
  const auto has = [&](const char* option) { return std::find(argv.begin(), argv.end(), option) != argv.end(); };
  if (!has("--unix") && !has("--port")) argv.insert(argv.end(), {"--port", "0"});
  start(argv, launch);
}

Server Server::by_command(const std::vector<std::string>& argv, const Launch& launch) {
  Server server;
  server.start(argv, launch);
  return server;
}

void Server::start(const std::vector<std::string>& argv, const Launch& launch) {
  process_ = std::make_unique<Process>(argv, launch);
  eventually([&] { return said().find("listening on ") != std::string::npos || !running(); });
  const std::string first = said().substr(0, said().find('\n'));
  const std::size_t colon = first.rfind(':');
  if (colon != std::string::npos) port_ = std::atoi(first.c_str() + colon + 1);
}

std::string Server::tcp(const std::string& host) const { return "tcp:" + host + ":" + std::to_string(port_); }

// Its standard error is a file in memory; opened anew it is read from the beginning. Until the child has made it its own,
// descriptor 2 is the test's, which may be anything, also what never ends.
std::string Server::said() const {
  const std::string path = "/proc/" + std::to_string(pid()) + "/fd/2";
  std::error_code ended;
  const std::string target = std::filesystem::read_symlink(path, ended).string();
  return !ended && target.rfind("/memfd:", 0) == 0 ? read_file_or_empty(path) : "";
}

Ended Server::end(int signal) {
  kill(pid(), signal);
  return wait();
}

Descriptor dial(int port, bool ipv6, Descriptor prepared) {
  Descriptor fd = prepared ? std::move(prepared) : stream_socket(ipv6 ? AF_INET6 : AF_INET);
  if (ipv6) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(static_cast<std::uint16_t>(port));
    address.sin6_addr = in6addr_loopback;
    connect_to(fd.get(), &address, sizeof address, "[::1]");
  } else {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect_to(fd.get(), &address, sizeof address, "127.0.0.1");
  }
  return fd;
}

Descriptor dial_unix(const std::string& path) {
  Descriptor fd = stream_socket(AF_UNIX);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  connect_to(fd.get(), &address, sizeof address, path);
  return fd;
}

void reset(Descriptor connection) {
  const linger at_once{1, 0};
  setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void deliver(Descriptor connection, std::string_view bytes) {
  if (!send_all(connection.get(), bytes)) throw_errno("send");
  shutdown(connection.get(), SHUT_WR);
  drain(connection.get());
}

Listener::Listener() : socket(stream_socket(AF_INET)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  sockaddr* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket.get(), generic, size) != 0 || listen(socket.get(), 4) != 0 ||
      getsockname(socket.get(), generic, &size) != 0)
    throw_errno("listen");
  port = ntohs(address.sin_port);
}

Descriptor Listener::accept() const {
  const int fd = accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) throw_errno("accept");
  return Descriptor(fd);
}

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; i++) bytes[i] = static_cast<char>((i + 128) % 256);
  return bytes;
}

}  // namespace iobench::testing
