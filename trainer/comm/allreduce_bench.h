/* Times the sum over ranks, as NVIDIA's nccl-tests do (https://github.com/NVIDIA/nccl-tests,
 * doc/PERFORMANCE.md). Collective: all ranks call in the same order and get the same results. */
#ifndef TRAINER_ALLREDUCE_BENCH_H
#define TRAINER_ALLREDUCE_BENCH_H

#include "trainer/base/spread.h"
#include "trainer/comm/sum_place.h"

typedef struct {
    Comm *comm;        /* borrowed */
    int64_t count_max; /* floats */
    float *input;      /* [count_max] */
    const SumPlace *place;
    void *state; /* belongs to `place` */
    int64_t iterations, warmup;
    bool checks;
    int64_t between_count; /* floats */
    float *between;        /* [between_count], borrowed */
} AllreduceBench;

/* `count_max` is at least 1. The caller sets `iterations`, at least 1, and the optional fields
 * after opening.
 *
 * Consecutive sums find their values in the caches. In a training, a whole step replaces the
 * caches' contents between two sums. With `between_count` > 0, each rank therefore works on
 * `between` before each timed sum. A barrier precedes the sum, so that waiting for other ranks is
 * not measured. Fails if `place` cannot be opened; there is nothing to close then. */
MUST_CHECK bool allreduce_bench_open(Comm *comm, const SumPlace *place, int64_t count_max,
                                     AllreduceBench *bench, Status *status);
void allreduce_bench_close(AllreduceBench *bench);

typedef struct {
    double time_us; /* of one sum: mean of all iterations and ranks; with `between_count` > 0 the
                       mean of the ranks' medians */
    double wrong;   /* values of all ranks that are not the sum, when checked */
} SumTiming;

/* Sums `count` floats, in place or with a copy of the input before. */
MUST_CHECK bool allreduce_bench_time(const AllreduceBench *bench, int64_t count, bool is_in_place,
                                     SumTiming *timing, Status *status);

/* The spread of the times of single sums of `count` floats in place, measured on rank 0. */
MUST_CHECK bool allreduce_bench_spread(const AllreduceBench *bench, int64_t count,
                                       Spread *spread_us, Status *status);

/* Gigabytes (10^9 bytes) per second. The algorithm bandwidth is that of the values. The bus
 * bandwidth is the part that an optimal algorithm sends over each rank's connection, 2(n-1)/n of
 * it. */
double algorithm_bandwidth(int64_t bytes, double time_us);
double bus_bandwidth(int64_t bytes, double time_us, int32_t ranks);

#endif
