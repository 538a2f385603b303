/* NFS servers: virtual machines whose disks are mounted as a share.
 *
 * When deletion begins the share is gone: nobody can mount it any more,
 * and who has mounted it hangs, as with any NFS server that does not answer. The machine is billed
 * from the request to the end of the deletion, or to the failure. */
#include "sim/base/invariant.h"
#include "sim/cloud/world_parts.h"
#include "sim/model/price.h"

/* As the service put it (batchai-service notes, "Error catalogue"). */
static const char failure_text[] =
    "FileServerProvisioningFailed: File Server provisioning has failed";

static const char account[] = "fileserver/";

const char *file_server_share_name(Arena *arena, ResourcePath path)
{
    if (path.group == NULL || path.workspace == NULL)
        return arena_printf(arena, "%s%s", account, path.name);
    return arena_printf(arena, "%s%s/%s/%s", account, path.group, path.workspace, path.name);
}

bool file_server_is_share(const char *share)
{
    return begins_with(share, account);
}

static FileServer *row_at(const World *world, uint32_t index)
{
    return row_table_at(&world->file_servers, index);
}

static const char *key_of(World *world, const FileServer *server)
{
    return resource_key(world, COMMAND_FILE_SERVER_CREATE, server->path);
}

static FileServer *find(World *world, ResourcePath path, uint32_t *index)
{
    bool is_there =
        name_table_find(world->names, resource_key(world, COMMAND_FILE_SERVER_CREATE, path), index);
    return is_there ? row_at(world, *index) : NULL;
}

static void set_provisioning(World *world, FileServer *server, ProvisioningState state)
{
    TraceRecord record = world_record(world, TRACE_FILE_SERVER_PROVISIONING);
    const char *name = arena_printf(world->arena, "%s %s%s%s", provisioning_state_name(state),
                                    server->path.name, state == PROVISIONING_FAILED ? ": " : "",
                                    state == PROVISIONING_FAILED ? failure_text : "");
    server->provisioning = state;
    record.share = server->share;
    world_tell_change(world, record, name, &server->provisioning_since_ns);
}

Bill world_file_server_bill(const World *world, const FileServer *server)
{
    const int64_t end_ns = server->gone_ns != INT64_MAX ? server->gone_ns : world->now_ns;
    return (Bill){.billed_ns = billed_ns(end_ns - server->created_ns,
                                         world_service(world)->billing_granularity_ns),
                  .micro_usd_per_hour = server->vm_size->dedicated_micro_usd_per_hour};
}

static void tell_bill(World *world, const FileServer *server)
{
    const Bill bill = world_file_server_bill(world, server);
    TraceRecord record = world_record(world, TRACE_FILE_SERVER_BILLED);
    record.since_ns = server->created_ns;
    record.name = server->path.name;
    record.file_server_billed.billed_ns = bill.billed_ns;
    record.file_server_billed.micro_usd_per_hour = bill.micro_usd_per_hour;
    world_tell(world, &record);
}

static void stop_billing(World *world, FileServer *server)
{
    if (server->gone_ns != INT64_MAX)
        return; // it had failed
    server->gone_ns = world->now_ns;
    tell_bill(world, server);
}

void file_servers_bill(World *world)
{
    for (uint32_t i = 0; i < world->file_servers.count; i++)
        if (row_at(world, i)->gone_ns == INT64_MAX)
            tell_bill(world, row_at(world, i));
}

/* --- Creation --- */

/* Neither the disks nor the machine's network give more than they can. */
static ShareTier tier_of(const ShareTier *disks, const VmSize *vm_size)
{
    ShareTier tier = *disks;
    if (tier.read_bytes_per_s > vm_size->network_bytes_per_s)
        tier.read_bytes_per_s = vm_size->network_bytes_per_s;
    if (tier.write_bytes_per_s > vm_size->network_bytes_per_s)
        tier.write_bytes_per_s = vm_size->network_bytes_per_s;
    return tier;
}

static void push_event(World *world, FileServer *server, uint32_t index, Quantiles duration_ns,
                       uint64_t draw)
{
    world_push(world, world_draw(world, duration_ns, RNG_FILE_SERVER, server->address, draw),
               EVENT_FILE_SERVER, index, ++server->generation, 0);
}

