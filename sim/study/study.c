#include "sim/study/study.h"

#include <string.h>

#include "sim/base/name_table.h"
#include "sim/cloud/spec/resample.h"
#include "sim/output/summary/metric_pattern.h"
#include "sim/schema/json_load.h"
#include "sim/study/format/constraint_text.h"
#include "sim/study/goal.h"
#include "sim/study/point_scenario.h"
#include "sim/study/points.h"
#include "sim/study/study_reader.h"

/* --- Metrics --- */

/* Compiles the metrics for what all points have in common. Metrics that the scenario without
 * changes does not have are unknown in all points. */
static bool describe_metrics(const StudyReader *reader, StudyMetric *metrics)
{
    Study *study = reader->study;
    const int32_t before = reader->problems->count;
    MetricNames *names = metric_names_create(reader->arena, &study->scenario->scenario);
    for (int32_t i = 0; i < study->metric_count; i++) {
        const Metric *metric =
            metric_compile(reader->arena, names, metrics[i].name, metrics[i].at, reader->problems);
        if (metric == NULL)
            continue;
        metrics[i].unit = metric_unit(metric);
        metrics[i].kind = metric_kind(metric);
        metrics[i].quantile_ppb = metric_quantile_ppb(metric);
    }
    return reader->problems->count == before;
}

/* Adds a metric; one that is listed already is a problem, unless a pattern means it too. */
static void add_metric(const StudyReader *reader, StudyMetric *metrics, const char *name, Place at,
                       bool is_of_pattern)
{
    Study *study = reader->study;
    const bool is_listed = study_find_metric(study, name) >= 0;
    if (is_listed && !is_of_pattern)
        problems_add(reader->problems, STATUS_BAD_INPUT, at, "metric \"%s\" is listed twice", name);
    else if (!is_listed && study->metric_count == METRICS_MAX)
        problems_add(reader->problems, STATUS_BAD_INPUT, at, "the study has more than %d metrics",
                     METRICS_MAX);
    else if (!is_listed)
        metrics[study->metric_count++] = (StudyMetric){.name = name, .at = at};
}

static void add_pattern(const StudyReader *reader, StudyMetric *metrics, const Json *item)
{
    int32_t count;
    const char *const *names =
        metric_pattern_names(reader->arena, &reader->study->scenario->scenario, item->text, &count);
    for (int32_t i = 0; i < count; i++)
        add_metric(reader, metrics, names[i], item->at, true);
    if (count == 0)
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, item->at,
                                 "no metric of the scenario is like \"%s\"", item->text),
                    "`trainyard explain SCENARIO --metrics` lists all; \"*\" is a part of one key");
}

/* The metrics of the goal are recorded too. */
static void add_goal_metrics(StudyReader *reader, StudyMetric *metrics)
{
    GoalMetric needed[GOAL_METRICS_MAX];
    const int32_t count = goal_metrics(reader->arena, reader->text, needed);
    for (int32_t i = 0; i < count; i++)
        if (study_find_metric(reader->study, needed[i].name) < 0)
            metrics[reader->study->metric_count++] =
                (StudyMetric){.name = needed[i].name, .at = needed[i].at};
}

static void list_metrics(StudyReader *reader, const Json *list, StudyMetric *metrics)
{
    for (const Json *item = list->first; item != NULL; item = item->next) {
        const char *name = item->kind == JSON_STRING ? item->text : "";
        if (name[0] == '\0')
            problems_add(reader->problems, STATUS_BAD_INPUT, item->at,
                         "a metric is %s, expected its name", json_kind_name(item->kind));
        else if (!metric_is_pattern(name))
            add_metric(reader, metrics, name, item->at, false);
        else if (reader->study->scenario != NULL)
            add_pattern(reader, metrics, item);
    }
}

static bool read_metrics(StudyReader *reader)
{
    const Json *list = reader->text->metrics;
    const int32_t before = reader->problems->count;
    if (list == NULL && !goal_is_wanted(reader->text)) {
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, reader->text->node->at,
                                 "missing \"metrics\" in this study"),
                    "as in \"metrics\": [\"cost_usd.total\"], or --metric cost_usd.total; a plan "
                    "needs only an objective: --minimise cost_usd.total");
        return false;
    }
    if (list != NULL &&
        (list->kind != JSON_ARRAY || list->count == 0 || list->count > METRICS_MAX)) {
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, list->at,
                                 "a study has 1 to %d metrics", METRICS_MAX),
                    "as in \"metrics\": [\"cost_usd.total\"], or --metric cost_usd.total");
        return false;
    }
    StudyMetric *metrics = ARENA_ARRAY(reader->arena, StudyMetric, METRICS_MAX + GOAL_METRICS_MAX);
    reader->study->metrics = metrics;
    if (list != NULL)
        list_metrics(reader, list, metrics);
    add_goal_metrics(reader, metrics);
    return reader->problems->count == before &&
           (reader->study->scenario == NULL || describe_metrics(reader, metrics));
}

