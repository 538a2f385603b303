#include "sim/cloud/resource/resource.h"

#include "sim/base/invariant.h"
#include "sim/base/row_table.h"
#include "sim/cloud/spec/event.h"

typedef struct {
    CommandKind made_by;
    ResourcePath path;
    uint64_t address; /* of its random draws */
    int64_t created_ns;
    ProvisioningState provisioning; /* succeeded, deleting or deleted */
    int64_t provisioning_since_ns;
    int64_t contents; /* containers, clusters, jobs and file servers directly in it */
    int64_t clusters; /* clusters directly in it */
    bool is_due;      /* its deletion time has passed: it is deleted once it is empty */
} Resource;

struct Resources {
    Arena *arena;
    Engine *engine;
    TraceRecorder *recorder;
    const Scenario *scenario;
    Names *names;
    ResourceOwner owner;
    RowTable rows;         /* Resource */
    int32_t leaving_count; /* containers that are being deleted */
};

Resources *resources_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                            const Scenario *scenario, Names *names, ResourceOwner owner)
{
    Resources *resources = ARENA_NEW(run, Resources);
    *resources = (Resources){.arena = run,
                             .engine = engine,
                             .recorder = recorder,
                             .scenario = scenario,
                             .names = names,
                             .owner = owner};
    return resources;
}

static Resource *row_at(const Resources *resources, uint32_t index)
{
    return row_table_at(&resources->rows, index);
}

uint32_t resource_count(const Resources *resources)
{
    return resources->rows.count;
}

WorldResource resource_at(const Resources *resources, uint32_t index)
{
    const Resource *resource = row_at(resources, index);
    if (resource == NULL)
        return (WorldResource){.provisioning = PROVISIONING_DELETED};
    return (WorldResource){.made_by = resource->made_by,
                           .path = resource->path,
                           .created_ns = resource->created_ns,
                           .provisioning = resource->provisioning,
                           .provisioning_since_ns = resource->provisioning_since_ns};
}

uint32_t resource_index(Resources *resources, CommandKind made_by, ResourcePath path)
{
    uint32_t index;
    return names_row(resources->names, made_by, path, &index) ? index : ID_NONE;
}

static Resource *find(Resources *resources, CommandKind made_by, ResourcePath path)
{
    uint32_t index = resource_index(resources, made_by, path);
    return index != ID_NONE ? row_at(resources, index) : NULL;
}

/* The noun in the trace. */
static const char *noun_of(CommandKind made_by)
{
    return made_by == COMMAND_GROUP_CREATE        ? "group"
           : made_by == COMMAND_WORKSPACE_CREATE  ? "workspace"
           : made_by == COMMAND_EXPERIMENT_CREATE ? "experiment"
                                                  : "storage";
}

void resource_emit(Resources *resources, TraceKind kind, const char *what, const char *name)
{
    TraceRecord *record = recorder_begin(resources->recorder, kind);
    record->name = arena_printf(resources->arena, "%s %s", what, name);
    recorder_emit(resources->recorder);
}

static bool check_not_deleting(const Resource *resource, const Command *command, Status *status)
{
    if (resource->provisioning < PROVISIONING_DELETING)
        return true;
    return status_fail(status, STATUS_CONFLICT, command_place(command),
                       "%s \"%s\" is being deleted", resource_noun(resource->made_by),
                       resource->path.name);
}

/* --- Contents --- */

static bool check_open(Resources *resources, const Command *command, CommandKind made_by,
                       ResourcePath path, Status *status)
{
    const Resource *resource = find(resources, made_by, path);
    if (!resource)
        return command_not_found(command, resource_noun(made_by), path.name, status);
    return check_not_deleting(resource, command, status);
}

bool container_check_open(Resources *resources, const Command *command, Status *status)
{
    ResourcePath path = command->path;
    ResourcePath group = {.name = path.group};
    ResourcePath workspace = {.group = path.group, .name = path.workspace};
    ResourcePath experiment = {
        .group = path.group, .workspace = path.workspace, .name = path.experiment};
    return (!path.group || check_open(resources, command, COMMAND_GROUP_CREATE, group, status)) &&
           (!path.workspace ||
            check_open(resources, command, COMMAND_WORKSPACE_CREATE, workspace, status)) &&
           (!path.experiment ||
            check_open(resources, command, COMMAND_EXPERIMENT_CREATE, experiment, status));
}

