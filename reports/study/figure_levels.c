/* Private to reports/study: each metric over the levels of the axes.
 *
 * A grid of one axis is a curve; of two, a curve for each level of the second; of three, a drawing
 * for each level of the third. A larger grid has a drawing for each axis, with means over all other
 * axes. One at a time, a drawing has the points along one axis. Other designs have dots, and means
 * of groups of points. */
#include <inttypes.h>
#include <math.h>

#include "reports/study/figures.h"
#include "reports/study/panel.h"
#include "reports/text/labels.h"

#define INTERVALS "Bars are 95 % intervals."

/* Fills in a mean of several points in a mark whose other members are known; `without_interval`
 * says why, if it has none. */
static void put_mean(const StudyFacts *facts, int32_t metric, const Estimate *mean,
                     const char *without_interval, Mark *mark)
{
    Text text = {0};
    mark->value = mean->mean;
    mark->low = mean->mean - mean->half_width;
    mark->high = mean->mean + mean->half_width;
    metric_interval_cut(facts->study->metrics[metric].kind, &mark->low, &mark->high);
    mark->note = isfinite(mean->half_width) ? "" : without_interval;
    text_add(&text, mark->is_bound ? "\xE2\x89\xA5\xC2\xA0" : "");
    fact_number_print(&text, facts, metric, mean->mean,
                      mark->is_bound ? (double)NAN : mean->half_width);
    mark->text = text_move(facts->arena, &text);
}

/* Fills in the mark of a point; false if no run has a value. */
static bool mark_of_point(const StudyFacts *facts, const StudyAxis *axis, int32_t metric,
                          int32_t point, Mark *mark)
{
    const MetricEstimate *estimate = fact_estimate(facts, point, metric);
    const int32_t level = axis_level(facts, axis, point);
    *mark = (Mark){.x = axis->x[level],
                   .value = estimate->value,
                   .low = estimate->low,
                   .high = estimate->high,
                   .is_bound = estimate->lower_bound_count > 0,
                   .label = axis_label(facts, axis, level),
                   .text = fact_noted_estimate(facts, point, metric),
                   .note = estimate->note};
    return !isnan(estimate->value);
}

static Figure figure_for(const StudyFacts *facts, int32_t metric, int32_t number, const char *title,
                         const char *note, bool is_half)
{
    return (Figure){.section = SECTION_LEVELS,
                    .file = number == 0 ? arena_printf(facts->arena, "levels-%" PRId32, metric)
                                        : arena_printf(facts->arena, "levels-%" PRId32 "-%" PRId32,
                                                       metric, number),
                    .title = title,
                    .note = note,
                    .is_half = is_half};
}

/* --- Grids of up to three axes --- */

typedef struct {
    const StudyAxis *x, *series, *panels; /* NULL: none */
    int32_t series_count, panel_count;
    int32_t *points; /* [(panel * series_count + series) * levels of x + level]; NO_POINT */
} Grid;

static int32_t *grid_cell(const Grid *grid, int32_t panel, int32_t series, int32_t level)
{
    return &grid->points[(panel * grid->series_count + series) * grid->x->level_count + level];
}

static bool choose_axes(const StudyFacts *facts, Grid *grid)
{
    const StudyAxis *axes = facts->axes;
    const StudyAxis *others[2] = {NULL, NULL};
    if (facts->study->design->plan.kind != DESIGN_GRID || facts->axis_count > 3 ||
        axes[0].level_count > MARKS_MAX)
        return false;
    int32_t x = 0;
    if (facts->axis_count == 2 && axes[1].level_count > SERIES_MAX &&
        axes[1].level_count <= MARKS_MAX)
        x = 1; // the other one has few levels, perhaps
    for (int32_t i = 0, next = 0; i < facts->axis_count; i++)
        if (i != x)
            others[next++] = &axes[i];
    *grid = (Grid){.x = &axes[x],
                   .series = others[0],
                   .panels = others[1],
                   .series_count = others[0] != NULL ? others[0]->level_count : 1,
                   .panel_count = others[1] != NULL ? others[1]->level_count : 1};
    return grid->series_count <= SERIES_MAX && grid->panel_count <= PANELS_MAX;
}

