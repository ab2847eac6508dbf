// SPDX-License-Identifier: MIT
// What a waiting person sees: on a terminal one live line, otherwise a line when something changes. Written to standard
// error, so that standard output holds results alone.
#pragma once

#include <string>

namespace iobench {

class Progress {
 public:
  Progress();
  ~Progress();  // leaves no half line behind
  // One live line: replaced by the next call. Off a terminal nothing is shown.
  void live(const std::string& text);
  // A line that stays.
  void line(const std::string& text);
  bool on_terminal() const { return terminal_; }

 private:
  void clear();

  bool terminal_ = false;
  bool shown_ = false;
  double shown_at_s_ = 0;
};

}  // namespace iobench
