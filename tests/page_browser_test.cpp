// SPDX-License-Identifier: MIT
// The page in headless Chromium, where that is installed (Debian's package): nothing on the console, nothing fetched,
// nothing wider than the window, at 360 and 1280 pixels, light and dark. Every check is shown a page that fails it.
#include <fmt/format.h>

#include <cstdlib>
#include <regex>

#include "catch.h"
#include "page.h"
#include "report.h"
#include "scratch.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

fs::path chromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (const fs::path found = find_program(name); !found.empty()) return found;
  WARN("skipped: no chromium is installed");
  return {};
}

class Browser {
 public:
  Browser(const fs::path& program, const Scratch& scratch) : program_(program), scratch_(scratch) {}

  // The document after it was loaded, and in `err` what came to the console. No name leads anywhere.
  Finished load(const std::string& page, bool dark = false) const {
    const fs::path file = scratch_.file("page.html", page);
    SpawnOptions options;
    options.environment = {"HOME=" + scratch_.path().string()};
    options.timeout_s = 60;
    // As root and in containers Chromium has no sandbox of its own; the page is ours.
    return run_command({program_.string(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                        "--disable-background-networking", "--no-first-run", "--hide-scrollbars",
                        "--user-data-dir=" + (scratch_ / "profile").string(), "--host-resolver-rules=MAP * ~NOTFOUND",
                        "--enable-logging=stderr", "--v=0", "--window-size=1400,900",
                        dark ? "--blink-settings=preferredColorScheme=0" : "--blink-settings=preferredColorScheme=1",
                        "--dump-dom", "file://" + file.string()},
                       options);
  }

 private:
  fs::path program_;
  const Scratch& scratch_;
};

bool silent(const Finished& loaded) {
  return loaded.status == 0 && loaded.out.find("</html>") != std::string::npos &&
         loaded.err.find("CONSOLE") == std::string::npos;
}

std::string with(std::string page, const std::string& before, const std::string& added) {
  const std::size_t at = page.rfind(before);
  REQUIRE(at != std::string::npos);
  return page.insert(at, added);
}

// A page to be shown, and how wide.
struct Shown {
  std::string page;
  int width;
};

// A page that shows others in frames of their widths, since a window is never narrower than 500 pixels, and writes of
// each into its own title: the width inside, the width of the content, how many requests were made, whether the scheme
// is dark, the colour of the ground, how many pictures are there. Policies, which would hinder requests, are left out.
std::string measuring(const std::vector<Shown>& all) {
  static const std::regex policy("<meta http-equiv=\"Content-Security-Policy\"[^>]*>");
  std::string frames;
  for (const Shown& shown : all) {
    REQUIRE(std::regex_search(shown.page, policy));
    std::string page = std::regex_replace(shown.page, policy, "");
    page = std::regex_replace(std::regex_replace(page, std::regex("&"), "&amp;"), std::regex("\""), "&quot;");
    frames += fmt::format("<iframe style=\"border: 0; width: {}px; height: 800px\" srcdoc=\"{}\"></iframe>\n",
                          shown.width, page);
  }
  return R"(<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head><body>
)" + frames +
         R"(<script>
addEventListener('load', () => {
  document.title = [...document.querySelectorAll('iframe')].map(({contentWindow: inner}) => [
    inner.innerWidth,
    inner.document.documentElement.scrollWidth,
    inner.performance.getEntriesByType('resource').length,
    inner.matchMedia('(prefers-color-scheme: dark)').matches,
    inner.getComputedStyle(inner.document.body).backgroundColor,
    [...inner.document.images].filter(image => image.naturalWidth > 0).length
  ].join(' ')).join('; ');
});
</script></body></html>
)";
}

std::string measured(const Finished& loaded) {
  static const std::regex title("<title>([^<]*)</title>");
  std::smatch match;
  return std::regex_search(loaded.out, match, title) ? match[1].str()
                                                     : "no title: " + loaded.out.substr(0, 200) + loaded.err;
}

