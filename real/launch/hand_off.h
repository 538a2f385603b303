/* A job handed to the trainer: from what the world knows of it to ranks on this machine.
 *
 * A job of real execution whose program is a training (Program.training) is trained by our own
 * trainer in the place of its script: the network, batch, epochs, steps and ranks of the program as
 * modelled, under the paths of the service. A folder stands for the first node's "/"; its mounts
 * are directories in it, or links to directories. There the ranks find the data, and leave their
 * checkpoints, logs and model; what they print goes where the service puts stdout.txt. All ranks
 * run on this machine and see the first node's folder, whichever nodes they are on in the world.
 * Their options name what is mounted by its own path, as that is what they tell people, who find no
 * node once it is over.
 *
 *     data           --data of who hands off; else the program's data place. Where an epoch of the
 *                    program is one of its whole data set, it is one of all images that are there.
 *     checkpoints    the folder of the program's checkpoints; with them history.tsv, events for
 *                    TensorBoard and, until they are taken, the timelines
 *     model          the folder of the program's saved model
 *
 * The files have the trainer's names, checkpoint-{epoch}.h5 and keras_cifar10_trained_model.h5. A
 * new attempt of a program that resumes goes on from its latest checkpoint there. */
#ifndef REAL_HAND_OFF_H
#define REAL_HAND_OFF_H

#include "real/launch/data_set.h"
#include "real/launch/ranks.h"
#include "sim/cloud/world.h"
#include "sim/json/json.h"

/* Who computes. X(ENUM, word, as the trainer has it) */
#define HAND_OFF_BACKENDS(X)                                                                       \
    X(AUTO, "auto")                                                                                \
    X(CPU, "cpu")                                                                                  \
    X(CUDA, "cuda")

typedef enum {
#define X(name, word) HAND_OFF_##name,
    HAND_OFF_BACKENDS(X)
#undef X
} HandOffBackend;

/* Whether it is a job that can be handed off. */
bool hand_off_takes(const Job *job);

/* What is trained, in words: "keras_cifar10_cnn in fp32, 2 ranks, batches of 16, 2 epochs of 20
 * steps". */
const char *hand_off_words(Arena *arena, const JobSpec *spec);

typedef struct {
    const char *trainer; /* path of the program: trainyard-train */
    HandOffBackend backend;
    const char *data_folder; /* of CIFAR-10; NULL: the program's own */
    DataSetCounted *counted; /* of whoever hands off often; or NULL */
    const char *node_folder; /* absolute, stands for the node's "/" */
    int64_t fail_step;       /* a rank is to die once this step, counted over all epochs, has ended;
                                0: none */
    int32_t fail_rank;
    char *const
        *arguments; /* the trainer's, behind those that the program makes, in which $NAME
                       and ${NAME} are the job's variables; ended by NULL. With them the
                       trainer finds its data by itself, where nobody names it. NULL: none */
} HandOffSettings;

typedef struct {
    RanksPlan ranks;      /* `out` and `error` are not open yet: -1 */
    const char *out_path; /* of the node: "/mnt/batch/.../stdout.txt" */
    const char *error_path;
    const char *log_folder; /* on this machine, as are the next two; the trainer makes them */
    const char *model_folder;
    const char *data_folder; /* NULL: the arguments say, or the trainer looks where it writes */
    FileVersion history;     /* the one that lies in log_folder already, from another attempt */
    int64_t epochs, steps_per_epoch; /* of each rank, for the images that are there */
    int64_t resumed_epoch;           /* it goes on from this one's checkpoint; 0: it begins anew */
} HandOff;

/* The plan for the job's program, which is at work outside (job_runs_outside). STATUS_BAD_INPUT,
 * with a hint, where there is no data. In `arena`. */
MUST_CHECK bool hand_off_plan(Arena *arena, const World *world, const Job *job,
                              const HandOffSettings *settings, HandOff *plan, Status *status);

/* Where a path of a share is seen from a node, "/mnt/batch/.../afs/path"; NULL: under no mount. In
 * `arena`. */
const char *hand_off_node_path(Arena *arena, const Program *program, const char *share,
                               const char *path);

/* --- What came of it --- */

/* From the history in its log folder the last epoch, of those that it wrote or went on from: all -1
 * where there is none. The same where what lies there is no history of the job; then false, and
 * `status` says why, since anybody may have written to a share. */
bool hand_off_came_to(Arena *arena, const HandOff *plan, RealTraining *training, Status *status);
/* The same as members of a job.ran. */
void hand_off_tell(Arena *arena, Json *news, RealTraining training);
/* How many steps of all epochs it has done, by the end of what it has printed so far. */
int64_t hand_off_steps_printed(const char *text, int64_t steps_per_epoch);
/* Takes the timelines out of the log folder to `folder`, which is made, and says beside them in
 * ranks.json what they are of: {"backend": "onednn", "precision": "fp32", "ranks", "batch",
 * "network", "train_samples", "test_samples", "took_ns", "exit_code"}; what the ranks say is null
 * where they came not so far. */
MUST_CHECK bool hand_off_keep(Arena *arena, const Job *job, const HandOff *plan,
                              const HandOffSettings *settings, const RanksEnd *end,
                              const char *folder, Status *status);

#endif
