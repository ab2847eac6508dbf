// SPDX-License-Identifier: MIT
// The command table of iobench: what each command is called with, and the one place that prints an error and chooses the
// exit status: 0 done, 1 set-up or input and output, 2 usage, 3 slower (--fail-on-slower), 4 rows failed, 130 and 143
// interrupted with valid results.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "advice.h"
#include "calibrate.h"
#include "cgroup.h"
#include "compare.h"
#include "corpus.h"
#include "doctor.h"
#include "gallery.h"
#include "grid.h"
#include "lock.h"
#include "machine.h"
#include "record_file.h"
#include "report.h"
#include "session.h"
#include "splice.h"
#include "timing.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr int status_usage = 2;
constexpr int status_slower = 3;
constexpr int status_rows_failed = 4;

// Standard output holds the results: one that cannot be written is an error like any other.
void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw_errno("write standard output");
}

struct Arguments {
  SessionOptions session;
  std::string corpus = "1G";
  bool list_plan = false;
  fs::path results;
  fs::path spliced;
  fs::path resumed;   // run --resume
  fs::path repeated;  // run --repeat
  std::vector<std::string> command_line;  // ours, for being run again in a cgroup of our own
  TimingOptions timing;
  CalibrationOptions calibration;
  fs::path export_json, export_csv, export_markdown;
  fs::path a, b;
  bool fail_on_slower = false;
  double threshold = 1;
  bool verify_corpus = false;
  bool remove_corpus = false;
};

// A size on the command line that cannot be read is a matter of usage.
std::uint64_t corpus_size(const std::string& text) {
  try {
    return parse_corpus_size(text);
  } catch (const Error& error) {
    throw Error(fmt::format("--corpus: {}", error.what()), status_usage);
  }
}

// Whether commands can be pinned so is plumb's to say, before a thousand runs fail of it.
void require_processors(const Layout& layout, const std::string& cpus) {
  if (cpus.empty()) return;
  const Finished tried = run_command({(layout.tools / "plumb").string(), "--cpus", cpus, "null", "null", "true"});
  if (tried.status != 0) throw Error(flattened(tried.err), status_usage);
}

// Without hyperfine nothing can be measured; without gnuplot there are tables and no pictures.
void require_programs(const Layout& layout, const std::string& cpus) {
  const fs::path hyperfine = find_program("hyperfine");
  if (hyperfine.empty()) throw Error("find hyperfine: it is not in PATH; `make setup` installs it (Debian: apt-get install hyperfine)");
  const std::string version = hyperfine_version(hyperfine);
  if (!version_at_least(version, 1, 15))
    throw Error(fmt::format("use {}: version {} is there, 1.15 or newer is needed", hyperfine.string(),
                            version.empty() ? "unknown" : version));
  if (!fs::exists(layout.tools / "plumb"))
    throw Error(fmt::format("find the tools in {}: there is no plumb; `make build` builds them", layout.tools.string()));
  require_processors(layout, cpus);
  if (find_program("gnuplot").empty())
    std::fputs("iobench: gnuplot is not in PATH: tables and report will be made, plots will not; `make setup` installs it\n", stderr);
}

// Rows that ask for a memory cgroup where none is ours: an ordinary user's systemd may hand one down, in which case this
// does not return. Otherwise says what the rows do instead.
void seek_confinement(const Plan& plan, const std::vector<std::string>& command_line) {
  const MemoryControlSearch search = find_memory_control();
  const std::size_t rows = confined_rows(plan);
  if (rows == 0 || search.control) return;
  std::vector<std::string> command = delegating_command(search, find_user_manager(), command_line);
  if (!command.empty()) {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    ::execv(words[0], words.data());  // what it cannot give, we do without
  }
  std::fputs(fmt::format("iobench: {} rows cannot be confined to less memory than their corpus: {}. They run cold instead "
                         "and are named not-confined. To confine them: {}\n",
                         rows, search.obstacle, search.remedy)
                 .c_str(),
             stderr);
}

