#include "sim/study/outcome.h"

#include <math.h>
#include <string.h>

#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/schema/json_load.h"
#include "sim/study/goal_json.h"
#include "sim/study/policy/study_policy.h"
#include "sim/study/waves.h"

typedef struct {
    Arena *arena;
    const Json *root;
    Study *study;
    NameTable **levels; /* [factor_count] from labels to levels */
    const char *wrong;  /* the member that is missing or wrong */
} Reader;

/* --- Members of the tree; a wrong one is noted in `wrong` --- */

static bool refuse(Reader *reader, const char *key)
{
    reader->wrong = key;
    return false;
}

static const Json *member(Reader *reader, const Json *object, const char *key, JsonKind kind)
{
    const Json *found = json_member(object, key);
    if (found != NULL && found->kind == kind)
        return found;
    if (object != NULL) // otherwise the missing object is noted
        refuse(reader, key);
    return NULL;
}

static bool read_text(Reader *reader, const Json *object, const char *key, const char **text)
{
    const Json *found = member(reader, object, key, JSON_STRING);
    if (found != NULL)
        *text = found->text;
    return found != NULL;
}

/* NULL for null and for an absent member. */
static const char *optional_text(const Json *object, const char *key)
{
    const Json *found = json_member(object, key);
    return found != NULL && found->kind == JSON_STRING ? found->text : NULL;
}

static bool read_whole(Reader *reader, const Json *object, const char *key, int64_t least,
                       int64_t most, int64_t *value)
{
    const Json *found = member(reader, object, key, JSON_NUMBER);
    if (found == NULL)
        return false;
    if (!found->is_integer || found->integer < least || found->integer > most)
        return refuse(reader, key);
    *value = found->integer;
    return true;
}

static bool read_count(Reader *reader, const Json *object, const char *key, int32_t least,
                       int32_t *value)
{
    int64_t whole = 0;
    const bool is_read = read_whole(reader, object, key, least, REPLICATIONS_MAX, &whole);
    *value = (int32_t)whole;
    return is_read;
}

/* --- Metrics and seeds --- */

/* The kind of a metric decides how its runs are put together. */
static bool read_kind(Reader *reader, StudyMetric *metric)
{
    const char *name = optional_text(json_member(reader->root, "kinds"), metric->name);
    int kind = 0;
    while (name != NULL && kind < MEASURE_KIND_COUNT &&
           strcmp(measure_kind_name((MeasureKind)kind), name) != 0)
        kind++;
    if (name == NULL || kind == MEASURE_KIND_COUNT)
        return refuse(reader, "kinds");
    metric->kind = (MeasureKind)kind;
    return metric->kind != MEASURE_PERCENTILE ||
           read_whole(reader, json_member(reader->root, "quantiles_ppb"), metric->name, 1,
                      999999999, &metric->quantile_ppb);
}

/* "auto", or nanoseconds. */
static bool read_auto(Reader *reader, const Json *node, const char *key, int64_t *ns)
{
    const char *text = optional_text(node, key);
    *ns = HORIZON_AUTO;
    return text != NULL ? strcmp(text, "auto") == 0 || refuse(reader, key)
                        : read_whole(reader, node, key, 0, LAST_INSTANT_NS, ns);
}

static bool read_horizon(Reader *reader)
{
    const Json *node = json_member(reader->root, "horizon");
    Horizon *horizon = &reader->study->horizon;
    if (node == NULL)
        return true;
    horizon->kind = HORIZON_STEADY;
    if (optional_text(node, "method") != NULL)
        horizon->method = STEADY_BY_BATCHES;
    return read_auto(reader, node, "warm_up_ns", &horizon->warm_up_ns) &&
           read_auto(reader, node, "length_ns", &horizon->length_ns) &&
           read_whole(reader, node, "jobs", 1, INT64_MAX, &horizon->jobs_most);
}

static bool read_metrics(Reader *reader)
{
    const Json *list = member(reader, reader->root, "metrics", JSON_ARRAY);
    const Json *units = json_member(reader->root, "units");
    if (list == NULL || list->count < 1 || list->count > METRICS_MAX)
        return refuse(reader, "metrics");
    StudyMetric *metrics = ARENA_ARRAY(reader->arena, StudyMetric, list->count);
    reader->study->metrics = metrics;
    for (const Json *item = list->first; item != NULL; item = item->next) {
        if (item->kind != JSON_STRING)
            return refuse(reader, "metrics");
        metrics[reader->study->metric_count++] =
            (StudyMetric){.name = item->text, .unit = optional_text(units, item->text)};
        if (!read_kind(reader, &metrics[reader->study->metric_count - 1]))
            return false;
    }
    if (!read_horizon(reader))
        return false;
    study_number_values(reader->study, metrics);
    return true;
}

