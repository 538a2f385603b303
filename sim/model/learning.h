/* How well a network predicts after a while of training. Accuracy in ppm of the samples, loss in
 * millionths. Not a law but a shape through published points: steep at first, flattening with the
 * square root of progress, as learning curves are. */
#ifndef SIM_MODEL_LEARNING_H
#define SIM_MODEL_LEARNING_H

#include <stdint.h>

/* A published point: so accurate after so many thousandths of an epoch. */
typedef struct {
    int64_t epochs_milli;
    int64_t accuracy_ppm;
} LearningPoint;

/* The curve through two points, at `epochs_milli` >= 0: linear in u = 1 / (1 + sqrt(epochs)). It
 * continues outside the two, towards a ceiling where u is 0, and stays within 0 and 1. Uses + - * /
 * and sqrt on doubles, which IEEE 754 rounds the same everywhere; the result is an integer. */
int64_t learning_accuracy_ppm(LearningPoint low, LearningPoint high, int64_t epochs_milli);

/* Cross-entropy falls with the share of errors on a line:
 *
 *     loss = final + (at chance - final) * (1 - accuracy) / (1 - chance)
 *
 * The Keras CIFAR-10 example is close to it: 0.75 with a loss of about 0.7, a guess with ln 10. */
typedef struct {
    int64_t chance_ppm;      /* accuracy of a guess, below 1 */
    int64_t at_chance_micro; /* its loss: ln(classes) */
    int64_t final_micro;     /* loss when all is right, at most at_chance_micro */
} LossLine;

int64_t learning_loss_micro(LossLine line, int64_t accuracy_ppm);

/* The loss of accuracy from averaging gradients over more ranks: `per_doubling_ppm` for each
 * doubling of 1, in between on a line. */
int64_t learning_ranks_loss_ppm(int32_t ranks, int64_t per_doubling_ppm);

/* How far the number of hits among `samples` independent ones strays from its mean, as a standard
 * deviation in thousandths:  sqrt(samples * accuracy * (1 - accuracy)). */
int64_t learning_hits_spread_milli(int64_t samples, int64_t accuracy_ppm);

#endif