// Everything that `run` is to do, before it does it.
SessionEnd make_runs(Arguments& arguments, const Layout& layout, const Toolbox& toolbox, const Plan& plan) {
  require_programs(layout, plan.options.cpus);
  const fs::path doing = arguments.resumed.empty() ? arguments.session.results : arguments.resumed;
  std::error_code ignored;
  const fs::path where = doing.empty() ? layout.results : fs::absolute(doing, ignored);
  const MachineLock lock(fmt::format("results in {}", where.lexically_normal().string()));
  arguments.session.lock = &lock;
  catch_interrupts();
  return arguments.resumed.empty() ? run_session(plan, arguments.session, layout, toolbox)
                                   : resume_session(arguments.resumed, arguments.session, layout, toolbox);
}

void say_interrupted(const SessionEnd& end) {
  if (end.signal == 0) return;
  std::fputs(fmt::format("iobench: interrupted by signal {}: {} of {} runs were made\n", end.signal, end.runs_made, end.runs_planned)
                 .c_str(),
             stderr);
}

int command_run(Arguments& arguments) {
  const Layout layout = find_layout();
  const Toolbox toolbox = Toolbox::load(layout.data / "tools.toml");
  arguments.session.corpus_bytes = corpus_size(arguments.corpus);
  if (arguments.session.corpus_bytes == 0) throw Error("--corpus: a corpus of 0 bytes measures nothing", status_usage);
  const fs::path& stored = arguments.resumed.empty() ? arguments.repeated : arguments.resumed;
  const Plan plan = stored.empty() ? plan_session(arguments.session, layout, toolbox)
                                   : plan_to_run_again(stored, toolbox, arguments.session.allow_commands);
  if (arguments.list_plan) {
    print(list_plan(plan, arguments.session, layout, toolbox));
    return 0;
  }
  if (stored.empty()) seek_confinement(plan, arguments.command_line);
  const SessionEnd end = make_runs(arguments, layout, toolbox, plan);
  clear_interrupt();  // what was measured is worth its plots
  try {
    print(write_report(end.results, layout));
  } catch (const Error& error) {
    throw Error(fmt::format("{}; what was measured is kept, and `iobench report {}` makes the report of it", error.what(),
                            end.results.string()));
  }
  if (end.signal != 0) {
    std::fputs(fmt::format("iobench: interrupted by signal {}: {} of {} runs were made, and they are kept in {}\n", end.signal,
                           end.runs_made, end.runs_planned, end.results.string())
                   .c_str(),
               stderr);
    std::fputs(fmt::format("iobench: to make the others: iobench run --resume {}\n", end.results.string()).c_str(), stderr);
    return 128 + end.signal;
  }
  return end.runs_failed > 0 ? status_rows_failed : 0;
}

// That a file can be made, or replaced, has to be sure before anything is measured.
void require_writable(const fs::path& file) {
  if (file.empty()) return;
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error(fmt::format("write {}: it exists and is not a regular file", file.string()));
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw_errno(fmt::format("write {}", file.string()));
}

