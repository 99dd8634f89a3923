# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced in the guest by attach-*.t, after the functions of tap: collection that goes on without a
# process, and what may happen to it. $stats are options of exact.

pins=/sys/fs/bpf/ppooltop
sum_alloc=".alloc | .fast + .refill + .slow + .slow_high_order"

# says TITLE STATUS PATTERN COMMAND...: it exits with STATUS and one line, which has PATTERN
says() {
	title=$1; want=$2; pattern=$3; shift 3
	"$@" >/tmp/said 2>&1; status=$?
	if [ $status = "$want" ] && [ "$(wc -l </tmp/said)" = 1 ] && grep -q "$pattern" /tmp/said
	then echo "ok - $title"
	else echo "not ok - $title: exit status $status"; sed "s/^/# /" /tmp/said; fi
}

is() {
	if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1: $2, not $3"; fi
}

dump() {
	document -i 0.05 "$@"
}

bpf_things() {
	bpftool link show
	bpftool prog show
	bpftool map show
	ls -A /sys/fs/bpf
}

# The kernel takes its time to let go.
nothing_left() {
	for _ in $(seq 30); do
		[ -n "$(bpf_things)" ] || break
		sleep 1
	done
	is "$1" "$(bpf_things)" ""
}

nr_links() {
	bpftool link show | grep -c "^[0-9]"
}

# Own programs of viewers that were killed go, and those attached stay.
only_attached() {
	want=$(find $pins -name "link_*" | wc -l)
	for _ in $(seq 30); do
		[ "$(nr_links)" != "$want" ] || break
		sleep 1
	done
	is "$1" "$(nr_links)" "$want"
}

attached() {
	is "$1" "$(dump | jq -r "[.source.attached, .source.state, .source.level] | @tsv" | tr "\t" " ")" "$2"
}

# not_used TITLE PATTERN: viewers say why, in one line, and go on by themselves
not_used() {
	is "$1: viewers go on by themselves" "$(dump 2>/tmp/why | jq .source.attached)" false
	is "$1: and say so" "$(grep -c "not using what is attached: .*$2" /tmp/why)" 1
	is "$1: in one line" "$(wc -l </tmp/why)" 1
}

frames() {
	ppload "$@" | jq .sent
}

# --- it is there, it is used, it goes -------------------------------------------------------------

basics() {
	nothing_left "nothing is there to begin with"
	says "nothing to detach" 2 "nothing is attached" ppooltop detach
	says "attach" 0 "^attached: $2" ppooltop attach "$@"
	is "the directory is root's alone" "$(stat -c "%a %u" $pins)" "700 0"
	says "attach twice" 2 "attached already" ppooltop attach "$@"
	attached "dump uses it" "true $2 full"
	expect "show uses it" 0 sh -c "ppooltop show -i 0.05 | grep -q 'counters from $2.*'"
	expect "top uses it" 0 sh -c "[ \$(ppooltop | wc -l) -ge 2 ]"
	only_attached "and nothing else is attached"
}

# Pools that are born and die while nobody looks.
unwatched() {
	before=$(dump | jq ".totals$sum_alloc // 0") # where there has been no pool yet, nothing is known
	sent=$(($(frames drop -n 30000 -r 3) + $(frames redirect -n 20000)))
	dump >/tmp/doc
	is "unwatched: totals" "$(jq ".totals$sum_alloc" /tmp/doc)" $((before + sent))
	is "unwatched: devices" "$(jq "[.devices[]$sum_alloc] | add" /tmp/doc)" $((before + sent))
	is "unwatched: the pools are gone" "$(jq "[.pools[]$sum_alloc] | add + 0" /tmp/doc)" 0
}

two_viewers() {
	ppload drop -n 1000000000 -R 20000 >/tmp/load 2>/dev/null & load=$!
	dump -c 30 >/tmp/one & one=$!
	dump -c 30 >/tmp/two
	wait $one
	kill $load; wait $load
	for doc in one two; do
		is "two viewers: $doc has all" "$(jq -s "length" /tmp/$doc)" 30
		is "two viewers: no counter of $doc falls" \
			"$(jq -s "[.[].totals$sum_alloc] | . == sort" /tmp/$doc)" true
		is "two viewers: no page of $doc is unaccounted for" \
			"$(jq -s "[.[].pools[].audit.ok] | all(. != false)" /tmp/$doc)" true
	done
}

