#include "sim/scenario/explain.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/training/layer_rates.h"
#include "sim/scenario/command/check.h"
#include "sim/scenario/command/trigger_read.h"
#include "sim/schema/bound_explain.h"

typedef struct {
    Explanation out;
    const Catalog *catalog;
    int32_t used_count;
    const char *
        *used; /* beginnings of the paths of used catalogue values: "vm_sizes/Standard_NC6/" */
} Explainer;

/* --- Parameters --- */

static void explain_parameter(Explainer *explainer, const Parameter *parameter)
{
    Arena *arena = explainer->out.arena;
    const char *limits = parameter_limits(arena, parameter);
    const char *origin = place_text(arena, parameter->origin);
    if (limits != NULL)
        origin = arena_printf(arena, "%s; %s", origin, limits);
    if (parameter->description != NULL)
        origin = arena_printf(arena, "%s; %s", origin, parameter->description);
    for (uint32_t i = 0; i < parameter->use_count; i++)
        origin = arena_printf(arena, "%s%s%s", origin, i == 0 ? "; used at " : ", ",
                              place_text(arena, parameter->uses[i]));
    explain(&explainer->out, arena_printf(arena, "parameter %s", parameter->name),
            parameter->unit != NULL ? arena_printf(arena, "%s %s", parameter->text, parameter->unit)
                                    : parameter->text,
            origin);
}

static void explain_parameters(Explainer *explainer, const Parameters *parameters)
{
    for (int32_t i = 0; i < parameters_count(parameters); i++)
        explain_parameter(explainer, &parameters_items(parameters)[i]);
}

/* --- Derived values --- */

static void explain_derived(Explainer *explainer, const char *subject, const char *name,
                            const char *value, const char *how)
{
    explain(&explainer->out, arena_printf(explainer->out.arena, "%s %s", subject, name), value,
            how);
}

static const char *number(const Explainer *explainer, int64_t value)
{
    return arena_printf(explainer->out.arena, "%" PRId64, value);
}

static void explain_epochs(Explainer *explainer, const char *subject, const Program *program)
{
    explain_derived(explainer, subject, "epochs", number(explainer, program->epochs),
                    "the program's \"epochs\"");
    explain_derived(explainer, subject, "steps per epoch and rank",
                    number(explainer, program->steps_per_epoch),
                    "the program's \"steps_per_epoch\"");
    explain_derived(explainer, subject, "evaluated samples",
                    number(explainer, program->evaluate_samples),
                    "the program's \"evaluate_samples\"");
    if (program->checkpoint_steps > 0)
        explain_derived(explainer, subject, "steps between checkpoints",
                        number(explainer, program->checkpoint_steps), "its checkpoint's \"every\"");
}

static void explain_transformer(Explainer *explainer, const char *subject, const Program *program)
{
    const TransformerTraining *planned = program->transformer;
    Arena *arena = explainer->out.arena;
    const int64_t step_ns = transformer_step_ns(planned);
    const double flops =
        (double)planned->flops_per_token * (double)planned->tokens_per_step / (double)step_ns * 1e9;
    explain_derived(explainer, subject, "layout", planned->layout,
                    "the fastest that fits, of those that its \"layout\" allows");
    explain_derived(explainer, subject, "step",
                    arena_printf(arena, "%.6f s", (double)step_ns / (double)NS_PER_S),
                    "as `trainyard predict` states it");
    explain_derived(explainer, subject, "MFU of a step",
                    arena_printf(arena, "%.1f %%",
                                 100 * flops / ((double)planned->peak_flops_per_s * planned->gpus)),
                    "attention as computed");
    explain_derived(explainer, subject, "memory of a GPU",
                    arena_printf(arena, "%.1f GiB", (double)planned->memory_bytes / (double)GIB),
                    "of the rank with the most");
    explain_derived(explainer, subject, "steps", number(explainer, planned->steps),
                    "its \"tokens\" or \"steps\"");
    if (program->checkpoint_bytes == 0)
        return;
    explain_derived(explainer, subject, "steps between checkpoints",
                    number(explainer, program->steps_per_epoch), "its checkpoint's \"every\"");
    explain_derived(explainer, subject, "bytes of a checkpoint",
                    number(explainer, program->checkpoint_bytes), "14 for each parameter");
    explain_derived(explainer, subject, "ranks that write it",
                    number(explainer, program->checkpoint_files), "its layout");
}

