#include "sim/engine/sample.h"

#include "sim/base/invariant.h"
#include "sim/base/wide.h"
#include "sim/model/random_math.h"

int64_t quantiles_at(Quantiles quantiles, uint64_t word)
{
    const QuantileKnot *knots = quantiles.knots;
    uint64_t at = (word >> 32) * (uint64_t)PPM; // in units of 2^-32 ppm
    int32_t upper = 1;
    while (upper < quantiles.count && at >= (uint64_t)knots[upper].probability_ppm << 32)
        upper++;
    const QuantileKnot *low = &knots[upper - 1];
    if (upper == quantiles.count)
        return low->value;
    const QuantileKnot *high = &knots[upper];
    WideUnsigned rise = (WideUnsigned)(at - ((uint64_t)low->probability_ppm << 32)) *
                        (uint64_t)(high->value - low->value);
    uint64_t run = (uint64_t)(high->probability_ppm - low->probability_ppm) << 32;
    return low->value + (int64_t)(rise / run);
}

/* The integral over x of 1 - P(x)^n, where P rises on a line from `p_low` to `p_high` over a
 * distance `width`. */
static double tail_of_max(double width, double p_low, double p_high, int32_t n)
{
    double mean_power = p_high > p_low
                            ? (random_power(p_high, n + 1) - random_power(p_low, n + 1)) /
                                  ((n + 1) * (p_high - p_low))
                            : random_power(p_low, n);
    return width * (1 - mean_power);
}

/* If P is the distribution function of one sample, P^n is that of the largest of n samples. Its
 * mean excess over t is the integral of 1 - P^n from t to infinity. */
static double mean_excess(Quantiles quantiles, int32_t draws, double threshold)
{
    const QuantileKnot *knots = quantiles.knots;
    double first = (double)knots[0].value;
    double sum = threshold < first ? first - threshold : 0;
    for (int32_t i = 1; i < quantiles.count; i++) {
        double low = (double)knots[i - 1].value;
        double high = (double)knots[i].value;
        if (high <= low || high <= threshold)
            continue;
        double p_low = (double)knots[i - 1].probability_ppm / (double)PPM;
        double p_high = (double)knots[i].probability_ppm / (double)PPM;
        if (threshold > low) {
            p_low += (p_high - p_low) * (threshold - low) / (high - low);
            low = threshold;
        }
        sum += tail_of_max(high - low, p_low, p_high, draws);
    }
    return sum;
}

int64_t quantiles_mean_excess(Quantiles quantiles, int32_t draws, int64_t threshold)
{
    invariant(draws >= 1);
    return rounded_capped(mean_excess(quantiles, draws, (double)threshold));
}

int64_t quantiles_mean_of_max(Quantiles quantiles, int32_t draws)
{
    int64_t least = quantiles.knots[0].value;
    return wide_capped((Wide)least + quantiles_mean_excess(quantiles, draws, least));
}

int64_t quantiles_mean(Quantiles quantiles)
{
    return quantiles_mean_of_max(quantiles, 1);
}

static double shape_of(Distribution distribution)
{
    invariant(distribution.shape_ppm >= DISTRIBUTION_SHAPE_LEAST_PPM);
    invariant(distribution.shape_ppm <= DISTRIBUTION_SHAPE_MOST_PPM);
    return (double)distribution.shape_ppm / (double)PPM;
}

int64_t distribution_at(Distribution distribution, uint64_t word)
{
    // With 48 bits and a half both p and 1 - p are exact, and neither is 0.
    double p = ((double)(word >> 16) + 0.5) * 0x1p-48;
    double scale = (double)distribution.scale;
    switch (distribution.kind) {
    case DISTRIBUTION_QUANTILES:
        return quantiles_at(distribution.quantiles, word);
    case DISTRIBUTION_EXPONENTIAL:
        return rounded_capped(scale * -random_log(1 - p));
    case DISTRIBUTION_WEIBULL:
        return rounded_capped(scale *
                              random_exp(random_log(-random_log(1 - p)) / shape_of(distribution)));
    case DISTRIBUTION_LOGNORMAL:
        return rounded_capped(scale * random_exp(shape_of(distribution) * random_normal(p)));
    }
    invariant_broken("a distribution of a known kind", __FILE__, __LINE__);
}

int64_t distribution_above(Distribution distribution, uint64_t word, int64_t least)
{
    // The first word whose value is more than `least`: values rise with their words.
    uint64_t low = 0, high = UINT64_MAX;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (distribution_at(distribution, middle) > least)
            high = middle;
        else
            low = middle + 1;
    }
    const WideUnsigned words = (WideUnsigned)UINT64_MAX - low + 1;
    return distribution_at(distribution, low + (uint64_t)(words * word >> 64));
}

int64_t distribution_mean(Distribution distribution)
{
    double scale = (double)distribution.scale;
    switch (distribution.kind) {
    case DISTRIBUTION_QUANTILES:
        return quantiles_mean(distribution.quantiles);
    case DISTRIBUTION_EXPONENTIAL:
        return distribution.scale;
    case DISTRIBUTION_WEIBULL:
        return rounded_capped(scale * random_gamma(1 + 1 / shape_of(distribution)));
    case DISTRIBUTION_LOGNORMAL: {
        double sigma = shape_of(distribution);
        return rounded_capped(scale * random_exp(sigma * sigma / 2));
    }
    }
    invariant_broken("a distribution of a known kind", __FILE__, __LINE__);
}
