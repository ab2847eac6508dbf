// SPDX-License-Identifier: MIT
// Reads small files again at each question: they are few, asked once a run, and load and memory change.
#include "facts.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "system.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr const char* blanks = " \t\r\n";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// "NAME   : value" or "NAME: value", the first that there is.
std::string keyed_line(const fs::path& file, const std::string& name) {
  std::istringstream lines(read_file_or_empty(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && trimmed(line.substr(0, colon)) == name) return trimmed(line.substr(colon + 1));
  }
  return {};
}

}  // namespace

std::string fact(const fs::path& file) {
  std::string text = trimmed(read_file_or_empty(file));
  std::erase(text, '\0');  // device-tree strings end with one
  return text;
}

std::string bracketed(const std::string& choices) {
  const std::size_t open = choices.find('['), close = choices.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return choices;
  return choices.substr(open + 1, close - open - 1);
}

std::uint64_t meminfo(const std::string& name, const fs::path& root) {
  std::istringstream words(keyed_line(root / "proc/meminfo", name));
  std::uint64_t value = 0;
  std::string unit;
  words >> value >> unit;
  return unit == "kB" ? value * 1024 : value;
}

std::string cpuinfo(const std::string& name, const fs::path& root) {
  return keyed_line(root / "proc/cpuinfo", name);
}

bool has_word(const std::string& words, const std::string& word) {
  std::istringstream all(words);
  for (std::string one; all >> one;)
    if (one == word) return true;
  return false;
}

std::string cgroup_version(const fs::path& root) {
  const fs::path folder = root / "sys/fs/cgroup";
  if (present(folder / "cgroup.controllers")) return "v2";
  if (!present(folder / "memory")) return {};
  return present(folder / "unified/cgroup.controllers") ? "hybrid" : "v1";
}

std::string virtual_machine(const fs::path& root) {
  if (const std::string type = fact(root / "sys/hypervisor/type"); !type.empty()) return type;
  const std::string vendor = fact(root / "sys/class/dmi/id/sys_vendor");
  if (has_word(cpuinfo("flags", root), "hypervisor")) return vendor.empty() ? "yes" : vendor;
  if (present(root / "proc/device-tree/hypervisor")) return "yes";
  // Processors other than x86 have no flag; the board's maker tells.
  static constexpr std::array makers = {"QEMU",       "VMware", "innotek",   "Xen",
                                        "Amazon EC2", "Google", "Parallels", "Bochs"};
  const bool known =
      std::any_of(makers.begin(), makers.end(), [&](const char* maker) { return vendor.starts_with(maker); });
  return known ? vendor : std::string();
}

}  // namespace iobench
