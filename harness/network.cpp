// SPDX-License-Identifier: MIT
#include "network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr double patience_s = 10;  // for what takes milliseconds

// TEST-NET-2 (RFC 5737): nobody's addresses, in namespaces that nobody else sees.
const std::string near_address = "198.51.100.1";
const std::string distant_address = "198.51.100.2";

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  const bool root = ::geteuid() == 0;
  throw Error(fmt::format("join two network namespaces by a slow link: {}: {}{}", what, why,
                          root ? "" : "; as root it is possible, and without root where user namespaces are allowed"));
}

void run_or_refuse(const Prefix& prefix, const std::vector<std::string>& words) {
  std::vector<std::string> argv = prefix;
  argv.insert(argv.end(), words.begin(), words.end());
  SpawnOptions options;
  options.timeout_s = patience_s;
  Finished finished;
  try {
    finished = run_command(argv, options);
  } catch (const Error& error) {
    refuse(joined(words), error.what());
  }
  if (finished.status != 0) refuse(joined(words), finished.err.empty() ? fmt::format("exit status {}", finished.status)
                                                                      : first_line(finished.err));
}

std::string namespace_of(pid_t pid) {
  std::error_code ignored;
  return fs::read_symlink(fmt::format("/proc/{}/ns/net", pid), ignored).string();
}

// A process in a network namespace of its own. `cat` ends when we do: the pipe that it reads is ours.
BackgroundCommand hold_namespace(const Prefix& prefix, const std::vector<std::string>& unshare, const std::string& outside) {
  std::vector<std::string> argv = prefix;
  argv.insert(argv.end(), unshare.begin(), unshare.end());
  argv.emplace_back("cat");
  BackgroundCommand::Files files;
  files.held_input = true;
  BackgroundCommand holder = [&] {
    try {
      return BackgroundCommand(argv, files);
    } catch (const Error& error) {
      refuse(joined(unshare), error.what());
    }
  }();
  const double until_s = monotonic_s() + patience_s;
  for (;;) {
    const std::string inside = namespace_of(holder.pid());
    const std::string program = fs::path(first_line(read_file_or_empty(fmt::format("/proc/{}/comm", holder.pid())))).string();
    if (!inside.empty() && inside != outside && program == "cat") return holder;
    if (const std::string words = holder.error_line(0.005); !words.empty()) refuse(joined(unshare), words);
    if (monotonic_s() > until_s) refuse(joined(unshare), "it takes too long");
  }
}

// Administrators' programs are not in everybody's PATH.
std::string administration(const std::string& program) {
  for (const std::string& candidate : {program, "/usr/sbin/" + program, "/sbin/" + program})
    if (const fs::path found = find_program(candidate); !found.empty()) return found.string();
  return program;
}

Prefix entering(pid_t pid, bool as_root) {
  Prefix prefix = {"nsenter", "--target", std::to_string(pid), "--net"};
  if (!as_root) prefix.insert(prefix.end(), {"--user", "--preserve-credentials"});
  prefix.emplace_back("--");
  return prefix;
}

// The bucket holds eleven full frames: 1.3 ms at 100 Mbit/s.
void limit_device(const Prefix& prefix, std::uint64_t bits_per_s) {
  run_or_refuse(prefix, {administration("tc"), "qdisc", "add", "dev", "cable", "root", "tbf", "rate", fmt::format("{}bit", bits_per_s),
                         "burst", "16kb", "latency", "50ms"});
}

void configure_end(const Prefix& prefix, const std::string& address, std::uint64_t bits_per_s) {
  run_or_refuse(prefix, {administration("ip"), "address", "add", address + "/30", "dev", "cable"});
  run_or_refuse(prefix, {administration("ip"), "link", "set", "lo", "up"});
  run_or_refuse(prefix, {administration("ip"), "link", "set", "cable", "up"});
  limit_device(prefix, bits_per_s);
}

}  // namespace

const std::string& SlowLink::far_address() { return distant_address; }

SlowLink::SlowLink(std::uint64_t bits_per_s) {
  const bool as_root = ::geteuid() == 0;
  const std::string outside = namespace_of(::getpid());
  std::vector<std::string> first = {"unshare", "--net"};
  if (!as_root) first.insert(first.end(), {"--user", "--map-root-user"});
  holders_.push_back(hold_namespace({}, first, outside));
  near_ = entering(holders_[0].pid(), as_root);
  holders_.push_back(hold_namespace(near_, {"unshare", "--net"}, namespace_of(holders_[0].pid())));
  far_ = entering(holders_[1].pid(), as_root);
  run_or_refuse(near_, {administration("ip"), "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns",
                        std::to_string(holders_[1].pid())});
  configure_end(near_, near_address, bits_per_s);
  configure_end(far_, distant_address, bits_per_s);
}

