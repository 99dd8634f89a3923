#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings: what goes in comes out, whatever happens to the recorder and to its file.
. "$(dirname "$0")/tap.sh"

# The numbered documents FIRST to LAST: their number is in the host's name.
documents() {
	jq -c --argjson first "$1" --argjson last "$2" \
		'range($first; $last + 1) as $i | .host.name = "\($i)"' "$tmp/one"
}
"$ppooltop" dump -c 1 --input tests/fixtures/mlx5-healthy.jsonl >"$tmp/one"
numbers() {
	"$ppooltop" dump --input "$1" | jq -r .host.name
}

# --- the same again ---

screens=tests/fixtures/screens.jsonl
"$ppooltop" dump --input $screens >"$tmp/documents"
record=("$ppooltop" record --input)
ok 'record' "${record[@]}" $screens "$tmp/rec"
same() {
	"$ppooltop" dump --input "$1" | cmp - "$2"
}
ok 'dump of it is the same, byte for byte' same "$tmp/rec" "$tmp/documents"
ok 'from stdin, too' same - "$tmp/documents" <"$tmp/rec"
ok 'zstd reads it' cmp <(zstd -dc <"$tmp/rec") "$tmp/documents"
ok 'it is a fifth as long, or less' test $((5 * $(stat -c %s "$tmp/rec"))) -le "$(stat -c %s "$tmp/documents")"
ok 'replay without a terminal: show' cmp <("$ppooltop" replay "$tmp/rec") <("$ppooltop" show --input $screens)
"${record[@]}" $screens "$tmp/rec"
ok 'what is there stays, the new comes after it' cmp <(zstd -dc <"$tmp/rec") <(cat "$tmp/documents" "$tmp/documents")
"${record[@]}" $screens "$tmp/rec2"
ok 'two, one after the other, are one' cmp <(cat "$tmp/rec2" "$tmp/rec2" | "$ppooltop" dump --input -) \
	<("$ppooltop" dump --input "$tmp/rec")
ok 'of documents that zstd compressed' same <(zstd -qc "$tmp/documents") "$tmp/documents"
{ zstd -qc </dev/null; cat "$tmp/rec2"; } >"$tmp/rec3"
ok 'with an empty frame in it' same "$tmp/rec3" "$tmp/documents"
ok 'filters' cmp <("${record[@]}" $screens -d eth1 "$tmp/rec4" && "$ppooltop" dump --input "$tmp/rec4") \
	<("$ppooltop" dump --input $screens -d eth1)
ok 'version 1 is read' same tests/fixtures/version-1.rec <("$ppooltop" dump --input tests/fixtures/draining.jsonl)
ok 'this machine, twice a tenth of a second' test "$("$ppooltop" record -c 2 -i 0.1 "$tmp/here" 2>/dev/null
	"$ppooltop" dump --input "$tmp/here" 2>/dev/null | wc -l)" = 2

# --- what is cut off, or damaged ---

size=$(stat -c %s "$tmp/rec2")
good=0
for cut in $(seq 1 997 $((size - 1))) 1 2 3 4 5 6 7 8 9 10 $((size - 1)); do
	head -c "$cut" "$tmp/rec2" >"$tmp/cut"
	"$ppooltop" dump --input "$tmp/cut" >"$tmp/out" 2>"$tmp/err"
	lines=$(wc -l <"$tmp/out")
	# Nothing whole is an error, as with documents.
	[ "$lines" -gt 0 ] || grep -q 'no whole document' "$tmp/err" || break
	head -n "$lines" "$tmp/documents" | cmp -s - "$tmp/out" || break
	"${record[@]}" $screens "$tmp/cut" 2>"$tmp/err"
	zstd -dc <"$tmp/cut" >"$tmp/out" 2>"$tmp/err"
	# What does not hold a whole document may be anybody's.
	if [ "$lines" -gt 0 ]; then
		cmp -s "$tmp/out" <(head -n "$lines" "$tmp/documents"; cat "$tmp/documents") || break
	fi
	good=$((good + 1))
