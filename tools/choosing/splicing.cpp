// SPDX-License-Identifier: MIT
#include "splicing.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <time.h>

#include "../tool.h"

enum { BLOCK = 1 << 20, PATIENCE_NS = 50000 };

// When the other process is awake on another processor, data come within microseconds; going to sleep costs it a
// wake-up for every block, more than the block itself. Looks for a while, letting others run, before it sleeps.
static void wait_briefly(int descriptor, short events) {
  struct pollfd ready = {descriptor, events, 0};
  struct timespec begin, now;
  if (poll(&ready, 1, 0) != 0) return;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    sched_yield();
    if (poll(&ready, 1, 0) != 0) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < PATIENCE_NS);
}

// After a call between the two descriptors failed: whether it may be repeated. Either end may be the one not ready.
static bool pair_again(void) {
  const int error = errno;
  bool again = tool_again(1, POLLOUT);
  if (again) {
    errno = error;
    again = tool_again(0, POLLIN);
  }
  errno = error;
  return again;
}

static int splice_directly(uint64_t *left) {
  while (*left > 0) {
    wait_briefly(0, POLLIN);
    const ssize_t n = splice(0, NULL, 1, NULL, tool_least(*left, BLOCK), 0);
    if (n > 0)
      *left -= (uint64_t)n;
    else if (n == 0)
      return 0;
    else if (!pair_again())
      return errno;
  }
  return 0;
}

// Takes out by read what the kernel will not move on.
static void empty_by_write(int pipe_reader, size_t bytes) {
  unsigned char buffer[4096];
  while (bytes > 0) {
    const size_t n = tool_read(pipe_reader, buffer, tool_least(bytes, sizeof buffer));
    tool_write(1, buffer, n);
    bytes -= n;
  }
}

static int splice_on(int pipe_reader, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = splice(pipe_reader, NULL, 1, NULL, bytes, 0);
    if (n > 0) {
      bytes -= (size_t)n;
    } else if (n == 0 || !tool_again(1, POLLOUT)) {
      const int error = n < 0 ? errno : 0;
      empty_by_write(pipe_reader, bytes);
      return error ? error : EINVAL;
    }
  }
  return 0;
}

static int splice_through(int pipe_reader, int pipe_writer, uint64_t *left) {
  int error = 0;
  while (*left > 0 && error == 0) {
    wait_briefly(0, POLLIN);
    const ssize_t n = splice(0, NULL, pipe_writer, NULL, tool_least(*left, BLOCK), 0);
    if (n == 0) break;
    if (n > 0) {
      *left -= (uint64_t)n;
      error = splice_on(pipe_reader, (size_t)n);
    } else if (!tool_again(0, POLLIN)) {
      error = errno;
    }
  }
  return error;
}

// Where standard error is closed, a new descriptor must not become it.
static int above_standard(int descriptor) {
  if (descriptor < 0 || descriptor > 2) return descriptor;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  close(descriptor);
  return moved;
}

int copy_by_splice(bool has_pipe, uint64_t *left) {
  int ends[2], error;
  if (has_pipe) return splice_directly(left);
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  ends[0] = above_standard(ends[0]);
  ends[1] = above_standard(ends[1]);
  error = ends[0] < 0 || ends[1] < 0 ? EMFILE : 0;
  if (error == 0) {
    tool_ask_pipe(ends[1], BLOCK);
    error = splice_through(ends[0], ends[1], left);
  }
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
  return error;
}

int copy_by_sendfile(uint64_t *left) {
  while (*left > 0) {
    const ssize_t n = sendfile(1, 0, NULL, tool_least(*left, BLOCK));
    if (n > 0)
      *left -= (uint64_t)n;
    else if (n == 0)
      return 0;
    else if (!pair_again())
      return errno;
  }
  return 0;
}

int copy_by_clone(uint64_t bytes, uint64_t *left) {
  struct file_clone_range range;
  const off_t from = lseek(0, 0, SEEK_CUR), to = lseek(1, 0, SEEK_CUR);
  if (from < 0 || to < 0) return errno;
  range.src_fd = 0;
  range.src_offset = (uint64_t)from;
  range.src_length = bytes;
  range.dest_offset = (uint64_t)to;
  if (ioctl(1, FICLONERANGE, &range) != 0) return errno;
  if (lseek(0, from + (off_t)bytes, SEEK_SET) < 0 || lseek(1, to + (off_t)bytes, SEEK_SET) < 0) return errno;
  *left -= bytes;
  return 0;
}
