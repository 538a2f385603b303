#include "sim/study/statistics/bootstrap.h"

#include <math.h>

#include "sim/base/invariant.h"
#include "sim/base/philox.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"

static const char *const mark_words[] = {
    [RATIO_GOOD] = "",
    [RATIO_TOO_FEW] = "too few runs for a bootstrap: the interval is the jackknife's",
    [RATIO_NO_DIVISOR] = "no ratio: nothing to divide by in all or most runs",
    [RATIO_DISAGREE] = "too few runs: bootstrap and jackknife disagree about the interval",
};

const char *bootstrap_words(RatioMark mark)
{
    return mark_words[mark];
}

/* Totals of both columns. */
typedef struct {
    double above, below;
} Totals;

static double ratio_of(Totals totals)
{
    return totals.above / totals.below;
}

static Totals add_up(const double *above, const double *below, int32_t count)
{
    Totals totals = {0};
    for (int32_t i = 0; i < count; i++) {
        totals.above += above[i];
        totals.below += below[i];
    }
    return totals;
}

/* --- Jackknife --- */

typedef struct {
    double mean;         /* of the ratios without one run each */
    double squares;      /* sum of squared deviations from it */
    double cubes;        /* of mean - ratio, cubed */
    bool has_no_divisor; /* without some run */
} LeftOut;

static LeftOut leave_out_each(const double *above, const double *below, int32_t count,
                              Totals totals, double *ratios)
{
    LeftOut left_out = {0};
    for (int32_t i = 0; i < count; i++) {
        ratios[i] = ratio_of((Totals){totals.above - above[i], totals.below - below[i]});
        if (!(totals.below - below[i] > 0))
            left_out.has_no_divisor = true;
    }
    if (left_out.has_no_divisor)
        return left_out;
    left_out.mean = statistics_mean(ratios, count);
    for (int32_t i = 0; i < count; i++) {
        double rest = left_out.mean - ratios[i];
        left_out.squares += rest * rest;
        left_out.cubes += rest * rest * rest;
    }
    return left_out;
}

/* --- Bootstrap --- */

int32_t bootstrap_run(uint64_t seed, int32_t resample, int32_t i, int32_t count)
{
    // The last word of the counter is outside of those that runs and designs use.
    const uint32_t of_bootstraps = UINT32_C(0xb0070000);
    const PhiloxBlock counter = {.word = {(uint32_t)i, (uint32_t)resample, 0, of_bootstraps}};
    return (int32_t)((uint64_t)philox(seed, counter).word[0] * (uint64_t)count >> 32);
}

/* Sets ratios[resample], sorted. False when a resample has no divisor. */
static bool resample_ratios(const double *above, const double *below, int32_t count, uint64_t seed,
                            double *ratios)
{
    for (int32_t b = 0; b < BOOTSTRAP_RESAMPLES; b++) {
        Totals totals = {0};
        for (int32_t i = 0; i < count; i++) {
            int32_t run = bootstrap_run(seed, b, i, count);
            totals.above += above[run];
            totals.below += below[run];
        }
        if (!(totals.below > 0))
            return false;
        ratios[b] = ratio_of(totals);
    }
    statistics_sort(ratios, BOOTSTRAP_RESAMPLES);
    return true;
}

/* The normal quantile of the share of resamples below the ratio of all runs; equal ones count half.
 */
static double bias_quantile(const double *sorted, double ratio)
{
    double below = 0;
    for (int32_t b = 0; b < BOOTSTRAP_RESAMPLES; b++)
        below += sorted[b] < ratio ? 1 : sorted[b] == ratio ? 0.5 : 0;
    double least = 0.5, most = BOOTSTRAP_RESAMPLES - 0.5;
    return normal_quantile(fmin(most, fmax(least, below)) / BOOTSTRAP_RESAMPLES);
}

/* The bound at `level`: the resamples' quantile at the level that bias and acceleration shift it
 * to. */
static double bca_bound(const double *sorted, double bias, double acceleration, double level)
{
    double z = bias + normal_quantile(level);
    double shifted = normal_probability(bias + z / (1 - acceleration * z));
    double place = shifted * (BOOTSTRAP_RESAMPLES + 1) - 1;
    place = fmin(BOOTSTRAP_RESAMPLES - 1, fmax(0, place));
    int32_t low = (int32_t)floor(place);
    int32_t high = low + 1 < BOOTSTRAP_RESAMPLES ? low + 1 : low;
    return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}

/* The level of a bound whose distance from the middle is Student's instead of the normal one, and
 * which makes up for the spread of resamples, which is too small by sqrt(1 - 1 / count). */
static double expanded_level(double t, int32_t count)
{
    return normal_probability(t * sqrt(count / (count - 1.0)));
}

Ratio bootstrap_ratio(const double *above, const double *below, int32_t count, double confidence,
                      uint64_t seed, Arena *scratch)
{
    invariant(count >= 1);
    const double level = 1 - (1 - confidence) / 2;
    const Totals totals = add_up(above, below, count);
    double value = totals.below > 0 ? ratio_of(totals) : NAN;
    Ratio ratio = {
        .bca = {value, -INFINITY, INFINITY, count, confidence},
        .jackknife = {value, INFINITY, count, confidence},
        .mark = RATIO_NO_DIVISOR,
    };
    double *without = ARENA_ARRAY(scratch, double, count);
    double *resampled = ARENA_ARRAY(scratch, double, BOOTSTRAP_RESAMPLES);
    LeftOut left_out = leave_out_each(above, below, count, totals, without);
    if (left_out.has_no_divisor)
        return ratio;
    ratio.jackknife.mean = count * value - (count - 1) * left_out.mean;
    const double t = student_quantile(level, count - 1);
    ratio.jackknife.half_width = t * sqrt(left_out.squares * (count - 1) / (double)count);
    if (count < BOOTSTRAP_RUNS_LEAST) {
        ratio.bca = estimate_interval(&ratio.jackknife);
        ratio.mark = RATIO_TOO_FEW;
        return ratio;
    }
    if (!resample_ratios(above, below, count, seed, resampled))
        return ratio;
    double power = left_out.squares * sqrt(left_out.squares);
    double acceleration = power > 0 ? left_out.cubes / (6 * power) : 0;
    double bias = bias_quantile(resampled, value);
    const double expanded = expanded_level(t, count);
    ratio.bca.low = bca_bound(resampled, bias, acceleration, 1 - expanded);
    ratio.bca.high = bca_bound(resampled, bias, acceleration, expanded);
    double width = (ratio.bca.high - ratio.bca.low) / 2, other = ratio.jackknife.half_width;
    ratio.mark = width > 1.5 * other || other > 1.5 * width ? RATIO_DISAGREE : RATIO_GOOD;
    return ratio;
}
