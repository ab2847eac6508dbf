// SPDX-License-Identifier: MIT
// Where a row's bytes come from and go to: the corpora of a plan, found or generated once, and private scratch
// directories for outputs, on the disk beside the corpus and in memory. Turns a planned row into a job for the runner.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corpus.h"
#include "peers.h"
#include "plan.h"
#include "runner.h"

namespace iobench {

// A directory that nobody else can guess or enter, removed with everything in it at the end. Leftovers of killed runs in
// the same parent are removed first.
class ScratchDirectory {
 public:
  ScratchDirectory() = default;
  explicit ScratchDirectory(const std::filesystem::path& parent);
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ~ScratchDirectory();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Placement {
 public:
  // Places every corpus that the plan's rows read, makes what other inputs they have and compiles its peers, whose
  // sources are in `peers`; or takes the `given` file for all inputs. Throws Error as place_corpus does.
  Placement(const Plan& plan, const std::filesystem::path& corpus_directory, std::filesystem::path tools,
            const std::filesystem::path& peers, const ProgressFunction& progress, std::optional<Corpus> given = {});

  // The row's input file; nullptr when it reads none.
  const Corpus* corpus(const PlannedRow& row) const;
  // An input of the same bytes for untimed work: the warm one, or whatever there is of it. The row must have one.
  const Corpus& any_corpus(const PlannedRow& row) const;
  // The file that is read instead of every corpus; nullptr: none.
  const Corpus* given() const { return given_ ? &*given_ : nullptr; }
  // Throws Error when the given file is no longer what it was in the beginning, by its number, size and time.
  void require_same_input() const;
  // A prefix of the row's corpus of at most `limit_bytes`, made when first asked for.
  const Corpus& prefix(std::uint64_t limit_bytes);

  // The row's made input, of about `limit_bytes` at most and whole records; made when first asked for.
  const Corpus& small_input(const PlannedRow& row, std::uint64_t limit_bytes);

  // The row's command between its own ends, sockets left to connection; `input`: another file as its source. The
  // command's program is in the tools' folder, or in PATH for a peer.
  Job job(const PlannedRow& row, const std::string& cpus, const std::filesystem::path& input = {}) const;
  // From now on jobs run as that user, "UID:GID", but for those that open their files by name: these are in a folder of
  // ours alone.
  void run_as(const std::string& user);
  const Peers& peers() const { return peers_; }
  // Where the row's output lands; empty when it is not a file.
  std::filesystem::path output_path(const PlannedRow& row) const;
  // Before a run: a new file does not exist, an overwritten one does, whole. After it: gone (an overwritten one stays).
  void prepare_output(const PlannedRow& row) const;
  void discard_output(const PlannedRow& row) const;
  void discard_overwritten() const;

  const std::filesystem::path& scratch() const { return disk_.path(); }
  const std::filesystem::path& corpus_directory() const { return corpus_directory_; }

 private:
  // What of which size, made how (empty: a corpus), for what.
  struct InputKey {
    CorpusUse use = CorpusUse::warm;
    std::uint64_t size_bytes = 0;
    std::vector<std::string> made_by;
    std::uint64_t filled_bytes = 0;  // what made_by is told to make
    auto operator<=>(const InputKey&) const = default;
  };
  static InputKey key_of(const PlannedRow& row);
  const Corpus& given_prefix(std::uint64_t limit_bytes);
  void place(const InputKey& key, const ProgressFunction& progress);
  Corpus make_input(const InputKey& key, const std::filesystem::path& directory) const;

  std::filesystem::path corpus_directory_, tools_;
  std::optional<Corpus> given_, given_prefix_;
  struct stat given_status_ = {};
  ScratchDirectory disk_, memory_;
  std::string user_;
  Peers peers_;  // compiled into the first
  std::map<InputKey, Corpus> corpora_;
};

// A row's command as plumb is to connect it: `input` and `output` as plumb takes them, or the names of files for a tool
// that opens them by name.
Job job_between(const PlannedRow& row, const std::string& input, const std::string& output);

// Path of a tool of ours, or a peer found in PATH (its bare name when it is not there: exec then says so).
std::filesystem::path program_path(const std::string& name, const std::filesystem::path& tools);

}  // namespace iobench
