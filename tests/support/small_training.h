/* Small networks and images for the trainer's tests, and a model of any backend that computes with
 * them. */
#ifndef TESTS_SUPPORT_SMALL_TRAINING_H
#define TESTS_SUPPORT_SMALL_TRAINING_H

#include "trainer/compute/backend.h"

/* The network `name` with all filters and units but those of the last layer divided by `divisor`:
 * 4 takes a sixteenth of the time. */
Net slim_net(const char *name, int32_t divisor);
/* keras_cifar10_cnn with few channels, without its second convolution and with pools of 4 and 3, so
 * that little but the first layer is 32 pixels wide; for emulated GPUs. */
Net tiny_net(void);
/* A copy of `net` whose dropout layers drop nothing. */
Net net_without_dropout(const Net *net);

/* Images of `seed`: noise on a colour of their class, so that there is something to learn. In
 * `arena`. */
ImageSet make_images(Arena *arena, uint64_t seed, int32_t count);

/* A model with its backend; the test fails when it cannot be opened. Weights are the initial ones
 * of the settings' seed, and small random biases, so that no value is exactly at the kink of a
 * ReLU. */
typedef struct {
    const Backend *backend;
    void *model;
    const Net *net;
} Trained;

Trained trained_open(const Backend *backend, const BackendSettings *settings);
void trained_close(Trained *trained);
float *trained_arena(const Trained *trained, ArenaKind kind);

/* Images [first, first + count) of `set`, gathered and augmented if so wanted. */
void trained_load(const Trained *trained, const ImageSet *set, int32_t first, int32_t count,
                  uint64_t step, bool is_augmented);
Score trained_forward(const Trained *trained, bool is_training);
void trained_backward(const Trained *trained);
/* All of it and an update, with the learning rate of the script. */
Score trained_step(const Trained *trained, const ImageSet *set, int32_t first, int32_t count,
                   uint64_t step);

/* ||a - b|| / ||b||, Euclidean; 0 where both are zero. */
double relative_distance(const float *a, const float *b, int64_t count);
/* max |a - b| / max |b|. */
double largest_difference(const float *a, const float *b, int64_t count);

#endif
