#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The alert rules, by promtool and without a server: the fixtures, from the textfiles that are made
# of them; both sides of each threshold; and the words.
cd "$(dirname "$0")/.." || exit 1
rules=$PWD/contrib/prometheus/ppooltop.rules.yml
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
ok() {
	n=$((n + 1))
	if "${@:2}" >"$tmp/why" 2>&1; then echo "ok $n - $1"; else
		echo "not ok $n - $1"
		sed 's/^/# /' "$tmp/why"
	fi
}

programs=$(tests/prometheus/fetch) || exit 1
promtool=$programs/promtool

# SERIES... <WHEN: in each of these files of input_series. Lines are a time in minutes, an alert
# that fires then and its device, or "-" where it has none. What is not named does not fire; where
# nothing does, the time is alone.
fires() {
	jq -nR --arg rules "$rules" --argjson worlds "$(jq -s . "$@")" --argjson n $# '
	if ($worlds | length) != $n then error("no series") else . end |
	[inputs | capture("^(?<at>[0-9]+)( (?<alert>[^ ]+) (?<device>.*))?$")] | group_by(.at) | map({
		eval_time: (.[0].at + "m"),
		expr: "sum by (alertname, device) (ALERTS{alertstate=\"firing\"})",
		exp_samples: [.[] | select(.alert) | {value: 1,
			labels: "{alertname=\(.alert | tojson)\(if .device == "-" then ""
				else ",device=\(.device | tojson)" end)}"}]}) as $when |
	{rule_files: [$rules], evaluation_interval: "1m",
	 tests: [$worlds[] | {interval: "30s", input_series: ., promql_expr_test: $when}]}
	' >"$tmp/test.json" && "$promtool" test rules "$tmp/test.json"
}

# --- fixtures --------------------------------------------------------------------------------------

# RECORDING <WHEN: also with labels beside those of the device
recording() {
	local options made=()

	for options in '' --per-pool --per-cpu; do
		made+=("$tmp/series$options")
		# shellcheck disable=SC2086
		tests/prometheus/series "$1" $options >"$tmp/series$options"
	done
	ok "${1##*/}" fires "${made[@]}"
}

fixture() {
	recording "tests/fixtures/$1.jsonl"
}

ok 'rules are rules' "$promtool" check rules "$rules"

# Sick. Those that wait do not fire before their time.
fixture numa-mismatch <<END
8
30 PagePoolRecyclingCollapsed eth0
30 PagePoolRecyclingCollapsed eth1
30 PagePoolNumaMismatch eth0
30 PagePoolNumaMismatch eth1
END
fixture small-ring <<END
8
30 PagePoolRecyclingCollapsed eth0
30 PagePoolRingOverflow eth0
END
for name in unread-sockets nine-pools days; do
	fixture $name <<-END
		10
		30 PagePoolStuck eth0
	END
done
fixture device-gone <<END
10
30 PagePoolStuck eth2
30 PagePoolStuck veth0
END
fixture negative-inflight <<END
1 PagePoolImpossible eth0
END
fixture screens <<END
30 PagePoolRecyclingCollapsed eth1
30 PagePoolNumaMismatch eth1
30 PagePoolStuck eth1
30 PagePoolImpossible wwan0
30 PpooltopAuditOff hä😀$(printf '\a')x
END
fixture draining <<END
30
100 PagePoolDrainsForever eth0
END
# What two pools and two CPUs did is one alert of their device.
jq -c '{fast: 0, slow: 0, slow_high_order: 0, empty: 0, refill: 0, waive: 0} as $alloc |
	{cached: 0, cache_full: 0, ring: 0, ring_full: 0, released_refcnt: 0} as $recycle |
	.pools |= (.[:2] | map(.device += {ifname: "eth0", ifindex: 2, queue: .id} |
		.cpus = [{cpu: 0, alloc, recycle: $recycle}, {cpu: 1, alloc: $alloc, recycle}]))' \
	tests/fixtures/numa-mismatch.jsonl >"$tmp/two-pools.jsonl"
recording "$tmp/two-pools.jsonl" <<END
30 PagePoolRecyclingCollapsed eth0
30 PagePoolNumaMismatch eth0
END
# Healthy.
for name in mlx5-healthy netlink-example ring-clamped odd-names xdp-detached; do
	fixture $name <<<70
done

# --- thresholds ------------------------------------------------------------------------------------

# A line of titles, and below it devices: counts per second. The windows are full after 5 minutes.
rates() {
	jq -nR '[inputs | [splits(" +")]] | .[0] as $titles | .[1:] | map(. as $row |
		range(1; length) as $i | select($row[$i] != "-") | $titles[$i] as $key |
		{series: "ppooltop_\({fast: "alloc_total{path", slow: "alloc_total{path",
			slow_high_order: "alloc_total{path", refill: "alloc_total{path",
			empty: "refill_failures_total{reason", waive: "refill_failures_total{reason",
			cached: "recycle_total{path", ring: "recycle_total{path"}[$key] //
			"recycle_failures_total{reason")=\"\($key)\",instance=\"h\",device=\"\($row[0])\"}",
		 values: "0+\(($row[$i] | tonumber) * 30)x240"})' >"$tmp/series"
}

# Lines of a series and its values, one each 30 seconds.
values() {
	jq -nR '[inputs | capture("^(?<series>[^ ]+) (?<values>.*)$")]' >"$tmp/series"
}

rates <<END
device fast slow slow_high_order refill cached ring released_refcnt ring_full cache_full
over 180 10 5 5 44 44 12 0 100
less-lost 185 10 5 5 48 48 10.5 0 100
recycled 180 10 5 5 55 55 20 0 100
few 100 0 0 0 20 20 9 0 100
unknown - 10 0 5 - 10 20 0 100
idle 0 0 0 0 0 0 0 0 0
END
ok 'lost pages and a low ratio' fires "$tmp/series" <<END
14
16 PagePoolRecyclingCollapsed over
END

rates <<END
device empty waive
over 10 11
less 13 11
few 8 9
END
ok 'waived pages' fires "$tmp/series" <<END
14
16 PagePoolNumaMismatch over
END

rates <<END
device ring ring_full empty waive
over 95 11 1 0
less 105 11 1 0
few 80 9 1 0
elsewhere 80 11 1 2
not-known 80 11 - -
END
ok 'a full ring' fires "$tmp/series" <<END
14
16 PagePoolRingOverflow over
16 PagePoolRingOverflow not-known
END

values <<END
ppooltop_pools{device="stuck",state="stuck"} 1x240
ppooltop_oldest_destroyed_pool_seconds{device="stuck"} 4000x240
ppooltop_pools{device="now-and-then",state="stuck"} 1x18 0x1 1x18 0x1 1x18 0x1 1x60
ppooltop_oldest_destroyed_pool_seconds{device="now-and-then"} 0x240
ppooltop_pools{device="slow",state="stuck"} 0x240
ppooltop_oldest_destroyed_pool_seconds{device="slow"} 3605+30x240
ppooltop_oldest_destroyed_pool_seconds{device="not-so-slow"} 3590x240
END
ok 'pools that stay' fires "$tmp/series" <<END
4
14 PagePoolDrainsForever slow
16 PagePoolDrainsForever slow
16 PagePoolStuck stuck
END

values <<END
ppooltop_pools{device="more",state="stuck"} 1x60 5x20 0x120
ppooltop_pools{device="more",state="draining"} 2x60 8x20 13x120
ppooltop_inflight_bytes{device="more"} 4096x60 8192x180
ppooltop_pools{device="no-memory",state="draining"} 2x60 12x180
ppooltop_inflight_bytes{device="no-memory"} 4096x240
ppooltop_pools{device="few",state="draining"} 2x60 11x180
ppooltop_inflight_bytes{device="few"} 4096x60 8192x180
ppooltop_pools{device="always",state="draining"} 30x240
ppooltop_inflight_bytes{device="always"} 4096+1x240
END
ok 'more and more destroyed pools' fires "$tmp/series" <<END
74
76 PagePoolDestroyedAccumulate more
END

values <<END
ppooltop_audit_unaccounted_pages{device="off"} 0x10 1x100
ppooltop_audit_unaccounted_pages{device="ok"} 0x100
ppooltop_audit_unaccounted_pages{device="now-and-then"} 0x10 1x9 0x10 1x9 0x10
ppooltop_series_omitted 0x10 1x100
END
ok 'books and room' fires "$tmp/series" <<END
10
12 PpooltopAuditOff off
12 PpooltopSeriesOmitted -
END

# --- the exporter ----------------------------------------------------------------------------------

values <<END
ppooltop_lost_total{instance="h",what="events"} 7x39 8x100
ppooltop_lost_total{instance="h",what="pools"} 0x140
END
ok 'losses: before the first scrape, and one more' fires "$tmp/series" <<END
10 PpooltopLosses -
16
21 PpooltopLosses -
40
END

# TITLE UP TIME MTIME ERROR <WHEN: what node_exporter has, half a minute apart
exporter() {
	values <<-END
		up{instance="h",job="node"} $2
		ppooltop_last_update_timestamp_seconds{instance="h",job="node"} $3
		node_textfile_mtime_seconds{instance="h",job="node",file="/d/ppooltop.prom"} $4
		node_textfile_mtime_seconds{instance="h",job="node",file="/d/other.prom"} 0x1000
		node_textfile_scrape_error{instance="h",job="node"} $5
	END
	ok "$1" fires "$tmp/series"
}

always='0+30x1000'
an_hour='0+30x120 3600x880'
removed='0+30x120 stale _x879'
exporter 'it is written' 1x1000 "$always" "$always" 0x1000 <<<100
exporter 'written no more' 1x1000 "$an_hour" "$an_hour" 0x1000 <<END
70
72 PpooltopStale -
END
exporter 'written, with numbers of old' 1x1000 "$an_hour" "$always" 0x1000 <<<'72 PpooltopStale -'
exporter 'an old file of today' 1x1000 "$always" "$an_hour" 0x1000 <<<'72 PpooltopStale -'
exporter 'removed' 1x1000 "$removed" "$removed" 0x1000 <<END
69
72 PpooltopGone -
410 PpooltopGone -
480
END
exporter 'the machine is down' '1x120 0x880' "$removed" "$removed" '0x120 stale' <<<100
exporter 'no text' 1x1000 "$removed" "$removed" '0x120 1x880' <<END
64
67 PpooltopTextfileError -
END

# --- words -----------------------------------------------------------------------------------------

untested() {
	sed -n 's/^ *- alert: //p' "$rules" | while read -r alert; do
		grep -qE "^[[:space:]]*(.*')?[0-9]+ $alert " tests/prometheus-rules.t || echo "$alert"
	done
}
ok 'all of them fired' test -z "$(untested)"
ok 'what is said' "$promtool" test rules tests/prometheus/texts.yml

echo "1..$n"
