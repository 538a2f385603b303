/* Private to sim/study (study_reader.h): the metrics of a study. */
#include "sim/output/summary/metric_pattern.h"
#include "sim/study/goal.h"
#include "sim/study/study_reader.h"

/* Compiles the metrics for what all points have in common. Metrics that the scenario without
 * changes does not have are unknown in all points. */
static bool describe_metrics(const StudyReader *reader, StudyMetric *metrics)
{
    Study *study = reader->study;
    const int32_t before = reader->problems->count;
    for (int32_t i = 0; i < study->metric_count; i++) {
        const Metric *metric = metric_compile(reader->arena, &study->scenario->scenario,
                                              metrics[i].name, metrics[i].at, reader->problems);
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

bool study_read_metrics(StudyReader *reader)
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
