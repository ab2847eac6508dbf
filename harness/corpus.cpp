// SPDX-License-Identifier: MIT
// One thread makes a block, digests it and writes it; write-back is started early, so that the device works while the
// next blocks are made. Beside the file lies PATH.digest, a few lines of text, written last: a corpus without it is one
// that was not finished.
#include "corpus.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <sstream>

#include "digest.h"
#include "machine.h"
#include "storage.h"
#include "system.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t block_bytes = 1u << 20;
constexpr std::size_t block_alignment = 4096;
constexpr std::uint64_t write_back_bytes = 8u << 20;
constexpr const char* generator = "wyrand-counter 1";  // change the number when fill_seeded changes a byte
constexpr const char* sidecar_head = "# iobench corpus 1";

struct FreeDeleter {
  void operator()(std::byte* block) const { std::free(block); }
};
using Block = std::unique_ptr<std::byte, FreeDeleter>;

Block make_block() {
  Block block(static_cast<std::byte*>(std::aligned_alloc(block_alignment, block_bytes)));
  if (!block) throw std::bad_alloc();
  return block;
}

void stop_when_interrupted(const std::string& what) {
  if (const int signal = interrupt_requested()) throw Error(what + ": interrupted", 128 + signal);
}

fs::path sidecar_of(const fs::path& path) {
  return path.string() + ".digest";
}

void write_sidecar(const Corpus& corpus) {
  replace_file(sidecar_of(corpus.path), fmt::format("{}\nsize {}\nseed {}\ngenerator {}\nxxh3 {}\n", sidecar_head,
                                                    corpus.size_bytes, corpus.seed, generator, corpus.digest));
}

// What the sidecar says; throws when it is missing, malformed or of another generator.
Corpus read_sidecar(const fs::path& path) {
  const std::string name = sidecar_of(path).string();
  std::istringstream lines(read_file(name));
  Corpus corpus;
  corpus.path = path;
  std::string head, key, made_by;
  std::getline(lines, head);
  if (head != sidecar_head) throw Error(fmt::format("{}:1: '{}' is not '{}'", name, head, sidecar_head));
  const bool complete = lines >> key >> corpus.size_bytes && key == "size" && lines >> key >> corpus.seed &&
                        key == "seed" && lines >> key && key == "generator" &&
                        std::getline(lines >> std::ws, made_by) && lines >> key >> corpus.digest && key == "xxh3" &&
                        corpus.digest.size() == 16;
  if (!complete) throw Error(fmt::format("{}: it is cut or malformed", name));
  if (made_by != generator) throw Error(fmt::format("{}: made by generator '{}', not '{}'", name, made_by, generator));
  return corpus;
}

// A temporary file of a corpus, locked while it is written so that nobody takes it for a stale one; removed unless
// kept.
class Partial {
 public:
  explicit Partial(const fs::path& target) : path_(fmt::format("{}.partial.{}", target.string(), std::random_device()())) {
    file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_) throw_errno(fmt::format("create {}", path_.string()));
    ::flock(file_.get(), LOCK_EX | LOCK_NB);
  }
  ~Partial() {
    if (!kept_) ::unlink(path_.c_str());
  }
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;

  int fd() const { return file_.get(); }
  const fs::path& path() const { return path_; }
  void become(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0)
      throw_errno(fmt::format("rename {} to {}", path_.string(), target.string()));
    kept_ = true;
  }

 private:
  fs::path path_;
  Descriptor file_;
  bool kept_ = false;
};

// Takes the space at once, so that a full disk is known before the first byte and not after the last.
void reserve(const Partial& partial, const fs::path& path, std::uint64_t size_bytes) {
  const fs::path directory = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  const std::uint64_t free = free_bytes(directory);
  const auto refuse = [&](const std::string& found) {
    throw Error(fmt::format("corpus needs {} in {}, {}; make room there or choose a smaller one",
                            format_size(size_bytes), directory.string(), found));
  };
  if (free < size_bytes) refuse(format_size(free) + " are free");
  int code = 0;
  do code = ::fallocate(partial.fd(), 0, 0, static_cast<off_t>(size_bytes)) == 0 ? 0 : errno;
  while (code == EINTR && interrupt_requested() == 0);
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) refuse(std::strerror(code));
  // Anything else (EOPNOTSUPP on many file systems) is no reason to stop: write will say what is wrong.
}

