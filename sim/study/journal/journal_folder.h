/* Names and contents of the files in DIR/journal. */
#ifndef SIM_STUDY_JOURNAL_JOURNAL_FOLDER_H
#define SIM_STUDY_JOURNAL_JOURNAL_FOLDER_H

#include "sim/base/status.h"

/* DIR/journal/S-R.log */
const char *journal_file_path(Arena *arena, const char *folder, int32_t shard, int32_t rank);

typedef struct {
    const char **paths; /* ordered by shard and rank */
    uint32_t count;
} JournalFiles;

/* Lists the files S-R.log of DIR/journal; others are ignored. A missing folder has none. */
MUST_CHECK bool journal_files_list(Arena *arena, const char *folder, JournalFiles *files,
                                   Status *status);

/* Reads an open file from its begin to the end that it has now. The text is in `arena`. */
MUST_CHECK bool journal_file_read(Arena *arena, int descriptor, const char *path, const char **text,
                                  size_t *length, Status *status);

#endif
