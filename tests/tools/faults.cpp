// SPDX-License-Identifier: MIT
// The matrix of faults: every tool, every call it makes, every error that such calls have had in public, a short result
// and a result of nothing, at the second and at every other call; with IOBENCH_FAULTS=all also at the first and the third
// alone. What must come of each is one rule: the whole copy and 0; or a refusal with 77, with nothing consumed or
// written; or 1, one line with the reason, and what was written is the beginning of the input. copy-stream, which may
// fall back, must deliver the whole copy unless reading and writing themselves fail. No list of ours says which calls a
// tool makes: a run that is only watched does. Calls inside an io_uring ring are reached by a seam in front of liburing.
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "../sanitized.h"
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

using namespace iobench::testing;
using iobench::read_file;

namespace {

const std::vector<std::pair<std::string, int>> errors = {
    {"EINTR", EINTR}, {"EAGAIN", EAGAIN}, {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EPIPE", EPIPE},
    {"EINVAL", EINVAL}, {"EPERM", EPERM}, {"EBADF", EBADF},   {"ENOSYS", ENOSYS}, {"EXDEV", EXDEV},
    {"EOPNOTSUPP", EOPNOTSUPP},           {"ENOMEM", ENOMEM}, {"ETXTBSY", ETXTBSY}};

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool reads(const std::string& call) {
  return is_one_of(call, {"read", "readv", "pread64", "preadv", "recvfrom", "READ"});
}
bool writes(const std::string& call) {
  return is_one_of(call, {"write", "writev", "pwrite64", "pwritev", "sendto", "WRITE"});
}
bool moves(const std::string& call) {
  return reads(call) || writes(call) || is_one_of(call, {"sendfile", "splice", "tee", "vmsplice", "copy_file_range"});
}

struct Injection {
  std::string call, fault, when;
};

struct Trial {
  std::string name;               // of the tool
  std::vector<std::string> argv;
  std::string input, output;      // kinds of ends
  std::string_view bytes;         // what goes in
  std::string_view expected;      // what is to come out
  Injection injection;
};

struct Outcome {
  Ended ended;
  std::string bytes;   // what arrived
  off_t consumed = 0;  // where a file's offset is afterwards
  std::string report;  // interfere's
};

int error_number(const std::string& name) {
  for (const auto& [known, number] : errors)
    if (known == name) return number;
  return 0;
}

Outcome attempt(const Trial& trial, bool in_ring) {
  const Scratch scratch;
  Source source(trial.input, scratch, trial.bytes);
  Sink sink(trial.output, scratch);
  const Injection& injection = trial.injection;
  std::vector<std::string> argv = trial.argv;
  Launch launch{.in = source.fd(), .out = sink.fd(), .ignore_broken_pipe = true};
  launch.environment = {"ASAN_OPTIONS=detect_leaks=0", "LSAN_OPTIONS=detect_leaks=0"};  // no leak check under a tracer
  if (in_ring) {
    const int number = error_number(injection.fault);
    launch.environment.push_back("IOBENCH_FAULT=" + injection.call + " " +
                                 (number ? std::to_string(number) : injection.fault) + " " + injection.when);
  } else {
    std::vector<std::string> tracer = {tool_path("../tests/interfere"), scratch / "report"};
    if (injection.call.empty()) tracer.push_back("--list");
    else tracer.insert(tracer.end(), {injection.call, injection.fault, injection.when});
    argv.insert(argv.begin(), tracer.begin(), tracer.end());
  }
  Outcome outcome;
  outcome.ended = run(argv, launch, 30);
  if (trial.input == "file") outcome.consumed = lseek(source.fd(), 0, SEEK_CUR);
  source.close();
  outcome.bytes = sink.collect();
  if (!in_ring) outcome.report = read_file(scratch / "report");
  return outcome;
}

bool is_beginning(std::string_view bytes, std::string_view of) { return of.substr(0, bytes.size()) == bytes; }

// Whether it is what a tool may have written when something went wrong: the beginning of what it should. When a read
// fails, record-write puts what it has into a last record, a shorter one: then the records hold the beginning.
bool is_part(const Trial& trial, const std::string& bytes) {
  if (is_beginning(bytes, trial.expected)) return true;
  if (trial.name != "record-write") return false;
  const Copied payloads = copy({tool_path("record-read")}, "file", "file", bytes);
  return payloads.ended.status == 0 && is_beginning(payloads.bytes, trial.bytes);
}

// What is wrong with it; empty when nothing is.
std::string complaint(const Trial& trial, const Outcome& outcome) {
  const auto& [call, fault, when] = trial.injection;
  const auto& [ended, bytes, consumed, report] = outcome;
  if (ended.timed_out) return "hangs";
  if (ended.err.find("Success") != std::string::npos) return "an error that says Success";
  if (ended.status == 0) {
    if (!ended.err.empty()) return "succeeds, and says something";
    if (bytes == trial.expected) return "";
    // Whoever is told that the input has ended cannot know better.
    const bool told = fault == "zero" && reads(call);
    return told && is_part(trial, bytes) ? "" : "0, and the copy is not whole";
  }
  if (!is_one_line_of(trial.name, ended.err)) return "not one line of its own";
  if (ended.status == 77) return !bytes.empty() ? "refuses after it wrote" : consumed != 0 ? "refuses after it read" : "";
  if (ended.status != 1) return "a status that is none of 0, 1 and 77";
  if (!is_part(trial, bytes)) return "what was written is not the beginning of the input";
  // copy-stream, too, wants to know what its ends are before it writes: input and output may be one file.
  const bool excused = reads(call) || writes(call) || call == "close" || call == "newfstatat" || call == "fstat";
  if (trial.name == "copy-stream" && !excused) return "does not fall back";
  const int number = error_number(fault);
  if (number != 0 && ended.err.find(strerror(number)) == std::string::npos) return "not the reason";
  if (moves(call) && !writes(call) && fault == "short") return "a short result is no failure";
  return "";
}

// Files in blocks small enough that there are three calls; copy-stream has no block and leaves read and write at 8 MiB.
std::size_t size_for(const CopyTool& tool, const std::string& input) {
  if (tool.name == "copy-stream") return input == "file" ? 9 << 20 : 3 << 20;
  return 50000;
}

bool same_loop(const CopyTool& tool) { return tool.name.rfind("buffered", 0) == 0 && tool.name != "buffered-8K"; }

std::vector<std::string> whens() {
  const char* how = std::getenv("IOBENCH_FAULTS");
  if (how != nullptr && std::string(how) == "all") return {"1", "2", "3", "every-other"};
  // Sanitized tools start ten times as slowly, and what they could find does not hang on which call it was.
  return sanitized ? std::vector<std::string>{"every-other"} : std::vector<std::string>{"2", "every-other"};
}

std::vector<std::string> faults_of(const std::string& call) {
  // Sanitizers map memory, open pipes and ask for processors themselves, and are not made for the answer no.
  if (sanitized && !moves(call)) return {};
  std::vector<std::string> all;
  for (const auto& [name, number] : errors) all.push_back(name);
  // Of what moves nothing, the answer 0 is success that did not happen; no program can be ready for that.
  if (moves(call)) all.insert(all.end(), {"short", "zero"});
  return all;
}

// As many at once as there are processors: how many injections took effect, and what was wrong with which.
struct Results {
  int injections = 0;
  std::map<std::string, int> by_call;
  std::vector<std::string> complaints;
};

Results try_all(const std::vector<Trial>& trials, bool in_ring) {
  std::vector<std::string> wrong(trials.size());
  std::vector<char> effective(trials.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t at; (at = next++) < trials.size();) {
      const Trial& trial = trials[at];
      const Outcome outcome = attempt(trial, in_ring);
      effective[at] = in_ring || std::atoi(outcome.report.c_str()) > 0;
      const std::string why = complaint(trial, outcome);
      if (why.empty()) continue;
      std::ostringstream text;
      text << trial.name << " from " << trial.input << " to " << trial.output << ", " << trial.injection.call << " "
           << trial.injection.fault << " " << trial.injection.when << ": " << why << " (status " << outcome.ended.status << ", "
           << outcome.bytes.size() << " of " << trial.expected.size() << " bytes: " << outcome.ended.err << ")";
      wrong[at] = text.str();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned n = std::max(1U, std::thread::hardware_concurrency()); n > 0; n--) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  Results results;
  for (std::size_t at = 0; at < trials.size(); at++) {
    results.injections += effective[at];
    results.by_call[trials[at].injection.call] += effective[at];
    if (!wrong[at].empty()) results.complaints.push_back(wrong[at]);
  }
  return results;
}

void report(const Results& results, const char* what) {
  std::cout << results.injections << " " << what << ":";
  for (const auto& [call, count] : results.by_call) std::cout << " " << call << " " << count;
  std::cout << "; " << results.complaints.size() << " wrong\n";
  for (const std::string& why : results.complaints) FAIL_CHECK(why);
}

// The calls that a clean run makes, which must be one.
std::vector<std::string> calls_of(Trial trial) {
  trial.injection = {};
  const Outcome outcome = attempt(trial, false);
  INFO(trial.name << " from " << trial.input << " to " << trial.output << ": " << outcome.ended.err);
  CHECK(complaint(trial, outcome) == "");
  if (outcome.ended.status != 0) return {};
  std::istringstream lines(outcome.report);
  std::vector<std::string> calls;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) calls.push_back(line);
  return calls;
}

void add_all(Trial trial, std::vector<Trial>& trials) {
  for (const std::string& call : calls_of(trial))
    for (const std::string& fault : faults_of(call))
      for (const std::string& when : whens()) {
        trial.injection = {call, fault, when};
        trials.push_back(trial);
      }
}

}  // namespace

