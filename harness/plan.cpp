// SPDX-License-Identifier: MIT
#include "plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "statistics.h"
#include "system.h"

namespace iobench {

void complete_fill(std::vector<std::string>& argv, std::uint64_t bytes) {
  if (argv.back() == "--fill") argv.push_back(std::to_string(bytes));
}

namespace {

// splitmix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014): the standard library's
// engines are portable, its distributions and std::shuffle are not, and an order must be reproducible from its seed
// anywhere.
class Shuffler {
 public:
  explicit Shuffler(std::uint64_t seed) : state_(seed) {}

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound): the uneven tail of the 64-bit range is drawn again.
  std::size_t below(std::size_t bound) {
    const std::uint64_t tail = (UINT64_MAX % bound + 1) % bound;
    for (;;) {
      const std::uint64_t drawn = next();
      if (drawn <= UINT64_MAX - tail) return static_cast<std::size_t>(drawn % bound);
    }
  }

  std::uint64_t state_;
};

std::uint64_t part_of_corpus(const Row& row, const PlanOptions& options) {
  const double share = row.part * (options.apply_shares ? row.share : 1);
  if (share == 1) return options.corpus_bytes;
  // Whole pages, at least one: a part of a page would add a partial block to every block size.
  constexpr std::uint64_t page = 4096;
  const double part = std::floor(static_cast<double>(options.corpus_bytes) * share);
  // What is to be confined must not fit into the smallest group's memory.
  const std::uint64_t least = row.cache == Cache::confined ? 2 * least_memory_limit_bytes : page;
  return std::min(options.corpus_bytes, std::max(least, static_cast<std::uint64_t>(part) / page * page));
}

// What is said for a corpus of 1 GiB, for a smaller one.
std::uint64_t in_proportion(std::uint64_t count, std::uint64_t corpus_bytes) {
  constexpr double whole = 1 << 30;
  const double scaled = static_cast<double>(count) * std::min(1.0, static_cast<double>(corpus_bytes) / whole);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(scaled));
}

std::uint64_t whole_operations(std::uint64_t size, const Row& row) {
  if (row.operation_bytes == 0) return size;
  return std::max(row.operation_bytes, size / row.operation_bytes * row.operation_bytes);
}

std::uint64_t planned_size(const Row& row, const PlanOptions& options) {
  if (row.size_bytes) return whole_operations(*row.size_bytes, row);
  return whole_operations(part_of_corpus(row, options), row);
}

std::string group_name(const Row& row, const std::vector<std::string>& variables) {
  std::string name;
  for (const std::string& variable : variables)
    if (const std::string value = row.value(variable); !value.empty())
      name += fmt::format("{}{}={}", name.empty() ? "" : " ", variable, value);
  return name.empty() ? "all" : name;
}

bool is_baseline(const Row& row, const Pairs& baseline) {
  return !baseline.empty() && std::all_of(baseline.begin(), baseline.end(),
                                          [&](const auto& pair) { return row.matches(pair.first, pair.second); });
}

void find_baseline(PlannedSuite& suite, Group& group) {
  if (group.rows.size() == 1) return;
  const std::string file = suite.experiment.path.string();
  for (const std::size_t row : group.rows) {
    if (!is_baseline(suite.rows[row].row, suite.experiment.baseline)) continue;
    if (group.baseline != SIZE_MAX)
      throw Error(fmt::format("{}: 'baseline' picks both '{}' and '{}' in group {}: name more of its variables", file,
                              suite.rows[group.baseline].row.name, suite.rows[row].row.name, group.name));
    group.baseline = row;
  }
  if (group.baseline == SIZE_MAX)
    throw Error(
        fmt::format("{}: 'baseline' picks none of the {} rows in group {}", file, group.rows.size(), group.name));
}

// Claims of the row that was `asked` for are about what it is called now.
void follow_name(const std::string& asked, const Row& row, std::vector<ClaimSpec>& claims) {
  for (ClaimSpec& claim : claims) {
    std::replace(claim.rows.begin(), claim.rows.end(), asked, row.name);
    if (claim.minus == asked) claim.minus = row.name;
  }
}

// A row that cannot be confined is nowhere called confined.
void call_not_confined(Row& row, std::vector<ClaimSpec>& claims) {
  const std::string asked = row.name;
  row.not_confined = true;
  for (std::string* text : {&row.name, &row.label})
    for (std::size_t at = 0; (at = text->find("confined", at)) != std::string::npos; at += 12) text->insert(at, "not-");
  follow_name(asked, row, claims);
}

// A row that moves less than its file says is called so: the last of its name and of its label that is its size.
void scale_size(Row& row, std::uint64_t corpus_bytes, std::vector<ClaimSpec>& claims) {
  const std::string asked = row.name, size = row.value("size");
  row.size_bytes = in_proportion(*row.size_bytes, corpus_bytes);
  row.size_scales = false;
  for (std::string* text : {&row.name, &row.label})
    if (const std::size_t at = text->rfind(size); at != std::string::npos) text->replace(at, size.size(), row.value("size"));
  follow_name(asked, row, claims);
}

