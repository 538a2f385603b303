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
    OPTION_INTEGER(0, "batch-size", batch_size, "N", 1, 65536, "N images a step on each rank (32)"),
    OPTION_INTEGER(0, "steps", steps, "N", 1, 10000000, "time N steps (200)"),
    OPTION_INTEGER(0, "warmup", warmup, "N", 0, 10000000, "after N steps that are not timed (20)"),
    OPTION_CHOICE(0, "backend", backend, "NAME", backend_words, "who computes (auto)"),
    OPTION_CHOICE(0, "precision", precision, "NAME", precision_names, "how exactly (fp32)"),
    OPTION_FLAG(
        0, "deterministic", is_deterministic,
        "on a GPU compute by own kernels alone, so that every run gives the same bits and a "
        "resumed training goes on exactly; processors always do"),
    OPTION_INTEGER(0, "threads", threads, "N", 1, 1024, "compute with N threads on each rank (1)"),
    OPTION_TEXT(0, "network", network, "NAME", "train the network NAME (keras_cifar10_cnn)"),
    OPTION_CHOICE(0, "comm", comm, "NAME", comm_words, "how the ranks talk (auto)"),
    OPTION_FOLDER(0, "data-dir", data_folder, "DIR",
                  "train on the CIFAR-10 set in DIR instead of on random bytes"),
    OPTION_INTEGER(0, "seed", seed, "N", 0, 0, "start the random numbers at N (1)"),
    OPTION_FLAG(
        0, "profile", has_profile,
        "print how long each stage of a step took as well; looking at the clock takes a little"),
    OPTION_FLAG(
        0, "sgemm", has_sgemm,
        "measure how fast oneDNN multiplies matrices in float32 here, and print the share of "
        "that rate that the training reaches"),
    OPTION_FLAG(0, "json", is_json, "print JSON"),
    {0},
};
#undef OWNER

const OptionTable bench_training_option_table = {
    .name = "bench-training",
    .operands = "",
    .summary = "Times steps of training, alone or as one of several ranks.",
    .details = "A step is all that a training does for one batch: fetching, augmenting, forward, "
               "backward, summing over ranks, update. Nothing is written. Times are those of rank "
               "0; a pool and the dropout behind it may be one pass, whose time stands with the "
               "pool.\n"
               "\n"
               "A GPU makes many steps without the processor between them, in which no phases can "
               "be told apart: they are timed up to 64 at once, each of them counts as their mean, "
               "and minimum, median and 90th percentile are of these means. Where gradients are "
               "summed by way of the processor, its steps go one by one, which takes longer. With "
               "--profile the processor waits for each step, a CUDA graph of its own with an event "
               "behind each stage: the stages are by the GPU's clock, and the step above them, by "
               "the processor's, is longer than without.\n"
               "\n"
               "Each pass of a layer takes what was the fastest on this GPU when it was tried: own "
               "kernels, cuBLAS or cuDNN. --profile and --json say which on rank 0.",
    .example = "trainyard bench-training --profile\n"
               "trainyard bench-training --precision bf16 --json\n"
               "mpirun -n 2 trainyard bench-training --steps 500",
    .options = options,
};
