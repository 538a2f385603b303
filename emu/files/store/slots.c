#include "emu/files/store/slots.h"

#include <string.h>

#include "emu/files/store/share_row.h"
#include "emu/files/store/ticks.h"
#include "sim/base/array.h"

/* --- Rows --- */

static EntryRow entry_row(sqlite3_stmt *row, Arena *arena)
{
    return (EntryRow){.id = sqlite3_column_int64(row, 0),
                      .kind = sqlite3_column_int64(row, 1),
                      .name = column_text(row, 2, arena),
                      .folded = column_text(row, 3, arena),
                      .bytes = sqlite3_column_int64(row, 4),
                      .etag = sqlite3_column_int64(row, 5),
                      .created = sqlite3_column_int64(row, 6),
                      .written = sqlite3_column_int64(row, 7),
                      .changed = sqlite3_column_int64(row, 8),
                      .properties = column_text(row, 9, arena),
                      .metadata = column_text(row, 10, arena),
                      .lease = column_text(row, 11, arena),
                      .contents = sqlite3_column_int64(row, 12),
                      .since_ns = sqlite3_column_int64(row, 13)};
}

void entry_put(FileStore *files, int64_t share, int64_t parent, const EntryRow *row)
{
    tables_do(&files->tables, QUERY_FILES_ENTRY_PUT, "iiiittiiiiitttii", share, parent, row->id,
              row->kind, row->name, row->folded, row->bytes, row->etag, row->created, row->written,
              row->changed, row->properties, row->metadata, row->lease, row->contents,
              row->since_ns);
}

/* --- Finding --- */

/* The later entry is visible; the clients' if both are directories or of different kinds. A job's
 * removal is later than the file that it removed. */
static Shows shows(const Slot *slot, int64_t since_ns)
{
    bool is_clients = slot->has_client && slot->client.kind != FILES_GONE;
    if (slot->has_client && slot->client.since_ns > since_ns)
        since_ns = slot->client.since_ns;
    bool is_worlds = slot->has_world && slot->world.at_ns > since_ns;
    if (is_worlds && slot->world.kind == FILES_GONE)
        return is_clients && slot->client.kind == FILES_DIRECTORY ? SHOWS_CLIENTS : SHOWS_NOTHING;
    if (is_clients && is_worlds)
        return slot->client.kind == FILES_FILE && slot->world.kind == FILES_FILE ? SHOWS_WORLDS
                                                                                 : SHOWS_CLIENTS;
    return is_clients ? SHOWS_CLIENTS : is_worlds ? SHOWS_WORLDS : SHOWS_NOTHING;
}

static Slot slot_find(FileStore *files, Arena *arena, const Directory *above, FileName name)
{
    Slot slot = {.above = *above, .name = name};
    if (above->client != FILES_NONE) {
        sqlite3_stmt *rows = tables_ask(&files->tables, QUERY_FILES_ENTRY, "iit", above->share,
                                        above->client, name.folded);
        slot.has_client = tables_next(&files->tables, rows);
        if (slot.has_client)
            slot.client = entry_row(rows, arena);
        tables_done(rows);
    }
    if (above->world != FILES_NONE) {
        sqlite3_stmt *rows = tables_ask(&files->tables, QUERY_FILES_WORLD, "iit",
                                        above->world_share, above->world, name.folded);
        slot.has_world = tables_next(&files->tables, rows);
        if (slot.has_world)
            slot.world = world_row(rows, arena);
        tables_done(rows);
    }
    slot.shows = shows(&slot, above->since_ns);
    return slot;
}

bool slot_is_directory(const Slot *slot)
{
    switch (slot->shows) {
    case SHOWS_CLIENTS:
        return slot->client.kind == FILES_DIRECTORY;
    case SHOWS_WORLDS:
        return slot->world.kind == FILES_DIRECTORY;
    case SHOWS_NOTHING:
        break;
    }
    return false;
}

Directory slot_directory(FileStore *files, const Slot *slot)
{
    Directory directory = slot->above;
    if (slot->is_root)
        return directory;
    directory.client = slot->shows == SHOWS_CLIENTS ? slot->client.id : FILES_NONE;
    directory.world = FILES_NONE;
    if (slot->has_client && slot->client.since_ns > directory.since_ns)
        directory.since_ns = slot->client.since_ns;
    if (slot->has_world && slot->world.kind == FILES_DIRECTORY) {
        world_enter(&files->world, &slot->above, &slot->world);
        directory.world = slot->world.id;
    }
    return directory;
}

