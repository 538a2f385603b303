/* The options of `trainyard bench-allreduce`. */
#ifndef TRAINER_OPTIONS_BENCH_ALLREDUCE_OPTIONS_H
#define TRAINER_OPTIONS_BENCH_ALLREDUCE_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    int64_t min_bytes, max_bytes; /* of the summed values */
    int64_t factor;               /* from one size to the next */
    int64_t iterations, warmup;   /* timed sums, and sums before them */
    int64_t between_bytes;        /* memory to work on before each timed sum; 0: none */
    bool checks, is_json;
    int comm; /* index into comm_words */
} BenchAllreduceOptions;

extern const BenchAllreduceOptions bench_allreduce_defaults;
extern const OptionTable bench_allreduce_option_table;

#endif
