// SPDX-License-Identifier: MIT
// A directory for one test, beside the test's program: on the build's file system rather than in /tmp, which may be in
// memory. Removed with everything in it.
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "system.h"

class Scratch {
 public:
  Scratch() {
    std::string name = std::filesystem::read_symlink("/proc/self/exe").string() + ".scratch.XXXXXX";
    if (!::mkdtemp(name.data())) iobench::throw_errno("create " + name);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  std::filesystem::path file(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    iobench::replace_file(path_ / name, content);
    return path_ / name;
  }
  // An executable shell script that stands in for a program.
  std::filesystem::path script(const std::string& name, const std::string& body) const {
    const std::filesystem::path made = file(name, "#!/bin/sh\n" + body + "\n");
    ::chmod(made.c_str(), 0755);
    return made;
  }
  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};
