#include "sim/output/metrics/waiting.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/cloud/job/job.h"
#include "sim/model/bounded.h"

static const struct {
    const char *name;
    const char *words;
} causes[] = {
#define X(name, text, words) {text, words},
    WAIT_CAUSES(X)
#undef X
};
_Static_assert(sizeof causes / sizeof causes[0] == WAIT_CAUSE_COUNT, "one row per cause");

const char *wait_cause_name(WaitCause cause)
{
    return causes[cause].name;
}

const char *wait_cause_words(WaitCause cause)
{
    return causes[cause].words;
}

/* --- One instant --- */

/* The slots of nodes without GPUs, and of those whose jobs have whole nodes only, are nodes. */
static int32_t slots_per_node(const Room *room)
{
    return room->gpus_per_node > 0 ? room->gpus_per_node : 1;
}

static int64_t slots_of(JobRequest request, const WaitingView *kind)
{
    const int64_t slots = request_slots(request, slots_per_node(&kind->room));
    return slots > 0 ? slots : 1;
}

static bool allows(JobRequest request, const WaitingView *kind)
{
    return request_allows(request, kind->room.kind);
}

static bool fits(JobRequest request, const WaitingView *view)
{
    for (const WaitingView *kind = view; kind != NULL; kind = kind->next)
        if (allows(request, kind) &&
            (request.kind == REQUEST_NODES
                 ? kind->room.idle_nodes >= request.nodes
                 : request_fits_on(&request, &(SlotLimit){0}, &kind->room)))
            return true;
    return false;
}

/* The first kind on which enough slots are free for a job that asks for GPUs; NULL: none. */
static const WaitingView *kind_with_slots(JobRequest request, const WaitingView *view)
{
    const WaitingView *kind = request.kind != REQUEST_NODES ? view : NULL;
    while (kind != NULL &&
           (!allows(request, kind) ||
            room_slots_of_kind(&kind->room) < request_slots(request, slots_per_node(&kind->room))))
        kind = kind->next;
    return kind;
}

/* Why a job for which enough slots of a kind are free does not fit. */
static WaitCause misplaced(JobRequest request, const WaitingView *kind)
{
    Room room = kind->room;
    room.next = NULL;
    const Shortage shortage = request_shortage(&request, &(SlotLimit){0}, &room);
    return shortage == SHORT_OF_CORES    ? WAIT_CORES
           : shortage == SHORT_OF_MEMORY ? WAIT_MEMORY
                                         : WAIT_FRAGMENTATION;
}

static bool all_fit(const WaitingView *view, const WaitingJobs *waiting, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (waiting[i].jobs > 0 && !fits(waiting[i].request, view))
            return false;
    return true;
}

/* Slots of a kind by where they come from, in the order in which they are given. */
typedef struct {
    int64_t
        slots[WAIT_CAUSE_COUNT]; /* there are so many up to this source, earlier ones included */
    int64_t given;
} Supply;

static const WaitCause sources[] = {WAIT_NODES, WAIT_REPAIR, WAIT_UNAVAILABLE, WAIT_SCALING,
                                    WAIT_QUOTA};
enum { SOURCE_COUNT = sizeof sources / sizeof sources[0] };

static Supply supply_of(const WaitingView *kind)
{
    const int64_t nodes[SOURCE_COUNT] = {kind->coming, kind->unusable, kind->refused, kind->growth,
                                         kind->over_quota};
    int64_t free = room_slots_of_kind(&kind->room);
    Supply supply = {0};
    for (int32_t i = 0; i < SOURCE_COUNT; i++) {
        free += nodes[i] * slots_per_node(&kind->room);
        supply.slots[i] = free;
    }
    return supply;
}

