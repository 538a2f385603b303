/* Private to trainer/cuda: whole steps and evaluations in CUDA graphs. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "trainer/cuda/model.h"

/* --- State --- */

void cuda_steps_put(CudaModel *model, uint64_t step, int64_t first)
{
    *model->step_copy = (CudaStep){.step = step, .first = first, .bad_step = -1};
    cuda_note(model,
              cudaMemcpyAsync(model->step, model->step_copy, sizeof *model->step,
                              cudaMemcpyHostToDevice, model->stream),
              "beginning a step");
}

bool cuda_steps_get(CudaModel *model, Comm *comm, const char *doing, Status *status)
{
    cuda_note(model,
              cudaMemcpyAsync(model->step_copy, model->step, sizeof *model->step,
                              cudaMemcpyDeviceToHost, model->stream),
              doing);
    return comm ? cuda_wait_for_ranks(model, comm, doing, status) : cuda_wait(model, doing, status);
}

/* --- One step --- */

CudaRmsProp cuda_steps_optimizer(const RmsProp *optimizer, float gradient_scale)
{
    const float rho = (float)optimizer->rho;
    return (CudaRmsProp){.learning_rate = optimizer->learning_rate,
                         .decay = optimizer->decay,
                         .rho = rho,
                         .rest = 1.0f - rho, // computed from the rounded rho, as in Keras
                         .epsilon = (float)optimizer->epsilon,
                         .gradient_scale = gradient_scale};
}

/* Queues a batch without training. */
static void queue_evaluation(CudaModel *model, const CudaStepKind *kind)
{
    const CudaInput input = {.images = kind->images, .labels = kind->labels};
    cuda_input(model->stream, model->precision, &input, model->step, kind->count, model->input,
               model->labels);
    cuda_stages_forward(model, false, &kind->optimizer);
}

/* Queues a step; model->count is already the step's. */
static bool queue_step(CudaModel *model, const void *work, Status *status)
{
    const CudaStepKind *kind = work;
    if (!kind->is_training) {
        queue_evaluation(model, kind);
        return true;
    }
    const CudaInput input = {.images = kind->images,
                             .labels = kind->labels,
                             .order = kind->order,
                             .seed = model->settings.seed,
                             .rank = model->settings.rank,
                             .is_augmented = kind->is_augmented};
    cuda_profile_mark(model, PROFILE_NONE);
    cuda_input(model->stream, model->precision, &input, model->step, kind->count, model->input,
               model->labels);
    cuda_profile_mark(model, PROFILE_INPUT);
    cuda_stages_forward(model, true, &kind->optimizer);
    if (!cuda_stages_backward(model, kind->comm, kind->comm ? cuda_exchange_early : NULL,
                              kind->comm ? NULL : &kind->optimizer, status) ||
        (kind->comm && !cuda_exchange_rest(model, kind->comm, status)))
        return false;
    if (kind->comm)
        cuda_profile_mark(model, PROFILE_EXCHANGE); // the part that continues after the last layer
    cuda_stages_update(model, model->stream, &kind->optimizer, 0, model->updated_from);
    cuda_profile_mark(model, PROFILE_UPDATE);
    return true;
}

/* --- Graphs --- */

static bool is_same_optimizer(const CudaRmsProp *a, const CudaRmsProp *b)
{
    return a->learning_rate == b->learning_rate && a->decay == b->decay && a->rho == b->rho &&
           a->rest == b->rest && a->epsilon == b->epsilon && a->gradient_scale == b->gradient_scale;
}

static bool is_same_kind(const CudaStepKind *a, const CudaStepKind *b)
{
    return a->is_training == b->is_training && a->count == b->count && a->images == b->images &&
           a->labels == b->labels && a->order == b->order && a->is_augmented == b->is_augmented &&
           a->comm == b->comm && a->has_marks == b->has_marks &&
           is_same_optimizer(&a->optimizer, &b->optimizer);
}

static void graph_free(CudaGraph *graph)
{
    if (graph->one)
        (void)cudaGraphExecDestroy(graph->one);
    if (graph->several)
        (void)cudaGraphExecDestroy(graph->several);
    *graph = (CudaGraph){0};
}

void cuda_steps_free(CudaModel *model)
{
    for (int32_t i = 0; i < CUDA_GRAPHS_MAX; i++)
        graph_free(&model->graphs[i]);
}

static CudaGraph *graph_find(CudaModel *model, const CudaStepKind *kind)
{
    for (int32_t i = 0; i < CUDA_GRAPHS_MAX; i++)
        if (model->graphs[i].used_at > 0 && is_same_kind(&model->graphs[i].kind, kind))
            return &model->graphs[i];
    return NULL;
}

