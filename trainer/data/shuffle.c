#include "trainer/data/shuffle.h"

#include <stdlib.h>

#include "sim/base/memory.h"
#include "trainer/base/random.h"

typedef struct {
    uint64_t key;
    int32_t index;
} Keyed;

static int by_key(const void *left, const void *right)
{
    const Keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void shuffle_order(uint64_t seed, uint32_t rank, uint64_t epoch, int32_t count, int32_t *order)
{
    Keyed *keyed = memory_zeroed((size_t)count * sizeof *keyed);
    RandomAddress at = {.use = RANDOM_SHUFFLE, .rank = rank, .time = epoch};
    for (int32_t i = 0; i < count; i++) {
        at.block = (uint32_t)i;
        PhiloxBlock words = random_words(seed, at);
        keyed[i] = (Keyed){(uint64_t)words.word[1] << 32 | words.word[0], i};
    }
    qsort(keyed, (size_t)count, sizeof *keyed, by_key);
    for (int32_t i = 0; i < count; i++)
        order[i] = keyed[i].index;
    free(keyed);
}
