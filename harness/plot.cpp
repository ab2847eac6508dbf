// SPDX-License-Identifier: MIT
// gnuplot is given paths that begin with a slash (to it "|x" and "<x" are commands, "-" is its input), the C locale and
// no start-up file of the user, so that the same samples give the same picture.
#include "plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "bars.h"
#include "digest.h"
#include "fit_plot.h"
#include "grid.h"
#include "pairs_plot.h"
#include "sweep.h"
#include "system.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

// gnuplot's last line says what is wrong; those before it quote the script.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.find_last_of('\n', end);
  return printable(
      text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1) + 1));
}

void remove_picture(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(fs::symlink_status(path, ignored))) fs::remove(path, ignored);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

bool is_filled(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(fs::symlink_status(path, failed)) && fs::file_size(path, failed) > 0 && !failed;
}

SpawnOptions quiet(double timeout_s) {
  SpawnOptions options;
  options.environment = {"LC_ALL=C", "GNUTERM="};
  options.timeout_s = timeout_s;
  options.capture_limit_bytes = 1 << 16;
  return options;
}

}  // namespace

Gnuplot::Gnuplot(fs::path program, double timeout_s) : program_(std::move(program)), timeout_s_(timeout_s) {
  if (program_.empty()) {
    why_not_ = "gnuplot was not found; `make setup` installs it";
    return;
  }
  for (const char* terminal : {"pngcairo", "png"})
    if (why_not_.empty() && png_terminal_.empty() && has_terminal(terminal)) png_terminal_ = terminal;
  if (why_not_.empty() && !has_terminal("svg") && why_not_.empty()) why_not_ = "gnuplot refuses its svg terminal";
}

bool Gnuplot::has_terminal(const std::string& terminal) {
  try {
    const Finished asked = run_command({program_.string(), "-d", "-e", "set terminal " + terminal}, quiet(timeout_s_));
    if (asked.timed_out) why_not_ = fmt::format("gnuplot did not answer within {} s", timeout_s_);
    if (asked.interrupted) why_not_ = "interrupted before gnuplot could draw; `iobench report` draws again";
    return asked.status == 0;
  } catch (const Error& error) {
    why_not_ = error.what();
    return false;
  }
}

std::string Gnuplot::draw(const fs::path& script, const std::string& terminal, const fs::path& picture,
                          const fs::path& data, const Drawing& drawing) {
  if (!why_not_.empty()) return why_not_;
  const fs::path part = picture.string() + ".part";
  remove_picture(part);
  for (const fs::path& taken : {picture, part})  // gnuplot would write through a link, and a rename would remove it
    if (is_there(taken)) return fmt::format("write {}: it exists and is not a regular file", taken.string());
  std::string trouble;
  try {
    const Finished drawn = run_command({program_.string(), "-d", "-c", fs::absolute(script).string(), terminal,
                                        fs::absolute(part).string(), fs::absolute(data).string(), drawing.title,
                                        drawing.subtitle, drawing.x_label, drawing.y_label, drawing.numbers},
                                       quiet(timeout_s_));
    if (drawn.timed_out)
      trouble = why_not_ = fmt::format("gnuplot did not finish within {} s", timeout_s_);
    else if (drawn.interrupted)
      trouble = why_not_ = "interrupted before gnuplot could draw; `iobench report` draws again";
    else if (drawn.status != 0)
      trouble = fmt::format("gnuplot failed with status {}: {}", drawn.status, last_line(drawn.err));
    else if (!is_filled(part))
      trouble = "gnuplot ended well but drew nothing";
  } catch (const Error& error) {
    trouble = error.what();
  }
  std::error_code failed;
  if (trouble.empty()) fs::rename(part, picture, failed);
  if (failed) trouble = fmt::format("rename {}: {}", part.string(), failed.message());
  if (!trouble.empty()) remove_picture(part);
  return trouble;
}

