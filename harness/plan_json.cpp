// SPDX-License-Identifier: MIT
// plan.json: a plan to text and back, so that a report and a resumed run need no suite file. Reading trusts nothing:
// the file may be cut, edited or of another version.
#include <fmt/format.h>

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
  return json;
}

Json to_json(const PlotSpec& plot) {
  Json json = {{"name", plot.name}, {"kind", plot.kind},        {"title", plot.title}, {"x", plot.x},
               {"y", plot.y},       {"series", plot.series},    {"limit", plot.limit}, {"published", plot.published},
               {"only", plot.only}, {"relative", plot.relative}};
  add_if_said(json, "x_label", plot.x_label);
  add_if_said(json, "y_label", plot.y_label);
  add_if_said(json, "published_lines", plot.published_lines);
  add_if_said(json, "minus", plot.minus);
  add_if_said(json, "log", plot.log);
  return json;
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
  json["tables"] = list_to_json(experiment.tables);
  json["plots"] = list_to_json(experiment.plots);
  json["memory_copy_limit"] = suite.memory_copy_limit;
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

// The readers. nlohmann-json converts silently between numbers, and a negative count would become an enormous one.
std::uint64_t count(const Json& json) {
  if (!json.is_number_unsigned())
    throw Error(fmt::format("{} is no count", json.dump(-1, ' ', true, Json::error_handler_t::replace)));
  return json.get<std::uint64_t>();
}

std::size_t index(const Json& json, std::size_t size, const char* what) {
  const std::uint64_t value = count(json);
  if (value >= size) throw Error(fmt::format("there is no {} {}", what, value));
  return static_cast<std::size_t>(value);
}

std::string text(const Json& json, const char* key) { return json.at(key).get<std::string>(); }
std::vector<std::string> texts(const Json& json, const char* key) {
  return json.at(key).get<std::vector<std::string>>();
}
Pairs pairs(const Json& json, const char* key) { return json.at(key).get<Pairs>(); }

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
  row.share = json.at("share").get<double>();
  row.repeat = count(json.at("repeat"));
  row.sync = json.at("sync").get<bool>();
  row.values = pairs(json, "values");
  row.line = json.at("line").get<int>();
  row.not_confined = json.value("not_confined", false);
  if (json.contains("fixed_size_bytes")) row.size_bytes = count(json["fixed_size_bytes"]);
  return row;
}

RowCheck check_of(const Json& json) {
  RowCheck check;
  check.status = text(json, "status");
  check.reason = text(json, "reason");
  check.program_bytes = count(json.at("program_bytes"));
  check.calls_per_mib = json.at("calls_per_mib").get<double>();
  check.startup_calls = count(json.at("startup_calls"));
  for (const Json& call : json.at("calls")) check.calls.emplace_back(call.at(0).get<std::string>(), count(call.at(1)));
  check.counted_bytes = count(json.at("counted_bytes"));
  check.calls_note = text(json, "calls_note");
  check.note = json.value("note", "");
  check.not_a_copy = json.value("not_a_copy", "");
  return check;
}

// What a key holds that may be left out.
template <class T>
void read_if_said(const Json& json, const char* key, T& value) {
  if (json.contains(key)) value = json[key].get<T>();
}

Published published_of(const Json& json) {
  Published published;
  published.file = text(json, "file");
  published.match = pairs(json, "match");
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
  plot.limit = text(json, "limit");
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
  experiment.in_bench = json.at("in_bench").get<bool>();
  if (json.contains("published")) experiment.published = published_of(json["published"]);
  for (const Json& table : json.at("tables")) experiment.tables.push_back(table_of(table));
  for (const Json& plot : json.at("plots")) experiment.plots.push_back(plot_of(plot));
  return experiment;
}

PlannedSuite suite_of(const Json& json, std::vector<RowCheck>& checks) {
  PlannedSuite suite;
  suite.experiment = experiment_of(json);
  suite.memory_copy_limit = json.at("memory_copy_limit").get<bool>();
  const std::size_t rows = json.at("rows").size();
  const std::size_t groups = json.at("groups").size();
  for (const Json& row : json.at("rows")) {
    suite.experiment.rows.push_back(row_of(row));
    suite.rows.push_back({suite.experiment.rows.back(), index(row.at("group"), groups, "group"),
                          count(row.at("size_bytes")), texts(row, "argv")});
    if (row.contains("check")) checks.push_back(check_of(row["check"]));
  }
  if (!checks.empty() && checks.size() != rows) throw Error("some rows have a check and some have none");
  for (const Json& group : json.at("groups")) {
    Group planned{text(group, "name"), {}, SIZE_MAX, static_cast<std::size_t>(count(group.at("rounds")))};
    for (const Json& row : group.at("rows")) planned.rows.push_back(index(row, rows, "row"));
    if (!group.at("baseline").is_null()) planned.baseline = index(group["baseline"], rows, "row");
    suite.groups.push_back(std::move(planned));
  }
  return suite;
}

StoredPlan stored_plan_of(const Json& json) {
  const std::uint64_t version = count(json.at("iobench_plan"));
  if (version != schema_version)
    throw Error(fmt::format("schema {}; this iobench reads schema {} only", version, schema_version));
  StoredPlan stored;
  stored.plan.free_commands = json.value("free_commands", false);
  const Json& options = json.at("options");
  stored.plan.options = {count(options.at("corpus_bytes")), options.at("apply_shares").get<bool>(),
                         count(options.at("seed")), static_cast<std::size_t>(count(options.at("rounds"))),
                         options.value("cpus", ""), options.value("confinable", true),
                         options.value("confinement_obstacle", "")};
  bool checked = false;
  for (const Json& suite : json.at("suites")) {
    std::vector<RowCheck> checks;
    stored.plan.suites.push_back(suite_of(suite, checks));
    checked = checked || !checks.empty();
    stored.checks.push_back(std::move(checks));
  }
  if (!checked) stored.checks.clear();
  for (const Json& run : json.at("runs")) {
    const std::size_t suite = index(run.at(0), stored.plan.suites.size(), "suite");
    const std::size_t row = index(run.at(1), stored.plan.suites[suite].rows.size(), "row");
    stored.plan.runs.push_back({suite, row, static_cast<std::size_t>(count(run.at(2))), count(run.at(3)) != 0});
  }
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
                 {"confinement_obstacle", options.confinement_obstacle}}},
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
  try {
    return stored_plan_of(Json::parse(json));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{}: not a plan of iobench: {}", path_for_errors, error.what()));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: not a plan of iobench: {}", path_for_errors, error.what()));
  }
}

}  // namespace iobench
