/* Private to this folder: entries that are renamed or copied (file_store.h). */
#include <string.h>

#include "emu/files/store/share_row.h"
#include "emu/files/store/slots.h"

/* Whether `path` is below `directory`. */
static bool leads_into(Arena *arena, const char *path, const char *directory)
{
    FileName *names, *above;
    int32_t count, above_count;
    if (!file_path_split(arena, path, &names, &count) ||
        !file_path_split(arena, directory, &above, &above_count) || count <= above_count)
        return false;
    for (int32_t i = 0; i < above_count; i++)
        if (strcmp(names[i].folded, above[i].folded) != 0)
            return false;
    return true;
}

static FilesFailure rename_check(const Slot *from, const Slot *to, bool replaces)
{
    if (from->is_root || to->is_root)
        return FILES_BAD_NAME;
    if (from->shows == SHOWS_NOTHING)
        return FILES_NO_RESOURCE;
    if (to->shows == SHOWS_NOTHING)
        return FILES_OK;
    if (!replaces)
        return FILES_EXISTS;
    return slot_is_directory(from) || slot_is_directory(to) ? FILES_OTHER_KIND : FILES_OK;
}

static FilesFailure rename_entry(FileStore *files, Arena *arena, ShareName share, const char *from,
                                 const char *to, bool replaces)
{
    Slot old, new;
    FilesFailure failure = slot_walk(files, arena, share, from, true, &old);
    if (failure == FILES_OK)
        failure = slot_walk(files, arena, share, to, true, &new);
    if (failure != FILES_OK)
        return failure;
    bool is_same = old.above.client == new.above.client && !old.is_root &&
                   !new.is_root &&strcmp(old.name.folded, new.name.folded) == 0;
    failure = rename_check(&old, &new, replaces || is_same);
    if (is_same && failure == FILES_OTHER_KIND)
        failure = FILES_OK; // a directory is renamed to other letters
    if (failure != FILES_OK)
        return failure;
    if (leads_into(arena, to, from))
        return FILES_BAD_NAME;
    slot_own(files, &old);
    EntryRow row = old.client;
    row.name = new.name.name;
    row.folded = new.name.folded;
    if (is_same) {
        old.client = row;
        slot_put(files, &old);
        return FILES_OK;
    }
    if (row.kind == FILES_DIRECTORY) {
        Directory below = slot_directory(files, &old);
        directory_copy(files, &below, below.share, below.client);
        tables_do(&files->tables, QUERY_FILES_MARKS_DELETE, "ii", below.share, below.client);
    }
    row.since_ns = files->tables.now_ns; // hides all that the world wrote there
    slot_leave(files, &old);
    slot_replace(files, &new, row);
    return FILES_OK;
}

FilesFailure files_rename(FileStore *files, ShareName share, const char *from, const char *to,
                          bool replaces)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena, rename_entry(files, arena, share, from, to, replaces));
}

static FilesFailure copy(FileStore *files, Arena *arena, ShareName from_share, const char *from,
                         ShareName to_share, const char *to, const char *metadata)
{
    Slot old, new;
    FilesFailure failure = slot_find_file(files, arena, from_share, from, &old);
    if (failure == FILES_OK)
        failure = slot_walk_file(files, arena, to_share, to, &new);
    if (failure != FILES_OK)
        return failure;
    const bool is_worlds = old.shows == SHOWS_WORLDS;
    const int64_t bytes = slot_bytes(files, &old);
    failure = share_takes(files, arena, to_share, bytes - slot_bytes(files, &new));
    if (failure != FILES_OK)
        return failure;
    EntryRow row = slot_new_row(files, &new, FILES_FILE, is_worlds ? "" : old.client.properties,
                                metadata || is_worlds ? metadata : old.client.metadata);
    if (is_worlds) {
        FilesReader *reader = world_reader(&files->world, &old.above, &old.world);
        if (reader)
            contents_fill(&files->blobs, &row.contents, reader);
        files_reader_close(reader);
    }
    row.bytes = bytes;
    row.contents = is_worlds ? row.contents : old.client.contents;
    slot_replace(files, &new, row);
    return FILES_OK;
}

FilesFailure files_copy(FileStore *files, ShareName from_share, const char *from,
                        ShareName to_share, const char *to, const char *metadata)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    return operation_end(files, arena,
                         copy(files, arena, from_share, from, to_share, to, metadata));
}
