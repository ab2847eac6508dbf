// SPDX-License-Identifier: MIT
// Suites of the shapes that the originals have, from tests/originals/, beside the figures of data/published/, with
// samples that are made up: nobody's numbers.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "made_up.h"
#include "scratch.h"
#include "suite.h"

struct MadeUpOriginal {
  MadeUp made;
  iobench::PublishedTable published;
};

// Loads a suite's text as the shipped ones are loaded, beside the shipped figures.
inline iobench::Experiment load_original(const std::string& name, const std::string& text) {
  namespace fs = std::filesystem;
  const fs::path root = std::getenv("IOBENCH_ROOT");
  const Scratch scratch;
  fs::create_directories(scratch / "data");
  fs::create_directory_symlink(root / "data/published", scratch / "data/published");
  return iobench::load_experiment(scratch.file("data/suites/" + name + ".toml", text),
                                  iobench::Toolbox::load(root / "data/tools.toml"));
}

inline MadeUpOriginal original(const std::string& name) {
  using iobench::Row;
  namespace fs = std::filesystem;
  const fs::path root = std::getenv("IOBENCH_ROOT");
  const std::map<std::string, std::function<double(const Row&)>> wall_s{
      {"uppal-2004",
       [](const Row& row) {
         const double unit = static_cast<double>(iobench::parse_size(row.value("unit")));
         const double rate = row.value("medium") == "file" ? 2.1e9 : 1.6e9;
         const double byte = row.value("direction") == "write" ? 5.1 : 3.4;
         return 1073741824 / rate + (unit == 1 ? byte : 1073741824 / unit * 4e-7);
       }},
      {"bradshaw-1999",
       [](const Row& row) {
         const double record = static_cast<double>(iobench::parse_size(row.value("record")));
         return 67108864 * (row.value("direction") == "write" ? 3.9e-10 : 2.4e-10) + 67108864 / record * 4e-8;
       }},
      {"nutter-2008",
       [](const Row& row) {
         const bool same = row.value("target") == "same-name";
         const std::map<std::string, double> cost{{"none", 0}, {"stdio", 16e-6}, {"readwrite", 12e-6}, {"sendfile", 15e-6}};
         const double copy = cost.at(row.value("method"));
         return 1000 * (11e-6 + copy + (same && copy > 0 ? 140e-6 : 0));
       }},
      {"openjdk-2022", [](const Row& row) {
         const double buffer = static_cast<double>(iobench::parse_size(row.value("buffer")));
         return (row.value("cache") == "cold" ? 410e-6 : 190e-6) + 1048576 / buffer * 0.9e-6;
       }}};
  MadeUpOriginal found;
  const iobench::Experiment experiment =
      load_original(name, iobench::read_file(root / "tests/originals" / (name + ".toml")));
  found.made.plan = iobench::make_plan({experiment}, {64u << 20, false, 1, 0});
  found.made.plan.runs.clear();
  const iobench::PlannedSuite& suite = found.made.plan.suites[0];
  found.made.checks = {std::vector<iobench::RowCheck>(suite.rows.size())};
  std::vector<double> walls;
  for (const iobench::PlannedRow& row : suite.rows) walls.push_back(wall_s.at(name)(row.row));
  found.made.measure(walls, 0.05, 11);
  if (name == "bradshaw-1999")  // a record is an operation
    for (iobench::Sample& sample : found.made.samples)
      for (const iobench::PlannedRow& row : suite.rows)
        if (sample.row.starts_with(row.row.name))
          sample.operations = sample.bytes / iobench::parse_size(row.row.value("record"));
  found.published = iobench::load_published(root / "data/published" / experiment.published->file);
  return found;
}

inline const std::vector<std::string>& originals() {
  static const std::vector<std::string> names{"bradshaw-1999", "nutter-2008", "openjdk-2022", "uppal-2004"};
  return names;
}