static void explain_program(Explainer *explainer, const char *subject, const Program *program)
{
    explain_derived(explainer, subject, "program", program->name,
                    program->training ? "a training that runs outside of the simulation"
                    : program->kind == PROGRAM_REAL  ? "its command, run outside of the simulation"
                    : program->kind == PROGRAM_SHELL ? "simple commands, run as in a shell"
                    : program->is_other              ? "\"other_programs\""
                                                     : "first match in \"programs\"");
    if (program->kind != PROGRAM_TRAIN)
        return;
    if (program->transformer != NULL)
        explain_transformer(explainer, subject, program);
    else
        explain_epochs(explainer, subject, program);
    if (program->checkpoint_path != NULL)
        explain_derived(explainer, subject, "checkpoint",
                        program->checkpoint_share != NULL
                            ? arena_printf(explainer->out.arena, "%s/%s", program->checkpoint_share,
                                           program->checkpoint_path)
                            : program->checkpoint_path,
                        program->checkpoint_share != NULL ? "on a share"
                                                          : "on the node's own disk");
    if (program->model_path != NULL)
        explain_derived(explainer, subject, "saved model",
                        program->model_share != NULL
                            ? arena_printf(explainer->out.arena, "%s/%s", program->model_share,
                                           program->model_path)
                            : program->model_path,
                        program->model_share != NULL ? "on a share" : "on the node's own disk");
}

/* On kinds of nodes for which the job or its program states them. */
static void explain_speeds(Explainer *explainer, const char *subject, const JobConfig *job)
{
    const ClusterSpec *cluster = &job->cluster->spec;
    for (int32_t k = 0; job->spec.speeds != NULL && k < cluster->kind_count; k++) {
        const int32_t ppm = job->spec.speeds->ppm[k];
        if (ppm > 0)
            explain_derived(
                explainer, subject,
                arena_printf(explainer->out.arena, "speed on node kind %s", cluster->kinds[k].name),
                arena_printf(explainer->out.arena, "%" PRId64 ".%06" PRId64, ppm / PPM, ppm % PPM),
                job->text->speeds != NULL ? "its \"speeds\", or those of its program"
                                          : "the \"speeds\" of its program");
    }
}

static void explain_job(Explainer *explainer, const char *subject, const JobConfig *job)
{
    const JobSpec *spec = &job->spec;
    Arena *arena = explainer->out.arena;
    Text wall_clock = {0};
    duration_print(&wall_clock, spec->max_wall_clock_ns);
    bound_explain(&explainer->out, subject, &job_type, job->text);
    explain_derived(explainer, subject, "command line", spec->command, "its toolkit");
    explain_derived(explainer, subject, "processes", number(explainer, spec->processes),
                    "its toolkit");
    explain_derived(explainer, subject, "longest run", text_string(&wall_clock),
                    job->text->constraints != NULL ? "its constraints" : "service/max_wall_clock");
    explain_derived(
        explainer, subject, "logs",
        arena_printf(arena, "%s/%s", spec->std_out_err.share, spec->std_out_err.directory),
        "stdOutErrPathPrefix");
    for (int32_t i = 0; i < spec->environment_count; i++)
        explain_derived(explainer, subject, arena_printf(arena, "$%s", spec->environment[i].name),
                        spec->environment[i].value != NULL ? spec->environment[i].value
                                                           : "(secret)",
                        "environment");
    explain_program(explainer, subject, spec->program);
    explain_speeds(explainer, subject, job);
    text_free(&wall_clock);
}

