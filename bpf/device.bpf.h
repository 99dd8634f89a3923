/* SPDX-License-Identifier: GPL-2.0-only */
/* What was counted on devices by pools that are gone, or elsewhere now. */
#ifndef PPOOLTOP_DEVICE_BPF_H
#define PPOOLTOP_DEVICE_BPF_H

#include "state.bpf.h"

struct device_key {
	__u32 netns;
	__s32 ifindex;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PP_MAX_DEVICES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct pp_device);
} devices __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PP_MAX_DEVICES);
	__type(key, struct device_key);
	__type(value, __u32);
} device_index __weak SEC(".maps");

static __noinline struct pp_device *device_entry(__u32 netns, __s32 ifindex)
{
	struct device_key key = {netns, ifindex};
	__u32 i = PP_DEVICE_NONE, *found;

	if (ifindex) {
		found = bpf_map_lookup_elem(&device_index, &key);
		if (found) {
			i = *found;
		} else {
			i = __sync_fetch_and_add(&global.nr_devices, 1);
			if (i >= PP_MAX_DEVICES) {
				__sync_fetch_and_add(&global.nr_devices, -1);
				i = PP_DEVICE_OTHERS;
			} else if (bpf_map_update_elem(&device_index, &key, &i, BPF_NOEXIST)) {
				/* Another CPU was first; this entry stays empty. */
				found = bpf_map_lookup_elem(&device_index, &key);
				i = found ? *found : PP_DEVICE_OTHERS;
			}
		}
	}
	return bpf_map_lookup_elem(&devices, &i);
}

#endif /* PPOOLTOP_DEVICE_BPF_H */
