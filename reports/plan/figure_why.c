/* Private to reports/plan: what the jobs of the candidates waited for, and what their money paid
 * for. */
#include <inttypes.h>
#include <math.h>

#include "reports/plan/figures.h"
#include "reports/plan/stacked.h"
#include "sim/base/units.h"

static const char *hours_words(Arena *arena, double hours)
{
    return amount_words(arena, hours, "h");
}

static const char *usd_words(Arena *arena, double usd)
{
    return amount_words(arena, usd, "USD");
}

static int32_t row_count(const PlanFacts *facts)
{
    const int32_t all = (int32_t)facts->follow->facts.point_count;
    return all < STACKED_ROWS_MAX ? all : STACKED_ROWS_MAX;
}

static PointLabels labels_of(const PlanFacts *facts, const int32_t *order)
{
    const int32_t count = row_count(facts);
    int32_t *points = ARENA_ARRAY(facts->arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        points[i] = facts->follow->facts.points[order[i]].point;
    return fact_labels(facts->study, points, count);
}

/* A division of the rows into kinds. */
typedef struct {
    int32_t kind_count;
    const char *(*name)(int32_t kind);
    double (*amount)(const PointWhy *why, int32_t kind);
} Division;

static const char *cause_name(int32_t kind)
{
    return wait_cause_words((WaitCause)kind);
}

static double waited_hours(const PointWhy *why, int32_t kind)
{
    return why->wait_s[kind] / 3600;
}

static const char *use_name(int32_t kind)
{
    return node_use_words((NodeUse)kind);
}

static double use_usd(const PointWhy *why, int32_t kind)
{
    return why->use_usd[kind];
}

static const Division by_cause = {WAIT_CAUSE_COUNT, cause_name, waited_hours};
static const Division by_use = {USE_COUNT, use_name, use_usd};

static Stacked stacked_of(const PlanFacts *facts, const int32_t *order, const PointLabels *labels,
                          const Division *division)
{
    const int32_t rows = row_count(facts);
    const int32_t kind_count = division->kind_count;
    const char **kinds = ARENA_ARRAY(facts->arena, const char *, kind_count);
    const char **short_names = ARENA_ARRAY(facts->arena, const char *, rows);
    const char **names = ARENA_ARRAY(facts->arena, const char *, rows);
    double *amounts = ARENA_ARRAY(facts->arena, double, rows *kind_count);
    for (int32_t row = 0; row < rows; row++) {
        const int32_t point = facts->follow->facts.points[order[row]].point;
        short_names[row] = fact_point_words(labels, point);
        names[row] = fact_point_name(facts->study, point);
    }
    for (int32_t kind = 0; kind < kind_count; kind++) {
        kinds[kind] = division->name(kind);
        for (int32_t row = 0; row < rows; row++)
            amounts[row * kind_count + kind] =
                division->amount(&facts->follow->why[order[row]], kind);
    }
    return (Stacked){.row_count = rows,
                     .kind_count = kind_count,
                     .rows = short_names,
                     .names = names,
                     .kinds = kinds,
                     .amounts = amounts,
                     .row_heading = "candidate"};
}

static const char *note_of(const PlanFacts *facts, const PointLabels *labels)
{
    const uint32_t all = facts->follow->facts.point_count;
    const char *shown = (uint32_t)row_count(facts) < all
                            ? arena_printf(facts->arena, "%" PRId32 " of %" PRIu32 " candidates",
                                           row_count(facts), all)
                            : "The candidates";
    return arena_printf(facts->arena,
                        "%s: %s. Rows are levels of %s; values are means of %" PRId32
                        " runs in the folder why next to this page.",
                        shown, why_order_words(facts), fact_factor_names(labels),
                        facts->follow->why[0].run_count);
}

static void waits_figure(Figures *figures, const PlanFacts *facts, const int32_t *order,
                         const PointLabels *labels)
{
    Stacked stacked = stacked_of(facts, order, labels, &by_cause);
    stacked.x_label = arena_printf(facts->arena, "hours in the queue, %s",
                                   answer_period(facts->arena, facts->outcome));
    stacked.words = hours_words;
    stacked_draw(figures,
                 (Figure){.section = PLAN_WHY,
                          .file = "why-waits",
                          .title = "What the jobs waited for",
                          .note = note_of(facts, labels)},
                 &stacked);
}

static void money_figure(Figures *figures, const PlanFacts *facts, const int32_t *order,
                         const PointLabels *labels)
{
    Stacked stacked = stacked_of(facts, order, labels, &by_use);
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
    const int32_t *order = why_order(facts);
    const PointLabels labels = labels_of(facts, order);
    waits_figure(figures, facts, order, &labels);
    money_figure(figures, facts, order, &labels);
}