# The demo is a viewer, too; its loads are counted as any other.
demo() {
	before=$(dump | jq ".totals$sum_alloc")
	expect "demo" 0 sh -c "ppooltop demo -c 2 >/tmp/out && [ \$(grep -c live /tmp/out) -ge 2 ]"
	expect "demo: is counted" 0 [ "$(dump | jq ".totals$sum_alloc")" -gt "$before" ]
}

# A viewer that runs while others detach goes on to count.
detach_under_viewer() {
	ppooltop dump -i 0.2 -c 1000 >/tmp/docs & viewer=$!
	until [ -s /tmp/docs ]; do usleep 100000; done
	expect "detach while somebody looks" 0 ppooltop detach
	sent=$(frames drop -n 50000)
	lines=$(wc -l </tmp/docs)
	until [ "$(wc -l </tmp/docs)" -ge $((lines + 2)) ]; do usleep 100000; done
	kill $viewer; wait $viewer
	cat /tmp/docs >>/run/documents
	is "who looks goes on to count" "$(jq -s "(last.totals$sum_alloc) - (first.totals$sum_alloc)" /tmp/docs)" "$sent"
	nothing_left "and then nothing is left"
}

gone() {
	expect "detach" 0 ppooltop detach
	nothing_left "nothing is left"
	says "detach twice" 2 "nothing is attached" ppooltop detach
	is "viewers go on by themselves" "$(dump | jq .source.attached)" false
}

# --- viewers die ----------------------------------------------------------------------------------