/* Explains a workload without its config, which explain_shape covers. */
static void explain_workload(Explainer *explainer, const WorkloadText *text)
{
    WorkloadText settings = *text;
    settings.config = NULL;
    bound_explain(&explainer->out,
                  arena_printf(explainer->out.arena, "workload %s", text->name.value),
                  &workload_type, &settings);
}

static void explain_shape(Explainer *explainer, const WorkloadShape *shape)
{
    const bool asks_for_gpus = shape->gpus.node != NULL;
    const char *subject = arena_printf(
        explainer->out.arena, "job %s-* of %" PRId64 " %s", shape->workload->name.value,
        asks_for_gpus ? shape->gpus.value : shape->nodes.value, asks_for_gpus ? "GPUs" : "nodes");
    explain_job(explainer, subject, shape->job);
}

/* Explains the scenario's other values: commands, workloads, expectations and catalogues are
 * explained separately. */
static void explain_settings(Explainer *explainer, const ScenarioText *text)
{
    ScenarioText settings = *text;
    settings.catalog = settings.session = settings.parameters = NULL;
    settings.commands.count = settings.workloads.count = settings.expect.count = 0;
    bound_explain(&explainer->out, "", &scenario_type, &settings);
}

static void explain_commands(Explainer *explainer, const ScenarioCommands *commands)
{
    Arena *arena = explainer->out.arena;
    for (int32_t i = 0; i < commands->count; i++) {
        const Command *command = &commands->items[i];
        Text when = {0};
        trigger_print(&when, command->trigger);
        explain(&explainer->out,
                arena_printf(arena, "%s %s", command_name(command->kind), command->path.name),
                text_string(&when),
                arena_printf(arena, "%s%s", i < commands->implied_count ? "implied by " : "",
                             command->source));
        text_free(&when);
    }
}

/* Explains a command without its time: "cluster.resize gpu target = 2". Configs are explained
 * separately. */
static void explain_command(Explainer *explainer, const CommandText *command)
{
    enum { FIELDS_MAX = 32 };
    Field fields[FIELDS_MAX + 1] = {0};
    CommandKind kind = (CommandKind)command->action.value;
    int32_t count = 0;
    for (const Field *field = command_type.fields; field->name != NULL; field++)
        if (command_takes(kind, field->name) && strcmp(field->name, "config") != 0) {
            invariant(count < FIELDS_MAX);
            fields[count++] = *field;
        }
    const ObjectType own = {.name = command_type.name, .fields = fields};
    bound_explain(
        &explainer->out,
        arena_printf(explainer->out.arena, "%s %s", command_name(kind), command->name.value), &own,
        command);
}

/* --- Values of the catalogue --- */

/* Marks the entries of a section whose names begin with `begin` as used. */
static void use_all(Explainer *explainer, CatalogSection section, const char *begin)
{
    const char *prefix =
        arena_printf(explainer->out.arena, "%s/%s", catalog_section_name(section), begin);
    for (int32_t i = 0; i < explainer->used_count; i++)
        if (strcmp(explainer->used[i], prefix) == 0)
            return;
    explainer->used[explainer->used_count++] = prefix;
}

static void use(Explainer *explainer, CatalogSection section, const char *name)
{
    use_all(explainer, section, arena_printf(explainer->out.arena, "%s/", name));
}

/* Marks entries as used whose names consist of the device's name, a precision and the measured
 * stage. */
static void use_measured(Explainer *explainer, const GpuModel *gpu, StepPrecision precision)
{
    const char *begin =
        arena_printf(explainer->out.arena, "%s %s ", gpu->name, step_precision_word(precision));
    use_all(explainer, CATALOG_STAGE_TIMES, begin);
    use_all(explainer, CATALOG_KIND_TIMES, begin);
    use_all(explainer, CATALOG_SIDE_BY_SIDE, begin);
}

