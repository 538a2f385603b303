/* What a command that runs for real sees of its node: a directory that stands for the node's "/",
 * with the contents of the mounted shares laid out in it as files, and what it writes there taken
 * back into the shares.
 *
 * A file is taken back when its size, times or number have changed since it was laid out or taken;
 * one that has grown is added to, so that readers see it grow, and taken as a whole once more at
 * the end. What is deleted is deleted. Only plain files and directories count: links, pipes and
 * devices are left out, and no path is followed through a link, whoever put it there and when.
 *
 * A share is laid out once: what others write to it afterwards the command does not see, and of two
 * that write one file the one taken back last wins. */
#ifndef EMU_RUN_FILES_H
#define EMU_RUN_FILES_H

#include "emu/files/store/file_store.h"
#include "sim/cloud/spec/script.h"

typedef struct RunFiles RunFiles;

/* The node's files are in `folder`, which is there; what another run left below the mounts goes.
 * Mounts and names are borrowed. NULL with the reason. */
RunFiles *run_files_open(FileStore *store, const char *folder, const ShellMount *mounts,
                         int32_t mount_count, Status *status);
void run_files_close(RunFiles *files); /* leaves what lies in the folder; NULL is fine */

/* Paths of the node are absolute: "/mnt/batch/...". */
MUST_CHECK bool run_files_make_folder(RunFiles *files, const char *path, Status *status);
/* An empty file to write to: a descriptor; -1 with the reason. */
int run_files_create(RunFiles *files, const char *path, Status *status);

typedef enum { RUN_FILES_DONE, RUN_FILES_MORE, RUN_FILES_FAILED } RunFilesStep;

/* Lays out some more of the mounts. */
RunFilesStep run_files_lay(RunFiles *files, Status *status);
/* Looks for what has changed, or goes on taking what was found; the `last` time whatever was added
 * to is taken as a whole. */
RunFilesStep run_files_take(RunFiles *files, bool last, Status *status);
/* All that the command has written, as of the last look, on shares and elsewhere; a file or
 * directory counts for 4 KiB at least, so that many empty ones are not for nothing. */
int64_t run_files_bytes(const RunFiles *files);
/* Files and directories, as of the last look. */
int64_t run_files_count(const RunFiles *files);
/* What could not be taken back and why, in a few words, in `arena`; NULL: nothing. */
const char *run_files_left_out(const RunFiles *files, Arena *arena);

#endif
