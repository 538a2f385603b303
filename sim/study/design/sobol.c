#include "sim/study/design/sobol.h"

#include "sim/base/invariant.h"

enum { DEGREE_MOST = 8, WORD_BITS = 32 };

/* A primitive polynomial over the field of two elements, x^degree + ... + 1, whose inner
 * coefficients are the bits of `inner` (highest power first), and the first `degree` direction
 * numbers. */
typedef struct {
    uint8_t degree;
    uint8_t inner;
    uint8_t initial[DEGREE_MOST];
} Direction;

/* Dimensions 2 to 40 (Joe, Kuo 2008); dimension 1 is the van der Corput sequence. */
static const Direction directions[SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
};

/* Sets word[j] to direction number j, shifted to the top: by the recurrence of the polynomial,
 * m(j) = 2 a(1) m(j-1) ^ 4 a(2) m(j-2) ^ ... ^ 2^s m(j-s) ^ m(j-s). */
static void expand(int32_t dimension, uint32_t word[WORD_BITS])
{
    if (dimension == 0) {
        for (int32_t j = 0; j < WORD_BITS; j++)
            word[j] = UINT32_C(1) << (WORD_BITS - 1 - j);
        return;
    }
    const Direction *direction = &directions[dimension - 1];
    int32_t degree = direction->degree;
    for (int32_t j = 0; j < WORD_BITS; j++) {
        if (j < degree) {
            word[j] = (uint32_t)direction->initial[j] << (WORD_BITS - 1 - j);
            continue;
        }
        word[j] = word[j - degree] ^ (word[j - degree] >> degree);
        for (int32_t k = 1; k < degree; k++)
            if (direction->inner >> (degree - 1 - k) & 1)
                word[j] ^= word[j - k];
    }
}

uint32_t sobol_word(uint32_t index, int32_t dimension)
{
    invariant(dimension >= 0 && dimension < SOBOL_DIMENSIONS);
    uint32_t words[WORD_BITS], x = 0;
    expand(dimension, words);
    for (int32_t j = 0; index >> j; j++) {
        if (index >> j & 1)
            x ^= words[j];
        if (j == WORD_BITS - 1)
            break;
    }
    return x;
}
