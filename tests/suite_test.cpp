// SPDX-License-Identifier: MIT
// Tools, suites and published figures: what the shipped files mean, how rows multiply, and that every kind of mistake
// is one line with its file, its line and, where there is one, the word that was meant.
#include "suite.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <vector>

#include "catch.h"
#include "message.h"
#include "plan.h"
#include "scratch.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

const char* const tools_text = R"([tools]
readwrite = { says = "read and write", from = "1985", source = "readwrite.cpp", options = ["-b", "-n", "--drain", "--fill"], block = "1K", degenerates = "small blocks" }
getputc = { says = "getc and putc", from = "1985", source = "getputc.cpp", degenerates = "everywhere" }
sendfile-copy = { says = "sendfile", from = "2008", source = "sendfile-copy.cpp", options = ["-b"], inputs = ["file"], outputs = ["pipe", "null"], degenerates = "small blocks" }
net-sink = { says = "a server", from = "2004", source = "net-sink.cpp", kind = "server" }
dd = { says = "dd", from = "peer", command = ["dd", "bs={block}", "status=none"], package = "coreutils" }
busybox-cat = { says = "cat of busybox", from = "peer", command = ["busybox", "cat"], options = ["-u"], package = "busybox" }
)";

const char* const published_text = R"(# a note, with a comma
# a second one
program,block,total_s,comment
readwrite,1024,0.1,"read, write"
readwrite,65536,0.2,big
getputc,1,0.8,"says ""macros"""
)";

const char* const good_suite = R"(title = "A title"
question = "A question?"
group = ["output"]
baseline = { block = "64K" }

[published]
file = "old.csv"
match = { program = "{tool}", block = "{block}" }

[[row]]
name = "{output}-{block}"
tool = "readwrite -b {block}"
input = "corpus"
output = ["null", "pipe"]
cache = "warm"
block = ["1K", "64K"]

[[table]]
title = "A table"
columns = ["label", "wall", "published.total_s"]
headings = ["what", "now", "then"]
only = "output=null"

[[plot]]
name = "rate"
kind = "sweep"
title = "Rate"
x = "block"
y = "bytes_per_s"
series = ["output"]
x_label = "size"
published = "total_s"

[[plot]]
name = "cost"
kind = "bars"
title = "Cost"
x = "block"
y = "wall_per_copy"
minus = { block = "1K" }
only = "output=null"
)";

struct Data {
  Scratch scratch;
  fs::path tools = scratch.file("data/tools.toml", tools_text);
  fs::path figures = scratch.file("data/published/old.csv", published_text);

  Experiment load(const std::string& suite, const std::string& name = "x") const {
    return load_experiment(scratch.file("data/suites/" + name + ".toml", suite), Toolbox::load(tools));
  }
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::vector<std::string> names(const Experiment& experiment) {
  std::vector<std::string> all;
  for (const Row& row : experiment.rows) all.push_back(row.name);
  return all;
}

const fs::path shipped_data = fs::path(std::getenv("IOBENCH_ROOT") ? std::getenv("IOBENCH_ROOT") : ".") / "data";

}  // namespace

TEST_CASE("a table and a figure of pairs need nothing but a name, and peers are told from ours") {
  const std::string table = "[[table]]\ntitle = \"Pairs\"\nkind = \"pairs\"\nonly = \"cache=warm\"\n";
  const std::string plot = "[[plot]]\nname = \"pairs\"\nkind = \"pairs\"\ntitle = \"Pairs\"\n";
  const std::string peer = "[[row]]\nname = \"{output}-dd\"\ntool = \"dd\"\nblock = \"2K\"\ninput = \"corpus\"\noutput = \"null\"\ncache = \"warm\"\n";
  const Experiment experiment = Data().load(good_suite + table + plot + peer);
  CHECK(experiment.tables.back().pairs);
  CHECK(experiment.tables.back().only == "cache=warm");
  CHECK_FALSE(experiment.tables.front().pairs);
  CHECK(experiment.plots.back().x == "output");
  CHECK(experiment.plots.back().y == "bytes_per_s");
  CHECK(experiment.rows.back().peer);
  CHECK_FALSE(experiment.rows.front().peer);
}

TEST_CASE("lists multiply in the file's order, the last fastest, whatever the alphabet says") {
  const Experiment experiment = Data().load(good_suite);
  CHECK(names(experiment) == std::vector<std::string>{"null-1K", "null-64K", "pipe-1K", "pipe-64K"});
  const Row& row = experiment.rows[3];
  CHECK(row.tool == "readwrite");
  CHECK(row.program == "readwrite");
  CHECK(row.arguments == std::vector<std::string>{"-b", "64K"});
  CHECK(row.input == Input::corpus);
  CHECK(row.output == Output::pipe);
  CHECK(row.cache == Cache::warm);
  CHECK(row.label == "pipe-64K");
  CHECK(row.comment == "read and write");
  CHECK(row.values == Pairs{{"block", "64K"}});
  CHECK(row.line == 10);
  CHECK(experiment.name == "x");
  CHECK(experiment.in_bench);

  // The same keys the other way round, and a variable before both.
  const std::string turned =
      replaced(replaced(good_suite, "group = [\"output\"]", "group = [\"zone\", \"output\"]"), "output = [\"null\", \"pipe\"]\ncache = \"warm\"\nblock = [\"1K\", \"64K\"]",
               "zone = [\"b\", \"a\"]\nblock = [\"1K\", \"64K\"]\noutput = [\"null\", \"pipe\"]\ncache = \"warm\"");
  CHECK(names(Data().load(replaced(turned, "{output}-{block}", "{zone}-{output}-{block}"))) ==
        std::vector<std::string>{"b-null-1K", "b-pipe-1K", "b-null-64K", "b-pipe-64K", "a-null-1K", "a-pipe-1K",
                                 "a-null-64K", "a-pipe-64K"});
}

TEST_CASE("fields of a row: sizes, shares, repeats, labels, several tools") {
  const Data data;
  const Experiment experiment = data.load(R"(
title = "t"
question = "q"
in_bench = false
size = "1M"
[[row]]
name = "{tool}-{size}"
label = "{tool} of {size}, {note}"
comment = "our {tool}"
tool = ["getputc", "readwrite -b {block}"]
input = "corpus"
output = "file"
cache = "warm"
size = ["corpus", 65536]
block = 4096
note = 0.5
sync = true
repeat = 3
[[row]]
name = "part"
tool = "getputc"
input = ["corpus"]
output = "null"
cache = "warm"
size = "corpus"
share = "1/4"
[[row]]
name = "whole"
tool = "getputc"
input = "corpus"
output = "null"
cache = "warm"
[[row]]
name = "made"
tool = "readwrite --fill 1M"
input = "none"
output = "file"
[[row]]
name = "dropped"
tool = "readwrite --drain"
input = "tmpfs"
output = "none"
cache = "none"
share = 0.125
size = "corpus"
)");
  CHECK_FALSE(experiment.in_bench);
  CHECK(names(experiment) == std::vector<std::string>{"getputc-corpus", "getputc-64K", "readwrite-corpus",
                                                      "readwrite-64K", "part", "whole", "made", "dropped"});
  const Row& row = experiment.rows[3];
  CHECK(row.size_bytes == 65536u);
  CHECK(row.value("size") == "64K");
  CHECK(row.value("note") == "0.5");
  CHECK(row.value("absent").empty());
  CHECK(row.label == "readwrite of 64K, 0.5");
  CHECK(row.comment == "our readwrite");
  CHECK(row.arguments == std::vector<std::string>{"-b", "4096"});
  CHECK(row.sync);
  CHECK(row.repeat == 3);
  CHECK(row.cache == Cache::warm);
  CHECK(experiment.rows[2].size_bytes == std::nullopt);
  CHECK(experiment.rows[2].value("size") == "corpus");
  CHECK(experiment.rows[4].share == 0.25);
  CHECK(experiment.rows[4].size_bytes == std::nullopt);
  CHECK(experiment.rows[5].size_bytes == (1u << 20));  // the suite's
  CHECK(experiment.rows[6].cache == Cache::none);
  CHECK(experiment.rows[7].share == 0.125);
}

TEST_CASE("a peer is a command template filled from the row") {
  const Data data;
  const Experiment experiment = data.load(R"(
title = "t"
question = "q"
[[row]]
name = "dd-{block}"
tool = "dd"
block = ["4K", "1M"]
input = "pipe"
output = "null"
cache = "warm"
[[row]]
name = "{tool}"
tool = "busybox-cat -u"
input = "corpus"
output = "over"
cache = "warm"
[[row]]
name = "{peer}-of-{block}"
tool = "{peer}"
peer = ["dd", "getputc"]
block = "2K"
input = "corpus"
output = "null"
cache = "warm"
)");
  REQUIRE(experiment.rows.size() == 5);
  CHECK(experiment.rows[3].arguments == std::vector<std::string>{"bs=2K", "status=none"});
  CHECK(experiment.rows[4].program == "getputc");
  CHECK(experiment.rows[1].program == "dd");
  CHECK(experiment.rows[1].arguments == std::vector<std::string>{"bs=1M", "status=none"});
  CHECK(experiment.rows[2].tool == "busybox-cat");
  CHECK(experiment.rows[2].program == "busybox");
  CHECK(experiment.rows[2].arguments == std::vector<std::string>{"cat", "-u"});
  const Toolbox toolbox = Toolbox::load(data.tools);
  CHECK(toolbox.find("dd")->kind == "peer");
  CHECK(toolbox.find("dd")->package == "coreutils");
  CHECK(toolbox.find("dd")->source.empty());
  CHECK(short_message_of([&] {
          data.load(R"(
title = "t"
question = "q"
[[row]]
name = "dd"
tool = "dd"
input = "corpus"
output = "null"
cache = "warm"
)");
        }).starts_with("x.toml:6: unknown placeholder '{block}' in 'command of dd'"));
}

