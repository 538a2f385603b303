/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

/* Running and waiting jobs in order of their expected time, each with the slots that it gets. */
typedef struct {
    const PolicyView *view;
    int32_t running, waiting;      /* the next of each */
    int64_t nodes[NODE_KINDS_MAX]; /* all that take or run jobs */
    int64_t slots[NODE_KINDS_MAX]; /* that are left */
} Share;

/* The next job of the order, and the slots that it gets. */
typedef struct {
    int32_t running, waiting; /* its index; POLICY_NONE in the other list */
    const Room *kind;         /* of the nodes; NULL: it gets no slots */
} Turn;

static void share_begin(const PolicyView *view, Share *share)
{
    share->view = view;
    share->running = share->waiting = 0;
    for (const Room *kind = view->room; kind != NULL; kind = kind->next) {
        const int32_t per_node = kind->gpus_per_node > 0 ? kind->gpus_per_node : 1;
        int64_t slots = policy_free_slots(view, kind);
        for (int32_t i = 0; i < view->running_count; i++)
            slots += policy_held_slots(&view->running[i], kind);
        share->slots[kind->kind] = slots;
        share->nodes[kind->kind] = slots / per_node;
    }
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

static bool is_possible(const Share *share, JobRequest request, const Room *kind)
{
    const int64_t all = share->nodes[kind->kind];
    const int32_t nodes = all < INT32_MAX ? (int32_t)all : INT32_MAX;
    const SlotLimit *limit = &share->view->limit;
    if (limit->is_set) // its slots may be spread over more nodes
        return request_may_start_on(&request, limit, kind);
    if (request.kinds != 0)
        request = request_on(request, kind->gpus_per_node);
    return request_is_possible(request, nodes, room_whole(kind));
}

/* The kind of nodes of which the job gets slots, `kept_back` fewer than it asks for; NULL: it gets
 * none. */
static const Room *kind_for(const Share *share, JobRequest request, int64_t kept_back,
                            bool is_running)
{
    const Room *kind = share->view->room;
    while (kind != NULL &&
           (!request_allows(request, kind->kind) ||
            request_slots_on(request, kind) - kept_back > share->slots[kind->kind] ||
            (!is_running && !is_possible(share, request, kind))))
        kind = kind->next;
    return kind;
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
    const int64_t kept_back = is_running ? view->running[turn->running].kept_back : 0;
    turn->kind = kind_for(share, request, kept_back, is_running);
    if (turn->kind != NULL)
        share->slots[turn->kind->kind] -= request_slots_on(request, turn->kind) - kept_back;
    return true;
}

PolicyChoice policy_srtf(const PolicyView *view)
{
    Share share;
    share_begin(view, &share);
    for (Turn turn; share_next(&share, &turn);)
        if (turn.waiting != POLICY_NONE && turn.kind != NULL &&
            request_fits_on(&view->waiting[turn.waiting].request, &view->limit, turn.kind))
            return (PolicyChoice){.job = turn.waiting, .kinds = kind_set_of(turn.kind->kind)};
    return (PolicyChoice){.job = POLICY_NONE};
}

int32_t policy_srtf_victim(const PolicyView *view)
{
    Share share;
    share_begin(view, &share);
    for (Turn turn; share_next(&share, &turn);)
        if (turn.running != POLICY_NONE && turn.kind == NULL)
            return turn.running; // a job without slots always has them
    return POLICY_NONE;
}
