// SPDX-License-Identifier: MIT
// readwrite: read and write in blocks with no library between, Perlman's fourth program (1985); 1,024 bytes were his.
// A block is what one read returns, at most -b: a short read is written at once and is not the end. Needs nothing of
// the kernel but read and write; below some 16K the system calls themselves are most of the cost.
#include "tool.h"

static const struct tool self = {.name = "readwrite",
                                 .summary = "copies by read and write, a block a call",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT | TOOL_DRAIN | TOOL_FILL | TOOL_PIPE,
                                 .block = 1024};

static void copy(unsigned char *buffer, size_t block, uint64_t left) {
  size_t n;
  while (left > 0 && (n = tool_read(0, buffer, tool_least(left, block))) > 0) {
    tool_write(1, buffer, n);
    left -= n;
  }
}

static void drain(unsigned char *buffer, size_t block, uint64_t left) {
  size_t n;
  while (left > 0 && (n = tool_read(0, buffer, tool_least(left, block))) > 0) left -= n;
}

static void fill(const unsigned char *pattern, size_t block, uint64_t bytes) {
  uint64_t done;
  size_t n;
  for (done = 0; (n = tool_least(bytes - done, block)) > 0; done += n) tool_write(1, pattern + done % 256, n);
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  unsigned char *buffer = tool_buffer(options.block);
  if (options.drain) {
    drain(buffer, options.block, options.limit);
    return 0;
  }
  if (options.fill)
    fill(buffer, options.block, options.fill);
  else
    copy(buffer, options.block, options.limit);
  tool_close(1);
  return 0;
}