static bool find_grid(const StudyFacts *facts, Grid *grid)
{
    if (!choose_axes(facts, grid))
        return false;
    const int32_t cells = grid->panel_count * grid->series_count * grid->x->level_count;
    grid->points = ARENA_ARRAY(facts->arena, int32_t, cells);
    for (int32_t i = 0; i < cells; i++)
        grid->points[i] = NO_POINT;
    for (int32_t point = 0; point < facts->study->point_count; point++)
        *grid_cell(grid, grid->panels != NULL ? axis_level(facts, grid->panels, point) : 0,
                   grid->series != NULL ? axis_level(facts, grid->series, point) : 0,
                   axis_level(facts, grid->x, point)) = point;
    return true;
}

static Curve curve_of(const StudyFacts *facts, const Grid *grid, int32_t metric, int32_t panel,
                      int32_t series)
{
    Curve curve = {.name = grid->series != NULL
                               ? arena_printf(facts->arena, "%s=%s", grid->series->name,
                                              axis_label(facts, grid->series, series))
                               : fact_metric_title(facts, metric),
                   .marks = ARENA_ARRAY(facts->arena, Mark, grid->x->level_count)};
    for (int32_t i = 0; i < grid->x->level_count; i++) {
        const int32_t point = *grid_cell(grid, panel, series, grid->x->order[i]);
        if (point != NO_POINT)
            curve.count += mark_of_point(facts, grid->x, metric, point, &curve.marks[curve.count]);
    }
    return curve;
}

static void grid_figure(Figures *figures, const StudyFacts *facts, const Grid *grid, int32_t metric,
                        int32_t panel_index)
{
    Panel panel = {
        .facts = facts, .axis = grid->x, .metric = metric, .curve_count = grid->series_count};
    for (int32_t i = 0; i < grid->series_count; i++)
        panel.curves[i] = curve_of(facts, grid, metric, panel_index,
                                   grid->series != NULL ? grid->series->order[i] : 0);
    const char *title = arena_printf(
        facts->arena, "%s by %s", label_capitalised(facts->arena, fact_metric_title(facts, metric)),
        grid->x->name);
    if (grid->panels != NULL)
        title = arena_printf(facts->arena, "%s (%s=%s)", title, grid->panels->name,
                             axis_label(facts, grid->panels, panel_index));
    panel_draw(figures,
               figure_for(facts, metric, grid->panels != NULL ? panel_index + 1 : 0, title,
                          metric == 0 && panel_index == 0 ? INTERVALS : "", grid->panels != NULL),
               &panel);
}

/* --- A drawing for each axis --- */

/* The means over all points of each level. */
static Curve level_means(const StudyFacts *facts, const StudyAxis *axis, int32_t metric)
{
    Curve curve = {.name = fact_metric_title(facts, metric),
                   .marks = ARENA_ARRAY(facts->arena, Mark, axis->level_count)};
    for (int32_t i = 0; i < axis->level_count; i++) {
        const int32_t level = axis->order[i];
        const Estimate mean = fact_level_mean(facts, axis, level, metric);
        if (isnan(mean.mean))
            continue;
        Mark *mark = &curve.marks[curve.count++];
        *mark = (Mark){.x = axis->x[level], .label = axis_label(facts, axis, level)};
        for (int32_t point = 0; point < facts->study->point_count; point++)
            mark->is_bound |= axis_level(facts, axis, point) == level &&
                              fact_estimate(facts, point, metric)->lower_bound_count > 0;
        put_mean(facts, metric, &mean, "a point of the level has none", mark);
    }
    return curve;
}

static bool is_on_axis(const StudyFacts *facts, const StudyAxis *axis, int32_t point)
{
    for (int32_t i = 0; i < facts->axis_count; i++)
        if (&facts->axes[i] != axis && axis_level(facts, &facts->axes[i], point) !=
                                           facts->study->baseline[facts->axes[i].factor])
            return false;
    return true;
}

/* The points that have the baseline's levels of all other axes. */
static Curve axis_points(const StudyFacts *facts, const StudyAxis *axis, int32_t metric)
{
    Curve curve = {.name = fact_metric_title(facts, metric),
                   .marks = ARENA_ARRAY(facts->arena, Mark, axis->level_count)};
    for (int32_t i = 0; i < axis->level_count; i++)
        for (int32_t point = 0; point < facts->study->point_count; point++)
            if (axis_level(facts, axis, point) == axis->order[i] &&
                is_on_axis(facts, axis, point)) {
                curve.count += mark_of_point(facts, axis, metric, point, &curve.marks[curve.count]);
                break;
            }
    return curve;
}

