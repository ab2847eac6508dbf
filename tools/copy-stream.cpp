// SPDX-License-Identifier: MIT
// copy-stream: looks at both descriptors and copies in the fastest safe way for that pair; the only tool that chooses,
// the only one that falls back. Whatever it begins with, it ends with read and write: they find the end, report what is
// wrong in their own words, and go on where the kernel has declined. Files are not given away: bytes that a reader has
// not taken yet would change with the file if the page cache's own pages stood in a pipe or socket (splice, sendfile);
// --share-pages allows that. A long file reaches a pipe in memory that is filled once and then left to the pipe. Pages that
// another process gave to a pipe are handed on as they are. Holes are written as
// zeros, except where the file system shares its blocks (xfs, btrfs). Degenerates to a plain loop on terminals, other
// devices and files without a size; while it waits for a pipe it looks for up to 50 microseconds before it sleeps, which
// costs processor time on a stream of small writes.
#include "tool.h"

#include <string.h>
#include <sys/mman.h>

#include "choosing/ends.h"
#include "choosing/giving.h"
#include "choosing/splicing.h"
#include "choosing/turns.h"

enum { FIRST_BLOCK = 64 << 10, SMALL_BLOCK = 256 << 10, LARGE_BLOCK = 1 << 20, HUGE_PAGE = 2 << 20 };
enum { WORTH_LARGE = 1 << 20, WORTH_A_START = 8 << 20 };  // bytes, below which the start costs more than it saves

static const char *share_pages, *explain;
static const struct tool_option options_of_its_own[] = {
    {"share-pages", NULL, "let a pipe or socket have the file's own pages: faster, shows later changes", &share_pages},
    {"explain", NULL, "say on standard error what it does and why", &explain},
    {NULL, NULL, NULL, NULL}};
static const struct tool self = {.name = "copy-stream",
                                 .summary = "copies in the fastest safe way for these two descriptors",
                                 .accepts = TOOL_LIMIT,
                                 .extra = options_of_its_own};

enum method { BLOCKS, TURNS, GIVE, SPLICE, SENDFILE };
struct choice {
  enum method method;
  size_t block;  // of BLOCKS, once the copy is long
  const char *why;
};

static struct choice choose(const struct end *in, const struct end *out, uint64_t bytes);
static unsigned char *large_buffers(void);
static void say(const char *what, const char *why);

// Read and write. Small copies stay in memory that is there already.
static void copy_blocks(size_t block, uint64_t expected, uint64_t left) {
  static unsigned char first[FIRST_BLOCK] __attribute__((aligned(4096)));
  unsigned char *buffer = first;
  size_t size = FIRST_BLOCK, n;
  uint64_t done = expected < UINT64_MAX ? expected : 0;
  while (left > 0) {
    if (size == FIRST_BLOCK && done >= WORTH_LARGE && (buffer = large_buffers()) != NULL) size = block;
    if (buffer == NULL) buffer = first;
    if ((n = tool_read(0, buffer, tool_least(left, size))) == 0) break;
    tool_write(1, buffer, n);
    left -= n;
    done += n;
  }
}

static void copy(const struct end *in, const struct end *out, uint64_t left) {
  uint64_t bytes = in->left < left ? in->left : left;
  const struct choice choice = choose(in, out, bytes);
  int error = 0;
  if (in->kind == END_FILE && out->kind == END_FILE && bytes > 0 && copy_by_clone(bytes, &left) == 0) {
    say("shared blocks", "the file system can; what follows is only looked for");
    bytes = 0;
  } else if (choice.method == TURNS) {
    unsigned char *buffers = large_buffers();
    say("two threads that take turns to read and to write 1 MiB", choice.why);
    if (buffers == NULL || !copy_by_turns(buffers, LARGE_BLOCK, &left)) say("read and write", "no second thread");
  } else if (choice.method == GIVE) {
    say("read and vmsplice", choice.why);
    error = copy_by_giving(&left);
  } else if (choice.method == SPLICE) {
    say("splice", choice.why);
    error = copy_by_splice(in->kind == END_PIPE || out->kind == END_PIPE, &left);
  } else if (choice.method == SENDFILE) {
    say("sendfile", choice.why);
    error = copy_by_sendfile(&left);
  } else {
    say("read and write", choice.why);
  }
  if (error) say("read and write from here", strerror(error));
  copy_blocks(choice.block, choice.method == BLOCKS ? bytes : 0, left);
}

