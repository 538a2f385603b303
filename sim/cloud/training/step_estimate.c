#include "sim/cloud/training/step_estimate.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/compute.h"

/* --- Values in order --- */

typedef struct {
    int32_t count;
    int64_t values[THROUGHPUTS_MAX]; /* rising */
} Sample;

static void sample_add(Sample *sample, int64_t value)
{
    invariant(sample->count < THROUGHPUTS_MAX);
    int32_t i = sample->count++;
    for (; i > 0 && sample->values[i - 1] > value; i--)
        sample->values[i] = sample->values[i - 1];
    sample->values[i] = value;
}

static int64_t sample_median(const Sample *sample)
{
    invariant(sample->count > 0);
    int32_t middle = sample->count / 2;
    if (sample->count % 2 == 1)
        return sample->values[middle];
    return sample->values[middle - 1] + (sample->values[middle] - sample->values[middle - 1]) / 2;
}

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The largest deviation from the median, as a part of it. */
static int64_t sample_spread_ppm(const Sample *sample)
{
    invariant(sample->count > 0);
    int64_t median = sample_median(sample);
    int64_t most = larger(median - sample->values[0], sample->values[sample->count - 1] - median);
    return bounded_part(most, PPM, median);
}

/* --- Rows of one kind --- */

typedef struct {
    const GpuModel *gpu;
    const NetworkModel *network;
    const Framework *framework;
    const ExchangeMethod *exchange;
} Key;

static Key key_of(const Throughput *row)
{
    return (Key){row->gpu, row->network, row->framework, row->exchange};
}

/* Variants of a method over another network share the pointer to its name. */
static bool is_same_exchange(const ExchangeMethod *a, const ExchangeMethod *b)
{
    return a == b || (a != NULL && b != NULL && a->name == b->name);
}

static bool is_of(const Throughput *row, Key key)
{
    return row->gpu == key.gpu && row->network == key.network && row->framework == key.framework &&
           is_same_exchange(row->exchange, key.exchange);
}

/* The cost of an exchange (NULL: none) for a single process: the hand-over, and through the host
 * half a cycle until the thread handles the last gradients. Measured costs differ from it by less
 * than half (scenarios/SOURCES.md). */
static int64_t modelled_alone_ns(const ExchangeMethod *exchange, const NetworkModel *network)
{
    if (exchange == NULL || exchange->needs_peers)
        return 0;
    const int64_t notice_ns = exchange->via_host ? exchange->cycle_ns / 2 : 0;
    return bounded_add(bounded_add(notice_ns, exchange->hand_over_ns),
                       bounded_times(network->tensors, exchange->tensor_ns));
}

/* The part of the measured step that is subtracted as modelled_alone_ns: at most half. */
static int64_t held_ns(const Throughput *row, int64_t measured_ns)
{
    const int64_t ns = modelled_alone_ns(row->exchange, row->network);
    return ns < measured_ns / 2 ? ns : measured_ns / 2;
}

static int64_t measured_ns(const Throughput *row)
{
    return bounded_part(bounded_times(row->batch, NS_PER_S), PPM, row->micro_samples_per_s);
}

/* The step without the modelled cost of the exchange for its one process. */
static int64_t row_ns(const Throughput *row)
{
    const int64_t ns = measured_ns(row);
    return ns - held_ns(row, ns);
}

/* A size of batch, and the median of its measured times. */
typedef struct {
    int64_t batch;
    int64_t ns;
    int64_t spread_ppm;
    const Throughput *row;
    int32_t rows;
} Point;

static Point point_at(const Throughputs *all, Key key, int64_t batch)
{
    Point point = {.batch = batch};
    Sample sample;
    sample.count = 0; // initialising the whole array would be slow
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        if (!is_of(row, key) || row->batch != batch)
            continue;
        sample_add(&sample, row_ns(row));
        point.row = point.row != NULL ? point.row : row;
    }
    point.rows = sample.count;
    point.ns = sample_median(&sample);
    point.spread_ppm = sample_spread_ppm(&sample);
    return point;
}

/* The measured batches nearest to a batch; 0: none. */
typedef struct {
    int64_t below; /* at most as large */
    int64_t above; /* at least as large */
} Neighbours;

static Neighbours neighbours_of(const Throughputs *all, Key key, int64_t batch)
{
    Neighbours next = {0};
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        if (!is_of(row, key))
            continue;
        if (row->batch <= batch && row->batch > next.below)
            next.below = row->batch;
        if (row->batch >= batch && (next.above == 0 || row->batch < next.above))
            next.above = row->batch;
    }
    return next;
}

