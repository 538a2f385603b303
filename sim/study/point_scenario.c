#include "sim/study/point_scenario.h"

#include <string.h>

const char *setting_option(Arena *arena, const Setting *setting)
{
    return arena_printf(arena, "%s=%s", setting->target, setting->value);
}

/* The setting whose option a problem at `at` is about; NULL if it is about the scenario itself. */
static const Setting *setting_at(const ScenarioOverrides *overrides, const Setting *settings,
                                 Place at)
{
    static const char beginning[] = "--set ";
    const size_t length = sizeof beginning - 1;
    for (int32_t i = 0; at.source != NULL && i < overrides->count; i++)
        if (strncmp(at.source, beginning, length) == 0 &&
            strcmp(at.source + length, overrides->items[i]) == 0)
            return &settings[i];
    return NULL;
}

/* Adds `found` to `problems`, the places of settings moved to the study. */
static void add_problems(const ScenarioOverrides *overrides, const Setting *settings,
                         Problems *found, Problems *problems)
{
    for (int32_t i = 0; i < found->kept; i++) {
        Status *status = &found->items[i];
        const Setting *setting = setting_at(overrides, settings, status->at);
        if (setting != NULL) {
            char message[sizeof status->message];
            memcpy(message, status->message, sizeof message);
            const Status old = *status;
            status_fail(status, old.code, setting->at, "%s=%s: %s", setting->target,
                        setting->value, message);
            if (old.hint[0] != '\0')
                status_hint(status, "%s", old.hint);
        }
        status->at.source = arena_strdup(problems->arena, status->at.source);
        problems_add_status(problems, status);
    }
}

static const PointScenario *read_with(Arena *arena, const Study *study, FileSource files,
                                      const Setting *settings, int32_t count, Problems *problems)
{
    const char **items = ARENA_ARRAY(arena, const char *, count);
    for (int32_t i = 0; i < count; i++)
        items[i] = setting_option(arena, &settings[i]);
    const ScenarioOverrides overrides = {.count = count, .items = items};
    Problems found = problems_create(arena);
    PointScenario *point = ARENA_NEW(arena, PointScenario);
    point->file = scenario_read(arena, files, study->scenario_path, overrides, &found);
    if (point->file != NULL) {
        const Metric **metrics = ARENA_ARRAY(arena, const Metric *, study->metric_count);
        for (int32_t i = 0; i < study->metric_count; i++)
            metrics[i] = metric_compile(arena, &point->file->scenario, study->metrics[i].name,
                                        study->metrics[i].at, &found);
        point->metrics = metrics;
        point->metric_count = study->metric_count;
    }
    add_problems(&overrides, settings, &found, problems);
    return found.count == 0 ? point : NULL;
}

const PointScenario *point_scenario_read(Arena *arena, const Study *study, FileSource files,
                                         int32_t point, Problems *problems)
{
    int32_t count;
    const Setting *settings = point_settings(arena, study, point, &count);
    return read_with(arena, study, files, settings, count, problems);
}

bool point_scenario_try(Arena *scratch, const Study *study, FileSource files,
                        const Setting *settings, int32_t count, Problems *problems)
{
    return read_with(scratch, study, files, settings, count, problems) != NULL;
}