/* Half-widths as parts of values, or as amounts. */
static bool read_rules(Reader *reader, const Json *ppm, const Json *nano)
{
    SeedPlan *seeds = &reader->study->seeds;
    StopRule *rules = ARENA_ARRAY(reader->arena, StopRule, ppm->count + nano->count + 1);
    const Json *const lists[] = {ppm, nano};
    seeds->rules = rules;
    for (int i = 0; i < 2; i++)
        for (const Json *item = lists[i]->first; item != NULL; item = item->next) {
            const int32_t metric = study_find_metric(reader->study, item->key);
            if (metric < 0 || item->kind != JSON_NUMBER || !item->is_integer || item->integer <= 0)
                return refuse(reader, "until_ppm");
            rules[seeds->rule_count++] = (StopRule){.metric = metric,
                                                    .width_ppm = i == 0 ? item->integer : 0,
                                                    .width_nano = i == 1 ? item->integer : 0};
        }
    return true;
}

static bool read_seeds(Reader *reader)
{
    SeedPlan *seeds = &reader->study->seeds;
    const Json *node = member(reader, reader->root, "seeds", JSON_OBJECT);
    const Json *ppm = member(reader, node, "until_ppm", JSON_OBJECT);
    const Json *nano = member(reader, node, "until_nano", JSON_OBJECT);
    int64_t first = 0;
    if (node == NULL || ppm == NULL || nano == NULL ||
        !read_whole(reader, node, "first", INT64_MIN, INT64_MAX, &first) ||
        !read_count(reader, node, "at_least", 1, &seeds->at_least) ||
        !read_count(reader, node, "at_most", seeds->at_least, &seeds->at_most))
        return false;
    seeds->first = (uint64_t)first;
    const Json *independent = json_member(node, "independent");
    seeds->is_independent = independent != NULL && independent->boolean;
    return read_rules(reader, ppm, nano);
}

/* --- Factors --- */

/* "--set", "/seed=7", ... as settings. */
static bool read_settings(Reader *reader, const Json *words, int32_t *count, const Setting **out)
{
    if (words->kind != JSON_ARRAY || words->count % 2 != 0)
        return refuse(reader, "changes");
    Setting *settings = ARENA_ARRAY(reader->arena, Setting, words->count / 2 + 1);
    *count = 0;
    *out = settings;
    for (const Json *word = words->first; word != NULL; word = word->next->next) {
        const Json *change = word->next;
        const char *equals = word->kind == JSON_STRING && change->kind == JSON_STRING
                                 ? strchr(change->text, '=')
                                 : NULL;
        if (equals == NULL)
            return refuse(reader, "changes");
        settings[(*count)++] = (Setting){
            .target = arena_strndup(reader->arena, change->text, (size_t)(equals - change->text)),
            .is_parameter = strcmp(word->text, "--param") == 0,
            .value = equals + 1};
    }
    return true;
}

static bool read_levels(Reader *reader, const Json *labels, const Json *changes, Factor *factor,
                        NameTable *known)
{
    Level *levels = ARENA_ARRAY(reader->arena, Level, labels->count + 1);
    factor->levels = levels;
    const Json *change = changes->first;
    for (const Json *label = labels->first; label != NULL; label = label->next) {
        int32_t count;
        const Setting *settings;
        if (label->kind != JSON_STRING)
            return refuse(reader, "factors");
        if (!read_settings(reader, change, &count, &settings))
            return false;
        change = change->next;
        name_table_set(known, label->text, (uint32_t)factor->level_count);
        levels[factor->level_count++] = level_create(label->text, count, settings);
    }
    return true;
}

