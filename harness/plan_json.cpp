// SPDX-License-Identifier: MIT
// plan.json: a plan to text and back, so that a report and a resumed run need no suite file. Reading trusts nothing:
// the file may be cut, edited or of another version.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>

#include "plan.h"
#include "system.h"

namespace iobench {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t schema_version = 1;

Json to_json(const Row& row) {
  Json json = {{"name", row.name},
               {"label", row.label},
               {"comment", row.comment},
               {"tool", row.tool},
               {"program", row.program},
               {"arguments", row.arguments},
               {"input", to_string(row.input)},
               {"output", to_string(row.output)},
               {"cache", to_string(row.cache)},
               {"share", row.share},
               {"repeat", row.repeat},
               {"sync", row.sync},
               {"values", row.values},
               {"line", row.line}};
  if (row.not_confined) json["not_confined"] = true;
  if (row.size_bytes) json["fixed_size_bytes"] = *row.size_bytes;
  if (row.expect != Expected::copy) json["expect"] = to_string(row.expect);
  if (row.takes_names) json["takes_names"] = true;
  if (row.peer) json["peer"] = true;
  if (row.framed) json["framed"] = true;
  if (!row.package.empty()) json["package"] = row.package;
  if (!row.build.empty()) json["build"] = row.build;
  if (row.part != 1) json["part"] = row.part;
  if (!row.ranked) json["ranked"] = false;
  if (row.count_instructions) json["count_instructions"] = true;
  if (row.operation_bytes) json["operation_bytes"] = row.operation_bytes;
  if (!row.made_by.empty()) json["made_by"] = row.made_by;
  if (row.link_bits_per_s) json["link_bits_per_s"] = row.link_bits_per_s;
  return json;
}

Json to_json(const RowCheck& check) {
  Json json = {{"status", check.status},
          {"reason", check.reason},
          {"program_bytes", check.program_bytes},
          {"calls_per_mib", check.calls_per_mib},
          {"startup_calls", check.startup_calls},
          {"calls", check.calls},
          {"counted_bytes", check.counted_bytes},
          {"calls_note", check.calls_note}};
  if (check.instructions_per_byte >= 0) json["instructions_per_byte"] = check.instructions_per_byte;
  if (!check.instructions_note.empty()) json["instructions_note"] = check.instructions_note;
  if (!check.note.empty()) json["note"] = check.note;
  if (!check.not_a_copy.empty()) json["not_a_copy"] = check.not_a_copy;
  return json;
}

Json to_json(const Group& group) {
  return {{"name", group.name},
          {"rows", group.rows},
          {"baseline", group.baseline == SIZE_MAX ? Json() : Json(group.baseline)},
          {"rounds", group.rounds}};
}

// Keys that most suites do not use are left out where they say nothing.
void add_if_said(Json& json, const char* key, const auto& value) {
  if (!(value == std::decay_t<decltype(value)>{})) json[key] = value;
}

Json to_json(const Published& published) {
  Json json = {{"file", published.file}, {"match", published.match}};
  add_if_said(json, "only", published.only);
  add_if_said(json, "units", published.units);
  add_if_said(json, "rounding", published.rounding);
  add_if_said(json, "errors", published.errors);
  add_if_said(json, "group", published.group);
  add_if_said(json, "minus", published.minus);
  return json;
}

Json to_json(const TableSpec& table) {
  Json json = {{"title", table.title}, {"columns", table.columns}, {"headings", table.headings}, {"only", table.only}};
  add_if_said(json, "lines", table.lines);
  add_if_said(json, "step", table.step);
  add_if_said(json, "minus", table.minus);
  add_if_said(json, "published_only", table.published_only);
  add_if_said(json, "pairs", table.pairs);
  return json;
}

Json to_json(const PlotSpec& plot) {
  Json json = {{"name", plot.name}, {"kind", plot.kind},        {"title", plot.title}, {"x", plot.x},
               {"y", plot.y},       {"series", plot.series},    {"published", plot.published},
               {"only", plot.only}, {"relative", plot.relative}};
  add_if_said(json, "x_label", plot.x_label);
  add_if_said(json, "y_label", plot.y_label);
  add_if_said(json, "published_lines", plot.published_lines);
  add_if_said(json, "minus", plot.minus);
  add_if_said(json, "log", plot.log);
  return json;
}

Json to_json(const ClaimSpec& claim) {
  return {{"says", claim.says},     {"who", claim.who},     {"kind", to_string(claim.kind)},
          {"rows", claim.rows},     {"minus", claim.minus}, {"per", claim.per},
          {"metric", claim.metric}, {"published", claim.published ? Json(*claim.published) : Json()},
          {"holds_if", claim.holds_if}};
}

template <class T>
Json list_to_json(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

Json to_json(const PlannedSuite& suite, const std::vector<RowCheck>* checks) {
  const Experiment& experiment = suite.experiment;
  Json json = {{"name", experiment.name},
               {"path", experiment.path.filename().string()},
               {"title", experiment.title},
               {"question", experiment.question},
               {"discussion", experiment.discussion},
               {"group", experiment.group},
               {"baseline", experiment.baseline},
               {"in_bench", experiment.in_bench}};
  if (experiment.published) json["published"] = to_json(*experiment.published);
  if (!experiment.claims.empty()) json["claims"] = list_to_json(experiment.claims);
  json["tables"] = list_to_json(experiment.tables);
  json["plots"] = list_to_json(experiment.plots);
  json["questions"] = Json::array();
  for (const QuestionSpec& question : experiment.questions)
    json["questions"].push_back({{"asks", question.asks}, {"answer", question.answer}});
  json["limits"] = Json::array();
  for (const Limit limit : suite.limits) json["limits"].push_back(to_string(limit));
  json["groups"] = list_to_json(suite.groups);
  json["rows"] = Json::array();
  for (std::size_t i = 0; i < suite.rows.size(); ++i) {
    Json row = to_json(suite.rows[i].row);
    row["group"] = suite.rows[i].group;
    row["size_bytes"] = suite.rows[i].size_bytes;
    row["argv"] = suite.rows[i].argv;
    if (checks && i < checks->size()) row["check"] = to_json((*checks)[i]);
    json["rows"].push_back(std::move(row));
  }
  return json;
}

// The readers. nlohmann-json converts silently between numbers, and a negative count would become an enormous one; what
// it says of a wrong type or a missing key is for programmers. A value of the wrong kind is told by its key, or itself.
std::string shown(const Json& json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  constexpr std::size_t longest = 40;
  return text.size() > longest ? text.substr(0, longest) + "…" : text;
}

const Json& need(const Json& json, const char* key) {
  if (!json.is_object()) throw Error(fmt::format("'{}' is missing: {} is no object", key, shown(json)));
  const auto found = json.find(key);
  if (found == json.end()) throw Error(fmt::format("'{}' is missing", key));
  return *found;
}

const Json& need_list(const Json& json, const char* key) {
  const Json& list = need(json, key);
  if (!list.is_array()) throw Error(fmt::format("'{}' is {}, no list", key, shown(list)));
  return list;
}

const Json& item(const Json& list, std::size_t place) {
  if (!list.is_array() || place >= list.size()) throw Error(fmt::format("{} is too short a list", shown(list)));
  return list[place];
}

std::uint64_t count(const Json& json) {
  if (!json.is_number_unsigned()) throw Error(fmt::format("{} is no count", shown(json)));
  return json.get<std::uint64_t>();
}

std::size_t index(const Json& json, std::size_t size, const char* what) {
  const std::uint64_t value = count(json);
  if (value >= size) throw Error(fmt::format("there is no {} {}", what, value));
  return static_cast<std::size_t>(value);
}

// Of a round or a number of rounds.
std::size_t rounds(const Json& json) {
  const std::uint64_t value = count(json);
  if (value > most_rounds) throw Error(fmt::format("{} rounds are more than {}", value, most_rounds));
  return static_cast<std::size_t>(value);
}

std::string text(const Json& json) {
  if (!json.is_string()) throw Error(fmt::format("{} is no text", shown(json)));
  return json.get<std::string>();
}

bool flag(const Json& json) {
  if (!json.is_boolean()) throw Error(fmt::format("{} is neither true nor false", shown(json)));
  return json.get<bool>();
}

double number(const Json& json) {
  if (!json.is_number()) throw Error(fmt::format("{} is no number", shown(json)));
  return json.get<double>();
}

std::string text(const Json& json, const char* key) { return text(need(json, key)); }
std::string text(const Json& json, const char* key, const char* missing) {
  return json.contains(key) ? text(json[key]) : missing;
}
bool flag(const Json& json, const char* key) { return flag(need(json, key)); }
bool flag(const Json& json, const char* key, bool missing) { return json.contains(key) ? flag(json[key]) : missing; }

std::vector<std::string> texts(const Json& json, const char* key) {
  std::vector<std::string> all;
  for (const Json& one : need_list(json, key)) all.push_back(text(one));
  return all;
}

Pairs pairs(const Json& json, const char* key) {
  Pairs all;
  for (const Json& pair : need_list(json, key)) all.emplace_back(text(item(pair, 0)), text(item(pair, 1)));
  return all;
}

template <class Enum>
Enum known(const std::optional<Enum>& value, const std::string& word) {
  if (!value) throw Error(fmt::format("'{}' is unknown", word));
  return *value;
}

Row row_of(const Json& json) {
  Row row;
  row.name = text(json, "name");
  row.label = text(json, "label");
  row.comment = text(json, "comment");
  row.tool = text(json, "tool");
  row.program = text(json, "program");
  row.arguments = texts(json, "arguments");
  row.input = known(input_of(text(json, "input")), text(json, "input"));
  row.output = known(output_of(text(json, "output")), text(json, "output"));
  row.cache = known(cache_of(text(json, "cache")), text(json, "cache"));
  row.share = number(need(json, "share"));
  row.repeat = count(need(json, "repeat"));
  row.sync = flag(json, "sync");
  row.values = pairs(json, "values");
  row.line = static_cast<int>(index(need(json, "line"), INT_MAX, "line"));
  row.not_confined = flag(json, "not_confined", false);
  if (json.contains("fixed_size_bytes")) row.size_bytes = count(json["fixed_size_bytes"]);
  if (json.contains("expect")) row.expect = known(expected_of(text(json, "expect")), text(json, "expect"));
  row.takes_names = flag(json, "takes_names", false);
  row.peer = flag(json, "peer", false);
  row.framed = flag(json, "framed", false);
  row.package = text(json, "package", "");
  if (json.contains("build")) row.build = texts(json, "build");
  if (json.contains("part")) row.part = number(json["part"]);
  row.ranked = flag(json, "ranked", true);
  row.count_instructions = flag(json, "count_instructions", false);
  if (json.contains("operation_bytes")) row.operation_bytes = count(json["operation_bytes"]);
  if (json.contains("made_by")) row.made_by = texts(json, "made_by");
  if (json.contains("link_bits_per_s")) row.link_bits_per_s = count(json["link_bits_per_s"]);
  return row;
}

RowCheck check_of(const Json& json) {
  RowCheck check;
  check.status = text(json, "status");
  check.reason = text(json, "reason");
  check.program_bytes = count(need(json, "program_bytes"));
  check.calls_per_mib = number(need(json, "calls_per_mib"));
  check.startup_calls = count(need(json, "startup_calls"));
  for (const Json& call : need_list(json, "calls")) check.calls.emplace_back(text(item(call, 0)), count(item(call, 1)));
  check.counted_bytes = count(need(json, "counted_bytes"));
  check.calls_note = text(json, "calls_note");
  if (json.contains("instructions_per_byte")) check.instructions_per_byte = number(json["instructions_per_byte"]);
  check.instructions_note = text(json, "instructions_note", "");
  check.note = text(json, "note", "");
  check.not_a_copy = text(json, "not_a_copy", "");
  return check;
}

ClaimSpec claim_of(const Json& json) {
  ClaimSpec claim;
  claim.says = text(json, "says");
  claim.who = text(json, "who");
  claim.kind = known(claim_kind_of(text(json, "kind")), text(json, "kind"));
  claim.rows = texts(json, "rows");
  claim.minus = text(json, "minus");
  claim.per = number(need(json, "per"));
  claim.metric = text(json, "metric");
  if (const Json& published = need(json, "published"); !published.is_null()) claim.published = number(published);
  claim.holds_if = text(json, "holds_if");
  parse_bounds(claim.holds_if);
  if (std::count(claim_metrics().begin(), claim_metrics().end(), claim.metric) == 0)
    throw Error(fmt::format("'{}' is unknown", claim.metric));
  if (claim.rows.size() != (claim.kind == ClaimKind::value ? 1 : 2))
    throw Error(fmt::format("a claim has {} rows", claim.rows.size()));
  if (!(claim.per > 0)) throw Error("a claim is divided by nothing");
  return claim;
}

// What a key holds that may be left out.
template <class T>
void read_if_said(const Json& json, const char* key, T& value) {
  if (json.contains(key)) value = json[key].get<T>();
}

Published published_of(const Json& json) {
  Published published;
  published.file = text(json, "file");
  if (published.file.find('/') != std::string::npos || published.file.starts_with("."))  // it is read, and shown
    throw Error(fmt::format("published figures '{}' are in no folder of ours", shown(json["file"])));
  published.match = pairs(json, "match");
  read_if_said(json, "only", published.only);
  read_if_said(json, "units", published.units);
  read_if_said(json, "rounding", published.rounding);
  read_if_said(json, "errors", published.errors);
  read_if_said(json, "group", published.group);
  read_if_said(json, "minus", published.minus);
  return published;
}

TableSpec table_of(const Json& json) {
  TableSpec table;
  table.title = text(json, "title");
  table.columns = texts(json, "columns");
  table.headings = texts(json, "headings");
  table.only = text(json, "only");
  read_if_said(json, "lines", table.lines);
  read_if_said(json, "step", table.step);
  read_if_said(json, "minus", table.minus);
  read_if_said(json, "published_only", table.published_only);
  read_if_said(json, "pairs", table.pairs);
  return table;
}

PlotSpec plot_of(const Json& json) {
  PlotSpec plot;
  plot.name = text(json, "name");
  plot.kind = text(json, "kind");
  plot.title = text(json, "title");
  plot.x = text(json, "x");
  plot.y = text(json, "y");
  plot.series = texts(json, "series");
  plot.published = text(json, "published");
  plot.only = text(json, "only");
  plot.relative = json.at("relative").get<bool>();
  read_if_said(json, "x_label", plot.x_label);
  read_if_said(json, "y_label", plot.y_label);
  read_if_said(json, "published_lines", plot.published_lines);
  read_if_said(json, "minus", plot.minus);
  read_if_said(json, "log", plot.log);
  return plot;
}

Experiment experiment_of(const Json& json) {
  Experiment experiment;
  experiment.name = text(json, "name");
  experiment.path = text(json, "path");
  experiment.title = text(json, "title");
  experiment.question = text(json, "question");
  experiment.discussion = text(json, "discussion");
  experiment.group = texts(json, "group");
  experiment.baseline = pairs(json, "baseline");
  experiment.in_bench = flag(json, "in_bench");
  if (json.contains("published")) experiment.published = published_of(json["published"]);
  if (json.contains("claims"))
    for (const Json& claim : need_list(json, "claims")) experiment.claims.push_back(claim_of(claim));
  for (const Json& table : need_list(json, "tables")) experiment.tables.push_back(table_of(table));
  for (const Json& plot : need_list(json, "plots")) experiment.plots.push_back(plot_of(plot));
  if (json.contains("questions"))
    for (const Json& question : need_list(json, "questions"))
      experiment.questions.push_back({text(question, "asks"), text(question, "answer")});
  return experiment;
}

void check_rows_of_claims(const Experiment& experiment) {
  for (const ClaimSpec& claim : experiment.claims)
    for (const std::string& name : claim.all_rows())
      if (std::none_of(experiment.rows.begin(), experiment.rows.end(),
                       [&](const Row& row) { return row.name == name; }))
        throw Error(fmt::format("a claim names row '{}', which is not there", name));
}

PlannedSuite suite_of(const Json& json, std::vector<RowCheck>& checks) {
  PlannedSuite suite;
  suite.experiment = experiment_of(json);
  if (json.contains("limits"))
    for (const std::string& word : texts(json, "limits")) suite.limits.insert(known(limit_of(word), word));
  else if (flag(json, "memory_copy_limit"))  // of earlier plans, which knew no other
    suite.limits.insert(Limit::memory_copy);
  const std::size_t rows = need_list(json, "rows").size();
  const std::size_t groups = need_list(json, "groups").size();
  for (const Json& row : need(json, "rows")) {
    suite.experiment.rows.push_back(row_of(row));
    suite.rows.push_back({suite.experiment.rows.back(), index(need(row, "group"), groups, "group"),
                          count(need(row, "size_bytes")), texts(row, "argv")});
    if (row.contains("check")) checks.push_back(check_of(row["check"]));
  }
  if (!checks.empty() && checks.size() != rows) throw Error("some rows have a check and some have none");
  check_rows_of_claims(suite.experiment);
  for (const Json& group : need(json, "groups")) {
    Group planned{text(group, "name"), {}, SIZE_MAX, rounds(need(group, "rounds"))};
    for (const Json& row : need_list(group, "rows")) planned.rows.push_back(index(row, rows, "row"));
    if (!need(group, "baseline").is_null()) planned.baseline = index(group["baseline"], rows, "row");
    suite.groups.push_back(std::move(planned));
  }
  return suite;
}

Run run_of(const Json& json, const std::vector<PlannedSuite>& suites) {
  const std::size_t suite = index(item(json, 0), suites.size(), "suite");
  const std::size_t row = index(item(json, 1), suites[suite].rows.size(), "row");
  const std::size_t round = rounds(item(json, 2));
  const Group& group = suites[suite].groups[suites[suite].rows[row].group];
  if (round < 1 || round > group.rounds)
    throw Error(fmt::format("there is no round {} of row '{}'", round, suites[suite].rows[row].row.name));
  return {suite, row, round, count(item(json, 3)) != 0};
}

StoredPlan stored_plan_of(const Json& json) {
  const std::uint64_t version = count(need(json, "iobench_plan"));
  if (version != schema_version)
    throw Error(fmt::format("schema {}; this iobench reads schema {} only", version, schema_version));
  StoredPlan stored;
  stored.plan.free_commands = flag(json, "free_commands", false);
  const Json& options = need(json, "options");
  stored.plan.options = {count(need(options, "corpus_bytes")), flag(options, "apply_shares"),
                         count(need(options, "seed")), rounds(need(options, "rounds")),
                         text(options, "cpus", ""), flag(options, "confinable", true),
                         text(options, "confinement_obstacle", ""), flag(options, "other_machine", false)};
  bool checked = false;
  for (const Json& suite : need_list(json, "suites")) {
    std::vector<RowCheck> checks;
    stored.plan.suites.push_back(suite_of(suite, checks));
    checked = checked || !checks.empty();
    stored.checks.push_back(std::move(checks));
  }
  if (!checked) stored.checks.clear();
  for (const Json& run : need_list(json, "runs")) stored.plan.runs.push_back(run_of(run, stored.plan.suites));
  return stored;
}

}  // namespace

std::string plan_to_json(const Plan& plan, const RowChecks& checks) {
  const PlanOptions& options = plan.options;
  Json json = {{"iobench_plan", schema_version},
               {"free_commands", plan.free_commands},
               {"options",
                {{"corpus_bytes", options.corpus_bytes},
                 {"apply_shares", options.apply_shares},
                 {"seed", options.seed},
                 {"rounds", options.rounds},
                 {"cpus", options.cpus},
                 {"confinable", options.confinable},
                 {"confinement_obstacle", options.confinement_obstacle},
                 {"other_machine", options.other_machine}}},
               {"suites", Json::array()}};
  for (std::size_t i = 0; i < plan.suites.size(); ++i)
    json["suites"].push_back(to_json(plan.suites[i], i < checks.size() ? &checks[i] : nullptr));
  // The runs are written a round a line: thousands of one-number lines would bury the rest.
  std::string runs;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const Run& run = plan.runs[i];
    const bool same_line = i > 0 && plan.runs[i - 1].suite == run.suite && plan.runs[i - 1].round == run.round;
    runs += fmt::format("{}[{},{},{},{}]",
                        i == 0      ? "\n    "
                        : same_line ? ", "
                                    : ",\n    ",
                        run.suite, run.row, run.round, run.again ? 1 : 0);
  }
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  text.resize(text.rfind('\n'));  // the closing brace
  return text + ",\n  \"runs\": [" + runs + "\n  ]\n}\n";
}

StoredPlan plan_from_json(const std::string& json, const std::string& path_for_errors) {
  const auto refuse = [&](const std::string& why) {
    return Error(fmt::format("{}: not a plan of iobench: {}", path_for_errors, why));
  };
  const Json parsed = Json::parse(json, nullptr, false);
  if (json.empty()) throw refuse("it is empty");
  if (parsed.is_discarded()) throw refuse("it is no JSON, or was cut off");
  try {
    return stored_plan_of(parsed);
  } catch (const Error& error) {
    throw refuse(error.what());
  }
}

}  // namespace iobench
