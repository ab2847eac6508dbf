// SPDX-License-Identifier: MIT
// readwrite: read and write in blocks with no library between, Perlman's fourth program (1985); 1,024 bytes were his.
// A block is what one read returns, at most -b: a short read is written at once and is not the end. Needs nothing of
// the kernel but read and write; below some 16K the system calls themselves are most of the cost.
#include "tool.h"

static const char *misalign;

static const struct tool_option extra[] = {
    {"misalign", "BYTES", "begin the buffer so many bytes into a page (default: at its beginning)", &misalign}, {0}};

static const struct tool self = {.name = "readwrite",
                                 .summary = "copies by read and write, a block a call",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT | TOOL_DRAIN | TOOL_FILL | TOOL_PIPE,
                                 .block = 1024,
                                 .extra = extra};

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

static size_t missed(bool fill) {
  const uint64_t bytes = misalign ? tool_size_option("--misalign", misalign) : 0;
  if (bytes >= 4096) tool_usage("--misalign '%s' is not below 4096", misalign);
  if (bytes && fill) tool_usage("--misalign moves the buffer, and --fill writes what is at its beginning");
  return (size_t)bytes;
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  const size_t away = missed(options.fill != 0);
  unsigned char *buffer = tool_buffer(options.block + away) + away;
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
