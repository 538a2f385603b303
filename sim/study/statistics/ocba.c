#include "sim/study/statistics/ocba.h"

#include <math.h>

/* Signals below it count as it: equal candidates share what is left. */
#define SIGNAL_LEAST 1e-3
#define SIGNAL_MOST 1e6

static double weight_of(double signal)
{
    const double bounded = fmin(fmax(signal, SIGNAL_LEAST), SIGNAL_MOST);
    return 1 / (bounded * bounded);
}

void ocba_shares(const OcbaCandidate *candidates, int32_t count, double *shares)
{
    double of_others = 0, sum = 0;
    for (int32_t i = 0; i < count; i++) {
        shares[i] = weight_of(candidates[i].signal);
        if (!candidates[i].is_best && candidates[i].deviation > 0)
            of_others +=
                shares[i] * shares[i] / (candidates[i].deviation * candidates[i].deviation);
    }
    for (int32_t i = 0; i < count; i++) {
        if (candidates[i].is_best)
            shares[i] = fmax(shares[i], candidates[i].deviation * sqrt(of_others));
        sum += shares[i];
    }
    for (int32_t i = 0; i < count; i++)
        shares[i] /= sum;
}
