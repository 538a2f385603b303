#include "sim/study/follow/break_even.h"

#include <math.h>

#include "sim/model/random_math.h"
#include "sim/study/statistics/distribution.h"

/* A price that differs from today's by a larger factor leaves no doubt about the answer. */
static const double FARTHEST_PRICE = 10;

/* Means, variances and covariance of two series. */
typedef struct {
    double x, y, xx, yy, xy;
} Moments;

static Moments moments_of(PricedRuns winner, PricedRuns other, int32_t count)
{
    Moments sum = {0};
    for (int32_t i = 0; i < count; i++) {
        sum.x += (other.total[i] - winner.total[i]) / count;
        sum.y += (winner.part[i] - other.part[i]) / count;
    }
    for (int32_t i = 0; i < count; i++) {
        const double x = other.total[i] - winner.total[i] - sum.x;
        const double y = winner.part[i] - other.part[i] - sum.y;
        sum.xx += x * x / (count - 1);
        sum.yy += y * y / (count - 1);
        sum.xy += x * y / (count - 1);
    }
    return sum;
}

BreakEven break_even_price(PricedRuns winner, PricedRuns other, int32_t count, double confidence)
{
    const Moments at = moments_of(winner, other, count);
    BreakEven found = {.multiple = (double)NAN, .low = (double)NAN, .high = (double)NAN};
    if (at.y == 0)
        return found;
    found.multiple = 1 + at.x / at.y;
    found.is_known = found.multiple >= 1 / FARTHEST_PRICE && found.multiple <= FARTHEST_PRICE;
    // (x - r y)^2 <= t^2 Var(x - r y) / n is a quadratic inequality for r = x / y.
    const double t = student_quantile(1 - (1 - confidence) / 2, count - 1);
    const double g = t * t / count;
    const double a = at.y * at.y - g * at.yy, b = at.x * at.y - g * at.xy,
                 c = at.x * at.x - g * at.xx;
    const double inside = b * b - a * c;
    if (a <= 0 || inside < 0)
        return found;
    found.low = 1 + (b - sqrt(inside)) / a;
    found.high = 1 + (b + sqrt(inside)) / a;
    return found;
}

/* Where the line through two differences is 0, in the logarithm of the rate; `shift` times the
 * half-width is added to both. NAN: they have one sign. */
static double crossing(RateDifference left, RateDifference right, double shift)
{
    const double from = left.difference + shift * left.half_width;
    const double to = right.difference + shift * right.half_width;
    if ((from < 0) == (to < 0))
        return (double)NAN;
    const double part = from / (from - to);
    return left.rate * random_exp(part * random_log(right.rate / left.rate));
}

/* The crossing nearest to 1, upwards before downwards at the same number of steps. */
static double nearest_crossing(const RateDifference *rates, int32_t count, double shift)
{
    int32_t now = 0;
    while (now + 1 < count && rates[now].rate < 1)
        now++;
    for (int32_t steps = 0; steps < count; steps++) {
        const int32_t up = now + steps, down = now - steps - 1;
        const double above =
            up + 1 < count ? crossing(rates[up], rates[up + 1], shift) : (double)NAN;
        if (!isnan(above))
            return above;
        const double below =
            down >= 0 ? crossing(rates[down], rates[down + 1], shift) : (double)NAN;
        if (!isnan(below))
            return below;
    }
    return (double)NAN;
}

BreakEven break_even_rate(const RateDifference *rates, int32_t count)
{
    BreakEven found = {.multiple = nearest_crossing(rates, count, 0),
                       .low = nearest_crossing(rates, count, -1),
                       .high = nearest_crossing(rates, count, 1)};
    found.is_known = !isnan(found.multiple);
    if (!isnan(found.low) && !isnan(found.high) && found.low > found.high) {
        const double low = found.high;
        found.high = found.low;
        found.low = low;
    }
    return found;
}
