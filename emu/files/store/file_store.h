/* Azure Files' shares, directories and files: what clients wrote, over what the world's jobs wrote.
 *
 * What clients wrote stands in the store's tables, contents in a file of their own for each, behind
 * which ranges are only ever appended: a write that a crash cuts short was never there. What jobs
 * write (logs that grow with simulated time, checkpoints, models) is a function of the world and is
 * stored nowhere; a client that changes such a file gets a copy of it first, and one that deletes
 * it leaves a mark.
 *
 * Names keep their letters and are compared without case. Paths are decoded, "a/b/c.txt", without
 * slashes at the ends; "" is the share's root. Nothing here knows HTTP. */
#ifndef EMU_FILE_STORE_H
#define EMU_FILE_STORE_H

#include "emu/state/store.h"
#include "emu/files/store/ticks.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

typedef struct FileStore FileStore;

/* A share, at one time or in a snapshot. */
typedef struct {
    const char *account;
    const char *share;
    const char *snapshot; /* "2018-06-15T21:57:57.0000000Z"; NULL: the share itself */
} ShareName;

typedef enum { FILES_SHARE, FILES_DIRECTORY, FILES_FILE } FilesKind;

/* Microsoft, "Scalability and performance targets for Azure Files": the largest file. */
#define FILES_BYTES_MAX (INT64_C(4) << 40)

/* What is told of a share, directory or file; strings in the caller's arena. Times are of
 * simulated time. */
typedef struct {
    FilesKind kind;
    const char *name; /* the last part, as first written */
    int64_t id;
    int64_t parent_id;
    int64_t bytes;                                       /* of a file */
    uint64_t etag;                                       /* changes with every write */
    int64_t created_ticks, written_ticks, changed_ticks; /* changed: with every ETag */
    const char *snapshot;                                /* of a share: its time; "" */
    const char *properties; /* JSON object: "content-type", "content-md5", ...; "" */
    const char *metadata;   /* JSON object; "" */
    int64_t quota_gib;      /* of a share */
    const char *lease;      /* of a share or file: JSON object; "" */
    bool is_of_world;       /* a job wrote it */
} FilesEntry;

/* X(ENUM, reason) */
#define FILES_FAILURES(X)                                                                          \
    X(OK, "")                                                                                      \
    X(NO_SHARE, "its share does not exist")                                                        \
    X(NO_PARENT, "its parent directory does not exist")                                            \
    X(NO_RESOURCE, "it does not exist")                                                            \
    X(SHARE_EXISTS, "the share exists already")                                                    \
    X(EXISTS, "it exists already")                                                                 \
    X(OTHER_KIND, "a file is in the place of a directory, or a directory in the place of a file")  \
    X(NOT_EMPTY, "the directory is not empty")                                                     \
    X(NO_PREVIOUS, "the earlier snapshot does not exist")                                          \
    X(MANY_SNAPSHOTS, "the share has 200 snapshots already")                                       \
    X(HAS_SNAPSHOTS, "the share has snapshots")                                                    \
    X(BAD_NAME, "its name is not allowed")                                                         \
    X(BAD_RANGE, "the range is not in the file")                                                   \
    X(TOO_LARGE, "a file has 4 TiB at most")                                                       \
    X(SHARE_FULL, "the quota of the share is used up")                                             \
    X(NO_SPACE, "the disk is full")                                                                \
    X(MACHINE, "the disk has failed")

typedef enum {
#define X(name, reason) FILES_##name,
    FILES_FAILURES(X)
#undef X
        FILES_FAILURE_COUNT
} FilesFailure;

const char *files_failure_reason(FilesFailure failure);

/* Its tables lie in the store's database, contents in the store's folder. Listens to the session's
 * world by file_store_listener and file_store_watch. */
FileStore *file_store_open(Arena *arena, Store *store, Status *status);
void file_store_close(FileStore *files);
TraceListener file_store_listener(FileStore *files);
void file_store_watch(FileStore *files, const World *world);
/* Instant of what is written next, and its ETags: simulated time. */
void file_store_at(FileStore *files, int64_t unix_ms, int64_t now_ns);

/* --- Shares --- */

FilesFailure files_share_create(FileStore *files, ShareName name, int64_t quota_gib,
                                const char *metadata);
FilesFailure files_share_delete(FileStore *files, ShareName name, bool with_snapshots);
/* Of an account that is deleted, and all in them. */
FilesFailure files_account_delete(FileStore *files, const char *account);
/* Makes a snapshot; its time, unique for the share, into `snapshot`. */
FilesFailure files_share_snapshot(FileStore *files, ShareName name, const char *metadata,
                                  char snapshot[TICKS_TEXT]);
FilesFailure files_share_change(FileStore *files, ShareName name, int64_t quota_gib /* -1: stays */,
                                const char *metadata /* NULL: stays */);