TEST_CASE("a peer by name copies from file to file", "[peers]") {
  const Data data;
  std::ofstream(data.tools, std::ios::app)
      << "\ncp = { says = \"cp\", from = \"peer\", command = [\"cp\", \"{source}\", \"{destination}\"], package = \"coreutils\" }\n";
  const auto load = [&](const std::string& ends) {
    return data.load("title = \"t\"\nquestion = \"q\"\n[[row]]\nname = \"cp\"\ntool = \"cp\"\n" + ends);
  };
  const Row row = load("input = \"corpus\"\noutput = \"file\"\ncache = \"warm\"\n").rows.at(0);
  CHECK(row.is_given_names());
  CHECK_FALSE(row.takes_names);
  CHECK(row.package == "coreutils");
  CHECK(row.arguments == std::vector<std::string>{"{source}", "{destination}"});
  CHECK(short_message_of([&] { load("input = \"pipe\"\noutput = \"file\"\ncache = \"warm\"\n"); }) ==
        "x.toml:6: cp takes its source by name: input corpus or tmpfs only");
  CHECK(short_message_of([&] { load("input = \"tmpfs\"\noutput = \"over\"\n"); }) ==
        "x.toml:7: cp takes its destination by name: output file or tmpfs only");
}

TEST_CASE("a regime is of those of a list of inputs that read the disk") {
  const Data data;
  const auto load = [&](const std::string& inputs) {
    return data.load("title = \"t\"\nquestion = \"q\"\n[[row]]\nname = \"r-{input}\"\ntool = \"readwrite\"\ninput = " + inputs +
                     "\noutput = \"pipe\"\ncache = \"warm\"\n");
  };
  const Experiment mixed = load("[\"corpus\", \"tmpfs\", \"pipe\", \"tcp\"]");
  std::vector<Cache> caches;
  for (const Row& row : mixed.rows) caches.push_back(row.cache);
  CHECK(caches == std::vector<Cache>{Cache::warm, Cache::none, Cache::warm, Cache::none});
  CHECK(short_message_of([&] { load("[\"tmpfs\", \"tcp\"]"); }) ==
        "x.toml:8: cache 'warm' with input 'tmpfs': no file of the disk is read, leave it out");
}

