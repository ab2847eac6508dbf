// SPDX-License-Identifier: MIT
// What a report is made of: a list of blocks, and two of its writers, Markdown and text for the terminal; the third, an
// HTML page, is page.h. Knows nothing of benchmarks. Pure.
//
// Prose is the text of paragraphs, lists, callouts and notes of tables: `code` in paired backticks is code there, and
// whatever else they hold is text, nothing of it markup.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "grid.h"

namespace iobench {

struct Heading {
  int level = 2;  // 1 to 6
  std::string text;
};
struct Paragraph {  // blank lines inside part paragraphs; single line breaks are spaces
  std::string text;
};
struct List {
  std::vector<std::string> items;
};
struct Callout {  // a list that is set off: what has to be known before the rest is read
  std::vector<std::string> items;
};
struct Commands {  // a code block
  std::vector<std::string> lines;
};
struct FigureBlock {
  std::string path;     // relative to the report, without ending
  std::string title;    // as in the picture
  std::string caption;  // all that is said in the picture's head: for those who cannot see it
  bool svg = true, png = true;
};
using Block = std::variant<Heading, Paragraph, List, Callout, Commands, Table, FigureBlock>;

std::string to_markdown(const std::vector<Block>& blocks);
// Broken at `width` code points.
std::string to_text(const std::vector<Block>& blocks, std::size_t width = 100);

// The same without blocks that say nothing and without headings under which nothing is left.
std::vector<Block> without_empty_sections(const std::vector<Block>& blocks);
// Prose in paragraphs, each of one line.
std::vector<std::string> paragraphs(const std::string& text);

}  // namespace iobench
