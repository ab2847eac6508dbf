// SPDX-License-Identifier: MIT
// What the copy tools share besides their loops: options, messages, the checks before the first byte, buffers, and the
// calls that go on after a signal. Plain C to its readers: a tool whose strategy is not a C++ one can be lifted into a
// C program together with this header and tool.cpp. Everything a loop calls once a block is inline, so that nothing
// stands between the loop and the system call; all that happens once a run is in tool.cpp. An include guard and not
// `#pragma once`, so that a compiler can be given this file alone.
#ifndef IOBENCH_TOOL_H
#define IOBENCH_TOOL_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

// Exit statuses. TOOL_REFUSED: this strategy cannot serve these descriptors or this kernel, decided before a byte was
// consumed or written.
enum { TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_REFUSED = 77 };

// Options that several tools have; each names those it accepts. All tools have --help and --version.
enum {
  TOOL_BLOCK = 1,  // -b SIZE, bytes per call
  TOOL_LIMIT = 2,  // -n BYTES, stop after
  TOOL_DRAIN = 4,  // --drain, read and discard; standard output is not looked at
  TOOL_FILL = 8,   // --fill BYTES, write the pattern of tool_buffer; standard input is not looked at
  TOOL_PIPE = 16,  // --pipe-size SIZE, what to ask of the pipes at both ends
};

// A long option of one tool only. `argument` names its value in --help; NULL: a switch.
// *value receives the text given, or the option's own name for a switch.
struct tool_option {
  const char *name;
  const char *argument;
  const char *help;
  const char **value;
};

struct tool {
  const char *name;
  const char *summary;               // one line of --help
  int accepts;                       // TOOL_BLOCK | ...
  size_t block;                      // default of -b
  const struct tool_option *extra;   // ends with {0}; NULL: none
  const char *operands;              // as --help shows them, "IN OUT COMMAND"; NULL: any operand is a usage error
  const char *block_help;            // what -b is; NULL: "bytes per call"
};

struct tool_options {
  size_t block;
  uint64_t limit;  // UINT64_MAX: until the input ends
  bool drain;
  uint64_t fill;   // bytes to write; 0: no --fill
  size_t pipe;     // bytes asked of pipes; 0: they stay as they are
  int operand;     // index in argv of the first operand, argc if there is none
};

// Reads the options and exits on --help, --version and mistakes. Options end at the first operand. Looks at no
// descriptor.
struct tool_options tool_parse(const struct tool *tool, int argc, char **argv);

// Exits with 1 when an end that is used is closed, a directory or not open for its use, or when both are one and the
// same non-empty file.
void tool_check_ends(bool input, bool output);

// Asks that the pipe `descriptor` hold `bytes`: how many it then holds, 0 if it is not a pipe. Only a wish: the kernel
// refuses more than /proc/sys/fs/pipe-max-size (1 MiB unless set) and, to an ordinary user with many pipes, less; then
// the pipe stays as it is.
size_t tool_ask_pipe(int descriptor, size_t bytes);

// All of the above: how a tool that copies standard input to standard output begins.
struct tool_options tool_start(const struct tool *tool, int argc, char **argv);

// "512", "64K", "64KiB", "1M", "1G", "10T": powers of 1024. False, and *bytes unchanged, for anything else: zero,
// signs, other suffixes, more than 2^63-1.
bool tool_parse_size(const char *text, uint64_t *bytes);

// The same for the value of an option: ends the tool with a usage error unless it is a size.
uint64_t tool_size_option(const char *option, const char *text);

// The same for one that is a count: a usage error unless it is a number from 1 to `most`; `otherwise` where text is NULL.
size_t tool_count_option(const char *option, const char *text, size_t otherwise, size_t most);

// One line on standard error, at once, then the end of the process. Nothing buffered in stdio is written any more:
// after a failed write the bytes that follow would land in the wrong place.
__attribute__((noreturn, cold)) void tool_die(const char *what);                // "NAME: WHAT: reason of errno", 1
__attribute__((noreturn, cold)) void tool_refuse(const char *what);             // the same with 77
__attribute__((noreturn, cold, format(printf, 2, 3))) void tool_exit(int status, const char *format, ...);
// "NAME: …; try 'NAME --help'", 2.
__attribute__((noreturn, cold, format(printf, 1, 2))) void tool_usage(const char *format, ...);
// "NAME: read standard input: reason of errno", 1.
__attribute__((noreturn, cold)) void tool_die_descriptor(const char *verb, int descriptor);
// What that, tool_read, tool_write and tool_close are to call a small descriptor other than 0 and 1. `name` must stay.
void tool_name_descriptor(int descriptor, const char *name);

