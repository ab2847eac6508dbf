// SPDX-License-Identifier: MIT
// The loop of tools/transfer-to.cpp with its default of 8K and nothing else: what tests/overhead.sh compares the tool
// with. What is freed stays in the process here too.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main() {
  const size_t stream = 1 << 20, block = 8192;
  size_t size;
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  do {
    size_t capacity = 32;
    char* memory = static_cast<char*>(malloc(capacity));
    char* buffer = static_cast<char*>(aligned_alloc(4096, block));
    memset(buffer, 0, block);
    for (size = 0; size < stream;) {
      const ssize_t n = read(0, buffer, block);
      if (n < 0) return 1;
      if (n == 0) break;
      const size_t needed = size + static_cast<size_t>(n);
      if (needed > capacity) {
        capacity = 2 * capacity < needed ? needed : 2 * capacity;
        char* grown = static_cast<char*>(malloc(capacity));
        memcpy(grown, memory, size);
        free(memory);
        memory = grown;
      }
      memcpy(memory + size, buffer, static_cast<size_t>(n));
      size = needed;
    }
    free(buffer);
    if (size > 0 && write(1, memory, size) != static_cast<ssize_t>(size)) return 1;
    free(memory);
  } while (size == stream);
  return 0;
}
