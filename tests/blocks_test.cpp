// SPDX-License-Identifier: MIT
// Blocks to Markdown and text, code inside prose, sections under which nothing stands.
#include "blocks.h"

#include "catch.h"

using namespace iobench;

namespace {

std::string headings(const std::vector<Block>& blocks) {
  std::string text;
  for (const Block& block : blocks)
    if (const Heading* heading = std::get_if<Heading>(&block)) text += heading->text + ";";
  return text;
}

// Code in brackets: "run [code]".
std::string pieces(const std::string& text) {
  std::string out;
  for (const Piece& piece : inline_code(text)) out += piece.code ? "[" + piece.text + "]" : piece.text;
  return out;
}

}  // namespace

TEST_CASE("blocks to Markdown") {
  Table table;
  table.columns = {{"x", {"x"}, true}};
  table.rows = {{{"1", {"1"}}}};
  table.notes = {"only `sync` tells"};
  CHECK(to_markdown({Heading{1, "A *b*"}, Paragraph{"one\ntwo\n\n# three"}, Paragraph{""},
                     List{{"a|b", "- c", "run `x -b`"}}, Callout{{"<odd>", "`y`"}}, Commands{{"echo '```'"}}, table,
                     FigureBlock{"plots/x", "Cap [1]", "Cap [1]: warm", true, false}}) ==
        "# A \\*b\\*\n\none two\n\n\\# three\n\n- a\\|b\n- \\- c\n- run `x -b`\n\n> - &lt;odd\\>\n> - `y`\n\n"
        "````\necho '```'\n````\n\n| x |\n| ---: |\n| 1 |\n\n- only `sync` tells\n\n"
        "![Cap \\[1\\]: warm](plots/x.svg)\n\nCap \\[1\\]: [svg](plots/x.svg), [dat](plots/x.dat)\n");
  CHECK(to_markdown({FigureBlock{"plots/x", "Cap", "Cap: warm", false, false}}) == "Cap: warm: [dat](plots/x.dat)\n");
}

TEST_CASE("blocks to text: backticks stay") {
  CHECK(to_text({Heading{2, "A"}, Paragraph{"run `x`"}, List{{"`y`"}}, Callout{{"z"}}}) ==
        "A\n\nrun `x`\n\n  `y`\n\n- z\n");
}

TEST_CASE("backticks that pair hold code, others are characters") {
  CHECK(pieces("run `iobench doctor` now") == "run [iobench doctor] now");
  CHECK(pieces("(`a`), `b`; `c`") == "([a]), [b]; [c]");
  CHECK(pieces("`a`") == "[a]");
  CHECK(pieces("–`a`–") == "–[a]–");
  for (const char* text : {"", "a ` b", "`", "``", "```", "``a``", "` a`", "`a `", "x`a`", "`a`x",
                           "cannot find `foo' in `bar'", "`foo' and `bar'", "\\`a`", "`open", "no such `thing"}) {
    INFO(text);
    CHECK(pieces(text) == text);
  }
  CHECK(pieces("`a\nb\x1b`") == "`a b `");  // a control character is a space, and one stands inside
}

TEST_CASE("code in Markdown prose shows what it holds, and escapes nothing outside") {
  CHECK(markdown_prose("`a*b|c<d>` *e* `f") == "`a*b|c<d>` \\*e\\* \\`f");
  CHECK(markdown_prose("# `a`") == "\\# `a`");
  CHECK(markdown_prose("1. `a`") == "1\\. `a`");
  CHECK(markdown_prose("`- a`") == "`- a`");
  CHECK(markdown_escape("`a`") == "\\`a\\`");  // of cells and headings
}

TEST_CASE("a section under which nothing stands has no heading") {
  const Table no_columns;
  CHECK(headings(without_empty_sections({Heading{1, "T"}, Heading{2, "empty"}, Paragraph{" \n"}, List{},
                                         Heading{2, "full"}, Heading{3, "low and empty"}, no_columns, Heading{3, "low"},
                                         List{{"x"}}, Heading{2, "outer"}, Heading{3, "inner"}, Paragraph{"y"},
                                         Heading{2, "last"}, Callout{}, Commands{}})) == "T;full;low;outer;inner;");
  CHECK(without_empty_sections({Heading{1, "T"}}).empty());
}
