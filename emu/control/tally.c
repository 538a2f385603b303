#include "emu/control/tally.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/capped.h"
#include "sim/base/invariant.h"
#include "sim/base/row_table.h"
#include "sim/model/price.h"

enum { NO_JOB = JOB_STATE_COUNT }; /* not recorded yet, or deleted */

struct Tally {
    Arena *arena;
    uint8_t *job_states; /* [JobId.index], JobState or NO_JOB */
    uint32_t job_count, job_capacity;
    int64_t jobs[NO_JOB + 1];
    RowTable clusters;         /* ClusterTally, by ClusterId.index, until the cluster is deleted */
    int64_t deleted_micro_usd; /* of the clusters that were deleted */
    int64_t server_micro_usd;  /* bills of file servers */
    uint8_t *node_kinds;       /* [NodeId.index] in clusters of several kinds of nodes */
    uint32_t node_kind_capacity;
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

static ClusterTally *find_cluster(const Tally *tally, ClusterId cluster)
{
    return cluster.index < tally->clusters.count ? row_table_at(&tally->clusters, cluster.index)
                                                 : NULL;
}

static ClusterTally *cluster_at(Tally *tally, ClusterId cluster)
{
    if (find_cluster(tally, cluster) == NULL)
        row_table_put(tally->arena, &tally->clusters, cluster.index,
                      ARENA_NEW(tally->arena, ClusterTally));
    return row_table_at(&tally->clusters, cluster.index);
}

static void add_cost(int64_t *micro_usd, int64_t more)
{
    *micro_usd = capped_sum(*micro_usd, more);
}

/* A deleted cluster has no nodes. */
static void cluster_provisioned(Tally *tally, const TraceRecord *record)
{
    const ClusterTally *cluster = find_cluster(tally, record->cluster);
    if (cluster == NULL || strcmp(record->name, provisioning_state_name(PROVISIONING_DELETED)) != 0)
        return;
    add_cost(&tally->deleted_micro_usd, cluster->released_micro_usd);
    row_table_clear(&tally->clusters, record->cluster.index);
}

static void file_server_billed(Tally *tally, const TraceRecord *record)
{
    add_cost(&tally->server_micro_usd,
             cost_micro_usd(record->file_server_billed.billed_ns,
                            record->file_server_billed.micro_usd_per_hour));
}

static void node_is_of_kind(Tally *tally, const TraceRecord *record)
{
    const uint32_t id = record->node.index;
    tally->node_kinds = array_room(tally->arena, tally->node_kinds, id + 1,
                                   &tally->node_kind_capacity, sizeof *tally->node_kinds);
    tally->node_kinds[id] = (uint8_t)record->node_kind.kind;
}

static int by_time(const void *left, const void *right)
{
    const HeldNodes *a = left, *b = right;
    if (a->allocated_ns != b->allocated_ns)
        return a->allocated_ns > b->allocated_ns ? 1 : -1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* The group of the node of the record, which was allocated then; `count` is that of a new one. */
static HeldNodes group_of(const Tally *tally, const TraceRecord *record, int64_t allocated_ns)
{
    const uint32_t id = record->node.index;
    return (HeldNodes){.allocated_ns = allocated_ns,
                       .kind = id < tally->node_kind_capacity ? tally->node_kinds[id] : 0,
                       .count = 1};
}

static void node_allocated(Tally *tally, const TraceRecord *record)
{
    ClusterTally *cluster = cluster_at(tally, record->cluster);
    const HeldNodes group = group_of(tally, record, record->at_ns);
    cluster->held = array_room(tally->arena, cluster->held, cluster->held_count + 1,
                               &cluster->held_capacity, sizeof *cluster->held);
    uint32_t place = cluster->held_count;
    while (place > 0 && by_time(&cluster->held[place - 1], &group) > 0)
        place--;
    if (place > 0 && by_time(&cluster->held[place - 1], &group) == 0) {
        cluster->held[place - 1].count++;
        return;
    }
    memmove(&cluster->held[place + 1], &cluster->held[place],
            (cluster->held_count - place) * sizeof *cluster->held);
    cluster->held[place] = group;
    cluster->held_count++;
}

static void node_billed(Tally *tally, const TraceRecord *record)
{
    ClusterTally *cluster = cluster_at(tally, record->cluster);
    add_cost(&cluster->released_micro_usd,
             cost_micro_usd(record->node_billed.billed_ns, record->node_billed.micro_usd_per_hour));
    const HeldNodes wanted = group_of(tally, record, record->since_ns);
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
    else if (record->kind == TRACE_NODE_KIND)
        node_is_of_kind(tally, record);
    else if (record->kind == TRACE_NODE_STATE && record->node_state.was == NODE_STATE_COUNT)
        node_allocated(tally, record);
    else if (record->kind == TRACE_NODE_BILLED)
        node_billed(tally, record);
    else if (record->kind == TRACE_CLUSTER_PROVISIONING)
        cluster_provisioned(tally, record);
    else if (record->kind == TRACE_FILE_SERVER_BILLED)
        file_server_billed(tally, record);
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
    const ClusterTally *found = find_cluster(tally, cluster);
    return found != NULL ? *found : (ClusterTally){0};
}

int64_t tally_deleted_clusters(const Tally *tally)
{
    return tally->deleted_micro_usd;
}

int64_t tally_file_servers(const Tally *tally)
{
    return tally->server_micro_usd;
}