FilesFailure slot_walk(FileStore *files, Arena *arena, ShareName share, const char *path,
                       bool is_writing, Slot *slot)
{
    FileName *names;
    int32_t count;
    if (!file_path_split(arena, path, &names, &count))
        return FILES_BAD_NAME;
    ShareRow row;
    FilesFailure failure = share_find(files, arena, share, &row);
    if (failure != FILES_OK)
        return failure;
    Directory at = share_root(files, arena, share, &row);
    *slot = (Slot){.above = at, .is_root = true};
    for (int32_t i = 0; i < count; i++) {
        *slot = slot_find(files, arena, &at, names[i]);
        if (i + 1 == count)
            break;
        if (!slot_is_directory(slot))
            return FILES_NO_PARENT;
        if (is_writing)
            slot_own(files, slot);
        at = slot_directory(files, slot);
    }
    return FILES_OK;
}

/* --- Listing --- */

/* The rows of clients and of the world in a directory, ordered by folded name, one step ahead. */
typedef struct {
    FileStore *files;
    Arena *arena;
    const Directory *directory;
    sqlite3_stmt *clients, *worlds; /* NULL: no more rows */
    EntryRow client;
    WorldRow world;
} Merge;

static void client_next(Merge *merge)
{
    if (merge->clients && tables_next(&merge->files->tables, merge->clients))
        merge->client = entry_row(merge->clients, merge->arena);
    else
        merge->clients = NULL;
}

static void world_next(Merge *merge)
{
    if (merge->worlds && tables_next(&merge->files->tables, merge->worlds))
        merge->world = world_row(merge->worlds, merge->arena);
    else
        merge->worlds = NULL;
}

static Merge merge_begin(FileStore *files, Arena *arena, const Directory *directory,
                         const char *prefix, const char *marker)
{
    Merge merge = {.files = files, .arena = arena, .directory = directory};
    if (directory->client != FILES_NONE)
        merge.clients = tables_ask(&files->tables, QUERY_FILES_ENTRIES, "iitt", directory->share,
                                   directory->client, marker, prefix);
    if (directory->world != FILES_NONE)
        merge.worlds = tables_ask(&files->tables, QUERY_FILES_WORLDS, "iitt",
                                  directory->world_share, directory->world, marker, prefix);
    client_next(&merge);
    world_next(&merge);
    return merge;
}

static bool merge_next(Merge *merge, Slot *slot)
{
    if (!merge->clients && !merge->worlds)
        return false;
    int order = !merge->clients  ? 1
                : !merge->worlds ? -1
                                 : strcmp(merge->client.folded, merge->world.folded);
    *slot = (Slot){.above = *merge->directory, .has_client = order <= 0, .has_world = order >= 0};
    if (slot->has_client) {
        slot->client = merge->client;
        slot->name = (FileName){slot->client.name, slot->client.folded};
        client_next(merge);
    }
    if (slot->has_world) {
        slot->world = merge->world;
        if (!slot->has_client)
            slot->name = (FileName){slot->world.name, slot->world.folded};
        world_next(merge);
    }
    slot->shows = shows(slot, merge->directory->since_ns);
    return true;
}

static void merge_end(Merge *merge)
{
    if (merge->clients)
        tables_done(merge->clients);
    if (merge->worlds)
        tables_done(merge->worlds);
}

Slot *slots_list(FileStore *files, Arena *arena, const Directory *directory, const char *prefix,
                 const char *marker, int32_t max, int32_t *count)
{
    Slot *slots = NULL;
    uint32_t found = 0, capacity = 0;
    size_t prefix_length = strlen(prefix);
    Merge merge = merge_begin(files, arena, directory, prefix, marker);
    for (Slot slot; found < (uint32_t)max && merge_next(&merge, &slot);) {
        if (strncmp(slot.name.folded, prefix, prefix_length) != 0)
            break; // names with the prefix are adjacent
        if (slot.shows == SHOWS_NOTHING)
            continue;
        slots = array_room(arena, slots, found + 1, &capacity, sizeof *slots);
        slots[found++] = slot;
    }
    merge_end(&merge);
    *count = (int32_t)found;
    return slots;
}

