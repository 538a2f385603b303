#include "sim/cloud/storage/file_server.h"

#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/cloud/storage/tables.h"
#include "sim/model/price.h"

/* The service's message (batchai-service notes, "Error catalogue"). */
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

static FileServer *row_at(const Storage *storage, uint32_t index)
{
    return row_table_at(&storage->file_servers, index);
}

static const char *key_of(Storage *storage, const FileServer *server)
{
    return names_key(storage->names, COMMAND_FILE_SERVER_CREATE, server->path);
}

uint32_t file_server_count(const Storage *storage)
{
    return storage->file_servers.count;
}

uint32_t file_server_next(const Storage *storage, uint32_t index)
{
    return row_table_next(&storage->file_servers, index);
}

void file_server_forget(Storage *storage, uint32_t index)
{
    invariant(row_at(storage, index)->provisioning == PROVISIONING_DELETED);
    row_table_clear(&storage->file_servers, index);
}

const FileServer *file_server_at(const Storage *storage, uint32_t index)
{
    return row_at(storage, index);
}

static FileServer *find(Storage *storage, ResourcePath path, uint32_t *index)
{
    bool exists = names_row(storage->names, COMMAND_FILE_SERVER_CREATE, path, index);
    return exists ? row_at(storage, *index) : NULL;
}

static void set_provisioning(Storage *storage, FileServer *server, ProvisioningState state)
{
    TraceRecord *record = recorder_begin(storage->recorder, TRACE_FILE_SERVER_PROVISIONING);
    const char *name = arena_printf(storage->arena, "%s %s%s%s", provisioning_state_name(state),
                                    server->path.name, state == PROVISIONING_FAILED ? ": " : "",
                                    state == PROVISIONING_FAILED ? failure_text : "");
    server->provisioning = state;
    record->share = server->share;
    recorder_emit_change(storage->recorder, name, &server->provisioning_since_ns);
}

Bill file_server_bill(const Storage *storage, const FileServer *server)
{
    const int64_t end_ns = server->gone_ns != INT64_MAX ? server->gone_ns : storage->engine->now_ns;
    return (Bill){.billed_ns = billed_ns(end_ns - server->created_ns,
                                         storage->scenario->service.billing_granularity_ns),
                  .micro_usd_per_hour = server->vm_size->dedicated_micro_usd_per_hour};
}

static void emit_bill(Storage *storage, const FileServer *server)
{
    const Bill bill = file_server_bill(storage, server);
    TraceRecord *record = recorder_begin(storage->recorder, TRACE_FILE_SERVER_BILLED);
    record->since_ns = server->created_ns;
    record->name = server->path.name;
    record->file_server_billed.billed_ns = bill.billed_ns;
    record->file_server_billed.micro_usd_per_hour = bill.micro_usd_per_hour;
    recorder_emit(storage->recorder);
}

static void stop_billing(Storage *storage, FileServer *server)
{
    if (server->gone_ns != INT64_MAX)
        return; // billing ended when its creation failed
    server->gone_ns = storage->engine->now_ns;
    emit_bill(storage, server);
}

void file_servers_bill(Storage *storage)
{
    for (uint32_t i = 0; (i = file_server_next(storage, i)) < storage->file_servers.count; i++)
        if (row_at(storage, i)->gone_ns == INT64_MAX)
            emit_bill(storage, row_at(storage, i));
}

/* --- Creation --- */

/* The tier of the disks, limited by the machine's network. */
static ShareTier tier_of(const ShareTier *disks, const VmSize *vm_size)
{
    ShareTier tier = *disks;
    if (tier.read_bytes_per_s > vm_size->network_bytes_per_s)
        tier.read_bytes_per_s = vm_size->network_bytes_per_s;
    if (tier.write_bytes_per_s > vm_size->network_bytes_per_s)
        tier.write_bytes_per_s = vm_size->network_bytes_per_s;
    return tier;
}

static void push_event(Storage *storage, FileServer *server, uint32_t index, Quantiles duration_ns,
                       uint64_t draw)
{
    engine_push(storage->engine,
                engine_draw(storage->engine, duration_ns, RNG_FILE_SERVER, server->address, draw),
                EVENT_FILE_SERVER, index, ++server->generation, 0);
}

bool file_server_create(Storage *storage, const Command *command, Status *status)
{
    const VmSize *vm_size = command->as.file_server_create.vm_size;
    uint32_t index;
    if (find(storage, command->path, &index))
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "file server \"%s\" exists already", command->path.name);
    FileServer *server = ARENA_NEW(storage->arena, FileServer);
    *server = (FileServer){.path = command->path,
                           .share_name = command->as.file_server_create.share,
                           .vm_size = vm_size,
                           .tier = tier_of(command->as.file_server_create.tier, vm_size),
                           .provisioning_since_ns = storage->engine->now_ns,
                           .created_ns = storage->engine->now_ns,
                           .recorded_ns = INT64_MAX,
                           .gone_ns = INT64_MAX,
                           .share = {ID_NONE}};
    const char *key = key_of(storage, server);
    index = row_table_add(storage->arena, &storage->file_servers, server);
    server->address = names_new_address(storage->names, key);
    names_set(storage->names, key, index);
    container_gains(storage->resources, COMMAND_FILE_SERVER_CREATE, server->path);
    set_provisioning(storage, server, PROVISIONING_CREATING);
    push_event(storage, server, index, storage->scenario->service.file_server_create_ns, 0);
    return true;
}