TEST_CASE("every kind of mistake in a suite is one line: file, line, what, and what was meant") {
  struct Mistake {
    const char* from;
    const char* to;
    const char* message;
  };
  const Mistake mistakes[] = {
      // TOML itself
      {"title = \"A title\"", "title = \"A title", "1: "},
      {"question = ", "title = ", "2: "},
      {"group = [\"output\"]", "group = [\"output\"", "4: "},
      // keys of the suite
      {"title =", "tittle =", "1: unknown key 'tittle'; did you mean 'title'?"},
      {"title = \"A title\"\n", "", "1: 'title' is missing"},
      {"question = \"A question?\"\n", "", "1: 'question' is missing"},
      {"\"A question?\"", "\"  \"", "2: 'question' is empty"},
      {"\"A title\"", "7", "1: 'title' must be text, not an integer"},
      {"\"A title\"", "1985-01-22", "1: 'title' must be text, not a date"},
      {"group = [\"output\"]", "group = \"output\"", "3: 'group' must be a list of texts, not text"},
      {"group = [\"output\"]", "group = [1]", "3: 'group' must be a list of texts, not an integer"},
      {"group = [\"output\"]", "group = [\"ouptut\"]",
       "3: unknown variable 'ouptut' in 'group'; did you mean 'output'?"},
      {"group = [\"output\"]", "in_bench = \"yes\"\ngroup = [\"output\"]",
       "3: 'in_bench' must be true or false, not text"},
      {"baseline = { block = \"64K\" }", "baseline = \"64K\"",
       "4: 'baseline' must be a table like { block = \"64K\" }, not text"},
      {"{ block = \"64K\" }", "{ blok = \"64K\" }", "4: unknown variable 'blok' in 'baseline'; did you mean 'block'?"},
      {"{ block = \"64K\" }", "{ block = \"65K\" }", "4: no row has block '65K' of 'baseline'; did you mean '64K'?"},
      {"{ block = \"64K\" }", "{ block = [\"64K\"] }", "4: 'block' must be text or a number, not a list"},
      // published figures
      {"[published]", "[[published]]", "6: 'published' must be a table: [published]"},
      {"file = \"old.csv\"", "flie = \"old.csv\"", "7: unknown key 'flie'; did you mean 'file'?"},
      {"file = \"old.csv\"", "file = \"odl.csv\"", "7: no published figures 'odl.csv' beside the suites"},
      {"file = \"old.csv\"", "file = \"../old.csv\"", "7: published file '../old.csv' becomes a file name"},
      {"match = { program = \"{tool}\", block = \"{block}\" }", "",
       "20: 'total_s' stands beside a row, but [published] has no 'match'"},
      {"match = { program = \"{tool}\", block = \"{block}\" }", "match = {}", "8: 'match' is empty"},
      {"program = \"{tool}\"", "programm = \"{tool}\"",
       "8: unknown published column 'programm'; did you mean 'program'?"},
      {"program = \"{tool}\"", "program = \"{tol}\"", "8: unknown variable 'tol' in 'match'; did you mean 'tool'?"},
      {"program = \"{tool}\", block = \"{block}\"", "program = \"{tool}\"",
       "8: row 'null-1K' matches 2 rows of old.csv"},
      {"program = \"{tool}\"", "program = \"x{tool}\"", "8: no row matches any row of old.csv"},
      {"[[row]]", "[published.units]\ntotal = 10\n[[row]]",
       "11: unknown published column 'total'; did you mean 'total_s'?"},
      {"[[row]]", "[published.units]\ntotal_s = 0\n[[row]]", "11: 'total_s' must be above 0"},
      {"[[row]]", "[published.rounding]\ntotal_s = \"half\"\n[[row]]", "11: 'total_s' must be a number, not text"},
      {"[[row]]", "[published.errors]\ntotal_s = \"error_s\"\n[[row]]", "10: unknown published column 'error_s'"},
      {"[[row]]", "[published.minus]\nprogram = \"getptuc\"\n[[row]]",
       "10: no published program is 'getptuc'; did you mean 'getputc'?"},
      {"file = \"old.csv\"", "file = \"old.csv\"\ngroup = [\"programm\"]",
       "8: unknown published column 'programm'; did you mean 'program'?"},
      // rows
      {"[[row]]", "[row]", "10: 'row' must be written as [[row]], not a table"},
      {"name = \"{output}-{block}\"\n", "", "10: 'name' is missing"},
      {"name = \"{output}-{block}\"", "name = 5", "11: 'name' must be text, not an integer"},
      {"tool = \"readwrite -b {block}\"\n", "", "10: 'tool' is missing"},
      {"input = \"corpus\"\n", "", "10: 'input' is missing"},
      {"output = [\"null\", \"pipe\"]", "ouput = [\"null\", \"pipe\"]",
       "14: unknown key 'ouput'; did you mean 'output'?"},
      {"cache = \"warm\"", "colour = \"red\"\ncache = \"warm\"",
       "15: unknown key 'colour'; it is no field of a row and nothing names it as a variable"},
      {"cache = \"warm\"\n", "", "10: input 'corpus' reads a file of the disk: 'cache' must say warm, cold or confined"},
      {"cache = \"warm\"", "cache = \"wram\"", "15: unknown cache 'wram'; did you mean 'warm'?"},
      {"cache = \"warm\"", "cache = \"tepid\"", "15: unknown cache 'tepid'; known are warm, cold, confined, none"},
      {"cache = \"warm\"", "cache = \"cold\"\nrepeat = 2", "16: 'repeat' with cache 'cold': only the first copy would find it cold"},
      {"cache = \"warm\"", "cache = true", "15: unknown cache 'true'; known are warm, cold, confined, none"},
      {"input = \"corpus\"", "input = \"corpse\"", "13: unknown input 'corpse'; did you mean 'corpus'?"},
      {"input = \"corpus\"", "input = \"zero\"",
       "15: cache 'warm' with input 'zero': no file of the disk is read, leave it out"},
      {"input = \"corpus\"", "input = \"none\"", "13: input 'none' and the option --fill go together"},
      {"[\"null\", \"pipe\"]", "[\"null\", \"pip\"]", "14: unknown output 'pip'; did you mean 'pipe'?"},
      {"[\"null\", \"pipe\"]", "[]", "14: 'output' is an empty list: there would be no row"},
      {"[\"null\", \"pipe\"]", "[\"null\", \"none\"]", "14: output 'none' and the option --drain go together"},
      {"[\"null\", \"pipe\"]", "[\"null\", [\"pipe\"]]", "14: 'output' must be text or a number, not a list"},
      {"block = [\"1K\", \"64K\"]", "block = [\"1K\", \"\"]", "16: 'block' is empty"},
      {"block = [\"1K\", \"64K\"]", "block = [\"1K\", \"6\\u0007\"]", "16: 'block' has a control character"},
      {"block = [\"1K\", \"64K\"]", "block = [\"1K\", \"64KB\"]", "12: '-b of readwrite': "},
      {"block = [\"1K\", \"64K\"]", "block = [\"1K\", \"0\"]", "12: '-b of readwrite' is 0"},
      {"readwrite -b", "redwrite -b", "12: unknown tool 'redwrite'; did you mean 'readwrite'?"},
      {"readwrite -b {block}", "net-sink {block}", "12: 'net-sink' is a server: it cannot be the tool of a row"},
      {"readwrite -b {block}", " ", "12: 'tool' is empty"},
      {"readwrite -b {block}", "getputc -b {block}", "12: getputc has no option '-b'; it takes none"},
      {"readwrite -b {block}", "readwrite --block {block}", "12: readwrite has no option '--block'"},
      {"readwrite -b {block}", "readwrite --dran", "12: readwrite has no option '--dran'; did you mean '--drain'?"},
      {"readwrite -b {block}", "readwrite -n 5 -b", "12: readwrite -b is not followed by a size"},
      {"readwrite -b {block}", "readwrite -n many", "12: '-n of readwrite': "},
      {"readwrite -b {block}", "readwrite -b {blok}",
       "12: unknown placeholder '{blok}' in 'tool'; did you mean 'block'?"},
      {"readwrite -b {block}", "{tool} -b {block}", "12: unknown placeholder '{tool}' in 'tool'"},
      {"readwrite -b {block}", "readwrite -b {block", "12: 'readwrite -b {block' has a { without its }"},
      {"readwrite -b {block}", "readwrite -b {}", "12: 'readwrite -b {}' has an empty {}"},
      {"output = [\"null\", \"pipe\"]", "output = \"file\"\nblank = 1\n", "15: unknown key 'blank'"},
      {"tool = \"readwrite -b {block}\"\ninput = \"corpus\"\noutput = [\"null\", \"pipe\"]",
       "tool = \"sendfile-copy -b {block}\"\ninput = \"corpus\"\noutput = \"file\"",
       "14: sendfile-copy does not serve output 'file'; it serves pipe, null"},
      {"tool = \"readwrite -b {block}\"\ninput = \"corpus\"", "tool = \"sendfile-copy -b {block}\"\ninput = \"pipe\"",
       "13: sendfile-copy does not serve input 'pipe'; it serves file"},
      {"\"{output}-{block}\"", "\"{output}/{block}\"", "11: row 'null/1K' becomes a file name"},
      {"\"{output}-{block}\"", "\"../{output}-{block}\"", "11: row '../null-1K' becomes a file name"},
      {"\"{output}-{block}\"", "\"{output}\\n-{block}\"", "11: row 'null?-1K' becomes a file name"},
      {"\"{output}-{block}\"", "\"{output}\"",
       "11: row 'null' is there twice: its name must hold every list, like {block}"},
      {"\"{output}-{block}\"", "\"{outptu}-{block}\"",
       "11: unknown placeholder '{outptu}' in 'name'; did you mean 'output'?"},
      {"cache = \"warm\"", "cache = \"warm\"\nsize = \"0\"", "16: 'size' is 0: there would be nothing to measure"},
      {"cache = \"warm\"", "cache = \"warm\"\nsize = \"big\"", "16: 'size': "},
      {"cache = \"warm\"", "cache = \"warm\"\nsize = -5", "16: 'size': "},
      {"cache = \"warm\"", "cache = \"warm\"\nshare = \"a/4\"", "16: 'share' must be like \"1/4\" or 0.25: "},
      {"cache = \"warm\"", "cache = \"warm\"\nshare = \"1/0\"", "16: 'share' must be like \"1/4\" or 0.25, above 0"},
      {"cache = \"warm\"", "cache = \"warm\"\nshare = 1.5", "16: 'share' must be like \"1/4\" or 0.25, above 0"},
      {"cache = \"warm\"", "cache = \"warm\"\nshare = [0.5]", "16: 'share' must be like \"1/4\" or 0.25, above 0"},
      {"cache = \"warm\"", "cache = \"warm\"\nshare = 0.5\nsize = \"1M\"",
       "16: 'share' is a part of the corpus: it cannot go with a fixed 'size'"},
      {"cache = \"warm\"", "cache = \"warm\"\nrepeat = 0", "16: 'repeat' must be an integer, at least 1"},
      {"cache = \"warm\"", "cache = \"warm\"\nrepeat = \"3\"", "16: 'repeat' must be an integer, at least 1"},
      {"cache = \"warm\"", "cache = \"warm\"\nsync = 1", "16: 'sync' must be true or false, not an integer"},
      {"cache = \"warm\"", "cache = \"warm\"\nsync = true",
       "16: 'sync' with output 'null': only file and over can be synced"},
      {"[[table]]",
       "[[row]]\nname = \"null-1K\"\ntool = \"getputc\"\ninput = \"corpus\"\noutput = \"null\"\ncache = "
       "\"warm\"\n[[table]]",
       "19: row 'null-1K' is there twice: first at line 10"},
      {"[[table]]", "[[row]]\n[[table]]", "18: 'name' is missing"},
      // tables
      {"title = \"A table\"\n", "", "18: 'title' is missing"},
      {"columns = [\"label\", \"wall\", \"published.total_s\"]", "colums = [\"label\"]",
       "20: unknown key 'colums'; did you mean 'columns'?"},
      {"columns = [\"label\", \"wall\", \"published.total_s\"]\nheadings = [\"what\", \"now\", \"then\"]",
       "columns = []", "20: 'columns' is an empty list"},
      {"\"wall\"", "\"wal\"", "20: unknown column 'wal'; did you mean 'wall'?"},
      {"published.total_s", "published.total_ms", "20: unknown published column 'total_ms'; did you mean 'total_s'?"},
      {"[\"what\", \"now\", \"then\"]", "[\"what\", \"now\"]", "21: 2 headings for 3 columns"},
      {"\"wall\"", "\"row.blok\"", "20: unknown variable 'blok' in 'row.blok'; did you mean 'block'?"},
      {"\"wall\"", "\"wall where blok=1K\"", "20: unknown variable 'blok' in 'wall where blok=1K'; did you mean 'block'?"},
      {"\"wall\"", "\"wall where block\"", "20: 'wall where block' must be like \"output=null\""},
      {"\"wall\"", "\"wall where block=2K\"", "20: no row has block '2K' of 'wall where block=2K'; did you mean '1K'?"},
      {"\"wall\"", "\"step\"", "20: 'step' needs to know along what: step = \"VARIABLE\""},
      {"\"wall\"", "\"published_step.total_s\"", "20: 'published_step.total_s' needs to know along what"},
      {"\"wall\"", "\"over_control\"", "20: 'over_control' needs to know the control: minus = { VARIABLE = \"VALUE\" }"},
      {"\"wall\"", "\"published_over_control.total_s\"", "20: 'published_over_control.total_s' needs to know the published control"},
      {"published.total_s", "published.{blok}_s", "20: unknown variable 'blok' in '{blok}_s'; did you mean 'block'?"},
      {"published.total_s", "published.{tool}_s", "20: unknown published column 'readwrite_s'"},
      {"only = \"output=null\"", "step = \"blok\"", "22: unknown variable 'blok' in 'step'; did you mean 'block'?"},
      {"only = \"output=null\"", "step = \"cache\"", "22: row 'null-1K' has no size as its cache: "},
      {"only = \"output=null\"", "minus = { blok = \"1K\" }", "22: unknown variable 'blok' in 'minus'; did you mean 'block'?"},
      {"only = \"output=null\"", "minus = { block = \"2K\" }", "22: no row has block '2K' of 'minus'; did you mean '1K'?"},
      {"only = \"output=null\"", "minus = { cache = \"warm\" }",
       "22: 'minus' picks 2 rows in the group of 'null-1K': one is needed"},
      {"only = \"output=null\"", "lines = [\"blok\"]", "22: unknown variable 'blok' in 'lines'; did you mean 'block'?"},
      {"only = \"output=null\"", "lines = [\"block\"]",
       "20: 'label' is of both 'null-1K' and 'pipe-1K', which share a line: say \"label where VARIABLE=VALUE\""},
      {"only = \"output=null\"", "published_only = true",
       "20: 'label': a table with 'published_only' has columns like \"published.program\""},
      {"only = \"output=null\"", "only = \"output=null\"\npublished_only = true",
       "22: a table with 'published_only' has no 'only': it has no rows of ours"},
      {"only = \"output=null\"", "only = \"output\"",
       "22: 'only' must be like \"output=null\" or \"output=null and cache=warm\", not 'output'"},
      {"only = \"output=null\"", "only = \"output=null and cach=warm\"",
       "22: unknown variable 'cach' in 'only'; did you mean 'cache'?"},
      {"only = \"output=null\"", "only = \"output=null and block=2K\"",
       "22: no row has block '2K' of 'only'; did you mean '1K'?"},
      {"kind = \"sweep\"", "kind = \"fit\"", "28: a figure of kind 'fit' has no 'x'"},
      {"only = \"output=null\"", "only = \"outptu=null\"",
       "22: unknown variable 'outptu' in 'only'; did you mean 'output'?"},
      {"only = \"output=null\"", "only = \"output=nul\"",
       "22: no row has output 'nul' of 'only'; did you mean 'null'?"},
      {"only = \"output=null\"", "kind = \"pair\"", "22: unknown table kind 'pair'; did you mean 'pairs'?"},
      {"only = \"output=null\"", "kind = \"pairs\"", "20: unknown key 'columns'"},
      // figures
      {"kind = \"sweep\"", "kind = \"pairs\"", "28: a figure of kind 'pairs' has no 'x'"},
      {"kind = \"sweep\"", "kind = \"swep\"", "26: unknown plot kind 'swep'; did you mean 'sweep'?"},
      {"name = \"rate\"", "name = \"a/b\"", "25: plot 'a/b' becomes a file name"},
      {"name = \"rate\"\n", "", "24: 'name' is missing"},
      {"x = \"block\"\n", "", "24: 'x' is missing"},
      {"x = \"block\"", "x = \"blcok\"", "28: unknown variable 'blcok' in 'x'; did you mean 'block'?"},
      {"x = \"block\"", "x = \"tool\"", "28: row 'null-1K' has no size as its tool: "},
      {"y = \"bytes_per_s\"", "y = \"bytes_per_sec\"",
       "29: unknown metric 'bytes_per_sec'; did you mean 'bytes_per_s'?"},
      {"series = [\"output\"]", "series = [\"outputs\"]",
       "30: unknown variable 'outputs' in 'series'; did you mean 'output'?"},
      {"x_label = \"size\"", "limit = \"memory-copy\"", "31: unknown key 'limit'"},
      {"published = \"total_s\"", "published = \"total\"",
       "32: unknown published column 'total'; did you mean 'total_s'?"},
      {"published = \"total_s\"", "relative = \"yes\"", "32: 'relative' must be true or false, not text"},
      {"published = \"total_s\"", "minus = { block = \"1K\" }", "32: a figure of kind 'sweep' has no 'minus'"},
      {"published = \"total_s\"", "log = 1", "32: 'log' must be true or false, not an integer"},
      {"minus = { block = \"1K\" }", "log = true", "40: a figure of kind 'bars' has no 'log'"},
      {"minus = { block = \"1K\" }", "minus = { block = \"1K\" }\nrelative = true",
       "40: 'minus' and 'relative' cannot go together: a difference or a multiple"},
      {"minus = { block = \"1K\" }", "minus = { block = \"1K\" }\npublished = \"total_s\"",
       "41: figures less a control need the published control: 'minus' of [published]"},
      {"minus = { block = \"1K\" }", "published = \"total_s\"\npublished_lines = \"all\"",
       "41: 'published_lines' names each line by its columns, like \"{program}, 1985\""},
      {"minus = { block = \"1K\" }", "published = \"total_s\"\npublished_lines = \"{programm}\"",
       "41: unknown published column 'programm'; did you mean 'program'?"},
      {"minus = { block = \"1K\" }", "published_lines = \"{program}\"", "34: 'published' is missing"},
      {"[[plot]]", "[[plot]]\nname = \"rate\"\nkind = \"bars\"\ntitle = \"t\"\ny = \"cpu\"\n[[plot]]",
       "30: plot 'rate' is there twice"},
  };
  const Data data;
  for (const Mistake& mistake : mistakes) {
    const std::string expected = std::string("x.toml:") + mistake.message;
    const std::string message = short_message_of([&] { data.load(replaced(good_suite, mistake.from, mistake.to)); });
    INFO(mistake.from << " -> " << mistake.to << "\n  " << message);
    CHECK(message.substr(0, expected.size()) == expected);
    CHECK(message.find('\n') == std::string::npos);
  }
}