/* Gives slots to `jobs` jobs; returns how many got none. */
static int64_t supply_give(Supply *supplies, const WaitingView *view, JobRequest request,
                           int64_t jobs, int64_t *jobs_by_cause)
{
    for (int32_t i = 0; i < SOURCE_COUNT; i++) {
        Supply *supply = supplies;
        for (const WaitingView *kind = view; kind != NULL; kind = kind->next, supply++) {
            const int64_t need = slots_of(request, kind);
            const int64_t room = (supply->slots[i] - supply->given) / need;
            const int64_t served = !allows(request, kind) ? 0 : room < jobs ? room : jobs;
            supply->given += served * need;
            jobs_by_cause[sources[i]] += served;
            jobs -= served;
        }
    }
    return jobs;
}

void waiting_divide(WaitingView view, const WaitingJobs *waiting, int32_t count,
                    int64_t *jobs_by_cause)
{
    const WaitCause fitting = all_fit(&view, waiting, count) ? WAIT_SERVICE : WAIT_AHEAD;
    Supply supplies[NODE_KINDS_MAX];
    int64_t free = 0;
    int32_t kinds = 0;
    for (const WaitingView *kind = &view; kind != NULL; kind = kind->next) {
        supplies[kinds++] = supply_of(kind);
        free += room_slots_of_kind(&kind->room);
    }
    bool has_gang = free == 0; // idle nodes are those of one gang
    for (int32_t i = 0; i < count; i++) {
        const JobRequest request = waiting[i].request;
        const int64_t jobs = waiting[i].jobs;
        const WaitingView *with_slots = kind_with_slots(request, &view);
        if (jobs == 0)
            continue;
        if (fits(request, &view)) {
            jobs_by_cause[fitting] += jobs;
        } else if (with_slots != NULL) {
            jobs_by_cause[misplaced(request, with_slots)] += jobs;
        } else {
            const int64_t left = supply_give(supplies, &view, request, jobs, jobs_by_cause);
            const int64_t gangs = left > 0 && !has_gang;
            has_gang |= left > 0;
            jobs_by_cause[WAIT_GANG] += gangs;
            jobs_by_cause[WAIT_MAXIMUM] += left - gangs;
        }
    }
}

/* --- A run --- */

/* Jobs of one request that wait on a cluster for one reason. */
typedef struct {
    JobRequest request;
    int32_t queue;   /* of the cluster */
    WaitCause cause; /* they have started before, or are deferred; WAIT_CAUSE_COUNT: that of the
                        cluster */
    int64_t jobs;
} Group;

typedef struct {
    Group *groups;        /* in the order of their slots */
    WaitingJobs *waiting; /* [group_count] room for waiting_divide */
    uint32_t group_count, group_capacity, waiting_capacity;
    int64_t jobs;                            /* that wait */
    int64_t jobs_by_cause[WAIT_CAUSE_COUNT]; /* since since_ns */
    int64_t since_ns;
    bool has_changed; /* in this instant */
} ClusterQueue;

/* A job that waits. */
typedef struct {
    uint32_t cluster_after; /* 1 + its index; 0: the job does not wait */
    WaitCause restart;      /* as Group.cause, if it is not deferred */
    Group group;            /* of which it is, without `jobs` */
} WaitingJob;

struct WaitingFold {
    Arena *arena;
    const World *world;
    const char *queued; /* the name of JOB_QUEUED in records */
    ClusterQueue *queues;
    ClusterWaits *waits;
    WaitingJob *jobs; /* [JobId.index] */
    int64_t *noticed; /* [queue] room for divide_jobs */
    uint32_t count, queue_capacity, wait_capacity, job_capacity, noticed_capacity;
    bool has_changed;
};

WaitingFold *waiting_fold_create(Arena *arena)
{
    WaitingFold *fold = ARENA_NEW(arena, WaitingFold);
    *fold = (WaitingFold){.arena = arena, .queued = job_state_name(JOB_QUEUED)};
    return fold;
}

void waiting_fold_watch(WaitingFold *fold, const World *world)
{
    fold->world = world;
}

/* Adds the time since the last change. */
static void close_span(WaitingFold *fold, uint32_t cluster, int64_t at_ns)
{
    ClusterQueue *queue = &fold->queues[cluster];
    const int64_t span_ns = at_ns - queue->since_ns;
    queue->since_ns = at_ns;
    if (queue->jobs == 0 || span_ns == 0)
        return;
    for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++)
        fold->waits[cluster].ns[cause] += (Wide)queue->jobs_by_cause[cause] * span_ns;
}

