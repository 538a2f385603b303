#include "sim/study/statistics/order_values.h"

/* The time at `rank`, which is between the ranks `*after` - 1 and `*after`; moves on to them. */
static double time_at(const OrderedTimes *run, int64_t rank, int32_t *after)
{
    while (run->ranks[*after] < rank)
        ++*after;
    const int64_t high = run->ranks[*after];
    if (high == rank)
        return run->times[*after];
    const int64_t low = run->ranks[*after - 1];
    const double below = run->times[*after - 1], above = run->times[*after];
    return below + (above - below) * (double)(rank - low) / (double)(high - low);
}

/* The rank ceil((i + 1) all / count), without a product that overflows. */
static int64_t rank_of(int64_t i, int64_t count, int64_t all)
{
    const int64_t whole = all / count, rest = all % count;
    return (i + 1) * whole + ((i + 1) * rest + count - 1) / count;
}

RunValues order_values(Arena *arena, const OrderedTimes *run, int64_t jobs_a_value)
{
    const int64_t count = (run->jobs + jobs_a_value - 1) / jobs_a_value;
    double *values = ARENA_ARRAY(arena, double, count);
    int32_t after = 0;
    for (int64_t i = 0; i < count; i++)
        values[i] = time_at(run, rank_of(i, count, run->jobs), &after);
    return (RunValues){.sorted = values, .count = count};
}

RunValues thinned_values(Arena *arena, const double *sorted, int64_t count, int64_t values_a_value)
{
    const int64_t kept = (count + values_a_value - 1) / values_a_value;
    double *values = ARENA_ARRAY(arena, double, kept);
    for (int64_t i = 0; i < kept; i++)
        values[i] = sorted[rank_of(i, kept, count) - 1];
    return (RunValues){.sorted = values, .count = kept};
}
