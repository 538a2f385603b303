#include "sim/study/follow/follow_outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/files.h"
#include "sim/schema/json_load.h"
#include "sim/study/design/effects.h"

typedef struct {
    Arena *arena;
    FileSource files;
    const char *folder;
    const Study *plan;
    FollowOutcome *outcome;
    Problems *problems;
} Reader;

/* --- Files --- */

static bool exists(const Reader *reader, const char *path)
{
    int64_t bytes;
    Status status = {0};
    return reader->files.size(reader->files.context, path, &bytes, &status);
}

/* Points are those of the plan. */
static bool check_points(const Reader *reader, const Json *root)
{
    const FollowFacts *facts = &reader->outcome->facts;
    bool are_sound = facts->point_count > 0;
    for (uint32_t i = 0; i < facts->point_count; i++)
        are_sound &=
            facts->points[i].point >= 0 && facts->points[i].point < reader->plan->point_count;
    if (!are_sound)
        problems_add(reader->problems, STATUS_BAD_INPUT, root->at,
                     "\"points\" are not points of the plan in this folder");
    return are_sound;
}

static bool read_facts(const Reader *reader)
{
    const char *path = arena_printf(reader->arena, "%s/follow.json", reader->folder);
    const JsonLoader loader = {reader->arena, reader->files, reader->problems};
    Status status = {0};
    reader->outcome->is_present = exists(reader, path);
    if (!reader->outcome->is_present)
        return true;
    const int32_t before = reader->problems->count;
    const Json *root = json_load(&loader, path, JSON_STRICT, &status);
    if (root == NULL && status.code != STATUS_OK)
        problems_add_status(reader->problems, &status);
    if (root != NULL)
        plain_read(reader->arena, &follow_facts_type, root, &reader->outcome->facts,
                   reader->problems);
    return reader->problems->count == before && (root == NULL || check_points(reader, root));
}

static bool read_studies(const Reader *reader)
{
    FollowOutcome *outcome = reader->outcome;
    for (int kind = 0; kind < FOLLOW_KIND_COUNT; kind++) {
        const char *folder =
            arena_printf(reader->arena, "%s/%s", reader->folder, follow_folder((FollowKind)kind));
        outcome->has[kind] = exists(reader, arena_printf(reader->arena, "%s/study.json", folder));
        if (outcome->has[kind] && !study_outcome_read(reader->arena, reader->files, folder,
                                                      &outcome->studies[kind], reader->problems))
            return false;
    }
    return true;
}

/* --- Why --- */

/* Points of DIR/why are those of follow.json, in their order. */
static bool has_reasons(const FollowOutcome *outcome)
{
    return outcome->has[FOLLOW_WHY] && outcome->studies[FOLLOW_WHY].findings.study->point_count ==
                                           (int32_t)outcome->facts.point_count;
}

static void find_reasons(const Reader *reader)
{
    FollowOutcome *outcome = reader->outcome;
    const StudyFindings *findings = &outcome->studies[FOLLOW_WHY].findings;
    PointWhy *why = ARENA_ARRAY(reader->arena, PointWhy, outcome->facts.point_count);
    for (uint32_t i = 0; i < outcome->facts.point_count; i++)
        why[i] = point_why(findings, (int32_t)i);
    outcome->why = why;
}

/* --- Prices --- */

/* Adds the metric of each run to `sum`; false: it is not known in all. */
static bool add_runs(const StudyFindings *findings, int32_t point, const char *metric, double *sum,
                     int32_t count)
{
    const int32_t index = study_find_metric(findings->study, metric);
    for (int32_t r = 0; index >= 0 && r < count; r++) {
        const double value = results_value(findings->results, point, index, r);
        if (isnan(value))
            return false;
        sum[r] += value;
    }
    return index >= 0;
}

/* The costs of point `index` of DIR/why: the whole bill, and the part that has this price. */
static bool priced_runs(const Reader *reader, int32_t index, const char *price, int32_t count,
                        PricedRuns *runs)
{
    const StudyFindings *findings = &reader->outcome->studies[FOLLOW_WHY].findings;
    const FollowPoint *point = &reader->outcome->facts.points[index];
    double *total = ARENA_ARRAY(reader->arena, double, count + 1);
    double *part = ARENA_ARRAY(reader->arena, double, count + 1);
    bool is_known = add_runs(findings, index, "cost_usd.total", total, count);
    for (uint32_t i = 0; i < point->cluster_count; i++)
        if (strcmp(point->clusters[i].price, price) == 0)
            is_known &= add_runs(
                findings, index,
                arena_printf(reader->arena, "clusters.%s.cost_usd", point->clusters[i].name), part,
                count);
    *runs = (PricedRuns){total, part};
    return is_known;
}

