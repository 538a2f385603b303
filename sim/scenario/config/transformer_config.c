#include "sim/scenario/config/transformer_config.h"

#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/scenario/catalog/transformer_shape.h"
#include "sim/scenario/config/checkpoint_config.h"
#include "sim/scenario/transformer/layout.h"
#include "sim/scenario/transformer/prediction.h"
#include "sim/scenario/transformer/tokens.h"

/* --- Checks that need no job --- */

/* The shape that the text names or has. False, with the problems added. */
static bool read_shape(const ConfigContext *context, const TransformerText *text,
                       TransformerShape *shape)
{
    const Json *model = text->model;
    if (model == NULL)
        return false; // refused
    if (model->kind != JSON_STRING)
        return transformer_shape_read(context->arena, model, shape, context->problems);
    const TransformerShape *found = catalog_transformer(context->catalog, model->text);
    if (found == NULL) {
        config_unknown_entry(context, CATALOG_TRANSFORMERS, "model",
                             (BoundText){.node = model, .value = model->text});
        return false;
    }
    *shape = *found;
    return true;
}

/* The shape with the sequence of the training. */
static bool read_model(const ConfigContext *context, const TransformerText *text,
                       TransformerShape *shape)
{
    Status status = {0};
    if (!read_shape(context, text, shape))
        return false;
    if (text->sequence.node == NULL)
        return true;
    shape->sequence = text->sequence.value;
    if (transformer_shape_check(shape, json_at(text->sequence.node), &status))
        return true;
    problems_add_status(context->problems, &status);
    return false;
}

static bool read_tokens(const Json *json, int64_t *tokens, Status *status)
{
    if (json->kind == JSON_STRING)
        return tokens_parse(json->text, json_at(json), tokens, status);
    *tokens = json->is_integer ? json->integer : 0;
    return *tokens > 0 || status_fail(status, STATUS_BAD_INPUT, json_at(json),
                                      "tokens must be a whole number above 0, or \"1T\"");
}

static void check_amount(const ConfigContext *context, const TransformerText *text)
{
    int64_t tokens;
    Status status = {0};
    if ((text->tokens != NULL) == (text->steps.node != NULL))
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                     "a transformer has %s of \"tokens\" and \"steps\", expected one",
                     text->tokens != NULL ? "both" : "none");
    else if (text->tokens != NULL && !read_tokens(text->tokens, &tokens, &status))
        problems_add_status(context->problems, &status);
}

void transformer_check(const ConfigContext *context, const TransformerText *text)
{
    TransformerShape shape;
    if (text->node == NULL)
        return;
    check_amount(context, text);
    if (text->checkpoint != NULL)
        checkpoint_check_every(context->problems, text->checkpoint->every, false,
                               "a number of steps above 0, or a time such as \"30m\"");
    if (context->catalog == NULL)
        return;
    (void)read_model(context, text, &shape); // adds its problems
    if (!text->software.is_refused &&
        catalog_transformer_software(context->catalog, text->software.value) == NULL) {
        BoundText software = text->software;
        if (software.node == NULL)
            software.node = text->node; // the default is unknown
        config_unknown_entry(context, CATALOG_TRANSFORMER_SOFTWARE, "software", software);
    }
}

/* --- The plan of one job --- */

/* A time in whole ns, rounded up as all durations. */
static int64_t ns_of(double seconds)
{
    const double ns = seconds * (double)NS_PER_S;
    const int64_t most = INT64_MAX / 8; // so that parts of a step can be added up
    if (ns >= (double)most)
        return most;
    const int64_t whole = (int64_t)ns;
    return whole + ((double)whole < ns);
}

/* The parts of a step by the use that node time has for them. */
static void put_step(TransformerTraining *planned, const TransformerStep *step)
{
    static const StepPart compute[] = {STEP_COMPUTE, STEP_ATTENTION, STEP_RECOMPUTE, STEP_HOST,
                                       STEP_OVERHEAD};
    static const StepPart exchange[] = {STEP_TENSOR, STEP_EXPERTS, STEP_CONTEXT, STEP_GATHER,
                                        STEP_GRADIENTS};
    double compute_s = 0, exchange_s = 0;
    for (size_t i = 0; i < sizeof compute / sizeof compute[0]; i++)
        compute_s += step->parts_s[compute[i]];
    for (size_t i = 0; i < sizeof exchange / sizeof exchange[0]; i++)
        exchange_s += step->parts_s[exchange[i]];
    planned->compute_ns = ns_of(compute_s);
    planned->exchange_ns = ns_of(exchange_s);
    planned->bubble_ns = ns_of(step->parts_s[STEP_BUBBLE]);
    planned->update_ns = ns_of(step->parts_s[STEP_OPTIMIZER]);
}

static void report_too_large(const ConfigContext *context, const TransformerPrediction *prediction,
                             Place at)
{
    const RankedLayout *least = &prediction->search.least;
    Status *problem =
        problems_add(context->problems, STATUS_BAD_INPUT, at,
                     "%s does not fit: with %s a rank needs %.1f GiB, and a %s has %.1f",
                     prediction->model, layout_text(context->arena, &least->layout),
                     (double)least->memory.total_bytes / (double)GIB, prediction->machine.gpu->name,
                     (double)prediction->machine.memory_bytes / (double)GIB);
    if (prediction->has_alternative)
        status_hint(problem, "the nearest layout that fits is \"%s\"",
                    layout_text(context->arena, &prediction->alternative.layout));
    else
        status_hint(problem, "no layout fits on %d GPUs; use more", (int)prediction->job.gpus);
}

