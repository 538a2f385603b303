/* The tables of the file store: all queries, and the rows.
 *
 * Entries of clients are rows of `file_entry`, by share, directory and folded name; the root
 * directory of a share has the id 0. A file's bytes are described by its extents: each maps a range
 * to a blob, a file in the folder `contents` to which ranges are only ever appended. Files share
 * contents (copies, snapshots) until one of them is written. Ranges without an extent are zeros.
 * Cleared ranges have an extent in the blob 0, which is not a file.
 *
 * Entries of the world are in a temporary table with the same keys and ids of its files. There may
 * be many: a name that equals the folded one, and a time of creation that equals the last change,
 * are NULL. A row of
 * clients hides what the world wrote at its place, and below it, up to the row's `since_ns`; a row
 * of kind FILES_GONE does nothing else. */
#ifndef EMU_FILES_TABLES_H
#define EMU_FILES_TABLES_H

#include <sqlite3.h>

#include "emu/files/store/entry.h"
#include "sim/base/arena.h"
#include "sim/base/status.h"

enum { FILES_GONE = FILES_FILE + 1 };
enum { FILES_ROOT = 0, FILES_NONE = -1 }; // ids of directories
enum { FILES_NEVER = -1 };                // `since_ns` of a row that hides nothing
enum { FILES_CLEARED_BLOB = 0 };

/* X(ENUM, SQL) */
#define SHARE_COLUMNS                                                                              \
    "id, name, snapshot, since_ns, quota_gib, etag, created, changed, properties, metadata, "      \
    "lease, is_gone"
#define ENTRY_COLUMNS                                                                              \
    "id, kind, name, folded, bytes, etag, created, written, changed, properties, metadata, "       \
    "lease, contents, since_ns"
#define WORLD_COLUMNS                                                                              \
    "id, kind, coalesce(name, folded), folded, at_ns, coalesce(made_ns, at_ns), bytes, "           \
    "modified_ms, logs, written"

