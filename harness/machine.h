// SPDX-License-Identifier: MIT
// What this machine is: everything that a reader in ten years needs to judge the samples. Makes the text of
// machine.json. Nothing here fails: a fact that cannot be found out is a key that is not there. Nothing personal but
// the host name: no paths, no names of mounts, of users or of cgroups.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "storage.h"

namespace iobench {

struct MachineOptions {
  std::filesystem::path corpus_directory;  // its file system, mount and device are described
  std::filesystem::path results_directory;
  std::vector<std::filesystem::path> programs;  // tools, plumb, hyperfine, gnuplot: version line, size, digest
  bool anonymous = false;                       // leaves the host name out, wherever it occurs
};
// Description as JSON, indented, with a final newline.
std::string describe_machine(const MachineOptions& options);

std::string host_name(bool anonymous = false);  // first label, characters other than [A-Za-z0-9-] replaced; "anonymous"
std::uint64_t memory_bytes();

// One line for reports, from machine.json's text: processor, cores, memory, kernel, file system.
std::string machine_summary(const std::string& machine_json);

}  // namespace iobench
