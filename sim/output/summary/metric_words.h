/* Metrics in plain words, from their names alone: "jobs of team that wait at most 30 min" for
 * workloads.team.waited_within(30m). A name that is not known is its own words. */
#ifndef SIM_OUTPUT_SUMMARY_METRIC_WORDS_H
#define SIM_OUTPUT_SUMMARY_METRIC_WORDS_H

#include "sim/base/arena.h"
#include "sim/base/text.h"

/* A metric is shown as its value times `factor`, in `unit`. */
typedef struct {
    double factor;
    const char *unit; /* "min", "%", "USD", "" */
} MetricScale;

/* The scale in which people read values of `unit` (as metric_unit; NULL: none) up to `largest`. */
MetricScale metric_scale(const char *unit, double largest);

typedef enum {
    METRIC_IS_OTHER, /* "the METRIC is 12" */
    METRIC_IS_COST,  /* "it costs 12 USD" */
    METRIC_IS_SHARE, /* "97 % of the SUBJECT PREDICATE" */
} MetricForm;

typedef struct {
    MetricForm form;
    const char *noun;      /* "cost", "jobs of team that wait at most 30 min", "p95 of the wait" */
    const char *subject;   /* METRIC_IS_SHARE: "jobs of team" ... */
    const char *predicate; /* ... "wait at most 30 min" */
    int64_t waited_ns;     /* of waited_within(): the time; 0: another metric */
} MetricWords;

/* Lives in `arena`, may borrow `name`. */
MetricWords metric_words(Arena *arena, const char *name);

/* "95 %", "20 min": `value` in the metric's own unit, shown in `scale`. */
const char *metric_value_words(Arena *arena, double value, MetricScale scale);

/* A limit of the metric, whose values have `unit` (as metric_unit; NULL: none): "at least 95 % of
 * the jobs wait at most 20 min", "the mean wait is at most 12 min". */
const char *metric_limit_words(Arena *arena, const char *name, const char *unit, bool is_at_least,
                               double limit);

#endif
