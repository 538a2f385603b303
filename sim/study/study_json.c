#include "sim/study/study_json.h"

#include <string.h>

#include "sim/base/name_table.h"
#include "sim/scenario/whole.h"
#include "sim/study/goal_json.h"
#include "sim/study/point_scenario.h"
#include "sim/study/policy/study_policy.h"

static const char rng_name[] = "philox4x32-10/v1"; // as sim/engine/rng.h has it

/* --- Hashes --- */

static uint64_t text_hash(uint64_t hash, const char *text)
{
    return bytes_hash(hash, text, strlen(text) + 1); // the NUL separates texts
}

static uint64_t tree_hash(const Json *tree)
{
    Text text = {0};
    json_print(&text, tree, JSON_COMPACT);
    const uint64_t hash = text_hash(HASH_START, text_string(&text));
    text_free(&text);
    return hash;
}

static const char *hash_text(Arena *arena, uint64_t hash)
{
    return arena_printf(arena, "%016" PRIx64, hash);
}

/* The members that the runs of a steady study depend on. */
static uint64_t horizon_hash(uint64_t hash, const Study *study)
{
    const Horizon *horizon = &study->horizon;
    if (horizon->kind != HORIZON_STEADY)
        return hash;
    const int64_t numbers[] = {horizon->warm_up_ns, horizon->length_ns, horizon->jobs_most,
                               study->seeds.at_least};
    hash = bytes_hash(hash, numbers, sizeof numbers);
    if (horizon->method == STEADY_BY_BATCHES)
        hash = text_hash(hash, "batch-means");
    for (int32_t i = 0; i < study->seeds.rule_count; i++) {
        const StopRule *rule = &study->seeds.rules[i];
        hash = text_hash(hash, study->metrics[rule->metric].name);
        hash = bytes_hash(hash, &rule->width_ppm, sizeof rule->width_ppm);
        hash = bytes_hash(hash, &rule->width_nano, sizeof rule->width_nano);
    }
    return hash;
}

static uint64_t points_hash(const Study *study)
{
    uint64_t hash = bytes_hash(HASH_START, &study->seeds.first, sizeof study->seeds.first);
    if (study->seeds.is_independent)
        hash = text_hash(hash, "independent");
    hash = horizon_hash(hash, study);
    Arena *scratch = arena_create();
    for (int32_t point = 0; point < study->point_count; point++) {
        const ArenaMark mark = arena_mark(scratch);
        int32_t count;
        const Setting *settings = point_settings(scratch, study, point, &count);
        for (int32_t i = 0; i < count; i++)
            hash = text_hash(hash, setting_change(scratch, &settings[i]));
        hash = text_hash(hash, "");
        arena_rewind(scratch, mark);
    }
    arena_destroy(scratch);
    return hash;
}

/* Checksums of the files that the scenario reads and whose content is not in its tree: job lists.
 * "" if there are none. */
static const char *workloads_hash(Arena *arena, const RunGiven *given)
{
    static const char json[] = ".json";
    uint64_t hash = HASH_START;
    for (uint32_t i = 0; i < given->file_count; i++) {
        const char *name = given->files[i].name;
        const size_t length = strlen(name);
        if (length < strlen(json) || strcmp(name + length - strlen(json), json) != 0)
            hash = text_hash(hash, given->files[i].value);
    }
    return hash != HASH_START ? hash_text(arena, hash) : "";
}

JournalIdentity study_identity(Arena *arena, const Study *study, const char *version)
{
    Json *scenario = scenario_whole(arena, study->scenario);
    const Json *catalogue = json_member(scenario, "catalog");
    return (JournalIdentity){
        .version = version,
        .rng = rng_name,
        .study = hash_text(arena, points_hash(study)),
        .scenario = hash_text(arena, tree_hash(scenario)),
        .catalogue = catalogue != NULL ? hash_text(arena, tree_hash(catalogue)) : "",
        .workloads = workloads_hash(arena, &study->scenario->scenario.given),
        .policy = study_policy_checksum(study->policy),
        .metrics = study_value_names(arena, study),
        .metric_count = (uint32_t)study->value_count,
    };
}

/* --- Writing --- */