// The report of results/reference, with its figures where there is a gnuplot.
std::string reference_report(const Scratch& scratch) {
  const fs::path root = std::getenv("IOBENCH_ROOT");
  const fs::path results = scratch / "results";
  fs::create_directories(results);
  for (const char* name : {"plan.json", "samples.csv"})
    fs::copy_file(root / "results/reference" / name, results / name);
  write_report(results, {root / "data", root / "plots", "tools", "corpus", "results"});
  return read_file(results / "report.html");
}

// Everything that could be too wide.
std::string awkward_page() {
  const std::string word(400, 'w');
  Table table;
  table.title = word;
  for (int i = 0; i < 20; ++i) table.columns.push_back({"heading " + std::to_string(i), {"x"}, i > 0});
  table.rows = {std::vector<Cell>(20, {"1.234 [1.000, 2.000]", {}}), {{word, {}}}, {{"INCONCLUSIVE: " + word, {}}}};
  table.notes = {word};
  Table verdicts;
  verdicts.columns = {{"claim", {}, false}, {"verdict", {}, false}};
  verdicts.rows = {{{word + " " + word, {}}, {"REFUTED", {}}}};
  const auto picture = [](const std::string&) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"300\"><rect width=\"1200\" "
           "height=\"300\"/></svg>";
  };
  return to_page(
      {Heading{1, word}, Callout{{word}}, Heading{2, word}, Paragraph{word + " `" + word + "`"},
       List{{word, "CONFIRMED: " + word}}, Commands{{word}}, Commands{std::vector<std::string>(20, word)}, table,
       verdicts, FigureBlock{"plots/" + word, word, word, true, false}, FigureBlock{word, word, word, false, false}},
      picture);
}

}  // namespace

TEST_CASE("a browser shows the report without an error, a request or an overflow") {
  const fs::path program = chromium();
  if (program.empty()) return;
  const Scratch scratch;
  const Browser browser(program, scratch);
  const std::string report = reference_report(scratch);
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = report.find("<img ", at)) != std::string::npos; ++at) ++pictures;
  if (find_program("gnuplot").empty())
    WARN("without pictures: gnuplot is not installed");
  else
    CHECK(pictures > 0);

  for (const bool dark : {false, true}) {
    const Finished loaded = browser.load(measuring({{report, 360}, {report, 1280}}), dark);
    INFO(loaded.err);
    CHECK(silent(loaded));
    CHECK(measured(loaded) == fmt::format("360 360 0 {0} {1}; 1280 1280 0 {0} {1}",
                                          dark ? "true rgb(26, 26, 26)" : "false rgb(255, 255, 255)", pictures));
  }
  const Finished as_it_is = browser.load(report);
  INFO(as_it_is.err);
  CHECK(silent(as_it_is));
}

TEST_CASE("a browser keeps whatever is long inside the window") {
  const fs::path program = chromium();
  if (program.empty()) return;
  const Scratch scratch;
  const Browser browser(program, scratch);
  const Finished loaded = browser.load(measuring({{awkward_page(), 360}, {awkward_page(), 1280}}));
  INFO(loaded.err);
  CHECK(silent(loaded));
  CHECK(measured(loaded) == "360 360 0 false rgb(255, 255, 255) 1; 1280 1280 0 false rgb(255, 255, 255) 1");
}

TEST_CASE("the checks in the browser can fail") {
  const fs::path program = chromium();
  if (program.empty()) return;
  const Scratch scratch;
  const Browser browser(program, scratch);
  const std::string page = to_page({Heading{1, "T"}}, [](const std::string&) { return ""; });
  const std::string wide = with(page, "</main>", "<div style=\"width: 2000px\">x</div>");
  const std::string picture = with(page, "</main>", "<img src=\"http://iobench.invalid/x.png\">");
  const std::string said = measured(browser.load(measuring({{page, 360}, {wide, 360}, {picture, 360}})));
  INFO(said);
  CHECK(std::regex_match(said, std::regex("360 360 0 .*; 360 20[0-9][0-9] 0 .*; 360 360 1 .*")));
  CHECK(silent(browser.load(page)));
  CHECK_FALSE(silent(browser.load(picture)));  // refused by the page's own policy
  CHECK_FALSE(silent(browser.load(with(page, "</main>", "<script>x()</script>"))));
}
