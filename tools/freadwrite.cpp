// SPDX-License-Identifier: MIT
// freadwrite: fread and fwrite in blocks of BUFSIZ, Perlman's third program (1985).
// The array is ours, aligned and touched; stdio's own buffers have st_blksize bytes (4,096 for most) and lie where
// malloc puts them. glibc reads whole multiples of that straight into the array, but fills its output buffer before it
// writes the rest straight from the array: two writes a block (strace shows 4,096 and 61,440 for -b 64K).
// It reads ahead: with -n a file's offset is put back, but what was read ahead from a pipe is gone for the next reader.
// A write that failed is never retried: stdio has dropped its buffer by then.
#include "tool.h"

static const struct tool self = {.name = "freadwrite",
                                 .summary = "copies by fread and fwrite, a block a call",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT,
                                 .block = BUFSIZ};

static void copy(unsigned char *buffer, size_t block, uint64_t left) {
  size_t n, wanted;
  int error;
  do {
    wanted = tool_least(left, block);
    n = fread(buffer, 1, wanted, stdin);
    error = errno;
    if (fwrite(buffer, 1, n, stdout) != n) tool_die("write standard output");
    left -= n;
  } while (left > 0 && (n == wanted || tool_stdin_again(error)));
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  copy(tool_buffer(options.block), options.block, options.limit);
  tool_close_stdout();
  fflush(stdin);  // POSIX: puts the offset of a file behind what was taken from it; fails, as it may, on a pipe
  return 0;
}
