// SPDX-License-Identifier: MIT
// Why a block size is enough: time = a * bytes + b * calls, fitted to the times of one loop at several block sizes and
// checked on sizes that the fit has not seen. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace iobench {

// Larger blocks do not enter a fit: their buffers no longer stay in the processor's nearer caches, so that a byte costs
// more the larger the block (2026-11, two cores of an AMD EPYC (Zen 4), medians of 5 to 9 rounds: fits up to 128K
// missed 256K to 4M by 30 to 50 %).
inline constexpr std::uint64_t largest_fitted_block = 128u << 10;
inline constexpr std::size_t fewest_fitted_sizes = 5;
// A fit that misses a held-out size by more than this part of its time is no reason.
inline constexpr double largest_held_out_error = 0.10;

// One block size. All points of a fit are runs of the same loop.
struct FitPoint {
  std::uint64_t block_bytes = 0;
  double bytes = 0;    // moved per run
  double calls = 0;    // system calls per run, of reading and of writing together
  double seconds = 0;  // per run
  bool operator==(const FitPoint&) const = default;
};

struct Fit {
  bool exists = false;  // otherwise `note` says why not
  double seconds_per_byte = 0;
  double seconds_per_call = 0;
  std::vector<FitPoint> fitted, held_out, beyond;  // in order of block sizes; beyond: above largest_fitted_block
  double largest_error = 0, median_error = 0;      // |predicted / measured - 1| over held_out
  std::uint64_t worst_block_bytes = 0;             // where it is largest
  bool fits = false;                               // largest_error <= largest_held_out_error
  std::string note;

  double predicted_s(const FitPoint& point) const;
  double call_share(const FitPoint& point) const;  // part of predicted_s that calls take
};

// Of the sizes up to largest_fitted_block every second one is held out, never the first or the last. The others decide
// a and b, neither below 0, by least squares of the relative error, sum((predicted / measured - 1)^2), so that short
// and long runs count alike. What a start costs is in a: runs of one size cannot tell it from their bytes. Points whose
// numbers are not positive and finite are left out; of points with equal block sizes the first stands.
Fit fit_time(std::span<const FitPoint> points);

// "a fit of time on bytes and system calls at 512, 2K, …, which misses the sizes that it has not seen, 1K, …, by 3.1 %
// at most (4K) and 1.9 % in the middle", or "no fit: " and the note.
std::string fit_words(const Fit& fit);

}  // namespace iobench
