// SPDX-License-Identifier: MIT
// The records of record-write and record-read: a head of 8 bytes, which are IOBR and the payload's length as 4 bytes,
// the least significant first, and then the payload. Plain C to its readers, like tool.h.
#ifndef IOBENCH_RECORD_H
#define IOBENCH_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RECORD_MAGIC "IOBR"
enum { RECORD_MAGIC_BYTES = 4, RECORD_HEAD_BYTES = 8 };

static inline void record_put_head(unsigned char *head, size_t payload_bytes) {
  int i;
  memcpy(head, RECORD_MAGIC, RECORD_MAGIC_BYTES);
  for (i = RECORD_MAGIC_BYTES; i < RECORD_HEAD_BYTES; i++) {
    head[i] = (unsigned char)(payload_bytes & 255);
    payload_bytes >>= 8;
  }
}

static inline uint32_t record_payload_bytes(const unsigned char *head) {
  return head[4] | (uint32_t)head[5] << 8 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 24;
}

#endif
