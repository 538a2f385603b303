#include "trainer/cuda/engines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "trainer/cuda/model.h"

static const Place here = {.source = "CUDA"};

/* --- trainyard's kernels --- */

static const char *own_open(cudaStream_t stream, void **state)
{
    *state = stream;
    return NULL;
}

static void own_close(void *state)
{
    (void)state;
}

/* cuda_stages_want requests their working memory, for batches of any size. */
static int32_t own_find(void *state, const CudaTask *task, CudaWay *ways, int32_t most)
{
    (void)task;
    invariant(most >= 1);
    ways[0] = (CudaWay){.engine = &cuda_engine_own, .state = state};
    return 1;
}

static void run_product(cudaStream_t stream, const CudaTask *task, const CudaOperands *with)
{
    const CudaFused fused = {.sieve = task->sieve,
                             .step = with->step,
                             .is_training = with->is_training,
                             .places = with->places,
                             .done = with->done};
    void *const sieved = task->sieve.side > 0 ? with->sieved : NULL;
    switch (task->pass) {
    case CUDA_PASS_FORWARD:
        cuda_product_forward(stream, task->precision, &task->product, with->in, with->kernel,
                             with->bias, task->has_logits, sieved ? sieved : with->out,
                             with->scratch, &fused);
        break;
    case CUDA_PASS_DATA:
        cuda_product_backward_data(stream, task->precision, &task->product, with->out_gradient,
                                   with->kernel, with->relu_out,
                                   sieved ? sieved : with->in_gradient, with->scratch, &fused);
        break;
    case CUDA_PASS_WEIGHTS:
        cuda_product_backward_weights(stream, task->precision, &task->product, with->in,
                                      with->out_gradient, with->kernel_gradient,
                                      with->bias_gradient, with->parts, with->left);
        break;
    case CUDA_PASS_COUNT:
        break;
    }
}

/* True if image_product.cu computes the task. */
static bool is_image(const CudaTask *task)
{
    return task->pass != CUDA_PASS_DATA && !task->has_logits && task->sieve.side == 0 &&
           cuda_image_fits(&task->product);
}

static void run_image(cudaStream_t stream, const CudaTask *task, const CudaOperands *with)
{
    if (task->pass == CUDA_PASS_FORWARD)
        cuda_image_forward(stream, task->precision, &task->product, with->in, with->kernel,
                           with->bias, with->out);
    else
        cuda_image_backward_weights(stream, task->precision, &task->product, with->in,
                                    with->out_gradient, with->parts, with->left);
}

static const char *own_run(const CudaWay *way, const CudaTask *task, const CudaOperands *with)
{
    if (is_image(task))
        run_image(way->state, task, with);
    else
        run_product(way->state, task, with);
    return NULL;
}

const CudaEngine cuda_engine_own = {.name = "own",
                                    .fuses = true,
                                    .open = own_open,
                                    .close = own_close,
                                    .find = own_find,
                                    .run = own_run};

/* --- Engines of a model --- */

/* In order of preference for equally fast engines. */
static const CudaEngine *const engines[] = {
    &cuda_engine_own,
#ifdef TRAINYARD_HAVE_CUBLAS
    &cuda_engine_cublas,
#endif
#ifdef TRAINYARD_HAVE_CUDNN
    &cuda_engine_cudnn,
#endif
};
enum { ENGINES = sizeof engines / sizeof engines[0] };
_Static_assert(sizeof engines / sizeof engines[0] <= CUDA_ENGINES_MAX, "a state for each");

/* A build without libraries measures nothing, and keeps `own`. */
#if defined(TRAINYARD_HAVE_CUBLAS) || defined(TRAINYARD_HAVE_CUDNN)
enum { HAS_LIBRARIES = true };
#else
enum { HAS_LIBRARIES = false };
#endif

/* True if products may be computed by engine `i`. The first is used if no other can do it. */
static bool is_wanted(const CudaModel *model, int32_t i)
{
    const EngineWish wish = model->settings.engine;
    if (i == 0)
        return true;
    return wish == ENGINE_FASTEST ? HAS_LIBRARIES
                                  : strcmp(engines[i]->name, engine_words[wish]) == 0;
}

/* The engine of the settings must be in this build. */
static bool check_wish(const CudaModel *model, Status *status)
{
    const EngineWish wish = model->settings.engine;
    for (int32_t i = 0; i < ENGINES; i++)
        if (wish == ENGINE_FASTEST || strcmp(engines[i]->name, engine_words[wish]) == 0)
            return true;
    status_fail(status, STATUS_MACHINE, here, "this build has no engine %s", engine_words[wish]);
    return status_hint(status, "build again where that library is installed, or use another "
                               "--engine, such as own");
}

