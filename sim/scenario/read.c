#include "sim/scenario/read.h"

#include <string.h>

#include "sim/scenario/assumed.h"
#include "sim/scenario/catalog/files.h"
#include "sim/scenario/command/api_fault_read.h"
#include "sim/scenario/command/reader.h"
#include "sim/scenario/command/shares.h"
#include "sim/scenario/command/workload_read.h"
#include "sim/scenario/config/program_config.h"
#include "sim/scenario/config/unknown_program.h"
#include "sim/scenario/expect/expect.h"
#include "sim/scenario/explain.h"
#include "sim/scenario/given.h"
#include "sim/scenario/load.h"
#include "sim/scenario/steady.h"

/* "scenarios/cifar10-horovod/scenario.json" is "cifar10-horovod", "spot.json" is "spot": a file
 * called scenario.json has the name of its folder. */
static const char *scenario_name(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    if (strcmp(file, "scenario.json") == 0 && slash != NULL && slash > path) {
        char *folder = arena_strndup(arena, path, (size_t)(slash - path));
        const char *above = strrchr(folder, '/');
        return above != NULL ? above + 1 : folder;
    }
    const char *dot = strrchr(file, '.');
    return arena_strndup(arena, file,
                         dot != NULL && dot > file ? (size_t)(dot - file) : strlen(file));
}

/* NULL when the catalogue could not be read, which has been reported. A list that still has names
 * is that of `like`. */
static const Catalog *read_catalog(Arena *arena, const ScenarioText *text, const ScenarioFile *like,
                                   Problems *problems)
{
    const Json *list = text->catalog;
    if (list == NULL)
        return NULL;
    if (like != NULL && list->first != NULL && list->first->kind == JSON_STRING)
        return like->catalog;
    if (list->kind != JSON_ARRAY || list->count == 0) {
        problems_add(problems, STATUS_BAD_INPUT, list->at,
                     "catalog is %s, expected an array of files",
                     list->kind == JSON_ARRAY ? "empty" : json_kind_name(list->kind));
        return NULL;
    }
    const Json **roots = ARENA_ARRAY(arena, const Json *, list->count + 1);
    int32_t count = 0;
    for (const Json *item = list->first; item != NULL; item = item->next) {
        if (!catalog_is_loaded(item))
            return NULL; // a file that could not be read
        roots[count++] = item;
    }
    const Json *assumed = assumed_catalog(arena, text, roots, count, problems);
    if (assumed != NULL)
        roots[count++] = assumed;
    return catalog_read(arena, roots, count, problems);
}

static void add_programs(ConfigContext *context, const ScenarioText *text)
{
    KnownProgram *programs = ARENA_ARRAY(context->arena, KnownProgram, text->programs.count);
    context->programs = programs;
    context->other_programs = text->other_programs;
    if (text->other_programs != NULL)
        other_program_check(context, text->other_programs);
    context->program_count = text->programs.count;
    context->unlisted.programs = text->programs.is_refused;
    for (int32_t i = 0; i < text->programs.count; i++) {
        const ProgramText *program = text->programs.items[i];
        const bool is_sound = program_check(context, program);
        programs[i] = (KnownProgram){.text = program,
                                     .fixed = program_fixed(context->arena, program, is_sound),
                                     .is_sound = is_sound};
        context->unlisted.programs |= program->match.is_refused;
    }
}

/* The items of `list` that have a pattern; `*has_more` when an item has none. */
static PreparationText *const *with_patterns(Arena *arena, BoundList list, int32_t *count,
                                             bool *has_more)
{
    PreparationText **known = ARENA_ARRAY(arena, PreparationText *, list.count);
    *has_more = list.is_refused;
    for (int32_t i = 0; i < list.count; i++) {
        PreparationText *preparation = list.items[i];
        if (preparation->match.is_refused)
            *has_more = true;
        else
            known[(*count)++] = preparation;
    }
    return known;
}

static void add_preparations(ConfigContext *context, const ScenarioText *text)
{
    context->preparations =
        with_patterns(context->arena, text->preparations, &context->preparation_count,
                      &context->unlisted.preparations);
    context->setups = with_patterns(context->arena, text->setups, &context->setup_count,
                                    &context->unlisted.setups);
}

/* Warns of API faults, which have no effect in a run: only the emulator has clients. */
static void check_api_faults(const ConfigContext *context, BoundList faults)
{
    ApiFaultRule ignored;
    bool are_sound = true;
    for (int32_t i = 0; i < faults.count; i++)
        are_sound &= api_fault_read(faults.items[i], &ignored, context->problems);
    if (are_sound && faults.count > 0)
        status_hint(
            problems_add(context->warnings, STATUS_BAD_INPUT, json_at(faults.node),
                         "\"api_faults\" affect clients of the emulator, and a run has none"),
            "they take effect under `trainyard serve --scenario`");
}

