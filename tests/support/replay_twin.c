#include "tests/support/replay_twin.h"

#include <stdbool.h>

typedef struct {
    int64_t row, end_ns;
    int32_t *taken; /* [node] GPUs */
    bool runs;
} TwinJob;

typedef struct {
    Arena *arena;
    const JobList *list;
    TwinCluster cluster;
    int32_t *free; /* [node] */
    TwinJob *jobs;
    int64_t count, arrived, started; /* jobs of the queue; all before `started` have started */
} Replay;

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
    int32_t left = replay->list->gpus[job->row];
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

static bool complete(Replay *replay, int64_t now_ns)
{
    bool any = false;
    for (int64_t j = 0; j < replay->started; j++) {
        TwinJob *job = &replay->jobs[j];
        if (!job->runs || job->end_ns != now_ns)
            continue;
        job->runs = false;
        any = true;
        for (int32_t n = 0; n < replay->cluster.nodes; n++)
            replay->free[n] += job->taken[n];
    }
    return any;
}

static void start_jobs(Replay *replay, int64_t now_ns, int64_t *start_ns)
{
    while (replay->started < replay->arrived) {
        TwinJob *job = &replay->jobs[replay->started];
        if (!place(replay, job))
            return;
        start_ns[job->row] = now_ns;
        job->end_ns = now_ns + replay->list->run_ns[job->row];
        job->runs = true;
        replay->started++;
    }
}

static int64_t next_ns(const Replay *replay)
{
    int64_t next = TWIN_NEVER;
    if (replay->arrived < replay->count)
        next = replay->list->submit_ns[replay->jobs[replay->arrived].row];
    for (int64_t j = 0; j < replay->started; j++)
        if (replay->jobs[j].runs && replay->jobs[j].end_ns < next)
            next = replay->jobs[j].end_ns;
    return next;
}

static void replay_queue(Replay *replay, int64_t *start_ns)
{
    for (int64_t now_ns; (now_ns = next_ns(replay)) != TWIN_NEVER;) {
        complete(replay, now_ns);
        while (replay->arrived < replay->count &&
               replay->list->submit_ns[replay->jobs[replay->arrived].row] == now_ns)
            replay->arrived++;
        start_jobs(replay, now_ns, start_ns);
    }
}

void replay_twin(Arena *arena, const JobList *list, const TwinCluster *clusters, int64_t *start_ns)
{
    const int32_t queues = list->queue != NULL ? list->queues.count : 1;
    for (int32_t queue = 0; queue < queues; queue++) {
        Replay replay = {.arena = arena,
                         .list = list,
                         .cluster = clusters[queue],
                         .free = ARENA_ARRAY(arena, int32_t, clusters[queue].nodes),
                         .jobs = ARENA_ARRAY(arena, TwinJob, list->count)};
        for (int32_t n = 0; n < clusters[queue].nodes; n++)
            replay.free[n] = clusters[queue].gpus_per_node;
        for (int64_t row = 0; row < list->count; row++)
            if (list->queue == NULL || list->queue[row] == queue) {
                replay.jobs[replay.count++].row = row;
                start_ns[row] = TWIN_NEVER;
            }
        replay_queue(&replay, start_ns);
    }
}
