/* Inside the file store: its tables, the contents on disk, and what the world shows. Included by
 * emu/file_store*.c alone.
 *
 * Entries of clients are rows of `file_entry`, by share, directory and folded name; the root
 * directory of a share has the id 0. A file's bytes are its extents: which of its ranges lie where
 * in which blob, a file of its own in the folder `contents`, to which ranges are only ever
 * appended. Files share contents (copies, snapshots) until one of them is written. Ranges without
 * an extent are zeros. Those that were cleared have one in the blob 0, which is no file.
 *
 * What the world shows lies in a temporary table with the same keys and ids of its own. A row of
 * clients hides what the world wrote at its place, and below it, up to the row's `since_ns`; a row
 * of kind FILES_GONE does nothing else. */
#ifndef EMU_FILE_STORE_PARTS_H
#define EMU_FILE_STORE_PARTS_H

#include <sqlite3.h>

#include "emu/files/store/file_names.h"
#include "emu/files/store/file_store.h"
#include "sim/output/share/log_folder.h"
#include "sim/output/trace/written_file.h"

enum { FILES_GONE = FILES_FILE + 1 };
enum { FILES_ROOT = 0, FILES_NONE = -1 }; // ids of directories
enum { FILES_NEVER = -1 };                // `since_ns` of what hides nothing
enum { FILES_CLEARED_BLOB = 0 };

/* X(ENUM, SQL): everything that is asked of the tables. */
#define SHARE_COLUMNS                                                                              \
    "id, name, snapshot, since_ns, quota_gib, etag, created, changed, properties, metadata, "      \
    "lease, is_gone"
#define ENTRY_COLUMNS                                                                              \
    "id, kind, name, folded, bytes, etag, created, written, changed, properties, metadata, "       \
    "lease, contents, since_ns"
#define WORLD_COLUMNS "id, kind, name, folded, at_ns, made_ns, bytes, modified_ms, logs, written"

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
    X(EXTENTS, "SELECT first, length, blob, position FROM file_extent WHERE contents = ?1 AND "    \
               "first < ?3 AND first >= coalesce((SELECT max(first) FROM file_extent WHERE "       \
               "contents = ?1 AND first <= ?2), 0) ORDER BY first")                                \
    X(EXTENT_PUT, "INSERT OR REPLACE INTO file_extent (contents, first, length, blob, position) "  \
                  "VALUES (?1, ?2, ?3, ?4, ?5)")                                                   \
    X(EXTENT_DELETE, "DELETE FROM file_extent WHERE contents = ?1 AND first = ?2")                 \
    X(EXTENTS_COPY,                                                                                \
      "INSERT INTO file_extent (contents, first, length, blob, position) SELECT ?2, "              \
      "first, length, blob, position FROM file_extent WHERE contents = ?1")                        \
    X(EXTENTS_DELETE, "DELETE FROM file_extent WHERE contents = ?1")                               \
    X(BLOBS, "SELECT DISTINCT blob FROM file_extent WHERE contents = ?1 AND blob > 0")             \
    X(BLOB_IS_USED, "SELECT EXISTS (SELECT 1 FROM file_extent WHERE blob = ?1)")                   \
    X(BLOB_IS_SHARED, "SELECT EXISTS (SELECT 1 FROM file_extent WHERE blob = ?1 AND contents <> "  \
                      "?1)")                                                                       \
    /* what the world has not been told */                                                         \
    X(UNTOLD, "SELECT account, share, path FROM file_untold ORDER BY account, share, path")        \
    X(UNTOLD_PUT, "INSERT OR IGNORE INTO file_untold (account, share, path) VALUES (?1, ?2, ?3)")  \
    X(UNTOLD_DELETE, "DELETE FROM file_untold WHERE account = ?1 AND share = ?2 AND path = ?3")    \
    /* what the world shows */                                                                     \
    X(WORLD, "SELECT " WORLD_COLUMNS                                                               \
             " FROM world_entry WHERE share = ?1 AND parent = ?2 AND folded = ?3")                 \
    X(WORLDS, "SELECT " WORLD_COLUMNS " FROM world_entry WHERE share = ?1 AND parent = ?2 AND "    \
              "folded > ?3 AND folded >= ?4 ORDER BY folded")                                      \
    X(WORLD_PUT, "INSERT OR REPLACE INTO world_entry (share, parent, " WORLD_COLUMNS               \
                 ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")                   \
    /* what was made first stays, the latest time wins */                                          \
    X(WORLD_DIRECTORY,                                                                             \
      "INSERT INTO world_entry (share, parent, id, kind, name, folded, at_ns, made_ns, bytes, "    \
      "modified_ms, logs, written) VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, 0, -1, ?8, -1) "         \
      "ON CONFLICT DO UPDATE SET at_ns = max(at_ns, excluded.at_ns), "                             \
      "logs = max(logs, excluded.logs), kind = 1, id = excluded.id")                               \
    X(WORLD_SIZED, "UPDATE world_entry SET bytes = ?4 WHERE share = ?1 AND parent = ?2 AND "       \
                   "folded = ?3")                                                                  \
    X(WORLD_BYTES, "SELECT coalesce(sum(max(bytes, 0)), 0) FROM world_entry WHERE share = ?1 AND " \
                   "at_ns > ?2")                                                                   \
    /* a directory of logs keeps in `modified_ms` that they are as of when: in ns */               \
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
    int64_t since_ns;            /* what the world wrote there up to then is not seen */
    int64_t quota_gib;
    int64_t etag, created, changed;
    const char *properties, *metadata, *lease;
    bool is_gone; /* deleted, while the world still has it */
} ShareRow;

