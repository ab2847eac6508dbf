// SPDX-License-Identifier: MIT
// Who runs the measured commands when root runs iobench: root is needed for caches and memory cgroups, which are ours to
// set, and not for a copy. plumb gives it up between opening the ends and starting the command.
#pragma once

#include <filesystem>
#include <string>

namespace iobench {

struct CommandUser {
  std::string ids;   // "UID:GID" as plumb takes it; empty: whoever we are
  std::string says;  // for the record: "uid 1000", "root: why"
};

// `name`: a user's name or number; empty: whoever called sudo, if we are root by it. Throws Error, status 2, for a name
// that is nobody's, for one that only root could become, and for one that cannot run the tools; where nobody was named,
// that is a reason to stay root.
CommandUser command_user(const std::string& name, const std::filesystem::path& tools);

}  // namespace iobench
