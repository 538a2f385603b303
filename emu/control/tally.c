#include "emu/control/tally.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/model/price.h"

enum { NO_JOB = JOB_STATE_COUNT }; /* not recorded yet, or deleted */

struct Tally {
    Arena *arena;
    uint8_t *job_states; /* [JobId.index], JobState or NO_JOB */
    uint32_t job_count, job_capacity;
    int64_t jobs[NO_JOB + 1];
    ClusterTally *clusters; /* [ClusterId.index] */
    uint32_t cluster_count, cluster_capacity;
};

Tally *tally_create(Arena *arena)
{
    Tally *tally = ARENA_NEW(arena, Tally);
    tally->arena = arena;
    return tally;
}

/* --- Counting --- */

static void job_is(Tally *tally, JobId job, uint8_t state)
{
    for (; tally->job_count <= job.index; tally->job_count++) {
        tally->job_states = array_room(tally->arena, tally->job_states, tally->job_count + 1,
                                       &tally->job_capacity, sizeof *tally->job_states);
        tally->job_states[tally->job_count] = NO_JOB;
        tally->jobs[NO_JOB]++;
    }
    tally->jobs[tally->job_states[job.index]]--;
    tally->jobs[state]++;
    tally->job_states[job.index] = state;
}

static void job_provisioned(Tally *tally, const TraceRecord *record)
{
    if (strcmp(record->name, provisioning_state_name(PROVISIONING_CREATING)) == 0)
        job_is(tally, record->job, JOB_QUEUED); // as GET shows it from the first
    if (strcmp(record->name, provisioning_state_name(PROVISIONING_DELETED)) == 0)
        job_is(tally, record->job, NO_JOB);
}

static void job_state_reported(Tally *tally, const TraceRecord *record)
{
    for (JobState state = JOB_QUEUED; state < JOB_STATE_COUNT; state++)
        if (strcmp(record->name, job_state_name(state)) == 0)
            job_is(tally, record->job, (uint8_t)state);
}

static ClusterTally *cluster_at(Tally *tally, ClusterId cluster)
{
    if (cluster.index >= tally->cluster_count)
        tally->cluster_count = cluster.index + 1;
    tally->clusters = array_room(tally->arena, tally->clusters, tally->cluster_count,
                                 &tally->cluster_capacity, sizeof *tally->clusters);
    return &tally->clusters[cluster.index];
}

static void node_allocated(Tally *tally, const TraceRecord *record)
{
    ClusterTally *cluster = cluster_at(tally, record->cluster);
    HeldNodes *held = array_room(tally->arena, cluster->held, cluster->held_count + 1,
                                 &cluster->held_capacity, sizeof *held);
    invariant(held != NULL);
    HeldNodes *last = cluster->held_count > 0 ? &held[cluster->held_count - 1] : NULL;
    if (last && last->allocated_ns == record->at_ns)
        last->count++;
    else
        held[cluster->held_count++] = (HeldNodes){.allocated_ns = record->at_ns, .count = 1};
    cluster->held = held;
}

static int by_time(const void *left, const void *right)
{
    const HeldNodes *a = left, *b = right;
    return (a->allocated_ns > b->allocated_ns) - (a->allocated_ns < b->allocated_ns);
}

static void node_billed(Tally *tally, const TraceRecord *record)
{
    ClusterTally *cluster = cluster_at(tally, record->cluster);
    cluster->released_micro_usd +=
        cost_micro_usd(record->node_billed.billed_ns, record->node_billed.micro_usd_per_hour);
    const HeldNodes wanted = {.allocated_ns = record->since_ns};
    HeldNodes *held = bsearch(&wanted, cluster->held, cluster->held_count, sizeof wanted, by_time);
    invariant(held != NULL);
    if (--held->count > 0)
        return;
    const HeldNodes *end = cluster->held + cluster->held_count--;
    memmove(held, held + 1, (size_t)(end - held - 1) * sizeof *held);
}

static void on_row(void *listener, const TraceRow *row)
{
    Tally *tally = listener;
    const TraceRecord *record = &row->record;
    if (record->kind == TRACE_JOB_PROVISIONING)
        job_provisioned(tally, record);
    else if (record->kind == TRACE_JOB_STATE)
        job_state_reported(tally, record);
    else if (record->kind == TRACE_NODE_STATE && record->node_state.was == NODE_STATE_COUNT)
        node_allocated(tally, record);
    else if (record->kind == TRACE_NODE_BILLED)
        node_billed(tally, record);
}

TraceListener tally_listener(Tally *tally)
{
    return (TraceListener){.listener = tally, .level = TRACE_LEVEL_JOBS, .row = on_row};
}

/* --- Looking --- */

int64_t tally_jobs(const Tally *tally, JobState state)
{
    invariant(state < JOB_STATE_COUNT);
    return tally->jobs[state];
}

JobId tally_older_job(const Tally *tally, JobId job, JobState state)
{
    uint32_t i = job.index < tally->job_count ? job.index : tally->job_count;
    while (i-- > 0)
        if (state == JOB_STATE_COUNT ? tally->job_states[i] != NO_JOB
                                     : tally->job_states[i] == state)
            return (JobId){i};
    return (JobId){ID_NONE};
}

ClusterTally tally_cluster(const Tally *tally, ClusterId cluster)
{
    return cluster.index < tally->cluster_count ? tally->clusters[cluster.index]
                                                : (ClusterTally){0};
}
