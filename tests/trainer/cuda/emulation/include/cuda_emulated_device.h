/* The parts of CUDA C++ that kernels use, for the processor. */
#ifndef CUDA_EMULATED_DEVICE_H
#define CUDA_EMULATED_DEVICE_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cuda_emulated_sanitizer.h"

#include "cuda_emulated_types.h"

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
/* Blocks run one after the other, so one copy of an array is enough. Arrays in a separate section
 * are filled with 0xFF before a kernel runs. GCC does not put arrays of templates there, and
 * AddressSanitizer guards only arrays in the common section. */
#if CUDA_EMULATED_ASAN
#define __shared__ static
#else
#define __shared__ static __attribute__((section("cuda_emulated_shared")))
#endif

/* --- The place of a thread --- */

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
extern uint64_t cuda_emulated_multiply_adds; // of all threads
static const int warpSize = 32;

/* --- Barriers and exchange in a warp (runtime in launch.cc) --- */

/* The place where a thread waits, for messages. All threads of a barrier must wait at the same
 * place. */
struct CudaEmulatedPlace {
    const char *what;
    const char *file;
    int line;
};
#define CUDA_EMULATED_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

void cuda_emulated_block_barrier(CudaEmulatedPlace place);
void cuda_emulated_warp_barrier(CudaEmulatedPlace place, unsigned int mask);
/* All lanes pass a value. Returns the values of all lanes, valid until the lane's next but one
 * exchange. */
const uint64_t *cuda_emulated_exchange(CudaEmulatedPlace place, unsigned int mask, uint64_t value);
int cuda_emulated_lane();
int cuda_emulated_lanes(); /* of this warp: fewer than 32 in the last warp of a block */
[[noreturn]] void cuda_emulated_fail(CudaEmulatedPlace place, const char *complaint);

inline void __syncthreads(CUDA_EMULATED_HERE)
{
    cuda_emulated_block_barrier({"__syncthreads", file, line});
}

inline void __syncwarp(unsigned int mask = 0xffffffffu, CUDA_EMULATED_HERE)
{
    cuda_emulated_warp_barrier({"__syncwarp", file, line}, mask);
}

/* Memory accesses have the order in which threads run; fences and atomic operations are only noted
 * (races.cc). */
void cuda_emulated_fence();
void cuda_emulated_atomic();

inline void __threadfence()
{
    cuda_emulated_fence();
}
inline void __threadfence_block()
{
}

template <class T> inline uint64_t cuda_emulated_pack(T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 32 or 64 bits");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> inline T cuda_emulated_unpack(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* If `from` is outside the lane's group of `width` lanes, returns the lane's value, like the
 * hardware. */
template <class T>
inline T cuda_emulated_shuffle(CudaEmulatedPlace place, unsigned int mask, T value, int from)
{
    const uint64_t *values = cuda_emulated_exchange(place, mask, cuda_emulated_pack(value));
    if (from >= cuda_emulated_lanes())
        cuda_emulated_fail(place, "reads a lane that the block does not have");
    return cuda_emulated_unpack<T>(values[from]);
}

template <class T>
inline T __shfl_sync(unsigned int mask, T value, int lane, int width = 32, CUDA_EMULATED_HERE)
{
    int group = cuda_emulated_lane() & ~(width - 1);
    return cuda_emulated_shuffle({"__shfl_sync", file, line}, mask, value,
                                 group + (lane & (width - 1)));
}

template <class T>
inline T __shfl_xor_sync(unsigned int mask, T value, int bits, int width = 32, CUDA_EMULATED_HERE)
{
    int lane = cuda_emulated_lane(), from = lane ^ bits;
    bool is_beyond = from >= (lane & ~(width - 1)) + width;
    return cuda_emulated_shuffle({"__shfl_xor_sync", file, line}, mask, value,
                                 is_beyond ? lane : from);
}

template <class T>
inline T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32,
                          CUDA_EMULATED_HERE)
{
    int lane = cuda_emulated_lane(), from = lane + (int)delta;
    bool is_beyond = from >= (lane & ~(width - 1)) + width;
    return cuda_emulated_shuffle({"__shfl_down_sync", file, line}, mask, value,
                                 is_beyond ? lane : from);
}

template <class T>
inline T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32,
                        CUDA_EMULATED_HERE)
{
    int lane = cuda_emulated_lane(), from = lane - (int)delta;
    bool is_beyond = from < (lane & ~(width - 1));
    return cuda_emulated_shuffle({"__shfl_up_sync", file, line}, mask, value,
                                 is_beyond ? lane : from);
}

