// SPDX-License-Identifier: MIT
// Times are per MiB moved, on a logarithmic axis, so that an error of a tenth is as high on the left as on the right.
// The curve is drawn where it was fitted; beyond, and where it does not fit, it is a dashed line that claims nothing,
// and what bytes and calls alone would take is drawn only where it does.
#include "fit_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "block_sweep.h"
#include "units.h"

namespace iobench {

namespace {

constexpr double mebibyte = 1048576;
constexpr double longest_error_whisker = 0.4;

enum class Part { fitted, held_out, beyond };  // as numbers in the data file

// A measured size; y, low and high in seconds per MiB.
struct FitSize {
  Point point;
  Part part = Part::beyond;
  double calls_per_mib = 0;
  double predicted = 0;  // seconds per MiB; 0: no fit
};

double per_mib(const Fit& fit, double calls_per_mib) {
  return fit.seconds_per_byte * mebibyte + fit.seconds_per_call * calls_per_mib;
}

// What a time is off the fit, as a part of it: above 0 where it lies above the curve. fit_time's error, with its sign.
double error_of(const FitSize& size, double seconds_per_mib) {
  return 1 - size.predicted / seconds_per_mib;
}

// The one sweep that the figure's rows belong to; otherwise why there is none.
std::string find_sweep(const FigureSource& source, BlockSweep& found) {
  std::size_t sweeps = 0;
  for (BlockSweep& sweep : block_sweeps(source.suite(), source.result())) {
    const bool shown = std::any_of(sweep.rows.begin(), sweep.rows.end(), [&](std::size_t row) {
      return std::count(source.rows().begin(), source.rows().end(), row) > 0;
    });
    if (!shown) continue;
    ++sweeps;
    found = std::move(sweep);
  }
  if (sweeps == 0) return fmt::format("no tool with {} or more measured block sizes", fewest_sweep_sizes);
  return sweeps == 1 ? "" : fmt::format("its rows are of {} sweeps over block sizes: 'only' must choose one", sweeps);
}

std::vector<FitSize> sizes_of(FigureSource& source, const BlockSweep& sweep, const Fit& fit,
                              std::vector<std::size_t>& drawn) {
  std::vector<FitSize> sizes;
  for (const std::size_t row : source.rows()) {
    const PlannedRow& planned = source.suite().rows[row];
    const std::optional<std::uint64_t> block = block_of(planned.row);
    std::optional<Point> point = source.measured(row);
    FitSize size;
    bool known = false;
    for (const auto& [points, part] :
         {std::pair{&fit.fitted, Part::fitted}, {&fit.held_out, Part::held_out}, {&fit.beyond, Part::beyond}})
      for (const FitPoint& at : *points)
        if (block == at.block_bytes) {
          known = true;
          size.part = part;
          size.calls_per_mib = at.calls / at.bytes * mebibyte;
        }
    if (!point || !known || std::count(sweep.rows.begin(), sweep.rows.end(), row) == 0) {
      source.omit(row, !point ? "no valid sample" : "its calls were not counted");
      continue;
    }
    const double runs_mib =
        static_cast<double>(planned.size_bytes) * static_cast<double>(planned.row.repeat) / mebibyte;
    for (double* value : {&point->y, &point->low, &point->high}) *value /= runs_mib;
    point->x = static_cast<double>(*block);
    size.point = *point;
    if (fit.exists) size.predicted = per_mib(fit, size.calls_per_mib);
    sizes.push_back(size);
    drawn.push_back(row);
  }
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const FitSize& a, const FitSize& b) { return a.point.x < b.point.x; });
  return sizes;
}

// Calls per MiB at any block size: a straight line between the counted ones, on logarithmic axes.
double calls_at(const std::vector<FitSize>& sizes, double block) {
  const auto right =
      std::find_if(sizes.begin() + 1, sizes.end() - 1, [&](const FitSize& size) { return size.point.x >= block; });
  const auto left = right - 1;
  const double part = std::log(block / left->point.x) / std::log(right->point.x / left->point.x);
  return left->calls_per_mib * std::pow(right->calls_per_mib / left->calls_per_mib, part);
}

std::string curve_data(const Fit& fit, const std::vector<FitSize>& sizes, double unit) {
  std::string data = "\n\n# the fit: block, time, bytes alone, calls alone, 1 beyond the fitted sizes\n";
  constexpr int steps_per_octave = 8;
  const auto last_fitted =
      std::find_if(sizes.rbegin(), sizes.rend(), [](const FitSize& size) { return size.part != Part::beyond; });
  const double first = sizes.front().point.x, last = sizes.back().point.x;
  const int steps = static_cast<int>(std::lround(std::log2(last / first) * steps_per_octave));
  for (int step = 0; step <= steps; ++step) {
    const double block = first * std::exp2(static_cast<double>(step) / steps_per_octave);
    const double calls = calls_at(sizes, block), line = per_mib(fit, calls) / unit;
    const auto add = [&](bool beyond) {
      data += fmt::format("{}\t{}\t{}\t{}\t{}\n", format_exact(block), format_exact(line),
                          format_exact(fit.seconds_per_byte * mebibyte / unit),
                          format_exact(fit.seconds_per_call * calls / unit), beyond ? 1 : 0);
    };
    const double end = last_fitted == sizes.rend() ? first : last_fitted->point.x;
    if (block <= end * 1.0001) add(false);
    if (block >= end * 0.9999) add(true);
  }
  return data;
}

