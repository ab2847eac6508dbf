#!/bin/sh
# SPDX-License-Identifier: MIT
# What compilers and analyzers say of tools/ and harness/, without running anything: shellcheck, GCC and Clang with
# every warning an error, cppcheck, and, unless it is to be quick, clang-tidy, which takes 6 minutes on two processors.
#   tests/lint.sh BUILD [quick]    BUILD: a folder that meson has set up
set -eu
build=$1 how=${2:-}
cd "$(dirname "$0")/.."
jobs=$(nproc)

echo 'lint: shellcheck'
shellcheck harness/setup.sh tests/*.sh .ci/run

# The commands of the build, with -fsyntax-only instead of an output. The flags that keep loops as written are GCC's.
for compiler in g++ clang++; do
  echo "lint: $compiler -Werror"
  sed -n 's/^ *"command": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | sed 's/\\"/"/g; s/\\\\/\\/g' |
    grep -E ' -c \.\./(tools|harness)/' |
    sed -E "s/^(ccache )?[^ ]+ /$compiler /; s/ -o [^ ]+ -c / -Werror -fsyntax-only /
             s/ -MD -MQ [^ ]+ -MF [^ ]+//
             s/ -fdiagnostics-color=[a-z]+//" |
    if [ "$compiler" = clang++ ]; then sed -E 's/ -fno-tree-[a-z-]+//g'; else cat; fi |
    (cd "$build" && tr '\n' '\0' | xargs -0 -P "$jobs" -I{} sh -c '{}')
done

# Suppressed: va_end_missing and fflushOnInputStream are known to the places that do it on purpose, memset on a struct
# with a double is what C has, and a variable moved in one branch of ?: is not used in the other.
echo 'lint: cppcheck'
cppcheck --quiet --error-exitcode=1 -j "$jobs" --std=c++20 --language=c++ --enable=warning,performance,portability \
  -D__x86_64__ -Itools -Iharness --suppress=va_end_missing:tools/tool.cpp --suppress=accessMoved:harness/plot.cpp \
  --suppress=fflushOnInputStream:tools/freadwrite.cpp --suppress=memsetClassFloat tools harness

[ "$how" != quick ] || exit 0
echo 'lint: clang-tidy'
find tools harness -name '*.cpp' -print0 | xargs -0 -P "$jobs" -n 4 clang-tidy -p "$build" --quiet
