// SPDX-License-Identifier: MIT
// A results directory to tables/, plots/ and report.md. A report is a list of blocks (heading, sentence, table, figure);
// a writer turns blocks into Markdown.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "system.h"
#include "table.h"

namespace iobench {

struct Heading { int level = 2; std::string text; };
struct Paragraph { std::string text; };
struct List { std::vector<std::string> items; };
struct FigureBlock { std::string path; std::string caption; };  // relative to the report, without ending
using Block = std::variant<Heading, Paragraph, List, Table, FigureBlock>;

std::string to_markdown(const std::vector<Block>& blocks);

// Reads plan.json, samples.csv and machine.json of `results`, writes tables, figures and report.md beside them, and
// returns what the terminal is to show: the tables as text, the odd things in words, where the report is.
std::string write_report(const std::filesystem::path& results, const Layout& layout);

}  // namespace iobench
