// SPDX-License-Identifier: MIT
#include "check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "digest.h"
#include "storage.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

bool has_option(const PlannedRow& row, const std::string& option) {
  return std::find(row.argv.begin(), row.argv.end(), option) != row.argv.end();
}

// What --fill writes: byte i is (i + 128) mod 256 (Uppal's pattern).
std::string fill_pattern_digest(std::uint64_t size_bytes) {
  std::vector<std::byte> block(65536);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>((i + 128) % 256);
  Digest digest;
  for (std::uint64_t left = size_bytes; left > 0;) {
    const std::size_t part = std::min<std::uint64_t>(left, block.size());
    digest.update(std::span(block).first(part));
    left -= part;
  }
  return digest.hex();
}

FileDigest digest_of_pattern(std::uint64_t size_bytes) { return {size_bytes, fill_pattern_digest(size_bytes)}; }

// What must come out of the row; of a row that is undone before it is looked at (`undone_by`), after that.
FileDigest expected_output(const PlannedRow& row, const Placement& placement) {
  if (row.row.expect == Expected::nothing) return digest_of_pattern(0);
  const bool generated = has_option(row, "--fill") || !row.row.made_by.empty();
  if (row.row.framed && generated) return digest_of_pattern(row.payload_bytes());
  if (placement.corpus(row)) {
    const Corpus& corpus = placement.any_corpus(row);
    return {corpus.size_bytes, corpus.digest};
  }
  const bool zeros = row.row.input == Input::zero;
  return zeros ? FileDigest{row.size_bytes, ""} : digest_of_pattern(row.size_bytes);
}

// Output that is to be looked at: a null sink's row writes a file instead, a pipe's row into a pipe of ours.
PlannedRow observable(const PlannedRow& row) {
  PlannedRow checked = row;
  checked.row.repeat = 1;
  checked.row.sync = false;
  checked.row.link_bits_per_s = 0;
  if (row.row.output == Output::null) checked.row.output = Output::file;
  // The same bytes, and no wait for the device.
  if (row.row.cache == Cache::cold || row.row.cache == Cache::confined) checked.row.cache = Cache::warm;
  return checked;
}

// Rows checked together have all that their checks need at hand.
struct Checker {
  Placement& placement;
  const Connections& connections;
  const Runner& runner;
  const Toolbox& toolbox;
  const fs::path& strace;
};

RowCheck judged(const Account& account) {
  RowCheck check;
  if (!account.valid) {
    check.status = "failed";
    check.reason = account.error;
  } else {
    std::tie(check.status, check.reason) = judge_status(account.status, account.error);
  }
  return check;
}

// What a stream of bytes was, without keeping them.
struct StreamDigest {
  Digest digest;
  std::uint64_t bytes = 0;
  std::function<void(std::string_view)> consumer() {
    return [this](std::string_view part) {
      digest.update(std::as_bytes(std::span(part)));
      bytes += part.size();
    };
  }
  FileDigest result() { return {bytes, digest.hex()}; }
};

std::string difference(const FileDigest& got, const FileDigest& expected) {
  if (got.size_bytes != expected.size_bytes)
    return fmt::format("wrote {} bytes instead of {}", got.size_bytes, expected.size_bytes);
  if (!expected.hex.empty() && got.hex != expected.hex)
    return fmt::format("wrote other bytes: digest {} instead of {}", got.hex, expected.hex);
  return {};
}

void judge_content(const PlannedRow& row, const FileDigest& got, const FileDigest& expected, RowCheck& check) {
  const std::string wrong = difference(got, expected);
  if (row.row.expect == Expected::part) {
    check.not_a_copy = "does not copy all of its input";
    check.note = fmt::format("{} of {} bytes of its input came out, {} did not", format_count(got.size_bytes),
                             format_count(expected.size_bytes),
                             format_count(expected.size_bytes - std::min(got.size_bytes, expected.size_bytes)));
  } else if (!wrong.empty()) {
    check.status = "mismatch";
    check.reason = wrong;
  }
}

