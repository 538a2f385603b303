#include "sim/study/goal.h"

#include <ctype.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/model/price.h"
#include "sim/study/format/study_types.h"

typedef struct {
    Arena *arena;
    const StudyText *text;
    const Study *study;
    Goal *goal;
    Problems *problems;
} Reader;

bool goal_limits_objective(const Goal *goal, int32_t index)
{
    // The objective is a mean over the weathers, a constraint may hold in each.
    const bool is_mean = goal->weather_count == 0 || goal->is_average_weather;
    return is_mean && goal->constraints[index].metric == goal->metric;
}

bool goal_is_weather(const Goal *goal, int32_t factor)
{
    for (int32_t i = 0; i < goal->weather_count; i++)
        if (goal->weather[i] == factor)
            return true;
    return false;
}

bool goal_has_column(const Goal *goal, int32_t index)
{
    for (int32_t i = 0; i < index; i++)
        if (goal->constraints[i].metric == goal->constraints[index].metric)
            return false;
    return !goal_limits_objective(goal, index);
}

bool goal_is_wanted(const StudyText *text)
{
    return text->minimise.node != NULL || text->maximise.node != NULL;
}

/* --- Amounts --- */

bool goal_unit_is_none(const char *unit)
{
    return unit == NULL || strcmp(unit, "1") == 0;
}

bool goal_amount_read(const Json *node, const char *unit, int64_t *nano)
{
    enum { DECIMALS = 9 };
    Status unused = {0};
    if (goal_unit_is_none(unit)) {
        const double most = 9e9; // so that the product fits
        if (node->kind != JSON_NUMBER || !(node->number >= 0) || node->number >= most)
            return false;
        *nano = (int64_t)(node->number * 1e9);
        return true;
    }
    if (node->kind != JSON_STRING)
        return false;
    if (strcmp(unit, "s") == 0)
        return duration_parse(node->text, node->at, nano, &unused);
    const size_t digits = strspn(node->text, "0123456789.");
    char number[32] = "";
    if (digits >= sizeof number ||
        strcmp(node->text + digits + strspn(node->text + digits, " "), unit) != 0)
        return false;
    memcpy(number, node->text, digits);
    return decimal_parse(number, DECIMALS, "an amount", node->at, nano, &unused);
}

static bool read_part(const Json *node, double *part)
{
    Status unused = {0};
    int64_t ppm;
    if (node->kind != JSON_STRING || strchr(node->text, '%') == NULL ||
        !ratio_parse(node->text, node->at, &ppm, &unused))
        return false;
    *part = (double)ppm / (double)PPM;
    return true;
}

static Status *refuse(const Reader *reader, Place at, const char *message)
{
    return problems_add(reader->problems, STATUS_BAD_INPUT, at, "%s", message);
}

/* --- Metrics --- */

/* A percentile of waits or turnarounds, and the share that says the same. */
static const struct {
    const char *times, *share;
} share_twins[] = {{"queue_s", "waited_within"}, {"turnaround_s", "turnaround_within"}};

/* "workloads.day.queue_s.p95" at most 20m as "workloads.day.waited_within(20m)" with `*share` 0.95;
 * NULL when `name` is not such a percentile, or the limit is not a time. */
static const char *share_of_percentile(Arena *arena, const char *name, const Json *limit,
                                       double *share)
{
    const char *last = strrchr(name, '.'), *point = last;
    if (limit == NULL || last == NULL)
        return NULL;
    if (isdigit((unsigned char)last[1])) { // "p99.9"
        for (point = last - 1; point > name && *point != '.'; point--)
            continue;
    }
    double percent;
    if (point <= name || point[1] != 'p' || !real_parse(point + 2, &percent) || percent <= 0 ||
        percent >= 100)
        return NULL;
    for (size_t i = 0; i < sizeof share_twins / sizeof share_twins[0]; i++) {
        const size_t length = strlen(share_twins[i].times);
        const char *times = point - length;
        if (times < name || strncmp(times, share_twins[i].times, length) != 0 ||
            (times > name && times[-1] != '.'))
            continue;
        *share = percent / 100;
        const char *time = limit->kind == JSON_STRING ? limit->text
                           : limit->kind == JSON_NUMBER && limit->number >= 0
                               ? arena_printf(arena, "%.9gs", limit->number)
                               : NULL;
        return time == NULL ? NULL
                            : arena_printf(arena, "%.*s%s(%s)", (int)(times - name), name,
                                           share_twins[i].share, time);
    }
    return NULL;
}

