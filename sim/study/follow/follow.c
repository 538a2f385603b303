#include "sim/study/follow/follow.h"

#include <inttypes.h>
#include <string.h>

#include "sim/output/metrics/attribution.h"
#include "sim/study/follow/facts.h"
#include "sim/study/format/level_values.h"
#include "sim/study/goal.h"
#include "sim/study/point_scenario.h"

static const struct {
    const char *folder, *factor;
} kinds[] = {
#define X(name, folder, factor) {folder, factor},
    FOLLOW_KINDS(X)
#undef X
};
_Static_assert(sizeof kinds / sizeof kinds[0] == FOLLOW_KIND_COUNT, "one row per kind");

const char *follow_folder(FollowKind kind)
{
    return kinds[kind].folder;
}

const char *follow_factor(FollowKind kind)
{
    return kinds[kind].factor;
}

/* --- Settings --- */

static Json *value_of(Arena *arena, const Setting *setting)
{
    Problems discarded = problems_create(arena);
    Json *value = setting->is_parameter
                      ? NULL
                      : json_parse(arena, "", setting->value, strlen(setting->value), JSON_STRICT,
                                   &discarded);
    return value != NULL ? value : json_string(arena, setting->value);
}

/* The levels of "candidate": the settings of each point by its name. */
static void put_candidates(Arena *arena, Json *factors, const FollowPlan *plan)
{
    Json *choices = json_put_object(arena, json_put_object(arena, factors, "candidate"), "choices");
    for (int32_t i = 0; i < plan->point_count; i++) {
        int32_t count;
        const Setting *settings = point_settings(arena, plan->study, plan->points[i], &count);
        Json *choice =
            json_put_object(arena, choices, point_name(arena, plan->study, plan->points[i]));
        for (int32_t s = 0; s < count; s++)
            json_set(arena, choice, settings[s].target, value_of(arena, &settings[s]));
    }
}

/* --- The rest of a study --- */

static void put_metrics(Arena *arena, Json *root, const Study *study)
{
    Json *metrics = json_put_array(arena, root, "metrics");
    const Goal *goal = study->goal;
    json_add(metrics, json_string(arena, study->metrics[goal->metric].name));
    for (int32_t i = 0; i < goal->constraint_count; i++) {
        bool is_listed = goal->constraints[i].metric == goal->metric;
        for (int32_t k = 0; k < i; k++)
            is_listed |= goal->constraints[k].metric == goal->constraints[i].metric;
        if (!is_listed)
            json_add(metrics, json_string(arena, study->metrics[goal->constraints[i].metric].name));
    }
}

static void put_duration(Arena *arena, Json *object, const char *key, int64_t ns)
{
    if (ns == HORIZON_AUTO)
        json_put_text(arena, object, key, "auto");
    else
        json_put_text(arena, object, key, arena_printf(arena, "%" PRId64 "ns", ns));
}

/* The horizon of the plan's study. A length that pilots choose needs to know what for: the
 * objective, as precisely as a sweep usually asks for. */
static void put_horizon(Arena *arena, Json *root, Json *seeds, const Study *study)
{
    const Horizon *horizon = &study->horizon;
    if (horizon->kind != HORIZON_STEADY)
        return;
    Json *object = json_put_object(arena, root, "horizon");
    json_put_text(arena, object, "kind", "steady");
    put_duration(arena, object, "warm_up", horizon->warm_up_ns);
    put_duration(arena, object, "length", horizon->length_ns);
    json_put_integer(arena, object, "jobs", horizon->jobs_most);
    if (horizon->length_ns == HORIZON_AUTO)
        json_put_text(arena, json_put_object(arena, seeds, "until"),
                      study->metrics[study->goal->metric].name, "5%");
}

/* A study of the plan's points; `*factors` is for further factors. */
static Json *study_begin(Arena *arena, const FollowPlan *plan, const char *description,
                         Json **factors)
{
    Json *root = json_object(arena);
    json_put_integer(arena, root, "trainyard_study", STUDY_FORMAT);
    json_put_text(arena, root, "description", description);
    json_put_text(arena, root, "scenario", plan->study->scenario_path);
    *factors = json_put_object(arena, root, "factors");
    put_candidates(arena, *factors, plan);
    Json *seeds = json_put_object(arena, root, "seeds");
    json_put_integer(arena, seeds, "first", (int64_t)plan->first_seed);
    json_put_integer(arena, seeds, "at_least", plan->seeds);
    put_metrics(arena, root, plan->study);
    // Differences between the winner and the next best, at each level of the other factor.
    if (plan->point_count > 1)
        json_put_text(arena, json_put_object(arena, root, "baseline"), "candidate",
                      point_name(arena, plan->study, plan->points[0]));
    put_horizon(arena, root, seeds, plan->study);
    return root;
}

/* --- What jobs waited for --- */

