// SPDX-License-Identifier: MIT
// Copies that the kernel makes, or avoids, for copy-stream. Each goes on until there is no more or the kernel declines;
// which of the two, and what really is wrong when something is, is for the read and write that come after it to find.
#ifndef IOBENCH_CHOOSING_SPLICING_H
#define IOBENCH_CHOOSING_SPLICING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What follows takes what it has moved off *left and returns the errno of the call that declined, 0 when a call moved
// nothing. Every byte that was taken from descriptor 0 has reached descriptor 1 by then.

// splice(2), directly where `has_pipe` says that one of the ends is a pipe, otherwise through a pipe of its own.
int copy_by_splice(bool has_pipe, uint64_t *left);

// sendfile(2).
int copy_by_sendfile(uint64_t *left);

// ioctl_ficlonerange(2): the output shares the file system's blocks of the `bytes` behind the input's offset, until one
// of the two is written to.
int copy_by_clone(uint64_t bytes, uint64_t *left);

#ifdef __cplusplus
}
#endif
#endif
