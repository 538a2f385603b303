/* Files as wholes: read into an arena, written so that a reader meets the old content or the new,
 * never half of it. Paths in messages are as given. */
#ifndef SIM_CLI_FILES_H
#define SIM_CLI_FILES_H

#include <stdio.h>

#include "sim/base/status.h"
#include "sim/base/text.h"

/* Reads all of `path` into `arena`, with a NUL behind it that `*length` does not count. A missing
 * file is STATUS_NOT_FOUND, a folder or more than `bytes_max` bytes STATUS_BAD_INPUT, what the disk
 * refuses STATUS_MACHINE. An empty file is fine here. */
MUST_CHECK bool file_read(Arena *arena, const char *path, size_t bytes_max, char **data,
                          size_t *length, Status *status);

/* Writes `length` bytes to `path` at once. STATUS_MACHINE on failure; `path` is then as before. */
MUST_CHECK bool file_write(const char *path, const void *bytes, size_t length, Status *status);

/* The same piece by piece, for what is too large to hold: write to `stream`, then commit. Between
 * the two the bytes are in a temporary file beside `path`. What is no regular file, as /dev/stdout,
 * is written directly. */
typedef struct {
    FILE *stream;     /* its errors may be left for the commit to find */
    const char *path; /* borrowed */
    Text temporary;   /* empty when `path` is written directly */
} FileWriter;

MUST_CHECK bool file_writer_open(FileWriter *writer, const char *path, Status *status);
/* Flushes to disk and renames; on failure the temporary file is gone and `path` as before. */
MUST_CHECK bool file_writer_commit(FileWriter *writer, Status *status);
void file_writer_abandon(FileWriter *writer); /* instead of the commit */

/* Writes all `length` bytes to an open file at `position`, or where it stands, as to a pipe, for
 * FILE_GOES_ON. False with errno, after part of them perhaps; what takes nothing is full. */
#define FILE_GOES_ON (INT64_C(-1))
MUST_CHECK bool file_put(int descriptor, const void *bytes, size_t length, int64_t position);

/* After a file was written: its name is on disk too, so that it outlives a crash of the machine.
 * Fine where folders know no such thing. STATUS_MACHINE on failure. */
MUST_CHECK bool file_name_settle(const char *path, Status *status);

/* Makes folder `path` and those above it; fine if they exist. STATUS_MACHINE on failure,
 * STATUS_BAD_INPUT when a file stands in the way. */
MUST_CHECK bool folder_create(const char *path, Status *status);

/* A file as it stood once: whoever replaces it changes some of these. All 0: there was none. */
typedef struct {
    uint64_t device, number;
    int64_t bytes, modified_ns;
} FileVersion;

FileVersion file_version(const char *path);
bool file_version_is_same(FileVersion a, FileVersion b);

/* What a program replaces in a folder that it is given, and how it knows folders of its own. */
typedef struct {
    const char *maker;           /* who leaves such names, in a sentence: "run of trainyard" */
    const char *option;          /* that the folder is given with: "-o" */
    const char *mark;            /* a file that is in each folder of its own */
    const char *beginning;       /* of that file; "" where the name is enough */
    const char *const *replaced; /* names of files and folders; NULL behind the last */
} FolderMark;

/* Before anything in `folder` is changed: whether none of the names is in it, or its mark is there
 * too. Else they are somebody else's: STATUS_BAD_INPUT. Fine if there is no such folder. */
MUST_CHECK bool folder_is_ours(const char *folder, const FolderMark *mark, Status *status);

/* Makes a folder of its own, whose name begins with `prefix`, below that which TMPDIR names, else
 * /tmp: its path, in `arena`; NULL with STATUS_MACHINE. */
const char *folder_create_temporary(Arena *arena, const char *prefix, Status *status);

/* Adds the folder of this executable with its slash; nothing when the system does not say. */
void folder_of_program(Text *out);

/* Removes folder `path` with all that is in it, however deep, links themselves and not what they
 * point to; folders without permissions are opened first. Fine if there is none. STATUS_MACHINE
 * when something stays; all that could be removed is gone then. */
MUST_CHECK bool folder_remove(const char *path, Status *status);
/* The same of `name` in an open folder, whatever it is; false with errno. */
MUST_CHECK bool folder_remove_at(int folder, const char *name);

#endif
