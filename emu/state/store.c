#include "emu/state/store.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "emu/state/store_inside.h"
#include "sim/base/invariant.h"

/* This much of the disk stays free: a transaction that has begun should find room to end, and a
 * request that finds none is refused before it changes anything. Contents leave twice as much, so
 * that a client that has filled the disk with them can delete some. */
#define FREE_BYTES_LEAST (INT64_C(4) << 20)
#define FREE_BYTES_OF_CONTENTS (2 * FREE_BYTES_LEAST)

/* A log of this length is moved into the database. */
enum { LOG_FRAMES_MOST = 1000 };

/* SQLite's cache has a limit of 2 MB (PRAGMA cache_size), which a large transaction exceeds, and
 * then keeps what it has. */
enum { CACHE_BYTES_MOST = 4 << 20 };

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

void store_settle_reserve(Store *store, bool is_needed)
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

/* --- What is open --- */

bool store_recovers(const Store *store)
{
    return store->recovers;
}

Problems *store_warnings(Store *store)
{
    return &store->warnings;
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

void store_keep_log(const Store *store, bool is_kept)
{
    sqlite3_db_config(store->connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, (int)is_kept, NULL);
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
        store_keep_log(store, true);
        log_witness_close(&store->witness);
    }
}

void store_close(Store *store)
{
    if (store == NULL)
        return;
    sqlite3_stmt *const statements[] = {store->begin,         store->commit, store->enter,
                                        store->look,          store->set,    store->put_outcome,
                                        store->remove_outcome};
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
        store_settle_reserve(store, true);
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

static void limit_cache(const Store *store)
{
    int used = 0, most = 0;
    if (sqlite3_db_status(store->connection, SQLITE_DBSTATUS_CACHE_USED, &used, &most, 0) ==
            SQLITE_OK &&
        used > CACHE_BYTES_MOST)
        sqlite3_db_release_memory(store->connection);
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
        store_settle_reserve(store, false);
        limit_cache(store);
        return true;
    }
    // Nothing, rather than a part: the transaction may still be open.
    if (!sqlite3_get_autocommit(store->connection))
        sqlite3_exec(store->connection, "ROLLBACK", NULL, NULL, NULL);
    store->is_dirty = false;
    store->has_lost = true;
    return false;
}

bool store_group_begin(Store *store, Status *status)
{
    return store_begin(store, status) &&
           (sqlite3_exec(store->connection, "SAVEPOINT together", NULL, NULL, NULL) == SQLITE_OK ||
            store_refuse(store, "write to it", status));
}

bool store_group_end(Store *store, bool is_kept, Status *status)
{
    static const char take_back[] = "ROLLBACK TO together;RELEASE together";
    const char *sql = is_kept ? "RELEASE together" : take_back;
    Status second = {0}; // `status` has the first problem
    const bool is_ended = sqlite3_exec(store->connection, sql, NULL, NULL, NULL) == SQLITE_OK ||
                          store_refuse(store, "write to it", is_kept ? status : &second);
    if (!is_ended || (!is_kept && !journal_open(store, &second)))
        store->has_lost = true;
    return is_ended;
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
