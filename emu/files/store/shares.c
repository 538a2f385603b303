#include "emu/files/store/shares.h"

#include <string.h>

#include "emu/files/store/share_row.h"
#include "emu/files/store/slots.h"
#include "emu/files/store/ticks.h"
#include "sim/base/array.h"

/* Source of the limit: Microsoft, "Azure Files scalability and performance targets". */
enum { SNAPSHOTS_MAX = 200 };

/* --- Changing --- */

static FilesFailure create_share(FileStore *files, Arena *arena, ShareName name, int64_t quota_gib,
                                 const char *metadata)
{
    if (name.snapshot || !share_name_is_valid(name.share))
        return FILES_BAD_NAME;
    ShareRow row;
    if (share_find(files, arena, name, &row) == FILES_OK)
        return FILES_SHARE_EXISTS;
    row = share_row_new(files, name.share, quota_gib, metadata);
    share_put(files, name.account, &row);
    return FILES_OK;
}

FilesFailure files_share_create(FileStore *files, ShareName name, int64_t quota_gib,
                                const char *metadata)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena, create_share(files, arena, name, quota_gib, metadata));
}

/* Removes all entries of the share or snapshot, and its row. */
static void remove_share(FileStore *files, const char *account, const ShareRow *row)
{
    Arena *arena = arena_create();
    int64_t *contents = NULL;
    uint32_t count = 0, capacity = 0;
    sqlite3_stmt *rows = tables_ask(&files->tables, QUERY_FILES_SHARE_CONTENTS, "i", row->id);
    while (tables_next(&files->tables, rows)) {
        contents = array_room(arena, contents, count + 1, &capacity, sizeof *contents);
        contents[count++] = sqlite3_column_int64(rows, 0);
    }
    tables_do(&files->tables, QUERY_FILES_SHARE_EMPTY, "i", row->id);
    for (uint32_t i = 0; i < count; i++)
        contents_drop(&files->blobs, contents[i]);
    bool leaves_mark =
        !*row->snapshot &&
        world_has_share(&files->world, arena,
                        share_name_read(arena, arena_printf(arena, "%s/%s", account, row->name)));
    arena_destroy(arena);
    if (!leaves_mark) {
        tables_do(&files->tables, QUERY_FILES_SHARE_DELETE, "ttt", account, row->name,
                  row->snapshot);
        return;
    }
    ShareRow mark = *row;
    mark.is_gone = true;
    share_put(files, account, &mark);
}

/* The rows of an account, of one share or (NULL) of all; in `arena`. */
static ShareRow *rows_of(FileStore *files, Arena *arena, const char *account, const char *share,
                         uint32_t *count)
{
    ShareRow *found = NULL;
    uint32_t capacity = 0;
    *count = 0;
    sqlite3_stmt *rows =
        tables_ask(&files->tables, QUERY_FILES_SHARES, "tttt", account, "", "", share ? share : "");
    while (tables_next(&files->tables, rows)) {
        ShareRow row = share_row(rows, arena);
        if (share && strcmp(row.name, share) != 0)
            break;
        found = array_room(arena, found, *count + 1, &capacity, sizeof *found);
        found[(*count)++] = row;
    }
    tables_done(rows);
    return found;
}

static FilesFailure delete_share(FileStore *files, Arena *arena, ShareName name,
                                 bool with_snapshots)
{
    ShareRow row;
    FilesFailure failure = share_find(files, arena, name, &row);
    if (failure != FILES_OK)
        return failure;
    if (name.snapshot) {
        remove_share(files, name.account, &row);
        return FILES_OK;
    }
    uint32_t count;
    ShareRow *rows = rows_of(files, arena, name.account, name.share, &count);
    if (count > 1 && !with_snapshots)
        return FILES_HAS_SNAPSHOTS;
    for (uint32_t i = 0; i < count; i++)
        remove_share(files, name.account, &rows[i]);
    return FILES_OK;
}

FilesFailure files_share_delete(FileStore *files, ShareName name, bool with_snapshots)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena, delete_share(files, arena, name, with_snapshots));
}

