#include "sim/cloud/training/step_roofline.h"

#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/compute.h"

// Enough samples to make the error of rounding to whole ns negligible.
enum { SAMPLES = 1024, VALUE_BYTES = 4 };

/* A multiply-add is two operations. The backward pass does each twice, for the gradients of the
 * input and of the weights, and moves twice as many bytes as the forward pass. */
enum { FLOPS_PER_MAC = 6, MOVES = 3 };

/* Copies reach 79, 87 and 84 % of the rate that is specified for A100, H100 and H200 (Azure
 * AI-benchmarking-guide). */
#define MEMORY_REACHED_PPM INT64_C(800000)

/* The multiply-adds executed: 2.25 times fewer for convolutions of 3 x 3 without stride.
 * Source: Lavin and Gray, "Fast algorithms for convolutional neural networks", CVPR 2016, F(2x2,
 * 3x3), which cuDNN has since version 5. */
static int64_t done_macs(const NetworkLayer *layer)
{
    static const char shape[] = "3x3/1 ";
    bool is_short = layer->kind == NETWORK_LAYER_CONVOLUTION && layer->shape != NULL &&
                    strncmp(layer->shape, shape, sizeof shape - 1) == 0;
    return is_short ? bounded_part(layer->forward_macs, 4, 9) : layer->forward_macs;
}

/* The computed time of SAMPLES samples, forward and backward, at the peak. */
static int64_t layers_ns(const GpuModel *gpu, const NetworkModel *network)
{
    const ComputeRate rate = {.peak_flops = gpu->peak_flops, .efficiency_ppm = PPM};
    if (network->layer_count == 0)
        return compute_ns(rate, bounded_times(SAMPLES, network->training_flops_per_sample));
    const int64_t memory_rate = mul_div(gpu->memory_bytes_per_s, MEMORY_REACHED_PPM, PPM);
    int64_t total = 0;
    for (int32_t i = 0; i < network->layer_count; i++) {
        const NetworkLayer *layer = &network->layers[i];
        const int64_t values = bounded_add(layer->input_values, layer->output_values);
        const int64_t flops = bounded_times((int64_t)SAMPLES * FLOPS_PER_MAC, done_macs(layer));
        const int64_t bytes = bounded_times((int64_t)SAMPLES * MOVES * VALUE_BYTES, values);
        total = bounded_add(total, roofline_ns(rate, flops, memory_rate, bytes));
    }
    return total;
}

/* The computed time of a batch on a GPU with `idle_milli` idle samples. */
static int64_t batch_ns(const GpuModel *gpu, const NetworkModel *network, int64_t batch,
                        int64_t idle_milli)
{
    int64_t ns =
        bounded_part(layers_ns(gpu, network), bounded_add(bounded_times(1000, batch), idle_milli),
                     INT64_C(1000) * SAMPLES);
    return larger(ns, 1);
}

/* The ratio of measured to computed time, without the framework's overhead. */
static int64_t excess_ppm(const Throughput *row, int64_t idle_milli)
{
    int64_t ns = row_step_ns(row);
    int64_t arithmetic_ns = larger(ns - row->framework->step_overhead_ns, ns / 2);
    return bounded_part(arithmetic_ns, PPM,
                        batch_ns(row->gpu, row->network, row->batch, idle_milli));
}

/* The first row of the GPU of row `index`. */
static int32_t first_of_gpu(const Throughputs *all, int32_t index)
{
    int32_t first = 0;
    while (all->rows[first].gpu != all->rows[index].gpu)
        first++;
    return first;
}

/* The excess_ppm of rows that may be used for others, 0 for the rest, and the idle samples of a GPU
 * at the first of its rows. Each is computed when it is first asked for: few are needed. */
typedef struct {
    const Throughputs *all;
    int64_t ppm[THROUGHPUTS_MAX], idle[THROUGHPUTS_MAX]; /* -1: not yet */
} Excess;

static void excess_begin(Excess *excess, const Throughputs *all)
{
    excess->all = all;
    for (int32_t i = 0; i < all->count; i++)
        excess->ppm[i] = excess->idle[i] = -1;
}

static int64_t excess_idle(Excess *excess, int32_t index)
{
    const Throughput *row = &excess->all->rows[index];
    const int64_t own = rows_idle(excess->all, row_key(row));
    if (own >= 0)
        return own;
    int64_t *of_gpu = &excess->idle[first_of_gpu(excess->all, index)];
    if (*of_gpu < 0)
        *of_gpu = rows_idle_on(excess->all, row->gpu);
    return *of_gpu;
}

static int64_t excess_of(Excess *excess, int32_t index)
{
    const Throughput *row = &excess->all->rows[index];
    int64_t *ppm = &excess->ppm[index];
    if (*ppm < 0)
        *ppm = rows_prefer(excess->all, row) ? excess_ppm(row, excess_idle(excess, index)) : 0;
    return *ppm;
}

/* The rows whose excess is used. */
typedef struct {
    const GpuModel *gpu;
    const Framework *framework;     /* NULL: any */
    const NetworkModel *other_than; /* this network is excluded */
} Peers;

