/* Resource groups, workspaces, experiments and storage accounts: what others lie in.
 *
 * Deleting one begins to delete everything in it. It is being deleted itself, takes nothing new and
 * keeps its name until the last of what lies in it is gone and the time has passed that its
 * deletion takes when it is empty: so nothing is ever without what it lies in, and what is made
 * anew under the same name begins empty. Storage accounts and their shares go at once. */
#include "sim/base/invariant.h"
#include "sim/cloud/world_parts.h"

static Resource *row_at(const World *world, uint32_t index)
{
    return row_table_at(&world->resources, index);
}

static const char *noun_of(CommandKind made_by)
{
    return made_by == COMMAND_GROUP_CREATE        ? "group"
           : made_by == COMMAND_WORKSPACE_CREATE  ? "workspace"
           : made_by == COMMAND_EXPERIMENT_CREATE ? "experiment"
                                                  : "storage";
}

/* The same in messages. */
static const char *full_noun_of(CommandKind made_by)
{
    return made_by == COMMAND_GROUP_CREATE     ? "resource group"
           : made_by == COMMAND_STORAGE_CREATE ? "storage account"
                                               : noun_of(made_by);
}

void resource_tell(World *world, TraceKind kind, const char *what, const char *name)
{
    TraceRecord record = world_record(world, kind);
    record.name = arena_printf(world->arena, "%s %s", what, name);
    world_tell(world, &record);
}

static bool is_kept(const Resource *resource, const Command *command, Status *status)
{
    if (resource->provisioning < PROVISIONING_DELETING)
        return true;
    return status_fail(status, STATUS_CONFLICT, command_place(command),
                       "%s \"%s\" is being deleted", full_noun_of(resource->made_by),
                       resource->path.name);
}

/* --- What lies in what --- */

static bool takes(World *world, const Command *command, CommandKind made_by, ResourcePath path,
                  Status *status)
{
    const Resource *resource = world_find_resource(world, made_by, path);
    if (!resource)
        return command_not_found(command, full_noun_of(made_by), path.name, status);
    return is_kept(resource, command, status);
}

bool container_takes(World *world, const Command *command, Status *status)
{
    ResourcePath path = command->path;
    ResourcePath group = {.name = path.group};
    ResourcePath workspace = {.group = path.group, .name = path.workspace};
    ResourcePath experiment = {
        .group = path.group, .workspace = path.workspace, .name = path.experiment};
    return (!path.group || takes(world, command, COMMAND_GROUP_CREATE, group, status)) &&
           (!path.workspace ||
            takes(world, command, COMMAND_WORKSPACE_CREATE, workspace, status)) &&
           (!path.experiment ||
            takes(world, command, COMMAND_EXPERIMENT_CREATE, experiment, status));
}

/* What a thing of that path lies in directly; NULL: in nothing. */
static Resource *container_of(World *world, ResourcePath path)
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
    Resource *container = world_find_resource(world, made_by, above);
    invariant(container != NULL); // it outlives what lies in it
    return container;
}

void container_gains(World *world, ResourcePath path)
{
    Resource *container = container_of(world, path);
    if (container)
        container->contents++;
}

static void go_when_empty(World *world, Resource *resource);

void container_loses(World *world, ResourcePath path)
{
    Resource *container = container_of(world, path);
    if (!container)
        return;
    invariant(container->contents > 0);
    container->contents--;
    go_when_empty(world, container);
}

/* --- Creation --- */