TEST_CASE("every call of every tool fails in every way", "[B06][B07][B09][B13][B14][B15][B18][B38][B44][B54][B57][B59]") {
#ifndef __x86_64__
  std::cout << "SKIP: the tracer knows the registers of x86-64 only\n";
  return;
#endif
  const std::string all_bytes = some_bytes(9 << 20);
  const std::string_view few_bytes = std::string_view(all_bytes).substr(0, 50000);
  std::vector<Trial> trials;
  for (const CopyTool& tool : copy_tools()) {
    if (same_loop(tool)) continue;
    for (const std::string input : {"file", "fifo"})
      for (const std::string output : {"file", "fifo"}) {
        if (input != output && tool.name != "copy-stream") continue;  // the same calls as on the other two pairs
        const std::string_view bytes = std::string_view(all_bytes).substr(0, size_for(tool, input));
        add_all({tool.name, command(tool, "4K"), input, output, bytes, bytes, {}}, trials);
      }
  }
  const std::string records = copy({tool_path("record-write")}, "file", "file", few_bytes).bytes;
  REQUIRE(records.size() > few_bytes.size());
  for (const std::string kind : {"file", "fifo"})
    for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--raw"}}) {
      std::vector<std::string> writes = {tool_path("record-write")}, reads = {tool_path("record-read")};
      writes.insert(writes.end(), options.begin(), options.end());
      reads.insert(reads.end(), options.begin(), options.end());
      add_all({"record-write", writes, kind, kind, few_bytes, records, {}}, trials);
      add_all({"record-read", reads, kind, kind, records, few_bytes, {}}, trials);
    }
  const Results results = try_all(trials, false);
  CHECK(results.injections > (sanitized ? 1000 : 4000));
  report(results, "injections");
}

TEST_CASE("every call in a ring fails in every way", "[B37][B38][B55]") {
  if (!has_io_uring()) return;
  const std::string bytes = some_bytes(50000);
  std::vector<Trial> trials;
  for (const CopyTool& tool : copy_tools())
    for (const std::string kind : {"file", "fifo"})
      for (const std::string call : {"READ", "WRITE"})
        for (const std::string& fault : faults_of(call))
          for (const std::string when : {"1", "2", "3", "every-other"})
            if (tool.name == "io-uring-copy")
              trials.push_back({tool.name, {tool_path("../tests/io-uring-copy-faulty"), "-b", "4K"}, kind, kind, bytes, bytes,
                                {call, fault, when}});
  report(try_all(trials, true), "injections in a ring");
}
