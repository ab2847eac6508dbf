// SPDX-License-Identifier: MIT
#include "placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "digest.h"
#include "storage.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view scratch_prefix = "run-";

// run-PID.XXXXXX of a process that is gone is a leftover of a killed run.
bool is_leftover(const std::string& name) {
  if (!name.starts_with(scratch_prefix)) return false;
  long pid = 0;
  const char* digits = name.data() + scratch_prefix.size();
  const auto [end, failure] = std::from_chars(digits, name.data() + name.size(), pid);
  return failure == std::errc() && *end == '.' && pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

void remove_leftovers(const fs::path& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored))
    if (entry.is_directory(ignored) && is_leftover(entry.path().filename().string())) fs::remove_all(entry.path(), ignored);
}

}  // namespace

ScratchDirectory::ScratchDirectory(const fs::path& parent) {
  std::error_code failure;
  fs::create_directories(parent, failure);
  if (failure) throw Error(fmt::format("create {}: {}", parent.string(), failure.message()));
  remove_leftovers(parent);
  std::string pattern = (parent / fmt::format("{}{}.XXXXXX", scratch_prefix, ::getpid())).string();
  if (!::mkdtemp(pattern.data())) throw_errno(fmt::format("create {}", pattern));
  path_ = pattern;
}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

fs::path program_path(const std::string& name, const fs::path& tools) {
  if (const fs::path ours = tools / name; fs::exists(ours)) return ours;
  const fs::path found = find_program(name);
  return found.empty() ? fs::path(name) : found;
}

namespace {

// A file: of the corpus, or one that is made for it.
bool has_input_file(const PlannedRow& row) {
  const Input input = row.row.input;
  const bool from_server = input == Input::tcp || input == Input::local;  // which generates, unless it is to be a file
  return row.row.reads_disk() || input == Input::tmpfs || (from_server && !row.row.made_by.empty());
}

struct stat status_of(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) throw_errno(fmt::format("measure with {}", path.string()));
  return status;
}

CorpusUse use_of(const PlannedRow& row) {
  if (row.row.input == Input::tmpfs) return CorpusUse::tmpfs;
  return row.row.cache == Cache::cold || row.row.cache == Cache::confined ? CorpusUse::cold : CorpusUse::warm;
}

}  // namespace

Placement::Placement(const Plan& plan, const fs::path& corpus_directory, fs::path tools, const fs::path& peers,
                     const ProgressFunction& progress, std::optional<Corpus> given)
    : corpus_directory_(corpus_directory),
      tools_(std::move(tools)),
      given_(std::move(given)),
      disk_(corpus_directory),
      peers_(plan, peers, disk_.path() / "built") {
  if (given_) given_status_ = status_of(given_->path);
  for (const PlannedSuite& suite : plan.suites)
    for (const PlannedRow& row : suite.rows) {
      if (has_input_file(row) && !given_) place(key_of(row), progress);
      if (row.row.output == Output::tmpfs && memory_.path().empty()) memory_ = ScratchDirectory("/dev/shm");
    }
}

Placement::InputKey Placement::key_of(const PlannedRow& row) {
  const std::uint64_t filled = row.row.made_by.empty() ? 0 : row.payload_bytes();
  return {use_of(row), row.size_bytes, row.row.made_by, filled};
}

void Placement::place(const InputKey& key, const ProgressFunction& progress) {
  if (corpora_.contains(key)) return;
  if (key.use == CorpusUse::tmpfs && memory_.path().empty()) memory_ = ScratchDirectory("/dev/shm");
  const fs::path& directory = key.use == CorpusUse::tmpfs ? memory_.path() : corpus_directory_;
  corpora_.emplace(key, key.made_by.empty() ? place_corpus(directory, key.use, key.size_bytes, progress)
                                            : make_input(key, key.use == CorpusUse::tmpfs ? directory : disk_.path()));
}

