/* Private to sim/cloud: which rows nothing needs any more (world_forget_deleted). */
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/spec/event.h"
#include "sim/cloud/tables.h"

/* The tables whose rows are forgotten. */
typedef enum { TABLE_NONE, TABLE_RESOURCES, TABLE_JOBS, TABLE_NODES, TABLES } Table;

/* A bit for each row that is needed. */
typedef struct {
    uint64_t *bits[TABLES];
    uint32_t count[TABLES];
} Needs;

static const uint8_t table_of_event[] = {
#define TABLE_INDEX TABLE_NONE
#define TABLE_RESOURCE TABLE_RESOURCES
#define TABLE_CLUSTER TABLE_NONE
#define TABLE_QUEUE TABLE_NONE
#define TABLE_NODE TABLE_NODES
#define TABLE_NODE_CHANCE TABLE_NODES
#define TABLE_GROUP TABLE_NONE
#define TABLE_REGION TABLE_NONE
#define TABLE_JOB TABLE_JOBS
#define TABLE_JOB_DETAIL TABLE_JOBS
#define TABLE_TRANSFER TABLE_NONE
#define TABLE_SHARE TABLE_NONE
#define TABLE_SHARE_DETAIL TABLE_NONE
#define TABLE_FILE_SERVER TABLE_NONE
#define TABLE_NETWORK TABLE_NONE
#define TABLE_WORKLOAD TABLE_NONE
#define TABLE_WORKLOAD_DETAIL TABLE_NONE
#define X(kind, phase, awaited, subject, generation, handler) TABLE_##subject,
    EVENT_KINDS(X)
#undef X
};

static void need(Needs *needs, Table table, uint32_t row)
{
    if (row < needs->count[table])
        needs->bits[table][row / 64] |= UINT64_C(1) << row % 64;
}

static bool is_needed(const Needs *needs, Table table, uint32_t row)
{
    return (needs->bits[table][row / 64] >> row % 64 & 1) != 0;
}

static bool need_subject(void *needs, const Event *event)
{
    need(needs, (Table)table_of_event[event->kind], event->subject);
    return false;
}

static void need_writer(void *needs, JobId job)
{
    need(needs, TABLE_JOBS, job.index);
}

/* Logs of jobs that have begun are computed from their rows, and a job that runs for real is known
 * by its row. */
static bool is_needed_outside(const Job *job)
{
    return (job->starts > 0 && job->spec->std_out_err.share != NULL) ||
           job->spec->program->kind == PROGRAM_REAL;
}

static void need_nodes(Needs *needs, const Job *job)
{
    for (int32_t n = 0; job->nodes != NULL && n < job->request.nodes; n++)
        need(needs, TABLE_NODES, job->nodes[n].index);
}

static void find_needs(const World *world, Needs *needs)
{
    engine_any_pending(world->engine, needs, need_subject);
    file_set_each_writer(storage_files(world->storage), needs, need_writer);
}

static Needs create_needs(const World *world, Arena *arena)
{
    Needs needs = {.count = {[TABLE_RESOURCES] = world_resource_count(world),
                             [TABLE_JOBS] = world_job_count(world),
                             [TABLE_NODES] = world_node_count(world)}};
    for (int table = 0; table < TABLES; table++)
        needs.bits[table] = ARENA_ARRAY(arena, uint64_t, (uint64_t)needs.count[table] / 64 + 1);
    return needs;
}

/* Whether the resource leaves the list of the deleted. */
static bool forget(World *world, const Needs *needs, DeletedRow deleted)
{
    const bool is_job = deleted.made_by == COMMAND_JOB_CREATE;
    if (deleted.made_by == COMMAND_CLUSTER_CREATE || deleted.made_by == COMMAND_FILE_SERVER_CREATE)
        return true; // its row stays
    if (is_needed(needs, is_job ? TABLE_JOBS : TABLE_RESOURCES, deleted.row) ||
        (is_job && is_needed_outside(job_by_id(world->jobs, (JobId){deleted.row}))))
        return false;
    if (is_job)
        job_forget(world->jobs, (JobId){deleted.row});
    else
        resource_forget(world->resources, deleted.row);
    return true;
}

static void forget_resources(World *world, const Needs *needs)
{
    uint32_t *count;
    DeletedRow *deleted = names_deleted(world->names, &count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (i + WORLD_DELETED_KEPT >= *count || !forget(world, needs, deleted[i]))
            deleted[kept++] = deleted[i];
    *count = kept;
}

/* Logs of set-up tasks are computed from the rows of their nodes. */
static void forget_nodes(World *world, Needs *needs)
{
    for (uint32_t j = 0; (j = job_next(world->jobs, j)) < world_job_count(world); j++)
        need_nodes(needs, job_by_id(world->jobs, (JobId){j}));
    for (uint32_t n = 0; (n = node_next(world->clusters, n)) < world_node_count(world); n++) {
        const Node *node = node_by_id(world->clusters, (NodeId){n});
        if (node->state == NODE_STATE_COUNT && node->setup_began_ns == INT64_MAX &&
            !is_needed(needs, TABLE_NODES, n))
            node_forget(world->clusters, node->id);
    }
}

void world_forget_deleted(World *world)
{
    Arena *arena = arena_create();
    Needs needs = create_needs(world, arena);
    engine_remove_stale(world->engine);
    find_needs(world, &needs);
    forget_resources(world, &needs);
    forget_nodes(world, &needs);
    file_set_forget_removed(storage_files(world->storage));
    arena_destroy(arena);
}
