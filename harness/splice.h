// SPDX-License-Identifier: MIT
// Parts of results put into a document, so that no figure in it is typed by hand: what stands between a line
// "<!-- BEGIN: PATH -->" and the next line "<!-- END -->" is replaced by the file PATH, which is relative to the document:
// a table's Markdown as it is, a picture (PATH | what it shows) as a link to it.
#pragma once

#include <filesystem>
#include <string>

namespace iobench {

// The document's text with each part as its file says now. Throws Error "FILE:LINE: …" for a part without an end, an end
// without a part, and a file that cannot be read.
std::string spliced(const std::filesystem::path& document);

// Replaces the document unless it is so already; says what was done.
std::string splice(const std::filesystem::path& document);

}  // namespace iobench