static ClusterQueue *queue_changes(WaitingFold *fold, uint32_t cluster, int64_t at_ns)
{
    fold->queues = array_room(fold->arena, fold->queues, cluster + 1, &fold->queue_capacity,
                              sizeof *fold->queues);
    fold->waits = array_room(fold->arena, fold->waits, cluster + 1, &fold->wait_capacity,
                             sizeof *fold->waits);
    if (cluster >= fold->count)
        fold->count = cluster + 1;
    close_span(fold, cluster, at_ns);
    fold->queues[cluster].has_changed = fold->has_changed = true;
    return &fold->queues[cluster];
}

static bool same_request(JobRequest a, JobRequest b)
{
    return a.kind == b.kind && a.nodes == b.nodes && a.gpus == b.gpus &&
           a.large_nodes == b.large_nodes && a.large_gpus == b.large_gpus && a.cpus == b.cpus &&
           a.memory_mib == b.memory_mib && a.kinds == b.kinds &&
           (a.kinds == 0 || (a.shape.nodes == b.shape.nodes &&
                             a.shape.gpus_per_node_max == b.shape.gpus_per_node_max));
}

/* The group of such jobs; made at the first use, after those with as many slots or fewer. */
static Group *group_of(WaitingFold *fold, uint32_t cluster, Group like)
{
    const JobRequest request = like.request;
    ClusterQueue *queue = &fold->queues[cluster];
    const Room *room = cluster_room(world_cluster(fold->world, (ClusterId){cluster}));
    const int64_t slots = request_least_slots(request, room);
    uint32_t place = 0;
    for (uint32_t i = 0; i < queue->group_count; i++) {
        const Group *group = &queue->groups[i];
        if (group->cause == like.cause && group->queue == like.queue &&
            same_request(group->request, request))
            return &queue->groups[i];
        if (request_least_slots(group->request, room) <= slots)
            place = i + 1;
    }
    const uint32_t count = ++queue->group_count;
    queue->groups = array_room(fold->arena, queue->groups, count, &queue->group_capacity,
                               sizeof *queue->groups);
    queue->waiting = array_room(fold->arena, queue->waiting, count, &queue->waiting_capacity,
                                sizeof *queue->waiting);
    memmove(&queue->groups[place + 1], &queue->groups[place],
            (count - 1 - place) * sizeof *queue->groups);
    queue->groups[place] = like;
    return &queue->groups[place];
}

/* The cause of a wait that begins with `cause`. */
static WaitCause restart_of(TraceCause cause)
{
    if (cause == CAUSE_PREEMPTION || cause == CAUSE_RUN_LENGTH)
        return WAIT_PREEMPTION;
    if (cause == CAUSE_PRECEDENCE || cause == CAUSE_RECLAIM)
        return WAIT_PRECEDENCE;
    return cause == CAUSE_SCALE_DOWN ? WAIT_SCALING : WAIT_FAILURE;
}

static void add_job(WaitingFold *fold, const WaitingJob *waiting, int64_t at_ns, int32_t change)
{
    const uint32_t cluster = waiting->cluster_after - 1;
    queue_changes(fold, cluster, at_ns)->jobs += change;
    group_of(fold, cluster, waiting->group)->jobs += change;
}

static void job_changes(WaitingFold *fold, const TraceRecord *record)
{
    const uint32_t id = record->job.index;
    fold->jobs =
        array_room(fold->arena, fold->jobs, id + 1, &fold->job_capacity, sizeof *fold->jobs);
    WaitingJob *waiting = &fold->jobs[id];
    if (waiting->cluster_after > 0)
        add_job(fold, waiting, record->at_ns, -1);
    waiting->cluster_after = 0;
    if (record->name != fold->queued)
        return;
    const Job *job = world_job(fold->world, record->job);
    *waiting = (WaitingJob){
        .cluster_after = record->cluster.index + 1,
        .group = {.request = job->request,
                  .queue = job->queue,
                  .cause = job->starts > 0 ? restart_of(record->cause) : WAIT_CAUSE_COUNT}};
    waiting->restart = waiting->group.cause;
    add_job(fold, waiting, record->at_ns, 1);
}

