#include "sim/base/philox.h"

// The library's headers support C89 to C++17 and many compilers; their warnings are ignored.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

static philox4x32_key_t key_of(uint64_t key)
{
    return (philox4x32_key_t){{(uint32_t)key, (uint32_t)(key >> 32)}};
}

PhiloxBlock philox(uint64_t key, PhiloxBlock counter)
{
    philox4x32_ctr_t at = {{counter.word[0], counter.word[1], counter.word[2], counter.word[3]}};
    philox4x32_ctr_t words = philox4x32(at, key_of(key));
    return (PhiloxBlock){{words.v[0], words.v[1], words.v[2], words.v[3]}};
}

void philox_run(uint64_t key, PhiloxBlock counter, int64_t count, PhiloxBlock *blocks)
{
    // In the same file as the generator, so that compilers can inline it and vectorise over blocks.
    const philox4x32_key_t words_of_key = key_of(key);
    for (int64_t i = 0; i < count; i++) {
        philox4x32_ctr_t at = {
            {counter.word[0] + (uint32_t)i, counter.word[1], counter.word[2], counter.word[3]}};
        philox4x32_ctr_t words = philox4x32(at, words_of_key);
        blocks[i] = (PhiloxBlock){{words.v[0], words.v[1], words.v[2], words.v[3]}};
    }
}
