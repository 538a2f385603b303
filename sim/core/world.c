#include "sim/core/world.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/core/rng.h"
#include "sim/core/world_check.h"
#include "sim/core/world_parts.h"

/* --- Tables --- */

uint32_t row_table_add(Arena *arena, RowTable *table, void *row)
{
    if (table->count == table->capacity) {
        uint32_t capacity = table->capacity ? 2 * table->capacity : 16;
        void **rows = ARENA_ARRAY(arena, void *, capacity);
        if (table->count)
            memcpy(rows, table->rows, table->count * sizeof *rows);
        table->rows = rows;
        table->capacity = capacity;
    }
    table->rows[table->count] = row;
    return table->count++;
}

static void *row(const RowTable *table, uint32_t index)
{
    invariant(index < table->count);
    return table->rows[index];
}

Cluster *world_cluster_row(World *world, ClusterId id)
{
    return row(&world->clusters, id.index);
}

Node *world_node_row(World *world, NodeId id)
{
    return row(&world->nodes, id.index);
}

Job *world_job_row(World *world, JobId id)
{
    return row(&world->jobs, id.index);
}

Share *world_share_row(World *world, ShareId id)
{
    return row(&world->shares, id.index);
}

/* --- Names --- */

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

const char *resource_key(World *world, CommandKind made_by, ResourcePath path)
{
    if (made_by == COMMAND_STORAGE_CREATE)
        path.group = NULL; // account names are unique across all groups
    // The service compares names without letter case (Resource Manager's convention).
    char *key =
        arena_printf(world->arena, "%d:%s/%s/%s/%s", (int)made_by, or_empty(path.group),
                     or_empty(path.workspace), or_empty(path.experiment), or_empty(path.name));
    for (char *c = key; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return key;
}

static bool find_row(World *world, CommandKind made_by, ResourcePath path, uint32_t *index)
{
    return name_table_find(world->names, resource_key(world, made_by, path), index);
}

Resource *world_find_resource(World *world, CommandKind made_by, ResourcePath path)
{
    uint32_t index;
    return find_row(world, made_by, path, &index) ? row(&world->resources, index) : NULL;
}

Cluster *world_find_cluster(World *world, ResourcePath path)
{
    uint32_t index;
    path.experiment = NULL;
    return find_row(world, COMMAND_CLUSTER_CREATE, path, &index) ? row(&world->clusters, index)
                                                                 : NULL;
}

Job *world_find_job(World *world, ResourcePath path)
{
    uint32_t index;
    return find_row(world, COMMAND_JOB_CREATE, path, &index) ? row(&world->jobs, index) : NULL;
}

static ResourcePath share_path(const char *name)
{
    return (ResourcePath){.name = name};
}

ShareId world_find_share(const World *world, const char *name)
{
    uint32_t index;
    if (find_row((World *)world, COMMAND_SHARE_CREATE, share_path(name), &index))
        return (ShareId){index};
    return (ShareId){ID_NONE};
}

uint64_t world_new_address(World *world, const char *key)
{
    uint32_t uses = 0;
    name_table_find(world->name_reuses, key, &uses);
    name_table_set(world->name_reuses, key, uses + 1);
    uint64_t address = name_hash(key);
    return uses == 0 ? address : bytes_hash(address, &(uint8_t){(uint8_t)uses}, 1) + uses;
}

const char *world_guid(World *world, uint64_t address)
{
    uint64_t high = rng_word(world->scenario->seed, RNG_IDENTITY, address, 0);
    uint64_t low = rng_word(world->scenario->seed, RNG_IDENTITY, address, 1);
    // Version 4 and variant 1, as random GUIDs say of themselves (RFC 4122 section 4.4).
    high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x4000);
    low = (low & ~(UINT64_C(3) << 62)) | (UINT64_C(2) << 62);
    return arena_printf(world->arena, "%08x-%04x-%04x-%04x-%04x%08x", (unsigned)(high >> 32),
                        (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xffff),
                        (unsigned)(low >> 48), (unsigned)(low >> 32 & 0xffff),
                        (unsigned)(low & 0xffffffff));
}

/* --- Time --- */

void world_push(World *world, int64_t delay_ns, EventKind kind, uint32_t subject,
                uint32_t generation, uint32_t detail)
{
    invariant(delay_ns >= 0);
    // Durations of the real world are far below the 292 years that an int64 holds; a sum beyond it
    // never comes.
    int64_t at_ns = delay_ns > INT64_MAX - world->now_ns ? INT64_MAX : world->now_ns + delay_ns;
    if (at_ns == INT64_MAX)
        return;
    event_queue_push(world->events, (Event){.at_ns = at_ns,
                                            .kind = (uint32_t)kind,
                                            .subject = subject,
                                            .generation = generation,
                                            .detail = detail});
}

