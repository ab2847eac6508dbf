// SPDX-License-Identifier: MIT
#include "giving.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "../tool.h"

enum { HUGE_PAGE = 2 << 20, BLOCK = 512 << 10 };

bool huge_pages_to_be_had(void) {
  char said[64] = "";
  const int setting = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  if (setting < 0) return false;
  if (read(setting, said, sizeof said - 1) < 0) said[0] = '\0';
  close(setting);
  return strstr(said, "[always]") != NULL || strstr(said, "[madvise]") != NULL;
}

// What the pipe does not take as pages it gets as bytes.
static int give(unsigned char *bytes, size_t size) {
  while (size > 0) {
    struct iovec rest = {bytes, size};
    const ssize_t n = vmsplice(1, &rest, 1, 0);
    if (n > 0) {
      bytes += n;
      size -= (size_t)n;
    } else if (n == 0 || !tool_again(1, POLLOUT)) {
      const int error = n < 0 ? errno : EINVAL;
      tool_write(1, bytes, size);
      return error;
    }
  }
  return 0;
}

int copy_by_giving(uint64_t *left) {
  size_t filled = HUGE_PAGE, n = 1;
  int error = 0;
  unsigned char *room =
      (unsigned char *)mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return errno;
  room += HUGE_PAGE - (uintptr_t)room % HUGE_PAGE;
  madvise(room, HUGE_PAGE, MADV_HUGEPAGE);
  while (*left > 0 && n > 0 && error == 0) {
    if (filled == HUGE_PAGE) {
      // The pages stay the pipe's; what is written here next goes to new ones.
      if (madvise(room, HUGE_PAGE, MADV_DONTNEED) != 0) return errno;
      filled = 0;
    }
    n = tool_read(0, room + filled, tool_least(*left, BLOCK));
    error = give(room + filled, n);
    *left -= n;
    filled += n;
    if (HUGE_PAGE - filled < BLOCK) filled = HUGE_PAGE;
  }
  return error;
}