/* The points with a value, by rising x. */
static int32_t points_by_x(const StudyFacts *facts, const StudyAxis *axis, int32_t metric,
                           int32_t *points)
{
    const int32_t point_count = facts->study->point_count;
    int32_t *first = ARENA_ARRAY(facts->arena, int32_t, axis->level_count + 1);
    int32_t count = 0;
    for (int32_t point = 0; point < point_count; point++)
        first[axis_level(facts, axis, point)]++;
    for (int32_t i = 0, before = 0; i < axis->level_count; i++) {
        const int32_t own = first[axis->order[i]];
        first[axis->order[i]] = before;
        before += own;
    }
    int32_t *placed = ARENA_ARRAY(facts->arena, int32_t, point_count);
    for (int32_t point = 0; point < point_count; point++)
        placed[first[axis_level(facts, axis, point)]++] = point;
    for (int32_t i = 0; i < point_count; i++)
        if (!isnan(fact_estimate(facts, placed[i], metric)->value))
            points[count++] = placed[i];
    return count;
}

/* The mean of a group of points and its interval, from the differences between points. */
static Mark group_mark(const StudyFacts *facts, const StudyAxis *axis, int32_t metric,
                       const int32_t *points, int32_t count)
{
    double *means = ARENA_ARRAY(facts->arena, double, count);
    double x = 0;
    Mark mark = {0};
    for (int32_t i = 0; i < count; i++) {
        means[i] = fact_estimate(facts, points[i], metric)->value;
        x += axis->x[axis_level(facts, axis, points[i])] / count;
        mark.is_bound |= fact_estimate(facts, points[i], metric)->lower_bound_count > 0;
    }
    const Estimate mean = estimate_mean(means, count, STUDY_CONFIDENCE);
    const int32_t first = axis_level(facts, axis, points[0]);
    const int32_t last = axis_level(facts, axis, points[count - 1]);
    mark.x = first == last ? axis->x[first] : x;
    put_mean(facts, metric, &mean, "the group has one point", &mark);
    mark.label = first == last
                     ? axis_label(facts, axis, first)
                     : arena_printf(facts->arena, "%s to %s", axis_label(facts, axis, first),
                                    axis_label(facts, axis, last));
    return mark;
}

enum { GROUPS = 10 };

/* Groups of points: each level, if there are few of them, or tenths of the points. */
static Curve group_means(const StudyFacts *facts, const StudyAxis *axis, int32_t metric,
                         const int32_t *points, int32_t count)
{
    const bool has_few = !axis->is_of_numbers || axis->level_count <= GROUPS;
    Curve curve = {.name = "mean of the points",
                   .marks = ARENA_ARRAY(facts->arena, Mark, axis->level_count + GROUPS)};
    for (int32_t begin = 0, group = 1; begin < count; group++) {
        int32_t end = (int32_t)((int64_t)count * group / GROUPS);
        if (has_few)
            for (end = begin + 1; end < count && axis_level(facts, axis, points[end]) ==
                                                     axis_level(facts, axis, points[begin]);)
                end++;
        if (end > begin)
            curve.marks[curve.count++] =
                group_mark(facts, axis, metric, points + begin, end - begin);
        begin = end;
    }
    return curve;
}

static const Dot *dots_of(const StudyFacts *facts, const StudyAxis *axis, int32_t metric,
                          const int32_t *points, int32_t count, int32_t *dot_count)
{
    *dot_count = count < DOTS_MAX ? count : DOTS_MAX;
    Dot *dots = ARENA_ARRAY(facts->arena, Dot, *dot_count + 1);
    for (int32_t i = 0; i < *dot_count; i++) {
        const int32_t point = points[(int64_t)i * count / *dot_count];
        dots[i] = (Dot){axis->x[axis_level(facts, axis, point)],
                        fact_estimate(facts, point, metric)->value};
    }
    return dots;
}

/* Fills in the curve and the dots of a drawing; returns its note. */
typedef const char *FillPanel(const StudyFacts *facts, Panel *panel);

