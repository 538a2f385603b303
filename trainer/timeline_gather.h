/* The end of a recorded training: rank 0 writes what all ranks have recorded.
 *
 * The rows travel by the same way as the gradients rather than by files. So one folder, rank 0's,
 * has all of it whether or not the ranks' machines share a file system, and rank 0 cannot meet a
 * file that is of an earlier training or that a file system does not show to it yet. */
#ifndef TRAINER_TIMELINE_GATHER_H
#define TRAINER_TIMELINE_GATHER_H

#include "trainer/comm.h"
#include "trainer/timeline.h"

/* Collective: rank 0 writes timeline.rank<N>.tsv of all ranks and timeline.json to `folder`, which
 * exists there; the other ranks need no folder. Takes 40 bytes for each row of all ranks on rank 0.
 * After a failure that the other ranks do not know of (a full disk) only rank 0 returns false.
 *
 * A rank that ends alone, because another was lost, writes its own rows by timeline_write. */
MUST_CHECK bool timeline_gather(const Timeline *timeline, Comm *comm, const char *folder,
                                Status *status);

#endif
