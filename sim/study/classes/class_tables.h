/* Winners and losers: a factor whose levels have no order, such as the policy, compared with its
 * baseline for each class of jobs (workload, size, user, queue).
 *
 * A class is a part of a metric's name: "workloads.team.sizes.8.queue_s.mean" is the statistic
 * "queue_s.mean" of the jobs of team of size 8. Each statistic that a study records of two or more
 * classes is a table for each such factor. A cell is the mean difference to the baseline, run by
 * run with the same seed, between points that differ in this factor alone; if several pairs of
 * points do, each run's difference is the mean over them. */
#ifndef SIM_STUDY_CLASSES_CLASS_TABLES_H
#define SIM_STUDY_CLASSES_CLASS_TABLES_H

#include "sim/output/summary/metric_words.h"
#include "sim/study/study_tables.h"

/* Limits, so that tables stay readable. */
enum { CLASS_TABLES_MAX = 8, CLASS_ROWS_MAX = 24, CLASS_COLUMNS_MAX = 8 };

typedef struct {
    const char *words; /* "training", "training of size 4", "all jobs" */
    int32_t metric;    /* in Study.metrics */
    double baseline;   /* its mean at the baseline; NAN: unknown */
} JobClass;

typedef enum {
    CLASS_UNKNOWN, /* fewer than two runs */
    CLASS_ALIKE,   /* no difference is shown */
    CLASS_WINS,
    CLASS_PAYS,
} ClassVerdict;

/* Numbers are in the metric's unit, NAN when they are not known. */
typedef struct {
    double difference;
    double half_width; /* of its 95 % interval, which holds alone */
    int32_t run_count;
    /* Values of the level, or of the baseline, are only lower bounds: jobs still waited. Then no
     * verdict is given, unless the bound is on the side of the verdict. */
    bool is_at_least, is_at_most;
    /* The probability that one of a table's verdicts is wrong is at most 5 % (compare_holm). */
    ClassVerdict verdict;
} ClassCell;

typedef struct {
    const char *statistic; /* "queue_s.mean" */
    const char *words;     /* "mean wait" */
    const char *unit;      /* as StudyMetric */
    MetricScale scale;
    bool is_more_better; /* shares of jobs in time; of times and counts less is better */
    int32_t factor;
    const char *others; /* "placement=consolidate, average over load"; "" */
    int32_t baseline_level;
    int32_t level_count, level_all; /* columns, and levels that have a difference */
    const int32_t *levels;          /* [level_count] */
    int32_t class_count, class_all; /* rows, and classes that the study records */
    const JobClass *classes;        /* [class_count] */
    const ClassCell *cells;         /* [class_count * level_count] */
} ClassTable;

typedef struct {
    int32_t count;
    const ClassTable *items;
} ClassTables;

/* The tables of a study so far; none without a baseline that names a level of such a factor. Lives
 * in `arena`, borrows `findings`. */
ClassTables class_tables(Arena *arena, const StudyFindings *findings);

static inline const ClassCell *class_cell(const ClassTable *table, int32_t row, int32_t column)
{
    return &table->cells[row * table->level_count + column];
}

#endif
