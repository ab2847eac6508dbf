// SPDX-License-Identifier: MIT
// splice-copy: splice(2) from descriptor 0 to descriptor 1 until it returns 0; where neither is a pipe, through a pipe of
// its own, two calls a block. No byte enters this process. The kernel must be able to splice from the one and to the
// other: not into a file that appends, nor /dev/full, nor from /dev/null; it is asked before a byte moves, and the
// status is 77 if it cannot. A call moves what the pipe holds at most, 64K unless --pipe-size says more, whatever -b.
// Pages are passed on and not copied where they can be: a file that changes before the reader of a pipe or socket has
// read it shows the change there. Into /dev/null nothing moves at all. Pieces of a few bytes fill a pipe's slots.
#include "tool.h"

#include <fcntl.h>

static const struct tool self = {.name = "splice-copy",
                                 .summary = "copies by splice, inside the kernel",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT | TOOL_PIPE,
                                 .block = 1 << 20};

static void copy(size_t block, uint64_t left) {
  bool moved = false;
  ssize_t n;
  while (left > 0 && (n = splice(0, NULL, 1, NULL, tool_least(left, block), 0)) != 0) {
    if (n > 0) {
      left -= (uint64_t)n;
      moved = true;
    } else {
      tool_move_again("splice", moved);
    }
  }
  if (left > 0) tool_check_end("splice", moved);
}

static size_t fill(int pipe, size_t size, bool moved);
static void empty(int pipe, size_t size, bool moved);

static void copy_through(const int pipe[2], size_t block, uint64_t left) {
  bool moved = false;
  size_t n;
  while (left > 0 && (n = fill(pipe[1], tool_least(left, block), moved)) > 0) {
    empty(pipe[0], n, moved);
    left -= n;
    moved = true;
  }
  if (left > 0) tool_check_end("splice", moved);
}

static size_t fill(int pipe, size_t size, bool moved) {
  ssize_t n;
  while ((n = splice(0, NULL, pipe, NULL, size, 0)) < 0) {
    if (tool_again(0, POLLIN)) continue;
    if (!moved && tool_unsupported(errno)) tool_refuse("splice standard input");
    tool_die_descriptor("splice", 0);
  }
  return (size_t)n;
}

// What the output does not take stays in our pipe, and would be lost with it: an input that can seek gets it back.
static void empty(int pipe, size_t size, bool moved) {
  while (size > 0) {
    const ssize_t n = splice(pipe, NULL, 1, NULL, size, 0);
    if (n > 0) {
      size -= (size_t)n;
      moved = true;
    } else if (n == 0 || !tool_again(1, POLLOUT)) {
      const int error = n == 0 ? 0 : errno;
      const bool whole = lseek(0, -(off_t)size, SEEK_CUR) >= 0;
      errno = error;
      if (!moved && whole && tool_unsupported(error)) tool_refuse("splice standard output");
      tool_die_descriptor("splice", 1);
    }
  }
}

// Whether the output takes a splice at all, asked of it with an empty pipe: EAGAIN is a yes.
static void ask_output(int pipe) {
  while (splice(pipe, NULL, 1, NULL, 1, SPLICE_F_NONBLOCK) < 0 && errno != EAGAIN) {
    if (errno == EINTR) continue;
    if (tool_unsupported(errno)) tool_refuse("splice standard output");
    tool_die_descriptor("splice", 1);
  }
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  if (fcntl(0, F_GETPIPE_SZ) > 0 || fcntl(1, F_GETPIPE_SZ) > 0) {
    copy(options.block, options.limit);
  } else {
    int own[2];
    if (pipe2(own, O_CLOEXEC) != 0) tool_die("make a pipe");
    if (options.pipe) tool_ask_pipe(own[1], options.pipe);
    ask_output(own[0]);
    copy_through(own, options.block, options.limit);
  }
  tool_close(1);
  return 0;
}
