// SPDX-License-Identifier: MIT
// What this machine is: everything that a reader in ten years needs to judge the samples. Writes machine.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace iobench {

struct MachineOptions {
  std::filesystem::path corpus_directory;  // its file system, mount and device are described
  std::filesystem::path results_directory;
  std::vector<std::filesystem::path> programs;  // tools, plumb, hyperfine, gnuplot: version line, size, digest
  bool anonymous = false;                  // leaves the host name out
};
// Description as JSON, indented, with a final newline.
std::string describe_machine(const MachineOptions& options);

std::string host_name(bool anonymous = false);  // first label, characters other than [A-Za-z0-9-] replaced; "anonymous"
std::uint64_t memory_bytes();
// Free bytes for us on the file system that holds `path` (or its nearest existing parent).
std::uint64_t free_bytes(const std::filesystem::path& path);
// One line for reports, from machine.json's text: processor, cores, memory, kernel, file system.
std::string machine_summary(const std::string& machine_json);

}  // namespace iobench