static void created(Storage *storage, FileServer *server)
{
    enum { DRAW_CREATION_FAILS = 2 };
    // A share of a storage account called "fileserver" may already have the name.
    bool has_failed = engine_strikes(storage->engine, storage->scenario->failures.file_server_ppm,
                                     storage->scenario->failures.rate_ppm, RNG_FILE_SERVER,
                                     server->address, DRAW_CREATION_FAILS) ||
                      storage_has_share(storage, server->share_name);
    server->recorded_ns = storage->engine->now_ns;
    if (!has_failed) {
        server->share = storage_add_share(storage, server->share_name, &server->tier);
        set_provisioning(storage, server, PROVISIONING_SUCCEEDED);
        return;
    }
    set_provisioning(storage, server, PROVISIONING_FAILED);
    stop_billing(storage, server);
}

/* --- Deletion --- */

static void begin_deletion(Storage *storage, FileServer *server, uint32_t index)
{
    if (server->share.index != ID_NONE)
        storage_lose_share(storage, server->share);
    set_provisioning(storage, server, PROVISIONING_DELETING);
    push_event(storage, server, index, storage->scenario->service.file_server_delete_ns, 1);
}

bool file_server_delete(Storage *storage, const Command *command, Status *status)
{
    uint32_t index;
    FileServer *server = find(storage, command->path, &index);
    if (!server)
        return command_not_found(command, "file server", command->path.name, status);
    if (server->provisioning < PROVISIONING_DELETING)
        begin_deletion(storage, server, index);
    return true;
}

void file_servers_delete_inside(Storage *storage, ResourcePath scope)
{
    for (uint32_t i = 0; (i = file_server_next(storage, i)) < storage->file_servers.count; i++) {
        FileServer *server = row_at(storage, i);
        if (path_is_inside(server->path, scope) && server->provisioning < PROVISIONING_DELETING)
            begin_deletion(storage, server, i);
    }
}

static void deleted(Storage *storage, FileServer *server)
{
    set_provisioning(storage, server, PROVISIONING_DELETED);
    stop_billing(storage, server);
    names_forget(storage->names, COMMAND_FILE_SERVER_CREATE, key_of(storage, server));
    container_loses(storage->resources, COMMAND_FILE_SERVER_CREATE, server->path);
}

void file_server_event(Storage *storage, uint32_t file_server)
{
    FileServer *server = row_at(storage, file_server);
    switch (server->provisioning) {
    case PROVISIONING_CREATING:
        created(storage, server);
        return;
    case PROVISIONING_DELETING:
        deleted(storage, server);
        return;
    case PROVISIONING_SUCCEEDED:
    case PROVISIONING_FAILED:
    case PROVISIONING_DELETED:
        break;
    }
    invariant_broken("a file server that waits for something", __FILE__, __LINE__);
}

uint32_t file_server_generation(const Storage *storage, uint32_t file_server)
{
    return row_at(storage, file_server)->generation;
}

/* --- Checks --- */

/* The share exists exactly while the server is in the state succeeded. A failed or deleted server
 * is no longer billed. */
static void check(const Storage *storage, const FileServer *server)
{
    bool has_share = server->share.index != ID_NONE;
    invariant(server->created_ns <= server->provisioning_since_ns);
    invariant(server->provisioning_since_ns <= storage->engine->now_ns);
    invariant(server->gone_ns == INT64_MAX || server->gone_ns <= storage->engine->now_ns);
    switch (server->provisioning) {
    case PROVISIONING_CREATING:
        invariant(!has_share);
        invariant(server->gone_ns == INT64_MAX);
        return;
    case PROVISIONING_SUCCEEDED:
        invariant(has_share && !storage_share_is_gone(storage, server->share));
        invariant(server->gone_ns == INT64_MAX);
        return;
    case PROVISIONING_FAILED:
        invariant(!has_share);
        invariant(server->gone_ns != INT64_MAX);
        return;
    case PROVISIONING_DELETING:
        invariant(!has_share || storage_share_is_gone(storage, server->share));
        return;
    case PROVISIONING_DELETED:
        invariant(!has_share || storage_share_is_gone(storage, server->share));
        invariant(server->gone_ns != INT64_MAX);
        return;
    }
}

int64_t file_servers_check(const Storage *storage)
{
    int64_t contained = 0;
    for (uint32_t i = 0; (i = file_server_next(storage, i)) < storage->file_servers.count; i++) {
        const FileServer *server = row_at(storage, i);
        check(storage, server);
        contained += container_check(storage->resources, server->path, server->provisioning);
    }
    return contained;
}
