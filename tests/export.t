#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ppooltop export: what it writes, and how it replaces its file whatever happens to that.
cd "$(dirname "$0")/.." || exit 1
ppooltop=$PWD/${B:-build}/ppooltop
tmp=$(mktemp -d)
exporter=
cleanup() {
	[ -z "$exporter" ] || kill -9 "$exporter" 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
n=0
ok() {
	n=$((n + 1))
	if "${@:2}"; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		for file in "$tmp"/*; do [ ! -f "$file" ] || head -n 12 "$file"; done | cut -c 1-200 | sed 's/^/# /'
	fi
}
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
quiet() {
	"$@" 2>"$tmp/err" && [ ! -s "$tmp/err" ]
}

# --- numbers: those of dump ------------------------------------------------------------------------

# shellcheck disable=SC2016
metrics='
def metric: {fast: "alloc_total{path", slow: "alloc_total{path", slow_high_order: "alloc_total{path",
	refill: "alloc_total{path", empty: "refill_failures_total{reason",
	waive: "refill_failures_total{reason", cached: "recycle_total{path", ring: "recycle_total{path",
	cache_full: "recycle_failures_total{reason", ring_full: "recycle_failures_total{reason",
	released_refcnt: "recycle_failures_total{reason"}[.] | split("{");
def quoted: . // "" | tostring | split("\\") | join("\\\\") | split("\"") | join("\\\"") | "\"\(.)\"";
def labels: "netns=\(.netns | quoted),device=\(.ifname | quoted)";
def counters($labels): .alloc + .recycle | to_entries[] | select(.value != null) |
	"ppooltop_\(.key | metric[0]){\($labels),\(.key | metric[1])=\"\(.key)\"} \(.value)";
def inflight($labels): .inflight | select(.pages != null) |
	"ppooltop_inflight_pages{\($labels)} \(.pages)", "ppooltop_inflight_bytes{\($labels)} \(.bytes)";
def pool: "\(.device | labels),pool=\(.key | quoted),queue=\(.device.queue | quoted)";
'
devices='.devices[] | (.device | labels) as $l | counters($l), inflight($l)'
pools='.pools[] | pool as $l | counters($l), inflight($l)'
cpus='.pools[] | pool as $l | inflight($l), if .cpus == [] then counters($l) else
	.cpus[] | counters("\($l),cpu=\"\(.cpu)\"") end'

# $1: jq for what is to be there; $2: a recording; then options
same_numbers() {
	"$ppooltop" dump --input "$2" | tail -n 1 | jq -r "$metrics $1" | sort >"$tmp/want"
	quiet "$ppooltop" export --input "$2" "${@:3}" >"$tmp/text" || return
	grep -E '^ppooltop_(alloc|refill_failures|recycle|recycle_failures)_total|^ppooltop_inflight' \
		"$tmp/text" | sort >"$tmp/is"
	cmp "$tmp/want" "$tmp/is"
}
for file in tests/fixtures/*.jsonl; do
	ok "${file##*/}: devices as in dump" same_numbers "$devices" "$file"
	ok "${file##*/}: pools as in dump" same_numbers "$pools" "$file" --per-pool
	ok "${file##*/}: CPUs as in dump" same_numbers "$cpus" "$file" --per-cpu
done

"$ppooltop" export --input tests/fixtures/odd-names.jsonl >"$tmp/text"
ok 'a device renamed a moment ago is there under its new name' \
	test "$(grep -c 'device="lan0",state="live"' "$tmp/text") $(grep -c 'device="eth0"' "$tmp/text")" = '1 0'
"$ppooltop" export --input tests/fixtures/screens.jsonl -c 2 >"$tmp/text"
ok '-c 2: two texts' test "$(grep -c '^# TYPE ppooltop_pools ' "$tmp/text")" = 2
"$ppooltop" export --input tests/fixtures/screens.jsonl -i 100 >"$tmp/text"
ok '-i: as many as the recording has, and no waiting' \
	test "$(grep -c '^# TYPE ppooltop_pools ' "$tmp/text")" = 12
ok '-i: pages held, which is wanted for that' grep -q '^ppooltop_pages_held_total' "$tmp/text"

# A pool is destroyed and made again; what it counted stays with its device.
pool_again() {
	jq -cn "$lib"'
		[[1, 1000], [1, 2000], [null, 2000], [2, 2005], [2, 4000]] | to_entries[] |
		.value[0] as $id | .value[1] as $sum | doc(.key; [select($id) |
			pool($id; if $id == 1 then $sum else $sum - 2000 end)]) |
		.devices = [{device: {ifname: "eth0", ifindex: 2, netns: "1"},
			alloc: {fast: $sum}, recycle: {}}]'
}
# shellcheck disable=SC2016,SC2089
lib='def doc($at; $pools): {schema: "ppooltop/1", time: (1767323045 + $at | todate | sub("Z$"; ".000Z")),
	interval_s: 1, host: {cpus: 8, page_size: 4096},
	source: {counters: "fentry", state: "fentry", level: "full"}, pools: $pools};
