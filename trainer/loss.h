/* Softmax and categorical cross-entropy, the end of every network here. */
#ifndef TRAINER_LOSS_H
#define TRAINER_LOSS_H

#include <stdint.h>

/* Sums over images, so that those of batches and ranks add up. */
typedef struct {
    double loss_sum; /* of -log(probability of the right class), natural; not finite after
                        divergence */
    int64_t correct; /* images whose likeliest class is right; of equals the first counts */
    int64_t images;
} Score;

void score_add(Score *sum, Score more);

/* Probabilities [count][classes] of the logits, with the maximum subtracted first. May be in place.
 */
void softmax(const float *logits, int32_t count, int32_t classes, float *probabilities);

/* The score of `count` images. A probability counts as at least 1e-7, as Keras clips it. */
Score score_of(const float *probabilities, const uint8_t *labels, int32_t count, int32_t classes);

/* Gradient of the mean loss over the batch by the logits: (probability - [is the label]) / count.
 */
void loss_gradient(const float *probabilities, const uint8_t *labels, int32_t count,
                   int32_t classes, float *gradient);

#endif