static const char *model_name(const TransformerText *text)
{
    return text->model->kind == JSON_STRING ? text->model->text : "the model";
}

/* NULL, with a problem, when there is no layout that fits. */
static const TransformerPrediction *predict(const ConfigContext *context,
                                            const TransformerText *text, JobShape shape)
{
    const Json *layout = text->layout.node != NULL ? text->layout.node : text->node;
    TransformerRequest request = {
        .model = model_name(text),
        .vm_size = shape.vm_size->name,
        .software = text->software.value,
        .wire = WIRE_ANY,
        .gpus = shape.nodes == 1 && shape.states_processes ? shape.processes
                                                           : shape.nodes * shape.vm_size->gpus,
        .global_batch = text->global_batch.value,
        .layout = text->layout.value,
        .at = json_at(text->node),
        .layout_at = json_at(layout),
    };
    TransformerPrediction *prediction = ARENA_NEW(context->arena, TransformerPrediction);
    Status status = {0};
    if (!read_model(context, text, &request.shape))
        return NULL;
    if (!transformer_prediction_make(context->catalog, &request, prediction, &status)) {
        problems_add_status(context->problems, &status);
        return NULL;
    }
    if (prediction->fits)
        return prediction;
    report_too_large(context, prediction, request.layout_at);
    return NULL;
}

/* Epochs are the steps between checkpoints, the last of them the rest. */
static void put_epochs(const TransformerText *text, const TransformerTraining *planned,
                       Program *program)
{
    const int64_t steps = planned->steps;
    int64_t every = steps;
    CheckpointEvery stated;
    if (text->checkpoint != NULL && checkpoint_every_read(text->checkpoint->every, &stated))
        every = stated.ns > 0 ? checkpoint_steps_of(stated.ns, transformer_step_ns(planned))
                              : stated.count + stated.steps;
    every = every > steps ? steps : every;
    program->steps_per_epoch = every;
    program->epochs = divide_up(steps, every);
    program->missing_steps = (every - steps % every) % every;
}

static TransformerTraining *plan_training(Arena *arena, const TransformerText *text,
                                          const TransformerPrediction *prediction)
{
    const RankedLayout *best = &prediction->search.ranked[0];
    const TransformerJob *job = &prediction->job;
    const TransformerGpu *gpu = prediction->machine.gpu;
    TransformerTraining *planned = ARENA_NEW(arena, TransformerTraining);
    *planned = (TransformerTraining){
        .model = prediction->model,
        .layout = layout_text(arena, &best->layout),
        .software = prediction->machine.software->name,
        .fabric = prediction->nodes > 1 ? prediction->machine.fabric->name : NULL,
        .routing = prediction->machine.routing != NULL ? prediction->machine.routing->name : NULL,
        .is_of_catalog = text->model->kind == JSON_STRING,
        .vm_size = prediction->vm_size,
        .gpus = job->gpus,
        .tokens_per_step = bounded_times(job->global_batch, job->shape.sequence),
        .flops_per_token = transformer_flops_per_token(&job->shape, ATTENTION_AS_COMPUTED),
        .peak_flops_per_s =
            best->layout.precision == PRECISION_FP8 ? gpu->fp8_peak_flops : gpu->bf16_peak_flops,
        .memory_bytes = best->memory.total_bytes,
        .start_ns = text->start.value,
        .steps = text->steps.value,
    };
    put_step(planned, &best->step);
    int64_t tokens = 0;
    Status unused = {0};
    if (text->tokens != NULL && read_tokens(text->tokens, &tokens, &unused))
        planned->steps = divide_up(tokens, planned->tokens_per_step);
    return planned;
}

void transformer_build(const ConfigContext *context, const TransformerText *text, JobShape shape,
                       Program *program)
{
    const TransformerPrediction *prediction = predict(context, text, shape);
    const StateText *checkpoint = text->checkpoint;
    if (prediction == NULL)
        return;
    if (checkpoint != NULL && checkpoint->blocks.node != NULL &&
        program->checkpoint_place != PLACE_SHARE)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(checkpoint->blocks.node),
                     "\"blocks\" is for checkpoints on a share, and \"%s\" is not on a mounted one",
                     checkpoint->path.value);
    TransformerTraining *planned = plan_training(context->arena, text, prediction);
    put_epochs(text, planned, program);
    program->transformer = planned;
    program->batch_per_rank = 1; // sequences are divided by the layout
    if (checkpoint == NULL)
        return;
    const TransformerState state =
        layout_state(&prediction->job, &prediction->search.ranked[0].layout);
    program->checkpoint_bytes = state.bytes;
    program->checkpoint_files = state.writers;
    program->checkpoint_every = 1;
    program->writes_behind = checkpoint->blocks.node != NULL;
    program->checkpoint_blocks_ns = checkpoint->blocks.value;
}