#define FILES_QUERIES(X)                                                                           \
    X(SAVEPOINT, "SAVEPOINT files")                                                                \
    X(RELEASE, "RELEASE files")                                                                    \
    X(ROLLBACK, "ROLLBACK TO files")                                                               \
    X(NEW_NUMBER, "UPDATE file_counter SET number = number + 1 RETURNING number")                  \
    X(NEW_ETAG, "UPDATE file_counter SET etag = max(etag + 1, ?1) RETURNING etag")                 \
    /* shares */                                                                                   \
    X(SHARE, "SELECT " SHARE_COLUMNS                                                               \
             " FROM file_share WHERE account = ?1 AND name = ?2 AND snapshot = ?3")                \
    X(SHARES,                                                                                      \
      "SELECT " SHARE_COLUMNS " FROM file_share WHERE account = ?1 AND name >= ?2 AND name "       \
      ">= ?4 AND (name > ?2 OR snapshot < ?3) ORDER BY name, snapshot DESC")                       \
    X(SHARE_SNAPSHOTS, "SELECT count(*) FROM file_share WHERE account = ?1 AND name = ?2 AND "     \
                       "snapshot <> ''")                                                           \
    X(SHARE_PUT, "INSERT OR REPLACE INTO file_share (account, " SHARE_COLUMNS                      \
                 ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")              \
    X(SHARE_DELETE, "DELETE FROM file_share WHERE account = ?1 AND name = ?2 AND snapshot = ?3")   \
    X(SHARE_BYTES, "SELECT coalesce(sum(bytes), 0) FROM file_entry WHERE share = ?1")              \
    X(SHARE_CONTENTS,                                                                              \
      "SELECT DISTINCT contents FROM file_entry WHERE share = ?1 AND contents > 0")                \
    X(SHARE_EMPTY, "DELETE FROM file_entry WHERE share = ?1")                                      \
    X(SHARE_COPY,                                                                                  \
      "INSERT INTO file_entry (share, parent, " ENTRY_COLUMNS                                      \
      ") SELECT ?2, parent, " ENTRY_COLUMNS " FROM file_entry WHERE share = ?1 AND kind <> 3")     \
    /* entries */                                                                                  \
    X(ENTRY,                                                                                       \
      "SELECT " ENTRY_COLUMNS " FROM file_entry WHERE share = ?1 AND parent = ?2 AND folded = ?3") \
    X(ENTRY_BY_ID,                                                                                 \
      "SELECT parent, name FROM file_entry WHERE share = ?1 AND id = ?2 AND kind <> 3")            \
    X(ENTRIES, "SELECT " ENTRY_COLUMNS " FROM file_entry WHERE share = ?1 AND parent = ?2 AND "    \
               "folded > ?3 AND folded >= ?4 ORDER BY folded")                                     \
    X(ENTRY_PUT, "INSERT OR REPLACE INTO file_entry (share, parent, " ENTRY_COLUMNS                \
                 ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "    \
                 "?16)")                                                                           \
    X(ENTRY_DELETE, "DELETE FROM file_entry WHERE share = ?1 AND parent = ?2 AND folded = ?3")     \
    X(MARKS_DELETE, "DELETE FROM file_entry WHERE share = ?1 AND parent = ?2 AND kind = 3")        \
    /* contents */                                                                                 \
    X(CONTENTS_USERS, "SELECT count(*) FROM (SELECT 1 FROM file_entry WHERE contents = ?1 AND "    \
                      "contents > 0 LIMIT 2)")                                                     \
    X(EXTENTS,                                                                                     \
      "SELECT first, length, blob, position, sums FROM file_extent WHERE contents = ?1 AND "       \
      "first < ?3 AND first >= coalesce((SELECT max(first) FROM file_extent WHERE "                \
      "contents = ?1 AND first <= ?2), 0) ORDER BY first")                                         \
    X(EXTENT_PUT, "INSERT OR REPLACE INTO file_extent (contents, first, length, blob, position, "  \
                  "sums) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")                                         \
    X(EXTENT_DELETE, "DELETE FROM file_extent WHERE contents = ?1 AND first = ?2")                 \
    X(EXTENTS_COPY,                                                                                \
      "INSERT INTO file_extent (contents, first, length, blob, position, sums) SELECT ?2, "        \
      "first, length, blob, position, sums FROM file_extent WHERE contents = ?1")                  \
    X(EXTENTS_DELETE, "DELETE FROM file_extent WHERE contents = ?1")                               \
    X(BLOBS, "SELECT DISTINCT blob FROM file_extent WHERE contents = ?1 AND blob > 0")             \
    X(BLOB_IS_USED, "SELECT EXISTS (SELECT 1 FROM file_extent WHERE blob = ?1)")                   \
    X(BLOB_IS_SHARED, "SELECT EXISTS (SELECT 1 FROM file_extent WHERE blob = ?1 AND contents <> "  \
                      "?1)")                                                                       \
    X(BLOB_COUNT, "SELECT count(DISTINCT blob) FROM file_extent WHERE blob > 0")                   \
    X(NEEDS, "SELECT s.account, s.name, e.name, x.blob, max(x.position + x.length) "               \
             "FROM file_extent x JOIN file_entry e ON e.contents = x.contents "                    \
             "JOIN file_share s ON s.id = e.share WHERE x.blob > 0 "                               \
             "GROUP BY e.share, e.parent, e.folded, x.blob")                                       \
    X(ENTRIES_WITH_BLOB, "DELETE FROM file_entry WHERE contents IN "                               \
                         "(SELECT contents FROM file_extent WHERE blob = ?1)")                     \
    X(EXTENTS_WITH_BLOB, "DELETE FROM file_extent WHERE contents IN "                              \
                         "(SELECT contents FROM file_extent WHERE blob = ?1)")                     \
    /* after a recovery: contents without a file, and numbers that are in use */                   \
    X(EXTENTS_ORPHANED,                                                                            \
      "DELETE FROM file_extent WHERE contents NOT IN (SELECT contents FROM file_entry)")           \
    X(COUNTER_MISSING, "INSERT INTO file_counter SELECT 0, 0 WHERE NOT EXISTS "                    \
                       "(SELECT 1 FROM file_counter)")                                             \
    X(COUNTER_ADVANCE,                                                                             \
      "UPDATE file_counter SET number = (SELECT max(n) FROM (SELECT number AS n "                  \
      "UNION ALL SELECT max(id) FROM file_entry UNION ALL SELECT max(contents) FROM file_entry "   \
      "UNION ALL SELECT max(blob) FROM file_extent UNION ALL SELECT max(id) FROM file_share)), "   \
      "etag = (SELECT max(n) FROM (SELECT etag AS n UNION ALL SELECT max(etag) FROM file_entry "   \
      "UNION ALL SELECT max(etag) FROM file_share))")                                              \
    /* files that were not reported to the world */                                                \
    X(UNREPORTED, "SELECT account, share, path FROM file_untold ORDER BY account, share, path")    \
    X(UNREPORTED_PUT,                                                                              \
      "INSERT OR IGNORE INTO file_untold (account, share, path) VALUES (?1, ?2, ?3)")              \
    X(UNREPORTED_DELETE,                                                                           \
      "DELETE FROM file_untold WHERE account = ?1 AND share = ?2 AND path = ?3")                   \
    /* entries of the world */                                                                     \
    X(WORLD, "SELECT " WORLD_COLUMNS                                                               \
             " FROM world_entry WHERE share = ?1 AND parent = ?2 AND folded = ?3")                 \
    X(WORLDS, "SELECT " WORLD_COLUMNS " FROM world_entry WHERE share = ?1 AND parent = ?2 AND "    \
              "folded > ?3 AND folded >= ?4 ORDER BY folded")                                      \
    X(WORLD_PUT,                                                                                   \
      "INSERT OR REPLACE INTO world_entry (share, parent, id, kind, name, folded, at_ns, "         \
      "made_ns, bytes, modified_ms, logs, written) VALUES (?1, ?2, ?3, ?4, nullif(?5, ?6), ?6, "   \
      "?7, nullif(?8, ?7), ?9, ?10, ?11, ?12)")                                                    \
    /* the first time of creation and the last time of change are kept */                          \
    X(WORLD_DIRECTORY,                                                                             \
      "INSERT INTO world_entry (share, parent, id, kind, name, folded, at_ns, made_ns, bytes, "    \
      "modified_ms, logs, written) VALUES (?1, ?2, ?3, 1, nullif(?4, ?5), ?5, ?6, nullif(?7, "     \
      "?6), 0, -1, ?8, -1) ON CONFLICT DO UPDATE SET at_ns = max(at_ns, excluded.at_ns), "         \
      "made_ns = nullif(coalesce(made_ns, at_ns), max(at_ns, excluded.at_ns)), "                   \
      "logs = max(logs, excluded.logs), kind = 1, id = excluded.id")                               \
    X(WORLD_SIZED, "UPDATE world_entry SET bytes = ?4 WHERE share = ?1 AND parent = ?2 AND "       \
                   "folded = ?3")                                                                  \
    X(WORLD_BYTES, "SELECT coalesce(sum(max(bytes, 0)), 0) FROM world_entry WHERE share = ?1 AND " \
                   "at_ns > ?2")                                                                   \
    /* `modified_ms` of a directory of logs is the simulated time of its list, in ns */            \
    X(LOGS_FRESH, "UPDATE world_entry SET modified_ms = ?4 WHERE share = ?1 AND parent = ?2 AND "  \
                  "folded = ?3")                                                                   \
    X(LOGS_DELETE, "DELETE FROM world_entry WHERE share = ?1 AND parent = ?2 AND kind = 2 AND "    \
                   "written < 0")

typedef enum {
#define X(name, sql) QUERY_FILES_##name,
    FILES_QUERIES(X)
#undef X
        FILES_QUERY_COUNT
} FilesQuery;

/* A row of `file_share`. */
typedef struct {
    int64_t id;
    const char *name, *snapshot; /* "": the share itself */
    int64_t since_ns;            /* what the world wrote there up to this time is hidden */
    int64_t quota_gib;
    int64_t etag, created, changed;
    const char *properties, *metadata, *lease;
    bool is_gone; /* deleted by a client, but the world still has it */
} ShareRow;

/* A row of `file_entry`. */
typedef struct {
    int64_t id;
    int64_t kind; /* FilesKind or FILES_GONE */
    const char *name, *folded;
    int64_t bytes;
    int64_t etag, created, written, changed;
    const char *properties, *metadata, *lease;
    int64_t contents; /* 0: nothing was written */
    int64_t since_ns;
} EntryRow;

/* A row of `world_entry`. */
typedef struct {
    int64_t id;
    int64_t kind; /* FilesKind, or FILES_GONE: a job removed it */
    const char *name, *folded;
    int64_t at_ns;   /* when the world wrote it; of a directory: its last entry */
    int64_t made_ns; /* the first time */
    int64_t bytes;   /* -1: not measured yet */
    int64_t modified_ms;
    int64_t logs;    /* of a directory or a log: the folder of logs (log_folder.h); -1 */
    int64_t written; /* of another file: index in WorldFiles.written; -1 */
} WorldRow;

typedef struct {
    sqlite3 *database;
    sqlite3_stmt *statements[FILES_QUERY_COUNT];
    FilesFailure failure; /* failure of the machine since the beginning of the operation */
    int64_t now_ns;       /* the simulated time of the next write */
    int64_t now_ticks;
} Tables;

/* Prepares all queries. The store has made the tables. */
bool tables_open(Tables *tables, sqlite3 *database, Status *status);
void tables_close(Tables *tables);

/* Starts a query with values of `types`, 'i' int64_t, 't' text, and 'b' bytes and their number as
 * int64_t. Texts and bytes must live until the end of the rows. */
sqlite3_stmt *tables_ask(Tables *tables, FilesQuery query, const char *types, ...);
/* The next row; false at the end, or if the machine fails. */
bool tables_next(Tables *tables, sqlite3_stmt *rows);
void tables_done(sqlite3_stmt *rows); /* ends a query before the end of its rows */
void tables_do(Tables *tables, FilesQuery query, const char *types, ...);
/* The first column of the only row; -1 if there is no row. */
int64_t tables_number(Tables *tables, FilesQuery query, const char *types, ...);
const char *column_text(sqlite3_stmt *row, int column, Arena *arena);
/* Records a failure of the machine, which undoes the operation. */
void tables_fail(Tables *tables, int error_number);
void tables_refuse(Tables *tables, FilesFailure failure);

/* A new id of an entry, share or contents. */
int64_t new_number(Tables *tables);
int64_t new_etag(Tables *tables);

#endif