/* --- Copies of the world's entries --- */

/* Copies the entry of the world at a place to another directory. */
static EntryRow slot_copy(FileStore *files, const Slot *slot, int64_t share, int64_t parent,
                          FileName name)
{
    const WorldRow *world = &slot->world;
    EntryRow copy = {.id = new_number(&files->tables),
                     .kind = world->kind,
                     .name = name.name,
                     .folded = name.folded,
                     .etag = new_etag(&files->tables),
                     .created = ticks_of(world_unix_ms(files->world.world, world->made_ns)),
                     .properties = "",
                     .metadata = "",
                     .lease = "",
                     .since_ns = FILES_NEVER};
    if (world->kind == FILES_DIRECTORY) {
        copy.written = copy.changed = ticks_of(world_unix_ms(files->world.world, world->at_ns));
        if (slot->has_client) // a mark: its entries stay hidden
            copy.since_ns = slot->client.since_ns;
        entry_put(files, share, parent, &copy);
        return copy;
    }
    WorldRow measured = *world;
    world_measure(&files->world, &slot->above, &measured);
    copy.written = copy.changed = ticks_of(world->modified_ms);
    copy.bytes = measured.bytes;
    copy.since_ns = files->tables.now_ns;
    FilesReader *reader = world_reader(&files->world, &slot->above, &measured);
    if (reader)
        contents_fill(&files->blobs, &copy.contents, reader);
    files_reader_close(reader);
    entry_put(files, share, parent, &copy);
    return copy;
}

void slot_own(FileStore *files, Slot *slot)
{
    if (slot->shows != SHOWS_WORLDS)
        return;
    int64_t stale = slot->has_client ? slot->client.contents : 0;
    slot->client = slot_copy(files, slot, slot->above.share, slot->above.client,
                             (FileName){slot->world.name, slot->world.folded});
    slot->has_client = true;
    slot->shows = SHOWS_CLIENTS;
    contents_drop(&files->blobs, stale);
}

void directory_copy(FileStore *files, const Directory *from, int64_t share, int64_t parent)
{
    Arena *arena = arena_create();
    int32_t count;
    Slot *slots = slots_list(files, arena, from, "", "", INT32_MAX, &count);
    for (int32_t i = 0; i < count && files->tables.failure == FILES_OK; i++) {
        Slot *slot = &slots[i];
        int64_t id = slot->client.id;
        if (slot->shows == SHOWS_WORLDS) {
            // A stale file of clients there shares its contents with the row that it was copied
            // from, or is that row.
            sqlite3_stmt *old = tables_ask(&files->tables, QUERY_FILES_ENTRY, "iit", share, parent,
                                           slot->name.folded);
            int64_t stale = tables_next(&files->tables, old) ? sqlite3_column_int64(old, 12) : 0;
            tables_done(old);
            id = slot_copy(files, slot, share, parent,
                           (FileName){slot->world.name, slot->world.folded})
                     .id;
            contents_drop(&files->blobs, stale);
        }
        if (slot_is_directory(slot)) {
            Directory below = slot_directory(files, slot);
            directory_copy(files, &below, share, id);
        }
    }
    arena_destroy(arena);
}

/* --- Changing --- */

void slot_put(FileStore *files, Slot *slot)
{
    slot->client.etag = new_etag(&files->tables);
    slot->client.changed = files->tables.now_ticks;
    entry_put(files, slot->above.share, slot->above.client, &slot->client);
}

void slot_leave(FileStore *files, const Slot *slot)
{
    const Directory *above = &slot->above;
    if (!slot->has_world) {
        tables_do(&files->tables, QUERY_FILES_ENTRY_DELETE, "iit", above->share, above->client,
                  slot->name.folded);
        return;
    }
    EntryRow mark = {.kind = FILES_GONE,
                     .name = slot->name.name,
                     .folded = slot->name.folded,
                     .properties = "",
                     .metadata = "",
                     .lease = "",
                     .since_ns = files->tables.now_ns};
    entry_put(files, above->share, above->client, &mark);
}

