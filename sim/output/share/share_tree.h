/* The files on all shares of a world, written to a folder: what was uploaded, and what jobs and
 * set-up tasks left.
 *
 * The tree listens to the trace (TRACE_FILE_WRITTEN: uploads, checkpoints, saved models) and asks
 * jobs and set-up tasks for their logs, which are never recorded because they are functions of the
 * world (sim/output/share/log_folder.h). Contents are made when they are written out:
 *
 *     uploaded, with a file on this machine     a copy of that file
 *     model or checkpoint of a Keras network    sim/output/share/keras_model.h
 *     whose layers are known
 *     what simple commands wrote                what they wrote
 *     printed into it by simple commands        just that
 *     anything else                             a line that says so, then zeros up to its size,
 *                                               left as a hole in the file
 *
 * A file written again replaces the one before, as on the share; one that was deleted, or that was
 * on a share when it was deleted, is gone. */
#ifndef SIM_OUTPUT_SHARE_TREE_H
#define SIM_OUTPUT_SHARE_TREE_H

#include "sim/base/status.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

typedef struct ShareTree ShareTree;

/* Lives as long as `arena`. */
ShareTree *share_tree_create(Arena *arena);
TraceListener share_tree_listener(ShareTree *tree); /* to join the run's trace_fan */

/* Writes every file as of world_now_ns(world) to {folder}/share/{account}/{share}/{path}, with its
 * simulated time of modification; every share has its folder, even an empty one. `world` is the one
 * whose records were heard. Each file is written beside its place and then moved there, so that it
 * is whole or not there at all; what else lies in the folder stays, and so do what commands of real
 * execution have printed there. Stops at the first problem:
 * STATUS_BAD_INPUT for a path that leads out of its share ("..", or absolute), STATUS_MACHINE for
 * disks and missing local files. */
MUST_CHECK bool share_tree_write(const ShareTree *tree, const World *world, const char *folder,
                                 Status *status);

#endif
