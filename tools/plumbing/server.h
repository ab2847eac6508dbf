// SPDX-License-Identifier: MIT
// What net-sink and net-source have in common: options, listening, accepting, many clients in one process, the lines about
// them, and the end of the server. What a client gives or gets is the program's. Plain C to its readers, like tool.h.
#ifndef IOBENCH_SERVER_H
#define IOBENCH_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "socket.h"
#include "tool.h"

#ifdef __cplusplus
extern "C" {
#endif

struct client {
  int fd;  // non-blocking; -1: gone
  struct socket_address address;
  uint64_t bytes;     // moved so far
  double active_s;    // clock_now_s() when something was last heard of it
  double patience_s;  // how long after that it is asked again, with no events; 0: never. Begins as --idle
  bool finishing;     // this and the rest are the program's: all has been sent
  bool ended;         // it has closed its side
  int unsent;         // bytes that its system has not acknowledged
  double progress_s;  // when that last changed
};

enum serving {
  SERVING_GOES_ON,
  SERVING_DONE,    // served in full; only then, or when empty, does the client see its connection end in good order
  SERVING_EMPTY,   // it ended in good order and moved nothing: a copy of an empty file, or somebody who only knocked
  SERVING_STRAY,   // no client, and not to be counted as one
  SERVING_FAILED,  // bytes were lost; the program has said why
};

struct server {
  const char *name;
  // Events of poll(2) to wait for, besides the end of the connection; 0: none, it has to wait.
  short (*wanted)(const struct client *client);
  // Some of them happened; or none, and its patience is over.
  enum serving (*serve)(struct client *client, short events);
  void (*finish)(void);  // before exit status 0; NULL: nothing to do

  bool once;     // end with the first client
  int clients;   // at a time
  double idle_s; // 0: no limit; server_parse sets it
  int port;
  const char *unix_path, *listen;
};

// The options common to both, with defaults in *server; `own` is the program's switch. Exits on mistakes.
struct tool_options server_parse(struct server *server, int argc, char **argv, const char *summary, const char *operands,
                                 int accepts, struct tool_option own);

// Whether a standard descriptor is an end that somebody meant: not closed, no terminal, not the null device.
bool server_has_end(int descriptor);

// Listens, says so, and serves until a signal ends it, or the first client is served when server->once is set. By a signal,
// the last line says how many were served, and what is incomplete.
__attribute__((noreturn)) void server_run(const struct server *server);

// "NAME: PEER: FORMAT" on standard error. Never blocks and never floods: lines beyond 20 a second are only counted.
__attribute__((format(printf, 2, 3))) void server_log(const struct client *client, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