int64_t world_draw(const World *world, Quantiles quantiles, RngStream stream, uint64_t entity,
                   uint64_t draw)
{
    return quantiles_at(quantiles, rng_word(world->scenario->seed, stream, entity, draw));
}

/* --- Telling --- */

bool world_tells(const World *world, TraceKind kind)
{
    return world->sink.record && trace_kind_level(kind) <= world->sink.level;
}

TraceRecord world_record(const World *world, TraceKind kind)
{
    return (TraceRecord){.kind = kind,
                         .at_ns = world->now_ns,
                         .since_ns = world->now_ns,
                         .cluster = {ID_NONE},
                         .node = {ID_NONE},
                         .job = {ID_NONE},
                         .share = {ID_NONE}};
}

TraceRecord cluster_record(const World *world, TraceKind kind, const Cluster *cluster)
{
    TraceRecord record = world_record(world, kind);
    record.cluster = cluster->id;
    return record;
}

TraceRecord node_record(const World *world, TraceKind kind, const Node *node)
{
    TraceRecord record = world_record(world, kind);
    record.cluster = node->cluster;
    record.node = node->id;
    record.job = node->job;
    return record;
}

TraceRecord job_record(const World *world, TraceKind kind, const Job *job)
{
    TraceRecord record = world_record(world, kind);
    record.cluster = job->cluster;
    record.job = job->id;
    return record;
}

void world_tell(World *world, const TraceRecord *record)
{
    if (world_tells(world, record->kind))
        world->sink.record(world->sink.listener, record);
}

static bool is_about_cluster(Moment moment)
{
    return moment >= MOMENT_CLUSTER_STEADY && moment <= MOMENT_CLUSTER_DELETED;
}

void world_moment(World *world, Moment moment, const char *subject)
{
    for (int32_t i = 0; i < world->scenario->command_count; i++) {
        WaitingCommand *waiting = &world->waiting[i];
        const Trigger *trigger = &world->scenario->commands[i].trigger;
        if (!waiting->is_waiting || trigger->moment != moment ||
            strcmp(trigger->subject, subject) != 0)
            continue;
        if (waiting->listens_after >= 0 && !world->is_applied[waiting->listens_after])
            continue;
        waiting->is_waiting = false;
        world_push(world, trigger->delay_ns, EVENT_COMMAND, (uint32_t)i, 0, 0);
    }
}

/* --- Commands --- */

static Place command_place(const Command *command)
{
    return place_in(command->source ? command->source : "command", 0, 0);
}

static bool not_found(const Command *command, const char *what, const char *name, Status *status)
{
    return status_fail(status, STATUS_NOT_FOUND, command_place(command),
                       "The specified %s %s is not found", what, or_empty(name));
}

/* The thing above that must exist before `command` can create something in it. */
static bool parent_exists(World *world, const Command *command, Status *status)
{
    ResourcePath path = command->path;
    ResourcePath group = {.name = path.group};
    ResourcePath workspace = {.group = path.group, .name = path.workspace};
    ResourcePath experiment = {
        .group = path.group, .workspace = path.workspace, .name = path.experiment};
    if (path.group && !world_find_resource(world, COMMAND_GROUP_CREATE, group))
        return not_found(command, "resource group", path.group, status);
    if (path.workspace && !world_find_resource(world, COMMAND_WORKSPACE_CREATE, workspace))
        return not_found(command, "workspace", path.workspace, status);
    if (path.experiment && !world_find_resource(world, COMMAND_EXPERIMENT_CREATE, experiment))
        return not_found(command, "experiment", path.experiment, status);
    return true;
}

static void tell_resource(World *world, TraceKind kind, const char *what, const char *name)
{
    TraceRecord record = world_record(world, kind);
    record.name = arena_printf(world->arena, "%s %s", what, name);
    world_tell(world, &record);
}

static const char *resource_noun(CommandKind made_by)
{
    // "workspace.create" -> "workspace"
    const char *name = command_name(made_by);
    return strncmp(name, "group", 5) == 0         ? "group"
           : strncmp(name, "workspace", 9) == 0   ? "workspace"
           : strncmp(name, "experiment", 10) == 0 ? "experiment"
                                                  : "storage";
}

