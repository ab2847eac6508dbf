// SPDX-License-Identifier: MIT
// The loop of tools/record-read.cpp --raw and nothing else: what tests/overhead.sh compares the tool with. The length is
// believed, the buffer is large enough, and a file's reads are not short.
#include <unistd.h>

alignas(4096) static unsigned char payload[1 << 20];

int main() {
  unsigned char head[8];
  ssize_t n;
  while ((n = read(0, head, sizeof head)) == sizeof head) {
    const ssize_t length = head[4] | head[5] << 8 | head[6] << 16;
    if (read(0, payload, static_cast<size_t>(length)) != length) return 1;
    if (write(1, payload, static_cast<size_t>(length)) != length) return 1;
  }
  return n != 0;
}
