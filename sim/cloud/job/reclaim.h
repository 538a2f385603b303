/* Private to sim/cloud/job: a queue takes its guarantee back from jobs of other queues that borrow
 * (sim/cloud/policy/queue_share.h).
 *
 * A queue has a claim from the time at which it has waited for its guarantee for
 * QueueSpec.reclaim_after_ns. The claim is for the job that the policy of the queue would start if
 * all borrowed nodes were free, if it stays within the guarantee. The jobs to stop are the first of
 * queue_borrowers that are enough for the same choice, without those that turn out not to be
 * needed. So the job starts at the instant at which they are stopped, whatever the shape of its
 * request, and no job is stopped in vain. If that job could start without some of them once jobs
 * that are being terminated, or that the policy of the queue stops, have ended, these are
 * waited for.
 *
 * With a grace period (QueueSpec.grace_ns) these jobs get notice instead, and are stopped together
 * once the notice of each is over. Each pass until then searches again, and takes jobs with notice
 * first: it gives notice to further jobs if others have become necessary, and withdraws that of
 * jobs that need not stop any more. So that the jobs of a queue do not wait for one grace period
 * after the other, those that would be stopped next get notice, too, as far as the waiting jobs of
 * the queue lack slots of its guarantee. */
#ifndef SIM_CLOUD_JOB_RECLAIM_H
#define SIM_CLOUD_JOB_RECLAIM_H

#include "sim/cloud/job/tables.h"

/* The jobs that a queue stops, and the one that it starts. */
typedef struct {
    const Job *job;       /* starts */
    JobRequest request;   /* as divided for the kind of nodes on which it starts */
    const JobId *stopped; /* [stopped_count], at least 1: the jobs to stop */
    int32_t stopped_count;
    int64_t slots; /* of the stopped jobs */
} Reclaimed;

/* Memory to search with; NULL if no queue of the cluster reclaims its guarantee. */
struct Reclaim *reclaim_create(Arena *arena, const ClusterSpec *spec);

/* To be called at the end of each pass: whether the `index`-th queue, which starts no job now,
 * waits for its guarantee. The claim begins, continues or ends. */
void reclaim_note(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues, int32_t index,
                  bool is_owed);
/* No job waits in the queue any more. */
void reclaim_forget(Jobs *jobs, JobQueue *queue);

/* The jobs that the `index`-th queue stops now; false: none. Jobs that it will stop later get
 * notice. The plans of all queues are prepared. */
bool reclaim_find(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues, int32_t index,
                  Reclaimed *reclaimed);

#endif