static bool resource_create(World *world, const Command *command, Status *status)
{
    if (!parent_exists(world, command, status))
        return false;
    if (world_find_resource(world, command->kind, command->path))
        return true; // PUT on an existing one answers 200 and changes nothing
    Resource *resource = ARENA_NEW(world->arena, Resource);
    *resource = (Resource){.made_by = command->kind, .path = command->path};
    uint32_t index = row_table_add(world->arena, &world->resources, resource);
    name_table_set(world->names, resource_key(world, command->kind, command->path), index);
    tell_resource(world, TRACE_RESOURCE_CREATED, resource_noun(command->kind), command->path.name);
    return true;
}

/* What a resource contains has this path down to its own level. */
static ResourcePath scope_of(CommandKind made_by, ResourcePath path)
{
    const char *name = path.name;
    path.name = NULL;
    if (made_by == COMMAND_GROUP_CREATE)
        path.group = name;
    if (made_by == COMMAND_WORKSPACE_CREATE)
        path.workspace = name;
    if (made_by == COMMAND_EXPERIMENT_CREATE)
        path.experiment = name;
    return path;
}

static bool same_or_any(const char *scope, const char *name)
{
    return !scope || (name && strcmp(scope, name) == 0);
}

static bool is_inside(ResourcePath path, ResourcePath scope)
{
    return same_or_any(scope.group, path.group) && same_or_any(scope.workspace, path.workspace) &&
           same_or_any(scope.experiment, path.experiment);
}

/* Deletes a group, workspace or experiment with everything in it. Records of the containers go at
 * once; clusters and jobs take the time that they take. */
static bool resource_delete(World *world, const Command *command, CommandKind made_by,
                            Status *status)
{
    Resource *resource = world_find_resource(world, made_by, command->path);
    if (!resource)
        return not_found(command, resource_noun(made_by), command->path.name, status);
    ResourcePath scope = scope_of(made_by, resource->path);
    for (uint32_t i = 0; i < world->jobs.count; i++) {
        Job *job = row(&world->jobs, i);
        if (is_inside(job->path, scope) && job->provisioning < PROVISIONING_DELETING &&
            !job_delete(world, job, status))
            return false;
    }
    for (uint32_t i = 0; i < world->clusters.count; i++) {
        Cluster *cluster = row(&world->clusters, i);
        if (is_inside(cluster->path, scope) && cluster->provisioning < PROVISIONING_DELETING &&
            !cluster_delete(world, cluster, status))
            return false;
    }
    for (uint32_t i = 0; i < world->resources.count; i++) {
        Resource *inner = row(&world->resources, i);
        if (inner->is_deleted || !is_inside(scope_of(inner->made_by, inner->path), scope))
            continue;
        inner->is_deleted = true;
        name_table_remove(world->names, resource_key(world, inner->made_by, inner->path));
        tell_resource(world, TRACE_RESOURCE_DELETED, resource_noun(inner->made_by),
                      inner->path.name);
    }
    return true;
}

static bool share_command(World *world, const Command *command, Status *status)
{
    const char *slash = strchr(command->path.name, '/');
    invariant(slash != NULL); // a share is named "account/share"
    const char *account =
        arena_strndup(world->arena, command->path.name, (size_t)(slash - command->path.name));
    uint32_t index;
    if (!find_row(world, COMMAND_STORAGE_CREATE, (ResourcePath){.name = account}, &index))
        return not_found(command, "storage account", account, status);
    if (world_find_share(world, command->path.name).index != ID_NONE)
        return true;
    ShareId id = {world->shares.count};
    Share *share = share_create(world->arena, id, command->path.name, command->as.share_create.tier,
                                world->now_ns);
    row_table_add(world->arena, &world->shares, share);
    uint32_t *generations = ARENA_ARRAY(world->arena, uint32_t, world->shares.count);
    if (id.index)
        memcpy(generations, world->share_generation, id.index * sizeof *generations);
    world->share_generation = generations;
    name_table_set(world->names,
                   resource_key(world, COMMAND_SHARE_CREATE, share_path(command->path.name)),
                   id.index);
    tell_resource(world, TRACE_RESOURCE_CREATED, "share", command->path.name);
    return true;
}

