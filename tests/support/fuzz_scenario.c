#include "tests/support/fuzz_scenario.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/scenario/config/job_config.h"
#include "sim/scenario/config/program_config.h"
#include "sim/scenario/validate.h"
#include "sim/scenario/whole.h"
#include "tests/support/memory_files.h"

/* The scenario without other files and without parameters: it is valid, and stays the same when it
 * is read again. */
static void check_whole(Arena *arena, const ScenarioFile *file)
{
    Text whole = {0}, again = {0};
    json_print(&whole, scenario_whole(arena, file), JSON_INDENTED);
    MemoryFiles files = {0};
    memory_files_set(&files, "whole.json", text_string(&whole), whole.length);
    Problems problems = problems_create(arena);
    const ScenarioFile *read = scenario_read(arena, memory_files_source(&files), "whole.json",
                                             (ScenarioOverrides){0}, &problems);
    invariant(read != NULL && read->parameter_count == 0);
    json_print(&again, scenario_whole(arena, read), JSON_INDENTED);
    invariant(strcmp(text_string(&whole), text_string(&again)) == 0);
    text_free(&whole);
    text_free(&again);
}

void fuzz_scenario(const char *bytes, size_t length)
{
    Arena *arena = arena_create();
    MemoryFiles files = small_scenario(arena);
    memory_files_set_transformers(&files, arena, "catalog/");
    memory_files_set(&files, "scenario.json", bytes, length);
    Problems problems = problems_create(arena);
    ScenarioFile *file = scenario_read(arena, memory_files_source(&files), "scenario.json",
                                       (ScenarioOverrides){.explains = true}, &problems);
    invariant((file == NULL) == (problems.count > 0));
    if (file != NULL) {
        Text text = {0};
        explanation_print(&text, &file->explanation);
        text_free(&text);
        check_whole(arena, file);
    }
    arena_destroy(arena);
}

/* The surroundings of a job or cluster under test. They exist until the program ends. */
typedef struct {
    Arena *arena;
    const Catalog *catalog;
    KnownShare share;
    KnownProgram program;
    ClusterConfig *cluster;
} Setting;

static ConfigContext context_in(const Setting *setting, Arena *arena, Problems *problems)
{
    return (ConfigContext){.arena = arena,
                           .problems = problems,
                           .catalog = setting->catalog,
                           .account = "acc",
                           .share_count = 1,
                           .shares = &setting->share,
                           .program_count = 1,
                           .programs = &setting->program};
}

static const Json *tree_of(Arena *arena, const char *text, size_t length, Problems *problems)
{
    return json_parse(arena, "fuzz", text, length, JSON_STRICT, problems);
}

static void set_up(Setting *setting)
{
    static const char *files[] = {"train.py"};
    setting->arena = arena_create();
    Problems problems = problems_create(setting->arena);
    const Json *catalog = shipped_catalog(setting->arena);
    setting->catalog = catalog_read(setting->arena, &catalog, 1, &problems);
    setting->share = (KnownShare){.name = "acc/data",
                                  .tier = catalog_share_tier(setting->catalog, "standard"),
                                  .is_listed = true,
                                  .file_count = 1,
                                  .files = files};
    const Json *scenario = json_parse(setting->arena, "small", small_scenario_text,
                                      strlen(small_scenario_text), JSON_STRICT, &problems);
    const ScenarioText *text = bind_object(setting->arena, scenario, &scenario_type, &problems);
    setting->program = (KnownProgram){.text = text->programs.items[0], .is_sound = true};
    ConfigContext context = context_in(setting, setting->arena, &problems);
    invariant(program_check(&context, setting->program.text));
    setting->cluster = cluster_config_read(
        &context,
        tree_of(setting->arena, small_cluster_text, strlen(small_cluster_text), &problems), "gpu",
        (BoundList){0});
    invariant(problems.count == 0);
}

static const Setting *setting_once(void)
{
    static Setting setting;
    if (setting.arena == NULL)
        set_up(&setting);
    return &setting;
}

static void validate_alone(const char *bytes, size_t length)
{
    Arena *arena = arena_create();
    MemoryFiles files = {0};
    memory_files_set(&files, "alone.json", bytes, length);
    Problems problems = problems_create(arena);
    Problems warnings = problems_create(arena);
    const char *kind = validate_file(arena, memory_files_source(&files), "alone.json",
                                     (ScenarioOverrides){0}, &problems, &warnings, NULL);
    invariant(kind != NULL || problems.count > 0);
    arena_destroy(arena);
}

void fuzz_job(const char *bytes, size_t length)
{
    const Setting *setting = setting_once();
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    ConfigContext context = context_in(setting, arena, &problems);
    const Json *root = tree_of(arena, bytes, length, &problems);
    ResourcePath path = {.group = "g", .workspace = "w", .experiment = "e", .name = "fuzz"};
    if (root != NULL) {
        const JobText *text = job_bind(arena, root, &problems);
        const JobConfig *job =
            job_config_read(&context, text, path, setting->cluster, EXECUTION_EMULATED);
        job_config_cluster(text);
        if (problems.count == 0) {
            invariant(job->spec.program != NULL);
            invariant(job->spec.std_out_err.share != NULL);
            invariant(job->spec.nodes >= 1 && job->spec.processes >= 1);
        }
    }
    arena_destroy(arena);
    validate_alone(bytes, length);
}

void fuzz_cluster(const char *bytes, size_t length)
{
    const Setting *setting = setting_once();
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    ConfigContext context = context_in(setting, arena, &problems);
    const Json *root = tree_of(arena, bytes, length, &problems);
    if (root != NULL) {
        const ClusterConfig *cluster = cluster_config_read(&context, root, "fuzz", (BoundList){0});
        if (problems.count == 0) {
            invariant(cluster->spec.vm_size != NULL);
            invariant(cluster->spec.target_nodes <= cluster->nodes_max);
        }
    }
    arena_destroy(arena);
    validate_alone(bytes, length);
}