// What a tool's output becomes when its other half takes it apart again.
FileDigest undone(const Checker& with, const std::string& tool, const fs::path& output, RowCheck& check) {
  PlannedRow row;
  row.argv = {tool};
  row.row.input = Input::none;  // not one of the corpora
  Job job = with.placement.job(row, "");
  job.input = output.string();
  job.output = "-";
  StreamDigest stream;
  const Account account = with.runner.run_once(job, stream.consumer());
  if (const RowCheck other = judged(account); other.status != "ok") {
    check.status = "mismatch";
    check.reason = fmt::format("what it wrote is refused: {}", other.reason);
  }
  return stream.result();
}

// Runs the row once and says what came out; size only, when nothing can come out (--drain).
RowCheck verify(const PlannedRow& row, const Checker& with) {
  const Placement& placement = with.placement;
  const Tool* tool = with.toolbox.find(row.row.tool);
  const FileDigest expected = expected_output(row, placement);
  const Corpus* input = placement.corpus(row) ? &placement.any_corpus(row) : nullptr;
  const fs::path output = placement.output_path(row);
  const fs::path received = placement.scratch() / "received";
  Job job = placement.job(row, "");
  if (input && !row.row.takes_names && !row.row.is_given_names() && !row.row.uses_socket())
    job.input = row.row.input == Input::pipe ? "pipe:" + input->path.string() : input->path.string();
  StreamDigest stream;
  if (row.row.output == Output::pipe) job.output = "-";
  placement.prepare_output(row);
  Connections::Open open = with.connections.open_to_look(row, job, input, received);
  const Account account = with.runner.run_once(open.job, row.row.output == Output::pipe ? stream.consumer() : nullptr);
  RowCheck check = judged(account);
  const bool to_server = row.row.output == Output::tcp || row.row.output == Output::local;
  if (check.status == "ok" && (row.row.output == Output::none || has_option(row, "--drain"))) {
    if (account.read_bytes < row.size_bytes) {
      check.status = "mismatch";
      check.reason = fmt::format("read {} of {} bytes", account.read_bytes, row.size_bytes);
    }
  } else if (check.status == "ok") {
    if (to_server) open.sink->finish();
    const fs::path& file = to_server ? received : output;
    const FileDigest got = row.row.output == Output::pipe         ? stream.result()
                           : tool && !tool->undone_by.empty()     ? undone(with, tool->undone_by, file, check)
                                                                  : digest_file(file);
    if (check.status == "ok") judge_content(row, got, expected, check);
  }
  if (check.status == "ok" && shares_extents(output) == true)
    check.not_a_copy = "is a clone: its output shares the extents of its input";
  if (row.row.expect == Expected::nothing) check.not_a_copy = "opens and closes, and copies nothing: the control";
  placement.discard_output(row);
  std::error_code ignored;
  fs::remove(received, ignored);
  if (row.row.output == Output::over) placement.discard_overwritten();  // a timed run starts from other bytes again
  return check;
}

// A server that does not start is a row's own misfortune.
RowCheck checked(const PlannedRow& row, const Checker& with) {
  if (const RowCheck peer = with.placement.peers().check(row); peer.status != "ok") return peer;
  try {
    return verify(row, with);
  } catch (const Error& error) {
    RowCheck check;
    check.status = "failed";
    check.reason = error.what();
    return check;
  }
}

// Runs a command of unknown kind once; what it writes is expected to be the input, and noted if it is not. `input`: its
// size and digest; none: it is not run.
RowCheck verify_free(const PlannedRow& row, const Placement& placement, const Runner& runner, const std::optional<FileDigest>& input) {
  if (!input) return {};  // nothing to compare with; and zero never ends
  Job job = placement.job(row, "");
  job.output = "-";
  job.sync = false;
  StreamDigest stream;
  RowCheck check = judged(runner.run_once(job, stream.consumer()));
  const auto [streamed, hex] = stream.result();
  if (check.status == "ok" && (streamed != input->size_bytes || hex != input->hex))
    check.note = streamed == input->size_bytes
                     ? "its output has other bytes than its input"
                     : fmt::format("its output is {} of {} bytes of input: it is no copy", format_count(streamed),
                                   format_count(input->size_bytes));
  return check;
}

