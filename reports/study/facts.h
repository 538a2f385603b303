/* Facts of a study that its report shows: the estimates of all points, the units in which people
 * read them, and the axes that vary. */
#ifndef REPORTS_STUDY_FACTS_H
#define REPORTS_STUDY_FACTS_H

#include <float.h>

#include "sim/output/summary/metric_words.h"
#include "sim/study/outcome.h"
#include "sim/study/point_estimate.h"

/* A factor, or factors that change together, with at least two levels among the points. */
typedef struct {
    const char *name; /* "nodes", "nodes and minimum" */
    int32_t factor;   /* the first of them; its levels are those of the axis */
    int32_t level_count;
    bool is_of_numbers; /* false: the levels are names, in the order of the study */
    bool is_log;
    const char *unit;     /* of numbers: "h", "/h", "" */
    const double *x;      /* [level_count] the number of a level, or its place from 0 */
    const int32_t *order; /* [level_count] the levels by rising x */
} StudyAxis;

typedef struct {
    Arena *arena;
    const StudyOutcome *outcome;
    const Study *study;
    MetricEstimate *estimates; /* [point * metric_count + metric] */
    const MetricScale *scales; /* [metric] */
    int32_t axis_count;
    const StudyAxis *axes;   /* numbers first, then those with more levels */
    int64_t used_count;      /* runs that count */
    int64_t bound_count;     /* values of them that are only lower bounds */
    int32_t lowest, highest; /* points by the first metric; NO_POINT: no run has a value */
    /* Other points whose difference to the lowest has an interval that contains 0, and those that
     * have too few seeds in common with it to be compared. */
    int32_t like_lowest, not_compared;
} StudyFacts;

/* Lives in `arena`; borrows `outcome`. */
StudyFacts *study_facts(Arena *arena, const StudyOutcome *outcome);

static inline const MetricEstimate *fact_estimate(const StudyFacts *facts, int32_t point,
                                                  int32_t metric)
{
    return &facts->estimates[(size_t)point * (size_t)facts->study->metric_count + (size_t)metric];
}

static inline int32_t axis_level(const StudyFacts *facts, const StudyAxis *axis, int32_t point)
{
    return facts->study
        ->levels[(size_t)point * (size_t)facts->study->factor_count + (size_t)axis->factor];
}

/* The label of a level of an axis. */
const char *axis_label(const StudyFacts *facts, const StudyAxis *axis, int32_t level);

/* The mean of the metric over all points at a level of an axis, for designs that combine all
 * levels. Its interval is Student's t over replications: all points of a replication are averaged
 * first. Its half-width is NAN if one of the points has no lower bound, as unstable ones. */
Estimate fact_level_mean(const StudyFacts *facts, const StudyAxis *axis, int32_t level,
                         int32_t metric);

/* The limit of the metric by the goal of the study, unscaled; NAN: the goal does not limit it. */
double fact_limit(const StudyFacts *facts, int32_t metric);

/* A bound of a drawn bar: `value` itself if the bound is not known. */
static inline double fact_bar_end(double bound, double value)
{
    return bound > -DBL_MAX && bound < DBL_MAX ? bound : value; // false for NAN
}

/* "mean wait of jobs of team": a metric in words. In the facts' arena. */
const char *fact_metric_words(const StudyFacts *facts, int32_t metric);
/* "mean wait of jobs of team (min)": with the unit of its numbers. In the facts' arena. */
const char *fact_metric_title(const StudyFacts *facts, int32_t metric);
/* "4.1 ± 0.3 min"; "unknown". */
void fact_number_print(Text *out, const StudyFacts *facts, int32_t metric, double mean,
                       double half_width);
/* The value of a point with its interval, as point_estimate_print does, with the unit, and with "at
 * least" as a sign before a lower bound. */
void fact_estimate_print(Text *out, const StudyFacts *facts, int32_t point, int32_t metric);
/* The same in the unit that suits this value: "3.1 s", where other points have hours. In the facts'
 * arena. */
const char *fact_own_estimate(const StudyFacts *facts, int32_t point, int32_t metric);
/* As fact_estimate_print, and in brackets the note: why there is no interval, or what it lacks. In
 * the facts' arena. */
const char *fact_noted_estimate(const StudyFacts *facts, int32_t point, int32_t metric);
/* "nodes=4 load=1.5"; "the scenario" without factors. In the facts' arena. */
const char *fact_point_name(const StudyFacts *facts, int32_t point);
/* Which factors differ between the points of a figure, and how much of their levels is shown. */
typedef struct {
    const StudyFacts *facts;
    int32_t *starts; /* [factor]: bytes that all levels share, "Standard_"; -1: it does not vary */
} PointLabels;
PointLabels fact_labels(const StudyFacts *facts, const int32_t *points, int32_t count);
/* "4, 1.5": the levels of the factors that vary, in the order of the study. In the facts' arena. */
const char *fact_point_levels(const PointLabels *labels, int32_t point);
/* "nodes 4, first-fit": the same, with the names of factors whose levels are mere numbers, unless
 * there is one factor. In the facts' arena. */
const char *fact_point_words(const PointLabels *labels, int32_t point);
/* "nodes, load": the names of these factors. */
const char *fact_factor_names(const PointLabels *labels);

#endif
