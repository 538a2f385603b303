/* The shares, directories and files of Azure Files: those of clients on top of those that jobs of
 * the world wrote.
 *
 * Entries of clients are in the store's tables. The contents of each file are in a blob on disk, to
 * which ranges are only ever appended: a write that a crash interrupts leaves no trace. They have
 * checksums, and what differs from its checksum is never returned: FILES_DAMAGED. Entries of
 * jobs (logs that grow with simulated time, checkpoints, models) are a function of the world and
 * are stored nowhere. A client that changes such a file gets a copy of it; a client that deletes it
 * leaves a mark.
 *
 * Names keep their letters and are compared without case. Paths are decoded, "a/b/c.txt", without
 * slashes at the ends; "" is the share's root. The store knows no HTTP. */
#ifndef EMU_FILE_STORE_H
#define EMU_FILE_STORE_H

#include "emu/files/store/entry.h"
#include "emu/files/store/reader.h"
#include "emu/state/store.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

typedef struct FileStore FileStore;

/* Its tables are in the store's database, its contents in the state folder. It follows the
 * session's world by file_store_listener and file_store_watch. */
FileStore *file_store_open(Arena *arena, Store *store, Status *status);
void file_store_close(FileStore *files);
/* As session_detach and session_attach (emu/session/session.h): forgets what belongs to this
 * process, without closing it, and opens it again. */
void file_store_detach(FileStore *files);
MUST_CHECK bool file_store_attach(FileStore *files, Store *store, Status *status);
TraceListener file_store_listener(FileStore *files);
void file_store_watch(FileStore *files, const World *world);
/* Takes over what the world has reported, so that nothing of it is kept twice. */
void file_store_catch_up(FileStore *files);
void file_store_report_damage(FileStore *files, DamageListener listener);
/* Sets the simulated time of the next writes and their ETags. */
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
/* An operation that would make a share larger than its quota fails: FILES_SHARE_FULL. Files count
 * with their sizes, sparse or not. */

/* Creates a file of `bytes` zeros. It replaces an existing file and keeps that file's lease. */
FilesFailure files_file_create(FileStore *files, ShareName share, const char *path, int64_t bytes,
                               const char *properties, const char *metadata);
FilesFailure files_file_delete(FileStore *files, ShareName share, const char *path);
/* Changes properties, metadata and lease, JSON objects in text; NULL: unchanged. `bytes` -1:
 * unchanged; else the file is cut or extended by zeros. A new lease alone leaves the ETag
 * unchanged. `path` "": the share itself. */
FilesFailure files_change(FileStore *files, ShareName share, const char *path, int64_t bytes,
                          const char *properties, const char *metadata, const char *lease);
/* Renames a file, or a directory with everything in it. */
FilesFailure files_rename(FileStore *files, ShareName share, const char *from, const char *to,
                          bool replaces);
/* Copies the contents and properties of a file; metadata NULL: also its metadata. */
FilesFailure files_copy(FileStore *files, ShareName from_share, const char *from,
                        ShareName to_share, const char *to, const char *metadata);

/* The path in the letters in which its existing parts were first written; in `arena`. */
const char *files_path(FileStore *files, Arena *arena, ShareName share, const char *path);
/* The path of a client's entry: the id stays the same when the entry is renamed, and in snapshots.
 */
FilesFailure files_find(FileStore *files, Arena *arena, ShareName share, int64_t id,
                        const char **path);

/* --- Contents --- */

/* Writes [first, first + length), which must be in the file. `bytes` NULL clears the range: it
 * frees whole pages and writes zeros to the rest. */
FilesFailure files_write(FileStore *files, ShareName share, const char *path, int64_t first,
                         int64_t length, const char *bytes);
FilesFailure files_open(FileStore *files, ShareName share, const char *path, FilesReader **reader,
                        int64_t *bytes);
/* Opens a file and returns its entry, in one operation. */
FilesFailure files_look_open(FileStore *files, Arena *arena, ShareName share, const char *path,
                             FilesEntry *entry, FilesReader **reader);
/* The written or cleared pages as ranges, in [first, last] and the file. */
FilesFailure files_ranges(FileStore *files, Arena *arena, ShareName share, const char *path,
                          FilesPages which, int64_t first, int64_t last, FilesRange **ranges,
                          int32_t *count);

#endif
