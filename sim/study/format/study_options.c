#include "sim/study/format/study_options.h"

#include <string.h>

#include "sim/study/format/study_types.h"

#define STEADY_PRECISION "5%"

typedef struct {
    Arena *arena;
    Problems *problems;
} Maker;

/* `value` at a place that names the option; returns it. */
static Json *at_option(Json *value, Place at)
{
    value->at = at;
    if (value->key != NULL)
        value->key_at = at;
    return value;
}

static Json *put(const Maker *maker, Json *object, const char *key, Json *value, Place at)
{
    return at_option(json_set(maker->arena, object, key, value), at);
}

/* `text` as JSON; if it is not JSON, the text itself as a string. */
static Json *value_of(const Maker *maker, const char *text, Place at)
{
    Problems discarded = problems_create(maker->arena);
    Json *value = json_parse(maker->arena, at.source, text, strlen(text), JSON_STRICT, &discarded);
    return at_option(value != NULL ? value : json_string(maker->arena, text), at);
}

/* "1..16" and "all" stay texts, "2,4,8" becomes a list. */
static Json *values_of(const Maker *maker, const char *text, Place at)
{
    if ((strstr(text, "..") != NULL && strchr(text, ',') == NULL) ||
        strcmp(text, FACTOR_ALL_VALUES) == 0)
        return json_string(maker->arena, text);
    Json *list = json_array(maker->arena);
    for (const char *rest = text;; rest++) {
        const size_t length = strcspn(rest, ",");
        json_add(list, value_of(maker, arena_strndup(maker->arena, rest, length), at));
        rest += length;
        if (*rest == '\0')
            return list;
    }
}

static Status *refuse(const Maker *maker, Place at, const char *message)
{
    return problems_add(maker->problems, STATUS_BAD_INPUT, at, "%s", message);
}

static void add_factor(const Maker *maker, Json *factors, const char *option)
{
    const Place at = place_in(arena_printf(maker->arena, "--vary %s", option), 0, 0);
    const char *equals = strchr(option, '=');
    if (equals == NULL) {
        status_hint(refuse(maker, at, "a factor needs '=' and its values"),
                    "as in nodes=1..16, or load=/workloads/0/rate=6/h,12/h");
        return;
    }
    const char *name = arena_strndup(maker->arena, option, (size_t)(equals - option));
    const char *values = equals + 1, *pointer = NULL;
    if (name[0] == '/') {
        pointer = name;
        name = strrchr(name, '/') + 1;
    } else if (values[0] == '/' && strchr(values, '=') != NULL) {
        const char *second = strchr(values, '=');
        pointer = arena_strndup(maker->arena, values, (size_t)(second - values));
        values = second + 1;
    }
    if (json_member(factors, name) != NULL) {
        refuse(maker, at, "the factor is given twice");
        return;
    }
    Json *factor = put(maker, factors, name, json_object(maker->arena), at);
    if (pointer != NULL)
        put(maker, factor, "set", json_string(maker->arena, pointer), at);
    put(maker, factor, "values", values_of(maker, values, at), at);
}

static void add_baseline(const Maker *maker, Json *baseline, const char *option)
{
    const Place at = place_in(arena_printf(maker->arena, "--baseline %s", option), 0, 0);
    const char *equals = strchr(option, '=');
    if (equals == NULL) {
        status_hint(refuse(maker, at, "a level of the baseline needs '='"), "as in nodes=4");
        return;
    }
    const char *name = arena_strndup(maker->arena, option, (size_t)(equals - option));
    put(maker, baseline, name, json_string(maker->arena, equals + 1), at);
}

static void add_seeds(const Maker *maker, Json *root, const StudyOptions *options)
{
    const Place at = place_in("--seeds", 0, 0);
    Json *seeds = put(maker, root, "seeds", json_object(maker->arena), at);
    const int64_t least = options->seeds > 0 ? options->seeds : SEEDS_AT_LEAST;
    put(maker, seeds, "at_least", json_integer(maker->arena, least), at);
    const char *precision = options->precision != NULL ? options->precision
                            : options->is_steady       ? STEADY_PRECISION
                                                       : NULL;
    if (precision == NULL)
        return;
    const Place precision_at = place_in("--precision", 0, 0);
    const int64_t most = options->at_most > 0 ? options->at_most : 20 * least;
    if (options->at_most > 0 || !options->is_steady) // a steady study has a default
        put(maker, seeds, "at_most", json_integer(maker->arena, most), place_in("--at-most", 0, 0));
    Json *until = put(maker, seeds, "until", json_object(maker->arena), precision_at);
    for (int32_t i = 0; i < options->metric_count; i++)
        put(maker, until, options->metrics[i], json_string(maker->arena, precision), precision_at);
}

/* --- The goal of a plan --- */

