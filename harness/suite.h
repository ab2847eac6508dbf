// SPDX-License-Identifier: MIT
// data/tools.toml and data/suites/*.toml to tools, experiments and rows. The only includer of toml++. Every mistake in a
// file is one Error "FILE:LINE: what is wrong; did you mean …?". What a row means is settled here: its lists are
// multiplied out in file order, last fastest, and {placeholders} are filled in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iobench {

// One line of data/tools.toml.
struct Tool {
  std::string name;                    // key, binary and label: one name everywhere
  std::string says;                    // the strategy in a few words
  std::string from;                    // "Perlman 1985", "today"
  std::string source;                  // file under tools/; empty for a peer
  std::vector<std::string> options;    // accepted, of "-b", "-n", "--drain", "--fill", …
  std::vector<std::string> inputs;     // accepted ends: file pipe fifo socket tty null
  std::vector<std::string> outputs;    // file append pipe fifo socket tty null full
  std::vector<std::string> command;    // argument template of a peer, e.g. {"dd", "bs={block}", "status=none"}
  std::string package;                 // Debian package of a peer
  std::string block;                   // default block size as the tool's --help says it ("1K"), empty: none
  double nanoseconds_per_byte = 0;     // rough cost, for the estimates of --list only
  double nanoseconds_per_call = 0;
  bool null_moves_nothing = false;     // into the null device the kernel moves no data: never ranked against copies
};

// All tools, in file order.
class Toolbox {
 public:
  static Toolbox load(const std::filesystem::path& tools_toml);
  const std::vector<Tool>& tools() const { return tools_; }
  const Tool* find(const std::string& name) const;
  std::string suggestion(const std::string& wrong) const;  // "; did you mean 'readwrite'?" or empty

 private:
  std::vector<Tool> tools_;
};

enum class Input { corpus, tmpfs, pipe, zero, none };   // pipe: a child feeds the corpus
enum class Output { null, pipe, file, over, tmpfs, none };  // file: a new file each run; over: in place
enum class Cache { warm, cold, none };                  // none: no file of the disk is read
const char* to_string(Input input);
const char* to_string(Output output);
const char* to_string(Cache cache);

// One row after multiplication: one command, one pair of ends, one regime.
struct Row {
  std::string name;                     // unique in its experiment
  std::string label;                    // for tables and legends; the name unless `label` is given
  std::string tool;                     // key in tools.toml
  std::vector<std::string> arguments;   // of the tool, e.g. {"-b", "64K"}; for a peer the filled-in template less argv[0]
  Input input = Input::corpus;
  Output output = Output::null;
  Cache cache = Cache::none;
  std::optional<std::uint64_t> size_bytes;  // fixed size of the input; otherwise the corpus size
  double share = 1;                     // part of the corpus moved when the suite is run as one of many (make bench)
  std::uint64_t repeat = 1;             // copies per run, summed (plumb --repeat), for runs of a millisecond
  bool sync = false;                    // the time covers fdatasync of the output
  std::vector<std::pair<std::string, std::string>> values;  // the row's own variables, in file order
  std::string value(const std::string& key) const;  // also "name", "tool", "input", "output", "cache"; empty: none
  int line = 0;                         // in the suite file
};

// Published figures beside ours: which row of the CSV belongs to which of our rows.
struct Published {
  std::string file;                                          // under data/published/
  std::vector<std::pair<std::string, std::string>> match;    // CSV column -> template over the row's values
};

// One table of the report. A column is one of the built-in keys (see table.h) or "published.COLUMN".
struct TableSpec {
  std::string title;
  std::vector<std::string> columns;   // keys
  std::vector<std::string> headings;  // one per column; empty: the keys' own
  std::string only;                   // "VARIABLE=VALUE": rows for which it holds; empty: all
};

// One figure. kind names plots/KIND.gp.
struct PlotSpec {
  std::string name;                  // file stem
  std::string kind;                  // "sweep" (y over a numeric x, log axis, intervals) | "bars"
  std::string title;
  std::string x;                     // row variable with sizes ("block"), or "label" for bars
  std::string y;                     // metric: bytes_per_s, wall, cpu, …
  std::vector<std::string> series;   // variables whose values make the series
  std::string limit;                 // "memory-copy": drawn as a line, measured once a round
  std::string published;             // published CSV column drawn beside ours, empty: none
  std::string only;                  // as in TableSpec
  bool relative = false;             // y as a multiple of the group's baseline, then and now
};

struct Experiment {
  std::string name;                  // file stem
  std::filesystem::path path;
  std::string title;
  std::string question;
  std::string discussion;            // optional prose printed above the table
  std::vector<std::string> group;    // rows with equal values are compared with one another
  std::vector<std::pair<std::string, std::string>> baseline;  // picks one row in each group
  std::vector<Row> rows;
  std::optional<Published> published;
  std::vector<TableSpec> tables;
  std::vector<PlotSpec> plots;
  bool in_bench = true;              // part of `make bench` without SUITES
};

Experiment load_experiment(const std::filesystem::path& suite_toml, const Toolbox& toolbox);
// data/suites/*.toml: names in sorted order.
std::vector<std::string> suite_names(const std::filesystem::path& data);

// A published CSV: '#' lines are notes, then a heading, then rows. Throws Error with file:line.
struct PublishedTable {
  std::vector<std::string> notes;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
PublishedTable load_published(const std::filesystem::path& csv);
// The cell of `column` in the one CSV row that matches, or empty.
std::string published_value(const Published& published, const PublishedTable& table, const Row& row, const std::string& column);

}  // namespace iobench
