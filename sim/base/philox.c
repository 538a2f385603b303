#include "sim/base/philox.h"

// The library's headers serve C89 to C++17 and many compilers; their warnings are not ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

PhiloxBlock philox(uint64_t key, PhiloxBlock counter)
{
    philox4x32_key_t k = {{(uint32_t)key, (uint32_t)(key >> 32)}};
    philox4x32_ctr_t c = {{counter.word[0], counter.word[1], counter.word[2], counter.word[3]}};
    philox4x32_ctr_t words = philox4x32(c, k);
    return (PhiloxBlock){{words.v[0], words.v[1], words.v[2], words.v[3]}};
}