namespace {

const char* const two_claims = R"(
[[claim]]
says = "1K takes twice as long"
who = "the author"
ratio = ["null-1K", "null-64K"]
metric = "wall"
published = 2
holds_if = "1.8 .. 2.2"

[[claim]]
says = "a start costs little"
value = "null-1K"
minus = "null-64K"
per = 200
metric = "cpu"
holds_if = "<= 1e-3"
)";

}  // namespace

TEST_CASE("claims are read in the file's order, with the rows that they name") {
  const Experiment experiment = Data().load(std::string(good_suite) + two_claims);
  REQUIRE(experiment.claims.size() == 2);
  const ClaimSpec& ratio = experiment.claims[0];
  CHECK(ratio.says == "1K takes twice as long");
  CHECK(ratio.who == "the author");
  CHECK(ratio.kind == ClaimKind::ratio);
  CHECK(ratio.rows == std::vector<std::string>{"null-1K", "null-64K"});
  CHECK(ratio.metric == "wall");
  CHECK(ratio.published == 2.0);
  CHECK(ratio.holds_if == "1.8 .. 2.2");
  const ClaimSpec& value = experiment.claims[1];
  CHECK(value.who.empty());
  CHECK(value.kind == ClaimKind::value);
  CHECK(value.minus == "null-64K");
  CHECK(value.per == 200);
  CHECK_FALSE(value.published);
  CHECK(value.all_rows() == std::vector<std::string>{"null-1K", "null-64K"});
  CHECK(Data().load(good_suite).claims.empty());
}