static const char *trimmed(const Maker *maker, const char *begin, const char *end)
{
    while (begin < end && *begin == ' ')
        begin++;
    while (end > begin && end[-1] == ' ')
        end--;
    return arena_strndup(maker->arena, begin, (size_t)(end - begin));
}

/* 'waited_within(20m) >= 95%' */
static void add_slo(const Maker *maker, Json *list, const char *option)
{
    const Place at = place_in(arena_printf(maker->arena, "--slo %s", option), 0, 0);
    const char *least = strstr(option, ">="), *most = strstr(option, "<=");
    const char *sign = least != NULL ? least : most;
    if (sign == NULL || (least != NULL && most != NULL)) {
        status_hint(refuse(maker, at, "a constraint is a metric, '>=' or '<=', and a limit"),
                    "as in --slo 'waited_within(20m) >= 95%%'");
        return;
    }
    Json *item = at_option(json_add(list, json_object(maker->arena)), at);
    const char *limit = trimmed(maker, sign + 2, sign + strlen(sign));
    put(maker, item, "metric", json_string(maker->arena, trimmed(maker, option, sign)), at);
    put(maker, item, least != NULL ? "at_least" : "at_most", value_of(maker, limit, at), at);
}

static void add_text(const Maker *maker, Json *root, const char *key, const char *text)
{
    if (text != NULL)
        put(maker, root, key, json_string(maker->arena, text),
            place_in(arena_printf(maker->arena, "--%s", key), 0, 0));
}

static void add_goal(const Maker *maker, Json *root, const StudyOptions *options)
{
    add_text(maker, root, "minimise", options->minimise);
    add_text(maker, root, "maximise", options->maximise);
    add_text(maker, root, "confidence", options->confidence);
    add_text(maker, root, "indifference", options->indifference);
    if (options->slo_count > 0) {
        Json *list =
            put(maker, root, "subject_to", json_array(maker->arena), place_in("--slo", 0, 0));
        for (int32_t i = 0; i < options->slo_count; i++)
            add_slo(maker, list, options->slos[i]);
    }
    if (options->weather_count > 0) {
        const Place at = place_in("--weather", 0, 0);
        Json *list = put(maker, root, "weather", json_array(maker->arena), at);
        for (int32_t i = 0; i < options->weather_count; i++)
            at_option(json_add(list, json_string(maker->arena, options->weather[i])), at);
    }
    if (options->budget > 0) {
        const Place at = place_in("--budget", 0, 0);
        Json *budget = put(maker, root, "budget", json_object(maker->arena), at);
        put(maker, budget, "runs", json_integer(maker->arena, options->budget), at);
    }
}

static void add_metrics(const Maker *maker, Json *root, const StudyOptions *options)
{
    Json *metrics =
        put(maker, root, "metrics", json_array(maker->arena), place_in("--metric", 0, 0));
    for (int32_t i = 0; i < options->metric_count; i++)
        json_add(metrics,
                 at_option(json_string(maker->arena, options->metrics[i]),
                           place_in(arena_printf(maker->arena, "--metric %s", options->metrics[i]),
                                    0, 0)));
}

Json *study_of_options(Arena *arena, const char *verb, const StudyOptions *given,
                       Problems *problems)
{
    static const char *const waits[] = {"queue_s.mean"};
    StudyOptions complete = *given;
    if (given->is_steady && given->metric_count == 0) {
        complete.metrics = waits;
        complete.metric_count = 1;
    }
    const StudyOptions *options = &complete;
    const Maker maker = {.arena = arena, .problems = problems};
    const Place at = place_in(verb, 0, 0);
    const int32_t before = problems->count;
    Json *root = at_option(json_object(arena), at);
    put(&maker, root, "trainyard_study", json_integer(arena, STUDY_FORMAT), at);
    put(&maker, root, "scenario", json_string(arena, options->scenario), at);
    Json *factors = put(&maker, root, "factors", json_object(arena), at);
    for (int32_t i = 0; i < options->vary_count; i++)
        add_factor(&maker, factors, options->vary[i]);
    if (options->metric_count > 0 || (options->minimise == NULL && options->maximise == NULL))
        add_metrics(&maker, root, options);
    if (options->is_steady) {
        const Place steady_at = place_in("--steady", 0, 0);
        Json *horizon = put(&maker, root, "horizon", json_object(arena), steady_at);
        put(&maker, horizon, "kind", json_string(arena, "steady"), steady_at);
    }
    add_seeds(&maker, root, options);
    add_goal(&maker, root, options);
    if (options->baseline_count > 0) {
        Json *baseline = put(&maker, root, "baseline", json_object(arena), at);
        for (int32_t i = 0; i < options->baseline_count; i++)
            add_baseline(&maker, baseline, options->baseline[i]);
    }
    return problems->count == before ? root : NULL;
}
