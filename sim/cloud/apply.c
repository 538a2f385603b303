#include "sim/cloud/apply.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/fault/fault.h"
#include "sim/cloud/job/real.h"
#include "sim/cloud/tables.h"

static bool create_share(World *world, const Command *command, Status *status)
{
    const char *name = command->path.name;
    const char *slash = strchr(name, '/');
    invariant(slash != NULL); // a share is named "account/share"
    const char *account = arena_strndup(world->arena, name, (size_t)(slash - name));
    if (resource_index(world->resources, COMMAND_STORAGE_CREATE, (ResourcePath){.name = account}) ==
        ID_NONE)
        return command_not_found(command, "storage account", account, status);
    if (storage_has_share(world->storage, name))
        return true;
    storage_add_share(world->storage, name, command->as.share_create.tier);
    resource_emit(world->resources, TRACE_RESOURCE_CREATED, "share", name);
    return true;
}

static bool share_command(World *world, const Command *command, Status *status)
{
    if (!storage_has_share(world->storage, command->path.name))
        return command_not_found(command, "share", command->path.name, status);
    ShareId share = storage_find_share(world->storage, command->path.name);
    if (command->kind == COMMAND_SHARE_DELETE) {
        storage_delete_share(world->storage, share);
    } else if (command->kind == COMMAND_FILE_UPLOAD) {
        TraceRecord *record = recorder_begin(world->recorder, TRACE_FILE_WRITTEN);
        record->name = command->as.file_upload.file;
        record->bytes = command->as.file_upload.bytes;
        storage_write_file(world->storage, record, share, command);
    } else {
        invariant(command->kind == COMMAND_FILE_DELETE);
        storage_remove_file(world->storage, share, command->as.file_delete.file);
    }
    return true;
}

/* Deletes a container and its contents. */
static bool delete_container(World *world, const Command *command, Status *status)
{
    const CommandKind made_by = command_made_by(command->kind);
    ResourcePath scope;
    if (!resource_can_delete(world->resources, command, made_by, &scope, status))
        return false;
    if (made_by != COMMAND_STORAGE_CREATE) {
        if (!jobs_delete_inside(world->jobs, scope, status) ||
            !clusters_delete_inside(world->clusters, scope, status))
            return false;
        file_servers_delete_inside(world->storage, scope);
    }
    resource_delete(world->resources, command, made_by);
    return true;
}

/* The name of the member that a show command queries; NULL: it prints the table. */
static const char *asked_member(const Command *command)
{
    ShowQuery query = command->as.show.query;
    return query == QUERY_TABLE ? NULL : show_query_name(query);
}

static bool resize(World *world, Cluster *cluster, const Command *command, Status *status)
{
    const char *name = command->as.cluster_resize.kind;
    const int32_t kind = name != NULL               ? cluster_find_kind(cluster, name)
                         : cluster->kind_count == 1 ? 0
                                                    : KIND_NONE;
    if (kind == KIND_NONE)
        return status_fail(status, STATUS_BAD_INPUT, command_place(command),
                           name != NULL ? "cluster \"%s\" has no nodes of kind \"%s\""
                                        : "cluster \"%s\" has nodes of several kinds; state one",
                           cluster->path.name, name);
    return cluster_resize(world->clusters, cluster, kind, command->as.cluster_resize.target_nodes,
                          command->as.cluster_resize.deallocation, status);
}

static bool cluster_command(World *world, const Command *command, Status *status)
{
    Cluster *cluster = cluster_find(world->clusters, command->path);
    if (!cluster)
        return command_not_found(command, "cluster", command->path.name, status);
    if (command->kind == COMMAND_CLUSTER_RESIZE)
        return resize(world, cluster, command, status);
    if (command->kind == COMMAND_CLUSTER_AUTOSCALE)
        return cluster_autoscale(world->clusters, cluster,
                                 command->as.cluster_autoscale.minimum_nodes,
                                 command->as.cluster_autoscale.maximum_nodes, status);
    if (command->kind == COMMAND_CLUSTER_DELETE)
        return cluster_delete(world->clusters, cluster, status);
    invariant(command->kind == COMMAND_CLUSTER_SHOW);
    TraceRecord *record = cluster_trace(world->clusters, TRACE_CLUSTER_SHOWN, cluster);
    record->name = asked_member(command);
    recorder_emit(world->recorder);
    return true;
}

