/* Private to reports/study: how much each axis matters, for designs that say so. */
#include <inttypes.h>
#include <math.h>

#include "reports/study/figures.h"
#include "reports/study/palette.h"
#include "reports/study/rows.h"
#include "reports/text/labels.h"
#include "sim/study/design/effects.h"

enum { COLUMNS = 4 };

/* The data of a figure of effects. */
typedef struct {
    const StudyFacts *facts;
    int32_t metric;
    const double *means;      /* [point] the values */
    const char *const *names; /* [axis of the design] */
    double scale;
} Effects;

static const char *number_text(const Effects *effects, double value, double error)
{
    Text text = {0};
    fact_number_print(&text, effects->facts, effects->metric, value, error);
    return text_move(effects->facts->arena, &text);
}

static const char *share_text(const Effects *effects, double share)
{
    return arena_printf(effects->facts->arena, "%.2f", share);
}

/* --- One at a time --- */

/* The largest half-width of the differences to the baseline of the points on the axis. */
static double swing_half_width(const Effects *effects, int32_t axis)
{
    const Study *study = effects->facts->study;
    double largest = 0;
    for (int32_t point = 0; point < study->point_count; point++)
        for (int32_t f = 0; f < study->factor_count; f++)
            if (study->design->axis_of[f] == axis &&
                point_level(study, point, f) != point_level(study, 0, f)) {
                const double half =
                    fact_estimate(effects->facts, point, effects->metric)->difference_half_width;
                largest = isfinite(half) ? fmax(largest, half) : largest;
            }
    return largest;
}

static const char *add_swings(Rows *rows, const Effects *effects)
{
    const Design *design = effects->facts->study->design;
    const double scale = effects->scale;
    Swing *swings = ARENA_ARRAY(effects->facts->arena, Swing, design->axis_count);
    effects_one_at_a_time(design, effects->means, swings);
    rows->zero = effects->means[0] * scale;
    rows->range = range_empty;
    for (int32_t axis = 0; axis < design->axis_count; axis++) {
        const Swing swing = swings[axis];
        const double half = swing_half_width(effects, axis);
        const char *const cells[COLUMNS] = {effects->names[axis],
                                            number_text(effects, swing.low, half),
                                            number_text(effects, swing.high, half),
                                            number_text(effects, swing.high - swing.low, half)};
        rows_add(rows, effects->names[axis], cells);
        rows_bar(rows, swing.low * scale, swing.high * scale, 0, 0.3, RGB_EFFECT);
        if (swing.low < effects->means[0])
            rows_span(rows, (swing.low - half) * scale, (swing.low + half) * scale);
        if (swing.high > effects->means[0])
            rows_span(rows, (swing.high - half) * scale, (swing.high + half) * scale);
    }
    return "The lowest and highest value that a factor alone reaches, from the baseline (vertical "
           "line). Grey lines are 95 % intervals of the differences to the baseline.";
}

/* --- Morris --- */

static const char *add_elementary(Rows *rows, const Effects *effects)
{
    const Design *design = effects->facts->study->design;
    ElementaryEffects *found =
        ARENA_ARRAY(effects->facts->arena, ElementaryEffects, design->axis_count);
    effects_morris(design, effects->means, found);
    for (int32_t axis = 0; axis < design->axis_count; axis++) {
        const char *const cells[COLUMNS] = {effects->names[axis],
                                            number_text(effects, found[axis].mean_size, 0),
                                            number_text(effects, found[axis].mean, 0),
                                            number_text(effects, found[axis].deviation, 0)};
        rows_add(rows, effects->names[axis], cells);
        rows_bar(rows, 0, found[axis].mean_size * effects->scale, -0.17, 0.15, RGB_EFFECT);
        rows_bar(rows, 0, found[axis].deviation * effects->scale, 0.17, 0.15, RGB_SPREAD);
    }
    return "Elementary effects: the change of the metric for a whole way through a factor. A large "
           "deviation means that the effect depends on the other factors, or that it is not a "
           "straight line. The chance of the runs is part of both.";
}

/* --- Sobol' indices --- */

