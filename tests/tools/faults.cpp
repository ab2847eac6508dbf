// SPDX-License-Identifier: MIT
// Every call that a tool makes on its ends fails in every way that such calls have failed in public, at the first, the
// second and the third time. What must come of it is one rule: the whole copy and 0; or a refusal with 77, with nothing
// consumed or written; or 1, one line, and what was written is the beginning of the input. copy-stream, which may fall
// back, must deliver the whole copy unless reading and writing themselves fail. The calls are those that strace sees, not
// a list of ours: a new tool is tested with whatever it calls.
#include "catch.h"
#include "ends.h"
#include "../sanitized.h"
#include "toolbox.h"
#include "tracing.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>

using namespace iobench::testing;
using iobench::read_file;

namespace {

struct Trial {
  Ended ended;
  std::string bytes;   // what arrived
  off_t consumed = 0;  // where a file's offset is afterwards
  std::string calls;   // strace's lines
};

bool is_file(const std::string& kind) { return kind == "file"; }

Trial attempt(const std::vector<std::string>& argv, const std::string& input, const std::string& output,
              const std::string& bytes, const std::string& injection) {
  const Scratch scratch;
  Source source(input, scratch, bytes);
  Sink sink(output, scratch);
  std::vector<std::string> options = {"-o", scratch / "trace"};
  for (const auto& [kind, name] : {std::pair{input, std::string("in")}, std::pair{output, std::string("out")}})
    options.insert(options.end(), {"-P", scratch / (name + (is_file(kind) ? "" : ".fifo"))});
  if (!injection.empty()) options.insert(options.end(), {"-e", "inject=" + injection});
  Trial trial;
  trial.ended = run_traced(argv, options, {.in = source.fd(), .out = sink.fd(), .ignore_broken_pipe = true});
  if (is_file(input)) trial.consumed = lseek(source.fd(), 0, SEEK_CUR);
  source.close();
  trial.bytes = sink.collect();
  trial.calls = read_file(scratch / "trace");
  return trial;
}

// The calls of a tool on its ends, but for those that only look.
std::vector<std::string> calls_of(const std::string& trace) {
  const std::vector<std::string> looking = {"fstat", "newfstatat", "statx", "close", "openat", "munmap", "execve"};
  std::vector<std::string> found;
  std::istringstream lines(trace);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.find_first_not_of("0123456789 ");
    const std::size_t open = line.find('(');
    if (name == std::string::npos || open == std::string::npos || open < name) continue;
    const std::string call = line.substr(name, open - name);
    if (call.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") != std::string::npos) continue;
    if (std::find(looking.begin(), looking.end(), call) == looking.end() &&
        std::find(found.begin(), found.end(), call) == found.end())
      found.push_back(call);
  }
  return found;
}

bool reads(const std::string& call) { return call == "read" || call == "readv" || call == "pread64"; }
bool writes(const std::string& call) { return call == "write" || call == "writev" || call == "pwrite64"; }

// What the call may answer. A read that answers 0 has said that the input ends, and lseek, fcntl and the like move
// nothing: 0 is not a fault of theirs.
std::vector<std::string> faults_of(const std::string& call) {
  if (reads(call)) return {"error=EINTR", "error=EAGAIN", "error=EIO"};
  if (writes(call)) return {"error=EINTR", "error=EAGAIN", "error=EIO", "error=ENOSPC", "error=EPIPE", "retval=0"};
  if (call == "fcntl" || call == "lseek" || call == "ioctl" || call == "fadvise64" || call == "poll")
    return {"error=EINVAL", "error=EPERM"};
  std::vector<std::string> all;
  for (const char* error : {"EINTR", "EAGAIN", "EIO", "ENOSPC", "EPIPE", "EINVAL", "EPERM", "ENOSYS", "EOPNOTSUPP", "EXDEV",
                            "ETXTBSY", "EBADF", "ENOMEM"})
    all.push_back("error=" + std::string(error));
  all.push_back("retval=0");
  return all;
}

bool is_beginning(const std::string& bytes, const std::string& of) { return of.compare(0, bytes.size(), bytes) == 0; }

void check_outcome(const CopyTool& tool, const Trial& trial, const std::string& bytes, const std::string& input) {
  CHECK(trial.ended.err.find("Success") == std::string::npos);
  CHECK(trial.ended.err.find("retval") == std::string::npos);
  if (trial.ended.status == 0) {
    CHECK((trial.bytes == bytes));
    CHECK(trial.ended.err == "");
    return;
  }
  CHECK(is_one_line_of(tool.name, trial.ended.err));
  if (trial.ended.status == 77) {
    CHECK(trial.bytes.empty());
    if (is_file(input)) CHECK(trial.consumed == 0);
  } else {
    CHECK(trial.ended.status == 1);
    CHECK(is_beginning(trial.bytes, bytes));
  }
}

// Files in blocks small enough that there are three calls; copy-stream has no block and leaves read and write at 8 MiB.
std::size_t size_for(const CopyTool& tool, const std::string& input) {
  if (tool.name == "copy-stream") return is_file(input) ? 9 << 20 : 3 << 20;
  return 50000;
}

bool same_loop(const CopyTool& tool) { return tool.name.rfind("buffered", 0) == 0 && tool.name != "buffered-8K"; }

}  // namespace

TEST_CASE("every call on the ends fails in every way, three times over") {
  if (!can_trace()) return;
  const std::string all_bytes = some_bytes(9 << 20);
  // Sanitized tools start ten times as slowly, and what they could find does not hang on which call it was.
  const std::vector<int> whens = sanitized ? std::vector<int>{2} : std::vector<int>{1, 2, 3};
  int injections = 0;
  for (const CopyTool& tool : copy_tools()) {
    if (same_loop(tool)) continue;
    for (const std::string input : {"file", "fifo"})
      for (const std::string output : {"file", "fifo"}) {
        if (input != output && tool.name != "copy-stream") continue;  // the same calls as on the other two pairs
        const std::vector<std::string> argv = command(tool, "4K");
        const std::string bytes = all_bytes.substr(0, size_for(tool, input));
        const Trial clean = attempt(argv, input, output, bytes, "");
        INFO(tool.name << " from " << input << " to " << output);
        check_outcome(tool, clean, bytes, input);
        if (clean.ended.status != 0) continue;
        for (const std::string& call : calls_of(clean.calls))
          for (const std::string& fault : faults_of(call))
            for (const int when : whens) {
              const std::string injection = call + ":" + fault + ":when=" + std::to_string(when);
              const Trial trial = attempt(argv, input, output, bytes, injection);
              INFO(injection << ": status " << trial.ended.status << ", " << trial.bytes.size() << " of " << bytes.size()
                             << " bytes: " << trial.ended.err);
              check_outcome(tool, trial, bytes, input);
              if (tool.name == "copy-stream" && !reads(call) && !writes(call)) CHECK(trial.ended.status == 0);
              injections++;
            }
      }
  }
  CHECK(injections > (sanitized ? 300 : 1000));
  std::cout << injections << " injections\n";
}