Corpus Placement::make_input(const InputKey& key, const fs::path& directory) const {
  const std::uint64_t there = free_bytes(directory);
  if (there < key.size_bytes)
    throw Error(fmt::format("make an input of {} in {}: {} are free", format_size(key.size_bytes), directory.string(),
                            format_size(there)));
  Corpus made;
  made.path = directory / fmt::format("made-{}-{}", corpora_.size(), key.made_by[0]);
  std::vector<std::string> argv = key.made_by;
  argv[0] = program_path(argv[0], tools_).string();
  complete_fill(argv, key.filled_bytes);
  const Descriptor file = open_file(made.path, O_WRONLY | O_CREAT | O_EXCL);
  SpawnOptions options;
  options.on_out = [&](std::string_view part) {
    write_all(file.get(), part.data(), part.size(), made.path);
    made.size_bytes += part.size();
  };
  const Finished finished = run_command(argv, options);
  if (finished.interrupted) throw Error("interrupted", 128 + interrupt_requested());
  if (finished.status != 0 || made.size_bytes != key.size_bytes)
    throw Error(fmt::format("make an input with {}: {}", fmt::join(argv, " "),
                            finished.status ? finished.err.substr(0, finished.err.find('\n'))
                                            : fmt::format("it made {} of {} bytes", made.size_bytes, key.size_bytes)));
  if (::fdatasync(file.get()) != 0) throw_errno(fmt::format("sync {}", made.path.string()));
  made.digest = digest_file(made.path).hex;
  return made;
}

void Placement::require_same_input() const {
  if (!given_) return;
  const struct stat now = status_of(given_->path);
  const auto& was = given_status_;
  const bool same = now.st_dev == was.st_dev && now.st_ino == was.st_ino && now.st_size == was.st_size &&
                    now.st_mtim.tv_sec == was.st_mtim.tv_sec && now.st_mtim.tv_nsec == was.st_mtim.tv_nsec;
  if (!same || static_cast<std::uint64_t>(now.st_size) != given_->size_bytes)
    throw Error(fmt::format("measure with {}: it was changed meanwhile; give a file that nobody writes", given_->path.string()));
}

const Corpus* Placement::corpus(const PlannedRow& row) const {
  if (!has_input_file(row)) return nullptr;
  if (given_) return &*given_;
  const auto own = corpora_.find(key_of(row));
  return own == corpora_.end() ? &any_corpus(row) : &own->second;  // one that is looked at has another row's regime
}

const Corpus& Placement::any_corpus(const PlannedRow& row) const {
  InputKey key = key_of(row);
  for (const CorpusUse use : {CorpusUse::warm, CorpusUse::cold, CorpusUse::tmpfs}) {
    key.use = use;
    if (const auto found = corpora_.find(key); found != corpora_.end()) return found->second;
  }
  throw Error(fmt::format("find an input of {} bytes: none was placed", row.size_bytes));
}

const Corpus& Placement::prefix(std::uint64_t limit_bytes) {
  if (given_) return given_prefix(limit_bytes);
  const InputKey key{CorpusUse::warm, limit_bytes, {}, 0};
  place(key, {});
  return corpora_.at(key);
}

const Corpus& Placement::small_input(const PlannedRow& row, std::uint64_t limit_bytes) {
  PlannedRow small = row;
  const std::uint64_t unit = std::max<std::uint64_t>(1, row.row.operation_bytes);
  small.size_bytes = std::min(row.size_bytes, std::max(unit, limit_bytes / unit * unit));
  InputKey key = key_of(small);
  key.use = CorpusUse::warm;
  place(key, {});
  return corpora_.at(key);
}

const Corpus& Placement::given_prefix(std::uint64_t limit_bytes) {
  if (given_->size_bytes <= limit_bytes) return *given_;
  if (given_prefix_ && given_prefix_->size_bytes == limit_bytes) return *given_prefix_;
  const Descriptor from = open_file(given_->path, O_RDONLY);
  std::string bytes(limit_bytes, '\0');
  std::size_t filled = 0;
  for (ssize_t got = 1; filled < bytes.size() && got > 0; filled += static_cast<std::size_t>(got)) {
    got = ::read(from.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0) throw_errno(fmt::format("read {}", given_->path.string()));
  }
  bytes.resize(filled);
  given_prefix_ = Corpus{disk_.path() / "prefix", filled, 0, {}, false};
  replace_file(given_prefix_->path, bytes);
  return *given_prefix_;
}

