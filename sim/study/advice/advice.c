#include "sim/study/advice/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/study/point_scenario.h"
#include "sim/study/study_options.h"

#define FACTOR_NAME "change"
#define UNCHANGED "unchanged"
static const char source[] = "advise";

const char *advice_state_words(AdviceState state)
{
    static const char *const words[] = {
#define X(name, text) text,
        ADVICE_STATES(X)
#undef X
    };
    return words[state];
}

typedef struct {
    Arena *arena;
    FileSource files;
    const AdviceOptions *options;
    const ScenarioFile *scenario;
    Problems *problems;
} Adviser;

/* --- The study --- */

enum { TIMES_MAX = 20 };

/* The objective is a metric of the goal; these show the jobs' side: waits and ends. */
static int32_t list_metrics(const Adviser *adviser, const char *metrics[TIMES_MAX])
{
    const Scenario *scenario = &adviser->scenario->scenario;
    Arena *arena = adviser->arena;
    int32_t count = 0;
    metrics[count++] = "job_counts.succeeded";
    for (int32_t i = 0; i < scenario->workload_count && count + 1 < TIMES_MAX; i++) {
        metrics[count++] =
            arena_printf(arena, "workloads.%s.queue_s.mean", scenario->workloads[i].name);
        metrics[count++] =
            arena_printf(arena, "workloads.%s.turnaround_s.mean", scenario->workloads[i].name);
    }
    for (int32_t i = 0; i < scenario->command_count && count + 1 < TIMES_MAX; i++) {
        const Command *command = &scenario->commands[i];
        if (command->kind != COMMAND_JOB_CREATE)
            continue;
        metrics[count++] = arena_printf(arena, "jobs.%s.queue_s", command->path.name);
        metrics[count++] = arena_printf(arena, "jobs.%s.run_s", command->path.name);
        if (command->as.job_create.spec->program->kind == PROGRAM_TRAIN && count < TIMES_MAX)
            metrics[count++] = arena_printf(arena, "jobs.%s.val_accuracy", command->path.name);
    }
    return count;
}

static Json *parsed(const Adviser *adviser, const char *text)
{
    return json_parse(adviser->arena, source, text, strlen(text), JSON_STRICT, adviser->problems);
}

/* A choice has to set something: the unchanged scenario sets its own fidelity. */
static const char *own_fidelity(const Scenario *scenario)
{
    static const char *const words[] = {
        [FIDELITY_STEP] = "\"step\"", [FIDELITY_EPOCH] = "\"epoch\"", [FIDELITY_JOB] = "\"job\""};
    return words[scenario->fidelity];
}

/* The study of these changes, whose first point is the unchanged scenario; seeds from `first` on.
 * NULL with problems. */
static Study *study_of(const Adviser *adviser, const Change *const *changes, int32_t count,
                       uint64_t first)
{
    Arena *arena = adviser->arena;
    const AdviceOptions *options = adviser->options;
    const char *metrics[TIMES_MAX];
    const StudyOptions study = {.path = options->scenario,
                                .param_count = options->overrides.param_count,
                                .params = options->overrides.params,
                                .set_count = options->overrides.count,
                                .sets = options->overrides.items,
                                .metric_count = list_metrics(adviser, metrics),
                                .metrics = metrics,
                                .seeds = options->seeds,
                                .minimise = options->minimise == NULL && options->maximise == NULL
                                                ? "cost_usd.total"
                                                : options->minimise,
                                .maximise = options->maximise,
                                .slo_count = options->slo_count,
                                .slos = options->slos};
    Json *root = study_of_options(arena, source, &study, adviser->problems);
    if (root == NULL)
        return NULL;
    Json *factor = json_set(arena, json_member(root, "factors"), FACTOR_NAME, json_object(arena));
    Json *choices = json_set(arena, factor, "choices", json_object(arena));
    Json *unchanged = json_set(arena, choices, UNCHANGED, json_object(arena));
    json_set(arena, unchanged, "/fidelity",
             parsed(adviser, own_fidelity(&adviser->scenario->scenario)));
    for (int32_t i = 0; i < count; i++) {
        Json *choice = json_set(arena, choices, changes[i]->name, json_object(arena));
        for (int32_t k = 0; k < changes[i]->setting_count; k++)
            json_set(arena, choice, changes[i]->settings[k].target,
                     parsed(adviser, changes[i]->settings[k].value));
    }
    Json *baseline = json_set(arena, root, "baseline", json_object(arena));
    json_set(arena, baseline, FACTOR_NAME, json_string(arena, UNCHANGED));
    json_set(arena, json_member(root, "seeds"), "first", json_integer(arena, (int64_t)first));
    return study_read_tree(arena, adviser->files, source, root, adviser->problems);
}

