// SPDX-License-Identifier: MIT
// mmap-copy: maps the input a window of -b bytes at a time, from the page below its offset, and writes each window with
// one write. Needs a regular file as input, on a file system that maps it, whose size is known: 77 otherwise. Setting up
// and tearing down page tables (MAP_POPULATE does it a window at once) costs more than the copy that it saves: slower than
// read and write nearly everywhere, most with small windows. A file that shrinks ends the copy with 1: nothing here
// touches the pages itself, so that there is no SIGBUS, but zeros may have been written where its last page was cut. Into
// /dev/null no byte moves. A hole of a file in tmpfs takes memory once it has been mapped.
#include "tool.h"

#include <sys/mman.h>
#include <sys/stat.h>

static const struct tool self = {.name = "mmap-copy",
                                 .summary = "copies by mmap and write, a window a call",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT | TOOL_PIPE,
                                 .block = 1 << 20,
                                 .block_help = "bytes per window"};

static uint64_t in_file(off_t here, bool moved);
static void map_failed(bool moved);
static void write_window(const char *next, size_t size, off_t here);

static void copy(size_t block, off_t here, uint64_t left) {
  const off_t page = sysconf(_SC_PAGESIZE);
  bool moved = false;
  uint64_t ahead;
  while (left > 0 && (ahead = in_file(here, moved)) > 0) {
    const size_t n = tool_least(ahead < left ? ahead : left, block);
    const size_t skip = (size_t)(here % page);
    char *window = (char *)mmap(NULL, skip + n, PROT_READ, MAP_SHARED | MAP_POPULATE, 0, here - (off_t)skip);
    if (window == MAP_FAILED) map_failed(moved);
    lseek(0, here + (off_t)n, SEEK_SET);  // where a read would leave it
    write_window(window + skip, n, here);
    munmap(window, skip + n);
    here += (off_t)n;
    left -= n;
    moved = true;
  }
}

__attribute__((noreturn, cold)) static void shrank(void) {
  tool_exit(TOOL_FAILED, "standard input shrank while it was copied");
}

// How many bytes there are from `here` on, asked for each window: the file may grow and shrink.
static uint64_t in_file(off_t here, bool moved) {
  struct stat found;
  if (fstat(0, &found) != 0) tool_die_descriptor("stat", 0);
  if (found.st_size > here) return (uint64_t)(found.st_size - here);
  if (found.st_size < here && moved) shrank();
  if (!moved) tool_check_end("mmap", false);
  return 0;
}

static void map_failed(bool moved) {
  if (!moved && (tool_unsupported(errno) || errno == ENODEV || errno == EACCES)) tool_refuse("map standard input");
  tool_die_descriptor("map", 0);
}

// Not tool_write: a page that is gone, or that its device cannot read, is EFAULT here.
static void write_window(const char *next, size_t size, off_t here) {
  while (size > 0) {
    const ssize_t n = write(1, next, size);
    if (n > 0) {
      next += n;
      here += n;
      size -= (size_t)n;
    } else if (n == 0 || !tool_again(1, POLLOUT)) {
      char byte;
      if (n == 0) errno = 0;
      if (errno == EFAULT) {
        const ssize_t there = pread(0, &byte, 1, here);
        if (there < 0) tool_die_descriptor("read", 0);
        if (there == 0) shrank();
        errno = EFAULT;
      }
      tool_die_descriptor("write", 1);
    }
  }
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  struct stat found;
  off_t here;
  if (fstat(0, &found) != 0) tool_die_descriptor("stat", 0);
  if (!S_ISREG(found.st_mode)) tool_exit(TOOL_REFUSED, "standard input is no regular file, which alone can be mapped");
  here = lseek(0, 0, SEEK_CUR);
  if (here < 0) tool_refuse("lseek standard input");
  copy(options.block, here, options.limit);
  tool_close(1);
  return 0;
}
