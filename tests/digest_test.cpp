// SPDX-License-Identifier: MIT
// The seeded stream is the same for ever, from any offset, and does not compress; XXH3 against its published vectors.
#include "digest.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <unordered_set>
#include <vector>

#include "catch.h"
#include "system.h"

using namespace iobench;

namespace {

std::vector<std::byte> stream(std::uint64_t seed, std::uint64_t offset, std::size_t size) {
  std::vector<std::byte> bytes(size);
  fill_seeded(seed, offset, bytes);
  return bytes;
}

std::string hex(const std::vector<std::byte>& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::string digest_of(const std::vector<std::byte>& bytes) {
  Digest digest;
  digest.update(bytes);
  return digest.hex();
}

// Bits a byte of the best code that knows the frequencies of single bytes.
double entropy(const std::vector<std::byte>& bytes) {
  std::array<double, 256> counts = {};
  for (const std::byte byte : bytes) ++counts[std::to_integer<std::size_t>(byte)];
  double bits = 0;
  for (const double count : counts)
    if (count > 0)
      bits -= count / static_cast<double>(bytes.size()) * std::log2(count / static_cast<double>(bytes.size()));
  return bits;
}

}  // namespace

// The values were also computed by a second implementation, with integers of any size.
TEST_CASE("pinned bytes: a corpus made today equals one made in ten years") {
  CHECK(hex(stream(1985, 0, 16)) == "b08556d8ce53560f6afac7bebe2da806");
  CHECK(hex(stream(0, 0, 16)) == "735386ebf350e6ea2da4b9a340d35079");
  CHECK(hex(stream(1985, (std::uint64_t{1} << 40) + 3, 11)) == "176819512380b0eb8db49c");
  CHECK(digest_of(stream(1985, 0, 1 << 20)) == "d4a367191cb29a4d");
}

TEST_CASE("a byte depends on seed and position alone") {
  const std::vector<std::byte> whole = stream(42, 0, 4096);
  for (const std::size_t offset : {0u, 1u, 3u, 7u, 8u, 9u, 15u, 16u, 1001u, 4095u})
    for (const std::size_t size : {0u, 1u, 2u, 5u, 7u, 8u, 9u, 16u, 17u, 63u, 1000u}) {
      if (offset + size > whole.size()) continue;
      INFO("offset " << offset << " size " << size);
      std::vector<std::byte> guarded(size + 2, std::byte{0xa5});
      fill_seeded(42, offset, std::span(guarded).subspan(1, size));
      CHECK(std::equal(guarded.begin() + 1, guarded.end() - 1, whole.begin() + static_cast<std::ptrdiff_t>(offset)));
      CHECK(guarded.front() == std::byte{0xa5});
      CHECK(guarded.back() == std::byte{0xa5});
    }
  CHECK(stream(42, 0, 64) != stream(43, 0, 64));
  // Positions beyond 4 GiB are not those of the beginning.
  CHECK(stream(42, std::uint64_t{1} << 32, 64) != stream(42, 0, 64));
  CHECK(stream(42, std::uint64_t{1} << 35, 64) != stream(42, 0, 64));
}

TEST_CASE("the stream does not compress") {
  const std::vector<std::byte> bytes = stream(1985, 0, 1 << 20);
  CHECK(entropy(bytes) > 7.999);
  std::unordered_set<std::uint64_t> words;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    words.insert(word);
  }
  CHECK(words.size() == bytes.size() / 8);
  // Differences of neighbours, where a bare counter would show.
  std::vector<std::byte> steps(bytes.size() - 8);
  for (std::size_t at = 0; at < steps.size(); ++at) steps[at] = bytes[at] ^ bytes[at + 8];
  CHECK(entropy(steps) > 7.999);
}

TEST_CASE("XXH3, 64 bits, seed 0") {
  CHECK(digest_of({}) == "2d06800538d394c2");  // published: the hash of nothing
  Digest whole, parts;
  const std::vector<std::byte> bytes = stream(1, 0, 100000);
  whole.update(bytes);
  for (std::size_t at = 0; at < bytes.size(); at += 777)
    parts.update(std::span(bytes).subspan(at, std::min<std::size_t>(777, bytes.size() - at)));
  CHECK(whole.hex() == parts.hex());
  CHECK(whole.hex().size() == 16);
  const std::string before = whole.hex();
  whole.update(std::span(bytes).first(1));
  CHECK(whole.hex() != before);
}

TEST_CASE("a file and a pipe are digested whole") {
  char name[] = "digest_test.XXXXXX";
  const Descriptor file(::mkstemp(name));
  REQUIRE(file);
  const std::vector<std::byte> bytes = stream(5, 0, (3 << 20) + 7);
  write_all(file.get(), bytes.data(), bytes.size(), name);
  const FileDigest found = digest_file(name);
  CHECK(found.size_bytes == bytes.size());
  CHECK(found.hex == digest_of(bytes));
  ::unlink(name);
  CHECK_THROWS_AS(digest_file(name), Error);
  CHECK_THROWS_AS(digest_file("/"), Error);

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  write_all(ends[1], bytes.data(), 1000, "pipe");
  ::close(ends[1]);
  const Descriptor reader(ends[0]);
  CHECK(digest_descriptor(reader.get(), "pipe").size_bytes == 1000);
  CHECK_THROWS_AS(digest_descriptor(-1, "nothing"), Error);
}
