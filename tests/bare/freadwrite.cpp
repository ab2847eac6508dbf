// SPDX-License-Identifier: MIT
// The loop of tools/freadwrite.cpp with BUFSIZ and nothing else: what tests/overhead.sh compares the tool with. The
// array is aligned and touched, as the tool's is.
#include <stdio.h>
#include <string.h>

alignas(4096) static char buffer[BUFSIZ];

int main() {
  size_t n;
  memset(buffer, 1, sizeof buffer);
  while ((n = fread(buffer, 1, sizeof buffer, stdin)) > 0)
    if (fwrite(buffer, 1, n, stdout) != n) return 1;
  return ferror(stdin) || fflush(stdout) != 0;
}
