// SPDX-License-Identifier: MIT
// What one run of the command used: times, faults and memory from wait4(2), calls and bytes from /proc/PID/io, both of
// the command and of the children it waited for, and of nobody else. Plain C to its readers, like tool.h.
#ifndef IOBENCH_USAGE_H
#define IOBENCH_USAGE_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Before the fork of the command. From here to usage_end plumb's own reads and writes go through the two calls below.
void usage_begin(void);
ssize_t usage_read(int fd, void *buffer, size_t size);
ssize_t usage_write(int fd, const void *buffer, size_t size);

// What the calling process has had from devices so far (read_bytes of /proc/self/io); false: not known.
bool usage_device_read(uint64_t *bytes);

// Waits for the command, which has ended, and adds what it used to `account`, whose `repeat` counts the runs before.
// `calls` writes of `bytes` in all were made by plumb's child before it became the command. Returns the status as of waitpid(2).
int usage_end(pid_t command, uint64_t calls, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
