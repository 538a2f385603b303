#include "sim/cloud/job/reclaim.h"

#include "sim/base/array.h"
#include "sim/cloud/cluster/freed_room.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/notice.h"
#include "sim/cloud/job/queue_plan.h"
#include "sim/cloud/policy/queue_share.h"
#include "sim/model/bounded.h"

typedef struct Reclaim {
    FreedRoom room;
    SharingJob *sharing; /* running jobs, then those that borrow */
    JobId *given;        /* the jobs that give their nodes, in this order: those that are being
                            terminated, then those that borrow */
    uint32_t sharing_count, sharing_capacity, given_count, given_capacity;
    int32_t borrower_count;
    bool has_new; /* a job that has started at this instant was left out */
} Reclaim;

Reclaim *reclaim_create(Arena *arena, const ClusterSpec *spec)
{
    for (int32_t i = 0; i < spec->queue_count; i++)
        if (spec->queues[i].reclaims)
            return ARENA_NEW(arena, Reclaim);
    return NULL;
}

/* --- The claim --- */

static void push_claim(Jobs *jobs, const Cluster *cluster, JobQueue *queue, int32_t index,
                       int64_t delay_ns)
{
    engine_push(jobs->engine, delay_ns, EVENT_QUEUE_CLAIM, cluster->id.index, ++queue->claim,
                (uint32_t)index);
}

void reclaim_forget(Jobs *jobs, JobQueue *queue)
{
    notice_withdraw_all(jobs, queue, CAUSE_RECLAIM);
    queue->owed_since_ns = INT64_MAX;
    queue->claim++; // its event is stale
}

void reclaim_note(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues, int32_t index,
                  bool is_owed)
{
    JobQueue *queue = &queues->items[index];
    const bool was_owed = queue->owed_since_ns != INT64_MAX;
    if (!is_owed && was_owed)
        reclaim_forget(jobs, queue);
    if (!is_owed || was_owed)
        return;
    queue->owed_since_ns = jobs->engine->now_ns;
    if (queue->spec->reclaim_after_ns > 0)
        push_claim(jobs, cluster, queue, index, queue->spec->reclaim_after_ns);
}

/* --- The jobs that may be stopped --- */

static void add_given(Jobs *jobs, Reclaim *reclaim, JobId job)
{
    reclaim->given = array_room(jobs->arena, reclaim->given, reclaim->given_count + 1,
                                &reclaim->given_capacity, sizeof *reclaim->given);
    reclaim->given[reclaim->given_count++] = job;
}

/* Whether the nodes of the job will be free for the `index`-th queue without a reclaim: it is being
 * terminated, or the policy of the queue stops it. */
static bool gives_anyway(const Job *job, int32_t index)
{
    return job_is_stopping(job) || notice_is_for(job, index, CAUSE_PRECEDENCE);
}

static void add_running(Jobs *jobs, const Cluster *cluster, const ClusterQueues *queues,
                        int32_t index, Reclaim *reclaim, const Job *job)
{
    if (gives_anyway(job, index)) {
        add_given(jobs, reclaim, job->id);
        return;
    }
    if (notice_is_given(job) && !notice_is_for(job, index, CAUSE_RECLAIM))
        return; // another queue gets its nodes
    reclaim->sharing = array_room(jobs->arena, reclaim->sharing, reclaim->sharing_count + 1,
                                  &reclaim->sharing_capacity, sizeof *reclaim->sharing);
    reclaim->sharing[reclaim->sharing_count++] =
        (SharingJob){.job = job->id,
                     .queue = job->queue,
                     .spec = queues->items[job->queue].spec,
                     .priority = job_priority(jobs->scenario, job),
                     .started_ns = job->started_ns,
                     .slots = job_slots(cluster, job->request)};
}

/* Lists the running jobs of the cluster that may give nodes to the `index`-th queue, each at its
 * first node. */
static void list_running(Jobs *jobs, const Cluster *cluster, const ClusterQueues *queues,
                         int32_t index, Reclaim *reclaim)
{
    reclaim->sharing_count = reclaim->given_count = 0;
    for (int32_t place = 0; place < cluster->place_count; place++) {
        const NodeId id = cluster->nodes[place];
        const Node *node = id.index != ID_NONE ? node_by_id(jobs->clusters, id) : NULL;
        if (node == NULL || node->state != NODE_RUNNING)
            continue;
        for (int32_t i = 0; i < node_job_count(node); i++) {
            const Job *job = job_by_id(jobs, node_job_at(node, i));
            if (job->nodes[0].index == id.index)
                add_running(jobs, cluster, queues, index, reclaim, job);
        }
    }
}

static bool has_just_started(const Jobs *jobs, const SharingJob *sharing)
{
    return sharing->started_ns == jobs->engine->now_ns;
}

