#include "trainer/compute/loss.h"

#include <math.h>

void score_add(Score *sum, Score more)
{
    sum->loss_sum += more.loss_sum;
    sum->correct += more.correct;
    sum->images += more.images;
}

void softmax(const float *logits, int32_t count, int32_t classes, float *probabilities)
{
    for (int32_t i = 0; i < count; i++, logits += classes, probabilities += classes) {
        float largest = logits[0];
        for (int32_t c = 1; c < classes; c++)
            largest = logits[c] > largest ? logits[c] : largest;
        double sum = 0.0;
        for (int32_t c = 0; c < classes; c++) {
            double power = exp((double)logits[c] - (double)largest);
            probabilities[c] = (float)power;
            sum += power;
        }
        for (int32_t c = 0; c < classes; c++)
            probabilities[c] = (float)((double)probabilities[c] / sum);
    }
}

Score score_of(const float *probabilities, const uint8_t *labels, int32_t count, int32_t classes)
{
    Score score = {.images = count};
    for (int32_t i = 0; i < count; i++, probabilities += classes) {
        int32_t likeliest = 0;
        for (int32_t c = 1; c < classes; c++)
            if (probabilities[c] > probabilities[likeliest])
                likeliest = c;
        score.loss_sum += loss_of((double)probabilities[labels[i]]);
        score.correct += likeliest == labels[i];
    }
    return score;
}

void loss_gradient(const float *probabilities, const uint8_t *labels, int32_t count,
                   int32_t classes, float *gradient)
{
    for (int32_t i = 0; i < count; i++, probabilities += classes, gradient += classes) {
        const bool is_flat = loss_is_clipped((double)probabilities[labels[i]]);
        const float share = is_flat ? 0.0f : 1.0f / (float)count;
        for (int32_t c = 0; c < classes; c++)
            gradient[c] = (probabilities[c] - (float)(c == labels[i])) * share;
    }
}
