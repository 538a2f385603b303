/* Shared by both emulated libraries: values in float and bf16, and working memory. */
#ifndef TESTS_TRAINER_CUDA_ENGINE_EMULATION_VALUES_H
#define TESTS_TRAINER_CUDA_ENGINE_EMULATION_VALUES_H

#include <cstdint>
#include <cstring>

#include "tests/trainer/cuda/emulation/emulation.h"
#include "tests/trainer/cuda/emulation/runtime.h"

namespace emulation
{

inline double value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Rounds to tf32 like tensor cores: to nearest, ties away from zero. */
inline double as_tf32(double value)
{
    return value_of((bits_of((float)value) + 0x1000u) & 0xffffe000u);
}

/* Floats or bf16 in memory. */
struct Values {
    const void *at;
    bool is_bf16, is_tf32; // read as tf32

    double get(int64_t i) const
    {
        if (is_bf16)
            return value_of((uint32_t) static_cast<const uint16_t *>(at)[i] << 16);
        const double value = (double)static_cast<const float *>(at)[i];
        return is_tf32 ? as_tf32(value) : value;
    }
};

/* Rounds to nearest, ties to even; all NaNs become the same. */
inline void put(void *to, bool is_bf16, int64_t i, double value)
{
    const uint32_t bits = bits_of((float)value);
    if (!is_bf16)
        static_cast<float *>(to)[i] = (float)value;
    else if (value != value)
        static_cast<uint16_t *>(to)[i] = 0x7fff;
    else
        static_cast<uint16_t *>(to)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Overwrites both ends only, because the whole would take long. */
inline void spoil(void *workspace, size_t bytes)
{
    const size_t end = bytes < 4096 ? bytes : 4096;
    if (bytes == 0)
        return;
    memset(workspace, 0xff, end);
    memset(static_cast<char *>(workspace) + bytes - end, 0xff, end);
}

} // namespace emulation

#endif
