// SPDX-License-Identifier: MIT
// First what differs, then the ratios: a row is compared only when the same command moved the same bytes between the
// same ends on both sides. The two runs have no rounds in common, so that nothing is paired.
#include "compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "column.h"
#include "machine.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

constexpr double of_no_matter = 1.05;  // a ratio within this, either way, is no difference that anybody asks for

bool is_known(double noise_floor) {
  return noise_floor > 1;
}

// Of a bound on a ratio: "2.8 %", "a factor of 2.1".
std::string margin_words(double margin) {
  return margin < 2 ? format_percent(margin - 1) : "a factor of " + format_ratio(margin);
}

// How far a ratio is from 1, either way: 1.25 for 0.8.
double distance(double ratio) {
  return std::exp(std::fabs(std::log(ratio)));
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::no_difference:
      return "no difference";
    case Verdict::cannot_tell:
      return "cannot tell";
  }
  return "";
}

Judgement judge(const UnpairedRatio& ratio, double noise_floor, std::size_t comparisons) {
  const Interval& interval = ratio.interval;
  if (!interval.reaches(family_level(comparisons)))
    return {Verdict::cannot_tell,
            fmt::format("{}; {} rounds on both sides are needed", ratio.note, unpaired_rounds_for(comparisons))};
  const bool excludes_1 = interval.low > 1 || interval.high < 1;
  if (excludes_1 && is_known(noise_floor) && distance(ratio.ratio) > noise_floor)
    return {interval.low > 1 ? Verdict::slower : Verdict::faster, ""};
  const double margin = std::max(of_no_matter, noise_floor);
  const double farthest = std::max(distance(interval.low), distance(interval.high));
  if (farthest <= margin)
    return {Verdict::no_difference, farthest <= of_no_matter ? "" : "over " + margin_words(margin)};
  if (!excludes_1)
    return {Verdict::cannot_tell,
            fmt::format("the interval holds 1 and reaches beyond {}; more rounds narrow it", margin_words(margin))};
  if (!is_known(noise_floor)) return {Verdict::cannot_tell, "the interval excludes 1, but no noise floor is known"};
  return {Verdict::cannot_tell, fmt::format("the interval excludes 1, but the ratio is within the noise floor of {}",
                                            margin_words(noise_floor))};
}

bool Comparison::slower(double threshold) const {
  return std::any_of(rows.begin(), rows.end(), [&](const ComparedRow& row) {
    return row.judgement.verdict == Verdict::slower && row.ratio.interval.low > threshold;
  });
}

namespace {

std::vector<double> wall_times(const RowResult& row) {
  std::vector<double> times;
  for (const Sample& sample : row.ok)
    if (const std::optional<double> wall = metric(sample, "wall")) times.push_back(*wall);
  return times;
}

// One of the two results.
class Side {
 public:
  Side(const Findings& found, const char* letter) : found_(found), letter_(letter) {}

  const Findings& found() const { return found_; }
  const std::string& letter() const { return letter_; }
  const PlannedSuite& suite(const RowPlace& at) const { return found_.stored.plan.suites[at.suite]; }
  const PlannedRow& row(const RowPlace& at) const { return suite(at).rows[at.row]; }
  const RowResult& result(const RowPlace& at) const { return found_.results[at.suite].rows[at.row]; }
  std::string status(const RowPlace& at) const {
    const std::vector<RowCheck>& checks = found_.checks(at.suite);
    return status_words(result(at), at.row < checks.size() ? &checks[at.row] : nullptr);
  }

  // Of the row's group; where that has none (a single row has no baseline), the largest of the run; 1: not known.
  double noise_floor(const RowPlace& at) const {
    const double own = group(at).noise_floor;
    if (is_known(own)) return own;
    double largest = 1;
    for (const SuiteResult& result : found_.results)
      for (const GroupResult& other : result.groups) largest = std::max(largest, other.noise_floor);
    return largest;
  }
  // "2.8 % in A"
  std::string floor_text(const RowPlace& at) const {
    const double floor = noise_floor(at);
    if (!is_known(floor)) return "not known in " + letter_;
    return fmt::format("{} in {}{}", floor_words(floor), letter_,
                       is_known(group(at).noise_floor) ? "" : " (the largest of its groups: this one has none)");
  }

