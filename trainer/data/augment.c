#include "trainer/data/augment.h"

#include <string.h>

#include "trainer/base/random.h"
#include "trainer/base/vectors.h"
#include "trainer/data/dataset.h"

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

/* A shift as whole pixels and the weight of the pixel after: shift = whole + second_weight. */
typedef struct {
    int32_t whole;
    float second_weight; /* 0 to 1 */
} Shift;

static Shift shift_of(float pixels)
{
    int32_t whole = (int32_t)pixels;
    if (pixels < (float)whole)
        whole--; // towards minus infinity
    return (Shift){.whole = whole, .second_weight = pixels - (float)whole};
}

static int64_t nearest_place(int64_t place)
{
    return place < 0 ? 0 : place >= IMAGE_SIDE ? IMAGE_SIDE - 1 : place;
}

enum { ROW = IMAGE_SIDE * IMAGE_CHANNELS };

/* Interpolates between two rows. */
VECTORISED
static void augment_mix_rows(const uint8_t *restrict upper, const uint8_t *restrict lower,
                             float lower_weight, float *restrict mixed)
{
    const float scale = 1.0f / 255.0f;
    for (int32_t i = 0; i < ROW; i++)
        mixed[i] = scale * ((float)upper[i] + lower_weight * ((float)lower[i] - (float)upper[i]));
}

/* Copies the pixels from `whole` on to pixels[0] to pixels[IMAGE_SIDE]. Places outside the row take
 * its nearest pixel. */
static void move_row(const float *row, int32_t whole, float *pixels)
{
    for (int64_t x = 0; x <= IMAGE_SIDE; x++)
        memcpy(pixels + x * IMAGE_CHANNELS, row + nearest_place(x + whole) * IMAGE_CHANNELS,
               IMAGE_CHANNELS * sizeof *pixels);
}

VECTORISED
static void augment_mix_columns(const float *restrict pixels, float right_weight,
                                float *restrict out)
{
    const float *right = pixels + IMAGE_CHANNELS;
    for (int32_t i = 0; i < ROW; i++)
        out[i] = pixels[i] + right_weight * (right[i] - pixels[i]);
}

static void flip_row(const float *row, float *out)
{
    for (int64_t x = 0; x < IMAGE_SIDE; x++)
        memcpy(out + (IMAGE_SIDE - 1 - x) * IMAGE_CHANNELS, row + x * IMAGE_CHANNELS,
               IMAGE_CHANNELS * sizeof *out);
}

void augment_image(const uint8_t *image, Augmentation augmentation, float *out)
{
    const Shift rows = shift_of(augmentation.shift_rows);
    const Shift columns = shift_of(augmentation.shift_columns);
    float mixed[ROW], moved[ROW + IMAGE_CHANNELS], flipped[ROW];
    for (int64_t y = 0; y < IMAGE_SIDE; y++, out += ROW) {
        augment_mix_rows(image + nearest_place(y + rows.whole) * ROW,
                         image + nearest_place(y + rows.whole + 1) * ROW, rows.second_weight,
                         mixed);
        move_row(mixed, columns.whole, moved);
        augment_mix_columns(moved, columns.second_weight, augmentation.is_flipped ? flipped : out);
        if (augmentation.is_flipped)
            flip_row(flipped, out);
    }
}

VECTORISED
static void augment_scale_bytes(const uint8_t *restrict image, float *restrict out)
{
    const float scale = 1.0f / 255.0f;
    for (int32_t i = 0; i < IMAGE_BYTES; i++)
        out[i] = scale * (float)image[i];
}

void plain_image(const uint8_t *image, float *out)
{
    augment_scale_bytes(image, out);
}
