/* The time of an all-reduce: every rank has a buffer, and in the end every rank has the sum of all
 * buffers. Bytes >= 0, ranks >= nodes >= 1; times are rounded up. */
#ifndef SIM_MODEL_COLLECTIVE_H
#define SIM_MODEL_COLLECTIVE_H

#include <stdint.h>

typedef struct {
    int64_t bytes_per_s; /* each way */
    int64_t latency_ns;  /* of one small message, one way */
} Link;

/* The participants: ranks are placed node by node, the same number on each. */
typedef struct {
    int32_t ranks;
    int32_t nodes;
} Gang;

/* The links of a ring of ranks. A link that joins no two neighbours of the ring does not count. */
typedef struct {
    Link within;             /* two neighbours on one node */
    Link between;            /* two neighbours on two nodes */
    int64_t start_ns;        /* until the first byte moves */
    int64_t add_bytes_per_s; /* rate of adding, if a rank cannot move bytes meanwhile; 0: it can */
} Ring;

/* The rate of the slowest link that the ring runs over; the gang has more than one rank. */
int64_t ring_bytes_per_s(Ring ring, Gang gang);

/* Bytes that each rank sends, and receives: 2(n-1)/n of the buffer. */
int64_t allreduce_sent_bytes(int64_t bytes, Gang gang);

/* The time of a ring all-reduce of `bytes` over n ranks; 0 for one rank.
 *
 *     t = start + (2(n-1) - c) within.latency + c between.latency, c = 2(nodes-1)
 *       + 2(n-1)/n bytes / rate + (n-1)/n bytes / add
 *
 * n chunks go round twice: once to be added up, once to spread the sum. All links of the ring are
 * busy in each of the 2(n-1) steps, so the slowest link sets the rate. The ring enters and leaves
 * each node once, so several ranks per node use its network interface at full rate.
 *
 * Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
 * workstations", JPDC 69(2), 2009. The latency is split as in NCCL (src/graph/tuning.cc), whose
 * versions 2.2 and 2.3 have rings only. For large buffers Intel MPI 2017 chooses between
 * Rabenseifner's algorithm and rings: both move these bytes. */
int64_t allreduce_ns(int64_t bytes, Gang gang, Ring ring);

#endif
