/* How well a network predicts after some training. Accuracy in ppm of the samples, loss in
 * millionths. An empirical curve through published points: steep at first, then flattening with
 * the square root of progress. */
#ifndef SIM_MODEL_LEARNING_H
#define SIM_MODEL_LEARNING_H

#include <stdint.h>

/* A published point: the accuracy after `epochs_milli` thousandths of an epoch. */
typedef struct {
    int64_t epochs_milli;
    int64_t accuracy_ppm;
} LearningPoint;

/* The curve through two points, at `epochs_milli` >= 0: linear in u = 1 / (1 + sqrt(epochs)). It
 * continues outside the two points and approaches its limit as u approaches 0; the result is
 * between 0 and PPM. Uses + - * / and sqrt on doubles, which IEEE 754 rounds alike everywhere. */
int64_t learning_accuracy_ppm(LearningPoint low, LearningPoint high, int64_t epochs_milli);

/* Cross-entropy as a linear function of the share of errors:
 *
 *     loss = final + (at chance - final) * (1 - accuracy) / (1 - chance)
 *
 * The Keras CIFAR-10 example is close to this line: a loss of about 0.7 at accuracy 0.75, and ln 10
 * for a guess. */
typedef struct {
    int64_t chance_ppm;      /* accuracy of a guess, below 1 */
    int64_t at_chance_micro; /* loss of a guess: ln(classes) */
    int64_t final_micro;     /* loss at accuracy 1; at most at_chance_micro */
} LossLine;

int64_t learning_loss_micro(LossLine line, int64_t accuracy_ppm);

/* The loss of accuracy from averaging gradients over more ranks: `per_doubling_ppm` for each
 * doubling of the ranks from 1, linear in between. */
int64_t learning_ranks_loss_ppm(int32_t ranks, int64_t per_doubling_ppm);

/* The standard deviation of the number of hits among `samples` independent samples, in thousandths:
 * sqrt(samples * accuracy * (1 - accuracy)). */
int64_t learning_hits_spread_milli(int64_t samples, int64_t accuracy_ppm);

#endif
