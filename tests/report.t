#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of "report", and "show" of two recordings.
. "$(dirname "$0")/tap.sh"

# Well-formed, alone, accessible, and with the numbers of dump.
page_is_right() {
	"$ppooltop" dump --input "$1" >"$tmp/docs" &&
		"$ppooltop" report "$1" >"$tmp/out" 2>"$tmp/err" && test ! -s "$tmp/err" &&
		tests/page "$tmp/out" "$tmp/docs"
}
pair_is_right() {
	"$ppooltop" report "$1" "$2" >"$tmp/out" 2>"$tmp/err" && test ! -s "$tmp/err" &&
		tests/page "$tmp/out"
}
for file in tests/fixtures/*.jsonl; do
	ok "${file##*/}: the page" page_is_right "$file"
done

# A recording of $n intervals that begins where $screens ends, with what is live going up and down.
screens=tests/fixtures/screens.jsonl
long() {
	jq -cs --argjson n "$1" '
	def grow($d; $i): . + ($d * ($i + 8 * ($i / 16 | sin)) | floor);
	(.[-1].time | sub("\\.\\d+Z$"; "Z") | fromdate) as $t | .[-2] as $a | .[-1] as $b |
	range($n) as $i | $b | .time = ($t + $i | todate | sub("Z$"; ".000Z")) |
	.host.name = "rx7" | .interval_s = (if $i == 0 then null else 1 end) |
	.pools |= [range(length) as $p | .[$p] | reduce ("alloc", "recycle") as $side (.;
		reduce (.[$side] | keys[]) as $k (.;
			.[$side][$k] |= grow($b.pools[$p][$side][$k] - $a.pools[$p][$side][$k]; $i))) |
		if .state == "live" then .inflight.pages += ($i / 40 | sin * 300 | floor) else . end |
		del(.cpus)]' $screens
}
long 700 >"$tmp/long"
ok 'a long recording: the page' page_is_right "$tmp/long"
ok 'two recordings: the page' pair_is_right $screens "$tmp/long"
ok 'two without an interval' pair_is_right tests/fixtures/mlx5-healthy.jsonl tests/fixtures/ring-clamped.jsonl
ok 'with and without an interval' pair_is_right tests/fixtures/mlx5-healthy.jsonl $screens

# What people and programs call things: markup, quotes, control characters, what turns the text
# round, halves of characters, what is no character.
jq -c '
	"</title><script>alert(1)</script>" as $s | "a\"b\u0027c&d\u0001\u001b[1m\u007f" as $c |
	"\u202eabc\u200b\ufeff\ufffe\u0085\ud83d\ude00" as $u |
	.host.name = $c + $s | .host.kernel = $s + $u |
	.source.missing = [{counter: $s, reason: ($u + $c)}] |
	.pools |= [.[] | .device.ifname = ($s + $u | .[:8]) | .device.driver = $s + $c |
		.device.netns = $c + $s | .device.dev = "<\u0001>&" | .creator = $s | .params.provider = $s]
	' $screens >"$tmp/odd"
cp "$tmp/odd" "$tmp/odd<&'\"]]>"$'\x01\xff'
ok 'names of all kinds' page_is_right "$tmp/odd"
ok 'and in the name of the file' page_is_right "$tmp/odd<&'\"]]>"$'\x01\xff'
ok 'and in two recordings' pair_is_right "$tmp/odd<&'\"]]>"$'\x01\xff' "$tmp/odd"

# Pools without number: the page has 1,000 and says so, with charts of 40.
jq -c '.pools[0] as $p | .pools |= [range(1200) as $i | $p | .id = $i + 1 | .key = "ffff\($i + 1000).1" |
	.address = "0xffff\($i + 1000)" | .alloc.fast |= (. * (1 + $i / 1000) | floor)]' < <(tail -n 2 $screens) >"$tmp/many"
