// SPDX-License-Identifier: MIT
// See ends.h.
#include "ends.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account.h"
#include "clock.h"
#include "pipes.h"
#include "process.h"
#include "socket.h"
#include "tool.h"

// What follows `prefix` in `word`; NULL when it does not begin so.
static const char *after(const char *word, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(word, prefix, length) == 0 ? word + length : NULL;
}

static void parse_tcp(const char *rest, struct end *end) {
  const char *colon = strrchr(rest, ':');
  size_t length = colon ? (size_t)(colon - rest) : 0;
  end->kind = END_TCP;
  if (length >= 2 && rest[0] == '[' && rest[length - 1] == ']') {
    rest++;
    length -= 2;
  } else if (memchr(rest, ':', length)) {
    length = 0;  // an IPv6 address without brackets: where would its port begin?
  }
  if (length == 0 || length >= sizeof end->host || !socket_parse_port(colon + 1, &end->port) || end->port == 0)
    account_fail(PLUMB_FAILED, "'%s' is not tcp:HOST:PORT, such as tcp:localhost:4433 or tcp:[::1]:4433", end->word);
  memcpy(end->host, rest, length);
}

// The words that mean the same on both sides. END_FILE without a path: none of them.
static struct end parse_common(const char *word) {
  struct end end;
  const char *rest;
  memset(&end, 0, sizeof end);
  end.kind = END_FILE;
  end.word = word;
  if (strcmp(word, "-") == 0) {
    end.kind = END_INHERIT;
  } else if (strcmp(word, "null") == 0) {
    end.path = "/dev/null";
  } else if ((rest = after(word, "tcp:")) != NULL) {
    parse_tcp(rest, &end);
  } else if ((rest = after(word, "unix:")) != NULL) {
    end.kind = END_UNIX;
    end.path = rest;
  }
  return end;
}

static void need_path(const struct end *end) {
  if (end->path && end->path[0] == '\0') account_fail(PLUMB_FAILED, "'%s' names no file", end->word);
}

struct end end_parse_input(const char *word) {
  struct end end = parse_common(word);
  if (end.kind == END_FILE && !end.path) {
    end.path = after(word, "pipe:");
    if (end.path)
      end.kind = END_PIPE;
    else if (strcmp(word, "pipe") == 0)
      account_fail(PLUMB_FAILED, "'pipe' as an input needs the file that feeds it: pipe:PATH (a file called pipe is ./pipe)");
    else
      end.path = strcmp(word, "zero") == 0 ? "/dev/zero" : word;
  }
  need_path(&end);
  return end;
}

static void parse_pipe(const char *rest, struct end *end) {
  const char *size = after(rest, "splice");
  end->kind = END_PIPE;
  end->splice = size != NULL;
  if (!size)
    size = rest;
  else if (*size == ':')
    size++;
  else if (*size == '\0')
    return;
  if (!tool_parse_size(size, &end->pipe_bytes))
    account_fail(PLUMB_FAILED, "'%s' is not pipe, pipe:splice, pipe:SIZE or pipe:splice:SIZE", end->word);
}

struct end end_parse_output(const char *word) {
  static const struct {
    const char *prefix;
    enum end_kind kind;
  } ways[] = {{"new:", END_NEW}, {"over:", END_OVER}, {"append:", END_APPEND}};
  struct end end = parse_common(word);
  const char *rest;
  if (end.kind != END_FILE || end.path) {
    need_path(&end);
    return end;
  }
  for (size_t i = 0; i < sizeof ways / sizeof ways[0] && !end.path; i++) {
    end.path = after(word, ways[i].prefix);
    if (end.path) end.kind = ways[i].kind;
  }
  if (end.path) {
    need_path(&end);
  } else if (strcmp(word, "pipe") == 0) {
    end.kind = END_PIPE;
  } else if ((rest = after(word, "pipe:")) != NULL) {
    parse_pipe(rest, &end);
  } else if (strcmp(word, "zero") == 0) {
    account_fail(PLUMB_FAILED, "'zero' is an input only (a file called zero is ./zero)");
  } else {
    end.path = word;
    need_path(&end);
  }
  return end;
}

static int open_path(const char *path, int flags) {
  int fd;
  do fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
  while (fd < 0 && errno == EINTR);
  if (fd < 0)
    account_fail(PLUMB_FAILED, "%s %s: %s", flags & O_EXCL ? "create" : "open", path, strerror(errno));
  return fd;
}

static int open_socket(const struct end *end) {
  const int fd = end->kind == END_TCP ? socket_connect_tcp(end->host, end->port) : socket_connect_unix(end->path);
  if (fd < 0) account_fail(PLUMB_FAILED, "connect to %s: %s", end->word, socket_reason());
  return fd;
}

int end_open_input(const struct end *end) {
  if (end->kind == END_INHERIT) return STDIN_FILENO;
  if (end->kind == END_TCP || end->kind == END_UNIX) return open_socket(end);
  const int file = open_path(end->path, O_RDONLY);
  return end->kind == END_PIPE ? pipes_start_feeder(file) : file;
}

int end_open_output(const struct end *end) {
  switch (end->kind) {
    case END_INHERIT: return STDOUT_FILENO;
    case END_FILE: return open_path(end->path, O_WRONLY | O_CREAT | O_TRUNC);
    case END_NEW: return open_path(end->path, O_WRONLY | O_CREAT | O_EXCL);
    case END_OVER: return open_path(end->path, O_WRONLY);
    case END_APPEND: return open_path(end->path, O_WRONLY | O_CREAT | O_APPEND);
    case END_PIPE: return pipes_start_reader(end->pipe_bytes, end->splice);
    case END_TCP:
    case END_UNIX: break;
  }
  return open_socket(end);
}

void end_finish_input(const struct end *input) {
  if (input->kind == END_PIPE) pipes_end_feeder(input->path);
}

bool end_is_delivered(const struct end *output) {
  return output->kind == END_PIPE || output->kind == END_TCP || output->kind == END_UNIX;
}

static const char *const too_late = "the other end has not seen the end of the data in time (see --wait)";
static const char *const interrupted = "interrupted";

// Reads until the peer closes, dropping what it says; then until its system has acknowledged all that was sent, since a
// peer may close its sending side first.
static const char *finish_socket(int fd, double deadline_s) {
  char dropped[4096];
  int unsent = 0;
  // A peer that reset the connection while the command was writing leaves a socket that only this call still complains of.
  if (shutdown(fd, SHUT_WR) != 0) return errno == ENOTCONN ? strerror(ECONNRESET) : strerror(errno);
  for (;;) {
    const int ready = process_poll(fd, POLLIN, deadline_s);
    if (ready <= 0) return ready == 0 ? too_late : interrupted;
    const ssize_t got = recv(fd, dropped, sizeof dropped, MSG_DONTWAIT);
    if (got == 0) break;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return strerror(errno);
  }
  // Of the acknowledgement there is no event to wait for; a millisecond is what the answer of a loopback peer takes.
  while ((unsent = socket_unsent(fd)) > 0) {
    if (clock_poll_ms(deadline_s) == 0) return too_late;
    if (process_poll(-1, 0, clock_now_s() + 0.001) < 0) return interrupted;
  }
  return unsent < 0 ? socket_reason() : NULL;
}

const char *end_deliver(const struct end *output, int fd, double deadline_s) {
  const char *problem = NULL;
  if (output->kind != END_PIPE) {
    problem = finish_socket(fd, deadline_s);
    close(fd);
  } else if (!pipes_end_reader(deadline_s)) {
    problem = process_interrupted() != 0 ? interrupted : too_late;
  }
  return problem;
}
