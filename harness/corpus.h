// SPDX-License-Identifier: MIT
// The corpus: files of incompressible seeded bytes, generated once, synced, renamed into place and checked by digest. A
// smaller corpus of the same seed is a prefix of a larger one. Warm and cold rows read separate files, so that neither
// disturbs the other's cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace iobench {

inline constexpr std::uint64_t corpus_seed = 1985;

enum class CorpusUse { warm, cold, tmpfs };  // tmpfs: in memory_directory() unless the directory given is in memory
const char* to_string(CorpusUse use);

struct Corpus {
  std::filesystem::path path;  // data/corpus/warm-1G.bin
  std::uint64_t size_bytes = 0;
  std::uint64_t seed = corpus_seed;
  std::string digest;      // XXH3 of the whole, 16 hexadecimal digits
  bool generated = false;  // now, rather than found and verified
};

using ProgressFunction = std::function<void(const std::string& what, double fraction)>;

// /dev/shm/iobench-UID: where a corpus in memory is placed.
std::filesystem::path memory_directory();

// Finds the file, checks size and digest against its sidecar PATH.digest, and generates it when it is missing, of
// another size or generator, or wrong. Throws Error when the directory cannot be written or lacks space ("corpus needs
// 1 GiB in DIR, 300 MiB are free; …"), and leaves no temporary behind, also when interrupted (Error with status 130 or
// 143).
Corpus place_corpus(const std::filesystem::path& directory, CorpusUse use, std::uint64_t size_bytes,
                    const ProgressFunction& progress = {});
// Reads a corpus file whole against its sidecar; throws Error that says what differs.
Corpus verify_corpus(const std::filesystem::path& path, const ProgressFunction& progress = {});
// The corpus files of a directory, sorted by name; none when there is no such directory.
std::vector<std::filesystem::path> list_corpora(const std::filesystem::path& directory);

// Writes size bytes of the stream to a new file `path`, synced: temporary name, fdatasync, rename.
// Returns the digest. Used by place_corpus and by the benchmark of corpus generation.
std::string generate_corpus(const std::filesystem::path& path, std::uint64_t seed, std::uint64_t size_bytes,
                            const ProgressFunction& progress = {});
// Removes every corpus file, sidecar and stale temporary of the directory, nothing else; returns the bytes freed.
std::uint64_t remove_corpora(const std::filesystem::path& directory);

// "1G", "64M", "auto" (twice the memory, rounded up to a GiB) to bytes; throws Error, also for nothing at all.
std::uint64_t parse_corpus_size(const std::string& text);

}  // namespace iobench
