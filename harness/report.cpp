// SPDX-License-Identifier: MIT
// The order of a report: the machine and what is odd about the run, what became of the claims, the answers, what to be
// careful about, the advice, then each suite with its tables, claims, figures and open questions, and how to do it again.
#include "report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "advice.h"
#include "answers.h"
#include "blocks.h"
#include "corpus.h"
#include "findings.h"
#include "machine.h"
#include "page.h"
#include "placement.h"
#include "plot.h"
#include "question.h"
#include "runner.h"
#include "samples.h"
#include "summary.h"
#include "table.h"
#include "units.h"
#include "verdict_words.h"
#include "warnings.h"
#include "words.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

// The number at a JSON pointer such as "/memory/total_bytes"; none: there is no such number.
std::optional<double> number_at(const nlohmann::json& document, const std::string& where) {
  const nlohmann::json::json_pointer pointer(where);
  if (!document.is_object() || !document.contains(pointer) || !document.at(pointer).is_number()) return std::nullopt;
  return document.at(pointer).get<double>();
}

// What corpus and memory have to do with each other, in words.
std::string corpus_words(const Findings& found) {
  const std::uint64_t corpus = found.stored.plan.options.corpus_bytes;
  const nlohmann::json machine = nlohmann::json::parse(found.machine_json, nullptr, false);
  const double memory = number_at(machine, "/memory/total_bytes").value_or(0);
  std::string text = fmt::format("Corpus: {} of incompressible bytes, seed {}.", format_size(corpus), corpus_seed);
  if (!(memory > 0)) return text + " How much memory the machine has is not known, so that it may fit.";
  const std::string size = format_size(static_cast<std::uint64_t>(memory));
  if (static_cast<double>(corpus) < memory)
    return text +
           fmt::format(
               " Warning: it fits in this machine's memory ({}). Warm rows measure the page cache; cold rows are "
               "cold because the file was evicted before each run, not because it could not stay.",
               size);
  return text + fmt::format(" It is larger than this machine's memory ({}).", size);
}

// "Where the time went": the session's own account.
std::string time_words(const nlohmann::json& session) {
  const std::vector<std::pair<const char*, const char*>> parts{{"/measured_s", "measured runs"},
                                                               {"/regime_s", "applying regimes"},
                                                               {"/evidence_s", "asking for their evidence"},
                                                               {"/checks_s", "verifying rows and counting calls"},
                                                               {"/corpus_s", "corpora"},
                                                               {"/other_s", "everything else"}};
  std::vector<std::string> words;
  for (const auto& [key, what] : parts)
    if (const std::optional<double> spent = number_at(session, key))
      words.push_back(fmt::format("{} {}", what, format_duration(*spent)));
  return words.empty() ? "" : fmt::format("Where the time went (minutes and seconds): {}.", fmt::join(words, ", "));
}

// What a reader has to know before any number.
std::vector<std::string> oddities(const Findings& found, const nlohmann::json& session) {
  std::vector<std::string> odd;
  std::size_t planned = 0, made = 0;
  for (const SuiteResult& result : found.results) {
    planned += result.runs_planned;
    made += result.runs_made;
  }
  const bool interrupted = session.is_object() && session.value("interrupted", nlohmann::json(false)) == true;
  if (made < planned)
    odd.push_back(fmt::format("Interrupted: {} of {} runs were made.", format_count(made), format_count(planned)));
  if (made >= planned && interrupted) odd.push_back("Interrupted after the last run.");
  if (session.is_object() && session.contains("note") && session["note"].is_string())
    odd.push_back(session["note"].get<std::string>());
  if (const std::size_t rows = confined_rows(found.stored.plan); rows > 0 && !found.stored.plan.options.confinable)
    odd.push_back(fmt::format("Not confined: {} row{} that ask for a memory cgroup ran cold instead, and are named so; {}", rows,
                              rows == 1 ? "" : "s", found.stored.plan.options.confinement_obstacle));
  if (!found.samples.note.empty()) odd.push_back("samples.csv: " + found.samples.note + ".");
  if (!found.surroundings.note.empty()) odd.push_back("surroundings.csv: " + found.surroundings.note + ".");
  if (found.machine_json.empty())
    odd.push_back("machine.json is missing: on what machine this was measured is not recorded here.");
  if (!session.is_object())
    odd.push_back("session.json is missing: the run was ended from outside, or is still going on.");
  return odd;
}

