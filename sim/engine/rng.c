#include "sim/engine/rng.h"

#include "sim/base/invariant.h"
#include "sim/base/philox.h"

/* Flat, so that compilers leave out the words of a block that are not used. */
__attribute__((flatten)) uint64_t rng_word(uint64_t seed, RngStream stream, uint64_t entity,
                                           uint64_t draw)
{
    invariant(draw >> 48 == 0);
    PhiloxBlock counter = {{(uint32_t)entity, (uint32_t)(entity >> 32), (uint32_t)draw,
                            (uint32_t)(draw >> 32) | (uint32_t)stream << 16}};
    PhiloxBlock words = philox(seed, counter);
    return (uint64_t)words.word[1] << 32 | words.word[0];
}
