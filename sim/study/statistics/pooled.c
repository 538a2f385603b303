#include "sim/study/statistics/pooled.h"

#include <math.h>

#include "sim/study/statistics/sample.h"

static int64_t count_all(const RunValues *runs, int32_t run_count)
{
    int64_t count = 0;
    for (int32_t r = 0; r < run_count; r++)
        count += runs[r].count;
    return count;
}

/* How many values of a run are at most `limit`. */
static int64_t count_within(const RunValues *run, double limit)
{
    int64_t low = 0, high = run->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (run->sorted[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t count_all_within(const RunValues *runs, int32_t run_count, double limit)
{
    int64_t count = 0;
    for (int32_t r = 0; r < run_count; r++)
        count += count_within(&runs[r], limit);
    return count;
}

/* Whether a limit is high enough for a purpose; true for all limits above one for which it is. */
typedef bool IsEnough(void *context, double limit);

/* The first of `count` sorted values that is enough, or `count`. */
static int64_t first_enough(const double *sorted, int64_t count, IsEnough *is_enough, void *context)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (is_enough(context, sorted[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The smallest value of all runs that is enough; INFINITY: none is. */
static double least_enough(const RunValues *runs, int32_t run_count, IsEnough *is_enough,
                           void *context)
{
    double least = INFINITY;
    for (int32_t r = 0; r < run_count; r++) {
        const double *sorted = runs[r].sorted;
        int64_t count = runs[r].count;
        while (count > 0 && sorted[count - 1] >= least)
            count = count / 2 > 0 && sorted[count / 2] >= least ? count / 2 : count - 1;
        // Most runs end here: their largest value below the least so far is not enough.
        if (count > 0 && is_enough(context, sorted[count - 1]))
            least = sorted[first_enough(sorted, count - 1, is_enough, context)];
    }
    return least;
}

/* --- The quantile --- */

typedef struct {
    const RunValues *runs;
    int32_t run_count;
    int64_t rank;
} RankSearch;

static bool reaches_rank(void *context, double limit)
{
    const RankSearch *search = context;
    return count_all_within(search->runs, search->run_count, limit) >= search->rank;
}

double pooled_quantile(const RunValues *runs, int32_t run_count, double quantile)
{
    RankSearch search = {.runs = runs,
                         .run_count = run_count,
                         .rank = statistics_rank(count_all(runs, run_count), quantile)};
    return least_enough(runs, run_count, reaches_rank, &search);
}

/* --- Bounds by shares --- */

typedef struct {
    const RunValues *runs;
    int32_t run_count;
    double *within; /* [run]: values at most the limit */
    double *counts; /* [run] */
    double quantile, confidence;
    bool is_upper;
} BoundSearch;

/* The share of all values that are at most `limit` is a ratio of totals over the runs. Its interval
 * is t with the residuals within - share * count (W. G. Cochran, "Sampling Techniques", 1977,
 * section 3.12), so runs may have different numbers of values. */
static Estimate share_estimate(const BoundSearch *search, double limit)
{
    double all = 0, below = 0;
    for (int32_t r = 0; r < search->run_count; r++) {
        search->within[r] = (double)count_within(&search->runs[r], limit);
        below += search->within[r];
        all += search->counts[r];
    }
    double share = below / all;
    for (int32_t r = 0; r < search->run_count; r++)
        search->within[r] -= share * search->counts[r];
    Estimate estimate = estimate_mean(search->within, search->run_count, search->confidence);
    estimate.half_width *= search->run_count / all;
    estimate.mean = share;
    return estimate;
}

/* The upper bound's share exceeds the quantile for certain; the lower bound's might be the
 * quantile. */
static bool share_is_enough(void *context, double limit)
{
    const BoundSearch *search = context;
    Estimate share = share_estimate(search, limit);
    return search->is_upper ? share.mean - share.half_width >= search->quantile
                            : share.mean + share.half_width >= search->quantile;
}

Interval pooled_quantile_bounds(const RunValues *runs, int32_t run_count, double quantile,
                                double confidence, Arena *scratch)
{
    BoundSearch search = {.runs = runs,
                          .run_count = run_count,
                          .within = ARENA_ARRAY(scratch, double, run_count),
                          .counts = ARENA_ARRAY(scratch, double, run_count),
                          .quantile = quantile,
                          .confidence = confidence};
    for (int32_t r = 0; r < run_count; r++)
        search.counts[r] = (double)runs[r].count;
    Interval interval = {.value = pooled_quantile(runs, run_count, quantile),
                         .low = -INFINITY,
                         .high = INFINITY,
                         .count = run_count,
                         .confidence = confidence};
    if (run_count < 2)
        return interval;
    interval.low = least_enough(runs, run_count, share_is_enough, &search);
    search.is_upper = true;
    interval.high = least_enough(runs, run_count, share_is_enough, &search);
    return interval;
}
