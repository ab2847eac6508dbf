// SPDX-License-Identifier: MIT
// What copy-stream has to know of a descriptor before it chooses. The common subset of C and C++.
#ifndef IOBENCH_CHOOSING_ENDS_H
#define IOBENCH_CHOOSING_ENDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

enum end_kind {
  END_FILE,   // a regular file; those of /proc say that they are empty
  END_PIPE,   // or FIFO
  END_TCP,    // stream sockets only
  END_UNIX,
  END_NULL,   // the null device
  END_OTHER,  // terminals, block and character devices, other sockets: read and write serve them all
};

struct end {
  enum end_kind kind;
  const char *name;         // "a file"
  bool append;              // O_APPEND
  bool near;                // of a socket: the other end is on this machine
  uint64_t left;            // of a file that is read: bytes behind its offset; otherwise UINT64_MAX
  struct stat status;
};

// Ends the tool with 1 when the descriptor cannot be looked at.
struct end end_look(int descriptor);

// Asks for buffers that a fast copy fills and empties less often: pipes of 1 MiB; 4 MiB, or what the system allows, for
// sockets whose other end is on this machine. Over a network a fixed buffer would switch off the kernel's own, which
// grow with the distance. Only wishes: nothing is said when they are refused.
void end_widen(int descriptor, const struct end *end, bool input);

// How many processors this process may use.
int processors_allowed(void);

#ifdef __cplusplus
}
#endif
#endif
