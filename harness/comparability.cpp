// SPDX-License-Identifier: MIT
// machine.json is taken as a list of facts by path: a chapter that is added to it is compared without a word here. Only
// the few that forbid a comparison, those that change by themselves and the list of programs are known by name.
#include "comparability.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "units.h"

namespace iobench {

namespace {

using Json = nlohmann::ordered_json;
using Facts = std::map<std::string, Json>;  // by path: "/kernel/release"

constexpr std::array forbidding = {"/processor/model name", "/processor/vendor_id", "/processor/CPU implementer",
                                   "/processor/CPU part",   "/kernel/architecture", "/kernel/name"};
// Momentary, or of no matter for a time: what is under these paths, too.
constexpr std::array passed_over = {"/schema",
                                    "/host",
                                    "/time_utc",
                                    "/load_average",
                                    "/load_average_5_minutes",
                                    "/load_average_15_minutes",
                                    "/processor/cpu MHz",
                                    "/processor/scaling_cur_freq",
                                    "/processor/throttle_count",
                                    "/memory/available_bytes",
                                    "/memory/swap_used_bytes",
                                    "/memory/huge_pages_free",
                                    "/results_file_system",
                                    "/programs"};  // compared by name
// The last is of a NUMA node: a virtual machine's host takes and gives it, and all of it is in /memory/total_bytes.
constexpr std::array passed_over_anywhere = {"/free_bytes", "/used_bytes", "/memory_bytes"};
constexpr std::size_t deepest = 8;

template <std::size_t n>
bool is_under(const std::string& path, const std::array<const char*, n>& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& known) { return path == known || path.starts_with(known + "/"); });
}

void collect(const Json& value, const std::string& path, Facts& facts, std::size_t depth = 0) {
  const auto ends_with = [&](const char* ending) { return path.ends_with(ending); };
  if (depth > deepest || is_under(path, passed_over) ||
      std::any_of(passed_over_anywhere.begin(), passed_over_anywhere.end(), ends_with))
    return;
  if (value.is_object())
    for (const auto& [key, inner] : value.items()) collect(inner, path + "/" + key, facts, depth + 1);
  else if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], fmt::format("{}/{}", path, i), facts, depth + 1);
  else
    facts[path] = value;
}

bool is_bytes(const std::string& path) {
  return path.ends_with("_bytes");
}

// "/corpus_file_system/device/read_ahead_kb" is "corpus file system, device, read ahead kb".
std::string words_of(std::string path) {
  if (is_bytes(path)) path.resize(path.size() - std::string_view("_bytes").size());
  std::string words;
  for (const char c : path.substr(1)) words += c == '/' ? std::string(", ") : std::string(1, c == '_' ? ' ' : c);
  return words;
}

std::string value_words(const std::string& path, const Json* value) {
  if (!value) return "not recorded";
  if (value->is_string()) return value->get<std::string>();
  if (value->is_boolean()) return value->get<bool>() ? "yes" : "no";
  if (is_bytes(path) && value->is_number_unsigned()) return format_size(value->get<std::uint64_t>());
  return value->dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The memory that a kernel counts varies by some pages from boot to boot.
bool are_same(const std::string& path, const Json& a, const Json& b) {
  if (!is_bytes(path) || !a.is_number() || !b.is_number()) return a == b;
  const double left = a.get<double>(), right = b.get<double>();
  return std::fabs(left - right) <= 0.01 * std::max(left, right);
}

std::string against(const std::string& what, const std::string& a, const std::string& b) {
  return fmt::format("{}: {} against {}", what, a, b);
}

// Programs by name, and what makes each another one.
struct Program {
  std::string version, digest;
};
std::map<std::string, Program> programs_of(const Json& machine) {
  std::map<std::string, Program> programs;
  const auto list = machine.find("programs");
  if (list == machine.end() || !list->is_array()) return programs;
  const auto text = [](const Json& program, const char* key) {
    const auto value = program.find(key);
    return value != program.end() && value->is_string() ? value->get<std::string>() : std::string();
  };
  for (const Json& program : *list)
    if (program.is_object() && !text(program, "name").empty() && text(program, "name") != "gnuplot")  // only draws
      programs[text(program, "name")] = {text(program, "version"), text(program, "xxh3")};
  return programs;
}

void compare_programs(const Json& a_machine, const Json& b_machine, MachineDifferences& found) {
  const std::map<std::string, Program> a = programs_of(a_machine), b = programs_of(b_machine);
  std::vector<std::string> other_build, only_a, only_b;
  for (const auto& [name, program] : a) {
    const auto other = b.find(name);
    if (other == b.end())
      only_a.push_back(name);
    else if (program.version != other->second.version)
      found.caution.push_back(against(name, program.version.empty() ? "no version" : program.version,
                                      other->second.version.empty() ? "no version" : other->second.version));
    else if (program.digest != other->second.digest)
      other_build.push_back(name);
    else
      ++found.same;
  }
  for (const auto& [name, program] : b)
    if (!a.contains(name)) only_b.push_back(name);
  const auto say = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) found.caution.push_back(fmt::format("{}: {}", what, fmt::join(names, ", ")));
  };
  say("programs whose digests differ", other_build);
  say("programs that only A has", only_a);
  say("programs that only B has", only_b);
}

}  // namespace