namespace {

std::vector<std::string> server_argv(const ServerOptions& options, const std::string& name) {
  std::vector<std::string> argv = options.prefix;
  argv.insert(argv.end(), {options.program.string(), "--once"});
  if (options.socket.empty())
    argv.insert(argv.end(), {"--listen", options.listen, "--port", "0"});
  else
    argv.insert(argv.end(), {"--unix", options.socket.string()});
  if (options.file.empty()) argv.emplace_back(name == "net-sink" ? "--discard" : "--generate");
  if (options.generated) argv.insert(argv.end(), {"-n", std::to_string(*options.generated)});
  return argv;
}

BackgroundCommand::Files server_files(const ServerOptions& options, const std::string& name) {
  BackgroundCommand::Files files;
  (name == "net-sink" ? files.out : files.in) = options.file;
  return files;
}

}  // namespace

Server::Server(const ServerOptions& options)
    : name_(options.program.filename().string()),
      command_(server_argv(options, name_), server_files(options, name_)) {
  const std::string line = command_.error_line(patience_s);  // "net-sink: listening on 127.0.0.1:4433"
  const std::string listening = name_ + ": listening on ";
  if (!line.starts_with(listening))
    throw Error(fmt::format("start {}: {}", name_, line.empty() ? "it did not say that it listens" : line));
  address_ = options.socket.empty() ? "tcp:" + line.substr(listening.size()) : "unix:" + options.socket.string();
}

void Server::finish() {
  const std::optional<int> status = command_.wait(patience_s);
  if (!status) throw Error(fmt::format("wait for {}: it has not ended", name_));
  if (*status == 0) return;
  const std::string line = command_.error_line(0);
  throw Error(fmt::format("wait for {}: {}", name_, line.empty() ? fmt::format("status {}", *status) : line));
}

namespace {

// A connection to that port, or none and why.
Descriptor connect_to(const std::string& host, const char* port, std::string& why) {
  struct addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (const int code = ::getaddrinfo(host.c_str(), port, &hints, &found)) {
    why = ::gai_strerror(code);
    return {};
  }
  Descriptor connected;
  for (const struct addrinfo* at = found; at && !connected; at = at->ai_next) {
    Descriptor tried(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!tried) continue;
    int error = ::connect(tried.get(), at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      struct pollfd watched = {tried.get(), POLLOUT, 0};
      socklen_t size = sizeof error;
      error = ETIMEDOUT;
      if (::poll(&watched, 1, static_cast<int>(patience_s * 1000)) > 0)
        ::getsockopt(tried.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error)
      why = std::strerror(error);
    else
      connected = std::move(tried);
  }
  ::freeaddrinfo(found);
  return connected;
}

// What a server sends until it closes, or until it is more than `most`, or nothing comes for a while.
std::uint64_t count_bytes(const Descriptor& from, std::uint64_t most) {
  std::vector<char> block(1u << 18);
  std::uint64_t bytes = 0;
  while (bytes <= most && !interrupt_requested()) {
    struct pollfd watched = {from.get(), POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(patience_s * 1000)) <= 0) break;
    const ssize_t got = ::read(from.get(), block.data(), block.size());
    if (got <= 0) break;
    bytes += static_cast<std::uint64_t>(got);
  }
  return bytes;
}

}  // namespace

std::string server_command(std::optional<std::uint64_t> generated) {
  const std::string limit = generated ? fmt::format(" -n {}", format_short_size(*generated)) : "";
  return fmt::format("net-sink --listen 0.0.0.0 > /dev/null & net-source --listen 0.0.0.0{} < /dev/null", limit);
}

void require_servers(const OtherMachine& other, std::optional<std::uint64_t> generated) {
  const auto refuse_server = [&](const char* port, const std::string& why) {
    throw Error(fmt::format("use the servers on {}: port {}: {}; start them there with: {}", other.host, port, why,
                            server_command(generated)));
  };
  std::string why = "it has no address";
  if (!connect_to(other.host, "4433", why)) refuse_server("4433", why);
  if (!generated) return;
  const Descriptor source = connect_to(other.host, "3344", why);
  if (!source) refuse_server("3344", why);
  if (const std::uint64_t sent = count_bytes(source, *generated); sent != *generated)
    refuse_server("3344", fmt::format("it sent {}{} of the {} bytes that each copy is to move",
                                      sent > *generated ? "more than " : "", std::min(sent, *generated), *generated));
}

}  // namespace iobench