// Calls by which bytes leave a buffer; a copy into the null device that makes none of them has moved nothing.
bool wrote_from_a_buffer(const CallCounts& counts) {
  static const std::set<std::string> writing = {"write", "writev",  "pwrite64", "pwritev",
                                                "pwritev2", "sendto", "sendmsg",  "io_uring_enter"};
  return std::any_of(counts.calls.begin(), counts.calls.end(), [](const auto& call) { return writing.contains(call.first); });
}

// Why a row's calls are not counted; empty: they can be.
std::string uncountable(const PlannedRow& row, const Placement& placement) {
  if (row.row.takes_names) return "its calls go with its files, not with its bytes";
  if (!row.row.made_by.empty()) return "its input was made for one size";
  if (row.row.input == Input::tcp || row.row.input == Input::local) return "its input comes from a server";
  if (!placement.corpus(row) && !has_option(row, "--fill")) return "it reads no corpus";
  return {};
}

// The row's job on its first `bytes`. What generates them makes one at least: it takes no 0.
Job counted_job(const PlannedRow& row, std::uint64_t bytes, Placement& placement) {
  Job job = placement.job(row, "");
  const auto fill = std::find(job.argv.begin(), job.argv.end(), "--fill");
  if (row.row.is_given_names()) return placement.job(row, "", bytes ? placement.prefix(bytes).path : "/dev/null");
  PlannedRow part = row;
  part.size_bytes = bytes;
  if (fill != job.argv.end() && fill + 1 != job.argv.end())
    fill[1] = std::to_string(bytes ? part.payload_bytes() : 1);
  else if (bytes == 0)
    job.input = "null";
  else
    job.input = (row.row.input == Input::pipe ? "pipe:" : "") + placement.prefix(bytes).path.string();
  return job;
}

// System calls per MiB: the calls on a prefix less those on no input at all, so that the loader does not count.
void count(const PlannedRow& row, const Checker& with, RowCheck& check) {
  check.calls_note = uncountable(row, with.placement);
  if (!check.calls_note.empty()) return;
  const std::uint64_t bytes = std::min(row.size_bytes, counted_bytes_limit);
  const auto calls_on = [&](std::uint64_t size) {
    const Job job = counted_job(row, size, with.placement);
    with.placement.prepare_output(row);
    CallCounts counts;
    try {
      const Connections::Open open = with.connections.open_to_look(row, job, nullptr, {});
      counts = count_calls(with.runner, open.job, with.strace, with.placement.scratch());
    } catch (const Error& error) {
      counts.note = error.what();
    }
    with.placement.discard_output(row);
    return counts;
  };
  const CallCounts moved = calls_on(bytes);
  const CallCounts idle = calls_on(0);
  check.calls_note = moved.note.empty() ? idle.note : moved.note;
  if (!check.calls_note.empty()) return;
  if (row.row.output == Output::null && !wrote_from_a_buffer(moved))
    check.not_a_copy = "moves no data into the null device";
  check.calls = moved.calls;
  check.counted_bytes = std::min(bytes, with.placement.given() ? with.placement.prefix(bytes).size_bytes : bytes);
  check.startup_calls = idle.total - (has_option(row, "--fill") ? 1 : 0);  // less the write of its one byte
  const double more = static_cast<double>(moved.total) - static_cast<double>(check.startup_calls);
  check.calls_per_mib = std::max(0.0, more) / (static_cast<double>(check.counted_bytes) / (1 << 20));
}

// Instructions a byte, counted as the calls are; where the input is made, on a small one of its kind.
void count_instructions_of(const PlannedRow& row, const Checker& with, RowCheck& check) {
  constexpr std::uint64_t small_bytes = 1u << 20;  // fifty times as slow as the tool alone
  const bool made = !row.row.made_by.empty();
  std::uint64_t bytes = std::min(row.size_bytes, small_bytes);
  const auto count_on = [&](bool all) {
    Job job = made ? with.placement.job(row, "") : counted_job(row, all ? bytes : 0, with.placement);
    if (made) job.input = all ? with.placement.small_input(row, small_bytes).path.string() : "null";
    if (row.row.output == Output::tcp || row.row.output == Output::local) job.output = "null";
    with.placement.prepare_output(row);
    const InstructionCount count =
        count_instructions(with.runner, job, find_program("valgrind"), with.placement.scratch());
    with.placement.discard_output(row);
    return count;
  };
  const InstructionCount moved = count_on(true);
  const InstructionCount idle = count_on(false);
  check.instructions_note = moved.note.empty() ? idle.note : moved.note;
  if (!check.instructions_note.empty()) return;
  if (made) bytes = with.placement.small_input(row, small_bytes).size_bytes;
  const double more = static_cast<double>(moved.instructions) - static_cast<double>(idle.instructions);
  check.instructions_per_byte = std::max(0.0, more) / static_cast<double>(bytes);
}