bool resource_create(World *world, const Command *command, Status *status)
{
    if (!container_takes(world, command, status))
        return false;
    const Resource *there = world_find_resource(world, command->kind, command->path);
    if (there)
        return is_kept(there, command, status); // PUT on it answers 200 and changes nothing
    const char *key = resource_key(world, command->kind, command->path);
    Resource *resource = ARENA_NEW(world->arena, Resource);
    *resource = (Resource){.made_by = command->kind,
                           .path = command->path,
                           .address = world_new_address(world, key),
                           .created_ns = world->now_ns,
                           .provisioning = PROVISIONING_SUCCEEDED,
                           .provisioning_since_ns = world->now_ns};
    name_table_set(world->names, key, row_table_add(world->arena, &world->resources, resource));
    container_gains(world, command->path);
    resource_tell(world, TRACE_RESOURCE_CREATED, noun_of(command->kind), command->path.name);
    return true;
}

/* --- Deletion --- */

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
    return !scope || same_name(scope, name);
}

static bool is_inside(ResourcePath path, ResourcePath scope)
{
    return same_or_any(scope.group, path.group) && same_or_any(scope.workspace, path.workspace) &&
           same_or_any(scope.experiment, path.experiment);
}

/* Clusters and jobs take the time that they take. */
static bool delete_jobs(World *world, ResourcePath scope, Status *status)
{
    for (uint32_t i = 0; i < world->jobs.count; i++) {
        Job *job = row_table_at(&world->jobs, i);
        if (is_inside(job->path, scope) && job->provisioning < PROVISIONING_DELETING &&
            !job_delete(world, job, status))
            return false;
    }
    return true;
}

static bool delete_clusters(World *world, ResourcePath scope, Status *status)
{
    for (uint32_t i = 0; i < world->clusters.count; i++) {
        Cluster *cluster = row_table_at(&world->clusters, i);
        if (is_inside(cluster->path, scope) && cluster->provisioning < PROVISIONING_DELETING &&
            !cluster_delete(world, cluster, status))
            return false;
    }
    return true;
}

static void delete_file_servers(World *world, ResourcePath scope)
{
    for (uint32_t i = 0; i < world->file_servers.count; i++) {
        const FileServer *server = row_table_at(&world->file_servers, i);
        if (is_inside(server->path, scope))
            file_server_goes(world, i);
    }
}

/* A storage account takes its shares with it. */
static void go(World *world, Resource *resource)
{
    if (resource->made_by == COMMAND_STORAGE_CREATE)
        shares_delete_of(world, resource->path.name);
    resource->provisioning = PROVISIONING_DELETED;
    resource->provisioning_since_ns = world->now_ns;
    world_forget(world, resource_key(world, resource->made_by, resource->path));
    resource_tell(world, TRACE_RESOURCE_DELETED, noun_of(resource->made_by), resource->path.name);
    container_loses(world, resource->path);
}

static void go_when_empty(World *world, Resource *resource)
{
    if (resource->is_due && resource->contents == 0)
        go(world, resource);
}

void resource_due(World *world, uint32_t index)
{
    Resource *resource = row_at(world, index);
    invariant(resource->provisioning == PROVISIONING_DELETING);
    resource->is_due = true;
    go_when_empty(world, resource);
}

static bool has_clusters(World *world, const Resource *workspace)
{
    const ResourcePath scope = scope_of(COMMAND_WORKSPACE_CREATE, workspace->path);
    for (uint32_t i = 0; i < world->clusters.count; i++) {
        const Cluster *cluster = row_table_at(&world->clusters, i);
        if (cluster->provisioning != PROVISIONING_DELETED && is_inside(cluster->path, scope))
            return true;
    }
    return false;
}

/* Of groups no recording says that they take longer than what lies in them. */
static void begin_deletion(World *world, uint32_t index)
{
    Resource *resource = row_at(world, index);
    const ServiceModel *service = world_service(world);
    resource->provisioning = PROVISIONING_DELETING;
    resource->provisioning_since_ns = world->now_ns;
    world->names_lost++;
    if (resource->made_by != COMMAND_WORKSPACE_CREATE &&
        resource->made_by != COMMAND_EXPERIMENT_CREATE) {
        resource_due(world, index);
        return;
    }
    Quantiles duration_ns = resource->made_by == COMMAND_EXPERIMENT_CREATE
                                ? service->experiment_delete_ns
                            : has_clusters(world, resource) ? service->workspace_delete_clusters_ns
                                                            : service->workspace_delete_ns;
    world_push(world, world_draw(world, duration_ns, RNG_DELETE, resource->address, 0),
               EVENT_RESOURCE_DUE, index, 0, 0);
}

