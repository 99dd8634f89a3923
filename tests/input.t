#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --input on the command line: fixtures, and what is no recording.
. "$(dirname "$0")/tap.sh"

mkdir "$tmp/made"
tests/fixtures/make "$tmp/made"
ok 'fixtures are what makes them says' diff -rq --exclude=make --exclude=screens --exclude="*.rec" tests/fixtures "$tmp/made"
rm -r "$tmp/made"

# Exit 0, nothing on stderr, and documents that are read to be the same again.
same_again() {
	"$ppooltop" dump --input "$1" >"$tmp/one" 2>"$tmp/err" &&
		"$ppooltop" dump --input - <"$tmp/one" >"$tmp/two" 2>>"$tmp/err" &&
		cmp "$tmp/one" "$tmp/two" && test ! -s "$tmp/err" &&
		test "$(wc -l <"$tmp/one")" = "$(wc -l <"$1")"
}
for file in tests/fixtures/*.jsonl; do
	ok "${file##*/}: the same documents again" same_again "$file"
done

# What is all in the fixture has to be in the document.
draining=tests/fixtures/draining.jsonl
"$ppooltop" dump --input $draining >"$tmp/one"
ok 'nothing of it is lost' jq -en --slurpfile a $draining --slurpfile b "$tmp/one" \
	'[$a, $b] | transpose | all(.[0] as $a | .[1] | contains($a))'
"$ppooltop" dump -p --input $draining >"$tmp/pretty"
"$ppooltop" dump --input "$tmp/pretty" >"$tmp/two"
ok 'over many lines' cmp "$tmp/one" "$tmp/two"

"$ppooltop" dump -c 1 --input $draining >"$tmp/two"
ok 'dump -c 1: the first document' test "$(jq .pools[0].inflight.pages "$tmp/two")" = 7498
"$ppooltop" show --input $draining >"$tmp/two"
ok 'show: the last interval' grep -q 'draining.* 7293 ' "$tmp/two"
ok 'show: one table' test "$(grep -c ^DEVICE "$tmp/two")" = 1
"$ppooltop" show -c 1 --input $draining >"$tmp/two"
ok 'show -c 1: the first' grep -q 'draining.* 7498 ' "$tmp/two"
"$ppooltop" show -c 9 -i 100 --input $draining >"$tmp/two"
ok 'show -c 9: all there are, and no waiting' test "$(grep -c ^DEVICE "$tmp/two")" = 2
"$ppooltop" top --input $draining >"$tmp/two"
ok 'top, no terminal: show' test "$(grep -c ^DEVICE "$tmp/two")" = 1
"$ppooltop" show -d eth1 --input $draining >"$tmp/two"
ok 'filters' grep -q '^no page_pool was seen' "$tmp/two"
head -c 100000 "$tmp/one" | head -c -100 >"$tmp/cut"
"$ppooltop" dump --input "$tmp/cut" >"$tmp/two" 2>"$tmp/err"
ok 'a last line that was cut: no error' test $? = 0 -a ! -s "$tmp/err" -a "$(wc -l <"$tmp/two")" = 1

# nobody may read the kernel, anybody may read a file
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	setpriv --reuid 65534 --regid 65534 --clear-groups "$ppooltop" show --input - <$draining \
		>"$tmp/two" 2>"$tmp/err"
	ok 'unprivileged' test $? = 0 -a ! -s "$tmp/err"
fi

# $1: what is said; then arguments: exit 2, one line, no output
refused() {
	"$ppooltop" "${@:2}" >"$tmp/out" 2>"$tmp/err" <"$tmp/in"
	test $? = 2 -a ! -s "$tmp/out" -a "$(wc -l <"$tmp/err")" = 1 && grep -qF "$1" "$tmp/err"
}
: >"$tmp/in"
for command in top show dump; do
	ok "$command: no such file" refused "$tmp/none: No such file" $command --input "$tmp/none"
	ok "$command: a directory" refused "$tmp: Is a directory" $command --input "$tmp"
	ok "$command: empty" refused 'standard input: there is no whole document' $command --input -
done
head -c 100 "$tmp/one" >"$tmp/in"
ok 'nothing whole' refused 'there is no whole document' dump --input -
printf '\n\n{"schema": "ppooltop/9"}\n' >"$tmp/in"
ok 'another schema, and the line' refused 'standard input: line 3: "schema" wants' show --input -
printf 'ppooltop: kernel' >"$tmp/in"
ok 'no JSON' refused 'standard input: line 1: no JSON' show --input -
printf '{"schema": "ppooltop/1"}\n{"schema": "ppooltop/1", "pools": [{}, {"hold": -1}]}\n' >"$tmp/in"
ok 'a wrong value, and where' refused 'line 2: pools[1]: "hold" wants' show --input -
"$ppooltop" dump --input "$tmp/in" >"$tmp/two" 2>"$tmp/err"
ok 'dump: what comes before is written' test $? = 2 -a "$(wc -l <"$tmp/two")" = 1
echo "1..$n"