FilesFailure files_account_delete(FileStore *files, const char *account)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    shares_adopt(files, arena, account);
    uint32_t count;
    ShareRow *rows = rows_of(files, arena, account, NULL, &count);
    for (uint32_t i = 0; i < count; i++)
        remove_share(files, account, &rows[i]);
    return operation_end(files, arena, FILES_OK);
}

FilesFailure files_share_change(FileStore *files, ShareName name, int64_t quota_gib,
                                const char *metadata)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena,
                         share_change(files, arena, name, quota_gib, NULL, metadata, NULL));
}

static FilesFailure share_keep(FileStore *files, Arena *arena, ShareName name,
                               const char *properties)
{
    ShareRow row;
    const FilesFailure failure = share_find(files, arena, name, &row);
    if (failure != FILES_OK)
        return failure;
    row.properties = properties;
    share_put(files, name.account, &row);
    return FILES_OK;
}

FilesFailure files_share_keep(FileStore *files, ShareName name, const char *properties)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena, share_keep(files, arena, name, properties));
}

/* --- Snapshots --- */

static FilesFailure share_snapshot(FileStore *files, Arena *arena, ShareName name,
                                   const char *metadata, char snapshot[TICKS_TEXT])
{
    ShareRow row, other;
    FilesFailure failure = name.snapshot ? FILES_BAD_NAME : share_find(files, arena, name, &row);
    if (failure != FILES_OK)
        return failure;
    if (tables_number(&files->tables, QUERY_FILES_SHARE_SNAPSHOTS, "tt", name.account,
                      name.share) >= SNAPSHOTS_MAX)
        return FILES_MANY_SNAPSHOTS;
    Directory root = share_root(files, arena, name, &row);
    int64_t ticks = files->tables.now_ticks;
    ShareName as = {.account = name.account, .share = name.share, .snapshot = snapshot};
    do
        ticks_print(ticks++, snapshot);
    while (share_row_find(files, arena, as, &other));
    int64_t live = row.id;
    row.id = new_number(&files->tables);
    row.snapshot = snapshot;
    row.lease = "";
    row.metadata = metadata ? metadata : row.metadata;
    share_put(files, name.account, &row);
    tables_do(&files->tables, QUERY_FILES_SHARE_COPY, "ii", live, row.id);
    if (root.world != FILES_NONE)
        directory_copy(files, &root, row.id, FILES_ROOT);
    return FILES_OK;
}

FilesFailure files_share_snapshot(FileStore *files, ShareName name, const char *metadata,
                                  char snapshot[TICKS_TEXT])
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena, share_snapshot(files, arena, name, metadata, snapshot));
}

/* --- Listing --- */

FilesEntry *files_shares(FileStore *files, Arena *arena, const char *account, const char *prefix,
                         const char *marker, int32_t max, bool with_snapshots, int32_t *count,
                         bool *more)
{
    operation_look(files);
    shares_adopt(files, arena, account);
    FilesEntry *entries = NULL;
    uint32_t found = 0, capacity = 0;
    *more = false;
    const size_t name = strcspn(marker, "/");
    sqlite3_stmt *rows = tables_ask(&files->tables, QUERY_FILES_SHARES, "tttt", account,
                                    arena_strndup(arena, marker, name),
                                    marker[name] ? marker + name + 1 : "", prefix);
    while (tables_next(&files->tables, rows)) {
        ShareRow row = share_row(rows, arena);
        if (strncmp(row.name, prefix, strlen(prefix)) != 0)
            break;
        if (row.is_gone || (*row.snapshot && !with_snapshots) || share_row_is_container(row.name))
            continue;
        *more = found == (uint32_t)max;
        if (*more)
            break;
        entries = array_room(arena, entries, found + 1, &capacity, sizeof *entries);
        entries[found++] = share_entry(&row, arena);
    }
    tables_done(rows);
    *count = (int32_t)found;
    return entries;
}

int64_t files_share_bytes(FileStore *files, ShareName name)
{
    operation_look(files);
    Arena *arena = arena_create();
    ShareRow row;
    int64_t bytes = 0;
    if (share_find(files, arena, name, &row) == FILES_OK)
        bytes = share_bytes(files, arena, name, &row);
    arena_destroy(arena);
    return bytes;
}
