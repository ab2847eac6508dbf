// SPDX-License-Identifier: MIT
// Reports: a whole results directory to a report, and everything that may be missing or odd in it.
// gnuplot is kept out of PATH, so that the golden report holds everywhere.
#include "report.h"

#include <stdlib.h>

#include <algorithm>

#include "answers.h"
#include "catch.h"
#include "golden.h"
#include "made_up.h"
#include "scratch.h"
#include "surroundings.h"

using namespace iobench;

namespace fs = std::filesystem;

namespace {

constexpr const char* session_json = R"({"interrupted": false, "measured_s": 61.4, "regime_s": 12, "checks_s": 3.2,
                                         "corpus_s": 1.5, "other_s": 4})";
constexpr const char* machine_json = R"({"memory": {"total_bytes": 25769803776}})";

// A results directory of made-up runs, and an installation whose tools are those of the checkout.
class Lab {
 public:
  Lab() {
    const char* path = ::getenv("PATH");
    path_ = path ? path : "";
    ::setenv("PATH", scratch_.path().c_str(), 1);
    made.plan.options.corpus_bytes = 1u << 30;
    made.plan.options.seed = 42;
    const fs::path root = ::getenv("IOBENCH_ROOT");
    layout = {root / "data", root / "plots", "tools", "corpus", "results"};
  }
  ~Lab() { ::setenv("PATH", path_.c_str(), 1); }

  std::string report() {
    store();
    return write_report(results(), layout);
  }
  void store() const {
    fs::create_directories(results());
    replace_file(results() / "plan.json", plan_to_json(made.plan, made.checks));
    fs::remove(results() / "samples.csv");
    SampleWriter writer(results() / "samples.csv");
    for (const Sample& sample : made.samples) writer.append(sample);
    if (!machine.empty()) replace_file(results() / "machine.json", machine);
    if (!session.empty()) replace_file(results() / "session.json", session);
  }
  fs::path results() const { return scratch_ / "results"; }
  std::string markdown() const { return read_file(results() / "report.md"); }
  std::string page() const { return read_file(results() / "report.html"); }

  MadeUp made;
  Layout layout;
  std::string machine = machine_json, session = session_json;