static void add_peers(Excess *excess, Peers peers, Sample *sample)
{
    sample->count = 0;
    for (int32_t i = 0; i < excess->all->count; i++) {
        const Throughput *row = &excess->all->rows[i];
        if (row->gpu == peers.gpu &&
            (peers.framework == NULL || row->framework == peers.framework) &&
            row->network != peers.other_than && excess_of(excess, i) > 0)
            sample_add(sample, excess_of(excess, i));
    }
}

/* Adds the median of each GPU with peers, so that each GPU counts once. */
static void add_gpus(Excess *excess, const NetworkModel *other_than, Sample *sample)
{
    const Throughputs *all = excess->all;
    Sample of_gpu;
    sample->count = 0;
    for (int32_t i = 0; i < all->count; i++) {
        if (first_of_gpu(all, i) != i)
            continue;
        add_peers(excess, (Peers){.gpu = all->rows[i].gpu, .other_than = other_than}, &of_gpu);
        if (of_gpu.count > 0)
            sample_add(sample, sample_median(&of_gpu));
    }
}

/* Fills `sample` with the nearest peers that exist, and returns them: this GPU with this software,
 * else with any software, else all GPUs (`gpu` is NULL). */
static Peers peers_find(Excess *excess, Peers nearest, Sample *sample)
{
    add_peers(excess, nearest, sample);
    if (sample->count == 0) {
        nearest.framework = NULL;
        add_peers(excess, nearest, sample);
    }
    if (sample->count == 0) {
        nearest.gpu = NULL;
        add_gpus(excess, nearest.other_than, sample);
    }
    return nearest;
}

/* The median ratio of `network` to its peers on the GPUs where it was measured; 1 if it was not. */
static int64_t network_factor_ppm(Excess *excess, const NetworkModel *network, int32_t *rows)
{
    Sample factors, peers;
    factors.count = 0;
    for (int32_t i = 0; i < excess->all->count; i++) {
        const Throughput *row = &excess->all->rows[i];
        if (row->network != network || excess_of(excess, i) == 0)
            continue;
        const Peers of_gpu = {row->gpu, row->framework, network};
        if (peers_find(excess, of_gpu, &peers).gpu != NULL)
            sample_add(&factors, bounded_part(excess_of(excess, i), PPM, sample_median(&peers)));
    }
    *rows = factors.count;
    return factors.count > 0 ? sample_median(&factors) : PPM;
}

#define ROOFLINE_ERROR_PPM INT64_C(120000)      /* the network was measured on other GPUs */
#define SMALL_LAYERS_ERROR_PPM INT64_C(200000)  /* how much of a GPU is idle differs by GPU */
#define OTHER_NETWORK_ERROR_PPM INT64_C(600000) /* the network was not measured */
#define OTHER_GPU_ERROR_PPM INT64_C(380000)     /* nothing was measured on this GPU */

/* The error of a batch beyond all rows that may be used for others; 0 within them. */
static int64_t beyond_all_ppm(const Throughputs *all, int64_t batch)
{
    int64_t least = INT64_MAX, most = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        if (!row->calibrates)
            continue;
        least = row->batch < least ? row->batch : least;
        most = larger(most, row->batch);
    }
    if (most == 0 || (least <= batch && batch <= most))
        return 0;
    return step_beyond_error_ppm(batch < least ? least : most, batch);
}

StepEstimate step_from_layers(const Throughputs *all, Key key, int64_t batch)
{
    Excess excess;
    Sample sample;
    int32_t network_rows;
    excess_begin(&excess, all);
    const Peers peers = peers_find(&excess, (Peers){key.gpu, key.framework, key.network}, &sample);
    const int64_t own_ppm = network_factor_ppm(&excess, key.network, &network_rows);
    const int64_t peers_ppm = sample.count > 0 ? sample_median(&sample) : PPM;
    const int64_t factor_ppm = bounded_part(peers_ppm, own_ppm, PPM);
    const int64_t layers = batch_ns(key.gpu, key.network, batch, rows_idle_on(all, key.gpu));
    // The more a network differs from its peers, the less its ratio holds on another GPU.
    int64_t network_error_ppm = OTHER_NETWORK_ERROR_PPM;
    if (network_rows > 0) // these may be of other software
        network_error_ppm = ROOFLINE_ERROR_PPM + distance(own_ppm, PPM) / 2 +
                            (step_has_small_layers(key.network) ? SMALL_LAYERS_ERROR_PPM : 0) +
                            (rows_measure(all, key.framework) ? 0 : UNKNOWN_SOFTWARE_ERROR_PPM);
    return (StepEstimate){.basis = STEP_BASIS_ROOFLINE,
                          .step_ns = bounded_add(bounded_part(layers, factor_ppm, PPM),
                                                 key.framework->step_overhead_ns),
                          .error_ppm = network_error_ppm +
                                       (peers.gpu != NULL ? 0 : OTHER_GPU_ERROR_PPM) +
                                       beyond_all_ppm(all, batch),
                          .row_count = sample.count + network_rows,
                          .factor_ppm = factor_ppm,
                          .is_of_gpu = peers.gpu != NULL};
}