static void put_factors(Arena *arena, Json *root, const Study *study)
{
    Json *factors = json_put_object(arena, root, "factors");
    for (int32_t f = 0; f < study->factor_count; f++) {
        Json *levels = json_put_array(arena, factors, study->factors[f]->name);
        for (int32_t i = 0; i < study->factors[f]->level_count; i++)
            json_add(levels, json_string(arena, study->factors[f]->levels[i].label));
    }
}

static void put_settings(Arena *arena, Json *list, const Setting *settings, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        json_add(list, json_string(arena, setting_option(&settings[i])));
        json_add(list, json_string(arena, setting_change(arena, &settings[i])));
    }
}

static void put_points(Arena *arena, Json *root, const Study *study)
{
    Json *points = json_put_array(arena, root, "points");
    for (int32_t point = 0; point < study->point_count; point++) {
        Json *item = json_add(points, json_object(arena));
        json_put_integer(arena, item, "point", point);
        Json *levels = json_put_object(arena, item, "factors");
        for (int32_t f = 0; f < study->factor_count; f++)
            json_put_text(arena, levels, study->factors[f]->name,
                          point_level(study, point, f)->label);
        int32_t count;
        const Setting *settings = point_settings(arena, study, point, &count);
        put_settings(arena, json_put_array(arena, item, "set"), settings, count);
        if (study->has_baseline && study->compared_with[point] != NO_POINT)
            json_put_integer(arena, item, "compared_with", study->compared_with[point]);
    }
}

static void put_auto(Arena *arena, Json *object, const char *key, int64_t ns)
{
    if (ns == HORIZON_AUTO)
        json_put_text(arena, object, key, "auto");
    else
        json_put_integer(arena, object, key, ns);
}

static void put_horizon(Arena *arena, Json *root, const Horizon *horizon)
{
    Json *object = json_put_object(arena, root, "horizon");
    json_put_text(arena, object, "kind", "steady");
    if (horizon->method == STEADY_BY_BATCHES)
        json_put_text(arena, object, "method", "batch-means");
    put_auto(arena, object, "warm_up_ns", horizon->warm_up_ns);
    put_auto(arena, object, "length_ns", horizon->length_ns);
    json_put_integer(arena, object, "jobs", horizon->jobs_most);
}

static void put_seeds(Arena *arena, Json *root, const Study *study)
{
    Json *seeds = json_put_object(arena, root, "seeds");
    json_put_integer(arena, seeds, "first", (int64_t)study->seeds.first);
    if (study->seeds.is_independent)
        json_put_boolean(arena, seeds, "independent", true);
    json_put_integer(arena, seeds, "at_least", study->seeds.at_least);
    json_put_integer(arena, seeds, "at_most", study->seeds.at_most);
    Json *ppm = json_put_object(arena, seeds, "until_ppm");
    Json *amounts = json_put_object(arena, seeds, "until_nano");
    for (int32_t i = 0; i < study->seeds.rule_count; i++) {
        const StopRule *rule = &study->seeds.rules[i];
        const char *name = study->metrics[rule->metric].name;
        if (rule->width_ppm > 0)
            json_put_integer(arena, ppm, name, rule->width_ppm);
        else
            json_put_integer(arena, amounts, name, rule->width_nano);
    }
}

static void put_trend(Arena *arena, Json *root, const Interval *trend)
{
    Json *object = json_put_object(arena, root, "piece_trend");
    json_put_real(arena, object, "value", trend->value);
    json_put_real(arena, object, "low", trend->low);
    json_put_real(arena, object, "high", trend->high);
    json_put_integer(arena, object, "count", trend->count);
}