// `bytes` of memory at a multiple of 4,096, touched before the first call: a misaligned buffer costs up to twice the
// time at 1M and moves the best block size. It holds the pattern of Uppal's test (2004), byte i is (i + 128) mod 256,
// and 255 bytes more of it, so that a block of any size can begin at any byte of the pattern. Exits with 1 when memory
// is short.
unsigned char *tool_buffer(size_t bytes);

// After a call that failed: true when it may be repeated, at once after a signal, or, on a non-blocking descriptor,
// when poll says that it is ready. Otherwise false, errno as it was.
bool tool_again(int descriptor, short events);

// The errors by which a kernel says "not this call on these descriptors".
bool tool_unsupported(int error);

// After `call`, which moves bytes from standard input to standard output inside the kernel, failed: returns when it may be
// repeated, since either end may be the one that was not ready. Otherwise the end of the tool: 77 when the kernel says
// "not this call" and nothing has `moved` yet, 1 in all other cases.
void tool_move_again(const char *call, bool moved);

// After `call` said that the input has ended: the end of the tool unless it has, 77 when nothing has `moved` yet. A
// kernel may say so at once of a file whose size it does not know, as those in /proc.
void tool_check_end(const char *call, bool moved);

// After getc or fread on standard input came back short with `error` in errno: true when the reading may go on, false
// at the end of the input. A read that failed ends the tool, after what was read before has been written. There is no
// such thing for output: glibc has dropped its buffer when a write fails.
bool tool_stdin_again(int error);

// "NAME: read standard input: reason of error", 1; what the tool has put into stdout goes out before.
__attribute__((noreturn, cold)) void tool_die_reading(int error);

// The end of a tool that writes: a failing flush or close counts.
void tool_close_stdout(void);
void tool_close(int descriptor);

// read(2) that goes on after signals and waits on non-blocking descriptors: bytes read, 0 at the end.
static inline size_t tool_read(int descriptor, void *buffer, size_t size) {
  ssize_t n;
  while ((n = read(descriptor, buffer, size)) < 0)
    if (!tool_again(descriptor, POLLIN)) tool_die_descriptor("read", descriptor);
  return (size_t)n;
}

// read(2) on standard input until `size` bytes are there: how many are. Fewer at the end of the input (*error is 0) and
// where reading failed (*error is its errno).
static inline size_t tool_read_full(void *buffer, size_t size, int *error) {
  size_t done = 0;
  *error = 0;
  while (done < size) {
    const ssize_t n = read(STDIN_FILENO, (char *)buffer + done, size - done);
    if (n > 0) {
      done += (size_t)n;
    } else if (n == 0 || !tool_again(STDIN_FILENO, POLLIN)) {
      if (n < 0) *error = errno;
      break;
    }
  }
  return done;
}

// The same by fread, which needs more than one call only after a signal or on a non-blocking descriptor.
static inline size_t tool_fread_full(void *buffer, size_t size, int *error) {
  size_t done = 0;
  *error = 0;
  while ((done += fread((char *)buffer + done, 1, size - done, stdin)) < size) {
    if (!ferror(stdin)) break;
    if (!tool_again(STDIN_FILENO, POLLIN)) {
      *error = errno;
      break;
    }
    clearerr(stdin);
  }
  return done;
}

// write(2) until all is written.
static inline void tool_write(int descriptor, const void *buffer, size_t size) {
  const char *next = (const char *)buffer;
  while (size > 0) {
    const ssize_t n = write(descriptor, next, size);
    if (n > 0) {
      next += n;
      size -= (size_t)n;
    } else if (n == 0 || !tool_again(descriptor, POLLOUT)) {
      if (n == 0) errno = 0;  // a device that takes nothing and gives no reason: not to be tried for ever
      tool_die_descriptor("write", descriptor);
    }
  }
}

static inline size_t tool_least(uint64_t left, size_t block) { return left < block ? (size_t)left : block; }

#ifdef __cplusplus
}
#endif
#endif
