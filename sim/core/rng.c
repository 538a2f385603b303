#include "sim/core/rng.h"

// The library's headers serve C89 to C++17 and many compilers; their warnings are not ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

#include "sim/base/invariant.h"

uint64_t rng_word(uint64_t seed, RngStream stream, uint64_t entity, uint64_t draw)
{
    invariant(draw >> 48 == 0);
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t counter = {{(uint32_t)entity, (uint32_t)(entity >> 32), (uint32_t)draw,
                                 (uint32_t)(draw >> 32) | (uint32_t)stream << 16}};
    philox4x32_ctr_t words = philox4x32(counter, key);
    return (uint64_t)words.v[1] << 32 | words.v[0];
}
