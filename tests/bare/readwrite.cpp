// SPDX-License-Identifier: MIT
// The loop of tools/readwrite.cpp with blocks of 64K and nothing else: what tests/overhead.sh compares the tool with.
// The array is aligned and touched, as the tool's is.
#include <string.h>
#include <unistd.h>

alignas(4096) static char buffer[65536];

int main() {
  ssize_t n;
  memset(buffer, 1, sizeof buffer);
  while ((n = read(0, buffer, sizeof buffer)) > 0)
    if (write(1, buffer, static_cast<size_t>(n)) != n) return 1;
  return n < 0;
}