inline unsigned int __ballot_sync(unsigned int mask, int predicate, CUDA_EMULATED_HERE)
{
    const uint64_t *values =
        cuda_emulated_exchange({"__ballot_sync", file, line}, mask, predicate != 0);
    unsigned int ballot = 0;
    for (int lane = 0; lane < cuda_emulated_lanes(); lane++)
        ballot |= (unsigned int)values[lane] << lane;
    return ballot;
}

inline int __any_sync(unsigned int mask, int predicate, CUDA_EMULATED_HERE)
{
    return __ballot_sync(mask, predicate, file, line) != 0;
}

inline int __all_sync(unsigned int mask, int predicate, CUDA_EMULATED_HERE)
{
    return __ballot_sync(mask, !predicate, file, line) == 0;
}

/* Tensor cores, called by all lanes of a full warp: d += a * b with the fragments of PTX
 * mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 and m16n8k16...bf16.bf16. Each sum is
 * computed in double precision, with the products in the order of k, and rounded once. A GPU
 * rounds differently within a product, so only exact results have the same bits there. The lowest
 * 13 bits of tf32 factors are ignored, as tensor cores do. */
void cuda_emulated_mma_tf32(float d[4], const uint32_t a[4], const uint32_t b[2],
                            CUDA_EMULATED_HERE);
void cuda_emulated_mma_bf16(float d[4], const uint32_t a[4], const uint32_t b[2],
                            CUDA_EMULATED_HERE);

/* cvt.rna.tf32.f32: the nearest, ties away from zero. */
uint32_t cuda_emulated_tf32(float value);

/* --- Atomics: threads run one at a time --- */

#define CUDA_EMULATED_UNJUDGED __attribute__((no_sanitize("thread")))
#define CUDA_EMULATED_ATOMICS(T)                                                                   \
    CUDA_EMULATED_UNJUDGED inline T atomicAdd(T *address, T value)                                 \
    {                                                                                              \
        cuda_emulated_atomic();                                                                    \
        T old = *address;                                                                          \
        *address = (T)((unsigned long long)old + (unsigned long long)value);                       \
        return old;                                                                                \
    }                                                                                              \
    CUDA_EMULATED_UNJUDGED inline T atomicExch(T *address, T value)                                \
    {                                                                                              \
        cuda_emulated_atomic();                                                                    \
        T old = *address;                                                                          \
        *address = value;                                                                          \
        return old;                                                                                \
    }                                                                                              \
    CUDA_EMULATED_UNJUDGED inline T atomicCAS(T *address, T compare, T value)                      \
    {                                                                                              \
        cuda_emulated_atomic();                                                                    \
        T old = *address;                                                                          \
        *address = old == compare ? value : old;                                                   \
        return old;                                                                                \
    }                                                                                              \
    CUDA_EMULATED_UNJUDGED inline T atomicMin(T *address, T value)                                 \
    {                                                                                              \
        cuda_emulated_atomic();                                                                    \
        T old = *address;                                                                          \
        *address = value < old ? value : old;                                                      \
        return old;                                                                                \
    }                                                                                              \
    CUDA_EMULATED_UNJUDGED inline T atomicMax(T *address, T value)                                 \
    {                                                                                              \
        cuda_emulated_atomic();                                                                    \
        T old = *address;                                                                          \
        *address = value > old ? value : old;                                                      \
        return old;                                                                                \
    }                                                                                              \
    CUDA_EMULATED_UNJUDGED inline T atomicOr(T *address, T value)                                  \
    {                                                                                              \
        cuda_emulated_atomic();                                                                    \
        T old = *address;                                                                          \
        *address = old | value;                                                                    \
        return old;                                                                                \
    }                                                                                              \
    CUDA_EMULATED_UNJUDGED inline T atomicAnd(T *address, T value)                                 \
    {                                                                                              \
        cuda_emulated_atomic();                                                                    \
        T old = *address;                                                                          \
        *address = old & value;                                                                    \
        return old;                                                                                \
    }
/* CUDA's signatures. CUDA does not have all functions for all four types (no signed 64-bit
 * atomicAdd, atomicExch or atomicCAS); nvcc reports their use. */
CUDA_EMULATED_ATOMICS(int)
CUDA_EMULATED_ATOMICS(unsigned int)
CUDA_EMULATED_ATOMICS(unsigned long long)
#undef CUDA_EMULATED_ATOMICS

/* --- Bits --- */

