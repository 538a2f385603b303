#include "sim/cloud/storage/storage.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/cloud/storage/tables.h"

Storage *storage_tables_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                               const Scenario *scenario, Names *names, Resources *resources)
{
    Storage *storage = ARENA_NEW(run, Storage);
    *storage = (Storage){.arena = run,
                         .engine = engine,
                         .recorder = recorder,
                         .scenario = scenario,
                         .names = names,
                         .resources = resources,
                         .first_free_transfer = ID_NONE,
                         .files = file_set_create(run)};
    return storage;
}

void storage_connect(Storage *storage, TransferClient client)
{
    storage->client = client;
}

/* --- Shares --- */

ShareRow *storage_share_row(const Storage *storage, ShareId share)
{
    return row_table_at(&storage->shares, share.index);
}

uint32_t storage_share_count(const Storage *storage)
{
    return storage->shares.count;
}

uint32_t storage_share_next(const Storage *storage, uint32_t share)
{
    return row_table_next(&storage->shares, share);
}

const Share *storage_share(const Storage *storage, ShareId share)
{
    const ShareRow *row = storage_share_row(storage, share);
    return row != NULL ? row->share : NULL;
}

uint32_t share_generation(const Storage *storage, ShareId share)
{
    const ShareRow *row = storage_share_row(storage, share);
    return row != NULL ? row->generation : 0; // that of no event
}

void share_expect_next_end(Storage *storage, ShareId id)
{
    ShareRow *row = storage_share_row(storage, id);
    row->generation++;
    int64_t end_ns = share_next_end_ns(row->share);
    if (end_ns != INT64_MAX)
        engine_push(storage->engine, end_ns - storage->engine->now_ns, EVENT_SHARE_NEXT_END,
                    id.index, row->generation, 0);
}

ShareId storage_find_share(const Storage *storage, const char *name)
{
    uint32_t row;
    const ResourcePath path = {.name = name};
    if (names_row(storage->names, COMMAND_SHARE_CREATE, path, &row))
        return (ShareId){row};
    return (ShareId){ID_NONE};
}

ShareId storage_find_existing(const Storage *storage, const char *name)
{
    const ShareId share = storage_find_share(storage, name);
    const bool exists = share.index != ID_NONE && !storage_share_is_gone(storage, share);
    return exists ? share : (ShareId){ID_NONE};
}

bool storage_has_share(const Storage *storage, const char *name)
{
    return storage_find_existing(storage, name).index != ID_NONE;
}

bool storage_share_is_gone(const Storage *storage, ShareId share)
{
    const ShareRow *row = storage_share_row(storage, share);
    return row == NULL || row->is_gone;
}

int64_t storage_share_existed_ns(const Storage *storage, ShareId share)
{
    const ShareRow *row = storage_share_row(storage, share);
    return (row->is_gone ? row->gone_ns : storage->engine->now_ns) - share_created_ns(row->share);
}

ShareId storage_add_share(Storage *storage, const char *name, const ShareTier *tier)
{
    ShareRow *row = ARENA_NEW(storage->arena, ShareRow);
    ShareId id = {row_table_add(storage->arena, &storage->shares, row)};
    row->share = share_create(storage->arena, id, name, tier, storage->engine->now_ns);
    names_set(storage->names,
              names_key(storage->names, COMMAND_SHARE_CREATE, (ResourcePath){.name = name}),
              id.index);
    return id;
}

void storage_lose_share(Storage *storage, ShareId share)
{
    ShareRow *row = storage_share_row(storage, share);
    row->is_gone = true;
    row->gone_ns = storage->engine->now_ns;
    share_slows(storage, share, 0, INT64_MAX);
}

void storage_delete_share(Storage *storage, ShareId share)
{
    storage_lose_share(storage, share);
    TraceRecord *record = recorder_begin(storage->recorder, TRACE_RESOURCE_DELETED);
    record->share = share;
    record->name =
        arena_printf(storage->arena, "share %s", share_name(storage_share(storage, share)));
    recorder_emit(storage->recorder);
}

void storage_delete_account(Storage *storage, const char *account)
{
    const char *start = arena_printf(storage->arena, "%s/", account);
    for (uint32_t i = 0; (i = storage_share_next(storage, i)) < storage->shares.count; i++)
        if (!storage_share_is_gone(storage, (ShareId){i}) &&
            begins_with(share_name(storage_share(storage, (ShareId){i})), start))
            storage_delete_share(storage, (ShareId){i});
}

