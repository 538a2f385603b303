#include "sim/study/point_scenario.h"

#include <string.h>

#include "sim/cli/shell_code.h"
#include "sim/study/policy/study_policy.h"

const char *setting_option(const Setting *setting)
{
    return setting->is_parameter ? "--param" : "--set";
}

const char *setting_change(Arena *arena, const Setting *setting)
{
    return arena_printf(arena, "%s=%s", setting->target, setting->value);
}

static bool is_outside(const Setting *setting)
{
    return !setting->is_parameter && strcmp(setting->target, STUDY_POLICY_TARGET) == 0 &&
           strcmp(setting->value, STUDY_POLICY_OUTSIDE) == 0;
}

static bool has_outside(const Setting *settings, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (is_outside(&settings[i]))
            return true;
    return false;
}

bool study_has_outside_level(const Study *study)
{
    for (int32_t f = 0; f < study->factor_count; f++)
        for (int32_t i = 0; i < study->factors[f]->level_count; i++) {
            const Level *level = &study->factors[f]->levels[i];
            if (has_outside(level->settings, level->setting_count))
                return true;
        }
    return false;
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
    ScenarioOverrides overrides = {
        .items = items, .params = params, .like = like, .explains = like == NULL};
    for (int32_t i = 0; i < count; i++) {
        const char *change = setting_change(arena, &settings[i]);
        if (is_outside(&settings[i]))
            continue;
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
    MetricNames *names = metric_names_create(arena, scenario);
    for (int32_t i = 0; i < study->metric_count; i++)
        metrics[i] =
            metric_compile(arena, names, study->metrics[i].name, study->metrics[i].at, problems);
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

/* Whether a point with these settings uses the study's policy from outside. */
static bool takes_policy(const Study *study, const Setting *settings, int32_t count)
{
    return study->policy != NULL &&
           (has_outside(settings, count) || !study_has_outside_level(study));
}

/* The policy from outside replaces that of the scenario, which varies only in its own level. */
static void take_policy(Arena *arena, const Study *study, ScenarioFile *file, Problems *problems)
{
    if (!study_has_outside_level(study) &&
        file->scenario.policy != study->scenario->scenario.policy)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("--policy", 0, 0),
                                 "the study varies the policy, which a policy from outside "
                                 "replaces"),
                    "leave the policy out of the factors, or run without --policy");
    study_policy_give(study->policy, arena, &file->scenario);
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
    if (file != NULL && takes_policy(study, settings, count))
        take_policy(arena, study, file, &found);
    add_problems(settings, count, &found, problems);
    return found.count == 0 ? file : NULL;
}

const PointScenario *point_scenario_read(Arena *arena, const Study *study, FileSource files,
                                         int32_t point, Problems *problems)
{
    int32_t count;
    const int32_t before = problems->count;
    const Setting *settings = point_settings(arena, study, point, &count);
    if (study->policy == NULL && has_outside(settings, count)) {
        status_hint(
            problems_add(problems, STATUS_BAD_INPUT, place_in(study->path, 0, 0),
                         "the level \"outside\" of the policy is that of --policy, which is "
                         "missing"),
            "trainyard sweep ... --policy ./mine.so");
        return NULL;
    }
    PointScenario *scenario = ARENA_NEW(arena, PointScenario);
    scenario->file = read_with(arena, study, files, study->scenario, settings, count, problems);
    if (scenario->file == NULL)
        return NULL;
    scenario->policy = takes_policy(study, settings, count) ? study->policy : NULL;
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

const ScenarioFile *point_scenario_with(Arena *arena, const Study *study, FileSource files,
                                        const Setting *settings, int32_t count, Problems *problems)
{
    return read_with(arena, study, files, study->scenario, settings, count, problems);
}

const ScenarioFile *point_scenario_whole(Arena *arena, const Study *study, FileSource files,
                                         int32_t point, Problems *problems)
{
    int32_t count;
    const Setting *settings = point_settings(arena, study, point, &count);
    return read_with(arena, study, files, NULL, settings, count, problems);
}

/* --- The command that repeats a run --- */

static void add_word(Arena *arena, CommandWords *words, const char *word)
{
    words->items[words->count++] = arena_strdup(arena, word);
}

CommandWords run_command_words(Arena *arena, const StudyPoint *point, const char *seed,
                               const char *output)
{
    enum { FIXED = 7 };
    CommandWords words = {.items = ARENA_ARRAY(arena, char *, point->option_count + FIXED)};
    add_word(arena, &words, "run");
    add_word(arena, &words, point->scenario_path);
    add_word(arena, &words, "--seed");
    add_word(arena, &words, seed);
    for (int32_t i = 0; i < point->option_count; i++)
        add_word(arena, &words, point->options[i]);
    if (output != NULL) {
        add_word(arena, &words, "-o");
        add_word(arena, &words, output);
    }
    return words;
}

const char *run_command_text(Arena *arena, const CommandWords *words)
{
    Text line = {0};
    text_add(&line, "trainyard");
    for (int32_t i = 0; i < words->count; i++) {
        text_add(&line, " ");
        code_word(words->items[i], CODE_SH, &line);
    }
    return text_move(arena, &line);
}

/* A point of `study`, as study_json_point reads it. */
static StudyPoint point_of_study(Arena *arena, const Study *study, int32_t point)
{
    int32_t count;
    const Setting *settings = point_settings(arena, study, point, &count);
    const char **options = ARENA_ARRAY(arena, const char *, 2 * count + STUDY_POLICY_OPTIONS);
    int32_t used = 0;
    for (int32_t i = 0; i < count; i++)
        if (!is_outside(&settings[i])) {
            options[used++] = setting_option(&settings[i]);
            options[used++] = setting_change(arena, &settings[i]);
        }
    if (takes_policy(study, settings, count))
        used += study_policy_options(study->policy, options + used);
    return (StudyPoint){.scenario_path = study->scenario_path,
                        .name = point_name(arena, study, point),
                        .option_count = used,
                        .options = options};
}

/* "36000s", "0.500000000s" */
static void exact_seconds_print(Text *text, int64_t ns)
{
    text_printf(text, "%" PRId64, ns / NS_PER_S);
    if (ns % NS_PER_S != 0)
        text_printf(text, ".%09" PRId64, ns % NS_PER_S);
    text_add(text, "s");
}

void run_command_add_plan(Arena *arena, StudyPoint *point, const SteadyPlan *plan)
{
    const MeasureWindow window = steady_window(plan);
    Text text = {0};
    text_add(&text, "/measure={\"from\": \"");
    exact_seconds_print(&text, window.from_ns);
    text_add(&text, "\", \"until\": \"");
    exact_seconds_print(&text, window.until_ns);
    text_add(&text, "\", \"steady\": true}");
    const char **options = ARENA_ARRAY(arena, const char *, point->option_count + 2);
    memcpy(options, point->options, (size_t)point->option_count * sizeof *options);
    options[point->option_count] = "--set";
    options[point->option_count + 1] = text_move(arena, &text);
    point->options = options;
    point->option_count += 2;
}

CommandWords run_command_of(Arena *arena, const Study *study, const Results *results, int32_t point,
                            int32_t replication, const char *output)
{
    StudyPoint about = point_of_study(arena, study, point);
    SteadyPlan plan;
    if (results_have(results, point, replication) &&
        results_plan(results, point, replication, &plan))
        run_command_add_plan(arena, &about, &plan);
    const uint64_t seed = study_seed(study, point, replication);
    return run_command_words(arena, &about, arena_printf(arena, "%" PRIu64, seed), output);
}