# killed_viewers N SOURCE...: beside them, some with programs of their own, of each SOURCE. The loads
# leave viewers time to get on, and use less than the 4096 pools whose last counts are kept.
killed_viewers() {
	n=$1; shift
	before=$(dump | jq -c "[.totals | .alloc, .recycle | .[]]")
	group "$n viewers killed" exact -a $stats -m "nice -n 19 ppload drop -n 10000 -r 200000 -C 0; true" \
		"ppload redirect -n 1000000000 -R 10000 -C 1; true" "kill-viewers $n $*"
	sed -n "s/^# in all: //p" /tmp/out >/tmp/sums
	is "$n viewers killed: totals are what was counted" \
		"$(dump | jq -c --argjson before "$before" "[[.totals | .alloc, .recycle | .[]], \$before] | transpose | map(.[0] - (.[1] // 0))")" \
		"[$(tr -dc "0-9 \n" </tmp/sums | tr -s " " "," | sed "s/^,//; s/,$//")]"
	only_attached "$n viewers killed: only what was attached is"
}

# --- what may be in the way -----------------------------------------------------------------------

two_attaches() {
	for i in 1 2; do
		ppooltop attach "$@" >/tmp/first 2>&1 & first=$!
		ppooltop attach "$@" >/tmp/second 2>&1; second=$?
		wait $first; first=$?
		is "two attaches at once: one wins ($i)" "$(printf "%s\n" $first $second | sort | tr "\n" " ")" "0 2 "
		is "two attaches at once: a line each ($i)" "$(cat /tmp/first /tmp/second | wc -l)" 2
		only_attached "two attaches at once: one set is attached ($i)"
		expect "two attaches at once: detach ($i)" 0 ppooltop detach
	done
	nothing_left "two attaches at once: nothing is left"
	mkdir -m 700 $pins
	says "while another is at work: attach" 2 "is at work" flock $pins ppooltop attach "$@"
	says "while another is at work: detach" 2 "is at work" flock $pins ppooltop detach
	rmdir $pins
}

not_root() {
	nobody="setpriv --reuid=nobody --regid=nogroup --clear-groups"
	says "not root: attach" 2 "needs root" $nobody ppooltop attach
	says "not root: detach" 2 "needs root" $nobody ppooltop detach
}

no_bpffs() {
	umount /sys/fs/bpf
	says "no bpffs: attach" 2 "mount -t bpf" ppooltop attach
	says "no bpffs: detach" 2 "mount -t bpf" ppooltop detach
	is "no bpffs: viewers do not mind" "$(dump 2>&1 | jq .source.attached)" false
	mount -t bpf bpf /sys/fs/bpf
}

no_directory() {
	mkdir /tmp/elsewhere
	ln -s /tmp/elsewhere $pins
	says "a symbolic link: attach" 2 "not a directory; remove it" ppooltop attach
	says "a symbolic link: detach" 2 "not a directory; remove it" ppooltop detach
	is "a symbolic link: nothing is put where it leads" "$(ls -A /tmp/elsewhere)" ""
	rm $pins
	bpftool map create $pins type array key 4 value 4 entries 1 name x
	says "a file: attach" 2 "not a directory; remove it" ppooltop attach
	says "a file: detach" 2 "not a directory; remove it" ppooltop detach
	not_used "a file" "not a directory; remove it"
	rm $pins
}

# What is attached, but not as we would have it. Each ends as it began.
not_ours() {
	mv $pins /sys/fs/bpf/other
	ln -s other $pins
	not_used "a symbolic link" "not a directory; remove it"
	rm $pins
	mv /sys/fs/bpf/other $pins
	chown nobody $pins
	not_used "of somebody else" "belongs to somebody else"
	says "of somebody else: attach" 2 "belongs to somebody else" ppooltop attach
	says "of somebody else: detach" 2 "belongs to somebody else" ppooltop detach
	chown root $pins
	chmod 777 $pins
	not_used "open to all" "others may write"
	says "open to all: detach" 2 "others may write" ppooltop detach
	chmod 700 $pins
	attached "and is used again" "$1"
}

# poke N BYTE: byte N of what says what is attached
poke() {
	bpftool map update pinned $pins/meta key 0 0 0 0 value \
		$(bpftool -j map lookup pinned $pins/meta key 0 0 0 0 |
			jq -r ".value | .[$1] = \"$2\" | join(\" \")")
}

other_version() {
	poke 8 0x39
	not_used "another version" "another version.*ppooltop detach"
	says "another version: attach" 2 "ppooltop detach" ppooltop attach
	expect "another version: detach" 0 ppooltop detach
	expect "attach" 0 ppooltop attach "$@"
	layout=$(bpftool -j map lookup pinned $pins/meta key 0 0 0 0 | jq -r ".value[0]")
	poke 0 0x77
	not_used "another layout" "another version.*ppooltop detach"
	poke 0 "$layout"
	attached "and is used again with its own" "true $2 "
	poke 5 0x77
	not_used "another size" "another version.*ppooltop detach"
	expect "another size: detach" 0 ppooltop detach
	expect "attach" 0 ppooltop attach "$@"
	rm $pins/pools
	not_used "a part is missing" "missing; ppooltop detach"
	expect "a part is missing: detach" 0 ppooltop detach
	nothing_left "and nothing is left"
}

# --- sources and levels ---------------------------------------------------------------------------

# Pages that a socket holds, of a pool that is gone otherwise. On 6.1 such pages leave their pool.
held() {
	case $(uname -r) in
	6.1.*) return ;;
	esac
	ppload udp-hold -n 300 -t 60 >/tmp/load 2>/dev/null & load=$!
	for _ in $(seq 30); do
		dump >/tmp/doc
		[ "$(jq "[.pools[].state] | any(. == \"draining\")" /tmp/doc)" != true ] || break
	done
	kill $load; wait $load
	is "$1: pages held" "$(jq .totals.inflight.pages /tmp/doc)" "$(jq .queued /tmp/load)"
}

# kind SOURCE LEVEL OTHER-SOURCE: as attached; it is not used for another source or level
kind() {
	expect "$1, $2: attach" 0 ppooltop attach --source "$1" --level "$2"
	level=$2
	[ "$1" != tracepoint ] || level=
	attached "$1, $2: used" "true $1 $level"
	group "$1, $2" exact -a $stats -m "ppload drop -n 50000 -C 0" "ppload redirect -n 50000 -C 1"
	held "$1, $2"
	is "$1, $2: used if asked for" "$(dump --source "$1" --level "$2" | jq .source.attached)" true
	is "$1, $2: not for $3" "$(dump --source "$3" | jq -c "[.source | .attached, .state]")" "[false,\"$3\"]"
	expect "$1, $2: detach" 0 ppooltop detach
	nothing_left "$1, $2: nothing is left"
}
