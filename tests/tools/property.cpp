// SPDX-License-Identifier: MIT
// A property, tried at random: whatever the tool, the sizes, the blocks, the offsets, the flags and the two ends, either
// the bytes arrive whole and both descriptors stand where a loop of read and write would leave them; or the tool refuses
// and has touched nothing; or it fails with one true line and has written a beginning of what it read.
// A round is drawn from the seed and its number alone, so that IOBENCH_SEED and IOBENCH_ROUND replay it by itself.
// IOBENCH_PROPERTY_SECONDS bounds the time.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The standard's distributions differ between libraries; the engine and its seeding do not.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t round) {
    std::seed_seq words{seed & 0xffffffff, seed >> 32, round & 0xffffffff, round >> 32};
    engine_.seed(words);
  }
  std::size_t below(std::size_t end) { return engine_() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename List>
  auto of(const List& list) {
    return list[below(list.size())];
  }
  // Small numbers and large ones alike, and often the neighbours of a power of two.
  std::size_t size(std::size_t most) {
    std::size_t bits = 0;
    while (most >> bits > 1) bits++;
    const std::size_t power = std::size_t{1} << below(bits + 1);
    const std::size_t drawn = one_in(2) ? power + below(power) : power - 1 + below(3);
    return std::min(drawn, most);
  }

 private:
  std::mt19937_64 engine_;
};

constexpr std::size_t most_bytes = 3 << 20;
const std::string& pool() {
  static const std::string bytes = some_bytes(most_bytes + 4096);
  return bytes;
}

struct Round {
  const CopyTool* tool;
  std::vector<std::string> argv;
  std::string input, output;  // as in ends.h, and "tmpfs"
  bool appends, input_waits, output_waits;
  std::size_t input_start, output_start;  // file offsets
  std::size_t pieces, drained_by;         // bytes of what an input is fed in; bytes of one read of the output
  std::size_t limit;                      // -n; 0: none
  std::size_t file_limit;                 // RLIMIT_FSIZE; 0: none
  std::string bytes, before;              // what the input holds; what the output file held
};

bool is_file(const std::string& kind) { return kind == "file" || kind == "tmpfs"; }

// Blocks that make at most some thousand calls of it, in the words that the tool takes.
std::string draw_block(Dice& dice, const CopyTool& tool, std::size_t size) {
  const std::size_t drawn = std::max(dice.size(1 << 20), size / 4000 + 1);
  return std::to_string(tool.takes_block(std::to_string(drawn)) ? drawn : (drawn / 4096 + 1) * 4096);
}

std::vector<std::string> draw_argv(Dice& dice, const CopyTool& tool, std::size_t size, std::size_t limit) {
  std::vector<std::string> argv = {tool_path(tool.name)};
  const auto add = [&](const char* option, const std::string& value) {
    if (tool.has(option)) argv.insert(argv.end(), {option, value});
  };
  if (!dice.one_in(3)) add("-b", draw_block(dice, tool, size));
  if (limit) add("-n", std::to_string(limit));
  if (dice.one_in(3)) add("--pipe-size", std::to_string(4096u << dice.below(9)));
  if (dice.one_in(2)) add("--depth", std::to_string(1 + dice.below(8)));
  if (dice.one_in(2)) add("--buffers", std::to_string(1 + dice.below(8)));
  if (dice.one_in(2)) add("--buffer-in", std::to_string(1 + dice.size(1 << 16)));
  if (dice.one_in(2)) add("--buffer-out", std::to_string(1 + dice.size(1 << 16)));
  if (tool.name == "copy-stream" && dice.one_in(2)) argv.push_back("--share-pages");
  return argv;
}