MachineDifferences compare_machines(const std::string& a_json, const std::string& b_json) {
  MachineDifferences found;
  const Json a = Json::parse(a_json, nullptr, false), b = Json::parse(b_json, nullptr, false);
  for (const auto& [side, text, json] : {std::tuple{"A", &a_json, &a}, {"B", &b_json, &b}})
    if (!json->is_object())
      found.caution.push_back(fmt::format("machine.json of {} {}: on what machine it was measured is not known", side,
                                          text->empty() ? "is missing" : "cannot be read"));
  if (!found.caution.empty()) return found;
  Facts a_facts, b_facts;
  collect(a, "", a_facts);
  collect(b, "", b_facts);
  std::set<std::string> paths;
  for (const Facts* facts : {&a_facts, &b_facts})
    for (const auto& [path, value] : *facts) paths.insert(path);
  for (const std::string& path : paths) {
    const auto left = a_facts.find(path), right = b_facts.find(path);
    const Json *a_value = left == a_facts.end() ? nullptr : &left->second,
               *b_value = right == b_facts.end() ? nullptr : &right->second;
    if (a_value && b_value && are_same(path, *a_value, *b_value)) {
      ++found.same;
      continue;
    }
    const bool forbids = a_value && b_value && is_under(path, forbidding);
    (forbids ? found.different : found.caution)
        .push_back(against(words_of(path), value_words(path, a_value), value_words(path, b_value)));
  }
  compare_programs(a, b, found);
  return found;
}

namespace {

// What the samples say of a row: the set of the values of a field, without the empty ones.
template <typename Field>
std::set<std::string> values_in(const std::vector<Sample>& samples, Field field) {
  std::set<std::string> values;
  for (const Sample& sample : samples)
    if (const std::string value = field(sample); !value.empty()) values.insert(value);
  return values;
}

std::string set_words(const std::set<std::string>& values) {
  return values.empty() ? "not recorded" : fmt::format("{}", fmt::join(values, " and "));
}

// "v2" of "v2:GROUP".
std::string first_word(const std::string& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c); });
  return {text.begin(), end};
}

std::set<std::string> cgroup_versions(const ComparedRun& run, const RowMatch& match) {
  return values_in(run.samples, [&](const Sample& sample) {
    return sample.suite == match.suite && sample.row == match.name ? first_word(sample.cgroup) : std::string();
  });
}

std::set<std::string> memory_limits(const ComparedRun& run, const RowMatch& match) {
  return values_in(run.samples, [&](const Sample& sample) {
    const bool ours = sample.suite == match.suite && sample.row == match.name && sample.limit_bytes;
    return ours ? format_size(*sample.limit_bytes) : std::string();
  });
}

bool writes_pages(const Row& row) {
  return row.output == Output::file || row.output == Output::over || row.output == Output::tmpfs;
}