static bool read_factors(Reader *reader)
{
    Study *study = reader->study;
    const Json *factors = member(reader, reader->root, "factors", JSON_OBJECT);
    const Json *changes = member(reader, reader->root, "changes", JSON_OBJECT);
    if (factors == NULL || changes == NULL)
        return false;
    const Factor **made = ARENA_ARRAY(reader->arena, const Factor *, factors->count + 1);
    reader->levels = ARENA_ARRAY(reader->arena, NameTable *, factors->count + 1);
    study->factors = made;
    for (const Json *node = factors->first; node != NULL; node = node->next) {
        const Json *own = member(reader, changes, node->key, JSON_ARRAY);
        if (own == NULL || node->kind != JSON_ARRAY || own->count != node->count)
            return refuse(reader, "changes");
        Factor *factor = ARENA_NEW(reader->arena, Factor);
        factor->name = node->key;
        reader->levels[study->factor_count] = name_table_create(reader->arena);
        if (!read_levels(reader, node, own, factor, reader->levels[study->factor_count]))
            return false;
        made[study->factor_count++] = factor;
    }
    return true;
}

static int32_t find_factor(const Reader *reader, const char *name)
{
    for (int32_t f = 0; f < reader->study->factor_count; f++)
        if (strcmp(reader->study->factors[f]->name, name) == 0)
            return f;
    return -1;
}

/* The level of factor `f` called `label`; -1: no level has that label. */
static int32_t find_level(const Reader *reader, int32_t f, const char *label)
{
    uint32_t level;
    return f >= 0 && label != NULL && name_table_find(reader->levels[f], label, &level)
               ? (int32_t)level
               : -1;
}

/* --- Points --- */

static bool read_point(Reader *reader, const Json *item, int32_t *levels, int32_t *compared_with)
{
    const Study *study = reader->study;
    const Json *labels = member(reader, item, "factors", JSON_OBJECT);
    const Json *other = json_member(item, "compared_with");
    for (int32_t f = 0; labels != NULL && f < study->factor_count; f++) {
        levels[f] = find_level(reader, f, optional_text(labels, study->factors[f]->name));
        if (levels[f] < 0)
            return refuse(reader, "points");
    }
    int64_t with = NO_POINT;
    if (other != NULL &&
        !read_whole(reader, item, "compared_with", 0, study->point_count - 1, &with))
        return false;
    *compared_with = (int32_t)with;
    return labels != NULL;
}

static bool read_points(Reader *reader)
{
    Study *study = reader->study;
    const Json *points = member(reader, reader->root, "points", JSON_ARRAY);
    if (points == NULL || points->count < 1)
        return refuse(reader, "points");
    const size_t factors = (size_t)study->factor_count;
    int32_t *levels = ARENA_ARRAY(reader->arena, int32_t, (size_t)points->count * factors + 1);
    int32_t *compared_with = ARENA_ARRAY(reader->arena, int32_t, points->count);
    study->point_count = points->count;
    study->levels = levels;
    study->compared_with = compared_with;
    int32_t point = 0;
    for (const Json *item = points->first; item != NULL; item = item->next, point++)
        if (!read_point(reader, item, levels + (size_t)point * factors, &compared_with[point]))
            return false;
    return true;
}

static bool read_baseline(Reader *reader)
{
    Study *study = reader->study;
    const Json *node = json_member(reader->root, "baseline");
    int32_t *baseline = ARENA_ARRAY(reader->arena, int32_t, study->factor_count + 1);
    study->baseline = baseline;
    study->has_baseline = node != NULL;
    for (int32_t f = 0; f < study->factor_count; f++) {
        const char *label = optional_text(node, study->factors[f]->name);
        baseline[f] = label != NULL ? find_level(reader, f, label) : -1;
    }
    return true;
}

/* --- The design --- */

static bool read_axes(Reader *reader, const Json *node, Design *design)
{
    const Json *axes = member(reader, node, "axes", JSON_OBJECT);
    int32_t *axis_of = ARENA_ARRAY(reader->arena, int32_t, design->factor_count + 1);
    design->axis_of = axis_of;
    for (int32_t f = 0; f < design->factor_count; f++) {
        if (!read_count(reader, axes, reader->study->factors[f]->name, 0, &axis_of[f]) ||
            axis_of[f] > design->axis_count)
            return refuse(reader, "axes");
        design->axis_count += axis_of[f] == design->axis_count;
    }
    return axes != NULL;
}