static const BoundText *name_of(const ConstraintText *text)
{
    return text->share.node != NULL ? &text->share : &text->metric;
}

/* "queue_s.mean" at most 20m as "queue_s.mean_completed", which has a value while jobs still wait;
 * NULL when `name` is not such a mean. Runs of the long run end when their jobs have ended. */
static const char *completed_mean(Arena *arena, const char *name, const Json *limit)
{
    static const char *const means[] = {"queue_s.mean", "turnaround_s.mean"};
    for (size_t i = 0; limit != NULL && i < sizeof means / sizeof means[0]; i++) {
        const size_t length = strlen(name), end = strlen(means[i]);
        if (length >= end && strcmp(name + length - end, means[i]) == 0 &&
            (length == end || name[length - end - 1] == '.') && strstr(name, " / ") == NULL)
            return arena_printf(arena, "%s_completed", name);
    }
    return NULL;
}

/* The metric that is tested. */
static const char *tested_name(Arena *arena, const StudyText *study, const ConstraintText *text)
{
    double share;
    const char *name = name_of(text)->value;
    if (name == NULL)
        return NULL;
    const char *twin = share_of_percentile(arena, name, text->at_most, &share);
    const bool is_steady = study->horizon != NULL && study->horizon->kind.value == HORIZON_STEADY;
    if (twin == NULL && !is_steady)
        twin = completed_mean(arena, name, text->at_most);
    return twin != NULL ? twin : name;
}

int32_t goal_metrics(Arena *arena, const StudyText *text, GoalMetric metrics[GOAL_METRICS_MAX])
{
    const BoundText *objective = text->minimise.node != NULL ? &text->minimise : &text->maximise;
    int32_t count = 0;
    if (objective->value != NULL)
        metrics[count++] = (GoalMetric){objective->value, json_at(objective->node)};
    for (int32_t i = 0; i < text->subject_to.count && i < GOAL_CONSTRAINTS_MAX; i++) {
        const ConstraintText *constraint = text->subject_to.items[i];
        const char *name = tested_name(arena, text, constraint);
        if (name != NULL)
            metrics[count++] = (GoalMetric){name, json_at(name_of(constraint)->node)};
    }
    return count;
}

/* --- What must be known --- */

static bool is_priced(NodeKind kind)
{
    return price_is_known(node_kind_price(kind));
}

static bool has_power(NodeKind kind)
{
    return kind.vm_size->power != NULL;
}

enum { PARTS = 3 };

/* Metrics whose names have one of these parts need a fact of VM sizes. */
static const struct {
    const char *parts[PARTS], *noun;
    bool (*is_known)(NodeKind kind);
    const char *before, *after; /* the name of the size, in a hint */
} needs[] = {
    {{"cost_usd"},
     "price",
     is_priced,
     "state the price in the scenario, as in \"assume\": {\"vm_sizes/",
     "/dedicated_price_per_hour\": \"1.20USD\"}"},
    {{"_kwh", "peak_kw", "carbon_kg"},
     "power",
     has_power,
     "add \"catalog/power.json\" to the scenario's \"catalog\", or an own catalogue with \"power\" "
     "of ",
     ""},
};

/* A VM size of the scenario of which something is not known; NULL: none. `*at` is the command that
 * creates such nodes. */
static const char *unknown_size(const Scenario *scenario, bool (*is_known)(NodeKind), Place *at)
{
    const Command *command;
    for (int32_t i = 0; (command = scenario_next_cluster(scenario, &i)) != NULL;) {
        const ClusterSpec *spec = command->as.cluster_create;
        *at = command_place(command);
        for (int32_t k = 0; k < cluster_spec_kind_count(spec); k++)
            if (!is_known(cluster_spec_kind(spec, k)))
                return cluster_spec_kind(spec, k).vm_size->name;
    }
    return NULL;
}

static bool has_part(const char *name, const char *const parts[PARTS])
{
    for (int32_t i = 0; i < PARTS && parts[i] != NULL; i++)
        if (strstr(name, parts[i]) != NULL)
            return true;
    return false;
}

/* Costs and energies can only be compared if they are known of all nodes. */
static bool check_needs(const Reader *reader, int32_t metric)
{
    const char *name = reader->study->metrics[metric].name;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        Place at;
        const char *size =
            has_part(name, needs[i].parts)
                ? unknown_size(&reader->study->scenario->scenario, needs[i].is_known, &at)
                : NULL;
        if (size == NULL)
            continue;
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, at,
                                 "no %s of %s is known, so \"%s\" is unknown", needs[i].noun, size,
                                 name),
                    "%s%s%s, or choose another metric", needs[i].before, size, needs[i].after);
        return false;
    }
    return true;
}

