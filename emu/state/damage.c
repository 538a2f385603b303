#define _GNU_SOURCE // renameat2
#include "emu/state/damage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/state/log_witness.h"
#include "emu/state/state_folder.h"
#include "emu/state/store.h"
#include "emu/state/store_schema.h"
#include "sim/base/text.h"

/* --- Looking --- */

/* The header of a database file (sqlite.org/fileformat.html, 1.3). */
enum { HEADER_BYTES = 100, AT_PAGE_SIZE = 16, AT_CHANGES = 24, AT_PAGES = 28, AT_PAGES_VALID = 92 };

typedef struct {
    uint32_t pages, pages_there;
} DatabaseSize;

/* Reads by SQLite's own descriptor: closing another one would give up its locks. */
static bool read_size(sqlite3 *connection, DatabaseSize *size)
{
    unsigned char header[HEADER_BYTES];
    sqlite3_file *file = NULL;
    sqlite3_int64 bytes = 0;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        file->pMethods->xFileSize(file, &bytes) != SQLITE_OK || bytes < HEADER_BYTES ||
        file->pMethods->xRead(file, header, HEADER_BYTES, 0) != SQLITE_OK)
        return false;
    const uint32_t two = (uint32_t)header[AT_PAGE_SIZE] << 8 | header[AT_PAGE_SIZE + 1];
    const uint32_t page_bytes = two == 1 ? 65536 : two;
    if (page_bytes == 0 || big_endian(header + AT_CHANGES) != big_endian(header + AT_PAGES_VALID))
        return false;
    *size = (DatabaseSize){.pages = big_endian(header + AT_PAGES),
                           .pages_there = (uint32_t)(bytes / page_bytes)};
    return true;
}

/* Pages beyond the end of the database are in the log where a checkpoint was cut off. */
static bool has_all_pages(Arena *arena, const char *log, const LogFacts *facts, DatabaseSize size,
                          const char **problem)
{
    LogFacts again;
    const uint32_t pages = facts->frames > 0 ? facts->pages : size.pages;
    if (size.pages_there >= pages)
        return true;
    bool *in_log = ARENA_ARRAY(arena, bool, pages + 1);
    uint32_t missing = log_read(log, in_log, pages + 1, &again) ? 0 : 1;
    for (uint32_t page = size.pages_there + 1; page <= pages; page++)
        missing += !in_log[page];
    *problem =
        arena_printf(arena, "its database is cut off: %" PRIu32 " of %" PRIu32 " pages are missing",
                     missing, pages);
    return missing == 0;
}

bool database_is_whole(Arena *arena, sqlite3 *connection, const char *folder, const char **problem)
{
    LogFacts log;
    DatabaseSize size;
    const char *path = state_path(arena, folder, STATE_DATABASE_LOG);
    if (!log_read(path, NULL, 0, &log)) {
        *problem = "its log cannot be read";
        return false;
    }
    return log_is_whole(arena, state_path(arena, folder, STATE_WITNESS), &log, problem) &&
           (!read_size(connection, &size) || has_all_pages(arena, path, &log, size, problem));
}

/* --- Setting aside --- */