/* --- Entries --- */

FilesEntry slot_entry(FileStore *files, const Slot *slot, Arena *arena)
{
    if (slot->shows == SHOWS_CLIENTS) {
        const EntryRow *row = &slot->client;
        return (FilesEntry){.kind = (FilesKind)row->kind,
                            .name = arena_strdup(arena, row->name),
                            .id = row->id,
                            .parent_id = slot->above.client,
                            .bytes = row->bytes,
                            .etag = (uint64_t)row->etag,
                            .created_ticks = row->created,
                            .written_ticks = row->written,
                            .changed_ticks = row->changed,
                            .snapshot = "",
                            .properties = arena_strdup(arena, row->properties),
                            .metadata = arena_strdup(arena, row->metadata),
                            .lease = arena_strdup(arena, row->lease)};
    }
    WorldRow row = slot->world;
    world_measure(&files->world, &slot->above, &row);
    bool is_directory = row.kind == FILES_DIRECTORY;
    int64_t modified_ms =
        is_directory ? world_unix_ms(files->world.world, row.at_ns) : row.modified_ms;
    if (is_directory)
        row.modified_ms = 0; // of a directory: the time of its list of logs
    return (FilesEntry){.kind = (FilesKind)row.kind,
                        .name = arena_strdup(arena, row.name),
                        .id = row.id,
                        .parent_id = slot->above.client != FILES_NONE ? slot->above.client
                                                                      : slot->above.world,
                        .bytes = row.bytes,
                        .etag = world_etag(&slot->above, &row),
                        .created_ticks = ticks_of(world_unix_ms(files->world.world, row.made_ns)),
                        .written_ticks = ticks_of(modified_ms),
                        .changed_ticks = ticks_of(modified_ms),
                        .snapshot = "",
                        .properties = "",
                        .metadata = "",
                        .lease = "",
                        .is_of_world = true};
}

/* --- Files, and new entries --- */

FilesFailure slot_walk_file(FileStore *files, Arena *arena, ShareName share, const char *path,
                            Slot *slot)
{
    FilesFailure failure = slot_walk(files, arena, share, path, true, slot);
    if (failure == FILES_OK && (slot->is_root || slot_is_directory(slot)))
        failure = FILES_OTHER_KIND;
    return failure;
}

FilesFailure slot_find_file(FileStore *files, Arena *arena, ShareName share, const char *path,
                            Slot *slot)
{
    FilesFailure failure = slot_walk(files, arena, share, path, false, slot);
    if (failure != FILES_OK)
        return failure;
    if (slot->is_root || slot_is_directory(slot))
        return FILES_OTHER_KIND;
    return slot->shows == SHOWS_NOTHING ? FILES_NO_RESOURCE : FILES_OK;
}

EntryRow slot_new_row(FileStore *files, const Slot *slot, FilesKind kind, const char *properties,
                      const char *metadata)
{
    bool replaces = slot->has_client && slot->client.kind == (int64_t)kind;
    // A name keeps its first letters while an entry exists.
    const char *name = slot->shows == SHOWS_CLIENTS  ? slot->client.name
                       : slot->shows == SHOWS_WORLDS ? slot->world.name
                                                     : slot->name.name;
    return (EntryRow){.id = new_number(&files->tables),
                      .kind = kind,
                      .name = name,
                      .folded = slot->name.folded,
                      .created = files->tables.now_ticks,
                      .written = files->tables.now_ticks,
                      .properties = properties ? properties : "",
                      .metadata = metadata ? metadata : "",
                      .lease = replaces ? slot->client.lease : "",
                      .since_ns = files->tables.now_ns};
}

void slot_replace(FileStore *files, Slot *slot, EntryRow row)
{
    int64_t stale = slot->has_client ? slot->client.contents : 0;
    slot->client = row;
    slot_put(files, slot);
    contents_drop(&files->blobs, stale);
}

int64_t slot_bytes(FileStore *files, Slot *slot)
{
    if (slot->shows == SHOWS_WORLDS)
        world_measure(&files->world, &slot->above, &slot->world);
    return slot->shows == SHOWS_CLIENTS  ? slot->client.bytes
           : slot->shows == SHOWS_WORLDS ? slot->world.bytes
                                         : 0;
}
