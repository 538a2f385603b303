#include "trainer/optimizer.h"

#include <math.h>

#include "trainer/vectors.h"

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

VECTORISED
static void rmsprop_loop(Factors by, int64_t count, const float *restrict gradients,
                         float *restrict accumulators, float *restrict weights)
{
    for (int64_t i = 0; i < count; i++) {
        float gradient = gradients[i] * by.gradient_scale;
        float mean_square = by.rho * accumulators[i] + by.rest * (gradient * gradient);
        accumulators[i] = mean_square;
        weights[i] -= by.rate * gradient / (sqrtf(mean_square) + by.epsilon);
    }
}

void rmsprop_update(const RmsProp *optimizer, float rate, float gradient_scale, int64_t count,
                    const float *gradients, float *accumulators, float *weights)
{
    const float rho = (float)optimizer->rho;
    Factors by = {.rho = rho,
                  .rest = 1.0f - rho, // as Keras: of the rounded rho
                  .epsilon = (float)optimizer->epsilon,
                  .rate = rate,
                  .gradient_scale = gradient_scale};
    rmsprop_loop(by, count, gradients, accumulators, weights);
}
