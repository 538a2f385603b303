/* A drawing of distributions: the share of runs or jobs with at most a value. Private to
 * reports/plan. */
#ifndef REPORTS_PLAN_SHARE_CURVES_H
#define REPORTS_PLAN_SHARE_CURVES_H

#include "reports/figure/figure.h"

typedef struct {
    const char *name;
    int32_t rgb;
    const double *x;      /* [count] rising, in the unit of the axis */
    const double *shares; /* [count] of values that are at most x, in [0, 1] */
    int32_t count;
} ShareCurve;

enum { SHARE_CURVES_MAX = 6, SHARE_MARKS_MAX = 4 };

typedef struct {
    const char *x_label;
    bool is_log;
    bool is_time; /* x are seconds, and the axis has names such as "5 min" */
    int32_t curve_count;
    ShareCurve curves[SHARE_CURVES_MAX];
    double share_limit; /* a line across; NAN: none */
    int32_t mark_count; /* upright lines */
    struct {
        double x;
        const char *name;
    } marks[SHARE_MARKS_MAX];
} ShareCurves;

/* Draws curves that have values. `figure` has section, file, title, note and numbers. */
void share_curves_draw(Figures *figures, Figure figure, const ShareCurves *curves);

#endif
