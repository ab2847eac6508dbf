// SPDX-License-Identifier: MIT
#include "user.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>

#include "record_file.h"
#include "system.h"

namespace iobench {

namespace {

constexpr int status_usage = 2;

std::optional<unsigned> number_of(const std::string& text) {
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

struct Ids {
  unsigned user = 0, group = 0;
};

Ids named(const std::string& name) {
  const std::optional<unsigned> number = number_of(name);
  if (const struct passwd* known = number ? ::getpwuid(*number) : ::getpwnam(name.c_str())) return {known->pw_uid, known->pw_gid};
  throw Error(fmt::format("--user {}: there is no such user", flattened(name)), status_usage);
}

// Why the user cannot run the tools, as when they are in root's own folder; empty: it can.
std::string obstacle(const std::string& ids, const std::filesystem::path& tools) {
  const std::string tool = (tools / "readwrite").string();
  const Finished tried = run_command({(tools / "plumb").string(), "--user", ids, "null", "null", tool, "--version"});
  return tried.status == 0 ? "" : flattened(tried.err);
}

}  // namespace

CommandUser command_user(const std::string& name, const std::filesystem::path& tools) {
  if (::geteuid() != 0) {
    if (!name.empty() && named(name).user != ::geteuid())
      throw Error(fmt::format("--user {}: only root can run commands as another user", flattened(name)), status_usage);
    return {"", fmt::format("uid {}", ::geteuid())};
  }
  const std::optional<unsigned> uid = number_of(environment("SUDO_UID")), gid = number_of(environment("SUDO_GID"));
  const bool by_sudo = name.empty() && uid && gid;
  if (name.empty() && !by_sudo) return {"", "root: no --user was named, and sudo says none"};
  const Ids ids = by_sudo ? Ids{*uid, *gid} : named(name);
  if (ids.user == 0) return {"", "root: as asked"};
  const CommandUser user{fmt::format("{}:{}", ids.user, ids.group), fmt::format("uid {}", ids.user)};
  const std::string why = obstacle(user.ids, tools);
  if (why.empty()) return user;
  if (!by_sudo) throw Error(fmt::format("--user {}: it cannot run the tools: {}", flattened(name), why), status_usage);
  return {"", fmt::format("root: uid {} cannot run the tools: {}", ids.user, why)};
}

}  // namespace iobench
