/* Rows of shares: finding, changing and measuring them. */
#ifndef EMU_FILES_SHARE_ROW_H
#define EMU_FILES_SHARE_ROW_H

#include "emu/files/store/operation.h"

ShareRow share_row(sqlite3_stmt *row, Arena *arena);
ShareRow share_row_new(FileStore *files, const char *share, int64_t quota_gib,
                       const char *metadata);
void share_put(FileStore *files, const char *account, const ShareRow *row);
/* Finds the row, even of a share that is marked as deleted. */
bool share_row_find(FileStore *files, Arena *arena, ShareName name, ShareRow *row);
FilesFailure share_find(FileStore *files, Arena *arena, ShareName name, ShareRow *row);
/* Makes the rows of an account's shares that the scenario created and no client has accessed yet.
 */
void shares_adopt(FileStore *files, Arena *arena, const char *account);
FilesEntry share_entry(const ShareRow *row, Arena *arena);
/* NULL or -1: unchanged. */
FilesFailure share_change(FileStore *files, Arena *arena, ShareName name, int64_t quota_gib,
                          const char *properties, const char *metadata, const char *lease);
/* The bytes of all files on the share, approximately. */
int64_t share_bytes(FileStore *files, Arena *arena, ShareName name, const ShareRow *row);
/* Whether the share has room for `more` bytes. */
FilesFailure share_takes(FileStore *files, Arena *arena, ShareName name, int64_t more);
Directory share_root(const FileStore *files, Arena *arena, ShareName name, const ShareRow *row);

#endif
