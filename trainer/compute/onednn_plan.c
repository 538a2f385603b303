/* Private to trainer/compute: the oneDNN primitives of a network for one batch size. */
#include <dnnl_debug.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "trainer/base/floats.h"
#include "trainer/compute/onednn_model.h"

/* --- Construction and errors --- */

typedef struct {
    Model *model;
    Plan *plan;
    const Stage *stage;
    StageTasks *tasks;
    const Layout *matrix_layout; /* of the kernel as the forward pass reads it */
    dnnl_memory_t matrix;
    Status *status;
} Maker;

static bool fail(const Stage *stage, const char *operation, dnnl_status_t result, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in("oneDNN", 0, 0),
                       "oneDNN cannot compute layer \"%s\": %s: %s", stage->layer->name, operation,
                       dnnl_status2str(result));
}

static bool check(const Maker *maker, dnnl_status_t result, const char *operation)
{
    return result == dnnl_success || fail(maker->stage, operation, result, maker->status);
}

/* --- Execution --- */

/* Blocks all signals except those that an instruction causes. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV};
    sigset_t held;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&held, faults[i]);
    pthread_sigmask(SIG_SETMASK, &held, before);
}

/* Up to its version 3.11, oneDNN's matrix products on x86-64 have the stack pointer point into
 * their work space (its issue 4845, "Heap corruption caused by signal handling"). A signal handler
 * that starts there would overwrite the memory below. Signals are therefore blocked while a
 * primitive runs, in this thread and in the threads that oneDNN starts for it, which inherit the
 * mask. */
