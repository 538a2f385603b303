#include "emu/files/store/untold.h"

#include "emu/files/store/operation.h"
#include "sim/base/array.h"

FilesFailure files_untold_add(FileStore *files, ShareName share, const char *path)
{
    if (!operation_begin(files))
        return files->tables.failure;
    files->has_untold = true;
    tables_do(&files->tables, QUERY_FILES_UNTOLD_PUT, "ttt", share.account, share.share, path);
    return operation_end(files, FILES_OK);
}

FilesFailure files_untold_remove(FileStore *files, ShareName share, const char *path)
{
    if (!operation_begin(files))
        return files->tables.failure;
    tables_do(&files->tables, QUERY_FILES_UNTOLD_DELETE, "ttt", share.account, share.share, path);
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
    sqlite3_stmt *rows = tables_ask(&files->tables, QUERY_FILES_UNTOLD, "");
    while (tables_next(&files->tables, rows)) {
        found = array_room(arena, found, number + 1, &capacity, sizeof *found);
        found[number++] = (FilesUntold){
            .share = {.account = column_text(rows, 0, arena), .share = column_text(rows, 1, arena)},
            .path = column_text(rows, 2, arena)};
    }
    files->has_untold = number > 0 || files->tables.failure != FILES_OK;
    *count = (int32_t)number;
    return found;
}
