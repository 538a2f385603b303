#include "sim/study/statistics/screening.h"

#include <math.h>

#include "sim/base/invariant.h"
#include "sim/model/random_math.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"

/* The part of the error that Student's bound has next to a triangle. */
static const double BOUND_PART = 0.1;

static double student_bound(int32_t count, double variance, double error)
{
    return student_quantile(1 - error / SCREENING_LOOKS, count - 1) * sqrt(variance * count);
}

static double triangle(int32_t count, double variance, double indifference, double error)
{
    const double freedom = count - 1;
    const double h2 = freedom * (random_exp(-2 / freedom * random_log(2 * error)) - 1);
    return fmax(0, h2 * variance / (2 * indifference) - indifference * count / 2);
}

double screening_boundary(int32_t count, double variance, double indifference, double error)
{
    invariant(count >= 2);
    invariant(error > 0);
    if (variance == 0)
        return 0;
    if (indifference <= 0)
        return student_bound(count, variance, error);
    return fmin(triangle(count, variance, indifference, (1 - BOUND_PART) * error),
                student_bound(count, variance, BOUND_PART * error));
}

ScreeningSide screening_side(const double *differences, int32_t count, double variance_least,
                             double indifference, double error)
{
    const double variance = fmax(statistics_variance(differences, count), variance_least);
    const double sum = count * statistics_mean(differences, count);
    const double boundary = screening_boundary(count, variance, indifference, error);
    if (sum >= boundary)
        return SCREENING_ABOVE;
    return sum < -boundary ? SCREENING_BELOW : SCREENING_OPEN;
}

double screening_doubt(const double *differences, int32_t count)
{
    const double mean = statistics_mean(differences, count);
    const double error = statistics_standard_error(differences, count);
    if (error == 0)
        return mean == 0 ? 0.5 : 0;
    return student_probability(-fabs(mean) / error, count - 1);
}