static void use_transformer(Explainer *explainer, const TransformerTraining *planned)
{
    if (planned->is_of_catalog)
        use(explainer, CATALOG_TRANSFORMERS, planned->model);
    use(explainer, CATALOG_TRANSFORMER_GPUS, planned->vm_size->gpu->name);
    use(explainer, CATALOG_TRANSFORMER_SOFTWARE, planned->software);
    if (planned->fabric != NULL)
        use(explainer, CATALOG_TRANSFORMER_FABRICS, planned->fabric);
    if (planned->routing != NULL)
        use(explainer, CATALOG_TRANSFORMER_ROUTING, planned->routing);
}

static void use_program(Explainer *explainer, const Program *program)
{
    if (program->kind != PROGRAM_TRAIN)
        return;
    if (program->transformer != NULL) {
        use_transformer(explainer, program->transformer);
        return;
    }
    use(explainer, CATALOG_NETWORKS, program->network->name);
    use(explainer, CATALOG_DATA_SETS, program->data_set->name);
    use(explainer, CATALOG_FRAMEWORKS, program->framework->name);
    use(explainer, CATALOG_EXCHANGES, program->exchange->name);
    if (program->exchange->measured_count > 0)
        use_all(explainer, CATALOG_EXCHANGE_TIMES,
                arena_printf(explainer->out.arena, "%s ", program->exchange->name));
    use(explainer, CATALOG_LEARNING_CURVES, program->learning->name);
}

static void use_job(Explainer *explainer, const JobSpec *job)
{
    const char *preparation;
    if (job->image != NULL)
        use(explainer, CATALOG_IMAGES, job->image->name);
    use_program(explainer, job->program);
    if (job->has_preparation &&
        catalog_preparation(explainer->catalog, job->preparation_command, &preparation))
        use(explainer, CATALOG_PREPARATIONS, preparation);
}

static void use_kind(Explainer *explainer, const ScenarioText *text, NodeKind kind)
{
    const VmSize *vm = kind.vm_size;
    use(explainer, CATALOG_VM_SIZES, vm->name);
    use(explainer, CATALOG_QUOTAS, vm->family);
    use(explainer, CATALOG_QUOTAS, FAMILY_OF_ALL);
    if (vm->gpu != NULL)
        use(explainer, CATALOG_GPUS, vm->gpu->name);
    if (vm->power != NULL) {
        use(explainer, CATALOG_POWER, vm->name);
        use_all(explainer, CATALOG_ENERGY, "");
    }
    for (int32_t j = 0; j < text->programs.count && vm->gpu && vm->gpu->times; j++) {
        const ProgramText *program = text->programs.items[j];
        use_measured(explainer, vm->gpu, (StepPrecision)program->precision.value);
    }
}

static void use_everything(Explainer *explainer, const ScenarioText *text,
                           const ScenarioCommands *commands, const ScenarioWorkloads *workloads)
{
    for (int32_t i = 0; i < workloads->shape_count; i++)
        use_job(explainer, &workloads->shapes[i].job->spec);
    for (int32_t i = 0; i < commands->count; i++) {
        const Command *command = &commands->items[i];
        if (command->kind == COMMAND_SHARE_CREATE)
            use(explainer, CATALOG_SHARE_TIERS, command->as.share_create.tier->name);
        if (command->kind == COMMAND_FILE_SERVER_CREATE) {
            use(explainer, CATALOG_SHARE_TIERS, command->as.file_server_create.tier->name);
            use(explainer, CATALOG_VM_SIZES, command->as.file_server_create.vm_size->name);
        }
        if (command->kind == COMMAND_CLUSTER_CREATE) {
            for (int32_t k = 0; k < cluster_spec_kind_count(command->as.cluster_create); k++)
                use_kind(explainer, text, cluster_spec_kind(command->as.cluster_create, k));
        }
        if (command->kind == COMMAND_JOB_CREATE)
            use_job(explainer, command->as.job_create.spec);
    }
    for (int32_t i = 0; i < text->programs.count; i++) {
        const ProgramText *program = text->programs.items[i];
        if (program->jitter.value != NULL)
            use(explainer, CATALOG_JITTERS, program->jitter.value);
    }
}

