// SPDX-License-Identifier: MIT
// The third writer of blocks: one HTML page that holds everything in itself. No script, nothing fetched from anywhere,
// pictures inside; it can be mailed. All text is text: nothing of a label or a reason becomes markup.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "blocks.h"

namespace iobench {

// Content of a picture, by its path relative to the report with ending ("plots/x.svg"); empty: it is not there.
using PictureReader = std::function<std::string(const std::string& path)>;

// A whole HTML5 document. Its title is the first heading of level 1; its contents list the headings of level 2. A
// picture that cannot be had is told in words. A cell of a table, or an item of a list, that is a verdict or begins
// with one and a colon (CONFIRMED, REFUTED, INCONCLUSIVE) is set off by colour and sign.
std::string to_page(const std::vector<Block>& blocks, const PictureReader& picture);

}  // namespace iobench
