#include "sim/study/plan/plan_text.h"

#include <inttypes.h>
#include <math.h>

#include "sim/base/units.h"
#include "sim/cli/text_grid.h"
#include "sim/study/plan/answer.h"
#include "sim/study/plan/plan_json.h"
#include "sim/study/statistics/words.h"

enum { ROWS_MAX = 16 };

/* --- The table --- */

static const char *estimate_text(Arena *arena, const PlanEstimate *estimate)
{
    Text text = {0};
    if (isnan(estimate->value))
        return "?";
    const double half_width = (estimate->high - estimate->low) / 2;
    const bool has_width = isfinite(half_width) && half_width > 0;
    words_number(&text, estimate->value, has_width ? half_width : 0);
    if (has_width) {
        text_add(&text, " ± ");
        words_number(&text, half_width, half_width);
    }
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* The check of a constraint that is missed most, or met by least, over the weathers. */
static const PlanEstimate *worst_of(const PlanOutcome *outcome, const PlanFindings *findings,
                                    int32_t constraint)
{
    const PlanCheck *worst = NULL;
    for (int32_t i = 0; i < outcome->check_count; i++) {
        const PlanCheck *check = &findings->checks[i];
        if (check->constraint == constraint &&
            (worst == NULL || isnan(check->margin) || check->margin < worst->margin))
            worst = check;
    }
    return &worst->estimate;
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
        *cells++ = has_runs ? estimate_text(arena, worst_of(outcome, findings, c)) : "";
    plan_reason_print(outcome, candidate, &reason);
    *cells = arena_strdup(arena, text_string(&reason));
    text_free(&reason);
}

/* Rows of the candidates that the answer is about, and of others from the first one on. */
static bool is_shown(const PlanOutcome *outcome, int32_t candidate)
{
    return outcome->grid->candidate_count <= ROWS_MAX || candidate < ROWS_MAX ||
           candidate == outcome->winner || candidate == outcome->next_best ||
           candidate == outcome->nearest_miss || candidate == outcome->baseline;
}

static void add_table(const PlanOutcome *outcome, Text *out)
{
    const Study *study = outcome->grid->study;
    const int32_t columns = 5 + outcome->goal->constraint_count;
    Arena *scratch = arena_create();
    TextGrid grid = {.row_count = 1, .column_count = columns};
    grid.cells = ARENA_ARRAY(scratch, const char *, (ROWS_MAX + 5) * columns);
    const char **cells = grid.cells;
    *cells++ = "";
    *cells++ = "candidate";
    *cells++ = "runs";
    *cells++ = study->metrics[outcome->goal->metric].name;
    for (int32_t c = 0; c < outcome->goal->constraint_count; c++)
        *cells++ = study->metrics[outcome->goal->constraints[c].metric].name;
    *cells++ = "";
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++)
        if (is_shown(outcome, i))
            fill_row(outcome, scratch, i, grid.cells + (ptrdiff_t)grid.row_count++ * columns);
    text_grid_print(&grid, out);
    const int32_t hidden = outcome->grid->candidate_count - (grid.row_count - 1);
    if (hidden > 0)
        text_printf(out, "... and %" PRId32 " more in plan.csv\n", hidden);
    arena_destroy(scratch);
}

/* --- What it cost --- */

static void add_cost(const PlanRun *run, Text *out)
{
    const PlanOutcome *outcome = &run->outcome;
    const Sweep *sweep = &run->sweep;
    thousands_print(out, outcome->run_count);
    text_printf(out, " run%s in %" PRId32 " rounds", plural(outcome->run_count),
                outcome->round_count);
    if (outcome->grid_run_count >= 1) {
        text_add(out, "; a full grid needs about ");
        thousands_print(out, (int64_t)fmin(outcome->grid_run_count, 1e15));
    }
    text_add(out, ". ");
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
    text_printf(out, "%s\n%s\n\n", answer.decision, answer.alternative);
    arena_destroy(scratch);
    add_table(&run->outcome, out);
    add_cost(run, out);
    if (run->outcome.verdict == PLAN_UNFINISHED)
        text_add(out, "interrupted: the same command continues\n");
    for (int32_t i = 0; i < run->sweep.idle_count; i++)
        idle_levels_print(run->sweep.study, &run->sweep.idle[i], out);
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
    text_add(out, " runs\n");
}
