// SPDX-License-Identifier: MIT
// getputc-unlocked: a byte a call through getc_unlocked and putc_unlocked. They are what getc and putc were when Perlman
// wrote (1985): a few instructions on stdio's buffer, 14 a byte for the two, inlined into the loop and without the lock
// that glibc's getc and putc take. Right only where no other thread uses the stream. Needs nothing of the kernel but read
// and write, in calls of the file's st_blksize, 4,096 bytes for most: those small calls, not the bytes, are what is left
// to lose. A write that failed is never retried: stdio has dropped its buffer by then.
#include "tool.h"

static const struct tool self = {.name = "getputc-unlocked",
                                 .summary = "copies by getc_unlocked and putc_unlocked, a byte a call"};

int main(int argc, char **argv) {
  int c;
  tool_start(&self, argc, argv);
  do {
    while ((c = getc_unlocked(stdin)) != EOF)
      if (putc_unlocked(c, stdout) == EOF) tool_die("write standard output");
  } while (tool_stdin_again(errno));
  tool_close_stdout();
  return 0;
}
