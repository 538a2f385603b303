#include "trainer/compute/onednn_sieve.h"

#include <string.h>

#include "trainer/base/vectors.h"
#include "trainer/compute/channel_blocks.h"

/* --- Values in float and bf16 --- */

static inline float widen(uint16_t value)
{
    uint32_t bits = (uint32_t)value << 16;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* Rounds to nearest, ties to even. */
static inline uint16_t narrow(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float bf16_to_float(uint16_t value)
{
    return widen(value);
}

static inline float value_at(bool is_bf16, const void *values, int64_t i)
{
    return is_bf16 ? widen(((const uint16_t *)values)[i]) : ((const float *)values)[i];
}

static const void *at(bool is_bf16, const void *values, int64_t i)
{
    return is_bf16 ? (const void *)((const uint16_t *)values + i)
                   : (const void *)((const float *)values + i);
}

/* --- One row --- */

/* Inlined into the VECTORISED functions; otherwise it would be compiled for the oldest processors
 * only. */
#define INLINED static inline __attribute__((always_inline))

/* `lanes` channels of one row of pools. The strides lead to the next pixel, and in the input also
 * to the next row. */
typedef struct {
    const Sieve *sieve;
    int64_t in_row, in_pixel, out_pixel, kept_pixel;
} Row;

/* Converts the bits of a bf16 to an integer of the same order, and back. */
static inline int16_t ordered(int16_t bits)
{
    return (int16_t)(bits ^ ((bits >> 15) & 0x7fff));
}

INLINED void row_forward_bf16(Row row, int32_t side, int32_t lanes, const int16_t *restrict in,
                              const uint8_t *restrict kept, uint16_t *restrict out,
                              uint8_t *restrict places)
{
    const bool follows_relu = row.sieve->follows_relu;
    const float scale = kept ? row.sieve->scale : 1.0f;
    for (int64_t x = 0; x < row.sieve->out.width; x++)
        for (int32_t c = 0; c < lanes; c++) {
            const int64_t from = x * side * row.in_pixel + c;
            int16_t best = ordered(in[from]), place = 0;
            for (int16_t other = 1; other < side * side; other++) {
                const int16_t value =
                    ordered(in[from + other / side * row.in_row + other % side * row.in_pixel]);
                place = value > best ? other : place;
                best = value > best ? value : best;
            }
            const int16_t is_kept = kept ? kept[x * row.kept_pixel + c] : 1;
            const int16_t passes = is_kept & (int16_t)(best > 0 || !follows_relu);
            const uint16_t value = narrow(widen((uint16_t)ordered(best)) * scale);
            out[x * row.out_pixel + c] = is_kept ? value : 0;
            places[x * row.out_pixel + c] = (uint8_t)(passes ? place : SIEVE_STOPPED);
        }
}

INLINED void row_forward_float(Row row, int32_t side, int32_t lanes, const float *restrict in,
                               const uint8_t *restrict kept, float *restrict out,
                               uint8_t *restrict places)
{
    const bool follows_relu = row.sieve->follows_relu;
    const float scale = kept ? row.sieve->scale : 1.0f;
    for (int64_t x = 0; x < row.sieve->out.width; x++)
        for (int32_t c = 0; c < lanes; c++) {
            const int64_t from = x * side * row.in_pixel + c;
            float best = in[from];
            int32_t place = 0;
            for (int32_t other = 1; other < side * side; other++) {
                const float value =
                    in[from + other / side * row.in_row + other % side * row.in_pixel];
                place = value > best ? other : place;
                best = value > best ? value : best;
            }
            int32_t is_kept = kept ? kept[x * row.kept_pixel + c] : 1;
            int32_t passes = is_kept & (int32_t)(best > 0.0f || !follows_relu);
            out[x * row.out_pixel + c] = is_kept ? best * scale : 0.0f;
            places[x * row.out_pixel + c] = (uint8_t)(passes ? place : SIEVE_STOPPED);
        }
}

INLINED void row_forward_of(Row row, bool is_bf16, int32_t side, int32_t lanes,
                            const void *restrict in, const uint8_t *restrict kept,
                            void *restrict out, uint8_t *restrict places)
{
    if (is_bf16)
        row_forward_bf16(row, side, lanes, in, kept, out, places);
    else
        row_forward_float(row, side, lanes, in, kept, out, places);
}

INLINED void row_backward_of(Row row, bool is_bf16, int32_t side, int32_t lanes,
                             const void *restrict out_gradient, const uint8_t *restrict places,
                             void *restrict in_gradient)
{
    const float scale = row.sieve->scale;
    for (int64_t x = 0; x < row.sieve->out.width; x++)
        for (int32_t c = 0; c < lanes; c++) {
            const int64_t from = x * row.out_pixel + c, to = x * side * row.in_pixel + c;
            const float gradient = value_at(is_bf16, out_gradient, from) * scale;
            const uint16_t half = is_bf16 ? narrow(gradient) : 0;
            for (int32_t place = 0; place < side * side; place++) {
                const int64_t there = to + place / side * row.in_row + place % side * row.in_pixel;
                if (is_bf16)
                    ((uint16_t *)in_gradient)[there] = places[from] == place ? half : 0;
                else
                    ((float *)in_gradient)[there] = places[from] == place ? gradient : 0.0f;
            }
        }
}

/* Inlined for each usual case, so that the compiler vectorises it. */
#define CASES(function, ...)                                                                       \
    if (row.sieve->is_bf16)                                                                        \
        SIDES(function, true, __VA_ARGS__);                                                        \
    else                                                                                           \
        SIDES(function, false, __VA_ARGS__)
#define SIDES(function, is_bf16, ...)                                                              \
    if (row.sieve->side == 2)                                                                      \
        LANES(function, is_bf16, 2, __VA_ARGS__);                                                  \
    else if (row.sieve->side == 1)                                                                 \
        LANES(function, is_bf16, 1, __VA_ARGS__);                                                  \
    else                                                                                           \
        function(row, is_bf16, row.sieve->side, lanes, __VA_ARGS__)
#define LANES(function, is_bf16, side, ...)                                                        \
    if (lanes == 16)                                                                               \
        function(row, is_bf16, side, 16, __VA_ARGS__);                                             \
    else if (lanes == 8)                                                                           \
        function(row, is_bf16, side, 8, __VA_ARGS__);                                              \
    else                                                                                           \
        function(row, is_bf16, side, 1, __VA_ARGS__)

VECTORISED
static void sieve_row_forward(Row row, int32_t lanes, const void *restrict in,
                              const uint8_t *restrict kept, void *restrict out,
                              uint8_t *restrict places)
{
    if (kept) {
        CASES(row_forward_of, in, kept, out, places);
    } else {
        CASES(row_forward_of, in, NULL, out, places);
    }
}

VECTORISED
static void sieve_row_backward(Row row, int32_t lanes, const void *restrict out_gradient,
                               const uint8_t *restrict places, void *restrict in_gradient)
{
    CASES(row_backward_of, out_gradient, places, in_gradient);
}

/* --- All rows --- */

static Row row_of(const Sieve *sieve)
{
    return (Row){
        .sieve = sieve,
        .in_row = (int64_t)sieve->in.width * sieve->in_block,
        .in_pixel = sieve->in_block,
        .out_pixel = sieve->out_block,
        .kept_pixel = sieve->out.channels,
    };
}

static int32_t lanes_of(const Sieve *sieve)
{
    const int32_t blocks = sieve->in_block | sieve->out_block;
    return blocks % 16 == 0 ? 16 : blocks % 8 == 0 ? 8 : 1;
}

void sieve_forward(const Sieve *sieve, int32_t images, const void *in, const uint8_t *kept,
                   void *out, uint8_t *places)
{
    const Row row = row_of(sieve);
    const int32_t lanes = lanes_of(sieve);
    for (int32_t i = 0; i < images; i++)
        for (int32_t c = 0; c < sieve->out.channels; c += lanes)
            for (int32_t y = 0; y < sieve->out.height; y++) {
                int64_t from =
                    channel_blocks_at(sieve->in, sieve->in_block, i, y * sieve->side, 0, c);
                int64_t to = channel_blocks_at(sieve->out, sieve->out_block, i, y, 0, c);
                const uint8_t *mask =
                    kept ? kept + channel_blocks_at(sieve->out, sieve->out.channels, i, y, 0, c)
                         : NULL;
                sieve_row_forward(row, lanes, at(sieve->is_bf16, in, from), mask,
                                  (void *)at(sieve->is_bf16, out, to), places + to);
            }
}

/* False if the input's size is not a multiple of `side`: no pool then covers the last rows or
 * columns. */
static bool reaches_all(const Sieve *sieve)
{
    return sieve->out.height * sieve->side == sieve->in.height &&
           sieve->out.width * sieve->side == sieve->in.width;
}

void sieve_backward(const Sieve *sieve, int32_t images, const void *out_gradient,
                    const uint8_t *places, void *in_gradient)
{
    const Row row = row_of(sieve);
    const int32_t lanes = lanes_of(sieve);
    const size_t value_bytes = sieve->is_bf16 ? sizeof(uint16_t) : sizeof(float);
    if (!reaches_all(sieve))
        memset(in_gradient, 0, (size_t)(images * net_size(sieve->in)) * value_bytes);
    for (int32_t i = 0; i < images; i++)
        for (int32_t c = 0; c < sieve->out.channels; c += lanes)
            for (int32_t y = 0; y < sieve->out.height; y++) {
                int64_t from = channel_blocks_at(sieve->out, sieve->out_block, i, y, 0, c);
                int64_t to =
                    channel_blocks_at(sieve->in, sieve->in_block, i, y * sieve->side, 0, c);
                sieve_row_backward(row, lanes, at(sieve->is_bf16, out_gradient, from),
                                   places + from, (void *)at(sieve->is_bf16, in_gradient, to));
            }
}

VECTORISED
static void relu_backward_bf16_loop(const uint16_t *restrict out, int64_t count,
                                    uint16_t *restrict gradient)
{
    for (int64_t i = 0; i < count; i++)
        gradient[i] = (out[i] & 0x7fff) == 0 ? 0 : gradient[i];
}

void relu_backward_bf16(const uint16_t *out, int64_t count, uint16_t *gradient)
{
    relu_backward_bf16_loop(out, count, gradient);
}
