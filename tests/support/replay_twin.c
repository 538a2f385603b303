#include "tests/support/replay_twin.h"

#include <stdbool.h>

typedef struct {
    int64_t row, left_ns, resumed_ns; /* left_ns: as of resumed_ns while it runs */
    int32_t *taken;                   /* [node] GPUs */
    bool runs, is_over;
    bool has_gpus; /* SRTF: it gets GPUs at this instant */
} TwinJob;

typedef struct {
    Arena *arena;
    const JobList *list;
    TwinRules rules;
    TwinCluster cluster;
    int32_t *free; /* [node] */
    TwinJob *jobs;
    TwinRun *runs;
    int64_t count, arrived; /* jobs of the queue; the first `arrived` have arrived */
    int64_t over;           /* all before have ended */
} Replay;

static int32_t gpus_of(const Replay *replay, const TwinJob *job)
{
    return replay->list->gpus[job->row];
}

static bool waits(const TwinJob *job)
{
    return !job->runs && !job->is_over;
}

/* The fullest node with `gpus` free GPUs, or the emptiest one; the first among equals; -1: none. */
static int32_t find_node(const Replay *replay, const int32_t *taken, int32_t gpus, bool emptiest)
{
    int32_t found = -1;
    for (int32_t n = 0; n < replay->cluster.nodes; n++) {
        const int32_t free = replay->free[n];
        if (free < gpus || taken[n] > 0)
            continue;
        if (found < 0 || (emptiest ? free > replay->free[found] : free < replay->free[found]))
            found = n;
    }
    return found;
}

/* Takes GPUs for a job; false, with nothing taken: it does not fit. */
static bool place(Replay *replay, TwinJob *job)
{
    const int32_t each = replay->cluster.gpus_per_node;
    int32_t left = gpus_of(replay, job);
    const bool is_wide = left > each;
    job->taken = ARENA_ARRAY(replay->arena, int32_t, replay->cluster.nodes);
    while (left > 0) {
        const int32_t part = left > each ? each : left;
        const int32_t node = find_node(replay, job->taken, part, is_wide && part < each);
        if (node < 0)
            return false;
        job->taken[node] = part;
        left -= part;
    }
    for (int32_t n = 0; n < replay->cluster.nodes; n++)
        replay->free[n] -= job->taken[n];
    return true;
}

static void free_gpus(Replay *replay, TwinJob *job)
{
    job->runs = false;
    for (int32_t n = 0; n < replay->cluster.nodes; n++)
        replay->free[n] += job->taken[n];
}

static void complete(Replay *replay, int64_t now_ns)
{
    for (int64_t j = replay->over; j < replay->arrived; j++) {
        TwinJob *job = &replay->jobs[j];
        if (!job->runs || job->resumed_ns + job->left_ns != now_ns)
            continue;
        free_gpus(replay, job);
        job->is_over = true;
        replay->runs[job->row].end_ns = now_ns;
    }
    while (replay->over < replay->arrived && replay->jobs[replay->over].is_over)
        replay->over++;
}

static bool start(Replay *replay, TwinJob *job, int64_t now_ns)
{
    TwinRun *run = &replay->runs[job->row];
    if (!place(replay, job))
        return false;
    job->runs = true;
    job->resumed_ns = now_ns;
    if (run->starts++ == 0)
        run->start_ns = now_ns;
    return true;
}

/* --- One after the other --- */

static TwinJob *next_in_line(const Replay *replay)
{
    TwinJob *next = NULL;
    for (int64_t j = replay->over; j < replay->arrived; j++) {
        TwinJob *job = &replay->jobs[j];
        if (!waits(job))
            continue;
        if (next == NULL || (replay->rules.order == TWIN_SJF && job->left_ns < next->left_ns))
            next = job;
    }
    return next;
}

static void serve_in_line(Replay *replay, int64_t now_ns)
{
    TwinJob *next;
    do
        next = next_in_line(replay);
    while (next != NULL && start(replay, next, now_ns));
}

/* --- Shortest remaining time first --- */

static int64_t left_at(const TwinJob *job, int64_t now_ns)
{
    return job->runs ? job->left_ns - (now_ns - job->resumed_ns) : job->left_ns;
}

