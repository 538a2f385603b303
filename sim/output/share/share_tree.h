/* The files on all shares of a world, written to a folder: uploaded files, and the files of jobs
 * and set-up tasks.
 *
 * The tree listens to the trace (TRACE_FILE_WRITTEN: uploads, checkpoints, saved models) and asks
 * jobs and set-up tasks for their logs, which are not recorded because they are functions of the
 * world (log_folder.h). Contents are made when they are written out:
 *
 *     uploaded, with a file on this machine     a copy of that file
 *     model or checkpoint of a Keras network    keras_model.h
 *     whose layers are known
 *     written by simple commands                what they wrote
 *     output of simple commands into a file     only that output
 *     any other file                            a line that says so, then zeros up to its size,
 *                                               left as a hole in the file
 *
 * A file that is written again replaces the file before, as on the share. Deleted files, and
 * files on shares that were deleted, are not written. */
#ifndef SIM_OUTPUT_SHARE_TREE_H
#define SIM_OUTPUT_SHARE_TREE_H

#include "sim/base/status.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

typedef struct ShareTree ShareTree;

/* Lives as long as `arena`. */
ShareTree *share_tree_create(Arena *arena);
TraceListener share_tree_listener(ShareTree *tree); /* to join the run's trace_fan */

/* Writes every file at world_now_ns(world) to {folder}/share/{account}/{share}/{path}, with its
 * simulated time of modification. Every share gets a folder, even an empty one. `world` is the
 * source of the rows. Each file is written next to its final path and then moved, so that it is
 * complete or absent. Other files in the folder stay, including the output of commands of real
 * execution. Stops at the first problem: STATUS_BAD_INPUT for a path that leads out of its share
 * ("..", or absolute), STATUS_MACHINE for errors of disks and missing local files. */
MUST_CHECK bool share_tree_write(const ShareTree *tree, const World *world, const char *folder,
                                 Status *status);

#endif