/* Facts that reports need and that names and labels do not say. */
static void put_units(Arena *arena, Json *root, const Study *study)
{
    Json *units = json_put_object(arena, root, "units");
    for (int32_t m = 0; m < study->metric_count; m++)
        json_put_text(arena, units, study->metrics[m].name, study->metrics[m].unit);
    Json *kinds = json_put_object(arena, root, "kinds");
    Json *quantiles = json_put_object(arena, root, "quantiles_ppb");
    for (int32_t m = 0; m < study->metric_count; m++) {
        const StudyMetric *metric = &study->metrics[m];
        json_put_text(arena, kinds, metric->name, measure_kind_name(metric->kind));
        if (metric->kind == MEASURE_PERCENTILE)
            json_put_integer(arena, quantiles, metric->name, metric->quantile_ppb);
    }
    if (study->until_ns != INT64_MAX)
        json_put_integer(arena, root, "until_ns", study->until_ns);
    if (study->period_ns > 0)
        json_put_integer(arena, root, "period_ns", study->period_ns);
    json_put_boolean(arena, root, "recurs", study->recurs);
    json_put_boolean(arena, root, "replays", study->replays);
    if (study->piece_count > 0) {
        json_put_integer(arena, root, "piece_ns", study->piece_ns);
        json_put_integer(arena, root, "piece_count", study->piece_count);
        if (trend_is_known(&study->piece_trend))
            put_trend(arena, root, &study->piece_trend);
    }
}

/* The steps of trajectories are found by their coordinates; other designs do without. */
static void put_coordinates(Arena *arena, Json *object, const Design *design)
{
    if (design->plan.kind != DESIGN_MORRIS)
        return;
    Json *rows = json_put_array(arena, object, "units");
    for (int32_t point = 0; point < design->point_count; point++) {
        Json *row = json_add(rows, json_array(arena));
        for (int32_t axis = 0; axis < design->axis_count; axis++)
            json_add(row,
                     json_real(
                         arena,
                         design->units[(size_t)point * (size_t)design->axis_count + (size_t)axis]));
    }
}

static void put_design(Arena *arena, Json *root, const Study *study)
{
    const Design *design = study->design;
    Json *object = json_put_object(arena, root, "design");
    json_put_text(arena, object, "kind", design_kind_name(design->plan.kind));
    json_put_integer(arena, object, "size", design->plan.size);
    Json *axes = json_put_object(arena, object, "axes");
    for (int32_t f = 0; f < study->factor_count; f++)
        json_put_integer(arena, axes, study->factors[f]->name, design->axis_of[f]);
    Json *log = json_put_array(arena, object, "on_log");
    for (int32_t f = 0; f < study->factor_count; f++)
        if (study->factors[f]->is_log)
            json_add(log, json_string(arena, study->factors[f]->name));
    put_coordinates(arena, object, design);
}

/* The changes that each level of each factor makes. */
static void put_changes(Arena *arena, Json *root, const Study *study)
{
    Json *changes = json_put_object(arena, root, "changes");
    for (int32_t f = 0; f < study->factor_count; f++) {
        const Factor *factor = study->factors[f];
        Json *levels = json_put_array(arena, changes, factor->name);
        for (int32_t i = 0; i < factor->level_count; i++)
            put_settings(arena, json_add(levels, json_array(arena)), factor->levels[i].settings,
                         factor->levels[i].setting_count);
    }
}

static void put_baseline(Arena *arena, Json *root, const Study *study)
{
    if (!study->has_baseline)
        return;
    Json *baseline = json_put_object(arena, root, "baseline");
    for (int32_t f = 0; f < study->factor_count; f++)
        if (study->baseline[f] >= 0)
            json_put_text(arena, baseline, study->factors[f]->name,
                          study->factors[f]->levels[study->baseline[f]].label);
}

static void put_idle(Arena *arena, Json *root, const Study *study, const IdleLevels *idle,
                     int32_t count)
{
    if (count == 0)
        return;
    Json *list = json_put_array(arena, root, "did_nothing");
    for (int32_t i = 0; i < count; i++) {
        const Factor *factor = study->factors[idle[i].factor];
        Json *item = json_add(list, json_object(arena));
        json_put_text(arena, item, "factor", factor->name);
        json_put_text(arena, item, "first", factor->levels[idle[i].first_level].label);
        json_put_text(arena, item, "last", factor->levels[idle[i].last_level].label);
        json_put_boolean(arena, item, "is_exact", idle[i].is_exact);
        json_put_text(arena, item, "reason", idle[i].reason);
    }
}