  // What a reader has to know of the run before any number.
  std::vector<std::string> oddities() const {
    std::vector<std::string> odd;
    std::size_t planned = 0, made = 0;
    for (const SuiteResult& result : found_.results) {
      planned += result.runs_planned;
      made += result.runs_made;
    }
    if (made < planned)
      odd.push_back(fmt::format("{} is not complete: {} of {} runs were made", letter_, format_count(made),
                                format_count(planned)));
    if (!found_.samples.note.empty()) odd.push_back(fmt::format("samples.csv of {}: {}", letter_, found_.samples.note));
    return odd;
  }

 private:
  const GroupResult& group(const RowPlace& at) const { return found_.results[at.suite].groups[row(at).group]; }

  const Findings& found_;
  std::string letter_;
};

class Comparer {
 public:
  Comparer(const Findings& a, const Findings& b) : a_(a, "A"), b_(b, "B") {}

  Comparison compare(const std::string& a_name, const std::string& b_name) {
    comparability_ = compare_runs({a_.found().stored.plan, a_.found().samples.samples, a_.found().machine_json},
                                  {b_.found().stored.plan, b_.found().samples.samples, b_.found().machine_json});
    choose_rows();
    for (ComparedRow& row : made_.rows) measure(row);
    made_.blocks = {Heading{1, "B against A"}, List{{side_words(a_, a_name), side_words(b_, b_name)}}};
    add_comparability();
    add_tables();
    made_.table = table("", all_rows());
    return std::move(made_);
  }

 private:
  void add(Block block) { made_.blocks.push_back(std::move(block)); }

  static std::string side_words(const Side& side, const std::string& name) {
    const std::string& machine = side.found().machine_json;
    return fmt::format("{}: {}: {}", side.letter(), name,
                       machine.empty() ? "unknown machine" : machine_summary(machine));
  }

  // Rows that can be compared; of the others, what differs.
  void choose_rows() {
    for (RowMatch& match : comparability_.rows) {
      if (match.different.empty())
        for (const auto& [side, at] : {std::pair{&a_, *match.a}, {&b_, *match.b}})
          if (wall_times(side->result(at)).empty()) {
            const std::string status = side->status(at);
            match.different.push_back(
                fmt::format("in {} {}", side->letter(), status == "ok" ? "no wall time" : status));
          }
      const std::string key = fmt::format("{}", fmt::join(match.different, "; "));
      if (key.empty() && comparability_.different.empty())
        made_.rows.push_back({match, {}, {}, {}, 1, {}});
      else if (!key.empty())
        left_out_.add(key, match.suite + "/" + match.name);
    }
  }

  void measure(ComparedRow& row) const {
    const std::vector<double> a = wall_times(a_.result(*row.match.a)), b = wall_times(b_.result(*row.match.b));
    row.a = summarize(a);
    row.b = summarize(b);
    row.ratio = unpaired_ratio(b, a, family_level(made_.rows.size()));
    const double a_floor = a_.noise_floor(*row.match.a), b_floor = b_.noise_floor(*row.match.b);
    row.noise_floor = is_known(a_floor) && is_known(b_floor) ? std::max(a_floor, b_floor) : 1;
    row.judgement = judge(row.ratio, row.noise_floor, made_.rows.size());
  }

  void add_comparability() {
    std::vector<std::string> care = comparability_.caution;
    for (const Side* side : {&a_, &b_})
      for (const std::string& odd : side->oddities()) care.push_back(odd);
    const std::string same = comparability_.same == 0
                                 ? ""
                                 : fmt::format(": {} facts of the machines and the programs are the same",
                                               format_count(comparability_.same));
    const std::vector<std::string> left_out = left_out_.lines();
    if (!comparability_.different.empty()) {
      made_.not_comparable = fmt::format("{}", fmt::join(comparability_.different, "; "));
      add(Paragraph{"Not comparable. What differs, A against B, and forbids it:"});
      add(List{comparability_.different});
      if (!care.empty()) add(Paragraph{"Beside it:"});
    } else if (made_.rows.empty()) {
      made_.not_comparable = "no row can be compared";
      add(Paragraph{"Not comparable: no row can be compared."});
      if (!care.empty()) add(Paragraph{"What differs beside the rows, A against B:"});
    } else if (care.empty()) {
      add(Paragraph{fmt::format("Comparable{}.", same)});
    } else {
      add(Paragraph{
          fmt::format("Comparable with care{}. What differs, A against B, may be what a ratio shows:", same)});
    }
    if (!care.empty()) add(List{care});
    if (!left_out.empty()) {
      add(Paragraph{"Rows that are not compared, and what differs, A against B:"});
      add(List{left_out});
    }
  }

