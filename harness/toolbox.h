// SPDX-License-Identifier: MIT
// data/tools.toml: which copy tools and peers there are, what each says, which options it accepts and which ends it can
// serve. One line of the file is one Tool; its name is the key, the program, the word in tables and in legends.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace iobench {

// One line of data/tools.toml.
struct Tool {
  std::string name;                  // key, binary and label: one name everywhere
  std::string kind = "copy";         // copy | peer (has a command) | server | launcher: these two are never in rows;
                                     // demonstration: only in a row that expects a part
  std::string says;                  // the strategy in a few words
  std::string from;                  // "Perlman 1985", "today"
  std::string source;                // file under tools/; empty for a peer
  std::vector<std::string> options;  // accepted, of the contract's and those in `words`; a peer's own
  std::map<std::string, std::vector<std::string>> words;  // what may follow an option that takes one of a few words
  std::vector<std::string> inputs;   // accepted ends: file pipe fifo socket tty null; all of them unless given
  std::vector<std::string> outputs;  // file append pipe fifo socket tty null full; all of them unless given
  std::vector<std::string> command;  // argument template of a peer, e.g. {"dd", "bs={block}", "status=none"}
  std::string package;               // Debian package of a peer
  std::vector<std::string> build;    // compiles a peer of data/peers/ first; empty: nothing has to be
  std::string block;                 // default block size as the tool's --help says it ("1K"), empty: none
  double nanoseconds_per_byte = 0;   // rough cost, for the estimates of --list only
  double nanoseconds_per_call = 0;  // of a tool that takes names: half of what a copy of a small file costs
  double raw_nanoseconds_per_byte = 0;  // the same with --raw
  double raw_nanoseconds_per_call = 0;
  bool null_moves_nothing = false;  // into the null device the kernel moves no data: never ranked against copies
  std::string degenerates;          // where the strategy loses, in a sentence; every copy tool of ours has one
  bool bytewise = false;            // a byte a call of its library: what a link must be slower than to hide it
  // Takes SOURCE and DESTINATION as its last arguments, after --count COPIES, and repeats by itself; it uses neither
  // standard input nor standard output.
  bool takes_names = false;
  // Its output is not its input: the tool that makes the input of it again, and the tool whose output is its input. Two
  // tools name each other; one of the two is empty, or both are.
  std::string undone_by;
  std::string undoes;

  bool copies() const { return kind == "copy" || kind == "peer"; }
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

// Options of the tools' contract that are followed by a size, -b, -n, --fill, --pipe-size, --buffer-in and --buffer-out, or
// by a number, which is a size without a suffix: --depth, --buffers.
bool option_takes_size(const std::string& option);

}  // namespace iobench