/* Finds rows of the key's network, GPU and software, and sets the key's exchange: preferably none,
 * else the key's own, else any. False: there are no rows. */
static bool key_find(const Throughputs *all, Key *key)
{
    const Throughput *found = NULL;
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        Key any = *key;
        any.exchange = row->exchange;
        if (!is_of(row, any))
            continue;
        if (found == NULL || row->exchange == NULL ||
            (found->exchange != NULL && is_same_exchange(row->exchange, key->exchange)))
            found = row;
    }
    if (found != NULL)
        key->exchange = found->exchange;
    return found != NULL;
}

/* Whether a row may be used for other networks, GPUs or software, and key_find prefers it. */
static bool is_best_row(const Throughputs *all, const Throughput *row)
{
    Key key = key_of(row);
    return row->calibrates && key_find(all, &key) && key.exchange == row->exchange;
}

/* Whether any row shows the effect of the software. */
static bool is_measured_software(const Throughputs *all, const Framework *framework)
{
    for (int32_t i = 0; i < all->count; i++)
        if (all->rows[i].framework == framework && all->rows[i].calibrates)
            return true;
    return false;
}

/* --- Batches beyond the measured ones --- */

/* The idle samples (step_estimate.h) by the line through the smallest and the largest batch of a
 * key, in thousandths; -1: only one batch was measured, or the step got no longer. */
static int64_t idle_of(const Throughputs *all, Key key)
{
    int64_t least = neighbours_of(all, key, 0).above;
    int64_t most = neighbours_of(all, key, INT64_MAX).below;
    if (least == most)
        return -1;
    Point first = point_at(all, key, least), last = point_at(all, key, most);
    int64_t rise_ns = last.ns - first.ns;
    if (rise_ns <= 0)
        return -1;
    // Through both: t = rise / (most - least) (b + idle).
    int64_t reach = bounded_part(first.ns, bounded_times(1000, most - least), rise_ns);
    return larger(reach - bounded_times(1000, least), 0);
}

/* The median of the idle samples measured on `gpu`, else on any GPU (NULL); 0: there are none. */
static int64_t idle_on(const Throughputs *all, const GpuModel *gpu)
{
    Sample sample;
    sample.count = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        Key key = key_of(row);
        // Each key counts once, at the first row of its smallest batch.
        bool is_first = row->calibrates && (gpu == NULL || row->gpu == gpu) &&
                        point_at(all, key, neighbours_of(all, key, 0).above).row == row;
        int64_t idle = is_first ? idle_of(all, key) : -1;
        if (idle >= 0)
            sample_add(&sample, idle);
    }
    if (sample.count > 0)
        return sample_median(&sample);
    return gpu != NULL ? idle_on(all, NULL) : 0;
}

static int64_t idle_for(const Throughputs *all, Key key)
{
    int64_t idle = idle_of(all, key);
    return idle >= 0 ? idle : idle_on(all, key.gpu);
}

/* A measured step of batch `from`, scaled to batch `to`. */
static int64_t step_at_batch(int64_t ns, int64_t from, int64_t to, int64_t idle_milli)
{
    return bounded_part(ns, bounded_add(bounded_times(1000, to), idle_milli),
                        bounded_add(bounded_times(1000, from), idle_milli));
}

/* The number of doublings from the smaller to the larger batch, linear between two doublings. */
static int64_t doublings_ppm(int64_t a, int64_t b)
{
    const int64_t most = larger(a, b);
    int64_t at = a < b ? a : b, ppm = 0;
    for (; at <= most / 2; at *= 2)
        ppm += PPM;
    return ppm + bounded_part(most - at, PPM, at);
}

/* The error that each doubling beyond measured batches adds. With it, estimates from two or more of
 * a network's measured batches are within their error at the other batches; so are estimates from
 * one batch for networks of large images (trainyard predict --coverage). */
#define DOUBLING_ERROR_PPM INT64_C(150000)

static int64_t beyond_error_ppm(int64_t from, int64_t to)
{
    return bounded_part(DOUBLING_ERROR_PPM, doublings_ppm(from, to), PPM);
}

/* A network whose largest layer has fewer values than this, per sample, leaves most of a GPU idle
 * at usual batches: those of CIFAR have 65,536, AlexNet 193,600, ResNet-50 802,816. */
enum { SMALL_LAYER_VALUES = 100000 };

static bool has_small_layers(const NetworkModel *network)
{
    int64_t most = 0;
    for (int32_t i = 0; i < network->layer_count; i++)
        most = larger(most, network->layers[i].output_values);
    return most > 0 && most < SMALL_LAYER_VALUES;
}

