/* Shared by the kernels: random numbers by address, values in float and bf16, and vectors of
 * values. */
#ifndef TRAINER_CUDA_DEVICE_CUH
#define TRAINER_CUDA_DEVICE_CUH

#include "trainer/base/random.h"
#include "trainer/cuda/toolkit/toolkit.h"

// The library's headers support C89 to C++17 and many compilers, and cause warnings.
#ifdef __CUDACC__
#define R123_CUDA_DEVICE __host__ __device__
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include <Random123/philox.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* Put before a loop over values that must stay in registers. */
#ifdef __CUDACC__
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED
#endif

/* --- Random numbers --- */

static __device__ __forceinline__ PhiloxBlock random_words_on_gpu(uint64_t seed, RandomAddress at)
{
    const PhiloxBlock counter = random_counter(at);
    philox4x32_ctr_t place;
    philox4x32_key_t key;
    for (int32_t i = 0; i < 4; i++)
        place.v[i] = counter.word[i];
    key.v[0] = (uint32_t)seed;
    key.v[1] = (uint32_t)(seed >> 32);
    const philox4x32_ctr_t words = philox4x32(place, key);
    const PhiloxBlock block = {{words.v[0], words.v[1], words.v[2], words.v[3]}};
    return block;
}

/* --- bf16, stored as the upper half of a float --- */

static __device__ __forceinline__ float widen(uint16_t value)
{
    return __uint_as_float((uint32_t)value << 16);
}

/* Rounds to nearest, ties to even. A GPU's NaN is 0x7fffffff; rounding would overflow it to a
 * negative zero. */
static __device__ __forceinline__ uint16_t narrow(float value)
{
    const uint32_t bits = __float_as_uint(value);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const uint32_t quiet_nan = bits >> 16 | 0x40;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? quiet_nan : rounded);
}

static __device__ __forceinline__ float to_float(float value)
{
    return value;
}

static __device__ __forceinline__ float to_float(uint16_t value)
{
    return widen(value);
}

template <typename Type> __device__ Type from_float(float value);

template <> __device__ __forceinline__ float from_float<float>(float value)
{
    return value;
}

template <> __device__ __forceinline__ uint16_t from_float<uint16_t>(float value)
{
    return narrow(value);
}

/* --- Vectors --- */

/* Contiguous values that one instruction reads, at most 16 bytes. */
template <typename Type, int COUNT> struct alignas(sizeof(Type) * COUNT) Pack {
    Type value[COUNT];
};

template <typename Type> struct VectorOf {
    static constexpr int COUNT = 16 / (int)sizeof(Type);
};

template <int COUNT, typename Type>
static __device__ __forceinline__ Pack<Type, COUNT> pack_load(const Type *from)
{
    return *reinterpret_cast<const Pack<Type, COUNT> *>(from);
}

template <int COUNT, typename Type>
static __device__ __forceinline__ void pack_store(Type *to, const Pack<Type, COUNT> &pack)
{
    *reinterpret_cast<Pack<Type, COUNT> *>(to) = pack;
}

/* --- Launches --- */

static constexpr unsigned WARP_THREADS = 32, FULL_WARP = 0xffffffff;

static inline unsigned blocks_for(int64_t items, unsigned items_per_block)
{
    return (unsigned)((items + items_per_block - 1) / items_per_block);
}

#endif