"$ppooltop" report "$tmp/many" >"$tmp/out" 2>"$tmp/err"
ok '1,200 pools: XML' tests/page "$tmp/out"
ok '1,200 pools: 1,000 are there' test "$(grep -c '<details class="pool"' "$tmp/out")" = 1000
ok '1,200 pools: how many are not' grep -q '>200 pools are left out' "$tmp/out"
ok '1,200 pools: charts of 40' grep -q 'Pools with charts: 40 of 1200' "$tmp/out"
ok '1,200 pools: the busiest are there' grep -q '<strong>pool 1200<' "$tmp/out"

jq -c '.pools |= [.[0] as $p | range(1100) as $i | $p | .id = $i + 1 | .key = "ffff\($i + 1000).1" |
	.address = "0xffff\($i + 1000)" | .device.ifname = "v\($i % 50)" | .device.ifindex = $i % 50 + 2 |
	.state = (if $i < 1080 then "stuck" else "draining" end) | .destroyed_s = 100 * $i]' < <(tail -n 2 $screens) >"$tmp/sick"
"$ppooltop" report "$tmp/sick" >"$tmp/out" 2>"$tmp/err"
ok '1,100 sick pools: links lead somewhere' tests/page "$tmp/out"
ok '1,100 sick pools: not all are listed' grep -q '<li>and 1040 more</li>' "$tmp/out"
ok '50 devices: charts of 40' grep -q 'Devices with charts: 40 of 50' "$tmp/out"

# Devices without number, and the last one is sick.
jq -c '.pools |= [.[0] as $p | range(1100) as $i | $p | .id = $i + 1 | .key = "ffff\($i + 1000).1" |
	.address = "0xffff\($i + 1000)" | .device.ifname = "v\($i)" | .device.ifindex = $i + 2 |
	if $i == 1099 then .inflight.pages = -7 | .state = "impossible" else . end]' < <(tail -n 2 $screens) |
	jq -c 'del(.devices)' >"$tmp/many"
