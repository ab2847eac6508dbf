// SPDX-License-Identifier: MIT
// See socket.h.
#include "socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/sockios.h>

static int last_errno;
static const char *last_text;  // instead of last_errno, where there is no errno

static int failed(int error, const char *text) {
  last_errno = error;
  last_text = text;
  return -1;
}

static int close_failed(int fd, int error) {
  close(fd);
  return failed(error, NULL);
}

const char *socket_reason(void) { return last_text ? last_text : strerror(last_errno); }

bool socket_family_missing(void) {
  return !last_text && (last_errno == EADDRNOTAVAIL || last_errno == EAFNOSUPPORT);
}

bool socket_parse_port(const char *text, int *port) {
  int value = 0;
  const char *next = text;
  for (; *next >= '0' && *next <= '9' && value <= 65535; next++) value = value * 10 + (*next - '0');
  if (next == text || *next != '\0' || value > 65535) return false;
  *port = value;
  return true;
}

static struct socket_address address_v4(struct in_addr host, int port) {
  struct socket_address made;
  struct sockaddr_in inner;
  memset(&made, 0, sizeof made);
  memset(&inner, 0, sizeof inner);
  inner.sin_family = AF_INET;
  inner.sin_addr = host;
  inner.sin_port = htons((uint16_t)port);
  memcpy(&made.storage, &inner, sizeof inner);
  made.size = sizeof inner;
  return made;
}

static struct socket_address address_v6(struct in6_addr host, int port) {
  struct socket_address made;
  struct sockaddr_in6 inner;
  memset(&made, 0, sizeof made);
  memset(&inner, 0, sizeof inner);
  inner.sin6_family = AF_INET6;
  inner.sin6_addr = host;
  inner.sin6_port = htons((uint16_t)port);
  memcpy(&made.storage, &inner, sizeof inner);
  made.size = sizeof inner;
  return made;
}

static int ask_resolver(const char *host, int port, struct socket_address list[SOCKET_ADDRESSES]) {
  struct addrinfo hints, *found = NULL, *each;
  int count = 0, code;
  memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM;
  code = getaddrinfo(host, NULL, &hints, &found);
  if (code != 0) {
    failed(errno, code == EAI_SYSTEM ? NULL : gai_strerror(code));
    return 0;
  }
  for (each = found; each && count < SOCKET_ADDRESSES; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    memset(&list[count], 0, sizeof list[count]);
    memcpy(&list[count].storage, each->ai_addr, each->ai_addrlen);
    list[count].size = each->ai_addrlen;
    socket_set_port(&list[count++], port);
  }
  freeaddrinfo(found);
  if (count == 0) failed(0, "No internet address");
  return count;
}

int socket_resolve(const char *host, int port, struct socket_address list[SOCKET_ADDRESSES]) {
  struct in_addr v4;
  struct in6_addr v6;
  if (strcmp(host, "localhost") == 0) {
    v4.s_addr = htonl(INADDR_LOOPBACK);
    list[0] = address_v4(v4, port);
    list[1] = address_v6(in6addr_loopback, port);
    return 2;
  }
  if (inet_pton(AF_INET, host, &v4) == 1) {
    list[0] = address_v4(v4, port);
    return 1;
  }
  if (inet_pton(AF_INET6, host, &v6) == 1) {
    list[0] = address_v6(v6, port);
    return 1;
  }
  return ask_resolver(host, port, list);
}

bool socket_unix_address(const char *path, struct socket_address *address) {
  struct sockaddr_un inner;
  const size_t length = strlen(path);
  memset(address, 0, sizeof *address);
  memset(&inner, 0, sizeof inner);
  if (length == 0 || length >= sizeof inner.sun_path) {
    failed(0, length ? "the path is longer than the 107 bytes a socket's name may have" : "the path is empty");
    return false;
  }
  inner.sun_family = AF_UNIX;
  memcpy(inner.sun_path, path, length);
  memcpy(&address->storage, &inner, sizeof inner);
  address->size = sizeof inner;
  return true;
}

// connect(2); after a signal the connecting goes on without us: wait for its outcome.
static int connect_to(const struct socket_address *address) {
  const int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed(errno, NULL);
  if (connect(fd, (const struct sockaddr *)&address->storage, address->size) != 0) {
    struct pollfd ready = {fd, POLLOUT, 0};
    int error = errno;
    socklen_t size = sizeof error;
    if (error != EINTR) return close_failed(fd, error);
    while (poll(&ready, 1, -1) < 0)
      if (errno != EINTR) return close_failed(fd, errno);
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) return close_failed(fd, error);
  }
  return fd;
}

