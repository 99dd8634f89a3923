# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by audit-*.t: the audit sees what is missing, and nothing else. Runs in the guest.

# shellcheck disable=SC2034,SC2016
audits='
group "audit, all kinds of load" audit -t 12 "ppload drop -n 1G -R 20K" "ppload pass -n 1G -R 5K" \
	"ppload tx -n 1G -R 5K" "ppload redirect -n 1G -R 5K" "ppload cpumap -n 1G -R 5K" \
	"while ppload udp-hold -n 100 -t 1; do :; done" "$load1" "$load2"
[ -z "$long" ] || group "audit, pools that are met" audit -b 2 -t 5 "$load1" "$load2" "ppload drop -n 1G -R 5K"
for prog in $kept; do
	group "audit, $prog missing" audit -i 1 -t 4 -w $prog "ppload drop -n 1G"
done
group "audit, $released missing" audit -i 1 -t 4 -w $released "ppload cpumap -n 1G"
'