 private:
  Scratch scratch_;
  std::string path_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("golden: a whole report") {
  Lab lab;
  add_buffer_sweep(lab.made);
  add_perlman(lab.made);
  const std::string shown = lab.report();
  const std::string report = lab.markdown(), page = lab.page();
  // The version and the machine's line have tests of their own.
  std::string fixed = replaced(report, std::string("iobench ") + IOBENCH_VERSION, "iobench VERSION");
  const std::size_t machine = fixed.find("Machine: ");
  REQUIRE(machine != std::string::npos);
  fixed.replace(machine, fixed.find('\n', machine) - machine, "Machine: …");
  check_golden("report.md", fixed);
  CHECK(contains(shown, "report: " + (lab.results() / "report.md").string()));
  CHECK(contains(shown, "gnuplot was not found"));
  CHECK(contains(shown, "baseline"));
  for (const char* file : {"tables/buffer-sweep-1.md", "tables/buffer-sweep-4.csv", "tables/perlman-1985-2.csv",
                           "plots/buffer-sweep-throughput.dat", "plots/perlman-1985-cpu.dat"})
    CHECK(fs::file_size(lab.results() / file) > 100);

  SECTION("made again it is the same") {
    write_report(lab.results(), lab.layout);
    CHECK(lab.markdown() == report);
    CHECK(lab.page() == page);
  }
}

TEST_CASE("the page says what the report says") {
  Lab lab;
  add_buffer_sweep(lab.made);
  add_perlman(lab.made);
  lab.made.plan.suites[0].experiment.title = "<script>alert(1)</script>";
  const std::string shown = lab.report(), page = lab.page();
  CHECK(shown.ends_with("\npage: " + (lab.results() / "report.html").string() + "\n"));
  CHECK(contains(page, "<a href=\"#script-alert-1-script-2\">&lt;script&gt;alert(1)&lt;/script&gt;</a></h2>"));
  CHECK_FALSE(contains(page, "<script"));
  CHECK(contains(page, "CPU of a copy: warm file to the null device, 1 GiB per run</figcaption>"));
  CHECK(contains(page, "31.4 [31.1, 31.6]</td>"));
  CHECK(contains(page, "no picture: gnuplot was not found; <code class=\"short\">make setup</code> installs it"));
  CHECK(contains(page, "Data: <code>plots/buffer-sweep-throughput.dat</code>"));
  CHECK_FALSE(contains(page, "<img"));
}

TEST_CASE("what all tables of a suite note is said once, and each table's file has it") {
  Lab lab;
  add_buffer_sweep(lab.made);
  const std::string shown = lab.report(), note = "≈ no difference: the interval contains 1", report = lab.markdown();
  CHECK(report.find(note) == report.rfind(note));
  CHECK(shown.find(note) == shown.rfind(note));
  CHECK(contains(report, "Of all 4 tables above:\n\n- interval of the median: "));
  CHECK(contains(report, "\n**Cold file to the null device, 1 GiB per run**\n"));
  CHECK(contains(read_file(lab.results() / "tables/buffer-sweep-3.md"), note));
  CHECK(contains(read_file(lab.results() / "tables/buffer-sweep-3.md"), "**How large should a block be? Warm file"));
}

TEST_CASE("a partial run says so", "[B98]") {
  Lab lab;
  add_perlman(lab.made);
  lab.made.samples.resize(12);
  lab.session = R"({"interrupted": true, "measured_s": 1})";
  const std::string shown = lab.report();
  CHECK(contains(shown, "Interrupted: 12 of 70 runs were made."));
  CHECK(contains(lab.markdown(), "Interrupted: 12 of 70 runs were made."));
  CHECK(contains(lab.markdown(), "not run"));
}

TEST_CASE("a run without a sample, or with one, has a report in words", "[B95][B97]") {
  Lab lab;
  add_buffer_sweep(lab.made);
  add_perlman(lab.made);
  lab.made.samples.resize(GENERATE(0u, 1u, 2u));
  lab.report();
  const std::string report = lab.markdown();
  CHECK(contains(report, "Interrupted"));
  CHECK_FALSE(contains(report, "nan"));
  CHECK_FALSE(contains(report, " inf"));
  CHECK(contains(report, "no valid sample to draw"));
}

TEST_CASE("what is missing beside the samples is told") {
  Lab lab;
  add_perlman(lab.made);
  lab.machine = "";
  lab.session = "";
  lab.made.plan.suites[0].experiment.published->file = "nobody-1900.csv";
  const std::string shown = lab.report();
  CHECK(contains(lab.markdown(), "machine.json is missing"));
  CHECK(contains(lab.markdown(), "session.json is missing"));
  CHECK(contains(lab.markdown(), "memory the machine has is not known"));
  CHECK(contains(lab.markdown(), "the published figures were not found"));
  CHECK(contains(shown, "nobody-1900.csv"));

  fs::remove(lab.results() / "samples.csv");
  CHECK_THROWS_AS(write_report(lab.results(), lab.layout), Error);
  fs::remove(lab.results() / "plan.json");
  CHECK_THROWS_AS(write_report(lab.results(), lab.layout), Error);
}

TEST_CASE("the corpus is compared with the memory") {
  Lab lab;
  add_perlman(lab.made);
  lab.report();
  CHECK(contains(lab.markdown(), "Warning: it fits in this machine's memory (24 GiB)"));
  lab.machine = R"({"memory": {"total_bytes": 536870912}})";
  lab.report();
  CHECK(contains(lab.markdown(), "It is larger than this machine's memory (512 MiB)"));
  lab.machine = "{cut";
  lab.report();
  CHECK(contains(lab.markdown(), "is not known"));
}

TEST_CASE("a sample that was cut is told") {
  Lab lab;
  add_perlman(lab.made);
  lab.store();
  std::string samples = read_file(lab.results() / "samples.csv");
  samples.resize(samples.size() - 20);
  replace_file(lab.results() / "samples.csv", samples);
  CHECK(contains(write_report(lab.results(), lab.layout), "samples.csv: "));
}

TEST_CASE("what to be careful about is announced before the answers, stands after them, and on the terminal") {
  Lab lab;
  add_perlman(lab.made);
  lab.store();
  CHECK_FALSE(contains(write_report(lab.results(), lab.layout), "What to be careful about"));
  Surroundings round;
  round.suite = "perlman-1985";
  round.round = 2;
  round.seconds = 10;
  round.processors = 2;
  round.busy_s = 15;
  round.own_s = 5;
  SurroundingsWriter(lab.results() / "surroundings.csv").append(round);
  const std::string shown = write_report(lab.results(), lab.layout), report = lab.markdown();
  CHECK(contains(shown, "What to be careful about\n- Other programs were running in 1 of 1 rounds"));
  const std::size_t careful = report.find("## What to be careful about\n\n- Other programs were running");
  const std::size_t announced = report.find("> - 1 warning stands under “What to be careful about”, after the answers.");
  REQUIRE(careful != std::string::npos);
  CHECK(announced < report.find("## Answers"));
  CHECK(careful > report.find("## Answers"));
  CHECK(careful < report.find("## Advice"));
  CHECK(contains(report, "Next: stop them"));
}

TEST_CASE("what became of the claims is told first, on the terminal, and in tables of their own") {
  Lab lab;
  add_buffer_sweep(lab.made);
  add_perlman(lab.made);
  const std::string shown = lab.report(), report = lab.markdown();
  CHECK(contains(shown, "What held and what fell: Of 3 claims 1 holds, 2 fell, 0 are open.\n- CONFIRMED: fgetc takes 23 "));
  const std::size_t held = report.find("## What held and what fell\n\nOf 3 claims 1 holds, 2 fell, 0 are open.");
  REQUIRE(held != std::string::npos);
  CHECK(held < report.find("## Answers"));
  CHECK(contains(report, "**Claims**"));
  CHECK(contains(read_file(lab.results() / "tables/claims.csv"), "\nperlman-1985,fgetc takes 23 times"));
  CHECK(contains(read_file(lab.results() / "tables/claims.md"), "| perlman-1985 | fgetc takes 23 times"));

  SECTION("no run of a row in its regime, no verdict") {
    for (Sample& sample : lab.made.samples)
      if (sample.row == "fgetputc") sample.status = "regime-not-reached";
    lab.report();
    CHECK(contains(lab.markdown(), "Of 3 claims 0 hold, 1 fell, 2 are open."));
    CHECK(contains(lab.markdown(), "fgetputc: regime-not-reached: all 7 runs"));
  }
  SECTION("a suite without claims says nothing of them") {
    for (PlannedSuite& suite : lab.made.plan.suites) suite.experiment.claims.clear();
    CHECK_FALSE(contains(lab.report(), "held"));
    CHECK_FALSE(contains(lab.markdown(), "held"));
  }
}

TEST_CASE("every group's noise floor is in the report, whatever its tables hold") {
  Lab lab;
  add_perlman(lab.made);
  for (TableSpec& table : lab.made.plan.suites[0].experiment.tables) {
    table.columns = {"name", "wall"};
    table.headings.clear();
  }
  const std::string shown = lab.report();
  CHECK(contains(lab.markdown(), "(NAME/again) against itself; no smaller difference is called one: warm file to the null "
                                 "device, 1 GiB per run: 0.9 %; warm file to the null device, 38,123 bytes x 20 per run: 1.1 %."));
  CHECK(contains(shown, "Noise floor, each group's baseline"));
  std::erase_if(lab.made.samples, [](const Sample& sample) { return sample.row.ends_with("/again"); });
  lab.report();
  CHECK(contains(lab.markdown(), "1 GiB per run: not known"));
}

TEST_CASE("commands reproduce a row, quoted for a shell") {
  Lab lab;
  lab.made.add_suite("one", "One");
  PlannedRow& row = lab.made.add_row("a", "all", 7, {"readwrite", "-b", "it's"});
  row.row.repeat = 3;
  row.row.cache = Cache::cold;
  row.row.output = Output::file;
  lab.report();
  const std::string report = lab.markdown();
  CHECK(contains(report, "CORPUS/cold-1G.bin new:OUTPUT readwrite -b 'it'\\''s'"));
  CHECK(contains(report, "--repeat"));
  CHECK(contains(report, "make bench CORPUS=1G ARGS='--seed 42'"));
  lab.made.plan.options.apply_shares = false;
  lab.report();
  CHECK(contains(lab.markdown(), "make bench SUITES=one CORPUS=1G ARGS='--seed 42'"));
}

TEST_CASE("answers name the fastest, what is not told apart from it, and the smallest block that is enough") {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  made.add_suite("blocks", "Blocks");
  const std::vector<std::string> blocks{"1K", "4K", "64K", "1M"};
  for (const std::string& block : blocks) {
    made.add_row("block-" + block, "all", 11, {"readwrite", "-b", block});
    made.plan.suites[0].rows.back().row.values = {{"block", block}};
  }
  made.set_baseline("block-64K");
  made.measure({2.01, 1.2, 1.02, 1.0}, 0.001, 5);
  std::vector<SuiteResult> results = summarize_results(made.plan, made.samples);
  std::vector<std::string> said = answers(made.plan.suites[0], results[0], made.checks[0]);
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0],
                 "Warm file to the null device, 1 GiB per run: readwrite -b 1M has the best median, 1.07 GB/s; "));
  CHECK(contains(said[0], "readwrite -b 1K takes 2.0"));
  CHECK(contains(said[0], "not shown slower than 1.05 times the best is 64 KiB"));

  SECTION("rows that move nothing are not ranked, rows that failed are named") {
    made.plan.suites[0].rows[3].row.tool = "sendfile-copy";
    for (Sample& sample : made.samples)
      if (sample.row == "block-1K") {
        sample.status = "failed";
        sample.reason = "it died";
      }
    results = summarize_results(made.plan, made.samples, made.checks, {"sendfile-copy"});
    said = answers(made.plan.suites[0], results[0], made.checks[0]);
    REQUIRE(said.size() == 2);
    CHECK(contains(said[0], "readwrite -b 64K has the best median"));
    CHECK(said[1] == "block-1K: failed: all 11 runs: it died.");
  }
  SECTION("nothing measured, nothing said but that") {
    made.samples.clear();
    results = summarize_results(made.plan, made.samples);
    CHECK(answers(made.plan.suites[0], results[0], made.checks[0]).size() == 4);
  }
}

