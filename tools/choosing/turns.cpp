// SPDX-License-Identifier: MIT
#include "turns.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

#include "../tool.h"

// Whose turn it is: block number `next`, which only ever grows. A turn comes back within the time of a read or a write
// of 1 MiB, less than it takes to sleep and be woken on many machines: so it is first looked for, then waited for.
// Looking must not yield: on a busy machine that gives away a whole time slice, and the copy took eight times as long.
struct turn {
  uint32_t next;
};
enum { LOOKS = 100000 };

static void wait_for(struct turn *turn, uint32_t mine) {
  uint32_t now;
  int look;
  for (look = 0; look < LOOKS; look++) {
    if (__atomic_load_n(&turn->next, __ATOMIC_ACQUIRE) == mine) return;
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
  }
  while ((now = __atomic_load_n(&turn->next, __ATOMIC_ACQUIRE)) != mine)
    syscall(SYS_futex, &turn->next, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
}

static void hand_on(struct turn *turn) {
  __atomic_add_fetch(&turn->next, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &turn->next, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

// Shared by the two threads. What is below a turn belongs to the thread that has it.
struct shared {
  struct turn reading;
  uint64_t left;
  bool ended;
  struct turn writing;
  size_t block;
  unsigned char *second;
  cpu_set_t allowed;
};

static void take_turns(struct shared *shared, uint32_t mine, unsigned char *buffer) {
  bool ended = false;
  for (; !ended; mine += 2) {
    ssize_t n = 0;
    int error = 0;
    wait_for(&shared->reading, mine);
    const size_t size = shared->ended ? 0 : tool_least(shared->left, shared->block);
    while (size > 0 && (n = read(0, buffer, size)) < 0)
      if (!tool_again(0, POLLIN)) {
        error = errno;
        n = 0;
        break;
      }
    shared->left -= (uint64_t)n;
    ended = shared->ended = n == 0;
    hand_on(&shared->reading);
    wait_for(&shared->writing, mine);
    if (error) tool_die_reading(error);  // only now is all written that was read before
    tool_write(1, buffer, (size_t)n);
    hand_on(&shared->writing);
  }
}

static void *second_thread(void *argument) {
  struct shared *shared = (struct shared *)argument;
  pthread_setaffinity_np(pthread_self(), sizeof shared->allowed, &shared->allowed);
  take_turns(shared, 1, shared->second);
  return NULL;
}

// A new thread starts on its creator's processor until the scheduler has seen that there are two: milliseconds, a good
// part of a copy. It starts elsewhere, and from there on may go wherever it likes.
static void start_elsewhere(pthread_attr_t *attributes, const cpu_set_t *allowed) {
  cpu_set_t others = *allowed;
  const int here = sched_getcpu();
  if (here >= 0) CPU_CLR((unsigned)here, &others);
  if (CPU_COUNT(&others) > 0) pthread_attr_setaffinity_np(attributes, sizeof others, &others);
}

bool copy_by_turns(unsigned char *buffers, size_t block, uint64_t *left) {
  struct shared shared;
  pthread_attr_t attributes;
  pthread_t second;
  bool started;
  memset(&shared, 0, sizeof shared);
  shared.left = *left;
  shared.block = block;
  shared.second = buffers + block;
  if (sched_getaffinity(0, sizeof shared.allowed, &shared.allowed) != 0) return false;
  if (pthread_attr_init(&attributes) != 0) return false;
  start_elsewhere(&attributes, &shared.allowed);
  started = pthread_create(&second, &attributes, second_thread, &shared) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return false;
  take_turns(&shared, 0, buffers);
  pthread_join(second, NULL);
  *left = shared.left;
  return true;
}