/* --- Measured with this software --- */

/* The error of one measurement: repeated ones of the same step are up to 2.6 % from their median
 * (TensorFlow of May 2017 on K80 of two clouds). */
#define MEASUREMENT_ERROR_PPM INT64_C(30000)

static StepEstimate measured_beyond(const Throughputs *all, Key key, Point end, int64_t batch)
{
    int64_t ns = step_at_batch(end.ns, end.batch, batch, idle_for(all, key));
    // The other possible assumption is that there are no idle samples: the difference is an error.
    int64_t proportional_ns = step_at_batch(end.ns, end.batch, batch, 0);
    int64_t idle_ppm = bounded_part(distance(ns, proportional_ns), PPM, ns);
    // One batch of small layers does not show whether the step depends on the batch at all.
    if (has_small_layers(key.network) && idle_of(all, key) < 0)
        idle_ppm = larger(idle_ppm, bounded_part(distance(ns, end.ns), PPM, end.ns));
    int64_t beyond_ppm = bounded_add(idle_ppm, beyond_error_ppm(end.batch, batch));
    return (StepEstimate){
        .step_ns = ns,
        .error_ppm = bounded_add(MEASUREMENT_ERROR_PPM, bounded_add(end.spread_ppm, beyond_ppm)),
        .row = end.row,
        .row_count = end.rows,
        .is_other_batch = true};
}

static StepEstimate measured_between(const Throughputs *all, Key key, Point low, Point high,
                                     int64_t batch)
{
    int64_t span = high.batch - low.batch, way = batch - low.batch;
    int64_t ns = high.ns >= low.ns ? low.ns + bounded_part(high.ns - low.ns, way, span)
                                   : low.ns - bounded_part(low.ns - high.ns, way, span);
    // The difference from the line through all batches shows the noise of the measurements.
    int64_t line_ns = step_at_batch(low.ns, low.batch, batch, idle_for(all, key));
    int64_t noise_ppm = bounded_add(larger(low.spread_ppm, high.spread_ppm),
                                    bounded_part(distance(ns, line_ns), PPM, ns));
    return (StepEstimate){.step_ns = ns,
                          .error_ppm = bounded_add(2 * MEASUREMENT_ERROR_PPM, noise_ppm),
                          .row = low.row,
                          .row_count = low.rows + high.rows,
                          .is_other_batch = true};
}

/* `key` has rows. */
static StepEstimate measured(const Throughputs *all, Key key, int64_t batch)
{
    Neighbours next = neighbours_of(all, key, batch);
    StepEstimate estimate;
    if (next.below == next.above) {
        Point point = point_at(all, key, batch);
        estimate = (StepEstimate){.step_ns = point.ns,
                                  .error_ppm = larger(MEASUREMENT_ERROR_PPM, point.spread_ppm),
                                  .row = point.row,
                                  .row_count = point.rows};
    } else if (next.below > 0 && next.above > 0) {
        estimate = measured_between(all, key, point_at(all, key, next.below),
                                    point_at(all, key, next.above), batch);
    } else {
        Point end = point_at(all, key, next.below > 0 ? next.below : next.above);
        estimate = measured_beyond(all, key, end, batch);
    }
    estimate.basis = STEP_BASIS_MEASURED;
    return estimate;
}

/* --- Measured with other software --- */

/* The median ratio of one software to another. */
typedef struct {
    int64_t factor_ppm; /* 0: never measured side by side */
    int64_t spread_ppm;
    bool is_of_gpu;
} Ratio;

/* Steps of `framework` over those of `other`, same network, GPU and batch, on `gpu` (NULL: any). */
static Ratio ratio_on(const Throughputs *all, const Framework *framework, const Framework *other,
                      const GpuModel *gpu)
{
    Sample sample;
    sample.count = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        Key key = key_of(row);
        if (row->framework != framework || (gpu != NULL && row->gpu != gpu) ||
            !is_best_row(all, row))
            continue;
        key.framework = other;
        if (!key_find(all, &key) || neighbours_of(all, key, row->batch).above != row->batch)
            continue;
        Point point = point_at(all, key, row->batch);
        if (point.row->calibrates)
            sample_add(&sample, bounded_part(row_ns(row), PPM, point.ns));
    }
    if (sample.count == 0)
        return (Ratio){0};
    return (Ratio){sample_median(&sample), sample_spread_ppm(&sample), gpu != NULL};
}

static Ratio ratio_find(const Throughputs *all, const Framework *framework, const Framework *other,
                        const GpuModel *gpu)
{
    Ratio ratio = ratio_on(all, framework, other, gpu);
    return ratio.factor_ppm > 0 ? ratio : ratio_on(all, framework, other, NULL);
}