done
ok 'cut anywhere: what is whole is read, and gone on after' test "$good" -ge 30 -a "$cut" = $((size - 1))
{ head -c 5000 "$tmp/rec2"; printf damaged; tail -c +5008 "$tmp/rec2"; } >"$tmp/bad"
"$ppooltop" dump --input "$tmp/bad" >"$tmp/out" 2>"$tmp/err"
ok 'damaged: exit 2' test $? = 2
ok 'damaged: one line says where' test "$(grep -c 'bad: line [0-9]*: damaged: ' "$tmp/err")" = 1 -a "$(wc -l <"$tmp/err")" = 1
ok 'damaged: what is before it is there' cmp "$tmp/out" <(head -n "$(wc -l <"$tmp/out")" "$tmp/documents")

same_and_quiet() {
	"$ppooltop" dump --input "$1" >"$tmp/out" 2>"$tmp/err" && test ! -s "$tmp/err" && cmp "$tmp/out" "$2"
}
for zeros in 1 3 4 5 4096 200000; do
	{ cat "$tmp/rec2"; head -c $zeros /dev/zero; } >"$tmp/zeros"
	ok "$zeros zeros at the end, of a power failure: they are left out" same_and_quiet "$tmp/zeros" "$tmp/documents"
	"${record[@]}" $screens "$tmp/zeros" 2>"$tmp/err"
	ok "$zeros zeros: it is gone on in their place" cmp "$tmp/zeros" <(cat "$tmp/rec2" "$tmp/rec2")
done

# --- killed ---

# Each run adds numbers from 1 on. Nothing of before may be gone, and none left out between.
documents 1 2000 >"$tmp/numbered"
whole() {
	awk 'NR > 1 && $1 != 1 && $1 != last + 1 { exit 1 } { last = $1 }' "$1"
}
kills=0
for _ in $(seq 100); do
	# Not ever longer, or reading it would take all the time.
	if [ $((kills % 10)) = 0 ]; then
		rm -f "$tmp/rec"
		: >"$tmp/before"
	fi
	"$ppooltop" record --input "$tmp/numbered" "$tmp/rec" 2>"$tmp/err" &
	sleep "0.0$((RANDOM % 7))$((RANDOM % 10))"
	kill -9 $!
	wait $! 2>/dev/null
	# Killed before the first was written.
	[ -s "$tmp/rec" ] || { kills=$((kills + 1)); continue; }
	numbers "$tmp/rec" >"$tmp/now" 2>"$tmp/err"
	[ ! -s "$tmp/err" ] || [ ! -s "$tmp/before" ] || break
	cmp -s -n "$(stat -c %s "$tmp/before")" "$tmp/now" "$tmp/before" || break
	whole "$tmp/now" || break
	mv "$tmp/now" "$tmp/before"
	kills=$((kills + 1))
done 2>/dev/null
ok 'killed 100 times: every whole snapshot is read' test $kills = 100 -a "$(wc -l <"$tmp/before")" -gt 10
"${record[@]}" "$tmp/one" "$tmp/rec"
numbers "$tmp/rec" >"$tmp/now"
ok 'and it is gone on after' cmp "$tmp/now" <(cat "$tmp/before"; jq -r .host.name "$tmp/one")

# --- others at the same file ---

# refused WHAT FILE [STATUS]: exit 2 and one line, and whatever FILE is stays as it is
refused() {
	local before after
	before=$(stat -c '%i %s %Y %F' "$2" 2>&1)
	"$ppooltop" record --input "$tmp/one" "$2" >"$tmp/out" 2>"$tmp/err"
	test $? = "${3:-2}" -a "$(wc -l <"$tmp/err")" = 1 || return
	grep -qF "$2: $1" "$tmp/err" || return
	after=$(stat -c '%i %s %Y %F' "$2" 2>&1)
	test "$before" = "$after"
}
mkfifo "$tmp/fifo"
rm -f "$tmp/rec"
"$ppooltop" record --input - "$tmp/rec" <"$tmp/fifo" &
recorder=$!
exec 5>"$tmp/fifo"
grown=0
for i in 1 2 3 4 5; do
	documents "$i" "$i" >&5
	for _ in $(seq 100); do
		[ "$(numbers "$tmp/rec" 2>/dev/null | wc -l)" != "$i" ] || { grown=$((grown + 1)); break; }
		sleep 0.05
	done
