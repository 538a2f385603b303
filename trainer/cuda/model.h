/* The cuda backend's own matters: what a model has on its GPU, and the parts that it is made of.
 * Nobody but the C files of this folder includes this.
 *
 *     device        which GPU, and whether it can compute in a precision
 *     memory        memory, counted before it is allocated; errors
 *     sets          data sets and orders of epochs that stay on the GPU
 *     stages        the network as products and sieves; forward and backward
 *     engines       which library or own kernel computes each product: the fastest
 *     exchange      sums over ranks, the largest kernel's first
 *     steps         whole steps, as CUDA graphs
 *     profile       stages of a step on the GPU's clock
 *     backend_cuda  the table of trainer/compute/backend.h
 *
 * All work of a model is queued on its `stream`, in order; sums over ranks on a second one. */
#ifndef TRAINER_CUDA_CUDA_MODEL_H
#define TRAINER_CUDA_CUDA_MODEL_H

#include "trainer/compute/backend.h"
#include "trainer/cuda/engines.h"
#include "trainer/cuda/kernels.h"

/* --- Device --- */

typedef struct {
    int32_t index, count; /* of those that this process sees */
    char name[256];
} CudaDevice;

/* Whether GPU number `local_rank`, counted round those that there are, computes in this precision
 * with this build. Asks the driver, but starts nothing on the GPU. */
MUST_CHECK bool cuda_device_find(int32_t local_rank, Precision precision, CudaDevice *device,
                                 Status *status);
/* Makes it the one that this thread works with, and sees a kernel run there. */
MUST_CHECK bool cuda_device_start(const CudaDevice *device, Status *status);

/* --- Memory --- */

enum { CUDA_BLOCKS_MAX = 4 * NET_LAYERS_MAX + 32 };

/* Blocks that live and end together. */
typedef struct {
    bool is_counting;
    int64_t wanted_bytes; /* of the GPU */
    cudaError_t result;   /* of the first block that could not be had */
    void *blocks[CUDA_BLOCKS_MAX];
    bool is_pinned[CUDA_BLOCKS_MAX];
    int32_t block_count;
} CudaMemory;

/* Takes all that `owner` wants by the two functions below. It is called twice: to count, when it is
 * given NULL, and to take. What is taken has any content. STATUS_MACHINE that names `purpose` and
 * says how much was wanted and free; the memory is empty then. */
typedef void CudaWants(void *owner, CudaMemory *memory);
MUST_CHECK bool cuda_memory_take(CudaMemory *memory, CudaWants *wants, void *owner,
                                 const CudaDevice *device, const char *purpose, Status *status);
void *cuda_memory_of_gpu(CudaMemory *memory, int64_t bytes);
void *cuda_memory_pinned(CudaMemory *memory, int64_t bytes); /* of the processor */
void cuda_memory_free(CudaMemory *memory);

/* --- Sets --- */

/* A data set on the GPU, and the order of one of its epochs. */
typedef struct {
    const uint8_t *from_images, *from_labels; /* where it was copied from; NULL: nothing here */
    int32_t count;
    CudaMemory memory, order_memory;
    uint8_t *images, *labels;
    int32_t *order, *indices;
    uint64_t *keys;
    int32_t padded;
    bool has_order;
    uint64_t epoch; /* of `order` */
    int64_t used_at;
} CudaSet;

/* Training and test sets take turns, and an evaluation has one alone. */
enum { CUDA_SETS_MAX = 2 };

/* --- Engines --- */

enum { CUDA_ENGINES_MAX = 3 };

/* How a pass of a product is computed. */
typedef struct {
    CudaTask task;               /* with settings.batch_max images */
    CudaWay ways[CUDA_WAYS_MAX]; /* the first is of own kernels */
    int32_t way_count;           /* 0: there is nothing to compute */
    int32_t chosen;
} CudaChoice;

/* --- Stages --- */

typedef enum { CUDA_PRODUCT, CUDA_SIEVE } CudaStageKind;

/* A product is a layer with weights, and its ReLU; a sieve is a pool, a dropout, or a pool and the
 * dropout behind it. */
