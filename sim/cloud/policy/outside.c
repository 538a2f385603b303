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
        .expected_ns = policy_shortest_ns(job),
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

/* The index in `running` of TRAINYARD_POLICY_STOP; negative: another answer. Exact for all int32_t.
 */
static int64_t stopped_by(int32_t answer)
{
    return -2 - (int64_t)answer;
}

/* A job that starts and stops at one instant could do so for ever. */
static bool may_answer(const PolicyView *view, int32_t answer)
{
    const int64_t stopped = stopped_by(answer);
    if (stopped >= 0)
        return stopped < view->running_count && view->running[stopped].started_ns < view->now_ns;
    return answer == TRAINYARD_POLICY_NONE ||
           (answer < view->waiting_count && policy_fits(view, &view->waiting[answer]));
}

/* The answer to `view`; TRAINYARD_POLICY_NONE if it is not allowed, which is recorded. */
static int32_t ask(const PolicyView *view)
{
    PolicyOutside *outside = view->outside;
    if (outside->fault.is_set || view->waiting_count == 0)
        return TRAINYARD_POLICY_NONE;
    const trainyard_policy_view shown = view_for(outside, view);
    const int32_t answer = outside->choose(&shown);
    if (may_answer(view, answer))
        return answer;
    outside->fault = (PolicyFault){.is_set = true,
                                   .at_ns = view->now_ns,
                                   .answer = answer,
                                   .waiting_count = view->waiting_count,
                                   .running_count = view->running_count};
    return TRAINYARD_POLICY_NONE;
}

PolicyChoice policy_outside(const PolicyView *view)
{
    const int32_t answer = ask(view);
    return (PolicyChoice){.job = answer >= 0 ? answer : POLICY_NONE};
}

int32_t policy_outside_victim(const PolicyView *view)
{
    const int64_t stopped = stopped_by(ask(view));
    return stopped >= 0 ? (int32_t)stopped : POLICY_NONE;
}

void policy_fault_print(Text *out, const PolicyFault *fault)
{
    text_add(out, "at ");
    duration_print(out, fault->at_ns);
    const int64_t stopped = stopped_by(fault->answer);
    if (stopped >= fault->running_count)
        text_printf(out, " the policy stopped job %" PRId64 ", but %" PRId32 " job%s run%s, from 0",
                    stopped, fault->running_count, plural(fault->running_count),
                    fault->running_count == 1 ? "s" : "");
    else if (stopped >= 0)
        text_printf(out, " the policy stopped job %" PRId64 " at the instant of its start",
                    stopped);
    else if (fault->answer < 0 || fault->answer >= fault->waiting_count)
        text_printf(out, " the policy chose job %" PRId32 ", but %" PRId32 " job%s wait%s, from 0",
                    fault->answer, fault->waiting_count, plural(fault->waiting_count),
                    fault->waiting_count == 1 ? "s" : "");
    else
        text_printf(out, " the policy chose job %" PRId32 ", which does not fit (fits is 0)",
                    fault->answer);
}

bool policy_fault_refuse(const PolicyFault *fault, const char *path, Status *status)
{
    Text sentence = {0};
    policy_fault_print(&sentence, fault);
    status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0), "%s", text_string(&sentence));
    text_free(&sentence);
    return status_hint(status, "it returns an index of view->waiting with \"fits\", "
                               "TRAINYARD_POLICY_STOP of a running job, or TRAINYARD_POLICY_NONE");
}
