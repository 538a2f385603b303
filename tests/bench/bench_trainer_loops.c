/* The element-wise passes of one training step of 32 images of keras_cifar10_cnn on one processor,
 * each compared with the same loop written one value at a time (tests/support/plain_loops.h),
 * compiled alike. Milliseconds a step, best of the rounds; both are measured in turns, so that
 * other work on the machine meets both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/plain_loops.h"
#include "trainer/base/floats.h"
#include "trainer/compute/dropout.h"
#include "trainer/compute/host.h"

enum { IMAGES = 32, ROUNDS = 60 };

/* All passes work on the same memory. */
typedef struct {
    Net net;
    NetShape shapes[5]; /* of the outputs with bias and ReLU */
    RmsProp optimizer;
    uint8_t *bytes, *kept;
    float *a, *b, *c;
    int64_t dropped[3]; /* values after each dropout layer */
} Bench;

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* --- The passes; `is_plain` chooses the loop over single values --- */

static void pass_rmsprop(Bench *bench, bool is_plain)
{
    const RmsProp *optimizer = &bench->optimizer;
    const int64_t count = bench->net.parameter_count;
    if (is_plain)
        plain_rmsprop(optimizer, 1e-4f, 0.5f, count, bench->a, bench->b, bench->c);
    else if (!rmsprop_update(optimizer, 1e-4f, 0.5f, count, bench->a, bench->b, bench->c))
        abort(); // it found a value that is not finite
}

static void pass_masks(Bench *bench, bool is_plain)
{
    for (uint32_t i = 0; i < 3; i++)
        (is_plain ? plain_dropout_mask : dropout_mask)(1, 0, 7, i, 64, IMAGES * bench->dropped[i],
                                                       bench->kept);
}

static void pass_augment(Bench *bench, bool is_plain)
{
    for (uint32_t i = 0; i < IMAGES; i++)
        (is_plain ? plain_augment : augment_image)(bench->bytes + (size_t)i * IMAGE_BYTES,
                                                   augmentation_draw(1, 0, 7, i),
                                                   bench->a + (size_t)i * IMAGE_BYTES);
}

static void pass_relu_backward(Bench *bench, bool is_plain)
{
    for (int32_t i = 0; i < 5; i++)
        (is_plain ? plain_relu_backward
                  : host_relu_backward)(bench->a, IMAGES * net_size(bench->shapes[i]), bench->b);
}

typedef struct {
    const char *name;
    void (*run)(Bench *bench, bool is_plain);
} Pass;

static const Pass passes[] = {
    {"rmsprop", pass_rmsprop},
    {"dropout masks", pass_masks},
    {"augment", pass_augment},
    {"relu backward", pass_relu_backward},
};

static void measure(Bench *bench, const Pass *pass)
{
    int64_t best_ns[2] = {INT64_MAX, INT64_MAX};
    for (int32_t round = 0; round < 2 * ROUNDS; round++) {
        int64_t begin_ns = clock_ns();
        pass->run(bench, round % 2);
        int64_t took_ns = clock_ns() - begin_ns;
        if (took_ns < best_ns[round % 2])
            best_ns[round % 2] = took_ns;
    }
    printf("%-16s %9.3f %9.3f %7.1f\n", pass->name, 1e-6 * (double)best_ns[1],
           1e-6 * (double)best_ns[0], (double)best_ns[1] / (double)best_ns[0]);
}

/* Values of both signs without zeros, so that nothing is skipped. */
static float *numbers(int64_t count)
{
    float *floats = floats_zeroed(count);
    for (int64_t i = 0; i < count; i++)
        floats[i] = (float)(i * 7919 % 1009 - 504) / 500.0f + 0.0001f;
    return floats;
}

static bool bench_open(Bench *bench)
{
    Status status;
    *bench = (Bench){.optimizer = rmsprop_of_keras(1e-4)};
    if (!net_build("keras_cifar10_cnn", &bench->net, &status)) {
        fprintf(stderr, "%s\n", status.message);
        return false;
    }
    int32_t relus = 0, drops = 0;
    for (int32_t i = 0; i < bench->net.layer_count; i++) {
        const NetLayer *layer = &bench->net.layers[i];
        if (layer->has_relu)
            bench->shapes[relus++] = layer->out;
        if (layer->kind == NET_DROPOUT)
            bench->dropped[drops++] = net_size(layer->out);
    }
    const int64_t largest = 2 * bench->net.parameter_count; // above 32 x 32 x 32 of 32 images
    bench->bytes = malloc((size_t)IMAGES * IMAGE_BYTES);
    bench->kept = malloc((size_t)largest);
    for (int32_t i = 0; i < IMAGES * IMAGE_BYTES; i++)
        bench->bytes[i] = (uint8_t)(i * 31 % 251);
    memset(bench->kept, 1, (size_t)largest);
    bench->a = numbers(largest);
    bench->b = numbers(largest);
    bench->c = numbers(largest);
    memset(bench->b, 0, (size_t)largest * sizeof(float)); // accumulators are not negative
    return true;
}

int main(void)
{
    Bench bench;
    if (!bench_open(&bench))
        return EXIT_FAILURE;
    printf("%-16s %9s %9s %7s\n", "ms a step", "plain", "ours", "times");
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++)
        measure(&bench, &passes[i]);
    free(bench.bytes);
    free(bench.kept);
    free(bench.a);
    free(bench.b);
    free(bench.c);
    return EXIT_SUCCESS;
}
