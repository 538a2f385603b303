#include "emu/files/store/operation.h"

#include <errno.h>

void operation_look(FileStore *files)
{
    files->tables.failure = FILES_OK;
    world_catch_up(&files->world);
}

FilesFailure operation_looked(const FileStore *files, FilesFailure failure)
{
    return files->tables.failure != FILES_OK ? files->tables.failure : failure;
}

Arena *operation_begin(FileStore *files)
{
    operation_look(files);
    Status status = {0};
    if (!store_begin(files->store, &status))
        tables_fail(&files->tables, ENOSPC);
    else
        tables_do(&files->tables, QUERY_FILES_SAVEPOINT, "");
    contents_begin(&files->blobs);
    return files->tables.failure == FILES_OK ? arena_create() : NULL;
}

FilesFailure operation_end(FileStore *files, Arena *arena, FilesFailure failure)
{
    arena_destroy(arena);
    FilesFailure result = operation_looked(files, failure);
    // A full disk may have ended the whole transaction; then the store's commit reports it.
    bool is_open = !sqlite3_get_autocommit(files->tables.database);
    if (result != FILES_OK) {
        contents_undo(&files->blobs);
        if (is_open)
            tables_do(&files->tables, QUERY_FILES_ROLLBACK, "");
    }
    if (is_open)
        tables_do(&files->tables, QUERY_FILES_RELEASE, "");
    return result == FILES_OK ? files->tables.failure : result;
}
