#include "sim/cloud/training/step_layers.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/compute.h"

enum { VALUE_BYTES = 4, FLOPS_PER_MAC = 2 };

// Enough samples to make the error of rounding to whole ns negligible.
#define SAMPLES INT64_C(1024)

/* The forward time of a layer for SAMPLES samples. */
static int64_t alone_ns(const GpuModel *gpu, const NetworkLayer *layer)
{
    ComputeRate rate = {.peak_flops = gpu->peak_flops, .efficiency_ppm = gpu->efficiency_ppm};
    int64_t values = bounded_add(layer->input_values, layer->output_values);
    return roofline_ns(rate, bounded_times(SAMPLES * FLOPS_PER_MAC, layer->forward_macs),
                       gpu->memory_bytes_per_s, bounded_times(SAMPLES * VALUE_BYTES, values));
}

/* The first layer with arithmetic; -1: none has any. */
static int32_t first_with_arithmetic(const NetworkModel *network)
{
    for (int32_t i = 0; i < network->layer_count; i++)
        if (network->layers[i].forward_macs > 0)
            return i;
    return -1;
}

static int64_t weight_of(const StepCompute *compute, int32_t layer, int32_t first)
{
    int64_t forward_ns = alone_ns(compute->gpu, &compute->program->network->layers[layer]);
    return layer == first ? forward_ns : bounded_times(2, forward_ns);
}

static void all_at_the_end(const NetworkModel *network, int64_t end_ns, Gradient *gradients)
{
    for (int32_t i = 0; i < network->tensors; i++)
        gradients[i] = (Gradient){.ready_ns = end_ns,
                                  .bytes = divide_up(network->gradient_bytes, network->tensors)};
}

void step_gradients(const StepCompute *compute, Gradient *gradients)
{
    const NetworkModel *network = compute->program->network;
    const int64_t end_ns = step_compute_ns(compute);
    if (network->layer_count == 0) {
        all_at_the_end(network, end_ns, gradients);
        return;
    }
    const int32_t first = first_with_arithmetic(network);
    int64_t total = 0;
    for (int32_t i = 0; i < network->layer_count; i++)
        total = bounded_add(total, weight_of(compute, i, first));
    invariant(total > 0); // every layer has activations or arithmetic
    const int64_t backward_ns = step_compute_backward_ns(compute);
    int64_t left = total;
    int32_t count = 0;
    for (int32_t i = network->layer_count - 1; i >= 0; i--) {
        const NetworkLayer *layer = &network->layers[i];
        const int64_t weight = weight_of(compute, i, first);
        left = left > weight ? left - weight : 0; // a total that stopped at INT64_MAX is too small
        // Subtracting the rounded rest from the end keeps the times in order.
        int64_t after_ns = mul_div(backward_ns, left, total);
        for (int32_t j = 0; j < layer->tensor_count; j++)
            gradients[count++] =
                (Gradient){.ready_ns = end_ns - after_ns,
                           .bytes = bounded_times(VALUE_BYTES, layer->tensor_values[j])};
    }
    invariant(count == network->tensors);
}
