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

static void copy(size_t block, uint64_t left) {
  bool moved = false;
  ssize_t n;
  while (left > 0 && (n = sendfile(1, 0, NULL, tool_least(left, block))) != 0) {
    if (n > 0) {
      left -= (uint64_t)n;
      moved = true;
    } else {
      tool_move_again("sendfile", moved);
    }
  }
  if (left > 0) tool_check_end("sendfile", moved);
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  copy(options.block, options.limit);
  tool_close(1);
  return 0;
}
