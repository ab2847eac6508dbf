#!/bin/sh
# SPDX-License-Identifier: MIT
# Which lines of tools/ the tests run: the tests of BUILD run the tools of build-coverage/, which count their lines. A
# tool that is killed leaves no counts: its last lines look as if nobody ran them.
#   tests/coverage.sh BUILD    BUILD: a folder that meson has set up and built
set -eu
build=$1
cd "$(dirname "$0")/.."
root=$(pwd)
[ -f build-coverage/build.ninja ] ||
  meson setup build-coverage -Doptimization=0 -Db_coverage=true -Dcpp_args="-include $root/tests/coverage_end.h" >/dev/null
ninja -C build-coverage all-tools | tail -n 1
find build-coverage -name '*.gcda' -delete

export IOBENCH_ROOT="$root" IOBENCH_TOOLS="$root/build-coverage/tools"
# Of the harness's, those whose commands run tools and plumb in ways that the tools' own tests do not.
for test in "$build"/tests/tools-*-test "$build"/tests/net-test "$build"/tests/plumb-test \
  "$build"/tests/plumb-account-test "$build"/tests/check-test "$build"/tests/network-test "$build"/tests/user-test; do
  case $test in
  */tools-faults-test | */tools-large-test | */tools-c-subset-test) continue ;;  # long, and the same lines; compiles only
  esac
  echo "coverage: $(basename "$test")"
  # Counting makes calls of its own at the end, which some tests do not expect; `make test` is where they must pass.
  "$test" >/dev/null 2>&1 || true
done
gcovr --root "$root" --object-directory build-coverage --filter tools/ --gcov-ignore-parse-errors --sort-percentage
