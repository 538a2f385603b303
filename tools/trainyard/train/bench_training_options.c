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

static const Option options[] = {
    {.name = "batch-size",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "N images a step on each rank (32)",
     .offset = offsetof(BenchTrainingOptions, batch_size),
     .minimum = 1,
     .maximum = 65536},
    {.name = "steps",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "time N steps (200)",
     .offset = offsetof(BenchTrainingOptions, steps),
     .minimum = 1,
     .maximum = 10000000},
    {.name = "warmup",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "after N steps that are not timed (20)",
     .offset = offsetof(BenchTrainingOptions, warmup),
     .maximum = 10000000},
    {.name = "backend",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "who computes (auto)",
     .offset = offsetof(BenchTrainingOptions, backend),
     .choices = backend_words},
    {.name = "precision",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "how exactly (fp32)",
     .offset = offsetof(BenchTrainingOptions, precision),
     .choices = precision_names},
    {.name = "deterministic",
     .kind = OPTION_FLAG,
     .help = "on a GPU compute by own kernels alone, so that every run gives the same bits and a "
             "resumed training goes on exactly; processors always do",
     .offset = offsetof(BenchTrainingOptions, is_deterministic)},
    {.name = "threads",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "compute with N threads on each rank (1)",
     .offset = offsetof(BenchTrainingOptions, threads),
     .minimum = 1,
     .maximum = 1024},
    {.name = "network",
     .kind = OPTION_TEXT,
     .argument = "NAME",
     .help = "train the network NAME (keras_cifar10_cnn)",
     .offset = offsetof(BenchTrainingOptions, network)},
    {.name = "comm",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "how the ranks talk (auto)",
     .offset = offsetof(BenchTrainingOptions, comm),
     .choices = comm_words},
    {.name = "data-dir",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "train on the CIFAR-10 set in DIR instead of on random bytes",
     .offset = offsetof(BenchTrainingOptions, data_folder)},
    {.name = "seed",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "start the random numbers at N (1)",
     .offset = offsetof(BenchTrainingOptions, seed)},
    {.name = "profile",
     .kind = OPTION_FLAG,
     .help =
         "print how long each stage of a step took as well; looking at the clock takes a little",
     .offset = offsetof(BenchTrainingOptions, has_profile)},
    {.name = "sgemm",
     .kind = OPTION_FLAG,
     .help = "measure how fast oneDNN multiplies matrices in float32 here, and print the share of "
             "that rate that the training reaches",
     .offset = offsetof(BenchTrainingOptions, has_sgemm)},
    {.name = "json",
     .kind = OPTION_FLAG,
     .help = "print JSON",
     .offset = offsetof(BenchTrainingOptions, is_json)},
    {0},
};

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
