/* Metrics of a run by name: any number of summary.json, and functions of the times of its jobs.
 *
 *     cost_usd.total                      keys of summary.json joined by dots
 *     workloads.day.queue_s.p95           names of clusters, jobs, workloads and file servers
 *     workloads.day.queue_s.p99.9         any percentile of a spread
 *     workloads.day.waited_within(20m)    share of the jobs that waited at most 20 minutes
 *     workloads.day.turnaround_within(2h) share of the jobs that ended within 2 hours
 *     waited_within(20m)                  the same of all jobs of the run
 *     workloads.day.sizes.8.queue_s.p95   jobs of one class: by size, user or queue
 *     cost_usd.total / workloads.day.succeeded   a ratio of two of these
 *
 * A name is compiled once for the runs of a scenario, against the tables of the summary
 * (summary_members.c), and then evaluated on the summary of each run without JSON. A compiled
 * metric is read-only, so threads may share it.
 *
 * While jobs wait, times and shares are lower bounds (spread.h). */
#ifndef SIM_OUTPUT_SUMMARY_METRIC_H
#define SIM_OUTPUT_SUMMARY_METRIC_H

#include "sim/output/summary/metric_names.h"
#include "sim/output/summary/summary.h"

typedef struct Metric Metric;

/* The metric called `name` of runs of the scenario of `names`, a number. NULL, with a problem at
 * `at` and the nearest name as hint, when there is no such metric or it is a text. Lives in
 * `arena`; borrows `name` and the names of the scenario. */
const Metric *metric_compile(Arena *arena, MetricNames *names, const char *name, Place at,
                             Problems *problems);
/* The same for a number or a text. */
const Metric *metric_compile_any(Arena *arena, MetricNames *names, const char *name, Place at,
                                 Problems *problems);

/* "s", "ms", "USD", "1" for ratios; NULL for counts and for texts. */
const char *metric_unit(const Metric *metric);
bool metric_is_text(const Metric *metric);
/* Whether the metric is about what jobs waited for: unknown unless the run had a WaitingFold. */
bool metric_is_of_waiting(const Metric *metric);

typedef struct {
    double value;        /* in the unit of the metric; 0 if unknown */
    bool is_known;       /* false: it has not happened, there is nothing to measure, or the run has
                            no resource of this name */
    bool is_lower_bound; /* the value is at least this, because jobs still wait */
} MetricValue;

/* The value in a run whose summary was made from its records (summary_of_run). In a summary that
 * was read from a file, functions, percentiles that have no key in the file, and classes are
 * unknown. */
MetricValue metric_of(const Metric *metric, const Summary *summary);
/* The text of a metric that is one; NULL: unknown. */
const char *metric_text_of(const Metric *metric, const Summary *summary);

/* --- Many runs --- */

/* The kind of a metric decides how the values of many runs are put together. */
typedef enum {
    MEASURE_MEAN,       /* a mean, a sum or a count: the runs' values have a mean */
    MEASURE_FRACTION,   /* a part of something, in [0, 1], such as utilisation */
    MEASURE_SHARE,      /* a share of jobs */
    MEASURE_PERCENTILE, /* of the times of jobs */
    MEASURE_RATIO,      /* of two sums */
    MEASURE_KIND_COUNT
} MeasureKind;

MeasureKind metric_kind(const Metric *metric);
/* "mean", "fraction", "share", "percentile", "ratio". */
const char *measure_kind_name(MeasureKind kind);
/* MEASURE_PERCENTILE: the part of the jobs in 10^-9, 950,000,000 for p95. */
int64_t metric_quantile_ppb(const Metric *metric);

/* Runs keep further numbers in addition to the value of the metric, so that the values of many runs
 * can be put together: a few numbers, however many jobs a run has.
 *
 *     MEASURE_SHARE       the number of jobs
 *     MEASURE_PERCENTILE  the number of jobs; the times at the ranks of metric_order_rank
 *     MEASURE_RATIO       the number above and the number below the line */
enum { METRIC_ORDER_RANKS = 17, METRIC_PARTS_MAX = 1 + METRIC_ORDER_RANKS };

int32_t measure_part_count(MeasureKind kind);
/* Writes measure_part_count numbers of a run; NAN: unknown. */
void metric_parts(const Metric *metric, const Summary *summary, double *parts);

/* The rank, from 1, of part `index` of METRIC_ORDER_RANKS for the percentile `quantile` of `count`
 * >= 1 sorted times. Ranks rise with the index, from the smallest time to the largest; they are
 * close together around the percentile. */
int64_t metric_order_rank(int32_t index, double quantile, int64_t count);

/* One metric of a list, for help. */
typedef struct {
    const char *name;
    const char *unit; /* as metric_unit */
    const char *doc;
    bool is_text;
} MetricEntry;

typedef struct {
    MetricEntry *items;
    uint32_t count, capacity;
} MetricList;

/* All metrics of runs of `scenario`. Functions are listed once, with an example of a time. Lives in
 * `arena`. */
MetricList metric_list(Arena *arena, const Scenario *scenario);

/* Writes the section about metrics of scenarios/FORMAT.md. */
void metric_reference(Text *out);

#endif
