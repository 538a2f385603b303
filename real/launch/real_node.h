/* The files of a real run: the shares, and the folder that represents the node of a job. */
#ifndef REAL_REAL_NODE_H
#define REAL_REAL_NODE_H

#include "real/launch/real_state.h"

/* Returns `path` with all links resolved, or unchanged if that fails; in the run's arena. */
const char *real_node_path(RealRun *run, const char *path);

/* Makes the folders above `path`. */
MUST_CHECK bool real_node_make_above(RealRun *run, const char *path, Status *status);

/* Fails if a share that an earlier run filled with files would be replaced by a folder of the
 * user. */
MUST_CHECK bool real_node_check_shares(RealRun *run, Status *status);

/* Makes a link to each folder of the user that is a share's contents. */
MUST_CHECK bool real_node_link_shares(RealRun *run, Status *status);

/* Writes all files that the ranks of a job find below `node`. */
MUST_CHECK bool real_node_prepare(RealRun *run, const Job *job, const char *node, Status *status);

/* Removes the checkpoints that the previous attempt wrote after the world had lost it: its ranks
 * ran longer than the world's attempt. */
MUST_CHECK bool real_node_remove_later_checkpoints(RealRun *run, const RealJob *real,
                                                   Status *status);

#endif
