#include "sim/scenario/format/checkpoint_types.h"

#define OWNER CheckpointText
static const Field checkpoint_fields[] = {
    FIELD_JSON(
        "every", every, "{\"type\": [\"integer\", \"string\"]}",
        "from one checkpoint to the next: of a training a number of epochs, 2 or \"2 epochs\", 1 "
        "if it is not given, or steps counted over all epochs, \"500 steps\", or a time, \"30m\", "
        "which "
        "becomes the nearest number of mean steps; of a program that only takes time the "
        "time for which it works, such as \"1h\". Needed there, unless it writes them on "
        "notice only"),
    FIELD_BOOLEAN("on_notice", on_notice, "false",
                  "whether the job writes one more checkpoint when a low-priority node of it gets "
                  "notice of preemption, or the job itself gets notice from the scheduler "
                  "(`grace_period` of a queue). If it is written in time, a new attempt "
                  "continues from there, otherwise from the older checkpoint. A training first "
                  "finishes the step or evaluation under way; it needs `resume` and a share. A "
                  "program that only takes time stops at once, and continues afterwards"),
    FIELD_TEXT("path", path, NULL,
               "training, needed: where rank 0 writes it; {epoch} stands for the epoch, after 120 "
               "steps of epoch 4 for \"3-step-120\", {--name} for the value of that option on the "
               "command line, {--name=default} where the "
               "option may be missing; a path that is not under a mount is on the node's own disk"),
    FIELD_BYTES("bytes", bytes, NULL, "training, needed: its size"),
    FIELD_BOOLEAN("resume", resume, NULL,
                  "training: whether a new attempt continues from the last checkpoint that "
                  "survived the loss of nodes: one on a share. The default is false"),
    FIELD_DURATION("takes", takes, NULL,
                   "program that only takes time, needed: how long it stops for a checkpoint, in "
                   "addition to the time that it takes. The last work is followed by none"),
    FIELD_DURATION("restart", restart, NULL,
                   "program that only takes time: how long an attempt that continues from a "
                   "checkpoint needs before it works. The default is 0s"),
    FIELD_TEXT("jobs", jobs, NULL,
               "program that only takes time: the share of the jobs that write checkpoints, such "
               "as \"50%\"; the default is all. The others begin again after a loss. Drawn for "
               "each job: those of a smaller share are "
               "among those of a larger one"),
    {0},
};
#undef OWNER
const ObjectType checkpoint_type = {
    "checkpoint",
    "Checkpoints of a training after epochs or steps, or of a program that only takes time. A new "
    "attempt of the latter continues from the last one, with the same drawn duration.",
    sizeof(CheckpointText), checkpoint_fields};