/* Micro-USD for an hour; 0: unknown. */
static int64_t price_now(const FollowFacts *facts, const char *price)
{
    for (uint32_t p = 0; p < facts->point_count; p++)
        for (uint32_t i = 0; i < facts->points[p].cluster_count; i++)
            if (strcmp(facts->points[p].clusters[i].price, price) == 0)
                return facts->points[p].clusters[i].micro_usd_per_hour;
    return 0;
}

/* Whether the means of the runs in DIR/why meet the constraints. */
static bool meets_constraints(const Reader *reader, int32_t index)
{
    const StudyFindings *findings = &reader->outcome->studies[FOLLOW_WHY].findings;
    for (int32_t c = 0; c < reader->plan->goal->constraint_count; c++) {
        const GoalConstraint *limit = &reader->plan->goal->constraints[c];
        const double mean = follow_mean(findings, index, reader->plan->metrics[limit->metric].name);
        if (limit_verdict(limit, mean, mean) != LIMIT_HOLDS)
            return false;
    }
    return true;
}

/* The break-even of the winner with another candidate, by the runs that both have. */
static BreakEven break_even_with(const Reader *reader, int32_t other, const char *price)
{
    const StudyFindings *findings = &reader->outcome->studies[FOLLOW_WHY].findings;
    const int32_t count =
        findings->used[0] < findings->used[other] ? findings->used[0] : findings->used[other];
    PricedRuns ours, theirs;
    if (count < 2 || !priced_runs(reader, 0, price, count, &ours) ||
        !priced_runs(reader, other, price, count, &theirs))
        return (BreakEven){0};
    return break_even_price(ours, theirs, count, STUDY_CONFIDENCE);
}

/* Adds the first change of the answer when the price rises, or falls. */
static void add_price(const Reader *reader, PriceBreakEven *prices, const char *price, bool rises)
{
    FollowOutcome *outcome = reader->outcome;
    PriceBreakEven first = {.price = price, .micro_usd_now = price_now(&outcome->facts, price)};
    for (int32_t i = 1; i < (int32_t)outcome->facts.point_count; i++) {
        const BreakEven found = break_even_with(reader, i, price);
        const bool is_nearer = rises ? found.multiple < first.break_even.multiple
                                     : found.multiple > first.break_even.multiple;
        if (!found.is_known || (found.multiple > 1) != rises ||
            (first.break_even.is_known && !is_nearer) || !meets_constraints(reader, i))
            continue;
        first.break_even = found;
        first.other = i;
    }
    if (first.break_even.is_known)
        prices[outcome->price_count++] = first;
}

/* Only a plan that minimises the whole bill has break-even prices. */
static void find_prices(const Reader *reader)
{
    FollowOutcome *outcome = reader->outcome;
    const Goal *goal = reader->plan->goal;
    const FollowPoint *points = outcome->facts.points;
    if (goal->is_maximised ||
        strcmp(reader->plan->metrics[goal->metric].name, "cost_usd.total") != 0)
        return;
    uint32_t cluster_count = 0, price_count = 0;
    for (uint32_t p = 0; p < outcome->facts.point_count; p++)
        cluster_count += points[p].cluster_count;
    const char **names = ARENA_ARRAY(reader->arena, const char *, cluster_count + 1);
    for (uint32_t p = 0; p < outcome->facts.point_count; p++)
        for (uint32_t i = 0; i < points[p].cluster_count; i++) {
            uint32_t k = 0;
            while (k < price_count && strcmp(names[k], points[p].clusters[i].price) != 0)
                k++;
            if (k == price_count)
                names[price_count++] = points[p].clusters[i].price;
        }
    PriceBreakEven *prices = ARENA_ARRAY(reader->arena, PriceBreakEven, 2 * price_count + 1);
    outcome->prices = prices;
    for (uint32_t k = 0; k < price_count; k++) {
        add_price(reader, prices, names[k], true);
        add_price(reader, prices, names[k], false);
    }
}

/* --- Quotas --- */

/* The most nodes that the cluster had in any run of the winner; 0: unknown. */
static int64_t peak_nodes(const Reader *reader, const char *cluster)
{
    const StudyFindings *findings = &reader->outcome->studies[FOLLOW_WHY].findings;
    const int32_t metric = study_find_metric(
        findings->study, arena_printf(reader->arena, "clusters.%s.nodes_max", cluster));
    double most = 0;
    for (int32_t r = 0; metric >= 0 && r < findings->used[0]; r++) {
        const double value = results_value(findings->results, 0, metric, r);
        most = value > most ? value : most; // false for NAN
    }
    return (int64_t)most;
}