// Rows with equal keys are one and the same copy, but for its size, and the same is expected of it.
std::string check_key(const PlannedRow& row) {
  std::string key =
      fmt::format("{}\n{}\n{}", to_string(row.row.input), to_string(row.row.output), to_string(row.row.expect));
  for (const std::string& word : row.argv) key += "\n" + word;
  for (const std::string& word : row.row.made_by) key += "\nmade by " + word;
  for (const std::string& word : row.row.build) key += "\nbuilt by " + word;
  return key;
}

}  // namespace

// The largest of the rows that share a check: what it copies whole, it copies whole at a part of the size. Rows of a size
// of their own, like a text of 38,123 bytes, are checked at that size.
std::string verification_key(const PlannedRow& row) {
  return check_key(row) + (row.row.size_bytes ? fmt::format("\n{}", row.size_bytes) : "");
}

std::map<std::string, const PlannedRow*> largest_by_key(const Plan& plan) {
  std::map<std::string, const PlannedRow*> largest;
  for (const PlannedSuite& suite : plan.suites)
    for (const PlannedRow& row : suite.rows) {
      const PlannedRow*& kept = largest[verification_key(observable(row))];
      if (!kept || kept->size_bytes < row.size_bytes) kept = &row;
    }
  return largest;
}

RowChecks check_rows(const Plan& plan, Placement& placement, const Connections& connections, const Runner& runner,
                     const Toolbox& toolbox, const fs::path& strace, const ProgressFunction& progress) {
  const Checker with{placement, connections, runner, toolbox, strace};
  const std::map<std::string, const PlannedRow*> largest = largest_by_key(plan);
  std::optional<FileDigest> given;
  if (placement.given()) given = digest_file(placement.given()->path);
  std::map<std::string, RowCheck> verified, counted;
  std::size_t total = 0, done = 0;
  for (const PlannedSuite& suite : plan.suites) total += suite.rows.size();
  RowChecks checks;
  for (const PlannedSuite& suite : plan.suites) {
    std::vector<RowCheck>& of_suite = checks.emplace_back();
    for (const PlannedRow& row : suite.rows) {
      if (progress) progress(fmt::format("checking {}", row.row.name), static_cast<double>(done) / static_cast<double>(total));
      ++done;
      const std::string key = verification_key(observable(row));
      if (!verified.contains(key) && !interrupt_requested())
        verified[key] = plan.free_commands ? verify_free(row, placement, runner, given)
                                           : checked(observable(*largest.at(key)), with);
      RowCheck check;
      if (interrupt_requested()) {
        check.status = "not run";
        check.reason = "interrupted";
      } else {
        check = verified[key];
        if (const std::string obstacle = connections.obstacle(row); !obstacle.empty()) {
          check.status = "unsupported";
          check.reason = obstacle;
        }
      }
      if (check.status == "ok") {
        const std::string count_key = verification_key(row);
        if (!counted.contains(count_key)) {
          count(row, with, counted[count_key]);
          if (row.row.count_instructions) count_instructions_of(row, with, counted[count_key]);
        }
        const RowCheck& calls = counted[count_key];
        check.instructions_per_byte = calls.instructions_per_byte;
        check.instructions_note = calls.instructions_note;
        check.calls = calls.calls;
        check.counted_bytes = calls.counted_bytes;
        check.startup_calls = calls.startup_calls;
        check.calls_per_mib = calls.calls_per_mib;
        check.calls_note = calls.calls_note;
        if (!calls.not_a_copy.empty()) check.not_a_copy = calls.not_a_copy;
      }
      std::error_code ignored;
      const auto size = fs::file_size(placement.job(row, "").argv[0], ignored);
      if (!ignored) check.program_bytes = size;
      of_suite.push_back(std::move(check));
    }
  }
  return checks;
}

}  // namespace iobench
