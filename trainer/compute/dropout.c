#include "trainer/compute/dropout.h"

#include <string.h>

#include "trainer/base/random.h"
#include "trainer/base/vectors.h"

enum { BYTES_PER_BLOCK = 16, RUN_BLOCKS = 256 };

/* Puts the low byte of each word first. x86-64 and arm64 already store words this way. */
static void low_bytes_first(PhiloxBlock *blocks, int64_t count)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (int64_t i = 0; i < count; i++)
        for (int32_t w = 0; w < 4; w++)
            blocks[i].word[w] = __builtin_bswap32(blocks[i].word[w]);
#else
    (void)blocks, (void)count;
#endif
}

VECTORISED
static void dropout_keep(const uint8_t *restrict bytes, int32_t dropped_of_256, int64_t count,
                         uint8_t *restrict kept)
{
    const uint8_t last_dropped = (uint8_t)(dropped_of_256 - 1);
    for (int64_t i = 0; i < count; i++)
        kept[i] = bytes[i] > last_dropped;
}

void dropout_mask(uint64_t seed, uint32_t rank, uint64_t step, uint32_t layer,
                  int32_t dropped_of_256, int64_t count, uint8_t *kept)
{
    if (dropped_of_256 <= 0) {
        memset(kept, 1, (size_t)count);
        return;
    }
    RandomAddress at = {.use = RANDOM_DROPOUT, .rank = rank, .time = step, .layer = layer};
    PhiloxBlock blocks[RUN_BLOCKS];
    const int64_t run = (int64_t)BYTES_PER_BLOCK * RUN_BLOCKS;
    for (int64_t i = 0; i < count; i += run, at.block += RUN_BLOCKS) {
        int64_t here = count - i < run ? count - i : run;
        int64_t block_count = (here + BYTES_PER_BLOCK - 1) / BYTES_PER_BLOCK;
        philox_run(seed, random_counter(at), block_count, blocks);
        low_bytes_first(blocks, block_count);
        dropout_keep((const uint8_t *)blocks, dropped_of_256, here, kept + i);
    }
}