std::vector<Drawing> suite_drawings(const PlannedSuite& suite, const SuiteResult& result,
                                    const std::vector<RowCheck>& checks, const std::optional<PublishedTable>& published) {
  std::vector<Drawing> drawings;
  for (const PlotSpec& spec : suite.experiment.plots) {
    FigureSource source(suite, result, published, spec);
    if (spec.kind == "sweep")
      drawings.push_back(draw_sweep(std::move(source)));
    else if (spec.kind == "bars")
      drawings.push_back(draw_bars(std::move(source)));
    else if (spec.kind == "pairs")
      drawings.push_back(draw_pairs(source));
    else if (spec.kind == "fit")
      drawings.push_back(draw_fit(std::move(source), checks));
    else
      throw Error(fmt::format("{}: figure '{}' is of unknown kind '{}'", suite.experiment.name, spec.name, spec.kind));
  }
  return drawings;
}

namespace {

// What is drawn, whatever it is called: the data without their comments.
std::string drawn_by(const Drawing& drawing) {
  std::string text = drawing.kind + "\n" + drawing.numbers;
  for (std::size_t at = 0; at < drawing.data.size();) {
    const std::size_t end = std::min(drawing.data.find('\n', at), drawing.data.size());
    if (drawing.data[at] != '#') text += "\n" + drawing.data.substr(at, end - at);
    at = end + 1;
  }
  return text;
}

}  // namespace

std::vector<Drawing> published_drawings(const PlannedSuite& suite, const std::optional<PublishedTable>& published) {
  SuiteResult nothing;
  nothing.rows.resize(suite.rows.size());
  nothing.groups.resize(suite.groups.size());
  std::vector<Drawing> drawings;
  std::set<std::string> known;
  for (const PlotSpec& spec : suite.experiment.plots) {
    if (spec.published.empty()) continue;
    FigureSource source(suite, nothing, published, spec, Shown::published);
    Drawing drawing = spec.kind == "sweep" ? draw_sweep(std::move(source)) : draw_bars(std::move(source));
    if (known.insert(drawn_by(drawing)).second) drawings.push_back(std::move(drawing));
  }
  return drawings;
}

std::vector<Figure> draw_figures(const std::string& suite, const std::vector<Drawing>& drawings, const fs::path& plots,
                                 const fs::path& directory, Gnuplot& gnuplot) {
  std::vector<Figure> figures;
  std::set<std::string> taken;
  for (const Drawing& drawing : drawings) {
    Figure figure;
    const std::string wanted = file_stem(suite) + "-" + file_stem(drawing.name);
    figure.stem = wanted;
    for (int again = 2; !taken.insert(figure.stem).second; ++again) figure.stem = fmt::format("{}-{}", wanted, again);
    const fs::path data = directory / (figure.stem + ".dat");
    const fs::path svg = directory / (figure.stem + ".svg"), png = directory / (figure.stem + ".png");
    for (const fs::path& stale : {data, svg, png}) remove_picture(stale);
    figure.title = figure.caption = drawing.title;
    if (!drawing.subtitle.empty()) figure.caption += ": " + drawing.subtitle;
    for (std::size_t end; (end = figure.caption.find('\n')) != std::string::npos;) figure.caption.replace(end, 1, "; ");
    if (!drawing.note.empty()) {
      figure.notes.push_back(drawing.note);
    } else {
      replace_file(data, drawing.data);
      const fs::path script = plots / (drawing.kind + ".gp");
      const std::string no_svg = gnuplot.draw(script, "svg", svg, data, drawing);
      figure.svg = no_svg.empty();
      if (!figure.svg) figure.notes.push_back("no picture: " + no_svg);
      const std::string no_png = gnuplot.png_terminal().empty()
                                     ? "gnuplot has neither pngcairo nor png"
                                     : gnuplot.draw(script, gnuplot.png_terminal(), png, data, drawing);
      figure.png = no_png.empty();
      if (figure.svg && !figure.png) figure.notes.push_back("only SVG: " + no_png);
      if (figure.png && gnuplot.png_terminal() == "png")
        figure.notes.push_back("this gnuplot lacks pngcairo: the PNG is drawn by its plainer png terminal");
    }
    figure.notes.insert(figure.notes.end(), drawing.omitted.begin(), drawing.omitted.end());
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::string file_stem(const std::string& name) {
  constexpr std::size_t longest = 80;
  std::string stem;
  for (const char c : name.substr(0, longest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '-' || (c == '.' && !stem.empty());
    stem += plain ? c : '-';
  }
  if (stem == name && !stem.empty()) return stem;
  Digest digest;
  digest.update(std::as_bytes(std::span(name)));
  return stem + "-" + digest.hex().substr(0, 8);
}

}  // namespace iobench
