// SPDX-License-Identifier: MIT
// Looks at the machine before a measurement: which traps it has, what is missing, what root would add. It changes
// nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "programs.h"
#include "system.h"

namespace iobench {

struct Finding {
  enum class Grade { good, trap, missing, root } grade = Grade::good;
  std::string subject;    // "page cache", "hyperfine", "write-back"
  std::string text;       // what was seen
  std::string remedy;     // the next thing to do; empty when nothing is
  bool required = false;  // `iobench run` cannot do without
};
// `root` stands for "/" before proc and sys in tests; programs and free space are always this machine's.
std::vector<Finding> examine(const Layout& layout, const std::filesystem::path& root = "/");
std::string findings_text(const std::vector<Finding>& findings);  // for the terminal, remedies below what they mend
bool can_run(const std::vector<Finding>& findings);               // nothing required is missing

}  // namespace iobench
