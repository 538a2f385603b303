/* Who computes: one small table of functions for each way to do it.
 *
 *     ref       plain C in double precision: the definition, and what the others are tested against
 *     onednn    oneDNN on the processor; fp32 and bf16
 *     cuda      own kernels, cuBLAS and cuDNN on a GPU; fp32, tf32 and bf16
 *
 * "cpu" names onednn, "auto" the fastest of all that work here.
 * Nothing of one backend is seen by another; data, optimizer, checkpoint, timeline and
 * communication know none of them.
 *
 * A step of training, all by the caller (trainer/run/step.h):
 *
 *     gather(batch) -> augment(batch) -> forward(true) -> backward -> [sum over ranks] -> update
 *
 * Each of them adds the stages that it makes to the settings' profile while that is on; gather and
 * augment are its input. With it on, they compute the same bits.
 *
 * A backend holds three arenas of net->parameter_count floats (trainer/compute/net.h): weights,
 * accumulators of the optimizer, gradients. */
#ifndef TRAINER_BACKEND_H
#define TRAINER_BACKEND_H

#include "trainer/comm/comm.h"
#include "trainer/compute/backend_words.h"
#include "trainer/compute/loss.h"
#include "trainer/compute/net.h"
#include "trainer/compute/optimizer.h"
#include "trainer/compute/profile.h"
#include "trainer/data/dataset.h"

typedef struct {
    const Net *net;    /* borrowed */
    int32_t batch_max; /* images at once, at least 1 */
    Precision precision;
    int32_t threads;    /* that one rank computes with, at least 1; of backends on the processor */
    int32_t local_rank; /* among the ranks of this machine: picks the GPU */
    uint64_t seed;
    uint32_t rank;
    Profile *profile; /* borrowed; NULL: nobody looks, and no clock is read */
    /* The same bits in every run, also where trying which library is faster would make a run
     * faster: on GPUs. Backends on the processor always are. */
    bool is_deterministic;
} BackendSettings;

/* Who computes the products of a layer with weights: "own" or the name of a library. */
typedef struct {
    const char *forward;
    const char *data;    /* back to its input; NULL: nobody, it is the first layer */
    const char *weights; /* back to its weights */
} LayerEngines;

/* Images to compute next. */
typedef struct {
    const ImageSet *set;    /* borrowed until the next gather; what it holds stays as it is while
                               a model lives, which may keep a copy */
    const int32_t *indices; /* [count] into the set; borrowed for the call */
    int32_t count;          /* 1 to batch_max */
    uint64_t step;          /* of the whole training; addresses augmentation and dropout */
    bool is_augmented;
} Batch;

/* Whole steps of one epoch: [first, first + count) in the order of `epoch`
 * (trainer/data/shuffle.h), all of batch_size images, the last of the epoch perhaps of fewer. */
typedef struct {
    const ImageSet *set; /* borrowed until another is given */
    uint64_t epoch;
    int64_t first, count;
    int32_t batch_size;
    uint64_t step; /* of the whole training, of the first of them */
    bool is_augmented;
    const RmsProp *optimizer; /* the rate of each step is rmsprop_rate's */
    float gradient_scale;
} StepRun;

/* Which arena. */
typedef enum { ARENA_WEIGHTS, ARENA_ACCUMULATORS, ARENA_GRADIENTS } ArenaKind;

typedef struct Backend {
    const char *name;
    const char *summary; /* for --help: lower case, no full stop */

    /* Whether it works on this machine with this precision: false with one line that says what is
     * missing and how it is had. Cheap, and never a crash. */
    bool (*probe)(Precision precision, Status *status);

    /* A model whose arenas are all zero; `*model` belongs to the backend. STATUS_MACHINE when the
     * library or the memory fails. */
    bool (*open)(const BackendSettings *settings, void **model, Status *status);
    void (*close)(void *model); /* NULL is fine */

    /* Only of backends on GPUs, else NULL: which one the model is on ("NVIDIA H200"), and how many
     * this process sees. Ranks of a machine take them in turn, and share them when they are more.
     */
    const char *(*device)(void *model);
    int32_t (*device_count)(void *model);

    /* Only of backends that choose between libraries, else NULL. False for a layer without weights.
     */
    bool (*engines)(void *model, int32_t layer, LayerEngines *engines);

    /* The arena in memory that the processor reads and writes: itself, or a copy of a GPU's, which
     * this call brings up to date; NULL when the GPU fails. */
    float *(*arena)(void *model, ArenaKind kind, Status *status);
    /* Must be called after values there were changed from outside, before they are used and before
     * the arena is asked for again: what a GPU has replaces them. */
    void (*arena_changed)(void *model, ArenaKind kind);

    void (*gather)(void *model, const Batch *batch);  /* fetches bytes and labels */
    void (*augment)(void *model, const Batch *batch); /* bytes to floats; shifts and flips */
    /* Computes the probabilities and, with labels, the score of the gathered images. In training,
     * dropout works and what backward needs is kept. */
    bool (*forward)(void *model, bool is_training, Score *score, Status *status);
    /* Gradients of the batch's mean loss into the arena, after a forward in training. */
    bool (*backward)(void *model, Status *status);
    /* One step of the optimizer over the whole arena; `gradient_scale`
     * and the result as rmsprop_update has them. */
    bool (*update)(void *model, const RmsProp *optimizer, float rate, float gradient_scale);

    /* Only of backends that can, else NULL. Sums the gradients over ranks where they are, by a
     * communication with comm_sums_on_gpu; after backward, instead of comm_sum. */
    bool (*exchange)(void *model, Comm *comm, Status *status);
    /* Only of backends that can, else NULL: whole steps without the processor between them, the
     * same as the functions above make. `*bad_step` is the first step after which a loss or weight
     * was not finite, -1 when all are. The score is summed over the steps, up to that one, so that
     * its loss_sum tells whether the loss was it. With more than one rank only where
     * comm_sums_on_gpu. While the profile is on, runs are of a single step. */
    bool (*steps)(void *model, const StepRun *run, Comm *comm, Score *score, int64_t *bad_step,
                  Status *status);

    /* Only of backends whose `steps` can tell, else NULL: how many kernels a GPU runs for a step,
     * of the kind of steps that was prepared last; 0: none was yet. */
    int32_t (*kernels_per_step)(void *model);

    /* For tests and `trainyard evaluate`: [count][class_count] after a forward. */
    const float *(*probabilities)(void *model);
    /* For tests: the output of a layer after a forward (after its ReLU), [count][H][W][C]. False
     * when this backend keeps none for this layer. */
    bool (*layer_output)(void *model, int32_t layer, float *out);
} Backend;

#endif
