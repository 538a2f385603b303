/* Creates, changes, lists and deletes shares of the file store and their snapshots. */
#ifndef EMU_FILES_SHARES_H
#define EMU_FILES_SHARES_H

#include "emu/files/store/file_store.h"
#include "emu/files/store/ticks.h"

/* The quota of a share for which no client states one. Source: Microsoft, "Azure Files scalability
 * and performance targets". */
enum { SHARE_QUOTA_GIB = 5120 };

FilesFailure files_share_create(FileStore *files, ShareName name, int64_t quota_gib,
                                const char *metadata);
FilesFailure files_share_delete(FileStore *files, ShareName name, bool with_snapshots);
/* Deletes all shares of an account. */
FilesFailure files_account_delete(FileStore *files, const char *account);
/* Makes a snapshot; `snapshot` gets its time, which is unique for the share. */
FilesFailure files_share_snapshot(FileStore *files, ShareName name, const char *metadata,
                                  char snapshot[TICKS_TEXT]);
FilesFailure files_share_change(FileStore *files, ShareName name,
                                int64_t quota_gib /* -1: unchanged */,
                                const char *metadata /* NULL: unchanged */);
/* Changes properties that a share stores for its entries, without a new ETag or time of change. */
FilesFailure files_share_keep(FileStore *files, ShareName name, const char *properties);
/* At most `max` shares of an account that begin with `prefix`, ordered by name, after `marker` ("":
 * from the first). `*more`: there are more. With snapshots each share follows its snapshots, the
 * newest first; the marker of a snapshot is "share/SNAPSHOT". */
FilesEntry *files_shares(FileStore *files, Arena *arena, const char *account, const char *prefix,
                         const char *marker, int32_t max, bool with_snapshots, int32_t *count,
                         bool *more);
/* The bytes of a share, approximately: a job's file that a client has changed counts twice, and a
 * log with its size at the last access. */
int64_t files_share_bytes(FileStore *files, ShareName name);

#endif
