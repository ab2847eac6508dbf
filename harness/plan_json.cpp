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
  if (row.expect != Expected::copy) json["expect"] = to_string(row.expect);
  if (row.takes_names) json["takes_names"] = true;
  if (row.framed) json["framed"] = true;
  if (row.part != 1) json["part"] = row.part;
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

Json to_json(const TableSpec& table) {
  return {{"title", table.title}, {"columns", table.columns}, {"headings", table.headings}, {"only", table.only}};
}

Json to_json(const PlotSpec& plot) {
  return {{"name", plot.name}, {"kind", plot.kind},        {"title", plot.title}, {"x", plot.x},
          {"y", plot.y},       {"series", plot.series},    {"limit", plot.limit}, {"published", plot.published},
          {"only", plot.only}, {"relative", plot.relative}};
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
  if (experiment.published)
    json["published"] = {{"file", experiment.published->file},
                         {"match", experiment.published->match},
                         {"only", experiment.published->only}};
  json["tables"] = list_to_json(experiment.tables);
  json["plots"] = list_to_json(experiment.plots);
  json["questions"] = Json::array();
  for (const QuestionSpec& question : experiment.questions)
    json["questions"].push_back({{"asks", question.asks}, {"answer", question.answer}});
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
  if (json.contains("expect")) row.expect = known(expected_of(text(json, "expect")), text(json, "expect"));
  row.takes_names = json.value("takes_names", false);
  row.framed = json.value("framed", false);
  row.part = json.value("part", 1.0);
  row.count_instructions = json.value("count_instructions", false);
  if (json.contains("operation_bytes")) row.operation_bytes = count(json["operation_bytes"]);
  if (json.contains("made_by")) row.made_by = texts(json, "made_by");
  if (json.contains("link_bits_per_s")) row.link_bits_per_s = count(json["link_bits_per_s"]);
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
  check.instructions_per_byte = json.value("instructions_per_byte", -1.0);
  check.instructions_note = json.value("instructions_note", "");
  check.note = json.value("note", "");
  check.not_a_copy = json.value("not_a_copy", "");
  return check;
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
  if (json.contains("published"))
    experiment.published = Published{text(json["published"], "file"), pairs(json["published"], "match"),
                                     json["published"].value("only", "")};
  for (const Json& table : json.at("tables"))
    experiment.tables.push_back(
        {text(table, "title"), texts(table, "columns"), texts(table, "headings"), text(table, "only")});
  for (const Json& plot : json.at("plots"))
    experiment.plots.push_back({text(plot, "name"), text(plot, "kind"), text(plot, "title"), text(plot, "x"),
                                text(plot, "y"), texts(plot, "series"), text(plot, "limit"), text(plot, "published"),
                                text(plot, "only"), plot.at("relative").get<bool>()});
  for (const Json& question : json.value("questions", Json::array()))
    experiment.questions.push_back({text(question, "asks"), text(question, "answer")});
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
                         options.value("confinement_obstacle", ""), options.value("other_machine", false)};
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
  try {
    return stored_plan_of(Json::parse(json));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{}: not a plan of iobench: {}", path_for_errors, error.what()));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: not a plan of iobench: {}", path_for_errors, error.what()));
  }
}

}  // namespace iobench
