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
                  "write below DIR, and look for the data there; the current folder unless given"),
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
                   "end each epoch after N steps (when every image was seen)"),
    OPTION_INTEGER(0, "limit", limit, "N", 1, INT32_MAX,
                   "use only the first N images for training, and the first N for testing"),
    OPTION_REAL(0, "learning-rate", learning_rate, "X", 1e-9, 100,
                "the learning rate of one rank, multiplied by the ranks (0.0001)"),
    OPTION_FLAG(0, "data-augmentation", is_augmented,
                "shift and flip the images at random, as is done unless the opposite is given"),
    OPTION_FLAG_OFF(0, "no-data-augmentation", is_augmented, "train on the images as they are"),
    OPTION_INTEGER(0, "seed", seed, "N", 0, 0, "start the random numbers at N (1)"),
    OPTION_CHOICE(0, "backend", backend, "NAME", backend_words, "who computes (auto)"),
    OPTION_CHOICE(0, "precision", precision, "NAME", precision_names, "how exactly (fp32)"),
    OPTION_FLAG(
        0, "deterministic", is_deterministic,
        "on a GPU compute by own kernels alone, so that every run gives the same bits and a "
        "resumed training goes on exactly; processors always do"),
    OPTION_INTEGER(0, "threads", threads, "N", 1, 1024,
                   "compute with N threads on each rank (1: ranks use more cores better)"),
    OPTION_CHOICE(0, "comm", comm, "NAME", comm_words, "how the ranks talk (auto)"),
    OPTION_FILE(0, "resume", resume, "FILE",
                "go on from the checkpoint FILE, or from the \"latest\" in the log folder"),
    OPTION_DURATION(0, "stall", stall_ns, "TIME",
                    "name ranks that the others wait for longer than TIME (60s; 0s: never)"),
    OPTION_INTEGER(0, "fail-rank", fail_rank, "R", 0, INT32_MAX,
                   "rehearse the loss of a node: rank R is killed, with --fail-step"),
    OPTION_INTEGER(0, "fail-step", fail_step, "N", 0, INT64_MAX,
                   "the step before which it is, from 0 over all epochs of the training"),
    OPTION_FLAG(0, "timeline", has_timeline,
                "write what each rank did when to timeline.rank{N}.tsv and, for Perfetto and "
                "chrome://tracing, timeline.json in the log folder"),
    OPTION_FLAG(0, "profile", has_profile,
                "print in the end how long each stage of a step took, and draw the stages in the "
                "timeline if there is one"),
    OPTION_CHOICE(0, "verbose", verbose, "LEVEL", verbose_words,
                  "nothing about epochs, a progress bar, or a line an epoch (1)"),
    OPTION_FLAG(0, "json", is_json, "print nothing but a summary as JSON at the end"),
    {0},
};
#undef OWNER

const OptionTable train_option_table = {
    .name = "train",
    .operands = "",
    .summary = "Trains the tutorial's network on CIFAR-10, alone or as one of several ranks.",
    .details =
        "Every rank goes through the whole training set in its own order, and gradients are "
        "averaged over the ranks. Rank 0 prints, and writes checkpoint-{epoch}.h5 after each "
        "epoch, events for TensorBoard and in the end keras_cifar10_trained_model.h5, which Keras "
        "loads. The same seed, ranks, backend and precision give the same weights bit for bit, "
        "also over --resume; on a GPU that takes --deterministic, because else each training tries "
        "whether own kernels, cuBLAS or cuDNN are faster for a layer, and they round in different "
        "ways.\n"
        "\n"
        "HOROVOD_TIMELINE=FILE in the environment is --timeline with its Chrome trace in FILE "
        "instead of timeline.json.\n"
        "\n"
        "--profile measures steps 2 to 33 of each epoch, or as many as there are; the table has "
        "the means of rank 0. It changes no bit of what is trained. On processors it costs a look "
        "at the clock for each stage. On a GPU the processor waits for each of these steps, which "
        "is a CUDA graph of its own with an event behind each stage, on the GPU's own clock; all "
        "other steps go as without it. With --timeline, too, the steps measured are such graphs "
        "where that is possible, and the others go one by one.\n"
        "\n"
        "--fail-rank and --fail-step rehearse a failure: SIGKILL, as a node takes its rank with "
        "it. "
        "Checkpoints that were there stay, and --resume latest goes on from the last; a training "
        "that has the step behind it is not ended again.\n"
        "\n"
        "Exit codes: 0, 1 when the loss is no longer a number, 2 for wrong input, 3 when the "
        "machine fails, 128 and the signal's number when a signal ends the training.",
    .example = "trainyard make-cifar cifar10\n"
               "trainyard train --data-dir cifar10 --epochs 3\n"
               "trainyard train --data-dir cifar10 --epochs 6 --resume latest\n"
               "mpirun -n 4 trainyard train --data-dir cifar10 --dir four",
    .options = options,
};
