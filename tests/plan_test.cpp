// SPDX-License-Identifier: MIT
// Plans: groups, baselines, rounds and sizes; an order that is a pure function of suites and seed, pinned; costs; and
// plan.json, which must give back everything.
#include "plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "catch.h"
#include "message.h"
#include "scratch.h"
#include "statistics.h"
#include "units.h"

using namespace iobench;

namespace {

Row make_row(const std::string& block, Output output = Output::null, Cache cache = Cache::warm) {
  Row row;
  row.name = std::string(to_string(output)) + "-" + to_string(cache) + "-" + block;
  row.label = block;
  row.comment = "read and write";
  row.tool = row.program = "readwrite";
  row.arguments = {"-b", block};
  row.output = output;
  row.cache = cache;
  row.values = {{"block", block}};
  row.line = 7;
  return row;
}

Experiment make_experiment(const std::string& name, std::vector<Row> rows) {
  Experiment experiment;
  experiment.name = name;
  experiment.path = "data/suites/" + name + ".toml";
  experiment.title = "A \"title\"";
  experiment.question = "Why?";
  experiment.discussion = "Two\nlines, ü.";
  experiment.group = {"output", "cache"};
  experiment.baseline = {{"block", "64K"}};
  experiment.rows = std::move(rows);
  return experiment;
}

// Two groups of a baseline and others, and a group of a single row.
Experiment three_groups() {
  return make_experiment("first", {make_row("1K"), make_row("64K"), make_row("1M"), make_row("1K", Output::pipe),
                                   make_row("64K", Output::pipe), make_row("1K", Output::file)});
}

// "suite.row" of each run of a round in order, the second slot of a baseline with a prime.
std::string order(const Plan& plan, std::size_t suite, std::size_t round) {
  std::string text;
  for (const Run& run : plan.runs)
    if (run.suite == suite && run.round == round)
      text += (text.empty() ? "" : " ") + std::to_string(run.row) + (run.again ? "'" : "");
  return text;
}

const Toolbox& toolbox() {
  static const Scratch scratch;
  static const Toolbox all = Toolbox::load(scratch.file("tools.toml", R"([tools]
readwrite = { says = "s", from = "f", source = "r.cpp", options = ["-b"], block = "1K", ns_per_byte = 0.1, ns_per_call = 250, degenerates = "d" }
getputc = { says = "s", from = "f", source = "g.cpp", ns_per_byte = 6, degenerates = "d" }
)"));
  return all;
}

}  // namespace

TEST_CASE("rows are grouped in file order, each group with its baseline and its rounds") {
  const Plan plan = make_plan({three_groups()}, {});
  const PlannedSuite& suite = plan.suites.at(0);
  REQUIRE(suite.groups.size() == 3);
  CHECK(suite.groups[0].name == "output=null cache=warm");
  CHECK(suite.groups[0].rows == std::vector<std::size_t>{0, 1, 2});
  CHECK(suite.groups[0].baseline == 1);
  CHECK(suite.groups[0].comparisons() == 2);
  CHECK(suite.groups[1].rows == std::vector<std::size_t>{3, 4});
  CHECK(suite.groups[1].baseline == 4);
  CHECK(suite.groups[2].baseline == SIZE_MAX);
  CHECK(suite.groups[2].comparisons() == 0);
  for (const Group& group : suite.groups) CHECK(group.rounds == rounds_for(group.comparisons()));
  CHECK(suite.rounds() == 7);
  CHECK(suite.rows[4].group == 1);
  CHECK(suite.rows[0].argv == std::vector<std::string>{"readwrite", "-b", "1K"});
  CHECK(suite.limits == std::set<Limit>{Limit::memory_copy, Limit::memory_copy_by_two});

  Experiment ungrouped = three_groups();
  ungrouped.group.clear();
  ungrouped.baseline = {{"block", "64K"}, {"output", "pipe"}};
  const Plan one = make_plan({ungrouped}, {});
  REQUIRE(one.suites[0].groups.size() == 1);
  CHECK(one.suites[0].groups[0].name == "all");
  CHECK(one.suites[0].groups[0].baseline == 4);
}

TEST_CASE("a baseline must pick one row of each group, and a suite may be there once") {
  Experiment none = three_groups();
  none.baseline = {{"block", "1M"}};
  CHECK(message_of([&] { make_plan({none}, {}); }) ==
        "data/suites/first.toml: 'baseline' picks none of the 2 rows in group output=pipe cache=warm");
  none.baseline.clear();
  CHECK(message_of([&] { make_plan({none}, {}); }) ==
        "data/suites/first.toml: 'baseline' picks none of the 3 rows in group output=null cache=warm");
  Experiment several = three_groups();
  several.baseline = {{"tool", "readwrite"}};
  CHECK(message_of([&] { make_plan({several}, {}); }) ==
        "data/suites/first.toml: 'baseline' picks both 'null-warm-1K' and 'null-warm-64K' in group output=null "
        "cache=warm: "
        "name more of its variables");
  CHECK(message_of([&] {
          make_plan({three_groups(), three_groups()}, {});
        }).starts_with("suite 'first' is there twice"));
}

TEST_CASE("every round has each row of the groups that need it once, and the baseline once more") {
  // 40 comparisons need 11 rounds, the other groups 7.
  std::vector<Row> rows = {make_row("64K"), make_row("64K", Output::pipe), make_row("1K", Output::pipe)};
  for (std::size_t i = 1; i <= 40; ++i) rows.push_back(make_row(format_short_size(64 * i)));
  const Plan plan = make_plan({make_experiment("wide", rows), three_groups()}, {1u << 30, true, 4711, 0});
  REQUIRE(plan.suites[0].groups[0].rounds == 11);
  REQUIRE(plan.suites[0].groups[1].rounds == 7);

  std::map<std::tuple<std::size_t, std::size_t, std::size_t, bool>, int> times;
  for (const Run& run : plan.runs) ++times[{run.suite, run.round, run.row, run.again}];
  std::size_t expected = 0;
  for (std::size_t s = 0; s < plan.suites.size(); ++s)
    for (const Group& group : plan.suites[s].groups)
      for (std::size_t round = 1; round <= group.rounds; ++round) {
        for (const std::size_t row : group.rows) CHECK(times[{s, round, row, false}] == 1);
        if (group.baseline != SIZE_MAX) CHECK(times[{s, round, group.baseline, true}] == 1);
        expected += group.rows.size() + (group.baseline != SIZE_MAX);
      }
  CHECK(plan.runs.size() == expected);

  // Suites, rounds and, within a round, groups are never mixed.
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> finished;
  std::tuple<std::size_t, std::size_t, std::size_t> current{0, 0, 0};
  for (const Run& run : plan.runs) {
    const std::tuple<std::size_t, std::size_t, std::size_t> here{run.suite, run.round,
                                                                 plan.suites[run.suite].rows[run.row].group};
    if (here == current) continue;
    CHECK(finished.insert(here).second);
    CHECK(std::tie(std::get<0>(here), std::get<1>(here)) >= std::tie(std::get<0>(current), std::get<1>(current)));
    current = here;
  }
}

TEST_CASE("a seed gives the same order on any machine") {
  PlanOptions options;
  options.seed = 1985;
  options.rounds = 3;
  const Plan plan = make_plan({three_groups()}, options);
  CHECK(order(plan, 0, 1) == "2 0 1' 1 4 3 4' 5");
  CHECK(order(plan, 0, 2) == "5 1' 2 1 0 4 3 4'");
  CHECK(order(plan, 0, 3) == "3 4' 4 5 1 1' 0 2");
  CHECK(make_plan({three_groups()}, options) == plan);
  options.seed = 1986;
  CHECK_FALSE(make_plan({three_groups()}, options).runs == plan.runs);
}

TEST_CASE("the shuffle favours no place") {
  // 6,000 rounds of a group of three slots: each of the six orders about 1,000 times, standard deviation 29.
  PlanOptions options;
  options.rounds = 6000;
  const Plan plan = make_plan({make_experiment("even", {make_row("1K"), make_row("64K")})}, options);
  std::map<std::string, int> counts;
  for (std::size_t i = 0; i < plan.runs.size(); i += 3) {
    std::string key;
    for (std::size_t j = i; j < i + 3; ++j) key += plan.runs[j].again ? 'a' : static_cast<char>('0' + plan.runs[j].row);
    ++counts[key];
  }
  REQUIRE(counts.size() == 6);
  for (const auto& [key, count] : counts) {
    INFO(key);
    CHECK(std::abs(count - 1000) < 150);
  }
}

TEST_CASE("sizes: the corpus, a fixed size, or a share in whole pages") {
  Row fixed = make_row("1K"), quarter = make_row("2K"), tiny = make_row("4K");
  fixed.size_bytes = 38123;
  quarter.share = 0.25;
  tiny.share = 1e-9;
  const auto sizes = [&](std::uint64_t corpus, bool apply) {
    const Plan plan =
        make_plan({make_experiment("sizes", {fixed, quarter, tiny, make_row("64K")})}, {corpus, apply, 0, 0});
    std::vector<std::uint64_t> all;
    for (const PlannedRow& row : plan.suites[0].rows) all.push_back(row.size_bytes);
    return all;
  };
  CHECK(sizes(1u << 30, true) == std::vector<std::uint64_t>{38123, 1u << 28, 4096, 1u << 30});
  CHECK(sizes(1u << 30, false) == std::vector<std::uint64_t>{38123, 1u << 30, 1u << 30, 1u << 30});
  CHECK(sizes(100001, true) == std::vector<std::uint64_t>{38123, 24576, 4096, 100001});
  CHECK(sizes(1000, true) == std::vector<std::uint64_t>{38123, 1000, 1000, 1000});
}

namespace {

// The one row of a plan.
PlannedRow planned(Row row, const PlanOptions& options) {
  row.name = "row";
  return make_plan({make_experiment("one", {std::move(row)})}, options).suites[0].rows[0];
}

Row record_row(const std::vector<std::string>& arguments, std::uint64_t operation) {
  Row row = make_row("1K", Output::file, Cache::none);
  row.tool = row.program = "record-write";
  row.arguments = arguments;
  row.input = Input::none;
  row.framed = true;
  row.operation_bytes = operation;
  return row;
}

}  // namespace

TEST_CASE("sizes: a part of the corpus always, a share of that in a bench, whole operations") {
  const PlanOptions bench{1u << 30, true, 0, 1}, alone{1u << 30, false, 0, 1};
  Row row = make_row("1K");
  row.part = 0.25;
  CHECK(planned(row, bench).size_bytes == 1u << 28);
  CHECK(planned(row, alone).size_bytes == 1u << 28);
  row.share = 0.5;
  CHECK(planned(row, bench).size_bytes == 1u << 27);
  CHECK(planned(row, alone).size_bytes == 1u << 28);
  row.operation_bytes = 37000;
  CHECK(planned(row, alone).size_bytes == (1u << 28) / 37000 * 37000);
  CHECK(planned(row, {4096, true, 0, 1}).size_bytes == 37000);  // one at least
  row.part = row.share = 1;
  row.size_bytes = 100000;
  CHECK(planned(row, bench).size_bytes == 74000);
}

TEST_CASE("operations of a run: copies, or what each of them holds") {
  const PlanOptions options{1u << 20, true, 0, 1};
  Row row = make_row("1K");
  CHECK(planned(row, options).operations() == 1);
  row.repeat = 7;
  CHECK(planned(row, options).operations() == 7);
  CHECK(planned(row, options).moved_bytes() == 7u << 20);
  row.operation_bytes = 4096;
  CHECK(planned(row, options).operations() == 7 * 256);
  row.size_bytes = 8192;
  CHECK(planned(row, options).operations() == 14);
  PlannedRow ragged = planned(row, options);
  ragged.size_bytes = 8193;  // its last operation is a short one
  CHECK(ragged.operations() == 21);
}

TEST_CASE("a repeat that scales is in proportion to a corpus under 1 GiB, and once at least") {
  Row row = make_row("1K");
  row.size_bytes = 38123;
  row.repeat = 200;
  const auto repeats = [&](std::uint64_t corpus) { return planned(row, {corpus, true, 0, 1}).row.repeat; };
  CHECK(repeats(1u << 20) == 200);
  row.repeat_scales = true;
  CHECK(repeats(1u << 30) == 200);
  CHECK(repeats(std::uint64_t{4} << 30) == 200);
  CHECK(repeats(1u << 29) == 100);
  CHECK(repeats(64u << 20) == 12);
  CHECK(repeats(1u << 20) == 1);
  CHECK_FALSE(planned(row, {1u << 29, true, 0, 1}).row.repeat_scales);  // done: a plan made again is the same
  CHECK(make_plan({make_experiment("one", {row})}, {1u << 29, true, 0, 1}).suites[0].experiment.rows[0].repeat == 100);
}

TEST_CASE("a size that scales is in proportion to a corpus under 1 GiB, and so are its name and its claims") {
  Row row = make_row("64K");
  row.name = "readwrite-64M-64M";
  row.label = "64M";
  row.size_bytes = 64u << 20;
  row.size_scales = true;
  Row other = make_row("2K");
  ClaimSpec claim;
  claim.rows = {"readwrite-64M-64M", other.name};
  const auto plan = [&](std::uint64_t corpus) {
    Experiment experiment = make_experiment("one", {row, other});
    experiment.claims = {claim};
    return make_plan({experiment}, {corpus, true, 0, 1}).suites[0];
  };
  for (const std::uint64_t corpus : {std::uint64_t{1} << 30, std::uint64_t{4} << 30}) {
    CHECK(plan(corpus).rows[0].size_bytes == 64u << 20);
    CHECK(plan(corpus).rows[0].row.name == "readwrite-64M-64M");
  }
  const PlannedSuite small = plan(32u << 20);
  CHECK(small.rows[0].size_bytes == 2u << 20);
  CHECK(small.rows[0].row.value("size") == "2M");
  CHECK(small.rows[0].row.name == "readwrite-64M-2M");
  CHECK(small.rows[0].row.label == "2M");
  CHECK(small.experiment.claims[0].rows[0] == "readwrite-64M-2M");
  CHECK_FALSE(small.rows[0].row.size_scales);  // done: a plan made again is the same

  // So small that two sizes are one: their samples could not be told apart.
  other.size_bytes = 65u << 20;
  other.size_scales = true;
  other.name = "readwrite-64M-65M";
  CHECK_THROWS_WITH(plan(16), Catch::Contains("two rows are 'readwrite-64M-1' with so small a corpus"));
}

TEST_CASE("--fill is told how much: what is moved, or what records hold of it") {
  const PlanOptions options{1u << 20, true, 0, 1};
  Row plain = make_row("64K", Output::file, Cache::none);
  plain.input = Input::none;
  plain.arguments = {"-b", "64K", "--fill"};
  CHECK(planned(plain, options).argv.back() == "1048576");
  CHECK(planned(plain, options).payload_bytes() == 1048576);
  plain.arguments = {"--fill", "5", "-b", "64K"};
  CHECK(planned(plain, options).argv == std::vector<std::string>{"readwrite", "--fill", "5", "-b", "64K"});

  const PlannedRow records = planned(record_row({"-b", "4112", "--fill"}, 4112), options);
  CHECK(records.size_bytes == 255 * 4112);
  CHECK(records.operations() == 255);
  CHECK(records.payload_bytes() == 255 * (4112 - record_head_bytes));
  CHECK(records.argv.back() == std::to_string(255 * 4104));
  Row read = record_row({}, 528);
  read.tool = read.program = "record-read";
  read.input = Input::corpus;
  read.made_by = {"record-write", "-b", "528", "--fill"};
  CHECK(planned(read, options).argv == std::vector<std::string>{"record-read"});
  CHECK(planned(read, options).payload_bytes() == (1u << 20) / 528 * 520);
  std::vector<std::string> made = read.made_by;
  complete_fill(made, 77);
  CHECK(made.back() == "77");
  complete_fill(made, 78);  // once
  CHECK(made.size() == 5);
}

TEST_CASE("costs follow bytes, calls, caches and sinks") {
  const auto planned = [](Row row, std::uint64_t size) { return PlannedRow{std::move(row), 0, size, {}}; };
  const std::uint64_t size = 1u << 30;
  const double bytes = static_cast<double>(size);
  const double block_1k = estimate_run_s(planned(make_row("1K"), size), toolbox());
  CHECK(block_1k == Approx(0.1e-9 * bytes + 250e-9 * 2 * bytes / 1024 + 0.001));
  CHECK(estimate_run_s(planned(make_row("1M"), size), toolbox()) < block_1k);
  Row bare = make_row("1K");
  bare.arguments.clear();  // the tool's own block
  CHECK(estimate_run_s(planned(bare, size), toolbox()) == Approx(block_1k));
  CHECK(estimate_run_s(planned(make_row("1K", Output::null, Cache::cold), size), toolbox()) ==
        Approx(block_1k + bytes / 1.6e9));
  CHECK(estimate_run_s(planned(make_row("1K", Output::pipe), size), toolbox()) > block_1k);
  Row often = make_row("1K");
  often.repeat = 10;
  CHECK(estimate_run_s(planned(often, size), toolbox()) == Approx(10 * block_1k));
  Row bytewise = make_row("1K");
  bytewise.tool = bytewise.program = "getputc";
  bytewise.arguments.clear();
  CHECK(estimate_run_s(planned(bytewise, size), toolbox()) == Approx(6e-9 * bytes + 0.001));

  // Two rounds of warm and cold to null and a quarter to a new file; three baselines, so that no group has a second
  // slot.
  Row file = make_row("64K", Output::file);
  file.share = 0.25;
  const Plan plan =
      make_plan({make_experiment("cost", {make_row("64K"), make_row("64K", Output::null, Cache::cold), file})},
                {size, true, 0, 2});
  const PlanCost cost = estimate_cost(plan, toolbox());
  CHECK(cost.written_bytes == 3 * size / 4);                          // its check and two rounds
  CHECK(cost.free_space_bytes == size + size + size / 4 + size / 4);  // warm, cold, the quarter's corpus, its output
  double runs = 0;
  for (const Run& run : plan.runs) runs += 0.06 + estimate_run_s(plan.suites[0].rows[run.row], toolbox());
  CHECK(cost.seconds > runs);
  CHECK(cost.seconds < 3 * runs);
}

namespace {

ClaimSpec claim_on(const std::vector<std::string>& rows) {
  ClaimSpec claim;
  claim.says = "it is \"so\"";
  claim.kind = rows.size() == 2 ? ClaimKind::ratio : ClaimKind::value;
  claim.rows = rows;
  claim.metric = "wall";
  claim.holds_if = "1.5 .. 2";
  return claim;
}

}  // namespace

TEST_CASE("claims may need more rounds than comparisons do, in the groups that they read") {
  Experiment experiment = three_groups();
  experiment.claims.assign(12, claim_on({"null-warm-1K", "null-warm-64K"}));
  experiment.claims[3] = claim_on({"file-warm-1K"});
  experiment.claims[4].rows = {"pipe-warm-1K", "pipe-warm-64K"};
  experiment.claims[4].metric = "calls_per_mib";  // counted, not timed
  const Plan plan = make_plan({experiment}, {});
  CHECK(rounds_for(12) == 9);
  CHECK(plan.suites[0].groups[0].rounds == 9);
  CHECK(plan.suites[0].groups[1].rounds == 7);
  CHECK(plan.suites[0].groups[2].rounds == 9);
  experiment.claims[5].minus = "pipe-warm-1K";
  CHECK(make_plan({experiment}, {}).suites[0].groups[1].rounds == 9);
  PlanOptions options;
  options.rounds = 3;
  CHECK(make_plan({experiment}, options).suites[0].groups[0].rounds == 3);
}

TEST_CASE("a claim follows its rows when they cannot be confined") {
  Experiment experiment = make_experiment(
      "c", {make_row("1K", Output::null, Cache::confined), make_row("64K", Output::null, Cache::confined), make_row("64K")});
  experiment.claims = {claim_on({"null-confined-1K", "null-warm-64K"})};
  experiment.claims[0].minus = "null-confined-64K";
  PlanOptions options;
  options.confinable = false;
  const Plan plan = make_plan({experiment}, options);
  const ClaimSpec& claim = plan.suites[0].experiment.claims[0];
  CHECK(claim.rows[0] == "null-not-confined-1K");
  CHECK(claim.rows[1] == "null-warm-64K");
  CHECK(claim.minus == "null-not-confined-64K");
  for (const std::string& name : claim.all_rows())
    CHECK(std::any_of(plan.suites[0].rows.begin(), plan.suites[0].rows.end(),
                      [&](const PlannedRow& row) { return row.row.name == name; }));
}

namespace {

Plan full_plan() {
  Experiment first = three_groups();
  first.rows[0].size_bytes = 38123;
  first.rows[0].repeat = 200;
  first.rows[5].sync = true;
  first.rows[4].share = 0.1;
  first.rows[2].input = Input::pipe;
  first.rows[1].expect = Expected::part;
  first.rows[1].part = 0.5;
  first.rows[1].operation_bytes = 4096;
  first.rows[1].count_instructions = true;
  first.rows[2].takes_names = true;
  first.rows[3].framed = true;
  first.rows[3].operation_bytes = 528;
  first.rows[3].made_by = {"record-write", "-b", "528", "--fill"};
  first.rows[3].input = Input::local;
  first.rows[3].link_bits_per_s = 100'000'000;
  first.rows[4].input = Input::tcp;
  first.rows[4].expect = Expected::nothing;
  first.rows[5].expect = Expected::refusal;
  first.rows[5].peer = true;
  first.questions = {{"Why \"so\"?", "{wall of null-warm-1K} and\nno more"}, {"And?", "No."}};
  first.in_bench = false;
  first.published = Published{"old.csv",       {{"program", "{tool}"}, {"block", "{block}"}}, "input=corpus",
                              {{"x", 1e-4}},   {{"x", 0.05}},
                              {{"x", "error"}}, {"program"},
                              {{"case", "control"}}};
  first.tables = {{"T", {"label", "published.x"}, {"a", "b"}, "output=null", {}, "", {}, false},
                  {"U", {"wall"}, {}, "", {"block"}, "block", {{"block", "1K"}}, false},
                  {"V", {}, {}, "", {}, "", {}, true},
                  {"W", {}, {}, "cache=warm", {}, "", {}, false, true}};
  first.plots = {{"p", "sweep", "P", "block", "bytes_per_s", {"output", "cache"}, "x", "output=null",
                  true, "size", "rate", "", {}, true},
                 {"q", "bars", "Q", "label", "wall", {}, "x", "", false, "", "", "{program}", {{"block", "1K"}}, false}};
  first.claims = {claim_on({"null-warm-1K", "null-warm-64K"}), claim_on({"pipe-warm-1K"})};
  first.claims[0].who = "the author";
  first.claims[0].published = 1.95;
  first.claims[1].minus = "pipe-warm-64K";
  first.claims[1].per = 0.3;
  return make_plan({first, make_experiment("second", {make_row("64K", Output::over)}),
                    make_experiment("third", {make_row("64K", Output::tcp), make_row("64K", Output::local)})},
                   {UINT64_C(5) << 40, false, UINT64_MAX, 2, "0-1", false, "no cgroup", true});
}

RowChecks full_checks() {
  RowCheck plain;
  RowCheck odd{"unsupported", "no \"such\" call\n", 12345, 2048.25, 17, {{"read", 1025}, {"write", 1024}}, 1u << 20,
               "note", 12.5, "counted on little", "4,096 of 8,192 bytes", "is a clone"};
  return {{odd, plain, plain, plain, plain, odd}, {plain}, {plain, odd}};
}

}  // namespace

TEST_CASE("a plan from before there were other limits has the one it had") {
  const std::string now = plan_to_json(full_plan(), {});
  const std::size_t begin = now.find("\"limits\": ["), end = now.find(']', begin);
  REQUIRE(end != std::string::npos);
  const auto with = [&](const std::string& text) {
    return plan_from_json(std::string(now).replace(begin, end + 1 - begin, text), "plan.json").plan.suites[0].limits;
  };
  CHECK(with("\"memory_copy_limit\": true") == std::set<Limit>{Limit::memory_copy});
  CHECK(with("\"memory_copy_limit\": false").empty());
  CHECK(message_of([&] { with("\"limits\": [\"memory\"]"); }).find("'memory' is unknown") != std::string::npos);
}

TEST_CASE("plan.json gives back the whole plan") {
  Plan plan = full_plan();
  CHECK(plan.suites[0].limits.size() >= 2);
  const std::string json = plan_to_json(plan, full_checks());
  const StoredPlan stored = plan_from_json(json, "plan.json");
  for (PlannedSuite& suite : plan.suites)
    suite.experiment.path = suite.experiment.path.filename();  // no private folders
  CHECK(stored.plan == plan);
  CHECK(stored.checks == full_checks());
  CHECK(plan_to_json(stored.plan, stored.checks) == json);
  CHECK(json.find("data/suites") == std::string::npos);
  CHECK(json.back() == '\n');

  // Of a suite without the rarer keys they are not in it.
  CHECK(json.find("\"published_lines\": \"{program}\"") != std::string::npos);
  CHECK(plan_to_json(make_plan({three_groups()}, {}), {}).find("minus") == std::string::npos);

  CHECK(plan_from_json(plan_to_json(plan, {}), "plan.json").checks.empty());
  const Plan empty = make_plan({}, {});
  CHECK(plan_from_json(plan_to_json(empty, {}), "plan.json").plan == empty);
}

TEST_CASE("bytes that are no UTF-8 do not keep plan.json from being written") {
  Experiment experiment = three_groups();
  experiment.rows[0].label = "caf\xe9";
  const StoredPlan stored = plan_from_json(plan_to_json(make_plan({experiment}, {}), {}), "plan.json");
  CHECK(stored.plan.suites[0].rows[0].row.label == "caf\xef\xbf\xbd");
}

TEST_CASE("a plan.json that is cut, edited or of another version is refused in one line") {
  const std::string json = plan_to_json(full_plan(), full_checks());
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string text = json;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "it is empty"},
      {"{}", "'iobench_plan' is missing"},
      {"[1, 2]", "'iobench_plan' is missing: [1,2] is no object"},
      {json.substr(0, json.size() / 2), "it is no JSON, or was cut off"},
      {edited("\"iobench_plan\": 1", "\"iobench_plan\": 2"), "schema 2; this iobench reads schema 1 only"},
      {edited("\"iobench_plan\": 1", "\"iobench_plan\": 0"), "schema 0; this iobench reads schema 1 only"},
      {edited("\"repeat\": 200", "\"repeat\": -200"), "-200 is no count"},
      {edited("\"repeat\": 200", "\"repeat\": \"200\""), "\"200\" is no count"},
      {edited("\"cache\": \"warm\"", "\"cache\": \"tepid\""), "'tepid' is unknown"},
      {edited("\"input\": \"unix\"", "\"input\": \"local\""), "'local' is unknown"},
      {edited("\"expect\": \"part\"", "\"expect\": \"parts\""), "'parts' is unknown"},
      {edited("\"operation_bytes\": 4096", "\"operation_bytes\": -1"), "-1 is no count"},
      {edited("\"link_bits_per_s\": 100000000", "\"link_bits_per_s\": 1e8"), "100000000.0 is no count"},
      {edited("\"part\": 0.5", "\"part\": \"1/2\""), "\"1/2\" is no number"},
      {edited("\"other_machine\": true", "\"other_machine\": 1"), "1 is neither true nor false"},
      {edited("\"asks\"", "\"ask\""), "'asks' is missing"},
      {edited("\"instructions_per_byte\": 12.5", "\"instructions_per_byte\": null"), "null is no number"},
      {edited("\"group\": 0", "\"group\": 9"), "there is no group 9"},
      {edited("\"baseline\": 1", "\"baseline\": 6"), "there is no row 6"},
      {edited("[1,0,1,0]", "[3,0,1,0]"), "there is no suite 3"},
      {edited("[1,0,1,0]", "[1,1,1,0]"), "there is no row 1"},
      {edited("[1,0,1,0]", "[1,0]"), "[1,0] is too short a list"},
      {edited("[1,0,1,0]", "[1,0,0,0]"), "there is no round 0 of row 'over-warm-64K'"},
      {edited("[1,0,1,0]", "[1,0,3,0]"), "there is no round 3 of row 'over-warm-64K'"},
      {edited("[1,0,1,0]", "[1,0,18446744073709551615,0]"), "18446744073709551615 rounds are more than 10000"},
      {edited("\"rounds\": 2", "\"rounds\": 4000000000"), "4000000000 rounds are more than 10000"},
      {edited("\"share\"", "\"shore\""), "'share' is missing"},
      {edited("\"sync\": false", "\"sync\": 1"), "1 is neither true nor false"},
      {edited("\"comment\": \"read and write\"", "\"comment\": [\"read\"]"), "[\"read\"] is no text"},
      {edited("\"calls_per_mib\": 2048.25", "\"calls_per_mib\": \"many\""), "\"many\" is no number"},
      {edited("\"tables\": [", "\"tables\": 5, \"x\": ["), "'tables' is 5, no list"},
      {edited("\"kind\": \"ratio\"", "\"kind\": \"rato\""), "'rato' is unknown"},
      {edited("\"kind\": \"ratio\"", "\"kind\": \"value\""), "a claim has 2 rows"},
      {edited("\"metric\": \"wall\"", "\"metric\": \"wal\""), "'wal' is unknown"},
      {edited("\"per\": 0.3", "\"per\": 0"), "a claim is divided by nothing"},
      {edited("\"minus\": \"pipe-warm-64K\"", "\"minus\": \"pipe-warm\""), "a claim names row 'pipe-warm', which is not there"},
      {edited("\"holds_if\": \"1.5 .. 2\"", "\"holds_if\": \"2\""), "'2' is none of"},
      {edited("\"check\"", "\"chuck\""), "some rows have a check and some have none"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = message_of([&] { plan_from_json(text, "r/plan.json"); });
    INFO(message);
    CHECK(message.starts_with("r/plan.json: not a plan of iobench: "));
    CHECK(message.find(expected) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}
