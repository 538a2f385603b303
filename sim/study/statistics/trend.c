#include "sim/study/statistics/trend.h"

#include <math.h>

#include "sim/base/arena.h"
#include "sim/base/units.h"
#include "sim/cloud/spec/resample.h"
#include "sim/model/random_math.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"

/* The slopes of all pairs of amounts above 0, in rising order; returns their number. */
static int32_t sorted_slopes(const double *logs, const int32_t *places, int32_t count,
                             double *slopes)
{
    int32_t made = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = i + 1; j < count; j++)
            slopes[made++] = (logs[j] - logs[i]) / (places[j] - places[i]);
    statistics_sort(slopes, made);
    return made;
}

/* The slopes at the ranks (N -+ z sqrt(n (n - 1) (2 n + 5) / 18)) / 2, rounded outwards. */
static Interval interval_of(const double *slopes, int32_t slope_count, int32_t count)
{
    const double confidence = 0.95, n = count;
    const double reach =
        normal_quantile(1 - (1 - confidence) / 2) * sqrt(n * (n - 1) * (2 * n + 5) / 18);
    const int32_t below = (int32_t)floor((slope_count - reach) / 2);
    const int32_t low = below > 1 ? below - 1 : 0;
    return (Interval){statistics_median(slopes, slope_count), slopes[low],
                      slopes[slope_count - 1 - low], count, confidence};
}

Interval trend_of(const double *amounts, int32_t count)
{
    Interval trend = {(double)NAN, (double)NAN, (double)NAN, 0, 0.95};
    if (count < TREND_LEAST || count > TREND_MOST)
        return trend;
    Arena *scratch = arena_create();
    double *logs = ARENA_ARRAY(scratch, double, count);
    int32_t *places = ARENA_ARRAY(scratch, int32_t, count);
    int32_t known = 0;
    for (int32_t i = 0; i < count; i++)
        if (amounts[i] > 0) {
            places[known] = i;
            logs[known++] = random_log(amounts[i]);
        }
    if (known >= TREND_LEAST) {
        double *slopes = ARENA_ARRAY(scratch, double, known *(known - 1) / 2);
        trend = interval_of(slopes, sorted_slopes(logs, places, known, slopes), known);
    }
    arena_destroy(scratch);
    return trend;
}

Interval trend_of_jobs(const JobList *list, int64_t piece_ns)
{
    Arena *scratch = arena_create();
    const int64_t count = resample_pieces(list, piece_ns);
    double *gpu_s = ARENA_ARRAY(scratch, double, count);
    resample_piece_demand(list, piece_ns, gpu_s);
    const Interval trend = trend_of(gpu_s, (int32_t)count);
    arena_destroy(scratch);
    return trend;
}

/* Percent in a month, a twelfth of a year. */
static double monthly(double slope, int64_t step_ns)
{
    return 100 * (random_exp(slope * ((double)NS_PER_YEAR / 12 / (double)step_ns)) - 1);
}

void trend_print(Text *out, const Interval *trend, int64_t step_ns)
{
    text_printf(out, "%.1f %% a month (95 %%: %.1f to %.1f %%)", monthly(trend->value, step_ns),
                monthly(trend->low, step_ns), monthly(trend->high, step_ns));
}

double trend_end(const Interval *trend, double steps)
{
    const double growth = trend->value * steps;
    return fabs(growth) < 1e-9 ? 1 : growth / (1 - random_exp(-growth));
}
