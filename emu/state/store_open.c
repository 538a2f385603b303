/* Private to this folder: how a store is opened (store.h), brought up to date, or recovered. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/state/damage.h"
#include "emu/state/state_folder.h"
#include "emu/state/store_inside.h"
#include "emu/state/store_schema.h"
#include "sim/cli/files.h"

static bool execute(Store *store, const char *sql, const char *what, Status *status)
{
    return sqlite3_exec(store->connection, sql, NULL, NULL, NULL) == SQLITE_OK ||
           store_refuse(store, what, status);
}

/* --- Versions --- */

static bool read_version(Store *store, int32_t *version, Status *status)
{
    sqlite3_stmt *statement = NULL;
    if (!store_prepare(store, "PRAGMA user_version", &statement, status))
        return false;
    bool is_read = sqlite3_step(statement) == SQLITE_ROW;
    *version = is_read ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    return is_read || store_refuse(store, "read its version", status);
}

/* Upgrades `version` to the next, whole or not at all. */
static bool upgrade(Store *store, int32_t version, Status *status)
{
    Text sql = {0};
    text_add(&sql, "BEGIN IMMEDIATE;");
    for (int32_t i = 0; i < STORE_MODULES; i++)
        text_add(&sql, store_schema[version].of_module[i]);
    text_printf(&sql, "PRAGMA user_version=%" PRId32 ";COMMIT", version + 1);
    bool is_done = execute(store, text_string(&sql), "bring its tables up to date", status);
    text_free(&sql);
    if (!is_done)
        sqlite3_exec(store->connection, "ROLLBACK", NULL, NULL, NULL);
    return is_done;
}

static bool bring_up_to_date(Store *store, Status *status)
{
    int32_t version;
    if (!read_version(store, &version, status))
        return false;
    if (version < 0) {
        status_fail(status, STATUS_BAD_INPUT, place_in(store->folder, 0, 0),
                    "its database is damaged: its format is %" PRId32 ", which no trainyard writes",
                    version);
        return status_hint(status, "restore it from a copy, or choose another folder for --state");
    }
    if (version > STORE_VERSION) {
        status_fail(status, STATUS_BAD_INPUT, place_in(store->folder, 0, 0),
                    "it was written by a newer trainyard: its format is %" PRId32
                    ", this program knows formats up to %d",
                    version, STORE_VERSION);
        return status_hint(status, "use that trainyard, or choose another folder for --state");
    }
    for (; version < STORE_VERSION; version++)
        if (!upgrade(store, version, status))
            return false;
    return true;
}

/* --- The database --- */

static int on_commit(void *owner, sqlite3 *connection, const char *name, int frames)
{
    Store *store = owner;
    (void)connection, (void)name;
    store->log_frames = (uint32_t)frames;
    return SQLITE_OK;
}

static bool open_connection(Store *store, const char *path, Status *status)
{
    // The main lock is taken with the first transaction and kept until the process ends, so that
    // the shared memory for several processes is never made.
    static const char settings[] = "PRAGMA locking_mode=EXCLUSIVE;"
                                   "PRAGMA journal_mode=WAL;"
                                   "PRAGMA synchronous=FULL;"
                                   "PRAGMA foreign_keys=ON;"
                                   "PRAGMA trusted_schema=OFF;"
                                   "BEGIN IMMEDIATE;COMMIT";
    sqlite3_close(store->connection); // of an earlier try
    store->connection = NULL;
    int code =
        sqlite3_open_v2(path, &store->connection,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        return store_refuse(store, "open it", status);
    (void)chmod(path, 0600); // the following step reports a failure
    store_keep_log(store, true);
    sqlite3_wal_hook(store->connection, on_commit, store);
    return execute(store, settings, "open it", status);
}

static bool fail_damaged(Store *store, const char *problem, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, place_in(store->folder, 0, 0), "%s", problem);
    return status_hint(status, STORE_DAMAGE_HINT);
}

/* Whether files of contents are there: a new database knows none of them. */
static bool has_contents(const Store *store)
{
    DIR *folder = opendir(state_path(store->arena, store->folder, STATE_CONTENTS));
    bool has = false;
    for (struct dirent *entry; folder && !has && (entry = readdir(folder));)
        has = entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return has;
}

