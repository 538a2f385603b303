#include <errno.h>
#include <string.h>

#include "emu/files/store/parts.h"
#include "sim/output/summary/array.h"

/* Source of the limit: Microsoft, "Azure Files scalability and performance targets". */
enum { DEFAULT_QUOTA_GIB = 5120, SNAPSHOTS_MAX = 200 };

static void share_put(FileStore *files, const char *account, const ShareRow *row)
{
    tables_do(files, QUERY_FILES_SHARE_PUT, "tittiiiiittti", account, row->id, row->name,
              row->snapshot, row->since_ns, row->quota_gib, row->etag, row->created, row->changed,
              row->properties, row->metadata, row->lease, (int64_t)row->is_gone);
}

static ShareRow new_share(FileStore *files, const char *share, int64_t quota_gib,
                          const char *metadata)
{
    return (ShareRow){.id = new_number(files),
                      .name = share,
                      .snapshot = "",
                      .since_ns = files->now_ns,
                      .quota_gib = quota_gib,
                      .etag = new_etag(files),
                      .created = files->now_ticks,
                      .changed = files->now_ticks,
                      .properties = "",
                      .metadata = metadata ? metadata : "",
                      .lease = ""};
}

/* --- Finding --- */

static ShareRow share_row(sqlite3_stmt *row, Arena *arena)
{
    return (ShareRow){.id = sqlite3_column_int64(row, 0),
                      .name = column_text(row, 1, arena),
                      .snapshot = column_text(row, 2, arena),
                      .since_ns = sqlite3_column_int64(row, 3),
                      .quota_gib = sqlite3_column_int64(row, 4),
                      .etag = sqlite3_column_int64(row, 5),
                      .created = sqlite3_column_int64(row, 6),
                      .changed = sqlite3_column_int64(row, 7),
                      .properties = column_text(row, 8, arena),
                      .metadata = column_text(row, 9, arena),
                      .lease = column_text(row, 10, arena),
                      .is_gone = sqlite3_column_int(row, 11) != 0};
}

Directory share_root(const FileStore *files, Arena *arena, ShareName name, const ShareRow *row)
{
    int64_t world_share =
        name.snapshot ? FILES_NONE : world_share_of(files, arena, name.account, name.share);
    return (Directory){.share = row->id,
                       .world_share = world_share,
                       .client = FILES_ROOT,
                       .world = world_share == FILES_NONE ? FILES_NONE : FILES_ROOT,
                       .since_ns = row->since_ns};
}

/* The row, which may be that of a share that is gone. */
static bool row_find(FileStore *files, Arena *arena, ShareName name, ShareRow *row)
{
    sqlite3_stmt *rows = tables_ask(files, QUERY_FILES_SHARE, "ttt", name.account, name.share,
                                    name.snapshot ? name.snapshot : "");
    bool is_there = tables_next(files, rows);
    if (is_there)
        *row = share_row(rows, arena);
    tables_done(rows);
    return is_there;
}

/* A share of the scenario's has been there without a client: it gets its row when one looks. */
static bool adopt(FileStore *files, Arena *arena, ShareName name, ShareRow *row)
{
    Status status = {0};
    if (name.snapshot || !world_has_share(files, arena, name.account, name.share))
        return false;
    if (!store_begin(files->store, &status)) {
        files_fail(files, ENOSPC);
        return false;
    }
    *row = new_share(files, arena_strdup(arena, name.share), DEFAULT_QUOTA_GIB, NULL);
    row->since_ns = FILES_NEVER; // all that the world ever wrote there is seen
    row->created = row->changed = ticks_of(world_unix_ms(files->world, 0));
    share_put(files, name.account, row);
    return true;
}

FilesFailure share_find(FileStore *files, Arena *arena, ShareName name, ShareRow *row)
{
    bool is_there = row_find(files, arena, name, row) || adopt(files, arena, name, row);
    return is_there && !row->is_gone ? FILES_OK : FILES_NO_SHARE;
}

/* --- Changing --- */

static FilesFailure create_share(FileStore *files, Arena *arena, ShareName name, int64_t quota_gib,
                                 const char *metadata)
{
    if (name.snapshot || !share_name_is_valid(name.share))
        return FILES_BAD_NAME;
    ShareRow row;
    if (share_find(files, arena, name, &row) == FILES_OK)
        return FILES_SHARE_EXISTS;
    row = new_share(files, name.share, quota_gib, metadata);
    share_put(files, name.account, &row);
    return FILES_OK;
}

FilesFailure files_share_create(FileStore *files, ShareName name, int64_t quota_gib,
                                const char *metadata)
{
    if (!operation_begin(files))
        return files->failure;
    Arena *arena = arena_create();
    FilesFailure failure =
        operation_end(files, create_share(files, arena, name, quota_gib, metadata));
    arena_destroy(arena);
    return failure;
}

