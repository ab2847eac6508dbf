// SPDX-License-Identifier: MIT
// Every string from outside goes through escaped() once, at the place where it enters the page. Pictures are img
// elements with data: addresses, so that ids inside of them cannot meet and no script of theirs could run.
#include "page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "page_style.h"
#include "units.h"

namespace iobench {

namespace {

// In code points: a first column that stays while the others scroll; code that is not broken; a text column that is not.
constexpr std::size_t longest_lead = 24;
constexpr std::size_t longest_short_code = 24;
constexpr std::size_t longest_unwrapped = 28;
constexpr std::size_t most_commands = 10;  // more lines are folded away

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

// Numbers stay on one line with their units.
std::string kept_together(const std::string& text) {
  constexpr std::string_view units[] = {"%",   "s",   "ms",   "µs",   "ns",   "KiB",
                                        "MiB", "GiB", "KB/s", "MB/s", "GB/s", "Gbit/s"};
  constexpr std::string_view no_break = "\u00a0";
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at + 1);
    const std::string_view word = rest.substr(0, std::min(rest.find_first_of(" ,.;:()[]"), rest.size()));
    const bool of_number = text[at] == ' ' && at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9' &&
                           std::find(std::begin(units), std::end(units), word) != std::end(units);
    if (of_number)
      out += no_break;
    else
      out += text[at];
  }
  return out;
}

std::string prose(const std::string& text) {
  std::string out;
  for (const Piece& piece : inline_code(text)) {
    const bool is_short = code_points(piece.text) <= longest_short_code;
    out += piece.code ? fmt::format("<code{}>{}</code>", is_short ? " class=\"short\"" : "", escaped(piece.text))
                      : escaped(kept_together(piece.text));
  }
  return out;
}

struct Badge {
  const char *word, *kind, *sign;
};
constexpr Badge badges[] = {{"CONFIRMED", "good", "✓"}, {"REFUTED", "bad", "✗"}, {"INCONCLUSIVE", "open", "?"}};

// The text, as `write` writes it, with a verdict at its beginning set off.
std::string with_badge(const std::string& text, std::string (*write)(const std::string&)) {
  for (const Badge& badge : badges) {
    const std::string word = badge.word;
    if (text != word && !text.starts_with(word + ":")) continue;
    const std::string set_off = fmt::format("<span class=\"badge {}\"><span aria-hidden=\"true\">{} </span>{}</span>",
                                            badge.kind, badge.sign, word);
    return text == word ? set_off : set_off + write(text.substr(word.size() + 1));
  }
  return write(text);
}

std::string items(const std::vector<std::string>& texts, const char* kind) {
  if (texts.empty()) return "";
  std::string out = *kind ? fmt::format("<ul class=\"{}\">\n", kind) : "<ul>\n";
  for (const std::string& text : texts) out += "<li>" + with_badge(text, prose) + "</li>\n";
  return out + "</ul>\n";
}

