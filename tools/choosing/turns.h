// SPDX-License-Identifier: MIT
// Two threads that take turns, for copies between files: each reads a block into a buffer of its own while the other
// writes, and hands on first the turn to read, then the turn to write, so that the bytes stay in order. A block is
// written by the processor that has read it, out of its own cache; a reader and a writer with a ring between them move
// every block from one cache to the other.
#ifndef IOBENCH_CHOOSING_TURNS_H
#define IOBENCH_CHOOSING_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Copies at most *left bytes from descriptor 0 to descriptor 1, by read and write, and takes them off *left. `buffers`
// holds two blocks. Returns at the end of the input, or false, with nothing read, when no thread could be started. Errors end the tool.
bool copy_by_turns(unsigned char *buffers, size_t block, uint64_t *left);

#ifdef __cplusplus
}
#endif
#endif
