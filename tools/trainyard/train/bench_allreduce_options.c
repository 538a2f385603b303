#include "tools/trainyard/train/bench_allreduce_options.h"

#include "trainer/comm/comm_words.h"

const BenchAllreduceOptions bench_allreduce_defaults = {
    .min_bytes = 8, .max_bytes = 64 << 20, .factor = 2, .iterations = 20, .warmup = 5};

#define OWNER BenchAllreduceOptions
static const Field options[] = {
    OPTION_BYTES('b', "min-size", min_bytes, "SIZE", "smallest SIZE (8B)"),
    OPTION_BYTES('e', "max-size", max_bytes, "SIZE", "largest SIZE (64MiB)"),
    OPTION_INTEGER('f', "factor", factor, "N", 2, 1 << 20,
                   "multiply the size by N from row to row (2)"),
    OPTION_INTEGER('n', "iterations", iterations, "N", 1, 1000000, "time N sums of each size (20)"),
    OPTION_INTEGER('w', "warmup", warmup, "N", 0, 1000000,
                   "first make N sums that are not timed (5)"),
    OPTION_BYTES(
        0, "between", between_bytes, "SIZE",
        "before each timed sum, each rank works on SIZE of memory and waits for the others (0B)"),
    OPTION_FLAG('c', "check", checks, "count wrong values; exit code 1 if there are any"),
    OPTION_CHOICE(0, "comm", comm, "NAME", comm_words, "how ranks communicate (auto)"),
    OPTION_FLAG(0, "json", is_json, "print JSON (trainyard schema bench-allreduce-answer)"),
    {0},
};
#undef OWNER

const OptionTable bench_allreduce_option_table = {
    .name = "bench-allreduce",
    .operands = "",
    .summary = "Measures how long ranks take to sum values over all ranks, by size.",
    .details =
        "Prints the columns of NVIDIA's nccl-tests. algbw is the size divided by the time. busbw "
        "is "
        "algbw times 2(n-1)/n for n ranks, which does not depend on n if the network is the limit. "
        "Training sums in place; out-of-place copies the values first. Consecutive sums find their "
        "values in the caches, the sums of a training do not: with --between, times are medians of "
        "single sums instead of the mean. The last line is for the gradients of the tutorial's "
        "network. With --comm nccl the values are on GPUs, one GPU per rank; otherwise in memory.",
    .example = "mpirun -n 2 trainyard bench-allreduce -e 1MiB --check\n"
               "mpirun -n 2 trainyard bench-allreduce -b 1MiB -e 4MiB --json\n"
               "mpirun -n 2 trainyard bench-allreduce --comm nccl --check",
    .options = options,
};
