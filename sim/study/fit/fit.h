/* An imported workload as distributions that a scenario can express: arrivals by hour and weekday,
 * run times, and numbers of GPUs; with the distance of each from the log.
 *
 * The factor of an hour of the day (UTC) is in proportion to the arrivals in a time of that hour.
 * The factor of a weekday (UTC) is in proportion to its arrivals, divided by those that the factors
 * of the hours would give in the time of that weekday in the log. Each list has the mean 1. There
 * are factors of weekdays only if the log has a calendar and two weeks: its last job is submitted
 * on the 14th day or later. Even then a factor rests on few days, and one holiday or one series of
 * jobs changes it much.
 *
 * Run times are fitted by maximum likelihood. Run times of 0 s count as 1 s, because the formulas
 * have no 0. All values are computed with + - * / and sqrt, so that they are the same on every
 * machine. Correlations are lost: between run time and GPUs, between jobs of one user, and between
 * weeks. */
#ifndef SIM_STUDY_FIT_FIT_H
#define SIM_STUDY_FIT_FIT_H

#include "sim/cloud/spec/job_list.h"
#include "sim/engine/sample.h"
#include "sim/model/week_hours.h"
#include "sim/study/import/zone.h"

/* X(ENUM, name) */
#define FIT_KINDS(X)                                                                               \
    X(EXPONENTIAL, "exponential")                                                                  \
    X(LOGNORMAL, "lognormal")                                                                      \
    X(WEIBULL, "Weibull")                                                                          \
    X(QUANTILES, "table of quantiles")

typedef enum {
#define X(name, text) FIT_##name,
    FIT_KINDS(X)
#undef X
        FIT_KIND_COUNT
} FitKind;

extern const char *const fit_kind_names[]; /* [FIT_KIND_COUNT] */

/* A distribution of times. Exponential: the scale is the mean. Lognormal: the median, and the
 * standard deviation of the logarithm. Weibull: scale and shape. */
typedef struct {
    double scale_s, shape;
    /* The statistic of Kolmogorov and Smirnov: the largest difference between the shares of jobs
     * below a time, in the log and in the distribution. */
    double distance;
} Fit;

typedef struct {
    int32_t gpus;
    int64_t jobs;
    int64_t share_ppm; /* the shares add up to 1,000,000 */
} FitSize;

enum {
    FIT_DAYS = DAYS_A_WEEK,
    FIT_HOURS = HOURS_A_DAY,
    FIT_DAYS_LEAST = 14, /* of a log whose weekdays are fitted */
    FIT_KNOTS_MAX = 33,
    FIT_SIZES_MAX = 32
};

typedef struct {
    int64_t jobs;
    int64_t span_ns;   /* from time 0 to the last submission, at least 1 s */
    double per_day;    /* mean arrivals */
    bool has_calendar; /* else weekday and hour count from the begin of the log */
    int64_t arrivals[FIT_DAYS][FIT_HOURS]; /* by weekday (Monday first) and hour of the zone */
    double hour_factors[FIT_HOURS];        /* of the rate in each hour of UTC; their mean is 1 */
    bool has_weekdays;
    double weekday_factors[FIT_DAYS]; /* likewise of each weekday of UTC; 1 without has_weekdays */
    double weekday_errors[FIT_DAYS];  /* their standard errors, by how much the whole days of UTC
                                         with one weekday differ; 0: the log has less than two */
    double factors_s; /* the span in s, each second times its factors: jobs / factors_s is the rate
                         that gives the number of jobs of the log in its span */
    Fit runs[FIT_KIND_COUNT];
    FitKind best; /* the nearest formula, or the table if none is within 0.05 */
    Fit gaps;     /* exponential: what Poisson arrivals would have */
    int32_t knot_count;
    QuantileKnot knots[FIT_KNOTS_MAX]; /* of the table of run times, in ns */
    int32_t size_count;
    FitSize sizes[FIT_SIZES_MAX]; /* by number of GPUs; further sizes are left out, rarest first */
    int64_t sizes_left_out;       /* jobs with them */
    const int64_t *run_ns;        /* [jobs] ascending */
} WorkloadFit;

#define FIT_DISTANCE_GOOD 0.05

/* Fits a list of at least one job. `origin_ns` is its time 0 since 1970; `has_calendar` false: that
 * is not known. `fit` is in `arena`. */
const WorkloadFit *workload_fit(Arena *arena, const JobList *list, int64_t origin_ns,
                                bool has_calendar, Zone zone);

/* The time in seconds below which a share 0 < p < 1 of the distribution is. */
double fit_quantile_s(const WorkloadFit *fit, FitKind kind, double p);
/* The same of the log. */
double fit_log_quantile_s(const WorkloadFit *fit, double p);

#endif