/* --- Factors --- */

/* The names of columns that are not factors, in any of the tables. */
static const char *const taken_names[] = {"point",        "seed",        "n",        "lower_bounds",
                                          "warm_up_s",    "length_s",    "workload", "job",
                                          "slots",        "submitted_s", "queue_s",  "run_s",
                                          "turnaround_s", "state",       "waiting",  NULL};

static bool name_is_free(const StudyReader *reader, const Json *node)
{
    const bool is_name = node->key[0] != '\0' &&
                         strspn(node->key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_") == strlen(node->key) &&
                         strspn(node->key, "0123456789") == 0;
    if (!is_name)
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, node->key_at,
                                 "\"%s\" is not a name of a factor", node->key),
                    "letters, digits and '_', a letter first");
    else if (word_list_find(taken_names, node->key) >= 0)
        problems_add(reader->problems, STATUS_BAD_INPUT, node->key_at,
                     "a factor cannot be called \"%s\": the tables have a column of that name",
                     node->key);
    else
        return true;
    return false;
}

static bool read_factors(StudyReader *reader)
{
    const Json *node = reader->text->factors;
    Study *study = reader->study;
    if (node->kind != JSON_OBJECT) {
        problems_add(reader->problems, STATUS_BAD_INPUT, node->at,
                     "\"factors\" is %s, expected an object of factors by name",
                     json_kind_name(node->kind));
        return false;
    }
    const Factor **factors = ARENA_ARRAY(reader->arena, const Factor *, node->count);
    study->factors = factors;
    bool are_sound = true;
    for (const Json *member = node->first; member != NULL; member = member->next) {
        are_sound &= name_is_free(reader, member);
        const Factor *factor =
            factor_read(reader->arena, member, study->scenario, reader->problems);
        if (factor != NULL)
            factors[study->factor_count++] = factor;
        are_sound &= factor != NULL;
    }
    return are_sound;
}

/* Reads the scenario with levels of a factor alone: with each level, or with LEVELS_TRIED_MAX of
 * very many. Stops at the first that is wrong: other levels most likely have the same mistake. */
static bool try_factor(const StudyReader *reader, const Factor *factor)
{
    enum { LEVELS_TRIED_MAX = 200 };
    const int32_t count =
        factor->level_count < LEVELS_TRIED_MAX ? factor->level_count : LEVELS_TRIED_MAX;
    bool is_valid = true;
    for (int64_t i = 0; i < count && is_valid; i++) {
        const int64_t at = count > 1 ? i * (factor->level_count - 1) / (count - 1) : 0;
        const Level *level = &factor->levels[at];
        Arena *scratch = arena_create();
        is_valid = point_scenario_with(scratch, reader->study, reader->files, level->settings,
                                       level->setting_count, reader->problems) != NULL;
        arena_destroy(scratch);
    }
    return is_valid;
}

/* A wrong pointer or value is reported before the first run. Combinations that are wrong are
 * reported when their point is read. */
static bool try_levels(const StudyReader *reader)
{
    bool are_valid = true;
    for (int32_t f = 0; f < reader->study->factor_count; f++)
        are_valid &= try_factor(reader, reader->study->factors[f]);
    return are_valid;
}

/* --- The whole --- */

/* Adds a problem if there is no file at the scenario's path. */
static bool scenario_exists(const StudyReader *reader)
{
    const BoundText *name = &reader->text->scenario;
    int64_t bytes;
    Status status = {0};
    if (reader->files.size(reader->files.context, reader->study->scenario_path, &bytes, &status))
        return true;
    Status *problem = problems_add(reader->problems, status.code, name->node->at,
                                   "scenario \"%s\": %s", name->value, status.message);
    if (status.code == STATUS_NOT_FOUND)
        status_hint(problem, "it is looked for in the folder of the study");
    return false;
}