/* The coordinates of a Morris design, each step of which moves an axis. */
static bool read_coordinates(Reader *reader, const Json *node, Design *design)
{
    const Json *rows = member(reader, node, "units", JSON_ARRAY);
    if (rows == NULL || rows->count != design->point_count)
        return refuse(reader, "units");
    design->units = ARENA_ARRAY(reader->arena, double,
                                (size_t)design->point_count *(size_t)design->axis_count + 1);
    double *next = design->units;
    int32_t point = 0;
    for (const Json *row = rows->first; row != NULL; row = row->next, point++) {
        const double *before = next - design->axis_count;
        const bool is_step = point % (design->axis_count + 1) > 0;
        int32_t moved = 0;
        if (row->kind != JSON_ARRAY || row->count != design->axis_count)
            return refuse(reader, "units");
        for (const Json *cell = row->first; cell != NULL; cell = cell->next, next++) {
            *next = cell->number;
            moved += is_step && *next != before[next - before - design->axis_count];
        }
        if (is_step && moved != 1)
            return refuse(reader, "units");
    }
    return true;
}

/* Each point as values: the numbers of its levels. */
static void fill_values(Reader *reader, Design *design)
{
    const size_t count = (size_t)design->point_count * (size_t)design->factor_count;
    design->values = ARENA_ARRAY(reader->arena, double, count + 1);
    for (size_t i = 0; i < count; i++)
        design->values[i] = reader->study->levels[i];
}

static int32_t points_of_size(const Design *design)
{
    switch (design->plan.kind) {
    case DESIGN_MORRIS:
        return design->axis_count + 1;
    case DESIGN_SALTELLI:
        return design->axis_count + 2;
    case DESIGN_GRID:
    case DESIGN_LATIN_HYPERCUBE:
    case DESIGN_SOBOL:
    case DESIGN_ONE_AT_A_TIME:
    case DESIGN_KIND_COUNT:
        break;
    }
    return 0;
}

static bool read_design(Reader *reader)
{
    Study *study = reader->study;
    const Json *node = member(reader, reader->root, "design", JSON_OBJECT);
    const char *kind = "";
    Design *design = ARENA_NEW(reader->arena, Design);
    *design = (Design){.factor_count = study->factor_count, .point_count = study->point_count};
    study->design = design;
    if (node == NULL || !read_text(reader, node, "kind", &kind) ||
        !read_count(reader, node, "size", 0, &design->plan.size) ||
        !read_axes(reader, node, design))
        return false;
    while (design->plan.kind < DESIGN_KIND_COUNT &&
           strcmp(design_kind_name(design->plan.kind), kind) != 0)
        design->plan.kind++;
    const int64_t rows = points_of_size(design);
    if (design->plan.kind == DESIGN_KIND_COUNT ||
        (rows > 0 && rows * design->plan.size != design->point_count))
        return refuse(reader, "design");
    fill_values(reader, design);
    return design->plan.kind != DESIGN_MORRIS || read_coordinates(reader, node, design);
}

static bool read_logs(Reader *reader)
{
    const Json *list = member(reader, json_member(reader->root, "design"), "on_log", JSON_ARRAY);
    for (const Json *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        const int32_t f = item->kind == JSON_STRING ? find_factor(reader, item->text) : -1;
        if (f < 0)
            return refuse(reader, "on_log");
        ((Factor *)reader->study->factors[f])->is_log = true; // made by read_factors
    }
    return list != NULL;
}

/* --- Identity and idle levels --- */

static bool read_identity(Reader *reader, JournalIdentity *identity)
{
    const Json *root = reader->root, *hashes = member(reader, root, "hashes", JSON_OBJECT);
    const Study *study = reader->study;
    *identity = (JournalIdentity){.metrics = study_value_names(reader->arena, study),
                                  .metric_count = (uint32_t)study->value_count,
                                  .policy = study_policy_checksum(study->policy)};
    return read_text(reader, root, "version", &identity->version) &&
           read_text(reader, root, "rng", &identity->rng) &&
           read_text(reader, hashes, "points", &identity->study) &&
           read_text(reader, hashes, "scenario", &identity->scenario) &&
           read_text(reader, hashes, "catalogue", &identity->catalogue) &&
           read_text(reader, hashes, "workloads", &identity->workloads);
}

static bool read_idle(Reader *reader, StudyOutcome *outcome)
{
    const Json *list = json_member(reader->root, "did_nothing");
    if (list == NULL)
        return true;
    IdleLevels *idle = ARENA_ARRAY(reader->arena, IdleLevels, list->count + 1);
    outcome->idle = idle;
    for (const Json *item = list->first; item != NULL; item = item->next) {
        const char *name = optional_text(item, "factor");
        const Json *is_exact = json_member(item, "is_exact");
        const int32_t f = name != NULL ? find_factor(reader, name) : -1;
        const IdleLevels found = {.factor = f,
                                  .first_level =
                                      find_level(reader, f, optional_text(item, "first")),
                                  .last_level = find_level(reader, f, optional_text(item, "last")),
                                  .is_exact = is_exact != NULL && is_exact->boolean,
                                  .reason = optional_text(item, "reason")};
        if (f < 0 || found.first_level < 0 || found.last_level < found.first_level)
            return refuse(reader, "did_nothing");
        idle[outcome->idle_count++] = found;
    }
    return true;
}

