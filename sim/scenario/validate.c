#include "sim/scenario/validate.h"

#include "sim/base/invariant.h"
#include "sim/scenario/catalog/built_in_catalog.h"
#include "sim/scenario/catalog/files.h"
#include "sim/scenario/command/trace_read.h"
#include "sim/scenario/config/job_config.h"
#include "sim/scenario/load.h"

static bool has_any_toolkit(const Json *properties)
{
    for (Toolkit toolkit = 0; toolkit < TOOLKIT_COUNT; toolkit++)
        if (json_member(properties, toolkit_key(toolkit)) != NULL)
            return true;
    return false;
}

static void validate_job(const ConfigContext *context, const Json *root)
{
    ResourcePath path = {.workspace = "workspace", .experiment = "experiment", .name = "job"};
    job_config_read(context, job_bind(context->arena, root, context->problems), path,
                    cluster_config_unread(context->arena, "any"), EXECUTION_EMULATED);
}

/* A catalogue that is not complete is checked together with the complete one that precedes it. */
static const char *validate_catalog(const ConfigContext *context, FileSource files, Json *root)
{
    const JsonLoader loader = {
        .arena = context->arena, .files = files, .problems = context->problems};
    catalog_load_included(&loader, root);
    if (!catalog_is_loaded(root))
        return "catalogue";
    const Json *whole = root;
    Problems alone = problems_create(context->arena);
    if (catalog_read(context->arena, &whole, 1, &alone) != NULL)
        return "catalogue";
    const CatalogFile base = {built_in_catalog(), "catalog/azure-2018.json"};
    const Json *const roots[] = {catalog_file_load(context->arena, &base, context->problems), root};
    invariant(roots[0] != NULL);
    catalog_read(context->arena, roots, 2, context->problems);
    return arena_printf(context->arena, "catalogue over %s", base.path);
}

/* A job or cluster is recognised by any member that the other kind cannot have. */
static const char *validate_tree(const ConfigContext *context, FileSource files, Json *root)
{
    const Json *properties = json_member(root, "properties");
    if (properties == NULL)
        properties = root;
    if (has_any_toolkit(properties) || json_member(properties, "nodeCount") != NULL ||
        json_member(properties, "stdOutErrPathPrefix") != NULL) {
        validate_job(context, root);
        return "job";
    }
    if (json_member(properties, "vmSize") != NULL ||
        json_member(properties, "scaleSettings") != NULL) {
        cluster_config_read(context, root, "cluster", (BoundList){0});
        return "cluster";
    }
    if (json_member(root, "catalog") != NULL) {
        return validate_catalog(context, files, root);
    }
    if (scenario_is_other(root, context->problems))
        return NULL;
    status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(root),
                             "this is not a scenario, cluster, job or catalogue"),
                "a scenario has \"trainyard\": 1, a study \"trainyard_study\": 1, a cluster "
                "\"vmSize\", a job \"nodeCount\"");
    return NULL;
}

/* Whether the file is a scenario. Its version may be missing or misspelt: a catalogue has no
 * commands. */
static bool is_scenario(const Json *root)
{
    return json_member(root, "trainyard") != NULL ||
           (json_member(root, "commands") != NULL && json_member(root, "properties") == NULL);
}

static void warn_of_unused(const ScenarioFile *file, Problems *warnings)
{
    const Json *workload = json_member(file->root, "workloads");
    workload = workload != NULL ? workload->first : NULL;
    for (int32_t i = 0; i < file->scenario.workload_count; i++, workload = workload->next)
        if (file->scenario.workloads[i].list != NULL)
            trace_warn_of_unused(&file->scenario.workloads[i], json_member(workload, "trace"),
                                 warnings);
}

const char *validate_file(Arena *arena, FileSource files, const char *path,
                          ScenarioOverrides overrides, Problems *problems, Problems *warnings,
                          const ScenarioFile **scenario)
{
    if (scenario != NULL)
        *scenario = NULL;
    const char *text;
    size_t length;
    Status status = {0};
    ConfigContext alone = {
        .arena = arena,
        .problems = problems,
        .unlisted = {.shares = true, .programs = true, .preparations = true, .setups = true},
    };
    if (!files.read(files.context, arena, path, &text, &length, &status)) {
        scenario_hint_folder(arena, files, path, &status);
        problems_add_status(problems, &status);
        return NULL;
    }
    Json *root = json_parse(arena, path, text, length, JSON_WITH_COMMENTS, problems);
    if (root == NULL)
        return NULL;
    if (!is_scenario(root)) {
        if (overrides.count + overrides.param_count == 0)
            return validate_tree(&alone, files, root);
        problems_add(problems, STATUS_BAD_INPUT, json_at(root),
                     "--set and --param change scenarios, and this is not a scenario");
        return NULL;
    }
    const ScenarioFile *file = scenario_read(arena, files, path, overrides, problems);
    if (file != NULL) {
        problems_merge(warnings, &file->warnings);
        warn_of_unused(file, warnings);
    }
    if (scenario != NULL)
        *scenario = file;
    return "scenario";
}
