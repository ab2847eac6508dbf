// SPDX-License-Identifier: MIT
#include "runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>
#include <nlohmann/json.hpp>
#include <sstream>
#include <type_traits>

#include "record_file.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int status_unsupported = 77;

std::string last_line(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty() && (rest.back() == '\n' || rest.back() == '\r' || rest.back() == ' ')) rest.remove_suffix(1);
  const std::size_t newline = rest.rfind('\n');
  return std::string(newline == std::string_view::npos ? rest : rest.substr(newline + 1));
}

// A count is a whole number from 0; converting any other would be undefined.
template <typename Value>
std::optional<Value> field(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  if (std::is_integral_v<Value> && !found->is_number_unsigned()) return std::nullopt;
  return found->get<Value>();
}

// With a pipe as input, what devices delivered is what they delivered to the process that feeds it, too.
void add_feeder(const Job& job, const json& object, Sample& figures) {
  if (!job.input.starts_with("pipe:")) return;
  const auto fed = field<std::uint64_t>(object, "feeder_device_read_bytes");
  if (figures.device_read_bytes && fed)
    *figures.device_read_bytes += *fed;
  else
    figures.device_read_bytes.reset();
}

Account parse_account(const Job& job, const std::string& text, const std::string& said) {
  Account account;
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object() || !object.contains("status") || !object["status"].is_number_integer()) {
    account.error = last_line(said).empty() ? "plumb left no account of the run" : last_line(said);
    return account;
  }
  account.valid = true;
  account.status = object["status"].get<int>();
  if (object.contains("error") && object["error"].is_string()) account.error = last_line(object["error"].get<std::string>());
  Sample& figures = account.figures;
  figures.return_s = field<double>(object, "return_s");
  figures.delivered_s = field<double>(object, "delivered_s");
  figures.durable_s = field<double>(object, "durable_s");
  figures.user_s = field<double>(object, "user_s");
  figures.system_s = field<double>(object, "system_s");
  figures.read_calls = field<std::uint64_t>(object, "read_calls");
  figures.write_calls = field<std::uint64_t>(object, "write_calls");
  figures.device_read_bytes = field<std::uint64_t>(object, "device_read_bytes");
  add_feeder(job, object, figures);
  figures.dirtied_bytes = field<std::uint64_t>(object, "dirtied_bytes");
  figures.minor_faults = field<std::uint64_t>(object, "minor_faults");
  figures.major_faults = field<std::uint64_t>(object, "major_faults");
  figures.voluntary_switches = field<std::uint64_t>(object, "voluntary_switches");
  figures.involuntary_switches = field<std::uint64_t>(object, "involuntary_switches");
  figures.peak_memory_bytes = field<std::uint64_t>(object, "peak_memory_bytes");
  if (object.contains("cpus") && object["cpus"].is_string()) figures.cpus = object["cpus"].get<std::string>();
  account.read_bytes = field<std::uint64_t>(object, "read_bytes").value_or(0);
  return account;
}

// The one time in hyperfine's export of a single run; none, and why, when it is not there.
std::optional<double> parse_hyperfine(const std::string& text, std::string& why) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) {
    why = text.empty() ? "hyperfine exported nothing" : "hyperfine's export is not JSON";
    return std::nullopt;
  }
  const auto results = object.find("results");
  if (results == object.end() || !results->is_array() || results->size() != 1 || !(*results)[0].contains("times")) {
    why = "hyperfine's export holds no run";
    return std::nullopt;
  }
  const json& times = (*results)[0]["times"];
  if (!times.is_array() || times.size() != 1 || !times[0].is_number()) {
    why = fmt::format("hyperfine's export holds {} times instead of one", times.is_array() ? times.size() : 0);
    return std::nullopt;
  }
  return times[0].get<double>();
}

}  // namespace

