/* Private to reports/study: the points by two metrics, such as waiting time over cost. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/study/figures.h"
#include "reports/study/range.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"

enum { BODY = 320, LEFT = 64, COLUMNS = 4, NAME_LETTERS = 22, BAND_PPM = 12000, STEP_WIDTH = 60 };

/* The metrics across and up, and the points that are drawn. */
typedef struct {
    const StudyFacts *facts;
    int32_t across, up;
    const StudyAxis *colours; /* NULL: one colour */
    int32_t *points;
    int32_t count, all; /* of those with both values */
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

/* The value of a metric with the ends of its bar, in the units of the axis. */
typedef struct {
    double value, low, high;
} Bar;

static Bar bar_of(const Tradeoff *tradeoff, int32_t point, int32_t metric)
{
    const MetricEstimate *estimate = fact_estimate(tradeoff->facts, point, metric);
    const double scale = tradeoff->facts->scales[metric].factor;
    const double value = estimate->value;
    if (!has_bars(tradeoff))
        return (Bar){value * scale, value * scale, value * scale};
    return (Bar){value * scale, fact_bar_end(estimate->low, value) * scale,
                 fact_bar_end(estimate->high, value) * scale};
}

static Range range_of(const Tradeoff *tradeoff, int32_t metric)
{
    Range range = range_empty;
    for (int32_t i = 0; i < tradeoff->count; i++) {
        const Bar bar = bar_of(tradeoff, tradeoff->points[i], metric);
        range_add(&range, bar.value);
        range_add(&range, bar.low);
        range_add(&range, bar.high);
    }
    return range_for_values(range);
}

static void name_print(Text *out, const Tradeoff *tradeoff, int32_t point, FigureLayout layout)
{
    Text name = {0};
    if (layout.is_narrow)
        text_printf(&name, "%" PRId32, point);
    else
        shortened_print(&name, fact_point_levels(tradeoff->facts, point), NAME_LETTERS);
    text_add(out, " \"");
    for (const char *at = text_string(&name); *at != '\0'; at++)
        text_append(out, *at == '"' || *at == '\\' ? "'" : at, 1);
    text_add(out, "\"\n");
    text_free(&name);
}

static void scaled_print(Text *out, const Tradeoff *tradeoff, int32_t point, int32_t metric)
{
    const Bar bar = bar_of(tradeoff, point, metric);
    const double values[] = {bar.value, bar.low, bar.high};
    for (int32_t i = 0; i < 3; i++) {
        value_print(out, values[i]);
        text_add(out, " ");
    }
}

static void place_print(Text *out, const Tradeoff *tradeoff, int32_t point)
{
    const StudyFacts *facts = tradeoff->facts;
    value_print(out, fact_estimate(facts, point, tradeoff->across)->value *
                         facts->scales[tradeoff->across].factor);
    text_add(out, " ");
    value_print(out, fact_estimate(facts, point, tradeoff->up)->value *
                         facts->scales[tradeoff->up].factor);
}

static void legend_print(Text *out, const Tradeoff *tradeoff, FigureLayout layout)
{
    Shade shades[SERIES_MAX];
    const StudyAxis *axis = tradeoff->colours;
    const int32_t count = axis != NULL ? axis->level_count : 0;
    for (int32_t i = 0; i < count; i++)
        shades[i] = (Shade){arena_printf(tradeoff->facts->arena, "%s=%s", axis->name,
                                         axis_label(tradeoff->facts, axis, i)),
                            series_rgb[i]};
    key_print(out, shades, count, count > 1 ? (1U << count) - 1 : 0, layout);
}

static double distance(const Tradeoff *tradeoff, int32_t i, int32_t other, int32_t metric)
{
    const Range range = range_of(tradeoff, metric);
    const double scale = tradeoff->facts->scales[metric].factor;
    return fabs(fact_estimate(tradeoff->facts, tradeoff->points[i], metric)->value -
                fact_estimate(tradeoff->facts, tradeoff->points[other], metric)->value) *
           scale / (range.high - range.low);
}

/* Whether the name of a point would cover that of an earlier one. */
static bool is_hidden(const Tradeoff *tradeoff, int32_t i)
{
    for (int32_t before = 0; before < i; before++)
        if (distance(tradeoff, i, before, tradeoff->across) < 0.1 &&
            distance(tradeoff, i, before, tradeoff->up) < 0.04)
            return true;
    return false;
}

static void points_print(Text *out, const Tradeoff *tradeoff)
{
    text_add(out, "$points << END\n");
    for (int32_t i = 0; i < tradeoff->count; i++) {
        const int32_t point = tradeoff->points[i];
        scaled_print(out, tradeoff, point, tradeoff->across);
        scaled_print(out, tradeoff, point, tradeoff->up);
        text_printf(out, "0x%06" PRIX32 " \"\xE2\x97\x8F\"\n",
                    (uint32_t)colour_of(tradeoff, point));
    }
    text_add(out, "END\n");
}

/* Names of points on the right are left of them and lower, so that they stay in the drawing. */
static bool is_on_right(const Tradeoff *tradeoff, int32_t point)
{
    const double at = fact_estimate(tradeoff->facts, point, tradeoff->across)->value *
                      tradeoff->facts->scales[tradeoff->across].factor;
    return range_band(range_of(tradeoff, tradeoff->across), at, 0).from_ppm > 85 * PPM / 100;
}

static void names_print(Text *out, const Tradeoff *tradeoff, FigureLayout layout, bool on_right)
{
    text_printf(out, "$names_%s << END\n", on_right ? "right" : "left");
    for (int32_t i = 0; i < tradeoff->count && tradeoff->count <= NAMED_POINTS_MAX; i++) {
        const int32_t point = tradeoff->points[i];
        if (is_on_right(tradeoff, point) != on_right || is_hidden(tradeoff, i))
            continue;
        place_print(out, tradeoff, point);
        name_print(out, tradeoff, point, layout);
    }
    place_print(out, tradeoff, tradeoff->points[0]);
    text_add(out, " \" \"\nEND\n"); // gnuplot 5.4 crashes without any label
}

static void data_print(Text *out, const Tradeoff *tradeoff, FigureLayout layout)
{
    legend_print(out, tradeoff, layout);
    range_print(out, "x", range_of(tradeoff, tradeoff->across), layout.width / STEP_WIDTH);
    range_print(out, "y", range_of(tradeoff, tradeoff->up), 1);
    text_add(out, "x_label = ");
    gnuplot_string_print(out, fact_metric_title(tradeoff->facts, tradeoff->across));
    text_printf(out, "\ndot_font = ',%d'\n", has_bars(tradeoff) ? 11 : 8);
    points_print(out, tradeoff);
    names_print(out, tradeoff, layout, false);
    names_print(out, tradeoff, layout, true);
}

static const FigureNumbers *numbers_of(const Tradeoff *tradeoff)
{
    const StudyFacts *facts = tradeoff->facts;
    const char **headings = ARENA_ARRAY(facts->arena, const char *, COLUMNS);
    headings[0] = "point";
    headings[1] = "factors";
    headings[2] = facts->study->metrics[tradeoff->across].name;
    headings[3] = facts->study->metrics[tradeoff->up].name;
    FigureNumbers *numbers = numbers_create(facts->arena, headings, COLUMNS, false);
    const Range across = range_of(tradeoff, tradeoff->across);
    for (int32_t i = 0; i < tradeoff->count && i < MARKS_MAX; i++) {
        const int32_t point = tradeoff->points[i];
        const char *const cells[COLUMNS] = {arena_printf(facts->arena, "%" PRId32, point),
                                            fact_point_name(facts, point),
                                            fact_noted_estimate(facts, point, tradeoff->across),
                                            fact_noted_estimate(facts, point, tradeoff->up)};
        const double at = fact_estimate(facts, point, tradeoff->across)->value *
                          facts->scales[tradeoff->across].factor;
        numbers_add(numbers, range_band(across, at, BAND_PPM), cells);
    }
    return numbers;
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
                        "%s Names are levels of %s; on a phone, numbers of points. Where points "
                        "are close together, the first has its name.",
                        bars, fact_factor_names(tradeoff->facts));
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
                     .title = arena_printf(facts->arena, "%s over %s",
                                           fact_metric_title(facts, tradeoff.up),
                                           fact_metric_title(facts, tradeoff.across)),
                     .left = LEFT,
                     .left_narrow = LEFT};
    if (tradeoff.count == 0) {
        figure.note = "No point has values of both metrics.";
        figures_missing(figures, figure);
        return;
    }
    Text wide = {0}, narrow = {0};
    figure.note = note_of(&tradeoff);
    figure.numbers = numbers_of(&tradeoff);
    data_print(&wide, &tradeoff, figure_layout(false, false));
    data_print(&narrow, &tradeoff, figure_layout(false, true));
    figures_draw(figures, figure, "tradeoff.gp", text_string(&wide), text_string(&narrow), BODY);
    text_free(&wide);
    text_free(&narrow);
}