/* Properties that a share keeps for what is in it: of those its own ETag and times tell nothing. */
FilesFailure files_share_keep(FileStore *files, ShareName name, const char *properties);
/* Shares of an account by name, from the one behind `marker` ("": the first) on, at most `max`,
 * that begin with `prefix`; `*more` when there are others behind. With snapshots each share comes
 * behind all of its own, the newest first; a marker that is one reads "share/SNAPSHOT". */
FilesEntry *files_shares(FileStore *files, Arena *arena, const char *account, const char *prefix,
                         const char *marker, int32_t max, bool with_snapshots, int32_t *count,
                         bool *more);
/* About: a file of which clients have changed the world's copy counts twice, and a log as much as
 * it had when somebody last looked. */
int64_t files_share_bytes(FileStore *files, ShareName name);

/* --- Entries --- */

/* "": the share itself, FILES_SHARE. */
FilesFailure files_look(FileStore *files, Arena *arena, ShareName share, const char *path,
                        FilesEntry *entry);
FilesFailure files_list(FileStore *files, Arena *arena, ShareName share, const char *path,
                        const char *prefix, const char *marker, int32_t max, FilesEntry **entries,
                        int32_t *count, bool *more);
FilesFailure files_directory_create(FileStore *files, ShareName share, const char *path,
                                    const char *metadata);
FilesFailure files_directory_delete(FileStore *files, ShareName share, const char *path);
/* What would make all files of a share larger than its quota is refused: FILES_SHARE_FULL. Files
 * count with their sizes, sparse or not. */

/* `bytes` zeros, in the place of a file that is there, whose lease goes on. */
FilesFailure files_file_create(FileStore *files, ShareName share, const char *path, int64_t bytes,
                               const char *properties, const char *metadata);
FilesFailure files_file_delete(FileStore *files, ShareName share, const char *path);
/* Properties, metadata and lease as JSON objects; NULL: stay. `bytes` -1: stays; else cut, or
 * longer by zeros. A lease alone leaves the ETag as it is. "": of the share itself. */
FilesFailure files_change(FileStore *files, ShareName share, const char *path, int64_t bytes,
                          const char *properties, const char *metadata, const char *lease);
/* The same file, or directory with all in it, under another name. */
FilesFailure files_rename(FileStore *files, ShareName share, const char *from, const char *to,
                          bool replaces);
/* The contents and properties of a file, of this store, as another; metadata NULL: likewise. */
FilesFailure files_copy(FileStore *files, ShareName from_share, const char *from,
                        ShareName to_share, const char *to, const char *metadata);

/* The path as its parts were first written, where they are there. In `arena`. */
const char *files_path(FileStore *files, Arena *arena, ShareName share, const char *path);
/* Where an entry of clients' lies: its id goes with it when it is renamed, and into snapshots. */
FilesFailure files_find(FileStore *files, Arena *arena, ShareName share, int64_t id,
                        const char **path);

/* --- What the world has not been told: files written since --- */

typedef struct {
    ShareName share;
    const char *path;
} FilesUntold;
FilesFailure files_untold_add(FileStore *files, ShareName share, const char *path);
FilesFailure files_untold_remove(FileStore *files, ShareName share, const char *path);
/* All of them, by account, share and path; in `arena`. */
FilesUntold *files_untold(FileStore *files, Arena *arena, int32_t *count);

/* --- Contents --- */

/* What is written, cleared and told of is pages. */
enum { FILES_PAGE = 512 };

/* Writes [first, first + length), all of which lie in the file. `bytes` NULL clears it: frees the
 * pages that lie in it, and writes zeros before and behind them. */
FilesFailure files_write(FileStore *files, ShareName share, const char *path, int64_t first,
                         int64_t length, const char *bytes);
/* An open file whose bytes stay as they were when it was opened, whatever is written meanwhile. */
typedef struct FilesReader FilesReader;
FilesFailure files_open(FileStore *files, ShareName share, const char *path, FilesReader **reader,
                        int64_t *bytes);
/* The same with what files_look says of it, in one go. */
FilesFailure files_look_open(FileStore *files, Arena *arena, ShareName share, const char *path,
                             FilesEntry *entry, FilesReader **reader);
/* `length` bytes from `first` on, of those that there are; how many, or -1. */
int64_t files_read(FilesReader *reader, int64_t first, char *room, size_t length);
void files_reader_close(FilesReader *reader);
typedef struct {
    int64_t first, last; /* both included */
} FilesRange;
typedef enum {
    FILES_WRITTEN, /* since they were cleared, in part or whole */
    FILES_CLEARED  /* also those of which a part was written since */
} FilesPages;
/* Such pages as ranges, within [first, last] and the file. */
FilesFailure files_ranges(FileStore *files, Arena *arena, ShareName share, const char *path,
                          FilesPages which, int64_t first, int64_t last, FilesRange **ranges,
                          int32_t *count);

#endif
