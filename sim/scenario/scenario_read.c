#include "sim/scenario/scenario_read.h"

#include <string.h>

#include "sim/scenario/program_config.h"
#include "sim/scenario/scenario_commands.h"
#include "sim/scenario/scenario_expect.h"
#include "sim/scenario/scenario_explain.h"
#include "sim/scenario/scenario_load.h"
#include "sim/scenario/scenario_shares.h"

/* "scenarios/cifar10-horovod/scenario.json" is "cifar10-horovod", "spot.json" is "spot": the
 * folder's name when the file's says nothing. */
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

static const Catalog *read_catalog(Arena *arena, const Json *list, Problems *problems)
{
    if (list->kind != JSON_ARRAY || list->count == 0) {
        problems_add(problems, STATUS_BAD_INPUT, list->at,
                     "catalog is %s, expected an array of files",
                     list->kind == JSON_ARRAY ? "empty" : json_kind_name(list->kind));
        return NULL;
    }
    const Json **roots = ARENA_ARRAY(arena, const Json *, list->count);
    int32_t count = 0;
    for (const Json *item = list->first; item != NULL; item = item->next)
        roots[count++] = item;
    return catalog_read(arena, roots, count, problems);
}

static ConfigContext make_context(Arena *arena, const ScenarioText *text, const Catalog *catalog,
                                  Problems *problems)
{
    ConfigContext context = {
        .arena = arena,
        .problems = problems,
        .catalog = catalog,
        .program_count = text->programs.count,

        .preparation_count = text->preparations.count,
        .preparations = (PreparationText *const *)(void *)text->preparations.items,
    };
    scenario_shares(&context, text);
    KnownProgram *programs = ARENA_ARRAY(arena, KnownProgram, text->programs.count);
    for (int32_t i = 0; i < text->programs.count; i++) {
        programs[i].text = text->programs.items[i];
        programs[i].is_sound = program_check(&context, programs[i].text);
    }
    context.programs = programs;
    return context;
}

static ScenarioFile *read_file(Arena *arena, FileSource files, const char *path,
                               ScenarioOverrides overrides, Problems *problems)
{
    const Json *root = scenario_load(arena, files, path, overrides, problems);
    if (root == NULL)
        return NULL;
    const ScenarioText *text = bind_object(arena, root, &scenario_type, problems);
    if (text == NULL)
        return NULL;
    const Catalog *catalog = read_catalog(arena, text->catalog, problems);
    if (catalog == NULL)
        return NULL;
    ConfigContext context = make_context(arena, text, catalog, problems);

    ScenarioCommands commands = scenario_commands(&context, text, files, path);
    ScenarioFile *file = ARENA_NEW(arena, ScenarioFile);
    file->expectation_count = text->expect.count;
    file->expectations = scenario_expect(arena, &text->expect, problems);
    if (problems->count > 0)
        return NULL;

    file->scenario = (Scenario){
        .name = scenario_name(arena, path),
        .description = text->description.value != NULL ? text->description.value : "",
        .seed = (uint64_t)text->seed.value,
        .start_unix_ms = text->start.value,
        .region = text->region.value,
        .subscription = text->subscription.value,
        .until_ns = text->until.node != NULL ? text->until.value : INT64_MAX,
        .fidelity = (Fidelity)text->fidelity.value,
        .service = *catalog_service(catalog),
        .command_count = commands.count,
        .commands = commands.items,
    };
    file->explanation = scenario_explain(arena, text, catalog, &commands);
    return file;
}

static bool is_known(const Problems *problems, const Status *problem)
{
    for (int32_t i = 0; i < problems->kept; i++) {
        const Status *other = &problems->items[i];
        if (other->at.line == problem->at.line && other->at.column == problem->at.column &&
            strcmp(other->message, problem->message) == 0)
            return true;
    }
    return false;
}

ScenarioFile *scenario_read(Arena *arena, FileSource files, const char *path,
                            ScenarioOverrides overrides, Problems *problems)
{
    Problems found = problems_create(arena);
    ScenarioFile *file = read_file(arena, files, path, overrides, &found);
    // Two jobs may share one job.json: its mistakes are said once.
    for (int32_t i = 0; i < found.kept; i++)
        if (!is_known(problems, &found.items[i]))
            problems_add_status(problems, &found.items[i]);
    return file;
}