  using Rows = std::vector<const ComparedRow*>;

  Rows all_rows() const {
    Rows rows;
    for (const ComparedRow& row : made_.rows) rows.push_back(&row);
    return rows;
  }

  // A table for each group of A.
  void add_tables() {
    std::map<std::pair<std::size_t, std::size_t>, Rows> groups;  // in the order of A's plan
    for (const ComparedRow& row : made_.rows) groups[{row.match.a->suite, a_.row(*row.match.a).group}].push_back(&row);
    for (const auto& [key, rows] : groups) {
      const Experiment& experiment = a_.suite(*rows.front()->match.a).experiment;
      add(table(experiment.title.empty() ? experiment.name : experiment.title, rows));
    }
    if (made_.rows.empty()) return;
    add(Paragraph{outcome()});
    add(List{{
        fmt::format(
            "B / A: ratio of wall times, above 1 where B takes longer; median of the ratios of every run of B to "
            "every run of A, with its rank-sum interval. {} row{} share{} an error of {}.",
            made_.rows.size(), made_.rows.size() == 1 ? "" : "s", made_.rows.size() == 1 ? "s" : "",
            format_percent(family_error)),
        fmt::format("B is slower or faster: the interval excludes 1 and the ratio is beyond the larger noise floor. No "
                    "difference: the interval is within {0} of 1. No difference over X: it is not within {0}, but "
                    "within the larger noise floor, X.",
                    format_percent(of_no_matter - 1)),
        "A and B were not run in turn: what else changed between them is in the ratios, and is in neither noise floor, "
        "each of which is its own run's.",
    }});
  }

  // "Of 68 rows B is slower in 1, faster in 0, …": what a reader wants to know first and can count himself last.
  std::string outcome() const {
    std::map<Verdict, std::size_t> counted;
    for (const ComparedRow& row : made_.rows) ++counted[row.judgement.verdict];
    return fmt::format("Of {} row{} B is slower in {} and faster in {}; there is no difference in {}, and {} cannot be told.",
                       made_.rows.size(), made_.rows.size() == 1 ? "" : "s", counted[Verdict::slower], counted[Verdict::faster],
                       counted[Verdict::no_difference], counted[Verdict::cannot_tell]);
  }

  // "intervals of 99.6 % each: 7 rounds of A, 7 of B"; empty: none.
  static std::string interval_text(const ComparedRow& row) {
    if (!row.ratio.interval.exists()) return "";
    return fmt::format("intervals of {} each: {} rounds of A, {} of B", format_percent(row.ratio.interval.level),
                       row.ratio.b_values, row.ratio.a_values);
  }
  std::string floors_text(const ComparedRow& row) const {
    return fmt::format("noise floor {}, {}: the wall time of the baseline against itself", a_.floor_text(*row.match.a),
                       b_.floor_text(*row.match.b));
  }

  // One note where all rows have the same words, otherwise each with its rows.
  void add_common(CellNotes& notes, const Rows& rows,
                  const std::function<std::string(const ComparedRow&)>& words) const {
    const auto is_first = [&](const ComparedRow* row) { return words(*row) == words(*rows.front()); };
    const bool common = std::all_of(rows.begin(), rows.end(), is_first);
    for (const ComparedRow* row : rows)
      if (const std::string text = words(*row); !text.empty())
        notes.add(text, common ? "" : a_.row(*row->match.a).row.label);
  }