// Every group's noise floor in one place; tables name it only where they hold ratios.
std::string noise_floor_words(const PlannedSuite& suite, const SuiteResult& result) {
  std::vector<std::string> floors;
  for (std::size_t group = 0; group < suite.groups.size(); ++group) {
    if (suite.groups[group].baseline == SIZE_MAX) continue;
    const double floor = result.groups[group].noise_floor;
    floors.push_back(fmt::format("{}: {}", group_words(suite, group), floor > 1 ? floor_words(floor) : "not known"));
  }
  if (floors.empty()) return "";
  return fmt::format(
      "Noise floor, each group's baseline run twice a round (NAME/again) against itself; no smaller "
      "difference is called one: {}.",
      fmt::join(floors, "; "));
}

// What the machine can do at most, as it was measured between the rows.
std::string limits_words(const MeasuredLimits& limits) {
  if (limits.empty()) return "";
  std::vector<std::string> words;
  std::size_t rounds = 0;
  for (const auto& [limit, measured] : limits) {
    words.push_back(limit_words(limit, measured));
    rounds = std::max(rounds, measured.rate.n);
  }
  return fmt::format("Limits of the machine, measured once a round between the rows: {}{}.", fmt::join(words, "; "),
                     rounds ? fmt::format(" (medians of {} round{})", rounds, rounds == 1 ? "" : "s") : "");
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "_-+=:,./@%") == std::string::npos;
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// The row's command as plumb takes it; CORPUS and OUTPUT stand for files of the session.
std::string row_command(const PlannedRow& planned) {
  const Row& row = planned.row;
  const std::string corpus = fmt::format("CORPUS/{}-{}.bin",
                                         row.input == Input::tmpfs  ? "tmpfs"
                                         : row.cache == Cache::warm ? "warm"
                                                                    : "cold",
                                         format_short_size(planned.size_bytes));
  // Sockets: HOST and the ports of net-sink and net-source.
  const auto server = [](bool tcp, const char* port) { return tcp ? fmt::format("tcp:HOST:{}", port) : "unix:SOCKET"; };
  const bool from_server = row.input == Input::tcp || row.input == Input::local;
  const bool to_server = row.output == Output::tcp || row.output == Output::local;
  const Job job = job_between(planned,
                              from_server             ? server(row.input == Input::tcp, "3344")
                              : row.made_by.empty()   ? corpus
                                                      : "MADE",
                              to_server ? server(row.output == Output::tcp, "4433") : "OUTPUT");
  std::vector<std::string> words;
  for (const std::string& word : Runner("hyperfine", "plumb", "").plumb_argv(job)) words.push_back(shell_word(word));
  return fmt::format("{}", fmt::join(words, " "));
}

// A table's title as it stands below its section's heading: without what that says already.
std::string title_below(const std::string& heading, const std::string& title) {
  const std::string said = heading + (heading.ends_with('?') ? " " : ": ");  // as joined() puts them together
  if (!title.starts_with(said) || title.size() == said.size()) return title;
  std::string rest = title.substr(said.size());
  rest[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(rest[0])));
  return rest;
}

constexpr const char* held_and_fell = "What held and what fell";
constexpr const char* careful = "What to be careful about";

class ReportMaker {
 public:
  ReportMaker(const fs::path& results, const Layout& layout)
      : results_(results),
        layout_(layout),
        found_(read_findings(results, layout)),
        session_(nlohmann::json::parse(found_.session_json, nullptr, false)),
        gnuplot_(find_program("gnuplot")) {
    const std::vector<PlannedSuite>& suites = found_.stored.plan.suites;
    for (std::size_t suite = 0; suite < suites.size(); ++suite)
      judged_.push_back({&suites[suite], judge_claims(suites[suite], found_.results[suite], found_.checks(suite))});
  }

  std::string write() {
    for (const char* folder : {"tables", "plots"}) make_folder(results_ / folder);
    const Plan& plan = found_.stored.plan;
    // Many names are no title.
    const bool many = plan.suites.size() > 3;
    blocks_ = {Heading{1, many ? fmt::format("I/O bench: {} suites", plan.suites.size()) : "I/O bench: " + suite_list()}};
    if (many) add(Paragraph{"Suites: " + suite_list() + "."});
    add(Paragraph{found_.machine_json.empty() ? "Machine: not recorded."
                                              : "Machine: " + machine_summary(found_.machine_json)});
    add(Paragraph{corpus_words(found_)});
    const std::vector<std::string> warnings = warning_sentences();
    add_first_things(warnings.size());
    add_verdicts();
    add(Heading{2, "Answers"});
    for (std::size_t suite = 0; suite < plan.suites.size(); ++suite) add_answers(suite);
    add(Heading{2, careful});
    add(List{warnings});
    add(Heading{2, "Advice"});
    for (const Advice& advice : advise(found_)) {
      add(Heading{3, advice.conditions});
      add(List{advice.said});
    }
    for (std::size_t suite = 0; suite < plan.suites.size(); ++suite) add_suite(suite);
    add_strategies();
    add_reproduction();
    const fs::path report = results_ / "report.md", page = results_ / "report.html";
    blocks_ = without_empty_sections(blocks_);
    replace_file(report, to_markdown(blocks_));
    replace_file(page, to_page(blocks_, [&](const std::string& path) { return read_file_or_empty(results_ / path); }));
    shown_ += held_;
    if (!warnings.empty()) shown_ += std::string(careful) + "\n" + list_text(warnings, 100) + "\n";
    for (const std::string& odd : oddities(found_, session_)) shown_ += odd + "\n";
    return shown_ + fmt::format("report: {}\npage: {}\n", report.string(), page.string());
  }

