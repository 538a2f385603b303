#include "tools/trainyard/train/train_options.h"

#include "sim/base/units.h"
#include "trainer/comm/comm_words.h"
#include "trainer/compute/backend_words.h"

static const char *const verbose_words[] = {"0", "1", "2", NULL};

const TrainingSettings train_option_defaults = {
    .folder = ".",
    .network = "keras_cifar10_cnn",
    .batch_size = 32,
    .learning_rate = 1e-4,
    .is_augmented = true,
    .verbose = VERBOSE_BAR,
    .seed = 1,
    .threads = 1,
    .stall_ns = 60 * NS_PER_S,
    .fail_rank = -1,
    .fail_step = -1,
};

#define OWNER TrainingSettings
static const Field options[] = {
    OPTION_FOLDER(0, "dir", folder, "DIR",
                  "write below DIR, and look for the data there (the current folder)"),
    OPTION_FOLDER(
        0, "data-dir", data_folder, "DIR",
        "look for the data in DIR, or in its cifar-10-batches-bin or cifar-10-batches-py"),
    OPTION_FOLDER(0, "model-dir", model_folder, "DIR",
                  "save the trained model in DIR (saved_models)"),
    OPTION_FOLDER(0, "log-dir", log_folder, "DIR",
                  "write checkpoints, TensorBoard events and timelines to DIR (logs)"),
    OPTION_TEXT(0, "network", network, "NAME", "train the network NAME (keras_cifar10_cnn)"),
    OPTION_INTEGER(0, "batch-size", batch_size, "N", 1, 65536,
                   "train each rank on N images at once (32)"),
    OPTION_INTEGER(0, "epochs", epochs, "N", 1, 1000000,
                   "train N times on the training set (100 / ranks, rounded up)"),
    OPTION_INTEGER(0, "steps", steps, "N", 1, INT32_MAX,
                   "end each epoch after N steps (after every image was used)"),
    OPTION_INTEGER(0, "limit", limit, "N", 1, INT32_MAX,
                   "use only the first N images for training, and the first N for testing"),
    OPTION_REAL(0, "learning-rate", learning_rate, "X", 1e-9, 100,
                "the learning rate of one rank, multiplied by the ranks (0.0001)"),
    OPTION_FLAG(0, "data-augmentation", is_augmented,
                "shift and flip the images at random (the default)"),
    OPTION_FLAG_OFF(0, "no-data-augmentation", is_augmented, "train on unchanged images"),
    OPTION_INTEGER(0, "seed", seed, "N", 0, 0, "start the random numbers at N (1)"),
    OPTION_CHOICE(0, "backend", backend, "NAME", backend_words, "compute with backend NAME (auto)"),
    OPTION_CHOICE(0, "precision", precision, "NAME", precision_names,
                  "compute in precision NAME (fp32)"),
    OPTION_FLAG(
        0, "deterministic", is_deterministic,
        "on a GPU use only trainyard's kernels, so that every run gives the same bits, also "
        "after --resume; backends on the processor always give the same bits"),
    OPTION_INTEGER(0, "threads", threads, "N", 1, 1024,
                   "compute with N threads on each rank (1: ranks use more cores better)"),
    OPTION_CHOICE(0, "comm", comm, "NAME", comm_words, "how ranks communicate (auto)"),
    OPTION_TEXT(
        0, "checkpoint-every", checkpoint_every, "N",
        "write a checkpoint every N epochs (2 or 2epochs), steps over all epochs (500steps) "
        "or so much time of steps (10m) (1)"),
    OPTION_FILE(0, "resume", resume, "FILE",
                "continue from the checkpoint FILE, or from the \"latest\" in the log folder"),
    OPTION_DURATION(0, "stall", stall_ns, "TIME",
                    "report ranks that others have waited for longer than TIME (60s; 0s: never)"),
    OPTION_INTEGER(0, "fail-rank", fail_rank, "R", 0, INT32_MAX,
                   "rehearse the loss of a node: kill rank R; needs --fail-step"),
    OPTION_INTEGER(0, "fail-step", fail_step, "N", 0, INT64_MAX,
                   "kill it before step N, counted from 0 over all epochs of the training"),
    OPTION_DURATION(0, "fail-notice", fail_notice_ns, "TIME",
                    "give notice of that loss: after step N write a checkpoint and continue, and "
                    "kill the rank TIME later (0s)"),
    OPTION_FLAG(0, "timeline", has_timeline,
                "write the phases of each rank to timeline.rank{N}.tsv and, for Perfetto and "
                "chrome://tracing, timeline.json in the log folder"),
    OPTION_FLAG(
        0, "whole-steps", has_whole_steps,
        "with --timeline on a GPU: write whole steps, which take no longer than without it"),
    OPTION_FLAG(0, "profile", has_profile,
                "print the time of each stage of a step at the end, and draw the stages in the "
                "timeline if there is one"),
    OPTION_CHOICE(
        0, "verbose", verbose, "LEVEL", verbose_words,
        "for each epoch print nothing (0), a progress bar (1, the default) or a line (2)"),
    OPTION_FLAG(0, "json", is_json,
                "print only a summary as JSON at the end (trainyard schema train-answer)"),
    {0},
};
#undef OWNER

