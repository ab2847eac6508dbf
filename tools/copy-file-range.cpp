// SPDX-License-Identifier: MIT
// copy-file-range: copy_file_range(2) from descriptor 0 to descriptor 1 until it returns 0; the file system may copy as
// it likes. Needs two regular files, an output that does not append, and a file system that can: across two of them most
// kernels decline (EXDEV), and then, or where the ends are anything else, the status is 77. xfs and btrfs may clone:
// both files then share the data, no byte has moved, and the time of such a "copy" must not be compared with others.
// Elsewhere the kernel splices page by page: as fast as sendfile. Small blocks cost most where they clone.
#include "tool.h"

#include <fcntl.h>

static const struct tool self = {.name = "copy-file-range",
                                 .summary = "copies by copy_file_range, file to file, inside the kernel",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT,
                                 .block = 1 << 20};

static void copy(size_t block, uint64_t left) {
  bool moved = false;
  ssize_t n;
  while (left > 0 && (n = copy_file_range(0, NULL, 1, NULL, tool_least(left, block), 0)) != 0) {
    if (n > 0) {
      left -= (uint64_t)n;
      moved = true;
    } else {
      tool_move_again("copy_file_range", moved);
    }
  }
  if (left > 0) tool_check_end("copy_file_range", moved);
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  // The kernel's word for it is EBADF, which would read as if the descriptor were closed.
  if (fcntl(1, F_GETFL) & O_APPEND) tool_exit(TOOL_REFUSED, "copy_file_range: standard output appends");
  copy(options.block, options.limit);
  tool_close(1);
  return 0;
}