static bool open_engine(CudaModel *model, int32_t i, Status *status)
{
    const char *error = engines[i]->open(model->stream, &model->engine_states[CUDA_MAIN][i]);
    if (!error)
        error = engines[i]->open(model->weights_stream, &model->engine_states[CUDA_WEIGHTS][i]);
    if (!error)
        return true;
    status_fail(status, STATUS_MACHINE, here, "%s cannot be used on GPU %" PRId32 " (%s): %s",
                engines[i]->name, model->device.index, model->device.name, error);
    return status_hint(status, "--deterministic, or --engine own, computes without libraries");
}

static void set_count(CudaTask *task, int32_t images)
{
    task->product.count = task->sieve.count = images;
}

/* True if the last layer is computed with the loss: with own kernels, unless an engine is wanted.
 */
static bool can_have_head(const CudaModel *model)
{
    const int32_t last = model->stage_count - 1;
    const CudaStage *before = cuda_stages_sieve(model, last, CUDA_PASS_DATA);
    const EngineWish wish = model->settings.engine;
    return (wish == ENGINE_FASTEST || wish == ENGINE_OWN) &&
           cuda_head_fits(&model->stages[last].product, before ? &before->sieve : NULL);
}

static void find_ways(CudaModel *model, int32_t stage_index, CudaPass pass)
{
    CudaStage *stage = &model->stages[stage_index];
    CudaChoice *choice = &stage->choices[pass];
    const CudaStage *sieve = cuda_stages_sieve(model, stage_index, pass);
    choice->task = (CudaTask){.pass = pass,
                              .precision = model->precision,
                              .product = stage->product,
                              .has_logits = stage_index == model->stage_count - 1};
    if (sieve)
        choice->task.sieve = sieve->sieve;
    set_count(&choice->task, model->settings.batch_max);
    const bool is_in_head = model->has_head && choice->task.has_logits && pass != CUDA_PASS_WEIGHTS;
    for (int32_t i = 0; i < (is_in_head ? 1 : ENGINES); i++)
        if (is_wanted(model, i))
            choice->way_count += engines[i]->find(model->engine_states[cuda_side_of(pass)][i],
                                                  &choice->task, choice->ways + choice->way_count,
                                                  CUDA_WAYS_MAX - choice->way_count);
}

bool cuda_engines_open(CudaModel *model, Status *status)
{
    if (!check_wish(model, status))
        return false;
    for (int32_t i = 0; i < ENGINES; i++)
        if (is_wanted(model, i) && !open_engine(model, i, status))
            return false;
    model->has_head = can_have_head(model);
    for (int32_t i = 0; i < model->stage_count; i++)
        for (CudaPass pass = 0; pass < CUDA_PASS_COUNT; pass++)
            if (model->stages[i].kind == CUDA_PRODUCT && (i > 0 || pass != CUDA_PASS_DATA))
                find_ways(model, i, pass);
    return true;
}

void cuda_engines_close(CudaModel *model)
{
    for (int32_t i = 0; i < ENGINES; i++)
        for (CudaSide side = 0; side < CUDA_SIDES; side++)
            engines[i]->close(model->engine_states[side][i]);
}

int64_t cuda_engines_scratch(const CudaModel *model, CudaSide side)
{
    int64_t most = 0;
    for (int32_t i = 0; i < model->stage_count; i++)
        for (CudaPass pass = 0; pass < CUDA_PASS_COUNT; pass++) {
            const CudaChoice *choice = &model->stages[i].choices[pass];
            for (int32_t k = 0; k < choice->way_count && cuda_side_of(pass) == side; k++)
                if (choice->ways[k].scratch_bytes > most)
                    most = choice->ways[k].scratch_bytes;
        }
    return most;
}

/* --- Running --- */

static bool is_fused(const CudaWay *way, const CudaTask *task)
{
    return way->engine->fuses && task->sieve.side > 0 && cuda_product_fuses(&task->sieve);
}

/* Queues the task's sieve alone. */
static void run_sieve(const CudaModel *model, const CudaTask *task, const CudaOperands *with)
{
    if (task->pass == CUDA_PASS_FORWARD)
        cuda_sieve_forward(model->stream, model->precision, &task->sieve, with->step,
                           with->is_training, with->out, with->sieved, with->places);
    else
        cuda_sieve_backward(model->stream, model->precision, &task->sieve, with->in_gradient,
                            with->places, with->sieved);
}