/* A row of `file_entry`. */
typedef struct {
    int64_t id;
    int64_t kind; /* FilesKind or FILES_GONE */
    const char *name, *folded;
    int64_t bytes;
    int64_t etag, created, written, changed;
    const char *properties, *metadata, *lease;
    int64_t contents; /* 0: nothing was written into it */
    int64_t since_ns;
} EntryRow;

/* A row of `world_entry`. */
typedef struct {
    int64_t id;
    int64_t kind; /* FilesKind, or FILES_GONE: a job removed it */
    const char *name, *folded;
    int64_t at_ns;   /* when the world made it, of a directory the last thing in it */
    int64_t made_ns; /* the first time */
    int64_t bytes;   /* -1: not measured yet */
    int64_t modified_ms;
    int64_t logs;    /* of a directory: whose logs lie there; of a log: the same; -1 */
    int64_t written; /* of another file: index in FileStore.written; -1 */
} WorldRow;

/* A directory as both sides know it. */
typedef struct {
    int64_t share;       /* row of the share */
    int64_t world_share; /* FILES_NONE: the world writes nothing there */
    int64_t client;      /* id of clients' directory, or FILES_NONE */
    int64_t world;       /* id of the world's, or FILES_NONE */
    int64_t since_ns;    /* what the world wrote below it up to then is not seen */
} Directory;

typedef enum { SHOWS_NOTHING, SHOWS_CLIENTS, SHOWS_WORLDS } Shows;

/* A place in a directory, and what is there. */
typedef struct {
    Directory above;
    FileName name;
    bool is_root; /* the share's root directory: above and name say nothing */
    bool has_client, has_world;
    EntryRow client;
    WorldRow world;
    Shows shows;
} Spot;

/* What may be removed from disk after the next commit. */
typedef struct {
    int64_t blob;
    int64_t position, length; /* length 0: the whole blob, if nothing is in it any more */
} DeadRange;

/* Contents of the world's that were made not long ago, in a file without a name. */
typedef struct {
    int64_t share, id;
    uint64_t etag;
    int descriptor; /* -1: none */
    int64_t bytes;
    uint64_t used; /* when last, by FileStore.uses */
} MadeFile;

/* A blob that was read not long ago: opening its file costs more than reading a few KiB of it. The
 * file of a number is never another one while it is here, since blob_remove takes it out. */
typedef struct {
    int64_t blob;    /* 0: its file is gone, but for its readers */
    int descriptor;  /* -1: none */
    int32_t readers; /* who use the descriptor now */
    uint64_t used;   /* when last, by FileStore.uses */
} OpenBlob;

