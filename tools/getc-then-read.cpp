// SPDX-License-Identifier: MIT
// getc-then-read: getc once, then read() on the same descriptor; write() both. Not a copy: Perlman asked in 1985 what happens
// when read and write are used directly in conjunction with stdio, and this shows it. getc fills stdio's buffer from the
// descriptor, which moves on by that much; read goes on from there, and what the buffer still holds is skipped.
#include "tool.h"

int main(int argc, char **argv) {
  static const struct tool self = {.name = "getc-then-read",
                                   .summary = "shows what read() skips after getc(): not a copy",
                                   .accepts = 0};
  static unsigned char block[4096];
  unsigned char first;
  size_t n;
  int c;
  tool_parse(&self, argc, argv);
  tool_check_ends(true, true);
  c = getc(stdin);
  if (c == EOF && ferror(stdin)) tool_die("read standard input");
  if (c != EOF) {
    first = (unsigned char)c;
    tool_write(1, &first, 1);
  }
  while ((n = tool_read(0, block, sizeof block)) > 0) tool_write(1, block, n);
  tool_close(1);
}
