#!/bin/bash
# SPDX-License-Identifier: MIT
# Does anything stand between a tool's loop and its calls? Each tool against a bare loop of the same calls: instructions
# a byte under callgrind (1 MiB less empty input; they repeat exactly), which must agree within 2 %, and for all but the
# bytewise tools times, in pairs and in alternating order. A time is printed and not judged: it is the machine's as well.
#   tests/overhead.sh [TOOLS [BARE [FILE [ROUNDS]]]]    FILE: what is copied for the times; otherwise 256 MiB are made
# shellcheck disable=SC2046,SC2086,SC2317 # options are words, numbers are numbers, functions are called by name
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

words_after() {  # the options of a command
  case $1 in *' '*) echo "${1#* }" ;; esac
}

instructions() {  # that the input $mib adds to an empty one
  echo $(($(collected "$@" <"$mib") - $(collected "$@" <"$scratch/empty")))
}

# A tool, the bare loop that it is compared with, and what both are given as input: the bytes, or records of them.
streams="getputc:getputc:bytes
fgetputc:fgetputc:bytes
ifstream-bytewise:ifstream-bytewise:bytes
freadwrite:freadwrite:bytes
readwrite -b 64K:readwrite:bytes
record-read:record-read:records
record-read --raw:record-read-raw:records
transfer-to:transfer-to:bytes"

# The bytewise tools are judged by instructions alone.
timed() { grep -v -e bytewise -e getputc -e fgetputc <<<"$streams"; }

# Tool and bare loop, a copy of a small file to a new name each time.
methods="none stdio readwrite sendfile copy-file-range"
small=$scratch/small
"$tools/readwrite" --fill 600 >"$small"
tool_copy() { "$tools/copy-files" --count "$2" --method "$1" --target new "$small" "$scratch/copy"; }
bare_copy() { "$bare/bare-copy-files" "$2" "$1" "$small" "$scratch/copy"; }

if command -v valgrind >/dev/null; then
  "$tools/readwrite" --fill 1M >"$scratch/mib.bytes"
  "$tools/record-write" <"$scratch/mib.bytes" >"$scratch/mib.records"
  : >"$scratch/empty"
  echo "instructions a byte: tool, bare loop, ratio"
  while IFS=: read -r command loop_name kind; do
    mib=$scratch/mib.$kind
    tool=$(instructions "$tools/${command%% *}" $(words_after "$command"))
    loop=$(instructions "$bare/bare-$loop_name")
    # A block tool's own instructions are a few a block: what counts there is what they are of a byte.
    awk -v name="$command" -v tool=$tool -v loop=$loop 'BEGIN {
      printf "  %-33s %10.4f %10.4f %8.4f\n", name, tool / 1048576, loop / 1048576, tool / loop
      exit !(tool <= 1.02 * loop || tool - loop < 0.02 * 1048576) }' || status=1
  done <<<"$streams"
else
  echo "instructions a byte: skipped, valgrind is missing"
fi

if [ -z "$file" ]; then
  file=$scratch/corpus
  "$tools/readwrite" -b 1M --fill 256M >"$file"
fi

microseconds() {
  local begin=${EPOCHREALTIME/./}
  "$@"
  echo $((${EPOCHREALTIME/./} - begin))
}

pairs() {  # NAME, the tool's function, the loop's function, arguments of both: median (least … most) of the ratios
  local name=$1 tool_runs=$2 loop_runs=$3 round tool loop
  shift 3
  for ((round = 0; round < rounds; round++)); do
    if ((round % 2)); then
      tool=$(microseconds "$tool_runs" "$@")
      loop=$(microseconds "$loop_runs" "$@")
    else
      loop=$(microseconds "$loop_runs" "$@")
      tool=$(microseconds "$tool_runs" "$@")
    fi
    echo "$tool $loop"
  done | awk '{ print $1 / $2 }' | sort -n | awk -v name="$name" '{ ratio[NR] = $1 } END {
    median = (ratio[int((NR + 1) / 2)] + ratio[int(NR / 2) + 1]) / 2
    printf "  %-33s %.3f (%.3f … %.3f)\n", name, median, ratio[1], ratio[NR] }'
}

tool_stream() { "$tools/${1%% *}" $(words_after "$1") <"$3" >/dev/null; }
bare_stream() { "$bare/bare-$2" <"$3" >/dev/null; }

echo "time of $(stat -c %s "$file") bytes to /dev/null, tool over bare loop, $rounds pairs: median (least … most)"
"$tools/record-write" <"$file" >"$scratch/records"
cat "$file" "$scratch/records" >/dev/null
while IFS=: read -r command loop_name kind; do
  input=$file
  [ "$kind" = bytes ] || input=$scratch/records
  pairs "$command" tool_stream bare_stream "$command" "$loop_name" "$input"
done < <(timed)
echo "time of 10,000 copies of 600 bytes, likewise"
for method in $methods; do
  pairs "copy-files --method $method" tool_copy bare_copy "$method" 10000
done

# What plumb adds to a run: the same copy of a few bytes started by plumb and by a shell that redirects and execs.
elapsed() {
  local begin=${EPOCHREALTIME/./}
  "$@"
  echo $((${EPOCHREALTIME/./} - begin))
}
echo "plumb over sh -c 'exec readwrite <in >out', 200 pairs: median of the differences in microseconds"
echo hello >"$scratch/hello"
for options in "" "--account $scratch/account.json"; do
  for ((round = 0; round < 200; round++)); do
    plumb=$(elapsed "$tools/plumb" $options "$scratch/hello" null "$tools/readwrite")
    # shellcheck disable=SC2016 # the inner shell expands them
    shell=$(elapsed sh -c 'exec "$0" <"$1" >/dev/null' "$tools/readwrite" "$scratch/hello")
    echo $((plumb - shell))
  done | sort -n | awk -v name="plumb ${options%% *}" '{ all[NR] = $1 } END { printf "  %-20s %d\n", name, (all[100] + all[101]) / 2 }'
done
exit $status
