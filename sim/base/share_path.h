/* Paths of files on a share, as clients and jobs write them. */
#ifndef SIM_BASE_SHARE_PATH_H
#define SIM_BASE_SHARE_PATH_H

#include <stdbool.h>

#include "sim/base/arena.h"

/* Whether a part of `path` is ".."; a part such as "a..b" does not count. */
bool share_path_leads_up(const char *path);

/* A share's file as a path below the share: without empty parts ("cifar//logs") and ".", as the
 * service did. NULL when it would lead out of the share (a part that is "..", or absolute), or to
 * the share itself. In `arena`. */
const char *share_path_below(const char *path, Arena *arena);

#endif