/* True if a step of this kind has run, with or without marks, which do not load kernels. */
static bool was_run(CudaModel *model, const CudaStepKind *kind)
{
    CudaStepKind unmarked = *kind;
    unmarked.has_marks = false;
    const CudaGraph *graph = graph_find(model, &unmarked);
    return graph && graph->was_run;
}

/* The entry for graphs of steps of this kind; its graphs may not exist yet. A new entry replaces
 * the least recently used one. No queued work needs that one, because a run ends with waiting. */
static CudaGraph *graph_of(CudaModel *model, const CudaStepKind *kind)
{
    CudaGraph *found = graph_find(model, kind), *oldest = &model->graphs[0];
    for (int32_t i = 1; i < CUDA_GRAPHS_MAX; i++)
        if (model->graphs[i].used_at < oldest->used_at)
            oldest = &model->graphs[i];
    if (!found) {
        const bool has_kernels = was_run(model, kind);
        found = oldest;
        graph_free(found);
        found->kind = *kind;
        found->was_run = has_kernels;
    }
    found->used_at = ++model->uses;
    return found;
}

/* Captures the work that `queue` queues, `times` times, in a graph. */
static bool capture(CudaModel *model, CudaQueue *queue, const void *work, int32_t times,
                    cudaGraph_t *graph)
{
    Status status;
    bool is_queued =
        cudaStreamBeginCapture(model->stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
    if (!is_queued)
        return false;
    model->profile.is_capturing = true;
    for (int32_t i = 0; i < times && is_queued; i++)
        is_queued = queue(model, work, &status) && cuda_is_fine(model, &status);
    model->profile.is_capturing = false;
    is_queued &= cudaGetLastError() == cudaSuccess;
    // The capture must be ended also after a failure.
    return cudaStreamEndCapture(model->stream, graph) == cudaSuccess && is_queued;
}

/* The number of kernels among the graph's nodes; 0 if it cannot be determined. */
static int32_t kernels_of(cudaGraph_t graph)
{
    size_t count = 0;
    int32_t kernels = 0;
    if (cudaGraphGetNodes(graph, NULL, &count) != cudaSuccess || count == 0)
        return 0;
    cudaGraphNode_t *nodes = memory_zeroed(count * sizeof *nodes);
    if (cudaGraphGetNodes(graph, nodes, &count) != cudaSuccess)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        enum cudaGraphNodeType type;
        kernels +=
            cudaGraphNodeGetType(nodes[i], &type) == cudaSuccess && type == cudaGraphNodeTypeKernel;
    }
    free(nodes);
    return kernels;
}

/* Without a graph, steps are queued kernel by kernel. The failure is therefore cleared; a failure
 * that also affects kernels occurs again there. */
cudaGraphExec_t cuda_steps_graph(CudaModel *model, CudaQueue *queue, const void *work,
                                 int32_t times, int32_t *kernels)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t executable = NULL;
    invariant(!model->has_failed);
    if (!capture(model, queue, work, times, &graph) ||
        cuda_graph_instantiate(&executable, graph) != cudaSuccess)
        executable = NULL;
    *kernels = executable ? kernels_of(graph) : 0;
    if (graph)
        (void)cudaGraphDestroy(graph);
    if (!executable) {
        (void)cudaGetLastError();
        model->has_failed = false;
    }
    return executable;
}

static bool can_capture(const CudaStepKind *kind)
{
    return !kind->comm || comm_sums_in_graph(kind->comm);
}

/* The graph to launch for the first of `left` steps, and its number of steps. NULL: queue one step
 * without a graph. */
static cudaGraphExec_t graph_for(CudaModel *model, CudaGraph *graph, int64_t left, int32_t *steps)
{
    const bool is_one = left < CUDA_GRAPH_STEPS;
    cudaGraphExec_t *executable = is_one ? &graph->one : &graph->several;
    *steps = is_one ? 1 : CUDA_GRAPH_STEPS;
    if (!*executable && graph->was_run && !graph->is_impossible) {
        int32_t kernels;
        *executable = cuda_steps_graph(model, queue_step, &graph->kind, *steps, &kernels);
        if (*executable && graph->kind.is_training)
            model->kernels_per_step = kernels / *steps;
        graph->is_impossible = !*executable;
        graph->marks = model->profile.marks;
    }
    if (!*executable)
        *steps = 1;
    return *executable;
}

/* --- Runs --- */

static const char *doing_of(const CudaStepKind *kind)
{
    return kind->is_training ? "training" : "evaluating";
}

static void launch(CudaModel *model, const CudaGraph *graph, cudaGraphExec_t executable)
{
    model->profile.marks = graph->marks;
    model->profile.way = "the GPU's clock, each step one CUDA graph";
    cuda_note(model, cudaGraphLaunch(executable, model->stream), doing_of(&graph->kind));
}

