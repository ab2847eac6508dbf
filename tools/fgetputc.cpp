// SPDX-License-Identifier: MIT
// fgetputc: a byte a call through fgetc and fputc, Perlman's first program (1985).
// They were functions where getc and putc were macros, which cost him twice the time; in today's glibc all four are
// functions that take the stream's lock, and the two programs cost the same. Buffers as in getputc: st_blksize bytes
// each, where malloc puts them. A write that failed is never retried: stdio has dropped its buffer by then.
#include "tool.h"

static const struct tool self = {.name = "fgetputc", .summary = "copies by fgetc and fputc, a byte a call"};

int main(int argc, char **argv) {
  int c;
  tool_start(&self, argc, argv);
  do {
    while ((c = fgetc(stdin)) != EOF)
      if (fputc(c, stdout) == EOF) tool_die("write standard output");
  } while (tool_stdin_again(errno));
  tool_close_stdout();
  return 0;
}
