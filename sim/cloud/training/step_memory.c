#include "sim/cloud/training/step_memory.h"

#include "sim/cloud/training/layer_rates.h"
#include "sim/model/bounded.h"

enum { VALUE_BYTES = 4 };

/* Values of one image that the backward pass needs for layer `index`, without those that an earlier
 * layer already keeps. */
static int64_t kept_values(const NetworkModel *network, int32_t index)
{
    const NetworkLayer *layer = &network->layers[index];
    switch (layer->kind) {
    case NETWORK_LAYER_ACTIVATION:
        return layer->output_values;
    case NETWORK_LAYER_NORMALIZATION:
        // The output of an activation is kept already.
        return index > 0 && network->layers[index - 1].kind == NETWORK_LAYER_ACTIVATION
                   ? 0
                   : layer->input_values;
    case NETWORK_LAYER_CONVOLUTION:
    case NETWORK_LAYER_DEPTHWISE:
    case NETWORK_LAYER_DENSE:
    case NETWORK_LAYER_POOLING:
    case NETWORK_LAYER_DROPOUT:
    case NETWORK_LAYER_ADDITION:
    case NETWORK_LAYER_CONCATENATION:
    case NETWORK_LAYER_SOFTMAX:
    case NETWORK_LAYER_KIND_COUNT:
        break;
    }
    return 0;
}

int64_t step_memory_least_bytes(const NetworkModel *network, int64_t batch)
{
    int64_t kept = 0;                        // values of one image, up to this layer
    int64_t gradients = network->parameters; // from this layer to the last
    int64_t most = gradients;
    for (int32_t i = 0; i < network->layer_count; i++) {
        kept = bounded_add(kept, kept_values(network, i));
        const int64_t values = bounded_add(bounded_times(kept, batch), gradients);
        most = values > most ? values : most;
        gradients -= layer_parameters(&network->layers[i]);
    }
    return bounded_times(VALUE_BYTES, bounded_add(network->parameters, most));
}

int64_t step_memory_batch_most(const NetworkModel *network, int64_t batch, int64_t bytes)
{
    int64_t fits = 0, too_large = batch + 1;
    while (too_large - fits > 1) {
        const int64_t middle = fits + (too_large - fits) / 2;
        if (step_memory_least_bytes(network, middle) <= bytes)
            fits = middle;
        else
            too_large = middle;
    }
    return fits;
}