TEST_CASE("every kind of mistake in a claim is one line: file, line, what, and what was meant") {
  struct Mistake {
    const char* from;
    const char* to;
    const char* message;
  };
  const Mistake mistakes[] = {
      {"[[claim]]", "[claim]", "43: 'claim' must be written as [[claim]], not a table"},
      {"says =", "say =", "44: unknown key 'say'; did you mean 'says'?"},
      {"says = \"1K takes twice as long\"\n", "", "43: 'says' is missing"},
      {"\"1K takes twice as long\"", "\"\"", "44: 'says' is empty"},
      {"who = \"the author\"", "who = 5", "45: 'who' must be text, not an integer"},
      {"ratio = [\"null-1K\", \"null-64K\"]\n", "", "43: a claim needs 'ratio', 'difference' or 'value'"},
      {"metric = \"wall\"", "value = \"null-1K\"\nmetric = \"wall\"", "47: 'value' beside 'ratio': a claim has one of them"},
      {"[\"null-1K\", \"null-64K\"]", "\"null-1K\"", "46: 'ratio' must be a list of texts, not text"},
      {"[\"null-1K\", \"null-64K\"]", "[\"null-1K\"]", "46: 'ratio' must name two rows"},
      {"[\"null-1K\", \"null-64K\"]", "[\"null-1K\", \"null-64K\", \"pipe-1K\"]", "46: 'ratio' must name two rows"},
      {"[\"null-1K\", \"null-64K\"]", "[\"null-1K\", \"null-1K\"]", "46: 'ratio' compares 'null-1K' with itself"},
      {"[\"null-1K\", \"null-64K\"]", "[\"nul-1K\", \"null-64K\"]",
       "46: unknown row 'nul-1K' in 'ratio'; did you mean 'null-1K'?"},
      {"ratio = [\"null-1K\", \"null-64K\"]", "difference = [\"null-1K\", \"pip-64K\"]",
       "46: unknown row 'pip-64K' in 'difference'; did you mean 'pipe-64K'?"},
      {"metric = \"wall\"\n", "", "43: 'metric' is missing"},
      {"metric = \"wall\"", "metric = \"wal\"", "47: unknown metric 'wal'; did you mean 'wall'?"},
      {"metric = \"wall\"", "metric = \"durable\"",
       "47: unknown metric 'durable'"},
      {"published = 2", "published = \"2\"", "48: 'published' must be a number"},
      {"published = 2", "published = nan", "48: 'published' must be a number"},
      {"published = 2", "per = 10", "48: 'per' cancels out in a ratio"},
      {"published = 2", "minus = \"null-1K\"", "48: 'minus' subtracts 'null-1K' from itself"},
      {"published = 2", "minus = \"pipe-2K\"", "48: unknown row 'pipe-2K' in 'minus'; did you mean 'pipe-1K'?"},
      {"metric = \"wall\"", "metric = \"bytes_per_s\"\nminus = \"pipe-1K\"",
       "48: 'minus' subtracts times or counts, and 'bytes_per_s' is a rate"},
      {"ratio = [\"null-1K\", \"null-64K\"]", "difference = [\"null-1K\", \"null-64K\"]\nminus = \"pipe-1K\"",
       "47: 'minus' cancels out in a difference"},
      {"holds_if = \"1.8 .. 2.2\"\n", "", "43: 'holds_if' is missing"},
      {"\"1.8 .. 2.2\"", "1.8", "49: 'holds_if' must be text, not a number"},
      {"\"1.8 .. 2.2\"", "\"about 2\"",
       "49: 'holds_if': 'about 2' is none of \"<= X\", \">= X\", \"< X\", \"> X\" and \"X .. Y\""},
      {"\"1.8 .. 2.2\"", "\"<= two\"", "49: 'holds_if': 'two' is not a number"},
      {"\"1.8 .. 2.2\"", "\"2.2 .. 1.8\"", "49: 'holds_if': '2.2 .. 1.8' goes downwards"},
      {"\"1.8 .. 2.2\"", "\">= 0\"", "49: 'holds_if' of a ratio must be above 0"},
      {"value = \"null-1K\"", "value = \"null-2K\"", "53: unknown row 'null-2K' in 'value'; did you mean 'null-1K'?"},
      {"value = \"null-1K\"", "value = [\"null-1K\"]", "53: 'value' must be text, not a list"},
      {"per = 200", "per = 0", "55: 'per' must be above 0"},
      {"per = 200", "per = -1", "55: 'per' must not be negative or infinite"},
      {"per = 200", "per = \"1\"", "55: 'per' must be a number, not text"},
  };
  const Data data;
  const std::string good = std::string(good_suite) + two_claims;
  for (const Mistake& mistake : mistakes) {
    const std::string expected = std::string("x.toml:") + mistake.message;
    // Both suites have a `published`: only what follows the first [[claim]] is changed.
    const std::size_t claims = good.find("\n[[claim]]");
    const std::string text = good.substr(0, claims) + replaced(good.substr(claims), mistake.from, mistake.to);
    const std::string single = std::string(mistake.to) == "[claim]" ? text.substr(0, text.rfind("[[claim]]")) : text;
    const std::string message = short_message_of([&] { data.load(single); });
    INFO(mistake.from << " -> " << mistake.to << "\n  " << message);
    CHECK(message.substr(0, expected.size()) == expected);
    CHECK(message.find('\n') == std::string::npos);
  }

  // Rows that move different amounts have no times to compare; rates and counts they have.
  const std::string part = replaced(good, "[[table]]",
                                    "[[row]]\nname = \"part\"\ntool = \"readwrite -b {block}\"\nblock = \"2K\"\ninput = \"corpus\"\noutput = \"null\"\n"
                                    "cache = \"warm\"\nshare = \"1/4\"\n[[table]]");
  const std::string other = replaced(part, "[\"null-1K\", \"null-64K\"]", "[\"null-1K\", \"part\"]");
  CHECK(short_message_of([&] { data.load(other); }) ==
        "x.toml:54: rows 'null-1K' and 'part' move different amounts: their times cannot be compared, but bytes_per_s or "
        "operations_per_s can");
  CHECK(data.load(replaced(other, "metric = \"wall\"", "metric = \"bytes_per_s\"")).claims.size() == 2);
  CHECK(short_message_of([&] { data.load(replaced(part, "minus = \"null-64K\"", "minus = \"part\"")); })
            .starts_with("x.toml:62: rows 'null-1K' and 'part' move different amounts"));
}

TEST_CASE("mistakes that need another suite than the table's") {
  const Data data;
  CHECK(short_message_of([&] { data.load("title = \"t\"\nquestion = \"q\"\n"); }) ==
        "x.toml:1: no [[row]]: there is nothing to run");
  CHECK(short_message_of([&] { data.load(""); }) == "x.toml:1: 'title' is missing");
  CHECK(short_message_of([&] {
          data.load(good_suite, "a b");
        }).starts_with("a b.toml:1: suite 'a b' becomes a file name"));
  const std::string unpublished = replaced(
      good_suite, "[published]\nfile = \"old.csv\"\nmatch = { program = \"{tool}\", block = \"{block}\" }\n", "");
  CHECK(short_message_of([&] { data.load(unpublished); }) ==
        "x.toml:17: 'total_s' is a published column, but there is no [published]");
  const std::string relative = replaced(replaced(unpublished, "published = \"total_s\"", "relative = true"),
                                        ", \"published.total_s\"]\nheadings = [\"what\", \"now\", \"then\"]", "]");
  CHECK(short_message_of([&] { data.load(replaced(relative, "baseline = { block = \"64K\" }\n", "")); }) ==
        "x.toml:27: 'relative' is against the baseline, but there is no 'baseline'");
  CHECK(data.load(relative).plots[0].relative);
}

TEST_CASE("an unknown suite is named with its neighbours, and is a usage error") {
  const Data data;
  data.load(good_suite, "sweep");
  data.scratch.file("data/suites/notes.txt", "not a suite");
  CHECK(suite_names(data.scratch.path() / "data") == std::vector<std::string>{"sweep"});
  const Toolbox toolbox = Toolbox::load(data.tools);
  CHECK(load_suite(data.scratch.path() / "data", "sweep", toolbox).rows.size() == 4);
  try {
    load_suite(data.scratch.path() / "data", "swee", toolbox);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "unknown suite 'swee'; did you mean 'sweep'?");
    CHECK(error.status() == 2);
  }
  CHECK(message_of([&] {
          suite_names(data.scratch.path() / "nowhere");
        }).ends_with("nowhere/suites: No such file or directory"));
}

TEST_CASE("mistakes in tools.toml") {
  struct Mistake {
    const char* text;
    const char* message;
  };
  const Mistake mistakes[] = {
      {"", "1: 'tools' is missing"},
      {"[tools]", "1: [tools] has no tools"},
      {"[tool]\n", "1: unknown key 'tool'; did you mean 'tools'?"},
      {"[tools]\na = 5", "2: tool 'a' must be a table"},
      {"[tools]\na = { from = \"f\", source = \"a.cpp\" }", "2: 'says' is missing"},
      {"[tools]\na = { says = \"s\", source = \"a.cpp\" }", "2: 'from' is missing"},
      {"[tools]\na = { says = \"s\", from = \"f\" }", "2: 'source' is missing"},
      {"[tools]\na = { says = \"s\", from = \"f\", sorce = \"a.cpp\" }",
       "2: unknown key 'sorce'; did you mean 'source'?"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"../a.cpp\" }",
       "2: source '../a.cpp' becomes a file name"},
      {"[tools]\n\"a/b\" = { says = \"s\", from = \"f\", source = \"a.cpp\" }", "2: tool 'a/b' becomes a file name"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", options = [\"-q\"] }", "2: unknown option '-q'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", inputs = [\"fil\"] }",
       "2: unknown end 'fil'; did you mean 'file'?"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", outputs = [] }",
       "2: 'outputs' is an empty list"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", kind = \"sever\" }",
       "2: unknown kind 'sever'; did you mean 'server'?"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", block = \"1k\" }", "2: 'block': "},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", ns_per_byte = -1 }",
       "2: 'ns_per_byte' must not be negative or infinite"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", ns_per_call = \"1\" }",
       "2: 'ns_per_call' must be a number, not text"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", package = \"p\" }",
       "2: 'a' is built here: only a peer has a 'package'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", command = [\"a\"] }",
       "2: 'a' has a 'command', so that it is a peer: no 'source'"},
      {"[tools]\na = { says = \"s\", from = \"f\", command = [] }", "2: 'command' is an empty list"},
      {"[tools]\na = { says = \"s\", from = \"f\", command = [\"a\"], takes_names = true }",
       "2: 'a' has a 'command', so that it is a peer: no 'takes_names'"},
      {"[tools]\na = { says = \"s\", from = \"f\", command = [\"a\"] }", "2: 'package' is missing"},
      {"[tools]\na = { says = \"s\", from = \"f\", command = [\"a\", \"{source}\"], package = \"p\" }",
       "2: 'command' names one of {source} and {destination}: a peer is given both names or none"},
      {"[tools]\na = { says = \"s\", from = \"f\", command = [\"{built}/a\"], package = \"p\" }",
       "2: 'command' names {built}, but there is no 'build'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", build = [\"cc\"] }",
       "2: 'a' is built here: only a peer has a 'build'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", takes_names = \"yes\" }",
       "2: 'takes_names' must be true or false"},
      // an option with the words that may follow it
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", options = [\"--target same||new\"] }",
       "2: '--target same||new' is no option with the words that may follow it, such as '--target same|new'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", options = [\"--target same | new\"] }",
       "2: '--target same | new' is no option"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", options = [\"target same|new\"] }",
       "2: 'target same|new' is no option"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", options = [\"--target\"] }",
       "2: unknown option '--target'"},
      // two tools that name each other
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", undone_by = \"b\", degenerates = \"d\" }",
       "2: 'undone_by': unknown tool 'b'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", undoes = \"b\", degenerates = \"d\" }",
       "2: 'undoes': unknown tool 'b'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", undone_by = \"b\", degenerates = \"d\" }\n"
       "b = { says = \"s\", from = \"f\", source = \"b.cpp\", degenerates = \"d\" }",
       "2: 'undone_by' is 'b', whose 'undoes' does not name 'a'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", degenerates = \"d\" }\n"
       "b = { says = \"s\", from = \"f\", source = \"b.cpp\", undoes = \"a\", degenerates = \"d\" }",
       "3: 'undoes' is 'a', whose 'undone_by' does not name 'b'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\", undone_by = \"b\", degenerates = \"d\" }\n"
       "b = { says = \"s\", from = \"f\", source = \"b.cpp\", undoes = \"c\", degenerates = \"d\" }\n"
       "c = { says = \"s\", from = \"f\", source = \"c.cpp\", undone_by = \"b\", degenerates = \"d\" }",
       "2: 'undone_by' is 'b', whose 'undoes' does not name 'a'"},
      {"[tools]\na = { says = \"s\", from = \"f\", source = \"a.cpp\" }", "2: 'degenerates' is missing"},
  };
  const Scratch scratch;
  for (const Mistake& mistake : mistakes) {
    const fs::path path = scratch.file("tools.toml", mistake.text);
    const std::string message = short_message_of([&] { Toolbox::load(path); });
    const std::string expected = std::string("tools.toml:") + mistake.message;
    INFO(mistake.text << "\n  " << message);
    CHECK(message.substr(0, expected.size()) == expected);
  }
  CHECK(message_of([&] { Toolbox::load(scratch / "none.toml"); }).ends_with("none.toml: No such file or directory"));
}

TEST_CASE("published figures: notes, quotes, and which line belongs to which row") {
  const Data data;
  const PublishedTable table = load_published(data.figures);
  CHECK(table.notes == std::vector<std::string>{"a note, with a comma", "a second one"});
  CHECK(table.columns == std::vector<std::string>{"program", "block", "total_s", "comment"});
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0][3] == "read, write");
  CHECK(table.rows[2][3] == "says \"macros\"");

  const Experiment experiment = data.load(good_suite);
  CHECK(published_value(*experiment.published, table, experiment.rows[0], "total_s") == "0.1");  // 1K is 1024
  CHECK(published_value(*experiment.published, table, experiment.rows[1], "comment") == "big");
  CHECK(published_value(*experiment.published, table, experiment.rows[1], "nothing").empty());
  Row other = experiment.rows[0];
  other.tool = "sendfile-copy";
  CHECK(published_value(*experiment.published, table, other, "total_s").empty());

  const auto message = [&](const std::string& text) {
    const fs::path path = data.scratch.file("bad.csv", text);
    return short_message_of([&] { load_published(path); });
  };
  CHECK(message("") == "bad.csv:1: the heading with the column names is missing");
  CHECK(message("# only\n# notes\n") == "bad.csv:3: the heading with the column names is missing");
  CHECK(message("# note\na,b\n1,2\n1,2,3\n") == "bad.csv:4: 3 fields where the heading has 2");
  CHECK(message("a,a\n") == "bad.csv:1: column 'a' is there twice");
  CHECK(message("a,,b\n") == "bad.csv:1: column 2 has no name");
  CHECK(message("a,b\n1,\"2\n") == "bad.csv:2: a quote is never closed");
}

