// SPDX-License-Identifier: MIT
// record-write: fread a payload, fwrite its head, fwrite the payload; after Bradshaw's records (1999), of 32 bytes to
// 37k. With --raw one read of the payload, more where it comes back short, and one write of the record.
// -b is the whole record, head (record.h) and payload; the last is shorter, none is empty. Memory is one record, aligned
// and touched: its head is, so that with --raw the payload lies 8 bytes behind. stdio's buffers as in freadwrite.
#include "record.h"
#include "tool.h"

enum { LARGEST_RECORD = 16 << 20 };

static const char *raw;
static const struct tool_option own[] = {
    {"raw", NULL, "read and write without stdio, a record a write", &raw}, {NULL, NULL, NULL, NULL}};
static const struct tool self = {.name = "record-write",
                                 .summary = "writes standard input as records; record-read undoes it",
                                 .accepts = TOOL_BLOCK | TOOL_FILL,
                                 .block = 4112,
                                 .extra = own,
                                 .block_help = "bytes of a record, 8 of them its head"};

static void put(const unsigned char *payload, size_t size) {
  unsigned char head[RECORD_HEAD_BYTES];
  record_put_head(head, size);
  if (fwrite(head, 1, sizeof head, stdout) != sizeof head || fwrite(payload, 1, size, stdout) != size)
    tool_die("write standard output");
}

static void put_raw(unsigned char *record, size_t size) {
  record_put_head(record, size);
  tool_write(1, record, RECORD_HEAD_BYTES + size);
}

static void copy(unsigned char *payload, size_t most) {
  int error;
  size_t n;
  do {
    n = tool_fread_full(payload, most, &error);
    if (n > 0) put(payload, n);
  } while (n == most);
  if (error) tool_die_reading(error);
}

static void copy_raw(unsigned char *record, size_t most) {
  int error;
  size_t n;
  do {
    n = tool_read_full(record + RECORD_HEAD_BYTES, most, &error);
    if (n > 0) put_raw(record, n);
  } while (n == most);
  if (error) tool_die_reading(error);
}

static void fill(unsigned char *pattern, size_t most, uint64_t bytes) {
  uint64_t done;
  size_t n;
  for (done = 0; (n = tool_least(bytes - done, most)) > 0; done += n) put(pattern + done % 256, n);
}

// The head lies in the pattern, before the payload's part of it, which is put back.
static void fill_raw(unsigned char *pattern, size_t most, uint64_t bytes) {
  unsigned char under_head[RECORD_HEAD_BYTES];
  uint64_t done;
  size_t n;
  for (done = 0; (n = tool_least(bytes - done, most)) > 0; done += n) {
    unsigned char *record = pattern + (done + 256 - RECORD_HEAD_BYTES) % 256;
    memcpy(under_head, record, RECORD_HEAD_BYTES);
    put_raw(record, n);
    memcpy(record, under_head, RECORD_HEAD_BYTES);
  }
}

int main(int argc, char **argv) {
  const struct tool_options options = tool_parse(&self, argc, argv);
  const size_t most = options.block - RECORD_HEAD_BYTES;
  unsigned char *buffer;
  if (options.block <= RECORD_HEAD_BYTES || options.block > LARGEST_RECORD)
    tool_usage("-b %zu: a record has %d to %d bytes", options.block, RECORD_HEAD_BYTES + 1, LARGEST_RECORD);
  tool_check_ends(!options.fill, true);
  buffer = tool_buffer(options.block);
  if (options.fill)
    (raw ? fill_raw : fill)(buffer, most, options.fill);
  else
    (raw ? copy_raw : copy)(buffer, most);
  if (raw)
    tool_close(1);
  else
    tool_close_stdout();
  return 0;
}