/* The changes that the scenario accepts; the others are left out, with its message. */
static int32_t accepted(const Adviser *adviser, const Study *study, Changes *changes,
                        const Change **out)
{
    int32_t count = 0, own_count;
    const Setting *own = point_settings(adviser->arena, study, 0, &own_count);
    for (int32_t i = 0; i < changes->count; i++) {
        const Change *change = &changes->items[i];
        Arena *scratch = arena_create();
        Problems refused = problems_create(scratch);
        Setting *settings = ARENA_ARRAY(scratch, Setting, own_count + change->setting_count);
        for (int32_t k = 0; k < own_count; k++)
            settings[k] = own[k];
        for (int32_t k = 0; k < change->setting_count; k++)
            settings[own_count + k] = change->settings[k];
        if (point_scenario_with(scratch, study, adviser->files, settings,
                                own_count + change->setting_count, &refused))
            out[count++] = change;
        else
            changes_leave_out(changes, change->kind, change->name,
                              arena_strdup(adviser->arena, refused.items[0].message));
        arena_destroy(scratch);
    }
    return count;
}

/* --- Runs --- */

static bool run(const Adviser *adviser, const Study *study, Sweep *sweep, Advice *advice)
{
    if (!sweep_run(adviser->arena, study, adviser->files, &adviser->options->sweep, sweep,
                   adviser->problems))
        return false;
    advice->end = sweep->end;
    advice->signal = sweep->signal;
    advice->run_count += waves_done_count(sweep->waves);
    return true;
}

/* The estimates of all metrics at a point, compared with the unchanged scenario. */
static const MetricEstimate *estimates_of(Arena *arena, const Sweep *sweep, int32_t point)
{
    const StudyFindings *findings = &sweep->findings;
    MetricEstimate *estimates = ARENA_ARRAY(arena, MetricEstimate, sweep->study->metric_count);
    for (int32_t m = 0; m < sweep->study->metric_count; m++)
        estimates[m] = metric_estimate(findings->results, m, point, findings->used[point],
                                       point > 0 ? 0 : NO_POINT, findings->used[0]);
    return estimates;
}

/* --- Judgement --- */

/* The improvement of the objective: positive is better. */
static double improvement(const Study *study, const MetricEstimate *estimates)
{
    const double difference = estimates[study->goal->metric].difference;
    return study->goal->is_maximised ? difference : -difference;
}

/* 1: the change certainly improves the objective, -1: it worsens it, 0: neither is certain. */
static int certain_direction(const Study *study, const MetricEstimate *estimates)
{
    const double change = improvement(study, estimates);
    const double half_width = estimates[study->goal->metric].difference_half_width;
    return (change > half_width && change > 0) - (-change > half_width && change < 0);
}

/* A constraint is kept if its whole interval is on the right side, and missed if it is on the
 * other. A lower bound can only grow. */
static AdviceState constraint_state(const GoalConstraint *constraint,
                                    const MetricEstimate *estimate)
{
    const bool is_least = constraint->side == LIMIT_AT_LEAST;
    const bool is_constant = estimate->minimum == estimate->maximum;
    const bool is_bound = estimate->lower_bound_count > 0;
    const double low = is_constant || is_bound ? estimate->value : estimate->low;
    const double high = is_bound ? INFINITY : is_constant ? estimate->value : estimate->high;
    if (is_least ? low >= constraint->limit : high <= constraint->limit)
        return ADVICE_CHOSEN;
    return (is_least ? high < constraint->limit : low > constraint->limit) ? ADVICE_MISSES
                                                                           : ADVICE_UNCERTAIN;
}

/* The first constraint that is missed, or else the first that is uncertain; ADVICE_CHOSEN: all are
 * kept. */
static AdviceState constraints_state(const Study *study, const MetricEstimate *estimates,
                                     int32_t *which)
{
    AdviceState worst = ADVICE_CHOSEN;
    for (int32_t i = 0; i < study->goal->constraint_count && worst != ADVICE_MISSES; i++) {
        const GoalConstraint *constraint = &study->goal->constraints[i];
        const AdviceState state = constraint_state(constraint, &estimates[constraint->metric]);
        if (state == ADVICE_CHOSEN || state == worst)
            continue;
        worst = state;
        *which = i;
    }
    return worst;
}

/* Where the unchanged scenario does not keep the constraints, keeping them is improvement enough.
 */
static void judge(const Study *study, const Advice *advice, AdvisedChange *advised)
{
    const int32_t succeeded = study_find_metric(study, "job_counts.succeeded");
    const MetricEstimate *jobs = &advised->estimates[succeeded];
    if (jobs->difference + jobs->difference_half_width < 0) {
        advised->state = ADVICE_FAILS;
        return;
    }
    advised->state = constraints_state(study, advised->estimates, &advised->constraint);
    const int direction = certain_direction(study, advised->estimates);
    if (advised->state == ADVICE_CHOSEN && advice->before_state == ADVICE_CHOSEN && direction <= 0)
        advised->state = direction < 0 ? ADVICE_WORSE : ADVICE_NOTHING;
}

typedef struct {
    double improvement;
    int32_t index;
    bool is_chosen;
} Rank;

