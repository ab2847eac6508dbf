// SPDX-License-Identifier: MIT
// Single facts from /proc and /sys, as the kernel words them. `root` stands for "/" in tests. Nothing here throws: what
// is not there is empty or 0. What a fact means for a measurement is for doctor to say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace iobench {

// Content of a file without blanks and line ends around it.
std::string fact(const std::filesystem::path& file);
// The chosen one of "always [madvise] never"; of any other text, the text.
std::string bracketed(const std::string& choices);
// "SwapTotal" of /proc/meminfo in bytes, "HugePages_Total" as a count.
std::uint64_t meminfo(const std::string& name, const std::filesystem::path& root = "/");
// First value of "model name", "flags", … in /proc/cpuinfo.
std::string cpuinfo(const std::string& name, const std::filesystem::path& root = "/");
// Whether `word` is one of the words of a list such as cpuinfo's flags.
bool has_word(const std::string& words, const std::string& word);

std::string cgroup_version(const std::filesystem::path& root = "/");   // "v1", "v2", "hybrid" (both); empty: none
std::string virtual_machine(const std::filesystem::path& root = "/");  // "QEMU", "xen", "yes"; empty: none seen

}  // namespace iobench
