// SPDX-License-Identifier: MIT
// vmsplice-copy: reads into a ring of buffers and gives their pages to the pipe at descriptor 1 by vmsplice(2). Needs a
// pipe as output, otherwise 77. The pipe holds our pages and not a copy: the ring is twice what the pipe holds, so that
// nothing is overwritten before it has been read, and a page counts as read once the reader has taken it. RIGHT ONLY WITH
// A READER THAT COPIES, as read does: one that splices the pages on, into another pipe or a socket, may see them
// overwritten. After the end they may stay there: the kernel keeps them for as long as the pipe does. A pipe has one slot
// a page however little is in it: input in pieces of a few bytes fills it 4,096 times as soon.
#include "tool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

static const struct tool self = {.name = "vmsplice-copy",
                                 .summary = "copies by read and vmsplice, into a pipe whose reader copies",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT | TOOL_PIPE,
                                 .block = 128 << 10,
                                 .block_help = "bytes per call, at most what the pipe holds"};

static size_t pipe_holds(void) {
  const int bytes = fcntl(1, F_GETPIPE_SZ);
  if (bytes <= 0) tool_exit(TOOL_REFUSED, "vmsplice: standard output is no pipe");
  return (size_t)bytes;
}

static void give(unsigned char *next, size_t size, bool moved);

// Every block begins on a page and every page that was given fills a slot, so that at most as many pages as the pipe has
// slots, half of the ring, are still to be read, and they are those given last.
static void copy(size_t block, uint64_t left) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t holds = pipe_holds();
  unsigned char *ring = tool_buffer(2 * holds);
  size_t at = 0;
  size_t n;
  bool moved = false;
  while (left > 0) {
    const size_t now = pipe_holds();
    if (now > holds) {  // the reader has asked for more: pages of the old ring live on in the pipe
      munmap(ring, 2 * holds);
      ring = tool_buffer(2 * now);
      holds = now;
      at = 0;
    }
    n = tool_read(0, ring + at, tool_least(tool_least(left, block), tool_least(2 * holds - at, holds)));
    if (n == 0) return;
    give(ring + at, n, moved);
    moved = true;
    left -= n;
    at += (n + page - 1) / page * page;
    if (at >= 2 * holds) at = 0;
  }
}

static void give(unsigned char *next, size_t size, bool moved) {
  struct iovec pages = {next, size};
  while (pages.iov_len > 0) {
    const ssize_t n = vmsplice(1, &pages, 1, 0);
    if (n > 0) {
      pages.iov_base = (char *)pages.iov_base + n;
      pages.iov_len -= (size_t)n;
      moved = true;
    } else if (n == 0 || !tool_again(1, POLLOUT)) {
      const int error = n == 0 ? 0 : errno;
      const bool back = lseek(0, -(off_t)pages.iov_len, SEEK_CUR) >= 0;
      errno = error;
      if (!moved && back && tool_unsupported(error)) tool_refuse("vmsplice standard output");
      tool_die_descriptor("vmsplice", 1);
    }
  }
}

// Asked with nothing to give, before anything is read: a kernel without the call says so.
static void ask_kernel(void) {
  struct iovec nothing = {NULL, 0};
  while (vmsplice(1, &nothing, 1, 0) < 0) {
    if (tool_again(1, POLLOUT)) continue;
    if (tool_unsupported(errno)) tool_refuse("vmsplice standard output");
    tool_die_descriptor("vmsplice", 1);
  }
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  pipe_holds();
  ask_kernel();
  copy(options.block, options.limit);
  tool_close(1);
  return 0;
}
