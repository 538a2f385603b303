/* Private to reports/study: the points by two metrics, such as waiting time over cost. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/study/figures.h"
#include "reports/study/scatter.h"
#include "reports/text/labels.h"

enum { COLUMNS = 4 };

/* The metrics across and up, and the points that are drawn. */
typedef struct {
    const StudyFacts *facts;
    int32_t across, up;
    const StudyAxis *colours; /* NULL: one colour */
    int32_t *points;
    int32_t count, all; /* of those with both values */
    PointLabels labels;
} Tradeoff;

static bool is_money(const StudyFacts *facts, int32_t metric)
{
    const char *unit = facts->study->metrics[metric].unit;
    return unit != NULL && strcmp(unit, "USD") == 0;
}

/* Cost, if there is one, is across; the first other metric is up. */
static void choose_metrics(const StudyFacts *facts, Tradeoff *tradeoff)
{
    tradeoff->across = 0;
    for (int32_t m = facts->study->metric_count - 1; m >= 0; m--)
        if (is_money(facts, m))
            tradeoff->across = m;
    tradeoff->up = tradeoff->across == 0 ? 1 : 0;
}

static void choose_points(const StudyFacts *facts, Tradeoff *tradeoff)
{
    const int32_t point_count = facts->study->point_count;
    tradeoff->points = ARENA_ARRAY(facts->arena, int32_t, point_count);
    for (int32_t point = 0; point < point_count; point++)
        if (!isnan(fact_estimate(facts, point, tradeoff->across)->value) &&
            !isnan(fact_estimate(facts, point, tradeoff->up)->value))
            tradeoff->points[tradeoff->all++] = point;
    tradeoff->count = tradeoff->all < DOTS_MAX ? tradeoff->all : DOTS_MAX;
    for (int32_t i = 0; i < tradeoff->count; i++)
        tradeoff->points[i] = tradeoff->points[(int64_t)i * tradeoff->all / tradeoff->count];
    tradeoff->labels = fact_labels(facts, tradeoff->points, tradeoff->count);
}

/* The axis whose levels have colours: the last with few levels, as the choices are. */
static const StudyAxis *colour_axis(const StudyFacts *facts)
{
    for (int32_t i = facts->axis_count - 1; i >= 0; i--)
        if (facts->axes[i].level_count <= SERIES_MAX)
            return &facts->axes[i];
    return NULL;
}

static int32_t colour_of(const Tradeoff *tradeoff, int32_t point)
{
    return series_rgb[tradeoff->colours != NULL
                          ? axis_level(tradeoff->facts, tradeoff->colours, point)
                          : 0];
}

static bool has_bars(const Tradeoff *tradeoff)
{
    return tradeoff->count <= MARKS_MAX;
}

static ScatterValue value_of(const Tradeoff *tradeoff, int32_t point, int32_t metric)
{
    const MetricEstimate *estimate = fact_estimate(tradeoff->facts, point, metric);
    const double scale = tradeoff->facts->scales[metric].factor;
    const double value = estimate->value;
    if (!has_bars(tradeoff))
        return (ScatterValue){value * scale, value * scale, value * scale};
    return (ScatterValue){value * scale, fact_bar_end(estimate->low, value) * scale,
                          fact_bar_end(estimate->high, value) * scale};
}

static const Shade *shades_of(const Tradeoff *tradeoff, int32_t *count)
{
    const StudyAxis *axis = tradeoff->colours;
    *count = axis != NULL ? axis->level_count : 0;
    Shade *shades = ARENA_ARRAY(tradeoff->facts->arena, Shade, *count + 1);
    for (int32_t i = 0; i < *count; i++)
        shades[i] = (Shade){arena_printf(tradeoff->facts->arena, "%s=%s", axis->name,
                                         axis_label(tradeoff->facts, axis, i)),
                            series_rgb[i]};
    return shades;
}