/* --- The whole --- */

static int64_t whole_or(const Json *object, const char *key, int64_t fallback)
{
    const Json *node = json_member(object, key);
    return node != NULL && node->is_integer ? node->integer : fallback;
}

static double real_or_nan(const Json *object, const char *key)
{
    const Json *node = json_member(object, key);
    return node != NULL && node->kind == JSON_NUMBER ? node->number : (double)NAN;
}

static Interval read_trend(const Json *root)
{
    const Json *trend = json_member(root, "piece_trend");
    return (Interval){real_or_nan(trend, "value"), real_or_nan(trend, "low"),
                      real_or_nan(trend, "high"), (int32_t)whole_or(trend, "count", 0), 0.95};
}

static bool read_all(Reader *reader, StudyOutcome *outcome)
{
    Study *study = reader->study;
    study->description = optional_text(reader->root, "description");
    study->policy = study_policy_read(reader->arena, json_member(reader->root, "policy"));
    study->until_ns = whole_or(reader->root, "until_ns", INT64_MAX);
    study->period_ns = whole_or(reader->root, "period_ns", 0);
    study->recurs = json_is_true(reader->root, "recurs");
    study->replays = json_is_true(reader->root, "replays");
    study->piece_ns = whole_or(reader->root, "piece_ns", 0);
    study->piece_count = whole_or(reader->root, "piece_count", 0);
    study->piece_trend = read_trend(reader->root);
    return member(reader, reader->root, "trainyard_study_expanded", JSON_NUMBER) != NULL &&
           read_text(reader, reader->root, "scenario", &study->scenario_path) &&
           read_metrics(reader) && read_seeds(reader) && read_factors(reader) &&
           read_points(reader) && read_baseline(reader) && read_design(reader) &&
           read_logs(reader) && read_identity(reader, &outcome->identity) &&
           read_idle(reader, outcome) &&
           (goal_json_read(reader->arena, reader->root, study) || refuse(reader, "goal"));
}

bool study_outcome_read_tree(Arena *arena, const Json *root, StudyOutcome *outcome, Status *status)
{
    Reader reader = {.arena = arena, .root = root, .study = ARENA_NEW(arena, Study)};
    *outcome = (StudyOutcome){.findings = {.study = reader.study}};
    *reader.study = (Study){.path = root->at.source};
    if (read_all(&reader, outcome))
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(root->at.source, 0, 0),
                "is not a study.json of this version: \"%s\" is missing or wrong", reader.wrong);
    return status_hint(status, "`trainyard sweep STUDY -o DIR` writes it again, and keeps the runs "
                               "in DIR");
}

const Json *study_folder_load(Arena *arena, FileSource files, const char *folder,
                              Problems *problems)
{
    const JsonLoader loader = {.arena = arena, .files = files, .problems = problems};
    Status status = {0};
    const Json *root =
        json_load(&loader, arena_printf(arena, "%s/study.json", folder), JSON_STRICT, &status);
    if (root == NULL && status.code != STATUS_OK) {
        status_hint(&status, "`trainyard sweep STUDY -o %s` writes it", folder);
        problems_add_status(problems, &status);
    }
    return root;
}

bool study_outcome_read(Arena *arena, FileSource files, const char *folder, StudyOutcome *outcome,
                        Problems *problems)
{
    const Json *root = study_folder_load(arena, files, folder, problems);
    Status status = {0};
    int64_t count;
    if (root == NULL)
        return false;
    if (!study_outcome_read_tree(arena, root, outcome, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    const Study *study = outcome->findings.study;
    Results *results = results_create(arena, study);
    if (!results_load(results, folder, &outcome->identity, &count, problems))
        return false;
    Waves *waves = waves_create(arena, study, results, (Shard){0, 1});
    outcome->findings.results = results;
    outcome->findings.used = waves_all_used(arena, waves);
    outcome->done_count = waves_done_count(waves);
    outcome->run_count = waves_run_count(waves);
    return true;
}
