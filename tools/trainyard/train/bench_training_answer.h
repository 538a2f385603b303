/* The output of `trainyard bench-training --json`. */
#ifndef TOOLS_TRAINYARD_BENCH_TRAINING_ANSWER_H
#define TOOLS_TRAINYARD_BENCH_TRAINING_ANSWER_H

#include "sim/schema/field.h"
#include "trainer/base/spread.h"

typedef struct {
    const char *name;
    Spread ms;
} PhaseAnswer;

typedef struct {
    double median, best; /* NaN: not measured */
} PairAnswer;

typedef struct {
    const char *network, *precision, *backend;
    const char *device;  /* NULL: the processor */
    const Json *engines; /* NULL: the backend has none */
    int64_t ranks, threads, batch_size, steps;
    double images_per_s, gflop_per_step, gflop_per_s;
    int64_t kernels; /* PLAIN_UNKNOWN: not known */
    Spread step_ms;
    PhaseAnswer *phases;
    uint32_t phase_count;
    const Json *profile; /* NULL: not asked for */
    PairAnswer sgemm_gflop_per_s, sgemm_share_percent;
} BenchTrainingAnswer;

extern const ObjectType bench_training_answer_type;

#endif
