#include "sim/cloud/job/queue_plan.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/owner_use.h"
#include "sim/cloud/job/pace.h"
#include "sim/model/bounded.h"

/* A larger array with the `count` items of the old one. */
static void *grown(Jobs *jobs, const void *items, int32_t count, int32_t *capacity, size_t size)
{
    *capacity = *capacity > 0 ? 2 * *capacity : 16;
    void *larger = arena_alloc_array(jobs->arena, (size_t)*capacity, size);
    if (count > 0)
        memcpy(larger, items, (size_t)count * size);
    return larger;
}

QueuePlan *queue_plan_create(Jobs *jobs)
{
    QueuePlan *plan = ARENA_NEW(jobs->arena, QueuePlan);
    plan->is_by_time = policy_of(jobs->policy)->sight == POLICY_SEES_QUEUE_BY_TIME;
    plan->waiting = grown(jobs, NULL, 0, &plan->waiting_capacity, sizeof *plan->waiting);
    plan->running = grown(jobs, NULL, 0, &plan->running_capacity, sizeof *plan->running);
    return plan;
}

/* --- Waiting jobs, for policies that see the queue --- */

/* The time that the owner expects the job to need without the work that it keeps. */
static int64_t expected_work_ns(const Jobs *jobs, const Job *job)
{
    const int64_t expected_ns = job_expected_ns(jobs->scenario, job);
    return expected_ns == INT64_MAX        ? INT64_MAX
           : expected_ns > job->carried_ns ? expected_ns - job->carried_ns
                                           : 0;
}

/* The time that the owner expects the job to need from now on, if it does not run; at the stated
 * speed. */
static int64_t expected_left_ns(const Jobs *jobs, const Job *job)
{
    return bounded_add(expected_work_ns(jobs, job), job->owed_ns);
}

/* The expected end of a job that starts at `started_ns` on nodes of its kind. */
static int64_t expected_end_ns(const Jobs *jobs, const Job *job, int64_t started_ns)
{
    const int64_t work_ns = pace_of_kind_ns(jobs, job, expected_work_ns(jobs, job));
    return bounded_add(started_ns, bounded_add(work_ns, job->owed_ns));
}

WaitingJob queue_plan_waiting_job(const Jobs *jobs, const Job *job)
{
    return (WaitingJob){.job = job->id,
                        .request = job->request,
                        .priority = job_priority(jobs->scenario, job),
                        .expected_ns = expected_left_ns(jobs, job),
                        .owner = job->owner};
}

static bool waits_before(const QueuePlan *plan, const WaitingJob *a, const WaitingJob *b)
{
    if (plan->is_by_time && a->expected_ns != b->expected_ns)
        return a->expected_ns < b->expected_ns;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->job.index < b->job.index;
}

/* The place of `job` among the waiting jobs, or the place where it belongs. */
static WaitingJob *waiting_place(const QueuePlan *plan, const WaitingJob *job)
{
    WaitingJob *first = plan->waiting + plan->waiting_begin;
    int32_t low = 0, high = plan->waiting_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (waits_before(plan, &first[middle], job))
            low = middle + 1;
        else
            high = middle;
    }
    return first + low;
}

/* Makes room for one more waiting job at the end. */
static void reserve_waiting(Jobs *jobs, QueuePlan *plan)
{
    WaitingJob *first = plan->waiting + plan->waiting_begin;
    if (plan->waiting_begin + plan->waiting_count < plan->waiting_capacity)
        return;
    if (plan->waiting_begin > plan->waiting_count)
        memmove(plan->waiting, first, (size_t)plan->waiting_count * sizeof *first);
    else
        plan->waiting =
            grown(jobs, first, plan->waiting_count, &plan->waiting_capacity, sizeof *first);
    plan->waiting_begin = 0;
}

void queue_plan_add_waiting(Jobs *jobs, QueuePlan *plan, const Job *job)
{
    WaitingJob entry = queue_plan_waiting_job(jobs, job);
    reserve_waiting(jobs, plan);
    WaitingJob *place = waiting_place(plan, &entry);
    WaitingJob *first = plan->waiting + plan->waiting_begin;
    if (place == first && plan->waiting_begin > 0) {
        place--; // a requeued job often returns to the front
        plan->waiting_begin--;
    } else {
        memmove(place + 1, place, (size_t)(first + plan->waiting_count - place) * sizeof *place);
    }
    *place = entry;
    plan->waiting_count++;
}

