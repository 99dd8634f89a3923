#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The live view on 7.2 shows what dump says: under load somewhere between the one before and the one
# after, and the same when the load is over.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2016
exec "$here/tap" --kernel 7.2 --smp 2 --timeout 300 --check-dmesg -- '
mux() { tmux -L top -f /dev/null "$@"; }
# Of pools without a device, counted: ALLOC SLOW EMPTY REFILL WAIVE CACHED RING REFCNT FULL
shown() {
	mux capture-pane -p >/tmp/screen
	awk "/ counts / { counts = 1 } counts && \$2 == \"-\" && NF == 15 {
		print \$3, \$5, \$6, \$7, \$8, \$9, \$10, \$11, \$12; exit }" /tmp/screen
}
# The same of dump, as plain numbers.
counted() {
	document -i 0.05 | jq -r ".devices[] | select(.device.ifname == null)
		| (.alloc | .fast + .slow + .slow_high_order + .refill, .slow, .empty, .refill, .waive),
		  (.recycle | .cached, .ring, .released_refcnt, .cache_full + .ring_full)" | paste -sd " "
}
# and as a column has them
short() { echo "$@" | awk "{ for (i = 1; i <= NF; i++) printf \"%s%s\", \$i < 10000 ? \$i : sprintf(\"%.1fK\", \$i / 1000), i < NF ? \" \" : \"\\n\" }"; }
# REFILL, the fourth, is a plain number for as long as that takes
fourth() { echo $4; }

ppooltop attach --source fentry >/dev/null
ppload drop -n 1G -R 5000 -C 0 >/dev/null 2>&1 & load=$!
mux new-session -d -x 160 -y 30 "ppooltop top -i 0.5"
until shown >/dev/null; grep -q DEVICE /tmp/screen; do sleep 0.2; done
mux send-keys a
until [ "$(shown)" ]; do sleep 0.2; done
before=$(fourth $(counted)); sleep 2
live=$(fourth $(shown)); after=$(fourth $(counted))
expect "under load: before ($before), on the screen ($live), after ($after)" 0 test "$before" -le "$live" -a "$live" -le "$after"
expect "and there was some" 0 test "$before" -lt "$after"
kill $load; wait $load
want=$(short $(counted))
tries=0
until [ "$(shown)" = "$want" ] || [ $tries -ge 100 ]; do tries=$((tries + 1)); sleep 0.2; done
echo "# $want"
expect "when it is over: each count that dump has" 0 test "$(shown)" = "$want"
mux send-keys q
tries=0
while pgrep -x ppooltop >/dev/null && [ $tries -lt 50 ]; do tries=$((tries + 1)); sleep 0.2; done
expect "and q ends it" 1 pgrep -x ppooltop
'