/* Maintenance defers the waiting job from now on, or no longer. */
static void job_is_deferred(WaitingFold *fold, const TraceRecord *record)
{
    WaitingJob *waiting = &fold->jobs[record->job.index];
    add_job(fold, waiting, record->at_ns, -1);
    waiting->group.cause =
        record->job_deferred.begins_ns >= 0 ? WAIT_MAINTENANCE : waiting->restart;
    add_job(fold, waiting, record->at_ns, 1);
}

static void cluster_changes(WaitingFold *fold, uint32_t cluster, int64_t at_ns)
{
    if (cluster < fold->count && fold->queues[cluster].jobs > 0)
        queue_changes(fold, cluster, at_ns);
}

/* Cores that a cluster gives up or takes may be those that another one waits for. */
static void cores_change(WaitingFold *fold, int64_t at_ns)
{
    for (uint32_t i = 0; i < fold->count; i++)
        cluster_changes(fold, i, at_ns);
}

/* Records of kinds that change a cluster or its nodes. */
static bool changes_cluster(TraceKind kind)
{
    return kind == TRACE_NODE_STATE || kind == TRACE_JOB_PLACED || kind == TRACE_JOB_ATTEMPT ||
           kind == TRACE_JOB_NOTICE || kind == TRACE_QUEUE_CHANGED ||
           kind == TRACE_CLUSTER_SCALING || kind == TRACE_CLUSTER_ERROR ||
           kind == TRACE_CLUSTER_ALLOCATION;
}

static void fold_row(void *listener, const TraceRow *row)
{
    WaitingFold *fold = listener;
    const TraceRecord *record = &row->record;
    if (record->kind == TRACE_JOB_STATE)
        job_changes(fold, record);
    else if (record->kind == TRACE_JOB_DEFERRED)
        job_is_deferred(fold, record);
    else if (changes_cluster(record->kind))
        cluster_changes(fold, record->cluster.index, record->at_ns);
    if (record->kind == TRACE_CLUSTER_ALLOCATION)
        cores_change(fold, record->at_ns);
    for (uint32_t i = 0; record->kind == TRACE_RUN_ENDED && i < fold->count; i++)
        close_span(fold, i, record->at_ns);
}

static int32_t above_zero(int32_t count)
{
    return count > 0 ? count : 0;
}