/* --- Constraints --- */

static bool read_limit(const Reader *reader, const StudyMetric *metric, const char *name,
                       const Json *node, double *limit)
{
    int64_t nano;
    if (node->kind == JSON_NUMBER) {
        *limit = node->number;
        return true;
    }
    if ((goal_unit_is_none(metric->unit) && read_part(node, limit)))
        return true;
    if (goal_amount_read(node, metric->unit, &nano)) {
        *limit = (double)nano / 1e9;
        return true;
    }
    status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, node->at,
                             "the limit of \"%s\" is not an amount of it", name),
                goal_unit_is_none(metric->unit)  ? "as in 0.95 or \"95%%\""
                : strcmp(metric->unit, "s") == 0 ? "as in \"20m\""
                                                 : "a number, or an amount with its unit");
    return false;
}

static const char *text_of_limit(Arena *arena, const Json *node)
{
    return node->kind == JSON_STRING ? node->text : arena_printf(arena, "%.9g", node->number);
}

static bool read_constraint(const Reader *reader, const ConstraintText *text,
                            GoalConstraint *constraint)
{
    const Place at = text->node != NULL ? text->node->at : json_at(reader->text->subject_to.node);
    if ((text->share.node == NULL) == (text->metric.node == NULL) ||
        (text->at_least == NULL) == (text->at_most == NULL)) {
        status_hint(refuse(reader, at,
                           "a constraint has one of \"share\" and \"metric\", and one of "
                           "\"at_least\" and \"at_most\""),
                    "as in {\"share\": \"waited_within(20m)\", \"at_least\": \"95%%\"}");
        return false;
    }
    const Json *limit = text->at_least != NULL ? text->at_least : text->at_most;
    const char *name = name_of(text)->value;
    double share;
    const bool is_twin = share_of_percentile(reader->arena, name, text->at_most, &share) != NULL;
    constraint->metric =
        study_find_metric(reader->study, tested_name(reader->arena, reader->text, text));
    if (constraint->metric < 0) // reported with the metrics
        return false;
    const StudyMetric *metric = &reader->study->metrics[constraint->metric];
    constraint->words =
        arena_printf(reader->arena, "%s %s %s", name,
                     text->at_least != NULL ? ">=" : "<=", text_of_limit(reader->arena, limit));
    constraint->side = text->at_least != NULL || is_twin ? LIMIT_AT_LEAST : LIMIT_AT_MOST;
    if (is_twin)
        constraint->limit = share;
    else if (!read_limit(reader, metric, name, limit, &constraint->limit))
        return false;
    const bool is_share = metric->kind == MEASURE_SHARE;
    if (text->share.node != NULL && !is_share) {
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->share.node),
                                 "\"%s\" is not a share of jobs", name),
                    "write \"metric\" instead of \"share\", or name a share such as "
                    "\"waited_within(20m)\"");
        return false;
    }
    if (is_share && (constraint->limit < 0 || constraint->limit > 1)) {
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, limit->at,
                                 "a share of %.9g is not between 0 and 1", constraint->limit),
                    "as in 0.95 or \"95%%\"");
        return false;
    }
    return true;
}

/* Refuses a metric that has to be above one limit and below a smaller one. */
static bool check_contradictions(const Reader *reader)
{
    const Goal *goal = reader->goal;
    for (int32_t i = 0; i < goal->constraint_count; i++)
        for (int32_t k = 0; k < goal->constraint_count; k++) {
            const GoalConstraint *low = &goal->constraints[i], *high = &goal->constraints[k];
            if (low->metric != high->metric || low->side != LIMIT_AT_LEAST ||
                high->side != LIMIT_AT_MOST || low->limit <= high->limit)
                continue;
            refuse(reader, json_at(reader->text->subject_to.node),
                   arena_printf(reader->arena, "no value meets both \"%s\" and \"%s\"", low->words,
                                high->words));
            return false;
        }
    return true;
}

static bool read_constraints(const Reader *reader)
{
    const BoundList *list = &reader->text->subject_to;
    Goal *goal = reader->goal;
    if (list->count > GOAL_CONSTRAINTS_MAX) {
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(list->node),
                     "%d constraints are more than %d", (int)list->count, GOAL_CONSTRAINTS_MAX);
        return false;
    }
    GoalConstraint *constraints = ARENA_ARRAY(reader->arena, GoalConstraint, list->count + 1);
    goal->constraints = constraints;
    bool is_sound = true;
    for (int32_t i = 0; i < list->count; i++) {
        GoalConstraint *constraint = &constraints[goal->constraint_count++];
        is_sound &= read_constraint(reader, list->items[i], constraint) &&
                    check_needs(reader, constraint->metric);
    }
    return is_sound && check_contradictions(reader);
}

