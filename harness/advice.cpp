// SPDX-License-Identifier: MIT
// Rows of one suite are compared by round. Rows of two suites were measured minutes apart: there only intervals of
// medians that do not overlap tell them apart.
#include "advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "block_sweep.h"
#include "grid.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

constexpr std::size_t most_named = 4;
constexpr double much_noise = 1 + 5 * (fast_enough - 1);

// The block sizes whose cost is told: stdio's of old, and those that today's programs use.
constexpr std::uint64_t told_blocks[] = {8u << 10, 64u << 10, 128u << 10};

// Why a copy between these ends need not follow bytes and calls. Said as likely, since nothing here proves it.
std::string likely_limit(const Row& row) {
  if (row.cache == Cache::cold) return "likely the device, whose time per byte is not one number";
  if (row.input == Input::pipe || row.output == Output::pipe)
    return "likely how the pipe's two ends take turns and where they run (`--cpus` pins them)";
  if (row.output == Output::file || row.output == Output::tmpfs)
    return "likely the memory that a new file has to be given";
  return "something else than bytes and calls takes part of the time";
}

class ConditionAdvice {
 public:
  ConditionAdvice(const Findings& found, const std::vector<MeasuredRow>& rows) : found_(found), rows_(rows) {
    for (const MeasuredRow& at : rows_)
      if (result(at).not_a_copy.empty() && median_wall(result(at))) ranked_.push_back(at);
    std::stable_sort(ranked_.begin(), ranked_.end(),
                     [&](const MeasuredRow& a, const MeasuredRow& b) { return wall(a) < wall(b); });
  }

