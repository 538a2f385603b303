/* What `trainyard bench-allreduce` takes. */
#ifndef TRAINER_OPTIONS_BENCH_ALLREDUCE_OPTIONS_H
#define TRAINER_OPTIONS_BENCH_ALLREDUCE_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    int64_t min_bytes, max_bytes; /* of the values summed */
    int64_t factor;               /* from one size to the next */
    int64_t iterations, warmup;   /* sums timed, and before them */
    int64_t between_bytes;        /* worked on before each timed sum; 0: sums in a row */
    bool checks, is_json;
    int comm; /* index into comm_words */
} BenchAllreduceOptions;

extern const BenchAllreduceOptions bench_allreduce_defaults;
extern const OptionTable bench_allreduce_option_table;

#endif
