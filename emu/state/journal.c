/* Private to this folder: the journal of a store (store.h), and its packs (journal_pack.h). */
#include <inttypes.h>

#include "emu/state/journal_pack.h"
#include "emu/state/store_inside.h"

/* Entries of a pack, and the length of the text with which it has enough. At least as many entries
 * are in no pack. A pack takes some milliseconds of the commit that makes it. */
enum { PACK_ENTRIES = 1024, PACK_TEXT_BYTES = 1 << 20 };

/* --- Opening --- */

/* The result of a query with one number. */
static bool ask_number(Store *store, const char *sql, int64_t *number, Status *status)
{
    sqlite3_stmt *statement = NULL;
    if (!store_prepare(store, sql, &statement, status))
        return false;
    const bool is_read = sqlite3_step(statement) == SQLITE_ROW;
    *number = is_read ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return is_read || store_refuse(store, "read its journal", status);
}

bool journal_open(Store *store, Status *status)
{
    return ask_number(store,
                      "SELECT coalesce((SELECT last FROM journal_pack ORDER BY first DESC LIMIT "
                      "1),0)",
                      &store->packed, status) &&
           ask_number(store, "SELECT coalesce(max(sequence),0) FROM journal", &store->entered,
                      status);
}

/* --- Entries --- */

bool store_enter(Store *store, const JournalEntry *entry, Status *status)
{
    if (!store_begin(store, status))
        return false;
    store_bind_integer(store->enter, 1, entry->sequence);
    store_bind_integer(store->enter, 2, entry->at_ns);
    store_bind_text(store->enter, 3, entry->list);
    store_bind_text(store->enter, 4, entry->command);
    store_bind_text(store->enter, 5, entry->kept);
    store_bind_text(store->enter, 6, entry->subject);
    const bool is_entered = store_run(store, store->enter, "write to its journal", status);
    if (is_entered)
        store->entered = entry->sequence;
    return is_entered;
}

/* --- Replaying --- */

static JournalEntry read_entry(sqlite3_stmt *row)
{
    return (JournalEntry){.sequence = sqlite3_column_int64(row, 0),
                          .at_ns = sqlite3_column_int64(row, 1),
                          .list = store_column(row, 2),
                          .command = store_column(row, 3),
                          .kept = store_column(row, 4),
                          .subject = store_column(row, 5)};
}

/* A reader of entries, and the range that is left to it. */
typedef struct {
    JournalRange range;
    void *owner;
    bool (*entry_read)(void *owner, const JournalEntry *entry, Status *status);
} Replay;

static bool replay_entry(Replay *replay, const JournalEntry *entry, Status *status)
{
    replay->range.after = entry->sequence;
    replay->range.count_max--;
    return replay->entry_read(replay->owner, entry, status);
}

static bool is_in_range(const Replay *replay, int64_t sequence)
{
    return sequence <= replay->range.last && replay->range.count_max > 0;
}

/* Passes the entries of a row of journal_pack on. */
static bool replay_pack(const Store *store, sqlite3_stmt *row, Replay *replay, Status *status)
{
    Arena *arena = arena_create();
    const int64_t first = sqlite3_column_int64(row, 0), last = sqlite3_column_int64(row, 1);
    const int64_t text_bytes = sqlite3_column_int64(row, 2);
    const void *packed = sqlite3_column_blob(row, 3);
    const size_t length = (size_t)sqlite3_column_bytes(row, 3);
    const char *text = journal_pack_expand(arena, packed, length, text_bytes);
    const char *end = text ? text + text_bytes : NULL;
    JournalEntry entry = {.sequence = first - 1};
    bool is_fine = true;
    while (is_fine && text && is_in_range(replay, entry.sequence + 1) &&
           journal_pack_next(&text, end, &entry))
        if (entry.sequence > replay->range.after)
            is_fine = replay_entry(replay, &entry, status);
    if (is_fine && (!text || (is_in_range(replay, entry.sequence + 1) &&
                              (text != end || entry.sequence != last)))) {
        is_fine = status_fail(status, STATUS_BAD_INPUT, place_in(store->folder, 0, 0),
                              "entries %" PRId64 " to %" PRId64 " of its journal are damaged",
                              first, last);
        status_hint(status, STORE_DAMAGE_HINT);
    }
    arena_destroy(arena);
    return is_fine;
}

static bool replay_row(const Store *store, sqlite3_stmt *row, Replay *replay, Status *status)
{
    (void)store;
    const JournalEntry entry = read_entry(row);
    return replay_entry(replay, &entry, status);
}

