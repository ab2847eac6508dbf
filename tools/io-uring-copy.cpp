// SPDX-License-Identifier: MIT
// io-uring-copy: reads and writes by io_uring, --depth blocks on their way at once. Files are read several blocks ahead
// and written at explicit offsets; of a pipe, socket, terminal or a file that appends one call at a time is in flight,
// beside one at the other end. A block is written once all before it have been read. Needs Linux 5.6 and leave to use
// io_uring, which containers often refuse: 77 then. Calls on files that the kernel cannot serve at once go to its worker
// threads, which cost more than a small block does: under some 128K, and for a pipe or terminal, a plain loop is faster.
#include "tool.h"

#include <liburing.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *depth_option;
static const struct tool_option own[] = {{"depth", "N", "blocks on their way at once (default 4)", &depth_option},
                                         {NULL, NULL, NULL, NULL}};
static const struct tool self = {.name = "io-uring-copy",
                                 .summary = "copies by io_uring, several reads and writes in flight",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT | TOOL_PIPE,
                                 .block = 1 << 20,
                                 .extra = own};

static bool complete(void);
static bool may_read(void);
static bool may_write(void);
static void begin_read(void);
static void begin_write(void);
static void wait_for_calls(void);

// A block's way: read, complete once all of it is there or the input has ended, written.
static void copy(void) {
  while (!complete()) {
    while (may_read()) begin_read();
    while (may_write()) begin_write();
    wait_for_calls();
  }
}

enum state { READING, READ, WRITING, WRITTEN, FAILED };
struct block {
  unsigned char *buffer;
  enum state state;
  bool polling;     // waits until its end is ready
  bool last;        // the input ended in it
  int error;        // why, or why the write failed
  uint64_t offset;  // in the input, then in the output
  size_t size;      // to be read, then to be written
  size_t done;      // of that
};

struct end {
  int descriptor;
  bool at_offsets;  // explicit ones, and any number of calls in flight; otherwise the descriptor's own, one at a time
  bool async;       // it has said EAGAIN: its calls go to a worker thread at once
  uint64_t offset;  // of the next block
};

enum { DEPTH_MAX = 64, CALL_MAX = 1 << 30 };
static struct io_uring ring;
static struct block blocks[DEPTH_MAX];
static size_t depth, block_bytes;
static struct end in = {0, false, false, 0}, out = {1, false, false, 0};
static uint64_t left;
// Of blocks: how many reads were begun, how many are complete with all before them, and the same of writes.
static uint64_t reads, ready, writes, written;
static uint64_t arrived;  // bytes of the blocks written
static unsigned writing;  // in flight
static bool ended;        // the input, by a read that is among `ready`
static bool failing;      // a write has failed: those in flight may end, nothing new begins
static int read_error;

static bool complete(void) {
  if (failing) return writing == 0;
  return written == ready && (ended || (left == 0 && reads == ready));
}

static bool may_read(void) {
  return !failing && !ended && left > 0 && reads - written < depth && (in.at_offsets || reads == ready);
}

static bool may_write(void) { return !failing && writes < ready && (out.at_offsets || writes == written); }

static struct block *nth(uint64_t n) { return &blocks[n % depth]; }

static void submit(struct block *block) {
  struct end *end = block->state == READING ? &in : &out;
  struct io_uring_sqe *call = io_uring_get_sqe(&ring);  // a block has one at a time, and there are as many as blocks
  unsigned char *next = block->buffer + block->done;
  const unsigned size = (unsigned)tool_least(block->size - block->done, CALL_MAX);
  const uint64_t offset = end->at_offsets ? block->offset + block->done : UINT64_MAX;
  if (block->polling)
    io_uring_prep_poll_add(call, end->descriptor, block->state == READING ? POLLIN : POLLOUT);
  else if (block->state == READING)
    io_uring_prep_read(call, end->descriptor, next, size, offset);
  else
    io_uring_prep_write(call, end->descriptor, next, size, offset);
  if (end->async && !block->polling) io_uring_sqe_set_flags(call, IOSQE_ASYNC);
  io_uring_sqe_set_data(call, block);
}

static void begin(struct block *block, struct end *end, enum state state, size_t size) {
  block->state = state;
  block->offset = end->offset;
  block->size = size;
  block->done = 0;
  end->offset += size;
  submit(block);
}

static void begin_read(void) {
  const size_t size = tool_least(left, block_bytes);
  left -= size;
  begin(nth(reads++), &in, READING, size);
}

static void begin_write(void) {
  struct block *block = nth(writes++);
  writing++;
  begin(block, &out, WRITING, block->done);
}

// A short read at an explicit offset is not the end, a read of nothing is; a short one of a pipe is written at once.
static void read_some(struct block *block, int result) {
  if (result > 0) block->done += (size_t)result;
  if (result > 0 && in.at_offsets && block->done < block->size) {
    submit(block);
    return;
  }
  block->state = READ;
  block->last = result <= 0;
  block->error = result < 0 ? -result : 0;
  left += block->size - block->done;  // if it was the last, of no consequence
  for (; !ended && ready < reads && nth(ready)->state == READ; ready += nth(ready)->done > 0) {
    ended = nth(ready)->last;
    read_error = nth(ready)->error;
  }
}