 private:
  void add(Block block) { blocks_.push_back(std::move(block)); }

  std::string suite_list() const {
    std::vector<std::string> names;
    for (const PlannedSuite& suite : found_.stored.plan.suites) names.push_back(suite.experiment.name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // Every claim in a sentence, in the report and on the terminal; the table of all of them beside the other tables.
  void add_verdicts() {
    const std::string counts = verdict_counts(judged_);
    if (counts.empty()) return;
    add(Heading{2, held_and_fell});
    add(Paragraph{counts});
    held_ = std::string(held_and_fell) + ": " + counts + "\n";
    for (const JudgedSuite& judged : judged_) {
      const std::vector<std::string> said = verdict_sentences(judged);
      if (said.empty()) continue;
      const Experiment& experiment = judged.suite->experiment;
      add(Heading{3, experiment.title.empty() ? experiment.name : experiment.title});
      if (const std::string own = verdict_counts({judged}); own != counts) add(Paragraph{own});
      add(List{said});
      held_ += list_text(said, 100);
    }
    held_ += "\n";
    const Table all = verdict_table(judged_, true);
    replace_file(results_ / "tables" / "claims.md", to_markdown(all));
    replace_file(results_ / "tables" / "claims.csv", to_csv(all));
    replace_file(results_ / "tables" / "headline.md", to_markdown(headline_table(judged_)));
  }

  std::vector<std::string> warning_sentences() const {
    std::vector<std::string> said;
    for (const Warning& warning : find_warnings(found_.stored.plan, found_.results, found_.surroundings.rounds))
      said.push_back(to_sentence(warning));
    return said;
  }

  // What a reader has to know before any answer.
  void add_first_things(std::size_t warnings) {
    Callout first{oddities(found_, session_)};
    if (warnings > 0)
      first.items.push_back(fmt::format("{} warning{} “{}”, after the answers.", warnings,
                                        warnings == 1 ? " stands under" : "s stand under", careful));
    add(first);
  }

  void add_answers(std::size_t index) {
    const PlannedSuite& suite = found_.stored.plan.suites[index];
    std::vector<std::string> said = answers(suite, found_.results[index], found_.checks(index));
    if (said.empty()) said.push_back("Nothing was measured.");
    add(Heading{3, suite.experiment.title.empty() ? suite.experiment.name : suite.experiment.title});
    add(List{said});
  }

  // Figures of others, when the suite names some; a missing or broken file is told, and costs only its own columns.
  std::optional<PublishedTable> published(const Experiment& experiment) {
    if (!experiment.published) return std::nullopt;
    try {
      return load_published(layout_.data / "published" / experiment.published->file);
    } catch (const Error& error) {
      shown_ += std::string(error.what()) + "\n";
      add(Paragraph{std::string("Published figures: ") + error.what()});
      return std::nullopt;
    }
  }

  void add_suite(std::size_t index) {
    const PlannedSuite& suite = found_.stored.plan.suites[index];
    const SuiteResult& result = found_.results[index];
    const Experiment& experiment = suite.experiment;
    add(Heading{2, experiment.title.empty() ? experiment.name : experiment.title});
    if (result.runs_made < result.runs_planned)
      add(Paragraph{fmt::format("Interrupted: {} of {} runs were made.", format_count(result.runs_made),
                                format_count(result.runs_planned))});
    add(Paragraph{experiment.question});
    add(Paragraph{experiment.discussion});
    const std::optional<PublishedTable> others = published(experiment);
    add_tables(suite, suite_tables(suite, result, found_.checks(index), others));
    if (const std::string floors = noise_floor_words(suite, result); !floors.empty()) {
      add(Paragraph{floors});
      for (const std::string& line : wrap(floors, 100)) shown_ += line + "\n";
      shown_ += "\n";
    }
    if (const Table claims = verdict_table({judged_[index]}, false); !claims.rows.empty()) add(claims);
    add(Paragraph{limits_words(result.limits)});
    add_figures(experiment.name, suite_drawings(suite, result, found_.checks(index), others));
    add_open_questions(index);
  }

  void add_open_questions(std::size_t index) {
    const PlannedSuite& suite = found_.stored.plan.suites[index];
    const std::vector<QuestionSpec>& questions = suite.experiment.questions;
    if (questions.empty()) return;
    add(Heading{3, questions.size() == 1 ? "A question that was left open" : "Questions that were left open"});
    for (const QuestionSpec& question : questions) {
      add(Heading{4, question.asks});
      add(Paragraph{answer_text(question.answer, suite, found_.results[index], found_.checks(index))});
    }
  }

  // Each table's files stand alone; in the report a note that all of them have is said once, below the last.
  void add_tables(const PlannedSuite& suite, std::vector<Table> tables) {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::string stem = fmt::format("{}-{}", file_stem(suite.experiment.name), i + 1);
      replace_file(results_ / "tables" / (stem + ".md"), to_markdown(tables[i]));
      replace_file(results_ / "tables" / (stem + ".csv"), to_csv(tables[i]));
    }
    const std::vector<std::string> common = take_common_notes(tables);
    for (Table& table : tables) {
      shown_ += to_text(table) + "\n";
      table.title = title_below(suite.experiment.title, table.title);
      add(table);
    }
    if (common.empty()) return;
    const std::string lead =
        tables.size() == 2 ? "Of both tables above:" : fmt::format("Of all {} tables above:", tables.size());
    add(Paragraph{lead});
    add(List{common});
    shown_ += lead + "\n" + list_text(common, 100) + "\n";
  }

  void add_figures(const std::string& suite, const std::vector<Drawing>& drawings) {
    for (const Figure& figure : draw_figures(suite, drawings, layout_.plots, results_ / "plots", gnuplot_)) {
      std::error_code ignored;
      if (fs::exists(results_ / "plots" / (figure.stem + ".dat"), ignored))
        add(FigureBlock{"plots/" + figure.stem, figure.title, figure.caption, figure.svg, figure.png});
      else
        add(Paragraph{figure.caption + "."});
      if (!figure.notes.empty()) add(List{figure.notes});
      if (!figure.svg && !figure.png)
        shown_ += fmt::format("figure {}: {}\n", figure.stem, figure.notes.empty() ? "" : figure.notes[0]);
    }
  }

  // Where each loses, whatever was measured here.
  void add_strategies() {
    Table table;
    table.columns = {{"strategy", {"strategy"}, false}, {"is", {"is"}, false}, {"degenerates", {"degenerates"}, false}};
    for (const Tool& tool : found_.strategies)
      if (!tool.degenerates.empty()) table.rows.push_back({{tool.name, {}}, {tool.says, {}}, {tool.degenerates, {}}});
    if (table.rows.empty()) return;
    add(Heading{2, "Where each strategy degenerates"});
    add(table);
  }

  void add_reproduction() {
    const Plan& plan = found_.stored.plan;
    add(Heading{2, "How to do it again"});
    add(Paragraph{time_words(session_)});
    std::vector<std::string> names;
    for (const PlannedSuite& suite : plan.suites) names.push_back(suite.experiment.name);
    // Suites that are named move the whole corpus; the shares of `make bench` hold only when none is named.
    const std::string suites = plan.options.apply_shares ? "" : fmt::format(" SUITES={}", fmt::join(names, ","));
    add(Paragraph{fmt::format("iobench {}. The same rows in the same order:", IOBENCH_VERSION)});
    add(Commands{{fmt::format("make bench{} CORPUS={} ARGS='--seed {}{}{}'", suites,
                              format_short_size(plan.options.corpus_bytes), plan.options.seed,
                              plan.options.rounds ? fmt::format(" --rounds {}", plan.options.rounds) : "",
                              plan.options.cpus.empty() ? "" : " --cpus " + plan.options.cpus)}});
    add(Paragraph{
        "One row by hand, where CORPUS is data/corpus and OUTPUT a new name; plumb and the tools are in build/tools. "
        "What was run in which order is in plan.json, each run in samples.csv, the machine and the versions in "
        "machine.json."});
    for (const PlannedSuite& suite : plan.suites) {
      std::vector<std::string> lines;
      for (const PlannedRow& row : suite.rows) lines.push_back(fmt::format("{}  # {}", row_command(row), row.row.name));
      add(Heading{3, suite.experiment.name});
      add(Commands{lines});
    }
  }

  fs::path results_;
  const Layout& layout_;
  Findings found_;
  nlohmann::json session_;  // not an object: missing or unreadable
  Gnuplot gnuplot_;
  std::vector<Block> blocks_;
  std::vector<JudgedSuite> judged_;  // one per suite of the plan
  std::string shown_, held_;
};

}  // namespace

std::string write_report(const fs::path& results, const Layout& layout) {
  return ReportMaker(results, layout).write();
}

}  // namespace iobench
