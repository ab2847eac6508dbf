// SPDX-License-Identifier: MIT
// net-sink: read() from every client until it ends; write() to standard output, or discard. From: Uppal, comp.lang.java,
// about 2004, whose server read and discarded on port 4433, one client after another.
//
// Discarding serves clients side by side. With standard output as the other end their bytes would mix: then the first that
// sends something has the output to itself until it ends, and those who arrived later wait; one who says nothing keeps
// nobody waiting.
#include <string.h>

#include "plumbing/clock.h"
#include "plumbing/listener.h"
#include "plumbing/server.h"

enum { BLOCK_BYTES = 256 * 1024 };  // Uppal's buffer; more than a receive call on loopback returns at once

static unsigned char *block;
static bool writing;        // to standard output
static int writer_fd = -1;  // of the client whose turn it is; -1: of none

static bool must_wait(const struct client *client) {
  return writing && writer_fd >= 0 && writer_fd != client->fd;
}

static short wanted(const struct client *client) { return must_wait(client) ? 0 : POLLIN; }

static void put(size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = write(STDOUT_FILENO, block + done, size - done);
    if (n > 0) {
      done += (size_t)n;
    } else if (n == 0 || !tool_again(STDOUT_FILENO, POLLOUT)) {
      const int error = n == 0 ? 0 : errno;
      listener_leave();
      errno = error;
      tool_die_descriptor("write", STDOUT_FILENO);
    }
  }
}

static enum serving ended(struct client *client, enum serving how) {
  if (writer_fd == client->fd) writer_fd = -1;
  return how;
}

static enum serving lost(struct client *client, const char *reason) {
  server_log(client, "read: %s after %llu bytes", reason, (unsigned long long)client->bytes);
  return ended(client, client->bytes > 0 ? SERVING_FAILED : SERVING_STRAY);
}

static enum serving serve(struct client *client, short events) {
  ssize_t n;
  if (must_wait(client)) {
    client->active_s = clock_now_s();
    return SERVING_GOES_ON;
  }
  if (events == 0) return lost(client, "silent for too long");
  n = read(client->fd, block, BLOCK_BYTES);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return SERVING_GOES_ON;
  if (n < 0) return lost(client, strerror(errno));
  if (n == 0) return ended(client, client->bytes > 0 ? SERVING_DONE : SERVING_EMPTY);
  if (writing) {
    writer_fd = client->fd;
    put((size_t)n);
  }
  client->bytes += (uint64_t)n;
  client->active_s = clock_now_s();
  return SERVING_GOES_ON;
}

static void close_output(void) {
  if (writing) tool_close(STDOUT_FILENO);
}

int main(int argc, char **argv) {
  static struct server server = {"net-sink", wanted, serve, close_output, false, 0, 0, 4433, NULL, NULL};
  const char *discard = NULL;
  const struct tool_option own = {"discard", NULL, "discard whatever standard output is", &discard};
  server_parse(&server, argc, argv,
               "Receives what clients send until they end.\n"
               "Standard output a file, pipe or anything else that takes bytes: they are written there, one client after\n"
               "the other in the order of their arrival. Standard output the null device, a terminal or closed, or\n"
               "--discard: they are discarded, clients side by side. A client that ended without a byte is the first of --once\n"
               "only when no other comes within a second.",
               "> out", 0, own);
  writing = !discard && server_has_end(STDOUT_FILENO);
  block = tool_buffer(BLOCK_BYTES);
  server_run(&server);
}
