/* Paths of files on a share, as clients and jobs write them. */
#ifndef SIM_BASE_SHARE_PATH_H
#define SIM_BASE_SHARE_PATH_H

#include <stdbool.h>

#include "sim/base/arena.h"

/* Whether a part of `path` is ".."; a part such as "a..b" does not count. */
bool share_path_leads_up(const char *path);

/* `path` without empty parts ("cifar//logs") and "." parts, as the service read paths on a share.
 * NULL when the path is absolute, has a ".." part, or leads to the share itself. In `arena`. */
const char *share_path_below(const char *path, Arena *arena);

#endif
