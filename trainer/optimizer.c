#include "trainer/optimizer.h"

#include <math.h>

RmsProp rmsprop_of_keras(double learning_rate)
{
    return (RmsProp){.learning_rate = learning_rate, .rho = 0.9, .decay = 1e-6, .epsilon = 1e-7};
}

float rmsprop_rate(const RmsProp *optimizer, int64_t iteration)
{
    return (float)(optimizer->learning_rate / (1.0 + optimizer->decay * (double)iteration));
}

void rmsprop_update(const RmsProp *optimizer, float rate, float gradient_scale, int64_t count,
                    const float *restrict gradients, float *restrict accumulators,
                    float *restrict weights)
{
    const float rho = (float)optimizer->rho, rest = 1.0f - rho; // as Keras: of the rounded rho
    const float epsilon = (float)optimizer->epsilon;
    for (int64_t i = 0; i < count; i++) {
        float gradient = gradients[i] * gradient_scale;
        float mean_square = rho * accumulators[i] + rest * (gradient * gradient);
        accumulators[i] = mean_square;
        weights[i] -= rate * gradient / (sqrtf(mean_square) + epsilon);
    }
}