static void wrote_some(struct block *block, int result) {
  if (result > 0) block->done += (size_t)result;
  if (result > 0 && block->done < block->size) {
    submit(block);
    return;
  }
  block->state = result > 0 ? WRITTEN : FAILED;
  block->error = -result;
  failing = failing || result <= 0;
  writing--;
  for (; written < writes && nth(written)->state == WRITTEN; written++) arrived += nth(written)->size;
}

static void called(struct block *block, int result) {
  struct end *end = block->state == READING ? &in : &out;
  if (block->polling || result == -EINTR) {  // what is wrong, if anything is, the call itself will say
    block->polling = false;
    submit(block);
  } else if (result == -EAGAIN) {
    block->polling = end->async = true;
    submit(block);
  } else if (block->state == READING) {
    read_some(block, result);
  } else {
    wrote_some(block, result);
  }
}

static void wait_for_calls(void) {
  struct io_uring_cqe *answer;
  const int result = io_uring_submit_and_wait(&ring, 1);
  if (result < 0 && result != -EINTR) {
    errno = -result;
    if (ready == 0 && tool_unsupported(errno)) tool_refuse("io_uring_enter");
    tool_die("io_uring_enter");
  }
  while (io_uring_peek_cqe(&ring, &answer) == 0) {
    struct block *block = (struct block *)io_uring_cqe_get_data(answer);
    const int of_call = answer->res;
    io_uring_cqe_seen(&ring, answer);
    called(block, of_call);
  }
}

// Leaves the offsets behind what has arrived; blocks that were written behind a failed one go.
static void settle(uint64_t in_start, uint64_t out_start, uint64_t size_before) {
  struct stat found;
  if (failing) arrived += nth(written)->done;
  if (in.at_offsets) lseek(0, (off_t)(in_start + arrived), SEEK_SET);
  if (!out.at_offsets) return;
  lseek(1, (off_t)(out_start + arrived), SEEK_SET);
  const uint64_t keep = out_start + arrived > size_before ? out_start + arrived : size_before;
  if (failing && fstat(1, &found) == 0 && S_ISREG(found.st_mode) && (uint64_t)found.st_size > keep)
    if (ftruncate(1, (off_t)keep) != 0) tool_die("cut standard output behind the failed write");
}

// The signals that a write would have been: the kernel sends them to the thread that made the call, its own.
static void raise_as_write(int error) {
  struct rlimit limit;
  if (error == EPIPE) raise(SIGPIPE);
  if (error == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) raise(SIGXFSZ);
}

static void look_at_ends(uint64_t *size_before) {
  struct stat found;
  off_t here = lseek(0, 0, SEEK_CUR);
  if (fstat(0, &found) != 0) tool_die_descriptor("stat", 0);
  // A file whose size the kernel does not know, as those in /proc, is read in order.
  in.at_offsets = here >= 0 && (S_ISBLK(found.st_mode) || (S_ISREG(found.st_mode) && found.st_size > here));
  in.offset = here > 0 ? (uint64_t)here : 0;
  here = lseek(1, 0, SEEK_CUR);
  if (fstat(1, &found) != 0) tool_die_descriptor("stat", 1);
  out.at_offsets = here >= 0 && (S_ISBLK(found.st_mode) || S_ISREG(found.st_mode)) && !(fcntl(1, F_GETFL) & O_APPEND);
  out.offset = here > 0 ? (uint64_t)here : 0;
  *size_before = (uint64_t)found.st_size;
}

static void start_ring(void) {
  static const int needed[] = {IORING_OP_READ, IORING_OP_WRITE, IORING_OP_POLL_ADD};
  struct rlimit locked = {0, 0};
  struct io_uring_probe *probe;
  const int error = -io_uring_queue_init((unsigned)depth, &ring, 0);
  errno = error;
  if (error == ENOMEM && getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY)
    tool_exit(TOOL_REFUSED, "io_uring_setup: %s; `ulimit -l` allows %llu KiB of locked memory", strerror(error),
              (unsigned long long)locked.rlim_cur / 1024);
  if (error != 0) tool_refuse("io_uring_setup");
  probe = io_uring_get_probe_ring(&ring);
  if (probe == NULL) tool_exit(TOOL_REFUSED, "io_uring_register: this kernel does not say which calls its io_uring has");
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (!io_uring_opcode_supported(probe, needed[i]) || !(ring.features & IORING_FEAT_RW_CUR_POS))
      tool_exit(TOOL_REFUSED, "io_uring: this kernel's has no plain reads and writes, which Linux 5.6 brought");
  io_uring_free_probe(probe);
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  uint64_t in_start, out_start, size_before;
  depth = tool_count_option("--depth", depth_option, 4, DEPTH_MAX);
  block_bytes = options.block;
  left = options.limit;
  look_at_ends(&size_before);
  in_start = in.offset;
  out_start = out.offset;
  for (size_t i = 0; i < depth; i++) blocks[i].buffer = tool_buffer(block_bytes);
  start_ring();
  copy();
  settle(in_start, out_start, size_before);
  if (failing) {
    errno = nth(written)->error;
    raise_as_write(errno);
    tool_die_descriptor("write", 1);
  }
  errno = read_error;
  if (read_error != 0 && arrived == 0 && tool_unsupported(read_error)) tool_refuse("read standard input by io_uring");
  if (read_error != 0) tool_die_descriptor("read", 0);
  tool_close(1);
  return 0;
}
