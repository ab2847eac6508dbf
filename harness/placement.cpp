// SPDX-License-Identifier: MIT
#include "placement.h"

#include <fmt/format.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "digest.h"

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

bool reads_corpus(const PlannedRow& row) {
  return row.row.input == Input::corpus || row.row.input == Input::tmpfs || row.row.input == Input::pipe;
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

Placement::Placement(const Plan& plan, const fs::path& corpus_directory, fs::path tools, const ProgressFunction& progress,
                     std::optional<Corpus> given)
    : corpus_directory_(corpus_directory), tools_(std::move(tools)), given_(std::move(given)), disk_(corpus_directory) {
  if (given_) given_status_ = status_of(given_->path);
  for (const PlannedSuite& suite : plan.suites)
    for (const PlannedRow& row : suite.rows) {
      if (reads_corpus(row) && !given_) place(use_of(row), row.size_bytes, progress);
      if (row.row.output == Output::tmpfs && memory_.path().empty()) memory_ = ScratchDirectory("/dev/shm");
    }
}

void Placement::place(CorpusUse use, std::uint64_t size_bytes, const ProgressFunction& progress) {
  if (corpora_.contains({use, size_bytes})) return;
  if (use == CorpusUse::tmpfs && memory_.path().empty()) memory_ = ScratchDirectory("/dev/shm");
  const fs::path& directory = use == CorpusUse::tmpfs ? memory_.path() : corpus_directory_;
  corpora_.emplace(std::pair(use, size_bytes), place_corpus(directory, use, size_bytes, progress));
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
  if (given_) return reads_corpus(row) ? &*given_ : nullptr;
  return reads_corpus(row) ? &corpora_.at({use_of(row), row.size_bytes}) : nullptr;
}

const Corpus& Placement::any_corpus(std::uint64_t size_bytes) const {
  for (const CorpusUse use : {CorpusUse::warm, CorpusUse::cold, CorpusUse::tmpfs})
    if (const auto found = corpora_.find({use, size_bytes}); found != corpora_.end()) return found->second;
  throw Error(fmt::format("find a corpus of {} bytes: none was placed", size_bytes));
}

const Corpus& Placement::prefix(std::uint64_t limit_bytes) {
  if (given_) return given_prefix(limit_bytes);
  place(CorpusUse::warm, limit_bytes, {});
  return corpora_.at({CorpusUse::warm, limit_bytes});
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

Job Placement::job(const PlannedRow& row, const std::string& cpus) const {
  Job job;
  switch (row.row.input) {
    case Input::corpus:
    case Input::tmpfs: job.input = corpus(row)->path.string(); break;
    case Input::pipe: job.input = "pipe:" + corpus(row)->path.string(); break;
    case Input::zero: job.input = "zero"; break;
    case Input::none: job.input = "null"; break;
  }
  switch (row.row.output) {
    case Output::null:
    case Output::none: job.output = "null"; break;
    case Output::pipe: job.output = "pipe"; break;
    case Output::file:
    case Output::tmpfs: job.output = "new:" + output_path(row).string(); break;
    case Output::over: job.output = "over:" + output_path(row).string(); break;
  }
  job.argv = row.argv;
  job.argv.at(0) = program_path(row.argv.at(0), tools_).string();
  job.repeat = row.row.repeat;
  job.sync = row.row.sync;
  job.cpus = cpus;
  return job;
}

fs::path Placement::output_path(const PlannedRow& row) const {
  switch (row.row.output) {
    case Output::file: return disk_.path() / "output";
    case Output::over: return disk_.path() / fmt::format("overwritten-{}", row.size_bytes);
    case Output::tmpfs: return memory_.path() / "output";
    case Output::null:
    case Output::pipe:
    case Output::none: break;
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
