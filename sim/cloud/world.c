#include "sim/cloud/world.h"

#include "sim/base/invariant.h"
#include "sim/cloud/check.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/condition.h"
#include "sim/cloud/event_types.h"
#include "sim/cloud/job/drawn.h"
#include "sim/cloud/job/job_name.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/workload.h"
#include "sim/cloud/tables.h"
#include "sim/cloud/trigger.h"

/* --- The parts of a world --- */

static void event_ran(void *world)
{
    world_check(world);
}

static void instant_ends(void *world)
{
    conditions_update(world);
}

static void instant_ended(void *owner)
{
    const World *world = owner;
    recorder_end_instant(world->recorder);
}

static bool has_conditions(const Scenario *scenario)
{
    for (int32_t i = 0; i < scenario->command_count; i++)
        if (scenario->commands[i].trigger.moment == MOMENT_CONDITION)
            return true;
    return false;
}

static Engine *create_engine(Arena *run, World *world, const Scenario *scenario,
                             const TraceSink *sink)
{
    const EngineSettings settings = {.seed = scenario->seed,
                                     .shuffle_seed = scenario->shuffle_seed,
                                     .until_ns = scenario->until_ns,
                                     .stays_until = scenario->is_of_session};
    const EngineOwner owner = {.owner = world,
                               .types = event_types,
                               .event_ran = event_ran,
                               .instant_ends = has_conditions(scenario) ? instant_ends : NULL,
                               .instant_ended = sink->instant != NULL ? instant_ended : NULL};
    return engine_create(run, settings, owner);
}

static void account_deleted(void *owner, const char *account)
{
    const World *world = owner;
    storage_delete_account(world->storage, account);
}

static uint32_t subject_count(void *owner, CommandKind made_by)
{
    return made_by == COMMAND_CLUSTER_CREATE ? world_cluster_count(owner) : world_job_count(owner);
}

static ResourcePath path_of_job(const World *world, uint32_t row)
{
    const Job *job = world_job(world, (JobId){row});
    return job != NULL ? job_path(world->scenario, job, world->arena) : (ResourcePath){0};
}

static ResourcePath path_of_cluster(const World *world, uint32_t row)
{
    const Cluster *cluster = world_cluster(world, (ClusterId){row});
    return cluster != NULL ? cluster->path : (ResourcePath){0};
}

static ResourcePath subject_path(void *owner, CommandKind made_by, uint32_t row)
{
    return made_by == COMMAND_CLUSTER_CREATE ? path_of_cluster(owner, row)
                                             : path_of_job(owner, row);
}

static bool subject_is_leaving(void *owner, CommandKind made_by, uint32_t row)
{
    const Cluster *cluster =
        made_by == COMMAND_CLUSTER_CREATE ? world_cluster(owner, (ClusterId){row}) : NULL;
    if (made_by == COMMAND_CLUSTER_CREATE)
        return cluster == NULL || cluster->provisioning >= PROVISIONING_DELETING;
    const Job *job = world_job(owner, (JobId){row});
    return job == NULL || job->provisioning >= PROVISIONING_DELETING;
}

static void create_parts(World *world, TraceSink sink)
{
    Arena *run = world->arena;
    const Scenario *scenario = world->scenario;
    const ResourceOwner owner = {.owner = world, .account_deleted = account_deleted};
    const SubjectRows rows = {.owner = world,
                              .count = subject_count,
                              .path = subject_path,
                              .is_leaving = subject_is_leaving};
    Engine *engine = world->engine = create_engine(run, world, scenario, &sink);
    TraceRecorder *recorder = world->recorder = recorder_create(run, engine, sink);
    Names *names = world->names = names_create(run);
    Resources *resources = world->resources =
        resources_create(run, engine, recorder, scenario, names, owner);
    world->subjects = subjects_create(run, names, rows);
    world->storage = storage_tables_create(run, engine, recorder, scenario, names, resources);
    world->clusters = cluster_tables_create(run, engine, recorder, scenario, names, resources,
                                            world->subjects, world->storage);
    world->jobs = job_tables_create(run, engine, recorder, scenario, names, resources,
                                    world->subjects, world->storage, world->clusters);
    world->faults = faults_create(run, engine, recorder, scenario, names, world->storage,
                                  world->clusters, world->jobs);
    storage_connect(world->storage, jobs_of_transfers(world->jobs));
    clusters_connect(world->clusters, jobs_of_clusters(world->jobs),
                     faults_of_clusters(world->faults));
}

World *world_create(Arena *run, const Scenario *scenario, TraceSink sink)
{
    World *world = ARENA_NEW(run, World);
    scenario = scenario_with_drawn_lists(run, scenario);
    world->arena = run;
    world->scenario = scenario;
    world->progress = ARENA_ARRAY(run, CommandProgress, scenario->command_count);
    create_parts(world, sink);
    triggers_prepare(world);
    conditions_prepare(world);
    mishaps_prepare(world->faults);
    workloads_prepare(world->jobs);
    triggers_begin(world);
    if (engine_next_event_ns(world->engine) > 0)
        conditions_update(world); // without an event at time 0 no instant ends there
    return world;
}

void world_check_always(World *world)
{
    engine_check_always(world->engine);
}

void world_forget_ended(World *world)
{
    jobs_forget_ended(world->jobs);
}

void world_listen(World *world, uint32_t moments, MomentListener listener)
{
    recorder_listen(world->recorder, moments, listener);
}

/* --- Running --- */