/* See Study.period_ns. */
static int64_t period_of(const Scenario *scenario)
{
    int64_t end_ns = 0;
    for (int32_t i = 0; i < scenario->workload_count; i++)
        if (scenario->workloads[i].end_ns > end_ns)
            end_ns = scenario->workloads[i].end_ns;
    if (end_ns > 0 && end_ns < scenario->until_ns)
        return end_ns;
    return scenario->until_ns < INT64_MAX ? scenario->until_ns : 0;
}

/* Whether a workload has a list that every run replays. */
static bool has_replay(const Scenario *scenario)
{
    bool replays = false;
    for (int32_t i = 0; i < scenario->workload_count; i++)
        replays |=
            scenario->workloads[i].list != NULL && scenario->workloads[i].resample.piece_ns == 0;
    return replays;
}

static void note_pieces(Study *study, const Scenario *scenario)
{
    study->piece_ns = study->piece_count = 0;
    for (int32_t i = 0; i < scenario->workload_count; i++) {
        const Workload *workload = &scenario->workloads[i];
        if (workload->list == NULL || workload->resample.piece_ns == 0)
            continue;
        const int64_t count = resample_pieces(workload->list, workload->resample.piece_ns);
        if (study->piece_ns != 0 && count >= study->piece_count)
            continue;
        study->piece_ns = workload->resample.piece_ns;
        study->piece_count = count;
        study->piece_trend = trend_of_jobs(workload->list, study->piece_ns);
    }
}

static void note_facts(Study *study, const Scenario *scenario)
{
    study->until_ns = scenario->until_ns;
    study->period_ns = period_of(scenario);
    study->recurs = scenario->workload_count > 0;
    study->replays = has_replay(scenario);
    note_pieces(study, scenario);
}

/* Factors with one level change all points, and the facts of the scenario with them. Mistakes in
 * these levels are reported when the levels are tried. */
static void note_facts_of_all_points(const StudyReader *reader)
{
    Study *study = reader->study;
    int32_t most = 0, count = 0;
    for (int32_t f = 0; f < study->factor_count; f++)
        most +=
            study->factors[f]->level_count == 1 ? study->factors[f]->levels[0].setting_count : 0;
    if (most == 0)
        return;
    Arena *scratch = arena_create();
    Setting *settings = ARENA_ARRAY(scratch, Setting, most);
    for (int32_t f = 0; f < study->factor_count; f++) {
        const Level *level = &study->factors[f]->levels[0];
        for (int32_t i = 0; study->factors[f]->level_count == 1 && i < level->setting_count; i++)
            settings[count++] = level->settings[i];
    }
    Problems unused = problems_create(scratch);
    const ScenarioFile *file =
        point_scenario_with(scratch, study, reader->files, settings, count, &unused);
    if (file != NULL)
        note_facts(study, &file->scenario);
    arena_destroy(scratch);
}

static bool read_scenario(StudyReader *reader)
{
    Study *study = reader->study;
    study->scenario_path = path_beside(reader->arena, study->path, reader->text->scenario.value);
    if (!scenario_exists(reader))
        return false;
    study->scenario = scenario_read(reader->arena, reader->files, study->scenario_path,
                                    (ScenarioOverrides){0}, reader->problems);
    if (study->scenario != NULL)
        note_facts(study, &study->scenario->scenario);
    return study->scenario != NULL;
}

/* Adds a problem if the tree is that of a scenario: checks of its members would report each. */
static bool is_scenario(const Json *root, Problems *problems)
{
    const Json *version = json_member(root, "trainyard");
    if (version == NULL || json_member(root, "trainyard_study") != NULL)
        return false;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, version->key_at,
                             "this is a scenario, not a study (\"trainyard_study\": 1)"),
                "without a study file --vary says what varies, and --metric or --minimise what is "
                "recorded");
    return true;
}

