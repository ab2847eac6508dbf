// SPDX-License-Identifier: MIT
// The other ends of sockets: net-sink and net-source started on loopback at free ports, or on a UNIX socket, or across a
// slow link: two network namespaces joined by a veth pair, each direction limited by a token bucket. What is started here
// ends with this process, also after a kill: servers die with it, and a namespace lives only as long as the process in it,
// which waits on a pipe that we hold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "system.h"

namespace iobench {

// Commands that are put in front of another to run it somewhere else; empty: here.
using Prefix = std::vector<std::string>;

// Two hosts and a cable, on this machine. As root, or in a user namespace where those are allowed.
class SlowLink {
 public:
  // Throws Error that says what was tried, why it failed and what would help.
  explicit SlowLink(std::uint64_t bits_per_s);
  const Prefix& near() const { return near_; }  // where the measured command runs
  const Prefix& far() const { return far_; }    // where the server runs
  static const std::string& far_address();

 private:
  std::vector<BackgroundCommand> holders_;
  Prefix near_, far_;
};

struct ServerOptions {
  std::filesystem::path program;           // net-sink or net-source
  std::filesystem::path socket;            // listen on this UNIX socket; empty: on TCP
  Prefix prefix;                           // of a link's far end
  std::string listen = "127.0.0.1";
  std::filesystem::path file;              // net-sink: what is received goes there; net-source: it is sent. Empty: discarded,
                                           // generated
  std::optional<std::uint64_t> generated;  // net-source: so many bytes
};

// One server for one client. Ends when it is destroyed, if not before.
class Server {
 public:
  // Started and listening. Throws Error with the server's own words when it does not come to that.
  explicit Server(const ServerOptions& options);
  // As plumb takes it: "tcp:127.0.0.1:40123", "unix:PATH".
  const std::string& address() const { return address_; }
  // Until its client has been served and its file is whole. Throws Error with its words when that fails or takes long.
  void finish();

 private:
  std::string name_, address_;
  BackgroundCommand command_;
};

// Servers that were started by hand on another machine, at the ports of 2004.
struct OtherMachine {
  std::string host;
  std::string sink_address() const { return "tcp:" + host + ":4433"; }
  std::string source_address() const { return "tcp:" + host + ":3344"; }
};
// Throws Error when nothing listens there, or net-source does not send each client `generated` bytes (one such stream is
// counted; none: nothing reads from it), with the command that starts both servers.
void require_servers(const OtherMachine& other, std::optional<std::uint64_t> generated);
// That command.
std::string server_command(std::optional<std::uint64_t> generated);

}  // namespace iobench
