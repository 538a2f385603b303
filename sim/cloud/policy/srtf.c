/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

/* Running and waiting jobs in order of their expected time, each with the slots that it gets. */
typedef struct {
    const PolicyView *view;
    int32_t running, waiting; /* the next of each */
    int64_t nodes;            /* all that take or run jobs */
    int64_t slots;            /* that are left */
} Share;

/* The next job of the order, and whether it gets slots. */
typedef struct {
    int32_t running, waiting; /* its index; POLICY_NONE in the other list */
    int64_t slots;            /* that it needs */
    bool has_slots;
} Turn;

static int64_t slots_of(const PolicyView *view, JobRequest request)
{
    return request_slots(request, view->room.gpus_per_node);
}

static Share share_begin(const PolicyView *view)
{
    const int32_t per_node = view->room.gpus_per_node > 0 ? view->room.gpus_per_node : 1;
    Share share = {.view = view, .slots = room_slots(view->room)};
    for (int32_t i = 0; i < view->running_count; i++)
        share.slots += slots_of(view, view->running[i].request);
    share.nodes = share.slots / per_node;
    return share;
}

/* Whether a running job is next; among equals it comes first. */
static bool running_is_next(const Share *share)
{
    const PolicyView *view = share->view;
    if (share->running == view->running_count || share->waiting == view->waiting_count)
        return share->waiting == view->waiting_count;
    const int64_t end_ns = view->running[share->running].expected_end_ns;
    const int64_t left_ns = end_ns > view->now_ns ? end_ns - view->now_ns : 0;
    return left_ns <= view->waiting[share->waiting].expected_ns;
}

static bool is_possible(const Share *share, JobRequest request)
{
    const int32_t nodes = share->nodes < INT32_MAX ? (int32_t)share->nodes : INT32_MAX;
    if (share->view->room.limit.is_set)
        return policy_is_possible(share->view, request); // its slots may be spread over more nodes
    return request_is_possible(request, nodes, room_whole(share->view->room));
}

/* Serves the next job; false: all are served. */
static bool share_next(Share *share, Turn *turn)
{
    const PolicyView *view = share->view;
    if (share->running == view->running_count && share->waiting == view->waiting_count)
        return false;
    const bool is_running = running_is_next(share);
    *turn = (Turn){.running = is_running ? share->running++ : POLICY_NONE,
                   .waiting = is_running ? POLICY_NONE : share->waiting++};
    const JobRequest request =
        is_running ? view->running[turn->running].request : view->waiting[turn->waiting].request;
    turn->slots = slots_of(view, request);
    turn->has_slots = turn->slots <= share->slots && (is_running || is_possible(share, request));
    if (turn->has_slots)
        share->slots -= turn->slots;
    return true;
}

int32_t policy_srtf(const PolicyView *view)
{
    Share share = share_begin(view);
    for (Turn turn; share_next(&share, &turn);)
        if (turn.waiting != POLICY_NONE && turn.has_slots &&
            request_fits(view->waiting[turn.waiting].request, view->room))
            return turn.waiting;
    return POLICY_NONE;
}

int32_t policy_srtf_victim(const PolicyView *view)
{
    Share share = share_begin(view);
    for (Turn turn; share_next(&share, &turn);)
        if (turn.running != POLICY_NONE && !turn.has_slots)
            return turn.running; // a job without slots always has them
    return POLICY_NONE;
}
