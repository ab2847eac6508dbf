// SPDX-License-Identifier: MIT
// The text of the Error that an action ends with. Catch's own matchers for texts have other names and headers in 2
// and 3.
#pragma once

#include <functional>
#include <string>

#include "system.h"

inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const iobench::Error& error) {
    return error.what();
  }
  return "no error";
}

// The same less the directory in front of the file's name, for messages that begin "DIR/FILE:".
inline std::string short_message_of(const std::function<void()>& action) {
  const std::string text = message_of(action);
  const std::size_t slash = text.rfind('/', text.find(':'));
  return slash == std::string::npos ? text : text.substr(slash + 1);
}
