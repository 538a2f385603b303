/* The oneDNN backend's own matters: the network as stages, and for each batch size the primitives
 * that compute them. Nobody but trainer/compute/backend_onednn.c and trainer/compute/onednn_plan.c
 * includes this.
 */
#ifndef TRAINER_ONEDNN_MODEL_H
#define TRAINER_ONEDNN_MODEL_H

#include <dnnl.h>

#include "trainer/compute/host.h"
#include "trainer/compute/onednn_sieve.h"

/* A product is a layer with weights, and its ReLU; a sieve is a pool, a dropout, or a pool and the
 * dropout behind it, or only a change of layout. */
typedef enum { STAGE_PRODUCT, STAGE_SIEVE } StageKind;

typedef struct {
    StageKind kind;
    const NetLayer *layer; /* of a sieve its pool, else its dropout, else the dense layer behind */
    int32_t layer_index;   /* of `layer` in the net */
    int32_t dropout_index; /* of a sieve; -1: none */
    NetShape in, out;
    int32_t out_block; /* of its output, as Sieve has it */
    Sieve sieve;
    void *output;           /* [batch_max] of `out`: floats or bf16, the logits always floats */
    uint8_t *kept, *places; /* of a sieve */
    bool has_own_gradient;  /* of its weights: trainer/compute/convolution_gradient.h, not oneDNN */
} Stage;

/* Each layer may ask for a sieve before it. */
enum { STAGES_MAX = 2 * NET_LAYERS_MAX };

/* A primitive and what it works on. */
typedef struct {
    dnnl_primitive_t primitive; /* NULL: nothing to do */
    int32_t argument_count;
    dnnl_exec_arg_t arguments[4];
} Task;

typedef struct {
    Task convert_input;                         /* of the first stage */
    Task convert_weights, convert_weights_back; /* the latter where its layout is another */
    Task forward;
    Task convert_logits_gradient; /* of the last stage */
    Task backward_weights, convert_gradient;
    Task backward_data; /* not of the first stage */
} StageTasks;

/* Everything for batches of `count` images. */
typedef struct {
    int32_t count;
    bool needs_reference;    /* oneDNN has no fast kernel for a convolution in these layouts */
    int64_t weights_version; /* of which the converted weights are */
    StageTasks tasks[STAGES_MAX];
    dnnl_memory_t memories[STAGES_MAX * 12];
    void *buffers[STAGES_MAX * 6];
    int32_t memory_count, buffer_count;
} Plan;

/* Sizes that a training needs: whole batches, the last of an epoch, and those of an evaluation. */
enum { PLANS_MAX = 4 };

typedef struct {
    Host host; /* first: the functions of trainer/compute/host.h see only this */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_data_type_t type; /* of activations, of their gradients and of weights in products */
    int32_t block;         /* channels that convolutions keep together; 0: all (NHWC) */
    int32_t stage_count;
    Stage stages[STAGES_MAX];
    void *gradients[2]; /* of the outputs of even and of odd stages */
    float *scratch;     /* of convolution_gradient */
    Plan *plans[PLANS_MAX];
    int32_t plan_count, plan_oldest;
    int64_t weights_version;
    Plan *plan; /* of the last forward */
} Model;

/* STATUS_MACHINE naming the layer and the primitive that oneDNN cannot make. */
MUST_CHECK bool plan_create(Model *model, int32_t count, Plan **plan, Status *status);
void plan_destroy(Plan *plan); /* NULL is fine */

/* Runs a task and waits for its end. Signals that come meanwhile are taken behind it. */
MUST_CHECK bool task_run(Model *model, const Stage *stage, const Task *task, Status *status);

#endif
