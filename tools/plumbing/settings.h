// SPDX-License-Identifier: MIT
// plumb's command line: its options, IN, OUT and the command. Every mistake ends plumb with 125, since 2, the other tools'
// status for it, could as well be the command's. Plain C to its readers, like tool.h.
#ifndef IOBENCH_SETTINGS_H
#define IOBENCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ends.h"

#ifdef __cplusplus
extern "C" {
#endif

struct settings {
  struct end in, out;
  char **command;  // ends with NULL
  bool sync;
  double wait_s;
  uint64_t repeat;
  const char *fresh;   // a file that is removed before each run but the first; NULL: none
  const char *cgroup;  // NULL: none
  bool has_user;       // the command gives up whoever plumb is for these
  uid_t user;
  gid_t user_group;
};

// Opens the account and pins the process on the way, so that the mistakes after those options are accounted for.
struct settings settings_parse(char **argv);

#ifdef __cplusplus
}
#endif
#endif
