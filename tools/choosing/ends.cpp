// SPDX-License-Identifier: MIT
#include "ends.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../tool.h"

enum { WIDE_PIPE = 1 << 20, WIDE_SOCKET = 4 << 20 };

union address {
  struct sockaddr any;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
  struct sockaddr_storage room;
};

// An address of the loopback network, or the one that this end has itself.
static bool on_this_machine(const union address *own, const union address *peer) {
  if (own->any.sa_family != peer->any.sa_family) return false;
  if (peer->any.sa_family == AF_INET)
    return ntohl(peer->four.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET ||
           peer->four.sin_addr.s_addr == own->four.sin_addr.s_addr;
  if (peer->any.sa_family == AF_INET6)
    return memcmp(&peer->six.sin6_addr, &own->six.sin6_addr, sizeof peer->six.sin6_addr) == 0;
  return false;
}

static void look_at_socket(int descriptor, struct end *end) {
  union address own, peer;
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return;
  memset(&own, 0, sizeof own);
  memset(&peer, 0, sizeof peer);
  size = sizeof own;
  if (getsockname(descriptor, &own.any, &size) != 0) return;
  size = sizeof peer;
  if (own.any.sa_family == AF_UNIX) {
    end->kind = END_UNIX;
    end->name = "a UNIX socket";
    end->near = true;
  } else if ((own.any.sa_family == AF_INET || own.any.sa_family == AF_INET6) &&
             getpeername(descriptor, &peer.any, &size) == 0) {
    end->kind = END_TCP;
    end->near = on_this_machine(&own, &peer);
    end->name = end->near ? "a TCP connection inside this machine" : "a TCP connection";
  }
}

static void look_at_file(int descriptor, struct end *end) {
  const off_t here = lseek(descriptor, 0, SEEK_CUR);
  if (here < 0) return;
  end->left = end->status.st_size > here ? (uint64_t)(end->status.st_size - here) : 0;
  end->kind = END_FILE;
  end->name = "a file";
}

struct end end_look(int descriptor) {
  struct end end;
  const int flags = fcntl(descriptor, F_GETFL);
  memset(&end, 0, sizeof end);
  end.kind = END_OTHER;
  end.left = UINT64_MAX;
  if (fstat(descriptor, &end.status) != 0) tool_die_descriptor("look at", descriptor);
  end.append = flags < 0 || (flags & O_APPEND) != 0;
  end.name = "something else";
  if (S_ISREG(end.status.st_mode)) {
    look_at_file(descriptor, &end);
  } else if (S_ISFIFO(end.status.st_mode)) {
    end.kind = END_PIPE;
    end.name = "a pipe";
  } else if (S_ISSOCK(end.status.st_mode)) {
    end.name = "a socket";
    look_at_socket(descriptor, &end);
  } else if (S_ISCHR(end.status.st_mode) && end.status.st_rdev == makedev(1, 3)) {
    end.kind = END_NULL;
    end.name = "the null device";
  } else if (S_ISCHR(end.status.st_mode)) {
    end.name = isatty(descriptor) ? "a terminal" : "a character device";
  } else if (S_ISBLK(end.status.st_mode)) {
    end.name = "a block device";
  }
  return end;
}

void end_widen(int descriptor, const struct end *end, bool input) {
  if (end->kind == END_PIPE) tool_ask_pipe(descriptor, WIDE_PIPE);
  if ((end->kind == END_TCP || end->kind == END_UNIX) && end->near) {
    const int option = input ? SO_RCVBUF : SO_SNDBUF;
    const int wide = WIDE_SOCKET;
    int now = 0;
    socklen_t size = sizeof now;
    if (getsockopt(descriptor, SOL_SOCKET, option, &now, &size) == 0 && now < wide)
      setsockopt(descriptor, SOL_SOCKET, option, &wide, sizeof wide);
  }
}

int processors_allowed(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}
