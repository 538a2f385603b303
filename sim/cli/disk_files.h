/* Files on this machine's disk as a FileSource; at most 1 GiB each. */
#ifndef SIM_CLI_DISK_FILES_H
#define SIM_CLI_DISK_FILES_H

#include "sim/base/file_source.h"

extern const FileSource disk_files;

/* A file whose contents are in memory. */
typedef struct {
    const char *path;
    const char *text;
    size_t length;
} KnownFile;

/* disk_files, but with the contents of `known` at its path. `known` is borrowed. */
FileSource disk_files_with(const KnownFile *known);

/* The files of a command that reads its operand `path` more than once: disk_files, and if `path` is
 * a pipe, its contents, which are read now. */
FileSource operand_files(Arena *arena, const char *path);

/* See FileSource.nearest. Leaves out hidden files. */
const char *file_nearest(Arena *arena, const char *path);

/* The file that `path` stands for on a command line that wants one: for a folder its study.json, if
 * `may_be_study` and it has one, or else its scenario.json; otherwise `path` itself. */
const char *scenario_operand(Arena *arena, const char *path, bool may_be_study);

#endif