/* The container of a resource with that path; NULL: it has none. */
static Resource *container_of(Resources *resources, ResourcePath path)
{
    CommandKind made_by = COMMAND_GROUP_CREATE;
    ResourcePath above = {.name = path.group};
    if (path.experiment) {
        made_by = COMMAND_EXPERIMENT_CREATE;
        above = (ResourcePath){
            .group = path.group, .workspace = path.workspace, .name = path.experiment};
    } else if (path.workspace) {
        made_by = COMMAND_WORKSPACE_CREATE;
        above = (ResourcePath){.group = path.group, .name = path.workspace};
    } else if (!path.group) {
        return NULL;
    }
    Resource *container = find(resources, made_by, above);
    invariant(container != NULL); // a container outlives its contents
    return container;
}

void container_gains(Resources *resources, CommandKind made_by, ResourcePath path)
{
    Resource *container = container_of(resources, path);
    if (!container)
        return;
    container->contents++;
    container->clusters += made_by == COMMAND_CLUSTER_CREATE;
}

static void finish_deletion_if_empty(Resources *resources, Resource *resource);

void container_counts_jobs(Resources *resources, uint32_t index, int64_t jobs)
{
    Resource *container = row_at(resources, index);
    container->contents += jobs;
    invariant(container->contents >= 0);
    finish_deletion_if_empty(resources, container);
}

void container_loses(Resources *resources, CommandKind made_by, ResourcePath path)
{
    Resource *container = container_of(resources, path);
    if (!container)
        return;
    invariant(container->contents > 0);
    container->contents--;
    container->clusters -= made_by == COMMAND_CLUSTER_CREATE;
    finish_deletion_if_empty(resources, container);
}

/* --- Creation --- */

bool resource_create(Resources *resources, const Command *command, Status *status)
{
    if (!container_check_open(resources, command, status))
        return false;
    const Resource *there = find(resources, command->kind, command->path);
    if (there)
        return check_not_deleting(there, command,
                                  status); // PUT on it answers 200 and changes nothing
    const char *key = names_key(resources->names, command->kind, command->path);
    Resource *resource = ARENA_NEW(resources->arena, Resource);
    *resource = (Resource){.made_by = command->kind,
                           .path = command->path,
                           .address = names_new_address(resources->names, key),
                           .created_ns = resources->engine->now_ns,
                           .provisioning = PROVISIONING_SUCCEEDED,
                           .provisioning_since_ns = resources->engine->now_ns};
    names_set(resources->names, key, row_table_add(resources->arena, &resources->rows, resource));
    container_gains(resources, command->kind, command->path);
    resource_emit(resources, TRACE_RESOURCE_CREATED, noun_of(command->kind), command->path.name);
    return true;
}

/* --- Deletion --- */

/* The path that the contents of a container have in common. */
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
    return !scope || same_name(scope, name);
}

bool path_is_inside(ResourcePath path, ResourcePath scope)
{
    return same_or_any(scope.group, path.group) && same_or_any(scope.workspace, path.workspace) &&
           same_or_any(scope.experiment, path.experiment);
}

/* Deletes the container, and with a storage account its shares. */
static void finish_deletion(Resources *resources, Resource *resource)
{
    if (resource->made_by == COMMAND_STORAGE_CREATE)
        resources->owner.account_deleted(resources->owner.owner, resource->path.name);
    resource->provisioning = PROVISIONING_DELETED;
    resources->leaving_count--;
    resource->provisioning_since_ns = resources->engine->now_ns;
    names_forget(resources->names, resource->made_by,
                 names_key(resources->names, resource->made_by, resource->path));
    resource_emit(resources, TRACE_RESOURCE_DELETED, noun_of(resource->made_by),
                  resource->path.name);
    container_loses(resources, resource->made_by, resource->path);
}

static void finish_deletion_if_empty(Resources *resources, Resource *resource)
{
    if (resource->is_due && resource->contents == 0)
        finish_deletion(resources, resource);
}

void resource_due(Resources *resources, uint32_t index)
{
    Resource *resource = row_at(resources, index);
    invariant(resource->provisioning == PROVISIONING_DELETING);
    resource->is_due = true;
    finish_deletion_if_empty(resources, resource);
}

