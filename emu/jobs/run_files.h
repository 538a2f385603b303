/* The files of a command that runs for real: a directory that represents the node's "/". The
 * contents of the mounted shares are copied out into it as files, and the command's changes are
 * copied back into the shares.
 *
 * A file is copied back when its size, times or inode have changed since it was last copied. A file
 * that has grown is appended to, so that readers see it grow, and is copied as a whole once more at
 * the end. Deletions are copied too. Only plain files and directories are copied: links, pipes and
 * devices are left out, and no path is followed through a link, at any time.
 *
 * A share is copied out once: the command does not see later changes by other clients. If two
 * commands write one file, the last one that is copied back wins. */
#ifndef EMU_RUN_FILES_H
#define EMU_RUN_FILES_H

#include "emu/files/store/file_store.h"
#include "sim/cloud/spec/script.h"

typedef struct RunFiles RunFiles;

/* The node's files are in `folder`, which exists; files of another run below the mounts are
 * removed. Mounts and names are borrowed. NULL with the reason. */
RunFiles *run_files_open(FileStore *store, const char *folder, const ShellMount *mounts,
                         int32_t mount_count, Status *status);
void run_files_close(RunFiles *files); /* keeps the files in the folder; NULL is fine */

/* Paths of the node are absolute: "/mnt/batch/...". */
MUST_CHECK bool run_files_make_folder(RunFiles *files, const char *path, Status *status);
/* Makes an empty file to write to. Returns a descriptor; -1 with the reason. */
int run_files_create(RunFiles *files, const char *path, Status *status);

typedef enum { RUN_FILES_DONE, RUN_FILES_MORE, RUN_FILES_FAILED } RunFilesStep;

/* Copies some more of the mounts out. */
RunFilesStep run_files_lay(RunFiles *files, Status *status);
/* Searches for changes, or continues to copy back the changes found. The `last` time files that
 * have grown are copied as a whole. */
RunFilesStep run_files_take(RunFiles *files, bool last, Status *status);
/* Bytes that the command has written on shares and elsewhere, as of the last search. A file or
 * directory counts for at least 4 KiB, so that many empty ones count too. */
int64_t run_files_bytes(const RunFiles *files);
/* Files and directories, as of the last search. */
int64_t run_files_count(const RunFiles *files);
/* Returns which entries could not be copied back and why, in a few words, in `arena`; NULL if all
 * were. */
const char *run_files_left_out(const RunFiles *files, Arena *arena);

#endif
