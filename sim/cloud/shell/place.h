/* Private to sim/cloud/shell: where a path leads, on a share or on the disk of the node. */
#ifndef SIM_CLOUD_SHELL_PLACE_H
#define SIM_CLOUD_SHELL_PLACE_H

#include "sim/cloud/shell/pieces.h"

typedef struct {
    uint32_t volume;
    const char *path; /* in the volume, tidy; "" is its root */
    bool is_share;
    bool is_null; /* /dev/null */
} ShellPlace;

ShellPlace shell_place(ShellRun *run, const char *path);
/* Without "." and "..", and without a slash at its end: "" is the root. */
const char *shell_absolute(ShellRun *run, const char *path);
bool shell_is_directory(const ShellRun *run, ShellPlace place);
uint32_t shell_find(const ShellRun *run, ShellPlace place); /* FILE_NONE: no such file */
/* NULL when a file can be made there, else why not: "No such file or directory". */
const char *shell_cannot_write(const ShellRun *run, ShellPlace place);
void shell_write(ShellRun *run, ShellPlace place, const PartList *contents);
/* Takes away a file that is there; /dev/null stays. */
void shell_remove(ShellRun *run, ShellPlace place);

#endif
