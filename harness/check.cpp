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

FileDigest expected_output(const PlannedRow& row, const Placement& placement) {
  if (placement.corpus(row)) {
    const Corpus& corpus = placement.any_corpus(row.size_bytes);
    return {corpus.size_bytes, corpus.digest};
  }
  return {row.size_bytes, has_option(row, "--fill") ? fill_pattern_digest(row.size_bytes) : std::string()};
}

// Output that is to be looked at: a null sink's row writes a file instead, a pipe's row into a pipe of ours.
PlannedRow observable(const PlannedRow& row) {
  PlannedRow checked = row;
  checked.row.repeat = 1;
  checked.row.sync = false;
  if (row.row.output == Output::null) checked.row.output = Output::file;
  // The same bytes, and no wait for the device.
  if (row.row.cache == Cache::cold || row.row.cache == Cache::confined) checked.row.cache = Cache::warm;
  return checked;
}

// Runs the row once and says what came out; size only, when nothing can come out (--drain).
RowCheck verify(const PlannedRow& row, const Placement& placement, const Runner& runner) {
  RowCheck check;
  const FileDigest expected = expected_output(row, placement);
  Job job = placement.job(row, "");
  if (placement.corpus(row)) {
    const std::string path = placement.any_corpus(row.size_bytes).path.string();
    job.input = row.row.input == Input::pipe ? "pipe:" + path : path;
  }
  Digest stream;
  std::uint64_t streamed = 0;
  std::function<void(std::string_view)> consume;
  if (row.row.output == Output::pipe) {
    job.output = "-";
    consume = [&](std::string_view part) {
      stream.update(std::as_bytes(std::span(part)));
      streamed += part.size();
    };
  }
  placement.prepare_output(row);
  const Account account = runner.run_once(job, consume);
  if (!account.valid) {
    check.status = "failed";
    check.reason = account.error;
  } else {
    std::tie(check.status, check.reason) = judge_status(account.status, account.error);
  }
  if (check.status == "ok" && (row.row.output == Output::none || has_option(row, "--drain"))) {
    if (account.read_bytes < expected.size_bytes) {
      check.status = "mismatch";
      check.reason = fmt::format("read {} of {} bytes", account.read_bytes, expected.size_bytes);
    }
  } else if (check.status == "ok") {
    const FileDigest got = row.row.output == Output::pipe ? FileDigest{streamed, stream.hex()}
                                                          : digest_file(placement.output_path(row));
    if (got.size_bytes != expected.size_bytes || (!expected.hex.empty() && got.hex != expected.hex)) {
      check.status = "mismatch";
      check.reason = got.size_bytes != expected.size_bytes
                         ? fmt::format("wrote {} bytes instead of {}", got.size_bytes, expected.size_bytes)
                         : fmt::format("wrote other bytes: digest {} instead of {}", got.hex, expected.hex);
    }
  }
  if (check.status == "ok" && shares_extents(placement.output_path(row)) == true)
    check.not_a_copy = "is a clone: its output shares the extents of its input";
  placement.discard_output(row);
  if (row.row.output == Output::over) placement.discard_overwritten();  // a timed run starts from other bytes again
  return check;
}

// Runs a command of unknown kind once; what it writes is expected to be the input, and noted if it is not. `input`: its
// size and digest; none: it is not run.
RowCheck verify_free(const PlannedRow& row, const Placement& placement, const Runner& runner, const std::optional<FileDigest>& input) {
  RowCheck check;
  if (!input) return check;  // nothing to compare with; and zero never ends
  Job job = placement.job(row, "");
  job.output = "-";
  job.sync = false;
  Digest stream;
  std::uint64_t streamed = 0;
  const Account account = runner.run_once(job, [&](std::string_view part) {
    stream.update(std::as_bytes(std::span(part)));
    streamed += part.size();
  });
  if (!account.valid) {
    check.status = "failed";
    check.reason = account.error;
  } else {
    std::tie(check.status, check.reason) = judge_status(account.status, account.error);
  }
  if (check.status == "ok" && (streamed != input->size_bytes || stream.hex() != input->hex))
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

// System calls per MiB: the calls on a prefix less those on no input at all, so that the loader does not count.
void count(const PlannedRow& row, Placement& placement, const Runner& runner, const fs::path& strace, RowCheck& check) {
  if (!placement.corpus(row)) {
    check.calls_note = "it reads no corpus";
    return;
  }
  PlannedRow counted = row;
  const Corpus& input = placement.prefix(std::min(row.size_bytes, counted_bytes_limit));
  Job job = placement.job(row, "");
  job.input = row.row.input == Input::pipe ? "pipe:" + input.path.string() : input.path.string();
  placement.prepare_output(row);
  const CallCounts moved = count_calls(runner, job, strace, placement.scratch());
  placement.discard_output(row);
  job.input = "null";
  placement.prepare_output(row);
  const CallCounts idle = count_calls(runner, job, strace, placement.scratch());
  placement.discard_output(row);
  check.calls_note = moved.note.empty() ? idle.note : moved.note;
  if (!check.calls_note.empty()) return;
  if (row.row.output == Output::null && !wrote_from_a_buffer(moved))
    check.not_a_copy = "moves no data into the null device";
  check.calls = moved.calls;
  check.counted_bytes = input.size_bytes;
  check.startup_calls = idle.total;
  const double more = static_cast<double>(moved.total) - static_cast<double>(idle.total);
  check.calls_per_mib = std::max(0.0, more) / (static_cast<double>(input.size_bytes) / (1 << 20));
}

// Rows with equal keys are one and the same copy, but for its size.
std::string check_key(const PlannedRow& row) {
  std::string key = fmt::format("{}\n{}", to_string(row.row.input), to_string(row.row.output));
  for (const std::string& word : row.argv) key += "\n" + word;
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

RowChecks check_rows(const Plan& plan, Placement& placement, const Runner& runner, const fs::path& strace,
                     const ProgressFunction& progress) {
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
                                           : verify(observable(*largest.at(key)), placement, runner);
      RowCheck check;
      if (interrupt_requested()) {
        check.status = "not run";
        check.reason = "interrupted";
      } else {
        check = verified[key];
      }
      if (check.status == "ok") {
        const std::string count_key = verification_key(row);
        if (!counted.contains(count_key)) count(row, placement, runner, strace, counted[count_key]);
        const RowCheck& calls = counted[count_key];
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
