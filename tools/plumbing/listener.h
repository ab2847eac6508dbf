// SPDX-License-Identifier: MIT
// Where a server listens: opening the sockets, the first lines on standard error, removing what was made. Every failure
// ends the server with 1 and a line. Plain C to its readers, like tool.h.
#ifndef IOBENCH_LISTENER_H
#define IOBENCH_LISTENER_H

#include "socket.h"

#ifdef __cplusplus
extern "C" {
#endif

// All addresses of a name, with one port; 0: any that is free. Those whose family this machine lacks are left out, unless
// none is left. Returns how many listeners were opened.
int listener_open_tcp(const char *name, int port, int listeners[SOCKET_ADDRESSES]);
int listener_open_unix(const char *path, int listeners[SOCKET_ADDRESSES]);

// "net-sink: listening on 127.0.0.1:4433", a line for each.
void listener_announce(const char *server, const int listeners[SOCKET_ADDRESSES], int count);

// Before every way out: removes the path of a UNIX socket, if it still is ours. May be called by a signal handler.
void listener_leave(void);

#ifdef __cplusplus
}
#endif
#endif
