// SPDX-License-Identifier: MIT
#include "permission.h"

#include <fmt/format.h>

#include <algorithm>

#include "record_file.h"

namespace iobench {

namespace {

// Why the words are no options of the tool; empty: they are.
std::string option_trouble(const Tool& tool, std::vector<std::string> options) {
  options.insert(options.begin(), tool.name);
  try {
    check_options(tool, options, {"", 0});
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
  return {};
}

std::string input_trouble(const std::vector<std::string>& made_by, const Toolbox& toolbox) {
  if (made_by.empty()) return {};
  const Tool* tool = toolbox.find(made_by[0]);
  if (!tool || tool->kind != "copy") return fmt::format("its input is made by '{}', which is no tool of ours", made_by[0]);
  return option_trouble(*tool, {made_by.begin() + 1, made_by.end()});
}

std::string trouble(const PlannedRow& planned, const Toolbox& toolbox) {
  const Row& row = planned.row;
  const Tool* tool = toolbox.find(row.tool);
  if (!tool || (!tool->copies() && tool->kind != "demonstration")) return fmt::format("there is no tool '{}'", row.tool);
  for (const std::string& place : session_places())
    if (!row.value(place).empty()) return fmt::format("it says itself what {{{}}} is", place);
  std::vector<std::string> known = {tool->command.empty() ? tool->name : tool->command[0]};
  for (std::size_t i = 1; i < tool->command.size(); ++i) known.push_back(fill_in(tool->command[i], row));
  const std::size_t own = known.size() - 1;
  if (row.build != tool->build || row.program != known[0] || row.takes_names != tool->takes_names ||
      row.arguments.size() < own || !std::equal(known.begin() + 1, known.end(), row.arguments.begin()))
    return fmt::format("its command is not that of {}", tool->name);
  known.insert(known.end(), row.arguments.begin() + static_cast<std::ptrdiff_t>(own), row.arguments.end());
  if (const std::string why = option_trouble(*tool, {known.begin() + static_cast<std::ptrdiff_t>(own) + 1, known.end()}); !why.empty())
    return why;
  complete_fill(known, planned.payload_bytes());
  if (planned.argv != known) return "its argv is not its program and its arguments";
  return input_trouble(row.made_by, toolbox);
}

}  // namespace

void require_known_commands(const Plan& plan, const Toolbox& toolbox, const std::string& plan_json) {
  for (const PlannedSuite& suite : plan.suites)
    for (const PlannedRow& row : suite.rows)
      if (const std::string why = trouble(row, toolbox); !why.empty())
        throw Error(fmt::format("{}: suite '{}', row '{}': {}; only with --allow-commands are commands run that data/tools.toml "
                                "has no template for",
                                plan_json, flattened(suite.experiment.name), flattened(row.row.name), flattened(why)),
                    2);
}

}  // namespace iobench
