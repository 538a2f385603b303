/* RMSprop as Keras 2.2 computes it:
 *
 *     a = rho * a + (1 - rho) * g^2
 *     p = p - rate / (1 + decay * iteration) * g / (sqrt(a) + epsilon)
 *
 * `iteration` is 0 at the first step; `a` begins at 0. (keras/optimizers.py, class RMSprop.) */
#ifndef TRAINER_OPTIMIZER_H
#define TRAINER_OPTIMIZER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double learning_rate; /* of the whole job: the script's rate times the number of ranks */
    double rho, decay, epsilon;
} RmsProp;

/* Keras' defaults: rho 0.9, decay 1e-6, epsilon 1e-7. */
RmsProp rmsprop_of_keras(double learning_rate);

/* The rate of one step, as a float: Keras computes in float32. */
float rmsprop_rate(const RmsProp *optimizer, int64_t iteration);

/* One step of `count` parameters. The gradient of each is multiplied by `gradient_scale` first: 1 /
 * ranks turns the sum into the mean. Uses IEEE float arithmetic in a fixed order: the same bits on
 * every machine. False if a weight is not finite afterwards. This detects a NaN anywhere in the
 * network, even if a ReLU hides it from the loss. */
bool rmsprop_update(const RmsProp *optimizer, float rate, float gradient_scale, int64_t count,
                    const float *gradients, float *accumulators, float *weights);

#endif