namespace {

// Loads against the shipped tools.
struct Shipped {
  Scratch scratch;
  Toolbox toolbox = Toolbox::load(shipped_data / "tools.toml");
  Experiment load(const std::string& suite) const {
    return load_experiment(scratch.file("data/suites/x.toml", suite), toolbox);
  }
};

const char* const rows_beyond_files = R"(title = "t"
question = "q"
[[row]]
name = "to-{output}"
tool = "readwrite -b 64K"
input = "corpus"
output = ["tcp", "unix"]
cache = "warm"
part = "1/4"
[[row]]
name = "from-{input}"
tool = "readwrite -b {block}"
input = ["tcp", "unix"]
output = "null"
block = "8K"
operation = "{block}"
repeat = 40
repeat_scales = true
[[row]]
name = "slow"
tool = "buffered-64K"
input = "corpus"
output = "tcp"
cache = "warm"
link = "100 Mbit/s"
[[row]]
name = "write-{block}"
tool = "record-write -b {block} --fill"
input = "none"
output = "file"
block = ["32", "4112"]
operation = "{block}"
count_instructions = true
[[row]]
name = "read"
tool = "record-read --raw --drain"
input = "corpus"
output = "none"
cache = "warm"
operation = 528
made_by = "record-write -b {operand} --fill"
operand = "528"
[[row]]
name = "names-{method}"
tool = "copy-files --target same --method {method}"
method = "none"
input = "tmpfs"
output = "file"
size = 600
expect = "nothing"
[[row]]
name = "skips"
tool = "getc-then-read"
input = "corpus"
output = "file"
cache = "warm"
expect = "part"
[[row]]
name = "refused"
tool = "sendfile-copy"
input = "pipe"
output = "file"
cache = "warm"
expect = "refusal"
)";

}  // namespace

TEST_CASE("rows with servers, links, records, names, and outcomes that are no copies") {
  const Experiment experiment = Shipped().load(rows_beyond_files);
  CHECK(names(experiment) == std::vector<std::string>{"to-tcp", "to-unix", "from-tcp", "from-unix", "slow", "write-32",
                                                      "write-4112", "read", "names-none", "skips", "refused"});
  const std::vector<Row>& rows = experiment.rows;
  CHECK(rows[0].output == Output::tcp);
  CHECK(rows[1].output == Output::local);
  CHECK(rows[1].value("output") == "unix");
  CHECK(rows[0].part == 0.25);
  CHECK(rows[0].share == 1);
  CHECK(rows[0].uses_socket());
  CHECK(rows[0].link_bits_per_s == 0);
  CHECK(rows[0].value("link").empty());
  CHECK(rows[0].matches("link", "no"));
  CHECK(rows[2].input == Input::tcp);
  CHECK(rows[3].input == Input::local);
  CHECK(rows[3].uses_socket());
  CHECK(rows[3].cache == Cache::none);
  CHECK(rows[2].operation_bytes == 8192);
  CHECK(rows[2].repeat == 40);
  CHECK(rows[2].repeat_scales);
  CHECK_FALSE(rows[0].repeat_scales);
  CHECK(rows[4].link_bits_per_s == 100'000'000);
  CHECK(rows[4].value("link") == "100 Mbit/s");
  CHECK(rows[4].matches("link", "100 Mbit/s"));
  CHECK_FALSE(rows[4].matches("link", "no"));
  CHECK(rows[5].arguments == std::vector<std::string>{"-b", "32", "--fill"});  // how much is the plan's to say
  CHECK(rows[5].framed);
  CHECK(rows[5].operation_bytes == 32);
  CHECK(rows[5].count_instructions);
  CHECK_FALSE(rows[7].count_instructions);
  CHECK(rows[7].framed);
  CHECK(rows[7].operation_bytes == 528);
  CHECK(rows[7].made_by == std::vector<std::string>{"record-write", "-b", "528", "--fill"});
  CHECK(rows[7].reads_disk());
  CHECK(rows[5].made_by.empty());
  CHECK(rows[8].takes_names);
  CHECK(rows[8].expect == Expected::nothing);
  CHECK(rows[8].input == Input::tmpfs);
  CHECK_FALSE(rows[8].framed);
  CHECK(rows[9].expect == Expected::part);
  CHECK(rows[10].expect == Expected::refusal);
  CHECK(rows[0].expect == Expected::copy);
  CHECK_FALSE(rows[0].takes_names);

  // An operation may be a list, as a variable may.
  const Experiment several = Shipped().load(replaced(replaced(rows_beyond_files, "from-{input}", "from-{input}-{block}"),
                                                     "block = \"8K\"", "block = [\"8K\", \"64K\"]"));
  CHECK(several.rows[3].operation_bytes == 65536);
}

