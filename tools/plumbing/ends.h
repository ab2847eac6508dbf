// SPDX-License-Identifier: MIT
// The words IN and OUT of plumb's command line: what they mean, and opening them. Every mistake ends plumb with a line
// that names the word. Plain C to its readers, like tool.h.
#ifndef IOBENCH_ENDS_H
#define IOBENCH_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum end_kind {
  END_INHERIT,  // -
  END_FILE,     // PATH; as an output like the shell's >
  END_NEW,      // new:PATH, must not exist
  END_OVER,     // over:PATH, must exist, is overwritten in place
  END_APPEND,   // append:PATH
  END_PIPE,     // pipe:PATH as an input; pipe, pipe:splice, pipe:SIZE, pipe:splice:SIZE as an output
  END_TCP,      // tcp:HOST:PORT
  END_UNIX,     // unix:PATH
};

struct end {
  enum end_kind kind;
  const char *word;  // as given
  const char *path;  // zero and null are files: /dev/zero, /dev/null
  char host[256];
  int port;
  uint64_t pipe_bytes;  // 0: as the system gives it
  bool splice;
};

struct end end_parse_input(const char *word);
struct end end_parse_output(const char *word);

// A descriptor above 2, close-on-exec; 0 or 1 for `-`. A pipe's other end is a process that is started here.
int end_open_input(const struct end *end);
int end_open_output(const struct end *end);

// After the command's end: fails for plumb when the file behind a pipe could not be read to its end.
void end_finish_input(const struct end *input);

// Whether there is another end, which sees the end of the data later than the command: pipes and sockets.
bool end_is_delivered(const struct end *output);
// After the command's end: waits until the other end of a pipe or socket has seen the end of the data. NULL when it has;
// otherwise why not: it went away, or it has not by the deadline of clock_now_s.
const char *end_deliver(const struct end *output, int fd, double deadline_s);

#ifdef __cplusplus
}
#endif
#endif
