/* Private to sim/cloud/job: one queue of a cluster as its policy sees it, and the job that the
 * policy chooses. Policies that see the whole queue (POLICY_SEES_QUEUE) need a plan: its jobs in
 * the order in which they read them. */
#ifndef SIM_CLOUD_JOB_QUEUE_PLAN_H
#define SIM_CLOUD_JOB_QUEUE_PLAN_H

#include "sim/cloud/job/tables.h"
#include "sim/cloud/policy/policy.h"

/* The arrays of the PolicyView. */
typedef struct QueuePlan {
    RunningJob *running; /* the queue's jobs with nodes, by expected end, then id */
    int32_t running_count, running_capacity;
    WaitingJob *waiting; /* the jobs of JobQueue.waiting in order, from `waiting_begin` on */
    int32_t waiting_begin, waiting_count, waiting_capacity;
    bool is_by_time;     /* `waiting` is in the order of expected times */
    WaitingJob *in_time; /* memory for those of the last view that maintenance does not defer */
    uint32_t in_time_capacity;
    int64_t *used_node_us; /* as of the present pass */
    uint32_t used_capacity;
    PolicyStep *steps; /* see PolicyView.steps */
    uint32_t step_capacity;
    int32_t *indices; /* see PolicyView.indices */
    uint32_t index_capacity;
} QueuePlan;

QueuePlan *queue_plan_create(Jobs *jobs);
void queue_plan_add_waiting(Jobs *jobs, QueuePlan *plan, const Job *job);
void queue_plan_remove_waiting(const Jobs *jobs, QueuePlan *plan, const Job *job);
/* The job is about to start. */
void queue_plan_add_running(Jobs *jobs, QueuePlan *plan, const Job *job);
/* The job has started before. */
void queue_plan_add_started(Jobs *jobs, QueuePlan *plan, const Job *job);
/* A node of the running job is drained, or no longer. */
void queue_plan_node_drains(const Jobs *jobs, QueuePlan *plan, const Job *job);
void queue_plan_remove_running(const Jobs *jobs, QueuePlan *plan, const Job *job);
/* Lists the use of owners up to now and reserves the memory of the PolicyView: valid until a job is
 * added. */
void queue_plan_prepare(Jobs *jobs, QueuePlan *plan, int32_t kind_count);
/* Waiting and running jobs are listed in order. */
void queue_plan_check(const Jobs *jobs, const QueuePlan *plan, ClusterId cluster);

/* --- A queue, with or without a plan --- */

/* The slots of a job with nodes, or of one that is about to start, on its kind. */
int64_t job_slots(const Cluster *cluster, JobRequest request);
/* Whether the job is being terminated: it ends soon, in the queue or on its nodes. */
bool job_is_stopping(const Job *job);

SlotLimit job_queue_limit(const JobQueue *queue);
/* Whether its jobs stay within its guarantee with so many more slots. */
bool job_queue_is_guaranteed(const JobQueue *queue, int64_t slots);
/* The last time at which the waiting job may start so that it is expected to end before maintenance
 * of its nodes (policy_last_start_ns), on the kind where that is latest. */
int64_t job_last_start_ns(const Jobs *jobs, const Job *job, const Room *room);
/* The kinds of nodes in the order in which the job takes them (policy_kinds_in_order). */
int32_t job_kinds_in_order(const Jobs *jobs, const Job *job, const Room *room,
                           const Room *order[NODE_KINDS_MAX]);
/* The waiting job that the policy starts next, once it fits; NULL: none. Needs the plan of the
 * queue (queue_plan_prepare). */
const Job *job_queue_first(const Jobs *jobs, const JobQueue *queue, const Room *room);

/* The view of the policy if `room` takes jobs. The queue has a plan. Valid until the next view of
 * the queue. `room` NULL: of all waiting jobs in their order. */
PolicyView job_queue_view(const Jobs *jobs, const JobQueue *queue, const Room *room);

/* A job that the policy starts. */
typedef struct {
    const Job *job; /* NULL: none */
    KindSet kinds;  /* as PolicyChoice.kinds */
} QueueChoice;

QueueChoice job_queue_choose(const Jobs *jobs, const JobQueue *queue, const Room *room);

/* --- The node time that the owners of jobs have used, for fair share --- */

/* Sets Job.owner. */
void owner_use_set(Jobs *jobs, Job *job);
/* The job takes (change 1) or gives back (change -1) what it asked for. */
void owner_use_changes(Jobs *jobs, const Job *job, int32_t change);

#endif
