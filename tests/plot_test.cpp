// SPDX-License-Identifier: MIT
// Figures: what is drawn, where names stand, and gnuplots that are missing, fail, hang or lack terminals. The real one
// is tried with every awkward label when it is installed.
#include "plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "catch.h"
#include "golden.h"
#include "made_up.h"
#include "made_up_originals.h"
#include "scratch.h"
#include "sweep.h"

using namespace iobench;

namespace fs = std::filesystem;

namespace {

MadeUp made_up_suites() {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  add_buffer_sweep(made);
  add_perlman(made);
  return made;
}

const std::optional<PublishedTable> perlman{
    PublishedTable{{},
                   {"program", "total_s"},
                   {{"fgetputc", "2.3"}, {"getputc", "0.8"}, {"freadwrite", "1.2"}, {"readwrite", "0.1"}}}};

std::vector<Drawing> drawings_of(const MadeUp& made, std::size_t suite,
                                 const std::set<std::string>& moves_nothing = {}) {
  const std::vector<SuiteResult> results = summarize_results(made.plan, made.samples, made.checks, moves_nothing);
  return suite_drawings(made.plan.suites.at(suite), results.at(suite), made.checks.at(suite), perlman);
}

fs::path scripts() {
  return fs::path(std::getenv("IOBENCH_ROOT")) / "plots";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t data_lines(const Drawing& drawing) {
  const std::vector<std::string> lines = lines_of(drawing.data);
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(), [](const std::string& line) { return !line.empty() && line[0] != '#'; }));
}

bool has_note(const Figure& figure, const std::string& part) {
  return std::any_of(figure.notes.begin(), figure.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

// A gnuplot that knows its terminals and then does `drawing`; $4 is the terminal, $5 the picture.
std::string fake(const std::string& terminals, const std::string& drawing) {
  return "case \"$2\" in\n-e) case \"$3\" in " + terminals + ") exit 0;; *) exit 1;; esac;;\nesac\n" + drawing;
}
constexpr const char* all_terminals = "'set terminal pngcairo'|'set terminal png'|'set terminal svg'";

std::vector<Figure> draw_with(const fs::path& gnuplot, const Scratch& scratch, double timeout_s = 20) {
  Gnuplot program(gnuplot, timeout_s);
  return draw_figures("perlman-1985", drawings_of(made_up_suites(), 1), scripts(), scratch.path(), program);
}

constexpr const char* stem = "perlman-1985-cpu";

}  // namespace

namespace {

// A drawing as text; the last digits of exp and log are the C library's own.
std::string golden_text(const Drawing& drawing) {
  std::string text = drawing.title + "\n" + drawing.subtitle + "\n" + drawing.x_label + "\n" + drawing.y_label + "\n";
  for (const std::string& line : lines_of(drawing.numbers + "\n" + drawing.data)) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      try {
        word = format_fixed(parse_number(word), 6);
      } catch (const Error&) {
      }
      text += word + " ";
    }
    text += "\n";
  }
  return text;
}

std::vector<Drawing> drawings_of(const MadeUpOriginal& original) {
  const MadeUp& made = original.made;
  const std::vector<SuiteResult> results = summarize_results(made.plan, made.samples, made.checks);
  return suite_drawings(made.plan.suites.at(0), results.at(0), made.checks.at(0), original.published);
}

std::vector<Drawing> published_of(const MadeUpOriginal& original) {
  return published_drawings(original.made.plan.suites.at(0), original.published);
}

}  // namespace

TEST_CASE("golden: the data of a sweep and of bars") {
  const MadeUp made = made_up_suites();
  std::string text;
  for (std::size_t suite = 0; suite < 2; ++suite)
    for (const Drawing& drawing : drawings_of(made, suite)) text += golden_text(drawing);
  check_golden("figures.txt", text);
}

TEST_CASE("golden: the figures of the originals, with ours and by themselves") {
  std::string text;
  for (const std::string& name : originals()) {
    const MadeUpOriginal made = original(name);
    for (const Drawing& drawing : drawings_of(made)) text += golden_text(drawing);
    for (const Drawing& drawing : published_of(made)) text += golden_text(drawing);
  }
  check_golden("originals-figures.txt", text);
}

