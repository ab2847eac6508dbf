// SPDX-License-Identifier: MIT
// A session against the fake hyperfine: what is called, in which order, and what is written down when things go wrong.
#include "session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "lab.h"
#include "placement.h"
#include "samples.h"
#include "scratch.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

const char* const sweep = R"(
title = "Small"
question = "Does the lab run?"
group = ["output", "cache"]
baseline = { block = "4K" }
[[row]]
name = "{cache}-{output}-{block}"
tool = "readwrite -b {block}"
block = ["1K", "4K", "64K"]
input = "corpus"
output = ["null", "file"]
cache = ["warm", "cold"]
)";

std::string failing_tool(const fs::path& script) {
  return fmt::format("\nunsteady = {{ says = \"for tests\", from = \"test\", inputs = [\"file\"], outputs = [\"file\", \"null\"], "
                     "command = [\"{}\"], package = \"none\" }}\n",
                     script.string());
}

}  // namespace

TEST_CASE("every planned run is made once, in the plan's order, and kept", "[session]") {
  Lab lab(sweep);
  Plan plan;
  const SessionEnd end = lab.run(&plan);
  CHECK(end.runs_made == end.runs_planned);
  CHECK(end.runs_failed == 0);
  const std::vector<std::string> calls = lab.calls();
  REQUIRE(calls.size() == plan.runs.size());
  StoredSamples stored = read_samples(end.results / "samples.csv");
  std::erase_if(stored.samples, [](const Sample& sample) { return limit_of_row(sample.row).has_value(); });
  REQUIRE(stored.samples.size() == plan.runs.size());
  CHECK(stored.note.empty());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Run& run = plan.runs[i];
    const PlannedRow& row = plan.suites[0].rows[run.row];
    CHECK(calls[i].find(fmt::format("'-b' '{}'", row.row.value("block"))) != std::string::npos);
    CHECK((calls[i].find("'null'") != std::string::npos) == (row.row.output == Output::null));
    CHECK((calls[i].find("cold-1M") != std::string::npos) == (row.row.cache == Cache::cold));
    const Sample& sample = stored.samples[i];
    CHECK(sample.row == row.row.name + (run.again ? "/again" : ""));
    CHECK(sample.round == run.round);
    CHECK(sample.status == "ok");
    CHECK(sample.bytes == 1u << 20);
    CHECK(sample.wall_s == 0.25);
    CHECK(sample.return_s.value_or(0) > 0);
  }
}

TEST_CASE("regimes leave their evidence in every sample", "[session]") {
  Lab lab(sweep);
  const SessionEnd end = lab.run();
  for (const Sample& sample : read_samples(end.results / "samples.csv").samples) {
    if (!sample.resident_before) continue;  // a file system that cannot say
    INFO(sample.row << " round " << sample.round);
    if (sample.row.starts_with("warm")) CHECK(*sample.resident_before == 1.0);
    if (sample.row.starts_with("cold")) CHECK(*sample.resident_before <= 0.01);
  }
}

TEST_CASE("a session leaves nothing but the corpus and its results", "[session]") {
  Lab lab(sweep);
  lab.run();
  for (const auto& entry : fs::directory_iterator(lab.layout.corpus)) CHECK(entry.is_regular_file());
}

TEST_CASE("leftovers of a killed run are removed, those of a live one are not", "[session]") {
  Scratch parent;
  fs::create_directory(parent.path() / "run-4194303.dead00");  // above the largest process number of this kernel's default
  fs::create_directory(parent.path() / fmt::format("run-{}.alive0", ::getpid()));
  fs::path made;
  {
    const ScratchDirectory scratch(parent.path());
    made = scratch.path();
    CHECK(fs::exists(made));
  }
  CHECK_FALSE(fs::exists(made));
  CHECK_FALSE(fs::exists(parent.path() / "run-4194303.dead00"));
  CHECK(fs::exists(parent.path() / fmt::format("run-{}.alive0", ::getpid())));
}

