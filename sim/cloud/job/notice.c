#include "sim/cloud/job/notice.h"

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/cloud/cluster/freed_room.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/job/queue_plan.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/work.h"
#include "sim/cloud/policy/policy.h"
#include "sim/cloud/policy/queue_share.h"
#include "sim/model/bounded.h"

void job_is_warned(Jobs *jobs, Job *job, TraceCause cause)
{
    job->attempt->warned_by = cause;
    if (job_keeps_work(job))
        work_on_notice(jobs, job);
    else
        checkpoint_on_notice(jobs, job);
}

/* --- The scheduler's notices --- */

bool notice_is_given(const Job *job)
{
    return job->attempt->notice.queue_after > 0;
}

bool notice_is_for(const Job *job, int32_t queue, TraceCause cause)
{
    const JobNotice *notice = &job->attempt->notice;
    return notice->queue_after == queue + 1 && notice->cause == cause;
}

bool notice_is_over(const Jobs *jobs, const Job *job)
{
    return notice_is_given(job) && job->attempt->notice.until_ns <= jobs->engine->now_ns;
}

static JobQueue *queue_of(Jobs *jobs, const Job *job)
{
    return &scheduler_queues(jobs, job->cluster)->items[job->attempt->notice.queue_after - 1];
}

static void emit(const Jobs *jobs, const Job *job, const JobQueue *queue, int64_t grace_ns)
{
    TraceRecord *record = job_trace(jobs, TRACE_JOB_NOTICE, job);
    record->name = queue->spec->name;
    record->cause = job->attempt->notice.cause;
    record->job_notice.queue = job->attempt->notice.queue_after - 1;
    record->job_notice.grace_ns = grace_ns;
    recorder_emit(jobs->recorder);
}

void notice_give(Jobs *jobs, Job *job, int32_t index, TraceCause cause)
{
    JobQueue *queue = &scheduler_queues(jobs, job->cluster)->items[index];
    const int64_t grace_ns = queue->spec->grace_ns;
    invariant(job->state == JOB_RUNNING && !notice_is_given(job));
    job->attempt->notice = (JobNotice){.until_ns = bounded_add(jobs->engine->now_ns, grace_ns),
                                       .queue_after = index + 1,
                                       .cause = cause};
    queue->noticed = array_room(jobs->arena, queue->noticed, queue->noticed_count + 1,
                                &queue->noticed_capacity, sizeof *queue->noticed);
    queue->noticed[queue->noticed_count++] = job->id;
    emit(jobs, job, queue, grace_ns);
    job_push(jobs, job, grace_ns, EVENT_JOB_GRACE, 0);
    job_is_warned(jobs, job, cause);
}

void notice_ends_with_attempt(Jobs *jobs, const Job *job)
{
    if (!notice_is_given(job))
        return;
    JobQueue *queue = queue_of(jobs, job);
    uint32_t place = 0;
    while (queue->noticed[place].index != job->id.index)
        place++;
    for (queue->noticed_count--; place < queue->noticed_count; place++)
        queue->noticed[place] = queue->noticed[place + 1];
    job->attempt->notice = (JobNotice){0};
}

/* The job, which has a notice, need not be stopped any more. */
static void notice_withdraw(Jobs *jobs, Job *job)
{
    emit(jobs, job, queue_of(jobs, job), -1);
    notice_ends_with_attempt(jobs, job);
}

void notice_withdraw_all(Jobs *jobs, const JobQueue *queue, TraceCause cause)
{
    for (uint32_t i = queue->noticed_count; i-- > 0;) {
        Job *job = job_row(jobs, queue->noticed[i]);
        if (job->attempt->notice.cause == cause)
            notice_withdraw(jobs, job);
    }
}

void notice_choose_anew(Jobs *jobs, const JobQueue *queue)
{
    for (uint32_t i = 0; i < queue->noticed_count; i++)
        job_row(jobs, queue->noticed[i])->attempt->notice.is_needed = false;
}

void notice_withdraw_unneeded(Jobs *jobs, const JobQueue *queue, int32_t index, TraceCause cause)
{
    for (uint32_t i = queue->noticed_count; i-- > 0;) {
        Job *job = job_row(jobs, queue->noticed[i]);
        if (notice_is_for(job, index, cause) && !job->attempt->notice.is_needed)
            notice_withdraw(jobs, job);
    }
}

void notice_grace_ends(Jobs *jobs, Job *job)
{
    // A notice that was withdrawn, and perhaps given again, has left its event.
    if (notice_is_given(job) && job->attempt->notice.until_ns == jobs->engine->now_ns)
        scheduler_wake(jobs, job->cluster);
}

