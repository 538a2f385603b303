/* Softmax and categorical cross-entropy, the end of every network here. */
#ifndef TRAINER_LOSS_H
#define TRAINER_LOSS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "trainer/base/on_gpu.h"

/* Sums over images, so that those of batches and ranks add up. */
typedef struct {
    double loss_sum; /* of -log(probability of the right class), natural; not finite after
                        divergence */
    int64_t correct; /* images whose likeliest class is right; of equals the first counts */
    int64_t images;
} Score;

void score_add(Score *sum, Score more);

/* Keras clips the probability of the right class to [1e-7, 1 - 1e-7] before it takes the logarithm
 * (keras/backend/tensorflow_backend.py, categorical_crossentropy), so that beyond these the loss is
 * flat: an image that is as wrong, or as right, as that moves nothing. A NaN is not clipped. */
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