static void put_identity(Arena *arena, Json *root, const Study *study, const char *version)
{
    const JournalIdentity identity = study_identity(arena, study, version);
    json_put_text(arena, root, "version", identity.version);
    json_put_text(arena, root, "rng", identity.rng);
    Json *hashes = json_put_object(arena, root, "hashes");
    json_put_text(arena, hashes, "points", identity.study);
    json_put_text(arena, hashes, "scenario", identity.scenario);
    json_put_text(arena, hashes, "catalogue", identity.catalogue);
    json_put_text(arena, hashes, "workloads", identity.workloads);
}

Json *study_json(Arena *arena, const Study *study, const char *version, const IdleLevels *idle,
                 int32_t idle_count)
{
    Json *root = json_object(arena);
    json_put_integer(arena, root, "trainyard_study_expanded", STUDY_FORMAT);
    json_put_text(arena, root, "description", study->description);
    json_put_text(arena, root, "scenario", study->scenario_path);
    if (study->policy != NULL)
        json_put_boolean(arena,
                         json_set(arena, root, "policy", study_policy_json(arena, study->policy)),
                         "is_level", study_has_outside_level(study));
    put_identity(arena, root, study, version);
    if (study->horizon.kind == HORIZON_STEADY)
        put_horizon(arena, root, &study->horizon);
    put_seeds(arena, root, study);
    Json *metrics = json_put_array(arena, root, "metrics");
    for (int32_t m = 0; m < study->metric_count; m++)
        json_add(metrics, json_string(arena, study->metrics[m].name));
    put_units(arena, root, study);
    put_design(arena, root, study);
    put_factors(arena, root, study);
    put_changes(arena, root, study);
    put_baseline(arena, root, study);
    put_idle(arena, root, study, idle, idle_count);
    goal_json_put(arena, root, study);
    put_points(arena, root, study);
    return root;
}

/* --- Reading --- */

static bool not_expanded(const Json *root, Status *status)
{
    return status_fail(status, STATUS_BAD_INPUT, place_in(root->at.source, 0, 0),
                       "is not a study.json that `trainyard sweep -o` has written");
}

bool study_json_point(Arena *arena, const Json *root, int64_t point, StudyPoint *out,
                      Status *status)
{
    const Json *scenario = json_member(root, "scenario"), *points = json_member(root, "points");
    if (json_member(root, "trainyard_study_expanded") == NULL || scenario == NULL ||
        scenario->kind != JSON_STRING || points == NULL || points->kind != JSON_ARRAY)
        return not_expanded(root, status);
    if (point < 0 || point >= points->count) {
        status_fail(status, STATUS_BAD_INPUT, place_in(root->at.source, 0, 0),
                    "there is no point %" PRId64, point);
        return status_hint(status, "points are 0 to %d; points.csv lists them",
                           (int)(points->count - 1));
    }
    const Json *item = json_item(points, (int32_t)point);
    const Json *levels = json_member(item, "factors"), *set = json_member(item, "set");
    if (levels == NULL || set == NULL || set->kind != JSON_ARRAY)
        return not_expanded(root, status);
    const char *name = "";
    for (const Json *level = levels->first; level != NULL; level = level->next)
        name = arena_printf(arena, "%s%s%s=%s", name, name[0] != '\0' ? " " : "", level->key,
                            level->text);
    const char **options = ARENA_ARRAY(arena, const char *, set->count + STUDY_POLICY_OPTIONS);
    *out = (StudyPoint){.scenario_path = scenario->text, .name = name, .options = options};
    const Json *is_level = json_member(json_member(root, "policy"), "is_level");
    bool takes_policy = is_level == NULL || !is_level->boolean;
    for (const Json *option = set->first; option != NULL; option = option->next) {
        if (option->kind != JSON_STRING)
            return not_expanded(root, status);
        if (strcmp(option->text, STUDY_POLICY_TARGET "=" STUDY_POLICY_OUTSIDE) != 0) {
            options[out->option_count++] = option->text;
        } else if (out->option_count > 0) {
            out->option_count--; // its --set
            takes_policy = true;
        }
    }
    const StudyPolicy *policy = study_policy_read(arena, json_member(root, "policy"));
    if (takes_policy)
        out->option_count += study_policy_options(policy, options + out->option_count);
    return true;
}