typedef struct {
    CudaStageKind kind;
    const NetLayer *layer; /* of a sieve its pool, else its dropout */
    int32_t layer_index;   /* of `layer` in the net */
    int32_t dropout_index; /* of a sieve; -1: none */
    NetShape out;
    CudaProduct product;                 /* their `count` is set for each use */
    CudaChoice choices[CUDA_PASS_COUNT]; /* of a product */
    CudaSieve sieve;
    void *output;    /* [batch_max] of `out`, of the precision's type; the logits always floats */
    uint8_t *places; /* of a sieve */
} CudaStage;

/* --- Profile --- */

enum { CUDA_MARKS_MAX = 2 * NET_LAYERS_MAX + 8 };

/* What was passed, one after the other: each mark ends a stage, but the first one begins. */
typedef struct {
    int32_t count;
    int32_t stages[CUDA_MARKS_MAX];
} CudaMarks;

typedef struct {
    bool is_marking, is_capturing; /* the stream, into a graph */
    cudaEvent_t anchor, events[CUDA_MARKS_MAX];
    int64_t anchor_ns; /* of machine_clock_ns */
    CudaMarks marks;   /* of the events */
    const char *way;   /* of the marks, as profile_measured_by has it */
} CudaProfile;

/* --- Steps --- */

/* Steps of one graph: a launch costs microseconds, so it is of several. */
enum { CUDA_GRAPH_STEPS = 16, CUDA_GRAPHS_MAX = 6 };

/* All that a step is made from, but for what CudaStep has. */
typedef struct {
    int32_t count;
    const uint8_t *images, *labels; /* of the set */
    const int32_t *order;
    bool is_augmented;
    CudaRmsProp optimizer;
    Comm *comm; /* NULL: alone */
    bool has_marks;
} CudaStepKind;

typedef struct {
    CudaStepKind kind;
    bool was_run;       /* once without a graph, so that kernels are loaded */
    bool is_impossible; /* to capture */
    cudaGraphExec_t one, several;
    CudaMarks marks; /* of `one` */
    int64_t used_at;
} CudaGraph;

/* --- The model --- */

typedef struct {
    BackendSettings settings;
    CudaPrecision precision;
    CudaDevice device;
    cudaStream_t stream, exchange_stream;
    cudaEvent_t begun, summed; /* of the exchange */
    CudaProfile profile;
    CudaMemory memory;

    float *arenas[3];                /* by ArenaKind, one behind the other in one block */
    float *arena_copies[3];          /* pinned */
    uint16_t *bf16_weights;          /* in bf16 */
    CudaStep *step, *step_copy;      /* the copy is pinned */
    int32_t *indices, *indices_copy; /* of the batch, when steps go one by one */
    uint8_t *labels;                 /* of the batch */
    void *input;                     /* [batch_max][32][32][3] */
    float *probabilities, *probabilities_copy;
    void *slopes[2]; /* gradients of the outputs of even and of odd stages */
    void *scratch;
    void *engine_states[CUDA_ENGINES_MAX];

    int32_t stage_count;
    CudaStage stages[NET_LAYERS_MAX];
    CudaSet sets[CUDA_SETS_MAX];
    CudaGraph graphs[CUDA_GRAPHS_MAX];
    int64_t uses;             /* a clock for `used_at` */
    int32_t kernels_per_step; /* of the last graph that was made; 0: none was */

    CudaSet *set;                    /* that the last batch is of */
    int32_t count;                   /* images of it */
    uint64_t step_number, step_last; /* what the GPU is at: a step, or a run of them */
    bool has_failed;                 /* for good, with */
    Status failure;
} CudaModel;

/* --- Failures --- */

/* Remembers the first failure of the model; no function works after it, and each that can says
 * what it was. `doing` as "going forward". */
void cuda_note(CudaModel *model, cudaError_t result, const char *doing);
/* The same for an error of another library: what its name is and what it means, or where from. */
void cuda_note_as(CudaModel *model, const char *doing, const char *name, const char *meaning);
/* Waits until the GPU has done what was queued, and says whether that has gone well. */
MUST_CHECK bool cuda_wait(CudaModel *model, const char *doing, Status *status);
/* The same where the GPU may wait for those of other ranks, which it does for ever when one is
 * gone: so that is asked meanwhile. */
MUST_CHECK bool cuda_wait_for_ranks(CudaModel *model, Comm *comm, const char *doing,
                                    Status *status);
/* False with the failure, if there was one. */
MUST_CHECK bool cuda_is_fine(const CudaModel *model, Status *status);

/* --- Parts --- */