bool task_run(Model *model, const Stage *stage, const Task *task, Status *status)
{
    sigset_t before;
    if (!task->primitive)
        return true;
    block_signals(&before);
    dnnl_status_t result = dnnl_primitive_execute(task->primitive, model->stream,
                                                  task->argument_count, task->arguments);
    if (result == dnnl_success)
        result = dnnl_stream_wait(model->stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result == dnnl_success || fail(stage, "execution", result, status);
}

/* --- Memory --- */

static void task_argument(Task *task, int argument, dnnl_memory_t memory)
{
    invariant(task->argument_count < (int32_t)(sizeof task->arguments / sizeof *task->arguments));
    task->arguments[task->argument_count++] = (dnnl_exec_arg_t){argument, memory};
}

/* Adds a oneDNN memory object for `values` to the plan; the values are borrowed. */
static bool memory_at(Maker *maker, const Layout *layout, void *values, dnnl_memory_t *memory)
{
    Plan *plan = maker->plan;
    invariant(plan->memory_count < (int32_t)(sizeof plan->memories / sizeof *plan->memories));
    if (!check(maker, dnnl_memory_create(memory, layout, maker->model->engine, values), "memory"))
        return false;
    plan->memories[plan->memory_count++] = *memory;
    return true;
}

static void *buffer_new(Maker *maker, const Layout *layout)
{
    Plan *plan = maker->plan;
    invariant(plan->buffer_count < (int32_t)(sizeof plan->buffers / sizeof *plan->buffers));
    size_t floats = dnnl_memory_desc_get_size(layout) / sizeof(float) + 1;
    return plan->buffers[plan->buffer_count++] = floats_zeroed((int64_t)floats);
}

static bool reorder_make(Maker *maker, const Layout *from, dnnl_memory_t from_memory,
                         const Layout *to, dnnl_memory_t to_memory, Task *task)
{
    dnnl_engine_t engine = maker->model->engine;
    dnnl_primitive_desc_t description;
    if (!check(maker,
               dnnl_reorder_primitive_desc_create(&description, from, engine, to, engine, NULL),
               "change of layout"))
        return false;
    dnnl_status_t result = dnnl_primitive_create(&task->primitive, description);
    dnnl_primitive_desc_destroy(description);
    task_argument(task, DNNL_ARG_FROM, from_memory);
    task_argument(task, DNNL_ARG_TO, to_memory);
    return check(maker, result, "change of layout");
}

typedef enum { CONVERT_BEFORE, CONVERT_AFTER } ConvertTime;

/* Gives `values`, which have the layout `given`, in the layout `wanted` by a primitive. If the
 * layouts are equal, these are the values themselves. Otherwise it is a copy: `convert` fills it
 * before the primitive runs, or copies it back afterwards. */
static bool memory_in_layout(Maker *maker, const Layout *wanted, const Layout *given, void *values,
                             ConvertTime time, Task *convert, dnnl_memory_t *memory)
{
    if (dnnl_memory_desc_equal(wanted, given))
        return memory_at(maker, given, values, memory);
    dnnl_memory_t outside;
    return memory_at(maker, given, values, &outside) &&
           memory_at(maker, wanted, buffer_new(maker, wanted), memory) &&
           (time == CONVERT_BEFORE ? reorder_make(maker, given, outside, wanted, *memory, convert)
                                   : reorder_make(maker, wanted, *memory, given, outside, convert));
}

/* --- Layouts --- */

/* A new layout, which lives as long as the plan; NULL if that fails. */
static Layout *layout_new(Maker *maker, int32_t rank, const dnnl_dims_t sizes,
                          dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    Plan *plan = maker->plan;
    invariant(plan->layout_count < (int32_t)(sizeof plan->layouts / sizeof *plan->layouts));
    Layout **layout = &plan->layouts[plan->layout_count++];
    return check(maker, layout_create(layout, rank, sizes, type, tag), "layout") ? *layout : NULL;
}

/* The layout of the activations of a batch; `block` as in Sieve. */
static Layout *activations(Maker *maker, NetShape shape, int32_t block, dnnl_data_type_t type)
{
    const int32_t count = maker->plan->count;
    const dnnl_dims_t flat = {count, net_size(shape)};
    const dnnl_dims_t full = {count, shape.channels, shape.height, shape.width};
    if (maker->stage->layer->kind == NET_DENSE)
        return layout_new(maker, 2, flat, type, dnnl_ab);
    return layout_new(maker, 4, full, type,
                      block == shape.channels ? dnnl_nhwc
                      : block == 16           ? dnnl_nChw16c
                                              : dnnl_nChw8c);
}

/* The layout of a kernel in the arena, or with `is_any` the layout that oneDNN chooses. oneDNN
 * orders dimensions as [out][in]. */
static Layout *kernel(Maker *maker, dnnl_data_type_t type, bool is_any)
{
    const NetLayer *layer = maker->stage->layer;
    const dnnl_dims_t sizes = {layer->out.channels, layer->in.channels, layer->side, layer->side};
    if (layer->kind == NET_DENSE)
        return layout_new(maker, 2, sizes, type, is_any ? dnnl_format_tag_any : dnnl_io);
    return layout_new(maker, 4, sizes, type, is_any ? dnnl_format_tag_any : dnnl_hwio);
}

/* --- One stage --- */

/* The layouts requested for the primitives of a stage. */
typedef struct {
    const Layout *in, *out, *out_gradient, *kernel, *kernel_gradient, *bias;
    const Layout *given; /* of the values that the stage reads */
    const Layout *arena; /* of the kernel and its gradient in their arenas */
} StageLayouts;

/* The first convolution has few input channels. If its output is in blocks, oneDNN may have a
 * faster layout for the input; for NHWC output the input stays NHWC. */
static Layout *input_layout(Maker *maker)
{
    const Model *model = maker->model;
    const Stage *stage = maker->stage;
    const NetShape in = stage->layer->in;
    const dnnl_dims_t full = {maker->plan->count, in.channels, in.height, in.width};
    const bool is_first = stage == model->stages;
    if (is_first && stage->layer->kind != NET_DENSE && stage->out_block != stage->out.channels)
        return layout_new(maker, 4, full, model->type, dnnl_format_tag_any);
    return activations(maker, in, is_first ? in.channels : stage[-1].out_block, model->type);
}

static bool stage_layouts(Maker *maker, StageLayouts *layouts)
{
    const Model *model = maker->model;
    const Stage *stage = maker->stage;
    const NetShape in = stage->layer->in, out = stage->layer->out;
    const bool is_dense = stage->layer->kind == NET_DENSE;
    const bool is_first = stage == model->stages;
    const bool is_last = stage == &model->stages[model->stage_count - 1];
    const dnnl_dims_t biases = {out.channels};
    *layouts = (StageLayouts){
        .in = input_layout(maker),
        .out = activations(maker, out, stage->out_block, is_last ? dnnl_f32 : model->type),
        .out_gradient = activations(maker, out, stage->out_block, model->type),
        // A dense kernel is not converted: it is large, and used once per step in each direction.
        .kernel = kernel(maker, model->type, !is_dense),
        .kernel_gradient = kernel(maker, dnnl_f32, !is_dense),
        .bias = layout_new(maker, 1, biases, dnnl_f32, dnnl_a),
        .arena = kernel(maker, dnnl_f32, false),
    };
    layouts->given = is_first ? activations(maker, in, in.channels, dnnl_f32) : layouts->in;
    return layouts->given && layouts->in && layouts->out && layouts->out_gradient &&
           layouts->kernel && layouts->kernel_gradient && layouts->bias && layouts->arena;
}

static Product product_of(const Maker *maker, const Layout *in, const Layout *matrix,
                          const Layout *bias, const Layout *out)
{
    const NetLayer *layer = maker->stage->layer;
    return (Product){.is_dense = layer->kind == NET_DENSE,
                     .padding = layer->padding,
                     .in = in,
                     .kernel = matrix,
                     .bias = bias,
                     .out = out};
}

static bool describe_forward(const Maker *maker, const StageLayouts *layouts,
                             const_dnnl_primitive_attr_t attributes,
                             dnnl_primitive_desc_t *description)
{
    const Product product =
        product_of(maker, layouts->in, layouts->kernel, layouts->bias, layouts->out);
    return check(maker,
                 product_describe_forward(&product, maker->model->engine, attributes, description),
                 "forward");
}

static bool describe_backward_data(const Maker *maker, const StageLayouts *layouts,
                                   const_dnnl_primitive_desc_t forward,
                                   dnnl_primitive_desc_t *description)
{
    const Product product =
        product_of(maker, layouts->in, layouts->kernel, NULL, layouts->out_gradient);
    return check(
        maker, product_describe_backward_data(&product, maker->model->engine, forward, description),
        "backward by its input");
}

static bool describe_backward_weights(const Maker *maker, const StageLayouts *layouts,
                                      const_dnnl_primitive_desc_t forward,
                                      dnnl_primitive_desc_t *description)
{
    const Product product = product_of(maker, layouts->in, layouts->kernel_gradient, layouts->bias,
                                       layouts->out_gradient);
    return check(
        maker,
        product_describe_backward_weights(&product, maker->model->engine, forward, description),
        "backward by its weights");
}

static const Layout *layout_of(const_dnnl_primitive_desc_t description, dnnl_query_t query)
{
    return dnnl_primitive_desc_query_md(description, query, 0);
}

/* Creates the primitive of `description`. */
static bool task_make(const Maker *maker, dnnl_primitive_desc_t description, Task *task)
{
    const char *name = NULL;
    if (maker->stage->layer->kind == NET_CONVOLUTION &&
        dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &name) == dnnl_success)
        maker->plan->needs_reference |= strncmp(name, "ref:", 4) == 0;
    return check(maker, dnnl_primitive_create(&task->primitive, description), "primitive");
}

