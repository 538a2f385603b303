#include "emu/state/store_copy.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/state/journal_pack.h"
#include "emu/state/state_folder.h"
#include "emu/state/store_inside.h"
#include "sim/base/invariant.h"
#include "sim/cli/files.h"

/* --- Copies --- */

static bool copy_pages(Store *store, sqlite3 *to, const char *folder, Status *status)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", store->connection, "main");
    const bool is_copied = backup != NULL && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
    const int code = backup != NULL ? sqlite3_backup_finish(backup) : SQLITE_ERROR;
    return (is_copied && code == SQLITE_OK) ||
           status_fail(status, STATUS_MACHINE, place_in(folder, 0, 0),
                       "cannot copy the database: %s", sqlite3_errmsg(to));
}

bool store_copy(Store *store, const char *folder, Status *status)
{
    invariant(!store->is_dirty);
    if (!folder_create(folder, status))
        return false;
    if (chmod(folder, 0700) != 0)
        return file_failed(folder, status);
    Arena *arena = arena_create();
    const char *path = state_path(arena, folder, STATE_DATABASE);
    sqlite3 *to = NULL;
    const int code = sqlite3_open_v2(
        path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    bool is_copied = code == SQLITE_OK && chmod(path, 0600) == 0
                         ? copy_pages(store, to, folder, status)
                         : status_fail(status, STATUS_MACHINE, place_in(folder, 0, 0),
                                       "cannot make a database: %s", sqlite3_errmsg(to));
    if (sqlite3_close(to) != SQLITE_OK && is_copied)
        is_copied = status_fail(status, STATUS_MACHINE, place_in(folder, 0, 0),
                                "cannot close the copied database");
    arena_destroy(arena);
    return is_copied;
}

/* --- Going back --- */

static bool run_about(Store *store, const char *sql, int64_t last, Status *status)
{
    sqlite3_stmt *statement = NULL;
    if (!store_prepare(store, sql, &statement, status))
        return false;
    store_bind_integer(statement, 1, last);
    const bool is_done = store_run(store, statement, "go back in its journal", status);
    sqlite3_finalize(statement);
    return is_done;
}

/* The entries of the pack that `last` is in. */
typedef struct {
    Text text;
    int64_t before_ns;
} Rest;

static bool add_entry(void *owner, const JournalEntry *entry, Status *status)
{
    (void)status;
    Rest *rest = owner;
    journal_pack_add(&rest->text, entry, rest->before_ns);
    rest->before_ns = entry->at_ns;
    return true;
}

static bool put_rest(Store *store, const Text *text, int64_t last, Status *status)
{
    sqlite3_stmt *update = NULL;
    Arena *arena = arena_create();
    size_t length;
    const char *packed = journal_pack_compress(arena, text, &length);
    bool is_put = store_prepare(store,
                                "UPDATE journal_pack SET last=?1,text_bytes=?2,packed=?3"
                                " WHERE first<=?1 AND last>?1",
                                &update, status);
    if (is_put) {
        store_bind_integer(update, 1, last);
        store_bind_integer(update, 2, (int64_t)text->length);
        is_put = sqlite3_bind_blob64(update, 3, packed, length, SQLITE_STATIC) == SQLITE_OK &&
                 store_run(store, update, "go back in its journal", status);
    }
    sqlite3_finalize(update);
    arena_destroy(arena);
    return is_put;
}

/* The first entry of the pack that also has entries after `last`; 0: there is no such pack. */
static bool find_pack(Store *store, int64_t last, int64_t *first, Status *status)
{
    sqlite3_stmt *row = NULL;
    if (!store_prepare(store, "SELECT first FROM journal_pack WHERE first<=?1 AND last>?1", &row,
                       status))
        return false;
    store_bind_integer(row, 1, last);
    *first = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
    const int code = sqlite3_finalize(row);
    return code == SQLITE_OK || store_refuse(store, "read its journal", status);
}

static bool cut_pack(Store *store, int64_t last, Status *status)
{
    int64_t first;
    if (!find_pack(store, last, &first, status))
        return false;
    if (first == 0)
        return true;
    Rest rest = {.before_ns = 0};
    const JournalRange range = {.after = first - 1, .last = last, .count_max = INT64_MAX};
    const bool is_cut = store_replay(store, range, &rest, add_entry, status) &&
                        put_rest(store, &rest.text, last, status);
    text_free(&rest.text);
    return is_cut;
}

bool store_cut(Store *store, int64_t last, Status *status)
{
    return store_begin(store, status) && cut_pack(store, last, status) &&
           run_about(store, "DELETE FROM journal_pack WHERE first>?", last, status) &&
           run_about(store, "DELETE FROM journal WHERE sequence>?", last, status) &&
           run_about(store, "DELETE FROM settings WHERE " STORE_SECRETS_NUMBER ">?", last,
                     status) &&
           journal_open(store, status);
}