int command_time(Arguments& arguments) {
  const Layout layout = find_layout();
  const Toolbox toolbox = Toolbox::load(layout.data / "tools.toml");
  TimingOptions& options = arguments.timing;
  options.plan.seed = arguments.session.seed.value_or(static_cast<std::uint64_t>(unix_time_s()));
  options.plan.rounds = arguments.session.rounds;
  options.plan.cpus = arguments.session.cpus;
  options.plan.confinable = find_memory_control().control.has_value();
  const Plan plan = plan_timing(options);
  std::set<fs::path> exports;
  for (const fs::path& file : {arguments.export_json, arguments.export_csv, arguments.export_markdown}) {
    require_writable(file);
    if (!file.empty() && !exports.insert(fs::absolute(file).lexically_normal()).second)
      throw Error(fmt::format("--export-…: {} is named twice", file.string()), status_usage);
  }
  seek_confinement(plan, arguments.command_line);
  require_programs(layout, plan.options.cpus);
  const MachineLock lock("iobench time");
  arguments.session.lock = &lock;
  catch_interrupts();
  const Timing timing = run_timing(options, arguments.session, layout, toolbox);
  clear_interrupt();
  say_interrupted(timing.end);
  print(to_text(timing.table));
  if (!timing.warnings.empty()) print("\n" + list_text(timing.warnings, 100));
  if (!arguments.export_json.empty())
    replace_file(arguments.export_json, timing_json(timing.plan, timing.checks, timing.result));
  if (!arguments.export_csv.empty()) replace_file(arguments.export_csv, timing_csv(timing.plan, timing.result));
  if (!arguments.export_markdown.empty()) replace_file(arguments.export_markdown, to_markdown(timing.table));
  if (timing.end.signal != 0) return 128 + timing.end.signal;
  return timing.end.runs_failed > 0 ? status_rows_failed : 0;
}

int command_calibrate(Arguments& arguments) {
  const Layout layout = find_layout();
  const Toolbox toolbox = Toolbox::load(layout.data / "tools.toml");
  CalibrationOptions& options = arguments.calibration;
  options.size_bytes = corpus_size(arguments.corpus);
  options.seed = arguments.session.seed.value_or(static_cast<std::uint64_t>(unix_time_s()));
  options.rounds = arguments.session.rounds ? arguments.session.rounds : options.rounds;
  options.cpus = arguments.session.cpus;
  Plan plan = plan_calibration(options);
  if (arguments.list_plan) {
    print(list_plan(plan, arguments.session, layout, toolbox));
    return 0;
  }
  fs::path results = arguments.results;
  SessionEnd end;
  if (results.empty()) {
    require_programs(layout, plan.options.cpus);
    const MachineLock lock("iobench calibrate");
    arguments.session.lock = &lock;
    catch_interrupts();
    const fs::path& chosen = arguments.session.corpus_directory;
    arguments.session.given = place_corpus(chosen.empty() ? layout.corpus : chosen, CorpusUse::warm, calibration_file_bytes(options));
    end = run_session(plan, arguments.session, layout, toolbox);
    clear_interrupt();
    results = end.results;
    say_interrupted(end);
  } else {
    plan = stored_plan(results);
    if (plan.suites.empty() || plan.suites[0].experiment.name != "calibration")
      throw Error(fmt::format("--from {}: it holds no calibration", results.string()));
  }
  std::string text, markdown;
  for (const Table& table : calibration_tables(calibrate(plan, read_samples(results / "samples.csv").samples))) {
    text += to_text(table) + "\n";
    markdown += (markdown.empty() ? "" : "\n") + to_markdown(table);
  }
  replace_file(results / "calibration.md", markdown);
  print(text + fmt::format("calibration: {}\n", (results / "calibration.md").string()));
  if (end.signal != 0) return 128 + end.signal;
  return end.runs_failed > 0 ? status_rows_failed : 0;
}

// results/ holds one folder a run; the newest is the one whose samples changed last. The committed one is asked for by name.
fs::path newest_results(const Layout& layout) {
  fs::path newest;
  fs::file_time_type newest_time = fs::file_time_type::min();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(layout.results, ignored)) {
    const fs::path samples = entry.path() / "samples.csv";
    const fs::file_time_type time = fs::last_write_time(samples, ignored);
    if (entry.path().filename() != "reference" && fs::exists(samples) && (newest.empty() || time > newest_time)) {
      newest = entry.path();
      newest_time = time;
    }
  }
  if (newest.empty()) throw Error(fmt::format("find results: there are none in {}; `make quick` makes some", layout.results.string()));
  return newest;
}

