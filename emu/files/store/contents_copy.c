#include "emu/files/store/contents_copy.h"

#include <sqlite3.h>

#include "emu/files/store/blobs.h"
#include "emu/state/file_copy.h"
#include "emu/state/state_folder.h"
#include "sim/cli/files.h"

static bool cannot_read(Store *store, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(store_folder(store), 0, 0),
                       "cannot read its files: %s", sqlite3_errmsg(store_connection(store)));
}

bool contents_copy(Store *store, const char *folder, Status *status)
{
    Arena *arena = arena_create();
    const char *from = state_path(arena, store_folder(store), STATE_CONTENTS);
    const char *to = state_path(arena, folder, STATE_CONTENTS);
    char name[BLOB_NAME];
    sqlite3_stmt *rows = NULL;
    int code =
        sqlite3_prepare_v2(store_connection(store),
                           "SELECT DISTINCT blob FROM file_extent WHERE blob>0", -1, &rows, NULL);
    bool is_copied = folder_create(to, status);
    while (is_copied && code == SQLITE_OK && sqlite3_step(rows) == SQLITE_ROW) {
        blob_name(sqlite3_column_int64(rows, 0), name);
        is_copied = file_copy(arena_printf(arena, "%s/%s", from, name),
                              arena_printf(arena, "%s/%s", to, name), status);
    }
    code = code == SQLITE_OK ? sqlite3_finalize(rows) : code;
    if (is_copied && code != SQLITE_OK)
        is_copied = cannot_read(store, status);
    if (is_copied) // the names in it
        is_copied = file_name_settle(arena_printf(arena, "%s/%s", to, "any"), status);
    arena_destroy(arena);
    return is_copied;
}