static const char *add_indices(Rows *rows, const Effects *effects)
{
    const Design *design = effects->facts->study->design;
    SobolIndices *found = ARENA_ARRAY(effects->facts->arena, SobolIndices, design->axis_count);
    effects_saltelli(design, effects->means, found);
    range_add(&rows->range, 1);
    for (int32_t axis = 0; axis < design->axis_count; axis++) {
        const char *const cells[COLUMNS] = {
            effects->names[axis], share_text(effects, found[axis].first),
            share_text(effects, found[axis].total),
            share_text(effects, found[axis].total - found[axis].first)};
        rows_add(rows, effects->names[axis], cells);
        rows_bar(rows, 0, found[axis].first, -0.17, 0.15, RGB_EFFECT);
        rows_bar(rows, 0, found[axis].total, 0.17, 0.15, RGB_SPREAD);
    }
    rows->x_label = "share of the variance between points";
    return "Sobol' indices: the share of the metric's variance that a factor explains alone, and "
           "together with all others. They are estimates: with few base points they may be a "
           "little below 0 or above 1. The chance of the runs is part of them.";
}

/* --- The figure --- */

typedef struct {
    const char *(*add)(Rows *rows, const Effects *effects); /* returns the note */
    const char *title;
    const char *headings[COLUMNS];
    Shade shades[2];
    int32_t shade_count;
} EffectKind;

/* NULL members: the design does not say how much factors matter. */
static const EffectKind kinds[DESIGN_KIND_COUNT] = {
    [DESIGN_ONE_AT_A_TIME] = {add_swings,
                              "%s: each factor alone",
                              {"factor", "lowest value", "highest value", "swing"},
                              {{NULL, 0}},
                              0},
    [DESIGN_MORRIS] = {add_elementary,
                       "%s: effects of the factors",
                       {"factor", "mean size", "mean with its sign", "deviation"},
                       {{"mean size of the effects", RGB_EFFECT}, {"their deviation", RGB_SPREAD}},
                       2},
    [DESIGN_SALTELLI] = {add_indices,
                         "%s: Sobol' indices of the factors",
                         {"factor", "alone", "with others", "only with others"},
                         {{"alone", RGB_EFFECT}, {"together with others", RGB_SPREAD}},
                         2},
};

static const char *const *axis_names(const StudyFacts *facts)
{
    const Design *design = facts->study->design;
    const char **names = ARENA_ARRAY(facts->arena, const char *, design->axis_count + 1);
    for (int32_t f = 0; f < facts->study->factor_count; f++) {
        const char **name = &names[design->axis_of[f]];
        *name = *name == NULL ? facts->study->factors[f]->name
                              : arena_printf(facts->arena, "%s and %s", *name,
                                             facts->study->factors[f]->name);
    }
    return names;
}

/* The values of all points; NULL if a point has none, without which effects cannot be computed. */
static const double *means_of(const StudyFacts *facts, int32_t metric)
{
    double *means = ARENA_ARRAY(facts->arena, double, facts->study->point_count);
    for (int32_t point = 0; point < facts->study->point_count; point++) {
        means[point] = fact_estimate(facts, point, metric)->value;
        if (isnan(means[point]))
            return NULL;
    }
    return means;
}

static void metric_figure(Figures *figures, const StudyFacts *facts, const EffectKind *kind,
                          int32_t metric)
{
    Arena *arena = figures->arena;
    const Effects effects = {.facts = facts,
                             .metric = metric,
                             .means = means_of(facts, metric),
                             .names = axis_names(facts),
                             .scale = facts->scales[metric].factor};
    Figure figure = {.section = SECTION_EFFECTS,
                     .file = arena_printf(arena, "effects-%" PRId32, metric),
                     .title =
                         arena_printf(arena, kind->title,
                                      label_capitalised(arena, fact_metric_words(facts, metric)))};
    if (effects.means == NULL || facts->study->design->axis_count == 0) {
        figure.note = effects.means == NULL
                          ? "Effects need a value of every point, and some have none yet."
                          : "The study has no factors, so there are no effects.";
        figures_missing(figures, figure);
        return;
    }
    Rows rows = rows_begin(arena, facts->study->design->axis_count, 0, kind->headings, COLUMNS);
    rows.shades = kind->shades;
    rows.shade_count = kind->shade_count;
    rows.x_label = fact_metric_title(facts, metric);
    const char *note = kind->add(&rows, &effects);
    figure.note = metric == 0 ? note : "";
    rows_draw(figures, figure, &rows);
}

void figures_effects(Figures *figures, const StudyFacts *facts)
{
    const EffectKind *kind = &kinds[facts->study->design->plan.kind];
    for (int32_t m = 0; kind->add != NULL && m < facts->study->metric_count && m < METRICS_DRAWN;
         m++)
        metric_figure(figures, facts, kind, m);
}