std::string write_stream(const Partial& partial, std::uint64_t seed, std::uint64_t size_bytes, const std::string& what,
                         const ProgressFunction& progress) {
  const Block block = make_block();
  Digest digest;
  std::uint64_t at = 0, handed_over = 0;
  while (at < size_bytes) {
    stop_when_interrupted(what);
    const std::span part(block.get(), std::min<std::uint64_t>(block_bytes, size_bytes - at));
    fill_seeded(seed, at, part);
    digest.update(part);
    write_all(partial.fd(), part.data(), part.size(), partial.path());
    at += part.size();
    if (at - handed_over < write_back_bytes && at < size_bytes) continue;
    // Only a hint, so its failure does not matter: 512 MiB, synced, took 0.40 s with it, 0.70 s without, and dd bs=1M
    // conv=fdatasync of zeros 0.83 s (2026-11-30, ext4 on a virtual disk, medians of three interleaved rounds).
    ::sync_file_range(partial.fd(), static_cast<off_t>(handed_over), static_cast<off_t>(at - handed_over),
                      SYNC_FILE_RANGE_WRITE);
    handed_over = at;
    if (progress) progress(what, static_cast<double>(at) / static_cast<double>(size_bytes));
  }
  return digest.hex();
}

enum class Part { none, corpus, sidecar, temporary };

// USE-SIZE.bin, USE-SIZE.bin.digest, and the temporaries of both.
Part part_of(const std::string& file_name) {
  const auto all_of = [](std::string_view text, int (*kind)(int)) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [&](unsigned char letter) { return kind(letter) != 0; });
  };
  const std::size_t dash = file_name.find('-'), dot = file_name.find(".bin");
  if (dash == std::string::npos || dot == std::string::npos || dot < dash) return Part::none;
  const std::string use = file_name.substr(0, dash);
  if (use != "warm" && use != "cold" && use != "tmpfs") return Part::none;
  std::string size = file_name.substr(dash + 1, dot - dash - 1);
  if (!size.empty() && std::strchr("KMGT", size.back())) size.pop_back();
  if (!all_of(size, std::isdigit)) return Part::none;
  std::string_view rest = std::string_view(file_name).substr(dot + 4);
  if (rest.empty()) return Part::corpus;
  if (rest == ".digest") return Part::sidecar;
  if (rest.starts_with(".partial.")) return all_of(rest.substr(9), std::isdigit) ? Part::temporary : Part::none;
  const bool of_sidecar = rest.starts_with(".digest.") && rest.size() == 14 && all_of(rest.substr(8), std::isalnum);
  return of_sidecar ? Part::temporary : Part::none;
}

// Regular files of the directory that are part of some corpus.
std::vector<fs::path> parts(const fs::path& directory, std::initializer_list<Part> wanted) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const Part part = part_of(entry.path().filename().string());
    if (entry.symlink_status(ignored).type() == fs::file_type::regular &&
        std::find(wanted.begin(), wanted.end(), part) != wanted.end())
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Temporaries of runs that were killed: those on which nobody holds the lock.
void remove_stale(const fs::path& directory) {
  for (const fs::path& path : parts(directory, {Part::temporary})) {
    if (path.string().find(".partial.") == std::string::npos) continue;  // a sidecar's: a few bytes, never locked
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }
}

std::string digest_with_progress(const fs::path& path, std::uint64_t size_bytes, const ProgressFunction& progress) {
  const std::string what = fmt::format("check {}", path.filename().string());
  const Descriptor file = open_file(path, O_RDONLY);
  const Block block = make_block();
  Digest digest;
  std::uint64_t done = 0;
  for (;;) {
    stop_when_interrupted(fmt::format("check {}", path.string()));
    const ssize_t got = ::read(file.get(), block.get(), block_bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno(fmt::format("read {}", path.string()));
    if (got == 0) return digest.hex();
    digest.update({block.get(), static_cast<std::size_t>(got)});
    done += static_cast<std::uint64_t>(got);
    if (progress) progress(what, std::min(1.0, static_cast<double>(done) / static_cast<double>(size_bytes)));
  }
}

void make_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!fs::is_directory(directory))
    throw Error(fmt::format("create {}: {}", directory.string(), error ? error.message() : "it is not a directory"));
}

