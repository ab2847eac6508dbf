// SPDX-License-Identifier: MIT
// plumb's children: the command, the feeder of a pipe and the reader of a pipe. None outlives plumb, not even when plumb
// is killed; waiting for one has a limit; what they have to tell is on a page they share.
// Plain C to its readers, like tool.h.
#ifndef IOBENCH_PROCESS_H
#define IOBENCH_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum process_role { PROCESS_FEEDER, PROCESS_READER, PROCESS_COMMAND, PROCESS_ROLES };

// What the children report. A step that failed carries its errno; 0: none.
struct process_page {
  uint64_t delivered_bytes;  // the reader, so far
  double delivered_at_s;     // the reader, clock_now_s() at the end of the data
  int feeder_errno, reader_errno;
  bool feeder_counted;  // the next one is known: the feeder came to the end of its file
  uint64_t feeder_device_read_bytes;
  const char *command_step;  // NULL: none failed; a constant of plumb.cpp, at the same address in parent and child
  int command_errno;
};
extern struct process_page *process_page;

// fork(2). The child is killed when plumb ends, whatever ends plumb. The command leads a process group of its own, unless
// it shares a terminal (process_forward_signals). 0 in the child.
pid_t process_fork(enum process_role role);
// A descriptor that becomes readable at the end of the child. Linux 5.3.
int process_handle(enum process_role role);
// From now on SIGINT, SIGTERM and SIGHUP, unless ignored by inheritance, go to the command and the processes it started,
// and end what plumb waits for afterwards. `terminal`: the command's input is one; it stays in plumb's process group, so
// that it may read, and gets by itself what the terminal sends.
void process_forward_signals(bool terminal);
// From now on plumb gets SIGTERM when the process that started it ends, which is then passed on like any other.
void process_die_with_parent(void);
// The last such signal; 0: none.
int process_interrupted(void);

// poll(2) on one descriptor until the deadline of clock_now_s: 1 it is ready, 0 too late, -1 such a signal has come.
int process_poll(int fd, short events, double deadline_s);

// Waits for the end, at most until the deadline of clock_now_s and until a signal; true and *status as of waitpid(2) when
// it came.
bool process_wait(enum process_role role, double deadline_s, int *status);
// It has been waited for elsewhere.
void process_forget(enum process_role role);
// Kills it, if it still runs, and waits.
void process_end(enum process_role role);
// The same for all, and for what the command has left behind in its process group.
void process_end_all(void);

#ifdef __cplusplus
}
#endif
#endif
