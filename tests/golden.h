// SPDX-License-Identifier: MIT
// Texts that must not change unnoticed. They are kept under tests/golden/; a mismatch leaves NAME.got beside NAME, and
// IOBENCH_UPDATE_GOLDEN=1 in the environment takes what there is as right.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "catch.h"
#include "system.h"

inline void check_golden(const std::string& name, const std::string& text) {
  namespace fs = std::filesystem;
  const char* root = std::getenv("IOBENCH_ROOT");
  REQUIRE(root != nullptr);
  const fs::path kept = fs::path(root) / "tests/golden" / name, got = kept.string() + ".got";
  if (const char* update = std::getenv("IOBENCH_UPDATE_GOLDEN"); update && std::string(update) == "1") {
    fs::create_directories(kept.parent_path());
    iobench::replace_file(kept, text);
  }
  const bool same = iobench::read_file_or_empty(kept) == text;
  if (same)
    fs::remove(got);
  else
    iobench::replace_file(got, text);
  INFO("compare " << kept << " with " << got);
  CHECK(same);
}