static bool file_upload(World *world, const Command *command, Status *status)
{
    ShareId share = world_find_share(world, command->path.name);
    if (share.index == ID_NONE)
        return not_found(command, "share", command->path.name, status);
    TraceRecord record = world_record(world, TRACE_FILE_WRITTEN);
    record.share = share;
    record.bytes = command->as.file_upload.bytes;
    record.name = command->as.file_upload.file;
    world_tell(world, &record);
    return true;
}

static bool cluster_command(World *world, const Command *command, Status *status)
{
    Cluster *cluster = world_find_cluster(world, command->path);
    if (!cluster)
        return not_found(command, "cluster", command->path.name, status);
    if (command->kind == COMMAND_CLUSTER_RESIZE)
        return cluster_resize(world, cluster, command->as.cluster_resize.target_nodes,
                              command->as.cluster_resize.deallocation, status);
    if (command->kind == COMMAND_CLUSTER_DELETE)
        return cluster_delete(world, cluster, status);
    invariant(command->kind == COMMAND_CLUSTER_SHOW);
    TraceRecord record = cluster_record(world, TRACE_CLUSTER_SHOWN, cluster);
    world_tell(world, &record);
    return true;
}

static bool job_command(World *world, const Command *command, Status *status)
{
    Job *job = world_find_job(world, command->path);
    if (!job)
        return not_found(command, "job", command->path.name, status);
    if (command->kind == COMMAND_JOB_TERMINATE)
        return job_terminate(world, job, status);
    if (command->kind == COMMAND_JOB_DELETE)
        return job_delete(world, job, status);
    bool is_show = command->kind == COMMAND_JOB_SHOW;
    TraceRecord record = job_record(world, is_show ? TRACE_JOB_SHOWN : TRACE_JOB_FILES_SHOWN, job);
    world_tell(world, &record);
    return true;
}

bool world_apply(World *world, const Command *command, Status *status)
{
    switch (command->kind) {
    case COMMAND_GROUP_CREATE:
    case COMMAND_WORKSPACE_CREATE:
    case COMMAND_EXPERIMENT_CREATE:
    case COMMAND_STORAGE_CREATE:
        return resource_create(world, command, status);
    case COMMAND_GROUP_DELETE:
        return resource_delete(world, command, COMMAND_GROUP_CREATE, status);
    case COMMAND_WORKSPACE_DELETE:
        return resource_delete(world, command, COMMAND_WORKSPACE_CREATE, status);
    case COMMAND_EXPERIMENT_DELETE:
        return resource_delete(world, command, COMMAND_EXPERIMENT_CREATE, status);
    case COMMAND_SHARE_CREATE:
        return share_command(world, command, status);
    case COMMAND_FILE_UPLOAD:
        return file_upload(world, command, status);
    case COMMAND_CLUSTER_CREATE:
        return parent_exists(world, command, status) && cluster_create(world, command, status);
    case COMMAND_CLUSTER_RESIZE:
    case COMMAND_CLUSTER_DELETE:
    case COMMAND_CLUSTER_SHOW:
        return cluster_command(world, command, status);
    case COMMAND_JOB_CREATE:
        return parent_exists(world, command, status) && job_create(world, command, status);
    case COMMAND_JOB_TERMINATE:
    case COMMAND_JOB_DELETE:
    case COMMAND_JOB_SHOW:
    case COMMAND_JOB_FILES:
        return job_command(world, command, status);
    case COMMAND_KIND_COUNT:
        break;
    }
    invariant_broken("a command of a known kind", __FILE__, __LINE__);
}

static void tell_command(World *world, TraceKind kind, int32_t index, const char *name)
{
    TraceRecord record = world_record(world, kind);
    record.value[0] = index;
    record.name = name;
    world_tell(world, &record);
}

static const char *command_title(World *world, const Command *command)
{
    return arena_printf(world->arena, "%s %s", command_name(command->kind),
                        or_empty(command->path.name));
}

static void scenario_command(World *world, int32_t index)
{
    const Command *command = &world->scenario->commands[index];
    const char *title = command_title(world, command);
    Status status = {0};
    // Told and marked first: what follows from a command stands after it in the trace, and counts
    // for the triggers that wait for it.
    tell_command(world, TRACE_COMMAND_APPLIED, index, title);
    world->is_applied[index] = true;
    if (!world_apply(world, command, &status))
        tell_command(world, TRACE_COMMAND_REFUSED, index,
                     arena_printf(world->arena, "%s: %s", title, status.message));
}

/* --- Events --- */