static const char *fill_level_means(const StudyFacts *facts, Panel *panel)
{
    panel->curves[0] = level_means(facts, panel->axis, panel->metric);
    return "Means of the runs' values over all points of a level. Bars are 95 % intervals by "
           "Student's t over replications.";
}

static const char *fill_axis_points(const StudyFacts *facts, Panel *panel)
{
    panel->curves[0] = axis_points(facts, panel->axis, panel->metric);
    return "All other factors are at the baseline. " INTERVALS;
}

static const char *fill_groups(const StudyFacts *facts, Panel *panel)
{
    int32_t *points = ARENA_ARRAY(facts->arena, int32_t, facts->study->point_count);
    const int32_t count = points_by_x(facts, panel->axis, panel->metric, points);
    panel->curves[0] = group_means(facts, panel->axis, panel->metric, points, count);
    panel->dots = dots_of(facts, panel->axis, panel->metric, points, count, &panel->dot_count);
    const char *shown =
        panel->dot_count < count
            ? arena_printf(facts->arena, "Dots are %" PRId32 " of %" PRId32 " points",
                           panel->dot_count, count)
            : "Dots are points";
    return arena_printf(facts->arena,
                        "%s, without their intervals. The curve has means of groups of points; its "
                        "bars are 95 %% intervals from the differences between points.",
                        shown);
}

static FillPanel *fill_for(const StudyFacts *facts)
{
    const DesignKind kind = facts->study->design->plan.kind;
    if (kind == DESIGN_ONE_AT_A_TIME)
        return fill_axis_points;
    for (int32_t i = 0; kind == DESIGN_GRID && i < facts->axis_count; i++)
        if (facts->axes[i].level_count > MARKS_MAX)
            return fill_groups;
    return kind == DESIGN_GRID ? fill_level_means : fill_groups;
}

static void axis_figures(Figures *figures, const StudyFacts *facts, FillPanel *fill, int32_t metric)
{
    const int32_t shown = facts->axis_count < PANELS_MAX ? facts->axis_count : PANELS_MAX;
    for (int32_t i = 0; i < shown; i++) {
        Panel panel = {.facts = facts, .axis = &facts->axes[i], .metric = metric, .curve_count = 1};
        const char *note = fill(facts, &panel);
        if (shown < facts->axis_count)
            note = arena_printf(facts->arena, "The first %" PRId32 " of %" PRId32 " factors. %s",
                                shown, facts->axis_count, note);
        const char *title = arena_printf(
            facts->arena, "%s by %s",
            label_capitalised(facts->arena, fact_metric_title(facts, metric)), facts->axes[i].name);
        panel_draw(figures,
                   figure_for(facts, metric, i + 1, title, metric == 0 && i == 0 ? note : "", true),
                   &panel);
    }
}

/* --- All metrics --- */

static int32_t metrics_drawn(const StudyFacts *facts, bool is_grid, const Grid *grid)
{
    const int32_t most = is_grid && grid->panels == NULL ? METRICS_DRAWN : PANEL_METRICS;
    return facts->study->metric_count < most ? facts->study->metric_count : most;
}

int32_t figures_levels_metrics(const StudyFacts *facts)
{
    Grid grid = {0};
    return metrics_drawn(facts, facts->axis_count > 0 && choose_axes(facts, &grid), &grid);
}

static void metric_figures(Figures *figures, const StudyFacts *facts, const Grid *grid,
                           int32_t metric)
{
    for (int32_t i = 0; grid != NULL && i < grid->panel_count; i++)
        grid_figure(figures, facts, grid, metric, i);
    if (grid == NULL)
        axis_figures(figures, facts, fill_for(facts), metric);
}

void figures_levels_of(Figures *figures, const StudyFacts *facts, int32_t metric)
{
    Grid grid = {0};
    if (facts->axis_count > 0)
        metric_figures(figures, facts, find_grid(facts, &grid) ? &grid : NULL, metric);
}

void figures_levels(Figures *figures, const StudyFacts *facts)
{
    Grid grid = {0};
    if (facts->axis_count == 0)
        return;
    const bool is_grid = find_grid(facts, &grid);
    const int32_t drawn = metrics_drawn(facts, is_grid, &grid);
    for (int32_t m = 0; m < drawn; m++)
        metric_figures(figures, facts, is_grid ? &grid : NULL, m);
}
