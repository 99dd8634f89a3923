/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of src/load/ share. */
#ifndef LOAD_PRIV_H
#define LOAD_PRIV_H

#include <linux/if.h>
#include <linux/if_link.h>
#include <netinet/in.h>
#include <pthread.h>

#include "load.h"

#define LOAD_ETH_ALEN 6
#define LOAD_HEADERS  42 /* Ethernet, IPv4 and UDP */
#define LOAD_UDP_LEN  8

#define NSEC_PER_SEC  1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

/* Documentation addresses (RFC 5737): they mean nobody. */
#define LOAD_ADDR_RX	  0xc0000201U /* 192.0.2.1 */
#define LOAD_ADDR_TX	  0xc0000202U /* 192.0.2.2 */
#define LOAD_ADDR_LO	  0x7f000001U /* 127.0.0.1 */
#define LOAD_PREFIX	  30
#define LOAD_PORT	  9 /* and those after it, for more readers */

#define LOAD_RAW_PROTOCOL 253 /* for experiments, RFC 3692 */

/* modes.c */

/* Sets res->error to "what: why; todo" unless an earlier failure did; why NULL is strerror.
 * Returns err. */
int load_fail(struct load_result *res, int err, const char *what, const char *why,
	      const char *todo);
bool load_stopped(const struct load_opts *opts);
void load_set_device(struct load_result *res, int nr, const char *name);

/* pace.c */

struct load_pace {
	const struct load_opts *opts;
	uint64_t start; /* ns */
};

uint64_t load_now(void);
void load_sleep(uint64_t ns);
/* Until opts->hold_s is over, or stopped. */
void load_hold(const struct load_opts *opts);
void load_pace_start(struct load_pace *pace, const struct load_opts *opts);
/* Sleeps until `sent` is due, or until stopped. */
void load_pace_wait(const struct load_pace *pace, uint64_t sent);
/* The most to send before the next load_pace_wait(): never 0, at most max, and more than usual
 * if `sent` is less than what is due. */
uint64_t load_pace_quantum(const struct load_pace *pace, uint64_t sent, uint64_t max);

/* netns.c */

struct load_ns {
	int home; /* where the thread came from */
	int fd;	  /* the private one */
};

#define LOAD_NS_NONE ((struct load_ns){.home = -1, .fd = -1})

/* A new network namespace for the calling thread, without IPv6 chatter on its devices. */
int load_ns_enter(struct load_ns *ns, struct load_result *res);
/* Brings the thread home and lets the namespace go; harmless on LOAD_NS_NONE. */
void load_ns_leave(struct load_ns *ns);

/* rtnl.c */

struct mnl_socket;

struct load_rtnl {
	struct mnl_socket *nl;
	unsigned int seq;
};

struct load_link {
	int ifindex;
	unsigned int flags; /* IFF_* */
	unsigned char mac[LOAD_ETH_ALEN];
	char name[IFNAMSIZ];
};

/* All return 0 or a negative errno. A socket stays in the namespace it was opened in. */
int load_rtnl_open(struct load_rtnl *rtnl);
void load_rtnl_close(struct load_rtnl *rtnl);
int load_rtnl_get(struct load_rtnl *rtnl, const char *name, struct load_link *link);
int load_rtnl_set_up(struct load_rtnl *rtnl, int ifindex, bool up);
int load_rtnl_set_mtu(struct load_rtnl *rtnl, int ifindex, uint32_t mtu);
/* Waits, and reads the device anew. Sets res->error. */
int load_carrier_wait(struct load_rtnl *rtnl, const struct load_opts *opts, struct load_link *link,
		      struct load_result *res);
/* What is sent there waits for up to twice usec, and then goes out in a timer's softirq. */
int load_rtnl_add_jitter(struct load_rtnl *rtnl, int ifindex, unsigned int usec);
/* Moves a device to the namespace of a file descriptor. */
int load_rtnl_move(struct load_rtnl *rtnl, int ifindex, int ns_fd);
int load_rtnl_del(struct load_rtnl *rtnl, int ifindex);
/* Makes a pair, its first end here and the other one in peer_ns (-1: here too); both down. */
int load_rtnl_add_veth(struct load_rtnl *rtnl, const char *name, const char *peer, int peer_ns);
/* addr in host order; the kernel removes it after `seconds` (0: never). */
int load_rtnl_add_addr(struct load_rtnl *rtnl, int ifindex, uint32_t addr, unsigned int prefix,
		       unsigned int seconds);
