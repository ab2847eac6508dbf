// SPDX-License-Identifier: MIT
// Two of the writers of blocks: Markdown and text for the terminal.
#include "blocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace iobench {

std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> found(1);
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, to - from);
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      found.emplace_back();
    else
      found.back() += (found.back().empty() ? "" : " ") + line;
    from = to + 1;
  }
  std::erase(found, "");
  return found;
}

namespace {

// A fence longer than any run of backticks inside, so that no command ends its block.
std::string fenced(const std::vector<std::string>& lines) {
  std::size_t run = 0, longest = 2;
  std::string body;
  for (const std::string& line : lines) body += printable(line) + "\n";
  for (const char c : body) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  return fence + "\n" + body + fence + "\n";
}

struct MarkdownWriter {
  std::string operator()(const Heading& heading) const {
    return std::string(static_cast<std::size_t>(heading.level), '#') + " " + markdown_escape(heading.text) + "\n";
  }
  std::string operator()(const Paragraph& paragraph) const {
    std::vector<std::string> parts;
    for (const std::string& part : paragraphs(paragraph.text)) parts.push_back(markdown_prose(part) + "\n");
    return fmt::format("{}", fmt::join(parts, "\n"));
  }
  std::string operator()(const List& list) const {
    std::string text;
    for (const std::string& item : list.items) text += "- " + markdown_prose(item) + "\n";
    return text;
  }
  std::string operator()(const Callout& callout) const {
    std::string text;
    for (const std::string& item : callout.items) text += "> - " + markdown_prose(item) + "\n";
    return text;
  }
  std::string operator()(const Commands& commands) const { return fenced(commands.lines); }
  std::string operator()(const Table& table) const { return to_markdown(table); }
  std::string operator()(const FigureBlock& figure) const {
    const std::string caption = markdown_escape(figure.caption);
    std::vector<std::string> links;
    for (const auto& [made, ending] : {std::pair{figure.svg, "svg"}, {figure.png, "png"}, {true, "dat"}})
      if (made) links.push_back(fmt::format("[{}]({}.{})", ending, figure.path, ending));
    if (!figure.svg && !figure.png) return fmt::format("{}: {}\n", caption, fmt::join(links, ", "));
    return fmt::format("![{}]({}.{})\n\n{}: {}\n", caption, figure.path, figure.svg ? "svg" : "png",
                       markdown_escape(figure.title), fmt::join(links, ", "));
  }
};

struct TextWriter {
  std::size_t width;

  std::string lines(const std::string& text, const std::string& lead, const std::string& hanging) const {
    std::string out;
    for (const std::string& line : wrap(text, width - hanging.size()))
      out += (out.empty() ? lead : hanging) + line + "\n";
    return out;
  }
  std::string operator()(const Heading& heading) const { return lines(heading.text, "", ""); }
  std::string operator()(const Paragraph& paragraph) const {
    std::vector<std::string> parts;
    for (const std::string& part : paragraphs(paragraph.text)) parts.push_back(lines(part, "", ""));
    return fmt::format("{}", fmt::join(parts, "\n"));
  }
  std::string operator()(const List& list) const {
    std::string text;
    for (const std::string& item : list.items) text += lines(item, "  ", "    ");
    return text;
  }
  std::string operator()(const Callout& callout) const { return list_text(callout.items, width); }
  std::string operator()(const Commands& commands) const {
    std::string text;
    for (const std::string& line : commands.lines) text += "  " + printable(line) + "\n";
    return text;
  }
  std::string operator()(const Table& table) const { return to_text(table, width); }
  std::string operator()(const FigureBlock& figure) const { return lines(figure.caption + ": " + figure.path, "", ""); }
};

// Blocks that are empty leave no gap.
template <typename Writer>
std::string written(const std::vector<Block>& blocks, const Writer& writer) {
  std::string text;
  for (const Block& block : blocks) {
    const std::string part = std::visit(writer, block);
    if (part.empty()) continue;
    if (!text.empty()) text += "\n";
    text += part;
  }
  return text;
}

}  // namespace

std::string to_markdown(const std::vector<Block>& blocks) {
  return written(blocks, MarkdownWriter{});
}

std::string to_text(const std::vector<Block>& blocks, std::size_t width) {
  return written(blocks, TextWriter{width});
}

namespace {

// Whether a block says anything; of a heading that depends on what follows.
struct SaysSomething {
  bool operator()(const Heading&) const { return false; }
  bool operator()(const Paragraph& paragraph) const { return !paragraphs(paragraph.text).empty(); }
  bool operator()(const List& list) const { return !list.items.empty(); }
  bool operator()(const Callout& callout) const { return !callout.items.empty(); }
  bool operator()(const Commands& commands) const { return !commands.lines.empty(); }
  bool operator()(const Table& table) const { return !table.columns.empty(); }
  bool operator()(const FigureBlock&) const { return true; }
};

}  // namespace

std::vector<Block> without_empty_sections(const std::vector<Block>& blocks) {
  std::vector<Block>
      kept;  // from the end: a heading is kept when what was kept last is no heading of its rank or above
  for (std::size_t i = blocks.size(); i-- > 0;) {
    const Heading* heading = std::get_if<Heading>(&blocks[i]);
    if (!heading && !std::visit(SaysSomething{}, blocks[i])) continue;
    if (heading && kept.empty()) continue;
    const Heading* next = heading ? std::get_if<Heading>(&kept.back()) : nullptr;
    if (next && next->level <= heading->level) continue;
    kept.push_back(blocks[i]);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace iobench