// What was fastest for each pair where it was measured: two cores of an AMD EPYC (Zen 4), 24 GiB, virtual, Linux 6.18.
static struct choice choose(const struct end *in, const struct end *out, uint64_t bytes) {
  const struct choice plain = {BLOCKS, LARGE_BLOCK, "nothing is faster for this pair"};
  const struct choice unseen = {SPLICE, LARGE_BLOCK, "nobody looks at the bytes, so none needs to be moved"};
  const struct choice moved = {SPLICE, LARGE_BLOCK, "what is in the input's buffers can be handed on without a copy"};
  const struct choice unsized = {BLOCKS, LARGE_BLOCK, "an empty file, or one that does not say its size"};
  if (in->left == 0) return unsized;
  if (out->kind == END_NULL && (in->kind == END_FILE || in->kind == END_PIPE || in->kind == END_TCP)) return unseen;
  if (in->kind == END_FILE && out->kind == END_FILE) {
    const struct choice turns = {TURNS, LARGE_BLOCK, "one block is read while the other is written"};
    const struct choice small = {BLOCKS, LARGE_BLOCK, "too little for a second thread"};
    const struct choice alone = {BLOCKS, LARGE_BLOCK, "one processor for two threads"};
    if (bytes < WORTH_A_START) return small;
    return processors_allowed() > 1 ? turns : alone;
  }
  if (in->kind == END_FILE && (out->kind == END_PIPE || out->kind == END_UNIX)) {
    const struct choice shared = {out->kind == END_PIPE ? SPLICE : SENDFILE, LARGE_BLOCK,
                                  "the file's own pages, as asked"};
    const struct choice kept = {BLOCKS, out->kind == END_PIPE ? SMALL_BLOCK : LARGE_BLOCK,
                                "the reader must not see later changes of the file (faster: --share-pages)"};
    const struct choice given = {GIVE, SMALL_BLOCK, "the pipe gets memory that is filled once and left to it"};
    if (share_pages) return shared;
    return out->kind == END_PIPE && bytes >= WORTH_A_START && huge_pages_to_be_had() ? given : kept;
  }
  if (in->kind == END_PIPE && (out->kind == END_PIPE || out->kind == END_UNIX)) return moved;
  if (in->kind == END_UNIX && (out->kind == END_PIPE || out->kind == END_UNIX)) return moved;
  return plain;
}

// Two blocks within one huge page where the system has them: a copy through small pages took a quarter longer. NULL when
// memory is short: a copy does not need them.
static unsigned char *large_buffers(void) {
  unsigned char *room =
      (unsigned char *)mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return NULL;
  room += HUGE_PAGE - (uintptr_t)room % HUGE_PAGE;
  madvise(room, HUGE_PAGE, MADV_HUGEPAGE);
  return room;
}

static void say(const char *what, const char *why) {
  char line[256];
  const int length = snprintf(line, sizeof line, "copy-stream: %s: %s\n", what, why);
  if (explain && write(STDERR_FILENO, line, tool_least((uint64_t)length, sizeof line - 1)) < 0) explain = NULL;
}

static void say_ends(const struct end *in, const struct end *out) {
  char ends[128];
  snprintf(ends, sizeof ends, "from %s to %s%s", in->name, out->name, out->append ? ", appending" : "");
  say("copies", ends);
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  const struct end in = end_look(0), out = end_look(1);
  if (in.left >= FIRST_BLOCK) {
    end_widen(0, &in, true);
    end_widen(1, &out, false);
  }
  say_ends(&in, &out);
  copy(&in, &out, options.limit);
  tool_close(1);
  return 0;
}