"$ppooltop" report "$tmp/many" >"$tmp/out"
ok '1,100 devices: 1,000 are there' test "$(grep -c '<section class="device"' "$tmp/out")" = 1000
ok '1,100 devices: how many are not' grep -q '>100 devices are left out' "$tmp/out"
ok '1,100 devices: the sick one is there' grep -q '<h2>v1099<' "$tmp/out"
ok '1,100 devices: no link leads nowhere' test -z "$(comm -13 <(grep -o 'id="[^"]*' "$tmp/out" | cut -c 5- | sort -u) \
	<(grep -o 'href="#[^"]*' "$tmp/out" | cut -c 8- | sort -u))"

# Bounded: a day of seconds is no larger than some minutes.
size() {
	"$ppooltop" report "$1" | wc -c
}
head -n 300 "$tmp/long" >"$tmp/short"
ok 'a long recording has no more points' \
	test "$(size "$tmp/long")" -lt $(("$(size "$tmp/short")" * 3 / 2))

said() {
	"$ppooltop" "${@:2}" >"$tmp/out" 2>"$tmp/err" && grep -q -- "$1" "$tmp/out"
}
ok 'the host' said '<title>page_pools of rx7<' report "$tmp/long"
ok 'what was asked for, and what is' said '16384 (asked for: 40000)' \
	report tests/fixtures/ring-clamped.jsonl
ok 'nine pools are one finding' said 'eth0, 9 pools</a>: 4032 pages each, stuck for' \
	report tests/fixtures/nine-pools.jsonl
ok 'notes are findings' said 'zc0, pool 10</a>: provider holds 512' report $screens
ok 'the gravest first' test "$(grep -o 'class="badge">[a-z]*' "$tmp/out" | cut -d '>' -f 2 | uniq | xargs)" \
	= 'bad warning note'
ok 'losses are a finding' said 'eth1</a>: 95.9% lost to a full ring, of the pages put back' \
	report tests/fixtures/numa-mismatch.jsonl
ok 'devices that lose pages come first' \
	test "$(grep -o 'row"><a href="#d[^<]*' "$tmp/out" | cut -d '>' -f 3 | head -n 3 | xargs)" = 'eth1 eth0 eth3'
ok 'a healthy one has none' said 'Nothing is wrong' report tests/fixtures/mlx5-healthy.jsonl
ok 'what is missing, and why' said '<dt>alloc.fast</dt><dd>too dear</dd>' report - \
	< <(jq -c '.source.missing = [{counter: "alloc.fast", reason: "too dear"}]' $screens)
ok 'what was lost' said '7 events lost' report - < <(jq -c '.losses.events = 7' $screens)
ok 'pools that are gone' said 'seen last at 03:04:06' report tests/fixtures/xdp-detached.jsonl
ok 'more than one host' said 'More than one host' report - < <(cat $screens "$tmp/long")
ok 'a device that is new where two recordings meet' said '<h2>eth4<' report - \
	< <(cat $screens <(head -n 1 tests/fixtures/numa-mismatch.jsonl))
jq -c 'del(.pools[1].recycle.ring) // .' $screens | sed 3,5d >"$tmp/some"
head -n 2 $screens >>"$tmp/some"
ok 'known at times: a mean of these' page_is_right "$tmp/some"
ok 'one device' said 'id="d0"' report -d zc0 $screens
ok 'one device, and no other' test "$(grep -c 'class="device"' "$tmp/out")" = 1
ok 'the first intervals' said '>2, of 1 s on average<' report -c 3 $screens
jq -c 'del(.pools[].recycle.ring)' $screens >"$tmp/partly"
ok 'not known: n/a' said 'data-path="totals.recycle.ring">n/a<' report "$tmp/partly"
ok 'not known: the page' page_is_right "$tmp/partly"

# --- two recordings ---

ok 'hosts of two' said '<h1>page_pools of rx7, before and after<' report "$tmp/long" "$tmp/short"
ok 'devices in one of them' said 'Only before: .*wwan0 (blue)' report $screens \
	tests/fixtures/numa-mismatch.jsonl
ok 'the difference' said "$(printf '%s' 'fast /s</th><td>18,409</td><td>1,379,431</td>' \
	'<td>+1,361,022</td><td>+7393.2%</td>')" report $screens tests/fixtures/numa-mismatch.jsonl
ok 'show: two recordings' said '^eth0 .*fast/s .*18.4K .*1.4M .*+1.4M .*+7' show --input $screens \
	--input tests/fixtures/numa-mismatch.jsonl
ok 'show: hosts' said 'after: host rx7, kernel 6.12.0' show --input $screens --input "$tmp/long"
ok 'show: in one of them' said '^wwan0 .*only before$' show --input $screens \
	--input tests/fixtures/numa-mismatch.jsonl
ok 'show: aligned' test "$(grep '/s  ' "$tmp/out" | awk '{ print length }' | sort -u | wc -l)" = 1
ok 'show: the same as the page' test "$(grep -c '^eth0 .*fast/s' "$tmp/out")" = 1

# --- what goes wrong ---

# $1: what is said; then arguments: exit 2, one line, no output
refused() {
	"$ppooltop" "${@:2}" >"$tmp/out" 2>"$tmp/err" </dev/null
	test $? = 2 -a ! -s "$tmp/out" -a "$(wc -l <"$tmp/err")" = 1 && grep -qF -- "$1" "$tmp/err"
}
head -n 3 $screens >"$tmp/bad"
echo '{"schema": "ppooltop/1", "pools": 3}' >>"$tmp/bad"
: >"$tmp/empty"
for two in '' $screens; do
	ok "no such file${two:+, second}" refused "$tmp/none: No such file" report $two "$tmp/none"
	ok "a directory${two:+, second}" refused "$tmp: Is a directory" report $two "$tmp"
	ok "empty${two:+, second}" refused "$tmp/empty: there is no whole document" report $two "$tmp/empty"
	ok "bad${two:+, second}" refused "$tmp/bad: line 4: \"pools\" wants a list" report $two "$tmp/bad"
done
ok 'show: bad, second' refused "$tmp/bad: line 4" show --input $screens --input "$tmp/bad"
ok 'no file' refused 'report wants FILE' report
ok 'three files' refused 'report takes no "c"' report a b c
ok 'no --input' refused 'no option "--input"' report --input $screens
for command in top dump; do
	ok "$command: one recording" refused "$command reads one recording, no --input \"b\"" \
		$command --input $screens --input b
done
ok 'show: no third' refused 'show reads two recordings, no --input "c"' show --input a --input b --input c
ok 'show: no -C beside two' refused 'no -C beside' show -C --input $screens --input $screens
ok 'show: no -s beside two' refused 'no -s beside' show -s fast --input $screens --input $screens

# exit 1 and one line, which says why
full() {
	"$ppooltop" "$@" >/dev/full 2>"$tmp/err"
	test $? = 1 -a "$(cat "$tmp/err")" = 'ppooltop: writing failed: No space left on device'
}
ok 'no space' full report $screens
ok 'no space, two' full report $screens $screens
ok 'no space, show' full show --input $screens --input $screens
left() {
	"$ppooltop" report "$tmp/many" 2>"$tmp/err" | head -c 10 >/dev/null
	test "${PIPESTATUS[0]}" = 0 -a ! -s "$tmp/err"
}
ok 'a reader that leaves' left

# --- in a browser ---

browser=$(command -v chromium || command -v chromium-browser)
browse() {
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
		--user-data-dir="$tmp/profile" --enable-logging=stderr --v=0 "$@" \
		>"$tmp/dom" 2>"$tmp/console"
}
quiet() {
	browse --dump-dom "file://$1" && ! grep CONSOLE "$tmp/console" >"$tmp/faults"
}
# What a browser makes of it is what the file has.
same_cells() {
	grep -o 'data-path="[^"]*">[^<]*<' "$1" >"$tmp/cells"
	grep -o 'data-path="[^"]*">[^<]*<' "$tmp/dom" | cmp - "$tmp/cells" && test -s "$tmp/cells"
}
# Pictures of some width: as wide as wanted, not blank, light and dark.
shots() {
	browse --window-size="$2,350" --screenshot="$tmp/light.png" "file://$1" &&
		browse --window-size="$2,350" --screenshot="$tmp/dark.png" \
			--blink-settings=preferredColorScheme=0 "file://$1" &&
		tests/page --shot "$tmp/light.png" "$tmp/dark.png" >"$tmp/faults" &&
		paste -s -d ' ' "$tmp/faults" | {
			read -r width light colours width2 dark colours2
			test "$width $width2" = "$2 $2" -a "$light" -gt 190 -a "$dark" -lt 80 \
				-a "$colours" -gt 100 -a "$colours2" -gt 100
		}
}
if [ -z "$browser" ]; then
	skip 'in a browser' 'there is no chromium'
	echo "1..$n"
	exit
fi
"$ppooltop" report "$tmp/long" >"$tmp/page.html"
"$ppooltop" report $screens "$tmp/long" >"$tmp/pair.html"
"$ppooltop" report "$tmp/odd" >"$tmp/odd.html"
for page in page pair odd; do
	ok "browser: $page: nothing to complain about" quiet "$tmp/$page.html"
	[ $page = pair ] || ok "browser: $page: the same numbers" same_cells "$tmp/$page.html"
done
echo '<!DOCTYPE html><title>x</title><script>throw new Error("x")</script>' >"$tmp/broken.html"
ok 'browser: it would be seen' eval '! quiet "$tmp/broken.html" && grep -q "Error: x" "$tmp/faults"'
for page in page pair; do
	ok "browser: $page: light and dark, on a desk" shots "$tmp/$page.html" 1100
	ok "browser: $page: light and dark, in a hand" shots "$tmp/$page.html" 500
done
echo "1..$n"
