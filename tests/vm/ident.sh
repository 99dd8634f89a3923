# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by ident-*.t: who is a pool, and what becomes of its names. Runs in the guest.

# A veth that does GRO has a pool for each queue, that no list of netlink's has (6.6 and later).
# shellcheck disable=SC2034,SC2016
ident='
pool() {
	title=$1; shift
	expect "$title" 0 sh -c "$1 >/tmp/doc && { jq -ne \"input | $2\" /tmp/doc || { jq -c \".pools[], .devices[]\" /tmp/doc; false; }; }"
}
# soon TITLE COMMAND FILTER: within 20 s
soon() {
	tries=0
	until sh -c "$2 | jq -ne \"input | $3\"" >/dev/null || [ $tries -ge 40 ]; do
		tries=$((tries + 1))
		sleep 0.5
	done
	pool "$@"
}
make_veth() {
	ip netns add ns1
	ip link add v0 type veth peer name v1 netns ns1
	ip link set v0 up
	ip -n ns1 link set v1 up
	ip netns exec ns1 ethtool -K v1 gro on
}

make_veth
inode=$(stat -Lc %i /run/netns/ns1)
for s in $sources; do
	pool "$s: an idle pool, older than we are" "document -i 0.1 --source $s" "[.pools[] | select(.device ==
		{ifname: \\\"v1\\\", ifindex: .device.ifindex, netns: \\\"ns1\\\", netns_inode: .device.netns_inode, driver: \\\"veth\\\",
		 queue: null, napi_id: .device.napi_id, dev: \\\"v1\\\"} and .state == \\\"live\\\"
		and .visible == false and .params.order == 0 and .params.pool_size == 256
		and .params.ring_size == 256 and .inflight.pages == 0 and .creator == null)] | length == 1"
done
pool "by the name of the namespace" "document -i 0.1 -n ns1" "[.pools[].device.ifname] == [\\\"v1\\\"]"
pool "and by its inode" "document -i 0.1 -n $inode" "[.pools[].device.ifname] == [\\\"v1\\\"]"
ip netns del ns1
soon "gone with its namespace" "document -i 0.1" "[.pools[] | select(.device.driver == \\\"veth\\\")] == []"

ppooltop attach --source fentry >/dev/null
make_veth
pool "who created it" "document -i 0.1 -d v1" "[.pools[].creator] == [\\\"__veth_napi_enable_range\\\"]"
ip -n ns1 link set v1 name w1
pool "renamed, it is one row with the new name" "document -i 0.1" "[.devices[] | select(.device.ifindex
	and .device.driver == \\\"veth\\\" and .device.netns == \\\"ns1\\\") | [.device.ifname, .pools]] == [[\\\"w1\\\", 1]]"
ip -n ns1 link set w1 netns 1; ip link set w1 up
soon "moved, it is in its new namespace" "document -i 0.1 -d w1" "[.pools[].device.netns] | length == 1 and .[0] != \\\"ns1\\\""
ip link set w1 down
soon "gone, its devices keep their names" "document -i 0.1" "[.devices[] | select(.device.netns == \\\"ns1\\\")
	| [.device.ifname, .pools]] == [[\\\"w1\\\", 0]]"
ip netns del ns1; ip link del v0
ppload udp-hold -n 50 -t 250 >/dev/null 2>&1 & load=$!
soon "destroyed with pages out, it is draining" "document -i 0.1" "[.pools[] | select(.destroyed_s != null)
	| .state == \\\"draining\\\" and .inflight.pages > 0 and .creator != null] == [true]"
# Who comes later goes by the kernel own word, which it has in ticks, and after it has emptied the pool.
since() { document -i 0.05 "$@" | jq "[.pools[].destroyed_s | values][0]"; }
first=$(since); sleep 1; met=$(since --source tracepoint); last=$(since)
expect "since when ($first s, $met s, $last s), is known of one that is met" 0 jq -ne "$first + 0.8 < $met and $met < $last + 0.2"
kill $load; wait $load
# An skb that was read is freed when the CPU it came from next receives.
cat >/tmp/receive <<-EOF
	#!/bin/bash
	for cpu in \$(seq 0 \$((\$(nproc) - 1))); do taskset -c \$cpu bash -c "echo >/dev/udp/127.0.0.1/9"; done
EOF
chmod +x /tmp/receive
soon "and gone when they are back" "/tmp/receive; document -i 0.1" "[.pools[] | select(.destroyed_s != null)] == []"
ppooltop detach >/dev/null
pool "nothing was lost" "(ppload drop -n 100000 >/dev/null & document --source fentry -i 1)" ".losses == {pools: 0, events: 0}"
'

# shellcheck disable=SC2034,SC2016
probes='
nobody="setpriv --reuid=nobody --regid=nogroup --clear-groups"
expect "probe -j: every counter has a source or a reason" 0 sh -c "ppooltop probe -j |
	jq -ne \"input | (.counters | length == 11) and (.counters | all(.source != null or .reason != null))
	and (.sources | all(.usable or .reason != null))\""
expect "probe -j, not root: says what it needs" 0 sh -c "$nobody ppooltop probe -j |
	jq -ne \"input | (.privileged | not) and ([.sources[] | select(.name == \\\"fentry\\\") | .reason | test(\\\"CAP_BPF\\\")] == [true])
	and (.counters | all(.source == null and .reason != null))\""
expect "a source that is not to be had: exit 2" 2 sh -c "ppooltop dump --source nonsense"
expect "a hook that is not there is one line" 0 sh -c "ppooltop probe | grep -c absent"
'

# virtio-net keeps its pools when it moves (7.1 and later).
# shellcheck disable=SC2034,SC2016
nic='
# What a pool counted stays with the device it counted on: whether somebody looks in between or not.
for look in "" 1; do
	modprobe -r virtio_net
	ppooltop attach --source fentry >/dev/null
	modprobe virtio_net
	ip link set eth0 up
	soon "counted" "document -i 0.1 -d eth0" ".totals.alloc.fast > 0"
	cp /tmp/doc /tmp/before
	ip netns add ns2
	ip link set eth0 netns ns2
	[ -z "$look" ] || document -i 0.1 >/dev/null
	ip -n ns2 link set eth0 up
	document -i 0.1 >/tmp/after
	expect "moved${look:+ while somebody looks}: what was counted stays where it was" 0 jq -ne "
		def old: .devices[] | select(.device.ifname == \"eth0\" and .device.netns != \"ns2\").alloc;
		[inputs | old] | length == 2 and .[0] == .[1]" /tmp/before /tmp/after
	ip netns del ns2
	ppooltop detach >/dev/null
done
modprobe -r virtio_net; modprobe virtio_net
card="[.pools[] | select(.device.driver == \\\"virtio_net\\\") | .device | [.ifname, .netns, .queue]]"
ip link set eth0 up
soon "the queue of a pool that is met" "document -i 0.1 -d eth0" "$card | map(.[2]) == [0]"
ip netns add ns2
ip link set eth0 netns ns2
ip -n ns2 link set eth0 up
for s in $sources; do
	soon "$s: moved together with its pools" "document -i 0.1 --source $s" "$card == [[\\\"eth0\\\", \\\"ns2\\\", 0]]"
done
'
