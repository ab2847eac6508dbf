// SPDX-License-Identifier: MIT
// The rows of one [[row]]: the product of its lists, each row's command made and checked, its ends and its regime.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "row.h"
#include "system.h"
#include "units.h"

namespace iobench {

namespace {

// What a tool must be able to serve, in the words of tools.toml; empty: nothing, the tool makes or drops the bytes
// itself.
constexpr std::array<const char*, 7> input_ends = {"file", "file", "pipe", "null", "", "socket", "socket"};  // zero: a device
constexpr std::array<const char*, 8> output_ends = {"null", "pipe", "file", "file", "file", "", "socket", "socket"};

// Fields of a [[row]]; any other key is a variable. Those of `axes` may be lists, as variables may.
const std::vector<std::string> fields = {"name",   "label", "comment", "tool", "command", "input", "output", "cache", "size", "share",
                                         "repeat", "sync",  "expect",  "operation", "made_by", "link",   "part",  "repeat_scales", "size_scales", "count_instructions", "ranked"};
const std::vector<std::string> axes = {"tool", "input", "output", "cache", "size", "operation"};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// One key of the product with the values that it takes.
struct Axis {
  std::string key;
  Place place;
  std::vector<std::string> values;
};

bool is_variable(const std::string& key) { return !contains(fields, key); }

Axis axis_of(const Entry& entry) {
  Axis axis{entry.key, entry.place, {}};
  if (entry.value.kind != Value::Kind::list) {
    axis.values.push_back(scalar_text(entry.value, entry.key));
    return axis;
  }
  for (const Value& item : entry.value.items) axis.values.push_back(scalar_text(item, entry.key));
  if (axis.values.empty()) fail(entry.place, fmt::format("'{}' is an empty list: there would be no row", entry.key));
  return axis;
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::uint64_t size_or_fail(const std::string& text, const std::string& what, const Place& place) {
  try {
    return parse_size(text);
  } catch (const Error& error) {
    fail(place, fmt::format("'{}': {}", what, error.what()));
  }
}

// Makes one row after another from the table of a [[row]].
class RowMaker {
 public:
  RowMaker(const Value& table, const Toolbox& toolbox, const Value* default_size, bool allow_commands)
      : table_(table), toolbox_(toolbox), default_size_(default_size), allow_commands_(allow_commands) {
    for (const Entry& entry : table.entries) {
      // It would take the place of the session's own in a peer's command: {destination} could be any file.
      if (contains(session_places(), entry.key))
        fail(entry.place, fmt::format("'{}' is what iobench itself puts into commands: it cannot be a row's", entry.key));
      if (is_variable(entry.key) || contains(axes, entry.key)) axes_.push_back(axis_of(entry));
    }
    if (table.find("command")) own_command();
  }

  void refuse_unused(const std::set<std::string>& mentioned) const {
    std::set<std::string> used = mentioned;
    for (const char* key : {"name", "label", "comment", "operation", "made_by"})
      if (const Value* value = table_.find(key))
        for (const std::string& name : placeholders(value->text, value->place)) used.insert(name);
    if (const Axis* tools = axis("tool"))
      for (const std::string& tool : tools->values) note_tool(tool, tools->place, used);
    for (const std::string& word : own_.command)
      for (const std::string& name : placeholders(word, table_.need("command").place)) used.insert(name);
    for (const Axis& axis : axes_)
      if (is_variable(axis.key) && !used.count(axis.key))
        fail(axis.place, fmt::format("unknown key '{}'{}", axis.key, close_field(axis.key)));
  }

  std::vector<Row> rows() const {
    for (const char* key : {"name", has_own_command() ? "command" : "tool", "input", "output"}) table_.need(key);
    std::vector<Row> rows;
    std::vector<std::size_t> choice(axes_.size(), 0);
    for (;;) {
      rows.push_back(row(choice));
      std::size_t last = axes_.size();  // the odometer: the last axis turns fastest
      while (last > 0 && ++choice[last - 1] == axes_[last - 1].values.size()) choice[--last] = 0;
      if (last == 0) return rows;
    }
  }

 private:
  bool has_own_command() const { return !own_.command.empty(); }
  const Tool& tool_of(const Row& row) const { return has_own_command() ? own_ : *toolbox_.find(row.tool); }

  // As if tools.toml had it, serving any ends.
  void own_command() {
    const Value& command = table_.need("command");
    if (table_.find("tool")) fail(command.place, "'command' and 'tool': a row has one of them");
    own_.command = table_.texts_at("command");
    if (own_.command.empty()) fail(command.place, "'command' is an empty list");
    for (const Value& word : command.items) scalar_text(word, "command");  // no control characters
    own_.kind = "peer";
    own_.name = own_.command[0].substr(own_.command[0].rfind('/') + 1);
    own_.says = "a command of its suite";
    own_.inputs = {"file", "pipe", "null", "socket"};
    own_.outputs = {"file", "pipe", "null", "socket"};
  }

  const Axis* axis(const std::string& key) const {
    for (const Axis& axis : axes_)
      if (axis.key == key) return &axis;
    return nullptr;
  }

  // A misspelt field; a variable that nothing names is that too, only less obviously.
  static std::string close_field(const std::string& key) {
    const std::string close = suggestion(key, fields);
    return close.empty() ? "; it is no field of a row and nothing names it as a variable" : close;
  }

  // Adds the variables that a tool's words or a peer's command name; any peer's when the tool itself is a variable.
  void note_tool(const std::string& text, const Place& place, std::set<std::string>& used) const {
    for (const std::string& name : placeholders(text, place)) used.insert(name);
    const std::vector<std::string> words = split_words(text);
    if (words.empty()) return;
    for (const Tool& tool : toolbox_.tools())
      if (tool.name == words[0] || words[0].find('{') != std::string::npos)
        for (const std::string& word : tool.command)
          for (const std::string& name : placeholders(word, place)) used.insert(name);
  }

  Row row(const std::vector<std::size_t>& choice) const {
    Row row;
    row.line = table_.place.line;
    std::string tool;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Axis& axis = axes_[i];
      const std::string& value = axis.values[choice[i]];
      if (axis.key == "input")
        row.input = word_of(axis, value, input_of(value), input_words());
      else if (axis.key == "output")
        row.output = word_of(axis, value, output_of(value), output_words());
      else if (axis.key == "cache")
        row.cache = word_of(axis, value, cache_of(value), cache_words());
      else if (axis.key == "size")
        row.size_bytes = size_of(value, axis.place);
      else if (axis.key == "operation")
        row.operation_bytes = operation_of(value, axis.place, row);
      else if (axis.key == "tool")
        tool = value;
      else
        row.values.emplace_back(axis.key, value);
    }
    if (default_size_ && !axis("size"))
      row.size_bytes = size_of(scalar_text(*default_size_, "size"), default_size_->place);
    if (cache_is_of_others(row)) row.cache = Cache::none;
    set_command(row, tool);
    set_scalars(row);
    set_made_by(row);
    set_link(row);
    check_ends(row);
    set_names(row);
    return row;
  }

  // Of a list of inputs, those that read no file of the disk are in no regime.
  bool cache_is_of_others(const Row& row) const {
    const std::vector<std::string>& inputs = axis("input")->values;
    const auto of_disk = [](const std::string& input) { return input == to_string(Input::corpus) || input == to_string(Input::pipe); };
    return !row.reads_disk() && row.cache != Cache::confined && std::any_of(inputs.begin(), inputs.end(), of_disk);
  }

  template <class Enum>
  static Enum word_of(const Axis& axis, const std::string& value, std::optional<Enum> known,
                      const std::vector<std::string>& words) {
    if (known) return *known;
    fail(axis.place, fmt::format("unknown {} '{}'{}", axis.key, value, suggestion(value, words)));
  }

  static std::optional<std::uint64_t> size_of(const std::string& text, const Place& place) {
    if (text == "corpus") return std::nullopt;
    const std::uint64_t size = size_or_fail(text, "size", place);
    if (size == 0) fail(place, "'size' is 0: there would be nothing to measure");
    return size;
  }

  // May name a variable that stands before it: operation = "{block}".
  std::uint64_t operation_of(const std::string& text, const Place& place, const Row& row) const {
    const std::uint64_t size = size_or_fail(filled(text, "operation", row, place), "operation", place);
    if (size == 0) fail(place, "'operation' is 0: an operation moves at least one byte");
    return size;
  }

  // `later`: what stays as it is.
  std::string filled(const std::string& text, const std::string& key, const Row& row, const Place& place,
                     const std::vector<std::string>& later = {}) const {
    for (const std::string& name : placeholders(text, place)) {
      if (!row.value(name).empty() || contains(later, name)) continue;
      std::vector<std::string> known;
      for (const auto& [variable, value] : row.values) known.push_back(variable);
      for (const std::string& key_of_row : row_values())
        if (!row.value(key_of_row).empty()) known.push_back(key_of_row);
      fail(place, fmt::format("unknown placeholder '{{{}}}' in '{}'{}", name, key, suggestion(name, known)));
    }
    return fill_in(text, row);
  }

  void set_own_command(Row& row) const {
    const Place& place = table_.need("command").place;
    if (!allow_commands_)
      refuse(place, fmt::format("suite '{}', row '{}': it runs a command of its own, '{}'; only with --allow-commands are those "
                                "run that data/tools.toml has no template for",
                                suite_name(place), filled(table_.need_text("name"), "name", row, place), own_.command[0]));
    row.tool = own_.name;
    row.peer = true;
    row.program = own_.command[0];
    for (std::size_t i = 1; i < own_.command.size(); ++i)
      row.arguments.push_back(filled(own_.command[i], "command", row, place, session_places()));
  }

  static std::string suite_name(const Place& place) {
    const std::string file = place.file.substr(place.file.rfind('/') + 1);
    return file.substr(0, file.rfind(".toml"));
  }

  // Not a mistake of the file but of how it was called.
  [[noreturn]] static void refuse(const Place& place, const std::string& what) {
    try {
      fail(place, what);
    } catch (const Error& error) {
      throw Error(error.what(), 2);
    }
  }

  void set_command(Row& row, const std::string& text) const {
    if (has_own_command()) return set_own_command(row);
    const Place& place = axis("tool")->place;
    const std::vector<std::string> words = split_words(filled(text, "tool", row, place));
    if (words.empty()) fail(place, "'tool' is empty");
    const Tool* tool = toolbox_.find(words[0]);
    if (!tool) fail(place, fmt::format("unknown tool '{}'{}", words[0], toolbox_.suggestion(words[0])));
    const Value* expect = table_.find("expect");
    const bool shows = tool->kind == "demonstration" && expect && expect->text == to_string(Expected::part);
    if (!tool->copies() && !shows)
      fail(place, fmt::format("'{}' is a {}: it cannot be the tool of a row", tool->name, tool->kind));
    row.tool = tool->name;
    row.takes_names = tool->takes_names;
    row.peer = tool->kind == "peer";
    row.framed = !tool->undone_by.empty() || !tool->undoes.empty();
    row.program = tool->name;
    if (!tool->command.empty()) {
      row.program = tool->command[0];
      row.package = tool->package;
      row.build = tool->build;
      for (std::size_t i = 1; i < tool->command.size(); ++i)
        row.arguments.push_back(filled(tool->command[i], fmt::format("command of {}", tool->name), row, place, session_places()));
    }
    check_options(*tool, words, place);
    row.arguments.insert(row.arguments.end(), words.begin() + 1, words.end());
  }

  void set_scalars(Row& row) const {
    for (const auto& [key, of_row] : {std::pair("share", &Row::share), {"part", &Row::part}})
      if (const Value* share = table_.find(key)) {
        row.*of_row = share_of(*share, key);
        if (row.size_bytes) fail(share->place, fmt::format("'{}' is a part of the corpus: it cannot go with a fixed 'size'", key));
      }
    if (const Value* repeat = table_.find("repeat")) {
      if (repeat->kind != Value::Kind::integer || repeat->integer < 1)
        fail(repeat->place, "'repeat' must be an integer, at least 1");
      row.repeat = static_cast<std::uint64_t>(repeat->integer);
    }
    row.ranked = table_.flag_at("ranked", true);
    row.count_instructions = table_.flag_at("count_instructions", false);
    row.repeat_scales = table_.flag_at("repeat_scales", false);
    row.size_scales = table_.flag_at("size_scales", false);
    if (row.size_scales && !row.size_bytes)
      fail(table_.need("size_scales").place, "'size_scales' without a fixed 'size': the corpus is what it is");
    if (const Value* expect = table_.find("expect")) {
      const std::string word = table_.need_text("expect");
      const auto known = expected_of(word);
      if (!known) fail(expect->place, fmt::format("unknown outcome '{}'{}", word, suggestion(word, expected_words())));
      row.expect = *known;
    }
    row.sync = table_.flag_at("sync", false);
    if (row.sync && row.output != Output::file && row.output != Output::over)
      fail(table_.need("sync").place,
           fmt::format("'sync' with output '{}': only file and over can be synced", to_string(row.output)));
  }

  void set_made_by(Row& row) const {
    const Value* made_by = table_.find("made_by");
    if (!made_by) return;
    const std::vector<std::string> words = split_words(filled(table_.need_text("made_by"), "made_by", row, made_by->place));
    const Tool* tool = toolbox_.find(words.at(0));
    if (!tool) fail(made_by->place, fmt::format("unknown tool '{}'{}", words[0], toolbox_.suggestion(words[0])));
    check_options(*tool, words, made_by->place);
    if (words.back() != "--fill")
      fail(made_by->place, "'made_by' must end with --fill: what makes an input reads none, and is told how much to make");
    if (row.input == Input::zero || row.input == Input::none || row.input == Input::pipe)
      fail(made_by->place, fmt::format("'made_by' with input '{}': there is no input to make", to_string(row.input)));
    row.made_by = words;
  }

  void set_link(Row& row) const {
    const Value* link = table_.find("link");
    if (!link) return;
    const std::string text = scalar_text(*link, "link");
    try {
      row.link_bits_per_s = parse_bit_rate(text);
    } catch (const Error& error) {
      fail(link->place, fmt::format("'link': {}", error.what()));
    }
    if (row.input != Input::tcp && row.output != Output::tcp)
      fail(link->place, "'link' without input or output 'tcp': nothing would cross it");
  }

  // "1/4", or a number.
  static double share_of(const Value& value, const std::string& key) {
    double share = value.number;
    if (value.kind == Value::Kind::text) {
      const std::size_t slash = value.text.find('/');
      try {
        share = parse_number(value.text.substr(0, slash));
        if (slash != std::string::npos) share /= parse_number(value.text.substr(slash + 1));
      } catch (const Error& error) {
        fail(value.place, fmt::format("'{}' must be like \"1/4\" or 0.25: {}", key, error.what()));
      }
    }
    if (!value.is_scalar() || value.kind == Value::Kind::boolean || !(share > 0 && share <= 1))
      fail(value.place, fmt::format("'{}' must be like \"1/4\" or 0.25, above 0 and at most 1", key));
    return share;
  }

  void check_ends(const Row& row) const {
    const Tool& tool = tool_of(row);
    const std::string input = to_string(row.input);
    const std::string output = to_string(row.output);
    const std::string input_end = input_ends[static_cast<std::size_t>(row.input)];
    const std::string output_end = output_ends[static_cast<std::size_t>(row.output)];
    if (tool.takes_names || row.is_given_names()) check_named_ends(row);
    const bool may_refuse = row.expect == Expected::refusal;  // which ends it does not serve is what is asked
    if (!may_refuse && !input_end.empty() && !contains(tool.inputs, input_end))
      fail(table_.need("input").place,
           fmt::format("{} does not serve input '{}'; it serves {}", tool.name, input, fmt::join(tool.inputs, ", ")));
    if (!may_refuse && !output_end.empty() && !contains(tool.outputs, output_end))
      fail(table_.need("output").place, fmt::format("{} does not serve output '{}'; it serves {}", tool.name, output,
                                                    fmt::join(tool.outputs, ", ")));
    check_drain_and_fill(row);
    if (row.framed && row.operation_bytes <= record_head_bytes && (row.input == Input::none || !row.made_by.empty()))
      fail(table_.place, fmt::format("{} deals in records: 'operation' must be the size of one, above {}", row.tool, record_head_bytes));
    const bool disk = row.reads_disk();
    if (disk && row.cache == Cache::none)
      fail(table_.place, fmt::format("input '{}' reads a file of the disk: 'cache' must say warm, cold or confined", input));
    const bool writes = row.cache == Cache::confined && (row.output == Output::file || row.output == Output::over);
    if (!disk && !writes && row.cache != Cache::none)
      fail(table_.need("cache").place,
           fmt::format("cache '{}' with input '{}': no file of the disk is read, leave it out", to_string(row.cache),
                       input));
    if (row.cache == Cache::confined && row.input == Input::pipe)
      fail(table_.need("cache").place, "cache 'confined' with input 'pipe': what feeds the pipe would not be confined");
    if (row.cache == Cache::cold && row.repeat > 1)
      fail(table_.need("repeat").place, "'repeat' with cache 'cold': only the first copy would find it cold");
  }

  void check_drain_and_fill(const Row& row) const {
    if ((row.input == Input::none) != contains(row.arguments, "--fill"))
      fail(table_.need("input").place, "input 'none' and the option --fill go together: the tool makes the bytes");
    if ((row.output == Output::none) != contains(row.arguments, "--drain"))
      fail(table_.need("output").place, "output 'none' and the option --drain go together: the tool drops the bytes");
  }

  void check_named_ends(const Row& row) const {
    if (row.input != Input::corpus && row.input != Input::tmpfs)
      fail(table_.need("input").place, fmt::format("{} takes its source by name: input corpus or tmpfs only", row.tool));
    if (row.output != Output::file && row.output != Output::tmpfs)
      fail(table_.need("output").place, fmt::format("{} takes its destination by name: output file or tmpfs only", row.tool));
  }

  void set_names(Row& row) const {
    const Place& place = table_.need("name").place;
    std::string name = filled(table_.need_text("name"), "name", row, place);
    check_name(place, "row", name);
    row.name = name;
    row.comment = tool_of(row).says;
    if (table_.find("comment"))
      row.comment = filled(table_.need_text("comment"), "comment", row, table_.need("comment").place);
    std::string label = row.name;
    if (table_.find("label")) label = filled(table_.need_text("label"), "label", row, table_.need("label").place);
    row.label = label;
  }

  const Value& table_;
  const Toolbox& toolbox_;
  const Value* default_size_;
  bool allow_commands_;
  Tool own_;  // of a row with a command of its own
  std::vector<Axis> axes_;
};

}  // namespace

void check_options(const Tool& tool, const std::vector<std::string>& words, const Place& place) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!contains(tool.options, words[i]))
      fail(place, fmt::format("{} has no option '{}'{}", tool.name, words[i],
                              tool.options.empty() ? "; it takes none" : suggestion(words[i], tool.options)));
    if (const auto own = tool.words.find(words[i]); own != tool.words.end()) {
      if (i + 1 == words.size())
        fail(place, fmt::format("{} {} is not followed by {}", tool.name, words[i], fmt::join(own->second, " or ")));
      if (++i; !contains(own->second, words[i]))
        fail(place, fmt::format("unknown {} '{}' of {}{}", words[i - 1], words[i], tool.name, suggestion(words[i], own->second)));
      continue;
    }
    if (tool.kind != "copy" || !option_takes_size(words[i])) continue;
    if (words[i] == "--fill" && i + 1 == words.size()) continue;  // as much as the row moves
    if (i + 1 == words.size()) fail(place, fmt::format("{} {} is not followed by a size", tool.name, words[i]));
    const std::string option = words[i] + " of " + tool.name;
    if (size_or_fail(words[++i], option, place) == 0 && words[i - 1] == "-b")
      fail(place, fmt::format("'{}' is 0: a block has at least one byte", option));
  }
}

std::vector<Row> load_rows(const Value& table, const Toolbox& toolbox, const std::set<std::string>& mentioned,
                           const Value* default_size, bool allow_commands) {
  const RowMaker maker(table, toolbox, default_size, allow_commands);
  maker.refuse_unused(mentioned);
  return maker.rows();
}

}  // namespace iobench
