// SPDX-License-Identifier: MIT
// The other ends of plumb's pipes, each a process of its own: the feeder writes a file into the command's input, the
// reader takes the command's output, counts and discards it. Plain C to its readers, like tool.h.
#ifndef IOBENCH_PIPES_H
#define IOBENCH_PIPES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Starts the feeder of an open file, which is closed here; returns the pipe's end for the command.
int pipes_start_feeder(int file);
// Starts the reader; size_bytes of the pipe and of the reader's buffer, 0: 64 KiB. `splice`: the reader moves the pages to
// the null device and copies nothing. Returns the pipe's end for the command.
int pipes_start_reader(uint64_t size_bytes, bool splice);

// After the command's end. The feeder is not to be waited for: what the command did not read is not wanted any more.
// Fails for plumb when the file at `path` could not be read.
void pipes_end_feeder(const char *path);
// Waits until the reader has seen the end of the data; false when it has not by the deadline.
bool pipes_end_reader(double deadline_s);

#ifdef __cplusplus
}
#endif
#endif
