#include "trainer/allreduce_bench.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "trainer/host.h"
#include "trainer/timeline.h"

/* Whole numbers up to 15, so that a float holds every sum of up to a million ranks exactly. */
static float input_of(int32_t rank, int64_t i)
{
    return (float)((i * 7 + rank * INT64_C(3)) % 16);
}

AllreduceBench allreduce_bench_open(Comm *comm, int64_t count_max)
{
    AllreduceBench bench = {
        .comm = comm,
        .count_max = count_max,
        .input = host_floats(count_max),
        .output = host_floats(count_max),
    };
    for (int64_t i = 0; i < count_max; i++)
        bench.input[i] = input_of(comm_rank(comm), i);
    return bench;
}

void allreduce_bench_close(AllreduceBench *bench)
{
    free(bench->input);
    free(bench->output);
}

static void copy_input(const AllreduceBench *bench, int64_t count)
{
    memcpy(bench->output, bench->input, (size_t)count * sizeof(float));
}

/* One sum; in place, of whatever is there, which grows from sum to sum. */
static bool sum_once(const AllreduceBench *bench, int64_t count, bool is_in_place, Status *status)
{
    if (!is_in_place)
        copy_input(bench, count);
    return comm_sum(bench->comm, bench->output, count, status);
}

static bool warm_up(const AllreduceBench *bench, int64_t count, bool is_in_place, Status *status)
{
    copy_input(bench, count);
    for (int64_t i = 0; i < bench->warmup; i++)
        if (!sum_once(bench, count, is_in_place, status))
            return false;
    return comm_barrier(bench->comm, status);
}

static bool count_wrong(const AllreduceBench *bench, int64_t count, double *wrong, Status *status)
{
    copy_input(bench, count);
    if (!sum_once(bench, count, true, status))
        return false;
    *wrong = 0;
    for (int64_t i = 0; i < count; i++) {
        float sum = 0;
        for (int32_t rank = 0; rank < comm_size(bench->comm); rank++)
            sum += input_of(rank, i);
        *wrong += bench->output[i] != sum;
    }
    return comm_sum_doubles(bench->comm, wrong, 1, status);
}

bool allreduce_bench_time(const AllreduceBench *bench, int64_t count, bool is_in_place,
                          SumTiming *timing, Status *status)
{
    *timing = (SumTiming){0};
    if (!warm_up(bench, count, is_in_place, status))
        return false;
    const int64_t begin_ns = timeline_clock_ns();
    for (int64_t i = 0; i < bench->iterations; i++)
        if (!sum_once(bench, count, is_in_place, status))
            return false;
    timing->time_us = (double)(timeline_clock_ns() - begin_ns) / (double)NS_PER_US /
                      (double)bench->iterations / (double)comm_size(bench->comm);
    return comm_sum_doubles(bench->comm, &timing->time_us, 1, status) &&
           (!bench->checks || count_wrong(bench, count, &timing->wrong, status));
}

bool allreduce_bench_spread(const AllreduceBench *bench, int64_t count, Spread *spread_us,
                            Status *status)
{
    const int64_t times = bench->iterations;
    double *each_us = memory_zeroed((size_t)times * sizeof *each_us);
    bool is_fine = warm_up(bench, count, true, status);
    for (int64_t i = 0; is_fine && i < times; i++) {
        const int64_t begin_ns = timeline_clock_ns();
        is_fine = sum_once(bench, count, true, status);
        each_us[i] = (double)(timeline_clock_ns() - begin_ns) / (double)NS_PER_US;
    }
    *spread_us = spread_of(each_us, times);
    free(each_us);
    return is_fine && comm_broadcast(bench->comm, spread_us, sizeof *spread_us, status);
}

double algorithm_bandwidth(int64_t bytes, double time_us)
{
    return time_us > 0 ? (double)bytes / (time_us * 1000) : 0; // bytes per ns are GB/s
}

double bus_bandwidth(int64_t bytes, double time_us, int32_t ranks)
{
    return algorithm_bandwidth(bytes, time_us) * 2 * (ranks - 1) / ranks;
}
