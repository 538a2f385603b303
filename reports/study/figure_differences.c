/* Private to reports/study: differences to the baseline, run by run with the same seeds. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "reports/study/figures.h"
#include "reports/study/palette.h"
#include "reports/study/rows.h"
#include "reports/text/labels.h"

enum { COLUMNS = 5 };

static const Shade shades[] = {{"the interval does not contain 0", RGB_DIFFERS},
                               {"the interval contains 0", RGB_MAY_BE_0}};

typedef struct {
    double size;
    int32_t point;
} Difference;

static int by_size(const void *left, const void *right)
{
    const Difference *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

static int by_point(const void *left, const void *right)
{
    const Difference *a = left, *b = right;
    return (a->point > b->point) - (a->point < b->point);
}

/* The points with a difference, the largest ROWS_MAX in the order of points. */
static int32_t choose(const StudyFacts *facts, int32_t metric, Difference *chosen, int32_t *all)
{
    *all = 0;
    for (int32_t point = 0; point < facts->study->point_count; point++) {
        const double difference = fact_estimate(facts, point, metric)->difference;
        if (!isnan(difference))
            chosen[(*all)++] = (Difference){fabs(difference), point};
    }
    if (*all <= ROWS_MAX)
        return *all;
    qsort(chosen, (size_t)*all, sizeof *chosen, by_size);
    qsort(chosen, ROWS_MAX, sizeof *chosen, by_point);
    return ROWS_MAX;
}

static const char *reduction_text(Arena *arena, double reduction)
{
    return !isfinite(reduction)
               ? "\xE2\x80\x93"
               : arena_printf(arena, reduction < 9.95 ? "%.1f" : "%.0f", reduction);
}

static void add_row(Rows *rows, const PointLabels *labels, int32_t metric, int32_t point)
{
    const StudyFacts *facts = labels->facts;
    const MetricEstimate *estimate = fact_estimate(facts, point, metric);
    const double scale = facts->scales[metric].factor;
    const double half = estimate->difference_half_width;
    const bool may_be_0 = fabs(estimate->difference) <= half;
    Text difference = {0};
    fact_number_print(&difference, facts, metric, estimate->difference, half);
    const char *cells[COLUMNS] = {
        arena_printf(facts->arena, "%" PRId32 ": %s", point, fact_point_name(facts, point)),
        text_move(facts->arena, &difference), fact_noted_estimate(facts, point, metric),
        arena_printf(facts->arena, "%" PRId32, facts->study->compared_with[point]),
        reduction_text(facts->arena, estimate->variance_reduction)};
    rows_add(rows,
             arena_printf(facts->arena, "%" PRId32 ": %s", point, fact_point_words(labels, point)),
             cells);
    rows_span(rows, (estimate->difference - half) * scale, (estimate->difference + half) * scale);
    rows_mark(rows, estimate->difference * scale, may_be_0 ? RGB_MAY_BE_0 : RGB_DIFFERS);
}

static bool chosen_are_0(const Difference *chosen, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (chosen[i].size > 0)
            return false;
    return true;
}

static void metric_figure(Figures *figures, const StudyFacts *facts, int32_t metric)
{
    static const char *const headings[COLUMNS] = {"point", "difference", "value of the point",
                                                  "compared with point", "variance reduction"};
    Arena *arena = figures->arena;
    Difference *chosen = ARENA_ARRAY(arena, Difference, facts->study->point_count);
    int32_t all;
    const int32_t count = choose(facts, metric, chosen, &all);
    int32_t *points = ARENA_ARRAY(arena, int32_t, count + 1);
    for (int32_t i = 0; i < count; i++)
        points[i] = chosen[i].point;
    const PointLabels labels = fact_labels(facts, points, count);
    Figure figure = {
        .section = SECTION_DIFFERENCES,
        .file = arena_printf(arena, "differences-%" PRId32, metric),
        .title = arena_printf(arena, "%s: point minus baseline",
                              label_capitalised(arena, fact_metric_words(facts, metric))),
        .note = arena_printf(arena, "Rows: point, and its %s.", fact_factor_names(&labels))};
    if (count == 0)
        return;
    if (chosen_are_0(chosen, count)) {
        figure.note = "No point differs from its baseline in any run.";
        figures_missing(figures, figure);
        return;
    }
    if (count < all)
        figure.note = arena_printf(
            arena, "%s The %" PRId32 " largest of %" PRId32 " differences; points.csv has all.",
            figure.note, count, all);
    Rows rows = rows_begin(arena, count, 0, headings, COLUMNS);
    rows.x_label = fact_metric_title(facts, metric);
    rows.shades = shades;
    rows.shade_count = sizeof shades / sizeof *shades;
    for (int32_t i = 0; i < count; i++)
        add_row(&rows, &labels, metric, points[i]);
    rows_draw(figures, figure, &rows);
}

void figures_differences(Figures *figures, const StudyFacts *facts)
{
    for (int32_t m = 0;
         facts->study->has_baseline && m < facts->study->metric_count && m < METRICS_DRAWN; m++)
        metric_figure(figures, facts, m);
}