static void add_quotas(Arena *arena, const Catalog *catalog, Scenario *scenario)
{
    int32_t count;
    const char *const *families = catalog_names(catalog, CATALOG_QUOTAS, &count);
    CoreQuota *quotas = ARENA_ARRAY(arena, CoreQuota, count);
    for (int32_t i = 0; i < count; i++)
        quotas[i] = *catalog_quota(catalog, families[i]);
    scenario->quotas = quotas;
    scenario->quota_count = count;
}

/* The topology that `text` (NULL: absent) describes. */
static NetworkTopology network_read(const NetworkText *text, Problems *problems)
{
    NetworkTopology topology = {0};
    Status status = {0};
    if (text == NULL || text->rack_nodes.is_refused || text->rack_uplink_rate.is_refused)
        return topology;
    topology.nodes_per_rack = (int32_t)text->rack_nodes.value;
    Place at = json_at(text->rack_uplink_rate.node);
    if (!rate_parse(text->rack_uplink_rate.value, at, &topology.uplink_bytes_per_s, &status))
        problems_add_status(problems, &status);
    else if (topology.uplink_bytes_per_s < topology.nodes_per_rack)
        // Otherwise the share of a job could be 0, and the job would never end.
        problems_add(problems, STATUS_BAD_INPUT, at,
                     "rack_uplink_rate \"%s\" is less than one byte per second for each node",
                     text->rack_uplink_rate.value);
    return topology;
}

/* Members that the scenario does not state have the defaults of the table of fields. */
static PreemptionCost preemption_cost_read(Arena *arena, const PreemptionCostText *text,
                                           Problems *problems)
{
    if (text == NULL)
        text = bind_object(arena, json_object(arena), &preemption_cost_type, problems);
    return (PreemptionCost){.one_ns = text->one_gpu.value,
                            .eight_ns = text->to_8_gpus.value,
                            .more_ns = text->more_gpus.value};
}

/* A duration that cannot be 0. Returns 0 if it is not stated. */
static int64_t positive_read(BoundInteger text, Problems *problems)
{
    if (text.node != NULL && !text.is_refused && text.value == 0)
        problems_add(problems, STATUS_BAD_INPUT, text.node->at, "%s is 0, expected a longer time",
                     text.node->key);
    return text.value;
}

/* The part of the run that is measured; `text` NULL: all of it. */
static MeasureWindow measure_read(const ConfigContext *context, const ScenarioText *scenario)
{
    const MeasureText *text = scenario->measure;
    Problems *problems = context->problems;
    if (text == NULL)
        return (MeasureWindow){0};
    const bool has_end = text->until.node != NULL && !text->until.is_refused;
    if (has_end && text->until.value <= text->from.value)
        problems_add(problems, STATUS_BAD_INPUT, json_at(text->until.node),
                     "the measured part of the run ends before it begins");
    if (text->steady.value != 0 && text->until.node == NULL)
        problems_add(problems, STATUS_BAD_INPUT, json_at(text->steady.node),
                     "a steady measure needs \"until\", the end of the window");
    if (scenario->until.node != NULL && !scenario->until.is_refused && text->from.node != NULL &&
        text->steady.value == 0 && text->from.value >= scenario->until.value)
        problems_add(context->warnings, STATUS_BAD_INPUT, json_at(text->from.node),
                     "nothing is measured: the run ends at its \"until\", before this time");
    return (MeasureWindow){.from_ns = text->from.value,
                           .until_ns = has_end ? text->until.value : 0};
}

/* The members of a scenario in core types. */
typedef struct {
    MeasureWindow measure;
    PreemptionCost preemption_cost;
    int64_t half_life_ns, wait_target_ns;
    NetworkTopology network;
    ScenarioCommands commands;
    ScenarioWorkloads workloads;
    NodeGroups groups;
    Failures failures;
} Parts;

static Parts read_parts(CommandBinder *binder, ConfigContext *context, const ScenarioText *text)
{
    Arena *arena = context->arena;
    Problems *problems = context->problems;
    scenario_shares(context, text);
    add_programs(context, text);
    add_preparations(context, text);

    Parts parts;
    parts.measure = measure_read(context, text);
    parts.preemption_cost = preemption_cost_read(arena, text->preemption_cost, problems);
    parts.half_life_ns = positive_read(text->fair_share_half_life, problems);
    parts.wait_target_ns = positive_read(text->wait_target, problems);
    parts.network = network_read(text->network, problems);
    parts.commands = scenario_commands(binder);
    parts.workloads = workloads_read(binder);
    parts.groups = groups_read(binder);
    parts.failures = failures_read(context, text, &parts.groups);
    faults_read(binder, &parts.groups, &parts.commands);
    check_api_faults(context, text->api_faults);
    return parts;
}

