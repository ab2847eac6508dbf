// SPDX-License-Identifier: MIT
// How fast a corpus is made, as ratios within one run, in interleaved pairs: the generator into memory against reading
// /dev/urandom, and a whole corpus to a new synced file against dd writing zeros. Wanted: 20 times, and 0.8.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "corpus.h"
#include "digest.h"
#include "scratch.h"
#include "statistics.h"
#include "system.h"
#include "units.h"

using namespace iobench;

namespace {

constexpr std::size_t rounds = 7;

template <class Action>
double seconds_of(Action action) {
  const double start_s = monotonic_s();
  action();
  return monotonic_s() - start_s;
}

void print(const std::string& what, const std::vector<double>& ours_s, const std::vector<double>& theirs_s,
           double ours_bytes, double theirs_bytes) {
  std::vector<double> ours, theirs;
  for (const double seconds : ours_s) ours.push_back(ours_bytes / seconds);
  for (const double seconds : theirs_s) theirs.push_back(theirs_bytes / seconds);
  const PairedRatio ratio = paired_ratio(ours, theirs, 0.95);
  fmt::print("{}: {} against {}, ratio {} ({} to {} at {}, {} rounds)\n", what, format_rate(median(ours)),
             format_rate(median(theirs)), format_ratio(ratio.ratio), format_ratio(ratio.interval.low),
             format_ratio(ratio.interval.high), format_percent(ratio.interval.level), ratio.pairs);
}

void to_memory() {
  constexpr std::size_t block_bytes = 256u << 10, ours_bytes = 1u << 30, theirs_bytes = 32u << 20;
  std::vector<std::byte> block(block_bytes);
  const Descriptor random = open_file("/dev/urandom", O_RDONLY);
  std::vector<double> ours_s, theirs_s;
  for (std::size_t round = 0; round < rounds; ++round) {
    ours_s.push_back(seconds_of([&] {
      for (std::uint64_t at = 0; at < ours_bytes; at += block_bytes) fill_seeded(round, at, block);
    }));
    theirs_s.push_back(seconds_of([&] {
      for (std::size_t at = 0; at < theirs_bytes; at += block_bytes)
        if (::read(random.get(), block.data(), block_bytes) != static_cast<ssize_t>(block_bytes)) throw_errno("read /dev/urandom");
    }));
  }
  print("seeded bytes to memory against /dev/urandom", ours_s, theirs_s, ours_bytes, theirs_bytes);
}

void to_file(std::uint64_t size_bytes) {
  const Scratch scratch;
  const std::string zeros = (scratch / "zeros").string();
  const std::vector<std::string> dd = {"dd", "if=/dev/zero", "of=" + zeros, "bs=1M",
                                       fmt::format("count={}", size_bytes >> 20), "conv=fdatasync", "status=none"};
  std::vector<double> ours_s, theirs_s;
  for (std::size_t round = 0; round < rounds; ++round) {
    ours_s.push_back(seconds_of([&] { generate_corpus(scratch / "corpus", round, size_bytes); }));
    ::unlink((scratch / "corpus").c_str());
    ::sync();
    theirs_s.push_back(seconds_of([&] {
      if (run_command(dd).status != 0) throw Error("dd failed");
    }));
    ::unlink(zeros.c_str());
    ::sync();
  }
  const auto bytes = static_cast<double>(size_bytes);
  print(fmt::format("a corpus of {} to a new synced file against dd of zeros", format_size(size_bytes)), ours_s, theirs_s,
        bytes, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    to_memory();
    to_file(parse_size(argc > 1 ? argv[1] : "512M"));
  } catch (const Error& error) {
    fmt::print(stderr, "corpus-benchmark: {}\n", error.what());
    return error.status();
  }
  return 0;
}
