// SPDX-License-Identifier: MIT
#include "block_sweep.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "units.h"
#include "words.h"

namespace iobench {

namespace {

// Everything that must be equal for two rows to be the same loop with another block.
std::vector<std::string> loop_of(const Row& row) {
  std::vector<std::string> parts{row.tool};
  for (const auto& [variable, value] : row.values)
    if (variable != "block") parts.insert(parts.end(), {variable, value});
  return parts;
}

// What a row moves in one run; its seconds are for the caller to fill in.
std::optional<FitPoint> point_of(const PlannedRow& planned, const RowCheck* check) {
  const std::optional<std::uint64_t> block = block_of(planned.row);
  if (!block || !check || !(check->calls_per_mib > 0)) return std::nullopt;
  FitPoint point;
  point.block_bytes = *block;
  point.bytes = static_cast<double>(planned.size_bytes) * static_cast<double>(planned.row.repeat);
  point.calls = check->calls_per_mib * point.bytes / 1048576;
  return point;
}

}  // namespace

std::optional<std::uint64_t> block_of(const Row& row) {
  try {
    return parse_size(row.value("block"));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<BlockSweep> block_sweeps(const PlannedSuite& suite, const SuiteResult& result) {
  std::vector<BlockSweep> sweeps;
  for (std::size_t group = 0; group < suite.groups.size(); ++group) {
    std::vector<BlockSweep> found;
    for (const std::size_t row : suite.groups[group].rows) {
      const Row& planned = suite.rows[row].row;
      if (!block_of(planned) || !result.rows[row].not_a_copy.empty() || !median_wall(result.rows[row])) continue;
      const auto place = std::find_if(found.begin(), found.end(), [&](const BlockSweep& sweep) {
        return loop_of(suite.rows[sweep.rows.front()].row) == loop_of(planned);
      });
      if (place == found.end())
        found.push_back({group, {row}, row});
      else
        place->rows.push_back(row);
    }
    for (BlockSweep& sweep : found) {
      const auto block = [&](std::size_t row) { return *block_of(suite.rows[row].row); };
      std::stable_sort(sweep.rows.begin(), sweep.rows.end(),
                       [&](std::size_t a, std::size_t b) { return block(a) < block(b); });
      const auto same = [&](std::size_t a, std::size_t b) { return block(a) == block(b); };
      sweep.rows.erase(std::unique(sweep.rows.begin(), sweep.rows.end(), same), sweep.rows.end());
      if (sweep.rows.size() < fewest_sweep_sizes) continue;
      sweep.fastest = *std::min_element(sweep.rows.begin(), sweep.rows.end(), [&](std::size_t a, std::size_t b) {
        return *median_wall(result.rows[a]) < *median_wall(result.rows[b]);
      });
      sweeps.push_back(std::move(sweep));
    }
  }
  return sweeps;
}

PairedRatio ratio_to_fastest(const PlannedSuite& suite, const SuiteResult& result, const BlockSweep& sweep,
                             std::size_t row) {
  const std::size_t others = suite.groups[sweep.group].rows.size() - 1;
  return row_ratio(result.rows[row], result.rows[sweep.fastest], "wall", family_level(others));
}

FastBlocks fast_blocks(const PlannedSuite& suite, const SuiteResult& result, const BlockSweep& sweep) {
  FastBlocks fast;
  for (const std::size_t row : sweep.rows) {
    if (row == sweep.fastest) {
      fast.rows.push_back(row);
      continue;
    }
    const PairedRatio ratio = ratio_to_fastest(suite, result, sweep, row);
    fast.level = std::min(fast.level, ratio.interval.level);
    const bool within_floor = ratio.ratio <= result.groups[sweep.group].noise_floor;
    if (ratio.interval.low <= fast_enough || within_floor) fast.rows.push_back(row);
  }
  if (fast.level < 1 - family_error) fast.rows.clear();
  return fast;
}

SweepFit fit_sweep(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks,
                   const BlockSweep& sweep) {
  std::vector<FitPoint> medians;
  std::map<std::uint64_t, std::vector<FitPoint>> by_round;
  for (const std::size_t row : sweep.rows) {
    std::optional<FitPoint> point = point_of(suite.rows[row], row < checks.size() ? &checks[row] : nullptr);
    if (!point) continue;
    point->seconds = *median_wall(result.rows[row]);
    medians.push_back(*point);
    for (const Sample& sample : result.rows[row].ok)
      if (const std::optional<double> wall = metric(sample, "wall")) {
        point->seconds = *wall;
        by_round[sample.round].push_back(*point);
      }
  }
  SweepFit found;
  found.fit = fit_time(medians);
  if (!found.fit.exists) return found;
  std::vector<double> per_byte, per_call;
  for (const auto& [round, points] : by_round)
    if (points.size() == medians.size())
      if (const Fit fit = fit_time(points); fit.exists) {
        per_byte.push_back(fit.seconds_per_byte);
        per_call.push_back(fit.seconds_per_call);
      }
  found.seconds_per_byte = summarize(per_byte);
  found.seconds_per_call = summarize(per_call);
  return found;
}

}  // namespace iobench