Study *study_read_tree(Arena *arena, FileSource files, const char *path, const Json *root,
                       Problems *problems)
{
    const int32_t before = problems->count;
    if (is_scenario(root, problems))
        return NULL;
    const Json *objects = constraints_as_objects(arena, root, problems);
    StudyReader reader = {.arena = arena,
                          .files = files,
                          .text = bind_object(arena, objects, &study_type, problems),
                          .study = ARENA_NEW(arena, Study),
                          .problems = problems};
    if (!bind_is_whole(&study_type, reader.text) || problems->count > before)
        return NULL;
    *reader.study = (Study){.path = arena_strdup(arena, path),
                            .description = reader.text->description.value,
                            .expect = reader.text->expect};
    const bool has_scenario = read_scenario(&reader);
    const bool has_metrics = read_metrics(&reader);
    const bool has_factors = has_scenario && read_factors(&reader);
    if (has_factors)
        note_facts_of_all_points(&reader);
    bool is_sound = has_metrics && has_factors && study_read_horizon(&reader);
    if (is_sound)
        study_number_values(reader.study, (StudyMetric *)reader.study->metrics); // made here
    is_sound = is_sound && study_read_seeds(&reader) && study_check_length(&reader);
    if (is_sound) {
        is_sound = points_expand(arena, reader.text, reader.study, problems) &&
                   goal_read(arena, reader.text, reader.study, problems) && try_levels(&reader);
    }
    return is_sound && problems->count == before ? reader.study : NULL;
}

Study *study_read(Arena *arena, FileSource files, const char *path, Problems *problems)
{
    const JsonLoader loader = {.arena = arena, .files = files, .problems = problems};
    Status status = {0};
    const Json *root = json_load(&loader, path, JSON_WITH_COMMENTS, &status);
    if (root == NULL && status.code != STATUS_OK)
        problems_add_status(problems, &status);
    return root != NULL ? study_read_tree(arena, files, path, root, problems) : NULL;
}

/* --- Points --- */

const Setting *point_settings(Arena *arena, const Study *study, int32_t point, int32_t *count)
{
    *count = 0;
    for (int32_t f = 0; f < study->factor_count; f++)
        *count += point_level(study, point, f)->setting_count;
    Setting *settings = ARENA_ARRAY(arena, Setting, *count);
    int32_t filled = 0;
    for (int32_t f = 0; f < study->factor_count; f++) {
        const Level *level = point_level(study, point, f);
        for (int32_t i = 0; i < level->setting_count; i++)
            settings[filled++] = level->settings[i];
    }
    return settings;
}

const char *point_name(Arena *arena, const Study *study, int32_t point)
{
    Text name = {0};
    for (int32_t f = 0; f < study->factor_count; f++)
        text_printf(&name, "%s%s=%s", f > 0 ? " " : "", study->factors[f]->name,
                    point_level(study, point, f)->label);
    const char *copy = arena_strdup(arena, text_string(&name));
    text_free(&name);
    return copy;
}

void study_number_values(Study *study, StudyMetric *metrics)
{
    study->value_count = study->metric_count;
    for (int32_t m = 0; m < study->metric_count; m++) {
        metrics[m].part = study->value_count;
        metrics[m].part_count = measure_part_count(metrics[m].kind);
        study->value_count += metrics[m].part_count;
    }
    for (int32_t m = 0; study->horizon.method == STEADY_BY_BATCHES && m < study->metric_count;
         m++) {
        metrics[m].batch = study->value_count;
        study->value_count += STEADY_BATCHES;
    }
    study->steady_part = study->value_count;
    if (study->horizon.kind == HORIZON_STEADY)
        study->value_count += STEADY_PARTS;
}

const char *const *study_value_names(Arena *arena, const Study *study)
{
    const char **names = ARENA_ARRAY(arena, const char *, study->value_count);
    for (int32_t m = 0; m < study->metric_count; m++) {
        const StudyMetric *metric = &study->metrics[m];
        names[m] = metric->name;
        for (int32_t i = 0; i < metric->part_count; i++)
            names[metric->part + i] = arena_printf(arena, "%s#%d", metric->name, (int)i + 1);
        for (int32_t b = 0; metric->batch > 0 && b < STEADY_BATCHES; b++)
            names[metric->batch + b] = arena_printf(arena, "%s@%d", metric->name, (int)b + 1);
    }
    for (int32_t i = 0; study->horizon.kind == HORIZON_STEADY && i < STEADY_PARTS; i++)
        names[study->steady_part + i] = arena_printf(arena, "steady#%d", (int)i + 1);
    return names;
}

uint64_t study_seed(const Study *study, int32_t point, int32_t replication)
{
    const uint64_t seed = study->seeds.first + (uint64_t)replication;
    const uint64_t address[] = {seed, (uint64_t)point};
    return study->seeds.is_independent ? bytes_hash(HASH_START, address, sizeof address) >> 12
                                       : seed;
}

int32_t study_find_metric(const Study *study, const char *name)
{
    for (int32_t i = 0; i < study->metric_count; i++)
        if (strcmp(study->metrics[i].name, name) == 0)
            return i;
    return -1;
}