const OptionTable train_option_table = {
    .name = "train",
    .operands = "",
    .summary = "Trains the tutorial's network on CIFAR-10, on one or several ranks.",
    .details =
        "Every rank reads the whole training set in a different order, and gradients are averaged "
        "over the ranks. Rank 0 prints, and writes checkpoint-{epoch}.h5 and TensorBoard events "
        "after each epoch. --checkpoint-every writes checkpoints less or more often; that after "
        "120 steps of epoch 4 is checkpoint-3-step-120.h5. At the end it writes "
        "keras_cifar10_trained_model.h5, which Keras can "
        "load. The same seed, ranks, threads, backend and precision give the same weights bit for "
        "bit on processors of one kind, also after --resume. On a GPU this requires "
        "--deterministic: otherwise each training "
        "measures whether trainyard's kernels, cuBLAS or cuDNN are faster for a layer, and they "
        "round differently.\n"
        "\n"
        "HOROVOD_TIMELINE=FILE in the environment means --timeline with the Chrome trace in FILE "
        "instead of timeline.json. On a GPU, phases take longer than a step as a CUDA graph. With "
        "--whole-steps graphs are used, and steps that are made at once have equal parts of their "
        "time.\n"
        "\n"
        "--profile measures steps 2 to 33 of each epoch, or as many as there are; the table has "
        "the means of rank 0. The training's results do not change. On processors the clock is "
        "read for each stage. On a GPU the processor waits for each measured step, which is a "
        "separate CUDA graph with an event after each stage; the GPU's clock measures the stages, "
        "and other steps are not affected. With --timeline, too, measured steps are such graphs "
        "where possible, and the other steps are made phase by phase.\n"
        "\n"
        "--fail-rank and --fail-step rehearse a failure by SIGKILL, like a node that fails with "
        "its rank. Existing checkpoints are kept, and --resume latest continues from the last. A "
        "training that resumes after the step is not killed again.\n"
        "\n"
        "SIGTERM, SIGUSR1 and SIGINT are notices: the training finishes the step under way, or the "
        "evaluation after an epoch, writes a checkpoint and ends. Several ranks agree on the step, "
        "and one that gets the signal is enough. A second SIGTERM or SIGINT ends a training at "
        "once. mpirun passes on SIGUSR1, but kills its ranks a second after SIGTERM: use SIGUSR1 "
        "there.\n"
        "\n"
        "Exit codes: 0, 1 if the loss is not a number, 2 for wrong input, 3 if the machine fails, "
        "128 plus the signal's number if a signal ends the training.",
    .example = "trainyard make-cifar cifar10\n"
               "trainyard train --data-dir cifar10 --epochs 3\n"
               "trainyard train --data-dir cifar10 --epochs 6 --resume latest --checkpoint-every "
               "500steps\n"
               "mpirun -n 2 trainyard train --data-dir cifar10 --epochs 1 --dir two",
    .options = options,
};
