/* Private to the oneDNN backend (backend_onednn.c, onednn_plan.c): the network as stages, and for
 * each batch size the primitives that compute them.
 */
#ifndef TRAINER_ONEDNN_MODEL_H
#define TRAINER_ONEDNN_MODEL_H

#include <dnnl.h>

#include "trainer/compute/host.h"
#include "trainer/compute/onednn_product.h"
#include "trainer/compute/onednn_sieve.h"

/* A product is a layer with weights, and its ReLU. A sieve is a pool, a dropout, a pool and the
 * following dropout, or only a change of layout. */
typedef enum { STAGE_PRODUCT, STAGE_SIEVE } StageKind;

typedef struct {
    StageKind kind;
    const NetLayer
        *layer; /* of a sieve: its pool, else its dropout, else the following dense layer */
    int32_t layer_index;   /* of `layer` in the net */
    int32_t dropout_index; /* of a sieve; -1: none */
    NetShape in, out;
    int32_t out_block; /* of its output, as in Sieve */
    Sieve sieve;
    void *output;           /* [batch_max] of `out`: floats or bf16, the logits always floats */
    uint8_t *kept, *places; /* of a sieve */
    bool has_own_gradient;  /* convolution_gradient.h computes the weights' gradient, not oneDNN */
} Stage;

/* Each layer may need a sieve before it. */
enum { STAGES_MAX = 2 * NET_LAYERS_MAX };

/* A primitive and its arguments. */
typedef struct {
    dnnl_primitive_t primitive; /* NULL: nothing to do */
    int32_t argument_count;
    dnnl_exec_arg_t arguments[4];
} Task;

typedef struct {
    Task convert_input; /* of the first stage */
    Task convert_weights,
        convert_weights_back; /* _back only if backward_data needs another layout */
    Task forward;
    Task convert_logits_gradient; /* of the last stage */
    Task backward_weights, convert_gradient;
    Task backward_data; /* not of the first stage */
} StageTasks;

/* Everything for batches of `count` images. */
typedef struct {
    int32_t count;
    bool needs_reference;    /* oneDNN has no fast kernel for a convolution in these layouts */
    int64_t weights_version; /* version of the converted weights */
    StageTasks tasks[STAGES_MAX];
    dnnl_memory_t memories[STAGES_MAX * 12];
    void *buffers[STAGES_MAX * 6];
    Layout *layouts[STAGES_MAX * 8];
    int32_t memory_count, buffer_count, layout_count;
} Plan;

/* The batch sizes of a training: full batches, the last batch of an epoch, and the batches of an
 * evaluation. */
enum { PLANS_MAX = 4 };

typedef struct {
    Host host; /* first: the functions of trainer/compute/host.h see only this */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_data_type_t type; /* of activations, of their gradients and of weights in products */
    int32_t block;         /* channels in a block of convolutions; 0: all (NHWC) */
    int32_t stage_count;
    Stage stages[STAGES_MAX];
    void *gradients[2]; /* of the outputs of even and of odd stages */
    float *scratch;     /* of convolution_gradient */
    Plan *plans[PLANS_MAX];
    int32_t plan_count, plan_oldest;
    int64_t weights_version;
    Plan *plan; /* of the last forward */
} Model;

/* Fails with STATUS_MACHINE, naming the layer and the primitive that oneDNN cannot create. */
MUST_CHECK bool plan_create(Model *model, int32_t count, Plan **plan, Status *status);
void plan_destroy(Plan *plan); /* NULL is allowed */

/* Runs a task and waits for its end. Signals are blocked meanwhile and handled afterwards. */
MUST_CHECK bool task_run(Model *model, const Stage *stage, const Task *task, Status *status);

#endif