static void delete_resources(World *world, ResourcePath scope)
{
    for (uint32_t i = 0; i < world->resources.count; i++) {
        const Resource *inner = row_at(world, i);
        if (inner->provisioning < PROVISIONING_DELETING &&
            is_inside(scope_of(inner->made_by, inner->path), scope))
            begin_deletion(world, i);
    }
}

bool resource_delete(World *world, const Command *command, CommandKind made_by, Status *status)
{
    uint32_t index = world_resource_index(world, made_by, command->path);
    if (index == ID_NONE)
        return command_not_found(command, full_noun_of(made_by), command->path.name, status);
    const Resource *resource = row_at(world, index);
    if (!is_kept(resource, command, status))
        return false;
    if (made_by == COMMAND_STORAGE_CREATE) {
        begin_deletion(world, index);
        return true;
    }
    ResourcePath scope = scope_of(made_by, resource->path);
    if (!delete_jobs(world, scope, status) || !delete_clusters(world, scope, status))
        return false;
    delete_file_servers(world, scope);
    delete_resources(world, scope);
    return true;
}

/* --- Checks --- */

/* Whether something of that path is counted by what it lies in. That nothing is kept in what is
 * being deleted is looked up only while anything is: this is asked of everything, after each event.
 */
static bool check_child(const World *world, bool is_any_leaving, ResourcePath path,
                        ProvisioningState provisioning)
{
    const bool is_child = path.group || path.workspace || path.experiment;
    if (is_child && is_any_leaving && provisioning < PROVISIONING_DELETING) {
        // Looking changes nothing but the room for keys.
        const Resource *container = container_of((World *)world, path);
        invariant(container->provisioning < PROVISIONING_DELETING);
    }
    return is_child && provisioning != PROVISIONING_DELETED;
}

static void check(const World *world, const Resource *resource)
{
    invariant(resource->created_ns <= resource->provisioning_since_ns);
    invariant(resource->provisioning_since_ns <= world->now_ns);
    invariant(resource->contents >= 0);
    invariant(resource->provisioning != PROVISIONING_DELETED || resource->contents == 0);
    invariant(resource->is_due == (resource->provisioning == PROVISIONING_DELETED) ||
              (resource->provisioning == PROVISIONING_DELETING && resource->contents > 0));
}

void resources_check(const World *world)
{
    int64_t contents = 0, children = 0; // as many: what is gone contains nothing
    bool is_any_leaving = false;
    for (uint32_t i = 0; i < world->resources.count; i++) {
        check(world, row_at(world, i));
        is_any_leaving |= row_at(world, i)->provisioning == PROVISIONING_DELETING;
    }
    for (uint32_t i = 0; i < world->resources.count; i++) {
        const Resource *resource = row_at(world, i);
        contents += resource->contents;
        children += check_child(world, is_any_leaving, resource->path, resource->provisioning);
    }
    for (uint32_t i = 0; i < world->clusters.count; i++) {
        const Cluster *cluster = world_cluster(world, (ClusterId){i});
        children += check_child(world, is_any_leaving, cluster->path, cluster->provisioning);
    }
    for (uint32_t i = 0; i < world->jobs.count; i++) {
        const Job *job = world_job(world, (JobId){i});
        children += check_child(world, is_any_leaving, job->path, job->provisioning);
    }
    for (uint32_t i = 0; i < world->file_servers.count; i++) {
        const FileServer *server = world_file_server(world, i);
        children += check_child(world, is_any_leaving, server->path, server->provisioning);
    }
    invariant(contents == children);
}