/* --- Indifference --- */

static void set_part(const Reader *reader, double part)
{
    GoalConstraint *constraints = (GoalConstraint *)reader->goal->constraints; // made here
    reader->goal->indifference_part = part;
    for (int32_t i = 0; i < reader->goal->constraint_count; i++)
        constraints[i].indifference =
            part * (constraints[i].limit < 0 ? -constraints[i].limit : constraints[i].limit);
}

static bool refuse_indifference(const Reader *reader, const Json *node)
{
    status_hint(refuse(reader, node->at,
                       "\"indifference\" is neither a part above 0 nor an object of parts or "
                       "amounts by metric"),
                "as in \"2%%\", or {\"cost_usd.total\": \"5 USD\"}");
    return false;
}

/* Whether the constraint is about `metric`, or was written with `name`. */
static bool is_about(const GoalConstraint *constraint, int32_t metric, const char *name)
{
    const char *rest = constraint->words;
    return constraint->metric == metric || (text_skip(&rest, name) && *rest == ' ');
}

/* The indifference of the objective and of all constraints with the metric of `member`. */
static bool read_own_indifference(const Reader *reader, const Json *member)
{
    Goal *goal = reader->goal;
    const Study *study = reader->study;
    GoalConstraint *constraints = (GoalConstraint *)goal->constraints; // made here
    const int32_t metric = study_find_metric(study, member->key);
    double part = 0;
    int64_t nano = 0;
    const char *unit = metric >= 0 ? study->metrics[metric].unit : NULL;
    bool is_used = metric == goal->metric;
    for (int32_t i = 0; i < goal->constraint_count; i++)
        if (is_about(&constraints[i], metric, member->key)) {
            is_used = true;
            unit = study->metrics[constraints[i].metric].unit;
        }
    if (!is_used) {
        const char **names = ARENA_ARRAY(reader->arena, const char *, goal->constraint_count + 1);
        names[0] = study->metrics[goal->metric].name;
        for (int32_t i = 0; i < goal->constraint_count; i++)
            names[i + 1] = study->metrics[constraints[i].metric].name;
        bind_unknown_name(reader->problems, member->key_at, "metric of the goal", member->key,
                          names, goal->constraint_count + 1);
        return false;
    }
    const bool is_part = read_part(member, &part);
    if (!is_part && !goal_amount_read(member, unit, &nano))
        return refuse_indifference(reader, member);
    if (metric == goal->metric) {
        goal->indifference_part = is_part ? part : 0;
        goal->indifference_amount = is_part ? 0 : (double)nano / 1e9;
    }
    for (int32_t i = 0; i < goal->constraint_count; i++)
        if (is_about(&constraints[i], metric, member->key)) {
            const double limit = constraints[i].limit;
            constraints[i].indifference =
                is_part ? part * (limit < 0 ? -limit : limit) : (double)nano / 1e9;
        }
    return true;
}

static bool read_indifference(const Reader *reader)
{
    static const double default_part = 0.01;
    const Json *node = reader->text->indifference;
    double part;
    set_part(reader, default_part);
    if (node == NULL)
        return true;
    if (node->kind == JSON_OBJECT) {
        bool is_sound = true;
        for (const Json *member = node->first; member != NULL; member = member->next)
            is_sound &= read_own_indifference(reader, member);
        return is_sound;
    }
    if (!read_part(node, &part) || part <= 0)
        return refuse_indifference(reader, node);
    set_part(reader, part);
    return true;
}

/* --- Weather --- */

static bool add_weather(const Reader *reader, const Json *node, int32_t *weather)
{
    const Study *study = reader->study;
    const char *name = node->kind == JSON_STRING ? node->text : "";
    const char **names = ARENA_ARRAY(reader->arena, const char *, study->factor_count + 1);
    for (int32_t f = 0; f < study->factor_count; f++) {
        names[f] = study->factors[f]->name;
        if (strcmp(names[f], name) == 0) {
            weather[f] = 1;
            return true;
        }
    }
    bind_unknown_name(reader->problems, node->at, "factor", name, names, study->factor_count);
    return false;
}

