/* Runs a world whose jobs of real execution run on this machine.
 *
 * The world runs until the program of such a job begins. Simulated time then stops while the
 * trainer runs instead of the program (real/launch/hand_off.h). The results are reported to the
 * world (job.ran, job.reached), and the world continues. So jobs that overlap in simulated time run
 * one after the other, each alone on the machine.
 *
 * The shares are the directories {folder}/share/{account}/{share}. A node has links to the shares
 * that it mounts, so that files that the ranks write are on the share at once. All files of the
 * shares are written there before the ranks start.
 *
 * A command that waits for a step of such a job ("after": "job NAME step 250") happens when the
 * ranks have reached that step. Some commands end the attempt at once: node.crash and
 * node.reboot of a node of the job, job.exit, job.terminate. Then a rank is really killed at that
 * step, so the ranks really lose their work and resume from a checkpoint. node.preempt of a node of
 * a job that saves on notice gives the ranks notice at that step: they write a checkpoint,
 * continue, and one is killed when the time of the notice is over. Commands that wait for an
 * earlier step of that attempt happen at the same moment, because the time of that step is not
 * known. If the world loses an attempt in another way (by a fault at a given time, or by chance),
 * its ranks have already run to their end. The checkpoints that they wrote after the loss are then
 * removed before the next attempt. */
#ifndef REAL_REAL_RUN_H
#define REAL_REAL_RUN_H

#include "real/launch/hand_off.h"
#include "sim/json/json.h"
#include "sim/output/share/share_tree.h"
#include "sim/scenario/read.h"

/* A share whose contents are in a folder of the user. */
typedef struct {
    const char *name;   /* "account/share" */
    const char *folder; /* exists */
} RealShare;

typedef struct {
    const char *folder; /* of the run's files; exists */
    HandOffBackend backend;
    const char *data_folder; /* or NULL */
    bool is_quiet;           /* prints nothing about the jobs that run */
    char *const *arguments;  /* HandOffSettings.arguments */
    bool keeps_shares;       /* keeps the files on the run's shares, to continue an earlier run */
    int32_t share_count;
    const RealShare *shares; /* all other shares are folders of the run */
} RealRunSettings;

typedef struct {
    Json *ran;  /* the commands that were applied: a session that replays the run */
    int signal; /* the signal that ended the run; 0: no signal */
} RealRunResult;

/* Runs the world to the point at which world_run would end. `reader` belongs to the scenario's
 * file; `tree` listens to the world. STATUS_MACHINE: ranks cannot be started. STATUS_BAD_INPUT:
 * there is no data, or a share that is a folder in the run to be continued now has contents in a
 * folder of the user. A signal to this process ends the ranks; each job that would begin after it
 * is terminated. */
MUST_CHECK bool real_run(Arena *arena, const RealRunSettings *settings, World *world,
                         CommandReader *reader, const ShareTree *tree, RealRunResult *result,
                         Status *status);
/* Replays such a run from the scenario's session in `ran_path`; no rank runs. STATUS_BAD_INPUT: the
 * session has no entry for an attempt of a job. */
MUST_CHECK bool real_run_replay(Arena *arena, const char *ran_path, World *world, Status *status);

#endif
