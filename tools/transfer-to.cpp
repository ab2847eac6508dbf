// SPDX-License-Identifier: MIT
// transfer-to: read into a transfer buffer, append that to a memory buffer that grows by doubling; what
// InputStream.transferTo does with a byte array stream (OpenJDK pull request 11783, 2022: what should that buffer's size
// be?). Every 1 MiB of the input is a stream of its own, the last may be shorter, and every stream has new buffers: the
// transfer buffer of -b at a page's beginning and zeroed, as Java zeroes it, the memory buffer of 32 bytes at first where
// malloc puts it; growing is allocate, copy, free, to twice the size or to what is needed if that is more. Then the
// stream's bytes are written in one call, so that a copy can be checked; --drain drops them, as in 2022. A stream ends
// after its 1 MiB, without the read that finds a file's end.
// What is freed stays in the process, as in Java's heap: glibc would otherwise give it back to the kernel after each
// stream or keep it, depending on -b, and getting it again cost thirty times the copy (5.3 ns a byte with -b 64K, 0.17
// with 128K; two cores of an AMD EPYC, 24 GiB, virtual, Debian 12, Linux 6.18). Memory: a few MiB and -b, whatever the
// input's length.
#include "tool.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_BYTES = 1 << 20, FIRST_BYTES = 32 };

static const struct tool self = {.name = "transfer-to",
                                 .summary = "copies through memory, 1 MiB at a time into a buffer that grows",
                                 .accepts = TOOL_BLOCK | TOOL_DRAIN,
                                 .block = 8192,
                                 .block_help = "bytes of the transfer buffer"};

struct memory {
  unsigned char *bytes;
  size_t size, capacity;
};

static void *allocate(size_t alignment, size_t bytes);
static void append(struct memory *memory, const unsigned char *bytes, size_t size);

// One stream: 0, or the errno of the read that failed.
static int transfer(struct memory *memory, size_t block) {
  unsigned char *buffer = (unsigned char *)allocate(4096, block);
  int error = 0;
  memset(buffer, 0, block);
  while (memory->size < STREAM_BYTES) {
    const ssize_t n = read(0, buffer, tool_least(STREAM_BYTES - memory->size, block));
    if (n > 0) {
      append(memory, buffer, (size_t)n);
    } else if (n == 0 || !tool_again(0, POLLIN)) {
      if (n < 0) error = errno;
      break;
    }
  }
  free(buffer);
  return error;
}

static void append(struct memory *memory, const unsigned char *bytes, size_t size) {
  const size_t needed = memory->size + size;
  if (needed > memory->capacity) {
    const size_t doubled = 2 * memory->capacity;
    const size_t capacity = doubled < needed ? needed : doubled;
    unsigned char *grown = (unsigned char *)allocate(0, capacity);
    memcpy(grown, memory->bytes, memory->size);
    free(memory->bytes);
    memory->bytes = grown;
    memory->capacity = capacity;
  }
  memcpy(memory->bytes + memory->size, bytes, size);
  memory->size = needed;
}

static void *allocate(size_t alignment, size_t bytes) {
  void *allocated = NULL;
  if (alignment)
    errno = posix_memalign(&allocated, alignment, bytes);
  else
    allocated = malloc(bytes);
  if (!allocated) tool_exit(TOOL_FAILED, "allocate a buffer of %zu bytes: %s", bytes, strerror(errno));
  return allocated;
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  size_t size;
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
  mallopt(M_TRIM_THRESHOLD, INT32_MAX);
  do {
    struct memory memory = {(unsigned char *)allocate(0, FIRST_BYTES), 0, FIRST_BYTES};
    const int error = transfer(&memory, options.block);
    if (!options.drain) tool_write(1, memory.bytes, memory.size);
    if (error) tool_die_reading(error);
    size = memory.size;
    free(memory.bytes);
  } while (size == STREAM_BYTES);
  if (!options.drain) tool_close(1);
  return 0;
}