TEST_CASE("awkward names go through a whole report", "[B104][B107]") {
  Lab lab;
  const std::vector<std::string> names{"a|b", "`x`", "<b>", "it's \"q\"", "ü\\", "=1+1"};
  lab.made.add_suite("odd/../suite", "T <b> | `x`");
  for (const std::string& name : names) lab.made.add_row(name, "all", 7, {"readwrite"});
  lab.made.set_baseline(names[0]);
  lab.made.measure(std::vector<double>(names.size(), 0.1), 0.1, 1);
  lab.report();
  for (const auto& entry : fs::recursive_directory_iterator(lab.results()))
    CHECK(entry.path().filename().string().find_first_of("|`<>'\" ") == std::string::npos);
  CHECK(contains(lab.markdown(), "## T &lt;b\\> \\| \\`x\\`"));
}

TEST_CASE("a report is written into its own folder, whatever links are there", "[B107][B127]") {
  Lab lab;
  lab.made.add_suite("s", "S");
  lab.made.add_row("a", "all", 7, {"readwrite"});
  lab.made.measure({0.1}, 0.1, 1);
  const Scratch other;
  lab.store();
  for (const char* name : {"tables", "plots", "report.md", "report.html"}) {
    INFO(name);
    fs::remove_all(lab.results() / name);
    fs::create_symlink(other.path(), lab.results() / name);
    try {
      write_report(lab.results(), lab.layout);
      FAIL("it was written");
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find(name) != std::string::npos);
    }
    CHECK(fs::is_symlink(lab.results() / name));
    CHECK(other.entries() == 0);
    fs::remove(lab.results() / name);
  }
}

TEST_CASE("a plan cannot have other files than published figures shown", "[B107]") {
  Lab lab;
  lab.made.add_suite("s", "S");
  lab.made.add_row("a", "all", 7, {"readwrite"});
  lab.made.measure({0.1}, 0.1, 1);
  for (const char* file : {"/etc/passwd", "../../x.csv", "..", ".hidden"}) {
    INFO(file);
    lab.made.plan.suites[0].experiment.published = Published{};
    lab.made.plan.suites[0].experiment.published->file = file;
    lab.store();
    CHECK_THROWS_AS(write_report(lab.results(), lab.layout), Error);
    CHECK_FALSE(fs::exists(lab.results() / "report.md"));
  }
}
