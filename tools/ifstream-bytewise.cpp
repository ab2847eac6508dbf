// SPDX-License-Identifier: MIT
// ifstream-bytewise: a byte a call through a buffered C++ stream, istream::get and ostream::put, as Uppal's bytewise
// rows (2004) call a buffered stream once a byte. Without options the streams have libstdc++'s default buffers of BUFSIZ
// bytes, where operator new puts them: reads of 8,191 bytes, since it keeps one back, and writes of 8,192. His streams had
// the JVM's of then: --buffer-in 2K --buffer-out 512 makes reads of 2,048 bytes and writes of 512. Each call builds a
// sentry and checks the stream's state: 123 instructions a byte for the two (tests/overhead.sh).
#include "stream.h"

static const char* buffer_in;
static const char* buffer_out;
static const struct tool_option own[] = {
    {"buffer-in", "SIZE", "bytes a read (default 8191)", &buffer_in},
    {"buffer-out", "SIZE", "bytes a write (default 8192)", &buffer_out},
    {nullptr, nullptr, nullptr, nullptr}};
static const struct tool self = {.name = "ifstream-bytewise",
                                 .summary = "copies by istream::get and ostream::put, a byte a call",
                                 .accepts = TOOL_DRAIN | TOOL_FILL,
                                 .extra = own};

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

static size_t buffer_bytes(const char* option, const char* text, size_t otherwise) {
  constexpr uint64_t most = 16 << 20;
  if (text == nullptr) return otherwise;
  const uint64_t bytes = tool_size_option(option, text);
  if (bytes > most) tool_usage("%s '%s' is more than 16M", option, text);
  return static_cast<size_t>(bytes);
}

int main(int argc, char** argv) {
  const tool_options options = tool_parse(&self, argc, argv);
  const size_t in_bytes = buffer_bytes("--buffer-in", buffer_in, BUFSIZ - 1) + 1;  // of which a read fills all but one
  const size_t out_bytes = buffer_bytes("--buffer-out", buffer_out, BUFSIZ);
  tool_check_ends(!options.fill, !options.drain);
  if (options.drain) {
    read_input(nullptr, drain, in_bytes);
    return 0;
  }
  OutputStream out(out_bytes);
  if (options.fill)
    fill(out.stream, options.fill);
  else
    read_input(&out, [&out](std::istream& in) { copy(in, out.stream); }, in_bytes);
  out.close();
  return 0;
}
