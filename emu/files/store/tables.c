#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "emu/files/store/tables.h"
#include "sim/base/invariant.h"

static const char *const queries[] = {
#define X(name, sql) sql,
    FILES_QUERIES(X)
#undef X
};
// The queries contain 1, 2 and 3.
_Static_assert(FILES_DIRECTORY == 1 && FILES_FILE == 2 && FILES_GONE == 3, "kinds in the tables");
_Static_assert(sizeof queries / sizeof *queries == FILES_QUERY_COUNT, "one text for each query");

static const char world_tables[] =
    "CREATE TEMP TABLE world_entry (share INTEGER NOT NULL, parent INTEGER NOT NULL,"
    "  folded TEXT NOT NULL, id INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT,"
    "  at_ns INTEGER NOT NULL, made_ns INTEGER, bytes INTEGER NOT NULL,"
    "  modified_ms INTEGER NOT NULL, logs INTEGER NOT NULL, written INTEGER NOT NULL,"
    "  PRIMARY KEY (share, parent, folded)) WITHOUT ROWID;";

static bool sql_run(Tables *tables, const char *sql, Status *status)
{
    return sqlite3_exec(tables->database, sql, NULL, NULL, NULL) == SQLITE_OK ||
           status_fail(status, STATUS_MACHINE, place_in("files", 0, 0),
                       "cannot make the tables of files: %s", sqlite3_errmsg(tables->database));
}

bool tables_open(Tables *tables, sqlite3 *database, Status *status)
{
    tables->database = database;
    if (!sql_run(tables, "PRAGMA temp_store = MEMORY", status) ||
        !sql_run(tables, world_tables, status))
        return false;
    for (int i = 0; i < FILES_QUERY_COUNT; i++)
        if (sqlite3_prepare_v3(tables->database, queries[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &tables->statements[i], NULL) != SQLITE_OK)
            return status_fail(status, STATUS_MACHINE, place_in("files", 0, 0),
                               "cannot prepare \"%s\": %s", queries[i],
                               sqlite3_errmsg(tables->database));
    return true;
}

void tables_close(Tables *tables)
{
    for (int i = 0; i < FILES_QUERY_COUNT; i++)
        sqlite3_finalize(tables->statements[i]);
    sqlite3_exec(tables->database, "DROP TABLE IF EXISTS temp.world_entry", NULL, NULL, NULL);
}

/* --- Failing --- */

void tables_refuse(Tables *tables, FilesFailure failure)
{
    if (tables->failure == FILES_OK)
        tables->failure = failure;
}

void tables_fail(Tables *tables, int error_number)
{
    bool is_full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
    tables_refuse(tables, is_full ? FILES_NO_SPACE : FILES_MACHINE);
}

/* The disk may be full or broken; the queries are correct. A row that contradicts the rules of its
 * table is one of a database that has lost pages: its disk has acknowledged a sync and not done it.
 */
static void sql_fail(Tables *tables, int result)
{
    invariant(result != SQLITE_ERROR && result != SQLITE_MISUSE && result != SQLITE_RANGE);
    // A write that the disk refuses is SQLITE_IOERR_WRITE, with the machine's errno.
    tables_fail(tables, result == SQLITE_FULL    ? ENOSPC
                        : result == SQLITE_IOERR ? sqlite3_system_errno(tables->database)
                                                 : EIO);
}

/* --- Asking --- */

static int bind(sqlite3_stmt *statement, int column, char type, va_list *values)
{
    if (type == 'i')
        return sqlite3_bind_int64(statement, column, va_arg(*values, int64_t));
    if (type == 't')
        return sqlite3_bind_text(statement, column, va_arg(*values, const char *), -1, NULL);
    const void *bytes = va_arg(*values, const void *); // NULL is bound for NULL
    return sqlite3_bind_blob64(statement, column, bytes, (uint64_t)va_arg(*values, int64_t), NULL);
}

static sqlite3_stmt *ask(Tables *tables, FilesQuery query, const char *types, va_list *values)
{
    sqlite3_stmt *statement = tables->statements[query];
    for (int i = 1; *types; types++, i++) {
        int result = bind(statement, i, *types, values);
        invariant(result == SQLITE_OK || result == SQLITE_NOMEM || result == SQLITE_TOOBIG);
    }
    return statement;
}

sqlite3_stmt *tables_ask(Tables *tables, FilesQuery query, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *rows = ask(tables, query, types, &values);
    va_end(values);
    return rows;
}

bool tables_next(Tables *tables, sqlite3_stmt *rows)
{
    int result = sqlite3_step(rows);
    if (result == SQLITE_ROW)
        return true;
    if (result != SQLITE_DONE)
        sql_fail(tables, result & 0xff);
    tables_done(rows);
    return false;
}

void tables_done(sqlite3_stmt *rows)
{
    sqlite3_reset(rows); // returns the result of the last step again
}

void tables_do(Tables *tables, FilesQuery query, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *rows = ask(tables, query, types, &values);
    va_end(values);
    while (tables_next(tables, rows))
        continue;
}

int64_t tables_number(Tables *tables, FilesQuery query, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_stmt *rows = ask(tables, query, types, &values);
    va_end(values);
    int64_t number = -1;
    while (tables_next(tables, rows))
        number = sqlite3_column_int64(rows, 0);
    return number;
}

const char *column_text(sqlite3_stmt *row, int column, Arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? arena_strndup(arena, text, (size_t)sqlite3_column_bytes(row, column)) : "";
}

int64_t new_number(Tables *tables)
{
    return tables_number(tables, QUERY_FILES_NEW_NUMBER, "");
}

int64_t new_etag(Tables *tables)
{
    return tables_number(tables, QUERY_FILES_NEW_ETAG, "i", tables->now_ticks);
}
