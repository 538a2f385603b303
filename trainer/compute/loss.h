/* Softmax and categorical cross-entropy, with which every network ends. */
#ifndef TRAINER_LOSS_H
#define TRAINER_LOSS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "trainer/base/on_gpu.h"

/* Sums over images, so that scores of batches and ranks can be added. */
typedef struct {
    double loss_sum; /* of -log(probability of the right class), natural; not finite after
                        divergence */
    int64_t correct; /* images whose likeliest class is right; the first of equally likely classes
                        counts */
    int64_t images;
} Score;

void score_add(Score *sum, Score more);

/* Keras clips the probability of the right class to [1e-7, 1 - 1e-7] before it takes the logarithm
 * (keras/backend/tensorflow_backend.py, categorical_crossentropy). The loss is therefore constant
 * outside this range, and the gradient of such an image is 0. A NaN is not clipped. */
static inline ALSO_ON_GPU bool loss_is_clipped(double right)
{
    return right < 1e-7 || right > 1.0 - 1e-7;
}

static inline ALSO_ON_GPU double loss_of(double right)
{
    return -log(right < 1e-7 ? 1e-7 : right > 1.0 - 1e-7 ? 1.0 - 1e-7 : right);
}

/* Probabilities [count][classes] of the logits, with the maximum subtracted first. May be in place.
 */
void softmax(const float *logits, int32_t count, int32_t classes, float *probabilities);

/* The score of `count` images. */
Score score_of(const float *probabilities, const uint8_t *labels, int32_t count, int32_t classes);

/* Gradient of the mean loss over the batch by the logits: (probability - [is the label]) / count,
 * all zero for an image whose loss is clipped. */
void loss_gradient(const float *probabilities, const uint8_t *labels, int32_t count,
                   int32_t classes, float *gradient);

#endif
