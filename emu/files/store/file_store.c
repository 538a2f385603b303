#include "emu/files/store/file_store.h"

#include <string.h>

#include "emu/files/store/contents_folder.h"
#include "emu/files/store/operation.h"
#include "emu/files/store/share_row.h"
#include "emu/files/store/slots.h"
#include "emu/files/store/ticks.h"

/* --- Opening --- */

bool file_store_attach(FileStore *files, Store *store, Status *status)
{
    files->store = store;
    return tables_open(&files->tables, store_connection(store), status) &&
           contents_open(&files->blobs, files->arena, store, &files->tables, status);
}

FileStore *file_store_open(Arena *arena, Store *store, Status *status)
{
    FileStore *files = ARENA_NEW(arena, FileStore);
    files->arena = arena;
    files->has_unreported = true;
    files->blobs.folder = -1;
    world_files_open(&files->world, arena, &files->tables, &files->blobs);
    if (file_store_attach(files, store, status))
        return files;
    file_store_close(files);
    return NULL;
}

void file_store_detach(FileStore *files)
{
    files->store = NULL;
    files->tables = (Tables){0};
    files->blobs = (Blobs){.folder = -1};
    files->has_unreported = true;
    memset(files->shares_used, 0, sizeof files->shares_used);
    world_files_detach(&files->world);
}

void file_store_close(FileStore *files)
{
    if (!files)
        return;
    contents_close(&files->blobs);
    world_files_close(&files->world);
    tables_close(&files->tables);
}

static void record_row(void *listener, const TraceRow *row)
{
    FileStore *files = listener;
    world_files_record(&files->world, row);
}

TraceListener file_store_listener(FileStore *files)
{
    return (TraceListener){.listener = files, .level = TRACE_LEVEL_JOBS, .row = record_row};
}

void file_store_catch_up(FileStore *files)
{
    world_catch_up(&files->world);
}

void file_store_watch(FileStore *files, const World *world)
{
    files->world.world = world;
}

void file_store_at(FileStore *files, int64_t unix_ms, int64_t now_ns)
{
    files->tables.now_ns = now_ns;
    files->tables.now_ticks = ticks_of(unix_ms);
    contents_sweep(&files->blobs);
}

void file_store_report_damage(FileStore *files, DamageListener listener)
{
    files->blobs.listener = listener;
}

static const char *file_name_of(Arena *arena, ShareName share, const char *path)
{
    return arena_printf(arena, "%s/%s", share_name_text(arena, share), path);
}

/* The end of an operation that may have divided a unit of older contents. */
static FilesFailure contents_end(FileStore *files, Arena *arena, ShareName share, const char *path,
                                 FilesFailure failure)
{
    failure = operation_end(files, arena, failure);
    if (failure == FILES_DAMAGED) {
        Arena *scratch = arena_create();
        damage_report(&files->blobs, file_name_of(scratch, share, path), files->blobs.damaged);
        arena_destroy(scratch);
    }
    return failure;
}

/* --- Looking --- */

static FilesFailure look(FileStore *files, Arena *arena, ShareName share, const char *path,
                         FilesEntry *entry)
{
    Slot slot;
    FilesFailure failure = slot_walk(files, arena, share, path, false, &slot);
    if (failure != FILES_OK)
        return failure;
    if (slot.is_root) {
        ShareRow row;
        failure = share_find(files, arena, share, &row);
        *entry = share_entry(&row, arena);
        return failure;
    }
    if (slot.shows == SHOWS_NOTHING)
        return FILES_NO_RESOURCE;
    *entry = slot_entry(files, &slot, arena);
    return FILES_OK;
}

FilesFailure files_look(FileStore *files, Arena *arena, ShareName share, const char *path,
                        FilesEntry *entry)
{
    operation_look(files);
    return operation_looked(files, look(files, arena, share, path, entry));
}

