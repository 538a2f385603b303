/* Everything that outlives the process: one SQLite database in the state folder, in WAL mode.
 *
 * Writes gather in one transaction, which the server commits (fsync included) before it lets any
 * answer go out that was made since the transaction began. So an answer never tells of what a crash
 * can take back, and many clients' writes share one fsync. */
#ifndef EMU_STORE_H
#define EMU_STORE_H

#include "sim/base/status.h"

typedef struct Store Store;
struct sqlite3;

/* Opens or makes the store in `folder` (made too, 0700), which is borrowed: statuses name it, and
 * may outlive the store. STATUS_BAD_INPUT for one of a newer version, and for a folder that is not
 * ours (emu/state/state_folder.h), STATUS_CONFLICT when another process has it open,
 * STATUS_MACHINE for disks. Older versions are brought up to date. */
Store *store_open(const char *folder, Status *status);
void store_close(Store *store); /* NULL is fine; commits nothing */
const char *store_folder(const Store *store);

/* Whether something was written since the last commit. */
bool store_is_dirty(const Store *store);
/* All that was written since the last commit, or nothing of it. After a failure the store is as it
 * was at the last commit, takes nothing more, and whoever wrote begins again from what it has. */
MUST_CHECK bool store_commit(Store *store, Status *status);
/* Whether such a failure has come, or is certain to. */
bool store_has_lost(const Store *store);

/* --- Journal --- */

typedef struct {
    int64_t sequence; /* from 1 */
    int64_t at_ns;
    const char *list;    /* "commands", "faults"; "notes" for what is no command */
    const char *command; /* JSON text; "" of a note */
    const char *kept;    /* JSON text; "" when nothing is kept */
    const char *subject; /* of a note: which record; "" else */
} JournalEntry;

/* STATUS_MACHINE when the disk is full: nothing is entered then. */
MUST_CHECK bool store_enter(Store *store, const JournalEntry *entry, Status *status);
/* Takes back the last entry, which was made since the last commit. Where that fails there is no
 * commit any more. */
MUST_CHECK bool store_withdraw(Store *store, int64_t sequence, Status *status);
/* Every entry in order; false as soon as `entry_read` returns false. */
MUST_CHECK bool store_replay(Store *store, void *owner,
                             bool (*entry_read)(void *owner, const JournalEntry *entry,
                                                Status *status),
                             Status *status);

/* --- Settings: few, by name --- */

/* In `arena`; NULL when it was never set. */
const char *store_setting(Store *store, Arena *arena, const char *name);
MUST_CHECK bool store_set(Store *store, const char *name, const char *value, Status *status);

/* --- For emu/files --- */

/* The connection, for modules that keep tables of their own: their CREATE statements stand in
 * emu/state/store_schema.c. */
struct sqlite3 *store_connection(Store *store);
/* To be called by them before they write: opens the transaction. */
MUST_CHECK bool store_begin(Store *store, Status *status);
/* Whether the disk has room for so many bytes of contents: they leave some for what is said about
 * them, and for deleting them. */
bool store_has_room(const Store *store, int64_t bytes);
/* A descriptor whose bytes must be on disk before the next commit; it may be closed afterwards. */
void store_sync_before_commit(Store *store, int descriptor);

#endif
