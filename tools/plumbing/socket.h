// SPDX-License-Identifier: MIT
// TCP and UNIX sockets for plumb, net-sink and net-source: find, connect, listen, print. Every socket is close-on-exec.
// A call that fails returns -1 (or 0 addresses), and socket_reason() says why. Plain C to its readers, like tool.h.
#ifndef IOBENCH_SOCKET_H
#define IOBENCH_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

// Enough for both families of a host with a few addresses each; more are not tried.
enum { SOCKET_ADDRESSES = 8 };
// Room for "[IPv6%interface]:65535" and for a path of a UNIX socket.
enum { SOCKET_TEXT = 128 };

struct socket_address {
  struct sockaddr_storage storage;
  socklen_t size;
};

// "0" to "65535", nothing else.
bool socket_parse_port(const char *text, int *port);

// The addresses of a host, in the order to try them. "localhost" is 127.0.0.1 and then ::1 without asking the resolver,
// which would read four files (RFC 6761 lets the name mean nothing else). Returns how many.
int socket_resolve(const char *host, int port, struct socket_address list[SOCKET_ADDRESSES]);
bool socket_unix_address(const char *path, struct socket_address *address);

// Blocking, connected. Of several addresses the first that answers.
int socket_connect_tcp(const char *host, int port);
int socket_connect_unix(const char *path);

// Non-blocking, bound and listening. TCP: SO_REUSEADDR, so that a restart need not wait for old connections to time out,
// and IPV6_V6ONLY, so that 0.0.0.0 and :: can both be had.
int socket_listen_tcp(const struct socket_address *address);
// Takes over the path of a server that was killed; refuses that of a living one and whatever is not a socket.
int socket_listen_unix(const char *path);

// Bytes, and the mark of their end, that the peer's system (UNIX socket: the peer) has not taken yet. -1 when it never
// will, because the connection has failed.
int socket_unsent(int fd);

// The same, also of a connection that has failed: what was never acknowledged. UNIX sockets have forgotten it by then: 0.
int socket_unacknowledged(int fd);

// Whether closing, by us or by our being killed, resets a TCP connection: a stream that was cut off must not look like one
// that ended. A UNIX socket knows no reset; its peer sees the end all the same.
void socket_reset_on_close(int fd, bool reset);

// "127.0.0.1:4433", "[::1]:4433", or "a local client" for an unnamed UNIX socket.
void socket_print(const struct socket_address *address, char text[SOCKET_TEXT]);
// The port of an address; -1 when it is not an internet one.
int socket_port(const struct socket_address *address);
void socket_set_port(struct socket_address *address, int port);

const char *socket_reason(void);
// Whether the last failure means that this machine lacks the address or its whole family (IPv6 switched off).
bool socket_family_missing(void);

#ifdef __cplusplus
}
#endif
#endif
