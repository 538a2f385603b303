/* What adding up the gradients of all ranks takes. Bytes >= 0, ranks >= 1; times round up; one rank
 * has nothing to exchange and takes no time. */
#ifndef SIM_MODEL_COLLECTIVE_H
#define SIM_MODEL_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t bytes_per_s; /* each way */
    int64_t latency_ns;  /* of one small message, one way */
} Link;

/* A ring all-reduce of `bytes` over `ranks` workers:
 *
 *     t = 2(n-1) * (latency + bytes / n / rate)
 *
 * n chunks go round twice: once to add up, once to spread the sum. Source: Patarasuk and Yuan,
 * "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 69(2), 2009.
 *
 * `link` is the slowest hop of the ring. When ranks are placed node by node the ring enters and
 * leaves each node once, so several ranks per node share its network interface at full rate. */
int64_t allreduce_ring_ns(int64_t bytes, int32_t ranks, Link link);

/* The part of a ring all-reduce that adds: every rank adds n-1 chunks of bytes / n to its own. */
int64_t allreduce_add_ns(int64_t bytes, int32_t ranks, int64_t add_bytes_per_s);

/* How gradients travel, after Horovod (Sergeev and Del Balso, arXiv:1802.05799; source of 0.13
 * to 0.21, horovod/common/operations.cc): a background thread wakes in cycles, rank 0 gathers which
 * tensors are ready everywhere, packs them into fusion buffers, and each buffer is all-reduced. */
typedef struct {
    Link link; /* slowest hop: the wire between nodes, or memory inside one */
    int64_t cycle_ns;
    bool sleeps_whole_cycle;       /* before 0.13.3: the period is the cycle and the negotiation */
    int64_t negotiation_ns;        /* of one exchange, per rank: rank 0 hears them one by one */
    int64_t fusion_bytes;          /* 0: tensors are not fused */
    bool via_host;                 /* copied off the device and back, added on the host */
    int64_t host_link_bytes_per_s; /* used when via_host, as is the next */
    int64_t add_bytes_per_s;
} Exchange;

/* How many buffers `bytes` in `tensors` tensors fill. */
int64_t exchange_buffers(const Exchange *exchange, int64_t bytes, int32_t tensors);

/* How many bytes of it cross each hop of the ring, each way: 2(n-1)/n of all, rounded up by buffer.
 */
int64_t exchange_wire_bytes(const Exchange *exchange, int64_t bytes, int32_t tensors,
                            int32_t ranks);

/* The mean time from "the last gradient is ready" to "all sums are there":
 *
 *     period / 2 + buffers * (negotiation * ranks + copy off + ring + additions + copy back)
 *
 * A gradient comes ready at any moment of the thread's period and so waits for half of it. Nothing
 * is exchanged while the backward pass still runs: an upper bound, near when fusion makes most of
 * the bytes wait for the last ones. */
int64_t exchange_ns(const Exchange *exchange, int64_t bytes, int32_t tensors, int32_t ranks);

#endif