static WaitingView view_of_kind(const World *world, const Cluster *cluster, const ClusterKind *kind)
{
    const int32_t held = kind->current_nodes + kind->asked_nodes;
    const int32_t lacking = above_zero(kind->target_nodes - held);
    const bool is_refused = cluster->error_code != NULL && !cluster->is_short_of_cores;
    WaitingView view = {.room = kind->room,
                        .coming = kind->node_count[NODE_PREPARING] + kind->asked_nodes,
                        .unusable = kind->node_count[NODE_UNUSABLE],
                        .refused = is_refused ? lacking : 0};
    const int32_t more = above_zero(kind->room.most_nodes - held - view.refused);
    const int32_t allowed = more > 0 ? world_quota_room(world, kind, more) : 0;
    view.over_quota = more - allowed;
    if (cluster_kind_scales(cluster, kind->room.kind))
        view.growth = allowed;
    else
        view.coming += allowed;
    return view;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Fills in the views of all kinds; returns that of the first. */
static WaitingView view_of(const World *world, const Cluster *cluster, WaitingView *views)
{
    for (int32_t k = cluster->kind_count - 1; k >= 0; k--) {
        views[k] = view_of_kind(world, cluster, &cluster->kinds[k]);
        views[k].next = k + 1 < cluster->kind_count ? &views[k + 1] : NULL;
    }
    return views[0];
}

/* Whether the queue of the jobs lets none of them start now. */
static bool is_over_limit(const World *world, const Cluster *cluster, const Group *group)
{
    const SlotLimit limit = world_queue_limit(world, cluster->id, group->queue);
    return limit.is_set && request_least_slots(group->request, cluster_room(cluster)) > limit.left;
}

/* The slots of jobs that have notice of being stopped, by queue. */
static void find_noticed(WaitingFold *fold, const Cluster *cluster)
{
    const int32_t count = cluster->spec->queue_count;
    fold->noticed = array_room(fold->arena, fold->noticed, (uint32_t)count, &fold->noticed_capacity,
                               sizeof *fold->noticed);
    for (int32_t q = 0; q < count; q++)
        fold->noticed[q] = world_noticed_slots(fold->world, cluster->id, q);
}

/* Gives the jobs of the group such slots; returns how many get theirs. */
static int64_t wait_for_notice(const WaitingFold *fold, const Cluster *cluster, const Group *group)
{
    const int64_t least = request_least_slots(group->request, cluster_room(cluster));
    const int64_t need = least > 0 ? least : 1;
    if (cluster->spec->queue_count == 0 || fold->noticed[group->queue] == 0)
        return 0; // the usual case
    const int64_t room = divide_up(fold->noticed[group->queue], need);
    const int64_t served = room < group->jobs ? room : group->jobs;
    fold->noticed[group->queue] -= smaller(served * need, fold->noticed[group->queue]);
    fold->queues[cluster->id.index].jobs_by_cause[WAIT_NOTICE] += served;
    return served;
}

static void divide_jobs(WaitingFold *fold, uint32_t id)
{
    ClusterQueue *queue = &fold->queues[id];
    const Cluster *cluster = world_cluster(fold->world, (ClusterId){id});
    int32_t count = 0;
    memset(queue->jobs_by_cause, 0, sizeof queue->jobs_by_cause);
    find_noticed(fold, cluster);
    for (uint32_t i = 0; i < queue->group_count; i++) {
        const Group *group = &queue->groups[i];
        if (group->cause != WAIT_CAUSE_COUNT)
            queue->jobs_by_cause[group->cause] += group->jobs;
        else if (is_over_limit(fold->world, cluster, group))
            queue->jobs_by_cause[WAIT_LIMIT] += group->jobs;
        else
            queue->waiting[count++] =
                (WaitingJobs){group->request, group->jobs - wait_for_notice(fold, cluster, group)};
    }
    WaitingView views[NODE_KINDS_MAX];
    waiting_divide(view_of(fold->world, cluster, views), queue->waiting, count,
                   queue->jobs_by_cause);
    if (queue->jobs_by_cause[WAIT_LIMIT] == 0 && queue->jobs_by_cause[WAIT_MAINTENANCE] == 0)
        return;
    // A job that fits comes after a job that waits for the limit or for maintenance.
    queue->jobs_by_cause[WAIT_AHEAD] += queue->jobs_by_cause[WAIT_SERVICE];
    queue->jobs_by_cause[WAIT_SERVICE] = 0;
}

static void instant_ended(void *listener, int64_t at_ns)
{
    (void)at_ns;
    WaitingFold *fold = listener;
    for (uint32_t i = 0; fold->has_changed && i < fold->count; i++) {
        ClusterQueue *queue = &fold->queues[i];
        if (queue->has_changed && queue->jobs > 0)
            divide_jobs(fold, i);
        queue->has_changed = false;
    }
    fold->has_changed = false;
}

TraceListener waiting_fold_listener(WaitingFold *fold)
{
    return (TraceListener){.listener = fold,
                           .level = TRACE_LEVEL_JOBS,
                           .row = fold_row,
                           .instant = instant_ended,
                           .ignores_workload_names = true};
}

const ClusterWaits *waiting_fold_result(const WaitingFold *fold, uint32_t *count)
{
    *count = fold->count;
    return fold->waits;
}
