#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What export writes, through a real node_exporter into a real Prometheus: each number there is that
# of the JSON document; rates, alerts and the dashboard are made of it. The servers listen on
# 127.0.0.1 only, on ports that the kernel picks, and end with this script.
cd "$(dirname "$0")/.." || exit 1
set -o pipefail
ppooltop=${B:-build}/ppooltop
fixtures=tests/fixtures
rules=$PWD/contrib/prometheus/ppooltop.rules.yml
dashboard=contrib/grafana/ppooltop.json
tmp=$(mktemp -d)
servers=()
# shellcheck disable=SC2317
stop() {
	[ ${#servers[@]} = 0 ] || kill "${servers[@]}" 2>/dev/null
	wait
	servers=()
}
trap 'stop; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
n=0
ok() {
	n=$((n + 1))
	if "${@:2}" >"$tmp/why" 2>&1; then echo "ok $n - $1"; else
		echo "not ok $n - $1"
		sed 's/^/# /' "$tmp/why"
	fi
}

# Try again until it is so, for as long as a slow machine may take.
eventually() {
	local end=$((SECONDS + ${PATIENCE:-60}))
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

programs=$(tests/prometheus/fetch) || exit 1
promtool=$programs/promtool

# --- the servers -----------------------------------------------------------------------------------

# NAME COMMAND...: start it; it writes where it listens to its log, and dies with this script
serve() {
	: >"$tmp/$1.log"
	setpriv --pdeathsig KILL "${@:2}" >"$tmp/$1.log" 2>&1 &
	servers+=($!)
}

listens() {
	grep -q 'msg="Listening on"' "$tmp/$1.log"
}

# NAME: its address, once it has one
address() {
	if ! eventually listens "$1"; then
		echo "$1 does not start:" >&2
		cat "$tmp/$1.log" >&2
		exit 1
	fi
	sed -n '/msg="Listening on"/s/.*address=//p' "$tmp/$1.log"
}

mkdir "$tmp/textfiles" "$tmp/tsdb"
serve node_exporter "$programs/prometheus-node-exporter" --web.listen-address=127.0.0.1:0 \
	--collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$tmp/textfiles"
node=$(address node_exporter) || exit 1
cat >"$tmp/prometheus.yml" <<END
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ["$rules"]
scrape_configs:
  - job_name: node
    static_configs: [{targets: ["$node"]}]
END
ok 'check config' "$promtool" check config "$tmp/prometheus.yml"
serve prometheus "$programs/prometheus" --web.listen-address=127.0.0.1:0 \
	--config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/tsdb"
prometheus=$(address prometheus) || exit 1

# --- questions -------------------------------------------------------------------------------------

# PATH [NAME=VALUE]...: what the API answers; fails where that is an error
api() {
	local path=$1 args=() arg

	shift
	for arg; do
		args+=(--data-urlencode "$arg")
	done
	curl -sS --noproxy '*' --max-time 10 -G "http://$prometheus/api/v1/$path" "${args[@]}" |
		jq -e 'if .status == "success" then .data else error(tostring) end'
}

# A file of ours beside the one under test says which that is. node_exporter reads by name: once it
# is seen, so is the other, which was there before.
rounds=0
marked() {
	api query "query=round" | jq -e --arg n "$rounds" '.result | any(.value[1] == $n)'
}

# TEXTFILE: goes to Prometheus
feed() {
	rounds=$((rounds + 1))
	cp "$1" "$tmp/textfiles/new" && mv "$tmp/textfiles/new" "$tmp/textfiles/ppooltop.prom"
	echo "round $rounds" >"$tmp/textfiles/new" && mv "$tmp/textfiles/new" "$tmp/textfiles/a.prom"
	eventually marked >/dev/null 2>&1
}

# --- a recording, one document after the other -----------------------------------------------------

# Each value once: what the documents have is what was scraped, in that order.
each_was_scraped() {
	"$ppooltop" dump --input $fixtures/screens.jsonl |
		jq -cs 'map(.devices[] | select(.device.ifname == "eth0").alloc.fast)' >"$tmp/counted"
	api query 'query=ppooltop_alloc_total{device="eth0",path="fast"}[5m]' |
		jq -c '.result[0].values | map(.[1] | tonumber) |
			reduce .[] as $v ([]; if .[-1] == $v then . else . + [$v] end)' >"$tmp/scraped"
	test "$(jq length "$tmp/counted")" = 12 && diff "$tmp/counted" "$tmp/scraped"
}

# RECORDING
play() {
	local document

	while read -r document; do
		"$ppooltop" export --input - --textfile "$tmp/one.prom" <<<"$document" &&
			feed "$tmp/one.prom" || return
	done <"$1"
}

# QUERY JQ: the answer is like that
is() {
	api query "query=$1" | tee "$tmp/answer" | jq -e ".result | $2" || {
		cat "$tmp/answer"
		return 1
	}
}

ok 'a recording is fed' play $fixtures/screens.jsonl
ok 'each document was scraped' each_was_scraped
ok 'a rate' eventually is 'rate(ppooltop_alloc_total{device="eth0",path="fast"}[5m])' \
	'length == 1 and all(.value[1] | tonumber > 100)'
ok 'the ratio of the recording' eventually is 'device:ppooltop_recycle:ratio_rate5m{device="eth0"}' \
	'length == 1 and all(.value[1] | tonumber | . > 0.826 and . < 0.828)'

# Those that wait are pending: how long is for prometheus-rules.t to test. A recording is old, and
# whether for a minute already depends on how fast we are.
alerts() {
	api alerts | jq -r '.alerts[] | select(.labels.alertname != "PpooltopStale") |
		"\(.state) \(.labels.alertname) \(.labels.device // "-")"' | sort >"$tmp/alerts"
	diff "$tmp/expected" "$tmp/alerts" >"$tmp/diff"
}

# <ALERTS: these there are before long, and no others
alerting() {
	cat >"$tmp/expected"
	eventually alerts || {
		cat "$tmp/diff"
		return 1
	}
}

ok 'alerts of it' alerting <<END
firing PagePoolImpossible wwan0
pending PagePoolRecyclingCollapsed eth1
pending PagePoolStuck eth1
pending PpooltopAuditOff hä😀$(printf '\a')x
END

# --- rules, as Prometheus has read them ------------------------------------------------------------

# Whoever is woken wants to know how bad it is, what it means, with numbers, and what to do.
well_said() {
	api rules | jq -e '[.groups[].rules[]] | all(.health == "ok") and
		([.[] | select(.type == "alerting")] | length > 10 and all(
			(.labels.severity | IN("critical", "warning", "info")) and
			(.annotations | .summary and .description and (.runbook | test("ppooltop")))))'
}
ok 'rules' well_said

# --- the dashboard ---------------------------------------------------------------------------------

# What Grafana puts in place of a variable.
queries() {
	jq -r --arg device "$1" '.panels[] | .title as $title | .targets[] | "\($title): \(.refId)\t\(
		.expr | gsub("\\$__rate_interval"; "5m") | gsub("\\$(instance|netns)"; ".*") |
		gsub("\\$device"; $device))"' $dashboard
}

answered() {
	local title query status=0

	while IFS=$'\t' read -r title query; do
		is "$query" 'length > 0 and all(.value[1] | test("^[-0-9.e+]+$"))' >/dev/null || {
			echo "$title: $query"
			cat "$tmp/answer"
			status=1
		}
	done < <(queries "$1")
	return $status
}

variables() {
	local query

	jq -r '.templating.list[] | select(.type == "query").query.query' $dashboard |
	sed 's/\$[a-z]*/.*/g' |
	while read -r query; do
		[[ $query =~ ^label_values\((.*),\ ([a-z]+)\)$ ]] || return
		api "label/${BASH_REMATCH[2]}/values" "match[]=${BASH_REMATCH[1]}" |
			jq -e 'length > 0' || return
	done
}

made_well() {
	jq -e '(.panels | length > 10 and (map(.id) | unique | length) == length) and
		all(.panels[]; .title and .description and .gridPos and .datasource.uid == "${datasource}") and
		all(.panels[].targets[]; .refId and .datasource.uid == "${datasource}") and
		([.panels[].targets[].expr | scan("\\$[a-z_]+")] | unique) ==
			["$__rate_interval", "$device", "$instance", "$netns"] and
		[.templating.list[].name] == ["datasource", "instance", "netns", "device"]' $dashboard
}

ok 'the dashboard is one' made_well
PATIENCE=5 ok 'all its queries are answered' eventually answered '.*'
PATIENCE=5 ok 'and for one device' eventually answered eth1
ok 'its variables have values' variables

# --- a queue on the wrong node ---------------------------------------------------------------------

ok 'the wrong NUMA node is fed' play $fixtures/numa-mismatch.jsonl
ok 'alerts of it, and none of healthy devices' alerting <<END
pending PagePoolNumaMismatch eth0
pending PagePoolNumaMismatch eth1
pending PagePoolRecyclingCollapsed eth0
pending PagePoolRecyclingCollapsed eth1
END

# --- numbers ---------------------------------------------------------------------------------------

# Where a counter goes: the rows of include/counters.h, as JSON.
families=$(tr -d '\n' <include/counters.h | sed 's/\\\t\|\\$//g' |
	grep -oP 'X\([A-Z_]+, (alloc|recycle), [a-z_]+, "\w+",\s*"\w+",\s*"\w+=\\"\w+\\""' |
	sed -E 's/X\([A-Z_]+, (\w+), (\w+), "\w+",\s*"(\w+)",\s*"(\w+)=\\"(\w+)\\""/\1 \2 \3 \4 \5/' |
	jq -cR '[splits(" ")] | {side: .[0], key: .[1], name: .[2], label: .[3], value: .[4]}' | jq -cs .)

# To Prometheus, an empty label is none. Two rows may differ only by what Prometheus does not see.
summed() {
	jq -cS 'map(.labels |= with_entries(select(.value != ""))) | group_by(.labels) |
		map({labels: .[0].labels, value: (map(.value) | add)})[]'
}

# DOCUMENT: what has to be there
in_document() {
	jq -cS --argjson families "$families" '. as $d |
	def of($x): {netns: ($x.device.netns // "" | tostring), device: ($x.device.ifname // "")};
	[
		(.devices[] | . as $row | (
			($families[] | {labels: ({__name__: .name, (.label): .value} + of($row)),
				value: $row[.side][.key]}),
			{labels: ({__name__: "ppooltop_inflight_pages"} + of($row)),
				value: .inflight.pages},
			{labels: ({__name__: "ppooltop_inflight_bytes"} + of($row)),
				value: .inflight.bytes},
			([$d.pools[] | select(of(.) == of($row))] | (
				([.[] | .audit.unaccounted | select(. != null) | fabs] | select(length > 0) |
					{labels: ({__name__: "ppooltop_audit_unaccounted_pages"} +
						of($row)), value: add}),
				{labels: ({__name__: "ppooltop_oldest_destroyed_pool_seconds"} + of($row)),
				 value: ([.[].destroyed_s | numbers] | max // 0)})),
			(("live", "draining", "stuck", "system", "impossible") as $state |
				{labels: ({__name__: "ppooltop_pools", state: $state} + of($row)),
				 value: ([$d.pools[] | select(of(.) == of($row) and .state == $state)] |
					length)}),
			(("draining", "stuck") as $state |
				{labels: ({__name__: "ppooltop_provider_pools", state: $state} + of($row)),
				 value: ([$d.pools[] | select(of(.) == of($row) and .state == $state and
					.params.provider)] | length)}))),
		(.losses | to_entries[] |
			{labels: {__name__: "ppooltop_lost_total", what: .key}, value: .value}),
		{labels: {__name__: "ppooltop_source_info", counters: .source.counters,
			state: .source.state, level: (.source.level // "")}, value: 1},
		{labels: {__name__: "ppooltop_last_update_timestamp_seconds"},
			value: (.time | sub("\\.000Z$"; "Z") | fromdate)}
	] | map(select(.value != null))' <<<"$1" | summed
}

in_prometheus() {
	api query 'query={__name__=~"ppooltop_.*"}' | jq -c '[.result[] |
		select(.metric.__name__ | IN("ppooltop_series_omitted", "ppooltop_build_info") | not) |
		{labels: (.metric | del(.instance, .job, .pool, .queue, .cpu)),
		 value: (.value[1] | tonumber)}]' | summed
}

# A scrape that a busy machine was too slow for leaves nothing, until the next.
agreed() {
	in_prometheus >"$tmp/series" && diff "$tmp/document" "$tmp/series" >"$tmp/diff"
}

# FIXTURE [OPTION]: fed, and all is there, and nothing else
same_numbers() {
	rm -f "$tmp/one.prom"
	"$ppooltop" export --input "$1" --textfile "$tmp/one.prom" "${@:2}" &&
		"$promtool" check metrics <"$tmp/one.prom" && feed "$tmp/one.prom" || return
	in_document "$("$ppooltop" dump --input "$1" | tail -n 1)" >"$tmp/document"
	test -s "$tmp/document" || return
	if ! PATIENCE=5 eventually agreed; then
		cat "$tmp/diff"
		return 1
	fi
}

ok 'eleven counters' test "$(jq length <<<"$families")" = 11
for file in "$fixtures"/*.jsonl; do
	ok "${file##*/}: numbers" same_numbers "$file"
done
# The sum of a device leaves out what is impossible, a pool of its own shows it.
jq -c '.pools |= map(select(.state != "impossible"))' $fixtures/screens.jsonl >"$tmp/possible.jsonl"
for option in --per-pool --per-cpu; do
	ok "sums of $option" same_numbers "$tmp/possible.jsonl" $option
done

# --- what node_exporter says of files --------------------------------------------------------------

rm "$tmp/textfiles/ppooltop.prom"
echo '}' >"$tmp/textfiles/b.prom"
for alert in PpooltopGone PpooltopTextfileError; do
	ok "$alert" eventually is "ALERTS{alertname=\"$alert\"}" 'length == 1'
done

# --- the end ---------------------------------------------------------------------------------------

gone() {
	! kill -0 "$@" && ! curl -s "http://$prometheus" && ! curl -s "http://$node"
}
pids=("${servers[@]}")
stop
ok 'no server is left' gone "${pids[@]}"
echo "1..$n"