int command_report(const Arguments& arguments) {
  if (!arguments.spliced.empty()) {
    print(splice(arguments.spliced));
    return 0;
  }
  const Layout layout = find_layout();
  const fs::path results = arguments.results.empty() ? newest_results(layout) : arguments.results;
  print(write_report(results, layout));
  return 0;
}

int command_plots(const Arguments& arguments) {
  const Layout layout = find_layout();
  print(arguments.results.empty() ? draw_gallery(layout) : draw_results(arguments.results, layout));
  return 0;
}

int command_advise(const Arguments& arguments) {
  const Layout layout = find_layout();
  const fs::path results = arguments.results.empty() ? newest_results(layout) : arguments.results;
  print(fmt::format("{}\n\n{}", results.string(), to_text(advise(read_findings(results, layout)))));
  return 0;
}

int command_compare(const Arguments& arguments) {
  const Comparison comparison = compare_results(arguments.a, arguments.b, find_layout());
  if (!arguments.export_markdown.empty()) replace_file(arguments.export_markdown, to_markdown(comparison.blocks));
  if (!arguments.export_csv.empty()) replace_file(arguments.export_csv, to_csv(comparison.table));
  print(to_text(comparison.blocks));
  if (!comparison.not_comparable.empty())
    throw Error(fmt::format("compare {} with {}: {}", arguments.b.string(), arguments.a.string(), comparison.not_comparable));
  const bool told = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                [](const ComparedRow& row) { return row.judgement.verdict != Verdict::cannot_tell; });
  if (arguments.fail_on_slower && !told)
    std::fputs("iobench: no row can be told slower, faster or the same: --fail-on-slower cannot fail; more rounds might tell\n", stderr);
  return arguments.fail_on_slower && comparison.slower(arguments.threshold) ? status_slower : 0;
}

int command_corpus(const Arguments& arguments) {
  const Layout layout = find_layout();
  const fs::path directory = arguments.session.corpus_directory.empty() ? layout.corpus : arguments.session.corpus_directory;
  if (arguments.remove_corpus) {
    print(fmt::format("{} freed in {}\n", format_size(remove_corpora(directory)), directory.string()));
    return 0;
  }
  catch_interrupts();
  const std::uint64_t size = corpus_size(arguments.corpus);
  for (const CorpusUse use : {CorpusUse::warm, CorpusUse::cold}) {
    const Corpus corpus = place_corpus(directory, use, size);
    print(fmt::format("{}  {} bytes  seed {}  XXH3 {}  {}\n", corpus.path.string(), corpus.size_bytes, corpus.seed, corpus.digest,
                      corpus.generated ? "generated" : "verified"));
  }
  return 0;
}

int command_doctor() {
  const std::vector<Finding> findings = examine(find_layout());
  print(findings_text(findings));
  return can_run(findings) ? 0 : 1;
}

int command_list() {
  const Layout layout = find_layout();
  const Toolbox toolbox = Toolbox::load(layout.data / "tools.toml");
  std::string text = "suites\n";
  for (const std::string& name : suite_names(layout.data)) {
    const Experiment experiment = load_experiment(layout.data / "suites" / (name + ".toml"), toolbox);
    text += fmt::format("  {:<18} {} ({} rows)\n", name, experiment.title, experiment.rows.size());
  }
  text += "tools\n";
  for (const Tool& tool : toolbox.tools()) text += fmt::format("  {:<18} {} ({})\n", tool.name, tool.says, tool.from);
  print(text);
  return 0;
}

// CLI11 reads "-1" into an unsigned number.
std::string whole_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc::result_out_of_range) return fmt::format("{} is too large", text);
  const bool whole = !text.empty() && failure == std::errc() && end == text.data() + text.size();
  return whole ? std::string() : fmt::format("'{}' is not a whole number", text);
}

