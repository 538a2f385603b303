/* The end of a recorded training: rank 0 writes what all ranks have recorded.
 *
 * Ranks send their rows to rank 0 as messages, not as files. Rank 0's folder therefore has all
 * files even if the machines do not share a file system. Rank 0 also cannot read a file of an
 * earlier training, or miss one that a file system does not show yet. */
#ifndef TRAINER_TIMELINE_GATHER_H
#define TRAINER_TIMELINE_GATHER_H

#include "trainer/comm/comm.h"
#include "trainer/record/timeline.h"

/* Collective: rank 0 writes timeline.rank<N>.tsv of all ranks to `folder`, which exists there. If
 * `chrome_path` is not NULL, it also writes all of them as a Chrome trace to that path
 * (logs/timeline.json). The other ranks ignore both paths. `stages` is that of timeline_chrome.
 * Rank 0 needs 48 bytes for each row of all ranks, and for the Chrome trace twice as much for the
 * rows of one rank. A failure of rank 0 (a full disk) is known only there.
 *
 * A rank that ends because another rank was lost can still write its rows: timeline_write_folder
 * with its timeline_view. */
MUST_CHECK bool timeline_gather(const Timeline *timeline, Comm *comm, const char *folder,
                                const char *chrome_path, TimelineStages stages, Status *status);

#endif