enum { MADE_FILES = 8, OPEN_BLOBS = 32, MODEL_SIZES = 16, SHARES_USED = 64 };

typedef struct {
    const char *network;
    int32_t ranks;
    int64_t bytes;
} ModelSize;

/* Set-up tasks of a cluster, of which the world does not tell. */
typedef struct {
    ClusterId cluster;
    uint32_t begun; /* that are taken up */
} SetUp;

/* How much is in a share at most: what there was when it was counted, and what came since. Whoever
 * stays below the quota by that need not count again. */
typedef struct {
    int64_t share;
    int64_t bytes;
    uint32_t written; /* FileStore.written_by_jobs then */
} ShareUse;

struct FileStore {
    Arena *arena;
    Store *store;
    sqlite3 *database;
    int folder; /* descriptor of `contents` */
    sqlite3_stmt *statements[FILES_QUERY_COUNT];
    FilesFailure failure; /* of the machine, since the operation began */
    int64_t now_ns;
    int64_t now_ticks;
    FilesReader *readers; /* all that are open */
    DeadRange *dead;
    uint32_t dead_count, dead_capacity, dead_before; /* as the operation began */

    ShareUse shares_used[SHARES_USED]; /* a few that clients write to */
    uint32_t share_used_next;          /* the place of the next one */
    bool has_untold;                   /* there may be rows of `file_untold` */

    const World *world;
    WrittenFile *written; /* what the world told of; the first `written_shown` are in the table */
    uint32_t written_count, written_capacity, written_shown;
    uint32_t written_by_jobs; /* of them */
    LogFolder *logging;       /* where a log may have begun; likewise */
    uint32_t logging_count, logging_capacity, logging_shown;
    SetUp *set_ups; /* of all clusters */
    uint32_t set_up_count, set_up_capacity;
    MadeFile made[MADE_FILES];
    OpenBlob open_blobs[OPEN_BLOBS];
    uint64_t uses;
    ModelSize sizes[MODEL_SIZES];
    int32_t size_count;
};

/* --- Tables (file_store_tables.c) --- */

/* Prepares what is asked of the tables, which the store has made. */
bool tables_open(FileStore *files, Status *status);
void tables_close(FileStore *files);

/* Binds values by `types`, 'i' int64_t and 't' text, which must live until the end of the rows. */
sqlite3_stmt *tables_ask(FileStore *files, FilesQuery query, const char *types, ...);
/* The next row; false at the end, or when the machine fails. */
bool tables_next(FileStore *files, sqlite3_stmt *rows);
void tables_done(sqlite3_stmt *rows); /* before the end of the rows */
void tables_do(FileStore *files, FilesQuery query, const char *types, ...);
/* First column of the only row; -1 without one. */
int64_t tables_number(FileStore *files, FilesQuery query, const char *types, ...);
const char *column_text(sqlite3_stmt *row, int column, Arena *arena);
/* Notes a failure of the machine, which undoes the operation. */
void files_fail(FileStore *files, int error_number);

/* An operation that writes is undone whole when it fails. */
bool operation_begin(FileStore *files);
FilesFailure operation_end(FileStore *files, FilesFailure failure);
/* One that only looks. */
void operation_look(FileStore *files);
FilesFailure operation_looked(const FileStore *files, FilesFailure failure);

int64_t new_number(FileStore *files);
int64_t new_etag(FileStore *files);

/* --- Contents (file_store_contents.c) --- */

bool contents_open(FileStore *files, Status *status); /* and removes what nothing refers to */
void contents_close(FileStore *files);
/* Removes what the last commit left without use. */
void contents_sweep(FileStore *files);
/* In the contents of an entry whose row is in the table, which may become other ones. */
void contents_write(FileStore *files, int64_t *contents, int64_t first, int64_t length,
                    const char *bytes);
