// SPDX-License-Identifier: MIT
// A corpus is right, whole and under its name, or it is not there; what is wrong is found and made again.
#include "corpus.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "catch.h"
#include "digest.h"
#include "machine.h"
#include "scratch.h"
#include "system.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t mib = 1u << 20;

std::string stream(std::size_t size) {
  std::string bytes(size, '\0');
  fill_seeded(corpus_seed, 0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

template <class Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return Error("no error", 0);
}

bool mentions(const Error& error, const std::string& words) { return std::string(error.what()).find(words) != std::string::npos; }

std::string digest_of(const std::string& bytes) {
  Digest digest;
  digest.update(std::as_bytes(std::span(bytes)));
  return digest.hex();
}

}  // namespace

TEST_CASE("a corpus is the seeded stream, with its digest beside it") {
  const Scratch scratch;
  const fs::path folder = scratch / "data/corpus";
  for (const std::uint64_t size : {std::uint64_t{1}, mib - 1, mib, 9 * mib + 7}) {
    INFO(size);
    const Corpus corpus = place_corpus(folder, CorpusUse::warm, size);
    const std::string content = read_file(corpus.path);
    CHECK(corpus.generated);
    CHECK(corpus.size_bytes == size);
    CHECK(content == stream(size));
    CHECK(corpus.digest == digest_of(content));
    CHECK(corpus.digest == verify_corpus(corpus.path).digest);
    const Corpus again = place_corpus(folder, CorpusUse::warm, size);
    CHECK_FALSE(again.generated);
    CHECK(again.digest == corpus.digest);
    CHECK(again.path == corpus.path);
  }
  CHECK(fs::exists(folder / "warm-1M.bin"));
  CHECK(fs::exists(folder / "warm-1M.bin.digest"));
  const Corpus cold = place_corpus(folder, CorpusUse::cold, mib);
  CHECK(cold.path == folder / "cold-1M.bin");
  CHECK_FALSE(fs::equivalent(cold.path, folder / "warm-1M.bin"));
  CHECK(list_corpora(folder).size() == 5);
  // Nothing sparse: every byte has its place on the disk before a run.
  struct stat status = {};
  REQUIRE(::stat(cold.path.c_str(), &status) == 0);
  CHECK(static_cast<std::uint64_t>(status.st_blocks) * 512 >= mib);
}

TEST_CASE("a corpus that is not what its sidecar says is found and made again") {
  const Scratch scratch;
  const Corpus corpus = place_corpus(scratch.path(), CorpusUse::warm, 2 * mib);
  const std::string sidecar = corpus.path.string() + ".digest";
  const std::string text = read_file(sidecar);
  const std::string content = read_file(corpus.path);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  std::string words;
  SECTION("one bit") {
    std::string flipped = content;
    flipped[mib + 5] = static_cast<char>(flipped[mib + 5] ^ 1);
    replace_file(corpus.path, flipped);
    words = "its digest is";
  }
  SECTION("cut") {
    REQUIRE(::truncate(corpus.path.c_str(), static_cast<off_t>(2 * mib - 1)) == 0);
    words = "it has 2,097,151 bytes";
  }
  SECTION("longer") {
    replace_file(corpus.path, content + "x");
    words = "it has 2,097,153 bytes";
  }
  SECTION("no sidecar") {
    fs::remove(sidecar);
    words = "No such file or directory";
  }
  SECTION("sidecar cut in the middle") {
    replace_file(sidecar, text.substr(0, text.size() - 9));
    words = "cut or malformed";
  }
  SECTION("empty sidecar") {
    replace_file(sidecar, "");
    words = "is not '# iobench corpus 1'";
  }
  SECTION("another generator") {
    replace_file(sidecar, replaced("wyrand-counter 1", "wyrand-counter 0"));
    words = "made by generator 'wyrand-counter 0'";
  }
  SECTION("another format") {
    replace_file(sidecar, replaced("corpus 1", "corpus 2"));
    words = "is not '# iobench corpus 1'";
  }
  const Error error = error_of([&] { verify_corpus(corpus.path); });
  INFO(error.what());
  CHECK(mentions(error, words));
  const Corpus again = place_corpus(scratch.path(), CorpusUse::warm, 2 * mib);
  CHECK(again.generated);
  CHECK(again.digest == corpus.digest);
  CHECK(read_file(again.path) == content);
  CHECK(read_file(sidecar) == text);
  CHECK(scratch.entries() == 2);
}

TEST_CASE("another seed under the same name is not this corpus") {
  const Scratch scratch;
  const Corpus corpus = place_corpus(scratch.path(), CorpusUse::warm, mib);
  const std::string digest = generate_corpus(corpus.path, corpus_seed + 1, mib);
  CHECK(digest != corpus.digest);
  replace_file(corpus.path.string() + ".digest",
               "# iobench corpus 1\nsize 1048576\nseed 1986\ngenerator wyrand-counter 1\nxxh3 " + digest + "\n");
  CHECK(verify_corpus(corpus.path).seed == corpus_seed + 1);
  CHECK(place_corpus(scratch.path(), CorpusUse::warm, mib).digest == corpus.digest);
}

