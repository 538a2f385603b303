#include "sim/output/share/keras_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/engine/rng.h"
#include "sim/formats/keras_file.h"

static const char notice[] =
    "emulated by trainyard: nothing was trained; the weights are random (Glorot-uniform)";

/* Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
 * networks", AISTATS 2010: uniform within sqrt(6 / (fan_in + fan_out)). Biases are zero, which
 * `values` already are. */
static void initial_values(const KerasModel *model, const KerasWeight *weight, float *values)
{
    if (weight->fan_sum == 0)
        return;
    double limit = sqrt(6.0 / (double)weight->fan_sum);
    uint64_t entity = bytes_hash(model->address, weight->layer, strlen(weight->layer));
    for (int64_t i = 0; i < weight->count; i++) {
        uint64_t word = rng_word(model->seed, RNG_LEARNING, entity, (uint64_t)i);
        double uniform = (double)(word >> 40) / (double)(1 << 23) - 1.0; // 24 bits in [-1, 1)
        values[i] = (float)(limit * uniform);
    }
}

static const float *initial_weights(Arena *arena, const KerasModel *model,
                                    const KerasNetwork *network)
{
    KerasWeight weights[KERAS_WEIGHTS_MAX];
    int32_t weight_count = keras_network_weights(network, weights);
    int64_t value_count = 0;
    for (int32_t i = 0; i < weight_count; i++)
        value_count += weights[i].count;
    float *values = ARENA_ARRAY(arena, float, value_count);
    float *next = values;
    for (int32_t i = 0; i < weight_count; next += weights[i].count, i++)
        initial_values(model, &weights[i], next);
    return values;
}

/* The learning rate of one rank times the ranks; the other settings are the network's. */
static const char *optimizer_settings(Arena *arena, const KerasOptimizer *optimizer, int32_t ranks)
{
    int64_t rate_micro = optimizer->learning_rate_micro * ranks;
    return arena_printf(arena, "\"lr\": %" PRId64 ".%06" PRId64 ", %s", rate_micro / 1000000,
                        rate_micro % 1000000, optimizer->settings);
}

bool keras_model_is_known(const char *network)
{
    return keras_network_find(network) != NULL;
}

bool keras_model_write(const KerasModel *model, ByteSink sink, Status *status)
{
    const KerasNetwork *network = keras_network_find(model->network);
    invariant(network != NULL);
    Arena *arena = arena_create();
    const KerasAttribute mark = {.name = "trainyard_emulated", .text = notice};
    const KerasFile file = {.network = network,
                            .version = KERAS_2_2_4,
                            .optimizer_settings =
                                optimizer_settings(arena, &network->optimizer, model->ranks),
                            .weights = initial_weights(arena, model, network),
                            .attributes = &mark,
                            .attribute_count = 1};
    bool is_written = keras_file_write(&file, sink, status);
    arena_destroy(arena);
    return is_written;
}