static void use_model(Explainer *explainer, BoundText name)
{
    if (name.value != NULL)
        use(explainer, CATALOG_FAILURE_MODELS,
            catalog_failure_model(explainer->catalog, name.value)->name);
}

static void use_preemptions(Explainer *explainer)
{
    int32_t count;
    const char *const *families = catalog_names(explainer->catalog, CATALOG_PREEMPTIONS, &count);
    use_all(explainer, CATALOG_PREEMPTIONS, "");
    for (int32_t i = 0; i < count; i++)
        use(explainer, CATALOG_FAILURE_MODELS,
            catalog_preemption(explainer->catalog, families[i])->model->name);
}

static void use_failures(Explainer *explainer, const FailuresText *failures)
{
    if (failures == NULL)
        return;
    use_model(explainer, failures->nodes);
    if (failures_are_by_family(failures))
        use_preemptions(explainer);
    else
        use_model(explainer, failures->preemption);
    for (int32_t i = 0; i < failures->groups.count; i++)
        use_model(explainer, ((const GroupFailureText *)failures->groups.items[i])->model);
}

static bool is_used(const Explainer *explainer, const char *path)
{
    static const char service[] = "service/";
    if (strncmp(path, service, strlen(service)) == 0)
        return true;
    for (int32_t i = 0; i < explainer->used_count; i++)
        if (strncmp(path, explainer->used[i], strlen(explainer->used[i])) == 0)
            return true;
    return false;
}

static void explain_catalog_value(void *context, const CatalogValue *value)
{
    Explainer *explainer = context;
    Arena *arena = explainer->out.arena;
    if (!is_used(explainer, value->path))
        return;
    const char *note = value->note[0] != '\0' ? arena_printf(arena, "; %s", value->note) : "";
    if (value->error[0] != '\0')
        note = arena_printf(arena, "%s; error %s%s%s", note, value->error,
                            value->range[0] != '\0' ? ", for " : "", value->range);
    explain(&explainer->out, value->path, value->value,
            arena_printf(arena, "%s: %s%s (%s)%s", place_text(arena, value->at),
                         value->is_assumption ? "ASSUMED, " : "", value->source, value->date,
                         note));
}

static bool is_used_entry(const Explainer *explainer, CatalogSection section, const char *name)
{
    return is_used(explainer, arena_printf(explainer->out.arena, "%s/%s/",
                                           catalog_section_name(section), name));
}

/* Estimates of a step use the measurements of all software on the same GPU and on the same network
 * (sim/cloud/training/step_estimate.h). */
static void explain_throughputs(Explainer *explainer, Throughputs rows)
{
    Arena *arena = explainer->out.arena;
    bool is_any_used = false;
    for (int32_t i = 0; i < rows.count && !is_any_used; i++)
        is_any_used = is_used_entry(explainer, CATALOG_FRAMEWORKS, rows.rows[i].framework->name);
    for (int32_t i = 0; i < rows.count && is_any_used; i++) {
        const Throughput *row = &rows.rows[i];
        if (!is_used_entry(explainer, CATALOG_GPUS, row->gpu->name) &&
            !is_used_entry(explainer, CATALOG_NETWORKS, row->network->name))
            continue;
        explain(&explainer->out,
                arena_printf(arena, "throughputs/%s/%s/%s%s%s/batch %" PRId64, row->gpu->name,
                             row->network->name, row->framework->name,
                             row->exchange != NULL ? "/" : "",
                             row->exchange != NULL ? row->exchange->name : "", row->batch),
                arena_printf(arena, "%" PRId64 ".%06" PRId64 " samples/s",
                             row->micro_samples_per_s / PPM, row->micro_samples_per_s % PPM),
                arena_printf(arena, "%s; %s", row->source, row->note));
    }
}

