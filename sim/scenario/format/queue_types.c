#include "sim/scenario/format/queue_types.h"

#define OWNER QueueText
static const Field queue_fields[] = {
    NEEDED_NAME("name", name,
                "its name, as jobs and the column `queue` of a workload file state it"),
    FIELD_INTEGER("gpus", gpus, 0, INT32_MAX, "0",
                  "the GPUs that it is guaranteed; of a cluster without GPUs, the nodes. While its "
                  "jobs wait for them, no other queue gets more than its own"),
    FIELD_INTEGER("gpus_max", gpus_max, 0, INT32_MAX, NULL,
                  "the most GPUs, or nodes, that its jobs have at once; the default is the whole "
                  "cluster. Automatic scaling asks for no nodes for jobs that it holds back"),
    FIELD_DURATION(
        "reclaim_after", reclaim_after, NULL,
        "after the queue has waited for its guaranteed GPUs for so long, jobs of other "
        "queues that borrow are stopped for it, at \"0s\" at once; without it never. "
        "The guarantee of a queue covers its running jobs as far as they fit, those of higher "
        "priority first, then those that started first; the others borrow. "
        "No more jobs are stopped than are needed, and none unless the waiting job then "
        "starts: from the queue that has the largest part of its guarantee, the job of "
        "the lowest priority, then the newest. Stopped jobs return to their queue as "
        "those of preemptive policies do (`preemption_cost`)"),
    FIELD_DURATION(
        "grace_period", grace_period, "0s",
        "the notice that a running job gets before it is stopped for a job of this queue: "
        "by `reclaim_after`, or by a policy that stops jobs of its queue. It runs on meanwhile, "
        "and its program writes a checkpoint if "
        "it does so on notice (`on_notice`). A policy stops each job when its notice is over; jobs "
        "whose GPUs are reclaimed for one job stop together, when the notice of each is over. "
        "Jobs whose GPUs would be reclaimed next get notice at the same time, as many as the "
        "waiting jobs of the queue need. A notice is withdrawn as soon as its job need not be "
        "stopped any more"),
    FIELD_BOOLEAN("protected", is_protected, "false",
                  "its own jobs are never stopped for the guarantee of another queue, even if they "
                  "borrow"),
    {0},
};
#undef OWNER
const ObjectType queue_type = {"queue", "A queue (virtual cluster) of a cluster's jobs.",
                               sizeof(QueueText), queue_fields};