/* Passes the rows of a query, whose parameters are the range, on to `pass`. */
static bool replay_rows(Store *store, const char *sql, Replay *replay,
                        bool (*pass)(const Store *store, sqlite3_stmt *row, Replay *replay,
                                     Status *status),
                        Status *status)
{
    sqlite3_stmt *statement = NULL;
    if (!store_prepare(store, sql, &statement, status))
        return false;
    store_bind_integer(statement, 1, replay->range.after);
    store_bind_integer(statement, 2, replay->range.last);
    bool is_fine = true;
    int code = SQLITE_DONE;
    while (is_fine && replay->range.count_max > 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        is_fine = pass(store, statement, replay, status);
    if (is_fine && code != SQLITE_DONE && code != SQLITE_ROW)
        is_fine = store_refuse(store, "read its journal", status);
    sqlite3_finalize(statement);
    return is_fine;
}

bool store_replay(Store *store, JournalRange range, void *owner,
                  bool (*entry_read)(void *owner, const JournalEntry *entry, Status *status),
                  Status *status)
{
    // The first pack of the range is found by its key: a search would read all packs.
    static const char packs[] =
        "SELECT first,last,text_bytes,packed FROM journal_pack WHERE last>?1 AND first<=?2 AND "
        "first>=(SELECT coalesce(max(first),0) FROM journal_pack WHERE first<=?1+1) ORDER BY first";
    static const char rows[] = "SELECT sequence,at_ns,list,command,kept,subject FROM journal"
                               " WHERE sequence>? AND sequence<=? ORDER BY sequence";
    Replay replay = {.range = range, .owner = owner, .entry_read = entry_read};
    return replay_rows(store, packs, &replay, replay_pack, status) &&
           replay_rows(store, rows, &replay, replay_row, status);
}

/* --- Packs --- */

/* Collects the oldest entries that are in no pack. Returns the last one's number; 0 on failure. */
static int64_t collect_entries(Store *store, Text *text, Status *status)
{
    sqlite3_stmt *rows = NULL;
    int64_t last = 0, before_ns = 0;
    int code = SQLITE_DONE;
    if (!store_prepare(store,
                       "SELECT sequence,at_ns,list,command,kept,subject FROM journal"
                       " ORDER BY sequence LIMIT ?",
                       &rows, status))
        return 0;
    store_bind_integer(rows, 1, PACK_ENTRIES);
    while (text->length < PACK_TEXT_BYTES && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const JournalEntry entry = read_entry(rows);
        journal_pack_add(text, &entry, before_ns);
        before_ns = entry.at_ns;
        last = entry.sequence;
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW) {
        store_refuse(store, "read its journal", status);
        last = 0;
    }
    sqlite3_finalize(rows);
    return last;
}

static bool put_pack(Store *store, int64_t last, const Text *text, Status *status)
{
    sqlite3_stmt *insert = NULL, *remove = NULL;
    Arena *arena = arena_create();
    size_t length;
    const char *packed = journal_pack_compress(arena, text, &length);
    bool is_fine =
        store_prepare(store,
                      "INSERT INTO journal_pack(first,last,text_bytes,packed)VALUES(?,?,?,?)",
                      &insert, status) &&
        store_prepare(store, "DELETE FROM journal WHERE sequence<=?", &remove, status);
    if (is_fine) {
        store_bind_integer(insert, 1, store->packed + 1);
        store_bind_integer(insert, 2, last);
        store_bind_integer(insert, 3, (int64_t)text->length);
        is_fine = sqlite3_bind_blob64(insert, 4, packed, length, SQLITE_STATIC) == SQLITE_OK;
        store_bind_integer(remove, 1, last);
        is_fine = is_fine && store_run(store, insert, "pack its journal", status) &&
                  store_run(store, remove, "pack its journal", status);
    }
    sqlite3_finalize(insert);
    sqlite3_finalize(remove);
    arena_destroy(arena);
    return is_fine;
}

/* Not on a full disk: a pack needs space before it frees some. */
bool journal_settle(Store *store, Status *status)
{
    if (store->entered - store->packed < 2 * PACK_ENTRIES || !store_has_room(store, 0))
        return true;
    Text text = {0};
    const int64_t last = collect_entries(store, &text, status);
    const bool is_packed = last > 0 && put_pack(store, last, &text, status);
    text_free(&text);
    if (is_packed)
        store->packed = last;
    return is_packed;
}