/* Lists the jobs that give their nodes; those that have notice for the `index`-th queue come before
 * the other ones that borrow. A job that has started at this instant is not stopped: otherwise
 * queues could take each other's nodes for ever. */
static void list_given(Jobs *jobs, const Cluster *cluster, const ClusterQueues *queues,
                       int32_t index, Reclaim *reclaim)
{
    list_running(jobs, cluster, queues, index, reclaim);
    reclaim->borrower_count = queue_borrowers(reclaim->sharing, (int32_t)reclaim->sharing_count);
    reclaim->has_new = false;
    for (int has_notice = 1; has_notice >= 0; has_notice--)
        for (int32_t i = 0; i < reclaim->borrower_count; i++) {
            const SharingJob *sharing = &reclaim->sharing[i];
            const bool is_new = has_just_started(jobs, sharing);
            reclaim->has_new |= is_new;
            if (!is_new && notice_is_given(job_by_id(jobs, sharing->job)) == has_notice)
                add_given(jobs, reclaim, sharing->job);
        }
}

/* --- The search --- */

/* A job that would start on one kind of nodes. */
typedef struct {
    Jobs *jobs;
    const Cluster *cluster;
    const JobQueue *queue;
    Reclaim *reclaim;
    const Job *job;
    int32_t kind;
} Search;

static void give(const Search *search, uint32_t index)
{
    const Job *job = job_by_id(search->jobs, search->reclaim->given[index]);
    freed_room_give(search->jobs->clusters, &search->reclaim->room, job->request, job->nodes);
}

static void take(const Search *search, uint32_t index)
{
    const Job *job = job_by_id(search->jobs, search->reclaim->given[index]);
    freed_room_take(search->jobs->clusters, &search->reclaim->room, job->request, job->nodes);
}

static void begin_room(const Search *search)
{
    freed_room_begin(search->jobs->arena, search->jobs->clusters, search->cluster,
                     &search->reclaim->room);
}

static bool fits(const Search *search)
{
    const SlotLimit limit = job_queue_limit(search->queue);
    return request_fits_on(&search->job->request, &limit,
                           &search->reclaim->room.rooms[search->kind]);
}

/* Whether the policy starts the job on the kind of nodes, with the nodes that are free now in the
 * room. */
static bool starts(const Search *search)
{
    if (!fits(search))
        return false;
    const QueueChoice choice =
        job_queue_choose(search->jobs, search->queue, freed_room(&search->reclaim->room));
    return choice.job == search->job &&
           (choice.kinds == 0 || (choice.kinds & kind_set_of(search->kind)) != 0);
}

/* Reduces the list to jobs all of which are needed. False: they are not enough. */
static bool find_needed(const Search *search)
{
    Reclaim *reclaim = search->reclaim;
    uint32_t count = 0;
    begin_room(search);
    while (count < reclaim->given_count && !starts(search))
        give(search, count++);
    if (count == 0 || !starts(search))
        return false;
    uint32_t first = count - 1; // the last one is needed
    for (uint32_t i = count - 1; i-- > 0;) {
        take(search, i);
        if (starts(search))
            continue;
        give(search, i);
        reclaim->given[--first] = reclaim->given[i];
    }
    for (uint32_t i = first; i < count; i++)
        reclaim->given[i - first] = reclaim->given[i];
    reclaim->given_count = count - first;
    return true;
}

/* Whether the queue's guarantee includes the job on the kind of nodes. */
static bool is_included(const Search *search)
{
    const int64_t slots =
        request_slots_on(search->job->request, &search->reclaim->room.rooms[search->kind]);
    return slots > 0 && job_queue_is_guaranteed(search->queue, slots);
}

static bool is_enough_on(Search *search, int32_t kind)
{
    search->kind = kind;
    return request_allows(search->job->request, kind) && is_included(search) && find_needed(search);
}

/* Finds the job that starts, its kind of nodes, and the jobs that it needs. The first kind on which
 * they are enough counts, in the order in which the job takes them. */
static bool search_kinds(Search *search)
{
    begin_room(search);
    for (uint32_t i = 0; i < search->reclaim->given_count; i++)
        give(search, i);
    const Room *order[NODE_KINDS_MAX];
    const Room *room = freed_room(&search->reclaim->room);
    search->job = job_queue_choose(search->jobs, search->queue, room).job;
    const int32_t count =
        search->job != NULL ? job_kinds_in_order(search->jobs, search->job, room, order) : 0;
    for (int32_t i = 0; i < count; i++)
        if (is_enough_on(search, order[i]->kind))
            return true;
    return false;
}

