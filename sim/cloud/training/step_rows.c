#include "sim/cloud/training/step_rows.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/bounded.h"

void sample_add(Sample *sample, int64_t value)
{
    invariant(sample->count < THROUGHPUTS_MAX);
    int32_t i = sample->count++;
    for (; i > 0 && sample->values[i - 1] > value; i--)
        sample->values[i] = sample->values[i - 1];
    sample->values[i] = value;
}

int64_t sample_median(const Sample *sample)
{
    invariant(sample->count > 0);
    int32_t middle = sample->count / 2;
    if (sample->count % 2 == 1)
        return sample->values[middle];
    return sample->values[middle - 1] + (sample->values[middle] - sample->values[middle - 1]) / 2;
}

int64_t sample_spread_ppm(const Sample *sample)
{
    invariant(sample->count > 0);
    int64_t median = sample_median(sample);
    int64_t most = larger(median - sample->values[0], sample->values[sample->count - 1] - median);
    return bounded_part(most, PPM, median);
}

Key row_key(const Throughput *row)
{
    return (Key){row->gpu, row->network, row->framework, row->exchange};
}

bool rows_same_exchange(const ExchangeMethod *a, const ExchangeMethod *b)
{
    return a == b || (a != NULL && b != NULL && a->name == b->name);
}

static bool is_of(const Throughput *row, Key key)
{
    return row->gpu == key.gpu && row->network == key.network && row->framework == key.framework &&
           rows_same_exchange(row->exchange, key.exchange);
}

int64_t rows_alone_ns(const ExchangeMethod *exchange, const NetworkModel *network)
{
    if (exchange == NULL || exchange->needs_peers)
        return 0;
    const int64_t notice_ns = exchange->via_host ? exchange->cycle_ns / 2 : 0;
    return bounded_add(bounded_add(notice_ns, exchange->hand_over_ns),
                       bounded_times(network->tensors, exchange->tensor_ns));
}

int64_t row_held_ns(const Throughput *row, int64_t measured_ns)
{
    const int64_t ns = rows_alone_ns(row->exchange, row->network);
    return ns < measured_ns / 2 ? ns : measured_ns / 2;
}

int64_t row_measured_ns(const Throughput *row)
{
    return bounded_part(bounded_times(row->batch, NS_PER_S), PPM, row->micro_samples_per_s);
}

int64_t row_step_ns(const Throughput *row)
{
    const int64_t ns = row_measured_ns(row);
    return ns - row_held_ns(row, ns);
}

Point rows_at(const Throughputs *all, Key key, int64_t batch)
{
    Point point = {.batch = batch};
    Sample sample;
    sample.count = 0; // initialising the whole array would be slow
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        if (!is_of(row, key) || row->batch != batch)
            continue;
        sample_add(&sample, row_step_ns(row));
        point.row = point.row != NULL ? point.row : row;
    }
    point.rows = sample.count;
    point.ns = sample_median(&sample);
    point.spread_ppm = sample_spread_ppm(&sample);
    return point;
}

Neighbours rows_near(const Throughputs *all, Key key, int64_t batch)
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

bool rows_find(const Throughputs *all, Key *key)
{
    const Throughput *found = NULL;
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        Key any = *key;
        any.exchange = row->exchange;
        if (!is_of(row, any))
            continue;
        if (found == NULL || row->exchange == NULL ||
            (found->exchange != NULL && rows_same_exchange(row->exchange, key->exchange)))
            found = row;
    }
    if (found != NULL)
        key->exchange = found->exchange;
    return found != NULL;
}

bool rows_prefer(const Throughputs *all, const Throughput *row)
{
    Key key = row_key(row);
    return row->calibrates && rows_find(all, &key) && key.exchange == row->exchange;
}

bool rows_measure(const Throughputs *all, const Framework *framework)
{
    for (int32_t i = 0; i < all->count; i++)
        if (all->rows[i].framework == framework && all->rows[i].calibrates)
            return true;
    return false;
}

int64_t rows_idle(const Throughputs *all, Key key)
{
    int64_t least = rows_near(all, key, 0).above;
    int64_t most = rows_near(all, key, INT64_MAX).below;
    if (least == most)
        return -1;
    Point first = rows_at(all, key, least), last = rows_at(all, key, most);
    int64_t rise_ns = last.ns - first.ns;
    if (rise_ns <= 0)
        return -1;
    // Through both: t = rise / (most - least) (b + idle).
    int64_t reach = bounded_part(first.ns, bounded_times(1000, most - least), rise_ns);
    return larger(reach - bounded_times(1000, least), 0);
}

/* Whether a row is the first one of its key's smallest batch. */
static bool is_first_of_key(const Throughputs *all, int32_t index)
{
    const Throughput *row = &all->rows[index];
    for (int32_t i = 0; i < all->count; i++)
        if (is_of(&all->rows[i], row_key(row)) &&
            (all->rows[i].batch < row->batch || (all->rows[i].batch == row->batch && i < index)))
            return false;
    return true;
}

int64_t rows_idle_on(const Throughputs *all, const GpuModel *gpu)
{
    Sample sample;
    sample.count = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        // Each key counts once.
        const bool counts =
            row->calibrates && (gpu == NULL || row->gpu == gpu) && is_first_of_key(all, i);
        int64_t idle = counts ? rows_idle(all, row_key(row)) : -1;
        if (idle >= 0)
            sample_add(&sample, idle);
    }
    if (sample.count > 0)
        return sample_median(&sample);
    return gpu != NULL ? rows_idle_on(all, NULL) : 0;
}

int64_t rows_idle_for(const Throughputs *all, Key key)
{
    int64_t idle = rows_idle(all, key);
    return idle >= 0 ? idle : rows_idle_on(all, key.gpu);
}

int64_t step_at_batch(int64_t ns, int64_t from, int64_t to, int64_t idle_milli)
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

int64_t step_beyond_error_ppm(int64_t from, int64_t to)
{
    return bounded_part(DOUBLING_ERROR_PPM, doublings_ppm(from, to), PPM);
}

/* A network whose largest layer has fewer values than this, per sample, leaves most of a GPU idle
 * at usual batches: those of CIFAR have 65,536, AlexNet 193,600, ResNet-50 802,816. */
enum { SMALL_LAYER_VALUES = 100000 };

bool step_has_small_layers(const NetworkModel *network)
{
    int64_t most = 0;
    for (int32_t i = 0; i < network->layer_count; i++)
        most = larger(most, network->layers[i].output_values);
    return most > 0 && most < SMALL_LAYER_VALUES;
}
