#include "emu/state/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "emu/state/damage.h"
#include "emu/state/state_folder.h"
#include "emu/state/store_inside.h"
#include "emu/state/store_schema.h"
#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "sim/cli/files.h"

/* This much of the disk stays free: a transaction that has begun should find room to end, and a
 * request that finds none is refused before it changes anything. Contents leave twice as much, so
 * that a client that has filled the disk with them can delete some. */
#define FREE_BYTES_LEAST (INT64_C(4) << 20)
#define FREE_BYTES_OF_CONTENTS (2 * FREE_BYTES_LEAST)

/* A log of this length is moved into the database. */
enum { LOG_FRAMES_MOST = 1000 };

/* --- Failures --- */

/* Reports SQLite's error as a status; returns false. */
bool store_refuse(const Store *store, const char *what, Status *status)
{
    int code = sqlite3_extended_errcode(store->connection);
    const char *reason = sqlite3_errmsg(store->connection);
    if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) {
        status_fail(status, STATUS_CONFLICT, place_in(store->folder, 0, 0),
                    "another process has this state open");
        return status_hint(status, "end that process, or choose another folder for --state");
    }
    status_fail(status, STATUS_MACHINE, place_in(store->folder, 0, 0), "cannot %s: %s", what,
                reason);
    if ((code & 0xff) == SQLITE_FULL)
        status_hint(status, "free some space on the disk");
    else if ((code & 0xff) == SQLITE_NOTADB || (code & 0xff) == SQLITE_CORRUPT)
        status_hint(status, STORE_DAMAGE_HINT);
    return false;
}

/* Some failures make SQLite roll back the whole transaction: then the writes of other requests in
 * it are lost as well, and no commit may succeed. */
static void notice_loss(Store *store)
{
    if (store->is_dirty && sqlite3_get_autocommit(store->connection))
        store->has_lost = true;
}

bool store_run(Store *store, sqlite3_stmt *statement, const char *what, Status *status)
{
    int code = sqlite3_step(statement);
    bool is_done = code == SQLITE_DONE || code == SQLITE_ROW;
    if (!is_done) {
        store_refuse(store, what, status);
        notice_loss(store);
    }
    sqlite3_reset(statement);
    return is_done;
}

static bool execute(Store *store, const char *sql, const char *what, Status *status)
{
    return sqlite3_exec(store->connection, sql, NULL, NULL, NULL) == SQLITE_OK ||
           store_refuse(store, what, status);
}

bool store_prepare(Store *store, const char *sql, sqlite3_stmt **statement, Status *status)
{
    return sqlite3_prepare_v3(store->connection, sql, -1, SQLITE_PREPARE_PERSISTENT, statement,
                              NULL) == SQLITE_OK ||
           store_refuse(store, "read its tables", status);
}

/* --- Room --- */

/* If it is unknown, the write itself fails. */
static bool are_free(const Store *store, int64_t bytes)
{
    struct statvfs facts;
    return statvfs(store->folder, &facts) != 0 ||
           (uint64_t)facts.f_bavail * facts.f_frsize >= (uint64_t)bytes;
}

/* The bytes that a released reserve left to removals and starts; other writes leave them free. */
static int64_t bytes_owed(const Store *store)
{
    return store->reserve.is_there || store->reserve.cannot_be ? 0 : RESERVE_BYTES;
}

bool store_has_room(const Store *store, int64_t bytes)
{
    return are_free(store, bytes + FREE_BYTES_OF_CONTENTS + bytes_owed(store));
}

/* Releases the reserve if it `is_needed` and the disk is full; takes it again once the rest is
 * enough for other writes. */
static void settle_reserve(Store *store, bool is_needed)
{
    if (store->reserve.is_there && is_needed && !are_free(store, FREE_BYTES_LEAST))
        reserve_release(&store->reserve);
    else if (!store->reserve.is_there && !store->reserve.cannot_be &&
             are_free(store, FREE_BYTES_LEAST + RESERVE_BYTES))
        reserve_take(&store->reserve);
}

void store_removes(Store *store, bool is_removing)
{
    store->is_removing = is_removing;
}

/* --- Opening --- */

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

static int on_commit(void *owner, sqlite3 *connection, const char *name, int frames)
{
    Store *store = owner;
    (void)connection, (void)name;
    store->log_frames = (uint32_t)frames;
    return SQLITE_OK;
}