static void *gradient_of(const Model *model, const Stage *stage)
{
    return model->gradients[(stage - model->stages) % 2];
}

static bool make_forward(Maker *maker, const StageLayouts *layouts,
                         const_dnnl_primitive_desc_t description, dnnl_memory_t *in)
{
    Model *model = maker->model;
    const Stage *stage = maker->stage;
    StageTasks *tasks = maker->tasks;
    float *weights = model->host.arenas[ARENA_WEIGHTS];
    const bool is_first = stage == model->stages;
    dnnl_memory_t bias, out;
    maker->matrix_layout = layout_of(description, dnnl_query_weights_md);
    if (!memory_in_layout(maker, layout_of(description, dnnl_query_src_md), layouts->given,
                          is_first ? model->host.input : stage[-1].output, CONVERT_BEFORE,
                          &tasks->convert_input, in) ||
        !memory_in_layout(maker, maker->matrix_layout, layouts->arena,
                          weights + stage->layer->kernel_at, CONVERT_BEFORE,
                          &tasks->convert_weights, &maker->matrix) ||
        !memory_at(maker, layouts->bias, weights + stage->layer->bias_at, &bias) ||
        !memory_at(maker, layouts->out, stage->output, &out))
        return false;
    task_argument(&tasks->forward, DNNL_ARG_SRC, *in);
    task_argument(&tasks->forward, DNNL_ARG_WEIGHTS, maker->matrix);
    task_argument(&tasks->forward, DNNL_ARG_BIAS, bias);
    task_argument(&tasks->forward, DNNL_ARG_DST, out);
    return true;
}

