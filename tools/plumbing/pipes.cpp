// SPDX-License-Identifier: MIT
// See pipes.h.
#include "pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "account.h"
#include "clock.h"
#include "process.h"
#include "usage.h"

// Both ends move 64 KiB a call, a pipe's own capacity on Linux: more would be cut into as much, less would add calls.
enum { PIPE_BYTES = 65536 };

static void make_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) account_fail(PLUMB_FAILED, "create a pipe: %s", strerror(errno));
}

// In the child: `in` and `out` become 0 and 1, all else is closed, so that only the command decides when a pipe ends.
// A Ctrl-C at the terminal is for the command; this process ends with the data, or with plumb.
static void stand_alone(int in, int out) {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_DFL);
  if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(1);
  close_range(3, ~0U, 0);
}

static char *page_buffer(size_t size) {
  void *buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return buffer == MAP_FAILED ? NULL : (char *)buffer;
}

// Until the end of the file, or until the command closes its input, which ends this process with SIGPIPE. 0 or errno.
static int feed(void) {
  char *buffer = page_buffer(PIPE_BYTES);
  if (!buffer) return errno;
  for (;;) {
    ssize_t got = read(STDIN_FILENO, buffer, PIPE_BYTES);
    if (got == 0) return 0;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    for (const char *next = buffer; got > 0;) {
      const ssize_t put = write(STDOUT_FILENO, next, (size_t)got);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return 0;  // the pipe's only reader is gone
      next += put;
      got -= put;
    }
  }
}

int pipes_start_feeder(int file) {
  int ends[2];
  make_pipe(ends);
  if (process_fork(PROCESS_FEEDER) == 0) {
    stand_alone(file, ends[1]);
    process_page->feeder_errno = feed();
    close(STDOUT_FILENO);  // the end of the data, before anything that takes time
    if (process_page->feeder_errno == 0)
      process_page->feeder_counted = usage_device_read(&process_page->feeder_device_read_bytes);
    _exit(0);
  }
  close(file);
  close(ends[1]);
  return ends[0];
}

void pipes_end_feeder(const char *path) {
  static const double counting_s = 0.2;  // of a process that only has to read one line of /proc
  int status = 0;
  if (account_wanted()) process_wait(PROCESS_FEEDER, clock_now_s() + counting_s, &status);
  process_end(PROCESS_FEEDER);  // one that failed has said so before the command could see the pipe's end
  account.has_feeder = process_page->feeder_counted && (account.has_feeder || account.repeat <= 1);
  account.feeder_device_read_bytes += process_page->feeder_device_read_bytes;
  process_page->feeder_counted = false;
  process_page->feeder_device_read_bytes = 0;
  if (process_page->feeder_errno != 0)
    account_fail(PLUMB_FAILED, "read %s: %s", path, strerror(process_page->feeder_errno));
}

// Reads or splices to the end, counting. 0 or errno.
static int discard(size_t size, bool splicing) {
  char *buffer = splicing ? NULL : page_buffer(size);
  if (!splicing && !buffer) return errno;
  for (;;) {
    const ssize_t got = splicing ? splice(STDIN_FILENO, NULL, STDOUT_FILENO, NULL, size, SPLICE_F_MOVE)
                                 : read(STDIN_FILENO, buffer, size);
    if (got == 0) return 0;
    if (got > 0)
      process_page->delivered_bytes += (uint64_t)got;
    else if (errno != EINTR)
      return errno;
  }
}

int pipes_start_reader(uint64_t size_bytes, bool splice) {
  const size_t size = size_bytes ? (size_t)size_bytes : (size_t)PIPE_BYTES;
  const int sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
  int ends[2];
  if (sink < 0) account_fail(PLUMB_FAILED, "open /dev/null: %s", strerror(errno));
  make_pipe(ends);
  if (size_bytes && (size_bytes > INT32_MAX || fcntl(ends[1], F_SETPIPE_SZ, (int)size) < 0))
    account_fail(PLUMB_FAILED, "give the pipe %llu bytes: %s (see /proc/sys/fs/pipe-max-size)",
                 (unsigned long long)size_bytes, strerror(size_bytes > INT32_MAX ? EINVAL : errno));
  if (process_fork(PROCESS_READER) == 0) {
    stand_alone(ends[0], sink);
    process_page->reader_errno = discard(size, splice);
    process_page->delivered_at_s = clock_now_s();
    _exit(0);
  }
  close(sink);
  close(ends[0]);
  return ends[1];
}

bool pipes_end_reader(double deadline_s) {
  int status = 0;
  if (!process_wait(PROCESS_READER, deadline_s, &status)) return false;
  if (process_page->reader_errno != 0)
    account_fail(PLUMB_FAILED, "read the pipe: %s", strerror(process_page->reader_errno));
  if (status != 0) account_fail(PLUMB_FAILED, "read the pipe: its reader was killed");
  return true;
}
