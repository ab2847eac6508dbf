// SPDX-License-Identifier: MIT
// The loop of tools/getputc.cpp and nothing else: what tests/overhead.sh compares the tool with.
#include <stdio.h>

int main() {
  int c;
  while ((c = getc(stdin)) != EOF)
    if (putc(c, stdout) == EOF) return 1;
  return ferror(stdin) || fflush(stdout) != 0;
}
