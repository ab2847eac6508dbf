// SPDX-License-Identifier: MIT
#include "bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "units.h"

namespace iobench {

namespace {

constexpr const char* row_prefix = "limit/";

bool at_other_process(const Row& row) {
  return row.uses_socket() || row.input == Input::pipe || row.output == Output::pipe;
}

const char* cause(Limit limit) {
  switch (limit) {
    case Limit::memory_copy:
      return "what one thread copies in memory";
    case Limit::memory_copy_by_two:
      return "what two threads copy in memory at once";
    case Limit::device_read:
      return "what the device delivers when it is read directly";
    case Limit::device_write:
      return "what reaches the device when it is written directly";
  }
  return "";
}

bool is_measured(const MeasuredLimit& measured) {
  return measured.rate.n > 0 && measured.rate.median > 0;
}

// A measured limit, or one `divisor`-th of it.
Bound part_of(Limit limit, int divisor, const std::string& name, const MeasuredLimits& measured, const char* why = "") {
  const std::string parts = divisor == 1 ? "" : divisor == 2 ? "half of " : "a quarter of ";
  const auto found = measured.find(limit);
  Bound bound{name, 0, {}};
  if (found == measured.end() || !is_measured(found->second)) {
    const std::string reason = found == measured.end() ? "" : found->second.why_not;
    bound.words =
        fmt::format("{}: {} was not measured in this run{}{}", name, cause(limit), reason.empty() ? "" : ": ", reason);
    return bound;
  }
  bound.bytes_per_s = found->second.rate.median / divisor;
  bound.words = fmt::format("{}: {}, {}{}{}", name, format_rate(bound.bytes_per_s), parts, cause(limit), why);
  return bound;
}

Bound of_copies(const Passage& passage, const MeasuredLimits& measured) {
  const std::string name = passage.copies == 1 ? "one copy" : "two copies";
  if (!passage.shared) return part_of(Limit::memory_copy, passage.copies, name, measured);
  return part_of(Limit::memory_copy_by_two, 2 * passage.copies, name + ", shared", measured,
                 ", since another process copies meanwhile at the other end");
}

}  // namespace

const std::vector<Limit>& all_limits() {
  static const std::vector<Limit> all = {Limit::memory_copy, Limit::memory_copy_by_two, Limit::device_read,
                                         Limit::device_write};
  return all;
}

const char* to_string(Limit limit) {
  switch (limit) {
    case Limit::memory_copy:
      return "memory-copy";
    case Limit::memory_copy_by_two:
      return "memory-copy-2";
    case Limit::device_read:
      return "device-read";
    case Limit::device_write:
      return "device-write";
  }
  return "";
}

std::optional<Limit> limit_of(const std::string& word) {
  for (const Limit limit : all_limits())
    if (word == to_string(limit)) return limit;
  return std::nullopt;
}

std::string limit_row(Limit limit) {
  return std::string(row_prefix) + to_string(limit);
}

std::optional<Limit> limit_of_row(const std::string& sample_row) {
  return sample_row.starts_with(row_prefix) ? limit_of(sample_row.substr(std::string(row_prefix).size()))
                                            : std::nullopt;
}

std::string limit_words(Limit limit, const MeasuredLimit& measured) {
  const char* what = limit == Limit::memory_copy          ? "memory copied by one thread"
                     : limit == Limit::memory_copy_by_two ? "memory copied by two threads at once"
                     : limit == Limit::device_read        ? "read directly from the device"
                                                          : "written directly to the device";
  return is_measured(measured)
             ? fmt::format("{} {}", what, format_rate(measured.rate.median))
             : fmt::format("{}: not measured{}", what, measured.why_not.empty() ? "" : ": " + measured.why_not);
}

Passage passage_of(const Row& row) {
  Passage passage;
  if (row.expect == Expected::nothing || row.expect == Expected::refusal) return passage;
  // /dev/zero is cleared into a buffer, and --fill writes what is there already.
  const bool in = row.input != Input::none && row.input != Input::zero;
  const bool out = row.output != Output::none && row.output != Output::null;
  passage.copies = (in ? 1 : 0) + (out ? 1 : 0);
  passage.shared = passage.copies > 0 && at_other_process(row);
  const Cache regime = row.regime();
  // Of many copies only the first finds the cache cold.
  passage.from_device = row.reads_disk() && row.repeat == 1 && (regime == Cache::cold || regime == Cache::confined);
  passage.to_device = row.sync && (row.output == Output::file || row.output == Output::over);
  passage.link_bits_per_s = row.link_bits_per_s;
  return passage;
}

std::set<Limit> limits_for(const Row& row) {
  std::set<Limit> limits;
  const Passage passage = passage_of(row);
  if (passage.copies > 0) limits.insert({Limit::memory_copy, Limit::memory_copy_by_two});
  if (passage.from_device) limits.insert(Limit::device_read);
  if (passage.to_device) limits.insert(Limit::device_write);
  return limits;
}

std::optional<Bound> bound_of(const Passage& passage, const MeasuredLimits& measured) {
  if (passage.link_bits_per_s > 0)
    return Bound{"the link", static_cast<double>(passage.link_bits_per_s) / 8,
                 fmt::format("the link: {}, its speed", format_rate(static_cast<double>(passage.link_bits_per_s) / 8))};
  std::vector<Bound> bounds;
  if (passage.copies > 0) bounds.push_back(of_copies(passage, measured));
  if (passage.from_device) bounds.push_back(part_of(Limit::device_read, 1, "device read", measured));
  if (passage.to_device) bounds.push_back(part_of(Limit::device_write, 1, "device write", measured));
  if (bounds.empty()) return std::nullopt;
  // One that was not measured has the rate 0: it is the smallest, and says why.
  return *std::min_element(bounds.begin(), bounds.end(),
                           [](const Bound& a, const Bound& b) { return a.bytes_per_s < b.bytes_per_s; });
}

}  // namespace iobench
