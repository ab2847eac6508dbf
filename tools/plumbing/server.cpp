// SPDX-License-Identifier: MIT
// See server.h.
//
// One process and poll(2): no child, no zombie, and nothing to pass on. SIGPIPE is ignored, unlike in the copy tools: a
// client that goes away is no reason to end, and standard output that goes away is an error with a line.
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "clock.h"
#include "listener.h"

// Seconds to wait for another client after an empty one, with --once: whoever waits for a server to come up knocks just
// before the real connection; and yet a copy of an empty file must end.
#define GRACE_S 1.0
// Seconds without accepting when descriptors or memory have run out.
#define EXHAUSTED_S 0.1
// Failures of accept in a row after which the same rest is due: each passes by itself, an endless row would be a spin.
enum { FAILURES_IN_A_ROW = 16 };
// Seconds of silence that a client may cost its place for, unless --idle says otherwise. Without an end to it, as many silent
// peers as there are places would keep everybody else out for ever; a client that somebody has stopped for a while lives.
#define IDLE_S 600.0

static const struct server *server;
static int listeners[SOCKET_ADDRESSES];
static int listener_count;
static struct client *clients;
static struct pollfd *watched;  // listeners, then clients
static int failures_in_a_row;   // of accept
static int client_count;
static double paused_until_s;  // 0: accepting
static double grace_until_s;   // since the last empty client; 0: there was none
static uint64_t served_count, failed_count, moved_bytes;  // of the clients that are gone

bool server_has_end(int descriptor) {
  struct stat found;
  if (fstat(descriptor, &found) != 0 || isatty(descriptor)) return false;
  return !(S_ISCHR(found.st_mode) && found.st_rdev == makedev(1, 3));
}

struct tool_options server_parse(struct server *made, int argc, char **argv, const char *summary, const char *operands,
                                 int accepts, struct tool_option own) {
  const char *port = NULL, *count = NULL, *idle = NULL, *once = NULL;
  char port_help[64];
  const struct tool_option extra[] = {
      {"port", "N", port_help, &port},
      {"unix", "PATH", "listen on a UNIX socket instead", &made->unix_path},
      {"listen", "ADDR", "address or name (default localhost: both loopback families; 0.0.0.0 and :: for all)", &made->listen},
      {"once", NULL, "end after the first client; status 1 when bytes were lost", &once},
      {"clients", "N", "at a time, more wait (default 64)", &count},
      {"idle", "SECONDS", "close a connection that is silent for so long, or 'never' (default 600)", &idle},
      own,
      {NULL, NULL, NULL, NULL}};
  const struct tool tool = {made->name, summary, accepts, 0, extra, operands, NULL};
  uint64_t most_clients = 64;
  struct tool_options options;
  snprintf(port_help, sizeof port_help, "port (default %d); 0: any that is free", made->port);
  options = tool_parse(&tool, argc, argv);
  if (options.operand < argc) tool_usage("unexpected operand '%s'", argv[options.operand]);
  if (port && !socket_parse_port(port, &made->port)) tool_usage("--port '%s' is not a number from 0 to 65535", port);
  if (made->unix_path && (port || made->listen)) tool_usage("--unix excludes --port and --listen");
  if (count && (!tool_parse_size(count, &most_clients) || most_clients > 1000000))
    tool_usage("--clients '%s' is not a number from 1 to 1000000", count);
  made->idle_s = IDLE_S;
  if (idle && strcmp(idle, "never") == 0)
    made->idle_s = 0;
  else if (idle && !clock_parse(idle, &made->idle_s))
    tool_usage("--idle '%s' is not a time such as 30 or 500ms, or never", idle);
  if (!made->listen) made->listen = "localhost";
  made->clients = (int)most_clients;
  made->once = once != NULL;
  return options;
}

// Whatever there is to say is dropped when it would have to wait: a server must not stand still because nobody reads.
static void say(const char *line, size_t length) {
  struct pollfd ready = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&ready, 1, 0) == 1 && write(STDERR_FILENO, line, length) < 0) return;
}

