/* Queues (virtual clusters) that share one cluster: whose job starts next.
 *
 * Each queue has the scenario's scheduling policy (policy.h) for its own jobs, so a job that does
 * not fit blocks no other queue. A queue has a guaranteed number of slots, and may have a limit.
 *
 *   limit      The jobs of a queue never have more slots than its limit.
 *   guarantee  Queues are asked in the order of the part of their guarantee that their jobs have,
 *              the smallest first; among equals in the order of the cluster. A queue without a
 *              guarantee comes after all that have one. The chosen job of the first queue that
 *              stays within its guarantee starts.
 *   borrowing  If there is no such job, the chosen job of the first queue that has one may take it
 *              beyond its guarantee; but not while another queue waits for its own: its first job
 *              would be within its guarantee, and could ever start, but free slots are missing.
 *              Free slots are then kept for it.
 *
 * A job is never stopped to give another queue its guarantee. This is capacity scheduling without
 * preemption: the order of Apache Hadoop's capacity scheduler, with Kueue's rule that a queue which
 * waits for its nominal quota keeps others from borrowing. */
#ifndef SIM_CLOUD_POLICY_QUEUE_SHARE_H
#define SIM_CLOUD_POLICY_QUEUE_SHARE_H

#include "sim/cloud/spec/spec.h"

/* Whether a queue whose jobs have `a_used` slots is asked before one whose jobs have `b_used`.
 * False for equals. */
bool queue_is_before(const QueueSpec *a, int64_t a_used, const QueueSpec *b, int64_t b_used);

/* The limit of a queue whose jobs have `used` slots. */
static inline SlotLimit queue_limit(const QueueSpec *queue, int64_t used)
{
    return (SlotLimit){.is_set = true, .most = queue->most, .left = queue->most - used};
}

/* Whether a queue whose jobs have `used` slots stays within its guarantee with `more`. */
static inline bool queue_is_guaranteed(const QueueSpec *queue, int64_t used, int64_t more)
{
    return used + more <= queue->guaranteed;
}

#endif
