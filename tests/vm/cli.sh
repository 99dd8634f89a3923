# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by cli-*.t: the commands, what they print, what they say when something is missing, and
# what they leave behind. Runs in the guest.

# shellcheck disable=SC2034,SC2016
commands='
busy() { ppload drop -n 100000000 -R 50000 >/dev/null 2>&1 & load=$!; sleep 1; }
idle() { kill $load; wait $load; } 2>/dev/null

busy
expect "dump is one JSON document" 0 sh -c "document >/tmp/doc && jq -ne input /tmp/doc >/dev/null && [ \$(wc -l </tmp/doc) = 1 ]"
expect "with the keys of the schema" 0 jq -ne "input |
	([keys[]] == ([\"schema\", \"time\", \"interval_s\", \"host\", \"source\", \"losses\", \"pools\", \"devices\", \"totals\"] | sort))
	and .schema == \"ppooltop/1\" and .source.counters == \"$best\"
	and (.totals | .alloc.fast > 0 and .recycle.ring > 0 and .rate.alloc.fast > 0 and .recycle_ratio > 0.5)
	and ([.pools[].audit.ok] | all(. != false)) and .losses == {\"pools\": 0, \"events\": 0}" /tmp/doc
expect "dump -c 3 is three lines" 0 sh -c "[ \$(ppooltop dump -c 3 -i 0.1 | jq -c .schema | wc -l) = 3 ]"
expect "recorded, they are the same again" 0 sh -c "ppooltop dump -c 5 -i 0.1 | tee -a /run/documents >/tmp/docs
	ppooltop record --input /tmp/docs /tmp/rec && ppooltop dump --input /tmp/rec | cmp - /tmp/docs && [ \$(wc -l </tmp/docs) = 5 ]"
expect "record" 0 sh -c "ppooltop record -c 3 -i 0.1 /tmp/rec2 && ppooltop dump --input /tmp/rec2 | jq -se \"length == 3 and
	all(.totals.rate.alloc.fast > 0) and (.[0].totals.alloc.fast < .[2].totals.alloc.fast)\""
expect "dump -p is the same, pretty" 0 sh -c "ppooltop dump -p | jq -ne input.devices[0].device"
expect "show is a table without escape codes" 0 sh -c "ppooltop show >/tmp/out 2>&1 && grep -q ^DEVICE /tmp/out && ! grep -q \$(printf \"\\033\") /tmp/out"
expect "top into a pipe is show" 0 sh -c "ppooltop | grep ^DEVICE"
expect "show into head: no complaint" 0 sh -c "ppooltop show -c 5 -i 0.05 2>/tmp/err | head -n 1 && ! [ -s /tmp/err ]"
expect "a full disk is a failure" 1 sh -c "ppooltop dump >/dev/full"
grep -q "writing failed" /tmp/err && echo "ok - and says so" || echo "not ok - and says so"
idle

# Each counter of each device, as "metric{labels} value".
exported() {
	ppooltop attach >/dev/null && ppload drop -n 20000 >/dev/null && document -i 0.1 >/tmp/doc &&
		ppooltop export >/tmp/prom && ppooltop detach >/dev/null || return
	for i in alloc:fast alloc:refill alloc:slow recycle:cached recycle:ring; do
		jq -r ".devices[] | .${i%:*}.${i#*:} as \$n | .device |
			\"ppooltop_${i%:*}_total{netns=\\\"\(.netns // \"\")\\\",device=\\\"\(.ifname // \"\")\\\",path=\\\"${i#*:}\\\"} \(\$n)\"" /tmp/doc
	done | sort >/tmp/want
	grep -E "^ppooltop_(alloc|recycle)_total.*(fast|refill|slow|cached|ring)\"" /tmp/prom | sort >/tmp/is
	cat /tmp/want && [ -s /tmp/want ] && cmp /tmp/want /tmp/is && grep -q "^ppooltop_recycle_total.*ring.* 20000$" /tmp/is
}
expect "export has the numbers of dump" 0 exported
ppooltop export -i 0.1 --textfile /tmp/ppooltop.prom & exporter=$!
expect "export keeps a file" 0 sh -c "for i in \$(seq 60); do sleep 1; grep -qs ^ppooltop_last_update_timestamp_seconds /tmp/ppooltop.prom && exit 0; done; exit 1"
kill $exporter; wait $exporter
expect "until it is stopped" 1 test -e /tmp/ppooltop.prom

expect "probe" 0 sh -c "ppooltop probe | grep -q \"fentry  *yes\""
expect "probe -j: every counter has its source" 0 sh -c "ppooltop probe -j | jq -ne \"input | [.counters[].source] == [range(11) | \\\"$best\\\"]\""
expect "demo shows traffic" 0 sh -c "ppooltop demo -c 1 >/tmp/out && [ \$(grep -c live /tmp/out) -ge 2 ]"
expect "and leaves no device" 0 sh -c "[ \$(ls /sys/class/net | grep -vc \"^eth\") = 1 ]"
ppooltop demo -c 1000 >/dev/null 2>&1 & demo=$!
sleep 8; kill -9 $demo
# The kernel detaches what a dead process had attached; under TCG that takes some seconds.
for i in 1 2 3 4 5 6 7 8 9 10; do pgrep ppooltop >/dev/null || break; sleep 3; done
expect "killed, it leaves no process" 1 pgrep ppooltop
expect "nothing stays attached" 0 sh -c "[ -z \"\$(bpftool prog show 2>/dev/null | grep -E \"alloc_netmems|put_|refill|pool_release\")\" ]"

expect "wrong command" 2 ppooltop nonsense
expect "wrong option" 2 ppooltop show --nonsense
expect "wrong number" 2 ppooltop show -c 0
expect "version" 0 ppooltop --version
expect "help" 0 ppooltop show --help

# What shows the addresses of the kernel own counters is a third.
with() { echo "setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=$1 --ambient-caps=$1"; }
expect "CAP_BPF and CAP_PERFMON are enough" 0 sh -c "$(with +bpf,+perfmon) ppooltop dump | jq -ne \"input.source | .counters == \\\"fentry\\\" and .missing == []\""
expect "with CAP_SYSLOG as for root" 0 sh -c "$(with +bpf,+perfmon,+syslog) ppooltop dump | jq -ne \"input.source | .counters == \\\"$best\\\" and .missing == []\""
nobody="setpriv --reuid=nobody --regid=nogroup --clear-groups"
expect "not root: exit 2" 2 $nobody ppooltop show
$nobody ppooltop show >/dev/null 2>/tmp/why
expect "with one line that says what is missing" 0 sh -c "[ \$(wc -l </tmp/why) = 1 ] && grep -q CAP_BPF /tmp/why"
expect "not root: probe says what it needs" 0 sh -c "$nobody ppooltop probe | grep -q \"fentry  *no  *needs root\""
'