static Scenario scenario_of(Arena *arena, const ScenarioFile *file, const ScenarioText *text,
                            const Parts *parts)
{
    return (Scenario){
        .measure = parts->measure,
        .wait_target_ns = parts->wait_target_ns,
        .name = scenario_name(arena, file->path),
        .description = text->description.value != NULL ? text->description.value : "",
        .seed = (uint64_t)text->seed.value,
        .start_unix_ms = text->start.value,
        .region = text->region.value,
        .subscription = text->subscription.value,
        .until_ns = text->until.node != NULL ? text->until.value : INT64_MAX,
        .fidelity = (Fidelity)text->fidelity.value,
        .service = *catalog_service(file->catalog),
        .energy = catalog_energy(file->catalog),
        .failures = parts->failures,
        .policy = (PolicyKind)text->policy.value,
        .preemption_cost = parts->preemption_cost,
        .fair_share_half_life_ns = parts->half_life_ns,
        .placement = (PlacementKind)text->placement.value,
        .kind_choice = (KindChoice)text->kind_choice.value,
        .refuses_wide_jobs = text->wide_jobs.value == WIDE_JOBS_REFUSED,
        .has_queue_limit = text->queue_limit.node != NULL,
        .queue_limit = (int32_t)text->queue_limit.value,
        .workload_count = parts->workloads.count,
        .workloads = parts->workloads.items,
        .network = parts->network,
        .command_count = parts->commands.count,
        .commands = parts->commands.items,
    };
}

static ScenarioFile *read_file(Arena *arena, FileSource from, const char *path,
                               ScenarioOverrides overrides, Problems *problems)
{
    // A replay of a real run has the same inputs as that run, which made the file.
    FileRecorder *recorder = file_recorder_create(arena, from, path, overrides.ran_path);
    const FileSource files = file_recorder_source(recorder);
    const Parameters *parameters;
    const char *catalog_key;
    const Json *root =
        scenario_load(arena, files, path, overrides, &parameters, &catalog_key, problems);
    if (root == NULL)
        return NULL;
    const ScenarioText *text = bind_object(arena, root, &scenario_type, problems);
    const Catalog *catalog = read_catalog(arena, text, overrides.like, problems);
    Problems warnings = problems_create(arena);
    ConfigContext context = {.arena = arena,
                             .problems = problems,
                             .warnings = &warnings,
                             .samples = overrides.samples,
                             .catalog = catalog,
                             .has_no_end = text->until.node == NULL && !text->until.is_refused};
    CommandBinder binder = {.context = &context, .text = text, .files = files, .path = path};
    Parts parts = read_parts(&binder, &context, text);
    ScenarioFile *file = ARENA_NEW(arena, ScenarioFile);
    file->reader = command_reader_create(&binder, &parts.groups);
    session_read(file->reader, text->session, &parts.commands, problems);
    file->expectation_count = text->expect.count;
    file->expectations = scenario_expect(arena, text, &parts.commands, problems);
    file->parameter_count = parameters_count(parameters);
    file->parameters = parameters_items(parameters);
    file->root = root;
    file->path = arena_strdup(arena, path);
    file->resource_group = text->resource_group.value;
    file->catalog = catalog;
    file->catalog_key = catalog_key;
    if (problems->count > 0)
        return NULL;

    file->scenario = scenario_of(arena, file, text, &parts);
    file->scenario.given = scenario_given(arena, recorder, &overrides, parameters);
    // Jobs that ran outside of a run are reported like a session, but the run ends as usual.
    file->scenario.is_of_session = text->session != NULL && overrides.ran_path == NULL;
    add_quotas(arena, catalog, &file->scenario);
    if (text->measure != NULL && text->measure->steady.value != 0)
        scenario_make_steady(arena, &file->scenario, parts.measure);
    // Two jobs may have the same job.json: its warnings are reported once.
    file->warnings = problems_create(arena);
    problems_merge(&file->warnings, &warnings);
    if (overrides.explains)
        file->explanation =
            scenario_explain(arena, text, parameters, catalog, &parts.commands, &parts.workloads);
    return file;
}

ScenarioFile *scenario_read(Arena *arena, FileSource files, const char *path,
                            ScenarioOverrides overrides, Problems *problems)
{
    Problems found = problems_create(arena);
    ScenarioFile *file = read_file(arena, files, path, overrides, &found);
    // Two jobs may have the same job.json: its problems are reported once.
    problems_merge(problems, &found);
    return file;
}
