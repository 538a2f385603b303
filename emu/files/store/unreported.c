#include "emu/files/store/unreported.h"

#include "emu/files/store/operation.h"
#include "sim/base/array.h"

static FilesFailure change(FileStore *files, FilesQuery query, ShareName share, const char *path)
{
    Arena *arena = operation_begin(files);
    if (!arena)
        return files->tables.failure;
    files->has_unreported = true;
    tables_do(&files->tables, query, "ttt", share.account, share_row_name(arena, share), path);
    return operation_end(files, arena, FILES_OK);
}

FilesFailure files_unreported_add(FileStore *files, ShareName share, const char *path)
{
    return change(files, QUERY_FILES_UNREPORTED_PUT, share, path);
}

FilesFailure files_unreported_remove(FileStore *files, ShareName share, const char *path)
{
    return change(files, QUERY_FILES_UNREPORTED_DELETE, share, path);
}

FilesUnreported *files_unreported(FileStore *files, Arena *arena, int32_t *count)
{
    FilesUnreported *found = NULL;
    uint32_t number = 0, capacity = 0;
    *count = 0;
    if (!files->has_unreported)
        return NULL;
    operation_look(files);
    sqlite3_stmt *rows = tables_ask(&files->tables, QUERY_FILES_UNREPORTED, "");
    while (tables_next(&files->tables, rows)) {
        found = array_room(arena, found, number + 1, &capacity, sizeof *found);
        found[number++] =
            (FilesUnreported){.share = share_name_read(
                                  arena, arena_printf(arena, "%s/%s", column_text(rows, 0, arena),
                                                      column_text(rows, 1, arena))),
                              .path = column_text(rows, 2, arena)};
    }
    files->has_unreported = number > 0 || files->tables.failure != FILES_OK;
    *count = (int32_t)number;
    return found;
}