static bool is_before(const TwinJob *a, const TwinJob *b, int64_t now_ns)
{
    if (left_at(a, now_ns) != left_at(b, now_ns))
        return left_at(a, now_ns) < left_at(b, now_ns);
    return a->runs != b->runs ? a->runs : a->row < b->row;
}

/* The jobs that have arrived and have not ended, by remaining time. */
static int64_t list_by_time(const Replay *replay, TwinJob **order, int64_t now_ns)
{
    int64_t count = 0;
    for (int64_t j = replay->over; j < replay->arrived; j++) {
        TwinJob *job = &replay->jobs[j];
        if (job->is_over)
            continue;
        int64_t at = count++;
        for (; at > 0 && is_before(job, order[at - 1], now_ns); at--)
            order[at] = order[at - 1];
        order[at] = job;
    }
    return count;
}

static void stop(Replay *replay, TwinJob *job, int64_t now_ns)
{
    const int32_t gpus = gpus_of(replay, job);
    job->left_ns = left_at(job, now_ns) + replay->rules.cost_ns[gpus <= 1 ? 0 : gpus <= 8 ? 1 : 2];
    free_gpus(replay, job);
}

static void serve_by_time(Replay *replay, int64_t now_ns)
{
    TwinJob **order = ARENA_ARRAY(replay->arena, TwinJob *, replay->count);
    const int64_t count = list_by_time(replay, order, now_ns);
    int32_t left = replay->cluster.nodes * replay->cluster.gpus_per_node;
    for (int64_t i = 0; i < count; i++) {
        order[i]->has_gpus = gpus_of(replay, order[i]) <= left;
        if (order[i]->has_gpus)
            left -= gpus_of(replay, order[i]);
    }
    for (int64_t i = 0; i < count; i++)
        if (order[i]->runs && !order[i]->has_gpus)
            stop(replay, order[i], now_ns);
    for (int64_t i = 0; i < count; i++)
        if (waits(order[i]) && order[i]->has_gpus)
            (void)start(replay, order[i], now_ns); // or it waits for a node with room
}

/* --- Time --- */

static int64_t next_ns(const Replay *replay)
{
    int64_t next = TWIN_NEVER;
    if (replay->arrived < replay->count)
        next = replay->list->submit_ns[replay->jobs[replay->arrived].row];
    for (int64_t j = replay->over; j < replay->arrived; j++) {
        const TwinJob *job = &replay->jobs[j];
        if (job->runs && job->resumed_ns + job->left_ns < next)
            next = job->resumed_ns + job->left_ns;
    }
    return next;
}

static void replay_queue(Replay *replay)
{
    for (int64_t now_ns; (now_ns = next_ns(replay)) != TWIN_NEVER;) {
        complete(replay, now_ns);
        while (replay->arrived < replay->count &&
               replay->list->submit_ns[replay->jobs[replay->arrived].row] == now_ns)
            replay->arrived++;
        if (replay->rules.order == TWIN_SRTF)
            serve_by_time(replay, now_ns);
        else
            serve_in_line(replay, now_ns);
    }
}

void replay_twin(Arena *arena, const JobList *list, const TwinCluster *clusters, TwinRules rules,
                 TwinRun *runs)
{
    const int32_t queues = list->queue != NULL ? list->queues.count : 1;
    for (int32_t queue = 0; queue < queues; queue++) {
        Replay replay = {.arena = arena,
                         .list = list,
                         .rules = rules,
                         .cluster = clusters[queue],
                         .free = ARENA_ARRAY(arena, int32_t, clusters[queue].nodes),
                         .jobs = ARENA_ARRAY(arena, TwinJob, list->count),
                         .runs = runs};
        for (int32_t n = 0; n < clusters[queue].nodes; n++)
            replay.free[n] = clusters[queue].gpus_per_node;
        for (int64_t row = 0; row < list->count; row++)
            if (list->queue == NULL || list->queue[row] == queue) {
                replay.jobs[replay.count++] = (TwinJob){.row = row, .left_ns = list->run_ns[row]};
                runs[row] = (TwinRun){.start_ns = TWIN_NEVER, .end_ns = TWIN_NEVER};
            }
        replay_queue(&replay);
    }
}