int load_rtnl_del_addr(struct load_rtnl *rtnl, int ifindex, uint32_t addr, unsigned int prefix);

/* pair.c */

struct load_pair {
	struct load_link near, peer;
	bool made;
};

/* A veth pair name0, name1 with both ends here, and up if so wanted. */
int load_pair_make(struct load_pair *pair, struct load_rtnl *rtnl, const char *const names[2],
		   bool up, struct load_result *res);
void load_pair_remove(struct load_pair *pair, struct load_rtnl *rtnl);

/* sysdev.c */

/*
 * The next Ethernet device with hardware behind it (and with one of `drivers`, a NULL-ended
 * list, if not NULL), in the order of /sys/class/net, that is not called `skip`. -ENODEV: none.
 */
int load_sysdev_find(const char *const *drivers, const char *skip, char name[IFNAMSIZ]);

/* joined.c */

struct load_joined {
	const struct load_opts *opts;
	struct load_result *res;
	struct load_ns ns;
	struct load_rtnl rtnl, rtnl_far; /* here, and in the private namespace */
	struct load_link near, far;	 /* the first and the second NIC */
	int far_index;			 /* its number in the private namespace, 0: not there */
	bool addr;			 /* our address is on near */
	uint64_t renewed;
};

/*
 * opts->device[], or two NICs that are found, as LOAD_ADDR_RX here and LOAD_ADDR_TX in a private
 * namespace, and up. To be closed also after a failure.
 */
int load_joined_open(struct load_joined *joined, const struct load_opts *opts,
		     struct load_result *res);
void load_joined_close(struct load_joined *joined);
/* To be called now and then: our address does not stay by itself. */
int load_joined_renew(struct load_joined *joined);
/* What make() returns where the second NIC is. */
int load_joined_socket(struct load_joined *joined, int (*make)(void));

/* frame.c */

struct load_frame {
	unsigned char dst[LOAD_ETH_ALEN], src[LOAD_ETH_ALEN];
	uint32_t daddr, saddr; /* host order */
	uint16_t dport, sport; /* host order */
	unsigned int payload;  /* bytes */
	uint8_t protocol;
};

/* Writes LOAD_HEADERS + payload bytes, Ethernet/IPv4/UDP; returns that length. */
size_t load_frame_build(unsigned char *buf, const struct load_frame *frame);
/* A frame for nobody: the stack drops it quietly, because its MAC address is another host's. */
void load_frame_init(struct load_frame *frame, const struct load_opts *opts);

/* prog.c */

/* What the programs count, in the only value of an array map. Lines of their own: the two sides
 * may run on different CPUs. */
struct load_counts {
	uint64_t sent;
	uint64_t pad[15];
	uint64_t received;
	uint64_t pad2[15];
};

#define LOAD_COUNT_SENT	    offsetof(struct load_counts, sent)
#define LOAD_COUNT_RECEIVED offsetof(struct load_counts, received)

/* File descriptors, or a negative errno. */
int load_counts_create(void);
int load_counts_read(int map_fd, struct load_counts *counts);
/* counts[offset]++; return action; */
int load_prog_action(int map_fd, size_t offset, int action, bool in_cpumap);
/* The same with BPF_F_XDP_... flags. */
int load_prog_flags(int map_fd, size_t offset, int action, unsigned int flags);
/* counts[offset]++; return bpf_redirect(ifindex, 0); */
int load_prog_redirect(int map_fd, size_t offset, int ifindex);
/* counts[offset]++; return bpf_redirect_map(cpumap, cpu, 0); */
int load_prog_cpumap(int map_fd, size_t offset, int cpumap_fd, int cpu);
/* Attaches until the returned descriptor is closed, in whatever way. */
int load_prog_attach(int prog_fd, int ifindex, unsigned int xdp_flags);

/* live.c */

struct load_live {
	const struct load_opts *opts;
	struct load_result *res;
	int counts_fd;
	int prog_fd; /* counts LOAD_COUNT_SENT */
	int ifindex; /* where the frames seem to come from */
	struct load_frame frame;
};

