/* Private to reports/plan: the candidates by objective and constraint, with the limit, the band of
 * equal objectives, and how often each is on the Pareto front. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "reports/plan/figures.h"
#include "reports/plan/palette.h"
#include "reports/study/scatter.h"
#include "reports/text/labels.h"

enum { COLUMNS = 5 };
/* Candidates that are on the front this often, in whole per cent at least once, are named. */
static const double NAMED_MEMBERSHIP = 0.005;

/* How a candidate is drawn. */
typedef struct {
    Shade shade;
    const char *mark;
} Look;

typedef enum { LOOK_CHOSEN, LOOK_MEETS, LOOK_MISSES, LOOK_OPEN, LOOK_COUNT } LookKind;

static const Look looks[LOOK_COUNT] = {
    [LOOK_CHOSEN] = {{"\xE2\x97\x86 recommended", RGB_CHOSEN}, SCATTER_DIAMOND},
    [LOOK_MEETS] = {{"\xE2\x97\x8F meets the limit", RGB_MEETS}, SCATTER_DOT},
    [LOOK_MISSES] = {{"\xE2\x96\xB2 misses it", RGB_MISSES}, SCATTER_TRIANGLE},
    [LOOK_OPEN] = {{"\xE2\x97\x8B dropped before it was decided", RGB_OPEN}, SCATTER_CIRCLE},
};

static LookKind look_of(const PlanFacts *facts, int32_t candidate, const PlanCheck *check)
{
    if (candidate == facts->outcome->winner)
        return LOOK_CHOSEN;
    const PlanCandidate *about = plan_candidate(facts, candidate);
    const bool misses = about->state == CANDIDATE_MISSES || about->state == CANDIDATE_MISSES_AGAIN;
    if (check->is_missed ||
        (misses &&
         plan_findings(about)->checks[about->missed_check].constraint == check->constraint))
        return LOOK_MISSES;
    return check->is_met ? LOOK_MEETS : LOOK_OPEN;
}

static ScatterValue scaled(const PlanEstimate *estimate, double factor)
{
    return (ScatterValue){estimate->value * factor,
                          fact_bar_end(estimate->low, estimate->value) * factor,
                          fact_bar_end(estimate->high, estimate->value) * factor};
}

/* The candidates that are drawn: the recommended one, then those most often on the front. */
typedef struct {
    int32_t candidate;
    double membership;
} Drawn;

