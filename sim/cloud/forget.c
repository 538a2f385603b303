/* Private to sim/cloud: which rows nothing needs any more (world_forget_deleted). */
#include <string.h>

#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/spec/event.h"
#include "sim/cloud/tables.h"

/* The tables whose rows are forgotten. */
typedef enum {
    TABLE_NONE,
    TABLE_RESOURCES,
    TABLE_JOBS,
    TABLE_NODES,
    TABLE_CLUSTERS,
    TABLE_SHARES,
    TABLE_FILE_SERVERS,
    TABLES
} Table;

/* A bit for each row that is needed. */
typedef struct {
    uint64_t *bits[TABLES];
    uint32_t count[TABLES];
} Needs;

static const uint8_t table_of_event[] = {
#define TABLE_OF_INDEX TABLE_NONE
#define TABLE_OF_RESOURCE TABLE_RESOURCES
#define TABLE_OF_CLUSTER TABLE_CLUSTERS
#define TABLE_OF_QUEUE TABLE_CLUSTERS
#define TABLE_OF_NODE TABLE_NODES
#define TABLE_OF_NODE_CHANCE TABLE_NODES
#define TABLE_OF_GROUP TABLE_NONE
#define TABLE_OF_REGION TABLE_NONE
#define TABLE_OF_JOB TABLE_JOBS
#define TABLE_OF_JOB_DETAIL TABLE_JOBS
#define TABLE_OF_TRANSFER TABLE_NONE
#define TABLE_OF_SHARE TABLE_SHARES
#define TABLE_OF_SHARE_DETAIL TABLE_SHARES
#define TABLE_OF_FILE_SERVER TABLE_FILE_SERVERS
#define TABLE_OF_STORAGE TABLE_NONE
#define TABLE_OF_NETWORK TABLE_NONE
#define TABLE_OF_WORKLOAD TABLE_NONE
#define TABLE_OF_WORKLOAD_DETAIL TABLE_NONE
#define X(kind, phase, awaited, subject, generation, handler) TABLE_OF_##subject,
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

static void need_share(void *needs, ShareId share)
{
    need(needs, TABLE_SHARES, share.index);
}

static void need_places_of_file(void *needs, const StoredFile *file)
{
    need(needs, TABLE_JOBS, file->job.index); // of a client's file: beyond all jobs
    need(needs, TABLE_SHARES, file->volume);  // of a node's disk: beyond all shares
}

static void find_needs(const World *world, Needs *needs)
{
    engine_any_pending(world->engine, needs, need_subject);
    file_set_each_needed(storage_files(world->storage), needs, need_places_of_file);
    transfers_each_share(world->storage, needs, need_share);
    for (uint32_t i = 0; (i = world_next_file_server(world, i)) < world_file_server_count(world);
         i++) { // its records name the share
        const FileServer *server = world_file_server(world, i);
        if (server->provisioning != PROVISIONING_DELETED)
            need_share(needs, server->share);
    }
}

static Needs create_needs(const World *world, Arena *arena)
{
    Needs needs = {.count = {[TABLE_RESOURCES] = world_resource_count(world),
                             [TABLE_JOBS] = world_job_count(world),
                             [TABLE_NODES] = world_node_count(world),
                             [TABLE_CLUSTERS] = world_cluster_count(world),
                             [TABLE_SHARES] = world_share_count(world),
                             [TABLE_FILE_SERVERS] = world_file_server_count(world)}};
    for (int table = 0; table < TABLES; table++)
        needs.bits[table] = ARENA_ARRAY(arena, uint64_t, (uint64_t)needs.count[table] / 64 + 1);
    return needs;
}

/* --- Jobs, and what is only a record: containers and file servers --- */

/* Logs of jobs that have begun are computed from their rows, and a job that runs for real is known
 * by its row. */
static bool is_needed_outside(const Job *job)
{
    return (job->starts > 0 && job->spec->std_out_err.share != NULL) ||
           job->spec->program->kind == PROGRAM_REAL;
}

static bool forget_job(World *world, const Needs *needs, uint32_t row)
{
    const Job *job = job_by_id(world->jobs, (JobId){row});
    if (is_needed(needs, TABLE_JOBS, row) || is_needed_outside(job))
        return false;
    job_forget(world->jobs, job->id);
    return true;
}

static bool forget_container(World *world, const Needs *needs, uint32_t row)
{
    if (is_needed(needs, TABLE_RESOURCES, row))
        return false;
    resource_forget(world->resources, row);
    return true;
}

static bool forget_file_server(World *world, const Needs *needs, uint32_t row)
{
    if (is_needed(needs, TABLE_FILE_SERVERS, row))
        return false;
    file_server_forget(world->storage, row);
    return true;
}

/* --- Clusters and their nodes --- */

/* A cluster is needed by jobs and nodes that are not forgotten. Logs of set-up tasks are computed
 * from the rows of their nodes. */
static void forget_nodes(World *world, Needs *needs)
{
    for (uint32_t j = 0; (j = job_next(world->jobs, j)) < world_job_count(world); j++) {
        const Job *job = job_by_id(world->jobs, (JobId){j});
        need(needs, TABLE_CLUSTERS, job->cluster.index);
        for (int32_t n = 0; job->nodes != NULL && n < job->request.nodes; n++)
            need(needs, TABLE_NODES, job->nodes[n].index);
    }
    for (uint32_t n = 0; (n = node_next(world->clusters, n)) < world_node_count(world); n++) {
        const Node *node = node_by_id(world->clusters, (NodeId){n});
        if (node->state == NODE_STATE_COUNT && node->setup_began_ns == INT64_MAX &&
            !is_needed(needs, TABLE_NODES, n))
            node_forget(world->clusters, node->id);
        else
            need(needs, TABLE_CLUSTERS, node->cluster.index);
    }
}

static bool forget_cluster(World *world, const Needs *needs, uint32_t row)
{
    if (is_needed(needs, TABLE_CLUSTERS, row))
        return false;
    cluster_forget(world->clusters, (ClusterId){row});
    scheduler_forget(world->jobs, (ClusterId){row});
    return true;
}

/* --- Deleted resources --- */

typedef bool Forget(World *world, const Needs *needs, uint32_t row);

static Forget *forget_of(CommandKind made_by)
{
    return made_by == COMMAND_JOB_CREATE           ? forget_job
           : made_by == COMMAND_CLUSTER_CREATE     ? forget_cluster
           : made_by == COMMAND_FILE_SERVER_CREATE ? forget_file_server
                                                   : forget_container;
}

/* Forgets the clusters, or all others. Forgotten resources leave the list of the deleted. */
static void forget_resources(World *world, const Needs *needs, bool is_clusters)
{
    uint32_t *count, kept = 0;
    DeletedRow *deleted = names_deleted(world->names, &count);
    const uint32_t most = *count > WORLD_DELETED_KEPT ? *count - WORLD_DELETED_KEPT : 0;
    for (uint32_t i = 0; i < *count; i++) {
        const bool is_meant =
            i < most && (deleted[i].made_by == COMMAND_CLUSTER_CREATE) == is_clusters;
        if (!is_meant || !forget_of(deleted[i].made_by)(world, needs, deleted[i].row))
            deleted[kept++] = deleted[i];
    }
    *count = kept;
}

/* --- Shares --- */

/* The shares that are deleted and not needed yet, by their names. */
typedef struct {
    World *world;
    Needs *needs;
} NamedShares;

static void need_named(const NamedShares *named, const char *share)
{
    if (share != NULL)
        need_share(named->needs, storage_find_share(named->world->storage, share));
}

static void need_mounts(const NamedShares *named, const char *const *mounts, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        need_named(named, mounts[i]);
}

static void need_shares_of_program(const NamedShares *named, const Program *program)
{
    need_named(named, program->data_share);
    need_named(named, program->checkpoint_share);
    need_named(named, program->model_share);
    if (program->training != NULL)
        need_shares_of_program(named, program->training);
}

static void need_shares_of_job(const NamedShares *named, const JobSpec *spec)
{
    need_mounts(named, spec->mounts, spec->mount_count);
    if (spec->program != NULL)
        need_shares_of_program(named, spec->program);
}

/* A job or node that has mounted a deleted share hangs, and one that mounts a share which does not
 * exist fails: so names in specs keep shares. Other paths of a spec lead through its mounts. */
static void find_named(const NamedShares *named)
{
    const World *world = named->world;
    const JobSpec *last = NULL; // jobs that follow one another often have the same
    for (uint32_t c = 0; (c = world_next_cluster(world, c)) < world_cluster_count(world); c++) {
        const ClusterSpec *spec = world_cluster(world, (ClusterId){c})->spec;
        need_mounts(named, spec->mounts, spec->mount_count);
    }
    for (uint32_t j = 0; (j = job_next(world->jobs, j)) < world_job_count(world); j++) {
        const JobSpec *spec = world_job(world, (JobId){j})->spec;
        if (spec != last)
            need_shares_of_job(named, spec);
        last = spec;
    }
    for (int32_t i = 0; i < world->scenario->command_count; i++) // they exist without a client
        if (world->scenario->commands[i].kind == COMMAND_SHARE_CREATE)
            need_named(named, world->scenario->commands[i].path.name);
}

static void forget_shares(World *world, Needs *needs)
{
    bool has_looked = false;
    for (uint32_t s = 0; (s = world_next_share(world, s)) < world_share_count(world); s++) {
        const ShareId share = {s};
        if (!world_share_is_gone(world, share) || is_needed(needs, TABLE_SHARES, s))
            continue;
        if (!has_looked)
            find_named(&(NamedShares){world, needs});
        has_looked = true;
        if (!is_needed(needs, TABLE_SHARES, s))
            storage_share_forget(world->storage, share);
    }
}

void world_forget_deleted(World *world)
{
    Arena *arena = arena_create();
    Needs needs = create_needs(world, arena);
    engine_remove_stale(world->engine);
    find_needs(world, &needs);
    forget_resources(world, &needs, false);
    forget_nodes(world, &needs);
    forget_resources(world, &needs, true);
    forget_shares(world, &needs);
    file_set_forget_removed(storage_files(world->storage));
    arena_destroy(arena);
}
