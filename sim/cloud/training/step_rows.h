/* The measured throughputs of the catalogue as times of steps: rows of one network, GPU and
 * software, and what they say about batches beyond the measured ones. Private to
 * sim/cloud/training. */
#ifndef SIM_CLOUD_TRAINING_STEP_ROWS_H
#define SIM_CLOUD_TRAINING_STEP_ROWS_H

#include "sim/cloud/spec/spec.h"

typedef struct {
    int32_t count;
    int64_t values[THROUGHPUTS_MAX]; /* rising */
} Sample;

typedef struct {
    const GpuModel *gpu;
    const NetworkModel *network;
    const Framework *framework;
    const ExchangeMethod *exchange;
} Key;

/* A size of batch, and the median of its measured times. */
typedef struct {
    int64_t batch;
    int64_t ns;
    int64_t spread_ppm;
    const Throughput *row;
    int32_t rows;
} Point;

/* The measured batches nearest to a batch; 0: none. */
typedef struct {
    int64_t below; /* at most as large */
    int64_t above; /* at least as large */
} Neighbours;

static inline int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The error from software on a network that was not measured with both; without other evidence, the
 * difference of PyTorch and TensorFlow on one network (ResNet-164: 17 %) and some more. */
#define SOFTWARE_ERROR_PPM INT64_C(50000)
#define UNKNOWN_SOFTWARE_ERROR_PPM INT64_C(220000)

void sample_add(Sample *sample, int64_t value);
int64_t sample_median(const Sample *sample);
/* The largest deviation from the median, as a part of it. */
int64_t sample_spread_ppm(const Sample *sample);
Key row_key(const Throughput *row);
/* Variants of a method over another network share the pointer to its name. */
bool rows_same_exchange(const ExchangeMethod *a, const ExchangeMethod *b);
/* The cost of an exchange (NULL: none) for a single process: the hand-over, and through the host
 * half a cycle until the thread handles the last gradients. Measured costs differ from it by less
 * than half (scenarios/SOURCES.md). */
int64_t rows_alone_ns(const ExchangeMethod *exchange, const NetworkModel *network);
/* The part of the measured step that is subtracted as rows_alone_ns: at most half. */
int64_t row_held_ns(const Throughput *row, int64_t measured_ns);
int64_t row_measured_ns(const Throughput *row);
/* The step without the modelled cost of the exchange for its one process. */
int64_t row_step_ns(const Throughput *row);
/* The rows of a batch, of which there must be one. */
Point rows_at(const Throughputs *all, Key key, int64_t batch);
Neighbours rows_near(const Throughputs *all, Key key, int64_t batch);
/* Finds rows of the key's network, GPU and software, and sets the key's exchange: preferably none,
 * else the key's own, else any. False: there are no rows. */
bool rows_find(const Throughputs *all, Key *key);
/* Whether a row may be used for other networks, GPUs or software, and rows_find prefers it. */
bool rows_prefer(const Throughputs *all, const Throughput *row);
/* Whether any row shows the effect of the software. */
bool rows_measure(const Throughputs *all, const Framework *framework);
/* The idle samples (step_estimate.h) by the line through the smallest and the largest batch of a
 * key, in thousandths; -1: only one batch was measured, or the step got no longer. */
int64_t rows_idle(const Throughputs *all, Key key);
/* The median of the idle samples measured on `gpu`, else on any GPU (NULL); 0 without samples. */
int64_t rows_idle_on(const Throughputs *all, const GpuModel *gpu);
/* The idle samples of the key, or else of its GPU. */
int64_t rows_idle_for(const Throughputs *all, Key key);
/* A measured step of batch `from`, scaled to batch `to`. */
int64_t step_at_batch(int64_t ns, int64_t from, int64_t to, int64_t idle_milli);
/* The error of an estimate for batch `to` from one for batch `from`. */
int64_t step_beyond_error_ppm(int64_t from, int64_t to);
/* Whether the network leaves most of a GPU idle at usual batches. */
bool step_has_small_layers(const NetworkModel *network);

#endif
