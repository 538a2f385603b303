#include "tools/trainyard/train/ranks_options.h"

#include "sim/base/units.h"

enum { LOCAL_RANKS_MAX = 1024, RANKS_OPERANDS_MAX = 1 << 20 };

const RanksOptions ranks_option_defaults = {.timeout_ns = 60 * NS_PER_S, .grace_ns = 5 * NS_PER_S};

#define OWNER RanksOptions
static const Field options[] = {
    OPTION_INTEGER('g', "gpus", gpus, "N", 1, LOCAL_RANKS_MAX,
                   "start a rank for each of the first N GPUs of this machine"),
    OPTION_INTEGER(0, "ranks-per-gpu", ranks_per_gpu, "M", 1, LOCAL_RANKS_MAX,
                   "start M ranks for each of them (1); NCCL takes no more than 1"),
    OPTION_INTEGER('n', "ranks", ranks, "N", 1, LOCAL_RANKS_MAX,
                   "start N ranks, whatever they compute with"),
    OPTION_FLAG(0, "tag", is_tagged, "begin each line with the rank that it is of: \"[2] \""),
    OPTION_DURATION(0, "timeout", timeout_ns, "TIME",
                    "give up when a rank has not come to the others after TIME (60s)"),
    OPTION_DURATION(0, "grace", grace_ns, "TIME",
                    "kill ranks that do not end TIME after they were asked to (5s)"),
    {0},
};
#undef OWNER

const OptionTable ranks_option_table = {
    .name = "ranks",
    .operands = "-- PROGRAM [ARGUMENT...]",
    .summary = "Starts a program as several ranks on this machine, without MPI.",
    .details =
        "PROGRAM is a verb of trainyard, as in the examples, or any program. Each rank learns its "
        "place from the environment (TRAINYARD_RANK, TRAINYARD_RANKS and others); ranks talk by "
        "TCP, and on GPUs of their own sum by NCCL. CUDA_VISIBLE_DEVICES stays as it is.\n"
        "\n"
        "As with mpirun, rank 0 has the standard input (unless that is a terminal) and everything "
        "that ranks print comes out here; lines of other ranks than rank 0, and with --tag of all, "
        "one at a time.\n"
        "\n"
        "When a rank fails it is named, and all others get SIGTERM, and SIGKILL after --grace. "
        "SIGINT and SIGTERM are passed on to all ranks; the second one kills them.\n"
        "\n"
        "Exit codes: 0 when all ranks end with 0; otherwise that of the first rank that failed, or "
        "128 and the signal's number when a signal ended it; 2 for wrong options, 3 when ranks "
        "cannot be started.",
    .example = "trainyard ranks --ranks 2 -- train --data-dir cifar10 --steps 5\n"
               "trainyard ranks --gpus 8 -- train --backend cuda --data-dir cifar10\n"
               "trainyard ranks --gpus 8 -- bench-allreduce --comm nccl --check",
    .options = options,
    .operand_count_min = 1,
    .operand_count_max = RANKS_OPERANDS_MAX,
    .operand_kind = OPERANDS_FILES,
};
