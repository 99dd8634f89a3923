// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sockets that packets end in. Whoever reads gives pages back in process context: the thread
 * that sends, or threads on CPUs of their own, which then free parts of the same pages.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "priv.h"

#define SLICE_MS 20

int64_t load_read_all(int fd)
{
	int64_t n = 0;
	char byte;

	while (recv(fd, &byte, sizeof(byte), MSG_DONTWAIT) >= 0)
		n++;
	return n;
}

static void *read_until_stopped(void *arg)
{
	struct load_reader *reader = arg;
	struct pollfd pfd = {.fd = reader->fd, .events = POLLIN};

	while (!atomic_load_explicit(&reader->stop, memory_order_relaxed)) {
		if (poll(&pfd, 1, SLICE_MS) > 0)
			load_read_all(reader->fd);
	}
	return NULL;
}

static int open_socket(struct load_reader *reader, uint32_t addr, unsigned int nr, bool raw)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)(LOAD_PORT + nr)),
		.sin_addr.s_addr = htonl(addr),
	};
	int fd, err;

	fd = raw ? socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, LOAD_RAW_PROTOCOL)
		 : socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&in, sizeof(in))) {
		reader->fd = fd;
		return 0;
	}
	err = -errno;
	close(fd);
	return err;
}

static int start_thread(struct load_reader *reader, unsigned int nr)
{
	pthread_attr_t attr;
	cpu_set_t set;
	int err;

	CPU_ZERO(&set);
	CPU_SET(nr % (unsigned int)get_nprocs(), &set);
	pthread_attr_init(&attr);
	err = pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	if (!err)
		err = pthread_create(&reader->thread, &attr, read_until_stopped, reader);
	pthread_attr_destroy(&attr);
	reader->running = !err;
	return -err;
}

int load_readers_open(struct load_readers *readers, const struct load_opts *opts, uint32_t addr,
		      struct load_result *res)
{
	int err = 0;

	memset(readers, 0, sizeof(*readers));
	readers->threads = opts->readers > 0;
	while (!err && readers->nr < (opts->readers ?: 1)) {
		struct load_reader *reader = &readers->reader[readers->nr];

		err = open_socket(reader, addr, readers->nr, opts->raw);
		if (err)
			break;
		if (readers->threads)
			err = start_thread(reader, readers->nr);
		readers->nr++;
	}
	if (err)
		return load_fail(res, err, "reading from sockets", NULL, "see dmesg");
	return 0;
}

void load_readers_poll(struct load_readers *readers)
{
	if (!readers->threads && readers->nr)
		load_read_all(readers->reader[0].fd);
}

int64_t load_readers_close(struct load_readers *readers)
{
	int64_t left = 0;

	for (unsigned int i = 0; i < readers->nr; i++) {
		struct load_reader *reader = &readers->reader[i];

		atomic_store_explicit(&reader->stop, true, memory_order_relaxed);
		if (reader->running)
			pthread_join(reader->thread, NULL);
		left += load_read_all(reader->fd);
		close(reader->fd);
	}
	readers->nr = 0;
	return left;
}