static ScatterPoint scatter_point(const Tradeoff *tradeoff, int32_t point)
{
    const StudyFacts *facts = tradeoff->facts;
    const char **cells = ARENA_ARRAY(facts->arena, const char *, COLUMNS);
    const char *number = arena_printf(facts->arena, "%" PRId32, point);
    cells[0] = number;
    cells[1] = fact_point_name(facts, point);
    cells[2] = fact_noted_estimate(facts, point, tradeoff->across);
    cells[3] = fact_noted_estimate(facts, point, tradeoff->up);
    return (ScatterPoint){.x = value_of(tradeoff, point, tradeoff->across),
                          .y = value_of(tradeoff, point, tradeoff->up),
                          .rgb = colour_of(tradeoff, point),
                          .mark = SCATTER_DOT,
                          .name = tradeoff->count <= NAMED_POINTS_MAX
                                      ? fact_point_levels(&tradeoff->labels, point)
                                      : NULL,
                          .number = number,
                          .cells = cells};
}

static const char *note_of(const Tradeoff *tradeoff)
{
    Arena *arena = tradeoff->facts->arena;
    if (!has_bars(tradeoff))
        return arena_printf(arena,
                            "%" PRId32 " of %" PRId32
                            " points, without their intervals; points.csv has all.",
                            tradeoff->count, tradeoff->all);
    const char *bars = "Crosses are 95 % intervals of both values, each alone; a line is missing "
                       "where there is no interval.";
    if (tradeoff->count > NAMED_POINTS_MAX)
        return bars;
    return arena_printf(arena,
                        "%s Names are levels of %s; on a phone, and where a name has no room, "
                        "numbers of points.",
                        bars, fact_factor_names(&tradeoff->labels));
}

static void draw(Figures *figures, Figure figure, const Tradeoff *tradeoff)
{
    const StudyFacts *facts = tradeoff->facts;
    const char **headings = ARENA_ARRAY(facts->arena, const char *, COLUMNS);
    headings[0] = "point";
    headings[1] = "factors";
    headings[2] = fact_metric_words(facts, tradeoff->across);
    headings[3] = fact_metric_words(facts, tradeoff->up);
    ScatterPoint *points = ARENA_ARRAY(facts->arena, ScatterPoint, tradeoff->count);
    Scatter scatter = {.arena = facts->arena,
                       .points = points,
                       .count = tradeoff->count,
                       .has_bars = has_bars(tradeoff),
                       .x_label = fact_metric_title(facts, tradeoff->across),
                       .y_limit = (double)NAN,
                       .x_band_low = (double)NAN,
                       .x_band_high = (double)NAN,
                       .headings = headings,
                       .column_count = COLUMNS,
                       .row_count = MARKS_MAX};
    for (int32_t i = 0; i < tradeoff->count; i++)
        points[i] = scatter_point(tradeoff, tradeoff->points[i]);
    scatter.shades = shades_of(tradeoff, &scatter.shade_count);
    scatter_draw(figures, figure, &scatter);
}

void figures_tradeoff(Figures *figures, const StudyFacts *facts)
{
    Tradeoff tradeoff = {.facts = facts, .colours = colour_axis(facts)};
    if (facts->study->metric_count < 2 || facts->axis_count == 0)
        return;
    choose_metrics(facts, &tradeoff);
    choose_points(facts, &tradeoff);
    Figure figure = {.section = SECTION_TRADEOFF,
                     .file = "tradeoff",
                     .title = arena_printf(
                         facts->arena, "%s against %s",
                         label_capitalised(facts->arena, fact_metric_title(facts, tradeoff.up)),
                         fact_metric_title(facts, tradeoff.across))};
    if (tradeoff.count == 0) {
        figure.note = "No point has values of both metrics.";
        figures_missing(figures, figure);
        return;
    }
    figure.note = note_of(&tradeoff);
    draw(figures, figure, &tradeoff);
}
