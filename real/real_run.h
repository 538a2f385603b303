/* A world whose jobs of real execution run on this machine, offline: the world runs until the
 * program of such a job begins; then the trainer does what the program stands for (real/hand_off.h)
 * while simulated time stands; what it took is told to the world (job.ran, job.reached), which goes
 * on. Jobs that overlap in simulated time thus run one after the other, each alone on the machine.
 *
 * The shares are the directories {folder}/share/{account}/{share}, and nodes have links to them
 * where they are mounted: what the ranks write is on the share at once. Before they begin,
 * everything that is on the shares is laid there.
 *
 * A command that waits for a step of such a job ("after": "job NAME step 250") happens when the
 * ranks have come to that step. Where it is a fault that ends the attempt at once (node.crash,
 * node.reboot, group.crash, region.outage, job.exit, job.terminate), a rank is killed there, in
 * truth: what is lost and gone on from is what the ranks have really lost. When the world loses an
 * attempt otherwise (a fault at a time, or by chance), after the ranks have run to their end, the
 * checkpoints from after that are removed before the next attempt. */
#ifndef REAL_REAL_RUN_H
#define REAL_REAL_RUN_H

#include "real/hand_off.h"
#include "sim/json/json.h"
#include "sim/output/share_tree.h"

typedef struct {
    const char *folder;      /* of the run's files, absolute; exists */
    HandOffBackend backend;
    const char *data_folder; /* or NULL */
    bool is_quiet;           /* no word about what runs */
} RealRunSettings;

typedef struct {
    Json *ran;  /* what the world was told: the commands of a session, which replays the run */
    int signal; /* that ended it; 0 */
} RealRunResult;

/* Says what is wrong with real jobs before anything runs: a job that can neither be handed off nor
 * is told of (STATUS_BAD_INPUT). `runs` where they can be handed off. */
void real_run_check(const Scenario *scenario, bool runs, Problems *problems);
/* Whether there is any job to hand off. */
bool real_run_is_needed(const Scenario *scenario);

/* Runs the world to its end. STATUS_MACHINE where ranks cannot be started, STATUS_BAD_INPUT where
 * there is no data. A signal to this process ends the ranks, and then each job that would begin is
 * terminated. */
MUST_CHECK bool real_run(Arena *arena, const RealRunSettings *settings, World *world,
                         const ShareTree *tree, RealRunResult *result, Status *status);

#endif
