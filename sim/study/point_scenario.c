#include "sim/study/point_scenario.h"

#include <string.h>

const char *setting_option(const Setting *setting)
{
    return setting->is_parameter ? "--param" : "--set";
}

const char *setting_change(Arena *arena, const Setting *setting)
{
    return arena_printf(arena, "%s=%s", setting->target, setting->value);
}

/* The setting that a problem at `at` is about; NULL if it is about the scenario itself. Readers
 * place problems of changes in a text such as "--set /seed=7". */
static const Setting *setting_at(Arena *arena, const Setting *settings, int32_t count, Place at)
{
    for (int32_t i = 0; at.source != NULL && i < count; i++) {
        const char *source = arena_printf(arena, "%s %s", setting_option(&settings[i]),
                                          setting_change(arena, &settings[i]));
        if (strcmp(at.source, source) == 0)
            return &settings[i];
    }
    return NULL;
}

/* Adds `found` to `problems`, the places of settings moved to the study. */
static void add_problems(const Setting *settings, int32_t count, Problems *found,
                         Problems *problems)
{
    for (int32_t i = 0; i < found->kept; i++) {
        Status *status = &found->items[i];
        const Setting *setting = setting_at(found->arena, settings, count, status->at);
        if (setting != NULL) {
            char message[sizeof status->message];
            memcpy(message, status->message, sizeof message);
            const Status old = *status;
            status_fail(status, old.code, setting->at, "%s=%s: %s", setting->target, setting->value,
                        message);
            if (old.hint[0] != '\0')
                status_hint(status, "%s", old.hint);
        }
        if (status->at.source != NULL)
            status->at.source = arena_strdup(problems->arena, status->at.source);
        problems_add_status(problems, status);
    }
}

static ScenarioOverrides overrides_of(Arena *arena, const Setting *settings, int32_t count,
                                      const ScenarioFile *like)
{
    const char **items = ARENA_ARRAY(arena, const char *, count);
    const char **params = ARENA_ARRAY(arena, const char *, count);
    ScenarioOverrides overrides = {.items = items, .params = params, .like = like};
    for (int32_t i = 0; i < count; i++) {
        const char *change = setting_change(arena, &settings[i]);
        if (settings[i].is_parameter)
            params[overrides.param_count++] = change;
        else
            items[overrides.count++] = change;
    }
    return overrides;
}

static const Metric *const *compile_metrics(Arena *arena, const Study *study,
                                            const Scenario *scenario, Problems *problems)
{
    const Metric **metrics = ARENA_ARRAY(arena, const Metric *, study->metric_count);
    for (int32_t i = 0; i < study->metric_count; i++)
        metrics[i] =
            metric_compile(arena, scenario, study->metrics[i].name, study->metrics[i].at, problems);
    return metrics;
}

/* Refuses jobs that run on this machine instead of in simulated time, unless the scenario records
 * how they ended. */
static void check_real_jobs(const ScenarioFile *file, Problems *problems)
{
    const Scenario *scenario = &file->scenario;
    if (json_member(file->root, "session") != NULL)
        return;
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        if (command->kind == COMMAND_JOB_CREATE &&
            command->as.job_create.spec->program->kind == PROGRAM_REAL)
            problems_add(problems, STATUS_BAD_INPUT, place_in(command->source, 0, 0),
                         "job \"%s\" has real execution; only `trainyard run` runs such a job",
                         command->path.name);
    }
}

/* `like` NULL: everything is read. */
static ScenarioFile *read_with(Arena *arena, const Study *study, FileSource files,
                               const ScenarioFile *like, const Setting *settings, int32_t count,
                               Problems *problems)
{
    Problems found = problems_create(arena);
    ScenarioFile *file = scenario_read(arena, files, study->scenario_path,
                                       overrides_of(arena, settings, count, like), &found);
    if (file != NULL)
        check_real_jobs(file, &found);
    add_problems(settings, count, &found, problems);
    return found.count == 0 ? file : NULL;
}

const PointScenario *point_scenario_read(Arena *arena, const Study *study, FileSource files,
                                         int32_t point, Problems *problems)
{
    int32_t count;
    const int32_t before = problems->count;
    const Setting *settings = point_settings(arena, study, point, &count);
    PointScenario *scenario = ARENA_NEW(arena, PointScenario);
    scenario->file = read_with(arena, study, files, study->scenario, settings, count, problems);
    if (scenario->file == NULL)
        return NULL;
    scenario->metric_count = study->metric_count;
    scenario->value_count = study->value_count;
    scenario->has_batches = study->horizon.method == STEADY_BY_BATCHES;
    scenario->metrics = compile_metrics(arena, study, &scenario->file->scenario, problems);
    if (problems->count > before)
        return NULL;
    for (int32_t i = 0; i < scenario->metric_count; i++)
        scenario->needs_waiting |= metric_is_of_waiting(scenario->metrics[i]);
    return scenario;
}

bool point_scenario_try(Arena *scratch, const Study *study, FileSource files,
                        const Setting *settings, int32_t count, Problems *problems)
{
    return read_with(scratch, study, files, study->scenario, settings, count, problems) != NULL;
}

const ScenarioFile *point_scenario_whole(Arena *arena, const Study *study, FileSource files,
                                         int32_t point, Problems *problems)
{
    int32_t count;
    const Setting *settings = point_settings(arena, study, point, &count);
    return read_with(arena, study, files, NULL, settings, count, problems);
}
