// SPDX-License-Identifier: MIT
// Each question is one run of the program, with a timeout: a program that hangs here would hang in the measurement too.
#include "programs.h"

#include <locale>
#include <regex>
#include <sstream>

#include "facts.h"
#include "system.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr double answer_s = 5;

// What it says on standard output, or else on standard error; empty when it fails or cannot be run.
std::string answer(const fs::path& program, const std::vector<std::string>& words) {
  std::vector<std::string> argv = {program.string()};
  argv.insert(argv.end(), words.begin(), words.end());
  SpawnOptions options;
  options.timeout_s = answer_s;
  options.capture_limit_bytes = 64u << 10;
  try {
    const Finished said = run_command(argv, options);
    if (said.status != 0) return {};
    return said.out.empty() ? said.err : said.out;
  } catch (const Error&) {
    return {};
  }
}

// The first "1.15.0" or "5.4" of a line.
std::string version_in(const std::string& line) {
  static const std::regex pattern(R"((^|[^0-9.])([0-9]+\.[0-9]+(\.[0-9]+)*))");
  std::smatch match;
  return std::regex_search(line, match, pattern) ? match[2].str() : std::string();
}

}  // namespace

std::string version_line(const fs::path& program) {
  const std::string text = answer(program, {"--version"});
  return text.substr(0, text.find('\n'));
}

std::string hyperfine_version(const fs::path& hyperfine) { return version_in(version_line(hyperfine)); }
std::string gnuplot_version(const fs::path& gnuplot) { return version_in(version_line(gnuplot)); }

bool version_at_least(const std::string& version, int major, int minor) {
  int found_major = 0, found_minor = 0;
  char point = 0;
  std::istringstream text(version);
  text.imbue(std::locale::classic());
  if (!(text >> found_major >> point >> found_minor) || point != '.') return false;
  return found_major != major ? found_major > major : found_minor >= minor;
}

bool gnuplot_has_terminal(const fs::path& gnuplot, const std::string& terminal) {
  return has_word(answer(gnuplot, {"-e", "set terminal"}), terminal);
}

}  // namespace iobench
