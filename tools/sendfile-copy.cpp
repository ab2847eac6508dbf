// SPDX-License-Identifier: MIT
// sendfile-copy: sendfile(2) from descriptor 0 to descriptor 1 until it returns 0; no byte enters this process.
// The kernel must be able to splice from the input (files, some devices; not pipes or terminals; sockets only into a
// pipe) and the output must not append: otherwise the first call says so and the status is 77. One call moves at most
// 2,147,479,552 bytes. To a pipe or socket it passes on the page cache's own pages, so that a file changed before the
// reader has read shows the change; into /dev/null nothing moves at all. An error does not say which end it came from.
#include "tool.h"

#include <sys/sendfile.h>

static const struct tool self = {.name = "sendfile-copy",
                                 .summary = "copies by sendfile, inside the kernel",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT | TOOL_PIPE,
                                 .block = 1 << 20};

static void failed(bool moved);
static void check_end(void);

static void copy(size_t block, uint64_t left) {
  bool moved = false;
  ssize_t n;
  while (left > 0 && (n = sendfile(1, 0, NULL, tool_least(left, block))) != 0) {
    if (n > 0) {
      left -= (uint64_t)n;
      moved = true;
    } else {
      failed(moved);
    }
  }
  if (left > 0 && !moved) check_end();
}

// Returns when the call may be repeated. Either end may be the one that is not ready.
static void failed(bool moved) {
  const int error = errno;
  if (tool_again(1, POLLOUT)) {
    errno = error;
    if (tool_again(0, POLLIN)) return;
  }
  errno = error;
  if (!moved && tool_unsupported(error)) tool_refuse("sendfile standard input to standard output");
  tool_die("sendfile standard input to standard output");
}

// A kernel may report the end at once for a file whose size it does not know, as those in /proc.
static void check_end(void) {
  char byte;
  const off_t here = lseek(0, 0, SEEK_CUR);
  if (here >= 0 && pread(0, &byte, 1, here) > 0)
    tool_exit(TOOL_REFUSED, "sendfile: reports the end of an input that has more to read");
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  copy(options.block, options.limit);
  tool_close(1);
  return 0;
}
