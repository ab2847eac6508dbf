#!/bin/bash
# SPDX-License-Identifier: MIT
# Does anything stand between a tool's loop and its calls? Each tool against a bare loop of the same calls: instructions
# a byte under callgrind (1 MiB less empty input; they repeat exactly), which must agree within 2 %, and for the block
# tools times, in pairs and in alternating order. A time is printed and not judged: it is the machine's as well.
#   tests/overhead.sh [TOOLS [BARE [FILE [ROUNDS]]]]    FILE: what is copied for the times; otherwise 256 MiB are made
# shellcheck disable=SC2086 # options are words, numbers are numbers
set -eu
tools=${1:-build/tools}
bare=${2:-build/tests/bare}
file=${3:-}
rounds=${4:-15}
export LC_ALL=C
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

collected() {  # instructions of one run of a command, whose input is ours
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}

instructions() {  # that a MiB adds to an empty input
  echo $(($(collected "$@" <"$scratch/mib") - $(collected "$@" <"$scratch/empty")))
}

if command -v valgrind >/dev/null; then
  "$tools/readwrite" --fill 1M >"$scratch/mib"
  : >"$scratch/empty"
  echo "instructions a byte: tool, bare loop, ratio"
  for name in getputc fgetputc ifstream-bytewise freadwrite readwrite; do
    options=
    [ $name != readwrite ] || options="-b 64K"
    tool=$(instructions "$tools/$name" $options)
    loop=$(instructions "$bare/bare-$name")
    # A block tool's own instructions are a few a block: what counts there is what they are of a byte.
    awk -v name="$name $options" -v tool=$tool -v loop=$loop 'BEGIN {
      printf "  %-20s %10.4f %10.4f %8.4f\n", name, tool / 1048576, loop / 1048576, tool / loop
      exit !(tool <= 1.02 * loop || tool - loop < 0.02 * 1048576) }' || status=1
  done
else
  echo "instructions a byte: skipped, valgrind is missing"
fi

if [ -z "$file" ]; then
  file=$scratch/corpus
  "$tools/readwrite" -b 1M --fill 256M >"$file"
fi

microseconds() {
  local begin=${EPOCHREALTIME/./}
  "$@" <"$file" >/dev/null
  echo $((${EPOCHREALTIME/./} - begin))
}

echo "time of $(stat -c %s "$file") bytes to /dev/null, tool over bare loop, $rounds pairs: median (least … most)"
cat "$file" >/dev/null
for name in freadwrite readwrite; do
  options=
  [ $name != readwrite ] || options="-b 64K"
  for ((round = 0; round < rounds; round++)); do
    if ((round % 2)); then
      tool=$(microseconds "$tools/$name" $options)
      loop=$(microseconds "$bare/bare-$name")
    else
      loop=$(microseconds "$bare/bare-$name")
      tool=$(microseconds "$tools/$name" $options)
    fi
    echo "$tool $loop"
  done | awk '{ print $1 / $2 }' | sort -n | awk -v name="$name $options" '{ ratio[NR] = $1 } END {
    median = (ratio[int((NR + 1) / 2)] + ratio[int(NR / 2) + 1]) / 2
    printf "  %-20s %.3f (%.3f … %.3f)\n", name, median, ratio[1], ratio[NR] }'
done

# What plumb adds to a run: the same copy of a few bytes started by plumb and by a shell that redirects and execs.
elapsed() {
  local begin=${EPOCHREALTIME/./}
  "$@"
  echo $((${EPOCHREALTIME/./} - begin))
}
echo "plumb over sh -c 'exec readwrite <in >out', 200 pairs: median of the differences in microseconds"
echo hello >"$scratch/small"
for options in "" "--account $scratch/account.json"; do
  for ((round = 0; round < 200; round++)); do
    plumb=$(elapsed "$tools/plumb" $options "$scratch/small" null "$tools/readwrite")
    # shellcheck disable=SC2016 # the inner shell expands them
    shell=$(elapsed sh -c 'exec "$0" <"$1" >/dev/null' "$tools/readwrite" "$scratch/small")
    echo $((plumb - shell))
  done | sort -n | awk -v name="plumb ${options%% *}" '{ all[NR] = $1 } END { printf "  %-20s %d\n", name, (all[100] + all[101]) / 2 }'
done
exit $status
