// SPDX-License-Identifier: MIT
// direct-copy: read and write past the page cache, O_DIRECT, with buffers on huge pages. Needs a regular file or a block
// device at one end at least, whose file system takes O_DIRECT: 77 otherwise; the other end, and an output that appends,
// is read or written as ever. The files are opened a second time through /proc/self/fd, so that the flags of the
// descriptors that we were given stay. What does not begin or end on a multiple of 4,096 bytes goes through those: a head,
// the tail, and all of an output whose offset is not where the input's is. From a file that is in the page cache already
// it is many times slower than a plain loop, and so are small blocks anywhere: each waits for the device.
#include "tool.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const struct tool self = {.name = "direct-copy",
                                 .summary = "copies by read and write with O_DIRECT",
                                 .accepts = TOOL_BLOCK | TOOL_LIMIT | TOOL_PIPE,
                                 .block = 4 << 20,
                                 .block_help = "bytes per call, a multiple of 4K"};

enum { UNIT = 4096 };  // what O_DIRECT wants offsets, sizes and memory to be multiples of, on all but the oddest devices

// One end: the descriptor that we were given, the second one with O_DIRECT or -1, and the offset of both if there is one.
struct end {
  int plain;
  int direct;
  uint64_t offset;
};

static bool moved;  // a byte

static size_t read_block(struct end *in, const struct end *out, unsigned char *buffer, size_t size, int *error);
static void write_block(struct end *out, const unsigned char *buffer, size_t size);

static void copy(struct end *in, struct end *out, unsigned char *buffer, size_t block, uint64_t left) {
  int error = 0;
  size_t n;
  while (error == 0 && left > 0 && (n = read_block(in, out, buffer, tool_least(left, block), &error)) > 0) {
    write_block(out, buffer, n);
    left -= n;
  }
  errno = error;
  if (error != 0) tool_die_descriptor("read", in->plain);
}

// How much of `size` bytes O_DIRECT can move at an end's offset.
static size_t direct_part(const struct end *end, size_t size) {
  return end->direct >= 0 && end->offset % UNIT == 0 ? size / UNIT * UNIT : 0;
}

static size_t read_direct(struct end *in, unsigned char *buffer, size_t size, int *error) {
  ssize_t n;
  while ((n = pread(in->direct, buffer, size, (off_t)in->offset)) < 0 && tool_again(in->direct, POLLIN)) continue;
  if (n >= 0) return (size_t)n;
  if (!moved && errno == EINVAL) tool_refuse("read standard input with O_DIRECT");
  *error = errno;
  return 0;
}

static size_t read_block(struct end *in, const struct end *out, unsigned char *buffer, size_t size, int *error) {
  const size_t direct = direct_part(in, size);
  const struct end *aligned = in->direct >= 0 ? in : out;  // whose multiples the blocks end on
  size_t n;
  if (direct > 0) {
    n = read_direct(in, buffer, direct, error);
    lseek(in->plain, (off_t)(in->offset + n), SEEK_SET);
  } else {
    if (aligned->offset % UNIT != 0) size = tool_least(UNIT - aligned->offset % UNIT, size);
    n = tool_read_full(buffer, size, error);  // an output with O_DIRECT wants whole blocks
  }
  in->offset += n;
  return n;
}

static size_t below_limit(uint64_t offset, size_t size) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return size;
  return limit.rlim_cur > offset ? tool_least(limit.rlim_cur - offset, size) : 0;
}

static void write_block(struct end *out, const unsigned char *buffer, size_t size) {
  size_t direct;
  // The kernel would cut what passes a limit of the file's size to a length that O_DIRECT does not take.
  while ((direct = direct_part(out, below_limit(out->offset, size))) > 0) {
    const ssize_t n = pwrite(out->direct, buffer, direct, (off_t)out->offset);
    if (n > 0) {
      buffer += n;
      size -= (size_t)n;
      out->offset += (uint64_t)n;
      moved = true;
      lseek(out->plain, (off_t)out->offset, SEEK_SET);
    } else if (n == 0 || !tool_again(out->direct, POLLOUT)) {
      const int error = n == 0 ? 0 : errno;
      const bool back = !moved && error == EINVAL && lseek(STDIN_FILENO, -(off_t)size, SEEK_CUR) >= 0;
      errno = error;
      if (back) tool_refuse("write standard output with O_DIRECT");
      tool_die_descriptor("write", out->plain);
    }
  }
  tool_write(out->plain, buffer, size);
  moved = true;
  out->offset += size;
}

// A file that does not take O_DIRECT, or may not be opened again, is read or written as ever.
static struct end open_end(int plain, int mode) {
  struct end end = {plain, -1, 0};
  struct stat found;
  char path[64];
  const off_t here = lseek(plain, 0, SEEK_CUR);
  errno = 0;
  if (fstat(plain, &found) != 0 || !(S_ISREG(found.st_mode) || S_ISBLK(found.st_mode)) || here < 0) return end;
  end.offset = (uint64_t)here;
  snprintf(path, sizeof path, "/proc/self/fd/%d", plain);
  if (mode == O_RDONLY || !(fcntl(plain, F_GETFL) & O_APPEND)) end.direct = open(path, mode | O_DIRECT | O_CLOEXEC);
  if (end.direct < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) tool_die_descriptor("open again", plain);
  return end;
}

static unsigned char *huge_buffer(size_t bytes) {
  const size_t huge = 2 << 20;
  void *map = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned char *buffer;
  if (map == MAP_FAILED) tool_exit(TOOL_FAILED, "allocate a buffer of %zu bytes: %s", bytes, strerror(errno));
  buffer = (unsigned char *)(((uintptr_t)map + huge - 1) / huge * huge);
  madvise(buffer, bytes, MADV_HUGEPAGE);
  memset(buffer, 0, bytes);
  return buffer;
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  struct end in, out;
  if (options.block % UNIT != 0) tool_usage("-b %zu is not a multiple of %d, as O_DIRECT wants it", options.block, UNIT);
  in = open_end(0, O_RDONLY);
  out = open_end(1, O_WRONLY);
  if (in.direct < 0 && out.direct < 0)
    tool_exit(TOOL_REFUSED, "O_DIRECT: neither standard input nor standard output is a file that takes it");
  copy(&in, &out, huge_buffer(options.block), options.block, options.limit);
  tool_close(1);
  return 0;
}
