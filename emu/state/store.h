/* The persistent state: one SQLite database in the state folder, in WAL mode.
 *
 * Writes are collected in one transaction. The server commits it (with fsync) before it sends any
 * answer that was made since the transaction began. So no answer reports a write that a crash can
 * undo, and the writes of many clients share one fsync. */
#ifndef EMU_STORE_H
#define EMU_STORE_H

#include <stdint.h>

#include "sim/base/status.h"

typedef struct Store Store;
struct sqlite3;

/* Opens or makes the store in `folder` (also made, 0700), which is borrowed: statuses name it, and
 * may outlive the store. STATUS_BAD_INPUT for a newer version, and for a folder that is not the
 * emulator's (emu/state/state_folder.h), STATUS_CONFLICT if another process has it open,
 * STATUS_MACHINE for disks. Older versions are upgraded. STATUS_BAD_INPUT also for a folder that
 * has lost acknowledged writes (emu/state/damage.h). */
Store *store_open(const char *folder, Status *status);
/* The same for a folder that store_open refuses as damaged: continues with the whole part, keeps
 * the damaged files in the folder `lost`, and adds what is lost to the warnings. */
Store *store_recover(const char *folder, Status *status);
bool store_recovers(const Store *store);
#define STORE_DAMAGE_HINT                                                                          \
    "restore the folder from a copy, or continue with the whole part: \"trainyard serve "          \
    "--recover\" lists what is lost"
/* The losses that were found at the opening; more may be added. In its arena. */
Problems *store_warnings(Store *store);
void store_close(Store *store); /* NULL is fine; does not commit */
const char *store_folder(const Store *store);

/* Whether there are writes since the last commit. */
bool store_is_dirty(const Store *store);
/* Commits all writes since the last commit, or none of them. After a failure the store is as at the
 * last commit and accepts no more writes; the caller opens it again. */
MUST_CHECK bool store_commit(Store *store, Status *status);
/* Whether such a failure has happened, or is certain to happen. */
bool store_has_lost(const Store *store);

/* Whether the last commits are in the log only. */
bool store_has_log(const Store *store);
/* Moves the log into the database, so that losing the log loses nothing. Also done by commits, once
 * the log is long. */
void store_checkpoint(Store *store);
/* Whether names still lead to the files of the database that are open; else STATUS_MACHINE with
 * what to do. A commit fails where they do not. */
MUST_CHECK bool store_is_in_place(const Store *store, Status *status);
/* Whether the writes that follow free space. Those need no free disk: a reserve is released for
 * them, and other writes leave its space alone (emu/state/reserve.h). */
void store_removes(Store *store, bool is_removing);

/* Writes between the two happen together or not at all, within the transaction of the next commit;
 * groups are not nested. `is_kept` false takes them back, and if that is impossible later commits
 * fail. */
MUST_CHECK bool store_group_begin(Store *store, Status *status);
MUST_CHECK bool store_group_end(Store *store, bool is_kept, Status *status);

/* --- Journal --- */

typedef struct {
    int64_t sequence; /* from 1 */
    int64_t at_ns;
    const char *list;    /* "commands", "faults"; "notes" for an entry that is not a command */
    const char *command; /* JSON text; "" of a note */
    const char *kept;    /* JSON text; "" if there is nothing to keep */
    const char *subject; /* of a note: its record; else "" */
} JournalEntry;

/* STATUS_MACHINE if the disk is full: nothing is entered then. */
MUST_CHECK bool store_enter(Store *store, const JournalEntry *entry, Status *status);
/* Entries by their numbers, in order: those after `after` up to `last`, at most `count_max`. */
typedef struct {
    int64_t after, last, count_max;
} JournalRange;

#define JOURNAL_ALL ((JournalRange){.last = INT64_MAX, .count_max = INT64_MAX})

/* Calls `entry_read` for every entry of the range; false as soon as it returns false. */
MUST_CHECK bool store_replay(Store *store, JournalRange range, void *owner,
                             bool (*entry_read)(void *owner, const JournalEntry *entry,
                                                Status *status),
                             Status *status);

/* --- Settings: few, by name --- */

/* In `arena`; NULL if it was never set. */
const char *store_setting(Store *store, Arena *arena, const char *name);
/* The setting of emu/snapshots.h: a recovery removes it, because the snapshot has what is lost. */
#define STORE_SNAPSHOT_SETTING "snapshot"
/* That of emu/state/outcome_rows.h; a recovery drops them for the same reason. */
#define STORE_OUTCOMES_SETTING "outcomes"
/* Those of emu/session/secret_values.h, each followed by the number of an entry of the journal:
 * they are removed with the entry. */
#define STORE_SECRETS_SETTING "secrets of "
/* In a WHERE of settings: those of entries with a number ..., such as ">7". */
#define STORE_SECRETS_NUMBER                                                                       \
    "name GLOB '" STORE_SECRETS_SETTING "*' AND CAST(substr(name,length('" STORE_SECRETS_SETTING   \
    "')+1) AS INTEGER)"
MUST_CHECK bool store_set(Store *store, const char *name, const char *value, Status *status);

/* --- For emu/files --- */

/* The connection, for modules with separate tables: their CREATE statements are in
 * emu/state/store_schema.c. */
struct sqlite3 *store_connection(Store *store);
/* Opens the transaction; those modules call it before they write. */
MUST_CHECK bool store_begin(Store *store, Status *status);
/* Whether the disk has room for `bytes` of contents, and for the rows that describe or delete them.
 */
bool store_has_room(const Store *store, int64_t bytes);
/* Syncs a descriptor before the next commit; the caller may close it. */
void store_sync_before_commit(Store *store, int descriptor);

#endif