// Sizes in proportion to a corpus of a few bytes are all one byte.
void refuse_equal_names(const std::vector<Row>& rows, const std::string& file) {
  std::set<std::string> names;
  for (const Row& row : rows)
    if (!names.insert(row.name).second)
      throw Error(fmt::format("{}: two rows are '{}' with so small a corpus: use a larger one", file, row.name));
}

PlannedSuite plan_suite(Experiment experiment, const PlanOptions& options) {
  PlannedSuite suite;
  suite.experiment = std::move(experiment);
  for (Row& row : suite.experiment.rows)
    if (row.cache == Cache::confined && !options.confinable && !row.not_confined) call_not_confined(row, suite.experiment.claims);
  for (Row& row : suite.experiment.rows)
    if (row.size_scales) scale_size(row, options.corpus_bytes, suite.experiment.claims);
  refuse_equal_names(suite.experiment.rows, suite.experiment.path.string());
  for (Row& row : suite.experiment.rows) {
    if (row.repeat_scales) row.repeat = in_proportion(row.repeat, options.corpus_bytes);
    row.repeat_scales = false;  // a stored plan says what was done
    PlannedRow planned{row, 0, planned_size(row, options), {row.program}};
    planned.argv.insert(planned.argv.end(), row.arguments.begin(), row.arguments.end());
    complete_fill(planned.argv, planned.payload_bytes());
    const std::string name = group_name(row, suite.experiment.group);
    const auto known =
        std::find_if(suite.groups.begin(), suite.groups.end(), [&](const Group& g) { return g.name == name; });
    planned.group = static_cast<std::size_t>(known - suite.groups.begin());
    if (known == suite.groups.end()) suite.groups.push_back({name, {}, SIZE_MAX, 0});
    suite.groups[planned.group].rows.push_back(suite.rows.size());
    suite.rows.push_back(std::move(planned));
  }
  for (Group& group : suite.groups) {
    find_baseline(suite, group);
    group.rounds = options.rounds ? options.rounds : rounds_by_rule(suite, group);
  }
  for (const PlannedRow& row : suite.rows) suite.limits.merge(limits_for(row.row));
  return suite;
}

void add_round(Plan& plan, std::size_t suite, std::size_t round, Shuffler& shuffler) {
  std::vector<const Group*> groups;
  for (const Group& group : plan.suites[suite].groups)
    if (round <= group.rounds) groups.push_back(&group);
  shuffler.shuffle(groups);
  for (const Group* group : groups) {
    std::vector<Run> runs;
    for (const std::size_t row : group->rows) runs.push_back({suite, row, round, false});
    if (group->baseline != SIZE_MAX) runs.push_back({suite, group->baseline, round, true});
    shuffler.shuffle(runs);
    plan.runs.insert(plan.runs.end(), runs.begin(), runs.end());
  }
}

}  // namespace

namespace {

std::uint64_t operations_of_a_copy(const PlannedRow& planned) {
  const std::uint64_t one = planned.row.operation_bytes;
  return one ? (planned.size_bytes + one - 1) / one : 1;
}

}  // namespace

std::uint64_t PlannedRow::operations() const { return row.repeat * operations_of_a_copy(*this); }

std::uint64_t PlannedRow::payload_bytes() const {
  return size_bytes - (row.framed ? record_head_bytes * operations_of_a_copy(*this) : 0);
}

std::size_t rounds_by_rule(const PlannedSuite& suite, const Group& group) {
  const std::vector<ClaimSpec>& claims = suite.experiment.claims;
  const auto reads = [&](const ClaimSpec& claim) {
    const std::vector<std::string> named = claim.all_rows();
    return !is_counted(claim.metric) && std::any_of(group.rows.begin(), group.rows.end(), [&](std::size_t row) {
      return std::find(named.begin(), named.end(), suite.rows[row].row.name) != named.end();
    });
  };
  const bool is_read = std::any_of(claims.begin(), claims.end(), reads);
  return std::max(rounds_for(group.comparisons()), rounds_for(is_read ? claims.size() : 0));
}

std::size_t PlannedSuite::rounds() const {
  std::size_t most = 0;
  for (const Group& group : groups) most = std::max(most, group.rounds);
  return most;
}

std::size_t confined_rows(const Plan& plan) {
  std::size_t rows = 0;
  for (const PlannedSuite& suite : plan.suites)
    for (const PlannedRow& row : suite.rows) rows += row.row.cache == Cache::confined;
  return rows;
}

Plan make_plan(std::vector<Experiment> experiments, const PlanOptions& options) {
  Plan plan;
  plan.options = options;
  std::set<std::string> names;
  for (Experiment& experiment : experiments) {
    if (!names.insert(experiment.name).second)
      throw Error(fmt::format("suite '{}' is there twice: its samples could not be told apart", experiment.name));
    plan.suites.push_back(plan_suite(std::move(experiment), options));
  }
  Shuffler shuffler(options.seed);
  for (std::size_t suite = 0; suite < plan.suites.size(); ++suite)
    for (std::size_t round = 1; round <= plan.suites[suite].rounds(); ++round) add_round(plan, suite, round, shuffler);
  return plan;
}

}  // namespace iobench