int socket_connect_tcp(const char *host, int port) {
  struct socket_address list[SOCKET_ADDRESSES];
  const int count = socket_resolve(host, port, list);
  int first_errno = 0;
  for (int i = 0; i < count; i++) {
    const int fd = connect_to(&list[i]);
    if (fd >= 0) return fd;
    if (i == 0) first_errno = last_errno;
  }
  // The address tried first is the one that was meant: "refused" by it beats "no IPv6 here" of the last.
  return count ? failed(first_errno, NULL) : -1;
}

int socket_connect_unix(const char *path) {
  struct socket_address address;
  return socket_unix_address(path, &address) ? connect_to(&address) : -1;
}

static int bind_and_listen(int fd, const struct socket_address *address) {
  if (bind(fd, (const struct sockaddr *)&address->storage, address->size) != 0) return errno;
  return listen(fd, SOMAXCONN) == 0 ? 0 : errno;
}

int socket_listen_tcp(const struct socket_address *address) {
  const int yes = 1;
  const int family = address->storage.ss_family;
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int error;
  if (fd < 0) return failed(errno, NULL);
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0) return close_failed(fd, errno);
  if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) != 0)
    return close_failed(fd, errno);
  error = bind_and_listen(fd, address);
  return error ? close_failed(fd, error) : fd;
}

// Whether a socket is bound to this address. A datagram socket asks without becoming the server's client: the kernel
// answers EPROTOTYPE for a living stream socket and ECONNREFUSED where nobody is left.
static bool somebody_listens(const struct socket_address *address) {
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool refused =
      fd >= 0 && connect(fd, (const struct sockaddr *)&address->storage, address->size) != 0 && errno == ECONNREFUSED;
  if (fd >= 0) close(fd);
  return !refused;
}

int socket_listen_unix(const char *path) {
  struct socket_address address;
  struct stat found;
  int fd, error;
  if (!socket_unix_address(path, &address)) return -1;
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return failed(errno, NULL);
  error = bind_and_listen(fd, &address);
  if (error == EADDRINUSE && lstat(path, &found) == 0) {
    if (!S_ISSOCK(found.st_mode)) {
      close(fd);
      return failed(0, "it exists and is not a socket");
    }
    if (!somebody_listens(&address) && unlink(path) == 0) error = bind_and_listen(fd, &address);
  }
  return error ? close_failed(fd, error) : fd;
}

// After a reset the kernel goes on counting what was never acknowledged: only SO_ERROR tells.
int socket_unsent(int fd) {
  int bytes = 0, error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || ioctl(fd, SIOCOUTQ, &bytes) != 0)
    return failed(errno, NULL);
  return error ? failed(error, NULL) : bytes;
}

int socket_unacknowledged(int fd) {
  int bytes = 0;
  return ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

void socket_reset_on_close(int fd, bool reset) {
  const struct linger how = {reset, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &how, sizeof how);  // cannot fail on a socket
}

int socket_port(const struct socket_address *address) {
  if (address->storage.ss_family == AF_INET) return ntohs(((const struct sockaddr_in *)&address->storage)->sin_port);
  if (address->storage.ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)&address->storage)->sin6_port);
  return -1;
}

void socket_set_port(struct socket_address *address, int port) {
  if (address->storage.ss_family == AF_INET)
    ((struct sockaddr_in *)&address->storage)->sin_port = htons((uint16_t)port);
  else if (address->storage.ss_family == AF_INET6)
    ((struct sockaddr_in6 *)&address->storage)->sin6_port = htons((uint16_t)port);
}

void socket_print(const struct socket_address *address, char text[SOCKET_TEXT]) {
  char host[INET6_ADDRSTRLEN];
  if (address->storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &((const struct sockaddr_in *)&address->storage)->sin_addr, host, sizeof host);
    snprintf(text, SOCKET_TEXT, "%s:%d", host, socket_port(address));
  } else if (address->storage.ss_family == AF_INET6) {
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)&address->storage)->sin6_addr, host, sizeof host);
    snprintf(text, SOCKET_TEXT, "[%s]:%d", host, socket_port(address));
  } else {
    snprintf(text, SOCKET_TEXT, "a local client");
  }
}
