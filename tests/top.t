#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The live view in a terminal: recordings played in tmux, and what is on the screen compared with
# tests/fixtures/screens/, at many sizes and after each key. What is waited for is seen on the
# screen, however long that takes. GOLDEN=1 writes the files anew instead: read the difference.
cd "$(dirname "$0")/.." || exit 1
top=$PWD
B=${B:-build}
ppooltop=$top/$B/ppooltop
fixtures=$top/tests/fixtures
screens=$fixtures/screens
tmp=$(mktemp -d)
mux=()
starts=0
stop() {
	[ $starts = 0 ] || "${mux[@]}" kill-server 2>/dev/null
}
trap 'stop; rm -rf "$tmp"' EXIT
export LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$tmp/config
unset NO_COLOR TMUX

n=0
result() {
	n=$((n + 1))
	echo "$1 $n - $2"
	[ "$1" = ok ] || sed 's/^/# /' "$tmp/why"
}
ok() {
	if "${@:2}" >"$tmp/why" 2>&1; then result ok "$1"; else result 'not ok' "$1"; fi
}

# Try again until it is so, for as long as a slow machine may take.
eventually() {
	local end=$((SECONDS + ${PATIENCE:-30}))
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# --- the terminal ----------------------------------------------------------------------------------

screen() {
	"${mux[@]}" capture-pane -p "$@"
}

has() {
	screen | grep -qe "$1"
}

keys() {
	"${mux[@]}" send-keys "$@"
}

# The lines that begin in reverse: titles, and what is selected in the list or in a menu. The
# terminal keeps its attributes from one line to the next.
selected() {
	screen -e | awk '{
		text = ""; begins = 0
		while (match($0, /\033\[[0-9;]*m/)) {
			text = text substr($0, 1, RSTART - 1)
			if (text != "" && !begins)
				begins = reverse ? 2 : 1
			code = substr($0, RSTART + 2, RLENGTH - 3)
			if (code ~ /(^|;)7(;|$)/)
				reverse = 1
			else if (code ~ /^0?$|^0;|(^|;)27(;|$)/)
				reverse = 0
			$0 = substr($0, RSTART + RLENGTH)
		}
		text = text $0
		if (begins == 2 || (!begins && reverse))
			print text
	}' | grep -v ^DEVICE
}

is_selected() {
	selected | grep -qe "$1"
}

# WIDTH HEIGHT ARGUMENT...: a new screen, of a server of its own: the last one may not be gone yet
start() {
	stop
	mux=(tmux -L "ppooltop-$$-$((++starts))" -f /dev/null)
	"${mux[@]}" new-session -d -x "$1" -y "$2" \
		"cd '$tmp' && $ppooltop ${*:3} 2>'$tmp/stderr'; echo EXIT \$?; exec sleep 1000"
}

# WIDTH HEIGHT RECORDING ARGUMENT...: from its beginning to its end. The sizes that have no room
# to say so are drawn when they are drawn.
play() {
	start "$1" "$2" --input "$fixtures/$3.jsonl" -i 0.05 "${@:4}"
	[ "$1" -lt 40 ] || [ "$2" -lt 5 ] || eventually has 'END OF RECORDING'
}

is_golden() {
	screen >"$tmp/screen"
	cmp -s "$tmp/screen" "$screens/$1.txt"
}

# NAME: the screen is, before long, that of the file
golden() {
	if [ "${GOLDEN:-}" ]; then
		sleep 0.7
		screen >"$screens/$1.txt"
	fi
	if eventually is_golden "$1"; then
		result ok "screen: $1"
	else
		diff "$screens/$1.txt" "$tmp/screen" >"$tmp/why"
		result 'not ok' "screen: $1"
	fi
}

# KEY... NAME: after these keys the screen is that of the file
press() {
	keys "${@:1:$#-1}"
	golden "${@: -1}"
}

# KEY... PATTERN: after these keys a line with the pattern is selected
goes_to() {
	keys "${@:1:$#-1}"
	ok "$* is selected" eventually is_selected "${@: -1}"
}

# --- sizes -----------------------------------------------------------------------------------------

for size in '80 24' '120 40' '200 50' '100 30' '60 16' '40 10' '20 5' '10 3' '5 2' '1 1'; do
	# shellcheck disable=SC2086
	play $size screens
	golden "size-${size/ /x}"
done
play 200 50 screens -C
golden cpus-200x50
for name in unread-sockets draining nine-pools days device-gone provider negative-inflight \
	odd-names numa-mismatch netlink-example mlx5-healthy ring-clamped; do
	play 120 24 "$name"
	golden "$name"
done
LC_ALL=C
play 100 30 screens
golden ascii
LC_ALL=C.UTF-8

# Twenty destroyed pools, each once; and when their pages are back they are gone.
start 80 50 --input "$fixtures/xdp-detached.jsonl" -i 0.05
eventually has 'END OF RECORDING'
ok 'pages are back, pools are gone' eventually has 'pools 0  destroyed 0'
keys z Left
ok 'before, each was there once' eventually has 'pools 20  destroyed 20'
ok 'and each has its line' test "$(screen | grep -c 'pool [0-9]')" = 20
ok 'in the order in which they were made' diff <(screen | grep -o 'pool [0-9]*') \
	<(seq -f 'pool %g' 20)

# --- what the numbers should be ----------------------------------------------------------------------

# Rates of the last second, from the fixture itself: pages allocated, slow, waived, full, recycled.
jq -rn --slurpfile d "$fixtures/screens.jsonl" '
	[$d[-2, -1].pools[] | {id, c: (.alloc + .recycle)}] | group_by(.id)[] |
	.[0].c as $was | .[0].id as $id | (.[1].c | with_entries(.value -= $was[.key])) as $c |
	($c.fast + $c.refill + $c.slow + $c.slow_high_order) as $alloc | select($alloc > 0) |
	[$id, if $alloc < 10000 then $alloc else "\($alloc / 1000)K" end, $c.slow, $c.waive,
	 $c.released_refcnt, $c.cache_full + $c.ring_full, 1000 * ($c.cached + $c.ring) / $alloc] |
	map(tostring) | join(" ")' >"$tmp/want"
sed -n 's/^ .*pool \([0-9]*\)  *[0-9] live//p' "$screens/size-120x40.txt" >"$tmp/rates"
paste -d' ' <(sed -n 's/^ .*pool \([0-9]*\)  *[0-9] live.*/\1/p' "$screens/size-120x40.txt") \
	"$tmp/rates" | awk '{ sub(/\.0K/, "K", $2); print $1, $2, $3, $4, $5, $6, $7 * 10 }' >"$tmp/got"
ok 'figures are those of the fixture' diff <(sort "$tmp/want") <(sort "$tmp/got")

# --- keys ------------------------------------------------------------------------------------------

play 100 30 screens
goes_to Down 'pool 1'
goes_to j 'pool 2'
goes_to Up 'pool 1'
goes_to k 'eth0'
goes_to End 'pool 12'
goes_to Home 'eth0'
goes_to G 'pool 12'
goes_to g 'eth0'
goes_to NPage 'pool 12'
goes_to PPage 'eth0'
press Space folded
press Space size-100x30
keys Down
press Space cpus
press Space size-100x30
press '*' all-cpus
press '*' size-100x30
press Enter detail
press NPage detail-2
press End detail-end
press q size-100x30
press Enter detail
press Escape size-100x30
goes_to Home Enter 'eth0'
golden folded
keys Enter

keys / w w a n
ok '/ finds while one types' eventually is_selected wwan0
keys Enter
goes_to n 'pool 9'
keys F3 n o t h i n g
ok 'F3: what is not there is said' eventually has 'nothing has "nothing"'
press Escape size-100x30
press '\' h n s 3 filter-typing
press Enter filter
press Escape size-100x30
press F4 s t u c k BSpace BSpace BSpace BSpace BSpace h n s 3 Enter filter
press Escape size-100x30

press F6 sort-menu
keys End
goes_to Home ' -  '
press Escape size-100x30
keys F6 Down Down Down Down Down Down Down
ok 'F6: a column' eventually is_selected ALLOC
press Enter sorted
press I inverted
press I sorted
press '>' sorted-right
press '<' sorted
press F6 Home Enter size-100x30
press t flat
press t by-cpu
press Down Space Home by-cpu-open
press t Escape size-100x30
press a counts
press r reset
press a size-100x30

press d '2' interval-typing
press x Enter interval-wrong
press d '0' . '1' Enter size-100x30
keys +
ok '+: a longer interval' eventually has 'every 0.2 s'
keys -
ok '-: a shorter one' eventually has 'every 0.1 s'

press z paused
press Left Left Left back-3
press Right back-2
press '{' back-all
press '}' paused
press z size-100x30
press Right scrolled
press ']' scrolled-2
press '[' scrolled
press Left size-100x30
press S-Right scrolled
press S-Left size-100x30

keys s
ok 's: says where it is' eventually has 'saved: ppooltop-20260102T030416Z.jsonl'
ok 's: what can be read again' test "$("$ppooltop" show --input "$tmp"/ppooltop-2*.jsonl | wc -l)" = 14
keys s
ok 's: and what was saved stays' eventually has 'saved: ppooltop-20260102T030416Z-2.jsonl'

press h help
press NPage help-2
press q size-100x30
press '?' help
press Escape size-100x30
press F1 help
press Escape size-100x30

press F2 columns
press Down - columns-moved
press Space columns-off
press + columns-plus
press Escape columns-chosen
press C u size-100x30
press F2 Down - Escape columns-swapped

keys q
ok 'q' eventually has 'EXIT 0'
ok 'and nothing is said' test ! -s "$tmp/stderr"
ok 'the columns are kept' grep -q '^columns = Q DEVICE STATE ALLOC' "$tmp/config/ppooltop/toprc"
play 100 30 screens
golden columns-swapped
keys F10
ok 'F10' eventually has 'EXIT 0'

# Readings are far apart, keys are not.
start 100 30 --input "$fixtures/screens.jsonl" -i 1000000
ok 'the first reading at once' eventually has 'pool 12'
goes_to j 'pool 1'
keys Enter
ok 'and so are keys' eventually has 'per sec\|counted'
keys F10
ok 'in a page, F10 quits' eventually has 'EXIT 0'

# A recording that is still being written, by a pipe: keys do not wait for it.
mkfifo "$tmp/fifo"
{ head -n 3 "$fixtures/screens.jsonl"; exec sleep 1000; } >"$tmp/fifo" &
writer=$!
start 100 30 --input fifo -i 0.05
ok 'a pipe' eventually has '03:04:07Z'
sleep 1 # now it waits for the next document; were it not so far yet, nothing would be tested
keys q
ok 'a pipe that has no more yet: q' eventually has 'EXIT 0'
kill "$writer"

# The last but one line of a screen that is put back.
{ head -n 2 "$fixtures/screens.jsonl"; echo '{"schema":"ppooltop/2"}'; } >"$tmp/newer.jsonl"
start 100 30 --input newer.jsonl -i 0.05
ok 'a bad document later on: exit 2' eventually has 'EXIT 2'
ok 'and one line that says so' test "$(grep -c 'newer.jsonl: line 3' "$tmp/stderr")$(wc -l <"$tmp/stderr")" = 11

# A key behind a byte that is no character's.
play 100 30 screens
keys -H e4 71
ok 'a byte that is no character, and q' eventually has 'EXIT 0'

# --- the configuration -------------------------------------------------------------------------------

cat >"$tmp/config/ppooltop/toprc" <<-END
	# a comment
	columns = DEVICE NOSUCH
	sort = alloc
	nonsense
	inverted = perhaps
	group = pool
END
play 100 30 screens
ok 'lines of no sense: said' eventually has 'toprc: line 5 is not understood, and left out'
keys Escape
golden configured
press h End notes
keys F10
rm -r "$tmp/config/ppooltop"
play 100 30 screens -s recyc%
golden sorted-by-option
keys q
eventually has 'EXIT 0'
ok 'nothing was changed: no file' test ! -e "$tmp/config/ppooltop"

# --- the mouse ---------------------------------------------------------------------------------------

# BUTTON ROW COLUMN, from 0: pressed and let go, as the terminal says it
mouse() {
	local at
	at=$(printf '%x %x' $((33 + $3)) $((33 + $2)))
	# shellcheck disable=SC2086
	keys -H 1b 5b 4d $(printf %x $((32 + $1))) $at
	# shellcheck disable=SC2086
	[ "$1" -ge 64 ] || keys -H 1b 5b 4d 23 $at
}

play 100 30 screens
mouse 0 11 4
ok 'a click selects' eventually is_selected 'pool 2'
mouse 65 15 10
ok 'the wheel' eventually is_selected 'pool 3'
mouse 0 8 40
golden sorted-by-click
mouse 0 8 40
golden inverted-by-click
mouse 0 29 1
golden help
press q inverted-by-click
mouse 0 29 8
ok 'a click on Quit' eventually has 'EXIT 0'

# --- colours ------------------------------------------------------------------------------------------

colored() {
	screen -e | grep -q $'\e\[[0-9;]*3[1-7]m'
}
not() {
	! "$@"
}
rm -rf "$tmp/config/ppooltop"
play 100 30 screens
ok 'colours' eventually colored
play 100 30 screens --color never
ok '--color never' eventually not colored
export NO_COLOR=1
play 100 30 screens
ok 'NO_COLOR' eventually not colored
play 100 30 screens --color=always
ok '--color always' eventually colored
unset NO_COLOR

# --- the manual ---------------------------------------------------------------------------------------

# What begins an item of it, a word a line.
manual_items() {
	sed -n '/^\.Sh LIVE/,/^\.Sh SOURCES/s/^\.It //p' man/ppooltop.8 | sed 's/\\&//g; s/\\e/\\/' | tr ' ' '\n'
	sed -n 's/^\.It \([A-Z%]*\) , \([A-Z]*\)$/\1\n\2/p; s/^\.It \([A-Z%]*\)\( .*\)*$/\1/p' man/ppooltop.8
}
keys_and_columns() {
	cat "$screens/help.txt" "$screens/help-2.txt" | sed -n '/^Keys/,/^Columns/s/^  \([^ ].*\)/\1/p' |
		cut -c1-11 | tr ' ' '\n' | grep -v mouse
	"$ppooltop" show --help | sed -n 's/^columns to sort by: //p' | tr ' ' '\n'
}
not_in_the_manual() {
	keys_and_columns | grep . | grep -vxFf <(manual_items | grep .)
}
ok 'all columns and keys are in the manual' not not_in_the_manual

# --- no terminal ----------------------------------------------------------------------------------------

"$ppooltop" --input "$fixtures/screens.jsonl" >"$tmp/out" 2>"$tmp/err"
"$ppooltop" show --input "$fixtures/screens.jsonl" >"$tmp/show"
ok 'no terminal: show' cmp "$tmp/out" "$tmp/show"
ok 'no terminal: no word' test ! -s "$tmp/err"
ok 'no terminal: no escape codes' not grep -q $'\e' "$tmp/out"
"$ppooltop" --input "$fixtures/screens.jsonl" 2>"$tmp/err" | head -1 >"$tmp/out"
ok '| head: no complaint' test ! -s "$tmp/err" -a "$(wc -l <"$tmp/out")" = 1

# TERM WORDS: with that, one line says so and the table follows
poor() {
	"$top/$B/tests/drive" -e itself env TERM="$1" "$ppooltop" --input "$fixtures/screens.jsonl" \
		>"$tmp/out" && "$top/$B/tests/drive" -w "$2" -e itself env TERM="$1" "$ppooltop" \
		--input "$fixtures/screens.jsonl" >"$tmp/out" && "$top/$B/tests/drive" -w 'RFULL REFCNT' \
		-e itself env TERM="$1" "$ppooltop" --input "$fixtures/screens.jsonl" >"$tmp/out"
}
ok 'TERM=dumb' poor dumb 'TERM is dumb, so this is what ppooltop show prints'
ok 'no TERM' poor '' 'TERM is not set'
ok 'no such TERM' poor nosuch 'TERM is "nosuch"'

# --- ends ---------------------------------------------------------------------------------------------------

export TERM=xterm
drive() {
	(cd "$tmp" && "$top/$B/tests/drive" "$@")
}
view=("$ppooltop" --input "$fixtures/screens.jsonl" -i 0.05)
for end in quit int again term hup gone segv abort core; do
	ok "the terminal is as before: $end" drive -w eth0 -e $end "${view[@]}"
done
ok 'Ctrl-Z, fg' drive -w eth0 -z -e quit bash -mc "${view[*]}; echo stopped; fg"
ok 'Ctrl-S, SIGTERM' drive -w eth0 -S -t 1 -e term "${view[@]}"
ok 'Ctrl-S, q' drive -w eth0 -S -t 1 -e quit "${view[@]}"
ok 'nobody reads what it writes' drive -w eth0 -d -e itself "${view[@]}" -c 12
ok 'a failed start' drive -w 'no such' -e itself sh -c "$ppooltop --input /nonexistent || echo no such"

asan=$top/$B/asan/ppooltop
if [ -x "$asan" ]; then
	export ASAN_OPTIONS=log_path=$tmp/asan
	ok '10,000 keys and sizes' drive -w ppooltop -n 10000 -s "${SEED:-1}" -e quit "$asan" \
		--input "$fixtures/screens.jsonl" -i 0.1
	ok 'and no fault' test -z "$(cat "$tmp"/asan* 2>/dev/null)"
fi
echo "1..$n"
