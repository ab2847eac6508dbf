// SPDX-License-Identifier: MIT
// Descriptors 0 and 1 as C++ streams, for the tools whose strategy is a C++ stream; they loop over `stream`. Not
// std::cin and std::cout: those come synchronised with stdio and tied, 20 times as slow; not /dev/stdin either, which
// ignores an inherited offset and cannot open a socket. The library goes on by itself after a signal; on a non-blocking
// descriptor that is not ready it gives up, and has lost count by then: the tools end with 1.
#pragma once

#include <ext/stdio_filebuf.h>

#include <istream>
#include <ostream>

#include "tool.h"

struct InputBuffer : __gnu_cxx::stdio_filebuf<char> {
  using stdio_filebuf::stdio_filebuf;
  // What has been read and not yet taken.
  std::streamsize unread() const { return egptr() - gptr(); }
};

// Read errors are thrown out of the loop as std::ios_base::failure, which tells them from the end of the input.
struct InputStream {
  // libstdc++ asks a read for a byte less than the buffer has.
  explicit InputStream(size_t buffer_bytes = BUFSIZ)
      : buffer(STDIN_FILENO, std::ios::in | std::ios::binary, buffer_bytes), stream(&buffer) {
    if (!buffer.is_open()) tool_die("open standard input");
    stream.exceptions(std::ios::badbit);
  }
  // Puts a file's offset behind what was taken from it: the buffer has read ahead. Nothing to be done for a pipe.
  void give_back() {
    const off_t taken = buffer.pubseekoff(0, std::ios::cur, std::ios::in);
    if (taken >= 0) lseek(STDIN_FILENO, taken, SEEK_SET);
  }

  InputBuffer buffer;
  std::istream stream;
};

struct OutputStream {
  explicit OutputStream(size_t buffer_bytes = BUFSIZ)
      : buffer(STDOUT_FILENO, std::ios::out | std::ios::binary, buffer_bytes), stream(&buffer) {
    if (!buffer.is_open()) tool_die("open standard output");
  }
  void close() {
    if (!stream.flush()) tool_die("write standard output");
    if (buffer.close() == nullptr) tool_die("close standard output");
  }

  __gnu_cxx::stdio_filebuf<char> buffer;
  std::ostream stream;
};

// Runs a loop over standard input. What was read before a failure is written first, as a plain loop would have done;
// `out` is null for a loop that discards.
template <typename Loop>
void read_input(OutputStream* out, Loop loop, size_t buffer_bytes = BUFSIZ) {
  InputStream in(buffer_bytes);
  try {
    loop(in.stream);
  } catch (const std::ios_base::failure& failure) {
    if (out && !out->stream.flush()) tool_die("write standard output");
    errno = failure.code().value();
    tool_die("read standard input");
  }
  in.give_back();
}
