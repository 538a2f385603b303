/* Private to trainer/cuda: the data of a model on its GPU, and the modules of the cuda backend.
 *
 *     device        choice of the GPU, and whether it can compute in a precision
 *     memory        memory, counted before it is allocated; errors
 *     sets          data sets and orders of epochs that stay on the GPU
 *     stages        the network as products and sieves; forward and backward
 *     engines       the fastest library or kernel for each product
 *     exchange      sums over ranks, beginning with the largest kernel
 *     steps         whole steps and evaluations, as CUDA graphs
 *     profile       stages of a step on the GPU's clock
 *     backend_cuda  the table of trainer/compute/backend.h
 *
 * All work of a model is queued on its `stream`, in order, except for gradients of weights, sums
 * over ranks and copies for checkpoints, which have their own. */
#ifndef TRAINER_CUDA_CUDA_MODEL_H
#define TRAINER_CUDA_CUDA_MODEL_H

#include "trainer/compute/backend.h"
#include "trainer/cuda/engines.h"
#include "trainer/cuda/kernels/kernels.h"

/* --- Device --- */

typedef struct {
    int32_t index, count; /* among the GPUs that this process sees */
    char name[256];
} CudaDevice;

/* Finds GPU number `local_rank` modulo the number of GPUs, and checks that it can compute in this
 * precision with this build. Queries the driver, but does not run anything on the GPU. */
MUST_CHECK bool cuda_device_find(int32_t local_rank, Precision precision, CudaDevice *device,
                                 Status *status);
/* Makes it the current GPU of this thread, and checks that a kernel runs on it. */
MUST_CHECK bool cuda_device_start(const CudaDevice *device, Status *status);

/* --- Memory --- */

enum { CUDA_BLOCKS_MAX = 4 * NET_LAYERS_MAX + 32 };

/* Blocks that are allocated and freed together. */
typedef struct {
    bool is_counting;
    int64_t wanted_bytes; /* of the GPU */
    cudaError_t result;   /* of the first block that could not be allocated */
    void *blocks[CUDA_BLOCKS_MAX];
    bool is_pinned[CUDA_BLOCKS_MAX];
    int32_t block_count;
} CudaMemory;

/* Allocates all memory that `wants` requests by the two functions below. `wants` is called twice:
 * to count the bytes, when the functions return NULL, and to allocate. Blocks are not initialised.
 * Fails with STATUS_MACHINE, naming `purpose` and the bytes wanted and free; `memory` is then
 * empty. */
typedef void CudaWants(void *owner, CudaMemory *memory);
MUST_CHECK bool cuda_memory_take(CudaMemory *memory, CudaWants *wants, void *owner,
                                 const CudaDevice *device, const char *purpose, Status *status);
void *cuda_memory_of_gpu(CudaMemory *memory, int64_t bytes);
void *cuda_memory_pinned(CudaMemory *memory, int64_t bytes); /* in main memory */
void cuda_memory_free(CudaMemory *memory);

/* --- Sets --- */

