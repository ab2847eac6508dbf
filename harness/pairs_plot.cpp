// SPDX-License-Identifier: MIT
// Words and colours of the cells are made here, so that plots/pairs.gp only draws.
#include "pairs_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grid.h"
#include "pairs.h"
#include "share.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

constexpr double most_doublings = 2;  // of the lead, at either end of the colours: 4 times, and a quarter

// Code points that fit into a cell: small letters are about 7.6 pixels wide, all columns together 1,030.
std::size_t letters(std::size_t columns) {
  return static_cast<std::size_t>(std::max(8.0, 1030.0 / static_cast<double>(columns) / 7.6));
}

struct Words {
  std::string strategy, speed, lead;
  std::optional<double> doublings;  // the colour, 0 where no difference is claimed; none: nothing is
};

Words words_of(const FigureSource& source, const PairCell& cell, std::size_t longest) {
  const auto name = [&](std::size_t row, std::size_t room) {
    return figure_text(strategy_words(source.suite().rows[row]), room);
  };
  const auto rate = [&](std::size_t row) {
    return format_rate(source.result().rows[row].summary("bytes_per_s").median);
  };
  const std::string mark = cell.no_copies.empty() ? "" : " *";
  if (!cell.best && !cell.best_peer) return {"", "nothing measured" + mark, "", {}};
  if (!cell.best)
    return {without_best(source.suite(), cell) + mark, name(*cell.best_peer, longest), rate(*cell.best_peer), {}};
  const Share share = share_of_limit(source.suite(), source.result(), *cell.best);
  Words words{name(*cell.best, longest),
              rate(*cell.best) + (share.share ? ", " + share_percent(*share.share) : "") + mark,
              "no peer",
              {}};
  if (!cell.lead || !(cell.lead->ratio > 0)) return words;
  const char* sign = cell.verdict == PairCell::Verdict::no_difference ? "≈ "
                     : cell.verdict == PairCell::Verdict::too_few     ? "? "
                                                                      : "";
  const std::string times = fmt::format("{}{}× ", sign, format_fixed(cell.lead->ratio, 2));
  words.lead = times + name(*cell.best_peer, std::max<std::size_t>(4, longest - code_points(times)));
  const bool claimed = cell.verdict == PairCell::Verdict::ahead || cell.verdict == PairCell::Verdict::behind;
  if (claimed)
    words.doublings = std::clamp(std::log2(cell.lead->ratio), -most_doublings, most_doublings);
  else if (cell.verdict == PairCell::Verdict::no_difference)
    words.doublings = 0;
  return words;
}

}  // namespace

// Numbers: sinks, sources, the blocks of the cells with a lead and without (0: there is none), the end of the colours.
Drawing draw_pairs(const FigureSource& source) {
  const PairGrid grid = pair_grid(source.suite(), source.result(), source.spec().only);
  Drawing drawing = source.begin();
  std::vector<const PlannedRow*> shown;
  bool measured = false, unranked = false;
  std::string led, others;
  for (std::size_t y = 0; y < grid.cells.size(); ++y)
    for (std::size_t x = 0; x < grid.cells[y].size(); ++x) {
      const PairCell& cell = grid.cells[y][x];
      if (cell.rows.empty()) continue;
      measured = measured || cell.best || cell.best_peer;
      unranked = unranked || !cell.no_copies.empty();
      for (const std::size_t row : cell.rows) shown.push_back(&source.suite().rows[row]);
      const Words words = words_of(source, cell, letters(grid.sinks.size()));
      (words.doublings ? led : others) +=
          fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", x, grid.cells.size() - 1 - y,
                      words.doublings ? format_exact(*words.doublings) : "NaN", data_text(words.strategy),
                      data_text(words.speed), data_text(words.lead));
    }
  if (!measured) {
    drawing.note = "no valid sample to draw";
    return drawing;
  }
  const std::string common = conditions(shown).text;
  drawing.subtitle =
      figure_text(common.empty() ? "" : common + "; ") +
      "in each pair the fastest strategy of ours, its throughput and share of the limit that applies" +
      "\nbelow: times the throughput of the fastest peer, paired by round; ≈ no difference, ? too few rounds" +
      (unranked ? "; * what moves nothing there is not ranked" : "");
  drawing.y_label = "throughput, times that of the fastest peer";
  drawing.data = source.head(drawing, "columns: x, y, doublings of the lead, strategy, throughput, lead in words") +
                 "# names of the sinks: x, name\n";
  for (std::size_t x = 0; x < grid.sinks.size(); ++x)
    drawing.data +=
        fmt::format("{}\t{}\n", x, data_text(figure_text("to " + grid.sinks[x], letters(grid.sinks.size()))));
  drawing.data += "\n\n# names of the sources: y, name\n";
  for (std::size_t y = 0; y < grid.sources.size(); ++y)
    drawing.data += fmt::format("{}\t{}\n", grid.sources.size() - 1 - y, data_text(figure_text(grid.sources[y], 18)));
  int blocks = 1;
  const auto add_block = [&](const char* what, const std::string& block) {
    if (block.empty()) return 0;
    drawing.data += fmt::format("\n\n# {}\n{}", what, block);
    return ++blocks;
  };
  const int with_lead = add_block("cells with a lead", led);
  const int without = add_block("cells without", others);
  drawing.numbers = fmt::format("{} {} {} {} {}", grid.sinks.size(), grid.sources.size(), with_lead, without,
                                format_exact(most_doublings));
  return drawing;
}

}  // namespace iobench