/* The set on the GPU, copied there if it is not; NULL after a failure, which is noted. */
CudaSet *cuda_sets_resident(CudaModel *model, const ImageSet *set);
/* Its order of `epoch`, queued if it is not there; false likewise. */
MUST_CHECK bool cuda_sets_order(CudaModel *model, CudaSet *set, uint64_t epoch);
void cuda_sets_free(CudaModel *model);

MUST_CHECK bool cuda_stages_make(CudaModel *model, Status *status);
void cuda_stages_want(CudaModel *model, CudaMemory *memory);
/* What a pass of a product is computed with. */
CudaOperands cuda_stages_operands(const CudaModel *model, int32_t stage_index, CudaPass pass);
/* Queue the passes of the last batch: `model->count` images. Forward up to probabilities, score
 * and, in training, the gradient of the logits. */
void cuda_stages_forward(CudaModel *model, bool is_training);
/* Calls `early` once the gradients from cuda_exchange_first on are queued; NULL: nobody asks. */
typedef bool CudaEarly(CudaModel *model, Comm *comm, Status *status);
MUST_CHECK bool cuda_stages_backward(CudaModel *model, Comm *comm, CudaEarly *early,
                                     Status *status);
/* Stage with the output of a layer; NULL: it is never in memory. */
const CudaStage *cuda_stages_of_layer(const CudaModel *model, int32_t layer);

/* Starts the engines, own kernels alone if the model is to be deterministic, and finds their ways
 * to compute the stages; behind cuda_stages_make. */
MUST_CHECK bool cuda_engines_open(CudaModel *model, Status *status);
void cuda_engines_close(CudaModel *model);
/* Bytes of working memory that any way of a library wants. */
int64_t cuda_engines_scratch(const CudaModel *model);
/* Tries all ways, and keeps the fastest for each pass; once there is memory, which has any content
 * then. */
MUST_CHECK bool cuda_engines_choose(CudaModel *model, Status *status);
/* Queues a pass of a product with `model->count` images; of other numbers than batch_max by own
 * kernels. */
void cuda_engines_run(CudaModel *model, int32_t stage_index, CudaPass pass);
/* Who computes a product. */
LayerEngines cuda_engines_of(const CudaStage *stage);

/* Place in the arena from where gradients are summed early: those of the largest kernel and all
 * behind it. */
int64_t cuda_exchange_first(const Net *net);
/* Begins with those, on the second stream, behind what is queued. */
CudaEarly cuda_exchange_early;
/* Sums the rest, and lets the stream wait for all of it. */
MUST_CHECK bool cuda_exchange_rest(CudaModel *model, Comm *comm, Status *status);

/* Events, where settings have a profile. */
cudaError_t cuda_profile_open(CudaModel *model);
void cuda_profile_close(CudaModel *model);
/* From here on marks are set if the profile is on, and none otherwise. If it is, waits for all that
 * is queued, so that the processor sees the anchor when it comes. */
void cuda_profile_begin(CudaModel *model);
/* Queues the end of a stage; PROFILE_NONE, the first of a row, only the beginning of the next. */
void cuda_profile_mark(CudaModel *model, int32_t stage);
/* Once the GPU has passed the marks: adds their stages. */
void cuda_profile_take(CudaModel *model);

/* As `steps` of trainer/compute/backend.h. */
MUST_CHECK bool cuda_steps_run(void *opened, const StepRun *run, Comm *comm, Score *score,
                               int64_t *bad_step, Status *status);
void cuda_steps_free(CudaModel *model);

/* Queues `what`; false when it fails. */
typedef bool CudaQueue(CudaModel *model, const void *what, Status *status);
/* A graph of it, `times` in a row; NULL where this toolkit, this driver or a library cannot. */
cudaGraphExec_t cuda_steps_graph(CudaModel *model, CudaQueue *queue, const void *what,
                                 int32_t times);

/* The optimizer as kernels take it. */
CudaRmsProp cuda_steps_optimizer(const RmsProp *optimizer, float gradient_scale);
/* The state before the first step of a run to the GPU, queued. */
void cuda_steps_put(CudaModel *model, uint64_t step, int64_t first);
/* It back into `step_copy`; waits, with `comm` not NULL also for other ranks. */
MUST_CHECK bool cuda_steps_get(CudaModel *model, Comm *comm, const char *doing, Status *status);

#endif
