// SPDX-License-Identifier: MIT
// The page without a browser: structure, escaping, pictures, verdicts, and the contrast of its colours. What only a
// browser can tell is in page_browser_test.cpp.
#include "page.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "catch.h"
#include "page_style.h"

using namespace iobench;

namespace {

std::string no_picture(const std::string&) {
  return "";
}

std::string page_of(const std::vector<Block>& blocks) {
  return to_page(blocks, no_picture);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

Table table_of(const std::vector<std::string>& first, const std::vector<std::string>& second, bool numeric) {
  Table table;
  table.title = "A table";
  table.columns = {{"name", {"name"}, false}, {"value", {"value"}, numeric}};
  for (std::size_t i = 0; i < first.size(); ++i) table.rows.push_back({{first[i], {}}, {second[i], {}}});
  table.notes = {"a note, `code`"};
  return table;
}

// WCAG 2.1: relative luminance of "#rrggbb", and the contrast of two.
double luminance(const std::string& color) {
  double sum = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = std::stoi(color.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(const std::string& a, const std::string& b) {
  const double one = luminance(a), other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

// The colours of the schemes, light and dark, by name.
std::vector<std::map<std::string, std::string>> schemes() {
  const std::string style(page_style);
  std::vector<std::map<std::string, std::string>> found;
  static const std::regex color("--([a-z-]+): (#[0-9a-f]{6});");
  for (std::size_t at = 0; (at = style.find(":root {", at)) != std::string::npos; ++at) {
    const std::string block = style.substr(at, style.find('}', at) - at);
    found.emplace_back();
    for (std::sregex_iterator match(block.begin(), block.end(), color), end; match != end; ++match)
      found.back()[(*match)[1]] = (*match)[2];
  }
  return found;
}

}  // namespace

TEST_CASE("a page is one document with title, contents and anchors of its own") {
  const std::string page =
      page_of({Heading{1, "I/O bench: a & b"}, Paragraph{"first"}, Heading{2, "How fast?"}, Paragraph{"text"},
               Heading{3, "How fast?"}, Heading{2, "How fast?"}, Heading{2, "µ?"}, List{{"x"}}});
  CHECK(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"));
  CHECK(contains(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"));
  CHECK(contains(page, "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\""));
  CHECK(contains(page, "<title>I/O bench: a &amp; b</title>"));
  CHECK(contains(page, "<header>\n<h1 id=\"i-o-bench-a-b\">I/O bench: a &amp; b</h1>\n<p>first</p>\n</header>"));
  CHECK(contains(page, "<h2 id=\"how-fast\"><a href=\"#how-fast\">How fast?</a></h2>"));
  CHECK(contains(page, "<h3 id=\"how-fast-2\">"));
  CHECK(
      contains(page,
               "<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ul>\n<li><a href=\"#how-fast\">How fast?</a></li>\n"
               "<li><a href=\"#how-fast-3\">How fast?</a></li>\n<li><a href=\"#section\">µ?</a></li>\n</ul>"));
  CHECK(page.ends_with("</main>\n</body>\n</html>\n"));
}

TEST_CASE("a page of nothing is a page") {
  const std::string page = page_of({});
  CHECK(contains(page, "<title>Report</title>"));
  CHECK_FALSE(contains(page, "<nav"));
}

TEST_CASE("nothing of any text is markup", "[B104]") {
  const std::string evil = "<script>alert(1)</script> \" onload='x' & <!-- \x1b[31m \xff";
  Table table = table_of({evil, "`" + evil + "`"}, {evil, evil}, true);
  table.title = table.columns[0].heading = evil;
  table.notes = {evil, "`" + evil + "`"};
  const std::string page =
      to_page({Heading{1, evil}, Paragraph{evil}, Paragraph{"`" + evil + "`"}, Heading{2, evil},
               List{{evil, "`" + evil + "`"}}, Callout{{evil}}, Commands{{evil}}, table,
               FigureBlock{evil, evil, evil, true, false}, FigureBlock{evil, evil, evil, false, false}},
              [](const std::string&) { return "<svg><script/></svg>"; });
  CHECK_FALSE(contains(page, "<script"));
  CHECK_FALSE(contains(page, "onload='"));
  CHECK_FALSE(contains(page, "\x1b"));
  CHECK_FALSE(contains(page, "\xff"));
  CHECK_FALSE(contains(page, "<!--"));
  CHECK(count(page, "&lt;script&gt;alert(1)&lt;/script&gt; &quot; onload=&#39;x&#39; &amp; &lt;!--") >= 15);
}

TEST_CASE("nothing is fetched: no address but data: and anchors of the page") {
  const std::string page =
      to_page({Heading{1, "T"}, Paragraph{"http://example.org/ and //example.org"}, Heading{2, "A"},
               table_of({"a"}, {"1"}, true), FigureBlock{"plots/x", "t", "c", true, true}},
              [](const std::string&) { return "<svg/>"; });
  static const std::regex address("(?:src|href|srcset|action|data|poster)=\"([^\"]*)\"");
  std::size_t found = 0;
  for (std::sregex_iterator match(page.begin(), page.end(), address), end; match != end; ++match, ++found) {
    const std::string to = (*match)[1];
    INFO(to);
    CHECK((to.starts_with("#") || to.starts_with("data:image/")));
  }
  CHECK(found == 3);
  for (const char* word : {"url(", "@import", "<link", "<script", "<iframe", "<object", "<base"})
    CHECK_FALSE(contains(page, word));
}

TEST_CASE("code in prose, numbers that stay with their units, commands folded when they are many") {
  const std::string page =
      page_of({Heading{1, "T"}, Paragraph{"run `iobench <x>` in 1.5 s, 39.6 %; 12 GB/s. 3 rows, 2 sixths"},
               Paragraph{"unpaired ` stays"}, Commands{std::vector<std::string>(10, "x < y")}});
  CHECK(contains(page,
                 "<p>run <code class=\"short\">iobench &lt;x&gt;</code> in 1.5\u00a0s, 39.6\u00a0%; 12\u00a0GB/s. 3 "
                 "rows, 2 sixths</p>"));
  CHECK(contains(page, "<p>unpaired ` stays</p>"));
  CHECK(contains(page, "<code>x &lt; y\nx &lt; y\n"));
  CHECK_FALSE(contains(page, "<details>"));
  CHECK(
      contains(page_of({Commands{std::vector<std::string>(1011, "x")}}), "<details><summary>1,011 commands</summary>"));
}

TEST_CASE("a table scrolls in its own box, numbers to the right, a short first column stays") {
  std::string page = page_of({table_of({"a", "b"}, {"1.5 [1, 2]", ""}, true)});
  CHECK(contains(page,
                 "<figcaption>A table</figcaption>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
                 "aria-label=\"A table\">"));
  CHECK(contains(page, "<th scope=\"col\" class=\"lead\">name</th><th scope=\"col\" class=\"number\">value</th>"));
  CHECK(contains(page, "<th scope=\"row\" class=\"lead\">a</th><td class=\"number\">1.5 [1, 2]</td>"));
  CHECK(contains(page, "<ul class=\"notes\">\n<li>a note, <code class=\"short\">code</code></li>"));
  const std::string sentence(40, 'w');
  page = page_of({table_of({sentence}, {sentence}, false)});
  CHECK(contains(page, "<th scope=\"row\" class=\"prose\">"));
  CHECK(contains(page, "<td class=\"prose\">"));
  CHECK(contains(page_of({table_of({"a"}, {"`x`"}, false)}), "<td>`x`</td>"));
  Table ragged = table_of({"a"}, {"b"}, false);
  ragged.rows.push_back({{"only one", {}}});
  CHECK(count(page_of({ragged}), "<td") == 2);
}

TEST_CASE("verdicts are set off by colour, word and sign, where they are verdicts") {
  std::string page =
      page_of({table_of({"CONFIRMED", "b", "c", "d", "e"},
                        {"REFUTED", "INCONCLUSIVE", "INCONCLUSIVE: <b> unproved", "REFUTED not", "confirmed"}, false)});
  CHECK(contains(page, "<span class=\"badge good\"><span aria-hidden=\"true\">✓ </span>CONFIRMED</span></th>"));
  CHECK(contains(page, "<span class=\"badge bad\"><span aria-hidden=\"true\">✗ </span>REFUTED</span></td>"));
  CHECK(contains(page, "<span class=\"badge open\"><span aria-hidden=\"true\">? </span>INCONCLUSIVE</span></td>"));
  CHECK(contains(page, "INCONCLUSIVE</span> &lt;b&gt; unproved</td>"));
  CHECK(contains(page, "<td>REFUTED not</td>"));
  CHECK(contains(page, "<td>confirmed</td>"));
  CHECK(count(page, "class=\"badge") == 4);
  CHECK(contains(page_of({List{{"CONFIRMED: `getc` is slow"}}}),
                 "CONFIRMED</span> <code class=\"short\">getc</code> is slow</li>"));
  CHECK_FALSE(contains(page_of({Paragraph{"CONFIRMED: no"}}), "class=\"badge"));
}

TEST_CASE("pictures are inside, and a missing one is told in words") {
  std::string asked;
  const PictureReader reader = [&](const std::string& path) {
    asked += path + ";";
    return std::string(path.ends_with(".svg") ? "<svg font-family=\"DejaVu Sans\">" : "\x89PN");
  };
  std::string page = to_page({FigureBlock{"plots/x", "Title", "Title: warm", true, true},
                              FigureBlock{"plots/y", "Other", "Other: cold", false, true}},
                             reader);
  CHECK(asked == "plots/x.svg;plots/y.png;");
  // printf '<svg font-family="DejaVu Sans, Verdana, sans-serif">' | base64
  CHECK(contains(page,
                 "<img alt=\"Title: warm\" src=\"data:image/svg+xml;base64,"
                 "PHN2ZyBmb250LWZhbWlseT0iRGVqYVZ1IFNhbnMsIFZlcmRhbmEsIHNhbnMtc2VyaWYiPg==\">"));
  CHECK(contains(page, "src=\"data:image/png;base64,iVBO\""));
  CHECK(contains(page, "<figcaption>Title.<br>Data: <code>plots/x.dat</code></figcaption>"));
  page = page_of({FigureBlock{"plots/x", "Title", "Title: warm", true, false}});
  CHECK(contains(page, "<figcaption>Title: warm. The picture plots/x.svg could not be read.<br>Data: "));
  CHECK_FALSE(contains(page, "<img"));
  page = page_of({FigureBlock{"plots/x", "Title", "Title: warm", false, false}});
  CHECK(contains(page, "<figcaption>Title: warm.<br>Data: <code>plots/x.dat</code></figcaption>"));
}

TEST_CASE("text can be read in both schemes: a contrast of 4.5 at least") {
  CHECK(contrast("#000000", "#ffffff") == Approx(21));
  CHECK(contrast("#777777", "#ffffff") == Approx(4.48).margin(0.01));
  const auto found = schemes();
  REQUIRE(found.size() == 2);
  for (const auto& scheme : found)
    for (const auto& [text, ground] : std::vector<std::pair<std::string, std::string>>{{"ink", "back"},
                                                                                       {"soft-ink", "back"},
                                                                                       {"link", "back"},
                                                                                       {"ink", "panel"},
                                                                                       {"soft-ink", "panel"},
                                                                                       {"link", "panel"},
                                                                                       {"ink", "open-back"},
                                                                                       {"good-ink", "good-back"},
                                                                                       {"bad-ink", "bad-back"},
                                                                                       {"open-ink", "open-back"}}) {
      INFO(text << " on " << ground << ": " << scheme.at(text) << " on " << scheme.at(ground));
      CHECK(contrast(scheme.at(text), scheme.at(ground)) >= 4.5);
    }
}
