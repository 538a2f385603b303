/* How gradients become sums while the backward pass runs, after Horovod (Sergeev and Del Balso,
 * arXiv:1802.05799; source of 0.13 to 0.16, horovod/common/operations.cc).
 *
 * A background thread of each rank wakes in cycles. In each, rank 0 hears from all ranks which
 * gradients have been announced since the last, packs neighbours into buffers of the fusion size
 * and notifies all ranks; the thread then has one buffer after the other added up. A step becomes
 * longer by the part of this that remains when the backward pass is over. All of this is computed
 * gradient by gradient; nothing is drawn. */
#ifndef SIM_MODEL_EXCHANGE_H
#define SIM_MODEL_EXCHANGE_H

#include <stdbool.h>

#include "sim/model/collective.h"

/* One tensor of gradients. */
typedef struct {
    int64_t ready_ns; /* computed; counted from the begin of the step */
    int64_t bytes;
} Gradient;

typedef struct {
    Ring ring;
    int64_t cycle_ns;        /* the thread sleeps so long, ... */
    bool sleeps_whole_cycle; /* ... before 0.13.3; later the time that is left since the last begin
                              */
    int64_t fusion_bytes;    /* 0: tensors are not fused */
    int64_t message_ns;      /* one small message between ranks */
    int64_t request_ns;      /* rank 0's work for one gradient of one rank */
    int64_t hand_over_ns;    /* from the thread to the framework and on, once a step, ... */
    int64_t tensor_ns;       /* ... and once for each gradient */

    /* Through the host (MPI): the framework copies gradients off the device as they become ready,
     * and announces those that have arrived; the thread copies them into the buffer, adds them up
     * and copies them out again, and can do nothing else meanwhile. */
    bool via_host;
    int64_t host_link_bytes_per_s; /* device to host, and back at the same time */
    int64_t copy_bytes_per_s;      /* one core, memory to memory */

    /* From device to device (NCCL): the framework announces a gradient when it has put the
     * operation that computes it on the device's queue, long before that runs. The thread waits for
     * the last one of a buffer, puts the reduction on a queue of the device and continues. */
    int64_t launch_ns; /* to queue the operation that computes one gradient, backward; half as much
                          forward */
} Exchange;

/* The mean time from `backward_end_ns` to "all sums are there and back". `gradients` are in the
 * order in which they come ready, none of them after the end of the backward pass; a network
 * without any exchanges nothing, which takes no time.
 *
 * The thread's cycles do not know of steps, so when the first gradient is announced it wakes at any
 * moment of its next period: the mean is over EXCHANGE_PHASES equal parts of that. */
enum { EXCHANGE_PHASES = 16 };
int64_t exchange_ns(const Exchange *exchange, Gang gang, const Gradient *gradients, int32_t count,
                    int64_t backward_end_ns);

/* The time of one round of negotiation in which each rank announces `requests` gradients:
 *
 *     t = 4 ceil(log2 n) message + n (1 + requests) request
 *
 * Sizes and requests are gathered, the answer's size and the answer spread (MPI_Gather, MPI_Gatherv
 * and twice MPI_Bcast, trees of depth log2 n); rank 0 reads the requests one by one. */
int64_t exchange_negotiation_ns(const Exchange *exchange, Gang gang, int64_t requests);

#endif
