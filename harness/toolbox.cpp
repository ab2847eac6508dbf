// SPDX-License-Identifier: MIT
#include "toolbox.h"

#include <fmt/format.h>

#include <algorithm>

#include "document.h"
#include "system.h"
#include "units.h"

namespace iobench {

namespace {

const std::vector<std::string> tool_keys = {
    "kind",    "says",  "from",        "source",      "options",         "inputs",          "outputs",     "command",
    "package", "block", "ns_per_byte", "ns_per_call", "raw_ns_per_byte", "raw_ns_per_call", "takes_names", "undone_by",
    "build",   "undoes",  "null_moves_nothing",   "bytewise",  "degenerates"};
const std::vector<std::string> kinds = {"copy", "server", "launcher", "demonstration"};
const std::vector<std::string> sized_options = {"-b",          "-n",           "--fill",  "--pipe-size",
                                                "--buffer-in", "--buffer-out", "--depth", "--buffers"};
const std::vector<std::string> contract_options = {"-b",          "-n",           "--drain", "--fill",    "--raw",         "--pipe-size",
                                                   "--buffer-in", "--buffer-out", "--depth", "--buffers", "--share-pages", "--explain"};
const std::vector<std::string> input_ends = {"file", "pipe", "fifo", "socket", "tty", "null"};
const std::vector<std::string> output_ends = {"file", "append", "pipe", "fifo", "socket", "tty", "null", "full"};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void need_known(const Value& table, const std::string& key, const std::string& what,
                const std::vector<std::string>& words, const std::vector<std::string>& known) {
  for (const std::string& word : words)
    if (!contains(known, word))
      fail(table.need(key).place, fmt::format("unknown {} '{}'{}", what, word, suggestion(word, known)));
}

// Missing: all of them.
std::vector<std::string> ends_at(const Value& table, const std::string& key, const std::vector<std::string>& known) {
  if (!table.find(key)) return known;
  const std::vector<std::string> ends = table.texts_at(key);
  if (ends.empty())
    fail(table.need(key).place, fmt::format("'{}' is an empty list: the tool would serve nothing", key));
  need_known(table, key, "end", ends, known);
  return ends;
}

void load_peer(const Value& table, Tool& tool) {
  tool.kind = "peer";
  tool.command = table.texts_at("command");
  if (tool.command.empty()) fail(table.need("command").place, "'command' is an empty list");
  for (const char* key : {"source", "kind", "takes_names", "undone_by", "undoes"})
    if (table.find(key))
      fail(table.place, fmt::format("'{}' has a 'command', so that it is a peer: no '{}'", tool.name, key));
  tool.package = table.need_text("package");
  tool.build = table.texts_at("build");
  const auto names = [&](const char* place) {
    return std::any_of(tool.command.begin(), tool.command.end(),
                       [&](const std::string& word) { return word.find(place) != std::string::npos; });
  };
  if (names("{source}") != names("{destination}"))
    fail(table.need("command").place, "'command' names one of {source} and {destination}: a peer is given both names or none");
  if (names("{built}") && tool.build.empty())
    fail(table.need("command").place, "'command' names {built}, but there is no 'build'");
}

std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> all = {""};
  for (const char c : text)
    if (c == separator)
      all.emplace_back();
    else
      all.back() += c;
  return all;
}

// "-b", or "--target same|new" for an option of this tool alone that is followed by one of these words.
void load_options(const Value& table, Tool& tool) {
  std::vector<std::string> of_contract;
  for (std::string& option : tool.options) {
    const std::size_t space = option.find(' ');
    if (space == std::string::npos) {
      of_contract.push_back(option);
      continue;
    }
    const std::vector<std::string> words = parts(option.substr(space + 1), '|');
    const auto is_word = [](const std::string& word) { return !word.empty() && word.find(' ') == std::string::npos; };
    if (!option.starts_with("--") || !std::all_of(words.begin(), words.end(), is_word))
      fail(table.need("options").place,
           fmt::format("'{}' is no option with the words that may follow it, such as '--target same|new'", option));
    option.resize(space);
    tool.words[option] = words;
  }
  need_known(table, "options", "option", of_contract, contract_options);
}

void load_own(const Value& table, Tool& tool) {
  tool.source = table.need_text("source");
  check_name(table.need("source").place, "source", tool.source);
  for (const char* key : {"package", "build"})
    if (table.find(key)) fail(table.place, fmt::format("'{}' is built here: only a peer has a '{}'", tool.name, key));
  if (table.find("kind")) {
    tool.kind = table.text_at("kind");
    need_known(table, "kind", "kind", {tool.kind}, kinds);
  }
  if (tool.copies()) load_options(table, tool);
  tool.undone_by = table.text_at("undone_by");
  tool.undoes = table.text_at("undoes");
}

Tool load_tool(const std::string& name, const Place& place, const Value& table) {
  check_name(place, "tool", name);
  if (table.kind != Value::Kind::table)
    fail(place, fmt::format("tool '{}' must be a table like {{ says = \"…\" }}", name));
  table.allow_only(tool_keys);
  Tool tool;
  tool.name = name;
  tool.says = table.need_text("says");
  tool.from = table.need_text("from");
  tool.options = table.texts_at("options");
  if (table.find("command"))
    load_peer(table, tool);
  else
    load_own(table, tool);
  tool.inputs = ends_at(table, "inputs", input_ends);
  tool.outputs = ends_at(table, "outputs", output_ends);
  tool.block = table.text_at("block");
  try {
    if (!tool.block.empty()) parse_size(tool.block);
  } catch (const Error& error) {
    fail(table.need("block").place, fmt::format("'block': {}", error.what()));
  }
  tool.nanoseconds_per_byte = table.number_at("ns_per_byte", 0);
  tool.nanoseconds_per_call = table.number_at("ns_per_call", 0);
  tool.raw_nanoseconds_per_byte = table.number_at("raw_ns_per_byte", 0);
  tool.raw_nanoseconds_per_call = table.number_at("raw_ns_per_call", 0);
  tool.null_moves_nothing = table.flag_at("null_moves_nothing", false);
  tool.takes_names = table.flag_at("takes_names", false);
  tool.bytewise = table.flag_at("bytewise", false);
  tool.degenerates = tool.kind == "copy" ? table.need_text("degenerates") : table.text_at("degenerates");
  return tool;
}

// 'key' of `table`, the line of tool `name`, names a tool whose 'back' names `name`.
void need_partner(const Toolbox& toolbox, const Value& table, const std::string& name, const char* key,
                  std::string Tool::*back, const char* back_key) {
  const std::string partner = table.text_at(key);
  if (partner.empty()) return;
  const Place& place = table.need(key).place;
  const Tool* other = toolbox.find(partner);
  if (!other) fail(place, fmt::format("'{}': unknown tool '{}'{}", key, partner, toolbox.suggestion(partner)));
  if (other->*back != name)
    fail(place, fmt::format("'{}' is '{}', whose '{}' does not name '{}'", key, partner, back_key, name));
}

}  // namespace

Toolbox Toolbox::load(const std::filesystem::path& tools_toml) {
  const Value root = load_document(tools_toml);
  root.allow_only({"tools"});
  const Value& table = root.need("tools");
  if (table.kind != Value::Kind::table || table.entries.empty()) fail(table.place, "[tools] has no tools");
  Toolbox toolbox;
  for (const Entry& entry : table.entries) toolbox.tools_.push_back(load_tool(entry.key, entry.place, entry.value));
  for (const Entry& entry : table.entries) {
    need_partner(toolbox, entry.value, entry.key, "undone_by", &Tool::undoes, "undoes");
    need_partner(toolbox, entry.value, entry.key, "undoes", &Tool::undone_by, "undone_by");
  }
  return toolbox;
}

const Tool* Toolbox::find(const std::string& name) const {
  for (const Tool& tool : tools_)
    if (tool.name == name) return &tool;
  return nullptr;
}

std::string Toolbox::suggestion(const std::string& wrong) const {
  std::vector<std::string> names;
  for (const Tool& tool : tools_)
    if (tool.copies()) names.push_back(tool.name);
  return iobench::suggestion(wrong, names);
}

bool option_takes_size(const std::string& option) { return contains(sized_options, option); }

}  // namespace iobench