/* Whether that may take several calls of bpf_prog_test_run(). */
bool load_live_has_chunks(const struct load_opts *opts);
/* Sends opts->count frames opts->runs times; res->sent is exact also on failure. */
int load_live_send(struct load_live *live);
/* Waits until all that was sent was counted as received, or nothing more comes. */
void load_live_settle(struct load_live *live);

/* scene.c */

/* What a mode with live frames needs around it, made step by step and taken down at once. */
struct load_scene {
	struct load_live live;
	struct load_ns ns;
	struct load_rtnl rtnl;
	struct load_pair pair[2], spare;
	int sink_fd; /* program at the far end, LOAD_COUNT_RECEIVED */
	int link_fd; /* keeps it attached */
	int cpumap_fd;
	int spare_fd; /* link of the sending program to an idle device */
};

int load_scene_open(struct load_scene *scene, const struct load_opts *opts,
		    struct load_result *res);
void load_scene_close(struct load_scene *scene);
/* opts->device[nr], or the near end of a pair made for it in a private namespace. */
int load_scene_device(struct load_scene *scene, int nr, struct load_link *link);
/* A program that counts what device ifindex receives, and then returns action. */
int load_scene_sink(struct load_scene *scene, int ifindex, int action);
/* Takes the descriptor of the sending program, or its error. */
int load_scene_prog(struct load_scene *scene, int fd);
/* Frames as if from this device, and the result says so. */
void load_scene_source(struct load_scene *scene, const struct load_link *link);
/* Sends, and waits for what is counted at the far end where there is a program. */
int load_scene_send(struct load_scene *scene);

/* readers.c */

struct load_reader {
	int fd;
	pthread_t thread;
	bool running;
	atomic_bool stop;
};

struct load_readers {
	struct load_reader reader[LOAD_MAX_READERS];
	unsigned int nr;
	bool threads;
};

/* Sockets at addr, one for each of opts->readers and LOAD_PORT onwards, and a thread for each. */
int load_readers_open(struct load_readers *readers, const struct load_opts *opts, uint32_t addr,
		      struct load_result *res);
/* Reads what is there, unless threads do. */
void load_readers_poll(struct load_readers *readers);
/* Returns how many packets were still unread. Harmless on zeroed memory. */
int64_t load_readers_close(struct load_readers *readers);
/* Reads all there is from a socket: counts it, and gives the pages back. */
int64_t load_read_all(int fd);

/* into.c */

struct load_into {
	const struct load_opts *opts;
	struct load_result *res;
	struct load_live live; /* for the counters only: the program counts as received */
	struct load_frame frame;
	struct load_readers readers;
	int out_fd;  /* given by the mode, closed with the rest */
	bool packet; /* it is a packet socket, and takes whole frames */
	bool keep;   /* leave packets in the sockets */
	int prog_fd, link_fd;
};

void load_into_init(struct load_into *in, const struct load_opts *opts, struct load_result *res);
/* A program that counts what a device receives, and does opts->action. */
int load_into_attach(struct load_into *in, int ifindex, unsigned int xdp_flags, int to_ifindex);
void load_into_detach(struct load_into *in);
/* A packet socket in the namespace of the thread, or a negative errno. */
int load_packet_socket(void);
/* Makes out_fd, a packet socket, send frames from one device to the other. */
int load_into_bind(struct load_into *in, const struct load_link *from, const struct load_link *to);
/* Sends count more packets to the readers, and waits until the program has seen them. */
int load_into_send(struct load_into *in, uint64_t count);
void load_into_close(struct load_into *in);

/* the modes: xdp.c, hold.c, veth.c, generic.c, nic.c, netdevsim.c, tcp.c */

int load_run_live(const struct load_opts *opts, struct load_result *res);
int load_run_redirect(const struct load_opts *opts, struct load_result *res);
int load_run_cpumap(const struct load_opts *opts, struct load_result *res);
int load_run_bulk(const struct load_opts *opts, struct load_result *res);
int load_run_hold(const struct load_opts *opts, struct load_result *res);
int load_run_veth(const struct load_opts *opts, struct load_result *res);
int load_run_churn(const struct load_opts *opts, struct load_result *res);
int load_run_generic(const struct load_opts *opts, struct load_result *res);
int load_run_nic(const struct load_opts *opts, struct load_result *res);
int load_run_netdevsim(const struct load_opts *opts, struct load_result *res);
int load_run_tcp(const struct load_opts *opts, struct load_result *res);

#endif /* LOAD_PRIV_H */