/* The generation that an event of this kind must carry to count. */
static bool is_stale(World *world, const Event *event)
{
    switch ((EventKind)event->kind) {
    case EVENT_COMMAND:
    case EVENT_SCHEDULE:
        return false;
    case EVENT_CLUSTER_RECORDED:
    case EVENT_CLUSTER_DELETED:
        // The record's life goes on whatever the nodes do.
        return false;
    case EVENT_CLUSTER_ALLOCATED:
    case EVENT_CLUSTER_LEAVING:
    case EVENT_CLUSTER_RELEASED:
        return world_cluster_row(world, (ClusterId){event->subject})->generation !=
               event->generation;
    case EVENT_NODE_PREPARED:
        return world_node_row(world, (NodeId){event->subject})->generation != event->generation;
    case EVENT_JOB_RECORDED:
    case EVENT_JOB_ELIGIBLE:
    case EVENT_JOB_DELETED:
        return false;
    case EVENT_JOB_STAGE_DONE:
    case EVENT_JOB_PROGRAM_DONE:
    case EVENT_JOB_TERMINATED:
    case EVENT_JOB_TIMED_OUT:
    case EVENT_TRAINING_STEP:
    case EVENT_TRAINING_EPOCH:
    case EVENT_TRAINING_WHOLE:
    case EVENT_TRAINING_EVALUATED:
    case EVENT_TRAINING_CHECKPOINTED:
    case EVENT_TRAINING_SAVED:
    case EVENT_TRAINING_SCORED:
        return world_job_row(world, (JobId){event->subject})->generation != event->generation;
    case EVENT_TRANSFER_JOINS:
        return ((Transfer *)row(&world->transfers, event->subject))->generation !=
               event->generation;
    case EVENT_SHARE_NEXT_END:
        return world->share_generation[event->subject] != event->generation;
    }
    invariant_broken("an event of a known kind", __FILE__, __LINE__);
}

