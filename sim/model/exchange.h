/* How ranks add up gradients while the backward pass runs, as Horovod does it (Sergeev and Del
 * Balso, arXiv:1802.05799; source of 0.13 to 0.16, horovod/common/operations.cc).
 *
 * A background thread of each rank wakes in cycles. In each cycle rank 0 gathers the gradients that
 * all ranks have announced since the last one, packs neighbours into buffers of the fusion size and
 * notifies all ranks. The thread then has one buffer after the other added up. A step becomes
 * longer by the part of this that remains when the backward pass ends. The model computes the
 * cycles gradient by gradient; it draws no random words. */
#ifndef SIM_MODEL_EXCHANGE_H
#define SIM_MODEL_EXCHANGE_H

#include <stdbool.h>

#include "sim/model/collective.h"

/* One tensor of gradients. */
typedef struct {
    int64_t ready_ns; /* when it is computed, counted from the begin of the step */
    int64_t bytes;
} Gradient;

typedef struct {
    Ring ring;
    int64_t cycle_ns;
    bool sleeps_whole_cycle; /* the thread sleeps for cycle_ns after each cycle (before 0.13.3);
                                false: only until cycle_ns after the cycle's begin */
    int64_t fusion_bytes;    /* 0: tensors are not fused */
    int64_t message_ns;      /* one small message between ranks */
    int64_t request_ns;      /* rank 0's work for one gradient of one rank */
    int64_t hand_over_ns;    /* from the thread to the framework, once a step ... */
    int64_t tensor_ns;       /* ... and once for each gradient */

    /* Through the host (MPI): the framework copies gradients off the device as they become ready,
     * and announces those that have arrived. The thread copies them into the buffer, adds them up
     * and copies them out again; it is busy all this time. */
    bool via_host;
    int64_t host_link_bytes_per_s; /* device to host, and back at the same time */
    int64_t copy_bytes_per_s;      /* one core, memory to memory */

    /* From device to device (NCCL): the framework announces a gradient when it has put the
     * operation that computes it on the device's queue, long before the operation runs. The thread
     * waits for the last gradient of a buffer, queues the reduction on the device and continues. */
    int64_t launch_ns; /* to queue the backward operation that computes one gradient; the forward
                          operation takes half of it */
} Exchange;

/* The mean time from `backward_end_ns` until every rank has all sums. `gradients` are in the order
 * in which they become ready, none after the end of the backward pass; 0 without gradients.
 *
 * The thread's cycles are not synchronised with steps: after the first gradient is announced, it
 * wakes at any time within one period. The mean is over EXCHANGE_PHASES equal parts of it. */
enum { EXCHANGE_PHASES = 16 };
int64_t exchange_ns(const Exchange *exchange, Gang gang, const Gradient *gradients, int32_t count,
                    int64_t backward_end_ns);

/* The time of one round of negotiation in which each rank announces `requests` gradients:
 *
 *     t = 4 ceil(log2 n) message + n (1 + requests) request
 *
 * Rank 0 gathers sizes and requests, then broadcasts the answer's size and the answer (MPI_Gather,
 * MPI_Gatherv and twice MPI_Bcast, trees of depth log2 n). It reads the requests one by one. Up to
 * 0.13.2 each request is a separate message, which rank 0 receives one by one: there `request`
 * includes receiving it. */
int64_t exchange_negotiation_ns(const Exchange *exchange, Gang gang, int64_t requests);

#endif
