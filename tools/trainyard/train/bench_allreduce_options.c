#include "tools/trainyard/train/bench_allreduce_options.h"

#include "trainer/comm/comm_words.h"

const BenchAllreduceOptions bench_allreduce_defaults = {
    .min_bytes = 8, .max_bytes = 64 << 20, .factor = 2, .iterations = 20, .warmup = 5};

static const Option options[] = {
    {.name = "min-size",
     .letter = 'b',
     .kind = OPTION_SIZE,
     .argument = "SIZE",
     .help = "begin with SIZE (8B)",
     .offset = offsetof(BenchAllreduceOptions, min_bytes)},
    {.name = "max-size",
     .letter = 'e',
     .kind = OPTION_SIZE,
     .argument = "SIZE",
     .help = "go on up to SIZE (64MiB)",
     .offset = offsetof(BenchAllreduceOptions, max_bytes)},
    {.name = "factor",
     .letter = 'f',
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "make each size N times the one before (2)",
     .offset = offsetof(BenchAllreduceOptions, factor),
     .minimum = 2,
     .maximum = 1 << 20},
    {.name = "iterations",
     .letter = 'n',
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "time N sums of each size (20)",
     .offset = offsetof(BenchAllreduceOptions, iterations),
     .minimum = 1,
     .maximum = 1000000},
    {.name = "warmup",
     .letter = 'w',
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "before that, do N sums that are not timed (5)",
     .offset = offsetof(BenchAllreduceOptions, warmup),
     .maximum = 1000000},
    {.name = "between",
     .kind = OPTION_SIZE,
     .argument = "SIZE",
     .help = "before each timed sum, let each rank work on SIZE of memory, and let all meet (0B)",
     .offset = offsetof(BenchAllreduceOptions, between_bytes)},
    {.name = "check",
     .letter = 'c',
     .kind = OPTION_FLAG,
     .help = "count wrong values; exit code 1 when there are any",
     .offset = offsetof(BenchAllreduceOptions, checks)},
    {.name = "comm",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "how the ranks talk (auto)",
     .offset = offsetof(BenchAllreduceOptions, comm),
     .choices = comm_words},
    {.name = "json",
     .kind = OPTION_FLAG,
     .help = "print JSON",
     .offset = offsetof(BenchAllreduceOptions, is_json)},
    {0},
};

const OptionTable bench_allreduce_option_table = {
    .name = "bench-allreduce",
    .operands = "",
    .summary = "Measures how long the ranks take to add up values of all, by size.",
    .details =
        "Prints the columns of NVIDIA's nccl-tests: algbw is the size divided by the time; busbw "
        "is that times 2(n-1)/n for n ranks, which does not depend on n where the wires are the "
        "limit. Training sums in place; out-of-place copies the values first. Sums one after "
        "another find their values in the caches, those of a training do not: with --between, "
        "times are of single sums, medians instead of the mean. The last line is "
        "about the gradients of the tutorial's network. With --comm nccl the values lie on GPUs, "
        "one a rank; otherwise in memory.",
    .example = "mpirun -n 2 trainyard bench-allreduce --check\n"
               "mpirun -n 2 trainyard bench-allreduce --comm nccl --check\n"
               "mpirun -n 4 trainyard bench-allreduce -b 1MiB -e 16MiB --json",
    .options = options,
};
