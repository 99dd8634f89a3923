#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Interrupted during dump: a whole document or none, also where the reader is slow.
. "$(dirname "$0")/tap.sh"

# Far more than a pipe holds (64 KiB, pipe(7)), so that the signal comes while it is written.
"$ppooltop" dump --input tests/fixtures/screens.jsonl -c 1 | jq -c '.pools = [range(400) as $i |
	.pools[0] | .id = $i + 1 | .key = "id\($i + 1)" | .address = null]' >"$tmp/big"
ok 'a document larger than a pipe' test "$(stat -c %s "$tmp/big")" -gt 262144

mkfifo "$tmp/pipe"
for signal in INT TERM HUP; do
	# A shell has its background commands ignore SIGINT.
	env --default-signal=INT "$ppooltop" dump --input "$tmp/big" >"$tmp/pipe" 2>"$tmp/err" &
	dump=$!
	exec 5<"$tmp/pipe"
	sleep 0.3 # it waits for its reader now
	kill -$signal $dump
	sleep 0.1
	cat <&5 >"$tmp/read"
	exec 5<&-
	wait $dump
	ok "SIG$signal: exit 0" test $? = 0
	ok "SIG$signal: the whole document" cmp "$tmp/read" <("$ppooltop" dump --input "$tmp/big")
	ok "SIG$signal: nothing else" test ! -s "$tmp/err"
done

# While it waits for the interval to end: what was measured so far, or why there is nothing.
env --default-signal=INT "$ppooltop" dump -i 100 >"$tmp/read" 2>/dev/null &
dump=$!
sleep 1
kill -INT $dump 2>/dev/null
wait $dump
ok 'in the interval: whole, or none' test ! -s "$tmp/read" -o "$(jq -s length "$tmp/read")" = 1
echo "1..$n"
