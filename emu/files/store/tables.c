#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "emu/files/store/parts.h"
#include "sim/base/invariant.h"

static const char *const queries[] = {
#define X(name, sql) sql,
    FILES_QUERIES(X)
#undef X
};
_Static_assert(sizeof queries / sizeof *queries == FILES_QUERY_COUNT, "one text for each query");

static const char world_tables[] =
    "CREATE TEMP TABLE world_entry (share INTEGER NOT NULL, parent INTEGER NOT NULL,"
    "  folded TEXT NOT NULL, id INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL,"
    "  at_ns INTEGER NOT NULL, made_ns INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    "  modified_ms INTEGER NOT NULL, logs INTEGER NOT NULL, written INTEGER NOT NULL,"
    "  PRIMARY KEY (share, parent, folded)) WITHOUT ROWID;";

static bool sql_run(FileStore *files, const char *sql, Status *status)
{
    return sqlite3_exec(files->database, sql, NULL, NULL, NULL) == SQLITE_OK ||
           status_fail(status, STATUS_MACHINE, place_in("files", 0, 0),
                       "cannot make the tables of files: %s", sqlite3_errmsg(files->database));
}

bool tables_open(FileStore *files, Status *status)
{
    files->database = store_connection(files->store);
    if (!sql_run(files, "PRAGMA temp_store = MEMORY", status) ||
        !sql_run(files, world_tables, status))
        return false;
    for (int i = 0; i < FILES_QUERY_COUNT; i++)
        if (sqlite3_prepare_v3(files->database, queries[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &files->statements[i], NULL) != SQLITE_OK)
            return status_fail(status, STATUS_MACHINE, place_in("files", 0, 0),
                               "cannot prepare \"%s\": %s", queries[i],
                               sqlite3_errmsg(files->database));
    return true;
}

void tables_close(FileStore *files)
{
    for (int i = 0; i < FILES_QUERY_COUNT; i++)
        sqlite3_finalize(files->statements[i]);
    sqlite3_exec(files->database, "DROP TABLE IF EXISTS temp.world_entry", NULL, NULL, NULL);
}

/* --- Failing --- */

void files_fail(FileStore *files, int error_number)
{
    bool is_full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
    if (files->failure == FILES_OK)
        files->failure = is_full ? FILES_NO_SPACE : FILES_MACHINE;
}

/* The disk can be full or broken; our own statements are right. */
static void sql_fail(FileStore *files, int result)
{
    invariant(result != SQLITE_ERROR && result != SQLITE_MISUSE && result != SQLITE_CONSTRAINT &&
              result != SQLITE_RANGE);
    // A write that the disk refuses is SQLITE_IOERR_WRITE, with the machine's errno.
    files_fail(files, result == SQLITE_FULL    ? ENOSPC
                      : result == SQLITE_IOERR ? sqlite3_system_errno(files->database)
                                               : EIO);
}

/* --- Asking --- */

static sqlite3_stmt *ask(FileStore *files, FilesQuery query, const char *types, va_list values)
{
    sqlite3_stmt *statement = files->statements[query];
    for (int i = 1; *types; types++, i++) {
        int result = *types == 'i'
                         ? sqlite3_bind_int64(statement, i, va_arg(values, int64_t))
                         : sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, NULL);
        invariant(result == SQLITE_OK || result == SQLITE_NOMEM || result == SQLITE_TOOBIG);
    }
    return statement;
}

sqlite3_stmt *tables_ask(FileStore *files, FilesQuery query, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *rows = ask(files, query, types, values);
    va_end(values);
    return rows;
}

bool tables_next(FileStore *files, sqlite3_stmt *rows)
{
    int result = sqlite3_step(rows);
    if (result == SQLITE_ROW)
        return true;
    if (result != SQLITE_DONE)
        sql_fail(files, result & 0xff);
    tables_done(rows);
    return false;
}

void tables_done(sqlite3_stmt *rows)
{
    sqlite3_reset(rows); // repeats the result of the last step, which is known
}

void tables_do(FileStore *files, FilesQuery query, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *rows = ask(files, query, types, values);
    va_end(values);
    while (tables_next(files, rows))
        continue;
}

int64_t tables_number(FileStore *files, FilesQuery query, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *rows = ask(files, query, types, values);
    va_end(values);
    int64_t number = -1;
    while (tables_next(files, rows))
        number = sqlite3_column_int64(rows, 0);
    return number;
}

const char *column_text(sqlite3_stmt *row, int column, Arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? arena_strndup(arena, text, (size_t)sqlite3_column_bytes(row, column)) : "";
}

int64_t new_number(FileStore *files)
{
    return tables_number(files, QUERY_FILES_NEW_NUMBER, "");
}

int64_t new_etag(FileStore *files)
{
    return tables_number(files, QUERY_FILES_NEW_ETAG, "i", files->now_ticks);
}

/* --- Operations --- */

void operation_look(FileStore *files)
{
    files->failure = FILES_OK;
    world_catch_up(files);
}

FilesFailure operation_looked(const FileStore *files, FilesFailure failure)
{
    return files->failure != FILES_OK ? files->failure : failure;
}

bool operation_begin(FileStore *files)
{
    operation_look(files);
    Status status = {0};
    if (!store_begin(files->store, &status))
        files_fail(files, ENOSPC);
    else
        tables_do(files, QUERY_FILES_SAVEPOINT, "");
    files->dead_before = files->dead_count;
    return files->failure == FILES_OK;
}

/* What the operation left unused is used again. Blobs as wholes are looked at before they go. */
static void forget_dead_ranges(FileStore *files)
{
    uint32_t kept = files->dead_before;
    for (uint32_t i = files->dead_before; i < files->dead_count; i++)
        if (files->dead[i].length == 0)
            files->dead[kept++] = files->dead[i];
    files->dead_count = kept;
}

FilesFailure operation_end(FileStore *files, FilesFailure failure)
{
    FilesFailure result = operation_looked(files, failure);
    // A full disk can have ended the whole transaction; the store's commit says so.
    bool is_open = !sqlite3_get_autocommit(files->database);
    if (result != FILES_OK) {
        forget_dead_ranges(files);
        if (is_open)
            tables_do(files, QUERY_FILES_ROLLBACK, "");
    }
    if (is_open)
        tables_do(files, QUERY_FILES_RELEASE, "");
    return result == FILES_OK ? files->failure : result;
}