static bool make_backward_data(Maker *maker, const StageLayouts *layouts,
                               const_dnnl_primitive_desc_t description, dnnl_memory_t out_gradient)
{
    Model *model = maker->model;
    const NetLayer *layer = maker->stage->layer;
    StageTasks *tasks = maker->tasks;
    const Layout *wanted = layout_of(description, dnnl_query_weights_md);
    dnnl_memory_t matrix = maker->matrix, in_gradient;
    if ((!dnnl_memory_desc_equal(wanted, maker->matrix_layout) &&
         !memory_in_layout(maker, wanted, layouts->arena,
                           model->host.arenas[ARENA_WEIGHTS] + layer->kernel_at, CONVERT_BEFORE,
                           &tasks->convert_weights_back, &matrix)) ||
        !memory_at(maker, layouts->in, gradient_of(model, maker->stage - 1), &in_gradient))
        return false;
    task_argument(&tasks->backward_data, DNNL_ARG_DIFF_DST, out_gradient);
    task_argument(&tasks->backward_data, DNNL_ARG_WEIGHTS, matrix);
    task_argument(&tasks->backward_data, DNNL_ARG_DIFF_SRC, in_gradient);
    return true;
}

static bool make_backward_weights(Maker *maker, const StageLayouts *layouts,
                                  const_dnnl_primitive_desc_t description, dnnl_memory_t in,
                                  dnnl_memory_t out_gradient)
{
    const NetLayer *layer = maker->stage->layer;
    StageTasks *tasks = maker->tasks;
    float *gradients = maker->model->host.arenas[ARENA_GRADIENTS];
    dnnl_memory_t matrix, bias;
    if (!memory_in_layout(maker, layout_of(description, dnnl_query_diff_weights_md), layouts->arena,
                          gradients + layer->kernel_at, CONVERT_AFTER, &tasks->convert_gradient,
                          &matrix) ||
        !memory_at(maker, layouts->bias, gradients + layer->bias_at, &bias))
        return false;
    task_argument(&tasks->backward_weights, DNNL_ARG_SRC, in);
    task_argument(&tasks->backward_weights, DNNL_ARG_DIFF_DST, out_gradient);
    task_argument(&tasks->backward_weights, DNNL_ARG_DIFF_WEIGHTS, matrix);
    task_argument(&tasks->backward_weights, DNNL_ARG_DIFF_BIAS, bias);
    return true;
}

/* Gives the gradient of the stage's output. The loss computes that of the logits in floats. */
static bool out_gradient_memory(Maker *maker, const StageLayouts *layouts, dnnl_memory_t *memory)
{
    Model *model = maker->model;
    if (maker->stage != &model->stages[model->stage_count - 1])
        return memory_at(maker, layouts->out_gradient, gradient_of(model, maker->stage), memory);
    return memory_in_layout(maker, layouts->out_gradient, layouts->out, model->host.logits_gradient,
                            CONVERT_BEFORE, &maker->tasks->convert_logits_gradient, memory);
}

