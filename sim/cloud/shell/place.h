/* Private to sim/cloud/shell: places of files on a share or on the disk of the node. */
#ifndef SIM_CLOUD_SHELL_PLACE_H
#define SIM_CLOUD_SHELL_PLACE_H

#include "sim/cloud/shell/pieces.h"

typedef struct {
    uint32_t volume;
    const char *path; /* in the volume, normalised; "" is its root */
    bool is_share;
    bool is_null; /* /dev/null */
} ShellPlace;

ShellPlace shell_place(ShellRun *run, const char *path);
/* The absolute path, without ".", ".." and a slash at its end; "" is the root. */
const char *shell_absolute(ShellRun *run, const char *path);
bool shell_is_directory(const ShellRun *run, ShellPlace place);
uint32_t shell_find(const ShellRun *run, ShellPlace place); /* FILE_NONE: no such file */
/* Why no file can be written there ("No such file or directory"); NULL: it can. */
const char *shell_cannot_write(const ShellRun *run, ShellPlace place);
void shell_write(ShellRun *run, ShellPlace place, const PartList *contents);
/* Removes an existing file; does nothing to /dev/null. */
void shell_remove(ShellRun *run, ShellPlace place);

#endif