static bool read_weather(const Reader *reader)
{
    const Json *node = reader->text->weather;
    const Study *study = reader->study;
    Goal *goal = reader->goal;
    int32_t *is_weather = ARENA_ARRAY(reader->arena, int32_t, study->factor_count + 1);
    int32_t *weather = ARENA_ARRAY(reader->arena, int32_t, study->factor_count + 1);
    goal->weather = weather;
    goal->is_average_weather = reader->text->weather_rule.value == WEATHER_AVERAGE;
    bool is_sound = true;
    if (node == NULL)
        return true;
    if (node->kind != JSON_ARRAY)
        is_sound = add_weather(reader, node, is_weather);
    for (const Json *item = node->kind == JSON_ARRAY ? node->first : NULL; item != NULL;
         item = item->next)
        is_sound &= add_weather(reader, item, is_weather);
    for (int32_t f = 0; f < study->factor_count; f++)
        if (is_weather[f])
            weather[goal->weather_count++] = f;
    if (is_sound && goal->weather_count == study->factor_count) {
        status_hint(refuse(reader, node->at, "every factor is weather: nothing is left to choose"),
                    "weather is a factor that is not chosen, such as the load");
        return false;
    }
    return is_sound;
}

/* --- The whole --- */

static bool read_confidence(const Reader *reader)
{
    const BoundText *text = &reader->text->confidence;
    Status unused = {0};
    int64_t ppm = 0;
    if (ratio_parse(text->value, json_at(text->node), &ppm, &unused) && ppm > PPM / 2 &&
        ppm < PPM) {
        reader->goal->confidence = (double)ppm / (double)PPM;
        return true;
    }
    status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->node),
                             "a confidence of \"%s\" is not above 50 %% and below 100 %%",
                             text->value),
                "as in \"95%%\", with at most four decimals");
    return false;
}

static bool read_objective(const Reader *reader)
{
    const StudyText *text = reader->text;
    const BoundText *objective = text->minimise.node != NULL ? &text->minimise : &text->maximise;
    if (text->minimise.node != NULL && text->maximise.node != NULL) {
        status_hint(refuse(reader, json_at(text->maximise.node),
                           "a goal has one of \"minimise\" and \"maximise\""),
                    "the other one may be a constraint in \"subject_to\"");
        return false;
    }
    reader->goal->is_maximised = objective == &text->maximise;
    reader->goal->metric = study_find_metric(reader->study, objective->value);
    return reader->goal->metric >= 0; // otherwise it is reported with the metrics
}

/* Members of a goal without an objective. */
static bool check_without_objective(const Reader *reader)
{
    const StudyText *text = reader->text;
    const Json *const nodes[] = {
        text->subject_to.node, text->confidence.node,
        text->indifference,    text->budget != NULL ? text->budget->node : NULL,
        text->weather,         text->weather_rule.node};
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        if (nodes[i] != NULL) {
            status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, nodes[i]->key_at,
                                     "\"%s\" needs an objective", nodes[i]->key),
                        "as in \"minimise\": \"cost_usd.total\", or --minimise cost_usd.total");
            return false;
        }
    return true;
}

static bool check_seeds(const Reader *reader)
{
    const SeedPlan *seeds = &reader->study->seeds;
    const SeedsText *text = reader->text->seeds;
    const bool is_given = text != NULL && text->at_most.node != NULL;
    const int64_t most = is_given ? seeds->at_most : (int64_t)GOAL_EXTENSION * seeds->at_least;
    reader->goal->at_most = (int32_t)(most < REPLICATIONS_MAX / 4 ? most : REPLICATIONS_MAX / 4);
    if (seeds->at_least >= 2 && seeds->at_least <= reader->goal->at_most)
        return true;
    status_hint(refuse(reader, json_at(text->at_least.node),
                       "a plan needs from 2 to 2,500,000 seeds of each point"),
                "the default is 20");
    return false;
}

bool goal_read(Arena *arena, const StudyText *text, Study *study, Problems *problems)
{
    const Reader reader = {.arena = arena,
                           .text = text,
                           .study = study,
                           .goal = ARENA_NEW(arena, Goal),
                           .problems = problems};
    if (!goal_is_wanted(text))
        return check_without_objective(&reader);
    reader.goal->study_path = text->node->at.line > 0 ? study->path : NULL; // options have no lines
    reader.goal->budget_runs = text->budget != NULL ? text->budget->runs.value : 0;
    if (!read_objective(&reader) || !check_needs(&reader, reader.goal->metric) ||
        !read_constraints(&reader))
        return false;
    bool is_sound = read_indifference(&reader);
    is_sound &= read_confidence(&reader);
    is_sound &= read_weather(&reader);
    is_sound &= check_seeds(&reader);
    study->goal = reader.goal;
    return is_sound;
}