static QuotaRequest *quota_row(FollowOutcome *outcome, QuotaRequest *rows,
                               const FollowCluster *cluster)
{
    int32_t i = 0;
    while (i < outcome->quota_count && (strcmp(rows[i].family, cluster->family) != 0 ||
                                        strcmp(rows[i].priority, cluster->priority) != 0))
        i++;
    if (i == outcome->quota_count)
        rows[outcome->quota_count++] = (QuotaRequest){.family = cluster->family,
                                                      .priority = cluster->priority,
                                                      .quota_vcpus = cluster->quota_vcpus};
    return &rows[i];
}

static void find_quotas(const Reader *reader)
{
    FollowOutcome *outcome = reader->outcome;
    const FollowPoint *winner = &outcome->facts.points[0];
    QuotaRequest *rows = ARENA_ARRAY(reader->arena, QuotaRequest, winner->cluster_count + 1);
    outcome->quotas = rows;
    for (uint32_t i = 0; i < winner->cluster_count; i++) {
        const FollowCluster *cluster = &winner->clusters[i];
        const int64_t nodes = peak_nodes(reader, cluster->name);
        if (cluster->family[0] == '\0' || nodes == 0)
            continue; // there is nothing to ask for
        QuotaRequest *row = quota_row(outcome, rows, cluster);
        row->peak_vcpus += nodes * cluster->vcpus;
        row->asked_vcpus += (nodes + 1) * cluster->vcpus;
    }
    for (int32_t i = 0; i < outcome->quota_count; i++)
        rows[i].is_enough = rows[i].peak_vcpus <= rows[i].quota_vcpus;
}

/* --- Assumptions --- */

static const FollowCase *case_called(const FollowCases *cases, const char *name, const char *end)
{
    const size_t length = strlen(name);
    for (int32_t i = 0; i < cases->count; i++) {
        const char *level = cases->items[i].level;
        if (strncmp(level, name, length) == 0 && level[length] == ' ' &&
            strcmp(level + length + 1, end) == 0)
            return &cases->items[i];
    }
    return NULL;
}

static int by_swing(const void *left, const void *right)
{
    const AssumptionEffect *a = left, *b = right;
    if (a->swing != b->swing)
        return a->swing < b->swing ? 1 : -1;
    return strcmp(a->assumption->path, b->assumption->path);
}

static void find_effects(const Reader *reader)
{
    FollowOutcome *outcome = reader->outcome;
    const FollowFacts *facts = &outcome->facts;
    AssumptionEffect *effects =
        ARENA_ARRAY(reader->arena, AssumptionEffect, facts->assumption_count + 1);
    for (uint32_t i = 0; i < facts->assumption_count; i++) {
        const Assumption *assumption = &facts->assumptions[i];
        AssumptionEffect effect = {
            .assumption = assumption,
            .low = case_called(&outcome->assumptions, assumption->path, "low"),
            .high = case_called(&outcome->assumptions, assumption->path, "high")};
        if (effect.low == NULL || effect.high == NULL)
            continue;
        effect.swing =
            fabs(effect.high->winner.objective.value - effect.low->winner.objective.value);
        if (isnan(effect.swing))
            effect.swing = 0;
        effects[outcome->effect_count++] = effect;
    }
    qsort(effects, (size_t)outcome->effect_count, sizeof *effects, by_swing);
    outcome->effects = effects;
}

/* --- Rates of preemption --- */

static void find_rates(const Reader *reader)
{
    FollowOutcome *outcome = reader->outcome;
    const FollowCases *cases = &outcome->preemption;
    const bool is_maximised = reader->plan->goal->is_maximised;
    RateDifference *rates = ARENA_ARRAY(reader->arena, RateDifference, cases->count + 1);
    int32_t count = 0;
    outcome->preemption_misses = (double)NAN;
    for (int32_t i = 0; i < cases->count; i++) {
        const FollowCase *item = &cases->items[i];
        const double rate = json_decimal(reader->arena, item->level)->number;
        const MetricEstimate *other = &item->other.objective;
        if (rate > 1 && item->winner.verdict == LIMIT_MISSED && isnan(outcome->preemption_misses))
            outcome->preemption_misses = rate;
        if (other->run_count > 0 && !isnan(other->difference))
            rates[count++] =
                (RateDifference){rate, is_maximised ? -other->difference : other->difference,
                                 other->difference_half_width};
    }
    outcome->preemption_rate = break_even_rate(rates, count);
}

