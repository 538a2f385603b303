/* The end of a recorded training: rank 0 writes what all ranks have recorded.
 *
 * The rows travel by the same way as the gradients rather than by files. So one folder, rank 0's,
 * has all of it whether or not the ranks' machines share a file system, and rank 0 cannot meet a
 * file that is of an earlier training or that a file system does not show to it yet. */
#ifndef TRAINER_TIMELINE_GATHER_H
#define TRAINER_TIMELINE_GATHER_H

#include "trainer/comm/comm.h"
#include "trainer/record/timeline.h"

/* Collective: rank 0 writes timeline.rank<N>.tsv of all ranks to `folder`, which exists there, and,
 * with `chrome_path` not NULL, all of them as a Chrome trace to that path (logs/timeline.json). The
 * other ranks look at neither. `stages` is as timeline_chrome has it. Takes 48 bytes for each row
 * of all ranks on rank 0, and for the Chrome trace twice as much for those of one. A failure of
 * rank 0 alone (a full disk) is known to it alone.
 *
 * A rank that ends by itself, because another was lost, can still write its own rows:
 * timeline_write_folder with its timeline_view. */
MUST_CHECK bool timeline_gather(const Timeline *timeline, Comm *comm, const char *folder,
                                const char *chrome_path, TimelineStages stages, Status *status);

#endif
