// SPDX-License-Identifier: GPL-2.0-or-later
/* The one kind of frame that all modes send. */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <string.h>

#include "priv.h"

static uint16_t ip_checksum(const struct iphdr *ip)
{
	uint16_t words[sizeof(*ip) / 2];
	uint32_t sum = 0;

	memcpy(words, ip, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

size_t load_frame_build(unsigned char *buf, const struct load_frame *f)
{
	struct udphdr udp = {
		.source = htons(f->sport),
		.dest = htons(f->dport),
		.len = htons((uint16_t)(sizeof(udp) + f->payload)),
		/* check stays 0: UDP over IPv4 without a checksum */
	};
	struct iphdr ip = {
		.version = 4,
		.ihl = sizeof(ip) / 4,
		.tot_len = htons((uint16_t)(sizeof(ip) + sizeof(udp) + f->payload)),
		.frag_off = htons(IP_DF),
		.ttl = 1, /* it shall not travel, wherever it gets out */
		.protocol = f->protocol,
		.saddr = htonl(f->saddr),
		.daddr = htonl(f->daddr),
	};
	struct ethhdr eth = {.h_proto = htons(ETH_P_IP)};

	ip.check = ip_checksum(&ip);
	memcpy(eth.h_dest, f->dst, ETH_ALEN);
	memcpy(eth.h_source, f->src, ETH_ALEN);
	memcpy(buf, &eth, sizeof(eth));
	memcpy(buf + sizeof(eth), &ip, sizeof(ip));
	memcpy(buf + sizeof(eth) + sizeof(ip), &udp, sizeof(udp));
	memset(buf + LOAD_HEADERS, 0x5a, f->payload);
	return LOAD_HEADERS + f->payload;
}

void load_frame_init(struct load_frame *frame, const struct load_opts *opts)
{
	/*
	 * Locally administered addresses, of no device here: ip_rcv_core() drops what is for
	 * another host (PACKET_OTHERHOST, net/ipv4/ip_input.c) before it could answer.
	 */
	*frame = (struct load_frame){
		.dst = {0x02, 0x50, 0x50, 0x4c, 0x00, 0x01},
		.src = {0x02, 0x50, 0x50, 0x4c, 0x00, 0x02},
		.daddr = LOAD_ADDR_RX,
		.saddr = LOAD_ADDR_TX,
		.dport = LOAD_PORT,
		.sport = LOAD_PORT,
		.payload = opts->size,
		.protocol = opts->raw ? LOAD_RAW_PROTOCOL : IPPROTO_UDP,
	};
}