void queue_plan_remove_waiting(const Jobs *jobs, QueuePlan *plan, const Job *job)
{
    WaitingJob entry = queue_plan_waiting_job(jobs, job);
    WaitingJob *place = waiting_place(plan, &entry);
    WaitingJob *first = plan->waiting + plan->waiting_begin;
    invariant(place < first + plan->waiting_count && place->job.index == job->id.index);
    plan->waiting_count--;
    if (place == first)
        plan->waiting_begin++;
    else
        memmove(place, place + 1, (size_t)(first + plan->waiting_count - place) * sizeof *place);
}

/* --- Running jobs --- */

static bool is_before(RunningJob a, RunningJob b)
{
    if (a.expected_end_ns != b.expected_end_ns)
        return a.expected_end_ns < b.expected_end_ns;
    return a.job.index < b.job.index;
}

static RunningJob running_job(const Jobs *jobs, const Job *job)
{
    return (RunningJob){.job = job->id,
                        .request = job->request,
                        .priority = job_priority(jobs->scenario, job),
                        .started_ns = job->started_ns,
                        .expected_end_ns = expected_end_ns(jobs, job, job->started_ns)};
}

/* The index of `job` among the running jobs, or the index where it belongs. */
static int32_t place_of(const QueuePlan *plan, RunningJob job)
{
    int32_t low = 0, high = plan->running_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (is_before(plan->running[middle], job))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_running(Jobs *jobs, QueuePlan *plan, RunningJob entry)
{
    if (plan->running_count == plan->running_capacity)
        plan->running = grown(jobs, plan->running, plan->running_count, &plan->running_capacity,
                              sizeof *plan->running);
    RunningJob *place = plan->running + place_of(plan, entry);
    memmove(place + 1, place,
            (size_t)(plan->running + plan->running_count - place) * sizeof *place);
    *place = entry;
    plan->running_count++;
}

void queue_plan_add_running(Jobs *jobs, QueuePlan *plan, const Job *job)
{
    RunningJob entry = running_job(jobs, job);
    entry.started_ns = jobs->engine->now_ns; // it is about to start
    entry.expected_end_ns = expected_end_ns(jobs, job, entry.started_ns);
    add_running(jobs, plan, entry);
}

void queue_plan_add_started(Jobs *jobs, QueuePlan *plan, const Job *job)
{
    add_running(jobs, plan, running_job(jobs, job));
}

void queue_plan_remove_running(const Jobs *jobs, QueuePlan *plan, const Job *job)
{
    RunningJob *place = plan->running + place_of(plan, running_job(jobs, job));
    RunningJob *end = plan->running + plan->running_count;
    invariant(place < end && place->job.index == job->id.index);
    memmove(place, place + 1, (size_t)(end - place - 1) * sizeof *place);
    plan->running_count--;
}

/* --- For a pass --- */

void queue_plan_prepare(Jobs *jobs, QueuePlan *plan, int32_t kind_count)
{
    const uint32_t steps =
        (uint32_t)kind_count * ((uint32_t)plan->running_count + (uint32_t)plan->waiting_count + 1);
    plan->used_node_us = array_room(jobs->arena, plan->used_node_us, jobs->use_count,
                                    &plan->used_capacity, sizeof *plan->used_node_us);
    owner_use_list(jobs, plan->used_node_us);
    plan->steps =
        array_room(jobs->arena, plan->steps, steps, &plan->step_capacity, sizeof *plan->steps);
}

void queue_plan_view(const QueuePlan *plan, PolicyView *view)
{
    view->waiting_count = plan->waiting_count;
    view->waiting = plan->waiting + plan->waiting_begin;
    view->running_count = plan->running_count;
    view->running = plan->running;
    view->used_node_us = plan->used_node_us;
    view->steps = plan->steps;
}

void queue_plan_check(const Jobs *jobs, const QueuePlan *plan, ClusterId cluster)
{
    const WaitingJob *waiting = plan->waiting + plan->waiting_begin;
    for (int32_t i = 0; i < plan->waiting_count; i++) {
        invariant(job_by_id(jobs, waiting[i].job)->is_waiting);
        invariant(i == 0 || waits_before(plan, &waiting[i - 1], &waiting[i]));
    }
    for (int32_t i = 0; i < plan->running_count; i++) {
        const Job *job = job_by_id(jobs, plan->running[i].job);
        invariant(job_is_active(job) && job->cluster.index == cluster.index);
        invariant(plan->running[i].expected_end_ns == running_job(jobs, job).expected_end_ns);
        invariant(i == 0 || is_before(plan->running[i - 1], plan->running[i]));
    }
}
