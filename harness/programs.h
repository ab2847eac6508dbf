// SPDX-License-Identifier: MIT
// What programs say about themselves. They may be missing, silent, odd, failing or hanging: then the answer is empty.
#pragma once

#include <filesystem>
#include <string>

namespace iobench {

// The first line that `program --version` prints, within 5 s.
std::string version_line(const std::filesystem::path& program);

// What was tested: with Debian 12's programs.
inline constexpr int hyperfine_major = 1, hyperfine_minor = 15;
inline constexpr int gnuplot_major = 5, gnuplot_minor = 4;

// Versions: "1.15.0" of `hyperfine --version`, "5.4" of gnuplot's. Used by run to refuse early.
std::string hyperfine_version(const std::filesystem::path& hyperfine);
std::string gnuplot_version(const std::filesystem::path& gnuplot);
bool version_at_least(const std::string& version, int major, int minor);  // false for an empty one
// Whether gnuplot has the terminal ("pngcairo", "svg"); false when it cannot be asked.
bool gnuplot_has_terminal(const std::filesystem::path& gnuplot, const std::string& terminal);

}  // namespace iobench
