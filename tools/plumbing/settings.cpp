// SPDX-License-Identifier: MIT
// See settings.h.
#include "settings.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "account.h"
#include "clock.h"
#include "process.h"
#include "tool.h"

#ifndef IOBENCH_VERSION
#define IOBENCH_VERSION "unversioned"
#endif

static const char help_text[] =
    "usage: plumb [options] IN OUT COMMAND ARG...\n"
    "Connects a command's standard input and output to files, pipes or sockets, and runs it.\n"
    "\n"
    "IN   PATH             a file\n"
    "     pipe:PATH        a pipe that another process fills from the file, 64 KiB a call\n"
    "     tcp:HOST:PORT    a connection; tcp:[::1]:3344 for IPv6\n"
    "     unix:PATH        a UNIX socket\n"
    "     zero, null       /dev/zero, /dev/null\n"
    "     -                plumb's own standard input; a file is rewound before each run of --repeat\n"
    "OUT  PATH             a file, created or emptied, as the shell's >\n"
    "     new:PATH         a file that must not exist\n"
    "     over:PATH        a file that must exist, overwritten in place, not shortened\n"
    "     append:PATH      a file, as the shell's >>\n"
    "     pipe             a pipe whose reader copies, counts and discards, 64 KiB a call\n"
    "     pipe:SIZE        a pipe of that size (the system rounds up to a power of two), the reader's buffer likewise\n"
    "     pipe:splice      a pipe whose reader moves the pages to /dev/null; also pipe:splice:SIZE\n"
    "     tcp:HOST:PORT, unix:PATH, null, -\n"
    "A file that has the name of one of these words: put ./ before it.\n"
    "\n"
    "  --account FILE   write one JSON object: status, seconds, calls, bytes, memory, the end of standard error\n"
    "  --sync           wait until the file OUT is on the device\n"
    "  --wait TIME      for the other end of a pipe or socket, at most (default 30s; 500ms, 2m)\n"
    "  --repeat N       run the command N times, up to the first failure; the account holds sums\n"
    "  --fresh PATH     of the runs of --repeat each but the first begins by removing PATH: new:PATH, or a file that\n"
    "                   the command makes by name\n"
    "  --cpus LIST      run on these processors, plumb's own processes too: 0  0,1  0-3\n"
    "  --cgroup DIR     the command enters this control group before it starts\n"
    "  --user UID:GID   the command, and it alone, runs as that user, in no other group\n"
    "  --die-with-parent  end, and the command with it, when the process that started plumb ends\n"
    "  --help           this text\n"
    "  --version        the version\n"
    "\n"
    "With a file, null or - as OUT and nothing to do afterwards, plumb becomes the command. Otherwise it waits, for a\n"
    "pipe or socket until the other end has seen the end of the data; SIGINT, SIGTERM and SIGHUP go to the command.\n"
    "Exit status: the command's; 128 + N when signal N ended it; 125 plumb itself failed or was used wrongly; 126 the\n"
    "command cannot be run; 127 there is no such command.\n";

// One number of a processor list; moves *text past it.
static int processor_of(const char **text, const char *list) {
  int value = 0, digits = 0;
  for (; **text >= '0' && **text <= '9' && value < CPU_SETSIZE; ++*text, digits++) value = value * 10 + (**text - '0');
  if (digits == 0) account_fail(PLUMB_FAILED, "--cpus '%s' is not a list such as 0 or 0,1 or 0-3", list);
  if (value >= CPU_SETSIZE) account_fail(PLUMB_FAILED, "--cpus %s: at most processor %d", list, CPU_SETSIZE - 1);
  return value;
}

static void pin(const char *list) {
  cpu_set_t wanted, got;
  const char *next = list;
  CPU_ZERO(&wanted);
  do {
    const int first = processor_of(&next, list);
    int last = first;
    if (*next == '-') {
      next++;
      last = processor_of(&next, list);
    }
    if (last < first) account_fail(PLUMB_FAILED, "--cpus %s: the range %d-%d is empty", list, first, last);
    for (int cpu = first; cpu <= last; cpu++) CPU_SET(cpu, &wanted);
  } while (*next == ',' && next++);
  if (*next != '\0') account_fail(PLUMB_FAILED, "--cpus '%s' is not a list such as 0 or 0,1 or 0-3", list);
  // The kernel silently drops processors that are not there or not allowed, unless none is left.
  if (sched_setaffinity(0, sizeof wanted, &wanted) != 0 || sched_getaffinity(0, sizeof got, &got) != 0 ||
      !CPU_EQUAL(&wanted, &got))
    account_fail(PLUMB_FAILED, "--cpus %s: not all of these processors are there and allowed", list);
}