def pool($id; $fast): {key: "\($id)", id: $id, address: "0x\($id)000", state: "live",
	device: {ifname: "eth0", ifindex: 2, netns: "1", queue: 0}, inflight: {pages: 1, bytes: 4096},
	hold: 1, release: 0, cache: {pages: 0}, ring: {pages: 0}, alloc: {fast: $fast}, recycle: {}};
'
pool_again >"$tmp/again.jsonl"
"$ppooltop" export -i 1 --input "$tmp/again.jsonl" >"$tmp/text"
ok 'a pool that is made again: its device does not go backwards' \
	test "$(awk '/^ppooltop_alloc_total/ { printf "%s ", $2 }' "$tmp/text")" = '1000 2000 2000 2005 4000 '

series() {
	grep -vc '^#' "$1"
}
screens=$PWD/tests/fixtures/screens.jsonl
"$ppooltop" export -C --input $screens >"$tmp/text"
all=$(series "$tmp/text")
guarded() {
	quiet "$ppooltop" export -C --max-series "$1" --input $screens >"$tmp/text" &&
		[ "$(series "$tmp/text")" -le "$1" ] &&
		[ "$(awk '/^ppooltop_series_omitted/ { print $2 }' "$tmp/text")" = $((all - $(series "$tmp/text"))) ]
}
ok '--max-series as many as there are' guarded "$all"
ok '--max-series one less' guarded $((all - 1))
ok '--max-series 60' guarded 60
ok '--max-series 10' guarded 10

# --- the file --------------------------------------------------------------------------------------

dir=$tmp/dir
file=$dir/ppooltop.prom
mkdir "$dir"
"$ppooltop" export --input $screens >"$tmp/text"
(umask 077; quiet "$ppooltop" export --input $screens --textfile "$file")
ok 'the same text in a file' cmp "$tmp/text" "$file"
ok 'that everybody may read' test "$(stat -c %a "$file")" = 644
ok 'and nothing else' test "$(ls -A "$dir")" = ppooltop.prom
ok 'in this directory' sh -c 'cd "$1" && "$2" export --input - --textfile a.prom <"$3" && cmp a.prom ppooltop.prom' \
	sh "$dir" "$ppooltop" $screens

