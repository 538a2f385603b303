/* Commands: each checks first, then changes the world, and tells what it changed. Those that
 * concern a cluster or job are passed on to cluster.c and job.c. */
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/core/world_parts.h"

Place command_place(const Command *command)
{
    return place_in(command->source ? command->source : "command", 0, 0);
}

bool command_not_found(const Command *command, const char *what, const char *name, Status *status)
{
    return status_fail(status, STATUS_NOT_FOUND, command_place(command),
                       "The specified %s %s is not found", what, name);
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
        return command_not_found(command, "resource group", path.group, status);
    if (path.workspace && !world_find_resource(world, COMMAND_WORKSPACE_CREATE, workspace))
        return command_not_found(command, "workspace", path.workspace, status);
    if (path.experiment && !world_find_resource(world, COMMAND_EXPERIMENT_CREATE, experiment))
        return command_not_found(command, "experiment", path.experiment, status);
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
    return made_by == COMMAND_GROUP_CREATE        ? "group"
           : made_by == COMMAND_WORKSPACE_CREATE  ? "workspace"
           : made_by == COMMAND_EXPERIMENT_CREATE ? "experiment"
                                                  : "storage";
}

static bool resource_create(World *world, const Command *command, Status *status)
{
    if (!parent_exists(world, command, status))
        return false;
    if (world_find_resource(world, command->kind, command->path))
        return true; // PUT on an existing one answers 200 and changes nothing
    Resource *resource = ARENA_NEW(world->arena, Resource);
    *resource =
        (Resource){.made_by = command->kind, .path = command->path, .created_ns = world->now_ns};
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

/* Whoever has mounted it hangs, as with any share that does not answer. */
static void delete_share(World *world, ShareId share)
{
    TraceRecord record = world_record(world, TRACE_RESOURCE_DELETED);
    record.share = share;
    record.name = arena_printf(world->arena, "share %s", share_name(world_share(world, share)));
    world_lose_share(world, share);
    world_tell(world, &record);
}

static void delete_shares_of(World *world, const char *account)
{
    const char *start = arena_printf(world->arena, "%s/", account);
    for (uint32_t i = 0; i < world->shares.count; i++)
        if (!world_share_is_gone(world, (ShareId){i}) &&
            begins_with(share_name(world_share(world, (ShareId){i})), start))
            delete_share(world, (ShareId){i});
}

/* A storage account takes its shares with it. */
static void delete_record(World *world, Resource *resource)
{
    if (resource->made_by == COMMAND_STORAGE_CREATE)
        delete_shares_of(world, resource->path.name);
    resource->is_deleted = true;
    world_forget(world, resource_key(world, resource->made_by, resource->path));
    tell_resource(world, TRACE_RESOURCE_DELETED, resource_noun(resource->made_by),
                  resource->path.name);
}

/* Records of the containers go at once. */
static void delete_records(World *world, ResourcePath scope)
{
    for (uint32_t i = 0; i < world->resources.count; i++) {
        Resource *inner = row_table_at(&world->resources, i);
        if (!inner->is_deleted && is_inside(scope_of(inner->made_by, inner->path), scope))
            delete_record(world, inner);
    }
}

/* Deletes a group, workspace or experiment with everything in it. */
static bool resource_delete(World *world, const Command *command, CommandKind made_by,
                            Status *status)
{
    Resource *resource = world_find_resource(world, made_by, command->path);
    if (!resource)
        return command_not_found(command, resource_noun(made_by), command->path.name, status);
    ResourcePath scope = scope_of(made_by, resource->path);
    if (!delete_jobs(world, scope, status) || !delete_clusters(world, scope, status))
        return false;
    delete_file_servers(world, scope);
    delete_records(world, scope);
    return true;
}

static bool storage_delete(World *world, const Command *command, Status *status)
{
    Resource *account = world_find_resource(world, COMMAND_STORAGE_CREATE, command->path);
    if (!account)
        return command_not_found(command, "storage account", command->path.name, status);
    delete_record(world, account);
    return true;
}

static bool create_share(World *world, const Command *command, Status *status)
{
    const char *name = command->path.name;
    const char *slash = strchr(name, '/');
    invariant(slash != NULL); // a share is named "account/share"
    const char *account = arena_strndup(world->arena, name, (size_t)(slash - name));
    if (!world_find_resource(world, COMMAND_STORAGE_CREATE, (ResourcePath){.name = account}))
        return command_not_found(command, "storage account", account, status);
    if (world_share_exists(world, name))
        return true;
    world_add_share(world, name, command->as.share_create.tier);
    tell_resource(world, TRACE_RESOURCE_CREATED, "share", name);
    return true;
}

static bool share_command(World *world, const Command *command, Status *status)
{
    if (!world_share_exists(world, command->path.name))
        return command_not_found(command, "share", command->path.name, status);
    ShareId share = world_find_share(world, command->path.name);
    if (command->kind == COMMAND_SHARE_DELETE) {
        delete_share(world, share);
        return true;
    }
    bool is_upload = command->kind == COMMAND_FILE_UPLOAD;
    invariant(is_upload || command->kind == COMMAND_FILE_DELETE);
    TraceRecord record = world_record(world, is_upload ? TRACE_FILE_WRITTEN : TRACE_FILE_DELETED);
    record.name = is_upload ? command->as.file_upload.file : command->as.file_delete.file;
    if (is_upload) {
        record.bytes = command->as.file_upload.bytes;
        world_write_file(world, record, share, command);
        return true;
    }
    record.share = share;
    file_set_remove(world->files, share.index, record.name);
    world_tell(world, &record);
    return true;
}

/* NULL: the table. */
static const char *asked_member(const Command *command)
{
    ShowQuery query = command->as.show.query;
    return query == QUERY_TABLE ? NULL : show_query_name(query);
}

static bool cluster_command(World *world, const Command *command, Status *status)
{
    Cluster *cluster = world_find_cluster(world, command->path);
    if (!cluster)
        return command_not_found(command, "cluster", command->path.name, status);
    if (command->kind == COMMAND_CLUSTER_RESIZE)
        return cluster_resize(world, cluster, command->as.cluster_resize.target_nodes,
                              command->as.cluster_resize.deallocation, status);
    if (command->kind == COMMAND_CLUSTER_AUTOSCALE)
        return cluster_autoscale(world, cluster, command->as.cluster_autoscale.minimum_nodes,
                                 command->as.cluster_autoscale.maximum_nodes, status);
    if (command->kind == COMMAND_CLUSTER_DELETE)
        return cluster_delete(world, cluster, status);
    invariant(command->kind == COMMAND_CLUSTER_SHOW);
    TraceRecord record = cluster_record(world, TRACE_CLUSTER_SHOWN, cluster);
    record.name = asked_member(command);
    world_tell(world, &record);
    return true;
}

static bool job_command(World *world, const Command *command, Status *status)
{
    Job *job = world_find_job(world, command->path);
    if (!job)
        return command_not_found(command, "job", command->path.name, status);
    if (command->kind == COMMAND_JOB_TERMINATE)
        return job_terminate(world, job, status);
    if (command->kind == COMMAND_JOB_DELETE)
        return job_delete(world, job, status);
    if (command->kind == COMMAND_JOB_RAN)
        return job_ran_outside(world, job, command, status);
    if (command->kind == COMMAND_JOB_REACHED)
        return job_reached_outside(world, job, command, status);
    bool is_show = command->kind == COMMAND_JOB_SHOW;
    TraceRecord record = job_record(world, is_show ? TRACE_JOB_SHOWN : TRACE_JOB_FILES_SHOWN, job);
    if (is_show)
        record.name = asked_member(command);
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
    case COMMAND_STORAGE_DELETE:
        return storage_delete(world, command, status);
    case COMMAND_SHARE_CREATE:
        return create_share(world, command, status);
    case COMMAND_SHARE_DELETE:
    case COMMAND_FILE_UPLOAD:
    case COMMAND_FILE_DELETE:
        return share_command(world, command, status);
    case COMMAND_CLUSTER_CREATE:
        return parent_exists(world, command, status) && cluster_create(world, command, status);
    case COMMAND_CLUSTER_RESIZE:
    case COMMAND_CLUSTER_AUTOSCALE:
    case COMMAND_CLUSTER_DELETE:
    case COMMAND_CLUSTER_SHOW:
        return cluster_command(world, command, status);
    case COMMAND_JOB_CREATE:
        return parent_exists(world, command, status) && job_create(world, command, status);
    case COMMAND_JOB_TERMINATE:
    case COMMAND_JOB_DELETE:
    case COMMAND_JOB_SHOW:
    case COMMAND_JOB_FILES:
    case COMMAND_JOB_RAN:
    case COMMAND_JOB_REACHED:
        return job_command(world, command, status);
    case COMMAND_FILE_SERVER_CREATE:
        return parent_exists(world, command, status) && file_server_create(world, command, status);
    case COMMAND_FILE_SERVER_DELETE:
        return file_server_delete(world, command, status);
    case COMMAND_USAGES_SHOW: {
        TraceRecord record = world_record(world, TRACE_USAGES_SHOWN);
        world_tell(world, &record);
        return true;
    }
#define X(name, text, what) case COMMAND_##name:
        FAULT_KINDS(X)
#undef X
        return fault_apply(world, command, status);
    case COMMAND_KIND_COUNT:
        break;
    }
    invariant_broken("a command of a known kind", __FILE__, __LINE__);
}