static int by_rank(const void *left, const void *right)
{
    const Rank *a = left, *b = right;
    if (a->is_chosen != b->is_chosen)
        return a->is_chosen ? -1 : 1;
    if (a->improvement != b->improvement)
        return a->improvement > b->improvement ? -1 : 1;
    return a->index - b->index;
}

/* The best first: changes that are chosen, by their improvement, then all others. */
static void sort_changes(Arena *arena, const Study *study, Advice *advice)
{
    Rank *ranks = ARENA_ARRAY(arena, Rank, advice->count);
    AdvisedChange *sorted = ARENA_ARRAY(arena, AdvisedChange, advice->count);
    for (int32_t i = 0; i < advice->count; i++)
        ranks[i] = (Rank){.improvement = improvement(study, advice->items[i].estimates),
                          .index = i,
                          .is_chosen = advice->items[i].state == ADVICE_CHOSEN};
    qsort(ranks, (size_t)advice->count, sizeof *ranks, by_rank);
    for (int32_t i = 0; i < advice->count; i++)
        sorted[i] = advice->items[ranks[i].index];
    advice->items = sorted;
}

/* --- The whole --- */

/* Leaves the best change of each kind CHOSEN, and of these the best ADVICE_MOST: two numbers of
 * nodes exclude each other. They are the first afterwards; returns their number. */
static int32_t choose(Arena *arena, const Study *study, Advice *advice)
{
    bool has_kind[CHANGE_KIND_COUNT] = {0};
    int32_t count = 0;
    sort_changes(arena, study, advice);
    for (int32_t i = 0; i < advice->count; i++) {
        AdvisedChange *item = &advice->items[i];
        if (item->state != ADVICE_CHOSEN)
            continue;
        if (count == ADVICE_MOST || has_kind[item->change->kind])
            item->state = ADVICE_LESS;
        else
            count++;
        has_kind[item->change->kind] = true;
    }
    sort_changes(arena, study, advice);
    return count;
}

/* Runs the chosen changes again with the seeds after those that chose them. */
static bool confirm(const Adviser *adviser, Advice *advice)
{
    const Change *best[ADVICE_MOST];
    const int32_t count = choose(adviser->arena, advice->study, advice);
    Sweep sweep;
    if (count == 0)
        return true;
    for (int32_t i = 0; i < count; i++)
        best[i] = advice->items[i].change;
    const Study *study =
        study_of(adviser, best, count, advice->study->seeds.first + (uint64_t)advice->seed_count);
    if (study == NULL || !run(adviser, study, &sweep, advice))
        return false;
    if (advice->end != RUNNER_FINISHED)
        return true;
    advice->before = estimates_of(adviser->arena, &sweep, 0);
    for (int32_t i = 0; i < count; i++) {
        AdvisedChange *item = &advice->items[i];
        item->estimates = estimates_of(adviser->arena, &sweep, i + 1);
        item->is_fresh = true;
        judge(study, advice, item);
        if (item->state == ADVICE_NOTHING || item->state == ADVICE_WORSE)
            item->state = ADVICE_NOT_CONFIRMED;
    }
    sort_changes(adviser->arena, advice->study, advice);
    while (advice->chosen_count < count &&
           advice->items[advice->chosen_count].state == ADVICE_CHOSEN)
        advice->chosen_count++;
    return true;
}

bool advice_make(Arena *arena, FileSource files, const AdviceOptions *options, Advice *advice,
                 Problems *problems)
{
    *advice = (Advice){.end = RUNNER_FINISHED, .overrides = options->overrides};
    Adviser adviser = {.arena = arena, .files = files, .options = options, .problems = problems};
    adviser.scenario = scenario_read(arena, files, options->scenario, options->overrides, problems);
    if (adviser.scenario == NULL)
        return false;
    Changes *changes = changes_of(arena, adviser.scenario);
    const uint64_t first = adviser.scenario->scenario.seed;
    const Study *study = study_of(&adviser, NULL, 0, first);
    if (study == NULL)
        return false;
    const Change **tried = ARENA_ARRAY(arena, const Change *, changes->count);
    advice->changes = changes;
    advice->count = accepted(&adviser, study, changes, tried);
    study = study_of(&adviser, tried, advice->count, first);
    Sweep sweep;
    if (study == NULL || !run(&adviser, study, &sweep, advice))
        return false;
    advice->study = study;
    advice->seed_count = study->seeds.at_least;
    if (advice->end != RUNNER_FINISHED)
        return true;
    advice->items = ARENA_ARRAY(arena, AdvisedChange, advice->count);
    advice->before = estimates_of(arena, &sweep, 0);
    advice->before_state = constraints_state(study, advice->before, &advice->before_constraint);
    for (int32_t i = 0; i < advice->count; i++) {
        advice->items[i] =
            (AdvisedChange){.change = tried[i], .estimates = estimates_of(arena, &sweep, i + 1)};
        judge(study, advice, &advice->items[i]);
    }
    return confirm(&adviser, advice);
}