TEST_CASE("no room, no permission, no directory: one line, and nothing left behind") {
  const Scratch scratch;
  const Error room = error_of([&] { place_corpus(scratch.path(), CorpusUse::warm, std::uint64_t{1} << 50); });
  INFO(room.what());
  CHECK(mentions(room, "corpus needs 1 PiB in " + scratch.path().string()));
  CHECK(mentions(room, " are free; make room there or choose a smaller one"));
  CHECK(room.status() == 1);
  CHECK(scratch.entries() == 0);

  struct rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit small = {mib / 2, before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const Error limited = error_of([&] { place_corpus(scratch.path(), CorpusUse::warm, mib); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  CHECK(mentions(limited, "File too large"));
  CHECK(scratch.entries() == 0);

  CHECK(mentions(error_of([] { place_corpus("/proc/iobench", CorpusUse::warm, mib); }), "create /proc/iobench: "));
  const fs::path plain = scratch.file("plain", "text");
  CHECK(mentions(error_of([&] { place_corpus(plain, CorpusUse::warm, mib); }), "create " + plain.string() + ": "));
  CHECK(mentions(error_of([&] { place_corpus(plain / "below", CorpusUse::warm, mib); }), "create " + plain.string()));
  fs::create_directories(scratch / "folder/warm-1M.bin");
  CHECK(mentions(error_of([&] { place_corpus(scratch / "folder", CorpusUse::warm, mib); }), "not a regular file"));
  CHECK(fs::is_directory(scratch / "folder/warm-1M.bin"));
  CHECK(error_of([&] { place_corpus(scratch.path(), CorpusUse::warm, 0); }).status() == 2);
}

TEST_CASE("an interrupt ends generation without a trace") {
  const Scratch scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    catch_interrupts();
    const Error error = error_of([&] {
      place_corpus(scratch.path(), CorpusUse::warm, 32 * mib, [](const std::string&, double) { ::raise(SIGTERM); });
    });
    ::_exit(error.status());
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 128 + SIGTERM);
  CHECK(scratch.entries() == 0);
}

TEST_CASE("what a killed run left is removed, what a running one writes is not") {
  const Scratch scratch;
  scratch.file("warm-1G.bin.partial.4711", "stale");
  const fs::path locked = scratch.file("cold-1G.bin.partial.4712", "being written");
  const Descriptor writer = open_file(locked, O_RDWR);
  REQUIRE(::flock(writer.get(), LOCK_EX) == 0);
  place_corpus(scratch.path(), CorpusUse::warm, mib);
  CHECK_FALSE(fs::exists(scratch / "warm-1G.bin.partial.4711"));
  CHECK(fs::exists(locked));
}

TEST_CASE("removing takes corpora and nothing else") {
  const Scratch scratch;
  place_corpus(scratch.path(), CorpusUse::warm, mib);
  place_corpus(scratch.path(), CorpusUse::cold, 2 * mib);
  scratch.file("warm-1G.bin.partial.4711", "stale");
  scratch.file("warm-1G.bin.digest.Xy12ab", "stale");
  for (const char* kept : {"README", "warm-1G.bin.bak", "my-warm-1G.bin", "warm-.bin", "hot-1G.bin", "warm-1G.bin.digest.txt"})
    scratch.file(kept, "kept");
  fs::create_directory(scratch / "cold-3G.bin");
  fs::create_symlink("README", scratch / "warm-3G.bin");
  CHECK(list_corpora(scratch.path()) == std::vector<fs::path>{scratch / "cold-2M.bin", scratch / "warm-1M.bin"});
  CHECK(remove_corpora(scratch.path()) >= 3 * mib);
  CHECK(list_corpora(scratch.path()).empty());
  CHECK(scratch.entries() == 8);
  CHECK(remove_corpora(scratch / "none") == 0);
}

TEST_CASE("progress goes from nothing to all") {
  const Scratch scratch;
  std::vector<double> fractions;
  std::string what;
  const ProgressFunction note = [&](const std::string& words, double fraction) {
    what = words;
    fractions.push_back(fraction);
  };
  place_corpus(scratch.path(), CorpusUse::warm, 20 * mib, note);
  CHECK(what == "generate warm-20M.bin");
  CHECK(fractions.size() >= 3);
  CHECK(std::is_sorted(fractions.begin(), fractions.end()));
  CHECK(fractions.back() == 1);
  fractions.clear();
  place_corpus(scratch.path(), CorpusUse::warm, 20 * mib, note);
  CHECK(what == "check warm-20M.bin");
  CHECK(fractions.back() == 1);
}

TEST_CASE("a corpus in memory is placed in memory") {
  if (!in_memory(mount_of("/dev/shm"))) {
    WARN("skipped: /dev/shm is not in memory");
    return;
  }
  const Scratch scratch;
  if (in_memory(mount_of(scratch.path()))) {
    WARN("skipped: the build directory is in memory");
    return;
  }
  const std::uint64_t size = 4096 + 13;  // a name that no run uses
  const Corpus corpus = place_corpus(scratch.path(), CorpusUse::tmpfs, size);
  CHECK(corpus.path == memory_directory() / "tmpfs-4109.bin");
  CHECK(in_memory(mount_of(corpus.path)));
  CHECK(read_file(corpus.path) == stream(size));
  CHECK(scratch.entries() == 0);
  fs::remove(corpus.path);
  fs::remove(corpus.path.string() + ".digest");
  std::error_code in_use;
  fs::remove(memory_directory(), in_use);  // unless a run has its corpus there
}

TEST_CASE("corpus sizes as people write them") {
  CHECK(parse_corpus_size("1G") == std::uint64_t{1} << 30);
  CHECK(parse_corpus_size("64M") == 64 * mib);
  const std::uint64_t automatic = parse_corpus_size("auto");
  CHECK(automatic % (std::uint64_t{1} << 30) == 0);
  CHECK(automatic >= 2 * memory_bytes());
  CHECK(automatic < 2 * memory_bytes() + (std::uint64_t{1} << 30));
  CHECK_THROWS_AS(parse_corpus_size("0"), Error);
  CHECK_THROWS_AS(parse_corpus_size("automatic"), Error);
  CHECK_THROWS_AS(parse_corpus_size(""), Error);
}