static int by_membership(const void *left, const void *right)
{
    const Drawn *a = left, *b = right;
    if (a->membership != b->membership)
        return a->membership > b->membership ? -1 : 1;
    return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

static int32_t choose(const PlanFacts *facts, const FrontPoint *front, Drawn *drawn)
{
    int32_t count = 0;
    for (int32_t i = 0; i < facts->outcome->grid->candidate_count; i++)
        if (!isnan(front[i].objective) && !isnan(front[i].constraint))
            drawn[count++] =
                (Drawn){i, i == facts->outcome->winner ? INFINITY : front[i].membership};
    qsort(drawn, (size_t)count, sizeof *drawn, by_membership);
    return count < DOTS_MAX ? count : DOTS_MAX;
}

static const char *membership_text(const PlanFacts *facts, const FrontPoint *point)
{
    return arena_printf(facts->arena, "%.0f\xC2\xA0%%", point->membership * 100);
}

static ScatterPoint point_of(const PlanFacts *facts, int32_t constraint, int32_t candidate)
{
    const PlanOutcome *outcome = facts->outcome;
    const FrontPoint *front = &facts->fronts[constraint][candidate];
    const PlanFindings *findings = plan_findings(plan_candidate(facts, candidate));
    const PlanCheck *check = &findings->checks[answer_tightest(outcome, findings, constraint)];
    const Look *look = &looks[look_of(facts, candidate, check)];
    const char **cells = ARENA_ARRAY(facts->arena, const char *, COLUMNS);
    const int32_t metric = outcome->goal->constraints[constraint].metric;
    cells[0] = arena_printf(facts->arena, "%" PRId32, candidate);
    cells[1] = candidate_words(facts, candidate);
    cells[2] = objective_words(facts, findings);
    cells[3] = check_words(facts, check);
    cells[4] = membership_text(facts, front);
    const char *levels = candidate_levels(facts, candidate);
    const char *name = front->membership >= NAMED_MEMBERSHIP
                           ? arena_printf(facts->arena, "%s (%s)", levels, cells[4])
                           : levels;
    return (ScatterPoint){
        .x = scaled(&findings->objective, answer_scale(outcome, outcome->goal->metric).factor),
        .y = scaled(&check->estimate, answer_scale(outcome, metric).factor),
        .rgb = look->shade.rgb,
        .mark = look->mark,
        .name = name,
        .number = cells[0],
        .cells = cells};
}

static const char *note_of(const PlanFacts *facts, int32_t count)
{
    const char *band =
        facts->outcome->winner != NO_CANDIDATE && answer_indifference(facts->outcome) > 0
            ? " The grey band: values that count as equal to that of the recommended candidate."
            : "";
    return arena_printf(
        facts->arena,
        "Crosses are intervals at %.4g %%, each alone; the dashed line is the limit.%s "
        "Percentages: how often a candidate is on the Pareto front, so that no other is better in "
        "both, when the runs are drawn again with replacement (%d times, the same seeds for all). "
        "Names are levels of %s; on a phone, and where a name has no room, points have the numbers "
        "of the table.%s%s",
        facts->outcome->goal->confidence * 100, band, FRONT_RESAMPLES, choice_names(facts),
        count > NAMED_POINTS_MAX ? " Candidates that are never on the front have no name." : "",
        count < facts->outcome->grid->candidate_count ? " Candidates without values are left out."
                                                      : "");
}

/* "mean wait of jobs of team (min)". */
static const char *limited_title(const PlanFacts *facts, int32_t constraint)
{
    const int32_t metric = facts->outcome->goal->constraints[constraint].metric;
    return label_with_unit(facts->arena, constraint_title(facts, constraint),
                           answer_scale(facts->outcome, metric).unit);
}

static Scatter scatter_of(const PlanFacts *facts, int32_t constraint)
{
    const PlanOutcome *outcome = facts->outcome;
    const GoalConstraint *limit = &outcome->goal->constraints[constraint];
    const double x_factor = answer_scale(outcome, outcome->goal->metric).factor;
    const char **headings = ARENA_ARRAY(facts->arena, const char *, COLUMNS);
    headings[0] = "number";
    headings[1] = "candidate";
    headings[2] = objective_title(facts);
    headings[3] = limited_title(facts, constraint);
    headings[4] = "on the front";
    Scatter scatter = {.arena = facts->arena,
                       .x_label = headings[2],
                       .y_limit = limit->limit * answer_scale(outcome, limit->metric).factor,
                       .y_limit_name = "limit",
                       .x_band_low = (double)NAN,
                       .x_band_high = (double)NAN,
                       .headings = headings,
                       .column_count = COLUMNS,
                       .row_count = MARKS_MAX};
    if (outcome->winner != NO_CANDIDATE && answer_indifference(outcome) > 0) {
        const double value = plan_findings(plan_candidate(facts, outcome->winner))->objective.value;
        scatter.x_band_low = (value - answer_indifference(outcome)) * x_factor;
        scatter.x_band_high = (value + answer_indifference(outcome)) * x_factor;
    }
    return scatter;
}

static void front_figure(Figures *figures, const PlanFacts *facts, int32_t constraint)
{
    const int32_t all = facts->outcome->grid->candidate_count;
    Drawn *drawn = ARENA_ARRAY(facts->arena, Drawn, all);
    Shade *shades = ARENA_ARRAY(facts->arena, Shade, LOOK_COUNT);
    Figure figure = {
        .section = PLAN_FRONT,
        .file = arena_printf(facts->arena, "front-%" PRId32, constraint),
        .title = arena_printf(facts->arena, "%s against %s",
                              label_capitalised(facts->arena, limited_title(facts, constraint)),
                              objective_title(facts))};
    Scatter scatter = scatter_of(facts, constraint);
    scatter.count = choose(facts, facts->fronts[constraint], drawn);
    if (scatter.count == 0) {
        figure.note = "No candidate has values of both yet.";
        figures_missing(figures, figure);
        return;
    }
    ScatterPoint *points = ARENA_ARRAY(facts->arena, ScatterPoint, scatter.count);
    for (int32_t i = 0; i < scatter.count; i++)
        points[i] = point_of(facts, constraint, drawn[i].candidate);
    if (scatter.count > NAMED_POINTS_MAX)
        for (int32_t i = 0; i < scatter.count; i++)
            if (drawn[i].membership < NAMED_MEMBERSHIP || i >= NAMED_POINTS_MAX)
                points[i].name = NULL;
    for (LookKind kind = 0; kind < LOOK_COUNT; kind++)
        for (int32_t i = 0; i < scatter.count; i++)
            if (points[i].rgb == looks[kind].shade.rgb) {
                shades[scatter.shade_count++] = looks[kind].shade;
                break;
            }
    scatter.points = points;
    scatter.shades = shades;
    scatter.has_bars = scatter.count <= MARKS_MAX;
    figure.note = note_of(facts, scatter.count);
    scatter_draw(figures, figure, &scatter);
}

void figures_front(Figures *figures, const PlanFacts *facts)
{
    for (int32_t c = 0; c < facts->front_count; c++)
        front_figure(figures, facts, c);
}