static bool job_command(World *world, const Command *command, Status *status)
{
    Job *job = job_find(world->jobs, command->path);
    if (!job)
        return command_not_found(command, "job", command->path.name, status);
    if (command->kind == COMMAND_JOB_TERMINATE)
        return job_terminate(world->jobs, job, status);
    if (command->kind == COMMAND_JOB_DELETE)
        return job_delete(world->jobs, job, status);
    if (command->kind == COMMAND_JOB_RAN)
        return job_ran_outside(world->jobs, job, command, status);
    if (command->kind == COMMAND_JOB_REACHED)
        return job_reached_outside(world->jobs, job, command, status);
    bool is_show = command->kind == COMMAND_JOB_SHOW;
    TraceRecord *record =
        job_trace(world->jobs, is_show ? TRACE_JOB_SHOWN : TRACE_JOB_FILES_SHOWN, job);
    if (is_show)
        record->name = asked_member(command);
    recorder_emit(world->recorder);
    return true;
}

bool world_apply(World *world, const Command *command, Status *status)
{
    switch (command->kind) {
    case COMMAND_GROUP_CREATE:
    case COMMAND_WORKSPACE_CREATE:
    case COMMAND_EXPERIMENT_CREATE:
    case COMMAND_STORAGE_CREATE:
        return resource_create(world->resources, command, status);
    case COMMAND_GROUP_DELETE:
    case COMMAND_WORKSPACE_DELETE:
    case COMMAND_EXPERIMENT_DELETE:
    case COMMAND_STORAGE_DELETE:
        return delete_container(world, command, status);
    case COMMAND_SHARE_CREATE:
        return create_share(world, command, status);
    case COMMAND_SHARE_DELETE:
    case COMMAND_FILE_UPLOAD:
    case COMMAND_FILE_DELETE:
        return share_command(world, command, status);
    case COMMAND_CLUSTER_CREATE:
        return container_check_open(world->resources, command, status) &&
               cluster_create(world->clusters, command, status);
    case COMMAND_CLUSTER_RESIZE:
    case COMMAND_CLUSTER_AUTOSCALE:
    case COMMAND_CLUSTER_DELETE:
    case COMMAND_CLUSTER_SHOW:
        return cluster_command(world, command, status);
    case COMMAND_JOB_CREATE:
        return container_check_open(world->resources, command, status) &&
               job_create(world->jobs, command, status);
    case COMMAND_JOB_TERMINATE:
    case COMMAND_JOB_DELETE:
    case COMMAND_JOB_SHOW:
    case COMMAND_JOB_FILES:
    case COMMAND_JOB_RAN:
    case COMMAND_JOB_REACHED:
        return job_command(world, command, status);
    case COMMAND_FILE_SERVER_CREATE:
        return container_check_open(world->resources, command, status) &&
               file_server_create(world->storage, command, status);
    case COMMAND_FILE_SERVER_DELETE:
        return file_server_delete(world->storage, command, status);
    case COMMAND_USAGES_SHOW:
        recorder_begin(world->recorder, TRACE_USAGES_SHOWN);
        recorder_emit(world->recorder);
        return true;
    case COMMAND_PROGRAM_SET: // its reader has noted it for the jobs that follow
        return true;
#define X(name, text, what) case COMMAND_##name:
        FAULT_KINDS(X)
#undef X
        return fault_apply(world->faults, command, status);
    case COMMAND_KIND_COUNT:
        break;
    }
    invariant_broken("a command of a known kind", __FILE__, __LINE__);
}