// RFC 4648, section 4.
std::string base64(const std::string& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += at + i <= bytes.size() ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

// gnuplot names one font only. Where that is missing, a browser would take its serif one: it is told which is as wide.
std::string with_fonts(std::string svg) {
  const std::string one = "font-family=\"DejaVu Sans\"", several = "font-family=\"DejaVu Sans, Verdana, sans-serif\"";
  for (std::size_t at = 0; (at = svg.find(one, at)) != std::string::npos; at += several.size())
    svg.replace(at, one.size(), several);
  return svg;
}

// An id that no other heading has: letters and digits of the heading, the rest dashes.
std::string anchor(const std::string& heading, std::set<std::string>& taken) {
  std::string stem;
  for (const char c : heading) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      stem += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  while (stem.ends_with('-')) stem.pop_back();
  if (stem.empty()) stem = "section";
  std::string id = stem;
  for (int again = 2; !taken.insert(id).second; ++again) id = fmt::format("{}-{}", stem, again);
  return id;
}

std::size_t longest_cell(const Table& table, std::size_t column) {
  std::size_t longest = 0;
  for (const auto& row : table.rows)
    if (column < row.size()) longest = std::max(longest, code_points(row[column].text));
  return longest;
}

class PageWriter {
 public:
  explicit PageWriter(const PictureReader& picture) : picture_(picture) {}

  std::string operator()(const Heading& heading) {
    const int level = std::clamp(heading.level, 1, 4);
    const std::string id = anchor(heading.text, taken_), text = escaped(heading.text);
    if (level == 1) return fmt::format("<h1 id=\"{}\">{}</h1>\n", id, text);
    if (level == 2) contents_ += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, text);
    return fmt::format("<h{0} id=\"{1}\"><a href=\"#{1}\">{2}</a></h{0}>\n", level, id, text);
  }
  std::string operator()(const Paragraph& paragraph) {
    std::string out;
    for (const std::string& part : paragraphs(paragraph.text)) out += "<p>" + prose(part) + "</p>\n";
    return out;
  }
  std::string operator()(const List& list) { return items(list.items, ""); }
  std::string operator()(const Callout& callout) {
    if (callout.items.empty()) return "";
    return "<div class=\"callout\" role=\"note\">\n" + items(callout.items, "") + "</div>\n";
  }
  std::string operator()(const Commands& commands) {
    std::string lines;
    for (const std::string& line : commands.lines) lines += escaped(line) + "\n";
    const std::string code = fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", lines);
    if (commands.lines.size() <= most_commands) return code;
    return fmt::format("<details><summary>{} commands</summary>\n{}</details>\n", format_count(commands.lines.size()),
                       code);
  }
  std::string operator()(const Table& table) {
    const std::string title = escaped(table.title);
    std::string out = "<figure class=\"table\">\n";
    if (!title.empty()) out += "<figcaption>" + title + "</figcaption>\n";
    out +=
        fmt::format("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n<thead>\n<tr>",
                    title.empty() ? "Table" : title);
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      kinds.push_back(kind(table, i));
      out += fmt::format("<th scope=\"col\"{}>{}</th>", kinds.back(), escaped(table.columns[i].heading));
    }
    out += "</tr>\n</thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      out += "<tr>";
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string text = i < row.size() ? with_badge(row[i].text, escaped) : "";
        out += i == 0 && !table.columns[i].numeric ? fmt::format("<th scope=\"row\"{}>{}</th>", kinds[i], text)
                                                   : fmt::format("<td{}>{}</td>", kinds[i], text);
      }
      out += "</tr>\n";
    }
    return out + "</tbody>\n</table>\n</div>\n" + items(table.notes, "notes") + "</figure>\n";
  }
  std::string operator()(const FigureBlock& figure) {
    const std::string path = figure.path + (figure.svg ? ".svg" : ".png");
    const std::string data = fmt::format("<br>Data: <code>{}.dat</code>", escaped(figure.path));
    const std::string content = figure.svg || figure.png ? picture_(path) : "";
    if (content.empty()) {
      const std::string missing =
          figure.svg || figure.png ? fmt::format(" The picture {} could not be read.", escaped(path)) : "";
      return fmt::format("<figure class=\"figure\">\n<figcaption>{}.{}{}</figcaption>\n</figure>\n",
                         escaped(figure.caption), missing, data);
    }
    return fmt::format(
        "<figure class=\"figure\">\n<div class=\"scroll picture\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">"
        "<img alt=\"{1}\" src=\"data:image/{2};base64,{3}\"></div>\n<figcaption>{0}.{4}</figcaption>\n</figure>\n",
        escaped(figure.title), escaped(figure.caption), figure.svg ? "svg+xml" : "png",
        base64(figure.svg ? with_fonts(content) : content), data);
  }

  const std::string& contents() const { return contents_; }

 private:
  // The class attribute of a column's cells.
  static std::string kind(const Table& table, std::size_t column) {
    const std::size_t longest = longest_cell(table, column);
    std::string words = table.columns[column].numeric ? "number" : longest > longest_unwrapped ? "prose" : "";
    if (column == 0 && longest <= longest_lead) words += words.empty() ? "lead" : " lead";
    return words.empty() ? "" : " class=\"" + words + "\"";
  }

  const PictureReader& picture_;
  std::string contents_;
  std::set<std::string> taken_;
};

}  // namespace

std::string to_page(const std::vector<Block>& blocks, const PictureReader& picture) {
  PageWriter writer(picture);
  std::string title, head, text;
  for (const Block& block : blocks) {
    const Heading* heading = std::get_if<Heading>(&block);
    if (heading && heading->level == 1 && title.empty()) title = escaped(heading->text);
    const bool in_head = text.empty() && !(heading && heading->level > 1);
    (in_head ? head : text) += std::visit(writer, block);
  }
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", title.empty() ? "Report" : title,
                      page_style);
  page += "<header>\n" + head + "</header>\n";
  if (!writer.contents().empty())
    page += "<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ul>\n" + writer.contents() + "</ul>\n</nav>\n";
  return page + "<main>\n" + text + "</main>\n</body>\n</html>\n";
}

}  // namespace iobench
