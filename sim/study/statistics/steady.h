/* Long-run means of a system that never ends: when the warm-up is over, what one long run says, and
 * whether the system is stable at all. A finding that does not hold is marked, and
 * steady_words prints the mark. */
#ifndef SIM_STUDY_STATISTICS_STEADY_H
#define SIM_STUDY_STATISTICS_STEADY_H

#include "sim/study/statistics/estimate.h"

typedef enum {
    STEADY_GOOD,
    STEADY_TOO_SHORT,  /* too few values for the method */
    STEADY_NO_END,     /* the warm-up does not end in the first half of the series */
    STEADY_CORRELATED, /* batch means still depend on each other */
    STEADY_UNSTABLE,   /* the series grows through its second half */
} SteadyMark;

/* "run too short", "warm-up does not end in the first half of the run", ...; "" for STEADY_GOOD. */
const char *steady_words(SteadyMark mark);

/* --- Warm-up --- */

typedef struct {
    int64_t deleted; /* values to delete at the beginning; a multiple of 5 */
    SteadyMark mark; /* STEADY_NO_END: the minimum is in the last half; STEADY_TOO_SHORT */
} WarmUp;

/* MSER-5 (K. P. White, M. J. Cobb, S. C. Spratt, Winter Simulation Conference 2000): of the means
 * of successive 5 values, deletes as many at the beginning as minimise the squared standard error
 * of the mean of the rest. A minimum in the last half is refused. `series`: one value for each
 * job or interval, in order of time. For replications use steady_mean_series first. */
WarmUp steady_mser5(const double *series, int64_t count);

/* Sets mean[i] to the mean of runs[r][i] over the runs: the series that MSER-5 and Welch's plot
 * look at, because one run is too noisy. All runs have `count` values. */
void steady_mean_series(const double *const *runs, int32_t run_count, int64_t count, double *mean);

/* --- Replications --- */

typedef struct {
    WarmUp warm_up; /* deleted from each run */
    Estimate
        estimate;    /* t over the runs' means of the rest; only to be printed if `mark` is good */
    double variance; /* asymptotic: n Var(mean of n values), from the spread of the runs */
    double needed;   /* values of all runs together for the half-width that was asked for */
    SteadyMark mark; /* STEADY_TOO_SHORT: more values are needed; STEADY_NO_END */
} Replications;

/* Replication and deletion with the warm-up by MSER-5 on the mean series: the long-run mean of
 * runs[r][0 .. count - 1]. The half-width that is asked for is `relative` * |mean|; an interval
 * that is wider is marked, because a run too short to narrow it is too short to forget its empty
 * start. At least 2 runs. */
Replications steady_replications(const double *const *runs, int32_t run_count, int64_t count,
                                 double relative, double confidence);

/* --- One long run --- */

typedef struct {
    Estimate estimate; /* count: batches */
    double lag1;       /* correlation of successive batch means */
    double lag1_limit; /* above it, the batches are not independent (95 %, one-sided) */
    double variance;   /* asymptotic: n Var(mean of n values), estimated */
    SteadyMark mark;   /* STEADY_CORRELATED or STEADY_TOO_SHORT: do not print the interval */
} BatchMeans;

enum { STEADY_BATCHES = 30 };

/* Nonoverlapping batch means: `series` is cut into `batches` >= 2 equal pieces (values that are
 * left over at the beginning are ignored), whose means are taken as independent (t with batches -
 * 1). The lag-1 correlation of batches tests that: for independent values it is roughly normal with
 * mean -1/batches and variance 1/batches. Fewer than 10 values a batch are too short. */
BatchMeans steady_batch_means(const double *series, int64_t count, int32_t batches,
                              double confidence);

/* The same from the means of `batches` pieces, each of about `size` values. */
BatchMeans steady_of_batches(const double *means, int32_t batches, int64_t size, double confidence);

/* --- Drift --- */

typedef struct {
    double slope;      /* of the series, per value */
    double error;      /* its standard error, from the residuals of batch means */
    double confidence; /* that the slope is above 0, one-sided */
    SteadyMark mark;   /* STEADY_UNSTABLE: slope > 0 at `confidence`; STEADY_TOO_SHORT */
} Drift;

/* Fits a line to the second half of a series (number of waiting jobs at equal intervals).
 * Successive values depend on each other, so the line is fitted to means of 20 batches. A growing
 * queue at an offered load below 0.98 of the capacity is chance; the caller knows the load. */
Drift steady_drift(const double *series, int64_t count, double confidence);

#endif