static void add_metric(Arena *arena, Json *metrics, const char *name)
{
    const Json *item = metrics->first;
    while (item != NULL && strcmp(item->text, name) != 0)
        item = item->next;
    if (item == NULL)
        json_add(metrics, json_string(arena, name));
}

static void add_cluster_metrics(Arena *arena, Json *metrics, const Scenario *scenario)
{
    const Command *command;
    for (int32_t i = 0; (command = scenario_next_cluster(scenario, &i)) != NULL;) {
        const ClusterSpec *spec = command->as.cluster_create;
        for (int32_t k = 0; k < cluster_spec_kind_count(spec); k++) {
            const char *name = follow_kind_name(arena, command->path.name, spec, k);
            add_metric(arena, metrics, arena_printf(arena, "clusters.%s.cost_usd", name));
            add_metric(arena, metrics, arena_printf(arena, "clusters.%s.nodes_max", name));
        }
    }
}

const Json *follow_why(Arena *arena, const FollowPlan *plan)
{
    Json *factors;
    Json *root =
        study_begin(arena, plan, "What did jobs wait for, and where did node time go?", &factors);
    Json *metrics = json_member(root, "metrics");
    for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++)
        add_metric(arena, metrics,
                   arena_printf(arena, "waiting.%s_s", wait_cause_name((WaitCause)cause)));
    for (int use = 0; use < USE_COUNT; use++) {
        const char *name = node_use_name((NodeUse)use);
        add_metric(arena, metrics, arena_printf(arena, "attribution.%s_s", name));
        add_metric(arena, metrics, arena_printf(arena, "attribution.%s_usd", name));
    }
    static const char *const of_jobs[] = {"submitted", "failed", "unfinished"};
    for (size_t i = 0; i < sizeof of_jobs / sizeof of_jobs[0]; i++)
        add_metric(arena, metrics, arena_printf(arena, "job_counts.%s", of_jobs[i]));
    add_cluster_metrics(arena, metrics, &plan->study->scenario->scenario);
    return root;
}

/* --- More load --- */

const char *const headroom_loads[] = {"1", "1.25", "1.5", "2", NULL};
const char *const growth_loads[] = {"1", "1.25", "1.5", "2", "3", NULL};

/* The member of a workload that says how much work arrives; NULL: it is a list of jobs that is
 * replayed, or has a number of jobs alone. */
static const Json *load_of(Arena *arena, const Json *workload, const char **key)
{
    static const char *const keys[] = {"rate", "count", "load"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const Json *value = json_member(workload, keys[i]);
        if (value == NULL)
            continue;
        *key = keys[i];
        return value;
    }
    *key = "load"; // of a list, which is 1 by default
    return json_member(workload, "resample") != NULL ? json_decimal(arena, "1") : NULL;
}

/* A count of arrivals is whole. */
static Json *load_times(Arena *arena, const Json *load, const char *key, const char *multiple)
{
    const Json *factor = json_decimal(arena, multiple);
    if (strcmp(key, "count") == 0 && load->kind == JSON_NUMBER && load->is_integer)
        return json_integer(arena, (int64_t)((double)load->integer * factor->number + 0.5));
    return value_times(arena, load, factor);
}

/* Adds the settings of one load. Returns how many workloads have it. */
static int32_t put_load(Arena *arena, Json *settings, const Json *workloads, const char *multiple)
{
    int32_t count = 0, index = 0;
    const Json *workload = workloads != NULL ? workloads->first : NULL;
    for (; workload != NULL; workload = workload->next, index++) {
        const char *key;
        const Json *load = load_of(arena, workload, &key);
        Json *value = load != NULL ? load_times(arena, load, key, multiple) : NULL;
        if (value == NULL)
            continue;
        json_set(arena, settings, arena_printf(arena, "/workloads/%" PRId32 "/%s", index, key),
                 value);
        count++;
    }
    return count;
}

/* The points of the plan under these loads. All have the workloads of the first one. */
static const Json *under_loads(Arena *arena, FileSource files, const FollowPlan *plan,
                               const char *const *loads, const char *description,
                               const char **reason, Problems *problems)
{
    const ScenarioFile *file =
        point_scenario_whole(arena, plan->study, files, plan->points[0], problems);
    *reason = NULL;
    if (file == NULL)
        return NULL;
    Json *factors;
    Json *root = study_begin(arena, plan, description, &factors);
    Json *choices = json_put_object(
        arena, json_put_object(arena, factors, follow_factor(FOLLOW_HEADROOM)), "choices");
    const Json *workloads = json_member(file->root, "workloads");
    const int32_t workload_count = workloads != NULL ? workloads->count : 0;
    for (int32_t i = 0; loads[i] != NULL; i++) {
        Json *settings = json_put_object(arena, choices, loads[i]);
        if (put_load(arena, settings, workloads, loads[i]) == workload_count && workload_count > 0)
            continue;
        *reason =
            workload_count == 0
                ? "the scenario has no workloads: its jobs are single commands"
                : "a workload replays a list of jobs; with \"resample\" it has a load to multiply";
        return NULL;
    }
    return root;
}

