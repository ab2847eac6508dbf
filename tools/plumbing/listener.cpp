// SPDX-License-Identifier: MIT
// See listener.h.
#include "listener.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

static struct stat socket_file;
static const char *socket_path;  // of the file above; NULL: none to remove

static void address_of(int fd, struct socket_address *bound) {
  bound->size = sizeof bound->storage;
  if (getsockname(fd, (struct sockaddr *)&bound->storage, &bound->size) != 0) tool_die("getsockname");
}

int listener_open_unix(const char *path, int listeners[SOCKET_ADDRESSES]) {
  listeners[0] = socket_listen_unix(path);
  if (listeners[0] < 0) tool_exit(TOOL_FAILED, "listen on %s: %s", path, socket_reason());
  if (lstat(path, &socket_file) == 0) socket_path = path;
  return 1;
}

// Listens on all addresses of the name with one port. 0 when a port that was free at one of them is taken at another.
static int open_all(const char *name, int port, int listeners[SOCKET_ADDRESSES]) {
  struct socket_address list[SOCKET_ADDRESSES], bound;
  const int found = socket_resolve(name, port, list);
  char text[SOCKET_TEXT];
  int count = 0;
  for (int i = 0; i < found; i++) {
    const int fd = socket_listen_tcp(&list[i]);
    if (fd >= 0) {
      listeners[count++] = fd;
      address_of(fd, &bound);
      for (int next = i + 1; next < found; next++) socket_set_port(&list[next], socket_port(&bound));
    } else if (port == 0 && count > 0 && !socket_family_missing()) {
      while (count > 0) close(listeners[--count]);
      return 0;
    } else if (!socket_family_missing()) {
      socket_print(&list[i], text);
      tool_exit(TOOL_FAILED, "listen on %s: %s", text, socket_reason());
    }
  }
  if (count == 0) tool_exit(TOOL_FAILED, "listen on %s: %s", name, socket_reason());
  return count;
}

int listener_open_tcp(const char *name, int port, int listeners[SOCKET_ADDRESSES]) {
  for (int attempt = 0; attempt < 16; attempt++) {
    const int count = open_all(name, port, listeners);
    if (count > 0) return count;
  }
  tool_exit(TOOL_FAILED, "listen on %s: no port is free at all its addresses", name);
}

void listener_announce(const char *server, const int listeners[SOCKET_ADDRESSES], int count) {
  struct socket_address bound;
  char text[SOCKET_TEXT], line[256];
  for (int i = 0; i < count; i++) {
    address_of(listeners[i], &bound);
    socket_print(&bound, text);
    const int length =
        snprintf(line, sizeof line, "%s: listening on %s\n", server, socket_path ? socket_path : text);
    if (write(STDERR_FILENO, line, (size_t)length) < 0) return;  // nobody listens to us; clients may
  }
}

void listener_leave(void) {
  struct stat found;
  if (!socket_path || lstat(socket_path, &found) != 0) return;
  if (found.st_dev == socket_file.st_dev && found.st_ino == socket_file.st_ino) unlink(socket_path);
}
