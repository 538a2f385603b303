#include "trainer/comm/allreduce_bench.h"

#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "trainer/base/floats.h"

/* Whole numbers up to 15, so that a float holds every sum of up to a million ranks exactly. */
static float input_of(int32_t rank, int64_t i)
{
    return (float)((i * 7 + rank * INT64_C(3)) % 16);
}

bool allreduce_bench_open(Comm *comm, const SumPlace *place, int64_t count_max,
                          AllreduceBench *bench, Status *status)
{
    *bench = (AllreduceBench){
        .comm = comm, .count_max = count_max, .input = floats_zeroed(count_max), .place = place};
    for (int64_t i = 0; i < count_max; i++)
        bench->input[i] = input_of(comm_rank(comm), i);
    if (place->open(comm, bench->input, count_max, &bench->state, status))
        return true;
    free(bench->input);
    return false;
}

void allreduce_bench_close(AllreduceBench *bench)
{
    bench->place->close(bench->state);
    free(bench->input);
}

/* Starts one sum. A sum in place adds up the previous sums, which grow from sum to sum. */
static bool sum_once(const AllreduceBench *bench, int64_t count, bool is_in_place, Status *status)
{
    const SumPlace *place = bench->place;
    return (is_in_place || place->copy(bench->state, count, status)) &&
           place->sum(bench->state, count, status);
}

static bool warm_up(const AllreduceBench *bench, int64_t count, bool is_in_place, Status *status)
{
    if (!bench->place->copy(bench->state, count, status))
        return false;
    for (int64_t i = 0; i < bench->warmup; i++)
        if (!sum_once(bench, count, is_in_place, status))
            return false;
    return bench->place->wait(bench->state, status) && comm_barrier(bench->comm, status);
}

static bool count_wrong(const AllreduceBench *bench, int64_t count, double *wrong, Status *status)
{
    if (!sum_once(bench, count, false, status) || !bench->place->wait(bench->state, status))
        return false;
    const float *sums = bench->place->fetch(bench->state, count, status);
    if (!sums)
        return false;
    *wrong = 0;
    for (int64_t i = 0; i < count; i++) {
        float sum = 0;
        for (int32_t rank = 0; rank < comm_size(bench->comm); rank++)
            sum += input_of(rank, i);
        *wrong += sums[i] != sum;
    }
    return comm_sum_doubles(bench->comm, wrong, 1, status);
}

/* The work of each rank between two sums, followed by a barrier. */
static bool do_between(const AllreduceBench *bench, Status *status)
{
    for (int64_t i = 0; i < bench->between_count; i++)
        bench->between[i] += 1;
    return bench->between_count == 0 || comm_barrier(bench->comm, status);
}

static bool time_each(const AllreduceBench *bench, int64_t count, bool is_in_place,
                      Spread *spread_us, Status *status)
{
    const int64_t times = bench->iterations;
    double *each_us = memory_zeroed((size_t)times * sizeof *each_us);
    bool is_fine = warm_up(bench, count, is_in_place, status);
    for (int64_t i = 0; is_fine && i < times; i++) {
        is_fine = do_between(bench, status);
        const int64_t begin_ns = machine_clock_ns();
        is_fine = is_fine && sum_once(bench, count, is_in_place, status) &&
                  bench->place->wait(bench->state, status);
        each_us[i] = (double)(machine_clock_ns() - begin_ns) / (double)NS_PER_US;
    }
    *spread_us = spread_of(each_us, times);
    free(each_us);
    return is_fine;
}

/* Measures all sums together, as nccl-tests does: the clock is not read between them. */
static bool time_all(const AllreduceBench *bench, int64_t count, bool is_in_place, double *mean_us,
                     Status *status)
{
    if (!warm_up(bench, count, is_in_place, status))
        return false;
    const int64_t begin_ns = machine_clock_ns();
    for (int64_t i = 0; i < bench->iterations; i++)
        if (!sum_once(bench, count, is_in_place, status))
            return false;
    if (!bench->place->wait(bench->state, status))
        return false;
    *mean_us =
        (double)(machine_clock_ns() - begin_ns) / (double)NS_PER_US / (double)bench->iterations;
    return true;
}

/* The time of one sum on this rank. */
static bool time_one(const AllreduceBench *bench, int64_t count, bool is_in_place, double *time_us,
                     Status *status)
{
    Spread spread_us;
    if (bench->between_count == 0)
        return time_all(bench, count, is_in_place, time_us, status);
    if (!time_each(bench, count, is_in_place, &spread_us, status))
        return false;
    *time_us = spread_us.median;
    return true;
}

bool allreduce_bench_time(const AllreduceBench *bench, int64_t count, bool is_in_place,
                          SumTiming *timing, Status *status)
{
    *timing = (SumTiming){0};
    if (!time_one(bench, count, is_in_place, &timing->time_us, status))
        return false;
    timing->time_us /= (double)comm_size(bench->comm);
    return comm_sum_doubles(bench->comm, &timing->time_us, 1, status) &&
           (!bench->checks || count_wrong(bench, count, &timing->wrong, status));
}

bool allreduce_bench_spread(const AllreduceBench *bench, int64_t count, Spread *spread_us,
                            Status *status)
{
    return time_each(bench, count, true, spread_us, status) &&
           comm_broadcast(bench->comm, spread_us, sizeof *spread_us, status);
}

double algorithm_bandwidth(int64_t bytes, double time_us)
{
    return time_us > 0 ? (double)bytes / (time_us * 1000) : 0; // bytes per ns are GB/s
}

double bus_bandwidth(int64_t bytes, double time_us, int32_t ranks)
{
    return algorithm_bandwidth(bytes, time_us) * 2 * (ranks - 1) / ranks;
}
