#include "emu/files/store/parts.h"
#include "sim/output/summary/array.h"

FilesFailure files_untold_add(FileStore *files, ShareName share, const char *path)
{
    if (!operation_begin(files))
        return files->failure;
    files->has_untold = true;
    tables_do(files, QUERY_FILES_UNTOLD_PUT, "ttt", share.account, share.share, path);
    return operation_end(files, FILES_OK);
}

FilesFailure files_untold_remove(FileStore *files, ShareName share, const char *path)
{
    if (!operation_begin(files))
        return files->failure;
    tables_do(files, QUERY_FILES_UNTOLD_DELETE, "ttt", share.account, share.share, path);
    return operation_end(files, FILES_OK);
}

FilesUntold *files_untold(FileStore *files, Arena *arena, int32_t *count)
{
    FilesUntold *found = NULL;
    uint32_t number = 0, capacity = 0;
    *count = 0;
    if (!files->has_untold)
        return NULL;
    operation_look(files);
    sqlite3_stmt *rows = tables_ask(files, QUERY_FILES_UNTOLD, "");
    while (tables_next(files, rows)) {
        found = array_room(arena, found, number + 1, &capacity, sizeof *found);
        found[number++] = (FilesUntold){
            .share = {.account = column_text(rows, 0, arena), .share = column_text(rows, 1, arena)},
            .path = column_text(rows, 2, arena)};
    }
    files->has_untold = number > 0 || files->failure != FILES_OK;
    *count = (int32_t)number;
    return found;
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
