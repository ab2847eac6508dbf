// SPDX-License-Identifier: MIT
// Made-up plans and samples for the tests of summary, tables, figures and report: seeded, so that golden files hold.
// The shapes are those of the real suites; the numbers are nobody's.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan.h"
#include "samples.h"
#include "units.h"

// Factors near 1 (splitmix64; Steele, Lea and Flood 2014).
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  double factor(double spread) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return 1 + spread * (static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0 - 0.5);
  }

 private:
  std::uint64_t state_;
};

struct MadeUp {
  iobench::Plan plan;
  iobench::RowChecks checks;
  std::vector<iobench::Sample> samples;

  iobench::PlannedSuite& add_suite(const std::string& name, const std::string& title) {
    iobench::PlannedSuite suite;
    suite.experiment.name = name;
    suite.experiment.title = title;
    suite.experiment.path = "data/suites/" + name + ".toml";
    plan.suites.push_back(suite);
    checks.emplace_back();
    return plan.suites.back();
  }

  // A row at the end of the last suite; a new group begins with `group_name` that the last group does not have.
  iobench::PlannedRow& add_row(const std::string& name, const std::string& group_name, std::size_t rounds,
                               const std::vector<std::string>& argv) {
    iobench::PlannedSuite& suite = plan.suites.back();
    if (suite.groups.empty() || suite.groups.back().name != group_name) {
      suite.groups.emplace_back();
      suite.groups.back().name = group_name;
      suite.groups.back().rounds = rounds;
    }
    iobench::PlannedRow row;
    row.row.name = row.row.label = name;
    row.row.tool = row.row.program = argv.front();
    row.row.arguments.assign(argv.begin() + 1, argv.end());
    row.argv = argv;
    row.row.cache = iobench::Cache::warm;
    row.size_bytes = plan.options.corpus_bytes;
    row.group = suite.groups.size() - 1;
    suite.groups.back().rows.push_back(suite.rows.size());
    suite.rows.push_back(row);
    checks.back().emplace_back();
    return suite.rows.back();
  }

  void set_baseline(const std::string& name) {
    iobench::PlannedSuite& suite = plan.suites.back();
    for (iobench::Group& group : suite.groups)
      for (const std::size_t row : group.rows)
        if (suite.rows[row].row.name == name) group.baseline = row;
  }

  // One sample of the last suite's row `index`.
  iobench::Sample sample(std::size_t index, std::uint64_t round, double wall_s, double cpu_s,
                         bool again = false) const {
    const iobench::PlannedSuite& suite = plan.suites.back();
    const iobench::PlannedRow& row = suite.rows.at(index);
    iobench::Sample made;
    made.suite = suite.experiment.name;
    made.row = row.row.name + (again ? "/again" : "");
    made.round = round;
    made.operations = row.row.repeat;
    made.bytes = row.size_bytes * row.row.repeat;
    made.wall_s = wall_s;
    made.user_s = cpu_s * 0.1;
    made.system_s = cpu_s * 0.9;
    made.peak_memory_bytes = 1500000;
    return made;
  }

  // Samples of the last suite's limits, in bytes a second, with a drift of their own.
  void measure_limits(std::size_t rounds, const std::map<iobench::Limit, double>& rates) {
    for (const auto& [limit, rate] : rates) {
      plan.suites.back().limits.insert(limit);
      for (std::size_t round = 1; round <= rounds; ++round) {
        iobench::Sample made;
        made.suite = plan.suites.back().experiment.name;
        made.row = iobench::limit_row(limit);
        made.round = round;
        made.bytes = 1u << 30;
        made.wall_s = static_cast<double>(made.bytes) / rate * (1 + 0.002 * static_cast<double>(round));
        samples.push_back(made);
      }
    }
  }

  // Runs and samples of the last suite: `wall_s` for each row in turn, with noise; the baselines twice.
  void measure(const std::vector<double>& wall_s, double spread, std::uint64_t seed) {
    Noise noise(seed);
    const std::size_t suite = plan.suites.size() - 1;
    for (const iobench::Group& group : plan.suites.back().groups)
      for (std::size_t round = 1; round <= group.rounds; ++round)
        for (const std::size_t row : group.rows)
          for (const bool again : {false, true}) {
            if (again && row != group.baseline) continue;
            plan.runs.push_back({suite, row, round, again});
            const double wall = wall_s.at(row) * noise.factor(spread);
            samples.push_back(sample(row, round, wall, wall * 0.98, again));
          }
  }
};