/* Frees the pages that lie in the range, and writes zeros before and behind them. */
void contents_clear(FileStore *files, int64_t *contents, int64_t first, int64_t length);
/* As if nothing had ever been in the range. */
void contents_cut(FileStore *files, int64_t *contents, int64_t first, int64_t length);
/* Appends all that a reader has. */
void contents_fill(FileStore *files, int64_t *contents, FilesReader *reader);
/* An entry has given them up: its row is gone or has others. */
void contents_drop(FileStore *files, int64_t contents);
FilesReader *contents_reader(FileStore *files, int64_t contents, int64_t bytes);
/* Of `there` bytes in a file, which becomes the reader's, and zeros up to `bytes`. */
FilesReader *descriptor_reader(FileStore *files, int descriptor, int64_t there, int64_t bytes);
/* Opens a file without a name, for contents that are made; -1. */
int unnamed_file(FileStore *files);

/* --- What the world shows (file_store_world.c) --- */

/* Takes up what the world told since. */
void world_catch_up(FileStore *files);
/* Index of the world's share, or FILES_NONE. */
int64_t world_share_of(const FileStore *files, Arena *arena, const char *account,
                       const char *share);
/* The share is made by the scenario itself, so that no client need create it. */
bool world_has_share(const FileStore *files, Arena *arena, const char *account, const char *share);
WorldRow world_row(sqlite3_stmt *row, Arena *arena);
/* Brings the logs in a directory up to date. */
void world_enter(FileStore *files, const Directory *above, const WorldRow *directory);
/* How many bytes it has, when that is not known yet. */
void world_measure(FileStore *files, const Directory *above, WorldRow *row);
uint64_t world_etag(const Directory *above, const WorldRow *row);
FilesReader *world_reader(FileStore *files, const Directory *above, const WorldRow *row);

/* --- Shares (file_store_shares.c) --- */

FilesFailure share_find(FileStore *files, Arena *arena, ShareName name, ShareRow *row);
FilesEntry share_entry(const ShareRow *row, Arena *arena);
/* What is NULL, or -1, stays. */
FilesFailure share_change(FileStore *files, Arena *arena, ShareName name, int64_t quota_gib,
                          const char *properties, const char *metadata, const char *lease);
/* Whether the share has room for so much more. */
FilesFailure share_takes(FileStore *files, Arena *arena, ShareName name, int64_t more);
Directory share_root(const FileStore *files, Arena *arena, ShareName name, const ShareRow *row);

/* --- Places (file_store_spots.c) --- */

EntryRow entry_row(sqlite3_stmt *row, Arena *arena);
void entry_put(FileStore *files, int64_t share, int64_t parent, const EntryRow *row);
Spot spot_find(FileStore *files, Arena *arena, const Directory *above, FileName name);
/* The place that a path leads to; FILES_NO_PARENT when the directory above is not there. With
 * `is_writing` clients have that directory afterwards. */
FilesFailure spot_walk(FileStore *files, Arena *arena, ShareName share, const char *path,
                       bool is_writing, Spot *spot);
bool spot_is_directory(const Spot *spot);
/* The directory there is at the place, both sides' part of it. */
Directory spot_directory(FileStore *files, const Spot *spot);
/* Everything in a directory behind `marker` that begins with `prefix`, both folded, by name; at
 * most `max`. */
Spot *spots_list(FileStore *files, Arena *arena, const Directory *directory, const char *prefix,
                 const char *marker, int32_t max, int32_t *count);
/* Clients have a copy of what is there. */
void spot_own(FileStore *files, Spot *spot);
/* A copy of what the world shows at a place, as an entry of its own elsewhere. */
EntryRow spot_copy(FileStore *files, const Spot *spot, int64_t share, int64_t parent,
                   FileName name);
/* The same of all that it shows in a directory. */
void directory_copy(FileStore *files, const Directory *from, int64_t share, int64_t parent);
/* Writes clients' row back, with a new ETag. */
void spot_put(FileStore *files, Spot *spot);
/* Takes clients' row out, and leaves a mark where the world has something. Contents stay. */
void spot_leave(FileStore *files, const Spot *spot);
FilesEntry spot_entry(FileStore *files, const Spot *spot, Arena *arena);

#endif