const PlannedRow& row_at(const Plan& plan, const RowPlace& place) {
  return plan.suites[place.suite].rows[place.row];
}

std::string exact_size(std::uint64_t bytes) {
  return format_count(bytes) + " bytes";
}

std::vector<std::string> row_differences(const ComparedRun& a, const ComparedRun& b, const RowMatch& match) {
  std::vector<std::string> found;
  const auto compare = [&](const char* what, const std::string& left, const std::string& right) {
    if (left != right) found.push_back(against(what, left, right));
  };
  const PlannedRow &left = row_at(a.plan, *match.a), &right = row_at(b.plan, *match.b);
  compare("command", fmt::format("{}", fmt::join(left.argv, " ")), fmt::format("{}", fmt::join(right.argv, " ")));
  compare("input", to_string(left.row.input), to_string(right.row.input));
  compare("output", to_string(left.row.output), to_string(right.row.output));
  compare("cache", to_string(left.row.regime()), to_string(right.row.regime()));
  if (left.size_bytes != right.size_bytes) {
    const bool readable = format_size(left.size_bytes) != format_size(right.size_bytes);
    const auto words = readable ? format_size : exact_size;
    found.push_back(against("size", words(left.size_bytes), words(right.size_bytes)));
  }
  compare("copies in a run", format_count(left.row.repeat), format_count(right.row.repeat));
  compare("synced", left.row.sync ? "yes" : "no", right.row.sync ? "yes" : "no");
  if (!found.empty() || left.row.regime() != Cache::confined) return found;
  compare("memory limit", set_words(memory_limits(a, match)), set_words(memory_limits(b, match)));
  const std::set<std::string> versions = cgroup_versions(a, match), others = cgroup_versions(b, match);
  if (writes_pages(left.row) && (versions != others || versions.size() != 1))
    found.push_back(against("confined write, memory cgroup", set_words(versions), set_words(others)));
  return found;
}

using Names = std::map<std::pair<std::string, std::string>, RowPlace>;  // by suite and row
Names places_of(const Plan& plan) {
  Names names;
  for (std::size_t suite = 0; suite < plan.suites.size(); ++suite)
    for (std::size_t row = 0; row < plan.suites[suite].rows.size(); ++row)
      names[{plan.suites[suite].experiment.name, plan.suites[suite].rows[row].row.name}] = {suite, row};
  return names;
}

void match_rows(const ComparedRun& a, const ComparedRun& b, std::vector<RowMatch>& matches) {
  const Names a_names = places_of(a.plan), b_names = places_of(b.plan);
  const auto add = [&](const PlannedSuite& suite, const PlannedRow& planned) {
    RowMatch match;
    match.suite = suite.experiment.name;
    match.name = planned.row.name;
    const auto left = a_names.find({match.suite, match.name}), right = b_names.find({match.suite, match.name});
    if (left != a_names.end()) match.a = left->second;
    if (right != b_names.end()) match.b = right->second;
    match.different = match.a && match.b ? row_differences(a, b, match)
                                         : std::vector<std::string>{match.a ? "only A has it" : "only B has it"};
    matches.push_back(std::move(match));
  };
  for (const PlannedSuite& suite : a.plan.suites)
    for (const PlannedRow& row : suite.rows) add(suite, row);
  for (const PlannedSuite& suite : b.plan.suites)
    for (const PlannedRow& row : suite.rows)
      if (!a_names.contains({suite.experiment.name, row.row.name})) add(suite, row);
}

}  // namespace

Comparability compare_runs(const ComparedRun& a, const ComparedRun& b) {
  Comparability found;
  MachineDifferences machines = compare_machines(a.machine_json, b.machine_json);
  found.different = std::move(machines.different);
  found.caution = std::move(machines.caution);
  found.same = machines.same;
  const auto cpus = [](const ComparedRun& run) {
    return set_words(values_in(run.samples, [](const Sample& sample) { return sample.cpus; }));
  };
  if (cpus(a) != cpus(b)) found.caution.push_back(against("processors of the commands", cpus(a), cpus(b)));
  match_rows(a, b, found.rows);
  return found;
}

}  // namespace iobench