/* The nodes of one kind of a cluster of several kinds. */
static void explain_kind(Explainer *explainer, const char *cluster, const ClusterSpec *spec,
                         int32_t index)
{
    Arena *arena = explainer->out.arena;
    const NodeKind *kind = &spec->kinds[index];
    const bool scales = spec->is_automatic && index == spec->scaling_kind;
    const char *count = scales ? arena_printf(arena, "%" PRId32 " to %" PRId32, spec->minimum_nodes,
                                              spec->maximum_nodes)
                               : arena_printf(arena, "%" PRId32, kind->target_nodes);
    const char *name = arena_printf(arena, "%s node kind %s", cluster, kind->name);
    explain(&explainer->out, name,
            arena_printf(arena, "%s x %s, %s%s", count, kind->vm_size->name,
                         kind->is_low_priority ? "low priority" : "dedicated",
                         kind->has_price ? ", at its own price" : ""),
            kind->speed_ppm == PPM
                ? "node_kinds of cluster.create"
                : arena_printf(arena,
                               "node_kinds of cluster.create; programs with a stated time run at "
                               "%" PRId64 ".%06" PRId64 " times the stated speed, unless a job has "
                               "its own \"speeds\"",
                               kind->speed_ppm / PPM, kind->speed_ppm % PPM));
}

/* The values of a cluster, and how its queue is served. */
static void explain_cluster(Explainer *explainer, const char *name, const ClusterConfig *cluster,
                            const ScenarioText *text)
{
    static const char *const policies[][2] = {
#define X(enum_name, function, word, sight, first, victim, what) {word, what},
        POLICIES(X)
#undef X
    };
    static const char *const placements[][2] = {
#define X(enum_name, function, word, what) {word, what},
        PLACEMENTS(X)
#undef X
    };
    Arena *arena = explainer->out.arena;
    const char *const *policy = policies[text->policy.value];
    const char *const *placement = placements[text->placement.value];
    bound_explain(&explainer->out, name, &cluster_type, cluster->text);
    for (int32_t k = 0; k < cluster->spec.kind_count; k++)
        explain_kind(explainer, name, &cluster->spec, k);
    explain(&explainer->out, arena_printf(arena, "%s policy", name), policy[0],
            arena_printf(arena, "policy of the scenario: %s", policy[1]));
    explain(&explainer->out, arena_printf(arena, "%s placement", name), placement[0],
            arena_printf(arena, "placement of the scenario: %s", placement[1]));
}

Explanation scenario_explain(Arena *arena, const ScenarioText *text, const Parameters *parameters,
                             const Catalog *catalog, const ScenarioCommands *commands,
                             const ScenarioWorkloads *workloads)
{
    enum { USES_PER_COMMAND = 10 + 3 * STEP_PRECISION_COUNT }; // or job of a workload
    int32_t families;
    catalog_names(catalog, CATALOG_PREEMPTIONS, &families);
    const int32_t models = text->failures != NULL ? 3 + families + text->failures->groups.count : 0;
    Explainer explainer = {.out = explanation_create(arena), .catalog = catalog};
    explainer.used = ARENA_ARRAY(arena, const char *,
                                 USES_PER_COMMAND *(commands->count + workloads->shape_count) +
                                     text->programs.count + models);
    explain_parameters(&explainer, parameters);
    explain_settings(&explainer, text);
    explain_commands(&explainer, commands);
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = text->commands.items[i];
        explain_command(&explainer, command);
        if (commands->clusters[i] != NULL)
            explain_cluster(&explainer, arena_printf(arena, "cluster %s", command->name.value),
                            commands->clusters[i], text);
        if (commands->jobs[i] != NULL)
            explain_job(&explainer, arena_printf(arena, "job %s", command->name.value),
                        commands->jobs[i]);
    }
    for (int32_t i = 0; i < text->workloads.count; i++)
        explain_workload(&explainer, text->workloads.items[i]);
    for (int32_t i = 0; i < workloads->shape_count; i++)
        explain_shape(&explainer, &workloads->shapes[i]);
    use_everything(&explainer, text, commands, workloads);
    use_failures(&explainer, text->failures);
    catalog_each_value(catalog, &explainer, explain_catalog_value);
    explain_throughputs(&explainer, catalog_throughputs(catalog));
    return explainer.out;
}
