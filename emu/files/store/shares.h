/* Shares of the file store: making, changing, listing and deleting them, and their snapshots. */
#ifndef EMU_FILES_SHARES_H
#define EMU_FILES_SHARES_H

#include "emu/files/store/file_store.h"
#include "emu/files/store/ticks.h"

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

#endif
