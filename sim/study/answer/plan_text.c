#include "sim/study/answer/plan_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/units.h"
#include "sim/cli/text_grid.h"
#include "sim/study/answer/answer.h"
#include "sim/study/answer/answer_words.h"
#include "sim/study/answer/candidate_reason.h"
#include "sim/study/point_estimate.h"
#include "sim/study/statistics/words.h"

enum { ROWS_MAX = 16 };

/* --- Cells --- */

static const char *estimate_text(Arena *arena, const PlanEstimate *estimate)
{
    Text text = {0};
    if (isnan(estimate->value))
        return "?";
    point_interval_print(estimate->value, estimate->low, estimate->high, 1, &text);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static void fill_row(const PlanOutcome *outcome, Arena *arena, int32_t candidate,
                     const char **cells)
{
    const PlanCandidate *own = &outcome->candidates[candidate];
    const PlanFindings *findings = plan_findings(own);
    const bool has_runs = findings->run_count > 0;
    Text reason = {0};
    *cells++ = candidate == outcome->winner ? "->" : "";
    *cells++ = plan_candidate_name(arena, outcome->grid, candidate);
    *cells++ = arena_printf(arena, "%" PRId32, own->screening.run_count + own->fresh.run_count);
    *cells++ = has_runs ? estimate_text(arena, &findings->objective) : "";
    for (int32_t c = 0; c < outcome->goal->constraint_count; c++)
        if (goal_has_column(outcome->goal, c))
            *cells++ =
                has_runs
                    ? estimate_text(
                          arena, &findings->checks[answer_tightest(outcome, findings, c)].estimate)
                    : "";
    candidate_reason_print(outcome, candidate, &reason);
    *cells = arena_strdup(arena, text_string(&reason));
    text_free(&reason);
}

/* --- Which candidates have a row: those that are nearest to the answer --- */

typedef struct {
    int32_t candidate;
    int32_t place; /* the first to sort by */
    double
        distance; /* in the same place: from the best objective, or from the limit that is missed */
} Nearness;

/* States in the order of their distance from the answer. */
static const int32_t place_of_state[CANDIDATE_STATE_COUNT] = {
    [CANDIDATE_WINNER] = 0,         [CANDIDATE_MISSES_AGAIN] = 1,    [CANDIDATE_EQUAL] = 1,
    [CANDIDATE_UNDECIDED] = 1,      [CANDIDATE_WORSE] = 2,           [CANDIDATE_MISSES] = 3,
    [CANDIDATE_UNSTABLE] = 4,       [CANDIDATE_MISSES_BY_ORDER] = 4, [CANDIDATE_REFUSED] = 4,
    [CANDIDATE_WORSE_BY_ORDER] = 4,
};

static double distance_of(const PlanOutcome *outcome, const PlanCandidate *own)
{
    const PlanFindings *findings = plan_findings(own);
    if (findings->run_count == 0)
        return INFINITY;
    const double distance =
        own->state == CANDIDATE_MISSES
            ? -answer_margin_part(outcome, &findings->checks[own->missed_check])
            : findings->objective.value * (outcome->goal->is_maximised ? -1 : 1);
    return isnan(distance) ? INFINITY : distance;
}

static Nearness nearness_of(const PlanOutcome *outcome, int32_t candidate)
{
    const PlanCandidate *own = &outcome->candidates[candidate];
    const bool is_named = candidate == outcome->winner || candidate == outcome->next_best ||
                          candidate == outcome->nearest_miss || candidate == outcome->baseline ||
                          candidate == outcome->sure;
    return (Nearness){.candidate = candidate,
                      .place = is_named ? 0 : place_of_state[own->state],
                      .distance = distance_of(outcome, own)};
}

static int by_nearness(const void *left, const void *right)
{
    const Nearness *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->candidate < b->candidate ? -1 : 1;
}

static int by_number(const void *left, const void *right)
{
    const Nearness *a = left, *b = right;
    return a->candidate < b->candidate ? -1 : 1;
}

/* The candidates with a row, in the order of their levels; sets `count`. */
static const Nearness *shown_candidates(Arena *arena, const PlanOutcome *outcome, int32_t *count)
{
    const int32_t all = outcome->grid->candidate_count;
    Nearness *nearest = ARENA_ARRAY(arena, Nearness, all);
    for (int32_t i = 0; i < all; i++)
        nearest[i] = nearness_of(outcome, i);
    *count = all < ROWS_MAX ? all : ROWS_MAX;
    qsort(nearest, (size_t)all, sizeof *nearest, by_nearness);
    qsort(nearest, (size_t)*count, sizeof *nearest, by_number);
    return nearest;
}

/* --- The table --- */

/* Whether the row of a candidate shows a better objective than the recommendation's, although it
 * is worse by the seeds that both have. */
static bool looks_better(const PlanOutcome *outcome, int32_t candidate)
{
    return outcome->winner != SELECTION_NONE &&
           outcome->candidates[candidate].state == CANDIDATE_WORSE &&
           answer_is_better(outcome, candidate, outcome->winner);
}

static void add_table(const PlanOutcome *outcome, Text *out)
{
    const Study *study = outcome->grid->study;
    const Goal *goal = outcome->goal;
    int32_t columns = 5;
    for (int32_t c = 0; c < goal->constraint_count; c++)
        columns += goal_has_column(goal, c);
    Arena *scratch = arena_create();
    TextGrid grid = {.row_count = 1, .column_count = columns};
    int32_t shown = 0;
    bool has_doubtful_row = false;
    const Nearness *candidates = shown_candidates(scratch, outcome, &shown);
    grid.cells = ARENA_ARRAY(scratch, const char *, (1 + shown) * columns);
    const char **cells = grid.cells;
    *cells++ = "";
    *cells++ = "candidate";
    *cells++ = "runs";
    *cells++ = study->metrics[goal->metric].name;
    for (int32_t c = 0; c < goal->constraint_count; c++)
        if (goal_has_column(goal, c))
            *cells++ = study->metrics[goal->constraints[c].metric].name;
    *cells++ = "";
    for (int32_t i = 0; i < shown; i++) {
        fill_row(outcome, scratch, candidates[i].candidate,
                 grid.cells + (ptrdiff_t)grid.row_count++ * columns);
        has_doubtful_row |= looks_better(outcome, candidates[i].candidate);
    }
    text_grid_print(&grid, out);
    if (has_doubtful_row)
        text_add(out, "A better value may be of a worse candidate: candidates are compared by the "
                      "seeds that both have.\n");
    const int32_t hidden = outcome->grid->candidate_count - shown;
    if (hidden > 0)
        text_printf(out, "%" PRId32 " more, which are further from the answer, in plan.csv\n",
                    hidden);
    arena_destroy(scratch);
}

/* --- What it cost --- */

static void add_cost(const PlanRun *run, Text *out)
{
    const PlanOutcome *outcome = &run->outcome;
    const Sweep *sweep = &run->sweep;
    Arena *scratch = arena_create();
    const char *grid = answer_grid_runs(scratch, outcome);
    const bool is_cut = outcome->verdict == PLAN_UNFINISHED; // within a round
    const int64_t runs = is_cut ? sweep->findings.results->run_count : outcome->run_count;
    thousands_print(out, runs);
    text_printf(out, " run%s in %" PRId32 " %sround%s", plural(runs), outcome->round_count,
                is_cut ? "complete " : "", plural(outcome->round_count));
    text_add(out, is_cut ? " and a begun one" : "");
    text_printf(out, "%s%s. ", grid[0] != '\0' ? "; " : "", grid);
    arena_destroy(scratch);
    thousands_print(out, sweep->findings.results->run_count - sweep->resumed_count);
    text_add(out, " of them now, in ");
    duration_print(out, sweep->took_ns);
    text_printf(out, " on %" PRId32 " thread%s", sweep->thread_count, plural(sweep->thread_count));
    text_add(out, ".\n");
}

void plan_text_result(const PlanRun *run, Text *out)
{
    Arena *scratch = arena_create();
    const Answer answer = answer_of(scratch, &run->outcome);
    text_printf(out, "%s\n%s\n%s%s%s%s\n", answer.decision, answer.alternative, answer.remark,
                answer.remark[0] != '\0' ? "\n" : "", answer.reach,
                answer.reach[0] != '\0' ? "\n" : "");
    arena_destroy(scratch);
    add_table(&run->outcome, out);
    add_cost(run, out);
    if (run->outcome.verdict == PLAN_UNFINISHED)
        text_add(out, "interrupted: the same command continues\n");
    for (int32_t i = 0; i < run->sweep.idle_count; i++)
        idle_levels_print(run->sweep.study, &run->sweep.idle[i], out);
}

void plan_text_follow_cost(const PlanRun *run, const FollowRuns *follow, Text *out)
{
    if (follow->run_count == 0)
        return;
    thousands_print(out, follow->run_count);
    text_printf(out, " more run%s about the answer, in ", plural(follow->run_count));
    duration_print(out, follow->took_ns);
    text_add(out, ": ");
    duration_print(out, run->sweep.took_ns + follow->took_ns);
    text_add(out, " in all.\n");
}

void plan_text_forecast(const PlanRun *run, Text *out)
{
    const Sweep *sweep = &run->sweep;
    const Study *study = sweep->study;
    const Goal *goal = study->goal;
    double ns = 0;
    for (int32_t point = 0; point < study->point_count; point++)
        ns += (double)results_mean_ns(sweep->findings.results, point);
    ns /= sweep->thread_count;
    thousands_print(out, study->point_count);
    text_printf(out, " point%s; the first round: ", plural(study->point_count));
    thousands_print(out, (int64_t)SELECTION_FIRST_LOOK * study->point_count);
    text_add(out, " runs, ");
    duration_print(out, (int64_t)fmin(ns * SELECTION_FIRST_LOOK, 9e18));
    text_printf(out, " on %" PRId32 " thread%s; at most ", sweep->thread_count,
                plural(sweep->thread_count));
    const int64_t most = (int64_t)goal->at_most * study->point_count;
    thousands_print(out, goal->budget_runs > 0 ? goal->budget_runs : most);
    text_add(out,
             " runs; with -o more follow, about the answer: its reasons and its sensitivity\n");
}
