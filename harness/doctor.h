// SPDX-License-Identifier: MIT
// Looks at the machine before a measurement: which traps it has, what is missing, what root would add. It changes nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "system.h"

namespace iobench {

struct Finding {
  enum class Grade { good, trap, missing, root } grade = Grade::good;
  std::string subject;  // "page cache", "hyperfine", "write-back"
  std::string text;     // what was seen
  std::string remedy;   // the next thing to do; empty when nothing is
};
std::vector<Finding> examine(const Layout& layout);
// For the terminal; returns whether anything that `iobench run` cannot do without is missing.
std::string findings_text(const std::vector<Finding>& findings);
bool can_run(const std::vector<Finding>& findings);

// Versions: "1.15.0" of `hyperfine --version`, empty when missing or unreadable. Used by run to refuse early.
std::string hyperfine_version(const std::filesystem::path& hyperfine);
std::string gnuplot_version(const std::filesystem::path& gnuplot);
bool version_at_least(const std::string& version, int major, int minor);

}  // namespace iobench