/* Queues a task with its sieve. Returns NULL, or the name of a library's error. */
static const char *run_way(const CudaModel *model, const CudaWay *way, const CudaTask *task,
                           const CudaOperands *with)
{
    if (task->sieve.side == 0 || is_fused(way, task))
        return way->engine->run(way, task, with);
    CudaTask product = *task;
    product.sieve.side = 0;
    const char *error = way->engine->run(way, &product, with);
    if (!error)
        run_sieve(model, task, with);
    return error;
}

/* Ways were not measured for the last batch of an epoch, which is smaller. */
static const CudaWay *way_of(const CudaModel *model, const CudaChoice *choice)
{
    return &choice->ways[model->count == choice->task.product.count ? choice->chosen : 0];
}

bool cuda_engines_is_fused(const CudaModel *model, int32_t stage_index)
{
    const CudaChoice *choice = &model->stages[stage_index].choices[CUDA_PASS_FORWARD];
    return is_fused(way_of(model, choice), &choice->task);
}

void cuda_engines_run(CudaModel *model, int32_t stage_index, CudaPass pass)
{
    const CudaChoice *choice = &model->stages[stage_index].choices[pass];
    const CudaWay *way = way_of(model, choice);
    CudaOperands operands = cuda_stages_operands(model, stage_index, pass);
    CudaParts left = {.count = 0};
    CudaTask task = choice->task;
    set_count(&task, model->count);
    operands.left = &left;
    const char *error = run_way(model, way, &task, &operands);
    if (error)
        cuda_note_as(model, pass == CUDA_PASS_FORWARD ? "going forward" : "going backward",
                     way->engine->name, error);
    left.at = model->stages[stage_index].layer->kernel_at;
    if (left.count > 0)
        cuda_weights_left(model, &left);
}

static PassEngines pass_engines(const CudaChoice *choice)
{
    PassEngines pass = {0};
    if (choice->way_count > 0)
        pass.chosen = choice->ways[choice->chosen].engine->name;
    for (int32_t i = 0; choice->is_measured && i < choice->way_count;
         i++) { // ways of an engine are neighbours
        const char *name = choice->ways[i].engine->name;
        const double us = 1e3 * (double)choice->took_ms[i];
        if (pass.tried_count == 0 || pass.tried[pass.tried_count - 1].name != name) {
            invariant(pass.tried_count < PASS_ENGINES_MAX);
            pass.tried[pass.tried_count].name = name;
            pass.tried[pass.tried_count++].best_us = us;
        }
        double *best_us = &pass.tried[pass.tried_count - 1].best_us;
        *best_us = us < *best_us ? us : *best_us;
    }
    return pass;
}

LayerEngines cuda_engines_of(const CudaStage *stage)
{
    return (LayerEngines){.forward = pass_engines(&stage->choices[CUDA_PASS_FORWARD]),
                          .data = pass_engines(&stage->choices[CUDA_PASS_DATA]),
                          .weights = pass_engines(&stage->choices[CUDA_PASS_WEIGHTS])};
}

/* --- Measuring ---
 *
 * Ways are measured in a graph, as in steps, so that the processor's time for queueing is not
 * included. A graph repeats a way, because a GPU's clock is coarse. The shortest of several trials
 * counts, because other programs may use the GPU. */

enum { REPEATS = 4, TRIALS = 3 };

static const char *doing = "trying engines";

typedef struct {
    const CudaWay *way;
    const CudaTask *task;
    CudaOperands operands;
    cudaEvent_t begun, ended;
    const char *error; /* of the last way that does not work; NULL: of its capture */
} Trial;

/* Returns NULL, or the name of a library's error. */
static const char *queue_way(CudaModel *model, const Trial *trial)
{
    const bool is_aside = cuda_side_of(trial->task->pass) == CUDA_WEIGHTS;
    CudaOperands operands = trial->operands;
    CudaParts left = {.count = 0};
    operands.left = &left;
    if (is_aside)
        cuda_weights_begin(model);
    const char *error = run_way(model, trial->way, trial->task, &operands);
    const CudaUnadded unadded = {.count = left.count > 0, .all = {left}};
    if (is_aside) // so that parts are added in the time of each way
        cuda_add_parts(model->weights_stream, &unadded, model->arenas[ARENA_GRADIENTS]);
    if (is_aside)
        cuda_weights_end(model);
    return error;
}

static bool queue_trial(CudaModel *model, const void *work, Status *status)
{
    (void)status; // `choose` decides what a way that does not work means
    return queue_way(model, work) == NULL;
}