inline unsigned int __float_as_uint(float value)
{
    return cuda_emulated_unpack<unsigned int>(cuda_emulated_pack(value));
}
inline int __float_as_int(float value)
{
    return cuda_emulated_unpack<int>(cuda_emulated_pack(value));
}
inline float __uint_as_float(unsigned int bits)
{
    return cuda_emulated_unpack<float>(bits);
}
inline float __int_as_float(int bits)
{
    return cuda_emulated_unpack<float>((unsigned int)bits);
}
inline long long __double_as_longlong(double value)
{
    return cuda_emulated_unpack<long long>(cuda_emulated_pack(value));
}
inline double __longlong_as_double(long long bits)
{
    return cuda_emulated_unpack<double>((uint64_t)bits);
}
inline int __popc(unsigned int bits)
{
    return __builtin_popcount(bits);
}
inline int __popcll(unsigned long long bits)
{
    return __builtin_popcountll(bits);
}
inline int __clz(int bits)
{
    return bits == 0 ? 32 : __builtin_clz((unsigned int)bits);
}
inline int __ffs(int bits)
{
    return __builtin_ffs(bits);
}
inline unsigned int __umulhi(unsigned int a, unsigned int b)
{
    return (unsigned int)(((uint64_t)a * b) >> 32);
}
inline unsigned int __brev(unsigned int bits)
{
    unsigned int turned = 0;
    for (int i = 0; i < 32; i++)
        turned |= ((bits >> i) & 1u) << (31 - i);
    return turned;
}
/* Byte i of the result is byte (selector >> 4 i) % 8 of the eight of b:a. */
inline unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector)
{
    uint64_t bytes = ((uint64_t)b << 32) | a;
    unsigned int result = 0;
    for (int i = 0; i < 4; i++)
        result |= (unsigned int)((bytes >> (8 * ((selector >> (4 * i)) & 7u))) & 0xffu) << (8 * i);
    return result;
}

/* --- Arithmetic: compiled with -ffp-contract=off, so that plain operators round once --- */

inline float __fmul_rn(float a, float b)
{
    return a * b;
}
inline float __fadd_rn(float a, float b)
{
    return a + b;
}
inline float __fsub_rn(float a, float b)
{
    return a - b;
}
inline float __fdiv_rn(float a, float b)
{
    return a / b;
}
inline float __fsqrt_rn(float a)
{
    return sqrtf(a);
}
inline float __frcp_rn(float a)
{
    return 1.0f / a;
}
template <class T> inline T __ldcg(const T *from)
{
    return *from;
}
inline float __fmaf_rn(float a, float b, float c)
{
    cuda_emulated_multiply_adds++;
    return fmaf(a, b, c);
}
inline double __dmul_rn(double a, double b)
{
    return a * b;
}
inline double __dadd_rn(double a, double b)
{
    return a + b;
}
inline double __dsub_rn(double a, double b)
{
    return a - b;
}
inline double __ddiv_rn(double a, double b)
{
    return a / b;
}
inline double __dsqrt_rn(double a)
{
    return sqrt(a);
}
inline double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}
inline float __double2float_rn(double value)
{
    return (float)value;
}
inline float __int2float_rn(int value)
{
    return (float)value;
}
inline float __uint2float_rn(unsigned int value)
{
    return (float)value;
}
inline int __float2int_rn(float value)
{
    return (int)rintf(value);
}
inline int __float2int_rz(float value)
{
    return (int)value;
}
/* A GPU's functions are less exact. */
inline float __expf(float value)
{
    return expf(value);
}
inline float __logf(float value)
{
    return logf(value);
}
inline float __fdividef(float a, float b)
{
    return a / b;
}
inline float rsqrtf(float value)
{
    return (float)(1.0 / sqrt((double)value));
}
inline float __saturatef(float value)
{
    return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

#define CUDA_EMULATED_MINMAX(T)                                                                    \
    inline T min(T a, T b)                                                                         \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    inline T max(T a, T b)                                                                         \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
CUDA_EMULATED_MINMAX(int)
CUDA_EMULATED_MINMAX(unsigned int)
CUDA_EMULATED_MINMAX(long)
CUDA_EMULATED_MINMAX(unsigned long)
CUDA_EMULATED_MINMAX(long long)
CUDA_EMULATED_MINMAX(unsigned long long)
#undef CUDA_EMULATED_MINMAX
/* Like fminf and fmaxf: for a number and a NaN the result is the number. */
inline float min(float a, float b)
{
    return fminf(a, b);
}
inline float max(float a, float b)
{
    return fmaxf(a, b);
}
inline double min(double a, double b)
{
    return fmin(a, b);
}
inline double max(double a, double b)
{
    return fmax(a, b);
}

template <class T> inline T __ldg(const T *address)
{
    return *address;
}

#endif
