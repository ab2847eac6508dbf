// SPDX-License-Identifier: MIT
#include "splice.h"

#include <fmt/format.h>

#include <sstream>

#include "document.h"
#include "system.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view begin_mark = "<!-- BEGIN: ", end_mark = "<!-- END -->", close_mark = " -->";

// "PATH" or "PATH | what it shows".
std::string part(const std::string& what, const fs::path& directory) {
  const std::size_t bar = what.find(" | ");
  const std::string path = what.substr(0, bar);
  const fs::path file = directory / path;
  if (file.extension() == ".md") return read_file(file);
  open_file(file, 0);  // throws when it is not there
  return fmt::format("![{}]({})\n", bar == std::string::npos ? path : what.substr(bar + 3), path);
}

struct Spliced {
  std::string text;
  std::size_t parts = 0;
};

Spliced splice_text(const fs::path& document) {
  Spliced done;
  std::istringstream lines(read_file(document));
  int number = 0, begun = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line == end_mark) {
      if (!begun) fail({document.string(), number}, "an END without its BEGIN");
      begun = 0;
    } else if (line.starts_with(begin_mark)) {
      if (begun) fail({document.string(), begun}, "a BEGIN without its END");
      if (!line.ends_with(close_mark)) fail({document.string(), number}, "a BEGIN that does not end with -->");
      begun = number;
      const std::string what =
          line.substr(begin_mark.size(), line.size() - begin_mark.size() - close_mark.size());
      ++done.parts;
      try {
        done.text += line + "\n\n" + part(what, document.parent_path()) + "\n";
      } catch (const Error& error) {
        fail({document.string(), number}, error.what());
      }
      continue;
    } else if (begun) {
      continue;  // what stood there
    }
    done.text += line + "\n";
  }
  if (begun) fail({document.string(), begun}, "a BEGIN without its END");
  return done;
}

}  // namespace

std::string spliced(const fs::path& document) { return splice_text(document).text; }

std::string splice(const fs::path& document) {
  const Spliced done = splice_text(document);
  if (done.parts == 0) throw Error(fmt::format("splice {}: it has no line \"{}PATH{}\"", document.string(), begin_mark, close_mark));
  if (done.text == read_file(document)) return fmt::format("{}: its {} parts are as their files\n", document.string(), done.parts);
  replace_file(document, done.text);
  return fmt::format("{}: {} parts put in again\n", document.string(), done.parts);
}

}  // namespace iobench