/* The time of one launch in milliseconds. */
static float time_launch(CudaModel *model, const Trial *trial, cudaGraphExec_t graph)
{
    float took_ms = INFINITY;
    cuda_note(model, cudaEventRecord(trial->begun, model->stream), doing);
    cuda_note(model, cudaGraphLaunch(graph, model->stream), doing);
    cuda_note(model, cudaEventRecord(trial->ended, model->stream), doing);
    cuda_note(model, cudaStreamSynchronize(model->stream), doing);
    cuda_note(model, cudaEventElapsedTime(&took_ms, trial->begun, trial->ended), doing);
    return took_ms;
}

/* The milliseconds of one use of a way; INFINITY if it does not work, or cannot be captured in a
 * graph. */
static float time_way(CudaModel *model, Trial *trial)
{
    Status status;
    trial->error = queue_way(model, trial); // loads the kernels
    cuda_note(model, cudaStreamSynchronize(model->stream), doing);
    if (trial->error) {
        (void)cudaGetLastError(); // otherwise the next way would seem to fail
        return INFINITY;
    }
    if (!cuda_is_fine(model, &status))
        return INFINITY;
    int32_t kernels;
    cudaGraphExec_t graph = cuda_steps_graph(model, queue_trial, trial, REPEATS, &kernels);
    if (!graph)
        return INFINITY;
    float best_ms = INFINITY;
    (void)time_launch(model, trial, graph); // the first launch takes longer
    for (int32_t i = 0; i < TRIALS; i++) {
        const float took_ms = time_launch(model, trial, graph);
        best_ms = took_ms < best_ms ? took_ms : best_ms;
    }
    (void)cudaGraphExecDestroy(graph);
    return best_ms / REPEATS;
}

/* A named engine must compute what it says it can: own kernels would not be what was asked for. */
static bool fail_wanted(const CudaModel *model, int32_t stage_index, const Trial *trial,
                        Status *status)
{
    static const char *const passes[CUDA_PASS_COUNT] = {"forward", "to the gradient of its input",
                                                        "to the gradients of its weights"};
    const char *name = trial->way->engine->name;
    status_fail(status, STATUS_MACHINE, here,
                "no way of %s to compute %s %s in %s works on GPU %" PRId32 " (%s): %s", name,
                model->stages[stage_index].layer->name, passes[trial->task->pass],
                precision_names[model->settings.precision], model->device.index, model->device.name,
                trial->error ? trial->error : "it cannot be in a graph");
    return status_hint(status, "use another --engine: fastest leaves out ways that do not work");
}

/* The first way, of `own`, is not tried if another engine is wanted and can do the task. */
static bool choose(CudaModel *model, int32_t stage_index, CudaPass pass, Trial *trial,
                   Status *status)
{
    CudaChoice *choice = &model->stages[stage_index].choices[pass];
    const int32_t first = model->settings.engine != ENGINE_FASTEST && choice->way_count > 1;
    float best_ms = INFINITY;
    trial->task = &choice->task;
    trial->operands = cuda_stages_operands(model, stage_index, pass);
    choice->chosen = first;
    choice->took_ms[0] = INFINITY;
    for (int32_t i = first;
         i < choice->way_count && choice->way_count - first > 1 && !model->has_failed; i++) {
        trial->way = &choice->ways[i];
        const float took_ms = choice->took_ms[i] = time_way(model, trial);
        choice->is_measured = true;
        if (took_ms < best_ms) {
            best_ms = took_ms;
            choice->chosen = i;
        }
    }
    const bool has_failed = choice->is_measured && isinf(best_ms) && !model->has_failed;
    return !has_failed || first == 0 || fail_wanted(model, stage_index, trial, status);
}

bool cuda_engines_choose(CudaModel *model, Status *status)
{
    Trial trial = {.way = NULL};
    bool is_fine = true;
    model->is_training = true;
    cuda_note(model, cudaEventCreate(&trial.begun), doing);
    cuda_note(model, cudaEventCreate(&trial.ended), doing);
    for (int32_t i = 0; i < model->stage_count && is_fine; i++)
        for (CudaPass pass = 0; pass < CUDA_PASS_COUNT && is_fine; pass++)
            is_fine = choose(model, i, pass, &trial, status);
    if (trial.begun)
        (void)cudaEventDestroy(trial.begun);
    if (trial.ended)
        (void)cudaEventDestroy(trial.ended);
    return is_fine && cuda_wait(model, doing, status);
}