namespace {

// A fit of one sink and cache of the made-up sweep, which costs what calls and bytes cost.
Drawing fit_of(MadeUp made, const std::string& group) {
  PlannedSuite& suite = made.plan.suites[0];
  for (PlannedRow& row : suite.rows) row.row.values.push_back({"ends", suite.groups[row.group].name});
  PlotSpec plot;
  plot.name = "fit";
  plot.kind = "fit";
  plot.title = "What bytes cost and what calls cost";
  plot.x = "block";
  plot.y = "wall";
  if (!group.empty()) plot.only = "ends=output=" + group;
  suite.experiment.plots = {plot};
  return drawings_of(made, 0).at(0);
}

// The fields of a data file's line that begins with `x`.
std::vector<std::string> data_line(const Drawing& drawing, const std::string& x) {
  for (const std::string& line : lines_of(drawing.data))
    if (line.starts_with(x + "\t")) {
      std::vector<std::string> fields;
      std::istringstream in(line);
      for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
      return fields;
    }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("names beside the lines of a logarithmic axis stay inside and apart") {
  MadeUp made = made_up_suites();
  made.plan.suites[0].experiment.plots[0].log = true;
  const Drawing drawing = drawings_of(made, 0).at(0);
  std::istringstream words(drawing.numbers);
  std::vector<double> numbers;
  for (std::string word; words >> word;) numbers.push_back(parse_number(word));
  REQUIRE(numbers.size() == 9 + 4 + 4);
  const double begin = numbers[4], end = numbers[5];
  CHECK(begin > 0.3);
  CHECK(begin < 0.517914);  // below the lowest whisker
  CHECK(numbers[6] == 1);
  CHECK(numbers[8] > 1);
  std::vector<double> heights;
  for (const std::string& line : lines_of(drawing.data))
    if (line.starts_with("5347393")) {
      std::istringstream fields(line);
      std::string x, y;
      fields >> x >> y;
      heights.push_back(std::log(parse_number(y) / begin) / std::log(end / begin));
    }
  std::sort(heights.begin(), heights.end());
  REQUIRE(heights.size() == 4 + 4);
  CHECK(heights.front() >= 0);
  CHECK(heights.back() <= 1);
  for (std::size_t i = 1; i < heights.size(); ++i) CHECK(heights[i] - heights[i - 1] > 0.0419);
}

TEST_CASE("a fit's figure tells fitted, held-out and other sizes apart, and says how well it fits") {
  const Drawing drawing = fit_of(made_up_suites(), "null-warm");
  CHECK(drawing.note.empty());
  CHECK(drawing.y_label == "time per MiB (µs)");
  CHECK(contains(drawing.subtitle, "\nmedian of 11 rounds"));
  CHECK(contains(drawing.subtitle, "\nfit: 65."));
  CHECK(contains(drawing.subtitle, " ns a byte; held-out sizes missed by 1."));
  const std::vector<std::string> small = data_line(drawing, "512"), next = data_line(drawing, "1024"),
                                 large = data_line(drawing, "1048576");
  REQUIRE(small.size() == 9);
  // 4096 calls of 65 ns and a MiB at 14.9 GB/s.
  CHECK(parse_number(small[1]) == Approx(4096 * 0.065 + 1048576 / 14900.0).epsilon(0.03));
  CHECK(small[5] == "0");
  CHECK(next[5] == "1");
  CHECK(large[5] == "2");
  CHECK(std::fabs(parse_number(next[6])) < 3);
  CHECK(parse_number(next[7]) < parse_number(next[6]));
  CHECK(parse_number(next[8]) > parse_number(next[6]));
  // The curve has both its parts, and meets the bytes alone at the right.
  CHECK(contains(drawing.data, "\n\n\n# the fit"));
  CHECK(drawing.numbers.starts_with("512 4194304 "));
}

TEST_CASE("a fit that misses says so, and one that cannot be made has no curve") {
  MadeUp made = made_up_suites();
  for (Sample& sample : made.samples)
    if (sample.row == "pipe-warm-16K") sample.wall_s = *sample.wall_s * 1.3;
  const Drawing missed = fit_of(made, "pipe-warm");
  CHECK(contains(missed.subtitle, "\nno fit: a time per system call and per byte misses too much"));
  CHECK(contains(missed.subtitle, "(limit 10 %)"));

  for (RowCheck& check : made.checks[0]) check.calls_per_mib = -1;
  const Drawing none = fit_of(made, "pipe-warm");
  CHECK(none.note == "fewer than two block sizes with counted calls");
  CHECK(none.omitted.size() == 14);
  CHECK(contains(none.omitted.at(0), "its calls were not counted"));

  CHECK(fit_of(made_up_suites(), "").note == "its rows are of 4 sweeps over block sizes: 'only' must choose one");
  made.samples.clear();
  CHECK(fit_of(made, "pipe-warm").note == "no tool with 3 or more measured block sizes");
}

TEST_CASE("a published figure that is beside rows of several series is drawn once, with its error") {
  const Drawing drawing = drawings_of(original("openjdk-2022")).at(0);
  CHECK(drawing.omitted.empty());
  CHECK(drawing.y_label == "streams of 1 MiB a second");
  CHECK(drawing.x_label == "transfer buffer (bytes)");
  CHECK(contains(drawing.subtitle, "; published whiskers: what the published error leaves open"));
  std::size_t published = 0;
  for (const std::string& line : lines_of(drawing.data))
    if (line.ends_with("\"published\"") && line.find("\t1349.929\t1302.87") != std::string::npos) ++published;
  CHECK(published == 1);
  CHECK(data_lines(drawing) == 3 + 9 + 9 + 5);
}

TEST_CASE("a published figure in another unit stands on our axis, in the colour of its series") {
  const Drawing drawing = drawings_of(original("bradshaw-1999")).at(0);
  // Four series: written, read, and what was published of each; the marks are the records' sizes.
  CHECK(drawing.numbers.starts_with("4 32 37000 "));
  CHECK(drawing.numbers.ends_with(" 1 2 21 22 32 528 4112 37000"));
  CHECK(drawing.y_label == "throughput (MB/s)");
  CHECK(contains(drawing.data, "37000\t100\t100\t100\t\"published\""));
  CHECK(contains(drawing.data, "\t\"read, published\"\n"));
}

TEST_CASE("bars stand in groups, less their control, with the published lines behind them") {
  const Drawing drawing = drawings_of(original("nutter-2008")).at(0);
  CHECK(drawing.y_label == "wall time over the control, a file (µs)");
  CHECK_FALSE(contains(drawing.data, "\"none\""));
  for (const char* name : {"\"same-name\"", "\"new-name\"", "\"published\"", "\"jruby, copy_stream\"", "\"446 µs\""})
    CHECK(contains(drawing.data, name));
  // Six methods and two published lines in three groups of 0.8 more.
  CHECK(drawing.numbers.starts_with("10.4 1 2 3 0 0 "));
  CHECK(drawing.omitted.empty());
}

TEST_CASE("bars of throughput say their share of the limit, and have it drawn where it is on the axis") {
  MadeUp made = made_up_suites();
  PlotSpec& plot = made.plan.suites[0].experiment.plots[0];
  plot.kind = "bars";
  plot.x = "label";
  const Drawing drawing = drawings_of(made, 0).at(0);
  CHECK(contains(drawing.data, "\"15.0 GB/s, 109 % of one copy\""));
  CHECK(contains(drawing.data, "GB/s, 79 % of device read\""));
  CHECK(drawing.numbers.ends_with(" 0 0 3"));
  CHECK(contains(drawing.data, "\n\n# limits\n"));
  CHECK(contains(drawing.data, "\t\"two copies, shared\"\n"));
  made.plan.suites[0].experiment.plots[0].only = "output=pipe";  // far below its limit
  for (Sample& sample : made.samples)
    if (sample.row.starts_with("limit/")) sample.wall_s = *sample.wall_s / 10;
  CHECK(drawings_of(made, 0).at(0).numbers.ends_with(" 0 0 0"));
  std::erase_if(made.samples, [](const Sample& sample) { return sample.row.starts_with("limit/"); });
  CHECK_FALSE(contains(drawings_of(made, 0).at(0).data, " % of "));
}

TEST_CASE("a difference below zero is a bar to the left") {
  MadeUpOriginal made = original("nutter-2008");
  for (Sample& sample : made.made.samples)
    if (sample.row == "new-name-stdio") sample.wall_s = *sample.wall_s / 10;
  const Drawing drawing = drawings_of(made).at(0);
  const std::vector<std::string> numbers = [&] {
    std::istringstream words(drawing.numbers);
    return std::vector<std::string>(std::istream_iterator<std::string>(words), {});
  }();
  CHECK(parse_number(numbers.at(5)) < 0);
}

TEST_CASE("a rounded published ratio says what it may stand for") {
  MadeUp made = made_up_suites();
  made.plan.suites[1].experiment.published->rounding = {{"total_s", 0.05}};
  const Drawing drawing = drawings_of(made, 1).at(0);
  CHECK(contains(drawing.data, "\"23× (15 to 47)\""));
  CHECK(contains(drawing.data, "\"8.0× (5.0 to 17)\""));
  CHECK(contains(drawing.subtitle, "; published whiskers: what rounding leaves open"));
}

TEST_CASE("the published figures are drawn by themselves, each once, without a sample") {
  MadeUp made = made_up_suites();
  made.samples.clear();
  PlannedSuite& suite = made.plan.suites[1];
  suite.experiment.plots.push_back(suite.experiment.plots[0]);  // of the small copies: the same published figures
  suite.experiment.plots[1].only = "size=38123";
  std::optional<PublishedTable> figures = perlman;
  figures->notes = {"Gary Perlman, 1985: a text file"};
  const std::vector<Drawing> drawings = published_drawings(suite, figures);
  REQUIRE(drawings.size() == 1);
  CHECK(drawings[0].title == "As published: Gary Perlman, 1985");
  CHECK(drawings[0].subtitle == "a text file");
  CHECK(drawings[0].name == "published");
  CHECK(drawings[0].note.empty());
  CHECK(contains(drawings[0].data, "\"23.0×\""));
  CHECK(published_drawings(made.plan.suites[0], std::nullopt).empty());
  CHECK(published_drawings(suite, std::nullopt).at(0).note == "no published figure to draw");
}

TEST_CASE("rows without a valid figure are left out, each with its reason", "[B112]") {
  MadeUp made = made_up_suites();
  for (Sample& sample : made.samples) {
    if (sample.row == "null-warm-4K") sample.status = "failed";
    if (sample.row == "null-warm-8K") sample.wall_s = 0;
  }
  made.plan.suites[0].rows[0].row.values = {{"block", "0"}};
  made.plan.suites[0].rows[1].row.values = {{"block", "large"}};
  const Drawing drawing = drawings_of(made, 0).at(0);
  CHECK(drawing.omitted == std::vector<std::string>{"null-warm-512: its block has no place on a logarithmic axis",
                                                    "null-warm-1K: its block is not a size",
                                                    "null-warm-4K: no valid sample", "null-warm-8K: no valid sample"});
  CHECK(data_lines(drawing) == 4 + 4 + 4 * 14 - 4);
  CHECK(drawing.note.empty());
}

TEST_CASE("a figure of nothing is a note", "[B112]") {
  MadeUp made = made_up_suites();
  made.samples.clear();
  for (const std::size_t suite : {std::size_t{0}, std::size_t{1}}) {
    const Drawing drawing = drawings_of(made, suite).at(0);
    CHECK(drawing.note == "no valid sample to draw");
    CHECK(drawing.data.empty());
  }
}

TEST_CASE("tools that move nothing are not drawn beside copies") {
  const Drawing drawing = drawings_of(made_up_suites(), 1, {"getputc"}).at(0);
  REQUIRE(drawing.omitted.size() == 1);
  CHECK(drawing.omitted[0] == "getputc: it moves no data into the null device");
}

TEST_CASE("an unknown kind of figure is an error") {
  MadeUp made = made_up_suites();
  made.plan.suites[1].experiment.plots[0].kind = "pie";
  CHECK_THROWS_AS(drawings_of(made, 1), Error);
}

TEST_CASE("names beside lines keep their distance and stay inside") {
  CHECK(spread_labels({}, 1, 0, 10).empty());
  CHECK(spread_labels({5, 2}, 1, 0, 10) == std::vector<double>{5, 2});
  CHECK(spread_labels({5, 5, 5}, 1, 0, 10) == std::vector<double>{5, 6, 7});
  CHECK(spread_labels({10, 10, 9.5}, 1, 0, 10) == std::vector<double>{9, 10, 8});
  CHECK(spread_labels({-3}, 1, 0, 10) == std::vector<double>{0});
}

TEST_CASE("figure texts hold nothing that gnuplot or SVG would interpret", "[B105]") {
  CHECK(figure_text("a\nb") == "a b");
  CHECK(figure_text("\"x\"") == "”x”");
  CHECK(figure_text("&#x20;") == "& #x20;");
  CHECK(figure_text("abcdef", 4) == "abc…");
  CHECK(data_text("a\\n\"") == "\"a\\\\n”\"");
}

TEST_CASE("file names are safe and different for different names", "[B107]") {
  CHECK(file_stem("buffer-sweep") == "buffer-sweep");
  const std::vector<std::string> names{"a/b", "a-b", "../x", ".", "", std::string(300, 'x'), std::string(301, 'x'),
                                       "a b", "ü",   "x\n"};
  std::set<std::string> stems;
  for (const std::string& name : names) {
    const std::string made = file_stem(name);
    INFO(name << " -> " << made);
    CHECK(made.size() <= 100);
    CHECK(made.find_first_of("/\n ") == std::string::npos);
    CHECK(made[0] != '.');
    CHECK(stems.insert(made).second);
  }
}

TEST_CASE("without gnuplot the data are written and the reason is told", "[B110]") {
  const Scratch scratch;
  scratch.file(std::string(stem) + ".svg", "of an earlier report");
  const Figure figure = draw_with("", scratch).at(0);
  CHECK(figure.stem == stem);
  CHECK_FALSE(figure.svg);
  CHECK_FALSE(figure.png);
  CHECK(has_note(figure, "gnuplot was not found"));
  CHECK(scratch.entries() == 1);
  CHECK(fs::file_size(scratch / (std::string(stem) + ".dat")) > 100);
}

TEST_CASE("a picture never takes the place of what is no file, nor is it written through a link", "[B127]") {
  const Scratch scratch, programs;
  const fs::path other = programs.file("other", "kept");
  const fs::path gnuplot = programs.script("gnuplot", fake(all_terminals, "echo drawn > \"$5\""));
  SECTION("a link where the picture goes") {
    fs::create_symlink(other, scratch / (std::string(stem) + ".svg"));
    const Figure figure = draw_with(gnuplot, scratch).at(0);
    CHECK_FALSE(figure.svg);
    CHECK(has_note(figure, "not a regular file"));
    CHECK(fs::is_symlink(scratch / (std::string(stem) + ".svg")));
  }
  SECTION("a link where it is drawn first") {
    fs::create_symlink(other, scratch / (std::string(stem) + ".svg.part"));
    CHECK_FALSE(draw_with(gnuplot, scratch).at(0).svg);
  }
  CHECK(read_file(other) == "kept");
}

TEST_CASE("a gnuplot that fails leaves no picture", "[B110][B112]") {
  const Scratch scratch, programs;
  const auto [drawing, note] = GENERATE(table<std::string, std::string>(
      {{"exit 0", "drew nothing"},
       {": > \"$5\"; exit 0", "drew nothing"},
       {"echo half > \"$5\"; printf '\\nbad\\n   ^\\nline 3: no such thing\\n' >&2; exit 1",
        "status 1: line 3: no such thing"},
       {"echo half > \"$5\"; kill -SEGV $$", "failed with status 139"}}));
  scratch.file(std::string(stem) + ".png", "of an earlier report");
  const Figure figure = draw_with(programs.script("gnuplot", fake(all_terminals, drawing)), scratch).at(0);
  CHECK_FALSE(figure.svg);
  CHECK_FALSE(figure.png);
  INFO(figure.notes.at(0));
  CHECK(has_note(figure, note));
  CHECK(scratch.entries() == 1);  // the data
}

TEST_CASE("a gnuplot that does not answer is waited for once", "[B110]") {
  const Scratch scratch, programs;
  const fs::path log = programs / "log";
  const std::string count = "echo x >> '" + log.string() + "'\n";
  SECTION("when asked for its terminals") {
    const Figure figure = draw_with(programs.script("gnuplot", count + "exec sleep 60"), scratch, 0.3).at(0);
    CHECK(has_note(figure, "did not answer within 0.3 s"));
    CHECK(read_file(log) == "x\n");
  }
  SECTION("when it draws") {
    const Figure figure =
        draw_with(programs.script("gnuplot", fake(all_terminals, count + "exec sleep 60")), scratch, 2).at(0);
    CHECK(has_note(figure, "did not finish within 2 s"));
    CHECK(read_file(log) == "x\n");
  }
  CHECK(scratch.entries() == 1);
}

TEST_CASE("a gnuplot with fewer terminals draws what it can", "[B111]") {
  const Scratch scratch, programs;
  const std::string draws = "echo \"$4\" > \"$5\"";
  SECTION("png for pngcairo") {
    const Figure figure =
        draw_with(programs.script("gnuplot", fake("'set terminal png'|'set terminal svg'", draws)), scratch).at(0);
    CHECK(figure.svg);
    CHECK(figure.png);
    CHECK(read_file(scratch / (std::string(stem) + ".png")) == "png\n");
    CHECK(has_note(figure, "lacks pngcairo"));
  }
  SECTION("only svg") {
    const Figure figure = draw_with(programs.script("gnuplot", fake("'set terminal svg'", draws)), scratch).at(0);
    CHECK(figure.svg);
    CHECK_FALSE(figure.png);
    CHECK(has_note(figure, "neither pngcairo nor png"));
  }
  SECTION("none") {
    const Figure figure = draw_with(programs.script("gnuplot", "exit 1"), scratch).at(0);
    CHECK_FALSE(figure.svg);
    CHECK(has_note(figure, "refuses its svg terminal"));
  }
}

TEST_CASE("gnuplot gets texts as arguments, its own defaults and the C locale", "[B108]") {
  const Scratch scratch, programs;
  const fs::path log = programs / "log";
  const std::string draws = "printf '%s\\n' \"$LC_ALL\" \"$@\" >> '" + log.string() + "'\necho x > \"$5\"";
  draw_with(programs.script("gnuplot", fake(all_terminals, draws)), scratch);
  const std::vector<std::string> words = lines_of(read_file(log));
  REQUIRE(words.size() > 8);
  CHECK(words[0] == "C");
  CHECK(words[1] == "-d");
  CHECK(words[2] == "-c");
  CHECK(words[3] == (scripts() / "bars.gp").string());
  CHECK(words[4] == "svg");
  CHECK(words[5] == (scratch / (std::string(stem) + ".svg.part")).string());
  CHECK(words[7] == "CPU of a copy, as a multiple of readwrite's");
}

TEST_CASE("figures of equal names get files of their own", "[B107]") {
  const Scratch scratch;
  MadeUp made = made_up_suites();
  auto& plots = made.plan.suites[1].experiment.plots;
  plots.push_back(plots[0]);
  Gnuplot none("");
  const std::vector<Figure> figures =
      draw_figures("perlman-1985", drawings_of(made, 1), scripts(), scratch.path(), none);
  CHECK(figures.at(1).stem == std::string(stem) + "-2");
  CHECK(scratch.entries() == 2);
}

namespace {

bool is_well_formed(const std::string& svg) {
  // Elements nest and end; text holds no bare '<' or '&'. Enough of XML for what gnuplot writes.
  std::vector<std::string> open;
  for (std::size_t at = 0; at < svg.size();) {
    if (svg[at] == '&') {
      const std::size_t end = svg.find(';', at);
      if (end == std::string::npos || end - at > 6) return false;
      at = end;
    } else if (svg[at] == '<') {
      const bool comment = svg.compare(at, 4, "<!--") == 0;
      const std::size_t end = comment ? svg.find("-->", at) : svg.find('>', at);
      if (end == std::string::npos) return false;
      const std::string tag = svg.substr(at + 1, end - at - 1);
      if (tag[0] == '/') {
        if (open.empty() || open.back() != tag.substr(1, tag.find_first_of(" \n\t") - 1)) return false;
        open.pop_back();
      } else if (tag[0] != '?' && tag[0] != '!' && tag.back() != '/') {
        open.push_back(tag.substr(0, tag.find_first_of(" \n\t")));
      }
      at = end;
    }
    ++at;
  }
  return open.empty();
}

bool skipped_without_gnuplot() {
  if (!find_program("gnuplot").empty()) return false;
  WARN("skipped: gnuplot is not installed");
  return true;
}

// A blank PNG of 1200 by 563 or 750 pixels has 4 to 9 KB (gnuplot 5.4, cairo 1.16); the figures have over 30.
constexpr std::uintmax_t smallest_figure_bytes = 15000;

void check_pictures(const fs::path& folder, const Figure& figure) {
  INFO(figure.stem << ": " << (figure.notes.empty() ? "" : figure.notes[0]));
  REQUIRE(figure.svg);
  const std::string svg = read_file(folder / (figure.stem + ".svg"));
  CHECK(svg.find("<svg") != std::string::npos);
  CHECK(is_well_formed(svg));
  if (!figure.png) return;
  const std::string png = read_file(folder / (figure.stem + ".png"));
  CHECK(png.starts_with("\x89PNG\r\n\x1a\n"));
  CHECK(png.size() > smallest_figure_bytes);
}

}  // namespace

TEST_CASE("the real gnuplot draws every figure, the same samples to the same bytes") {
  if (skipped_without_gnuplot()) return;
  const Scratch one, two;
  Gnuplot gnuplot(find_program("gnuplot"));
  const MadeUp made = made_up_suites();
  for (const std::size_t suite : {std::size_t{0}, std::size_t{1}})
    for (const Scratch* scratch : {&one, &two})
      for (const Figure& figure : draw_figures(made.plan.suites[suite].experiment.name, drawings_of(made, suite),
                                               scripts(), scratch->path(), gnuplot))
        check_pictures(scratch->path(), figure);
  CHECK(one.entries() == 6);
  for (const char* name : {"buffer-sweep-throughput.svg", "perlman-1985-cpu.svg"})
    CHECK(read_file(one / name) == read_file(two / name));
}

TEST_CASE("the real gnuplot draws the originals, with ours and by themselves, the same samples to the same bytes") {
  if (skipped_without_gnuplot()) return;
  const Scratch one, two;
  Gnuplot gnuplot(find_program("gnuplot"));
  for (const std::string& name : originals()) {
    const MadeUpOriginal made = original(name);
    std::vector<Drawing> drawings = drawings_of(made);
    for (const Drawing& drawing : published_of(made)) drawings.push_back(drawing);
    REQUIRE(drawings.size() == 2);
    for (const Figure& figure : draw_figures(name, drawings, scripts(), one.path(), gnuplot)) {
      check_pictures(one.path(), figure);
      draw_figures(name, drawings, scripts(), two.path(), gnuplot);
      CHECK(read_file(one / (figure.stem + ".svg")) == read_file(two / (figure.stem + ".svg")));
    }
  }
  CHECK(one.entries() == 4 * 2 * 3);
}

TEST_CASE("the real gnuplot shows awkward labels literally and runs nothing", "[B105]") {
  if (skipped_without_gnuplot()) return;
  const Scratch scratch;
  const std::string trap = (scratch / "trap").string();
  const std::vector<std::string> names{"it's",
                                       "say \"hi\"",
                                       "back\\slash\\n",
                                       "`touch " + trap + "`",
                                       "$(touch " + trap + ")",
                                       "%d %s %%",
                                       "{/=30 x}^2_3",
                                       "a|b",
                                       "two\nlines",
                                       "<b>&amp;&#x0;</b>",
                                       "# x",
                                       "@macro",
                                       "'; system('touch " + trap + "') #",
                                       "",
                                       "bad \xff",
                                       "–ü🙂"};
  // A results folder of such a name too.
  const fs::path folder = scratch / "it's a \"$HOME\" `x` folder";
  fs::create_directory(folder);
  Gnuplot gnuplot(find_program("gnuplot"));
  MadeUp made = made_up_suites();
  std::size_t drawn = 0;
  for (const std::string& name : names) {
    for (PlannedSuite& suite : made.plan.suites) {
      suite.experiment.plots[0].title = name;
      suite.experiment.plots[0].name = name;
      suite.experiment.plots[0].series = {"output", "odd"};
      for (PlannedRow& row : suite.rows) {
        row.row.label = name;
        std::erase_if(row.row.values, [](const auto& pair) { return pair.first == "odd"; });
        row.row.values.push_back({"odd", name});
      }
    }
    for (const std::size_t suite : {std::size_t{0}, std::size_t{1}})
      for (const Figure& figure : draw_figures(made.plan.suites[suite].experiment.name, drawings_of(made, suite),
                                               scripts(), folder, gnuplot)) {
        INFO("label " << name);
        check_pictures(folder, figure);
        ++drawn;
      }
  }
  CHECK(drawn == 2 * names.size());
  CHECK_FALSE(fs::exists(trap));
  // Shown as they are: the quote as a typographic one, the rest literally.
  const std::string svg = read_file(folder / ("perlman-1985-" + file_stem("{/=30 x}^2_3") + ".svg"));
  CHECK(svg.find("{/=30 x}^2_3") != std::string::npos);
  const std::string backslash = read_file(folder / ("perlman-1985-" + file_stem("back\\slash\\n") + ".svg"));
  CHECK(std::count(backslash.begin(), backslash.end(), '\\') == 2 * 7);  // the title, four rows, and their group's name, which gnuplot writes again over its box
}

TEST_CASE("the real gnuplot draws a fit, one that misses and sizes too few for one") {
  if (skipped_without_gnuplot()) return;
  const Scratch scratch;
  Gnuplot gnuplot(find_program("gnuplot"));
  MadeUp made = made_up_suites();
  SECTION("a fit") {}
  SECTION("one that misses") {
    for (Sample& sample : made.samples)
      if (sample.row == "null-warm-16K") sample.wall_s = *sample.wall_s * 1.3;
  }
  SECTION("three sizes") {
    std::erase_if(made.samples, [](const Sample& sample) {
      return sample.row != "null-warm-16K" && sample.row != "null-warm-64K" && sample.row != "null-warm-1M";
    });
  }
  const Drawing drawing = fit_of(made, "null-warm");
  CHECK(drawing.note.empty());
  for (const Figure& figure : draw_figures("buffer-sweep", {drawing}, scripts(), scratch.path(), gnuplot)) {
    check_pictures(scratch.path(), figure);
    CHECK_FALSE(contains(figure.caption, "\n"));
  }
}

TEST_CASE("the real gnuplot draws one point, equal values and long names", "[B112]") {
  if (skipped_without_gnuplot()) return;
  const Scratch scratch;
  Gnuplot gnuplot(find_program("gnuplot"));
  MadeUp made = made_up_suites();
  SECTION("one point") {
    std::erase_if(made.samples, [](const Sample& sample) {
      return (sample.suite == "buffer-sweep" && sample.row != "null-warm-64K") ||
             (sample.suite != "buffer-sweep" && sample.row != "readwrite");
    });
  }
  SECTION("equal values") {
    for (Sample& sample : made.samples) sample.wall_s = sample.user_s = sample.system_s = 1.0;
  }
  SECTION("long names") {
    for (PlannedSuite& suite : made.plan.suites) {
      suite.experiment.plots[0].series = {"label"};
      for (PlannedRow& row : suite.rows) row.row.label += std::string(300, 'm');
    }
  }
  for (const std::size_t suite : {std::size_t{0}, std::size_t{1}})
    for (const Figure& figure : draw_figures(made.plan.suites[suite].experiment.name, drawings_of(made, suite),
                                             scripts(), scratch.path(), gnuplot))
      check_pictures(scratch.path(), figure);
}
