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

#include "emu/files/store/entry.h"
#include "emu/files/store/reader.h"
#include "emu/state/store.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

typedef struct FileStore FileStore;

/* Its tables lie in the store's database, contents in the store's folder. Listens to the session's
 * world by file_store_listener and file_store_watch. */
FileStore *file_store_open(Arena *arena, Store *store, Status *status);
void file_store_close(FileStore *files);
TraceListener file_store_listener(FileStore *files);
void file_store_watch(FileStore *files, const World *world);
/* Instant of what is written next, and its ETags: simulated time. */
void file_store_at(FileStore *files, int64_t unix_ms, int64_t now_ns);

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

/* --- Contents --- */

/* Writes [first, first + length), all of which lie in the file. `bytes` NULL clears it: frees the
 * pages that lie in it, and writes zeros before and behind them. */
FilesFailure files_write(FileStore *files, ShareName share, const char *path, int64_t first,
                         int64_t length, const char *bytes);
FilesFailure files_open(FileStore *files, ShareName share, const char *path, FilesReader **reader,
                        int64_t *bytes);
/* The same with what files_look says of it, in one go. */
FilesFailure files_look_open(FileStore *files, Arena *arena, ShareName share, const char *path,
                             FilesEntry *entry, FilesReader **reader);
/* Such pages as ranges, within [first, last] and the file. */
FilesFailure files_ranges(FileStore *files, Arena *arena, ShareName share, const char *path,
                          FilesPages which, int64_t first, int64_t last, FilesRange **ranges,
                          int32_t *count);

#endif