/* Whether closing leaves the log alone. A start that fails must: the witness would miss the log. */
static void keep_log(const Store *store, bool is_kept)
{
    sqlite3_db_config(store->connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, (int)is_kept, NULL);
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
    keep_log(store, true);
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

static bool prepare_all(Store *store, Status *status)
{
    return store_prepare(store, "BEGIN IMMEDIATE", &store->begin, status) &&
           store_prepare(store, "COMMIT", &store->commit, status) &&
           store_prepare(store,
                         "INSERT INTO journal(sequence,at_ns,list,command,kept,subject)"
                         "VALUES(?,?,?,?,?,?)",
                         &store->enter, status) &&
           store_prepare(store, "DELETE FROM journal WHERE sequence=?", &store->withdraw, status) &&
           store_prepare(store, "SELECT value FROM settings WHERE name=?", &store->look, status) &&
           store_prepare(store, "INSERT OR REPLACE INTO settings(name,value)VALUES(?,?)",
                         &store->set, status);
}

static bool make_folder(const char *folder, Status *status)
{
    struct stat facts;
    bool is_new = stat(folder, &facts) != 0;
    if (!folder_create(folder, status))
        return false;
    if (is_new && chmod(folder, 0700) != 0)
        return status_fail(status, STATUS_MACHINE, place_in(folder, 0, 0), "%s", strerror(errno));
    return true;
}

/* Whether a name leads to the open file; true for -1, a file that is not open yet. */
static bool has_name(int descriptor)
{
    struct stat facts;
    return descriptor < 0 || (fstat(descriptor, &facts) == 0 && facts.st_nlink > 0);
}

bool store_is_in_place(const Store *store, Status *status)
{
    if (has_name(store->database) && has_name(store->witness.log))
        return true;
    status_fail(status, STATUS_MACHINE, place_in(store->folder, 0, 0),
                "the state folder was removed or replaced while it was in use");
    return status_hint(status, "nothing more can be written to it; start the emulator again");
}

/* SQLite syncs the folder that has a new log, and ignores a failure of that. The first commit
 * reports it. */
static bool sync_names(Store *store, Status *status)
{
    const int folder = open(store->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return status_fail(status, STATUS_MACHINE, place_in(store->folder, 0, 0), "%s",
                           strerror(errno));
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
    keep_log(store, false);
    // It is closed after SQLite has closed the file: closing it earlier would give up the lock.
    store->database = open(state_path(arena, folder, STATE_DATABASE), O_RDONLY | O_CLOEXEC);
    store->reserve = reserve_find(state_path(arena, folder, STATE_RESERVE));
    settle_reserve(store, true);
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

bool store_recovers(const Store *store)
{
    return store->recovers;
}

Problems *store_warnings(Store *store)
{
    return &store->warnings;
}

/* Whether the log is in the database. */
static bool checkpoint(Store *store)
{
    int frames = 0, done = 0;
    if (sqlite3_wal_checkpoint_v2(store->connection, "main", SQLITE_CHECKPOINT_PASSIVE, &frames,
                                  &done) != SQLITE_OK ||
        frames != done)
        return false;
    store->log_frames = 0;
    log_witness_write(&store->witness, 0);
    log_witness_forget(&store->witness); // the next commit begins the log again
    return true;
}

/* Ends the log with its witness. A log that cannot be moved into the database keeps the witness:
 * without it, the rest of a commit that failed looks like an acknowledged one. */
static void close_log(Store *store)
{
    if (!store->has_witness)
        return;
    if (checkpoint(store)) {
        log_witness_remove(&store->witness);
    } else {
        keep_log(store, true);
        log_witness_close(&store->witness);
    }
}

void store_close(Store *store)
{
    if (store == NULL)
        return;
    sqlite3_stmt *const statements[] = {store->begin,    store->commit, store->enter,
                                        store->withdraw, store->look,   store->set};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        sqlite3_finalize(statements[i]);
    if (store->is_dirty)
        sqlite3_exec(store->connection, "ROLLBACK", NULL, NULL, NULL);
    for (size_t i = 0; i < store->file_count; i++)
        close(store->files[i].descriptor);
    close_log(store);
    sqlite3_close(store->connection);
    if (store->database >= 0)
        close(store->database);
    arena_destroy(store->arena);
}

const char *store_folder(const Store *store)
{
    return store->folder;
}

struct sqlite3 *store_connection(Store *store)
{
    return store->connection;
}

/* --- Transactions --- */

bool store_is_dirty(const Store *store)
{
    return store->is_dirty;
}

bool store_has_lost(const Store *store)
{
    return store->has_lost;
}

static bool has_room(const Store *store, Status *status)
{
    if (are_free(store, FREE_BYTES_LEAST + bytes_owed(store)))
        return true;
    status_fail(status, STATUS_MACHINE, place_in(store->folder, 0, 0), "the disk is full");
    return status_hint(status, "nothing was changed; free some space on the disk");
}

static bool is_sound(const Store *store, Status *status)
{
    return !store->has_lost || status_fail(status, STATUS_MACHINE, place_in(store->folder, 0, 0),
                                           "an earlier write failed");
}

bool store_begin(Store *store, Status *status)
{
    if (!is_sound(store, status))
        return false;
    if (store->is_removing)
        settle_reserve(store, true);
    else if ((!store->is_dirty || store->is_on_credit) && !has_room(store, status))
        return false;
    if (store->is_dirty)
        return true;
    if (!store_run(store, store->begin, "write to it", status))
        return false;
    store->is_dirty = true;
    store->is_on_credit = store->is_removing;
    return true;
}

/* A file is synced once, however often it was written: each sync waits for the disk. */
static bool has_file(const Store *store, const struct stat *facts)
{
    for (size_t i = 0; i < store->file_count; i++)
        if (store->files[i].number == facts->st_ino && store->files[i].device == facts->st_dev)
            return true;
    return false;
}

void store_sync_before_commit(Store *store, int descriptor)
{
    struct stat facts;
    bool is_known = fstat(descriptor, &facts) == 0;
    if (is_known && has_file(store, &facts))
        return;
    if (store->file_count == store->file_capacity) {
        store->file_capacity = 2 * store->file_capacity + 8;
        SyncedFile *larger = ARENA_ARRAY(store->arena, SyncedFile, store->file_capacity);
        for (size_t i = 0; i < store->file_count; i++)
            larger[i] = store->files[i];
        store->files = larger;
    }
    // The caller may close its descriptor. One that cannot be duplicated is synced at once, and a
    // failure of that is reported by the commit.
    int own = is_known ? dup(descriptor) : -1;
    if (own >= 0)
        store->files[store->file_count++] = (SyncedFile){own, facts.st_dev, facts.st_ino};
    else if (fdatasync(descriptor) != 0)
        store->has_lost = true;
}

static bool sync_files(Store *store, Status *status)
{
    bool is_synced = true;
    for (size_t i = 0; i < store->file_count; i++) {
        const int descriptor = store->files[i].descriptor;
        if (is_synced && fdatasync(descriptor) != 0)
            is_synced = status_fail(status, STATUS_MACHINE, place_in(store->folder, 0, 0),
                                    "cannot write its files to disk: %s", strerror(errno));
        close(descriptor);
    }
    store->file_count = 0;
    return is_synced;
}

bool store_has_log(const Store *store)
{
    return store->log_frames > 0;
}

void store_checkpoint(Store *store)
{
    // Where it fails, the log stays; the next commit or rest tries again.
    const bool is_done = checkpoint(store);
    (void)is_done;
}

bool store_commit(Store *store, Status *status)
{
    bool is_kept =
        sync_files(store, status) && is_sound(store, status) &&
        (!store->is_dirty || (store_is_in_place(store, status) && journal_settle(store, status) &&
                              store_run(store, store->commit, "commit", status)));
    store->is_on_credit = false;
    if (is_kept) {
        if (store->is_dirty)
            log_witness_write(&store->witness, store->log_frames);
        store->is_dirty = false;
        if (store->log_frames >= LOG_FRAMES_MOST)
            store_checkpoint(store);
        settle_reserve(store, false);
        return true;
    }
    // Nothing, rather than a part: the transaction may still be open.
    if (!sqlite3_get_autocommit(store->connection))
        sqlite3_exec(store->connection, "ROLLBACK", NULL, NULL, NULL);
    store->is_dirty = false;
    store->has_lost = true;
    return false;
}

/* --- Values --- */

void store_bind_text(sqlite3_stmt *statement, int column, const char *text)
{
    // Not copied: the statement runs before its caller returns.
    int code = sqlite3_bind_text(statement, column, text, -1, SQLITE_STATIC);
    invariant(code == SQLITE_OK);
}

void store_bind_integer(sqlite3_stmt *statement, int column, int64_t value)
{
    int code = sqlite3_bind_int64(statement, column, value);
    invariant(code == SQLITE_OK);
}

const char *store_column(sqlite3_stmt *row, int index)
{
    const char *text = (const char *)sqlite3_column_text(row, index);
    return text != NULL ? text : "";
}

/* --- Settings --- */

const char *store_setting(Store *store, Arena *arena, const char *name)
{
    store_bind_text(store->look, 1, name);
    const char *value = NULL;
    if (sqlite3_step(store->look) == SQLITE_ROW)
        value = arena_strdup(arena, store_column(store->look, 0));
    sqlite3_reset(store->look);
    return value;
}

bool store_set(Store *store, const char *name, const char *value, Status *status)
{
    if (!store_begin(store, status))
        return false;
    store_bind_text(store->set, 1, name);
    store_bind_text(store->set, 2, value);
    return store_run(store, store->set, "write to it", status);
}
