// SPDX-License-Identifier: MIT
// record-read: fread a head, look at it, adjust the buffer, fread the payload, fwrite it; Bradshaw's reader (1999), which
// does not slurp. With --raw the same by read and write: two reads and a write a record, so that small records are dear.
// What a record's size is, its head (record.h) says: there is nothing for a -b to say. The buffer starts with 64 bytes
// and doubles until the payload fits, at a page's beginning, touched by its first payload; a head that promises more
// than 1 GiB is refused, since a lie would cost that much memory. A payload is written when all of it is there.
#include "record.h"
#include "tool.h"

#include <stdarg.h>
#include <stdlib.h>

static const char *raw;
static const struct tool_option own[] = {
    {"raw", NULL, "read and write without stdio", &raw}, {NULL, NULL, NULL, NULL}};
static const struct tool self = {.name = "record-read",
                                 .summary = "writes the payloads of record-write's records",
                                 .accepts = TOOL_DRAIN,
                                 .extra = own};

static unsigned char *payload;
static size_t capacity;
static uint64_t record = 1, offset;  // of the record at hand: its number, and where it begins

static size_t look_at(const unsigned char *head, size_t size, int error);
static void check_payload(size_t size, size_t wanted, int error);

static void copy(bool drain) {
  unsigned char head[RECORD_HEAD_BYTES];
  size_t n, length;
  int error;
  while ((n = tool_fread_full(head, sizeof head, &error)) > 0 || error) {
    length = look_at(head, n, error);
    n = tool_fread_full(payload, length, &error);
    check_payload(n, length, error);
    if (!drain && fwrite(payload, 1, length, stdout) != length) tool_die("write standard output");
  }
}

static void copy_raw(bool drain) {
  unsigned char head[RECORD_HEAD_BYTES];
  size_t n, length;
  int error;
  while ((n = tool_read_full(head, sizeof head, &error)) > 0 || error) {
    length = look_at(head, n, error);
    n = tool_read_full(payload, length, &error);
    check_payload(n, length, error);
    if (!drain) tool_write(1, payload, length);
  }
}

// What was read before is written first.
__attribute__((noreturn, cold, format(printf, 1, 2))) static void broken(const char *format, ...) {
  char what[128];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  if (fflush(stdout) != 0) tool_die("write standard output");
  tool_exit(TOOL_FAILED, "record %llu at byte %llu: %s", (unsigned long long)record, (unsigned long long)offset, what);
}

static void adjust(size_t wanted) {
  const size_t most = 1 << 30;
  void *grown;
  size_t bytes = capacity ? capacity : 64;
  int error;
  if (wanted > most) broken("a payload of %zu bytes is more than 1 GiB, the most that is read", wanted);
  while (bytes < wanted) bytes *= 2;
  free(payload);
  error = posix_memalign(&grown, 4096, bytes);
  if (error) broken("allocate a buffer of %zu bytes: %s", bytes, strerror(error));
  payload = (unsigned char *)grown;
  capacity = bytes;
}

static size_t look_at(const unsigned char *head, size_t size, int error) {
  size_t length;
  if (error) tool_die_reading(error);
  if (size < RECORD_HEAD_BYTES) broken("head is cut: %zu of %d bytes", size, RECORD_HEAD_BYTES);
  if (memcmp(head, RECORD_MAGIC, RECORD_MAGIC_BYTES) != 0)
    broken("not a record: head begins %02x %02x %02x %02x, not " RECORD_MAGIC, head[0], head[1], head[2], head[3]);
  length = record_payload_bytes(head);
  if (length > capacity) adjust(length);
  return length;
}

static void check_payload(size_t size, size_t wanted, int error) {
  if (error) tool_die_reading(error);
  if (size < wanted) broken("payload is cut: %zu of %zu bytes", size, wanted);
  record++;
  offset += RECORD_HEAD_BYTES + wanted;
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_start(&self, argc, argv);
  adjust(64);
  (raw ? copy_raw : copy)(options.drain);
  if (options.drain) return 0;
  if (raw)
    tool_close(1);
  else
    tool_close_stdout();
  return 0;
}