Job job_between(const PlannedRow& row, const std::string& input, const std::string& output) {
  Job job;
  job.argv = row.argv;
  job.sync = row.row.sync;
  if (row.row.takes_names) {
    job.input = job.output = "null";
    job.argv.insert(job.argv.end(), {"--count", std::to_string(row.row.repeat), input, output});
    return job;
  }
  job.repeat = row.row.repeat;
  if (job.repeat > 1 && (row.row.output == Output::file || row.row.output == Output::tmpfs)) job.fresh = output;
  if (row.row.is_given_names()) {
    job.input = job.output = "null";
    for (std::string& word : job.argv)
      for (const auto& [place, name] : {std::pair("{source}", &input), {"{destination}", &output}})
        if (const std::size_t at = word.find(place); at != std::string::npos)
          word.replace(at, std::string_view(place).size(), *name);
    return job;
  }
  switch (row.row.input) {
    case Input::corpus:
    case Input::tmpfs:
    case Input::tcp:
    case Input::local: job.input = input; break;
    case Input::pipe: job.input = "pipe:" + input; break;
    case Input::zero: job.input = "zero"; break;
    case Input::none: job.input = "null"; break;
  }
  switch (row.row.output) {
    case Output::null:
    case Output::none: job.output = "null"; break;
    case Output::pipe: job.output = "pipe"; break;
    case Output::file:
    case Output::tmpfs: job.output = "new:" + output; break;
    case Output::over: job.output = "over:" + output; break;
    case Output::tcp:
    case Output::local: job.output = output; break;
  }
  return job;
}

Job Placement::job(const PlannedRow& row, const std::string& cpus, const fs::path& input) const {
  const Corpus* own = corpus(row);
  Job job = job_between(row, !input.empty() ? input.string() : own ? own->path.string() : "", output_path(row).string());
  peers_.place(job.argv);
  job.argv.at(0) = program_path(job.argv.at(0), tools_).string();
  job.cpus = cpus;
  if (!row.row.takes_names && !row.row.is_given_names()) job.user = user_;
  return job;
}

void Placement::run_as(const std::string& user) {
  user_ = user;
  // Compiled peers, and the files that strace and valgrind fill, are reached; nothing is listed or made.
  if (!user.empty() && ::chmod(disk_.path().c_str(), 0711) != 0) throw_errno(fmt::format("open {} to others", disk_.path().string()));
}

fs::path Placement::output_path(const PlannedRow& row) const {
  switch (row.row.output) {
    case Output::file: return disk_.path() / "output";
    case Output::over: return disk_.path() / fmt::format("overwritten-{}", row.size_bytes);
    case Output::tmpfs: return memory_.path() / "output";
    case Output::null:
    case Output::pipe:
    case Output::none:
    case Output::tcp:
    case Output::local: break;
  }
  return {};
}

void Placement::prepare_output(const PlannedRow& row) const {
  const fs::path output = output_path(row);
  if (output.empty()) return;
  std::error_code ignored;
  if (row.row.output != Output::over)
    fs::remove(output, ignored);
  else if (!fs::exists(output))
    generate_corpus(output, corpus_seed + 1, row.size_bytes);  // other bytes: a copy that did nothing is seen
}

void Placement::discard_output(const PlannedRow& row) const {
  std::error_code ignored;
  if (row.row.output == Output::file || row.row.output == Output::tmpfs) fs::remove(output_path(row), ignored);
}

void Placement::discard_overwritten() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(disk_.path(), ignored))
    if (entry.path().filename().string().starts_with("overwritten-")) fs::remove(entry.path(), ignored);
}

}  // namespace iobench
