// SPDX-License-Identifier: MIT
// buffered-1K … buffered-1M: arrays of N bytes through a buffered C++ stream, Uppal's array rows (2004); one program
// for each N, which the build gives as NAME and ARRAY_BYTES. The array is aligned and touched; the streams' buffers are
// libstdc++'s default, BUFSIZ (8,192) bytes where operator new puts them. Only the smaller arrays really go through
// them: an array of 1,024 bytes and more is written straight away by writev together with what is buffered, and one of
// 8,191 and more is read straight into. The stream reads ahead: with -n a file's offset is put back, but what was read
// ahead from a pipe is gone for the next reader.
#include "stream.h"

static const struct tool self = {.name = NAME,
                                 .summary = "copies by istream::read and ostream::write, an array a call",
                                 .accepts = TOOL_LIMIT | TOOL_DRAIN | TOOL_FILL};

static void copy(std::istream& in, std::ostream& out, char* array, uint64_t left) {
  for (; left > 0 && in; left -= static_cast<uint64_t>(in.gcount())) {
    in.read(array, static_cast<std::streamsize>(tool_least(left, ARRAY_BYTES)));
    if (!out.write(array, in.gcount())) tool_die("write standard output");
  }
}

static void drain(std::istream& in, char* array, uint64_t left) {
  for (; left > 0 && in; left -= static_cast<uint64_t>(in.gcount()))
    in.read(array, static_cast<std::streamsize>(tool_least(left, ARRAY_BYTES)));
}

static void fill(std::ostream& out, const char* pattern, uint64_t bytes) {
  for (size_t n; bytes > 0; bytes -= n) {
    n = tool_least(bytes, ARRAY_BYTES);
    if (!out.write(pattern, static_cast<std::streamsize>(n))) tool_die("write standard output");
  }
}

int main(int argc, char** argv) {
  const tool_options options = tool_start(&self, argc, argv);
  char* array = reinterpret_cast<char*>(tool_buffer(ARRAY_BYTES));
  if (options.drain) {
    read_input(nullptr, [&](std::istream& in) { drain(in, array, options.limit); });
    return 0;
  }
  OutputStream out;
  if (options.fill)
    fill(out.stream, array, options.fill);
  else
    read_input(&out, [&](std::istream& in) { copy(in, out.stream, array, options.limit); });
  out.close();
  return 0;
}
