#include "sim/study/study_options.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/schema/json_load.h"
#include "sim/study/format/constraint_text.h"
#include "sim/study/format/study_types.h"
#include "sim/study/goal.h"
#include "sim/study/point_scenario.h"

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
    return at_option(json_or_text(maker->arena, at.source, text), at);
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

/* "workloads_0_rate" of "/workloads/0/rate". */
static const char *name_of_pointer(Arena *arena, const char *pointer, size_t length)
{
    char *name = arena_strndup(arena, pointer + 1, length - 1);
    for (char *at = name; *at != '\0'; at++)
        if (!ascii_is_alphanumeric(*at))
            *at = '_';
    return name;
}

/* A factor with one level, "NAME=VALUE" or "/POINTER=VALUE". */
static void add_fixed(const Maker *maker, Json *root, const char *option, bool is_parameter)
{
    const char *verb = is_parameter ? "--param" : "--set";
    const Place at = place_in(arena_printf(maker->arena, "%s %s", verb, option), 0, 0);
    const char *equals = strchr(option, '=');
    Json *factors = json_member(root, "factors");
    if (equals == NULL || (option[0] == '/') == is_parameter || equals < option + 2) {
        status_hint(refuse(maker, at,
                           is_parameter ? "a parameter is set as NAME=VALUE"
                                        : "a value is set as /POINTER=VALUE"),
                    is_parameter ? "as in --param nodes=4" : "as in --set /until=2d");
        return;
    }
    const size_t length = (size_t)(equals - option);
    const char *name = is_parameter ? arena_strndup(maker->arena, option, length)
                                    : name_of_pointer(maker->arena, option, length);
    if (factors == NULL || factors->kind != JSON_OBJECT)
        factors = put(maker, root, "factors", json_object(maker->arena), at);
    if (json_member(factors, name) != NULL) {
        refuse(maker, at, "the study varies it already");
        return;
    }
    Json *factor = put(maker, factors, name, json_object(maker->arena), at);
    if (!is_parameter)
        put(maker, factor, "set",
            json_string(maker->arena, arena_strndup(maker->arena, option, length)), at);
    Json *values = put(maker, factor, "values", json_array(maker->arena), at);
    json_add(values, value_of(maker, equals + 1, at));
}

static void add_all_fixed(const Maker *maker, Json *root, const StudyOptions *options)
{
    for (int32_t i = 0; i < options->param_count; i++)
        add_fixed(maker, root, options->params[i], true);
    for (int32_t i = 0; i < options->set_count; i++)
        add_fixed(maker, root, options->sets[i], false);
}

static void add_baseline_level(const Maker *maker, Json *baseline, const char *option)
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

/* The levels of the options are the whole baseline. */
static void add_baseline(const Maker *maker, Json *root, const StudyOptions *options)
{
    if (options->baseline_count == 0)
        return;
    Json *baseline =
        put(maker, root, "baseline", json_object(maker->arena), place_in("--baseline", 0, 0));
    for (int32_t i = 0; i < options->baseline_count; i++)
        add_baseline_level(maker, baseline, options->baseline[i]);
}

/* Sets the member "at_least" of "seeds", and keeps the others. */
static Json *set_seeds(const Maker *maker, Json *root, int64_t least)
{
    const Place at = place_in("--seeds", 0, 0);
    Json *seeds = json_member(root, "seeds");
    if (seeds == NULL || seeds->kind != JSON_OBJECT)
        seeds = put(maker, root, "seeds", json_object(maker->arena), at);
    put(maker, seeds, "at_least", json_integer(maker->arena, least), at);
    return seeds;
}

