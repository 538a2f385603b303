#include "emu/files/store/share_row.h"

#include <errno.h>
#include <string.h>

#include "emu/files/store/shares.h"
#include "emu/files/store/ticks.h"

void share_put(FileStore *files, const char *account, const ShareRow *row)
{
    tables_do(&files->tables, QUERY_FILES_SHARE_PUT, "tittiiiiittti", account, row->id, row->name,
              row->snapshot, row->since_ns, row->quota_gib, row->etag, row->created, row->changed,
              row->properties, row->metadata, row->lease, (int64_t)row->is_gone);
}

ShareRow share_row_new(FileStore *files, const char *share, int64_t quota_gib, const char *metadata)
{
    return (ShareRow){.id = new_number(&files->tables),
                      .name = share,
                      .snapshot = "",
                      .since_ns = files->tables.now_ns,
                      .quota_gib = quota_gib,
                      .etag = new_etag(&files->tables),
                      .created = files->tables.now_ticks,
                      .changed = files->tables.now_ticks,
                      .properties = "",
                      .metadata = metadata ? metadata : "",
                      .lease = ""};
}

/* --- Finding --- */

ShareRow share_row(sqlite3_stmt *row, Arena *arena)
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
    int64_t world_share = name.snapshot ? FILES_NONE : world_share_of(&files->world, arena, name);
    return (Directory){.share = row->id,
                       .world_share = world_share,
                       .client = FILES_ROOT,
                       .world = world_share == FILES_NONE ? FILES_NONE : FILES_ROOT,
                       .since_ns = row->since_ns};
}

bool share_row_find(FileStore *files, Arena *arena, ShareName name, ShareRow *row)
{
    sqlite3_stmt *rows =
        tables_ask(&files->tables, QUERY_FILES_SHARE, "ttt", name.account,
                   share_row_name(arena, name), name.snapshot ? name.snapshot : "");
    bool is_there = tables_next(&files->tables, rows);
    if (is_there)
        *row = share_row(rows, arena);
    tables_done(rows);
    return is_there;
}

static bool exists_in_world(const FileStore *files, Arena *arena, ShareName name)
{
    return name.is_container ? world_share_exists(&files->world, arena, name)
                             : world_has_share(&files->world, arena, name);
}

/* A share of the scenario exists without a client, and containers are made in the world: their row
 * is made at the first access. */
static bool create_row(FileStore *files, Arena *arena, ShareName name, ShareRow *row)
{
    Status status = {0};
    if (name.snapshot || !exists_in_world(files, arena, name))
        return false;
    if (!store_begin(files->store, &status)) {
        tables_fail(&files->tables, ENOSPC);
        return false;
    }
    *row = share_row_new(files, share_row_name(arena, name), SHARE_QUOTA_GIB, NULL);
    row->since_ns = FILES_NEVER; // nothing that the world wrote there is hidden
    row->created = row->changed = ticks_of(world_unix_ms(files->world.world, 0));
    share_put(files, name.account, row);
    return true;
}

FilesFailure share_find(FileStore *files, Arena *arena, ShareName name, ShareRow *row)
{
    if (!name.is_container && share_row_is_container(name.share))
        return FILES_NO_SHARE;
    bool is_there = share_row_find(files, arena, name, row) || create_row(files, arena, name, row);
    return is_there && !row->is_gone ? FILES_OK : FILES_NO_SHARE;
}

void shares_adopt(FileStore *files, Arena *arena, const char *account)
{
    if (!files->world.world)
        return;
    size_t length = strlen(account);
    const Scenario *scenario = world_scenario(files->world.world);
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        const char *name = command->path.name;
        if (command->kind != COMMAND_SHARE_CREATE || strncmp(name, account, length) != 0 ||
            name[length] != '/' || share_container(name))
            continue;
        ShareRow row;
        ShareName share = {.account = account, .share = name + length + 1};
        if (!share_row_find(files, arena, share, &row))
            create_row(files, arena, share, &row);
    }
}

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

/* --- Changing --- */

FilesFailure share_change(FileStore *files, Arena *arena, ShareName name, int64_t quota_gib,
                          const char *properties, const char *metadata, const char *lease)
{
    ShareRow row;
    FilesFailure failure = share_find(files, arena, name, &row);
    if (failure != FILES_OK)
        return failure;
    if (quota_gib >= 0 || properties || metadata) {
        row.etag = new_etag(&files->tables);
        row.changed = files->tables.now_ticks;
    }
    row.quota_gib = quota_gib >= 0 ? quota_gib : row.quota_gib;
    row.properties = properties ? properties : row.properties;
    row.metadata = metadata ? metadata : row.metadata;
    row.lease = lease ? lease : row.lease;
    share_put(files, name.account, &row);
    return FILES_OK;
}

/* --- How full it is --- */

int64_t share_bytes(FileStore *files, Arena *arena, ShareName name, const ShareRow *row)
{
    const Directory root = share_root(files, arena, name, row);
    int64_t bytes = tables_number(&files->tables, QUERY_FILES_SHARE_BYTES, "i", row->id);
    if (root.world != FILES_NONE)
        bytes += tables_number(&files->tables, QUERY_FILES_WORLD_BYTES, "ii", root.world_share,
                               root.since_ns);
    return bytes;
}

/* The bound of a share that was not counted yet is the largest number. */
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
    if (use->bytes > quota - more || use->written != files->world.written_by_jobs) {
        use->bytes = share_bytes(files, arena, name, &row);
        use->written = files->world.written_by_jobs;
    }
    if (use->bytes > quota - more)
        return FILES_SHARE_FULL;
    use->bytes += more; // also if the operation fails: it is an upper bound
    return FILES_OK;
}
