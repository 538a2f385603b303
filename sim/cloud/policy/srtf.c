/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

#include <stdlib.h>

/* Running and waiting jobs in order of their expected time, each with the slots that it gets. */
typedef struct {
    const PolicyView *view;
    const PolicyStep *order;       /* running jobs by time left; NULL: as in the view */
    int32_t running, waiting;      /* the next of each */
    int64_t nodes[NODE_KINDS_MAX]; /* all that take or run jobs */
    int64_t slots[NODE_KINDS_MAX]; /* that are left */
} Share;

/* The next job of the order, and the slots that it gets. */
typedef struct {
    int32_t running, waiting; /* its index; POLICY_NONE in the other list */
    const Room *kind;         /* of the nodes; NULL: it gets no slots */
} Turn;

/* Steps that stand for running jobs: the time left, and the index. */
static int by_time_left(const void *left, const void *right)
{
    const PolicyStep *a = left, *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return (a->slots > b->slots) - (a->slots < b->slots);
}

/* The view has running jobs by expected end, which is the same order unless they would be faster on
 * other kinds of nodes. */
static const PolicyStep *order_of_running(const PolicyView *view)
{
    bool is_other = false;
    if (view->room->next == NULL)
        return NULL; // nodes of one kind
    for (int32_t i = 0; i < view->running_count && !is_other; i++)
        is_other = view->running[i].speed_ppm < view->running[i].fastest_ppm;
    if (!is_other)
        return NULL;
    for (int32_t i = 0; i < view->running_count; i++)
        view->steps[i] = (PolicyStep){policy_left_ns(view, &view->running[i]), i};
    qsort(view->steps, (size_t)view->running_count, sizeof *view->steps, by_time_left);
    return view->steps;
}

static int32_t next_running(const Share *share)
{
    return share->order != NULL ? (int32_t)share->order[share->running].slots : share->running;
}

static void share_begin(const PolicyView *view, Share *share)
{
    share->view = view;
    share->order = order_of_running(view);
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
    return policy_left_ns(view, &view->running[next_running(share)]) <=
           policy_shortest_ns(&view->waiting[share->waiting]);
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

/* `kept_back`: slots that it holds already and that do not become free. */
static bool has_slots(const Share *share, JobRequest request, int64_t kept_back, const Room *kind)
{
    return request_allows(request, kind->kind) &&
           request_slots_on(request, kind) - kept_back <= share->slots[kind->kind];
}

/* The kind of nodes of which a running job keeps its slots; NULL: it keeps none. */
static const Room *kind_of_running(const Share *share, const RunningJob *job)
{
    const Room *kind = share->view->room;
    while (kind != NULL && !has_slots(share, job->request, job->kept_back, kind))
        kind = kind->next;
    return kind;
}

/* The kind of nodes of which a waiting job gets slots; NULL: it gets none. */
static const Room *kind_for(const Share *share, const WaitingJob *job)
{
    const Room *order[NODE_KINDS_MAX], *any = share->view->room;
    while (any != NULL && !has_slots(share, job->request, 0, any))
        any = any->next;
    if (any == NULL)
        return NULL; // most jobs of a long queue
    const int32_t count = policy_kinds_in_order(share->view, job, order);
    for (int32_t i = 0; i < count; i++)
        if (has_slots(share, job->request, 0, order[i]) &&
            is_possible(share, job->request, order[i]))
            return order[i];
    return NULL;
}

/* Serves the next job; false: all are served. */
static bool share_next(Share *share, Turn *turn)
{
    const PolicyView *view = share->view;
    if (share->running == view->running_count && share->waiting == view->waiting_count)
        return false;
    const bool is_running = running_is_next(share);
    *turn = (Turn){.running = is_running ? next_running(share) : POLICY_NONE,
                   .waiting = is_running ? POLICY_NONE : share->waiting};
    *(is_running ? &share->running : &share->waiting) += 1;
    const JobRequest request =
        is_running ? view->running[turn->running].request : view->waiting[turn->waiting].request;
    const int64_t kept_back = is_running ? view->running[turn->running].kept_back : 0;
    turn->kind = is_running ? kind_of_running(share, &view->running[turn->running])
                            : kind_for(share, &view->waiting[turn->waiting]);
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
    for (Turn turn; share.running < view->running_count && share_next(&share, &turn);)
        if (turn.running != POLICY_NONE && turn.kind == NULL)
            return turn.running; // a job without slots always has them
    return POLICY_NONE;
}
