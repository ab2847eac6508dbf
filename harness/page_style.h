// SPDX-License-Identifier: MIT
// The style sheet of the page: colours for light and dark, one column on a phone, contents beside the text on a wide
// screen, a plain form for paper.
#pragma once

#include <string_view>

namespace iobench {

extern const std::string_view page_style;

}  // namespace iobench
