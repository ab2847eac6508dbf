// SPDX-License-Identifier: MIT
// ifstream-bytewise: a byte a call through a buffered C++ stream, istream::get and ostream::put, as Uppal's bytewise
// rows (2004) call a buffered stream once a byte. The streams have libstdc++'s default buffers of BUFSIZ (8,192) bytes,
// of which it uses 8,191, where operator new puts them. Each call builds a sentry and checks the stream's state: 123
// instructions a byte for the two (tests/overhead.sh).
#include "stream.h"

static const struct tool self = {.name = "ifstream-bytewise",
                                 .summary = "copies by istream::get and ostream::put, a byte a call",
                                 .accepts = TOOL_DRAIN | TOOL_FILL};

static void copy(std::istream& in, std::ostream& out) {
  int c;
  while ((c = in.get()) != EOF)
    if (!out.put(static_cast<char>(c))) tool_die("write standard output");
}

static void drain(std::istream& in) {
  while (in.get() != EOF) {
  }
}

static void fill(std::ostream& out, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++)
    if (!out.put(static_cast<char>(i + 128))) tool_die("write standard output");
}

int main(int argc, char** argv) {
  const tool_options options = tool_start(&self, argc, argv);
  if (options.drain) {
    read_input(nullptr, drain);
    return 0;
  }
  OutputStream out;
  if (options.fill)
    fill(out.stream, options.fill);
  else
    read_input(&out, [&out](std::istream& in) { copy(in, out.stream); });
  out.close();
  return 0;
}