/* No recording shows a group that took longer to delete than its contents, so groups, like storage
 * accounts, have no additional deletion time. */
static void begin_deletion(Resources *resources, uint32_t index)
{
    Resource *resource = row_at(resources, index);
    const ServiceModel *service = &resources->scenario->service;
    resource->provisioning = PROVISIONING_DELETING;
    resource->provisioning_since_ns = resources->engine->now_ns;
    names_note_loss(resources->names);
    resources->leaving_count++;
    if (resource->made_by != COMMAND_WORKSPACE_CREATE &&
        resource->made_by != COMMAND_EXPERIMENT_CREATE) {
        resource_due(resources, index);
        return;
    }
    Quantiles duration_ns = resource->made_by == COMMAND_EXPERIMENT_CREATE
                                ? service->experiment_delete_ns
                            : resource->clusters > 0 ? service->workspace_delete_clusters_ns
                                                     : service->workspace_delete_ns;
    engine_push(resources->engine,
                engine_draw(resources->engine, duration_ns, RNG_DELETE, resource->address, 0),
                EVENT_RESOURCE_DUE, index, 0, 0);
}

static void delete_resources(Resources *resources, ResourcePath scope)
{
    for (uint32_t i = 0; (i = row_table_next(&resources->rows, i)) < resources->rows.count; i++) {
        const Resource *inner = row_at(resources, i);
        if (inner->provisioning < PROVISIONING_DELETING &&
            path_is_inside(scope_of(inner->made_by, inner->path), scope))
            begin_deletion(resources, i);
    }
}

bool resource_can_delete(Resources *resources, const Command *command, CommandKind made_by,
                         ResourcePath *scope, Status *status)
{
    const Resource *resource = find(resources, made_by, command->path);
    if (!resource)
        return command_not_found(command, resource_noun(made_by), command->path.name, status);
    *scope = scope_of(made_by, resource->path);
    return check_not_deleting(resource, command, status);
}

void resource_delete(Resources *resources, const Command *command, CommandKind made_by)
{
    uint32_t index = resource_index(resources, made_by, command->path);
    if (made_by == COMMAND_STORAGE_CREATE)
        begin_deletion(resources, index);
    else
        delete_resources(resources, scope_of(made_by, row_at(resources, index)->path));
}

void resource_forget(Resources *resources, uint32_t index)
{
    invariant(row_at(resources, index)->provisioning == PROVISIONING_DELETED);
    row_table_clear(&resources->rows, index);
}

/* --- Checks --- */

int64_t container_check(const Resources *resources, ResourcePath path,
                        ProvisioningState provisioning)
{
    const bool is_child = path.group || path.workspace || path.experiment;
    // Looked up only while a container is being deleted, because this runs for each resource after
    // each event.
    if (is_child && resources->leaving_count > 0 && provisioning < PROVISIONING_DELETING) {
        const Resource *container = container_of((Resources *)resources, path); // changes no row
        invariant(container->provisioning < PROVISIONING_DELETING);
    }
    return is_child && provisioning != PROVISIONING_DELETED;
}

static void check(const Resources *resources, const Resource *resource)
{
    invariant(resource->created_ns <= resource->provisioning_since_ns);
    invariant(resource->provisioning_since_ns <= resources->engine->now_ns);
    invariant(resource->contents >= 0);
    invariant(resource->provisioning != PROVISIONING_DELETED || resource->contents == 0);
    invariant(resource->is_due == (resource->provisioning == PROVISIONING_DELETED) ||
              (resource->provisioning == PROVISIONING_DELETING && resource->contents > 0));
}

int64_t resources_check(const Resources *resources)
{
    int64_t contents = 0;
    int32_t leaving = 0;
    for (uint32_t i = 0; (i = row_table_next(&resources->rows, i)) < resources->rows.count; i++) {
        const Resource *resource = row_at(resources, i);
        check(resources, resource);
        leaving += resource->provisioning == PROVISIONING_DELETING;
        contents +=
            resource->contents - container_check(resources, resource->path, resource->provisioning);
    }
    invariant(leaving == resources->leaving_count);
    return contents;
}