void server_log(const struct client *client, const char *format, ...) {
  static double window_s;
  static int lines, left_out;
  const double now_s = clock_now_s();
  char line[512], peer[SOCKET_TEXT];
  va_list list;
  int length;
  if (now_s - window_s > 1) {
    if (left_out > 0) {
      length = snprintf(line, sizeof line, "%s: %d more lines left out\n", server->name, left_out);
      say(line, (size_t)length);
    }
    window_s = now_s;
    lines = left_out = 0;
  }
  if (++lines > 20) {
    left_out++;
    return;
  }
  if (client) socket_print(&client->address, peer);
  length = snprintf(line, sizeof line, "%s: %s%s", server->name, client ? peer : "", client ? ": " : "");
  va_start(list, format);
  length += vsnprintf(line + length, sizeof line - (size_t)length, format, list);
  va_end(list);
  if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
  line[length] = '\n';
  say(line, (size_t)length + 1);
}

static size_t append(char *line, size_t length, const char *text) {
  const size_t added = strlen(text);
  memcpy(line + length, text, added);
  return length + added;
}

// "TEXT NUMBER"; snprintf may not be called by a signal handler.
static size_t append_number(char *line, size_t length, const char *text, uint64_t number) {
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  return append(line, append(line, length, text), digits + at);
}

// A signal handler calls it.
static void say_totals(void) {
  uint64_t bytes = moved_bytes, open_clients = 0;
  char line[256];
  size_t length = append(line, 0, server->name);
  for (int i = 0; i < client_count; i++) {
    bytes += clients[i].bytes;
    open_clients += clients[i].bytes > 0;
  }
  length = append_number(line, length, ": connections served: ", served_count);
  length = append_number(line, length, ", bytes: ", bytes);
  if (failed_count + open_clients > 0) {
    length = append_number(line, length, "; incomplete: failed: ", failed_count);
    length = append_number(line, length, ", cut off: ", open_clients);
  }
  say(line, append(line, length, "\n"));
}

// Dies by the signal, so that whoever started the server sees why it ended. lstat and unlink may be called here.
static void end_by_signal(int number) {
  signal(number, SIG_DFL);
  say_totals();
  listener_leave();
  raise(number);
}

__attribute__((noreturn)) static void die(const char *what) {
  const int error = errno;
  listener_leave();
  errno = error;
  tool_die(what);
}

static void catch_signals(void) {
  static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
    if (signal(ending[i], end_by_signal) == SIG_IGN) signal(ending[i], SIG_IGN);  // as nohup(1) wants it
  signal(SIGPIPE, SIG_IGN);
}

// Room for every client, as far as the hard limit allows.
static void raise_limit(void) {
  const rlim_t needed = (rlim_t)server->clients + 32;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return;  // then accepting runs out, and says so
}

static void prepare(void) {
  for (int fd = 0; fd < 3; fd++)  // a closed one would become a connection
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) tool_die("open /dev/null");
  catch_signals();
  raise_limit();
  clients = (struct client *)calloc((size_t)server->clients, sizeof *clients);
  watched = (struct pollfd *)calloc((size_t)server->clients + SOCKET_ADDRESSES, sizeof *watched);
  if (!clients || !watched) tool_die("allocate the clients");
  if (server->unix_path)
    listener_count = listener_open_unix(server->unix_path, listeners);
  else
    listener_count = listener_open_tcp(server->listen, server->port, listeners);
  listener_announce(server->name, listeners, listener_count);
}

// Descriptors or memory have run out: a listener stays readable, so that going on at once would only spin.
static void pause_accepting(double now_s) {
  static double said_s = -60;
  paused_until_s = now_s + EXHAUSTED_S;
  if (now_s - said_s > 5) server_log(NULL, "accept: %s; new clients wait", strerror(errno));
  said_s = now_s;
}

// True when accepting may go on at once.
static bool failed_in_passing(double now_s) {
  if (++failures_in_a_row < FAILURES_IN_A_ROW) return true;
  failures_in_a_row = 0;
  pause_accepting(now_s);
  return false;
}

