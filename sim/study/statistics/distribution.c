#include "sim/study/statistics/distribution.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "sim/base/invariant.h"
#include "sim/model/random_math.h"

static const double pi = 0x1.921fb54442d18p+1;

/* --- The beta function by saddle points --- */

/* log(n!) - log(sqrt(2 pi n) (n/e)^n), the error of Stirling's formula, for n > 0 that need not be
 * whole. Stirling's series holds from 15 on; smaller n go up by
 * error(n) = error(n + 1) + (n + 1/2) log((n + 1) / n) - 1. */
static double stirling_error(double n)
{
    double rest = 0;
    for (; n < 15; n += 1)
        rest += (n + 0.5) * random_log((n + 1) / n) - 1;
    double square = 1 / (n * n);
    double series =
        1.0 / 12 -
        square * (1.0 / 360 -
                  square * (1.0 / 1260 -
                            square * (1.0 / 1680 -
                                      square * (1.0 / 1188 - square * (691.0 / 360360 -
                                                                       square * (1.0 / 156))))));
    return rest + series / n;
}

/* x log(x / mean) + mean - x, without cancellation where x is near the mean. */
static double deviance(double x, double mean)
{
    double difference = x - mean;
    if (fabs(difference) >= 0.1 * (x + mean))
        return x * random_log(x / mean) - difference;
    // With v = (x - mean) / (x + mean), log(x / mean) = 2 (v + v^3/3 + v^5/5 + ...).
    double v = difference / (x + mean);
    double sum = difference * v;
    double term = 2 * x * v;
    for (int32_t n = 3; n < 40; n += 2) { // v^2 <= 0.01: 18 terms reach the last bit
        term *= v * v;
        sum += term / n;
    }
    return sum;
}

/* x^a y^b / B(a, b), for y = 1 - x, both in [0, 1]. */
static double beta_factor(double x, double y, double a, double b)
{
    if (x < 1e-290 || y < 1e-290) // quotients would overflow
        return 0;
    double n = a + b;
    double log_rest = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                      deviance(a, n * x) - deviance(b, n * y);
    return sqrt(a * b / (2 * pi * n)) * random_exp(log_rest);
}

/* The continued fraction of I_x(a, b) by Lentz's method as modified by Thompson and Barnett, 1986.
 * It converges within about sqrt(max(a, b)) steps for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1;
    double d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (double m = 1; m < 1e6; m += 1) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double change = 1;
        for (int32_t half = 0; half < 2; half++) {
            double step = half == 0 ? even : odd;
            d = 1 + step * d;
            c = 1 + step / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = d * c;
            value *= change;
        }
        if (fabs(change - 1) <= DBL_EPSILON)
            return value;
    }
    invariant_broken("the continued fraction of the beta function ends", __FILE__, __LINE__);
}

/* I_x(a, b) with y = 1 - x given, so that neither is rounded. */
static double beta_share(double x, double y, double a, double b)
{
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    double factor = beta_factor(x, y, a, b);
    if (x * (a + b + 2) < a + 1)
        return factor * beta_fraction(x, a, b) / a;
    return 1 - factor * beta_fraction(y, b, a) / b;
}

double beta_probability(double x, double a, double b)
{
    invariant(a >= 0.5 && b >= 0.5);
    return beta_share(x, 1 - x, a, b);
}

double binomial_probability(int32_t successes, int32_t trials, double p)
{
    invariant(trials >= 0);
    invariant(p >= 0 && p <= 1);
    if (successes < 0)
        return 0;
    if (successes >= trials)
        return 1;
    return beta_share(1 - p, p, (double)trials - successes, (double)successes + 1);
}

/* --- Quantiles --- */

/* A share of a distribution as a function of x > 0, and its derivative; 0 where both underflow. */
typedef struct {
    double share;
    double slope;
} Share;
typedef Share ShareAt(double x, const double parameters[2]);

typedef struct {
    ShareAt *share_at;
    bool is_rising; /* the share below x rises with x, the share above it falls */
    double parameters[2];
} Distribution;

