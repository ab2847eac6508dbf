// SPDX-License-Identifier: MIT
// See clock.h.
#include "clock.h"

#include <string.h>
#include <time.h>

double clock_now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int clock_poll_ms(double deadline_s) {
  const double left_ms = (deadline_s - clock_now_s()) * 1000;
  if (left_ms <= 0) return 0;
  return left_ms < 1e6 ? (int)left_ms + 1 : 1000000;  // callers look at the clock again
}

// By hand and not by strtod: neither a locale's comma nor "1e9" or "inf" is meant here.
bool clock_parse(const char *text, double *seconds) {
  const double most_s = 86400;
  double value = 0, digit_worth = 1;
  int digits = 0;
  const char *next = text;
  for (; *next >= '0' && *next <= '9' && value < 1e9; next++, digits++) value = value * 10 + (*next - '0');
  if (*next == '.')
    for (next++; *next >= '0' && *next <= '9'; next++, digits++) value += (*next - '0') * (digit_worth /= 10);
  if (digits == 0) return false;
  if (strcmp(next, "ms") == 0)
    value /= 1000;
  else if (strcmp(next, "m") == 0)
    value *= 60;
  else if (*next != '\0' && strcmp(next, "s") != 0)
    return false;
  if (value <= 0 || value > most_s) return false;
  *seconds = value;
  return true;
}