static void handle(World *world, const Event *event)
{
    ClusterId cluster = {event->subject};
    JobId job = {event->subject};
    switch ((EventKind)event->kind) {
    case EVENT_COMMAND:
        scenario_command(world, (int32_t)event->subject);
        return;
    case EVENT_CLUSTER_RECORDED:
        cluster_recorded(world, world_cluster_row(world, cluster));
        return;
    case EVENT_CLUSTER_ALLOCATED:
        cluster_nodes_allocated(world, world_cluster_row(world, cluster));
        return;
    case EVENT_CLUSTER_LEAVING:
        cluster_nodes_leave(world, world_cluster_row(world, cluster));
        return;
    case EVENT_CLUSTER_RELEASED:
        cluster_nodes_released(world, world_cluster_row(world, cluster));
        return;
    case EVENT_CLUSTER_DELETED:
        cluster_deleted(world, world_cluster_row(world, cluster));
        return;
    case EVENT_SCHEDULE:
        scheduler_pass(world, world_cluster_row(world, cluster));
        return;
    case EVENT_NODE_PREPARED:
        cluster_node_prepared(world, world_node_row(world, (NodeId){event->subject}));
        return;
    case EVENT_JOB_RECORDED:
        job_recorded(world, world_job_row(world, job));
        return;
    case EVENT_JOB_ELIGIBLE:
        job_eligible(world, world_job_row(world, job));
        return;
    case EVENT_JOB_STAGE_DONE:
        job_stage_done(world, world_job_row(world, job), (int32_t)event->detail);
        return;
    case EVENT_JOB_PROGRAM_DONE:
        job_program_done(world, world_job_row(world, job));
        return;
    case EVENT_JOB_TERMINATED:
        job_terminated(world, world_job_row(world, job));
        return;
    case EVENT_JOB_DELETED:
        job_deleted(world, world_job_row(world, job));
        return;
    case EVENT_JOB_TIMED_OUT:
        job_timed_out(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_STEP:
        train_job_step(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_EPOCH:
        train_job_epoch(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_WHOLE:
        train_job_whole(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_EVALUATED:
        train_job_evaluated(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_CHECKPOINTED:
        train_job_checkpointed(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_SAVED:
        train_job_saved(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_SCORED:
        train_job_scored(world, world_job_row(world, job));
        return;
    case EVENT_TRANSFER_JOINS:
        transfer_joins(world, event->subject);
        return;
    case EVENT_SHARE_NEXT_END:
        share_end_came(world, (ShareId){event->subject});
        return;
    }
    invariant_broken("an event of a known kind", __FILE__, __LINE__);
}

static void run_until(World *world, int64_t until_ns)
{
    while (event_queue_next_ns(world->events) <= until_ns) {
        Event event;
        if (!event_queue_pop(world->events, &event))
            return;
        if (is_stale(world, &event))
            continue; // and time stands still: nothing happened
        invariant(event.at_ns >= world->now_ns);
        world->now_ns = event.at_ns;
        world->events_run++;
        handle(world, &event);
        if (world->checks_always)
            world_check(world);
    }
}

void world_advance(World *world, int64_t until_ns)
{
    invariant(until_ns >= world->now_ns);
    run_until(world, until_ns);
    world->now_ns = until_ns;
}

static void end_run(World *world)
{
    for (int32_t i = 0; i < world->scenario->command_count; i++)
        if (!world->is_applied[i])
            tell_command(world, TRACE_COMMAND_SKIPPED, i,
                         command_title(world, &world->scenario->commands[i]));
    for (uint32_t i = 0; i < world->clusters.count; i++)
        cluster_bill_held_nodes(world, row(&world->clusters, i));
    TraceRecord record = world_record(world, TRACE_RUN_ENDED);
    record.since_ns = 0;
    record.value[0] = world->events_run;
    world_tell(world, &record);
}

void world_run(World *world)
{
    int64_t until_ns = world->scenario->until_ns;
    run_until(world, until_ns);
    if (event_queue_next_ns(world->events) != INT64_MAX)
        world->now_ns = until_ns; // cut short, not run out
    end_run(world);
}

/* --- Life --- */

static bool changes_cluster(CommandKind kind)
{
    return kind == COMMAND_CLUSTER_CREATE || kind == COMMAND_CLUSTER_RESIZE ||
           kind == COMMAND_CLUSTER_DELETE;
}

/* A trigger listens once the command before it in the list that changes its subject was applied:
 * after a resize, "ready" means ready again. */
static int32_t last_change_before(const Scenario *scenario, int32_t index)
{
    const Trigger *trigger = &scenario->commands[index].trigger;
    for (int32_t i = index - 1; i >= 0; i--) {
        const Command *command = &scenario->commands[i];
        bool changes = is_about_cluster(trigger->moment) ? changes_cluster(command->kind)
                                                         : command->kind == COMMAND_JOB_CREATE;
        if (changes && strcmp(command->path.name, trigger->subject) == 0)
            return i;
    }
    return -1;
}

World *world_create(Arena *run, const Scenario *scenario, TraceSink sink)
{
    World *world = ARENA_NEW(run, World);
    world->arena = run;
    world->scenario = scenario;
    world->sink = sink;
    world->events = event_queue_create(run);
    world->names = name_table_create(run);
    world->name_reuses = name_table_create(run);
    world->waiting = ARENA_ARRAY(run, WaitingCommand, scenario->command_count);
    world->is_applied = ARENA_ARRAY(run, bool, scenario->command_count);
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Trigger *trigger = &scenario->commands[i].trigger;
        if (trigger->moment == MOMENT_AT)
            world_push(world, trigger->delay_ns, EVENT_COMMAND, (uint32_t)i, 0, 0);
        else
            world->waiting[i] = (WaitingCommand){.is_waiting = true,
                                                 .listens_after = last_change_before(scenario, i)};
    }
    return world;
}

void world_check_always(World *world)
{
    world->checks_always = true;
}

/* --- Looking --- */

int64_t world_next_event_ns(const World *world)
{
    return event_queue_next_ns(world->events);
}

int64_t world_now_ns(const World *world)
{
    return world->now_ns;
}

int64_t world_events(const World *world)
{
    return world->events_run;
}

const Scenario *world_scenario(const World *world)
{
    return world->scenario;
}

int64_t world_unix_ms(const World *world, int64_t at_ns)
{
    return world->scenario->start_unix_ms + at_ns / 1000000;
}

uint32_t world_cluster_count(const World *world)
{
    return world->clusters.count;
}

uint32_t world_node_count(const World *world)
{
    return world->nodes.count;
}

uint32_t world_job_count(const World *world)
{
    return world->jobs.count;
}

uint32_t world_share_count(const World *world)
{
    return world->shares.count;
}

const Cluster *world_cluster(const World *world, ClusterId cluster)
{
    return row(&world->clusters, cluster.index);
}

const Node *world_node(const World *world, NodeId node)
{
    return row(&world->nodes, node.index);
}

const Job *world_job(const World *world, JobId job)
{
    return row(&world->jobs, job.index);
}

const Share *world_share(const World *world, ShareId share)
{
    return row(&world->shares, share.index);
}