/* --- All assumptions at once --- */

static int by_effect(const void *left, const void *right)
{
    const SensitivityOfOne *a = left, *b = right;
    if (a->effect != b->effect)
        return a->effect < b->effect ? 1 : -1;
    return strcmp(a->assumption->path, b->assumption->path);
}

/* Axis 0 of the design is "candidate", with its only level. */
static void find_sensitivity(const Reader *reader)
{
    FollowOutcome *outcome = reader->outcome;
    const StudyFindings *findings = &outcome->studies[FOLLOW_SENSITIVITY].findings;
    const Study *study = findings->study;
    const Design *design = study->design;
    const char *objective = reader->plan->metrics[reader->plan->goal->metric].name;
    const uint32_t axes = outcome->facts.assumption_count + 1;
    if ((uint32_t)study->factor_count != axes || design->units == NULL)
        return;
    double *values = ARENA_ARRAY(reader->arena, double, study->point_count);
    for (int32_t p = 0; p < study->point_count; p++)
        if (isnan(values[p] = follow_mean(findings, p, objective)))
            return; // it has not finished
    ElementaryEffects *effects = ARENA_ARRAY(reader->arena, ElementaryEffects, axes);
    SobolIndices *indices = ARENA_ARRAY(reader->arena, SobolIndices, axes);
    const bool is_morris = design->plan.kind == DESIGN_MORRIS;
    if (is_morris)
        effects_morris(design, values, effects);
    else
        effects_saltelli(design, values, indices);
    SensitivityOfOne *rows = ARENA_ARRAY(reader->arena, SensitivityOfOne, axes);
    for (uint32_t i = 1; i < axes; i++)
        rows[i - 1] = (SensitivityOfOne){&outcome->facts.assumptions[i - 1],
                                         is_morris ? effects[i].mean_size : indices[i].total,
                                         is_morris ? effects[i].deviation : indices[i].first};
    qsort(rows, axes - 1, sizeof *rows, by_effect);
    outcome->sensitivity_design = design->plan.kind;
    outcome->sensitivity_count = (int32_t)axes - 1;
    outcome->sensitivity = rows;
}

/* --- The whole --- */

static void find_growth(const Reader *reader)
{
    FollowOutcome *outcome = reader->outcome;
    const double part = (double)outcome->facts.growth_ppm / (double)PPM;
    const BreakingLoad *found = &outcome->breaking_load;
    if (outcome->has[FOLLOW_HEADROOM])
        outcome->breaking_load =
            follow_breaking_load(reader->arena, &outcome->studies[FOLLOW_HEADROOM], reader->plan, 0,
                                 &outcome->breaking_constraint);
    if (outcome->has[FOLLOW_GROWTH])
        outcome->stages = growth_stages(reader->arena, &outcome->studies[FOLLOW_GROWTH],
                                        reader->plan, part, &outcome->stage_count);
    outcome->growth_months = growth_months(found->load, part);
    outcome->growth_low = growth_months(found->low, part);
    outcome->growth_high = growth_months(found->high, part);
}

bool follow_outcome_read(Arena *arena, FileSource files, const char *folder, const Study *plan,
                         FollowOutcome *outcome, Problems *problems)
{
    *outcome = (FollowOutcome){.breaking_constraint = -1, .preemption_misses = (double)NAN};
    const Reader reader = {arena, files, folder, plan, outcome, problems};
    if (!read_facts(&reader) || !outcome->is_present)
        return problems->count == 0;
    if (!read_studies(&reader))
        return false;
    if (has_reasons(outcome) && outcome->facts.point_count > 0) {
        find_reasons(&reader);
        find_prices(&reader);
        find_quotas(&reader);
    }
    if (outcome->has[FOLLOW_HEADROOM])
        outcome->headroom = follow_cases(arena, &outcome->studies[FOLLOW_HEADROOM], plan);
    if (outcome->has[FOLLOW_ASSUMPTIONS])
        outcome->assumptions = follow_cases(arena, &outcome->studies[FOLLOW_ASSUMPTIONS], plan);
    if (outcome->has[FOLLOW_PREEMPTION])
        outcome->preemption = follow_cases(arena, &outcome->studies[FOLLOW_PREEMPTION], plan);
    find_growth(&reader);
    find_effects(&reader);
    find_rates(&reader);
    if (outcome->has[FOLLOW_SENSITIVITY])
        find_sensitivity(&reader);
    return true;
}
