#include "trainer/dropout.h"

#include "trainer/random.h"

void dropout_mask(uint64_t seed, uint32_t rank, uint64_t step, uint32_t layer,
                  int32_t dropped_of_256, int64_t count, uint8_t *kept)
{
    RandomAddress at = {.use = RANDOM_DROPOUT, .rank = rank, .time = step, .layer = layer};
    const uint32_t dropped = (uint32_t)dropped_of_256;
    for (int64_t i = 0; i < count; i += 16, at.block++) {
        PhiloxBlock words = random_words(seed, at);
        int32_t here = count - i < 16 ? (int32_t)(count - i) : 16;
        for (int32_t k = 0; k < here; k++)
            kept[i + k] = (words.word[k / 4] >> 8 * (k % 4) & 0xff) >= dropped;
    }
}