// CLI::Range lets nan pass, which is neither below nor above.
std::string is_number(const std::string& text) {
  try {
    parse_number(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// An empty value is a shell's variable that was not set: never what is meant by leaving the option out.
std::string not_empty(const std::string& text) { return text.empty() ? "it is empty" : std::string(); }

// Options with the name of their value only, and lines of 100 columns: what excludes what is said when it is tried.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.empty() ? "" : " " + type.substr(0, type.find(':'));
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return fmt::format("{}", fmt::join(wrap(option->get_description(), 70), "\n"));
  }
};

int run_command_line(int argc, char** argv) {
  Arguments arguments;
  arguments.command_line.assign(argv, argv + argc);
  std::error_code unknown;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", unknown); !unknown) arguments.command_line[0] = self.string();
  CLI::App app{"A benchmark lab for moving bytes: repeats published copy benchmarks and its own sweeps on this machine."};
  app.name("iobench");
  app.set_version_flag("--version", std::string("iobench ") + IOBENCH_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  const auto corpus_option = [&](CLI::App* command, const char* text) {
    command->add_option("--corpus", arguments.corpus, text)->type_name("SIZE");
    command->add_option("--corpus-dir", arguments.session.corpus_directory, "Folder of the corpus and of copies (default data/corpus)")
        ->type_name("DIR");
  };

  CLI::App* run = app.add_subcommand("run", "Run suites: corpus, checks, rounds, tables, plots, report");
  run->add_option("--suites", arguments.session.suites,
                  "Suites to run, or files of them, or all (default: those of `make bench`); when many run together, "
                  "some rows move a part of the corpus only")
      ->delimiter(',')
      ->type_name("NAME,...");
  corpus_option(run, "Corpus size: 64M, 1G, …, or auto for twice the memory (default 1G)");
  run->add_option("--results", arguments.session.results, "Folder for the results, new or empty (default results/DATE-HOST)")
      ->type_name("DIR");
  run->add_option("--seed", arguments.session.seed, "Seed of the order of runs (default: from the clock; plan.json records it)")
      ->type_name("N")
      ->check(whole_number);
  run->add_option("--rounds", arguments.session.rounds, "Rounds (default: 7 or more, by the number of comparisons)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  run->add_option("--cpus", arguments.session.cpus, "Processors to pin every command to: 0 or 0,1 or 0-3")->type_name("LIST");
  run->add_option("--net-host", arguments.session.net_host,
                  "Use the net-sink and net-source started on that machine, at their own ports, instead of ones on loopback")
      ->type_name("NAME");
  constexpr const char* user_help = "Whom root runs the commands as (default: who called sudo, else root)";
  run->add_option("--user", arguments.session.user, user_help)->type_name("NAME");
  run->add_flag("--anonymous", arguments.session.anonymous, "Leave the host name out of the results");
  CLI::Option* resume = run->add_option("--resume", arguments.resumed, "Make what is left of the runs of DIR, in the same order")
                            ->type_name("DIR");
  CLI::Option* repeat = run->add_option("--repeat", arguments.repeated, "Make all runs of DIR again, in the same order, into new results")
                            ->type_name("DIR");
  repeat->excludes(resume);
  // What the plan of DIR says is not said again.
  for (const char* option : {"--suites", "--corpus", "--seed", "--rounds", "--cpus"}) {
    run->get_option(option)->excludes(resume);
    run->get_option(option)->excludes(repeat);
  }
  for (const char* option : {"--results", "--anonymous"}) run->get_option(option)->excludes(resume);
  run->add_flag("--allow-commands", arguments.session.allow_commands,
                "Run also commands that data/tools.toml has no template for, of suites or of the plan of DIR");
  run->add_flag("--list", arguments.list_plan, "Print rows, rounds, time and space, and run nothing");

  CLI::App* time = app.add_subcommand("time", "Time any commands against one another: interleaved, proved, with intervals");
  time->add_option("commands", arguments.timing.commands, "Commands; the first is the baseline. Tools of iobench are found by name")
      ->type_name("COMMAND...")
      ->required();
  time->add_option("--input", arguments.timing.input, "What they read: FILE, pipe:FILE (a pipe fed from it) or zero, endless (default: nothing)")
      ->type_name("FILE");
  time->add_option("--output", arguments.timing.output, "Where they write: null, pipe (a reader that discards), file (a new one each "
                                                        "run) or tmpfs (default null)")
      ->type_name("SINK");
  time->add_option("--cache", arguments.timing.cache, "State of the input before each run: warm, cold or confined (default warm)")
      ->type_name("REGIME");
  time->add_flag("--sync", arguments.timing.sync, "The time includes that the output file is on its device");
  time->add_flag("--shell", arguments.timing.shell, "Give each command to `sh -c`, whose start is then measured too");
  time->add_option("--rounds", arguments.session.rounds, "Rounds (default: 7 or more, by the number of commands)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  time->add_option("--seed", arguments.session.seed, "Seed of the order of runs (default: from the clock)")
      ->type_name("N")
      ->check(whole_number);
  time->add_option("--cpus", arguments.session.cpus, "Processors to pin every command to: 0 or 0,1 or 0-3")->type_name("LIST");
  time->add_option("--user", arguments.session.user, user_help)->type_name("NAME");
  time->add_option("--output-dir", arguments.session.corpus_directory, "Folder of output files (default data/corpus)")->type_name("DIR");
  time->add_option("--results", arguments.session.results, "Keep samples, plan and machine in this folder, new or empty")
      ->type_name("DIR");
  time->add_option("--export-json", arguments.export_json, "As hyperfine's, with ratios, intervals, regime and status added")->type_name("FILE");
  time->add_option("--export-csv", arguments.export_csv, "As hyperfine's, in seconds")->type_name("FILE");
  time->add_option("--export-markdown", arguments.export_markdown, "The table that is printed")->type_name("FILE");

  CLI::App* calibration = app.add_subcommand("calibrate", "Measure what this machine can tell apart: false positives, effects found");
  CLI::Option* from = calibration->add_option("--from", arguments.results, "Evaluate again what an earlier calibration measured")
                          ->type_name("DIR");
  corpus_option(calibration, "Size of the copies: 64M, 1G, … (default 64M)");
  calibration->add_option("--results", arguments.session.results, "Folder for the results, new or empty (default results/DATE-HOST)")
      ->type_name("DIR");
  calibration->add_option("--rounds", arguments.session.rounds, "Rounds in all (default 490: 210 comparisons of equals)")
      ->type_name("N")
      ->check(CLI::Range(14, 10000));
  calibration->add_option("--seed", arguments.session.seed, "Seed of the order of runs (default: from the clock)")
      ->type_name("N")
      ->check(whole_number);
  calibration->add_option("--cpus", arguments.session.cpus, "Processors to pin every command to: 0 or 0,1 or 0-3")->type_name("LIST");
  calibration->add_flag("--list", arguments.list_plan, "Print rows, rounds, time and space, and run nothing");

  CLI::App* report = app.add_subcommand("report", "Make tables, plots and the report again from the samples");
  CLI::Option* reported = report->add_option("results", arguments.results, "Folder of the results (default: the newest)")->type_name("DIR");
  report->add_option("--splice", arguments.spliced, "Instead: put the tables and figures that FILE names between BEGIN and END in again")
      ->type_name("FILE")
      ->excludes(reported);
  CLI::App* plots = app.add_subcommand("plots", "Draw the published figures and those of results/reference, or of other results");
  plots->add_option("results", arguments.results, "Folder of the results (default: what was published, and results/reference)")
      ->type_name("DIR");
  CLI::App* advise = app.add_subcommand("advise", "Say which strategy and which block size is enough, what others cost, and why");
  advise->add_option("results", arguments.results, "Folder of the results (default: the newest)")->type_name("DIR");
  CLI::App* compare = app.add_subcommand("compare", "Say whether results B are faster or slower than results A, if the two can be compared");
  compare->add_option("A", arguments.a, "Folder of the results that came first")->type_name("DIR")->required();
  compare->add_option("B", arguments.b, "Folder of the results that are compared with them")->type_name("DIR")->required();
  compare->add_flag("--fail-on-slower", arguments.fail_on_slower, "End with status 3 when a row of B is slower");
  compare->add_option("--threshold", arguments.threshold, "How many times as long, by its whole interval, a row must take for that (default 1)")
      ->type_name("RATIO")
      ->check(CLI::Range(1.0, 1000.0))
      ->check(is_number);
  compare->add_option("--export-markdown", arguments.export_markdown, "Write what is printed as Markdown, too")->type_name("FILE");
  compare->add_option("--export-csv", arguments.export_csv, "Write the rows as CSV, too")->type_name("FILE");

  CLI::App* corpus = app.add_subcommand("corpus", "Generate or verify the corpus files");
  corpus_option(corpus, "Size: 64M, 1G, …, or auto for twice the memory (default 1G)");
  corpus->add_flag("--remove", arguments.remove_corpus, "Remove every corpus file instead");

  CLI::App* doctor = app.add_subcommand("doctor", "Say which traps this machine has, what is missing, what root would add");
  CLI::App* list = app.add_subcommand("list", "List suites and tools");

  for (const char* option : {"--rounds", "--corpus", "--corpus-dir", "--results", "--seed", "--cpus"})
    calibration->get_option(option)->excludes(from);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    for (CLI::Option* option : command->get_options())
      if (option->get_type_size() > 0) option->check(not_empty);

  // CLI11 would say only that a command is needed.
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands([&](const CLI::App* command) { return command->check_name(argv[1]); }).empty()) {
    std::fputs(fmt::format("iobench: unknown command '{}'; try `iobench --help`\n", argv[1]).c_str(), stderr);
    return status_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);  // prints --help or --version
      return std::fflush(stdout) == 0 ? 0 : 1;
    }
    const std::vector<CLI::App*> called = app.get_subcommands();
    std::fputs(fmt::format("iobench: {}; try `iobench {}--help`\n", error.what(), called.empty() ? "" : called[0]->get_name() + " ")
                   .c_str(),
               stderr);
    return status_usage;
  }
  if (*run) return command_run(arguments);
  if (*time) return command_time(arguments);
  if (*calibration) {
    if (calibration->count("--corpus") == 0) arguments.corpus = "64M";
    return command_calibrate(arguments);
  }
  if (*report) return command_report(arguments);
  if (*plots) return command_plots(arguments);
  if (*advise) return command_advise(arguments);
  if (*compare) return command_compare(arguments);
  if (*corpus) return command_corpus(arguments);
  if (*doctor) return command_doctor();
  if (*list) return command_list();
  return status_usage;
}

// A standard descriptor that is closed would be given to a file of ours, and what is printed would be written into it.
// Printing to a closed standard output stays an error.
void fill_standard_descriptors() {
  for (int fd = 0; fd < 3; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd) std::_Exit(1);
}

}  // namespace

}  // namespace iobench

namespace {

// Names that it quotes may hold anything, and a terminal obeys control characters.
void print_error(const std::string& what) {
  std::string text = "iobench: ";
  for (std::size_t at = 0; at <= what.size();) {
    const std::size_t end = std::min(what.find('\n', at), what.size());
    text += iobench::printable(what.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  std::fputs(text.c_str(), stderr);
}

}  // namespace

int main(int argc, char** argv) {
  iobench::fill_standard_descriptors();
  try {
    return iobench::run_command_line(argc, argv);
  } catch (const iobench::Error& error) {
    print_error(error.what());
    return error.status();
  } catch (const std::exception& error) {
    print_error(error.what());
    return 1;
  }
}