static void add_seeds(const Maker *maker, Json *root, const StudyOptions *options)
{
    const int64_t least = options->seeds > 0 ? options->seeds : SEEDS_AT_LEAST;
    Json *seeds = set_seeds(maker, root, least);
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

/* The array `key` of `root`, which is made if `root` has none. */
static Json *list_in(const Maker *maker, Json *root, const char *key, Place at)
{
    Json *list = json_member(root, key);
    return list != NULL && list->kind == JSON_ARRAY
               ? list
               : put(maker, root, key, json_array(maker->arena), at);
}

/* The constraint of the same metric and side in `list`; NULL: the list lacks it. */
static Json *constraint_like(const Json *list, const char *metric, const char *side)
{
    for (Json *item = list->first; item != NULL; item = item->next) {
        const Json *name = json_member(item, "metric");
        if (name == NULL)
            name = json_member(item, "share");
        if (name != NULL && name->kind == JSON_STRING && strcmp(name->text, metric) == 0 &&
            json_member(item, side) != NULL)
            return item;
    }
    return NULL;
}

/* 'waited_within(20m) >= 95%' is added to `list`, or replaces the limit that is there. */
static void add_slo(const Maker *maker, Json *list, const char *option)
{
    const Place at = place_in(arena_printf(maker->arena, "--slo %s", option), 0, 0);
    Json *given = constraint_of_text(maker->arena, option, at, maker->problems);
    if (given == NULL)
        return;
    const Json *limit = json_member(given, "metric")->next;
    Json *item = constraint_like(list, json_member(given, "metric")->text, limit->key);
    if (item == NULL)
        json_add(list, given);
    else
        put(maker, item, limit->key, json_copy(maker->arena, limit, NULL), at);
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
        Json *list = list_in(maker, root, "subject_to", place_in("--slo", 0, 0));
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

static bool has_text(const Json *list, const char *text)
{
    for (const Json *item = list->first; item != NULL; item = item->next)
        if (item->kind == JSON_STRING && strcmp(item->text, text) == 0)
            return true;
    return false;
}

/* Adds the metrics that are not listed yet. */
static void add_metrics(const Maker *maker, Json *root, const StudyOptions *options)
{
    Json *metrics = list_in(maker, root, "metrics", place_in("--metric", 0, 0));
    for (int32_t i = 0; i < options->metric_count; i++) {
        const char *name = options->metrics[i];
        if (!has_text(metrics, name))
            at_option(json_add(metrics, json_string(maker->arena, name)),
                      place_in(arena_printf(maker->arena, "--metric %s", name), 0, 0));
    }
}

/* --- Studies without a file --- */

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
    put(&maker, root, "scenario", json_string(arena, options->path), at);
    Json *factors = put(&maker, root, "factors", json_object(arena), at);
    for (int32_t i = 0; i < options->vary_count; i++)
        add_factor(&maker, factors, options->vary[i]);
    add_all_fixed(&maker, root, options);
    if (options->metric_count > 0)
        add_metrics(&maker, root, options);
    if (options->is_steady) {
        const Place steady_at = place_in("--steady", 0, 0);
        Json *horizon = put(&maker, root, "horizon", json_object(arena), steady_at);
        put(&maker, horizon, "kind", json_string(arena, "steady"), steady_at);
    }
    add_seeds(&maker, root, options);
    add_goal(&maker, root, options);
    add_baseline(&maker, root, options);
    return problems->count == before ? root : NULL;
}

/* --- Studies in files --- */

/* Whether the options fit a study file. Adds a problem for each that does not. */
static bool options_fit(const StudyOptions *options, Problems *problems)
{
    static const char seeds[] = "\"seeds\" of the file say how often points are run, as in "
                                "{\"at_most\": 400, \"until\": {\"cost_usd.total\": \"5%\"}}";
    const struct {
        const char *option;
        bool is_given;
        const char *hint;
    } others[] = {
        {"--vary", options->vary_count > 0,
         "\"factors\" of the file say what varies; --vary is for a scenario without a study file"},
        {"--steady", options->is_steady, "\"horizon\": {\"kind\": \"steady\"} in the file says it"},
        {"--precision", options->precision != NULL, seeds},
        {"--at-most", options->at_most > 0, seeds}};
    const int32_t before = problems->count;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].is_given)
            status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(others[i].option, 0, 0),
                                     "does not go with a study file"),
                        "%s", others[i].hint);
    return problems->count == before;
}

static bool keeps_without_objective(const char *parent, const char *key)
{
    return parent != NULL || (strcmp(key, "minimise") != 0 && strcmp(key, "maximise") != 0);
}

