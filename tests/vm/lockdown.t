#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel that is locked down: what is refused is said, with the reason, and what works is shown.
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/tap" --kernel 7.2 --append lockdown=confidentiality --timeout 300 -- '
expect "probe names lockdown" 0 sh -c "ppooltop probe -j | jq -ne \"input | (.lockdown == \\\"confidentiality\\\")
	and ([.sources[] | select(.name == \\\"fentry\\\") | (.usable | not) and (.reason | test(\\\"lockdown\\\"))] == [true])
	and ([.sources[] | select(.name == \\\"netlink\\\") | .usable] == [true])\""
document >/tmp/doc 2>/tmp/why
expect "dump says why" 0 grep -q "locked down" /tmp/why
expect "and is a document" 0 jq -ne "input | .source.counters == null and (.source.missing | length > 0)" /tmp/doc
expect "attach cannot: exit 2" 2 ppooltop attach
'
