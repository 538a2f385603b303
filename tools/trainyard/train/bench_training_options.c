#include "tools/trainyard/train/bench_training_options.h"

#include "trainer/comm/comm_words.h"
#include "trainer/compute/backend_words.h"

const BenchTrainingOptions bench_training_option_defaults = {
    .network = "keras_cifar10_cnn",
    .batch_size = 32,
    .steps = 200,
    .warmup = 20,
    .seed = 1,
    .threads = 1,
};

#define OWNER BenchTrainingOptions
static const Field options[] = {
    OPTION_INTEGER(0, "batch-size", batch_size, "N", 1, 65536,
                   "train on N images per step and rank (32)"),
    OPTION_INTEGER(0, "steps", steps, "N", 1, 10000000, "time N steps (200)"),
    OPTION_INTEGER(0, "warmup", warmup, "N", 0, 10000000,
                   "first make N steps that are not timed (20)"),
    OPTION_CHOICE(0, "backend", backend, "NAME", backend_words, "compute with backend NAME (auto)"),
    OPTION_CHOICE(0, "precision", precision, "NAME", precision_names,
                  "compute in precision NAME (fp32)"),
    OPTION_CHOICE(0, "engine", engine, "NAME", engine_words,
                  "on a GPU compute products by engine NAME where it can, else by own (fastest)"),
    OPTION_INTEGER(0, "threads", threads, "N", 1, 1024, "compute with N threads on each rank (1)"),
    OPTION_TEXT(0, "network", network, "NAME", "train the network NAME (keras_cifar10_cnn)"),
    OPTION_CHOICE(0, "comm", comm, "NAME", comm_words, "how ranks communicate (auto)"),
    OPTION_FOLDER(0, "data-dir", data_folder, "DIR",
                  "train on the CIFAR-10 set in DIR instead of on random bytes"),
    OPTION_INTEGER(0, "seed", seed, "N", 0, 0, "start the random numbers at N (1)"),
    OPTION_FLAG(
        0, "profile", has_profile,
        "also print the time of each stage of a step; reading the clock costs a little time"),
    OPTION_FLAG(
        0, "sgemm", has_sgemm,
        "measure how fast oneDNN multiplies float32 matrices on this machine, and print the "
        "share of that rate that the training reaches"),
    OPTION_FLAG(0, "json", is_json, "print JSON (trainyard schema bench-training-answer)"),
    {0},
};
#undef OWNER

const OptionTable bench_training_option_table = {
    .name = "bench-training",
    .operands = "",
    .summary = "Times training steps, on one or several ranks.",
    .details =
        "A step is the work of a training for one batch: fetching, augmenting, forward, backward, "
        "summing over ranks, update. Nothing is written. Times are those of rank 0. A pool "
        "and the following dropout may be one pass, whose time counts for the pool.\n"
        "\n"
        "A GPU makes many steps without the processor in between, in which phases cannot "
        "be distinguished. Up to 64 steps are timed together and count with their mean; "
        "minimum, median and 90th percentile are of these means. If gradients are summed on "
        "the processor, steps are made phase by phase, which takes longer. With --profile "
        "up to 128 more steps follow, each a separate CUDA graph with an event after each stage. "
        "Stages are then "
        "measured by the GPU's clock, one after the other; in the timed steps some overlap.\n"
        "\n"
        "Each pass of a layer uses the engine that was the fastest on this GPU: trainyard's "
        "kernels (own, the same bits in every run), cuBLAS or cuDNN. --engine uses one of them. "
        "--engine, --profile and --json show the engines of rank 0.",
    .example = "trainyard bench-training --steps 20 --profile\n"
               "trainyard bench-training --steps 20 --precision bf16 --json\n"
               "mpirun -n 2 trainyard bench-training --steps 20",
    .options = options,
};
