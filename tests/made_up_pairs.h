// SPDX-License-Identifier: MIT
// A made-up suite of sources by sinks, three strategies and two peers in each pair; a few pairs are odd: one that is
// not there, one without a peer, one with peers only, one where nothing could be measured, one where a copy moves
// nothing.
#pragma once

#include "made_up.h"

inline void add_pairs(MadeUp& made, std::size_t rounds = 8) {
  using namespace iobench;
  PlannedSuite& suite = made.add_suite("pairs", "Every pair of ends");
  suite.experiment.group = {"input", "output"};
  TableSpec table;
  table.title = "The fastest strategy of each pair";
  table.pairs = true;
  suite.experiment.tables = {table};
  PlotSpec plot;
  plot.name = "pairs";
  plot.kind = "pairs";
  plot.title = "Who copies fastest from where to where, and by how much";
  plot.x = "output";
  plot.y = "bytes_per_s";
  suite.experiment.plots = {plot};

  struct Copier {
    const char* tool;
    const char* block;
    bool peer;
    double speed;  // relative to the pair's
  };
  const std::vector<Copier> copiers{{"readwrite", "1M", false, 1},
                                    {"io-uring-copy", "512K", false, 1.2},
                                    {"splice-copy", "1M", false, 0.7},
                                    {"dd", "128K", true, 0.95},
                                    {"cat", "", true, 0.9}};
  std::vector<double> walls;
  double pair = 0;
  for (const Input input : {Input::corpus, Input::tmpfs, Input::pipe, Input::tcp, Input::local})
    for (const Output output :
         {Output::null, Output::file, Output::over, Output::tmpfs, Output::pipe, Output::tcp, Output::local}) {
      if (input == Input::local && output == Output::tcp) continue;
      const std::string ends = std::string(to_string(input)) + "-" + to_string(output);
      pair += 1;
      for (const Copier& copier : copiers) {
        if (copier.peer && ends == "tmpfs-over") continue;
        if (!copier.peer && ends == "pipe-file") continue;
        PlannedRow& row = made.add_row(ends + "-" + copier.tool, ends, rounds, {copier.tool});
        row.row.input = input;
        row.row.output = output;
        row.row.cache = input == Input::corpus || input == Input::pipe ? Cache::warm : Cache::none;
        row.row.peer = copier.peer;
        if (*copier.block) row.row.values = {{"block", copier.block}};
        row.size_bytes = 64u << 20;
        // From a lead of 1.26 over one of 1 to a strategy that is slower, pair by pair.
        const double handicap = copier.peer ? 0.55 + 0.05 * pair : 1;
        walls.push_back(static_cast<double>(row.size_bytes) / (3e9 * copier.speed * handicap));
      }
      made.set_baseline(ends + (ends == "pipe-file" ? "-dd" : "-readwrite"));
    }
  made.measure(walls, 0.04, 11);
  std::erase_if(made.samples, [](const Sample& sample) { return sample.row.starts_with("tcp-pipe-"); });
  made.measure_limits(rounds, {{Limit::memory_copy, 13.9e9}, {Limit::memory_copy_by_two, 22.5e9}});
}
