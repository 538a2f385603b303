#include "sim/cloud/job/loss.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/demand.h"
#include "sim/cloud/job/job_name.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/job/work.h"
#include "sim/model/bounded.h"

// The service's error for this case was not recorded. Assumption: its code for a terminated job.
static const JobError timed_out = {"JobTerminated",
                                   "The specified job ran longer than its maxWallClockTime"};
static const JobError preempted = {"PreemptionError", "Nodes of this job got pre-empted"};

void job_timed_out(Jobs *jobs, Job *job)
{
    job_fail_attempt(jobs, job, ATTEMPT_STOPPED, timed_out, -1,
                     (JobReason){.cause = CAUSE_TIME_LIMIT});
}

/* The work that is kept: steps of a training, epochs of a program of real execution, or time. */
static int64_t kept_work(const Job *job)
{
    if (job_keeps_work(job))
        return job->carried_ns;
    const TrainingPoint kept = checkpoint_kept(job);
    return job_trains(job) ? program_steps_at(job->spec->program, kept) : kept.epochs;
}

static void count_lost_attempt(Jobs *jobs, Job *job)
{
    const int64_t kept = kept_work(job);
    if (kept > job->kept_before)
        job->lost_in_a_row = 0;
    else
        job->lost_in_a_row++;
    job->kept_before = kept;
    if (job->lost_in_a_row == LOST_ATTEMPTS_MAX)
        engine_give_up(
            jobs->engine,
            arena_printf(jobs->arena,
                         "job %s lost its nodes %d times in a row without having kept anything: "
                         "it never ends",
                         job_path(jobs->scenario, job, jobs->arena).name, LOST_ATTEMPTS_MAX));
}

/* Returns the job to its place in the queue after the end of its attempt. */
static void requeue(Jobs *jobs, Job *job, JobReason reason)
{
    job->nodes = NULL; // other jobs may take them now
    job_set_state(jobs, job, JOB_QUEUED, reason);
    attempt_reset(job);
    job->request = job_asked(jobs, job);
    demand_returns(jobs, job);
    scheduler_add(jobs, job);
    scheduler_wake(jobs, job->cluster);
    job_moment(jobs, job, MOMENT_JOB_REQUEUED, job->starts);
}

static int64_t preemption_cost_ns(const Jobs *jobs, const Job *job)
{
    const PreemptionCost *cost = &jobs->scenario->preemption_cost;
    const int64_t slots = request_slots(job->request, job_kind(jobs, job)->whole.gpus);
    return slots <= 1 ? cost->one_ns : slots <= 8 ? cost->eight_ns : cost->more_ns;
}

static void carry(Job *job, WorkCarried carried)
{
    job->carried_ns = carried.carried_ns;
    job->owed_ns = carried.owed_ns;
}

void job_is_preempted(Jobs *jobs, Job *job, TraceCause cause)
{
    invariant(job->state == JOB_RUNNING);
    const JobReason reason = {.cause = cause};
    const WorkCarried carried = work_carried(jobs, job, false);
    attempt_end(jobs, job, ATTEMPT_PREEMPTED, reason);
    job->preemptions++;
    carry(job, carried);
    if (job_keeps_work(job))
        job->owed_ns = bounded_add(job->owed_ns, preemption_cost_ns(jobs, job));
    requeue(jobs, job, reason);
}

void job_loses_nodes(Jobs *jobs, Job *job, const Node *node, DeallocationOption deallocation,
                     TraceCause cause)
{
    invariant(job_is_active(job));
    const ServiceModel *service = &jobs->scenario->service;
    JobReason reason = {.cause = cause, .node = node};
    bool is_preemption = cause == CAUSE_PREEMPTION || cause == CAUSE_RUN_LENGTH;
    // After a resize with the option to requeue, the number of attempts is not limited.
    bool was_last =
        cause != CAUSE_SCALE_DOWN && job->starts - job->preemptions >= service->attempts_max;
    if (deallocation == DEALLOCATE_TERMINATE || job->state == JOB_TERMINATING) {
        job_fail_attempt(jobs, job, ATTEMPT_STOPPED, job_error_terminated, -1, reason);
    } else if (is_preemption && service->preemption_fails_jobs) {
        job_fail_attempt(jobs, job, ATTEMPT_LOST, preempted, -1, reason);
    } else if (was_last) {
        const char *message =
            arena_printf(jobs->arena, "Job lost its nodes in attempt %d and is not tried again",
                         (int)job->starts);
        job_fail_attempt(jobs, job, ATTEMPT_LOST, (JobError){"InternalError", message}, -1, reason);
    } else {
        const WorkCarried carried = work_carried(jobs, job, true);
        attempt_end(jobs, job, ATTEMPT_LOST, reason);
        carry(job, carried);
        count_lost_attempt(jobs, job);
        requeue(jobs, job, reason);
    }
}

void job_ran_too_long(Jobs *jobs, Job *job)
{
    const NodeId *nodes = job->nodes; // the list outlives the loss
    const int32_t count = job->request.nodes;
    job_loses_nodes(jobs, job, NULL, DEALLOCATE_REQUEUE, CAUSE_RUN_LENGTH);
    for (int32_t n = 0; n < count; n++)
        cluster_node_warned(jobs->clusters, node_row(jobs->clusters, nodes[n]), 0,
                            CAUSE_RUN_LENGTH);
}