/* The error from software on a network that was not measured with both; without other evidence, the
 * difference of PyTorch and TensorFlow on one network (ResNet-164: 17 %) and some more. */
#define SOFTWARE_ERROR_PPM INT64_C(50000)
#define UNKNOWN_SOFTWARE_ERROR_PPM INT64_C(220000)

static StepEstimate times_ratio(StepEstimate estimate, Ratio ratio)
{
    int64_t error_ppm =
        bounded_add(SOFTWARE_ERROR_PPM * (ratio.is_of_gpu ? 1 : 2), ratio.spread_ppm);
    if (ratio.factor_ppm > 0)
        estimate.step_ns = bounded_part(estimate.step_ns, ratio.factor_ppm, PPM);
    else
        error_ppm = UNKNOWN_SOFTWARE_ERROR_PPM;
    estimate.error_ppm = bounded_add(estimate.error_ppm, error_ppm);
    estimate.basis = STEP_BASIS_SOFTWARE;
    estimate.factor_ppm = ratio.factor_ppm;
    estimate.is_of_gpu = ratio.is_of_gpu;
    return estimate;
}

/* The estimate from other software, with the least error; a step of 0 ns: there is none. */
static StepEstimate measured_with_other(const Throughputs *all, Key key, int64_t batch)
{
    StepEstimate best = {.step_ns = 0};
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        const Key other = key_of(row);
        if (row->gpu != key.gpu || row->network != key.network || row->framework == key.framework ||
            !is_best_row(all, row))
            continue;
        const Ratio ratio = ratio_find(all, key.framework, row->framework, key.gpu);
        const StepEstimate estimate = times_ratio(measured(all, other, batch), ratio);
        if (best.step_ns == 0 || estimate.error_ppm < best.error_ppm)
            best = estimate;
    }
    return best;
}

/* --- From the layers --- */

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
    int64_t ns = row_ns(row);
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

/* The excess_ppm of each row that may be used for others; 0 for the rest. */
typedef struct {
    const Throughputs *all;
    int64_t ppm[THROUGHPUTS_MAX];
} Excess;

static void excess_fill(Excess *excess)
{
    const Throughputs *all = excess->all;
    int64_t idle[THROUGHPUTS_MAX]; // of the GPU of a row that is the first of its GPU
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        const int32_t first = first_of_gpu(all, i);
        if (first == i)
            idle[i] = idle_on(all, row->gpu);
        const int64_t own_idle = idle_of(all, key_of(row));
        excess->ppm[i] =
            is_best_row(all, row) ? excess_ppm(row, own_idle >= 0 ? own_idle : idle[first]) : 0;
    }
}

/* The rows whose excess is used. */
typedef struct {
    const GpuModel *gpu;
    const Framework *framework;     /* NULL: any */
    const NetworkModel *other_than; /* this network is excluded */
} Peers;

static void add_peers(const Excess *excess, Peers peers, Sample *sample)
{
    sample->count = 0;
    for (int32_t i = 0; i < excess->all->count; i++) {
        const Throughput *row = &excess->all->rows[i];
        if (row->gpu == peers.gpu &&
            (peers.framework == NULL || row->framework == peers.framework) &&
            row->network != peers.other_than && excess->ppm[i] > 0)
            sample_add(sample, excess->ppm[i]);
    }
}

