// SPDX-License-Identifier: MIT
// copy-files: open SOURCE, create DESTINATION, copy, close both, 10,000 times over; Nutter's test of IO.copy_stream (2008).
// none, his control, opens, creates and closes, and copies nothing. The others go on to the end of SOURCE: stdio by fread
// and fwrite, readwrite, sendfile and copy-file-range by what they are called; 8K a call (BUFSIZ) unless -b says otherwise,
// from one array, aligned and touched. The target is the same name, truncated each time, as his was, or a new one each
// time, unlinked before. A kernel that cannot serve the two files says so at the first call: status 77, and DESTINATION
// is gone again unless it was there before; that it was truncated by then is part of the strategy.
#include "tool.h"

#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

static const char *source, *destination;
static unsigned char *array;
static size_t block;
static bool is_new;  // --target new

static void failed(const char *call, const char *file);
static void check_call(const char *call, ssize_t moved);
static void check_end(const char *call, int in);

static void copy_nothing(int in, int out) { (void)in, (void)out; }

static void copy_readwrite(int in, int out) {
  size_t n;
  while ((n = tool_read(in, array, block)) > 0) tool_write(out, array, n);
}

static void copy_sendfile(int in, int out) {
  bool moved = false;
  ssize_t n;
  for (; (n = sendfile(out, in, NULL, block)) != 0; moved = true) check_call("sendfile", n);
  if (!moved) check_end("sendfile", in);
}

static void copy_range(int in, int out) {
  bool moved = false;
  ssize_t n;
  for (; (n = copy_file_range(in, NULL, out, NULL, block, 0)) != 0; moved = true) check_call("copy_file_range", n);
  if (!moved) check_end("copy_file_range", in);
}

static void copy_descriptors(void (*copy)(int in, int out)) {
  const int in = open(source, O_RDONLY);
  const int out = in < 0 ? -1 : open(destination, O_WRONLY | O_CREAT | (is_new ? O_EXCL : O_TRUNC), 0666);
  if (in < 0) failed("open", source);
  if (out < 0) failed("create", destination);
  tool_name_descriptor(in, source);
  tool_name_descriptor(out, destination);
  copy(in, out);
  tool_close(in);
  tool_close(out);
}

static void copy_stdio(void) {
  FILE *in = fopen(source, "r");
  FILE *out = in ? fopen(destination, is_new ? "wx" : "w") : NULL;
  if (!in) failed("open", source);
  if (!out) failed("create", destination);
  for (bool ended = false; !ended;) {
    const size_t n = fread(array, 1, block, in);
    const int error = n < block && ferror(in) ? errno : 0;
    if (fwrite(array, 1, n, out) != n) failed("write", destination);
    errno = error;
    if (error && !tool_again(fileno(in), POLLIN)) failed("read", source);
    if (error) clearerr(in);
    ended = n < block && !error;
  }
  if (fclose(in) != 0) failed("close", source);
  if (fflush(out) != 0) failed("write", destination);
  if (fclose(out) != 0) failed("close", destination);
}

static bool started;    // something has been moved, or a whole file copied
static bool removable;  // nobody misses DESTINATION

__attribute__((cold, noreturn)) static void failed(const char *call, const char *file) {
  tool_exit(TOOL_FAILED, "%s %s: %s", call, file, strerror(errno));
}

__attribute__((cold, noreturn)) static void failed_between(const char *call, const char *reason, bool refused) {
  if (refused && removable) unlink(destination);
  tool_exit(refused ? TOOL_REFUSED : TOOL_FAILED, "%s %s to %s: %s", call, source, destination, reason);
}

// After sendfile or copy_file_range, returns when the loop may go on.
static void check_call(const char *call, ssize_t moved) {
  if (moved > 0)
    started = true;
  else if (errno != EINTR)
    failed_between(call, strerror(errno), !started && tool_unsupported(errno));
}

// A kernel may report the end at once for a file whose size it does not know, as those in /proc.
static void check_end(const char *call, int in) {
  char byte;
  if (pread(in, &byte, 1, 0) > 0) failed_between(call, "reports the end of a file that has more to read", !started);
}

// Before anything is opened for writing, truncated or removed.
static void check_files(void) {
  struct stat from, to;
  if (stat(source, &from) != 0) failed("open", source);
  errno = EISDIR;
  if (S_ISDIR(from.st_mode)) failed("open", source);
  if (stat(destination, &to) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
    tool_exit(TOOL_FAILED, "%s and %s are the same file", source, destination);
  removable = lstat(destination, &to) != 0;
  if (is_new && !removable && !S_ISREG(to.st_mode))
    tool_exit(TOOL_FAILED, "unlink %s: it is no regular file", destination);
  removable = removable || is_new;
}

static const struct {
  const char *name;
  void (*copy)(int in, int out);  // NULL: streams instead of descriptors
} methods[] = {{"none", copy_nothing},
               {"stdio", NULL},
               {"readwrite", copy_readwrite},
               {"sendfile", copy_sendfile},
               {"copy-file-range", copy_range}};
enum { METHODS = sizeof methods / sizeof *methods };

int main(int argc, char **argv) {
  const char *count = "10000", *method = "readwrite", *target = "same";
  const struct tool_option own[] = {
      {"count", "N", "copies (default 10000)", &count},
      {"method", "METHOD", "none, stdio, readwrite, sendfile, copy-file-range (default readwrite)", &method},
      {"target", "TARGET", "same: one name, truncated; new: unlinked and created (default same)", &target},
      {NULL, NULL, NULL, NULL}};
  const struct tool self = {
      .name = "copy-files",
      .summary = "opens SOURCE, creates DESTINATION, copies, closes both, again and again\n"
                 "Exit status: 0 done; 1 something failed; 2 usage; 77 not with these files or this kernel.",
      .accepts = TOOL_BLOCK,
      .block = BUFSIZ,
      .extra = own,
      .operands = "SOURCE DESTINATION"};
  const struct tool_options options = tool_parse(&self, argc, argv);
  uint64_t copies = 0;
  int which = 0;
  if (strspn(count, "0123456789") != strlen(count) || !tool_parse_size(count, &copies))
    tool_usage("--count '%s' is not a number above zero", count);
  while (which < METHODS && strcmp(method, methods[which].name) != 0) which++;
  if (which == METHODS)
    tool_usage("--method '%s' is not one of none, stdio, readwrite, sendfile, copy-file-range", method);
  is_new = strcmp(target, "new") == 0;
  if (!is_new && strcmp(target, "same") != 0) tool_usage("--target '%s' is neither same nor new", target);
  if (argc - options.operand != 2) tool_usage("it takes SOURCE and DESTINATION");
  source = argv[options.operand];
  destination = argv[options.operand + 1];
  block = options.block;
  array = tool_buffer(block);
  check_files();
  for (; copies > 0; copies--) {
    if (is_new && unlink(destination) != 0 && errno != ENOENT) failed("unlink", destination);
    if (methods[which].copy)
      copy_descriptors(methods[which].copy);
    else
      copy_stdio();
    started = true;
  }
  return 0;
}