bool file_server_create(World *world, const Command *command, Status *status)
{
    const VmSize *vm_size = command->as.file_server_create.vm_size;
    uint32_t index;
    if (find(world, command->path, &index))
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "file server \"%s\" exists already", command->path.name);
    FileServer *server = ARENA_NEW(world->arena, FileServer);
    *server = (FileServer){.path = command->path,
                           .share_name = command->as.file_server_create.share,
                           .vm_size = vm_size,
                           .tier = tier_of(command->as.file_server_create.tier, vm_size),
                           .provisioning_since_ns = world->now_ns,
                           .created_ns = world->now_ns,
                           .recorded_ns = INT64_MAX,
                           .gone_ns = INT64_MAX,
                           .share = {ID_NONE}};
    const char *key = key_of(world, server);
    index = row_table_add(world->arena, &world->file_servers, server);
    server->address = world_new_address(world, key);
    name_table_set(world->names, key, index);
    container_gains(world, server->path);
    set_provisioning(world, server, PROVISIONING_CREATING);
    push_event(world, server, index, world_service(world)->file_server_create_ns, 0);
    return true;
}

static void created(World *world, FileServer *server)
{
    enum { DRAW_CREATION_FAILS = 2 };
    // A storage account may be called "fileserver" too: the share can be only one.
    bool has_failed = mishap_strikes(world, world->scenario->failures.file_server_ppm,
                                     RNG_FILE_SERVER, server->address, DRAW_CREATION_FAILS) ||
                      world_share_exists(world, server->share_name);
    server->recorded_ns = world->now_ns;
    if (!has_failed) {
        server->share = world_add_share(world, server->share_name, &server->tier);
        set_provisioning(world, server, PROVISIONING_SUCCEEDED);
        return;
    }
    set_provisioning(world, server, PROVISIONING_FAILED);
    stop_billing(world, server);
}

/* --- Deletion --- */

static void begin_deletion(World *world, FileServer *server, uint32_t index)
{
    if (server->share.index != ID_NONE)
        world_lose_share(world, server->share);
    set_provisioning(world, server, PROVISIONING_DELETING);
    push_event(world, server, index, world_service(world)->file_server_delete_ns, 1);
}

bool file_server_delete(World *world, const Command *command, Status *status)
{
    uint32_t index;
    FileServer *server = find(world, command->path, &index);
    if (!server)
        return command_not_found(command, "file server", command->path.name, status);
    if (server->provisioning < PROVISIONING_DELETING)
        begin_deletion(world, server, index);
    return true;
}

void file_server_goes(World *world, uint32_t file_server)
{
    FileServer *server = row_at(world, file_server);
    if (server->provisioning < PROVISIONING_DELETING)
        begin_deletion(world, server, file_server);
}

static void deleted(World *world, FileServer *server)
{
    set_provisioning(world, server, PROVISIONING_DELETED);
    stop_billing(world, server);
    world_forget(world, key_of(world, server));
    container_loses(world, server->path);
}

void file_server_event(World *world, uint32_t file_server)
{
    FileServer *server = row_at(world, file_server);
    switch (server->provisioning) {
    case PROVISIONING_CREATING:
        created(world, server);
        return;
    case PROVISIONING_DELETING:
        deleted(world, server);
        return;
    case PROVISIONING_SUCCEEDED:
    case PROVISIONING_FAILED:
    case PROVISIONING_DELETED:
        break;
    }
    invariant_broken("a file server that waits for something", __FILE__, __LINE__);
}

bool file_server_is_stale(const World *world, uint32_t file_server, uint32_t generation)
{
    return row_at(world, file_server)->generation != generation;
}

/* The share is there exactly while the server has succeeded; billing ends with it, or with its
 * failure. */
static void check(const World *world, const FileServer *server)
{
    bool has_share = server->share.index != ID_NONE;
    invariant(server->created_ns <= server->provisioning_since_ns);
    invariant(server->provisioning_since_ns <= world->now_ns);
    invariant(server->gone_ns == INT64_MAX || server->gone_ns <= world->now_ns);
    switch (server->provisioning) {
    case PROVISIONING_CREATING:
        invariant(!has_share);
        invariant(server->gone_ns == INT64_MAX);
        return;
    case PROVISIONING_SUCCEEDED:
        invariant(has_share && !world_share_is_gone(world, server->share));
        invariant(server->gone_ns == INT64_MAX);
        return;
    case PROVISIONING_FAILED:
        invariant(!has_share);
        invariant(server->gone_ns != INT64_MAX);
        return;
    case PROVISIONING_DELETING:
        invariant(!has_share || world_share_is_gone(world, server->share));
        return;
    case PROVISIONING_DELETED:
        invariant(!has_share || world_share_is_gone(world, server->share));
        invariant(server->gone_ns != INT64_MAX);
        return;
    }
}

void file_servers_check(const World *world)
{
    for (uint32_t i = 0; i < world->file_servers.count; i++)
        check(world, row_at(world, i));
}