// False when this listener has nobody more for now.
static bool accept_one(int listener, double now_s) {
  struct client *added = &clients[client_count];
  memset(added, 0, sizeof *added);
  added->address.size = sizeof added->address.storage;
  added->fd = accept4(listener, (struct sockaddr *)&added->address.storage, &added->address.size,
                      SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (added->fd >= 0) {
    added->active_s = now_s;
    added->patience_s = server->idle_s;
    socket_reset_on_close(added->fd, true);
    failures_in_a_row = 0;
    client_count++;
    return true;
  }
  switch (errno) {
    case EAGAIN: return false;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM: pause_accepting(now_s); return false;
    // A client that was gone before it was accepted, or whose network was: accept(2) says to treat them like EAGAIN.
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case EPERM:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH:
    case ETIMEDOUT: return failed_in_passing(now_s);
    default: break;
  }
  die("accept");
}

static double earlier(double one, double other) { return other > 0 && (one <= 0 || other < one) ? other : one; }

static double deadline_of(const struct client *client) {
  return client->patience_s > 0 ? client->active_s + client->patience_s : 0;
}

// Fills `watched`; returns poll's time-out. Those whose turn it is not are left out, since poll would report their going
// away again and again.
static int watch(void) {
  const bool accepting = client_count < server->clients && paused_until_s <= 0;
  double deadline_s = earlier(paused_until_s, grace_until_s);
  for (int i = 0; i < listener_count; i++) {
    const struct pollfd entry = {accepting ? listeners[i] : -1, POLLIN, 0};
    watched[i] = entry;
  }
  for (int i = 0; i < client_count; i++) {
    const short events = server->wanted(&clients[i]);
    const struct pollfd entry = {events ? clients[i].fd : -1, events, 0};
    watched[listener_count + i] = entry;
    deadline_s = earlier(deadline_s, deadline_of(&clients[i]));
  }
  return deadline_s > 0 ? clock_poll_ms(deadline_s) : -1;
}

static void hang_up(struct client *client, bool in_good_order) {
  if (in_good_order) socket_reset_on_close(client->fd, false);
  close(client->fd);
  client->fd = -1;
}

// The last client, if there is one, hears of the end after the output has been closed: that may fail.
__attribute__((noreturn)) static void end_well(struct client *last) {
  listener_leave();
  if (server->finish) server->finish();
  if (last) hang_up(last, true);
  _exit(0);
}

static void conclude(struct client *client, enum serving how, double now_s) {
  if (how == SERVING_GOES_ON) return;
  if (how == SERVING_DONE && server->once) end_well(client);
  hang_up(client, how == SERVING_DONE || how == SERVING_EMPTY);
  served_count += how == SERVING_DONE;
  failed_count += how == SERVING_FAILED;
  moved_bytes += client->bytes;
  client->bytes = 0;
  paused_until_s = 0;
  if (!server->once || how == SERVING_STRAY) return;
  if (how == SERVING_FAILED) {
    listener_leave();
    _exit(TOOL_FAILED);
  }
  grace_until_s = now_s + GRACE_S;
}

static void serve_clients(double now_s) {
  int kept = 0;
  bool busy = false;
  for (int i = 0; i < client_count; i++) {
    const short events = watched[listener_count + i].revents;
    const double deadline_s = deadline_of(&clients[i]);
    if (events != 0 || (deadline_s > 0 && now_s >= deadline_s))
      conclude(&clients[i], server->serve(&clients[i], events), now_s);
    if (clients[i].fd < 0) continue;
    busy = busy || clients[i].bytes > 0;
    if (kept != i) clients[kept] = clients[i];  // in the order of their arrival
    kept++;
  }
  client_count = kept;
  if (grace_until_s > 0 && now_s >= grace_until_s) {
    if (!busy) end_well(NULL);
    grace_until_s = 0;  // the real one is here
  }
}

void server_run(const struct server *served) {
  server = served;
  prepare();
  for (;;) {
    const int happened = poll(watched, (nfds_t)(listener_count + client_count), watch());
    const double now_s = clock_now_s();
    if (happened < 0) {
      if (errno != EINTR) die("poll");
      continue;
    }
    if (paused_until_s > 0 && now_s >= paused_until_s) paused_until_s = 0;
    serve_clients(now_s);
    for (int i = 0; i < listener_count; i++)
      while (watched[i].revents != 0 && paused_until_s <= 0 && client_count < server->clients)
        if (!accept_one(listeners[i], now_s)) break;
  }
}
