// SPDX-License-Identifier: MIT
#include "gallery.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>
#include <vector>

#include "findings.h"
#include "plot.h"
#include "published.h"
#include "suite.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

std::optional<PublishedTable> published_of(const Experiment& experiment, const Layout& layout) {
  if (!experiment.published) return std::nullopt;
  return load_published(layout.data / "published" / experiment.published->file);
}

class Gallery {
 public:
  explicit Gallery(const Layout& layout) : layout_(layout), gnuplot_(find_program("gnuplot")) {
    if (!gnuplot_.why_not().empty()) throw Error("draw figures: " + gnuplot_.why_not());
  }

  void begin(const std::string& heading, const fs::path& folder) {
    folder_ = folder;
    make_folder(folder_);
    text_ += fmt::format("{}{}, in {}\n", text_.empty() ? "" : "\n", heading, folder_.string());
  }

  void draw(const std::string& suite, const std::vector<Drawing>& drawings) {
    for (const Figure& figure : draw_figures(suite, drawings, layout_.plots, folder_, gnuplot_)) {
      std::vector<std::string> endings;
      if (figure.svg) endings.push_back("svg");
      if (figure.png) endings.push_back("png");
      const std::string first = figure.notes.empty() ? "" : figure.notes.front();
      std::error_code ignored;
      if (fs::exists(folder_ / (figure.stem + ".dat"), ignored)) {
        ++drawings_;
        if (!figure.svg) ++missing_;
        endings.push_back("dat");
        text_ += fmt::format("  {}: {}{}\n", figure.stem, fmt::join(endings, ", "), figure.svg ? "" : ": " + first);
      } else {
        text_ += fmt::format("  {}: {}\n", figure.stem, first);
      }
    }
  }

  std::string end() const {
    if (missing_ > 0) throw Error(fmt::format("{}draw figures: {} of {} were not drawn", text_, missing_, drawings_));
    return text_;
  }

 private:
  const Layout& layout_;
  Gnuplot gnuplot_;
  fs::path folder_;
  std::string text_;
  std::size_t drawings_ = 0, missing_ = 0;
};

void draw_published(Gallery& gallery, const Layout& layout) {
  const Toolbox toolbox = Toolbox::load(layout.data / "tools.toml");
  for (const std::string& name : suite_names(layout.data)) {
    const Plan plan = make_plan({load_suite(layout.data, name, toolbox)}, {});
    const PlannedSuite& suite = plan.suites.at(0);
    if (!suite.experiment.published) continue;
    gallery.draw(name, published_drawings(suite, published_of(suite.experiment, layout)));
  }
}

void draw_measured(Gallery& gallery, const fs::path& results, const Layout& layout) {
  const Findings found = read_findings(results, layout);
  for (std::size_t index = 0; index < found.stored.plan.suites.size(); ++index) {
    const PlannedSuite& suite = found.stored.plan.suites[index];
    gallery.draw(suite.experiment.name, suite_drawings(suite, found.results[index], found.checks(index),
                                                       published_of(suite.experiment, layout)));
  }
}

}  // namespace

std::string draw_gallery(const Layout& layout) {
  Gallery gallery(layout);
  const fs::path folder = layout.results / "plots", reference = layout.results / "reference";
  gallery.begin("Published figures, as their authors gave them", folder / "published");
  draw_published(gallery, layout);
  if (!fs::exists(reference / "samples.csv")) return gallery.end();
  gallery.begin(fmt::format("Figures of {}", reference.string()), folder / "reference");
  draw_measured(gallery, reference, layout);
  return gallery.end();
}

std::string draw_results(const fs::path& results, const Layout& layout) {
  if (!fs::exists(results / "plan.json")) throw Error(fmt::format("draw figures: {} holds no results", results.string()));
  Gallery gallery(layout);
  gallery.begin(fmt::format("Figures of {}", results.string()), results / "plots");
  draw_measured(gallery, results, layout);
  return gallery.end();
}

}  // namespace iobench
