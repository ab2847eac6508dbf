// SPDX-License-Identifier: MIT
// streambuf-copy: `out << in.rdbuf()`, the whole file by one statement of the C++ library. libstdc++ fills the input's
// buffer of 8,192 bytes but for one and hands all of it to the output at once, which writes it past its own buffer: a
// read and a write of 8,191 bytes each, from where operator new put the buffer. Needs nothing of the kernel but read and
// write; those small calls are where it loses. The statement hides what went wrong: it "fails" on an empty input, does
// not on an output that fails after the first bytes, and swallows a read error.
#include "stream.h"

static const struct tool self = {.name = "streambuf-copy", .summary = "copies by one `out << in.rdbuf()`"};

static int copy(InputStream& in, OutputStream& out) {
  int error = 0;
  out.stream.exceptions(std::ios::failbit);  // otherwise a read error is swallowed
  try {
    out.stream << &in.buffer;
  } catch (const std::ios_base::failure& failure) {
    // Without a reason of its own: an empty input, which is no failure, or an output that took nothing.
    if (failure.code() != std::io_errc::stream) error = failure.code().value();
  }
  if (in.buffer.unread() > 0) tool_die("write standard output");  // the statement itself does not say so
  out.stream.exceptions(std::ios::goodbit);
  out.stream.clear();
  return error;
}

int main(int argc, char** argv) {
  tool_start(&self, argc, argv);
  OutputStream out;
  InputStream in;
  const int error = copy(in, out);
  if (error) {
    if (!out.stream.flush()) tool_die("write standard output");
    errno = error;
    tool_die("read standard input");
  }
  out.close();
  return 0;
}