Round draw(Dice dice) {
  const std::vector<std::string> inputs = {"file", "file", "tmpfs", "pipe", "pipe", "fifo", "socket", "tcp", "null"};
  const std::vector<std::string> outputs = {"file", "file", "tmpfs", "pipe", "pipe", "fifo", "socket", "tcp", "null"};
  Round round{};
  round.tool = &copy_tools()[dice.below(copy_tools().size())];
  round.input = dice.of(inputs);
  round.output = dice.of(outputs);
  const std::size_t size = dice.one_in(12) ? 0 : dice.size(dice.one_in(10) ? most_bytes : 300000);
  if (round.input != "null") round.bytes = pool().substr(dice.below(4096), size);
  round.input_waits = dice.one_in(4);
  round.output_waits = dice.one_in(4);
  round.pieces = dice.one_in(2) ? 0 : std::max(dice.size(1 << 16), size / 2000 + 1);
  round.drained_by = std::max(dice.size(1 << 17), size / 4000 + 1);
  if (is_file(round.input) && dice.one_in(2)) round.input_start = dice.one_in(2) ? dice.size(size + 5) : dice.below(size + 5);
  if (is_file(round.output)) {
    round.before = pool().substr(dice.below(4096), dice.one_in(2) ? 0 : dice.size(100000));
    round.appends = dice.one_in(4);
    if (!round.appends && dice.one_in(2)) round.output_start = dice.size(100000);
    if (dice.one_in(8)) round.file_limit = 1000 + dice.size(400000);  // standard error is a file, too
  }
  if (round.tool->has("-n") && dice.one_in(3)) round.limit = 1 + dice.size(size + size / 4 + 2);
  round.argv = draw_argv(dice, *round.tool, size, round.limit);
  return round;
}

std::string describe(const Round& round) {
  std::ostringstream text;
  for (const std::string& word : round.argv) text << word << ' ';
  text << "from " << round.input << (round.input_waits ? ", non-blocking" : "") << " at " << round.input_start << " of "
       << round.bytes.size() << " bytes in pieces of " << round.pieces << "; to " << round.output
       << (round.output_waits ? ", non-blocking" : "") << (round.appends ? ", appending" : "") << " at "
       << round.output_start << " of " << round.before.size() << " bytes, limit " << round.file_limit << ", drained by "
       << round.drained_by;
  return text.str();
}

Pair connection(const std::string& kind, const Scratch& scratch, const char* name) {
  if (kind == "pipe") return pipe_pair();
  if (kind == "fifo") return fifo_pair(scratch / name);
  return kind == "tcp" ? tcp_pair() : unix_pair();
}