TEST_CASE("every mistake in such a row is one line: file, line, what, and what was meant") {
  struct Mistake {
    const char* from;
    const char* to;
    const char* message;
  };
  const Mistake mistakes[] = {
      {"[\"tcp\", \"unix\"]\ncache", "[\"tpc\", \"unix\"]\ncache", "7: unknown output 'tpc'; did you mean 'tcp'?"},
      {"[\"tcp\", \"unix\"]\noutput", "[\"tcp\", \"unx\"]\noutput", "13: unknown input 'unx'; did you mean 'unix'?"},
      {"[\"tcp\", \"unix\"]\ncache", "[\"local\", \"unix\"]\ncache", "7: unknown output 'local'; known are null, pipe, file, "},
      {"output = \"null\"\nblock", "output = \"null\"\ncache = \"warm\"\nblock",
       "15: cache 'warm' with input 'tcp': no file of the disk is read, leave it out"},
      {"part = \"1/4\"", "part = \"5/4\"", "9: 'part' must be like \"1/4\" or 0.25, above 0 and at most 1"},
      {"part = \"1/4\"", "part = 0", "9: 'part' must be like \"1/4\" or 0.25, above 0"},
      {"part = \"1/4\"", "part = \"1/4\"\nsize = \"1M\"", "9: 'part' is a part of the corpus: it cannot go with a fixed 'size'"},
      {"part = \"1/4\"", "prat = \"1/4\"", "9: unknown key 'prat'; did you mean 'part'?"},
      {"repeat_scales = true", "size_scales = true", "18: 'size_scales' without a fixed 'size': the corpus is what it is"},
      {"repeat_scales = true", "repeat_scales = 1", "18: 'repeat_scales' must be true or false, not an integer"},
      {"count_instructions = true", "count_instructions = \"yes\"", "33: 'count_instructions' must be true or false, not text"},
      {"operation = \"{block}\"\nrepeat", "operation = \"{blok}\"\nrepeat",
       "16: unknown placeholder '{blok}' in 'operation'; did you mean 'block'?"},
      {"operation = \"{block}\"\nrepeat", "operation = 0\nrepeat", "16: 'operation' is 0: an operation moves at least one byte"},
      {"operation = \"{block}\"\nrepeat", "operation = \"much\"\nrepeat", "16: 'operation': size 'much'"},
      {"block = \"8K\"\noperation = \"{block}\"", "operation = \"{block}\"\nblock = \"8K\"",
       "15: unknown placeholder '{block}' in 'operation'"},
      {"link = \"100 Mbit/s\"", "link = \"100 Mbps\"", "25: 'link': '100 Mbps' is not the speed of a link: write it like \"100 Mbit/s\""},
      {"link = \"100 Mbit/s\"", "link = 100", "25: 'link': '100' is not the speed of a link"},
      {"output = \"tcp\"\ncache = \"warm\"\nlink", "output = \"unix\"\ncache = \"warm\"\nlink",
       "25: 'link' without input or output 'tcp': nothing would cross it"},
      {"record-write -b {block} --fill\"\ninput", "record-write --fill -b {block}\"\ninput", "28: '--fill of record-write': size '-b'"},
      {"record-write -b {block} --fill\"\ninput", "record-write -b {block}\"\ninput",
       "29: input 'none' and the option --fill go together: the tool makes the bytes"},
      {"block = [\"32\", \"4112\"]\noperation = \"{block}\"", "block = [\"32\", \"4112\"]",
       "26: record-write deals in records: 'operation' must be the size of one, above 8"},
      {"block = [\"32\", \"4112\"]\noperation = \"{block}\"", "block = [\"32\", \"4112\"]\noperation = 8",
       "26: record-write deals in records: 'operation' must be the size of one, above 8"},
      {"operation = 528\n", "", "34: record-read deals in records: 'operation' must be the size of one, above 8"},
      {"\"record-write -b {operand} --fill\"", "\"record-wite -b {operand} --fill\"",
       "41: unknown tool 'record-wite'; did you mean 'record-write'?"},
      {"\"record-write -b {operand} --fill\"\noperand = \"528\"", "\"record-write -b {oprand} --fill\"\nblock = \"528\"",
       "42: unknown key 'block'; it is no field of a row and nothing names it as a variable"},
      {"\"record-write -b {operand} --fill\"", "\"record-write --fill 5 -b {operand}\"",
       "41: 'made_by' must end with --fill: what makes an input reads none, and is told how much to make"},
      {"\"record-write -b {operand} --fill\"", "\"record-write -c {operand} --fill\"", "41: record-write has no option '-c'"},
      {"\"record-write -b {operand} --fill\"", "\"net-sink --once {operand} --fill\"", "41: net-sink has no option '528'"},
      {"\"record-write -b {operand} --fill\"\noperand = \"528\"", "\" \"", "41: 'made_by' is empty"},
      {"input = \"corpus\"\noutput = \"none\"\ncache = \"warm\"", "input = \"zero\"\noutput = \"none\"",
       "40: 'made_by' with input 'zero': there is no input to make"},
      {"--method {method}\"\nmethod = \"none\"", "--method {method}\"\nmethod = \"nome\"",
       "45: unknown --method 'nome' of copy-files; did you mean 'none'?"},
      {"--target same --method {method}\"\nmethod = \"none\"", "--target same --method\"",
       "45: copy-files --method is not followed by none or stdio or readwrite or sendfile or copy-file-range"},
      {"input = \"tmpfs\"", "input = \"zero\"", "47: copy-files takes its source by name: input corpus or tmpfs only"},
      {"output = \"file\"\nsize", "output = \"null\"\nsize", "48: copy-files takes its destination by name: output file or tmpfs only"},
      {"expect = \"nothing\"", "expect = \"noting\"", "50: unknown outcome 'noting'; did you mean 'nothing'?"},
      {"expect = \"nothing\"", "expect = true", "50: 'expect' must be text, not true or false"},
      {"expect = \"part\"", "expect = \"copy\"", "53: 'getc-then-read' is a demonstration: it cannot be the tool of a row"},
      {"expect = \"part\"\n", "", "53: 'getc-then-read' is a demonstration: it cannot be the tool of a row"},
      {"expect = \"refusal\"", "expect = \"copy\"", "61: sendfile-copy does not serve input 'pipe'; it serves file"},
  };
  const Shipped shipped;
  for (const Mistake& mistake : mistakes) {
    const std::string expected = std::string("x.toml:") + mistake.message;
    const std::string message =
        short_message_of([&] { shipped.load(replaced(rows_beyond_files, mistake.from, mistake.to)); });
    INFO(mistake.from << " -> " << mistake.to << "\n  " << message);
    CHECK(message.substr(0, expected.size()) == expected);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("only the rows that [published] names have a published one") {
  const Data data;
  const PublishedTable table = load_published(data.figures);
  const auto load = [&](const std::string& only) {
    return data.load(replaced(good_suite, "file = \"old.csv\"", "file = \"old.csv\"\nonly = \"" + only + "\""));
  };
  const Experiment experiment = load("output=null and block=64K");
  CHECK(experiment.published->only == "output=null and block=64K");
  std::size_t beside = 0;
  for (const Row& row : experiment.rows) {
    const auto line = published_line(*experiment.published, table, row);
    CHECK(line.has_value() == (row.name == "null-64K"));
    beside += line.has_value();
  }
  CHECK(beside == 1);
  const auto said = [&](const std::string& only) { return short_message_of([&] { load(only); }); };
  CHECK(said("ouptut=null") == "x.toml:8: unknown variable 'ouptut' in 'only'; did you mean 'output'?");
  CHECK(said("output=nul") == "x.toml:8: no row has output 'nul' of 'only'; did you mean 'null'?");
  CHECK(said("output").starts_with("x.toml:8: 'only' must be like \"output=null\""));
}

namespace {

const std::string two_rows = R"(title = "t"
question = "q"
[[open_question]]
asks = "Which?"
answer = "It is {wall of a}."
[[open_question]]
asks = "And why?"
answer = "Nobody knows."
[[row]]
name = "a"
label = "{method}"
tool = "readwrite"
method = "by-hand"
input = "corpus"
output = "null"
cache = "warm"
[[row]]
name = "b"
label = "{method}"
tool = "getputc"
method = "by-byte"
input = "corpus"
output = "null"
cache = "warm"
)";

}  // namespace

TEST_CASE("open questions and their answers, with every kind of place") {
  const Data data;
  const Experiment experiment = data.load(two_rows);
  REQUIRE(experiment.questions.size() == 2);
  CHECK(experiment.questions[0].asks == "Which?");
  CHECK(experiment.questions[0].answer == "It is {wall of a}.");
  CHECK(experiment.questions[1].answer == "Nobody knows.");
  CHECK(data.load(good_suite).questions.empty());
  for (const std::string place :
       {"calls_per_mib of a", "program_bytes of a", "instructions_per_byte of b", "cpu_ns_per_byte of b", "link_speed of a", "outcome of b",
        "served by by-hand", "refused by by-byte", "bytes_per_s of a over b", "peak_memory of b", "wall_per_copy of a over a"}) {
    INFO(place);
    CHECK(data.load(replaced(two_rows, "wall of a", place)).questions.size() == 2);
  }

  const std::vector<std::pair<std::string, std::string>> places = {
      {"a", "5: '{a}' must be like {wall of ROW}, {wall of ROW over ROW} or {served by METHOD}"},
      {"wall", "5: '{wall}' must be like "},
      {"wall by a", "5: '{wall by a}' must be like "},
      {"served of a over", "5: '{served of a over}' must be like "},
      {"wall of a under b", "5: '{wall of a under b}' must be like "},
      {"", "5: 'It is {}.' has an empty {}"},
      {"wal of a", "5: unknown figure 'wal' in '{wal of a}'; did you mean 'wall'?"},
      {"calls_per_mb of a", "5: unknown figure 'calls_per_mb' in '{calls_per_mb of a}'; did you mean 'calls_per_mib'?"},
      {"wall of c-long", "5: unknown row 'c-long'"},
      {"wall of a over bb", "5: unknown row 'bb'; did you mean 'b'?"},
      {"outcome of a over b", "5: 'outcome' in '{outcome of a over b}' is of one row: no 'over'"},
      {"calls_per_mib of a over b", "5: 'calls_per_mib' in '{calls_per_mib of a over b}' is of one row: no 'over'"},
      {"served by by-hnad", "5: no row has method 'by-hnad' of 'answer'; did you mean 'by-hand'?"},
  };
  for (const auto& [place, expected] : places) {
    const std::string message = short_message_of([&] { data.load(replaced(two_rows, "wall of a", place)); });
    INFO(place << "\n  " << message);
    CHECK(message.substr(0, expected.size() + 7) == "x.toml:" + expected);
  }
  const auto said = [&](const char* from, const char* to) {
    return short_message_of([&] { data.load(replaced(two_rows, from, to)); });
  };
  CHECK(said("{wall of a}", "{wall of a") == "x.toml:5: 'It is {wall of a.' has a { without its }");
  CHECK(said("asks =", "ask =") == "x.toml:4: unknown key 'ask'; did you mean 'asks'?");
  CHECK(said("asks = \"Which?\"\n", "") == "x.toml:3: 'asks' is missing");
  CHECK(said("answer = \"Nobody knows.\"\n", "") == "x.toml:6: 'answer' is missing");
  CHECK(said("\"Nobody knows.\"", "\"\"") == "x.toml:8: 'answer' is empty");
  CHECK(said("[[open_question]]\nasks = \"Which?\"", "[[open_qestion]]\nasks = \"Which?\"") ==
        "x.toml:3: unknown key 'open_qestion'; did you mean 'open_question'?");
}

TEST_CASE("the shipped tools, in the order in which they are told") {
  const Toolbox toolbox = Toolbox::load(shipped_data / "tools.toml");
  std::vector<std::string> copying, others, peers;
  for (const Tool& tool : toolbox.tools())
    (!tool.command.empty() ? peers : tool.copies() ? copying : others).push_back(tool.name);
  CHECK(copying == std::vector<std::string>{"getputc", "fgetputc", "freadwrite", "readwrite", "ifstream-bytewise",
                                            "buffered-1K", "buffered-2K", "buffered-4K", "buffered-8K", "buffered-16K",
                                            "buffered-32K", "buffered-64K", "buffered-128K", "buffered-256K",
                                            "buffered-512K", "buffered-1M", "record-write", "record-read", "copy-files",
                                            "sendfile-copy", "copy-stream", "transfer-to", "copy-file-range", "splice-copy",
                                            "io-uring-copy", "threaded-copy", "mmap-copy", "vmsplice-copy",
                                            "direct-copy", "getputc-unlocked", "streambuf-copy"});
  CHECK(peers == std::vector<std::string>{"cat", "cp", "dd", "head", "tee", "busybox-cat", "pv", "socat", "rsync",
                                          "java-stream", "java-channel", "ruby", "sbcl", "python"});
  CHECK(others == std::vector<std::string>{"getc-then-read", "net-sink", "net-source", "plumb"});
  const Tool& sendfile = *toolbox.find("sendfile-copy");
  CHECK(sendfile.inputs == std::vector<std::string>{"file"});
  CHECK(sendfile.outputs == std::vector<std::string>{"file", "pipe", "fifo", "socket", "tty", "null"});
  CHECK(sendfile.null_moves_nothing);
  CHECK_FALSE(toolbox.find("readwrite")->null_moves_nothing);
  CHECK(toolbox.find("getc-then-read")->kind == "demonstration");
  CHECK(toolbox.find("getputc")->bytewise);
  CHECK_FALSE(toolbox.find("readwrite")->bytewise);
  CHECK(toolbox.find("readwrite")->inputs == std::vector<std::string>{"file", "pipe", "fifo", "socket", "tty", "null"});
  CHECK(toolbox.suggestion("redwrite") == "; did you mean 'readwrite'?");
  CHECK(toolbox.suggestion("xargs").empty());

  CHECK(toolbox.find("record-write")->undone_by == "record-read");
  CHECK(toolbox.find("record-write")->undoes.empty());
  CHECK(toolbox.find("record-read")->undoes == "record-write");
  CHECK(toolbox.find("record-read")->raw_nanoseconds_per_call > toolbox.find("record-read")->nanoseconds_per_call);
  for (const Tool& tool : toolbox.tools()) CHECK(tool.takes_names == (tool.name == "copy-files"));
  const Tool& copy_files = *toolbox.find("copy-files");
  CHECK(copy_files.options == std::vector<std::string>{"-b", "--method", "--target"});
  CHECK(copy_files.words.at("--target") == std::vector<std::string>{"same", "new"});
  CHECK(copy_files.words.at("--method").size() == 5);
  CHECK(option_takes_size("--buffer-in"));
  CHECK(option_takes_size("--depth"));
  CHECK(toolbox.find("io-uring-copy")->options == std::vector<std::string>{"-b", "-n", "--pipe-size", "--depth"});
  for (const Tool& tool : toolbox.tools()) CHECK((tool.kind != "copy" || tool.degenerates.ends_with('.')));
  CHECK_FALSE(option_takes_size("--raw"));
}

TEST_CASE("the shipped suites load and ask what they say") {
  const Toolbox toolbox = Toolbox::load(shipped_data / "tools.toml");
  for (const std::string& name : suite_names(shipped_data)) {
    INFO(name);
    const Experiment experiment = load_suite(shipped_data, name, toolbox);
    const std::set<std::string> only_with_all = {"strategies", "peers", "runtimes", "small-files", "scaling"};
    CHECK(experiment.in_bench == !only_with_all.contains(name));
    CHECK_FALSE(experiment.plots.empty());
    CHECK((experiment.in_bench || !experiment.tables.empty()));
    CHECK(make_plan({experiment}, {1u << 30, true, 7, 0}).runs.size() > experiment.rows.size());
  }

  const Experiment perlman = load_suite(shipped_data, "perlman-1985", toolbox);
  REQUIRE(perlman.rows.size() == 9);
  CHECK(names(perlman) == std::vector<std::string>{"fgetputc", "freadwrite", "getputc", "readwrite", "fgetputc-38123",
                                                   "freadwrite-38123", "getputc-38123", "readwrite-38123",
                                                   "getc-then-read"});
  CHECK(perlman.rows[3].arguments == std::vector<std::string>{"-b", "1K"});
  CHECK(perlman.rows[1].arguments.empty());
  CHECK(perlman.rows[7].size_bytes == 38123u);
  CHECK(perlman.rows[7].repeat == 200);
  CHECK(perlman.rows[7].repeat_scales);
  CHECK(perlman.rows[8].expect == Expected::part);
  const PublishedTable figures = load_published(shipped_data / "published" / perlman.published->file);
  for (const Row& row : perlman.rows)
    CHECK(published_value(*perlman.published, figures, row, "total_s").empty() == (row.name == "getc-then-read"));
  CHECK(published_value(*perlman.published, figures, perlman.rows[4], "total_s") == "2.3");
  REQUIRE(perlman.claims.size() == 6);
  CHECK(perlman.claims[0].published == 23.0);

  const Experiment sweep = load_suite(shipped_data, "buffer-sweep", toolbox);
  CHECK(sweep.rows.size() == 4 * 14 + 6 + 6);
  std::size_t shared = 0;
  const auto warm = std::count_if(sweep.rows.begin(), sweep.rows.end(),
                                  [](const Row& row) { return is_shown(row, "output=null and cache=warm"); });
  CHECK(warm == 14);
  for (const Row& row : sweep.rows)
    shared += row.share == (row.output == Output::null && row.cache != Cache::confined ? 0.25 : 0.125);
  CHECK(shared == sweep.rows.size());
}

TEST_CASE("every line of a suite's published figures is beside a row, or shown by itself") {
  const Toolbox toolbox = Toolbox::load(shipped_data / "tools.toml");
  for (const std::string& name : suite_names(shipped_data)) {
    const Experiment experiment = load_suite(shipped_data, name, toolbox);
    const auto shows_all = [](const TableSpec& table) { return table.published_only && table.columns.empty(); };
    if (!experiment.published || std::any_of(experiment.tables.begin(), experiment.tables.end(), shows_all)) continue;
    const PublishedTable table = load_published(shipped_data / "published" / experiment.published->file);
    std::set<std::size_t> beside;
    for (const Row& row : experiment.rows)
      if (const auto line = published_line(*experiment.published, table, row)) beside.insert(*line);
    INFO(name);
    CHECK(beside.size() == table.rows.size());
  }
}

TEST_CASE("all published figures of the lab can be read") {
  for (const char* name : {"bradshaw-1999", "nutter-2008", "openjdk-2022", "perlman-1985", "uppal-2004"}) {
    const PublishedTable table = load_published(shipped_data / "published" / (std::string(name) + ".csv"));
    CHECK_FALSE(table.notes.empty());
    CHECK(table.rows.size() >= 4);
  }
}
