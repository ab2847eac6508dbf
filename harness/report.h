// SPDX-License-Identifier: MIT
// A results directory to tables/, plots/ and report.md. A report is a list of blocks (heading, sentence, table,
// figure); one writer turns blocks into Markdown, one into text for the terminal.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "grid.h"
#include "system.h"

namespace iobench {

struct Heading {
  int level = 2;
  std::string text;
};
struct Paragraph {  // blank lines inside part paragraphs; single line breaks are spaces
  std::string text;
};
struct List {
  std::vector<std::string> items;
};
struct Commands {  // a code block
  std::vector<std::string> lines;
};
struct FigureBlock {
  std::string path;  // relative to the report, without ending
  std::string caption;
  bool svg = true, png = true;
};
using Block = std::variant<Heading, Paragraph, List, Commands, Table, FigureBlock>;

std::string to_markdown(const std::vector<Block>& blocks);
// Broken at `width` code points.
std::string to_text(const std::vector<Block>& blocks, std::size_t width = 100);

// Reads plan.json and samples.csv of `results` and, where they are, machine.json and session.json; writes tables,
// figures and report.md beside them, and returns what the terminal is to show: the tables as text, the odd things in
// words, where the report is. The same results give the same report, byte for byte.
std::string write_report(const std::filesystem::path& results, const Layout& layout);

}  // namespace iobench
