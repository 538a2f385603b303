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
    void *state; /* of the place */
    int64_t iterations, warmup;
    bool checks;
    int64_t between_count; /* floats */
    float *between;        /* [between_count], borrowed */
} AllreduceBench;

/* `count_max` at least 1; `iterations`, at least 1, and what else is wanted is set by the caller.
 *
 * Sums one after another find their values in the caches. Between the sums of a training a whole
 * step goes through them: with `between_count` > 0, each rank works on `between` before each timed
 * sum, and all meet before it, so that no one's waiting counts. What fails is the place:
 * there is nothing to close then. */
MUST_CHECK bool allreduce_bench_open(Comm *comm, const SumPlace *place, int64_t count_max,
                                     AllreduceBench *bench, Status *status);
void allreduce_bench_close(AllreduceBench *bench);

typedef struct {
    double time_us; /* of one sum: mean of all iterations and ranks; with `between_count` > 0 the
                       mean over the ranks of their medians */
    double wrong;   /* values of all ranks that are not the sum, when checked */
} SumTiming;

/* Sums `count` floats, in place or with a copy of the input before. */
MUST_CHECK bool allreduce_bench_time(const AllreduceBench *bench, int64_t count, bool is_in_place,
                                     SumTiming *timing, Status *status);

/* The single sums in place of `count` floats, as rank 0 saw them one after another. */
MUST_CHECK bool allreduce_bench_spread(const AllreduceBench *bench, int64_t count,
                                       Spread *spread_us, Status *status);

/* Gigabytes (10^9) per second: of the values, and over each rank's connection if it is used as well
 * as can be, 2(n-1)/n of that. */
double algorithm_bandwidth(int64_t bytes, double time_us);
double bus_bandwidth(int64_t bytes, double time_us, int32_t ranks);

#endif