# $1: exit code; $2: what is said; then arguments
refused() {
	"$ppooltop" export "${@:3}" >"$tmp/none" 2>"$tmp/why" </dev/null
	test $? = "$1" -a ! -s "$tmp/none" -a "$(wc -l <"$tmp/why")" = 1 && grep -qFe "$2" "$tmp/why"
}
mkdir "$dir/dir.prom"
mkfifo "$dir/fifo.prom"
ln -s ppooltop.prom "$dir/link.prom"
ln -s none "$dir/nowhere.prom"
ok 'a directory' refused 2 'it is there and no regular file' --input $screens --textfile "$dir/dir.prom"
ok 'a FIFO' refused 2 'it is there and no regular file' --input $screens --textfile "$dir/fifo.prom"
ok 'a symbolic link' refused 2 'it is a symbolic link' --input $screens --textfile "$dir/link.prom"
ok 'one to nowhere' refused 2 'it is a symbolic link' --input $screens --textfile "$dir/nowhere.prom"
ok 'what is a directory by its name' refused 2 'the name of a directory' --input $screens --textfile "$dir/"
ok 'no such directory' refused 1 'cannot open its directory: No such file' --input $screens --textfile "$tmp/gone/a.prom"
ok 'a name that is too long' refused 2 'File name too long' --input $screens \
	--textfile "$dir/$(printf '%0251d' 0)"
