/* Files on this machine's disk as a FileSource; at most 1 GiB each. */
#ifndef SIM_CLI_DISK_FILES_H
#define SIM_CLI_DISK_FILES_H

#include "sim/base/file_source.h"

extern const FileSource disk_files;

/* See FileSource.nearest. Leaves out hidden files. */
const char *file_nearest(Arena *arena, const char *path);

/* The file that `path` stands for on a command line that wants one: for a folder its study.json, if
 * `may_be_study` and it has one, or else its scenario.json; otherwise `path` itself. */
const char *scenario_operand(Arena *arena, const char *path, bool may_be_study);

#endif
