// SPDX-License-Identifier: MIT
// Seeded incompressible bytes and XXH3 digests. Byte i of a stream depends on (seed, i) alone, so that any offset can
// be computed and a copy checked without a second copy. The only includer of xxhash.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace iobench {

// The bytes [offset, offset + out.size()) of the stream `seed`. Offset and size may be odd.
void fill_seeded(std::uint64_t seed, std::uint64_t offset, std::span<std::byte> out);

// Incremental XXH3, 64 bits.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void update(std::span<const std::byte> bytes);
  std::string hex() const;  // 16 lower-case hexadecimal digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct FileDigest {
  std::uint64_t size_bytes = 0;
  std::string hex;
};
// Reads the whole file in order with 1 MiB reads; throws Error.
FileDigest digest_file(const std::filesystem::path& path);
FileDigest digest_descriptor(int fd, const std::string& name_for_errors);  // reads to the end, pipes too

}  // namespace iobench
