// SPDX-License-Identifier: MIT
// Options: what a tool does not accept is a usage error (status 2, one line, nothing on standard output, nothing read),
// sizes are never guessed, help and version are output like any other.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <fcntl.h>

#include "tool.h"

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;

namespace {

using Words = std::vector<std::string>;

std::vector<std::string> with(const CopyTool& tool, const Words& words) {
  std::vector<std::string> argv = {tool_path(tool.name)};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

void check_usage(const CopyTool& tool, const Words& words, const std::string& said) {
  const Scratch scratch;
  Source source("file", scratch, "input");
  Sink sink("file", scratch);
  const Ended ended = run(with(tool, words), {.in = source.fd(), .out = sink.fd()});
  INFO(tool.name << " " << (words.empty() ? "" : words[0]) << ": " << ended.err);
  CHECK(ended.status == 2);
  CHECK(ended.err == tool.name + ": " + said + "; try '" + tool.name + " --help'\n");
  CHECK(lseek(source.fd(), 0, SEEK_CUR) == 0);
  CHECK(sink.collect() == "");
}

}  // namespace

TEST_CASE("sizes") {
  const std::vector<std::pair<const char*, std::uint64_t>> good = {
      {"1", 1}, {"512", 512}, {"64K", 65536}, {"64KiB", 65536}, {"1M", 1 << 20}, {"3MiB", 3 << 20}, {"1G", 1 << 30},
      {"10T", std::uint64_t{10} << 40}, {"9223372036854775807", INT64_MAX}, {"8388607T", std::uint64_t{8388607} << 40}};
  for (const auto& [text, bytes] : good) {
    std::uint64_t parsed = 0;
    INFO(text);
    CHECK(tool_parse_size(text, &parsed));
    CHECK(parsed == bytes);
  }
  for (const char* text : {"", "0", "0K", "00", "-1", "+1", " 1", "1 ", "1k", "1kB", "1KB", "1B", "1Ki", "1KiBs", "1KK",
                           "K", "KiB", "1.5M", "1e3", "0x10", "abc", "1P", "1M\n", "\xc2\xb5", "8388608T",
                           "9223372036854775808", "18446744073709551617", "99999999999999999999999999"}) {
    std::uint64_t parsed = 42;
    INFO(text);
    CHECK(!tool_parse_size(text, &parsed));
    CHECK(parsed == 42);
  }
}

TEST_CASE("what a tool does not accept") {
  for (const CopyTool& tool : stream_tools()) {
    check_usage(tool, {"-x"}, "unknown option '-x'");
    check_usage(tool, {"--nothing"}, "unknown option '--nothing'");
    check_usage(tool, {"--hel"}, "unknown option '--hel'");  // no abbreviations
    check_usage(tool, {"--help=1"}, "option '--help=1' takes no value");
    check_usage(tool, {"operand"}, "unexpected operand 'operand'");
    check_usage(tool, {"-"}, "unexpected operand '-'");
    check_usage(tool, {"--", "-b"}, "unexpected operand '-b'");
    check_usage(tool, {"two\nlines"}, "unexpected operand 'two?lines'");
    for (const std::string option : {"-b", "-n"})
      if (!tool.has(option)) check_usage(tool, {option, "4K"}, "unknown option '" + option + "'");
    if (!tool.has("--drain")) check_usage(tool, {"--drain"}, "unknown option '--drain'");
    if (!tool.has("--fill")) check_usage(tool, {"--fill", "1K"}, "unknown option '--fill'");
  }
}

TEST_CASE("values that are no sizes") {
  for (const CopyTool& tool : stream_tools())
    for (const std::string option : {"-b", "-n", "--fill", "--pipe-size", "--buffer-in", "--buffer-out"}) {
      if (!tool.has(option)) continue;
      for (const std::string value : {"", "0", "-1", "1k", "1.5M", "8388608T"})
        check_usage(tool, {option, value}, option + " '" + value + "' is not a size such as 512, 64K or 1M");
      check_usage(tool, {option}, "option '" + option + "' needs a value");
    }
}

TEST_CASE("sizes that a tool cannot have") {
  for (const CopyTool& tool : stream_tools()) {
    if (tool.name == "record-write")
      for (const std::string block : {"1", "8", "16777217", "17M"}) {
        std::uint64_t bytes = 0;
        REQUIRE(tool_parse_size(block.c_str(), &bytes));
        check_usage(tool, {"-b", block}, "-b " + std::to_string(bytes) + ": a record has 9 to 16777216 bytes");
      }
    for (const std::string option : {"--buffer-in", "--buffer-out"})
      if (tool.has(option)) check_usage(tool, {option, "17M"}, option + " '17M' is more than 16M");
    for (const std::string option : {"--depth", "--buffers"})
      for (const std::string count : {"0", "65", "1K", "four", "-1"})
        if (tool.has(option)) check_usage(tool, {option, count}, option + " '" + count + "' is not a number from 1 to 64");
    if (tool.name == "direct-copy")
      for (const std::string block : {"1", "512", "4097"})
        check_usage(tool, {"-b", block}, "-b " + block + " is not a multiple of 4096, as O_DIRECT wants it");
  }
}

TEST_CASE("options that contradict one another") {
  for (const CopyTool& tool : stream_tools()) {
    if (!tool.has("--fill")) continue;
    if (tool.has("--drain")) check_usage(tool, {"--drain", "--fill", "1K"}, "--drain and --fill leave nothing to do");
    if (tool.has("-n"))
      check_usage(tool, {"-n", "1", "--fill", "1K"}, "--fill says how much to write: no -n beside it");
  }
}

TEST_CASE("help and version") {
  for (const CopyTool& tool : stream_tools())
    for (const std::string option : {"--help", "--version"}) {
      INFO(tool.name << " " << option);
      const Scratch scratch;
      Sink sink("pipe", scratch);
      const Ended ended = run(with(tool, {option}), {.in = -1, .out = sink.fd()});
      const std::string text = sink.collect();
      CHECK(ended.status == 0);
      CHECK(ended.err == "");
      CHECK(text.find(tool.name) != std::string::npos);
      CHECK(text.back() == '\n');
      if (option == "--help")
        for (const std::string known : {"-b", "-n", "--drain", "--fill", "--raw", "--pipe-size", "--buffer-in",
                                        "--buffer-out", "--depth", "--buffers"})
          CHECK((text.find("\n  " + known + " ") != std::string::npos) == tool.has(known));
      Sink full("full", scratch);
      const Ended failed = run(with(tool, {option}), {.in = -1, .out = full.fd()});
      CHECK(failed.status == 1);
      CHECK(failed.err == tool.name + ": write standard output: No space left on device\n");
      CHECK(run(with(tool, {option}), {.in = -1, .out = -1}).status == 1);
    }
}

TEST_CASE("a block that does not fit into memory") {
  std::vector<std::string> names = {"readwrite", "freadwrite"};
#ifndef __SANITIZE_ADDRESS__
  names.push_back("transfer-to");  // by malloc, of which a sanitizer has its own, which ends the program
#endif
  for (const std::string& name : names) {
    const Copied copied = copy({tool_path(name), "-b", "8000000T"}, "file", "file", "input");
    CHECK(copied.ended.status == 1);
    CHECK(copied.ended.err == name + ": allocate a buffer of 8796093022208000000 bytes: Cannot allocate memory\n");
  }
}