bool world_run_instant(World *world)
{
    return engine_run_instant(world->engine);
}

bool world_run_some(World *world, int64_t most)
{
    return engine_run_some(world->engine, most);
}

void world_advance(World *world, int64_t until_ns)
{
    engine_advance(world->engine, until_ns);
}

static void emit_end(World *world)
{
    const DrawCount draws = engine_draws(world->engine);
    TraceRecord *record = recorder_begin(world->recorder, TRACE_RUN_ENDED);
    record->since_ns = 0;
    record->name = engine_stop_reason(world->engine);
    record->run_ended.events = engine_events(world->engine);
    record->run_ended.draws = draws.count;
    record->run_ended.drawn = (int64_t)(draws.sum & INT64_MAX);
    recorder_emit(world->recorder);
}

void world_run(World *world)
{
    engine_run(world->engine);
    triggers_end(world);
    jobs_account_unfinished(world->jobs);
    clusters_bill_held_nodes(world->clusters);
    file_servers_bill(world->storage);
    emit_end(world);
}

/* --- Queries --- */

uint32_t world_subject(const World *world, CommandKind made_by, const char *name)
{
    return made_by == COMMAND_SHARE_CREATE ? world_find_share(world, name).index
                                           : subject_row(world->subjects, made_by, name);
}

int64_t world_vcpus_used(const World *world, const char *family, bool is_low_priority)
{
    return quota_vcpus_used(world->clusters, family, is_low_priority);
}

const CoreQuota *world_quota(const World *world, int32_t index)
{
    return quota_at(world->clusters, index);
}

int32_t world_quota_room(const World *world, const ClusterKind *kind, int32_t nodes)
{
    return quota_room(world->clusters, kind, nodes);
}

int64_t world_next_event_ns(const World *world)
{
    return engine_next_event_ns(world->engine);
}

int64_t world_now_ns(const World *world)
{
    return world->engine->now_ns;
}

int64_t world_events(const World *world)
{
    return engine_events(world->engine);
}

const Scenario *world_scenario(const World *world)
{
    return world->scenario;
}

int64_t world_unix_ms(const World *world, int64_t at_ns)
{
    return scenario_unix_ms(world->scenario, at_ns);
}

uint32_t world_cluster_count(const World *world)
{
    return cluster_count(world->clusters);
}

uint32_t world_next_cluster(const World *world, uint32_t cluster)
{
    return cluster_next(world->clusters, cluster);
}

int64_t world_living_clusters(const World *world)
{
    int64_t count = 0;
    for (uint32_t i = 0; (i = world_next_cluster(world, i)) < world_cluster_count(world); i++)
        count += world_cluster(world, (ClusterId){i})->provisioning != PROVISIONING_DELETED;
    return count;
}

uint32_t world_node_count(const World *world)
{
    return node_count(world->clusters);
}

uint32_t world_job_count(const World *world)
{
    return job_count(world->jobs);
}

uint32_t world_share_count(const World *world)
{
    return storage_share_count(world->storage);
}

uint32_t world_next_share(const World *world, uint32_t share)
{
    return storage_share_next(world->storage, share);
}

uint32_t world_resource_count(const World *world)
{
    return resource_count(world->resources);
}

WorldResource world_resource(const World *world, uint32_t index)
{
    return resource_at(world->resources, index);
}

uint32_t world_file_server_count(const World *world)
{
    return file_server_count(world->storage);
}

uint32_t world_next_file_server(const World *world, uint32_t index)
{
    return file_server_next(world->storage, index);
}

const FileServer *world_file_server(const World *world, uint32_t index)
{
    return file_server_at(world->storage, index);
}

Bill world_node_bill(const World *world, ClusterId cluster, int32_t kind, int64_t allocated_ns)
{
    return node_bill_now(world->clusters, cluster, kind, allocated_ns);
}

Bill world_file_server_bill(const World *world, const FileServer *server)
{
    return file_server_bill(world->storage, server);
}

PolicyKind world_policy(const World *world)
{
    return scheduler_policy(world->jobs);
}

int32_t world_queue_length(const World *world, ClusterId cluster)
{
    return scheduler_queue_length(world->jobs, cluster);
}

SlotLimit world_queue_limit(const World *world, ClusterId cluster, int32_t queue)
{
    return scheduler_queue_limit(world->jobs, cluster, queue);
}

int64_t world_noticed_slots(const World *world, ClusterId cluster, int32_t queue)
{
    return scheduler_noticed_slots(world->jobs, cluster, queue);
}

const Cluster *world_cluster(const World *world, ClusterId cluster)
{
    return cluster_by_id(world->clusters, cluster);
}

const Node *world_node(const World *world, NodeId node)
{
    return node_by_id(world->clusters, node);
}

const Job *world_job(const World *world, JobId job)
{
    return job_by_id(world->jobs, job);
}

ListedRow world_forgotten_job(const World *world, JobId job)
{
    return job_forgotten(world->jobs, job);
}

const Share *world_share(const World *world, ShareId share)
{
    return storage_share(world->storage, share);
}

bool world_share_is_gone(const World *world, ShareId share)
{
    return storage_share_is_gone(world->storage, share);
}

int64_t world_share_existed_ns(const World *world, ShareId share)
{
    return storage_share_existed_ns(world->storage, share);
}

ShareId world_find_share(const World *world, const char *name)
{
    return storage_find_share(world->storage, name);
}

const StoredFile *world_file(const World *world, uint32_t file)
{
    return storage_file(world->storage, file);
}
