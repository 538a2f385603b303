/* Hands a job to the trainer: turns a job of the world into ranks on this machine.
 *
 * A job of real execution whose program is a training (Program.training) is run by our own trainer
 * instead of its script. The trainer uses the modelled program's network, batch, epochs, steps and
 * ranks, and the paths of the service. One folder represents the "/" of the first node; its mounts
 * are directories in that folder, or links to directories. The ranks read their data there and
 * write their checkpoints, logs and model there. Their output goes to the service's stdout.txt. All
 * ranks run on this machine and use the first node's folder, whichever nodes they have in the
 * world. Their options name mounted folders by their real paths, because the trainer prints these
 * paths and the node's folder is removed after the run.
 *
 *     data           --data of the caller; otherwise the program's data place. If an epoch of the
 *                    program covers its whole data set, it covers all images that are found.
 *     checkpoints    the folder of the program's checkpoints; it also receives history.tsv, events
 *                    for TensorBoard and, until hand_off_keep moves them, the timelines
 *     model          the folder of the program's saved model
 *
 * The files have the trainer's names, checkpoint-{epoch}.h5 and keras_cifar10_trained_model.h5. A
 * new attempt of a program that resumes continues from the latest checkpoint in that folder.
 * Checkpoints follow as many epochs or steps as the program's. */
#ifndef REAL_HAND_OFF_H
#define REAL_HAND_OFF_H

#include "real/launch/data_set.h"
#include "real/launch/ranks.h"
#include "sim/cloud/world.h"
#include "sim/json/json.h"
#include "trainer/record/checkpoint_name.h"

/* The device that computes. X(ENUM, word of the trainer's --backend) */
#define HAND_OFF_BACKENDS(X)                                                                       \
    X(AUTO, "auto")                                                                                \
    X(CPU, "cpu")                                                                                  \
    X(CUDA, "cuda")

typedef enum {
#define X(name, word) HAND_OFF_##name,
    HAND_OFF_BACKENDS(X)
#undef X
} HandOffBackend;

/* Returns whether the job can be handed off: real execution of a program that is a training. */
bool hand_off_takes(const Job *job);

/* Describes the training in words: "keras_cifar10_cnn in fp32, 2 ranks, batches of 16, 2 epochs of
 * 20 steps". In `arena`. */
const char *hand_off_description(Arena *arena, const JobSpec *spec);

typedef struct {
    const char *trainer; /* path of the program: trainyard-train */
    HandOffBackend backend;
    const char *data_folder; /* of CIFAR-10; NULL: the program's data place */
    DataSetCounted *counted; /* passed to data_set_count; may be NULL */
    const char *node_folder; /* absolute; represents the node's "/" */
    int64_t fail_step;       /* `fail_rank` dies after this step, counted over all epochs; 0: no
                                rank dies */
    int32_t fail_rank;
    int64_t fail_notice_ns; /* it gets notice after the step, and dies so long after it; 0: none */
    char *const *arguments; /* options of the trainer, appended to those made from the program;
                               $NAME and ${NAME} in them are the job's variables. Ended by NULL. If
                               they are given and no data folder is named, the trainer looks for its
                               data itself. NULL: no options */
} HandOffSettings;

typedef struct {
    RanksPlan ranks;      /* `out` and `error` are not open yet: -1 */
    const char *out_path; /* on the node: "/mnt/batch/.../stdout.txt" */
    const char *error_path;
    const char *log_folder; /* like the next two a path of this machine; the trainer creates it */
    const char *model_folder;
    const char *data_folder; /* NULL: the arguments name it, or the trainer uses its default */
    FileVersion history;     /* of the file that an earlier attempt left in log_folder */
    int64_t epochs, steps_per_epoch; /* of each rank, for the images that were found */
    CheckpointPoint resumed;         /* of the checkpoint that the ranks continue; 0: none */
} HandOff;

/* Makes the plan for the program of a job that runs outside the world (job_runs_outside). Without
 * data it fails with STATUS_BAD_INPUT and a hint. The plan is in `arena`. */
MUST_CHECK bool hand_off_plan(Arena *arena, const World *world, const Job *job,
                              const HandOffSettings *settings, HandOff *plan, Status *status);

/* Returns the node's path of a path on a share, "/mnt/batch/.../afs/path", in `arena`. NULL: no
 * mount contains it. */
const char *hand_off_node_path(Arena *arena, const Program *program, const char *share,
                               const char *path);

/* --- Results --- */

/* Reads the last epoch that the ranks wrote, or continued from, from the history in the log folder.
 * All members are -1 if there is no such epoch.
 * False, with the reason in `status` and all members -1, if the file is not a history of this job.
 * Any client may write to a share. */
bool hand_off_read_training(Arena *arena, const HandOff *plan, RealTraining *training,
                            Status *status);
/* Adds the training's known results to a job.ran command. */
void hand_off_put_training(Arena *arena, Json *entry, RealTraining training);
/* Returns how many steps of all epochs are done, from the end of the trainer's output so far. */
int64_t hand_off_steps_printed(const char *text, int64_t steps_per_epoch);
/* Moves the timelines from the log folder to `folder`, which is created, and describes them in
 * ranks.json there: {"backend": "onednn", "precision": "fp32", "device", "ranks", "batch",
 * "network", "train_samples", "test_samples", "took_ns", "exit_code"}. A member that the trainer
 * prints is null if the ranks ended before they printed it; "device" is also null on processors. */
MUST_CHECK bool hand_off_keep(Arena *arena, const Job *job, const HandOff *plan,
                              const HandOffSettings *settings, const RanksEnd *end,
                              const char *folder, Status *status);

#endif
