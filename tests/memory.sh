#!/bin/sh
# SPDX-License-Identifier: MIT
# Is memory constant? Each tool's largest resident set for a (sparse) input of 5 GiB, as plumb accounts for it; at most
# 8 MiB and the tool's own block. Takes some minutes: the bytewise tools copy 5 GiB too.
#   tests/memory.sh [TOOLS]
set -eu
tools=${1:-build/tools}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
truncate -s 5G "$scratch/big"
status=0

judge() {
  peak=$(sed -n 's/.*"peak_memory_bytes": *\([0-9]*\).*/\1/p' "$scratch/account")
  awk -v name="$1" -v peak="$peak" 'BEGIN {
    printf "  %-20s %5.1f MiB\n", name, peak / 1048576
    exit !(peak > 0 && peak <= 9 * 1048576) }' || status=1
}

for command in getputc fgetputc freadwrite "readwrite -b 1M" ifstream-bytewise buffered-1K buffered-64K buffered-1M \
  sendfile-copy record-write "record-write --raw" transfer-to "transfer-to -b 1M"; do
  # shellcheck disable=SC2086 # a command is words
  "$tools/plumb" --account "$scratch/account" "$scratch/big" null "$tools"/$command
  judge "$command"
done
for command in record-read "record-read --raw"; do  # of as many bytes in records
  # shellcheck disable=SC2086
  "$tools/record-write" <"$scratch/big" | "$tools/plumb" --account "$scratch/account" - null "$tools"/$command
  judge "$command"
done
exit $status
