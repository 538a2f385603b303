/* A sieve does all the work between two layers with weights in one pass. It takes the maximum of
 * each pool, applies dropout, and changes the layout of convolutions to the layout of the next
 * layer.
 *
 * The speed of a pass over a batch's activations is limited by memory. All work is therefore done
 * in one pass, and the backward pass reads one byte per value instead of activations. */
#ifndef TRAINER_ONEDNN_SIEVE_H
#define TRAINER_ONEDNN_SIEVE_H

#include "trainer/compute/net.h"

/* Activations have the layout of trainer/compute/channel_blocks.h. bf16 is the upper half of a
 * float. */
typedef struct {
    NetShape in, out; /* of one image */
    int32_t side;     /* of a pool, which steps by its side; 1: no pool */
    int32_t in_block, out_block;
    bool follows_relu; /* its input is a ReLU's output: no gradient passes where it is 0 */
    bool is_bf16;
    float scale; /* factor of the values that dropout keeps */
} Sieve;

/* `places` has the layout of `out`. It contains the index of each value in its pool, row by row; of
 * equal values the first. It is SIEVE_STOPPED where no gradient passes, because dropout or ReLU
 * made the value 0. */
enum { SIEVE_STOPPED = 255, SIEVE_SIDE_MAX = 15 };

/* `kept` is the NHWC mask of trainer/compute/dropout.h; NULL: all values are kept and not
 * scaled. */
void sieve_forward(const Sieve *sieve, int32_t images, const void *in, const uint8_t *kept,
                   void *out, uint8_t *places);
/* Computes the gradient of the input after a forward with `kept`, including the ReLU that precedes
 * the sieve. */
void sieve_backward(const Sieve *sieve, int32_t images, const void *out_gradient,
                    const uint8_t *places, void *in_gradient);

/* Sets gradient[i] to 0 where ReLU's output out[i] is 0. */
void relu_backward_bf16(const uint16_t *out, int64_t count, uint16_t *gradient);

float bf16_to_float(uint16_t value);

#endif