// readwrite over block sizes: warm and cold to the null device, to a pipe, to a new file.
inline void add_buffer_sweep(MadeUp& made) {
  using namespace iobench;
  PlannedSuite& suite = made.add_suite("buffer-sweep", "How large should a block be?");
  suite.experiment.question = "From which block size on is read and write as fast as it gets?";
  PlotSpec plot;
  plot.name = "throughput";
  plot.kind = "sweep";
  plot.title = "readwrite over block sizes";
  plot.x = "block";
  plot.y = "bytes_per_s";
  plot.series = {"output", "cache"};
  suite.experiment.plots.push_back(plot);
  struct Case {
    Output output;
    Cache cache;
    double call_s, rate;
  };
  std::vector<double> walls;
  for (const Case& end :
       {Case{Output::null, Cache::warm, 130e-9, 14.9e9}, Case{Output::null, Cache::cold, 140e-9, 2.4e9},
        Case{Output::pipe, Cache::warm, 800e-9, 2.9e9}, Case{Output::file, Cache::warm, 700e-9, 4.3e9}})
    for (std::uint64_t block = 512; block <= 4u << 20; block *= 2) {
      const std::string size = format_short_size(block);
      const std::string ends = std::string(to_string(end.output)) + "-" + to_string(end.cache);
      PlannedRow& row = made.add_row(ends + "-" + size, "output=" + ends, 11, {"readwrite", "-b", size});
      row.row.label = size;
      row.row.output = end.output;
      row.row.cache = end.cache;
      row.row.values = {{"block", size}};
      RowCheck& check = made.checks.back().back();
      check.calls_per_mib = 2.0 * 1048576 / static_cast<double>(block);
      check.program_bytes = 16184;
      check.startup_calls = 27;
      if (end.output != Output::null) row.size_bytes /= 4;
      const double bytes = static_cast<double>(row.size_bytes);
      const double beyond_cache = block > 1048576 ? 1.08 : 1;
      walls.push_back((bytes / end.rate * beyond_cache + bytes / static_cast<double>(block) * end.call_s));
      if (block == 64u << 10) made.set_baseline(row.row.name);
    }
  made.measure(walls, 0.06, 7);
  made.measure_limits(11, {{Limit::memory_copy, 13.9e9}, {Limit::memory_copy_by_two, 22.5e9}, {Limit::device_read, 3.1e9}});
}

// Four programs to the null device, whole corpora and 38,123 bytes, beside the figures of 1985.
inline void add_perlman(MadeUp& made) {
  using namespace iobench;
  PlannedSuite& suite = made.add_suite("perlman-1985", "Four ways to copy, 1985 and now");
  suite.experiment.question = "How much CPU do getc, fgetc, fread and read take for the same bytes?";
  suite.experiment.published = Published{"perlman-1985.csv", {{"program", "{tool}"}}};
  TableSpec table;
  table.title = "CPU of a copy";
  table.columns = {"name",   "published.total_s", "cpu_times_baseline", "cpu", "user", "system", "calls_per_mib",
                   "comment"};
  table.headings = {"program", "total CPU in 1985, s"};
  table.only = "size=corpus";
  suite.experiment.tables = {table};
  table.title = "CPU of a small copy";
  table.columns = {"name", "published.total_s", "cpu_times_baseline", "cpu",
                   "user", "cpu_per_copy",      "wall_per_copy"};
  table.only = "size=38123";
  suite.experiment.tables.push_back(table);
  PlotSpec plot;
  plot.name = "cpu";
  plot.kind = "bars";
  plot.title = "CPU of a copy, as a multiple of readwrite's";
  plot.x = "label";
  plot.y = "cpu";
  plot.published = "total_s";
  plot.relative = true;
  plot.only = "size=corpus";
  suite.experiment.plots = {plot};
  const auto claim = [&](const std::string& says, const std::string& metric, const std::vector<std::string>& rows,
                         std::optional<double> published, const std::string& holds_if) {
    ClaimSpec made_claim;
    made_claim.says = says;
    made_claim.who = published ? "the author" : "";
    made_claim.metric = metric;
    made_claim.rows = rows;
    made_claim.published = published;
    made_claim.holds_if = holds_if;
    suite.experiment.claims.push_back(made_claim);
  };
  claim("fgetc takes 23 times the CPU of read", "cpu", {"fgetputc", "readwrite"}, 23, "15 .. 47");
  claim("getc is much faster than fgetc", "cpu", {"getputc", "fgetputc"}, 0.35, "<= 0.5");
  claim("fread makes more calls than read", "calls_per_mib", {"freadwrite", "readwrite"}, {}, "> 1");
  const std::vector<std::string> tools{"fgetputc", "getputc", "freadwrite", "readwrite"};
  std::vector<double> walls;
  for (const bool small : {false, true})
    for (std::size_t i = 0; i < tools.size(); ++i) {
      PlannedRow& row =
          made.add_row(tools[i] + (small ? "-small" : ""), small ? "size=38123" : "size=corpus", 7, {tools[i]});
      row.row.label = tools[i];
      row.row.comment = "a line about " + tools[i];
      made.checks.back().back().calls_per_mib = i < 3 ? 512 : 2048;
      walls.push_back(std::vector{6.4, 6.3, 0.29, 0.205}[i]);
      if (small) {
        row.row.size_bytes = row.size_bytes = 38123;
        row.row.repeat = 20;
        walls.back() = std::vector{0.0216, 0.0214, 0.0163, 0.0162}[i];
      }
    }
  made.set_baseline("readwrite");
  made.set_baseline("readwrite-small");
  made.measure(walls, 0.02, 3);
}
