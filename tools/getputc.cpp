// SPDX-License-Identifier: MIT
// getputc: a byte a call through getc and putc, Perlman's second program (1985). They were macros then, a few
// instructions on the buffer; in today's glibc they are functions that take the stream's lock, 47 instructions a byte
// for the two (tests/overhead.sh). stdio's buffers have the file's st_blksize, 4,096 bytes for most, and lie where
// malloc puts them. A write that failed is never retried: stdio has dropped its buffer by then.
#include "tool.h"

static const struct tool self = {.name = "getputc", .summary = "copies by getc and putc, a byte a call"};

int main(int argc, char **argv) {
  int c;
  tool_start(&self, argc, argv);
  do {
    while ((c = getc(stdin)) != EOF)
      if (putc(c, stdout) == EOF) tool_die("write standard output");
  } while (tool_stdin_again(errno));
  tool_close_stdout();
  return 0;
}