/* The study with the changes of the options; NULL with problems. */
static Json *changed_study(Arena *arena, const Json *study, const StudyOptions *options,
                           Problems *problems)
{
    const Maker maker = {.arena = arena, .problems = problems};
    const int32_t before = problems->count;
    const bool has_objective = options->minimise != NULL || options->maximise != NULL;
    Json *root = json_copy(arena, constraints_as_objects(arena, study, problems),
                           has_objective ? keeps_without_objective : NULL);
    add_all_fixed(&maker, root, options);
    if (options->metric_count > 0)
        add_metrics(&maker, root, options);
    if (options->seeds > 0)
        set_seeds(&maker, root, options->seeds);
    add_goal(&maker, root, options);
    add_baseline(&maker, root, options);
    return problems->count == before ? root : NULL;
}

static bool changes_study(const StudyOptions *options)
{
    return options->metric_count > 0 || options->param_count > 0 || options->set_count > 0 ||
           options->seeds > 0 || options->baseline_count > 0 || options->minimise != NULL ||
           options->maximise != NULL || options->confidence != NULL ||
           options->indifference != NULL || options->slo_count > 0 || options->weather_count > 0 ||
           options->budget > 0;
}

/* Whether the options are enough for a study of a scenario. */
static bool makes_study(const StudyOptions *options)
{
    return options->vary_count > 0 || options->metric_count > 0 || options->is_steady ||
           options->minimise != NULL || options->maximise != NULL;
}

static Study *read_changed(Arena *arena, FileSource files, const Json *root,
                           const StudyOptions *options, Problems *problems)
{
    const Json *changed = changed_study(arena, root, options, problems);
    Study *study =
        changed != NULL ? study_read_tree(arena, files, options->path, changed, problems) : NULL;
    if (study == NULL || study->goal == NULL)
        return study;
    Goal *goal = ARENA_NEW(arena, Goal);
    *goal = *study->goal;
    goal->study_path = NULL; // the file alone is another study
    study->goal = goal;
    return study;
}

static Study *read_study(Arena *arena, FileSource files, const char *verb,
                         const StudyOptions *options, Problems *problems)
{
    const JsonLoader loader = {.arena = arena, .files = files, .problems = problems};
    Status status = {0};
    const Json *root = json_load(&loader, options->path, JSON_WITH_COMMENTS, &status);
    if (root == NULL) {
        if (status.code != STATUS_OK)
            problems_add_status(problems, &status);
        return NULL;
    }
    if (json_member(root, "trainyard_study") != NULL) {
        if (!options_fit(options, problems))
            return NULL;
        return changes_study(options)
                   ? read_changed(arena, files, root, options, problems)
                   : study_read_tree(arena, files, options->path, root, problems);
    }
    if (!makes_study(options))
        return study_read_tree(arena, files, options->path, root, problems);
    const Json *made = study_of_options(arena, verb, options, problems);
    return made != NULL ? study_read_tree(arena, files, verb, made, problems) : NULL;
}

/* Refuses factors that set the policy if none of their levels is "outside": all of them would be
 * the same. A plan does not choose between the two kinds. */
static bool policy_is_clear(const Study *study, Problems *problems)
{
    const int32_t before = problems->count;
    if (study_has_outside_level(study) && study->goal == NULL)
        return true;
    for (int32_t f = 0; f < study->factor_count; f++)
        for (int32_t i = 0; i < study->factors[f]->levels[0].setting_count; i++) {
            const Setting *setting = &study->factors[f]->levels[0].settings[i];
            if (strcmp(setting->target, "/policy") == 0)
                status_hint(problems_add(problems, STATUS_BAD_INPUT, setting->at,
                                         "the study varies the policy, which --policy replaces"),
                            study->goal == NULL
                                ? "name it among the levels: --vary "
                                  "policy=/policy=service,backfill,outside"
                                : "leave the policy out of the factors, or run without --policy");
        }
    return problems->count == before;
}

Study *study_read_with(Arena *arena, FileSource files, const char *verb,
                       const StudyOptions *options, Problems *problems)
{
    Study *study = read_study(arena, files, verb, options, problems);
    if (study == NULL || options->policy == NULL)
        return study;
    study->policy = options->policy;
    if (study->goal != NULL) {
        Goal *goal = ARENA_NEW(arena, Goal);
        *goal = *study->goal;
        goal->study_path = NULL; // as in read_changed
        study->goal = goal;
    }
    return policy_is_clear(study, problems) ? study : NULL;
}
