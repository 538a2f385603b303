/* The figures of a study, in the order of its page. */
#ifndef REPORTS_STUDY_FIGURES_H
#define REPORTS_STUDY_FIGURES_H

#include "reports/figure/figure.h"
#include "reports/study/facts.h"

/* Sections of the page that have figures. */
enum { SECTION_TRADEOFF, SECTION_LEVELS, SECTION_DIFFERENCES, SECTION_EFFECTS, SECTION_COUNT };

/* Limits, so that a page stays readable: each figure says in words when it leaves something out. */
enum {
    METRICS_DRAWN = 6,    /* with one figure each */
    PANEL_METRICS = 3,    /* with several figures each */
    PANELS_MAX = 6,       /* of a metric */
    MARKS_MAX = 60,       /* of a curve with error bars */
    DOTS_MAX = 150,       /* without error bars */
    ROWS_MAX = 24,        /* of a chart of rows */
    NAMED_POINTS_MAX = 24 /* with their names in the drawing */
};

/* How many metrics the figures of SECTION_LEVELS show; those of the sections after it show
 * METRICS_DRAWN. */
int32_t figures_levels_metrics(const StudyFacts *facts);

Figures study_figures(Arena *arena, const StudyFacts *facts);

/* The figures of SECTION_LEVELS of one metric. */
void figures_levels_of(Figures *figures, const StudyFacts *facts, int32_t metric);

/* Private to reports/study: the figures of one section each. */
void figures_tradeoff(Figures *figures, const StudyFacts *facts);
void figures_levels(Figures *figures, const StudyFacts *facts);
void figures_differences(Figures *figures, const StudyFacts *facts);
void figures_effects(Figures *figures, const StudyFacts *facts);

#endif
