// SPDX-License-Identifier: MIT
// Gives a pipe memory that this process has filled and does not touch again: one copy fewer than write(2) makes, and the
// reader still has bytes that nobody changes, unlike those of a file's own pages.
#ifndef IOBENCH_CHOOSING_GIVING_H
#define IOBENCH_CHOOSING_GIVING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether the system gives out huge pages on request (transparent_hugepage). Small pages take longer to come by than
// the copy that they save.
bool huge_pages_to_be_had(void);

// Copies at most *left bytes from descriptor 0 to the pipe 1 by read and vmsplice, and takes them off *left. Returns 0 at
// the end of the input, otherwise the errno of the call that declined. Every byte that was taken from descriptor 0 has
// reached descriptor 1 by then. Errors of reading and of a pipe without a reader end the tool.
int copy_by_giving(uint64_t *left);

#ifdef __cplusplus
}
#endif
#endif
