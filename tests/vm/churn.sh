# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by churn-*.t. Runs in the guest.

# A program is attached to a veth and detached from it twenty times, and each pool leaves a page in
# a socket: twenty destroyed pools. Documents are taken from before until all are gone. On one CPU,
# as 7.2 gives an skb that was read back to the CPU it came from, which frees it when it receives
# something: skb_attempt_defer_free(), net/core/skbuff.c.
# shellcheck disable=SC2034,SC2016
commands='
draining="[.pools[] | select(.state == \"draining\" and .inflight.pages == 1) | .id]"
# Until that many are in the last document.
wait_for() {
	for i in $(seq 60); do
		[ "$(tail -n 1 /tmp/docs | jq "$draining | length" 2>/dev/null)" != $1 ] || return 0
		sleep 0.5
	done
}

# churn WHAT SIGNAL: the signal ends the load
churn() {
	what=$1
	ppooltop dump -c 1000 -i 0.5 >/tmp/docs & dump=$!
	wait_for 0
	ppload churn -n 1 -r 20 -s 1472 -t 100 -C 0 >/tmp/load & load=$!
	wait_for 20
	sleep 3
	kill $2 $load; wait $load
	wait_for 0
	kill $dump; wait $dump
	head -n 20 /tmp/docs >>/run/documents
	jq -s "[.[] | {all: [.pools[].id], ids: $draining, total: (.totals.inflight.pages // 0),
		sum: ([.pools[] | select(.state != \"impossible\") | .inflight.pages] | add // 0)}]" /tmp/docs >/tmp/seen
	jq "[.[] | select(.ids | length == 20)]" /tmp/seen >/tmp/full
	expect "$what: twenty destroyed pools, a page each" 0 jq -ne "input | length >= 2" /tmp/full
	expect "$what: each is listed once" 0 jq -ne "input | [.[].all | length == (unique | length)] | all" /tmp/seen
	expect "$what: in the same order each time" 0 jq -ne "input | [.[].ids] | unique | length == 1" /tmp/full
	expect "$what: totals add up" 0 jq -ne "input | [.[] | .total == .sum] | all" /tmp/seen
	expect "$what: they vanish" 0 jq -ne --slurpfile full /tmp/full "input | (last.all - \$full[0][0].ids) == last.all" /tmp/seen
}
churn "sockets that are read" -TERM
churn "sockets that are closed" -KILL 2>/dev/null
'
