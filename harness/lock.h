// SPDX-License-Identifier: MIT
// One measurement at a time on a machine: two would each be the other's noise. Held by a lock on one file, whoever runs
// it; a process that was killed holds nothing.
#pragma once

#include <filesystem>
#include <string>

#include "system.h"

namespace iobench {

// /tmp/iobench.lock, or what IOBENCH_LOCK in the environment names.
std::filesystem::path lock_path();

class MachineLock {
 public:
  // `doing`: for the one who is refused, such as the results directory. Throws Error when another process holds the
  // lock, naming that process and what it does.
  explicit MachineLock(const std::string& doing, const std::filesystem::path& path = lock_path());
  // What is done, once more is known of it.
  void say(const std::string& doing) const;
  ~MachineLock();
  MachineLock(const MachineLock&) = delete;
  MachineLock& operator=(const MachineLock&) = delete;

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace iobench