TEST_CASE("a wrong copy is never timed", "[session]") {
  Lab lab(R"(
title = "Wrong"
question = "Is a wrong copy noticed?"
group = ["output"]
baseline = { tool = "readwrite" }
[[row]]
name = "good"
tool = "readwrite"
input = "corpus"
output = "null"
cache = "warm"
[[row]]
name = "short"
tool = "cut-short"
input = "corpus"
output = "null"
cache = "warm"
[[row]]
name = "altered"
tool = "alter"
input = "corpus"
output = "null"
cache = "warm"
)",
          "\ncut-short = { says = \"for tests\", from = \"test\", inputs = [\"file\"], outputs = [\"file\", \"null\"], "
          "command = [\"head\", \"-c\", \"100\"], package = \"coreutils\" }\n"
          "alter = { says = \"for tests\", from = \"test\", inputs = [\"file\"], outputs = [\"file\", \"null\"], "
          "command = [\"tr\", \"a\", \"b\"], package = \"coreutils\" }\n");
  const SessionEnd end = lab.run();
  CHECK(end.runs_failed == 14);
  for (const std::string& call : lab.calls()) {
    CHECK(call.find("head") == std::string::npos);
    CHECK(call.find("'tr'") == std::string::npos);
  }
  std::size_t mismatches = 0;
  for (const Sample& sample : read_samples(end.results / "samples.csv").samples) {
    if (sample.row == "short") {
      CHECK(sample.status == "mismatch");
      CHECK(sample.reason == "wrote 100 bytes instead of 1048576");
      CHECK_FALSE(sample.wall_s.has_value());
      ++mismatches;
    }
    if (sample.row == "altered") CHECK(sample.reason.starts_with("wrote other bytes"));
  }
  CHECK(mismatches == 7);
}

TEST_CASE("a tool that dies in the middle is a failed sample with its reason, and the run goes on", "[session][B99]") {
  Scratch scripts;
  const fs::path script = scripts.path() / "unsteady";
  // Its fifth start fails: verification and strace's two are the first three.
  std::ofstream(script) << "#!/bin/sh\necho x >>" << (scripts.path() / "count").string() << "\n[ $(wc -l <"
                        << (scripts.path() / "count").string() << ") -ne 5 ] || { echo 'unsteady: lost its mind' >&2; exit 9; }\nexec cat\n";
  fs::permissions(script, fs::perms::owner_all);
  Lab lab(R"(
title = "Unsteady"
question = "Does one failure end a run?"
group = ["output"]
[[row]]
name = "unsteady"
tool = "unsteady"
input = "corpus"
output = "null"
cache = "warm"
)",
          failing_tool(script));
  const SessionEnd end = lab.run();
  CHECK(end.runs_made == 7);
  CHECK(end.runs_failed == 1);
  const StoredSamples stored = read_samples(end.results / "samples.csv");
  CHECK(std::count_if(stored.samples.begin(), stored.samples.end(), [](const Sample& sample) { return sample.status == "ok" && !limit_of_row(sample.row); }) == 6);
  const auto failed = std::find_if(stored.samples.begin(), stored.samples.end(), [](const Sample& sample) { return sample.status == "failed"; });
  REQUIRE(failed != stored.samples.end());
  CHECK(failed->reason == "unsteady: lost its mind (exit status 9)");
}

namespace {

// The test's own standard input is another descriptor, or none (-1), for as long as it lives.
class StandardInput {
 public:
  explicit StandardInput(int fd) : kept_(::fcntl(0, F_DUPFD_CLOEXEC, 100)) {
    if (fd < 0) ::close(0);
    else ::dup2(fd, 0);
  }
  ~StandardInput() { ::dup2(kept_.get(), 0); }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  Descriptor kept_;
};

// Every copy counts what came in, be it a file or a pipe: first run, last run and the check beforehand.
void check_whole_inputs() {
  Lab lab(R"(
title = "Small"
question = "Does every run get all of its input?"
group = ["output"]
baseline = { input = "corpus" }
[[row]]
name = "{input}"
tool = "readwrite"
input = ["corpus", "pipe"]
output = "null"
cache = "warm"
)");
  const fs::path seen = lab.scratch / "seen", readwrite = lab.layout.tools / "readwrite";
  lab.replace_tool("readwrite", fmt::format("[ \"$1\" != --version ] || exec {0} --version\n"
                                            "{{ {0} \"$@\" | tee /dev/fd/3 | wc -c >> {1}; }} 3>&1", readwrite.string(), seen.string()));
  const SessionEnd end = lab.run();
  CHECK(end.runs_failed == 0);
  std::istringstream counts(read_file(seen));
  std::size_t whole = 0, empty = 0;
  for (std::uint64_t bytes = 0; counts >> bytes;) {
    CHECK((bytes == lab.options.corpus_bytes || bytes == 0));
    ++(bytes == 0 ? empty : whole);
  }
  CHECK(empty <= 2);  // each row may be run once without input, so that the calls of a start are known
  CHECK(whole >= end.runs_planned + 2);  // the rows were checked first
}

}  // namespace

