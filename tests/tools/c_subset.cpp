// SPDX-License-Identifier: MIT
// A loop can be lifted into a C program: every tool whose strategy is not a C++ stream compiles as C, two are linked
// and run as C, and none of them loads the C++ library. Each header of tools/ compiles alone.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>

using namespace iobench::testing;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;



fs::path sources() {
  const char* root = std::getenv("IOBENCH_ROOT");
  REQUIRE(root != nullptr);
  return fs::path(root) / "tools";
}

Words flags_of(const std::string& language, const std::string& standard) {
  return {"-x", language, "-std=" + standard, "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I", sources().string()};
}
Words c_flags() { return flags_of("c", "gnu17"); }
Words cpp_flags() { return flags_of("c++", "gnu++20"); }

// A tool is a C++ one when it includes a header of the C++ library, itself or by way of stream.h.
bool is_cpp(const fs::path& source) {
  const std::string text = iobench::read_file(source);
  return text.find("\"stream.h\"") != std::string::npos || text.find("#include <istream>") != std::string::npos;
}

Ended compile(const std::string& compiler, const Words& flags, const Words& more) {
  Words argv = {compiler};
  argv.insert(argv.end(), flags.begin(), flags.end());
  argv.insert(argv.end(), more.begin(), more.end());
  return run(argv, {}, 120);
}

}  // namespace

TEST_CASE("tools that are not C++ streams are C") {
  int checked = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(sources())) {
    const fs::path path = entry.path();
    if (path.extension() != ".cpp" || is_cpp(path)) continue;
    const Ended ended = compile("cc", c_flags(), {"-fsyntax-only", path});
    INFO(path.filename() << "\n" << ended.err);
    CHECK(ended.status == 0);
    checked++;
  }
  CHECK(checked >= 6);
}

TEST_CASE("every header of the tools compiles alone") {
  const Scratch scratch;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(sources())) {
    const fs::path path = entry.path();
    if (path.extension() != ".h") continue;
    const fs::path unit = scratch.write("unit.cpp", "#include \"" + path.string() + "\"\n");
    const Ended ended = compile("c++", cpp_flags(), {"-fsyntax-only", unit});
    INFO(path.filename() << "\n" << ended.err);
    CHECK(ended.status == 0);
  }
  const Ended ended = compile("cc", c_flags(), {"-fsyntax-only", sources() / "tool.h"});
  INFO(ended.err);
  CHECK(ended.status == 0);
}

TEST_CASE("two tools, compiled and linked as C, copy") {
  const std::string bytes = some_bytes(100001);
  const Scratch scratch;
  for (const std::string name : {"getputc", "readwrite"}) {
    const fs::path program = scratch / name;
    const fs::path source = sources() / (name + ".cpp");
    const Ended built = compile("cc", c_flags(), {"-O2", "-o", program, source, sources() / "tool.cpp"});
    INFO(name << "\n" << built.err);
    REQUIRE(built.status == 0);
    const Copied copied = copy({program}, "pipe", "file", bytes);
    CHECK(copied.ended.status == 0);
    CHECK((copied.bytes == bytes));
    CHECK(copy({program, "--wrong"}, "file", "file", "").ended.status == 2);
  }
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("only C++ streams load the C++ library") {
  for (const CopyTool& tool : stream_tools()) {
    const Scratch scratch;
    Sink sink("pipe", scratch);
    CHECK(run({"ldd", tool_path(tool.name)}, {.out = sink.fd()}).status == 0);
    const bool loads = sink.collect().find("libstdc++") != std::string::npos;
    INFO(tool.name);
    CHECK(loads == (tool.through == Through::stream));
  }
}
#endif