const char *files_path(FileStore *files, Arena *arena, ShareName share, const char *path)
{
    FileName *names;
    int32_t count;
    const char *found = "";
    if (!file_path_split(arena, path, &names, &count))
        return path;
    for (int32_t i = 0; i < count; i++) {
        FilesEntry entry;
        const char *above = *found ? arena_printf(arena, "%s/", found) : "";
        found = arena_printf(arena, "%s%s", above, names[i].name);
        if (files_look(files, arena, share, found, &entry) == FILES_OK)
            found = arena_printf(arena, "%s%s", above, entry.name);
    }
    return found;
}

static FilesFailure find(FileStore *files, Arena *arena, ShareName share, int64_t id,
                         const char **path)
{
    ShareRow row;
    FilesFailure failure = share_find(files, arena, share, &row);
    *path = "";
    while (failure == FILES_OK && id != FILES_ROOT) {
        sqlite3_stmt *rows = tables_ask(&files->tables, QUERY_FILES_ENTRY_BY_ID, "ii", row.id, id);
        if (!tables_next(&files->tables, rows))
            return FILES_NO_RESOURCE;
        id = sqlite3_column_int64(rows, 0);
        *path =
            arena_printf(arena, "%s%s%s", column_text(rows, 1, arena), **path ? "/" : "", *path);
        tables_done(rows);
    }
    return failure;
}

FilesFailure files_find(FileStore *files, Arena *arena, ShareName share, int64_t id,
                        const char **path)
{
    operation_look(files);
    return operation_looked(files, find(files, arena, share, id, path));
}

/* The directory at a path. */
static FilesFailure directory_walk(FileStore *files, Arena *arena, ShareName share,
                                   const char *path, Directory *directory)
{
    Slot slot;
    FilesFailure failure = slot_walk(files, arena, share, path, false, &slot);
    if (failure != FILES_OK)
        return failure;
    if (!slot.is_root && slot.shows == SHOWS_NOTHING)
        return FILES_NO_RESOURCE;
    if (!slot.is_root && !slot_is_directory(&slot))
        return FILES_OTHER_KIND;
    *directory = slot_directory(files, &slot);
    return FILES_OK;
}

FilesFailure files_list(FileStore *files, Arena *arena, ShareName share, const char *path,
                        const char *prefix, const char *marker, int32_t max, FilesEntry **entries,
                        int32_t *count, bool *more)
{
    *count = 0;
    *more = false;
    operation_look(files);
    Arena *scratch = arena_create();
    Directory directory;
    FilesFailure failure = directory_walk(files, scratch, share, path, &directory);
    if (failure == FILES_OK) {
        int32_t found;
        Slot *slots = slots_list(files, scratch, &directory, file_name_fold(scratch, prefix),
                                 file_name_fold(scratch, marker), max + (max < INT32_MAX), &found);
        *more = found > max;
        *count = *more ? max : found;
        *entries = ARENA_ARRAY(arena, FilesEntry, *count);
        for (int32_t i = 0; i < *count; i++)
            (*entries)[i] = slot_entry(files, &slots[i], arena);
    }
    arena_destroy(scratch);
    return operation_looked(files, failure);
}

/* --- Directories --- */

static FilesFailure directory_create(FileStore *files, Arena *arena, ShareName share,
                                     const char *path, const char *metadata)
{
    Slot slot;
    FilesFailure failure = slot_walk(files, arena, share, path, true, &slot);
    if (failure != FILES_OK)
        return failure;
    if (slot.is_root || slot.shows != SHOWS_NOTHING)
        return FILES_EXISTS;
    slot_replace(files, &slot, slot_new_row(files, &slot, FILES_DIRECTORY, NULL, metadata));
    return FILES_OK;
}

FilesFailure files_directory_create(FileStore *files, ShareName share, const char *path,
                                    const char *metadata)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena, directory_create(files, arena, share, path, metadata));
}