static Reclaimed reclaimed_by(const Search *search)
{
    const Reclaim *reclaim = search->reclaim;
    const Cluster *cluster = search->cluster;
    Reclaimed reclaimed = {.job = search->job,
                           .request = search->job->request,
                           .stopped = reclaim->given,
                           .stopped_count = (int32_t)reclaim->given_count};
    if (cluster->kind_count > 1) {
        reclaimed.request = request_on(reclaimed.request, cluster->kinds[search->kind].whole.gpus);
        reclaimed.request.kinds = kind_set_of(search->kind) & KIND_SET_ALL;
    }
    for (uint32_t i = 0; i < reclaim->given_count; i++)
        reclaimed.slots += job_slots(cluster, job_by_id(search->jobs, reclaim->given[i])->request);
    return reclaimed;
}

/* Whether one of the needed jobs gives its nodes anyway. */
static bool waits_for_end(const Jobs *jobs, const Reclaim *reclaim, int32_t index)
{
    for (uint32_t i = 0; i < reclaim->given_count; i++)
        if (gives_anyway(job_by_id(jobs, reclaim->given[i]), index))
            return true;
    return false;
}

/* --- Notice --- */

static bool all_notices_are_over(const Jobs *jobs, const Reclaim *reclaim)
{
    uint32_t i = 0;
    while (i < reclaim->given_count && notice_is_over(jobs, job_by_id(jobs, reclaim->given[i])))
        i++;
    return i == reclaim->given_count;
}

/* The slots within the guarantee of the queue that its waiting jobs lack, and that are not free. */
static int64_t lacking_slots(const Jobs *jobs, const Cluster *cluster, const JobQueue *queue)
{
    const Room *room = cluster_room(cluster);
    const int64_t left = queue->spec->guaranteed - queue->used_slots;
    int64_t wanted = 0, free = 0;
    for (int32_t i = 0; i < queue->waiting.count && wanted < left; i++) {
        const Job *job = job_by_id(jobs, queue->waiting.items[i].job);
        wanted += job->is_deferred ? 0 : request_least_slots(job->request, room);
    }
    for (const Room *kind = room; kind != NULL; kind = kind->next)
        free += room_slots_of_kind(kind);
    return (wanted < left ? wanted : left) - free;
}

/* The job gets notice for the `index`-th queue, unless it has one, or keeps it. Returns its slots.
 */
static int64_t needs_notice(Jobs *jobs, const Cluster *cluster, int32_t index, JobId id)
{
    Job *job = job_row(jobs, id);
    if (!notice_is_given(job))
        notice_give(jobs, job, index, CAUSE_RECLAIM);
    job->attempt->notice.is_needed = true;
    return job_slots(cluster, job->request);
}

/* Gives notice to the jobs that are to be stopped and, while waiting jobs of the queue lack slots,
 * to the next ones; withdraws that of all others. */
static void give_notices(Jobs *jobs, const Cluster *cluster, const ClusterQueues *queues,
                         int32_t index)
{
    const Reclaim *reclaim = queues->reclaim;
    const JobQueue *queue = &queues->items[index];
    int64_t lacking = lacking_slots(jobs, cluster, queue);
    notice_choose_anew(jobs, queue);
    for (uint32_t i = 0; i < reclaim->given_count; i++)
        lacking -= needs_notice(jobs, cluster, index, reclaim->given[i]);
    for (int has_notice = 1; has_notice >= 0; has_notice--)
        for (int32_t i = 0; i < reclaim->borrower_count && lacking > 0; i++) {
            const SharingJob *sharing = &reclaim->sharing[i];
            const Job *job = job_by_id(jobs, sharing->job);
            if (!has_just_started(jobs, sharing) && notice_is_given(job) == has_notice &&
                !job->attempt->notice.is_needed)
                lacking -= needs_notice(jobs, cluster, index, sharing->job);
        }
    notice_withdraw_unneeded(jobs, queue, index, CAUSE_RECLAIM);
}

bool reclaim_find(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues, int32_t index,
                  Reclaimed *reclaimed)
{
    JobQueue *queue = &queues->items[index];
    Reclaim *reclaim = queues->reclaim;
    const int64_t now_ns = jobs->engine->now_ns;
    if (queue->owed_since_ns == INT64_MAX ||
        now_ns - queue->owed_since_ns < queue->spec->reclaim_after_ns)
        return false;
    Search search = {.jobs = jobs, .cluster = cluster, .queue = queue, .reclaim = reclaim};
    list_given(jobs, cluster, queues, index, reclaim);
    if (!search_kinds(&search)) {
        if (reclaim->has_new)
            push_claim(jobs, cluster, queue, index, 1);
        else
            notice_withdraw_all(jobs, queue, CAUSE_RECLAIM);
        return false;
    }
    if (waits_for_end(jobs, reclaim, index))
        return false;
    if (queue->spec->grace_ns > 0 && !all_notices_are_over(jobs, reclaim)) {
        give_notices(jobs, cluster, queues, index);
        return false;
    }
    *reclaimed = reclaimed_by(&search);
    return true;
}
