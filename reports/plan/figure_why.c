/* Private to reports/plan: what the jobs of the candidates waited for, and what their money paid
 * for. */
#include <inttypes.h>
#include <math.h>

#include "reports/plan/figures.h"
#include "reports/plan/stacked.h"
#include "sim/base/units.h"

static const char *hours_words(Arena *arena, double hours)
{
    return arena_printf(arena, hours < 10 ? "%.2f\xC2\xA0h" : "%.0f\xC2\xA0h", hours);
}

static const char *usd_words(Arena *arena, double usd)
{
    return arena_printf(arena, fabs(usd) < 100 ? "%.2f\xC2\xA0USD" : "%.0f\xC2\xA0USD", usd);
}

/* The candidates of DIR/why: the recommended one, the next best, then the others. */
static const char *const *row_names(const PlanFacts *facts, int32_t count)
{
    const char **names = ARENA_ARRAY(facts->arena, const char *, count);
    for (int32_t i = 0; i < count; i++)
        names[i] = fact_point_levels(facts->study, facts->follow->facts.points[i].point);
    return names;
}

static Stacked stacked_of(const PlanFacts *facts, int32_t kinds)
{
    const int32_t all = (int32_t)facts->follow->facts.point_count;
    const int32_t rows = all < STACKED_ROWS_MAX ? all : STACKED_ROWS_MAX;
    return (Stacked){.row_count = rows,
                     .kind_count = kinds,
                     .rows = row_names(facts, rows),
                     .amounts = ARENA_ARRAY(facts->arena, double, rows *kinds),
                     .row_heading = "candidate"};
}

static const char *note_of(const PlanFacts *facts, const Stacked *stacked)
{
    return arena_printf(
        facts->arena, "Means of %" PRId32 " runs in DIR/why; rows are levels of %s.%s",
        facts->follow->why[0].run_count, fact_factor_names(facts->study),
        (uint32_t)stacked->row_count < facts->follow->facts.point_count
            ? arena_printf(facts->arena, " The first %" PRId32 " of %" PRIu32 " candidates.",
                           stacked->row_count, facts->follow->facts.point_count)
            : "");
}

static void waits_figure(Figures *figures, const PlanFacts *facts)
{
    const char **kinds = ARENA_ARRAY(facts->arena, const char *, WAIT_CAUSE_COUNT);
    Stacked stacked = stacked_of(facts, WAIT_CAUSE_COUNT);
    double *amounts = (double *)stacked.amounts; // made here
    for (int32_t kind = 0; kind < WAIT_CAUSE_COUNT; kind++) {
        kinds[kind] = wait_cause_words((WaitCause)kind);
        for (int32_t row = 0; row < stacked.row_count; row++)
            amounts[row * WAIT_CAUSE_COUNT + kind] = facts->follow->why[row].wait_s[kind] / 3600;
    }
    stacked.kinds = kinds;
    stacked.x_label = arena_printf(facts->arena, "hours of all jobs in the queue, %s",
                                   answer_period(facts->arena, facts->outcome));
    stacked.words = hours_words;
    stacked_draw(figures,
                 (Figure){.section = PLAN_WHY,
                          .file = "why-waits",
                          .title = "What the jobs waited for",
                          .note = note_of(facts, &stacked)},
                 &stacked);
}

static void money_figure(Figures *figures, const PlanFacts *facts)
{
    const char **kinds = ARENA_ARRAY(facts->arena, const char *, USE_COUNT);
    Stacked stacked = stacked_of(facts, USE_COUNT);
    double *amounts = (double *)stacked.amounts; // made here
    for (int32_t kind = 0; kind < USE_COUNT; kind++) {
        kinds[kind] = node_use_words((NodeUse)kind);
        for (int32_t row = 0; row < stacked.row_count; row++)
            amounts[row * USE_COUNT + kind] = facts->follow->why[row].use_usd[kind];
    }
    stacked.kinds = kinds;
    stacked.x_label = arena_printf(facts->arena, "cost of nodes, USD %s",
                                   answer_period(facts->arena, facts->outcome));
    stacked.words = usd_words;
    stacked_draw(figures,
                 (Figure){.section = PLAN_WHY,
                          .file = "why-money",
                          .title = "What the money for nodes bought",
                          .note = ""},
                 &stacked);
}

void figures_why(Figures *figures, const PlanFacts *facts)
{
    if (facts->follow == NULL || facts->follow->why == NULL ||
        facts->follow->facts.point_count == 0)
        return;
    waits_figure(figures, facts);
    money_figure(figures, facts);
}