static FilesFailure directory_delete(FileStore *files, Arena *arena, ShareName share,
                                     const char *path)
{
    Directory directory;
    Slot slot;
    FilesFailure failure = directory_walk(files, arena, share, path, &directory);
    if (failure == FILES_OK)
        failure = slot_walk(files, arena, share, path, true, &slot);
    if (failure != FILES_OK)
        return failure;
    if (slot.is_root)
        return FILES_BAD_NAME;
    int32_t count;
    slots_list(files, arena, &directory, "", "", 1, &count);
    if (count > 0)
        return FILES_NOT_EMPTY;
    if (directory.client != FILES_NONE)
        tables_do(&files->tables, QUERY_FILES_MARKS_DELETE, "ii", directory.share,
                  directory.client);
    slot_leave(files, &slot);
    return FILES_OK;
}

FilesFailure files_directory_delete(FileStore *files, ShareName share, const char *path)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena, directory_delete(files, arena, share, path));
}

/* --- Files --- */

/* The place of an existing file, of which clients get a copy if it is the world's. */
static FilesFailure file_own(FileStore *files, Arena *arena, ShareName share, const char *path,
                             Slot *slot)
{
    FilesFailure failure = slot_walk_file(files, arena, share, path, slot);
    if (failure == FILES_OK && slot->shows == SHOWS_NOTHING)
        failure = FILES_NO_RESOURCE;
    if (failure == FILES_OK)
        slot_own(files, slot);
    return failure;
}

static FilesFailure file_create(FileStore *files, Arena *arena, ShareName share, const char *path,
                                int64_t bytes, const char *properties, const char *metadata)
{
    if (bytes > FILES_BYTES_MAX)
        return FILES_TOO_LARGE;
    Slot slot;
    FilesFailure failure = slot_walk_file(files, arena, share, path, &slot);
    if (failure == FILES_OK)
        failure = share_takes(files, arena, share, bytes - slot_bytes(files, &slot));
    if (failure != FILES_OK)
        return failure;
    EntryRow row = slot_new_row(files, &slot, FILES_FILE, properties, metadata);
    row.bytes = bytes;
    slot_replace(files, &slot, row);
    return FILES_OK;
}

FilesFailure files_file_create(FileStore *files, ShareName share, const char *path, int64_t bytes,
                               const char *properties, const char *metadata)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena,
                         file_create(files, arena, share, path, bytes, properties, metadata));
}

static FilesFailure file_delete(FileStore *files, Arena *arena, ShareName share, const char *path)
{
    Slot slot;
    FilesFailure failure = slot_walk_file(files, arena, share, path, &slot);
    if (failure != FILES_OK)
        return failure;
    if (slot.shows == SHOWS_NOTHING)
        return FILES_NO_RESOURCE;
    slot_leave(files, &slot);
    if (slot.has_client)
        contents_drop(&files->blobs, slot.client.contents);
    return FILES_OK;
}

FilesFailure files_file_delete(FileStore *files, ShareName share, const char *path)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena, file_delete(files, arena, share, path));
}

/* --- Changing --- */

static FilesFailure file_resize(FileStore *files, EntryRow *row, int64_t bytes)
{
    if (bytes > FILES_BYTES_MAX)
        return FILES_TOO_LARGE;
    if (row->kind != FILES_FILE)
        return FILES_OTHER_KIND;
    if (bytes < row->bytes)
        contents_cut(&files->blobs, &row->contents, bytes, row->bytes - bytes);
    row->bytes = bytes;
    row->written = files->tables.now_ticks;
    return FILES_OK;
}

static FilesFailure change(FileStore *files, Arena *arena, ShareName share, const char *path,
                           int64_t bytes, const char *properties, const char *metadata,
                           const char *lease)
{
    Slot slot;
    FilesFailure failure = slot_walk(files, arena, share, path, true, &slot);
    if (failure != FILES_OK)
        return failure;
    if (slot.is_root)
        return share_change(files, arena, share, -1, properties, metadata, lease);
    if (slot.shows == SHOWS_NOTHING)
        return FILES_NO_RESOURCE;
    slot_own(files, &slot);
    int64_t contents = slot.client.contents, before = slot.client.bytes;
    if (bytes >= 0)
        failure = file_resize(files, &slot.client, bytes);
    if (failure == FILES_OK && bytes >= 0)
        failure = share_takes(files, arena, share, bytes - before);
    if (failure != FILES_OK)
        return failure;
    slot.client.properties = properties ? properties : slot.client.properties;
    slot.client.metadata = metadata ? metadata : slot.client.metadata;
    slot.client.lease = lease ? lease : slot.client.lease;
    if (bytes >= 0 || properties || metadata)
        slot_put(files, &slot);
    else
        entry_put(files, slot.above.share, slot.above.client, &slot.client);
    if (contents != slot.client.contents)
        contents_drop(&files->blobs, contents);
    return FILES_OK;
}

