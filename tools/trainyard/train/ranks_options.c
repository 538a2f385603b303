#include "tools/trainyard/train/ranks_options.h"

#include "sim/base/units.h"

enum { LOCAL_RANKS_MAX = 1024, RANKS_OPERANDS_MAX = 1 << 20 };

const RanksOptions ranks_option_defaults = {.timeout_ns = 60 * NS_PER_S, .grace_ns = 5 * NS_PER_S};

static const Option options[] = {
    {.name = "gpus",
     .letter = 'g',
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "start a rank for each of the first N GPUs of this machine",
     .offset = offsetof(RanksOptions, gpus),
     .minimum = 1,
     .maximum = LOCAL_RANKS_MAX},
    {.name = "ranks-per-gpu",
     .kind = OPTION_INTEGER,
     .argument = "M",
     .help = "start M ranks for each of them (1); NCCL takes no more than 1",
     .offset = offsetof(RanksOptions, ranks_per_gpu),
     .minimum = 1,
     .maximum = LOCAL_RANKS_MAX},
    {.name = "ranks",
     .letter = 'n',
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "start N ranks, whatever they compute with",
     .offset = offsetof(RanksOptions, ranks),
     .minimum = 1,
     .maximum = LOCAL_RANKS_MAX},
    {.name = "tag",
     .kind = OPTION_FLAG,
     .help = "begin each line with the rank that it is of: \"[2] \"",
     .offset = offsetof(RanksOptions, is_tagged)},
    {.name = "timeout",
     .kind = OPTION_DURATION,
     .argument = "TIME",
     .help = "give up when a rank has not come to the others after TIME (60s)",
     .offset = offsetof(RanksOptions, timeout_ns)},
    {.name = "grace",
     .kind = OPTION_DURATION,
     .argument = "TIME",
     .help = "kill ranks that do not end TIME after they were asked to (5s)",
     .offset = offsetof(RanksOptions, grace_ns)},
    {0},
};

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