TEST_CASE("every run gets the whole input, and the caller's standard input is left alone", "[session][B102]") {
  SECTION("closed") {
    const StandardInput closed(-1);
    check_whole_inputs();
  }
  SECTION("a pipe that has something and never ends") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const Descriptor reader(ends[0]), writer(ends[1]);
    write_all(writer.get(), "kept", 4, "pipe");
    {
      const StandardInput pipe(reader.get());
      check_whole_inputs();
    }
    char left[8];
    CHECK(::read(reader.get(), left, sizeof left) == 4);
  }
  SECTION("a terminal at which nobody types") {
    const Descriptor terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(::grantpt(terminal.get()) == 0);
    REQUIRE(::unlockpt(terminal.get()) == 0);
    const Descriptor typed = open_file(::ptsname(terminal.get()), O_RDWR | O_NOCTTY);
    write_all(terminal.get(), "kept\n", 5, "terminal");
    {
      const StandardInput keyboard(typed.get());
      check_whole_inputs();
    }
    char left[8];
    CHECK(::read(typed.get(), left, sizeof left) == 5);
  }
}

TEST_CASE("the set-up is refused before anything is measured", "[session][B98]") {
  Lab lab(sweep);
  SECTION("results are never overwritten") {
    lab.options.results = lab.scratch.path() / "old";
    fs::create_directories(lab.options.results);
    std::ofstream(lab.options.results / "samples.csv") << "mine";
    CHECK_THROWS_WITH(lab.run(), Catch::Contains("never overwritten"));
    CHECK(read_file(lab.options.results / "samples.csv") == "mine");
  }
  SECTION("a file where the corpus directory should be") {
    std::ofstream(lab.layout.corpus) << "in the way";
    CHECK_THROWS_WITH(lab.run(), Catch::Contains(lab.layout.corpus.string()));
  }
  SECTION("more than the disk holds") {
    lab.options.corpus_bytes = std::uint64_t{1} << 50;
    CHECK_THROWS_WITH(lab.run(), Catch::Contains("free"));
    for (const auto& entry : fs::directory_iterator(lab.layout.corpus)) CHECK(entry.path().filename() == "");
  }
  SECTION("an unknown suite is a matter of usage") {
    lab.options.suites = {"smal"};
    try {
      lab.run();
      FAIL("not refused");
    } catch (const Error& error) {
      CHECK(error.status() == 2);
      CHECK(std::string(error.what()).find("unknown suite 'smal'") != std::string::npos);
    }
  }
  CHECK(lab.calls().empty());
}

TEST_CASE("suites that are not of the bench run when they are named, or all are", "[session]") {
  Lab lab(sweep);
  std::ofstream(lab.layout.data / "suites/long.toml") << "title = \"l\"\nquestion = \"q\"\nin_bench = false\n[[row]]\nname = \"half\"\n"
                                                         "tool = \"readwrite\"\ninput = \"corpus\"\noutput = \"null\"\ncache = "
                                                         "\"warm\"\nshare = \"1/2\"\n";
  const Toolbox toolbox = lab.toolbox();
  const auto planned = [&](const std::vector<std::string>& suites) {
    lab.options.suites = suites;
    return plan_session(lab.options, lab.layout, toolbox);
  };
  CHECK(planned({}).suites.size() == 1);
  CHECK(planned({"long"}).suites.at(0).rows.at(0).size_bytes == 1u << 20);
  const Plan all = planned({"all"});
  REQUIRE(all.suites.size() == 2);
  CHECK(all.suites[0].experiment.name == "long");
  CHECK(all.suites[0].rows.at(0).size_bytes == 1u << 19);  // it shares the time with others
  CHECK_THROWS_WITH(planned({"all", "long"}), Catch::Contains("unknown suite 'all'"));
}

TEST_CASE("--list says what a run costs and runs nothing", "[session]") {
  Lab lab(sweep);
  const Toolbox toolbox = Toolbox::load(lab.layout.data / "tools.toml");
  const std::string text = list_plan(plan_session(lab.options, lab.layout, toolbox), lab.options, lab.layout, toolbox);
  for (const char* word : {"comparisons", "rounds", "time:", "to write:", "free space:", "warm-null-4K", "(baseline)"})
    CHECK(text.find(word) != std::string::npos);
  CHECK(lab.calls().empty());
  CHECK_FALSE(fs::exists(lab.layout.corpus));
}