FilesFailure files_change(FileStore *files, ShareName share, const char *path, int64_t bytes,
                          const char *properties, const char *metadata, const char *lease)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return contents_end(files, arena, share, path,
                        change(files, arena, share, path, bytes, properties, metadata, lease));
}

static FilesFailure write_range(FileStore *files, Arena *arena, ShareName share, const char *path,
                                int64_t first, int64_t length, const char *bytes)
{
    Slot slot;
    FilesFailure failure = file_own(files, arena, share, path, &slot);
    if (failure != FILES_OK)
        return failure;
    EntryRow *row = &slot.client;
    if (first < 0 || length <= 0 || first > row->bytes || length > row->bytes - first)
        return FILES_BAD_RANGE;
    int64_t contents = row->contents;
    if (bytes)
        contents_write(&files->blobs, &row->contents, first, length, bytes);
    else
        contents_clear(&files->blobs, &row->contents, first, length);
    row->written = files->tables.now_ticks;
    slot_put(files, &slot);
    if (contents != row->contents)
        contents_drop(&files->blobs, contents);
    return FILES_OK;
}

FilesFailure files_write(FileStore *files, ShareName share, const char *path, int64_t first,
                         int64_t length, const char *bytes)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return contents_end(files, arena, share, path,
                        write_range(files, arena, share, path, first, length, bytes));
}

/* --- Contents --- */

static FilesFailure open_file(FileStore *files, Arena *arena, ShareName share, const char *path,
                              FilesEntry *entry, FilesReader **reader)
{
    Slot slot;
    FilesFailure failure = slot_find_file(files, arena, share, path, &slot);
    if (failure != FILES_OK)
        return failure;
    (void)slot_bytes(files, &slot);
    *entry = slot_entry(files, &slot, arena);
    *reader = slot.shows == SHOWS_WORLDS
                  ? world_reader(&files->world, &slot.above, &slot.world)
                  : contents_reader(&files->blobs, file_name_of(arena, share, path),
                                    slot.client.contents, slot.client.bytes);
    return FILES_OK;
}

FilesFailure files_look_open(FileStore *files, Arena *arena, ShareName share, const char *path,
                             FilesEntry *entry, FilesReader **reader)
{
    *reader = NULL;
    operation_look(files);
    FilesFailure failure =
        operation_looked(files, open_file(files, arena, share, path, entry, reader));
    if (failure != FILES_OK) {
        files_reader_close(*reader);
        *reader = NULL;
    }
    return failure;
}

FilesFailure files_open(FileStore *files, ShareName share, const char *path, FilesReader **reader,
                        int64_t *bytes)
{
    FilesEntry entry = {0};
    Arena *arena = arena_create();
    FilesFailure failure = files_look_open(files, arena, share, path, &entry, reader);
    *bytes = entry.bytes;
    arena_destroy(arena);
    return failure;
}

FilesFailure files_ranges(FileStore *files, Arena *arena, ShareName share, const char *path,
                          FilesPages which, int64_t first, int64_t last, FilesRange **ranges,
                          int32_t *count)
{
    FilesReader *reader;
    int64_t bytes;
    *count = 0;
    FilesFailure failure = files_open(files, share, path, &reader, &bytes);
    if (failure != FILES_OK)
        return failure;
    *ranges = reader_pages(reader, arena, which, first, last, count);
    files_reader_close(reader);
    return FILES_OK;
}
