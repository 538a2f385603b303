/* A drawing of a metric over the levels of an axis: curves of values with intervals, and dots of
 * points. */
#ifndef REPORTS_STUDY_PANEL_H
#define REPORTS_STUDY_PANEL_H

#include "reports/figure/figure.h"
#include "reports/study/facts.h"

typedef struct {
    double x;
    double value;      /* of the metric, unscaled */
    double low, high;  /* its interval; not finite: not known */
    bool is_bound;     /* the value is only a lower bound */
    const char *label; /* of the level */
    const char *text;  /* the value with its interval, or why the value is missing */
    const char *note;  /* why there is no interval, or what it lacks; "" */
} Mark;

typedef struct {
    const char *name;
    Mark *marks; /* by rising x */
    int32_t count;
} Curve;

typedef struct {
    double x, value;
} Dot;

typedef struct {
    const StudyFacts *facts;
    const StudyAxis *axis;
    int32_t metric;
    int32_t curve_count; /* at most SERIES_MAX */
    Curve curves[SERIES_MAX];
    const Dot *dots;
    int32_t dot_count;
} Panel;

/* Adds the drawing, with the table of its numbers, and a dashed line at the limit of the metric.
 * `figure` has section, file, title, note and is_half. Lower bounds have an arrow, and other values
 * without interval are hollow: the note says why. Curves without marks are left out; without any,
 * the note says so. */
void panel_draw(Figures *figures, Figure figure, const Panel *given);

#endif
