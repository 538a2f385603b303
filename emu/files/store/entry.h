/* The store's description of a share, directory or file, and why it refuses an operation. */
#ifndef EMU_FILES_ENTRY_H
#define EMU_FILES_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* A share, a snapshot of it, or a container. */
typedef struct {
    const char *account;
    const char *share;
    const char *snapshot; /* "2018-06-15T21:57:57.0000000Z"; NULL: the share itself */
    bool is_container;    /* of the blob host */
} ShareName;

/* The share of a name in the world, "account/share" or that of a container
 * (sim/cloud/storage/share.h); account and share are NULL if the name has another form. In `arena`.
 */
ShareName share_name_read(Arena *arena, const char *name);
/* The name in the world. In `arena`. */
const char *share_name_text(Arena *arena, ShareName name);
/* The name in the store's rows of its account. In `arena`. */
const char *share_row_name(Arena *arena, ShareName name);
/* True if a row's name is that of a container: it has a colon, which no share's has. */
bool share_row_is_container(const char *row_name);

typedef enum { FILES_SHARE, FILES_DIRECTORY, FILES_FILE } FilesKind;

/* Microsoft, "Scalability and performance targets for Azure Files": the largest file. */
#define FILES_BYTES_MAX (INT64_C(4) << 40)

/* A share, directory or file; strings are in the caller's arena. Times are simulated. */
typedef struct {
    FilesKind kind;
    const char *name; /* the last part, as first written */
    int64_t id;
    int64_t parent_id;
    int64_t bytes;                                       /* of a file */
    uint64_t etag;                                       /* changes with every write */
    int64_t created_ticks, written_ticks, changed_ticks; /* changed_ticks changes with the ETag */
    const char *snapshot;                                /* of a snapshot: its time; "" */
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
    X(DAMAGED, "its contents on the disk differ from their checksum")                              \
    X(MACHINE, "the disk has failed")

typedef enum {
#define X(name, reason) FILES_##name,
    FILES_FAILURES(X)
#undef X
        FILES_FAILURE_COUNT
} FilesFailure;

/* As the end of a sentence: "cannot be taken: it does not exist". */
const char *files_failure_reason(FilesFailure failure);

/* The unit of ranges that are written, cleared and listed. */
enum { FILES_PAGE = 512 };

typedef struct {
    int64_t first, last; /* both included */
} FilesRange;
typedef enum {
    FILES_WRITTEN, /* written since they were cleared, at least in part */
    FILES_CLEARED  /* cleared, even if a part of them was written since */
} FilesPages;

#endif
