/* The output of `trainyard bench-allreduce --json`. */
#ifndef TOOLS_TRAINYARD_BENCH_ALLREDUCE_ANSWER_H
#define TOOLS_TRAINYARD_BENCH_ALLREDUCE_ANSWER_H

#include "sim/schema/field.h"

typedef struct {
    double time_us, algorithm_gb_per_s, bus_gb_per_s;
    int64_t wrong; /* PLAIN_UNKNOWN: the values were not checked */
} SumAnswer;

typedef struct {
    int64_t bytes, count;
    const char *type, *operation;
    SumAnswer out_of_place, in_place;
} SumRowAnswer;

typedef struct {
    const char *network;
    int64_t bytes;
    double median_us, min_us, p90_us;
} GradientsAnswer;

typedef struct {
    const char *version, *comm;
    int64_t ranks, local_ranks, local_cores, warmup, iterations, between_bytes;
    SumRowAnswer *rows;
    uint32_t row_count;
    double mean_bus_gb_per_s;
    GradientsAnswer gradients;
} BenchAllreduceAnswer;

extern const ObjectType bench_allreduce_answer_type;

#endif