// Memory is shared with every user of the machine: nobody else may have made the folder.
void make_memory_directory(const fs::path& directory) {
  struct stat status = {};
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    throw_errno(fmt::format("create {}", directory.string()));
  if (::lstat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
    throw Error(fmt::format("use {}: it belongs to somebody else; remove it", directory.string()));
}

}  // namespace

const char* to_string(CorpusUse use) {
  switch (use) {
    case CorpusUse::warm:
      return "warm";
    case CorpusUse::cold:
      return "cold";
    case CorpusUse::tmpfs:
      return "tmpfs";
  }
  return "warm";
}

fs::path memory_directory() {
  return fmt::format("/dev/shm/iobench-{}", ::geteuid());
}

std::string generate_corpus(const fs::path& path, std::uint64_t seed, std::uint64_t size_bytes,
                            const ProgressFunction& progress) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error(fmt::format("write {}: it exists and is not a regular file", path.string()));
  Partial partial(path);
  reserve(partial, path, size_bytes);
  const std::string what = fmt::format("generate {}", path.filename().string());
  const std::string digest = write_stream(partial, seed, size_bytes, what, progress);
  if (::fdatasync(partial.fd()) != 0) throw_errno(fmt::format("sync {}", partial.path().string()));
  stop_when_interrupted(what);
  partial.become(path);
  return digest;
}

Corpus verify_corpus(const fs::path& path, const ProgressFunction& progress) {
  const Corpus corpus = read_sidecar(path);
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) throw_errno(fmt::format("check {}", path.string()));
  const auto size_bytes = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size_bytes != corpus.size_bytes)
    throw Error(fmt::format("check {}: it has {} bytes, its sidecar says {}", path.string(), format_count(size_bytes),
                            format_count(corpus.size_bytes)));
  const std::string found = digest_with_progress(path, size_bytes, progress);
  if (found != corpus.digest)
    throw Error(fmt::format("check {}: its digest is {}, its sidecar says {}", path.string(), found, corpus.digest));
  return corpus;
}

Corpus place_corpus(const fs::path& wanted_directory, CorpusUse use, std::uint64_t size_bytes,
                    const ProgressFunction& progress) {
  if (size_bytes == 0) throw Error("corpus of 0 bytes: there is nothing to copy", 2);
  const bool to_memory = use == CorpusUse::tmpfs && !in_memory(mount_of(wanted_directory));
  const fs::path directory = to_memory ? memory_directory() : wanted_directory;
  if (to_memory)
    make_memory_directory(directory);
  else
    make_directory(directory);
  remove_stale(directory);
  const fs::path path = directory / fmt::format("{}-{}.bin", to_string(use), format_short_size(size_bytes));
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    try {
      const Corpus found = verify_corpus(path, progress);
      if (found.size_bytes == size_bytes && found.seed == corpus_seed) return found;
    } catch (const Error& error) {
      if (interrupt_requested()) throw;
      if (progress) progress(error.what(), 0);
    }
    if (fs::is_regular_file(fs::symlink_status(path, ignored))) fs::remove(path, ignored);  // its space is needed
  }
  fs::remove(sidecar_of(path), ignored);
  Corpus corpus{path, size_bytes, corpus_seed, {}, true};
  corpus.digest = generate_corpus(path, corpus_seed, size_bytes, progress);
  write_sidecar(corpus);
  return corpus;
}

std::vector<fs::path> list_corpora(const fs::path& directory) {
  return parts(directory, {Part::corpus});
}

std::uint64_t remove_corpora(const fs::path& directory) {
  std::uint64_t freed_bytes = 0;
  for (const fs::path& path : parts(directory, {Part::corpus, Part::sidecar, Part::temporary})) {
    struct stat status = {};
    if (::lstat(path.c_str(), &status) != 0) continue;
    if (::unlink(path.c_str()) != 0) throw_errno(fmt::format("remove {}", path.string()));
    freed_bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
  }
  return freed_bytes;
}

std::uint64_t parse_corpus_size(const std::string& text) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  if (text == "auto") return (2 * memory_bytes() + gib - 1) / gib * gib;
  const std::uint64_t size_bytes = parse_size(text);
  if (size_bytes == 0) throw Error(fmt::format("corpus of '{}': there is nothing to copy", text), 2);
  return size_bytes;
}

}  // namespace iobench