  Advice advice() const {
    Advice made;
    std::vector<const PlannedRow*> all;
    for (const MeasuredRow& at : rows_) all.push_back(&planned(at));
    made.conditions = conditions(all).text;
    made.conditions[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(made.conditions[0])));
    const auto say = [&](const std::string& sentence) {
      if (!sentence.empty()) made.said.push_back(sentence);
    };
    say(best_strategy());
    for (const std::size_t suite : suites())
      for (const BlockSweep& sweep : block_sweeps(found_.stored.plan.suites[suite], found_.results[suite]))
        if (is_here(suite, sweep.rows.front())) {
          say(enough(suite, sweep));
          say(costs(suite, sweep));
          say(reason(suite, sweep));
        }
    say(free_link());
    say(not_ranked());
    say(failures());
    return made;
  }

 private:
  const PlannedRow& planned(const MeasuredRow& at) const { return found_.stored.plan.suites[at.suite].rows[at.row]; }
  const RowResult& result(const MeasuredRow& at) const { return found_.results[at.suite].rows[at.row]; }
  double wall(const MeasuredRow& at) const { return *median_wall(result(at)); }
  double floor(const MeasuredRow& at) const { return found_.results[at.suite].groups[planned(at).group].noise_floor; }

  std::vector<std::size_t> suites() const {
    std::vector<std::size_t> all;
    for (const MeasuredRow& at : rows_)
      if (all.empty() || all.back() != at.suite) all.push_back(at.suite);
    return all;
  }

  bool is_here(std::size_t suite, std::size_t row) const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const MeasuredRow& at) { return at.suite == suite && at.row == row; });
  }

  // The best row of each tool, the best tool first.
  std::vector<MeasuredRow> strategies() const {
    std::vector<MeasuredRow> best;
    for (const MeasuredRow& at : ranked_)
      if (std::none_of(best.begin(), best.end(),
                       [&](const MeasuredRow& other) { return planned(other).row.tool == planned(at).row.tool; }))
        best.push_back(at);
    return best;
  }

  std::string best_strategy() const {
    if (ranked_.empty()) return "Nothing is advised: there is no valid sample of a copy.";
    const std::vector<MeasuredRow> tools = strategies();
    const MeasuredRow& best = tools.front();
    std::string text =
        fmt::format("Best strategy: {}, {}", row_words(planned(best)), speed_words(planned(best), result(best)));
    if (tools.size() == 1) return text + "; no other tool was measured here.";
    std::vector<std::string> others;
    for (std::size_t i = 1; i < tools.size() && i <= most_named; ++i)
      others.push_back(against(tools[i], best, tools.size() - 1));
    if (tools.size() - 1 > most_named) others.push_back(fmt::format("{} more tools", tools.size() - 1 - most_named));
    return text + fmt::format(". Of each other tool the best: {}.", fmt::join(others, "; "));
  }

  // How much longer a row takes, and whether that is shown.
  std::string against(const MeasuredRow& at, const MeasuredRow& best, std::size_t comparisons) const {
    const std::string name = row_words(planned(at));
    const double noise = std::max(floor(at), floor(best));
    if (at.suite == best.suite) {
      const PairedRatio ratio = row_ratio(result(at), result(best), "wall", family_level(comparisons));
      const bool shown = ratio.interval.level >= 1 - family_error && ratio.interval.low > 1 && ratio.ratio > noise;
      return fmt::format("{} takes {} times as long{}", name, ratio_words(ratio), shown ? "" : " (not told apart)");
    }
    const Interval own = result(at).summary("wall").interval, others = result(best).summary("wall").interval;
    const double ratio = wall(at) / wall(best);
    const bool shown = own.exists() && others.exists() && own.low > others.high && ratio > noise;
    return fmt::format("{}, of another suite, takes about {} times as long{}", name, format_ratio(ratio),
                       shown ? "" : " (not told apart)");
  }

  std::string block_name(std::size_t suite, std::size_t row) const {
    return format_short_size(*block_of(found_.stored.plan.suites[suite].rows[row].row));
  }

  // With a noise floor far above fast_enough, hardly a size can be shown slower.
  std::string noise_words(std::size_t suite, const BlockSweep& sweep) const {
    const double noise = found_.results[suite].groups[sweep.group].noise_floor;
    if (!(noise > 1)) return "Noise floor not known.";
    return fmt::format("Noise floor {}{}.", floor_words(noise),
                       noise > much_noise ? ": so noisy a run says little here; more rounds (`--rounds`) or a quieter "
                                            "machine would say more"
                                          : "");
  }

  std::string enough(std::size_t suite, const BlockSweep& sweep) const {
    const PlannedSuite& planned_suite = found_.stored.plan.suites[suite];
    const FastBlocks fast = fast_blocks(planned_suite, found_.results[suite], sweep);
    const std::string tool = planned_suite.rows[sweep.fastest].row.tool;
    if (fast.rows.empty())
      return fmt::format(
          "{}: which block sizes are enough cannot be told: the rounds reach intervals of {} only, and "
          "95 % is needed.",
          tool, fast.level > 0 ? format_percent(fast.level) : "no level");
    std::vector<std::string> names;
    for (const std::size_t row : fast.rows) names.push_back(block_name(suite, row));
    const std::string smallest = names.front();
    names.erase(names.begin());
    const bool every_larger = std::equal(fast.rows.rbegin(), fast.rows.rend(), sweep.rows.rbegin());
    return fmt::format(
        "{}: {} is the smallest of {} block sizes not shown slower than {} times the best, {}{} (intervals of {} "
        "each). {}",
        tool, smallest, sweep.rows.size(), format_fixed(fast_enough, 2), block_name(suite, sweep.fastest),
        names.empty()  ? ""
        : every_larger ? "; nor is any larger one"
                       : fmt::format("; besides it {}", fmt::join(names, ", ")),
        format_percent(fast.level), noise_words(suite, sweep));
  }

  std::string costs(std::size_t suite, const BlockSweep& sweep) const {
    const PlannedSuite& planned_suite = found_.stored.plan.suites[suite];
    const double noise = found_.results[suite].groups[sweep.group].noise_floor;
    std::vector<std::string> parts;
    for (const std::size_t row : sweep.rows) {
      const std::uint64_t block = *block_of(planned_suite.rows[row].row);
      if (std::find(std::begin(told_blocks), std::end(told_blocks), block) == std::end(told_blocks)) continue;
      if (row == sweep.fastest) {
        parts.push_back(format_short_size(block) + " is the best");
        continue;
      }
      const PairedRatio ratio = ratio_to_fastest(planned_suite, found_.results[suite], sweep, row);
      const bool shown = ratio.interval.level >= 1 - family_error && ratio.interval.low > 1 && ratio.ratio > noise;
      parts.push_back(
          fmt::format("{} {}{}", format_short_size(block), ratio_words(ratio), shown ? "" : " (not told apart)"));
    }
    if (parts.empty()) return "";
    return fmt::format("Time against that of {}: {}.", block_name(suite, sweep.fastest), fmt::join(parts, ", "));
  }

  std::string reason(std::size_t suite, const BlockSweep& sweep) const {
    const PlannedSuite& planned_suite = found_.stored.plan.suites[suite];
    const SweepFit found = fit_sweep(planned_suite, found_.results[suite], found_.checks(suite), sweep);
    const Fit& fit = found.fit;
    if (!fit.exists) return fmt::format("No reason is given: {}.", fit_words(fit));
    if (!fit.fits)
      return fmt::format("No reason is given: {}; {}.{}", fit_words(fit),
                         likely_limit(planned_suite.rows[sweep.fastest].row), own_noise(suite, sweep));
    const auto cost = [](double seconds, const Summary& rounds) {
      const Interval& interval = rounds.interval;
      return format_seconds(seconds) +
             (interval.exists() ? fmt::format(" ({})", range_words(interval, format_seconds)) : "");
    };
    std::string shares, beyond;
    for (const std::uint64_t block : told_blocks)
      for (const std::vector<FitPoint>& points : {fit.fitted, fit.held_out})
        for (const FitPoint& point : points)
          if (point.block_bytes == block)
            shares += fmt::format("{}{} at {}", shares.empty() ? "; of the time, calls take " : ", ",
                                  format_percent(fit.call_share(point)), format_short_size(block));
    if (!fit.beyond.empty())
      beyond = fmt::format(" Beyond {} caches rule, and nothing is fitted.", format_short_size(largest_fitted_block));
    return fmt::format("Why: a system call costs {} and a byte {}{}. That is {}.{}",
                       cost(fit.seconds_per_call, found.seconds_per_call),
                       cost(fit.seconds_per_byte, found.seconds_per_byte), shares, fit_words(fit), beyond);
  }

  // Whether the fit may have failed on noise alone.
  std::string own_noise(std::size_t suite, const BlockSweep& sweep) const {
    std::vector<double> halves;
    for (const std::size_t row : sweep.rows) {
      const Summary summary = found_.results[suite].rows[row].summary("wall");
      if (summary.interval.exists())
        halves.push_back(
            std::max(summary.interval.high / summary.median - 1, 1 - summary.interval.low / summary.median));
    }
    const double half = median(halves);
    if (!(half > largest_held_out_error)) return "";
    return fmt::format(
        " The medians themselves are known to {} only, so that noise alone may be the cause; more rounds "
        "(`--rounds`) would tell.",
        format_percent(half));
  }

  // Bytes a second of one processor's time, for tools that move a byte a call. Runs of many short copies are left out:
  // starting is most of their time.
  std::string free_link() const {
    std::vector<std::string> parts;
    for (const MeasuredRow& at : rows_) {
      if (!found_.bytewise.contains(planned(at).row.tool) || planned(at).row.repeat > 1) continue;
      const RowResult& row = result(at);
      const double bytes = static_cast<double>(planned(at).size_bytes);
      const double sum = row.total("cpu").value_or(0);
      if (!(sum > 0) || !(bytes > 0)) continue;
      const Summary cpu = row.summary("cpu");
      const bool sampled = row.cpu_is_sampled() || !(cpu.interval.exists() && cpu.interval.low > 0);
      const double seconds = sampled ? sum / static_cast<double>(cpu.n) : cpu.median;
      const Interval rates{bytes / cpu.interval.high, bytes / cpu.interval.low, cpu.interval.level};
      parts.push_back(fmt::format("{} {} Gbit/s ({}{}, {} of CPU time a byte)", planned(at).row.tool,
                                  format_fixed(bytes / seconds * 8 / 1e9, 2), format_rate(bytes / seconds),
                                  sampled ? "" : fmt::format(" [{}]", range_words(rates, format_rate)),
                                  format_seconds(seconds / bytes)));
    }
    if (parts.empty()) return "";
    return fmt::format(
        "A byte a call costs no time where the link is slower than one processor moves bytes that way: "
        "{}. CPU time it costs everywhere.",
        fmt::join(parts, "; "));
  }

  std::string not_ranked() const {
    std::vector<std::string> names;
    for (const MeasuredRow& at : rows_)
      if (!result(at).not_a_copy.empty()) names.push_back(fmt::format("{} {}", row_words(planned(at)), result(at).not_a_copy));
    if (names.empty()) return "";
    return fmt::format("Not ranked, since not copies: {}.", fmt::join(names, "; "));
  }

  std::string failures() const {
    std::vector<std::string> said;
    std::size_t troubled = 0;
    for (const MeasuredRow& at : rows_) {
      const std::vector<RowCheck>& checks = found_.checks(at.suite);
      const std::string status = status_words(result(at), at.row < checks.size() ? &checks[at.row] : nullptr);
      if (status == "ok" || ++troubled > most_named) continue;
      said.push_back(planned(at).row.name + ": " + status);
    }
    if (troubled > most_named) said.push_back(fmt::format("{} more", troubled - most_named));
    return said.empty() ? "" : fmt::format("Without all their runs: {}.", fmt::join(said, "; "));
  }

  const Findings& found_;
  const std::vector<MeasuredRow>& rows_;
  std::vector<MeasuredRow> ranked_;  // copies with a median, the fastest first
};

}  // namespace

namespace {

// Who only reads or only writes has not moved anything from one end to another.
bool is_advised_on(const Row& row) {
  return row.ranked && row.input != Input::none && row.output != Output::none;
}

}  // namespace

std::vector<Advice> advise(const Findings& found) {
  std::vector<Advice> all;
  for (std::vector<MeasuredRow> rows : rows_by_conditions(found.stored.plan)) {
    std::erase_if(rows, [&](const MeasuredRow& at) {
      return !is_advised_on(found.stored.plan.suites[at.suite].rows[at.row].row);
    });
    if (!rows.empty()) all.push_back(ConditionAdvice(found, rows).advice());
  }
  return all;
}

std::string to_text(const std::vector<Advice>& all, std::size_t width) {
  std::string text;
  for (const Advice& advice : all)
    text += (text.empty() ? "" : "\n") + printable(advice.conditions) + "\n" + list_text(advice.said, width);
  return text;
}

}  // namespace iobench