void set_waiting(int fd, bool waits) {
  const int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, waits ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

std::size_t position(int fd) { return static_cast<std::size_t>(lseek(fd, 0, SEEK_CUR)); }

// What a round left behind.
struct Outcome {
  Ended ended;
  std::string arrived;                      // at a stream, or the whole of the output file
  std::string rest;                         // what the input stream still held
  std::size_t input_at = 0, output_at = 0;  // positions in files
  bool flags_kept = true;
};

// Both ends of one round; feeds and drains them.
class Ends {
 public:
  Ends(const Round& round, const Scratch& disk, const Scratch& memory) : round_(round) {
    open_output(round.output == "tmpfs" ? memory : disk);
    open_input(round.input == "tmpfs" ? memory : disk);
    flags_[0] = fcntl(in_.get(), F_GETFL);
    flags_[1] = fcntl(out_.get(), F_GETFL);
  }

  Outcome run() {
    Launch launch{.in = in_.get(), .out = out_.get()};
    launch.ignore_file_limit = true;
    if (round_.file_limit) launch.file_limit_bytes = round_.file_limit;
    Outcome outcome;
    outcome.ended = iobench::testing::run(round_.argv, launch);
    outcome.flags_kept = fcntl(in_.get(), F_GETFL) == flags_[0] && fcntl(out_.get(), F_GETFL) == flags_[1];
    if (is_file(round_.input)) outcome.input_at = position(in_.get());
    if (is_file(round_.output)) outcome.output_at = position(out_.get());
    set_waiting(in_.get(), false);
    if (feeder_) outcome.rest = drain(in_.get());
    out_.reset();
    if (drainer_) outcome.arrived = drainer_->join();
    if (is_file(round_.output)) outcome.arrived = iobench::read_file(path_);
    return outcome;
  }

 private:
  void open_output(const Scratch& scratch) {
    if (is_file(round_.output)) {
      path_ = scratch.write("out", round_.before);
      out_ = open_file(path_, O_WRONLY | (round_.appends ? O_APPEND : 0));
      lseek(out_.get(), static_cast<off_t>(round_.output_start), SEEK_SET);
    } else if (round_.output == "null") {
      out_ = open_file("/dev/null", O_WRONLY);
    } else {
      Pair pair = connection(round_.output, scratch, "out.fifo");
      out_ = std::move(pair.writer);
      drainer_ = std::make_unique<Drainer>(std::move(pair.reader), 0, round_.drained_by);
    }
    set_waiting(out_.get(), round_.output_waits);
  }

  void open_input(const Scratch& scratch) {
    if (is_file(round_.input)) {
      in_ = open_file(scratch.write("in", round_.bytes), O_RDONLY);
      lseek(in_.get(), static_cast<off_t>(round_.input_start), SEEK_SET);
    } else if (round_.input == "null") {
      in_ = open_file("/dev/null", O_RDONLY);
    } else {
      Pair pair = connection(round_.input, scratch, "in.fifo");
      in_ = std::move(pair.reader);
      feeder_ = std::make_unique<Feeder>(std::move(pair.writer), round_.bytes, round_.pieces);
    }
    set_waiting(in_.get(), round_.input_waits);
  }

  const Round& round_;
  std::filesystem::path path_;
  std::unique_ptr<Feeder> feeder_;  // these end once the descriptors below, declared later, are closed
  std::unique_ptr<Drainer> drainer_;
  Descriptor in_, out_;
  int flags_[2];
};

// What the tool was to copy.
std::string wanted(const Round& round) {
  if (round.input_start >= round.bytes.size()) return "";
  return round.bytes.substr(round.input_start, round.limit ? round.limit : std::string::npos);
}

std::size_t output_start(const Round& round) { return round.appends ? round.before.size() : round.output_start; }

// The output after so much of what was wanted had been written.
std::string output_with(const Round& round, const std::string& data) {
  if (round.output == "null") return "";
  std::string content = round.before;
  const std::size_t start = output_start(round);
  if (data.empty()) return content;
  if (content.size() < start + data.size()) content.resize(start + data.size(), '\0');
  return content.replace(start, data.size(), data);
}

// Of a file the end may be past what was written: `before` may go on there.
bool is_beginning(const Round& round, const std::string& arrived, const std::string& data) {
  const std::size_t start = output_start(round);
  std::size_t same = 0;
  while (same < data.size() && start + same < arrived.size() && arrived[start + same] == data[same]) same++;
  return arrived == output_with(round, data.substr(0, same));
}

// Whether the list of tools promises that this one copies between such ends.
bool promised(const Round& round) {
  const auto kind = [](const std::string& end) { return end == "tmpfs" ? "file" : end == "tcp" ? "socket" : end; };
  // Two file systems, of which one may know no O_DIRECT.
  const bool in_memory = round.input == "tmpfs" || round.output == "tmpfs";
  if (in_memory && (round.tool->name == "copy-file-range" || round.tool->name == "direct-copy")) return false;
  return round.tool->serves(kind(round.input), round.appends ? "append" : kind(round.output));
}

std::string judge_copied(const Round& round, const Outcome& outcome) {
  const std::string data = wanted(round);
  const bool counts = round.tool->through == Through::calls;
  if (!outcome.ended.err.empty()) return "status 0 and a message";
  if (outcome.arrived != output_with(round, data)) return "the output is another";
  if (is_file(round.input) && outcome.input_at != round.input_start + data.size()) return "the input's offset is another";
  if (is_file(round.output) && !data.empty() && outcome.output_at != output_start(round) + data.size())
    return "the output's offset is another";
  const bool streamed = !is_file(round.input) && round.input != "null";
  if (streamed && counts && data + outcome.rest != round.bytes) return "more of the input was consumed than written";
  return "";
}

std::string judge_refused(const Round& round, const Outcome& outcome) {
  if (promised(round)) return "refused what data/tools.toml promises";
  if (outcome.arrived != output_with(round, "")) return "refused, and wrote";
  const bool streamed = !is_file(round.input) && round.input != "null";
  if (streamed && outcome.rest != round.bytes) return "refused, and consumed";
  if (is_file(round.input) && outcome.input_at != round.input_start) return "refused, and moved the input's offset";
  if (is_file(round.output) && outcome.output_at != round.output_start) return "refused, and moved the output's offset";
  return "";
}

// The reasons there are: a limit that the output passes, and a library that cannot wait.
bool is_true(const Round& round, const std::string& err) {
  const auto ends_with = [&](const std::string& reason) { return err.ends_with(": " + reason + "\n"); };
  const std::string data = wanted(round);
  if (ends_with("File too large")) return round.file_limit && output_start(round) + data.size() > round.file_limit;
  if (round.tool->through == Through::calls || !ends_with("Resource temporarily unavailable")) return false;
  const auto can_wait = [](const std::string& kind) { return !is_file(kind) && kind != "null"; };
  if (err.find("write standard output") != std::string::npos) return round.output_waits && can_wait(round.output);
  return round.tool->through == Through::stream && round.input_waits && can_wait(round.input);
}

// Empty, or what is wrong.
std::string judge(const Round& round, const Outcome& outcome) {
  if (outcome.ended.timed_out) return "hangs";
  if (!outcome.flags_kept) return "the descriptors' flags are others";
  if (outcome.ended.status == 0) return judge_copied(round, outcome);
  if (!is_one_line_of(round.tool->name, outcome.ended.err)) return "not one line";
  if (outcome.ended.status == 77) return judge_refused(round, outcome);
  if (outcome.ended.status != 1) return "a status that no tool has";
  if (!is_true(round, outcome.ended.err)) return "the message is not true";
  return is_beginning(round, outcome.arrived, wanted(round)) ? "" : "what was written is no beginning of the input";
}

void play(std::uint64_t seed, std::uint64_t number, std::size_t (&statuses)[3]) {
  const Round round = draw(Dice(seed, number));
  const Scratch disk;
  const Scratch memory("/dev/shm");
  const Outcome outcome = Ends(round, disk, memory).run();
  statuses[outcome.ended.status == 0 ? 0 : outcome.ended.status == 77 ? 1 : 2]++;
  const std::string wrong = judge(round, outcome);
  INFO("replay: IOBENCH_SEED=" << seed << " IOBENCH_ROUND=" << number << " meson test -C build property --verbose");
  INFO(describe(round));
  INFO("status " << outcome.ended.status << ", " << outcome.arrived.size() << " bytes out, " << outcome.rest.size()
                 << " left, offsets " << outcome.input_at << " and " << outcome.output_at << ": " << outcome.ended.err);
  REQUIRE(wrong == "");
}

}  // namespace

TEST_CASE("copied whole, refused untouched or failed loudly, whatever the ends") {
  const std::uint64_t seed = setting("IOBENCH_SEED", 1);
  const std::uint64_t seconds = setting("IOBENCH_PROPERTY_SECONDS", 20);
  std::size_t statuses[3] = {};
  if (std::getenv("IOBENCH_ROUND")) return play(seed, setting("IOBENCH_ROUND", 0), statuses);
  std::cout << "property: seed " << seed << ", " << seconds << " s\n" << std::flush;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  std::uint64_t rounds = 0;
  while (Clock::now() < end) play(seed, rounds++, statuses);
  std::cout << "property: " << rounds << " rounds: " << statuses[0] << " copied, " << statuses[1] << " refused, "
            << statuses[2] << " failed loudly\n";
}