static bool queue_alone(CudaModel *model, const CudaStepKind *kind, Status *status)
{
    model->profile.way = "the GPU's clock, kernel by kernel";
    return queue_step(model, kind, status);
}

/* Runs `steps` steps of one kind. The first step runs without a graph: it loads the kernels, which
 * may not be allowed during a capture. */
static bool run_kind(CudaModel *model, const CudaStepKind *kind, int64_t steps, Status *status)
{
    CudaGraph *graph = graph_of(model, kind);
    graph->is_impossible |= !can_capture(kind);
    model->count = kind->count;
    // The time of the first step without a graph is not typical of the others.
    if (!graph->was_run && !graph->is_impossible)
        model->profile.is_marking = false;
    while (steps > 0) {
        int32_t at_once;
        cuda_note(model, cudaGetLastError(), doing_of(kind)); // which a failed capture would clear
        if (!cuda_is_fine(model, status))
            return false;
        cudaGraphExec_t executable = graph_for(model, graph, steps, &at_once);
        if (executable)
            launch(model, graph, executable);
        else if (!queue_alone(model, kind, status))
            return false;
        graph->was_run = true;
        steps -= at_once;
    }
    return cuda_is_fine(model, status);
}

static bool queue_run(CudaModel *model, const StepRun *run, const CudaSet *set, Comm *comm,
                      Status *status)
{
    const int64_t whole = set->count / run->batch_size;
    const int64_t end = run->first + run->count;
    CudaStepKind kind = {.is_training = true,
                         .count = run->batch_size,
                         .images = set->images,
                         .labels = set->labels,
                         .order = set->order,
                         .is_augmented = run->is_augmented,
                         .optimizer = cuda_steps_optimizer(run->optimizer, run->gradient_scale),
                         .comm = comm,
                         .has_marks = model->profile.is_marking};
    if (run->first < whole &&
        !run_kind(model, &kind, (end < whole ? end : whole) - run->first, status))
        return false;
    kind.count = set->count % run->batch_size;
    return end <= whole || run_kind(model, &kind, 1, status);
}

bool cuda_steps_run(void *opened, const StepRun *run, Comm *comm, Score *score, int64_t *bad_step,
                    Status *status)
{
    CudaModel *model = opened;
    const int64_t images = run->set->count;
    const int64_t batch = run->batch_size < images ? run->batch_size : images;
    invariant(run->count > 0 && batch >= 1 && batch <= model->settings.batch_max);
    invariant((run->first + run->count - 1) * batch < images);
    invariant(run->count == 1 || !profile_is_on(model->settings.profile));
    model->step_number = run->step;
    model->step_last = run->step + (uint64_t)run->count - 1;
    CudaSet *set = cuda_sets_resident(model, run->set);
    if (!set || !cuda_sets_order(model, set, run->epoch))
        return cuda_is_fine(model, status);
    Comm *others = comm_size(comm) > 1 ? comm : NULL;
    cuda_steps_put(model, run->step, run->first * batch);
    cuda_profile_begin(model);
    // After all ranks have queued their steps, only a GPU can be late, not a rank.
    if (!queue_run(model, run, set, others, status) ||
        (others && !comm_ready(others, (int64_t)model->step_last, NULL, status)) ||
        !cuda_steps_get(model, others, "training", status))
        return false;
    cuda_profile_take(model);
    *score =
        (Score){model->step_copy->loss_sum, model->step_copy->correct, model->step_copy->images};
    *bad_step = model->step_copy->bad_step;
    return true;
}

bool cuda_steps_evaluate(void *opened, const ImageSet *images, int32_t first, int32_t count,
                         int32_t batch_size, Score *score, Status *status)
{
    CudaModel *model = opened;
    const int32_t batch = batch_size < count ? batch_size : count;
    invariant(batch >= 1 && batch <= model->settings.batch_max);
    invariant(first >= 0 && first <= images->count - count);
    const CudaSet *set = cuda_sets_resident(model, images);
    if (!set)
        return cuda_is_fine(model, status);
    CudaStepKind kind = {.count = batch, .images = set->images, .labels = set->labels};
    cuda_steps_put(model, model->step_last, first);
    cuda_profile_begin(model);
    if (!run_kind(model, &kind, count / batch, status))
        return false;
    kind.count = count % batch;
    if ((kind.count > 0 && !run_kind(model, &kind, 1, status)) ||
        !cuda_steps_get(model, NULL, "evaluating", status))
        return false;
    *score =
        (Score){model->step_copy->loss_sum, model->step_copy->correct, model->step_copy->images};
    return true;
}
