#include "trainer/compute/optimizer.h"

#include <math.h>
#include <string.h>

#include "trainer/base/vectors.h"

RmsProp rmsprop_of_keras(double learning_rate)
{
    return (RmsProp){.learning_rate = learning_rate, .rho = 0.9, .decay = 1e-6, .epsilon = 1e-7};
}

float rmsprop_rate(const RmsProp *optimizer, int64_t iteration)
{
    return (float)(optimizer->learning_rate / (1.0 + optimizer->decay * (double)iteration));
}

typedef struct {
    float rho, rest, epsilon, rate, gradient_scale;
} Factors;

/* Returns true if all new weights are finite: the exponent bits of other values are all ones. The
 * test uses integers, because compilers may reorder their "or", unlike a sum of floats. */
VECTORISED
static bool rmsprop_loop(Factors by, int64_t count, const float *restrict gradients,
                         float *restrict accumulators, float *restrict weights)
{
    const uint32_t exponent = UINT32_C(0x7f800000);
    uint32_t not_finite = 0;
    for (int64_t i = 0; i < count; i++) {
        float gradient = gradients[i] * by.gradient_scale;
        float mean_square = by.rho * accumulators[i] + by.rest * (gradient * gradient);
        accumulators[i] = mean_square;
        const float weight = weights[i] - by.rate * gradient / (sqrtf(mean_square) + by.epsilon);
        weights[i] = weight;
        uint32_t bits;
        memcpy(&bits, &weight, sizeof bits);
        not_finite |= (bits & exponent) == exponent;
    }
    return not_finite == 0;
}

bool rmsprop_update(const RmsProp *optimizer, float rate, float gradient_scale, int64_t count,
                    const float *gradients, float *accumulators, float *weights)
{
    const float rho = (float)optimizer->rho;
    Factors by = {.rho = rho,
                  .rest = 1.0f - rho, // computed from the rounded rho, as in Keras
                  .epsilon = (float)optimizer->epsilon,
                  .rate = rate,
                  .gradient_scale = gradient_scale};
    return rmsprop_loop(by, count, gradients, accumulators, weights);
}
