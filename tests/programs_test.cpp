// SPDX-License-Identifier: MIT
// Programs that are missing, silent, odd, failing or hanging, as small scripts.
#include "programs.h"

#include "catch.h"
#include "scratch.h"

using namespace iobench;

TEST_CASE("versions as programs print them", "[B110]") {
  const Scratch scratch;
  CHECK(hyperfine_version(scratch.script("good", "echo 'hyperfine 1.15.0'")) == "1.15.0");
  CHECK(gnuplot_version(scratch.script("plot", "echo 'gnuplot 5.4 patchlevel 4'")) == "5.4");
  CHECK(gnuplot_version(scratch.script("gentoo", "echo '5.2 patchlevel 5a (Gentoo)'")) == "5.2");
  CHECK(hyperfine_version(scratch.script("prefixed", "echo 'hyperfine v1.18.0-rc1 (abc)'; echo 2.0")) == "1.18.0");
  CHECK(hyperfine_version(scratch.script("stderr", "echo 'hyperfine 1.16.1' >&2")) == "1.16.1");
  CHECK(version_line(scratch.script("lines", "echo one; echo two")) == "one");
}

TEST_CASE("programs that give no version", "[B110]") {
  const Scratch scratch;
  CHECK(hyperfine_version(scratch / "none").empty());
  CHECK(hyperfine_version(scratch.file("plain", "not executable")).empty());
  CHECK(hyperfine_version(scratch.path()).empty());
  CHECK(hyperfine_version(scratch.script("silent", "true")).empty());
  CHECK(hyperfine_version(scratch.script("failing", "echo 1.15.0; exit 1")).empty());
  CHECK(hyperfine_version(scratch.script("killed", "echo 1.15.0; kill -9 $$")).empty());
  CHECK(hyperfine_version(scratch.script("wordy", "echo no number here")).empty());
  CHECK(hyperfine_version(scratch.script("reading", "cat; echo 1.15.0")) == "1.15.0");  // its input is empty, not ours
  CHECK(hyperfine_version(scratch.script("hanging", "echo 1.15.0; sleep 1000")).empty());
}

TEST_CASE("versions compare as numbers") {
  CHECK(version_at_least("1.15.0", 1, 15));
  CHECK(version_at_least("1.100", 1, 15));
  CHECK(version_at_least("2.0.1", 1, 15));
  CHECK_FALSE(version_at_least("1.14.9", 1, 15));
  CHECK_FALSE(version_at_least("1.9.0", 1, 15));
  CHECK_FALSE(version_at_least("0.99.0", 1, 15));
  CHECK_FALSE(version_at_least("", 1, 15));
  CHECK_FALSE(version_at_least("x.y", 0, 0));
}

TEST_CASE("terminals of gnuplot", "[B111]") {
  const Scratch scratch;
  const auto fake = scratch.script("fake", "[ \"$1\" = -e ] && printf ' pngcairo  PNG\\n  svg  W3C\\n' >&2");
  CHECK(gnuplot_has_terminal(fake, "pngcairo"));
  CHECK(gnuplot_has_terminal(fake, "svg"));
  CHECK_FALSE(gnuplot_has_terminal(fake, "png"));
  CHECK_FALSE(gnuplot_has_terminal(scratch / "none", "svg"));
  CHECK_FALSE(gnuplot_has_terminal(scratch.script("failing", "echo svg; exit 1"), "svg"));
}
