#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# On the machine the tests run on, whatever it allows: full counters, or a line that says why not.
. "$(dirname "$0")/tap.sh"

"$ppooltop" dump >"$tmp/doc" 2>"$tmp/err"
status=$?
if [ "$(id -u)" != 0 ]; then
	ok 'not root: exit 2, or 0 where privileged' test "$status" = 2 -o "$status" = 0
elif "$ppooltop" probe -j | jq -e '.sources[] | select(.name == "fentry") | .usable' >/dev/null; then
	ok 'fentry: dump works' test "$status" = 0
	ok 'fentry: it says nothing' test ! -s "$tmp/err"
elif "$ppooltop" probe -j | jq -e '[.sources[].usable] | any' >/dev/null; then
	ok 'no fentry: dump works all the same' test "$status" = 0
	ok 'no fentry: one line a rung says why' grep -q 'no fentry' "$tmp/err"
	ok 'no fentry: a document' jq -e '.schema == "ppooltop/1"' "$tmp/doc"
	"$ppooltop" show >"$tmp/table" 2>/dev/null
	ok 'no fentry: show works' grep -q '^DEVICE' "$tmp/table"
else
	ok 'nothing to be seen: exit 2' test "$status" = 2
fi
"$ppooltop" probe >"$tmp/probe" 2>"$tmp/err"
ok 'probe' grep -q '^sources' "$tmp/probe"
echo "1..$n"