/* The x above 0 at which a share is `wanted`. Newton's method on the logarithms of both,
 * which are nearly straight lines in a tail. A long step, or one that leaves the bounds, is
 * replaced by the middle of the bounds' logarithms. */
static double solve(const Distribution *of, double wanted, double start)
{
    double low = 0, high = INFINITY, x = start;
    for (int32_t i = 0; i < 200; i++) {
        Share here = of->share_at(x, of->parameters);
        if (here.share == wanted)
            return x;
        bool is_below = (here.share < wanted) == of->is_rising;
        if (is_below)
            low = x;
        else
            high = x;
        double step = here.share > 1e-250 && here.slope != 0
                          ? random_log(wanted / here.share) * here.share / (x * here.slope)
                          : INFINITY;
        double next = fabs(step) < 1 ? x * random_exp(step) : -1;
        if (!(next > low && next < high))
            next = low == 0 ? x / 8 : high == INFINITY ? x * 8 : sqrt(low * high);
        if (fabs(next - x) <= 2 * DBL_EPSILON * x)
            return next;
        x = next;
    }
    return x;
}

/* --- Student's t --- */

/* x = t^2 / (n + t^2) and y = 1 - x, without overflow. */
typedef struct {
    double x, y;
} Parts;

static Parts parts_at(double t, double n)
{
    if (t * t < n) {
        double ratio = t / n * t;
        return (Parts){ratio / (1 + ratio), 1 / (1 + ratio)};
    }
    double ratio = n / t / t;
    return (Parts){1 / (1 + ratio), ratio / (1 + ratio)};
}

/* The share between 0 and t > 0: 1/2 I_x(1/2, n/2). */
static Share student_middle(double t, const double parameters[2])
{
    double half = parameters[0] / 2;
    Parts at = parts_at(t, parameters[0]);
    return (Share){.share = beta_share(at.x, at.y, 0.5, half) / 2,
                   .slope = beta_factor(at.x, at.y, 0.5, half) / t};
}

/* The share above t > 0: 1/2 I_y(n/2, 1/2). */
static Share student_tail(double t, const double parameters[2])
{
    double half = parameters[0] / 2;
    Parts at = parts_at(t, parameters[0]);
    return (Share){.share = beta_share(at.y, at.x, half, 0.5) / 2,
                   .slope = -beta_factor(at.x, at.y, 0.5, half) / t};
}

double student_probability(double t, double freedom)
{
    invariant(freedom >= 1);
    if (t == 0)
        return 0.5;
    const double parameters[2] = {freedom, 0};
    double tail = student_tail(fabs(t), parameters).share;
    return t < 0 ? tail : 1 - tail;
}

double student_quantile(double p, double freedom)
{
    invariant(p > 0 && p < 1);
    invariant(freedom >= 1);
    if (p == 0.5)
        return 0;
    const Distribution middle = {student_middle, true, {freedom, 0}};
    const Distribution above = {student_tail, false, {freedom, 0}};
    double tail = p < 0.5 ? p : 1 - p;
    double start = -random_normal(tail);
    double t = tail > 0.25 ? solve(&middle, 0.5 - tail, start) : solve(&above, tail, start);
    return p < 0.5 ? -t : t;
}

/* --- The normal distribution --- */

/* The share above z >= 0 by the continued fraction of Mills' ratio, for z from 3 on; otherwise by
 * the series of the share between 0 and z (Abramowitz, Stegun, 26.2.14 and 26.2.11). */
static double normal_tail(double z)
{
    double density = random_exp(-z * z / 2) / sqrt(2 * pi);
    if (z >= 3) {
        double fraction = z;
        for (int32_t k = 100; k >= 1; k--)
            fraction = z + k / fraction;
        return density / fraction;
    }
    double term = z, sum = z;
    for (int32_t n = 3; term > sum * 1e-18; n += 2) {
        term *= z * z / n;
        sum += term;
    }
    return 0.5 - density * sum;
}

double normal_probability(double z)
{
    return z < 0 ? normal_tail(-z) : 1 - normal_tail(z);
}

double normal_quantile(double p)
{
    return random_normal(p);
}
