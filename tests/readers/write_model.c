/* Writes a checkpoint for other programs to read: write_model FILE [SEED].
 *
 * The network's initial weights times two, so that predictions differ from image to image, and no
 * zeros where zeros would hide a mistake. tests/readers/check_model.py knows the numbers of the
 * training. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/report.h"
#include "trainer/base/random.h"
#include "trainer/run/checkpoint.h"

static void fill(const Net *net, uint64_t seed, float *weights, float *accumulators)
{
    net_initial_weights(net, seed, weights);
    for (int64_t i = 0; i < net->parameter_count; i++)
        weights[i] *= 2.0f;
    for (int32_t i = 0; i < net->layer_count; i++)
        for (int64_t k = 0; k < net->layers[i].bias_count; k++) {
            const RandomAddress at = {
                .use = RANDOM_WEIGHTS, .rank = 1, .layer = (uint32_t)i, .block = (uint32_t)k};
            weights[net->layers[i].bias_at + k] =
                0.2f * random_unit(random_words(seed, at).word[0]) - 0.1f;
        }
    for (int64_t i = 0; i < net->parameter_count; i++)
        accumulators[i] = weights[i] * weights[i];
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const RmsProp optimizer = rmsprop_of_keras(0.00025);
    const TrainingState state = {.seed = seed,
                                 .ranks = 4,
                                 .batch_size = 32,
                                 .epoch = 2,
                                 .iteration = 3126,
                                 .train_images = 50000,
                                 .is_augmented = true,
                                 .backend = "ref",
                                 .precision = "fp32"};
    if (argc < 2) {
        fputs("usage: write_model FILE [SEED]\n", stderr);
        return EXIT_BAD_INPUT;
    }
    Status status = {0};
    Net net;
    if (!net_build("keras_cifar10_cnn", &net, &status))
        return report_status(&status);
    Arena *arena = arena_create();
    float *weights = ARENA_ARRAY(arena, float, net.parameter_count);
    float *accumulators = ARENA_ARRAY(arena, float, net.parameter_count);
    fill(&net, seed, weights, accumulators);
    int64_t bytes;
    const bool is_written =
        checkpoint_write(argv[1], &net, &optimizer, &state, weights, accumulators, &bytes, &status);
    arena_destroy(arena);
    return is_written ? EXIT_FINE : report_status(&status);
}