ok 'too few series' refused 2 '--max-series wants a whole number, 10 or more' --max-series 9
ok 'nothing was made' test "$(ls -A "$dir" | tr '\n' ' ')" = 'a.prom dir.prom fifo.prom link.prom nowhere.prom ppooltop.prom '
"$ppooltop" export --input $screens >/dev/full 2>"$tmp/err"
ok 'no room on stdout' test $? = 1 -a "$(cat "$tmp/err")" = 'ppooltop: writing failed: No space left on device'
"$ppooltop" export -i 1 --input $screens 2>"$tmp/err" | head -n 1 >"$tmp/out"
ok 'a reader that leaves' test "${PIPESTATUS[0]}" = 0 -a ! -s "$tmp/err"
rm -r "${dir:?}"/*

# A link of another file, where the temporary is to be, must not lead there.
echo precious >"$dir/precious"
ln "$dir/precious" "$dir/.ppooltop.prom.new"
ok 'a temporary that is a link' refused 1 'cannot use its temporary' --input $screens --textfile "$file"
rm "$dir/.ppooltop.prom.new"
ln -s precious "$dir/.ppooltop.prom.new"
ok 'or a symbolic link' refused 1 'cannot use its temporary' --input $screens --textfile "$file"
ok 'what they lead to' test "$(cat "$dir/precious")" = precious
rm -r "${dir:?}"/* "$dir/.ppooltop.prom.new"

# --- an exporter that runs: it reads a recording as it is written, so that rounds come when told ----

feed=$tmp/feed
mkfifo "$feed"
# doc SECOND [DEVICES]: write a document
doc() {
	jq -cn "$lib"'doc($at; [range($devices) as $i | pool($i + 1; $at) |
		.address = "0x1\($i)0" | .device.ifname = "eth\($i)" | .device.ifindex = $i + 2])' \
		--argjson at "$1" --argjson devices "${2:-1}" >&3
}
# start ARGUMENTS: an exporter into $file. Fd 3 is where it reads documents.
start() {
	# bash has its children in the background ignore SIGINT
	env --default-signal=INT "$ppooltop" export --input "$feed" --textfile "$file" -i 1 "$@" \
		2>"$tmp/err" >"$tmp/out" &
	exporter=$!
	exec 3>"$feed"
}
# wait_for COMMAND: up to 10 s
wait_for() {
	for _ in {1..200}; do
		"$@" 2>/dev/null && return
		sleep 0.05
	done
	return 1
}
has() {
	grep -qF "ppooltop_last_update_timestamp_seconds $((1767323045 + $1)).000" "$file"
}
gone() {
	! kill -0 $exporter
}
# finish [SIGNAL]: it is to end soon; its exit code
finish() {
	[ -z "$1" ] || kill -"$1" $exporter
	exec 3>&-
	wait_for gone || kill -9 $exporter
	wait $exporter
	local code=$?
	exporter=
	return $code
}
alone() {
	[ "$(ls -A "$dir")" = "$1" ]
}

start
doc 1
ok 'a round' wait_for has 1
doc 2
ok 'and the next' wait_for has 2
ok 'and nothing else is there' alone ppooltop.prom
ok 'another exporter is told' refused 1 'another ppooltop export writes it' --input $screens --textfile "$file" -i 1
ok 'and one that writes once' refused 1 'another ppooltop export writes it' --input $screens --textfile "$file"
ok 'its file stays' has 2
doc 3
ok 'and it goes on' wait_for has 3
ok 'SIGTERM: exit 0' finish TERM
ok 'SIGTERM: the file is removed' alone ''
ok 'SIGTERM: nothing is said' test ! -s "$tmp/err"

start
doc 1
wait_for has 1
ok 'SIGINT: exit 0' finish INT
ok 'SIGINT: the file is removed' alone ''

start
doc 1
wait_for has 1
echo another >"$dir/new"
mv "$dir/new" "$file"
finish TERM
ok 'SIGTERM: a file that is not its own stays' test "$(cat "$file")" = another
ok 'SIGTERM: and nothing else' alone ppooltop.prom

start -c 2
doc 1
doc 2
ok '-c 2: ends' finish ''
ok '-c 2: the file stays' has 2

start
doc 1
wait_for has 1
finish KILL 2>/dev/null
ok 'SIGKILL: the file stays' has 1
start
doc 2
ok 'and the next exporter goes on with it' wait_for has 2
ok 'the end of the recording: exit 0' finish ''
ok 'the end of the recording: the file stays' has 2

start
doc 1
wait_for has 1
rm -r "$dir"
doc 2
doc 3
wait_for test -s "$tmp/err"
mkdir "$dir"
doc 4
ok 'its directory goes and comes back: it is written again' wait_for has 4
finish TERM
ok 'and that is said, each once' test "$(cat "$tmp/err")" = "ppooltop: $file: cannot open its directory: No such file or directory
ppooltop: $file: it is written again"
ok 'and it is removed' alone ''

start
doc 1
wait_for has 1
rm "$file"
ln -s /etc/none "$file"
doc 2
wait_for test -s "$tmp/err"
rm "$file"
mkdir "$file"
doc 3
wait_for grep -q regular "$tmp/err"
doc 4
rmdir "$file"
doc 5
ok 'a link and a directory where it was: written again' wait_for has 5
finish TERM
ok 'each is said' test "$(grep -c 'a symbolic link\|no regular file\|written again' "$tmp/err") $(wc -l <"$tmp/err")" = '3 3'

# --- killed while it writes ------------------------------------------------------------------------

doc 1 400 3>"$tmp/large"
"$ppooltop" export --input "$tmp/large" >"$tmp/text"
echo old >"$file"
left=0 whole=0 old=0 stray=0
for i in {1..60}; do
	"$ppooltop" export --input "$tmp/large" --textfile "$file" 2>>"$tmp/err" &
	exporter=$!
	until [ -e "$dir/.ppooltop.prom.new" ] || ! kill -0 $exporter 2>/dev/null; do :; done
	[ $((i % 3)) != 0 ] || sleep 0.00$((i % 10))
	kill -9 $exporter 2>/dev/null
	wait $exporter 2>/dev/null
	[ ! -e "$dir/.ppooltop.prom.new" ] || left=$((left + 1))
	if [ "$(cat "$file")" = old ]; then old=$((old + 1)); elif cmp -s "$tmp/text" "$file"; then whole=$((whole + 1)); fi
	[ "$(echo "$dir"/*)" = "$file" ] || stray=$((stray + 1))
	echo old >"$file"
done 2>/dev/null
exporter=
echo "# killed 60 times: $left left a temporary, $old the old file, $whole the new one"
ok 'killed: the old file or the new one' test $((old + whole)) = 60
ok 'killed: in the midst of writing' test $left -gt 0
ok 'killed: no other file for node_exporter' test $stray = 0
head -c 1M /dev/zero >"$dir/.ppooltop.prom.new"
quiet "$ppooltop" export --input "$tmp/large" --textfile "$file"
ok 'what was left is gone after the next' alone ppooltop.prom
ok 'and that is whole' cmp "$tmp/text" "$file"

# Many at once: each says that it is not alone, or writes all of it.
for i in {1..8}; do
	"$ppooltop" export --input "$tmp/large" --textfile "$file" 2>"$tmp/err$i" &
done
wait
ok 'eight at once: whole' cmp "$tmp/text" "$file"
ok 'eight at once: no temporary' alone ppooltop.prom
ok 'eight at once: nothing else is said' test -z "$(cat "$tmp"/err? | grep -v 'another ppooltop export')"
rm "$tmp"/err?

# --- the kernel, where it shows a list of pools ------------------------------------------------------

# An empty list will do: what is looked at is when something is written.
live() {
	env --default-signal=INT "$ppooltop" export --source netlink "$@" 2>"$tmp/err" >"$tmp/out" &
	exporter=$!
}
rm "$file"
live
wait $exporter
if [ -s "$tmp/out" ]; then
	live -i 1000 --textfile "$file"
	ok 'the file is there at the start' wait_for test -s "$file"
	finish TERM
	# 2 where that list has no counters, as with any command
	ok 'SIGTERM ends the wait' test $? -le 2
	ok 'and removes it' alone ''
	live -i 0.5 -c 5
	sleep 0.8
	kill -STOP $exporter
	sleep 1.9
	kill -CONT $exporter
	wait $exporter
	# The one that was late comes at once, the next after a whole interval.
	ok 'what comes late is not caught up with' test "$(awk '/^ppooltop_last_update/ {
		if (NR > 1 && last && $2 - last < 0.25) short++
		if (last && $2 - last > 1.5) late++
		last = $2; texts++ } END { print texts, late + 0, short + 0 }' "$tmp/out")" = '5 1 0'
else
	skip 'when it is written' 'this kernel has no list of pools'
fi
exporter=

# --- file systems ----------------------------------------------------------------------------------

if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null ||
	! unshare -m mount -t tmpfs none "$dir" 2>/dev/null; then
	skip 'file systems that are full or may not be written' 'no mounts here'
	echo "1..$n"
	exit
fi

# The rest of this runs where mounts are nobody else's.
mounted() {
	mount -t tmpfs -o size=128k none "$dir" || exit
	start
	doc 1
	wait_for has 1
	head -c 1M /dev/zero >"$dir/filler" 2>/dev/null
	doc 2
	doc 3
	wait_for test -s "$tmp/err" && has 1 && alone "filler
ppooltop.prom" && echo stays
	rm "$dir/filler"
	doc 4
	wait_for has 4 && echo again
	alone ppooltop.prom && echo alone
	mount -o remount,ro "$dir"
	doc 5
	doc 6
	wait_for grep -q Read-only "$tmp/err" && has 4 && echo stays
	mount -o remount,rw "$dir"
	doc 7
	wait_for has 7 && echo again
	finish TERM && alone '' && echo removed
	cat "$tmp/err"
	doc 8 3>"$tmp/small"
	quiet "$ppooltop" export --input "$tmp/small" --textfile "$file" || echo small
	"$ppooltop" export --input "$tmp/large" --textfile "$file"
	echo "$?"
	has 8 && alone ppooltop.prom && echo stays
	mount -o remount,ro "$dir"
	"$ppooltop" export --input "$tmp/small" --textfile "$file"
	echo "$?"
}
export -f mounted start doc wait_for has gone finish alone quiet
# shellcheck disable=SC2090
export ppooltop tmp dir file feed lib
unshare -m bash -c mounted >"$tmp/mounted" 2>&1
ok 'full, then read-only, with -i and once' test "$(cat "$tmp/mounted")" = "stays
again
alone
stays
again
removed
ppooltop: $file: cannot write it: No space left on device
ppooltop: $file: it is written again
ppooltop: $file: cannot create its temporary: Read-only file system
ppooltop: $file: it is written again
ppooltop: $file: cannot write it: No space left on device
1
stays
ppooltop: $file: cannot create its temporary: Read-only file system
1"
echo "1..$n"
