#include "tests/support/plain_loops.h"

#include <math.h>
#include <string.h>

#include "trainer/base/random.h"
#include "trainer/data/dataset.h"

void plain_rmsprop(const RmsProp *optimizer, float rate, float gradient_scale, int64_t count,
                   const float *gradients, float *accumulators, float *weights)
{
    const float rho = (float)optimizer->rho, rest = 1.0f - rho;
    for (int64_t i = 0; i < count; i++) {
        float gradient = gradients[i] * gradient_scale;
        accumulators[i] = rho * accumulators[i] + rest * (gradient * gradient);
        weights[i] -= rate * gradient / (sqrtf(accumulators[i]) + (float)optimizer->epsilon);
    }
}

void plain_dropout_mask(uint64_t seed, uint32_t rank, uint64_t step, uint32_t layer,
                        int32_t dropped_of_256, int64_t count, uint8_t *kept)
{
    for (int64_t i = 0; i < count; i += 16) {
        PhiloxBlock words = random_words(seed, (RandomAddress){.use = RANDOM_DROPOUT,
                                                               .rank = rank,
                                                               .time = step,
                                                               .layer = layer,
                                                               .block = (uint32_t)(i / 16)});
        for (int32_t k = 0; k < 16 && i + k < count; k++)
            kept[i + k] = (int32_t)(words.word[k / 4] >> 8 * (k % 4) & 0xff) >= dropped_of_256;
    }
}

static int32_t inside(int32_t place)
{
    return place < 0 ? 0 : place > IMAGE_SIDE - 1 ? IMAGE_SIDE - 1 : place;
}

/* Between the rows `upper` and the next, at one place of a row. */
static float between_rows(const uint8_t *image, int32_t upper, float weight, int32_t x, int32_t c)
{
    float above = (float)image[(inside(upper) * IMAGE_SIDE + inside(x)) * IMAGE_CHANNELS + c];
    float below = (float)image[(inside(upper + 1) * IMAGE_SIDE + inside(x)) * IMAGE_CHANNELS + c];
    return 1.0f / 255.0f * (above + weight * (below - above));
}

void plain_augment(const uint8_t *image, Augmentation augmentation, float *out)
{
    const float rows = floorf(augmentation.shift_rows);
    const float columns = floorf(augmentation.shift_columns);
    const float row_weight = augmentation.shift_rows - rows;
    const float column_weight = augmentation.shift_columns - columns;
    for (int32_t y = 0; y < IMAGE_SIDE; y++)
        for (int32_t x = 0; x < IMAGE_SIDE; x++)
            for (int32_t c = 0; c < IMAGE_CHANNELS; c++) {
                int32_t upper = y + (int32_t)rows, from = x + (int32_t)columns;
                int32_t to = augmentation.is_flipped ? IMAGE_SIDE - 1 - x : x;
                float left = between_rows(image, upper, row_weight, from, c);
                float right = between_rows(image, upper, row_weight, from + 1, c);
                out[(y * IMAGE_SIDE + to) * IMAGE_CHANNELS + c] =
                    left + column_weight * (right - left);
            }
}

void plain_relu_backward(const float *out, int64_t count, float *gradient)
{
    for (int64_t i = 0; i < count; i++)
        if (out[i] == 0.0f)
            gradient[i] = 0.0f;
}