void storage_share_forget(Storage *storage, ShareId share)
{
    const ResourcePath path = {.name = share_name(storage_share(storage, share))};
    invariant(storage_share_is_gone(storage, share));
    if (storage_find_share(storage, path.name).index == share.index)
        names_drop(storage->names, COMMAND_SHARE_CREATE, path);
    file_set_forget_volume(storage->files, share.index);
    row_table_clear(&storage->shares, share.index);
}

const char *storage_blob_message(Arena *arena, const char *share, const char *trouble)
{
    return arena_printf(
        arena, "unable to mount blob fuse file system (Azure Blob Container '%s' %s)",
        share_container(share) != NULL ? share_container(share) : strchr(share, '/') + 1, trouble);
}

/* --- Files --- */

FileSet *storage_files(Storage *storage)
{
    return storage->files;
}

const StoredFile *storage_file(const Storage *storage, uint32_t file)
{
    return file_set_at(storage->files, file);
}

void storage_write_file(Storage *storage, TraceRecord *record, ShareId share, const Command *upload)
{
    StoredFile file = {.volume = share.index,
                       .path = record->name,
                       .bytes = record->bytes,
                       .at_ns = storage->engine->now_ns,
                       .job = record->job,
                       .local_path = upload ? upload->as.file_upload.local_path : NULL};
    if (upload && upload->as.file_upload.text) {
        FilePart *part = ARENA_NEW(storage->arena, FilePart);
        *part = (FilePart){.text = upload->as.file_upload.text, .length = record->bytes};
        file.has_parts = true;
        file.part_count = 1;
        file.parts = part;
    }
    record->share = share;
    record->file = file_set_put(storage->files, &file);
    recorder_emit(storage->recorder);
}

void storage_remove_file(Storage *storage, ShareId share, const char *path)
{
    TraceRecord *record = recorder_begin(storage->recorder, TRACE_FILE_DELETED);
    record->share = share;
    record->name = path;
    file_set_remove(storage->files, share.index, path);
    recorder_emit(storage->recorder);
}

/* --- Faults --- */

enum { FAULT_FREE = -1 };

static uint32_t new_fault(Storage *storage, ShareRow *row)
{
    for (uint32_t i = 0; i < row->fault_count; i++)
        if (row->fault_ppm[i] == FAULT_FREE)
            return i;
    if (row->fault_count == row->fault_capacity) {
        uint32_t capacity = row->fault_capacity == 0 ? 4 : 2 * row->fault_capacity;
        int64_t *larger = ARENA_ARRAY(storage->arena, int64_t, capacity);
        if (row->fault_count > 0)
            memcpy(larger, row->fault_ppm, row->fault_count * sizeof *larger);
        row->fault_ppm = larger;
        row->fault_capacity = capacity;
    }
    return row->fault_count++;
}

static int64_t slowest_ppm(const ShareRow *row)
{
    int64_t slowest = PPM;
    for (uint32_t i = 0; i < row->fault_count; i++)
        if (row->fault_ppm[i] != FAULT_FREE && row->fault_ppm[i] < slowest)
            slowest = row->fault_ppm[i];
    return slowest;
}

/* Sets the share's speed to that of its slowest fault. */
static void follow_faults(Storage *storage, ShareRow *row)
{
    int64_t speed_ppm = slowest_ppm(row);
    if (speed_ppm == share_speed_ppm(row->share))
        return;
    links_before_speed(storage, share_id(row->share));
    share_set_speed(row->share, speed_ppm, storage->engine->now_ns);
    links_after_speed(storage, share_id(row->share));
    share_expect_next_end(storage, share_id(row->share));
    TraceRecord *record = recorder_begin(storage->recorder, TRACE_SHARE_STATE);
    record->share = share_id(row->share);
    record->share_state.speed_ppm = speed_ppm;
    record->name = speed_ppm == 0 ? "out" : speed_ppm < PPM ? "slow" : "up";
    recorder_emit(storage->recorder);
}

void share_slows(Storage *storage, ShareId share, int64_t speed_ppm, int64_t duration_ns)
{
    invariant(speed_ppm >= 0);
    ShareRow *row = storage_share_row(storage, share);
    uint32_t fault = new_fault(storage, row);
    row->fault_ppm[fault] = speed_ppm;
    engine_push(storage->engine, duration_ns, EVENT_SHARE_RESTORED, share.index, 0, fault);
    follow_faults(storage, row);
}

void share_restored(Storage *storage, ShareId share, uint32_t fault)
{
    ShareRow *row = storage_share_row(storage, share);
    invariant(fault < row->fault_count);
    invariant(row->fault_ppm[fault] != FAULT_FREE);
    row->fault_ppm[fault] = FAULT_FREE;
    follow_faults(storage, row);
}
