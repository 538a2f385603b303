/* A world whose jobs of real execution run on this machine, offline: the world runs until the
 * program of such a job begins; then the trainer does what the program stands for
 * (real/launch/hand_off.h) while simulated time stands; what it took is told to the world (job.ran,
 * job.reached), which goes on. Jobs that overlap in simulated time thus run one after the other,
 * each alone on the machine.
 *
 * The shares are the directories {folder}/share/{account}/{share}, and nodes have links to them
 * where they are mounted: what the ranks write is on the share at once. Before they begin,
 * everything that is on the shares is laid there.
 *
 * A command that waits for a step of such a job ("after": "job NAME step 250") happens when the
 * ranks have come to that step. Where it ends the attempt at once (node.crash and node.reboot of a
 * node of the job, job.exit, job.terminate), a rank is killed there, in truth: what is lost and
 * gone on from is what the ranks have really lost. What waits for an earlier step then happens at
 * that moment, too, as nobody knows when the ranks came to it. When the world loses an attempt
 * otherwise (by a fault at a time, or by chance) the ranks have run to their end already, and the
 * checkpoints from after the loss are removed before the next attempt. */
#ifndef REAL_REAL_RUN_H
#define REAL_REAL_RUN_H

#include "real/launch/hand_off.h"
#include "sim/json/json.h"
#include "sim/output/share/share_tree.h"
#include "sim/scenario/read.h"

/* A share whose contents are somebody's, beside the run's. */
typedef struct {
    const char *name;   /* "account/share" */
    const char *folder; /* exists */
} RealShare;

typedef struct {
    const char *folder; /* of the run's files; exists */
    HandOffBackend backend;
    const char *data_folder; /* or NULL */
    bool is_quiet;           /* no word about what runs */
    char *const *arguments;  /* as HandOffSettings has them */
    bool keeps_shares;       /* what is on the run's shares stays there: it goes on */
    int32_t share_count;
    const RealShare *shares; /* the other shares are folders of the run */
} RealRunSettings;

typedef struct {
    Json *ran;  /* what the world was told: the commands of a session, which replays the run */
    int signal; /* that ended it; 0 */
} RealRunResult;

/* Whether a job of the scenario's commands is to be handed off: nothing ends it otherwise. */
bool real_run_is_needed(const Scenario *scenario);
/* Says what is wrong with real jobs before anything runs (STATUS_BAD_INPUT): that nothing ends one
 * of them, as it cannot be handed off, here or at all; that one is told to have come to an epoch
 * which it does not have. */
void real_run_check(const Scenario *scenario, bool hands_off, Problems *problems);

/* Warns of each job that ran as something else than it is in the scenario, and where none ran. The
 * file's session is of --ran. */
void real_run_compare(Arena *arena, const ScenarioFile *file, Problems *warnings);

/* Runs the world to where world_run ends it. `reader` is of the scenario's file; `tree` hears the
 * world. STATUS_MACHINE where ranks cannot be started; STATUS_BAD_INPUT where there is no data, or
 * a share was a folder of the run that this one goes on with and is somebody's now. A signal to
 * this process ends the ranks, and then each job that would begin is terminated. */
MUST_CHECK bool real_run(Arena *arena, const RealRunSettings *settings, World *world,
                         CommandReader *reader, const ShareTree *tree, RealRunResult *result,
                         Status *status);
/* The same with what `ran_path`, the scenario's session, tells: nothing runs. STATUS_BAD_INPUT for
 * an attempt of a job of which it does not tell. */
MUST_CHECK bool real_run_replay(Arena *arena, const char *ran_path, World *world, Status *status);

#endif