/* Reads all pages and indices, which a start alone does not. */
static bool passes_check(const Store *store)
{
    sqlite3_stmt *rows = NULL;
    const bool is_read = sqlite3_prepare_v2(store->connection, "PRAGMA integrity_check(1)", -1,
                                            &rows, NULL) == SQLITE_OK &&
                         sqlite3_step(rows) == SQLITE_ROW;
    const bool passes = is_read && strcmp((const char *)sqlite3_column_text(rows, 0), "ok") == 0;
    sqlite3_finalize(rows);
    return passes;
}

/* Opens the database. One that has lost something is refused, or recovered. */
static bool open_database(Store *store, Status *status)
{
    const char *path = state_path(store->arena, store->folder, STATE_DATABASE), *problem = NULL;
    int32_t version = 0;
    if (!open_connection(store, path, status)) {
        if ((sqlite3_errcode(store->connection) & 0xff) != SQLITE_CORRUPT)
            return false;
        problem = "its database is damaged, or cut off";
    } else if (store->recovers && !passes_check(store)) {
        problem = "its database is damaged";
    } else if (database_is_whole(store->arena, store->connection, store->folder, &problem)) {
        if (!read_version(store, &version, status))
            return false;
        if (version > 0 || !has_contents(store))
            return true;
        problem = "its database is empty, but contents of files are there";
    }
    if (!store->recovers)
        return fail_damaged(store, problem, status);
    problems_add(&store->warnings, STATUS_MACHINE, place_in(store->folder, 0, 0), "%s", problem);
    sqlite3_close(store->connection);
    store->connection = NULL;
    return database_recover(store->arena, store->folder, &store->warnings, status) &&
           open_connection(store, path, status);
}

/* --- The store --- */

static bool prepare_all(Store *store, Status *status)
{
    return store_prepare(store, "BEGIN IMMEDIATE", &store->begin, status) &&
           store_prepare(store, "COMMIT", &store->commit, status) &&
           store_prepare(store,
                         "INSERT INTO journal(sequence,at_ns,list,command,kept,subject)"
                         "VALUES(?,?,?,?,?,?)",
                         &store->enter, status) &&
           store_prepare(store, "SELECT value FROM settings WHERE name=?", &store->look, status) &&
           store_prepare(store, "INSERT OR REPLACE INTO settings(name,value)VALUES(?,?)",
                         &store->set, status) &&
           store_prepare(store,
                         "INSERT OR REPLACE INTO outcome(kind,row,name,state)VALUES(?,?,?,?)",
                         &store->put_outcome, status) &&
           store_prepare(store, "DELETE FROM outcome WHERE kind=? AND row=?",
                         &store->remove_outcome, status);
}

static bool make_folder(const char *folder, Status *status)
{
    struct stat facts;
    bool is_new = stat(folder, &facts) != 0;
    if (!folder_create(folder, status))
        return false;
    if (is_new && chmod(folder, 0700) != 0)
        return file_failed(folder, status);
    return true;
}

/* SQLite syncs the folder that has a new log, and ignores a failure of that. The first commit
 * reports it. */
static bool sync_names(Store *store, Status *status)
{
    const int folder = open(store->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return file_failed(store->folder, status);
    store_sync_before_commit(store, folder);
    close(folder);
    return true;
}

static Store *open_store(const char *folder, bool recovers, Status *status)
{
    if (!state_folder_is_ours(folder, status) || !make_folder(folder, status))
        return NULL;
    Arena *arena = arena_create();
    Store *store = ARENA_NEW(arena, Store);
    store->arena = arena;
    store->folder = folder;
    store->warnings = problems_create(arena);
    store->witness.descriptor = store->witness.log = store->database = -1;
    store->recovers = recovers;
    if (!open_database(store, status)) {
        store_close(store);
        return NULL;
    }
    store->witness = log_witness_open(state_path(arena, folder, STATE_WITNESS),
                                      state_path(arena, folder, STATE_DATABASE_LOG));
    store->has_witness = true;
    store_keep_log(store, false);
    // It is closed after SQLite has closed the file: closing it earlier would give up the lock.
    store->database = open(state_path(arena, folder, STATE_DATABASE), O_RDONLY | O_CLOEXEC);
    store->reserve = reserve_find(state_path(arena, folder, STATE_RESERVE));
    store_settle_reserve(store, true);
    if (sync_names(store, status) && bring_up_to_date(store, status) &&
        prepare_all(store, status) && journal_open(store, status))
        return store;
    store_close(store);
    return NULL;
}

Store *store_open(const char *folder, Status *status)
{
    return open_store(folder, false, status);
}

Store *store_recover(const char *folder, Status *status)
{
    return open_store(folder, true, status);
}
