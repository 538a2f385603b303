/* The arithmetic of sieves, for the kernels between products (between.cu) and for products that
 * compute a sieve in the same kernel (product_finish.cuh). */
#ifndef TRAINER_CUDA_SIEVE_CUH
#define TRAINER_CUDA_SIEVE_CUH

#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/kernels.h"

enum { STOPPED = 255 /* SIEVE_STOPPED of trainer/compute/onednn_sieve.h */ };

/* --- Values in the order of their size --- */

/* Compares bf16 as integers, like the processor, which also gives NaNs an order. */
static __device__ __forceinline__ int32_t ordered(uint16_t value)
{
    const int32_t bits = (int16_t)value;
    return bits ^ (bits >> 15 & 0x7fff);
}

static __device__ __forceinline__ float ordered(float value)
{
    return value;
}

static __device__ __forceinline__ float value_of(int32_t in_order)
{
    return widen((uint16_t)(in_order ^ (in_order >> 15 & 0x7fff)));
}

static __device__ __forceinline__ float value_of(float in_order)
{
    return in_order;
}

template <typename Type> struct OrderOf;
template <> struct OrderOf<float> {
    typedef float In;
};
template <> struct OrderOf<uint16_t> {
    typedef int32_t In;
};

/* --- Dropout --- */

/* Avoids an array that is indexed at run time, which would not stay in registers. */
static __device__ __forceinline__ uint32_t word_of(const PhiloxBlock &words, uint32_t i)
{
    const uint32_t low = i & 1 ? words.word[1] : words.word[0];
    const uint32_t high = i & 1 ? words.word[3] : words.word[2];
    return i & 2 ? high : low;
}

/* Bit k: value `first` + k of the batch is kept (trainer/compute/dropout.h). `first` is a multiple
 * of COUNT, so the values belong to one block of random numbers, and whole words of it if there are
 * several. Two or four threads compute the same block separately, which costs nothing while they
 * wait for the input.
 *
 * Bytes are compared by subtraction: ptxas 13.0 loses one of four comparisons whose results it
 * collects from predicates (seen on an H100). */
template <int COUNT>
static __device__ __forceinline__ uint32_t kept_bits(const CudaSieve &sieve, uint64_t step,
                                                     int64_t first)
{
    constexpr uint32_t BYTES = 4, IN_WORD = COUNT < (int)BYTES ? COUNT : BYTES;
    const RandomAddress at = {RANDOM_DROPOUT, sieve.rank, step, sieve.dropout_layer,
                              (uint32_t)(first / 16)};
    const PhiloxBlock words = random_words_on_gpu(sieve.seed, at);
    const uint32_t byte = (uint32_t)first % 16, dropped = (uint32_t)sieve.dropped_of_256;
    uint32_t kept = 0;
    UNROLLED
    for (uint32_t k = 0; k < COUNT; k += IN_WORD) {
        const uint32_t word = word_of(words, (byte + k) / BYTES) >> (byte + k) % BYTES * 8;
        UNROLLED
        for (uint32_t i = 0; i < IN_WORD; i++) {
            const uint32_t is_dropped = ((word >> 8 * i & 0xff) - dropped) >> 31; // below: negative
            kept |= (is_dropped ^ 1) << (k + i);
        }
    }
    return kept;
}

static inline float scale_of(const CudaSieve *sieve)
{
    return 256.0f / (float)(256 - sieve->dropped_of_256);
}

/* --- The largest value of a pool --- */

template <typename Type, int VALUES> struct Largest {
    typename OrderOf<Type>::In value[VALUES];
    Pack<uint8_t, VALUES> place;
};

/* Keeps the first of equal values. */
template <typename Type, int VALUES>
static __device__ __forceinline__ void compare(Largest<Type, VALUES> *largest,
                                               const Pack<Type, VALUES> &pack, int32_t place)
{
    UNROLLED
    for (int32_t k = 0; k < VALUES; k++) {
        const auto value = ordered(pack.value[k]);
        const bool is_larger = place == 0 || value > largest->value[k];
        largest->value[k] = is_larger ? value : largest->value[k];
        largest->place.value[k] = is_larger ? (uint8_t)place : largest->place.value[k];
    }
}

template <typename Type, int VALUES> struct Sieved {
    Pack<Type, VALUES> value;
    Pack<uint8_t, VALUES> place;
};

/* The output and the places of VALUES pools. Bit k of `kept`: pool k is not dropped. */
template <typename Type, int VALUES>
static __device__ __forceinline__ Sieved<Type, VALUES>
sieved(const CudaSieve &sieve, const Largest<Type, VALUES> &largest, bool drops, uint32_t kept,
       float scale)
{
    Sieved<Type, VALUES> result;
    UNROLLED
    for (int32_t k = 0; k < VALUES; k++) {
        const bool is_kept = kept >> k & 1;
        const bool passes = is_kept && (largest.value[k] > 0 || !sieve.follows_relu);
        const float value = value_of(largest.value[k]);
        result.value.value[k] = from_float<Type>(!is_kept ? 0.0f
                                                 : drops  ? __fmul_rn(value, scale)
                                                          : value);
        result.place.value[k] = passes ? largest.place.value[k] : (uint8_t)STOPPED;
    }
    return result;
}

#endif
