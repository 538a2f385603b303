/* Queues (virtual clusters) that share one cluster: whose job starts next, and whose is stopped.
 *
 * Each queue has the scenario's scheduling policy (policy.h) for its own jobs, so a job that does
 * not fit blocks no other queue. A queue has a guaranteed number of slots, and may have a limit.
 *
 *   limit      No job of a queue starts that would have its jobs beyond the limit.
 *   guarantee  Queues are asked in the order of the part of their guarantee that their jobs have,
 *              the smallest first; among equals in the order of the cluster. A queue without a
 *              guarantee comes after all that have one. The chosen job of the first queue that
 *              stays within its guarantee starts.
 *   borrowing  If there is no such job, the chosen job of the first queue that has one may take it
 *              beyond its guarantee; but not while another queue waits for its own: its first job
 *              would be within its guarantee, and could ever start, but free slots are missing.
 *              Free slots are then kept for it.
 *
 *   reclaim    A queue that has waited for its guarantee for `reclaim_after_ns` takes it back from
 *              jobs that borrow. The guarantee of a queue covers its running jobs as far as they
 *              fit: those of higher priority first, among equals those that started first. All
 *              other jobs borrow all of their slots. A covered job is never stopped for another
 *              queue. Queues give in the reverse of the order in which they are asked, and each
 *              gives its jobs in the reverse of the order in which they are covered.
 *
 *   grace      A queue may give jobs notice before they are stopped for it, by reclaim or by its
 * own policy (sim/cloud/job/notice.h).
 *
 * The order is that of Apache Hadoop's capacity scheduler. Kueue has the rule that a queue which
 * waits for its nominal quota keeps others from borrowing, and takes back what they borrow in such
 * an order (reclaimWithinCohort). A job that is only in part within the guarantee borrows: its
 * queue has no use for a part of a job, and a large job would otherwise be safe from reclaim. */
#ifndef SIM_CLOUD_POLICY_QUEUE_SHARE_H
#define SIM_CLOUD_POLICY_QUEUE_SHARE_H

#include "sim/cloud/spec/spec.h"

/* Whether a queue whose jobs have `a_used` slots is asked before one whose jobs have `b_used`.
 * False for equals. */
bool queue_is_before(const QueueSpec *a, int64_t a_used, const QueueSpec *b, int64_t b_used);

/* The limit of a queue whose jobs have `used` slots. */
static inline SlotLimit queue_limit(const QueueSpec *queue, int64_t used)
{
    // A limit that was lowered may be below the use in force.
    const int64_t left = used < queue->most ? queue->most - used : 0;
    return (SlotLimit){.is_set = true, .most = queue->most, .left = left};
}

/* Whether a queue whose jobs have `used` slots stays within its guarantee with `more`. */
static inline bool queue_is_guaranteed(const QueueSpec *queue, int64_t used, int64_t more)
{
    return used + more <= queue->guaranteed;
}

/* A running job of a cluster with queues. */
typedef struct {
    JobId job;
    int32_t queue; /* its index in the cluster */
    const QueueSpec *spec;
    int32_t priority;
    int64_t started_ns;
    int64_t slots;
    int64_t used; /* set by queue_borrowers: the slots of its queue's jobs, without those of
                     borrowers that are stopped before it */
} SharingJob;

/* Leaves of all running jobs of a cluster only those that borrow and whose queue is not protected,
 * in the order in which they are stopped. Returns their number. */
int32_t queue_borrowers(SharingJob *jobs, int32_t count);

#endif
