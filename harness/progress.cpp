// SPDX-License-Identifier: MIT
#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "system.h"

namespace iobench {

namespace {

constexpr double least_interval_s = 0.1;  // faster than a person reads, and a terminal's work disturbs what is measured

std::size_t terminal_width() {
  struct winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void say(const std::string& text) {
  // Losing a progress line is no reason to lose a run: a closed or full standard error is ignored.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::Progress() {
  const char* term = std::getenv("TERM");
  terminal_ = ::isatty(STDERR_FILENO) != 0 && !(term && std::strcmp(term, "dumb") == 0);
}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (shown_) say("\r\033[K");
  shown_ = false;
}

void Progress::live(const std::string& text) {
  if (!terminal_) return;
  const double now = monotonic_s();
  if (shown_ && now - shown_at_s_ < least_interval_s) return;
  shown_at_s_ = now;
  shown_ = true;
  say("\r\033[K" + text.substr(0, terminal_width() - 1));
}

void Progress::line(const std::string& text) {
  clear();
  say(text + "\n");
}

}  // namespace iobench