// Where the line of calls alone has come down to `seconds` per MiB, or where it ends; 0 0: it is not drawn.
struct NamePlace {
  double x = 0, y = 0;
};
NamePlace place_of_calls(const Fit& fit, const std::vector<FitSize>& sizes, double seconds) {
  if (!fit.fits || !(fit.seconds_per_call > 0)) return {};
  NamePlace place;
  const double last = sizes.back().point.x;
  for (double block = sizes.front().point.x; block <= last * 1.0001; block *= 1.05) {
    place = {block, fit.seconds_per_call * calls_at(sizes, std::min(block, last))};
    if (place.y <= seconds) break;
  }
  return place;
}

std::string words_of(const Fit& fit) {
  if (!fit.exists) return fit_words(fit);
  const std::string error = fmt::format("held-out sizes missed by {} at most, {} in the middle",
                                        format_percent(fit.largest_error), format_percent(fit.median_error));
  if (!fit.fits)
    return fmt::format("no fit: a time per system call and per byte misses too much: {} (limit {} %)", error,
                       format_fixed(100 * largest_held_out_error, 0));
  return fmt::format("fit: {} a system call, {} a byte; {}", format_seconds(fit.seconds_per_call),
                     format_seconds(fit.seconds_per_byte), error);
}

}  // namespace

// Numbers: first x, last x, ends of the y axis, 0 no fit, 1 fits, 2 does not fit, end of the axis of errors in percent,
// limit of errors in percent, height of the line of bytes alone or 0, place of the name of the line of calls alone or 0
// 0.
Drawing draw_fit(FigureSource source, const std::vector<RowCheck>& checks) {
  Drawing drawing = source.begin();
  BlockSweep sweep;
  drawing.note = find_sweep(source, sweep);
  if (!drawing.note.empty()) return drawing;
  const Fit fit = fit_sweep(source.suite(), source.result(), checks, sweep).fit;
  std::vector<std::size_t> drawn;
  std::vector<FitSize> sizes = sizes_of(source, sweep, fit, drawn);
  drawing.omitted = source.begin().omitted;
  if (sizes.size() < 2) {
    drawing.note = "fewer than two block sizes with counted calls";
    return drawing;
  }

  double low = sizes.front().point.low, high = 0, error_end = largest_held_out_error;
  for (const FitSize& size : sizes) {
    low = std::min(low, size.point.low);
    high = std::max(high, size.point.high);
    if (!fit.exists) continue;
    error_end = std::max(error_end, std::fabs(error_of(size, size.point.y)));
    for (const double end : {size.point.low, size.point.high})  // whiskers longer than this are cut
      error_end = std::max(error_end, std::min(longest_error_whisker, std::fabs(error_of(size, end))));
  }
  const double unit = high >= 1e-3 ? 1e-3 : 1e-6;
  if (fit.fits && fit.seconds_per_byte > 0) low = std::min(low, fit.seconds_per_byte * mebibyte);

  drawing.subtitle = source.subtitle(drawn) + "\n" + figure_text(words_of(fit), 170);
  drawing.x_label = "block size (bytes per call)";
  drawing.y_label = unit == 1e-3 ? "time per MiB (ms)" : "time per MiB (µs)";
  const double y_begin = low / unit / 1.6, bytes_alone = fit.seconds_per_byte * mebibyte / unit;
  const NamePlace calls = place_of_calls(fit, sizes, y_begin * 1.3 * unit);
  drawing.numbers =
      fmt::format("{} {} {} {} {} {} {} {} {} {}", format_exact(sizes.front().point.x),
                  format_exact(sizes.back().point.x), format_exact(y_begin), format_exact(high / unit * 1.3),
                  !fit.exists ? 0
                  : fit.fits  ? 1
                              : 2,
                  format_exact(std::ceil(error_end * 1.1 * 20) * 5), format_exact(100 * largest_held_out_error),
                  format_exact(fit.fits ? bytes_alone : 0), format_exact(calls.x), format_exact(calls.y / unit));
  drawing.data =
      source.head(drawing,
                  "time per MiB over block size; columns: block, time, low, high, row, 0 fitted 1 held out 2 beyond, "
                  "measured less fitted in percent of measured, low, high");
  for (FitSize& size : sizes) {
    const auto error = [&](double value) {
      return fit.exists ? format_exact(100 * error_of(size, value)) : std::string("NaN");
    };
    const std::string errors = error(size.point.y) + "\t" + error(size.point.low) + "\t" + error(size.point.high);
    for (double* value : {&size.point.y, &size.point.low, &size.point.high}) *value /= unit;
    drawing.data += fmt::format("{}\t{}\t{}\n", data_point(size.point), static_cast<int>(size.part), errors);
  }
  if (fit.exists) drawing.data += curve_data(fit, sizes, unit);
  return drawing;
}

}  // namespace iobench