static unsigned id_of(const char **text, const char *word) {
  uint64_t value = 0;
  int digits = 0;
  for (; **text >= '0' && **text <= '9' && digits < 10; ++*text, digits++) value = value * 10 + (uint64_t)(**text - '0');
  if (digits == 0 || value >= UINT32_MAX) account_fail(PLUMB_FAILED, "--user '%s' is not UID:GID, such as 1000:1000", word);
  return (unsigned)value;
}

static void take_user(const char *word, struct settings *settings) {
  const char *next = word;
  settings->has_user = true;
  settings->user = id_of(&next, word);
  if (*next++ != ':') account_fail(PLUMB_FAILED, "--user '%s' is not UID:GID, such as 1000:1000", word);
  settings->user_group = id_of(&next, word);
  if (*next != '\0') account_fail(PLUMB_FAILED, "--user '%s' is not UID:GID, such as 1000:1000", word);
}

// The option's value, from the same word or the next.
static const char *value_of(const char *name, char **argv, int *at) {
  const size_t length = strlen(name);
  if (strncmp(argv[*at], name, length) != 0) return NULL;
  if (argv[*at][length] == '=') return argv[*at] + length + 1;
  if (argv[*at][length] != '\0') return NULL;
  if (!argv[*at + 1]) account_fail(PLUMB_FAILED, "option '%s' needs a value; try 'plumb --help'", name);
  return argv[++*at];
}

static void take_option(char **argv, int *at, struct settings *settings) {
  const char *value;
  if (strcmp(argv[*at], "--sync") == 0) {
    settings->sync = true;
  } else if (strcmp(argv[*at], "--die-with-parent") == 0) {
    process_die_with_parent();
  } else if ((value = value_of("--account", argv, at)) != NULL) {
    account_open(value);
  } else if ((value = value_of("--wait", argv, at)) != NULL) {
    if (!clock_parse(value, &settings->wait_s))
      account_fail(PLUMB_FAILED, "--wait '%s' is not a time such as 30s, 500ms or 2m", value);
  } else if ((value = value_of("--repeat", argv, at)) != NULL) {
    if (!tool_parse_size(value, &settings->repeat))
      account_fail(PLUMB_FAILED, "--repeat '%s' is not a number above zero", value);
  } else if ((value = value_of("--fresh", argv, at)) != NULL) {
    settings->fresh = value;
  } else if ((value = value_of("--cpus", argv, at)) != NULL) {
    pin(value);
  } else if ((value = value_of("--cgroup", argv, at)) != NULL) {
    settings->cgroup = value;
  } else if ((value = value_of("--user", argv, at)) != NULL) {
    take_user(value, settings);
  } else {
    account_fail(PLUMB_FAILED, "unknown option '%s'; try 'plumb --help'", argv[*at]);
  }
}

struct settings settings_parse(char **argv) {
  struct settings settings;
  int at = 1;
  memset(&settings, 0, sizeof settings);
  settings.wait_s = 30;
  settings.repeat = 1;
  for (; argv[at] && argv[at][0] == '-' && argv[at][1] != '\0'; at++) {
    if (strcmp(argv[at], "--") == 0) {
      at++;
      break;
    }
    if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "--version") == 0) {
      fputs(argv[at][2] == 'h' ? help_text : "plumb (iobench) " IOBENCH_VERSION "\n", stdout);
      if (fclose(stdout) != 0) account_fail(PLUMB_FAILED, "write standard output: %s", strerror(errno));
      account_finish(0);
    }
    take_option(argv, &at, &settings);
  }
  if (!argv[at] || !argv[at + 1] || !argv[at + 2])
    account_fail(PLUMB_FAILED, "it takes IN OUT COMMAND ARG...; try 'plumb --help'");
  settings.in = end_parse_input(argv[at]);
  settings.out = end_parse_output(argv[at + 1]);
  settings.command = argv + at + 2;
  if (settings.out.kind == END_NEW && settings.repeat > 1 &&
      (!settings.fresh || strcmp(settings.fresh, settings.out.path) != 0))
    account_fail(PLUMB_FAILED, "%s with --repeat and without --fresh: the second run would find the file", settings.out.word);
  return settings;
}