/* A data set on the GPU, and the order of one of its epochs. */
typedef struct {
    const uint8_t *from_images,
        *from_labels; /* the sources of the copy; NULL: this entry is empty */
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

/* A training alternates between training and test set; an evaluation uses one set. */
enum { CUDA_SETS_MAX = 2 };

/* --- Engines --- */

enum { CUDA_ENGINES_MAX = 3 };

/* The gradients of weights are computed at the same time as the rest of the backward pass, on a
 * second stream, with a second working memory and second states of the engines. */
typedef enum { CUDA_MAIN, CUDA_WEIGHTS, CUDA_SIDES } CudaSide;

static inline CudaSide cuda_side_of(CudaPass pass)
{
    return pass == CUDA_PASS_WEIGHTS ? CUDA_WEIGHTS : CUDA_MAIN;
}

/* The choice of a way to compute a pass of a product. */
typedef struct {
    CudaTask task;                /* with settings.batch_max images */
    CudaWay ways[CUDA_WAYS_MAX];  /* the first uses `own` kernels */
    float took_ms[CUDA_WAYS_MAX]; /* of ways that were measured; INFINITY: the way does not work */
    int32_t way_count;            /* 0: the pass is not computed */
    bool is_measured;             /* only if there was a choice */
    int32_t chosen;
} CudaChoice;

/* --- Stages --- */

typedef enum { CUDA_PRODUCT, CUDA_SIEVE } CudaStageKind;

/* A product is a layer with weights, and its ReLU. A sieve is a pool, a dropout, or a pool and the
 * following dropout. */
typedef struct {
    CudaStageKind kind;
    const NetLayer *layer; /* of a sieve: its pool, else its dropout */
    int32_t layer_index;   /* of `layer` in the net */
    int32_t dropout_index; /* of a sieve; -1: none */
    NetShape out;
    CudaProduct product;                 /* `count` is set for each use, also in `sieve` */
    CudaChoice choices[CUDA_PASS_COUNT]; /* of a product */
    CudaSieve sieve;
    void *output;    /* [batch_max] of `out`, of the precision's type; the logits always floats */
    void *slope;     /* gradient of `output`, of the precision's type */
    uint8_t *places; /* of a sieve */
    float *parts;    /* of a product: of the gradients of its weights */
} CudaStage;

/* --- Profile --- */

enum { CUDA_MARKS_MAX = 2 * NET_LAYERS_MAX + 8 };

/* Marks in the order of the stream. The first mark begins a stage; each further mark ends one. */
typedef struct {
    int32_t count;
    int32_t stages[CUDA_MARKS_MAX];
} CudaMarks;

typedef struct {
    bool is_marking, is_capturing; /* capturing the stream into a graph */
    cudaEvent_t anchor, events[CUDA_MARKS_MAX];
    int64_t anchor_ns; /* of machine_clock_ns */
    CudaMarks marks;   /* of the events */
    const char *way;   /* of the marks, for profile_measured_by */
} CudaProfile;

/* --- Steps --- */

/* Steps of one graph. A graph has several steps, because a launch costs microseconds. */
enum { CUDA_GRAPH_STEPS = 16, CUDA_GRAPHS_MAX = 8 };

/* All parameters of a step except those in CudaStep. */
typedef struct {
    bool is_training; /* false: only forward, of images in the set's order */
    int32_t count;
    const uint8_t *images, *labels; /* of the set */
    const int32_t *order;
    bool is_augmented;
    CudaRmsProp optimizer;
    Comm *comm; /* NULL: a single rank */
    bool has_marks;
} CudaStepKind;

typedef struct {
    CudaStepKind kind;
    bool was_run;       /* such a step has run without a graph, so that kernels are loaded */
    bool is_impossible; /* the step cannot be captured */
    cudaGraphExec_t one, several;
    CudaMarks marks; /* of `one` */
    int64_t used_at;
} CudaGraph;

/* --- The model --- */

/* The first parameter from `at` on that begins a page of memory (4096 bytes) in floats and in bf16.
 * Arenas begin there, and so do early updates: kernels that run at the same time then write no page
 * that the other accesses, which the emulation would take for a conflict. */
static inline int64_t cuda_page_after(int64_t at)
{
    return (at + 2047) / 2048 * 2048;
}

typedef struct {
    BackendSettings settings;
    CudaPrecision precision;
    CudaDevice device;
    cudaStream_t stream;          /* CUDA_MAIN */
    cudaStream_t weights_stream;  /* CUDA_WEIGHTS */
    cudaStream_t exchange_stream; /* of sums over ranks, or of updates while layers go backward */
    cudaStream_t copy_stream;     /* of weights to main memory */
    cudaEvent_t weights_begun, weights_ended;
    cudaEvent_t begun, summed;    /* of the exchange or the update */
    cudaEvent_t settled, fetched; /* of a copy: on the GPU, in main memory */
    CudaProfile profile;
    CudaMemory memory;

    float *arenas[3];                /* by ArenaKind, contiguous in one block */
    float *arena_copies[3];          /* pinned */
    float *settled_arenas;           /* copies of weights and accumulators, for checkpoints */
    float *fetched_arenas;           /* the same, pinned */
    uint16_t *bf16_weights;          /* NULL except in bf16 */
    CudaStep *step, *step_copy;      /* the copy is pinned */
    int32_t *indices, *indices_copy; /* of the batch, for steps that are made phase by phase */
    uint8_t *labels;                 /* of the batch */
    void *input;                     /* [batch_max][32][32][3] */
    float *probabilities, *probabilities_copy;
    void *scratch[CUDA_SIDES];
    uint32_t *tiles_done; /* [CUDA_TILES_MAX] zeros between kernels of the main stream */
    CudaUnadded unadded;  /* gradients of weights that are queued, but not their sums */
    int64_t updated_from; /* the first parameter that the backward pass has updated */
    bool is_training;     /* of the last forward pass */
    void *engine_states[CUDA_SIDES][CUDA_ENGINES_MAX];

    int32_t stage_count;
    CudaStage stages[NET_LAYERS_MAX];
    bool has_head; /* the last layer and the loss are one kernel */
    CudaSet sets[CUDA_SETS_MAX];
    CudaGraph graphs[CUDA_GRAPHS_MAX];
    int64_t uses;             /* a clock for `used_at` */
    int32_t kernels_per_step; /* of the last graph; 0: there is no graph */

    CudaSet *set;                    /* of the last batch */
    int32_t count;                   /* images in the last batch */
    uint64_t step_number, step_last; /* the first and last step that the GPU works on */
    bool has_failed;                 /* permanently, with `failure` */
    Status failure;
} CudaModel;

/* --- Failures --- */

/* Records the first failure of the model. Afterwards no function works, and each function with a
 * status reports the failure. `doing` is a phrase such as "going forward". */
void cuda_note(CudaModel *model, cudaError_t result, const char *doing);
/* The same for an error of another library. `name` and `meaning` are the error's, or the library's
 * name and its error. */
void cuda_note_as(CudaModel *model, const char *doing, const char *name, const char *meaning);
/* Makes stream `waiting` wait for what is queued on stream `awaited`; `event` is the one between
 * them. */
void cuda_stream_waits(CudaModel *model, cudaStream_t waiting, cudaEvent_t event,
                       cudaStream_t awaited, const char *doing);
/* Waits until the GPU has finished all queued work; false if the model has failed. */
MUST_CHECK bool cuda_wait(CudaModel *model, const char *doing, Status *status);
/* The same if the GPU may wait for the GPUs of other ranks. It would wait forever for a rank that
 * has ended, so comm_check is called meanwhile. */
MUST_CHECK bool cuda_wait_for_ranks(CudaModel *model, Comm *comm, const char *doing,
                                    Status *status);
/* False if the model has failed; `status` is then the failure. */
MUST_CHECK bool cuda_is_fine(const CudaModel *model, Status *status);

/* --- Parts --- */

/* Returns the set on the GPU, and copies it there if necessary; NULL after a failure, which is
 * recorded. */
CudaSet *cuda_sets_resident(CudaModel *model, const ImageSet *set);
/* Queues the computation of the set's order of `epoch` unless it is already there; false after a
 * failure, which is recorded. */
MUST_CHECK bool cuda_sets_order(CudaModel *model, CudaSet *set, uint64_t epoch);
void cuda_sets_free(CudaModel *model);

MUST_CHECK bool cuda_stages_make(CudaModel *model, Status *status);
void cuda_stages_want(CudaModel *model, CudaMemory *memory);
/* The operands of a pass of a product. */
CudaOperands cuda_stages_operands(const CudaModel *model, int32_t stage_index, CudaPass pass);
/* The sieve that belongs to a pass of a product: after it (forward) or before it (data); NULL:
 * none. */
const CudaStage *cuda_stages_sieve(const CudaModel *model, int32_t stage_index, CudaPass pass);
/* Queues the forward pass of the last batch of `model->count` images, up to probabilities, score
 * and, in training, the gradient of the logits. `optimizer` is that of cuda_loss. */
void cuda_stages_forward(CudaModel *model, bool is_training, const CudaRmsProp *optimizer);
/* Begin and end work on the stream of the gradients of weights: it waits for what is queued on the
 * main stream, and the main stream for it. */
void cuda_weights_begin(CudaModel *model);
void cuda_weights_end(CudaModel *model);
/* Remembers parts for the update; cuda_weights_add adds all of them on a stream instead. */
void cuda_weights_left(CudaModel *model, const CudaParts *parts);
void cuda_weights_add(CudaModel *model, cudaStream_t stream);
/* Queues the update of the parameters [first, end) and of all parts that are left. */
void cuda_stages_update(CudaModel *model, cudaStream_t stream, const CudaRmsProp *optimizer,
                        int64_t first, int64_t end);
/* Queues the backward pass; without `early`, sums of parts are left to the update. Calls `early` as
 * soon as the gradients from cuda_exchange_first on are queued; `early` may be NULL. With
 * `optimizer`, which may be NULL, updates the parameters from there on, and sets `updated_from`. */
typedef bool CudaEarly(CudaModel *model, Comm *comm, Status *status);
MUST_CHECK bool cuda_stages_backward(CudaModel *model, Comm *comm, CudaEarly *early,
                                     const CudaRmsProp *optimizer, Status *status);
/* The stage with the output of a layer; NULL if the output is not stored. */
const CudaStage *cuda_stages_of_layer(const CudaModel *model, int32_t layer);

/* Starts the engines (only `own` if the model is to be deterministic), and finds their ways to
 * compute the stages. Called after cuda_stages_make. */
MUST_CHECK bool cuda_engines_open(CudaModel *model, Status *status);
void cuda_engines_close(CudaModel *model);
/* The largest number of bytes of working memory that any way of the side needs. */
int64_t cuda_engines_scratch(const CudaModel *model, CudaSide side);
/* Measures all ways, and keeps the fastest for each pass. Called after the memory is allocated;
 * overwrites its contents. Fails if the settings name an engine and none of its ways to compute a
 * pass works. */
MUST_CHECK bool cuda_engines_choose(CudaModel *model, Status *status);
/* Queues a pass of a product and its sieve with `model->count` images. Uses the `own` kernels if
 * that is not batch_max. */
void cuda_engines_run(CudaModel *model, int32_t stage_index, CudaPass pass);
/* True if the output of a product is not stored, because its sieve is in the same kernel. */
bool cuda_engines_is_fused(const CudaModel *model, int32_t stage_index);
/* The engines of a product. */
LayerEngines cuda_engines_of(const CudaStage *stage);

/* The index in the arena from which gradients are summed early: those of the largest kernel and all
 * after it. */
int64_t cuda_exchange_first(const Net *net);
/* Queues the sum of these gradients on the second stream, after the work that is queued on the
 * first. */
CudaEarly cuda_exchange_early;
/* Queues the sum of the other gradients, and makes the first stream wait for both sums. */
MUST_CHECK bool cuda_exchange_rest(CudaModel *model, Comm *comm, Status *status);

/* Creates events if the settings have a profile. */
cudaError_t cuda_profile_open(CudaModel *model);
void cuda_profile_close(CudaModel *model);
/* Turns marks on if the profile is on, and off otherwise. If it is on, waits for all queued work,
 * so that the processor reads its clock right after the anchor. */
void cuda_profile_begin(CudaModel *model);
/* Queues the end of a stage. PROFILE_NONE is the first mark, which only begins the next stage. */
void cuda_profile_mark(CudaModel *model, int32_t stage);
/* Adds the stages to the profile, after the GPU has passed the marks. */
void cuda_profile_take(CudaModel *model);

/* As `steps` and `evaluate` of trainer/compute/backend.h. */
MUST_CHECK bool cuda_steps_run(void *opened, const StepRun *run, Comm *comm, Score *score,
                               int64_t *bad_step, Status *status);
MUST_CHECK bool cuda_steps_evaluate(void *opened, const ImageSet *images, int32_t first,
                                    int32_t count, int32_t batch_size, Score *score,
                                    Status *status);
void cuda_steps_free(CudaModel *model);

/* Queues `work`; false on failure. */
typedef bool CudaQueue(CudaModel *model, const void *work, Status *status);
/* Creates a graph that does `work` `times` times; NULL if the toolkit, the driver or a library does
 * not support it. The model must not have failed. `*kernels` is the number of its kernels, 0 if it
 * cannot be determined. */
cudaGraphExec_t cuda_steps_graph(CudaModel *model, CudaQueue *queue, const void *work,
                                 int32_t times, int32_t *kernels);

/* Converts the optimizer to the kernels' struct. */
CudaRmsProp cuda_steps_optimizer(const RmsProp *optimizer, float gradient_scale);
/* Queues a copy of the state before the first step of a run to the GPU. */
void cuda_steps_put(CudaModel *model, uint64_t step, int64_t first);
/* Copies the state back to `step_copy` and waits. If `comm` is not NULL, also checks other ranks
 * (cuda_wait_for_ranks). */
MUST_CHECK bool cuda_steps_get(CudaModel *model, Comm *comm, const char *doing, Status *status);

#endif