done
ok 'read while it is written' test $grown = 5
ok 'a second recorder' refused 'another ppooltop records into it' "$tmp/rec" 1
kill -TERM $recorder
wait $recorder
ok 'SIGTERM: exit 0, and all is there' test $? = 0 -a "$(numbers "$tmp/rec" | wc -l)" = 5
exec 5>&-

mkdir "$tmp/dir"
ln -s "$tmp/rec" "$tmp/link"
ln -s "$tmp/none" "$tmp/dangling"
echo text >"$tmp/text"
echo text | zstd -q >"$tmp/text.zst"
{ cat "$tmp/rec"; echo; } >"$tmp/more"
ok 'a directory' refused 'is no plain file' "$tmp/dir"
ok 'a link' refused 'is no plain file' "$tmp/link"
ok 'a link to nothing' refused 'is no plain file' "$tmp/dangling"
ok 'a FIFO' refused 'is no plain file' "$tmp/fifo"
ok 'a device' refused 'is no plain file' /dev/null
ok 'another file' refused 'is there, and is no recording' "$tmp/text"
ok 'another file that zstd compressed' refused 'is there, and is no recording' "$tmp/text.zst"
ok 'documents' refused 'is there, and is no recording' $screens
ok 'something after a recording' refused 'is there, and is no recording' "$tmp/more"
ok 'no such directory' refused 'No such file or directory' "$tmp/none/rec"
"$ppooltop" record --input "$tmp/none" "$tmp/new" 2>"$tmp/err"
ok 'nothing to record: exit 2, and no file' test $? = 2 -a ! -e "$tmp/new"

# refused_same FILE ARGUMENT...: exit 2, one line, and the recording that FILE is stays as it is
cp "$tmp/rec2" "$tmp/same"
refused_same() {
	timeout 10 "$ppooltop" "${@:2}" 2>"$tmp/err" >>"$1" <"$tmp/same"
	test $? = 2 -a "$(wc -l <"$tmp/err")" = 1 && grep -q ': it is what is read, and would be written$' "$tmp/err" &&
		cmp "$tmp/rec2" "$tmp/same"
}
ok 'record into what is read' refused_same "$tmp/out" record --input "$tmp/same" --max-size 300K "$tmp/same"
ok 'record into what is read, as standard input' refused_same "$tmp/out" record --input - "$tmp/same"
ok 'dump into what is read' refused_same "$tmp/same" dump --input "$tmp/same"
ok 'export into what is read' refused_same "$tmp/out" export --input "$tmp/same" --textfile "$tmp/same"

# --- how much is kept ---

"$ppooltop" record --max-size 64K --input "$tmp/numbered" "$tmp/small"
ok '--max-size: no more than that' test $(($(stat -c %s "$tmp/small") + $(stat -c %s "$tmp/small.old"))) -le 65536
ok 'and not much less' test "$(stat -c %s "$tmp/small.old")" -ge 31000
cat "$tmp/small.old" "$tmp/small" >"$tmp/both"
ok 'the last ones, none left out' cmp <(numbers "$tmp/both") <(seq $((2001 - $(numbers "$tmp/both" | wc -l))) 2000)
ok 'nothing else is left' test "$(echo "$tmp"/small*)" = "$tmp/small $tmp/small.old"

