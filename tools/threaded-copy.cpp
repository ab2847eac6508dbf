// SPDX-License-Identifier: MIT
// threaded-copy: one thread reads, one writes, and a ring of buffers lies between them; what a read returned is handed
// on at once. Needs nothing of the kernel but read, write and a second processor: where the two ends share one, or where
// blocks are so small (under some 64K) that waking each other is most of the work, it is slower than a plain loop. The
// reader is up to --buffers blocks ahead: after a failed write the input's offset is that much further.
#include "tool.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static const char *buffers;
static const struct tool_option own[] = {{"buffers", "N", "buffers in the ring (default 4)", &buffers},
                                         {NULL, NULL, NULL, NULL}};
static const struct tool self = {.name = "threaded-copy",
                                 .summary = "copies by a thread that reads and a thread that writes",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT | TOOL_PIPE,
                                 .block = 512 << 10,
                                 .extra = own};

// One block on its way; 0 bytes: the end of the input, by an error if there is one.
struct slot {
  unsigned char *buffer;
  size_t bytes;
  int error;
};

enum { SLOTS_MAX = 64 };
static struct slot ring[SLOTS_MAX];
static size_t slots, block;
static uint64_t left;
static sem_t empty, full;  // how many slots are

static void take(sem_t *semaphore);
static void read_block(struct slot *slot);

static void *read_all(void *unused) {
  size_t i = 0;
  do {
    take(&empty);
    read_block(&ring[i]);
    left -= ring[i].bytes;
    const bool ended = ring[i].bytes == 0;
    sem_post(&full);
    if (ended) break;
    i = (i + 1) % slots;
  } while (true);
  return unused;
}

static int write_all(void) {
  for (size_t i = 0;; i = (i + 1) % slots) {
    take(&full);
    if (ring[i].bytes == 0) return ring[i].error;
    tool_write(1, ring[i].buffer, ring[i].bytes);
    sem_post(&empty);
  }
}

// Not tool_read, which would end the tool before the other thread has written what came before the failure.
static void read_block(struct slot *slot) {
  const size_t size = tool_least(left, block);
  ssize_t n = 0;
  while (size > 0 && (n = read(0, slot->buffer, size)) < 0 && tool_again(0, POLLIN)) continue;
  slot->error = n < 0 ? errno : 0;
  slot->bytes = n < 0 ? 0 : (size_t)n;
}

static void take(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0) continue;  // a signal
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  pthread_t reader;
  int error;
  slots = tool_count_option("--buffers", buffers, 4, SLOTS_MAX);
  block = options.block;
  left = options.limit;
  for (size_t i = 0; i < slots; i++) ring[i].buffer = tool_buffer(block);
  sem_init(&empty, 0, (unsigned)slots);
  sem_init(&full, 0, 0);
  error = pthread_create(&reader, NULL, read_all, NULL);
  if (error != 0) tool_exit(TOOL_REFUSED, "start a second thread: %s", strerror(error));
  errno = write_all();
  if (errno != 0) tool_die_descriptor("read", 0);
  pthread_join(reader, NULL);
  tool_close(1);
  return 0;
}
