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

static const Option options[] = {
    {.name = "dir",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "write below DIR, and look for the data there; the current folder unless given",
     .offset = offsetof(TrainingSettings, folder)},
    {.name = "data-dir",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "look for the data in DIR, or in its cifar-10-batches-bin or cifar-10-batches-py",
     .offset = offsetof(TrainingSettings, data_folder)},
    {.name = "model-dir",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "save the trained model in DIR (saved_models)",
     .offset = offsetof(TrainingSettings, model_folder)},
    {.name = "log-dir",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "write checkpoints, TensorBoard events and timelines to DIR (logs)",
     .offset = offsetof(TrainingSettings, log_folder)},
    {.name = "network",
     .kind = OPTION_TEXT,
     .argument = "NAME",
     .help = "train the network NAME (keras_cifar10_cnn)",
     .offset = offsetof(TrainingSettings, network)},
    {.name = "batch-size",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "train each rank on N images at once (32)",
     .offset = offsetof(TrainingSettings, batch_size),
     .minimum = 1,
     .maximum = 65536},
    {.name = "epochs",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "train N times on the training set (100 / ranks, rounded up)",
     .offset = offsetof(TrainingSettings, epochs),
     .minimum = 1,
     .maximum = 1000000},
    {.name = "steps",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "end each epoch after N steps (when every image was seen)",
     .offset = offsetof(TrainingSettings, steps),
     .minimum = 1,
     .maximum = INT32_MAX},
    {.name = "limit",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "use only the first N images for training, and the first N for testing",
     .offset = offsetof(TrainingSettings, limit),
     .minimum = 1,
     .maximum = INT32_MAX},
    {.name = "learning-rate",
     .kind = OPTION_REAL,
     .argument = "X",
     .help = "the learning rate of one rank, multiplied by the ranks (0.0001)",
     .offset = offsetof(TrainingSettings, learning_rate),
     .real_minimum = 1e-9,
     .real_maximum = 100},
    {.name = "data-augmentation",
     .kind = OPTION_FLAG,
     .help = "shift and flip the images at random, as is done unless the opposite is given",
     .offset = offsetof(TrainingSettings, is_augmented)},
    {.name = "no-data-augmentation",
     .kind = OPTION_FLAG_OFF,
     .help = "train on the images as they are",
     .offset = offsetof(TrainingSettings, is_augmented)},
    {.name = "seed",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "start the random numbers at N (1)",
     .offset = offsetof(TrainingSettings, seed)},
    {.name = "backend",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "who computes (auto)",
     .offset = offsetof(TrainingSettings, backend),
     .choices = backend_words},
    {.name = "precision",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "how exactly (fp32)",
     .offset = offsetof(TrainingSettings, precision),
     .choices = precision_names},
    {.name = "deterministic",
     .kind = OPTION_FLAG,
     .help = "on a GPU compute by own kernels alone, so that every run gives the same bits and a "
             "resumed training goes on exactly; processors always do",
     .offset = offsetof(TrainingSettings, is_deterministic)},
    {.name = "threads",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "compute with N threads on each rank (1: ranks use more cores better)",
     .offset = offsetof(TrainingSettings, threads),
     .minimum = 1,
     .maximum = 1024},
    {.name = "comm",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "how the ranks talk (auto)",
     .offset = offsetof(TrainingSettings, comm),
     .choices = comm_words},
    {.name = "resume",
     .kind = OPTION_FILE,
     .argument = "FILE",
     .help = "go on from the checkpoint FILE, or from the \"latest\" in the log folder",
     .offset = offsetof(TrainingSettings, resume)},
    {.name = "stall",
     .kind = OPTION_DURATION,
     .argument = "TIME",
     .help = "name ranks that the others wait for longer than TIME (60s; 0s: never)",
     .offset = offsetof(TrainingSettings, stall_ns)},
    {.name = "fail-rank",
     .kind = OPTION_INTEGER,
     .argument = "R",
     .help = "rehearse the loss of a node: rank R is killed, with --fail-step",
     .offset = offsetof(TrainingSettings, fail_rank),
     .maximum = INT32_MAX},
    {.name = "fail-step",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "the step before which it is, from 0 over all epochs of the training",
     .offset = offsetof(TrainingSettings, fail_step),
     .maximum = INT64_MAX},
    {.name = "timeline",
     .kind = OPTION_FLAG,
     .help = "write what each rank did when to timeline.rank{N}.tsv and, for Perfetto and "
             "chrome://tracing, timeline.json in the log folder",
     .offset = offsetof(TrainingSettings, has_timeline)},
    {.name = "profile",
     .kind = OPTION_FLAG,
     .help = "print in the end how long each stage of a step took, and draw the stages in the "
             "timeline if there is one",
     .offset = offsetof(TrainingSettings, has_profile)},
    {.name = "verbose",
     .kind = OPTION_CHOICE,
     .argument = "LEVEL",
     .help = "nothing about epochs, a progress bar, or a line an epoch (1)",
     .offset = offsetof(TrainingSettings, verbose),
     .choices = verbose_words},
    {.name = "json",
     .kind = OPTION_FLAG,
     .help = "print nothing but a summary as JSON at the end",
     .offset = offsetof(TrainingSettings, is_json)},
    {0},
};

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
