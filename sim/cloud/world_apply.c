/* Commands: each checks first, then changes the world, and tells what it changed. Those that
 * concern a resource that contains others, a cluster or a job are passed on to resource.c,
 * cluster.c and job.c. */
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/world_parts.h"

Place command_place(const Command *command)
{
    return place_in(command->source ? command->source : "command", 0, 0);
}

bool command_not_found(const Command *command, const char *what, const char *name, Status *status)
{
    return status_fail(status, STATUS_NOT_FOUND, command_place(command),
                       "The specified %s %s is not found", what, name);
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

void shares_delete_of(World *world, const char *account)
{
    const char *start = arena_printf(world->arena, "%s/", account);
    for (uint32_t i = 0; i < world->shares.count; i++)
        if (!world_share_is_gone(world, (ShareId){i}) &&
            begins_with(share_name(world_share(world, (ShareId){i})), start))
            delete_share(world, (ShareId){i});
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
    resource_tell(world, TRACE_RESOURCE_CREATED, "share", name);
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
        return resource_delete(world, command, COMMAND_STORAGE_CREATE, status);
    case COMMAND_SHARE_CREATE:
        return create_share(world, command, status);
    case COMMAND_SHARE_DELETE:
    case COMMAND_FILE_UPLOAD:
    case COMMAND_FILE_DELETE:
        return share_command(world, command, status);
    case COMMAND_CLUSTER_CREATE:
        return container_takes(world, command, status) && cluster_create(world, command, status);
    case COMMAND_CLUSTER_RESIZE:
    case COMMAND_CLUSTER_AUTOSCALE:
    case COMMAND_CLUSTER_DELETE:
    case COMMAND_CLUSTER_SHOW:
        return cluster_command(world, command, status);
    case COMMAND_JOB_CREATE:
        return container_takes(world, command, status) && job_create(world, command, status);
    case COMMAND_JOB_TERMINATE:
    case COMMAND_JOB_DELETE:
    case COMMAND_JOB_SHOW:
    case COMMAND_JOB_FILES:
    case COMMAND_JOB_RAN:
    case COMMAND_JOB_REACHED:
        return job_command(world, command, status);
    case COMMAND_FILE_SERVER_CREATE:
        return container_takes(world, command, status) &&
               file_server_create(world, command, status);
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
