// SPDX-License-Identifier: MIT
// See usage.h.
//
// /proc/PID/io of the ended command, before it is waited for, is exact, but readable by root only: a process without
// memory belongs to root (measured on Linux 6.18: EACCES for anybody else). For the others the difference of
// /proc/self/io around the wait, which adds the command's figures to plumb's, less what plumb itself read and wrote.
#include "usage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "account.h"

struct io {
  bool known;
  uint64_t read_bytes, written_bytes, read_calls, write_calls, device_read_bytes, dirtied_bytes;
};

static struct io before;
static struct io own;  // since usage_begin

ssize_t usage_read(int fd, void *buffer, size_t size) {
  const ssize_t got = read(fd, buffer, size);
  own.read_calls++;
  if (got > 0) own.read_bytes += (uint64_t)got;
  return got;
}

ssize_t usage_write(int fd, const void *buffer, size_t size) {
  const ssize_t put = write(fd, buffer, size);
  own.write_calls++;
  if (put > 0) own.written_bytes += (uint64_t)put;
  return put;
}

// The number behind `key`; clears *known when it is not there.
static uint64_t number_of(const char *text, const char *key, bool *known) {
  const char *at = strstr(text, key);
  if (!at) *known = false;
  return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static struct io read_io(const char *path) {
  char text[512];
  struct io io;
  ssize_t got = -1;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  memset(&io, 0, sizeof io);
  if (fd < 0) return io;
  got = usage_read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return io;
  text[got] = '\0';
  io.known = true;
  io.read_bytes = number_of(text, "rchar: ", &io.known);
  io.written_bytes = number_of(text, "\nwchar: ", &io.known);
  io.read_calls = number_of(text, "\nsyscr: ", &io.known);
  io.write_calls = number_of(text, "\nsyscw: ", &io.known);
  io.device_read_bytes = number_of(text, "\nread_bytes: ", &io.known);
  io.dirtied_bytes = number_of(text, "\nwrite_bytes: ", &io.known);
  return io;
}

bool usage_device_read(uint64_t *bytes) {
  const struct io mine = read_io("/proc/self/io");
  *bytes = mine.device_read_bytes;
  return mine.known;
}

void usage_begin(void) {
  if (!account_wanted()) return;
  memset(&own, 0, sizeof own);
  before = read_io("/proc/self/io");  // counts itself only afterwards, hence in `own`
}

static uint64_t less(uint64_t from, uint64_t what) { return from > what ? from - what : 0; }

static struct io difference(void) {
  const struct io mine = own;  // the reading below is in no figure that it returns
  struct io after = read_io("/proc/self/io");
  after.known = after.known && before.known;
  after.read_bytes = less(after.read_bytes, before.read_bytes + mine.read_bytes);
  after.written_bytes = less(after.written_bytes, before.written_bytes + mine.written_bytes);
  after.read_calls = less(after.read_calls, before.read_calls + mine.read_calls);
  after.write_calls = less(after.write_calls, before.write_calls + mine.write_calls);
  after.device_read_bytes = less(after.device_read_bytes, before.device_read_bytes);
  after.dirtied_bytes = less(after.dirtied_bytes, before.dirtied_bytes);
  return after;
}

static void add_io(const struct io *io, uint64_t calls, uint64_t bytes) {
  account.has_calls = io->known && (account.has_calls || account.repeat == 0);
  account.read_calls += io->read_calls;
  account.write_calls += less(io->write_calls, calls);
  account.read_bytes += io->read_bytes;
  account.written_bytes += less(io->written_bytes, bytes);
  account.device_read_bytes += io->device_read_bytes;
  account.dirtied_bytes += io->dirtied_bytes;
}

static double seconds_of(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

static void add_resources(const struct rusage *used) {
  const uint64_t peak_bytes = (uint64_t)used->ru_maxrss * 1024;
  account.user_s += seconds_of(used->ru_utime);
  account.system_s += seconds_of(used->ru_stime);
  account.minor_faults += (uint64_t)used->ru_minflt;
  account.major_faults += (uint64_t)used->ru_majflt;
  account.voluntary_switches += (uint64_t)used->ru_nvcsw;
  account.involuntary_switches += (uint64_t)used->ru_nivcsw;
  if (peak_bytes > account.peak_memory_bytes) account.peak_memory_bytes = peak_bytes;
}

int usage_end(pid_t command, uint64_t calls, uint64_t bytes) {
  char path[32];
  struct io io;
  struct rusage used;
  int status = 0;
  memset(&io, 0, sizeof io);
  memset(&used, 0, sizeof used);
  if (account_wanted()) {
    snprintf(path, sizeof path, "/proc/%d/io", (int)command);
    io = read_io(path);
  }
  while (wait4(command, &status, 0, &used) < 0 && errno == EINTR) continue;
  if (account_wanted()) {
    if (!io.known) io = difference();
    add_io(&io, calls, bytes);
  }
  add_resources(&used);
  return status;
}