  Table table(const std::string& title, const Rows& rows) const {
    std::vector<const PlannedRow*> planned;
    for (const ComparedRow* row : rows) planned.push_back(&a_.row(*row->match.a));
    const Conditions common = conditions(planned);
    Table table;
    table.title = joined(title, common.text);
    table.columns = {{"row", {"suite", "row", "label"}, false},
                     {"A, median", {"a_wall_s"}, true},
                     {"B, median", {"b_wall_s"}, true},
                     {"B / A", {"ratio", "ratio_low", "ratio_high", "ratio_level"}, true},
                     {"B is", {"verdict", "reason"}, false}};
    if (!common.one_sink) table.columns.push_back({"sink", {"sink"}, false});
    if (!common.one_cache) table.columns.push_back({"cache", {"cache"}, false});
    if (!common.one_size) table.columns.push_back({"size", {"size_bytes", "copies"}, true});
    CellNotes notes;
    add_common(notes, rows, interval_text);
    add_common(notes, rows, [&](const ComparedRow& row) { return floors_text(row); });
    for (const ComparedRow* row : rows) {
      table.rows.push_back(cells(*row, notes));
      const PlannedRow& at = a_.row(*row->match.a);
      if (!common.one_sink) table.rows.back().push_back({sink_words(at.row), {sink_words(at.row)}});
      if (!common.one_cache) table.rows.back().push_back({cache_words(at.row), {cache_words(at.row)}});
      if (!common.one_size)
        table.rows.back().push_back({size_words(at), {std::to_string(at.size_bytes), std::to_string(at.row.repeat)}});
    }
    table.notes = notes.lines();
    return table;
  }

  std::vector<Cell> cells(const ComparedRow& row, CellNotes& notes) const {
    const RowMatch& match = row.match;
    const PlannedRow& planned = a_.row(*match.a);
    const std::string& label = planned.row.label;
    const Interval& interval = row.ratio.interval;
    for (const auto& [side, at, summary] : {std::tuple{&a_, *match.a, &row.a}, {&b_, *match.b, &row.b}}) {
      const std::string status = side->status(at);
      if (status != "ok") notes.add(fmt::format("in {} {}", side->letter(), status), label);
      for (const std::string& odd : {side->result(at).note, summary->note})
        if (!odd.empty()) notes.add(fmt::format("{}: {}", side->letter(), odd), label);
    }
    const bool cannot_tell = row.judgement.verdict == Verdict::cannot_tell;
    if (cannot_tell)
      notes.add("cannot tell: " + row.judgement.reason, label);
    else if (!row.ratio.note.empty())
      notes.add("ratio: " + row.ratio.note, label);
    const std::string& not_a_copy = a_.result(*match.a).not_a_copy.empty() ? b_.result(*match.b).not_a_copy : a_.result(*match.a).not_a_copy;
    const bool copy = not_a_copy.empty();
    if (!copy) notes.add(not_a_copy + ": its time is not that of a copy", label);
    std::vector<std::string> fields{row.ratio.ratio > 0 ? format_exact(row.ratio.ratio) : ""};
    if (interval.exists())
      fields.insert(fields.end(),
                    {format_exact(interval.low), format_exact(interval.high), format_exact(interval.level)});
    const std::string verdict = to_string(row.judgement.verdict);
    const std::string shown =
        cannot_tell || row.judgement.reason.empty() ? verdict : verdict + " " + row.judgement.reason;
    return {{label, {match.suite, match.name, label}},
            {format_seconds(row.a.median), {format_exact(row.a.median)}},
            {format_seconds(row.b.median), {format_exact(row.b.median)}},
            {ratio_words(row.ratio.ratio, interval), fields},
            {shown + (copy ? "" : " (not a copy)"), {verdict, row.judgement.reason}}};
  }

  Side a_, b_;
  Comparability comparability_;
  CellNotes left_out_;
  Comparison made_;
};

Findings read_side(const char* letter, const std::filesystem::path& results, const Layout& layout) {
  try {
    return read_findings(results, layout);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", letter, error.what()));
  }
}

}  // namespace

Comparison compare(const Findings& a, const Findings& b, const std::string& a_name, const std::string& b_name) {
  return Comparer(a, b).compare(a_name, b_name);
}

Comparison compare_results(const std::filesystem::path& a, const std::filesystem::path& b, const Layout& layout) {
  return compare(read_side("A", a, layout), read_side("B", b, layout), a.string(), b.string());
}

}  // namespace iobench