/* Adds the median of each GPU with peers, so that each GPU counts once. */
static void add_gpus(const Excess *excess, const NetworkModel *other_than, Sample *sample)
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
static Peers peers_find(const Excess *excess, Peers nearest, Sample *sample)
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
static int64_t network_factor_ppm(const Excess *excess, const NetworkModel *network, int32_t *rows)
{
    Sample factors, peers;
    factors.count = 0;
    for (int32_t i = 0; i < excess->all->count; i++) {
        const Throughput *row = &excess->all->rows[i];
        if (row->network != network || excess->ppm[i] == 0)
            continue;
        const Peers of_gpu = {row->gpu, row->framework, network};
        if (peers_find(excess, of_gpu, &peers).gpu != NULL)
            sample_add(&factors, bounded_part(excess->ppm[i], PPM, sample_median(&peers)));
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
    return beyond_error_ppm(batch < least ? least : most, batch);
}

static StepEstimate from_layers(const Throughputs *all, Key key, int64_t batch)
{
    Excess excess = {.all = all};
    Sample sample;
    int32_t network_rows;
    excess_fill(&excess);
    const Peers peers = peers_find(&excess, (Peers){key.gpu, key.framework, key.network}, &sample);
    const int64_t own_ppm = network_factor_ppm(&excess, key.network, &network_rows);
    const int64_t peers_ppm = sample.count > 0 ? sample_median(&sample) : PPM;
    const int64_t factor_ppm = bounded_part(peers_ppm, own_ppm, PPM);
    const int64_t layers = batch_ns(key.gpu, key.network, batch, idle_on(all, key.gpu));
    // The more a network differs from its peers, the less its ratio holds on another GPU.
    int64_t network_error_ppm = OTHER_NETWORK_ERROR_PPM;
    if (network_rows > 0) // these may be of other software
        network_error_ppm =
            ROOFLINE_ERROR_PPM + distance(own_ppm, PPM) / 2 +
            (has_small_layers(key.network) ? SMALL_LAYERS_ERROR_PPM : 0) +
            (is_measured_software(all, key.framework) ? 0 : UNKNOWN_SOFTWARE_ERROR_PPM);
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

/* --- All together --- */

/* The measured batch that is nearest to `batch`; 0: none. */
static int64_t nearest_batch(const Throughputs *all, Key key, int64_t batch)
{
    const Neighbours next = neighbours_of(all, key, batch);
    if (next.below == 0 || next.above == 0)
        return larger(next.below, next.above);
    return batch - next.below <= next.above - batch ? next.below : next.above;
}

/* Sets the cost of the exchange for a single process. If it was measured: the difference to the
 * step without an exchange (gradients are equally large at any batch, so the nearest measured batch
 * is used). Else as modelled. If the step was only measured with the same exchange: the modelled
 * cost that was subtracted. */
static void add_alone(const Throughputs *all, Key base, const Program *program,
                      StepEstimate *estimate)
{
    Key with = base;
    with.exchange = program->exchange;
    const int64_t batch = nearest_batch(all, with, program->batch_per_rank);
    if (program->exchange != NULL && base.exchange == NULL && batch > 0) {
        const Point point = point_at(all, with, batch);
        const int64_t with_ns = bounded_add(point.ns, held_ns(point.row, measured_ns(point.row)));
        estimate->alone_ns = larger(with_ns - measured(all, base, batch).step_ns, 0);
        estimate->alone_batch = batch;
        return;
    }
    if (program->exchange != NULL && is_same_exchange(base.exchange, program->exchange)) {
        estimate->alone_ns = estimate->held_ns;
        return;
    }
    estimate->alone_ns = modelled_alone_ns(program->exchange, program->network);
    estimate->alone_error_ns = estimate->alone_ns / 2;
}

/* If the rows were measured with an exchange: sets held_ns, and adds the error of the subtracted
 * cost if it is not added again. */
static void add_held(const Program *program, StepEstimate *estimate)
{
    const Throughput *row = estimate->row;
    if (row == NULL || row->exchange == NULL)
        return;
    estimate->held_ns = held_ns(row, measured_ns(row));
    if (!is_same_exchange(row->exchange, program->exchange))
        estimate->error_ppm = bounded_add(
            estimate->error_ppm, bounded_part(estimate->held_ns / 2, PPM, estimate->step_ns));
}

/* On processors with measured stages, steps are within 11.4 % of their prediction
 * (reports/validation.md). */
#define STAGES_ERROR_PPM INT64_C(120000)

/* The estimate if the network was not measured with this software on this GPU. */
static StepEstimate from_others(const Throughputs *all, Key key, int64_t batch)
{
    if (!all->replaces_constants && !is_measured_software(all, key.framework))
        return (StepEstimate){.basis = STEP_BASIS_CONSTANTS};
    const StepEstimate estimate = measured_with_other(all, key, batch);
    return estimate.step_ns > 0 ? estimate : from_layers(all, key, batch);
}

StepEstimate step_estimate(const Program *program, const GpuModel *gpu)
{
    const Throughputs *all = &program->throughputs;
    if (gpu->times != NULL)
        return (StepEstimate){.basis = STEP_BASIS_STAGES, .error_ppm = STAGES_ERROR_PPM};
    Key key = {gpu, program->network, program->framework, program->exchange};
    StepEstimate estimate;
    if (key_find(all, &key)) {
        estimate = measured(all, key, program->batch_per_rank);
    } else {
        key.exchange = NULL; // other rows show the step without it
        estimate = from_others(all, key, program->batch_per_rank);
    }
    if (estimate.basis == STEP_BASIS_CONSTANTS)
        return estimate;
    add_held(program, &estimate);
    add_alone(all, key, program, &estimate);
    return estimate;
}
