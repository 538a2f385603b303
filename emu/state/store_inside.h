/* The inside of a store, for store.c, store_open.c, journal.c and outcome_rows.c alone. */
#ifndef EMU_STORE_INSIDE_H
#define EMU_STORE_INSIDE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "emu/state/log_witness.h"
#include "emu/state/reserve.h"
#include "emu/state/store.h"

/* A file that is synced before the commit. */
typedef struct {
    int descriptor;
    dev_t device;
    ino_t number;
} SyncedFile;

struct Store {
    Arena *arena;
    const char *folder; /* the caller's: the place in statuses */
    sqlite3 *connection;
    sqlite3_stmt *begin, *commit, *enter, *look, *set, *put_outcome, *remove_outcome;
    int64_t entered, packed; /* the last entry of the journal, and of its packs; 0 */
    bool is_dirty;
    bool has_lost; /* the writes since the last commit are incomplete */
    SyncedFile *files;
    size_t file_count, file_capacity;
    int database; /* a descriptor of the database's file; -1 */
    LogWitness witness;
    bool has_witness;    /* the witness is of this log */
    uint32_t log_frames; /* of the log, that the database may lack */
    bool recovers;
    Problems warnings;
    Reserve reserve;
    bool is_removing; /* what follows frees space */
    bool
        is_on_credit; /* the transaction began with a removal, without the space that others need */
};

/* Reports SQLite's error as a status; returns false. */
bool store_refuse(const Store *store, const char *what, Status *status);
bool store_run(Store *store, sqlite3_stmt *statement, const char *what, Status *status);
bool store_prepare(Store *store, const char *sql, sqlite3_stmt **statement, Status *status);
void store_bind_text(sqlite3_stmt *statement, int column, const char *text); /* not copied */
void store_bind_integer(sqlite3_stmt *statement, int column, int64_t value);
const char *store_column(sqlite3_stmt *row, int index); /* "" instead of NULL */

/* Whether closing leaves the log alone. A start that fails must: the witness would miss the log. */
void store_keep_log(const Store *store, bool is_kept);
/* Releases the reserve if it `is_needed` and the disk is full; takes it again once the rest is
 * enough for other writes. */
void store_settle_reserve(Store *store, bool is_needed);

/* When the tables are up to date. */
bool journal_open(Store *store, Status *status);
/* Packs the oldest entries if there are many, within the transaction of a commit. */
bool journal_settle(Store *store, Status *status);

#endif
