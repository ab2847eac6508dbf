#!/bin/sh
# SPDX-License-Identifier: MIT
# The tools and modules that use threads, under the thread sanitizer: the tests of BUILD run the tools of build-thread/.
#   tests/threads.sh BUILD    BUILD: a folder that meson has set up and built
set -eu
build=$1
cd "$(dirname "$0")/.."
root=$(pwd)
[ -f build-thread/build.ninja ] ||
  meson setup build-thread -Doptimization=1 -Db_sanitize=thread -Db_lundef=false >/dev/null
ninja -C build-thread all-tools tests/limit-test tests/regime-test | tail -n 1

found=$(mktemp -d "$root/build-thread/found.XXXXXX")
# A tool that meets an error ends at once, and need not wait for its other thread.
export TSAN_OPTIONS="log_path=$found/report report_thread_leaks=0"
export IOBENCH_ROOT="$root" IOBENCH_TOOLS="$root/build-thread/tools"
failed=0
theme() {  # PROGRAM ARGUMENT...
  echo "threads: $(basename "$1")"
  "$@" >"$found/output" 2>&1 || { failed=1; cat "$found/output"; }
}
# Not with these: cases in which memory runs out, which the sanitizer's own start does not survive.
for name in content copy-stream pairs positions strategies waiting; do
  theme "$build/tests/tools-$name-test" '~[little-memory]'
done
theme build-thread/tests/limit-test
theme build-thread/tests/regime-test

for report in "$found"/report.*; do
  [ ! -e "$report" ] || { failed=1; cat "$report"; }
done
[ "$failed" = 1 ] || { rm -r "$found"; echo 'threads: no races'; }
exit "$failed"
