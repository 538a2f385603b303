/* What lies between two layers with weights, in one pass: the largest of each pool, what dropout
 * lets through, and the change from the layout that convolutions compute in to the one that the
 * next layer reads.
 *
 * A pass over the activations of a batch waits for memory, so all of it is done at once, and the
 * backward pass reads one byte a value instead of activations. */
#ifndef TRAINER_ONEDNN_SIEVE_H
#define TRAINER_ONEDNN_SIEVE_H

#include "trainer/compute/net.h"

/* Activations lie as trainer/compute/channel_blocks.h has it. bf16 is the upper half of a float. */
typedef struct {
    NetShape in, out; /* of one image */
    int32_t side;     /* of a pool, which steps by its side; 1: no pool */
    int32_t in_block, out_block;
    bool follows_relu; /* its input is 0 where ReLU has stopped the gradient */
    bool is_bf16;
    float scale; /* of what dropout lets through */
} Sieve;

/* In `places`, laid out as `out`: which place of its pool each value is from, row by row, of equals
 * the first; SIEVE_STOPPED where no gradient passes, because dropout or ReLU made it 0. */
enum { SIEVE_STOPPED = 255, SIEVE_SIDE_MAX = 15 };

/* `kept` is NHWC, as trainer/compute/dropout.h makes it; NULL: all is kept and nothing scaled. */
void sieve_forward(const Sieve *sieve, int32_t images, const void *in, const uint8_t *kept,
                   void *out, uint8_t *places);
/* The gradient of the input, before the ReLU that it follows; after a forward with `kept`. */
void sieve_backward(const Sieve *sieve, int32_t images, const void *out_gradient,
                    const uint8_t *places, void *in_gradient);

/* gradient[i] becomes 0 where ReLU's output out[i] is 0. */
void relu_backward_bf16(const uint16_t *out, int64_t count, uint16_t *gradient);

float bf16_to_float(uint16_t value);

#endif