/* All entries of the share or snapshot, and its row. */
static void remove_share(FileStore *files, const char *account, const ShareRow *row)
{
    Arena *arena = arena_create();
    int64_t *contents = NULL;
    uint32_t count = 0, capacity = 0;
    sqlite3_stmt *rows = tables_ask(files, QUERY_FILES_SHARE_CONTENTS, "i", row->id);
    while (tables_next(files, rows)) {
        contents = array_room(arena, contents, count + 1, &capacity, sizeof *contents);
        contents[count++] = sqlite3_column_int64(rows, 0);
    }
    tables_do(files, QUERY_FILES_SHARE_EMPTY, "i", row->id);
    for (uint32_t i = 0; i < count; i++)
        contents_drop(files, contents[i]);
    bool leaves_mark = !*row->snapshot && world_has_share(files, arena, account, row->name);
    arena_destroy(arena);
    if (!leaves_mark) {
        tables_do(files, QUERY_FILES_SHARE_DELETE, "ttt", account, row->name, row->snapshot);
        return;
    }
    ShareRow mark = *row;
    mark.is_gone = true;
    share_put(files, account, &mark);
}

/* Rows of an account, of one share or (NULL) of all; in `arena`. */
static ShareRow *rows_of(FileStore *files, Arena *arena, const char *account, const char *share,
                         uint32_t *count)
{
    ShareRow *found = NULL;
    uint32_t capacity = 0;
    *count = 0;
    sqlite3_stmt *rows =
        tables_ask(files, QUERY_FILES_SHARES, "tttt", account, "", "", share ? share : "");
    while (tables_next(files, rows)) {
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
    if (!operation_begin(files))
        return files->failure;
    Arena *arena = arena_create();
    FilesFailure failure = operation_end(files, delete_share(files, arena, name, with_snapshots));
    arena_destroy(arena);
    return failure;
}

/* Shares of the scenario's that no client has looked at yet. */
static void adopt_all(FileStore *files, Arena *arena, const char *account)
{
    if (!files->world)
        return;
    size_t length = strlen(account);
    const Scenario *scenario = world_scenario(files->world);
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        const char *name = command->path.name;
        if (command->kind != COMMAND_SHARE_CREATE || strncmp(name, account, length) != 0 ||
            name[length] != '/')
            continue;
        ShareRow row;
        ShareName share = {.account = account, .share = name + length + 1};
        if (!row_find(files, arena, share, &row))
            adopt(files, arena, share, &row);
    }
}

FilesFailure files_account_delete(FileStore *files, const char *account)
{
    if (!operation_begin(files))
        return files->failure;
    Arena *arena = arena_create();
    adopt_all(files, arena, account);
    uint32_t count;
    ShareRow *rows = rows_of(files, arena, account, NULL, &count);
    for (uint32_t i = 0; i < count; i++)
        remove_share(files, account, &rows[i]);
    arena_destroy(arena);
    return operation_end(files, FILES_OK);
}

FilesFailure share_change(FileStore *files, Arena *arena, ShareName name, int64_t quota_gib,
                          const char *properties, const char *metadata, const char *lease)
{
    ShareRow row;
    FilesFailure failure = share_find(files, arena, name, &row);
    if (failure != FILES_OK)
        return failure;
    if (quota_gib >= 0 || properties || metadata) {
        row.etag = new_etag(files);
        row.changed = files->now_ticks;
    }
    row.quota_gib = quota_gib >= 0 ? quota_gib : row.quota_gib;
    row.properties = properties ? properties : row.properties;
    row.metadata = metadata ? metadata : row.metadata;
    row.lease = lease ? lease : row.lease;
    share_put(files, name.account, &row);
    return FILES_OK;
}

FilesFailure files_share_change(FileStore *files, ShareName name, int64_t quota_gib,
                                const char *metadata)
{
    if (!operation_begin(files))
        return files->failure;
    Arena *arena = arena_create();
    FilesFailure failure =
        operation_end(files, share_change(files, arena, name, quota_gib, NULL, metadata, NULL));
    arena_destroy(arena);
    return failure;
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
    if (!operation_begin(files))
        return files->failure;
    Arena *arena = arena_create();
    FilesFailure failure = operation_end(files, share_keep(files, arena, name, properties));
    arena_destroy(arena);
    return failure;
}

/* --- Snapshots --- */

