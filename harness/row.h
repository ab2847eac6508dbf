// SPDX-License-Identifier: MIT
// One [[row]] of a suite to rows: its lists are multiplied out in file order, last fastest, its {placeholders} are
// filled in, and the command that comes out is checked against what the tool accepts and can serve (row_reader does that).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "document.h"
#include "toolbox.h"

namespace iobench {

// pipe: a child feeds the corpus; tcp, local: a server does, through a TCP or a UNIX socket.
enum class Input { corpus, tmpfs, pipe, zero, none, tcp, local };
// file: a new file each run; over: in place; tcp, local: to a server.
enum class Output { null, pipe, file, over, tmpfs, none, tcp, local };
enum class Cache { warm, cold, confined, none };  // none: no file of the disk is read
// What the command is expected to make of its input: a copy; nothing (a control, which opens and closes only); a part of
// it (to show what is lost); or a refusal (status 77: to show which ends it does not serve).
enum class Expected { copy, nothing, part, refusal };
// Their words in a suite's file, in the order above.
const std::vector<std::string>& input_words();
const std::vector<std::string>& output_words();
const std::vector<std::string>& cache_words();
const std::vector<std::string>& expected_words();
const char* to_string(Input input);
const char* to_string(Output output);
const char* to_string(Cache cache);
const char* to_string(Expected expected);
// The other way, for plan.json; nothing for an unknown word.
std::optional<Input> input_of(const std::string& word);
std::optional<Output> output_of(const std::string& word);
std::optional<Cache> cache_of(const std::string& word);
std::optional<Expected> expected_of(const std::string& word);

inline constexpr std::uint64_t record_head_bytes = 8;  // tools/record.h

// One row after multiplication: one command, one pair of ends, one regime.
struct Row {
  std::string name;     // unique in its experiment, fit for a file name
  std::string label;    // for tables and legends; the name unless `label` is given
  std::string comment;  // what the tool says of itself unless `comment` is given
  std::string tool;     // key in tools.toml
  bool peer = false;    // a program of the machine, which ours are held against
  std::string program;  // argv[0]: the tool's name, or the program of a peer
  std::vector<std::string>
      arguments;  // of the tool, e.g. {"-b", "64K"}; for a peer the filled-in template less argv[0]
  Input input = Input::corpus;
  Output output = Output::null;
  Cache cache = Cache::none;
  std::optional<std::uint64_t> size_bytes;  // fixed size of the input; otherwise the corpus size
  double share = 1;          // part of the corpus moved when the suite is run as one of many (make bench)
  double part = 1;           // part of the corpus moved always
  bool size_scales = false;    // size_bytes is that for a corpus of 1 GiB; less, in proportion, for a smaller one
  bool repeat_scales = false;  // a corpus under 1 GiB is copied fewer times, in proportion
  std::uint64_t repeat = 1;  // copies per run, summed (plumb --repeat), for runs of a millisecond
  bool sync = false;         // the time covers fdatasync of the output
  Expected expect = Expected::copy;
  std::string package;             // of a peer: the Debian package that has it
  std::vector<std::string> build;  // of a peer: what compiles it first
  bool takes_names = false;  // the tool opens source and destination by their names, and makes all copies of a run itself
  bool framed = false;  // its bytes are records, each with a head: what one of two tools makes and the other undoes
  std::uint64_t operation_bytes = 0;  // what one operation moves (a record, a stream); 0: a copy is one operation
  // What makes the input, by filling (record-write -b 32 --fill): a tool and its arguments; empty: the input is a corpus.
  std::vector<std::string> made_by;
  bool ranked = true;  // false: it shows what works, and is in no race: answers and advice pass it over
  bool count_instructions = false;    // by valgrind, beside its system calls
  std::uint64_t link_bits_per_s = 0;  // its socket crosses a link of this speed; 0: as fast as loopback, or a network, is
  bool not_confined = false;  // cache is confined, but there is no memory cgroup here: the row runs cold and says so
  Pairs values;              // the row's own variables, in file order
  int line = 0;              // in the suite file

  // A variable's value; also "name", "label", "comment", "tool", "input", "output", "cache" ("not-confined" where
  // that is the case), "sync" ("yes" or empty), "link" ("100M" bits a second, or empty) and "size" ("corpus", or the
  // fixed size as "38123" or "64K"). Empty: none.
  std::string value(const std::string& key) const;
  // Whether a suite's file means this row by KEY=VALUE: by its value, by the regime that it should have had, or by
  // "KEY=no" when it has none (sync=no, link=no).
  bool matches(const std::string& key, const std::string& wanted) const;
  // Its name in its suite, which it has lost where it cannot be confined.
  bool is_called(const std::string& wanted) const;
  // A peer that is given its source and its destination by name, {source} and {destination}, and copies once a start.
  bool is_given_names() const;
  // The regime that is applied.
  Cache regime() const { return cache == Cache::confined && not_confined ? Cache::cold : cache; }
  // Whether the command itself reads a file of the disk, or what feeds its pipe does.
  bool reads_disk() const { return input == Input::corpus || input == Input::pipe; }
  bool uses_socket() const {
    return input == Input::tcp || input == Input::local || output == Output::tcp || output == Output::local;
  }
  bool operator==(const Row&) const = default;
};

// Placeholders of a peer's command that a session fills in: source and destination, the names of the row's files; peers,
// the folder data/peers; built, the folder of what was compiled. fill_in leaves them.
const std::vector<std::string>& session_places();
// What {placeholders} may name beside the row's own variables.
const std::vector<std::string>& row_values();
// The names in braces. Fails for a brace that is never closed and for "{}".
std::vector<std::string> placeholders(const std::string& text, const Place& place);
// Each {name} becomes row.value(name).
std::string fill_in(const std::string& text, const Row& row);

// The rows of one [[row]]. `mentioned` are the variables that the rest of the suite names (group, baseline, match, …):
// a variable that is neither among them nor in a placeholder of the row is a misspelt key. `default_size` is the
// suite's `size`, nullptr: the corpus.
// A row may have a `command` of its own instead of a tool: it becomes a row only where `allow_commands` says so, and is
// otherwise an Error of status 2.
std::vector<Row> load_rows(const Value& table, const Toolbox& toolbox, const std::set<std::string>& mentioned,
                           const Value* default_size, bool allow_commands = false);
// Fails at `place` unless what follows a tool's name, words[0], are options that it has, each with what it takes.
void check_options(const Tool& tool, const std::vector<std::string>& words, const Place& place);

}  // namespace iobench
