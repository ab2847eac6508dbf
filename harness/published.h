// SPDX-License-Identifier: MIT
// data/published/*.csv: figures that others published, as they printed them. Which of our rows stands beside which of
// theirs is said by the suite.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace iobench {

// A published CSV: '#' lines are notes, then a heading, then rows. Throws Error with file:line.
struct PublishedTable {
  std::vector<std::string> notes;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
PublishedTable load_published(const std::filesystem::path& csv);

}  // namespace iobench