static bool attributes_make(const Maker *maker, dnnl_primitive_attr_t *attributes)
{
    if (!check(maker, dnnl_primitive_attr_create(attributes), "attributes"))
        return false;
    if (!maker->stage->layer->has_relu)
        return true;
    dnnl_post_ops_t after;
    if (!check(maker, dnnl_post_ops_create(&after), "ReLU"))
        return false;
    bool is_fine = check(maker, product_append_relu(after), "ReLU") &&
                   check(maker, dnnl_primitive_attr_set_post_ops(*attributes, after), "ReLU");
    dnnl_post_ops_destroy(after);
    return is_fine;
}

static bool product_make(Maker *maker)
{
    const bool is_first = maker->stage == maker->model->stages;
    StageTasks *tasks = maker->tasks;
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_primitive_desc_t forward = NULL, data = NULL, weights = NULL;
    dnnl_memory_t in = NULL, out_gradient = NULL;
    StageLayouts layouts;
    bool is_fine = stage_layouts(maker, &layouts) && attributes_make(maker, &attributes) &&
                   describe_forward(maker, &layouts, attributes, &forward) &&
                   make_forward(maker, &layouts, forward, &in) &&
                   task_make(maker, forward, &tasks->forward);
    if (is_fine)
        layouts.in = layout_of(forward, dnnl_query_src_md);
    is_fine = is_fine && out_gradient_memory(maker, &layouts, &out_gradient);
    if (!maker->stage->has_own_gradient)
        is_fine = is_fine && describe_backward_weights(maker, &layouts, forward, &weights) &&
                  make_backward_weights(maker, &layouts, weights, in, out_gradient) &&
                  task_make(maker, weights, &tasks->backward_weights);
    if (!is_first)
        is_fine = is_fine && describe_backward_data(maker, &layouts, forward, &data) &&
                  make_backward_data(maker, &layouts, data, out_gradient) &&
                  task_make(maker, data, &tasks->backward_data);
    dnnl_primitive_desc_destroy(data);
    dnnl_primitive_desc_destroy(weights);
    dnnl_primitive_desc_destroy(forward);
    dnnl_primitive_attr_destroy(attributes);
    return is_fine;
}

/* --- All stages --- */

bool plan_create(Model *model, int32_t count, Plan **plan, Status *status)
{
    Plan *made = memory_zeroed(sizeof *made);
    made->count = count;
    made->weights_version = -1;
    for (int32_t i = 0; i < model->stage_count; i++) {
        Maker maker = {.model = model,
                       .plan = made,
                       .stage = &model->stages[i],
                       .tasks = &made->tasks[i],
                       .status = status};
        if (model->stages[i].kind == STAGE_PRODUCT && !product_make(&maker)) {
            plan_destroy(made);
            return false;
        }
    }
    *plan = made;
    return true;
}

static void task_destroy(Task *task)
{
    dnnl_primitive_destroy(task->primitive);
}

void plan_destroy(Plan *plan)
{
    if (!plan)
        return;
    for (int32_t i = 0; i < STAGES_MAX; i++) {
        StageTasks *tasks = &plan->tasks[i];
        task_destroy(&tasks->convert_input);
        task_destroy(&tasks->convert_weights);
        task_destroy(&tasks->convert_weights_back);
        task_destroy(&tasks->forward);
        task_destroy(&tasks->convert_logits_gradient);
        task_destroy(&tasks->backward_weights);
        task_destroy(&tasks->convert_gradient);
        task_destroy(&tasks->backward_data);
    }
    for (int32_t i = 0; i < plan->memory_count; i++)
        dnnl_memory_destroy(plan->memories[i]);
    for (int32_t i = 0; i < plan->buffer_count; i++)
        free(plan->buffers[i]);
    for (int32_t i = 0; i < plan->layout_count; i++)
        layout_destroy(plan->layouts[i]);
    free(plan);
}
