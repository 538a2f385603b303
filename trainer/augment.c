#include "trainer/augment.h"

#include "trainer/dataset.h"
#include "trainer/random.h"

/* width_shift_range and height_shift_range of 0.1. */
static const float shift_max = 0.1f * (float)IMAGE_SIDE;

Augmentation augmentation_draw(uint64_t seed, uint32_t rank, uint64_t step, uint32_t place)
{
    PhiloxBlock words = random_words(
        seed, (RandomAddress){.use = RANDOM_AUGMENT, .rank = rank, .time = step, .block = place});
    return (Augmentation){
        .shift_rows = shift_max * (2.0f * random_unit(words.word[0]) - 1.0f),
        .shift_columns = shift_max * (2.0f * random_unit(words.word[1]) - 1.0f),
        .is_flipped = words.word[2] >> 31,
    };
}

/* Where one line of pixels takes its values from: two places and the weight of the second. */
typedef struct {
    int32_t first[IMAGE_SIDE], second[IMAGE_SIDE];
    float second_weight;
} Taps;

static int32_t nearest_place(int32_t place)
{
    return place < 0 ? 0 : place >= IMAGE_SIDE ? IMAGE_SIDE - 1 : place;
}

static Taps taps_of(float shift)
{
    Taps taps;
    int32_t whole = (int32_t)shift;
    if (shift < (float)whole)
        whole--; // towards minus infinity
    taps.second_weight = shift - (float)whole;
    for (int32_t i = 0; i < IMAGE_SIDE; i++) {
        taps.first[i] = nearest_place(i + whole);
        taps.second[i] = nearest_place(i + whole + 1);
    }
    return taps;
}

void augment_image(const uint8_t *image, Augmentation augmentation, float *out)
{
    const Taps rows = taps_of(augmentation.shift_rows);
    const Taps columns = taps_of(augmentation.shift_columns);
    enum { ROW = IMAGE_SIDE * IMAGE_CHANNELS };
    const float scale = 1.0f / 255.0f;
    for (int32_t y = 0; y < IMAGE_SIDE; y++) {
        float mixed[ROW]; // the two rows between which this one lies
        const uint8_t *upper = image + rows.first[y] * ROW, *lower = image + rows.second[y] * ROW;
        for (int32_t i = 0; i < ROW; i++)
            mixed[i] = scale *
                       ((float)upper[i] + rows.second_weight * ((float)lower[i] - (float)upper[i]));
        for (int32_t x = 0; x < IMAGE_SIDE; x++) {
            const float *left = mixed + columns.first[x] * IMAGE_CHANNELS;
            const float *right = mixed + columns.second[x] * IMAGE_CHANNELS;
            int32_t to = augmentation.is_flipped ? IMAGE_SIDE - 1 - x : x;
            float *pixel = out + (y * IMAGE_SIDE + to) * IMAGE_CHANNELS;
            for (int32_t c = 0; c < IMAGE_CHANNELS; c++)
                pixel[c] = left[c] + columns.second_weight * (right[c] - left[c]);
        }
    }
}

void plain_image(const uint8_t *image, float *out)
{
    const float scale = 1.0f / 255.0f;
    for (int32_t i = 0; i < IMAGE_BYTES; i++)
        out[i] = scale * (float)image[i];
}
