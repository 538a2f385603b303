/* Whole files: read into an arena, or written so that a reader finds either the old content or
 * the new one, never a part. Messages show paths as given. */
#ifndef SIM_CLI_FILES_H
#define SIM_CLI_FILES_H

#include <stdio.h>

#include "sim/base/status.h"
#include "sim/base/text.h"

/* Reads all of `path` into `arena`, followed by a NUL that `*length` does not count. A missing
 * file is STATUS_NOT_FOUND, a folder or more than `bytes_max` bytes STATUS_BAD_INPUT, a failure
 * of the disk STATUS_MACHINE. An empty file is valid. */
MUST_CHECK bool file_read(Arena *arena, const char *path, size_t bytes_max, char **data,
                          size_t *length, Status *status);

/* Writes `length` bytes to `path` in one step. On failure STATUS_MACHINE, and `path` is
 * unchanged. */
MUST_CHECK bool file_write(const char *path, const void *bytes, size_t length, Status *status);

/* The same in pieces, for content that is too large for memory: write to `stream`, then commit.
 * Until then the bytes are in a file without a name, which vanishes with the process, or on file
 * systems without such files (NFS) in PATH.PID.tmp. A path that is not a regular file, such as
 * /dev/stdout, is written directly. */
typedef struct {
    FILE *stream;     /* its errors may be left to the commit */
    const char *path; /* borrowed */
    Text temporary;   /* its name before the last step; empty when `path` is written directly */
    bool is_unnamed;  /* it has no name yet */
} FileWriter;

MUST_CHECK bool file_writer_open(FileWriter *writer, const char *path, Status *status);
/* Flushes to disk and renames. On failure the temporary file is removed and `path` is unchanged. */
MUST_CHECK bool file_writer_commit(FileWriter *writer, Status *status);
void file_writer_abandon(FileWriter *writer); /* instead of the commit */

/* Writes all `length` bytes to an open file at `position`; FILE_CURRENT_POSITION: at its current
 * position, as a pipe needs. On failure returns false with errno, and part of the bytes may have
 * been written; ENOSPC if the file takes no more bytes. */
#define FILE_CURRENT_POSITION (INT64_C(-1))
MUST_CHECK bool file_put(int descriptor, const void *bytes, size_t length, int64_t position);

/* After a file was written: syncs its folder, so that its name survives a crash of the machine.
 * Succeeds on file systems without that operation. STATUS_MACHINE on failure. */
MUST_CHECK bool file_name_settle(const char *path, Status *status);

/* After a system call about `path` has failed: STATUS_MACHINE with the words of errno. Returns
 * false. */
bool file_failed(const char *path, Status *status);

bool folder_exists(const char *path);
/* Makes folder `path` and those above it; succeeds if they exist. STATUS_MACHINE on failure,
 * STATUS_BAD_INPUT when a file is in the way. */
MUST_CHECK bool folder_create(const char *path, Status *status);

/* The lock of an open file or folder, which excludes other processes until it is closed. Over NFS
 * it may exclude only processes of this machine. */
typedef enum {
    FILE_LOCK_TAKEN,
    FILE_LOCK_BUSY,    /* another process has it */
    FILE_LOCK_MISSING, /* the file system has no locks */
    FILE_LOCK_FAILED,  /* see errno */
} FileLock;
FileLock file_lock(int descriptor);

/* The version of a file: replacing the file changes some of these members. All 0: there was no
 * file. */
typedef struct {
    uint64_t device, number;
    int64_t bytes, modified_ns;
} FileVersion;

FileVersion file_version(const char *path);
bool file_version_is_same(FileVersion a, FileVersion b);

/* The names that a program replaces in a folder chosen by the user, and how it recognises the
 * folders that it has made. */
typedef struct {
    const char *maker;  /* the program that leaves such names, in a sentence: "run of trainyard" */
    const char *option; /* the option that names the folder: "-o" */
    const char *mark;   /* a file that each folder of this program contains */
    const char *beginning;       /* of the mark; "" if its name is enough */
    const char *const *replaced; /* names of files and folders, ended by NULL */
} FolderMark;

/* Call it before changing `folder`. Succeeds if the folder contains the mark or none of the names,
 * and if there is no such folder. Otherwise the files belong to the user or to another program:
 * STATUS_BAD_INPUT. */
MUST_CHECK bool folder_is_ours(const char *folder, const FolderMark *mark, Status *status);

/* Makes a new folder, whose name begins with `prefix`, in the folder that TMPDIR names, or in
 * /tmp. Returns its path, in `arena`; NULL with STATUS_MACHINE. */
const char *folder_create_temporary(Arena *arena, const char *prefix, Status *status);

/* Adds the folder of this executable, ending with a slash; nothing if the system does not report
 * it. */
void folder_of_program(Text *out);

/* Removes folder `path` with its whole content. Removes a link itself, not its target. Permissions
 * of folders are changed where needed. Succeeds if there is no such folder. STATUS_MACHINE when an
 * entry could not be removed; all others have been removed. */
MUST_CHECK bool folder_remove(const char *path, Status *status);
/* The same for `name`, of any kind, in an open folder; false with errno. */
MUST_CHECK bool folder_remove_at(int folder, const char *name);

#endif
