#include "sim/cloud/policy/outside.h"

#include <inttypes.h>

#include "sim/base/array.h"
#include "sim/base/units.h"

PolicyOutside policy_outside_of(Arena *arena, trainyard_policy_function *choose)
{
    return (PolicyOutside){.choose = choose, .arena = arena};
}

/* The first kind of nodes that a request allows. */
static const Room *first_kind(const PolicyView *view, JobRequest request)
{
    const Room *kind = view->room;
    while (kind->next != NULL && !request_allows(request, kind->kind))
        kind = kind->next;
    return kind;
}

static trainyard_waiting_job waiting_job(const PolicyView *view, const WaitingJob *job)
{
    return (trainyard_waiting_job){
        .number = job->job.index,
        .expected_ns = job->expected_ns,
        .slots = request_slots_on(job->request, first_kind(view, job->request)),
        .nodes = job->request.nodes,
        .priority = job->priority,
        .owner = job->owner,
        .fits = policy_fits(view, job)};
}

static trainyard_running_job running_job(const PolicyView *view, const RunningJob *job)
{
    return (trainyard_running_job){
        .number = job->job.index,
        .started_ns = job->started_ns,
        .expected_end_ns = job->expected_end_ns,
        .slots = request_slots_on(job->request, first_kind(view, job->request)),
        .nodes = job->request.nodes,
        .priority = job->priority};
}

static trainyard_policy_view view_for(PolicyOutside *outside, const PolicyView *view)
{
    const uint32_t waiting = (uint32_t)view->waiting_count, running = (uint32_t)view->running_count;
    outside->waiting = array_room(outside->arena, outside->waiting, waiting,
                                  &outside->waiting_capacity, sizeof *outside->waiting);
    outside->running = array_room(outside->arena, outside->running, running,
                                  &outside->running_capacity, sizeof *outside->running);
    for (uint32_t i = 0; i < waiting; i++)
        outside->waiting[i] = waiting_job(view, &view->waiting[i]);
    for (uint32_t i = 0; i < running; i++)
        outside->running[i] = running_job(view, &view->running[i]);
    trainyard_policy_view shown = {.now_ns = view->now_ns,
                                   .waiting = outside->waiting,
                                   .running = outside->running,
                                   .used_node_us = view->used_node_us,
                                   .waiting_count = view->waiting_count,
                                   .running_count = view->running_count};
    for (const Room *kind = view->room; kind != NULL; kind = kind->next) {
        shown.free_slots += policy_free_slots(view, kind);
        shown.most_slots += policy_most_slots(view, kind);
    }
    return shown;
}

PolicyChoice policy_outside(const PolicyView *view)
{
    PolicyOutside *outside = view->outside;
    if (outside->fault.is_set || view->waiting_count == 0)
        return (PolicyChoice){.job = POLICY_NONE};
    const trainyard_policy_view shown = view_for(outside, view);
    const int32_t answer = outside->choose(&shown);
    if (answer == TRAINYARD_POLICY_NONE)
        return (PolicyChoice){.job = POLICY_NONE};
    if (answer >= 0 && answer < view->waiting_count && policy_fits(view, &view->waiting[answer]))
        return (PolicyChoice){.job = answer};
    outside->fault = (PolicyFault){.is_set = true,
                                   .at_ns = view->now_ns,
                                   .answer = answer,
                                   .waiting_count = view->waiting_count};
    return (PolicyChoice){.job = POLICY_NONE};
}

void policy_fault_print(Text *out, const PolicyFault *fault)
{
    text_add(out, "at ");
    duration_print(out, fault->at_ns);
    if (fault->answer < 0 || fault->answer >= fault->waiting_count)
        text_printf(out, " the policy chose job %" PRId32 ", but %" PRId32 " job%s wait%s, from 0",
                    fault->answer, fault->waiting_count, plural(fault->waiting_count),
                    fault->waiting_count == 1 ? "s" : "");
    else
        text_printf(out, " the policy chose job %" PRId32 ", which does not fit (fits is 0)",
                    fault->answer);
}
