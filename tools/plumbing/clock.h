// SPDX-License-Identifier: MIT
// Time for the tools that wait: the monotonic clock, what is left until a deadline, and times on the command line.
// Plain C to its readers, like tool.h.
#ifndef IOBENCH_CLOCK_H
#define IOBENCH_CLOCK_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

double clock_now_s(void);

// Milliseconds for poll(2) until `deadline_s` of clock_now_s, rounded up; 0 when it has passed.
int clock_poll_ms(double deadline_s);

// "30", "30s", "0.5", "500ms", "2m": seconds, above zero and at most a day. False, and *seconds unchanged, for all else.
bool clock_parse(const char *text, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