void notice_check(const Jobs *jobs, ClusterId cluster, const JobQueue *queue, int32_t index)
{
    for (uint32_t i = 0; i < queue->noticed_count; i++) {
        const Job *job = job_by_id(jobs, queue->noticed[i]);
        invariant(job->cluster.index == cluster.index && job_is_active(job));
        invariant(job->attempt->notice.queue_after == index + 1 && queue->spec->grace_ns > 0);
        // Both causes stop: a queue reclaims from others, and a policy stops jobs of its queue.
        invariant(notice_is_for(job, index, CAUSE_RECLAIM) == (job->queue != index));
    }
}

/* --- Victims of a policy --- */

/* Memory to choose victims with. */
typedef struct Victims {
    FreedRoom room;      /* as if those chosen so far had gone */
    RunningJob *running; /* [running_count] the jobs of the queue that remain */
    JobId *chosen;       /* [chosen_count] */
    int32_t running_count;
    uint32_t chosen_count, running_capacity, chosen_capacity;
    int64_t slots; /* of the chosen jobs */
} Victims;

static Victims *victims_begin(Jobs *jobs, const Cluster *cluster, JobQueue *queue)
{
    const QueuePlan *plan = queue->plan;
    if (queue->victims == NULL)
        queue->victims = ARENA_NEW(jobs->arena, Victims);
    Victims *victims = queue->victims;
    freed_room_begin(jobs->arena, jobs->clusters, cluster, &victims->room);
    victims->running = array_room(jobs->arena, victims->running, (uint32_t)plan->running_count,
                                  &victims->running_capacity, sizeof *victims->running);
    victims->chosen = array_room(jobs->arena, victims->chosen, (uint32_t)plan->running_count,
                                 &victims->chosen_capacity, sizeof *victims->chosen);
    for (int32_t i = 0; i < plan->running_count; i++)
        victims->running[i] = plan->running[i];
    victims->running_count = plan->running_count;
    victims->chosen_count = 0;
    victims->slots = 0;
    return victims;
}

/* Chooses the next victim; false: none, or a job that is going to end or has just started, as in a
 * queue without a grace period. */
static bool victims_choose(Jobs *jobs, const Cluster *cluster, const JobQueue *queue,
                           Victims *victims)
{
    PolicyView view = job_queue_view(jobs, queue, freed_room(&victims->room));
    view.running = victims->running;
    view.running_count = victims->running_count;
    view.limit = queue_limit(queue->spec, queue->used_slots - victims->slots);
    if (view.waiting_count == 0 || job_is_stopping(job_by_id(jobs, view.waiting[0].job)))
        return false;
    const int32_t victim = policy_of(jobs->policy)->victim(&view);
    if (victim == POLICY_NONE)
        return false;
    Job *job = job_row(jobs, view.running[victim].job);
    if (job_is_stopping(job) || job->started_ns == jobs->engine->now_ns)
        return false;
    for (int32_t i = victim + 1; i < victims->running_count; i++)
        victims->running[i - 1] = victims->running[i];
    victims->running_count--;
    victims->chosen[victims->chosen_count++] = job->id;
    victims->slots += job_slots(cluster, job->request);
    freed_room_give(jobs->clusters, &victims->room, job->request, job->nodes);
    return true;
}

/* The job is chosen for the `index`-th queue. Returns whether it was stopped. */
static bool warn_or_stop(Jobs *jobs, Job *job, int32_t index)
{
    const bool has_notice = notice_is_for(job, index, CAUSE_PRECEDENCE);
    const bool stops = has_notice && notice_is_over(jobs, job);
    if (!has_notice && notice_is_given(job))
        return false; // it is going to be stopped for another queue
    if (!has_notice)
        notice_give(jobs, job, index, CAUSE_PRECEDENCE);
    job->attempt->notice.is_needed = true;
    if (stops)
        job_is_preempted(jobs, job, CAUSE_PRECEDENCE);
    return stops;
}

bool notice_stop_victims(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues, int32_t index)
{
    JobQueue *queue = &queues->items[index];
    bool has_stopped = false;
    notice_choose_anew(jobs, queue);
    if (policy_of(jobs->policy)->victim != NULL && queue->waiting.count > 0) {
        Victims *victims = victims_begin(jobs, cluster, queue);
        while (victims_choose(jobs, cluster, queue, victims))
            ;
        for (uint32_t i = 0; i < victims->chosen_count; i++)
            has_stopped |= warn_or_stop(jobs, job_row(jobs, victims->chosen[i]), index);
    }
    notice_withdraw_unneeded(jobs, queue, index, CAUSE_PRECEDENCE);
    return has_stopped;
}
