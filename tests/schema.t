#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Documents are as contrib/ppooltop.schema.json says, and README's examples of them work. Documents
# of the lab are looked at by tests/vm/tap.
. "$(dirname "$0")/tap.sh"

for file in tests/fixtures/*.jsonl; do
	ok "${file##*/}" tests/validate --sparse "$file"
	"$ppooltop" dump --input "$file" >"$tmp/documents"
	ok "${file##*/}, as dump has it" tests/validate "$tmp/documents"
done
"$ppooltop" dump -c 2 -i 0.1 >"$tmp/documents" 2>/dev/null
ok 'this machine' test ! -s "$tmp/documents" -o "$(tests/validate "$tmp/documents")" = '2 documents'

# A document that @1 was done to is refused, and what is wrong is said: @2.
"$ppooltop" dump --input tests/fixtures/draining.jsonl -c 1 >"$tmp/one"
refused() {
	jq -c "$1" "$tmp/one" >"$tmp/wrong"
	tests/validate "$tmp/wrong" >"$tmp/why" && return 1
	grep -F "$2" "$tmp/why" || { cat "$tmp/why"; return 1; }
}
ok 'a key that is missing' refused 'del(.pools[0].hold)' "pools.0: 'hold' is a required property"
ok 'one that is new' refused '.host.new = 1' "host: Additional properties"
ok 'a counter below 0' refused '.totals.alloc.fast = -1' 'totals.alloc.fast: -1'
ok 'a counter that is text' refused '.pools[0].alloc.fast = "1"' 'pools.0.alloc.fast: '
ok 'another state' refused '.pools[0].state = "dead"' 'pools.0.state: '
ok 'a ratio above 1' refused '.totals.recycle_ratio = 1.01' 'totals.recycle_ratio: '
ok 'another schema' refused '.schema = "ppooltop/2"' 'schema: '

# Whatever a recording has, dump prints what is right, or refuses it in one line.
right_or_refused() {
	printf '{"schema": "ppooltop/1", %s}\n' "$1" >"$tmp/odd"
	"$ppooltop" dump --input "$tmp/odd" >"$tmp/documents" 2>"$tmp/err"
	case $? in
	0) tests/validate "$tmp/documents" ;;
	2) test ! -s "$tmp/documents" -a "$(wc -l <"$tmp/err")" = 1 ;;
	*) false ;;
	esac
}
for odd in '"time": "0001-01-01T00:00:00Z"' '"time": "1969-12-31T23:59:59.250Z"' \
	'"time": "9999-12-31T23:59:60Z"' '"time": "1970-01-01T00:00:00Z"' '"host": {"cpus": -1}' \
	'"source": {"missing": [{"counter": "", "reason": null}, {}]}' '"pools": [{"id": 0}]' \
	'"pools": [{"destroyed_s": -0.5}]' '"pools": [{"destroyed_s": -1e308}]' \
	'"source": {"level": "netlink"}' '"source": {"level": "none"}' '"source": {"counters": "full"}' \
	'"pools": [{"device": {"ifindex": -1, "queue": -2}}]' '"pools": [{"since": "0000-01-01T00:00:00Z"}]' '"pools": [{"address": "0xAB", "key": "."}]'; do
	ok "$odd: right, or refused" right_or_refused "$odd"
done

# README's examples, with a recording in place of the kernel.
examples() {
	sed -n '/^## JSON/,/^## /p' README.md | grep '^ppooltop dump'
}
mkdir "$tmp/bin"
printf '#!/bin/sh\ncommand=$1; shift\nexec "%s" "$command" --input "%s" "$@"\n' \
	"$(readlink -f "$ppooltop")" "$PWD/tests/fixtures/screens.jsonl" >"$tmp/bin/ppooltop"
chmod +x "$tmp/bin/ppooltop"
example() {
	PATH=$tmp/bin:$PATH bash -o pipefail -c "$1" >"$tmp/result" && [ -s "$tmp/result" ]
}
while read -r command; do
	ok "README: $command" example "$command"
done < <(examples)
ok 'README has examples' test "$(examples | wc -l)" -ge 5
echo "1..$n"