const char *set_aside(Arena *arena, const char *folder, int from, const char *name)
{
    enum { TRIES = 10000 };
    const char *lost = state_path(arena, folder, STATE_LOST);
    if (mkdir(lost, 0700) != 0 && errno != EEXIST)
        return NULL;
    const int to = open(lost, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    const char *as = name;
    bool is_moved = false;
    for (int i = 2; to >= 0 && !is_moved && i < TRIES; i++) {
        is_moved = renameat2(from, name, to, as, RENAME_NOREPLACE) == 0;
        if (!is_moved && errno != EEXIST)
            break;
        as = is_moved ? as : arena_printf(arena, "%s.%d", name, i);
    }
    const int error = errno;
    if (to >= 0)
        close(to);
    errno = error;
    return is_moved ? arena_printf(arena, "%s/%s", lost, as) : NULL;
}

/* --- Recovering --- */

typedef struct {
    Arena *arena;
    const char *folder;
    sqlite3 *connection; /* of the new database */
    sqlite3 *old;
    Problems *warnings;
} Recovery;

static bool fail(const Recovery *recovery, const char *doing, Status *status)
{
    return status_fail(
        status, STATUS_MACHINE, place_in(recovery->folder, 0, 0), "cannot %s: %s", doing,
        recovery->connection ? sqlite3_errmsg(recovery->connection) : strerror(errno));
}

static bool run(const Recovery *recovery, const char *doing, const char *sql, Status *status)
{
    return sqlite3_exec(recovery->connection, sql, NULL, NULL, NULL) == SQLITE_OK ||
           fail(recovery, doing, status);
}

static bool insert(sqlite3_stmt *into, sqlite3_stmt *row)
{
    for (int i = 0; i < sqlite3_column_count(row); i++)
        sqlite3_bind_value(into, i + 1, sqlite3_column_value(row, i));
    const bool is_done = sqlite3_step(into) == SQLITE_DONE;
    sqlite3_reset(into);
    return is_done;
}

static sqlite3_stmt *prepared(sqlite3 *connection, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    (void)sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
    return statement; // NULL: the table cannot be read at all
}

/* Copies the rows of a table up to the first that cannot be read. */
static bool copy_table(const Recovery *recovery, const char *table, Status *status)
{
    Arena *arena = recovery->arena;
    sqlite3_stmt *rows = prepared(recovery->old, arena_printf(arena, "SELECT * FROM %s", table));
    Text sql = {0};
    text_printf(&sql, "INSERT OR IGNORE INTO %s VALUES(?", table);
    for (int i = 1; rows && i < sqlite3_column_count(rows); i++)
        text_add(&sql, ",?");
    text_add(&sql, ")");
    sqlite3_stmt *into = prepared(recovery->connection, text_move(arena, &sql));
    int64_t count = 0, broken = 0;
    int code = rows ? SQLITE_ROW : SQLITE_CORRUPT;
    bool is_fine =
        (!rows || into || fail(recovery, "read the old tables", status)) &&
        run(recovery, "empty a table", arena_printf(arena, "DELETE FROM %s", table), status);
    while (is_fine && code == SQLITE_ROW && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        is_fine = insert(into, rows) || fail(recovery, "copy a row", status);
        broken += sqlite3_changes(recovery->connection) == 0; // it violates the table's rules
        count++;
    }
    if (broken > 0)
        problems_add(recovery->warnings, STATUS_MACHINE, place_in(recovery->folder, 0, 0),
                     "table %s has %" PRId64 " damaged rows; they are lost", table, broken);
    if (is_fine && code != SQLITE_DONE)
        problems_add(recovery->warnings, STATUS_MACHINE, place_in(recovery->folder, 0, 0),
                     "table %s is whole up to row %" PRId64 "; later rows are lost", table, count);
    sqlite3_finalize(rows);
    sqlite3_finalize(into);
    return is_fine;
}

/* Removes the entries of the journal that follow a missing one: they cannot be repeated. */
static bool cut_journal(const Recovery *recovery, Status *status)
{
    static const char sql[] =
        "CREATE TEMP TABLE part AS SELECT first,last FROM journal_pack"
        " UNION ALL SELECT sequence,sequence FROM journal;"
        "CREATE TEMP TABLE cut AS SELECT min(first) AS at FROM (SELECT first,"
        " lag(last,1,0) OVER (ORDER BY first) AS before FROM part) WHERE first<>before+1;"
        "DELETE FROM journal WHERE sequence>=(SELECT at FROM cut);"
        "DELETE FROM journal_pack WHERE first>=(SELECT at FROM cut);"
        "DELETE FROM settings WHERE " STORE_SECRETS_NUMBER
        ">(SELECT max(last) FROM (SELECT 0 AS last UNION ALL SELECT last FROM journal_pack"
        " UNION ALL SELECT sequence FROM journal));"
        "DELETE FROM settings WHERE name='" STORE_SNAPSHOT_SETTING "';"
        "UPDATE settings SET value='' WHERE name='" STORE_OUTCOMES_SETTING "'";
    if (!run(recovery, "look for missing entries", sql, status))
        return false;
    sqlite3_stmt *cut = prepared(recovery->connection, "SELECT at FROM cut WHERE at IS NOT NULL");
    if (cut && sqlite3_step(cut) == SQLITE_ROW)
        problems_add(recovery->warnings, STATUS_MACHINE, place_in(recovery->folder, 0, 0),
                     "entries of the journal before %" PRId64
                     " are lost, so the later ones cannot be used",
                     (int64_t)sqlite3_column_int64(cut, 0));
    sqlite3_finalize(cut);
    return true;
}

static bool copy_all(const Recovery *recovery, Status *status)
{
    Text sql = {0};
    text_add(&sql, "BEGIN;");
    for (int32_t version = 0; version < STORE_VERSION; version++)
        for (int32_t i = 0; i < STORE_MODULES; i++)
            text_add(&sql, store_schema[version].of_module[i]);
    text_printf(&sql, "PRAGMA user_version=%d", STORE_VERSION);
    bool is_fine = run(recovery, "make a new database", text_string(&sql), status);
    text_free(&sql);
    sqlite3_stmt *tables =
        prepared(recovery->connection, "SELECT name FROM sqlite_schema WHERE type='table'"
                                       " AND name<>'outcome' ORDER BY rowid");
    while (is_fine && tables && sqlite3_step(tables) == SQLITE_ROW)
        is_fine = copy_table(
            recovery, arena_strdup(recovery->arena, (const char *)sqlite3_column_text(tables, 0)),
            status);
    sqlite3_finalize(tables);
    return is_fine && cut_journal(recovery, status) &&
           run(recovery, "make a new database", "COMMIT", status);
}

/* The path of the database in the folder `lost`, with its log next to it. */
static const char *move_old(const Recovery *recovery, Status *status)
{
    const char *log = state_name(STATE_DATABASE_LOG);
    Arena *arena = recovery->arena;
    const int from = open(recovery->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *old =
        from >= 0 ? set_aside(arena, recovery->folder, from, state_name(STATE_DATABASE)) : NULL;
    const bool has_log = old && faccessat(from, log, F_OK, 0) == 0;
    const bool is_moved =
        old && (!has_log || renameat(from, log, AT_FDCWD, arena_printf(arena, "%s-wal", old)) == 0);
    if (!is_moved)
        fail(recovery, "set the old database aside", status);
    if (from >= 0)
        close(from);
    return is_moved ? old : NULL;
}

bool database_recover(Arena *arena, const char *folder, Problems *warnings, Status *status)
{
    Recovery recovery = {.arena = arena, .folder = folder, .warnings = warnings};
    const char *old = move_old(&recovery, status);
    if (!old)
        return false;
    unlink(state_path(arena, folder, STATE_WITNESS));
    // With a writable schema SQLite reads a database that is cut off, up to where it is. The old
    // log stays unchanged.
    const bool is_open =
        sqlite3_open_v2(state_path(arena, folder, STATE_DATABASE), &recovery.connection,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK &&
        sqlite3_open_v2(old, &recovery.old, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_db_config(recovery.old, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK &&
        sqlite3_db_config(recovery.old, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL) == SQLITE_OK;
    const bool is_copied =
        is_open ? copy_all(&recovery, status) : fail(&recovery, "open it", status);
    sqlite3_close(recovery.old);
    sqlite3_close(recovery.connection);
    if (is_copied)
        problems_add(warnings, STATUS_MACHINE, place_in(folder, 0, 0),
                     "the damaged database is kept as %s", old);
    return is_copied;
}