static FilesFailure share_snapshot(FileStore *files, Arena *arena, ShareName name,
                                   const char *metadata, char snapshot[TICKS_TEXT])
{
    ShareRow row, other;
    FilesFailure failure = name.snapshot ? FILES_BAD_NAME : share_find(files, arena, name, &row);
    if (failure != FILES_OK)
        return failure;
    if (tables_number(files, QUERY_FILES_SHARE_SNAPSHOTS, "tt", name.account, name.share) >=
        SNAPSHOTS_MAX)
        return FILES_MANY_SNAPSHOTS;
    Directory root = share_root(files, arena, name, &row);
    int64_t ticks = files->now_ticks;
    ShareName as = {.account = name.account, .share = name.share, .snapshot = snapshot};
    do
        ticks_print(ticks++, snapshot);
    while (row_find(files, arena, as, &other));
    int64_t live = row.id;
    row.id = new_number(files);
    row.snapshot = snapshot;
    row.lease = "";
    row.metadata = metadata ? metadata : row.metadata;
    share_put(files, name.account, &row);
    tables_do(files, QUERY_FILES_SHARE_COPY, "ii", live, row.id);
    if (root.world != FILES_NONE)
        directory_copy(files, &root, row.id, FILES_ROOT);
    return FILES_OK;
}

FilesFailure files_share_snapshot(FileStore *files, ShareName name, const char *metadata,
                                  char snapshot[TICKS_TEXT])
{
    if (!operation_begin(files))
        return files->failure;
    Arena *arena = arena_create();
    FilesFailure failure =
        operation_end(files, share_snapshot(files, arena, name, metadata, snapshot));
    arena_destroy(arena);
    return failure;
}

/* --- Telling --- */

FilesEntry share_entry(const ShareRow *row, Arena *arena)
{
    return (FilesEntry){.kind = FILES_SHARE,
                        .name = arena_strdup(arena, row->name),
                        .id = row->id,
                        .etag = (uint64_t)row->etag,
                        .created_ticks = row->created,
                        .written_ticks = row->changed,
                        .changed_ticks = row->changed,
                        .snapshot = arena_strdup(arena, row->snapshot),
                        .properties = arena_strdup(arena, row->properties),
                        .metadata = arena_strdup(arena, row->metadata),
                        .quota_gib = row->quota_gib,
                        .lease = arena_strdup(arena, row->lease)};
}

FilesEntry *files_shares(FileStore *files, Arena *arena, const char *account, const char *prefix,
                         const char *marker, int32_t max, bool with_snapshots, int32_t *count,
                         bool *more)
{
    operation_look(files);
    adopt_all(files, arena, account);
    FilesEntry *entries = NULL;
    uint32_t found = 0, capacity = 0;
    *more = false;
    const size_t name = strcspn(marker, "/");
    sqlite3_stmt *rows =
        tables_ask(files, QUERY_FILES_SHARES, "tttt", account, arena_strndup(arena, marker, name),
                   marker[name] ? marker + name + 1 : "", prefix);
    while (tables_next(files, rows)) {
        ShareRow row = share_row(rows, arena);
        if (strncmp(row.name, prefix, strlen(prefix)) != 0)
            break;
        if (row.is_gone || (*row.snapshot && !with_snapshots))
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

/* --- How full it is --- */

static int64_t share_bytes(FileStore *files, Arena *arena, ShareName name, const ShareRow *row)
{
    const Directory root = share_root(files, arena, name, row);
    int64_t bytes = tables_number(files, QUERY_FILES_SHARE_BYTES, "i", row->id);
    if (root.world != FILES_NONE)
        bytes +=
            tables_number(files, QUERY_FILES_WORLD_BYTES, "ii", root.world_share, root.since_ns);
    return bytes;
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

/* Of a share that was not counted lately: as full as can be. */
static ShareUse *use_of(FileStore *files, int64_t share)
{
    for (uint32_t i = 0; i < SHARES_USED; i++)
        if (files->shares_used[i].share == share)
            return &files->shares_used[i];
    ShareUse *use = &files->shares_used[files->share_used_next++ % SHARES_USED];
    *use = (ShareUse){.share = share, .bytes = INT64_MAX};
    return use;
}

FilesFailure share_takes(FileStore *files, Arena *arena, ShareName name, int64_t more)
{
    ShareRow row;
    const FilesFailure failure = share_find(files, arena, name, &row);
    if (failure != FILES_OK || more <= 0)
        return failure;
    ShareUse *use = use_of(files, row.id);
    const int64_t quota = row.quota_gib << 30;
    if (use->bytes > quota - more || use->written != files->written_by_jobs) {
        use->bytes = share_bytes(files, arena, name, &row);
        use->written = files->written_by_jobs;
    }
    if (use->bytes > quota - more)
        return FILES_SHARE_FULL;
    use->bytes += more; // also when the operation fails after all: it is a bound
    return FILES_OK;
}
