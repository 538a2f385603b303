/* The options of `trainyard bench-training`. */
#ifndef TRAINER_OPTIONS_BENCH_TRAINING_OPTIONS_H
#define TRAINER_OPTIONS_BENCH_TRAINING_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    const char *data_folder; /* NULL: random bytes */
    const char *network;
    int64_t batch_size; /* of each rank */
    int64_t steps, warmup;
    int64_t seed;
    int backend, precision, engine, comm; /* indices into the words of the options */
    int64_t threads;                      /* of each rank */
    bool has_profile, has_sgemm, is_json;
} BenchTrainingOptions;

extern const BenchTrainingOptions bench_training_option_defaults;
extern const OptionTable bench_training_option_table;

#endif
