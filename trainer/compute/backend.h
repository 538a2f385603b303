/* The interface of backends, which compute the steps of a training: one table of functions per
 * backend.
 *
 *     ref       plain C in double precision: the reference that the others are tested against
 *     onednn    oneDNN on the processor; fp32 and bf16
 *     cuda      trainyard's kernels, cuBLAS and cuDNN on a GPU; fp32, tf32 and bf16
 *
 * "cpu" means onednn, "auto" the fastest backend that works on this machine. Backends are
 * independent of each other; data, optimizer, checkpoint, timeline and communication do not depend
 * on any of them.
 *
 * The caller makes a training step by these calls (trainer/run/step.h):
 *
 *     gather(batch) -> augment(batch) -> forward(true) -> backward -> [sum over ranks] -> update
 *
 * While the settings' profile is on, each function adds its stages to it; gather and augment make
 * up the input stage. Profiling does not change the computed bits.
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
    int32_t batch_max; /* largest batch, at least 1 */
    Precision precision;
    int32_t threads;    /* of one rank, at least 1; for backends on the processor */
    int32_t local_rank; /* among the ranks of this machine: picks the GPU */
    uint64_t seed;
    uint32_t rank;
    Profile *profile; /* borrowed; NULL: not profiled, and no clock is read */
    /* For backends that choose between libraries (`engines`). The bits of ENGINE_FASTEST may differ
     * between runs. Backends on the processor give the same bits in every run. */
    EngineWish engine;
} BackendSettings;

/* The engine that computes one pass of a layer with weights: "own" or the name of a library. */
enum { PASS_ENGINES_MAX = 3 };
typedef struct {
    const char *chosen;  /* NULL: the pass is not computed */
    int32_t tried_count; /* 0: nothing was measured, because there was no choice */
    struct {
        const char *name;
        double best_us; /* its fastest way; INFINITY: none of its ways works here */
    } tried[PASS_ENGINES_MAX];
} PassEngines;

typedef struct {
    PassEngines forward;
    PassEngines data;    /* gradient of its input; not computed for the first layer */
    PassEngines weights; /* gradient of its weights */
} LayerEngines;

/* Images to compute next. */
typedef struct {
    const ImageSet *set;    /* borrowed until the next gather; its contents must not change while a
                               model exists, which may keep a copy */
    const int32_t *indices; /* [count] into the set; borrowed for the call */
    int32_t count;          /* 1 to batch_max */
    uint64_t step;          /* of the whole training; addresses augmentation and dropout */
    bool is_augmented;
} Batch;

/* Whole steps of one epoch: [first, first + count) in the order of `epoch`
 * (trainer/data/shuffle.h), each of batch_size images; the last batch of the epoch may be
 * smaller. */
typedef struct {
    const ImageSet *set; /* borrowed until a call with another set */
    uint64_t epoch;
    int64_t first, count;
    int32_t batch_size;
    uint64_t step; /* number of the first step, counted over the whole training */
    bool is_augmented;
    const RmsProp *optimizer; /* rmsprop_rate gives the rate of each step */
    float gradient_scale;
} StepRun;

/* The three arenas of a backend. */
typedef enum { ARENA_WEIGHTS, ARENA_ACCUMULATORS, ARENA_GRADIENTS } ArenaKind;

typedef struct Backend {
    const char *name;
    const char *summary; /* for --help: lower case, no full stop */

    /* True if the backend works on this machine with this precision. Otherwise the status names the
     * missing part and how to install it. Cheap; never crashes. */
    bool (*probe)(Precision precision, Status *status);

    /* Creates a model whose arenas are all zero; `*model` belongs to the backend. Fails with
     * STATUS_MACHINE if the library or the allocation of memory fails. */
    bool (*open)(const BackendSettings *settings, void **model, Status *status);
    void (*close)(void *model); /* NULL is allowed */

    /* NULL except for backends on GPUs: the model's GPU ("NVIDIA H200"), and the number of GPUs
     * that this process sees. Ranks of a machine are assigned to GPUs in turn, and share them if
     * there are more ranks than GPUs.
     */
    const char *(*device)(void *model);
    int32_t (*device_count)(void *model);

    /* NULL except for backends that choose between libraries. False for a layer without weights.
     */
    bool (*engines)(void *model, int32_t layer, LayerEngines *engines);

    /* The arena in main memory: the arena itself, or a copy of a GPU's arena, which this call
     * updates. NULL if the GPU fails. */
    float *(*arena)(void *model, ArenaKind kind, Status *status);
    /* Must be called after the caller has changed values in the arena. It is called before the
     * values are used and before the next call of `arena`, which would overwrite them with the
     * GPU's values. */
    void (*arena_changed)(void *model, ArenaKind kind);

    void (*gather)(void *model, const Batch *batch);  /* fetches bytes and labels */
    void (*augment)(void *model, const Batch *batch); /* bytes to floats; shifts and flips */
    /* Computes the probabilities and, with labels, the score of the gathered images. In training,
     * dropout is applied, and the values that backward needs are kept. */
    bool (*forward)(void *model, bool is_training, Score *score, Status *status);
    /* Computes the gradients of the batch's mean loss in the arena, after a forward in training. */
    bool (*backward)(void *model, Status *status);
    /* One step of the optimizer over the whole arena; `gradient_scale` and the result are those of
     * rmsprop_update. */
    bool (*update)(void *model, const RmsProp *optimizer, float rate, float gradient_scale);

    /* NULL if not supported. Sums the gradients over ranks on the GPU, by a communication with
     * comm_sums_on_gpu; called after backward, instead of comm_sum. */
    bool (*exchange)(void *model, Comm *comm, Status *status);
    /* NULL if not supported. Makes whole steps without the processor in between, with the same
     * results as the functions above. `*bad_step` is the first step after which a loss or weight
     * was not finite, -1 if all are finite. The score is the sum over the steps up to that step, so
     * that loss_sum shows whether the loss was not finite. With more than one rank it requires
     * comm_sums_on_gpu. While the profile is on, a run has a single step. */
    bool (*steps)(void *model, const StepRun *run, Comm *comm, Score *score, int64_t *bad_step,
                  Status *status);

    /* NULL if not supported. The score of images [first, first + count) of `set`, `batch_size` at
     * once, without dropout and augmentation: the same as by `forward`, without the processor in
     * between. `probabilities` are then those of the last batch. */
    bool (*evaluate)(void *model, const ImageSet *set, int32_t first, int32_t count,
                     int32_t batch_size, Score *score, Status *status);

    /* NULL if not supported. `copy_begin` begins to copy the present weights and accumulators;
     * steps may be made meanwhile. `copy_end` waits for the copies, which remain valid until the
     * next `copy_begin`. It may be called by another thread, and need not be called. */
    bool (*copy_begin)(void *model, Status *status);
    bool (*copy_end)(void *model, const float **weights, const float **accumulators,
                     Status *status);

    /* NULL if not supported: the number of kernels that a GPU runs for a step, of the kind of steps
     * that was prepared last; 0: no steps were prepared. */
    int32_t (*kernels_per_step)(void *model);

    /* For tests and `trainyard evaluate`: [count][class_count] after a forward. */
    const float *(*probabilities)(void *model);
    /* For tests: the output of a layer after a forward (after its ReLU), [count][H][W][C]. False if
     * the backend does not store it for this layer. */
    bool (*layer_output)(void *model, int32_t layer, float *out);
} Backend;

#endif