mkdir "$tmp/way.old"
"${record[@]}" "$tmp/numbered" "$tmp/way" 2>"$tmp/err"
ok 'FILE.old is a directory: exit 2 at once' test $? = 2 -a ! -e "$tmp/way"
ok 'FILE.old is a directory: one line' grep -qx ".*/way.old: is a directory, and .*/way is to become it" "$tmp/err"
long=$tmp/$(printf '%0252d' 0)
"${record[@]}" "$tmp/numbered" "$long" 2>"$tmp/err"
ok 'no room in the name for .old: exit 2 at once' test $? = 2 -a ! -e "$long"
# The file is moved away, and somebody else records under its name.
"$ppooltop" record --max-size 4K --input - "$tmp/moved" <"$tmp/fifo" 2>"$tmp/err" &
recorder=$!
exec 5>"$tmp/fifo"
documents 1 1 >&5
until [ -s "$tmp/moved" ]; do sleep 0.05; done
mv "$tmp/moved" "$tmp/kept"
cp "$tmp/rec2" "$tmp/moved"
documents 2 20 >&5
exec 5>&-
wait $recorder
ok 'moved away: exit 1 when it is full' test $? = 1
ok 'moved away: one line' grep -qx '.*/moved: Stale file handle' "$tmp/err"
ok 'moved away: another file of that name stays' cmp "$tmp/moved" "$tmp/rec2"
ok 'moved away: what was written is there' cmp <(numbers "$tmp/kept") <(seq "$(numbers "$tmp/kept" | wc -l)")

# --- disks ---

# In a namespace of its own, so that nothing stays mounted: a command sees a disk of 64K at $tmp/disk.
mkdir "$tmp/disk"
on_disk() {
	unshare -m sh -c 'mount -t tmpfs -o size=64k disk "$0/disk" && eval "$1"' "$tmp" "$1"
}
export ppooltop tmp
if on_disk true 2>"$tmp/err"; then
	on_disk '"$ppooltop" record --input "$tmp/numbered" "$tmp/disk/rec" 2>"$tmp/err"; echo $? >"$tmp/status"
		cp "$tmp/disk/rec" "$tmp/full"'
	ok 'a full disk: exit 1' test "$(cat "$tmp/status")" = 1
	ok 'a full disk: one line says so' test "$(cat "$tmp/err")" = "ppooltop: $tmp/disk/rec: No space left on device"
	ok 'a full disk: what fits is there' cmp <(numbers "$tmp/full") <(seq "$(numbers "$tmp/full" | wc -l)")
	ok 'a full disk: nothing of what does not fit' zstd -qt <"$tmp/full"
	ok 'a full disk: it is not a little' test "$(stat -c %s "$tmp/full")" -gt 60000
	on_disk 'mount -o remount,ro "$tmp/disk"
		"$ppooltop" record --input "$tmp/numbered" "$tmp/disk/rec" 2>"$tmp/err"; echo $? >"$tmp/status"'
	ok 'a disk that is only read: exit 2' test "$(cat "$tmp/status")" = 2
	ok 'a disk that is only read: one line' grep -qx '.*/disk/rec: Read-only file system' "$tmp/err"
else
	skip 'disks' "$(head -n 1 "$tmp/err")"
fi
(ulimit -f 8; "${record[@]}" "$tmp/numbered" "$tmp/limit" 2>"$tmp/err")
ok 'a limit of file sizes: exit 1' test $? = 1
ok 'a limit of file sizes: one line says so' grep -qx '.*/limit: File too large' "$tmp/err"
ok 'a limit of file sizes: what fits is there, and nothing of what does not' zstd -qt <"$tmp/limit"
mkdir "$tmp/gone"
"$ppooltop" record --input - "$tmp/gone/rec" <"$tmp/fifo" 2>"$tmp/err" &
recorder=$!
exec 5>"$tmp/fifo"
until [ -e "$tmp/gone/rec" ]; do sleep 0.05; done
rm -r "$tmp/gone"
documents 1 1 >&5
exec 5>&-
wait $recorder
ok 'removed with its directory: exit 1' test $? = 1
ok 'removed with its directory: one line' grep -qx '.*gone/rec: No such file or directory' "$tmp/err"
echo "1..$n"