namespace {

std::vector<std::string> prefixed(const Job& job, const std::vector<std::string>& argv) {
  std::vector<std::string> words = job.prefix;
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

}  // namespace

std::string quote_word(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::pair<std::string, std::string> judge_status(int status, const std::string& error) {
  if (status == 0) return {"ok", ""};
  if (status == status_unsupported) return {"unsupported", error.empty() ? "the tool cannot serve these ends" : error};
  const std::string how = status > 128 ? fmt::format("killed by signal {}", status - 128) : fmt::format("exit status {}", status);
  return {"failed", error.empty() ? how : fmt::format("{} ({})", error, how)};
}

Runner::Runner(fs::path hyperfine, fs::path plumb, fs::path scratch)
    : hyperfine_(std::move(hyperfine)), plumb_(std::move(plumb)), scratch_(std::move(scratch)) {}

std::vector<std::string> Runner::accounted_argv(const Job& job, const fs::path& account) const {
  std::vector<std::string> argv = {plumb_.string()};
  if (!account.empty()) argv.insert(argv.end(), {"--account", account.string()});
  if (job.repeat != 1) argv.insert(argv.end(), {"--repeat", std::to_string(job.repeat)});
  if (!job.fresh.empty()) argv.insert(argv.end(), {"--fresh", job.fresh});
  if (job.sync) argv.emplace_back("--sync");
  if (!job.cpus.empty()) argv.insert(argv.end(), {"--cpus", job.cpus});
  if (!job.cgroup.empty()) argv.insert(argv.end(), {"--cgroup", job.cgroup});
  if (!job.user.empty()) argv.insert(argv.end(), {"--user", job.user});
  // hyperfine is killed when iobench is, and passes nothing on.
  if (!account.empty()) argv.emplace_back("--die-with-parent");
  argv.insert(argv.end(), {job.input, job.output});
  argv.insert(argv.end(), job.argv.begin(), job.argv.end());
  return argv;
}

std::vector<std::string> Runner::plumb_argv(const Job& job) const { return accounted_argv(job, {}); }

Sample Runner::time(const Job& job) const {
  const fs::path account_path = scratch_ / "account.json";
  const fs::path export_path = scratch_ / "hyperfine.json";
  std::error_code ignored;
  fs::remove(account_path, ignored);  // what an earlier run left must not pass for this one's
  fs::remove(export_path, ignored);

  std::string command;
  for (const std::string& word : accounted_argv(job, account_path)) command += (command.empty() ? "" : " ") + quote_word(word);
  const double started = unix_time_s();
  const Finished finished = run_command(prefixed(job, {hyperfine_.string(), "-N", "-i", "--style", "none", "--runs", "1",
                                                       "--export-json", export_path.string(), command}));
  const Account account = parse_account(job, read_file_or_empty(account_path), finished.err);
  Sample sample = account.figures;
  sample.started_unix_s = started;
  if (finished.interrupted) {
    sample.status = "interrupted";
    return sample;
  }
  if (!account.valid) {
    sample.status = "failed";
    sample.reason = account.error;
    return sample;
  }
  std::tie(sample.status, sample.reason) = judge_status(account.status, account.error);
  std::string why;
  sample.wall_s = parse_hyperfine(read_file_or_empty(export_path), why);
  if (sample.status == "ok" && !sample.wall_s) {
    sample.status = "failed";
    sample.reason = last_line(finished.err).empty() ? why : fmt::format("{}: {}", why, last_line(finished.err));
  }
  return sample;
}

Account Runner::run_once(const Job& job, const std::function<void(std::string_view)>& consume,
                         std::optional<double> timeout_s) const {
  const fs::path account_path = scratch_ / "account.json";
  std::error_code ignored;
  fs::remove(account_path, ignored);
  SpawnOptions options;
  options.on_out = consume;
  options.timeout_s = timeout_s;
  const Finished finished = run_command(prefixed(job, accounted_argv(job, account_path)), options);
  Account account = parse_account(job, read_file_or_empty(account_path), finished.err);
  if (finished.interrupted) account.valid = false;
  if (finished.timed_out) {
    account.valid = false;
    account.error = fmt::format("it did not end within {}", format_duration(*timeout_s));
  }
  return account;
}

CallCounts parse_strace_summary(const std::string& text) {
  // Lines are "% time  seconds  usecs/call  calls  [errors]  syscall"; rules and the heading do not begin with a number.
  CallCounts counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> fields;
    for (std::string word; words >> word;) fields.push_back(word);
    if (fields.size() < 5 || fields.back() == "total" || fields[0].find_first_not_of("0123456789.") != std::string::npos) continue;
    std::uint64_t calls = 0;
    const auto [end, failure] = std::from_chars(fields[3].data(), fields[3].data() + fields[3].size(), calls);
    if (failure != std::errc() || end != fields[3].data() + fields[3].size()) continue;
    counts.calls.emplace_back(fields.back(), calls);
    counts.total += calls;
  }
  if (counts.calls.empty()) counts.note = "strace counted nothing";
  return counts;
}

namespace {

// A file that the job's user may fill, in a folder that is not that user's: no other file can take its place.
void lend_file(const fs::path& file, const std::string& user) {
  std::error_code ignored;
  fs::remove(file, ignored);
  if (user.empty()) return;
  const Descriptor made = open_file(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
  const std::size_t colon = user.find(':');
  const auto id = [](const std::string& text) { return static_cast<unsigned>(count_field(text)); };
  if (::fchown(made.get(), id(user.substr(0, colon)), id(user.substr(colon + 1))) != 0)
    throw_errno(fmt::format("lend {}", file.string()));
}

}  // namespace

CallCounts count_calls(const Runner& runner, const Job& job, const fs::path& strace, const fs::path& scratch) {
  CallCounts none;
  if (strace.empty()) {
    none.note = "strace is not installed";
    return none;
  }
  const fs::path summary = scratch / "strace.txt";
  lend_file(summary, job.user);
  Job traced = job;
  traced.repeat = 1;
  traced.argv = {strace.string(), "-f", "-c", "-qq", "-o", summary.string()};
  traced.argv.insert(traced.argv.end(), job.argv.begin(), job.argv.end());
  // A command may leave something behind that strace waits for.
  constexpr double patience_s = 60;
  const Account account = runner.run_once(traced, {}, patience_s);
  if (!account.valid || account.status != 0) {
    none.note = fmt::format("strace: {}", account.error.empty() ? fmt::format("status {}", account.status) : account.error);
    return none;
  }
  return parse_strace_summary(read_file_or_empty(summary));
}

InstructionCount parse_cachegrind_log(const std::string& text) {
  // "==4711== I   refs:      1,234,567", alone or first of several counts.
  InstructionCount count;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("I   refs:");
    if (at == std::string::npos) continue;
    std::string digits;
    for (const char c : line.substr(at))
      if (c >= '0' && c <= '9') digits += c;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), count.instructions);
    if (failure == std::errc() && end == digits.data() + digits.size() && !digits.empty()) return count;
  }
  count.note = "valgrind counted nothing";
  return count;
}

InstructionCount count_instructions(const Runner& runner, const Job& job, const fs::path& valgrind, const fs::path& scratch) {
  InstructionCount none;
  if (valgrind.empty()) {
    none.note = "valgrind is not installed";
    return none;
  }
  const fs::path log = scratch / "valgrind.txt";
  lend_file(log, job.user);
  Job traced = job;
  traced.repeat = 1;
  traced.argv = {valgrind.string(), "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                 "--log-file=" + log.string()};
  traced.argv.insert(traced.argv.end(), job.argv.begin(), job.argv.end());
  constexpr double patience_s = 60;
  const Account account = runner.run_once(traced, {}, patience_s);
  if (!account.valid || account.status != 0) {
    none.note = fmt::format("valgrind: {}", account.error.empty() ? fmt::format("status {}", account.status) : account.error);
    return none;
  }
  return parse_cachegrind_log(read_file_or_empty(log));
}

}  // namespace iobench
