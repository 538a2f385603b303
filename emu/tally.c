#include "emu/tally.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/model/price.h"
#include "sim/output/array.h"

enum { NO_JOB = JOB_STATE_COUNT }; /* not told of yet, or deleted */

struct Tally {
    Arena *arena;
    uint8_t *job_states; /* [JobId.index], JobState or NO_JOB */
    uint32_t job_count, job_capacity;
    int64_t jobs[NO_JOB + 1];
    int64_t *released_micro_usd; /* [ClusterId.index] */
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

static void job_state_told(Tally *tally, const TraceRecord *record)
{
    for (JobState state = JOB_QUEUED; state < JOB_STATE_COUNT; state++)
        if (strcmp(record->name, job_state_name(state)) == 0)
            job_is(tally, record->job, (uint8_t)state);
}

static void node_billed(Tally *tally, const TraceRecord *record)
{
    const uint32_t cluster = record->cluster.index;
    if (cluster >= tally->cluster_count)
        tally->cluster_count = cluster + 1;
    tally->released_micro_usd =
        array_room(tally->arena, tally->released_micro_usd, tally->cluster_count,
                   &tally->cluster_capacity, sizeof *tally->released_micro_usd);
    tally->released_micro_usd[cluster] += cost_micro_usd(record->value[0], record->value[1]);
}

static void hear(void *listener, const TraceRow *row)
{
    Tally *tally = listener;
    const TraceRecord *record = &row->record;
    if (record->kind == TRACE_JOB_PROVISIONING)
        job_provisioned(tally, record);
    else if (record->kind == TRACE_JOB_STATE)
        job_state_told(tally, record);
    else if (record->kind == TRACE_NODE_BILLED)
        node_billed(tally, record);
}

TraceListener tally_listener(Tally *tally)
{
    return (TraceListener){.listener = tally, .level = TRACE_LEVEL_JOBS, .row = hear};
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

int64_t tally_released_micro_usd(const Tally *tally, ClusterId cluster)
{
    return cluster.index < tally->cluster_count ? tally->released_micro_usd[cluster.index] : 0;
}
