// SPDX-License-Identifier: MIT
// The end of plumb: its figures, the tail of what was said on standard error, and every way out of the process, so that
// the JSON object asked for with --account is written however plumb ends. Plain C to its readers, like tool.h.
#ifndef IOBENCH_ACCOUNT_H
#define IOBENCH_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// plumb's own failures, and what env(1) and timeout(1) say for a command that cannot be started.
enum { PLUMB_FAILED = 125, PLUMB_CANNOT_RUN = 126, PLUMB_NOT_FOUND = 127 };

// Sums over the runs that were made, except peak_memory_bytes, the largest. Seconds count from the command's fork: to
// its end; until the other end has seen the end of the data, too; until the file is on the device.
struct account {
  uint64_t repeat;  // runs made
  int signal;       // that ended the command; 0: none
  double return_s, delivered_s, durable_s;
  bool has_delivered, has_durable, has_delivered_bytes;
  uint64_t delivered_bytes;  // counted by the reader of a pipe
  double user_s, system_s;
  bool has_calls;  // the next six, from /proc
  uint64_t read_calls, write_calls, read_bytes, written_bytes, device_read_bytes, dirtied_bytes;
  bool has_feeder;  // every feeder of a pipe came to the end of its file: the next one is known
  uint64_t feeder_device_read_bytes;
  uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches, peak_memory_bytes;
};
extern struct account account;

// Opens FILE now, so that an unwritable one is known before the command runs, and an old object in it is none any more.
void account_open(const char *path);
bool account_wanted(void);

// Remembers the last 4 KiB of these bytes for the key "error".
void account_said(const char *bytes, size_t size);

// Writes the object and exits.
__attribute__((noreturn)) void account_finish(int status);
// The same, after one line on standard error, "plumb: FORMAT", and the end of all of plumb's children.
__attribute__((noreturn, cold, format(printf, 2, 3))) void account_fail(int status, const char *format, ...);
// The line alone.
__attribute__((cold, format(printf, 1, 2))) void account_warn(const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