const Json *follow_headroom(Arena *arena, FileSource files, const FollowPlan *plan,
                            const char **reason, Problems *problems)
{
    FollowPlan winner = *plan;
    winner.point_count = 1;
    return under_loads(arena, files, &winner, headroom_loads,
                       "Which load breaks a constraint of the winner?", reason, problems);
}

const Json *follow_growth(Arena *arena, FileSource files, const FollowPlan *plan,
                          Problems *problems)
{
    const char *reason; // that of DIR/headroom
    if (plan->point_count < 2)
        return NULL;
    return under_loads(arena, files, plan, growth_loads,
                       "Up to which load do larger candidates meet the constraints?", &reason,
                       problems);
}

/* --- Other values of the catalogue --- */

/* The name of an assumption with its level: "vm_sizes/Standard_NC6/vcpus low". */
static Json *put_level(Arena *arena, Json *choices, const char *name, const char *end)
{
    return json_put_object(arena, choices, arena_printf(arena, "%s %s", name, end));
}

static Json *put_choices(Arena *arena, Json *factors, const char *name)
{
    return json_put_object(arena, json_put_object(arena, factors, name), "choices");
}

const Json *follow_assumptions(Arena *arena, const FollowPlan *plan,
                               const AssumptionList *assumptions)
{
    Json *factors;
    Json *root = study_begin(arena, plan, "Which assumption would change the answer?", &factors);
    Json *choices = put_choices(arena, factors, follow_factor(FOLLOW_ASSUMPTIONS));
    Json *unchanged = json_put_object(arena, choices, FOLLOW_UNCHANGED);
    for (int32_t i = 0; i < assumptions->count; i++) {
        const Assumption *item = &assumptions->items[i];
        // A choice sets something: the first assumption has its own value.
        if (i == 0)
            assumption_set(arena, unchanged, item->path, item->own);
        assumption_set(arena, put_level(arena, choices, item->path, "low"), item->path, item->low);
        assumption_set(arena, put_level(arena, choices, item->path, "high"), item->path,
                       item->high);
    }
    return assumptions->count > 0 ? root : NULL;
}

const char *const follow_rates[] = {"0.25", "0.5", "1", "2", "4", "8", NULL};

const Json *follow_preemption(Arena *arena, const FollowPlan *plan,
                              const AssumptionList *assumptions)
{
    Json *factors;
    bool is_any = false;
    Json *root =
        study_begin(arena, plan, "Which rate of preemption would change the answer?", &factors);
    Json *choices = put_choices(arena, factors, follow_factor(FOLLOW_PREEMPTION));
    for (int32_t r = 0; follow_rates[r] != NULL; r++) {
        Json *settings = json_put_object(arena, choices, follow_rates[r]);
        const double rate = json_decimal(arena, follow_rates[r])->number;
        for (int32_t i = 0; i < assumptions->count; i++) {
            const Assumption *item = &assumptions->items[i];
            if (!item->is_preemption)
                continue;
            // Nodes live as many times shorter when they are preempted more often.
            assumption_set(arena, settings, item->path, assumption_at(arena, item, 1 / rate));
            is_any = true;
        }
    }
    return is_any ? root : NULL;
}

/* Equally spaced levels on an axis of the design, from low to high. */
enum { MORRIS_LEVELS = 4, SOBOL_LEVELS = 16 };

static void put_axis(Arena *arena, Json *factors, int32_t index, const Assumption *item,
                     int32_t levels)
{
    Json *choices = put_choices(arena, factors, arena_printf(arena, "a%d", (int)(index + 1)));
    for (int32_t i = 0; i < levels; i++) {
        const double part = (double)i / (levels - 1);
        const double factor = item->low_factor + part * (item->high_factor - item->low_factor);
        assumption_set(arena, json_put_object(arena, choices, arena_printf(arena, "%.4g", factor)),
                       item->path, assumption_at(arena, item, factor));
    }
}

const Json *follow_sensitivity(Arena *arena, const FollowPlan *plan,
                               const AssumptionList *assumptions, DesignKind design, int32_t size)
{
    FollowPlan winner = *plan;
    Json *factors;
    winner.point_count = 1;
    Json *root =
        study_begin(arena, &winner, "Which assumptions matter, all changed at once?", &factors);
    for (int32_t i = 0; i < assumptions->count; i++)
        put_axis(arena, factors, i, &assumptions->items[i],
                 design == DESIGN_MORRIS ? MORRIS_LEVELS : SOBOL_LEVELS);
    json_put_integer(arena, json_put_object(arena, root, "design"), design_kind_name(design), size);
    return assumptions->count > 0 ? root : NULL;
}
