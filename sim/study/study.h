/* A study: one scenario, the points at which it is run, and the metrics of each run.
 *
 * A point is one combination of the factors' levels. Points are numbered from 0 in the order of the
 * design: in a grid the last factor varies fastest. Replication r of every point has the seed
 * first + r, so that points meet the same arrivals and failures (common random numbers), unless the
 * study wants independent points. */
#ifndef SIM_STUDY_STUDY_H
#define SIM_STUDY_STUDY_H

#include "sim/output/summary/metric.h"
#include "sim/scenario/read.h"
#include "sim/study/design/design.h"
#include "sim/study/factor.h"
#include "sim/study/statistics/steady.h"
#include "sim/study/statistics/trend.h"

enum { POINTS_MAX = 1000000, METRICS_MAX = 256, NO_POINT = -1 };

/* A metric that ends the replications of a point. */
typedef struct {
    int32_t metric;     /* index in Study.metrics */
    int64_t width_ppm;  /* largest half-width, as a part of the value; 0: `half_width` */
    int64_t width_nano; /* largest half-width, in 10^-9 of the metric's unit */
} StopRule;

typedef struct {
    uint64_t first;
    bool is_independent; /* points share no seeds: study_seed */
    int32_t at_least, at_most;
    int32_t rule_count; /* 0: each point has `at_least` replications */
    const StopRule *rules;
} SeedPlan;

/* A run has a record of numbers: the metrics, then the parts of the metrics, which a run keeps in
 * addition to their values (metric.h). */
typedef struct {
    const char *name;
    const char *unit; /* as metric_unit; NULL: none, or the scenario lacks the metric */
    Place at;
    MeasureKind kind;
    int64_t quantile_ppb; /* MEASURE_PERCENTILE: the part of the jobs, in 10^-9 */
    int32_t part;         /* index of its first part in the record */
    int32_t part_count;
    int32_t batch; /* HORIZON_STEADY by batch means: index of its first batch in the record */
} StudyMetric;

typedef enum { HORIZON_TERMINATING, HORIZON_STEADY } HorizonKind;

/* The runs of a point of a steady study. */
typedef enum {
    STEADY_BY_REPLICATIONS,
    STEADY_BY_BATCHES, /* one long run, cut into STEADY_BATCHES pieces of equal time */
} SteadyMethod;

enum { HORIZON_AUTO = -1 };

/* Whether runs are about something that ends (a day, a month), or about the long run. */
typedef struct {
    HorizonKind kind;
    /* HORIZON_STEADY */
    SteadyMethod method;
    int64_t warm_up_ns, length_ns; /* HORIZON_AUTO: by pilot runs of each point */
    int64_t jobs_most;             /* of all runs of a point in its first wave */
} Horizon;

/* The findings of a steady study about a point. */
typedef struct {
    int64_t warm_up_ns; /* which is not measured */
    int64_t length_ns;  /* of the measured part of each run */
    SteadyMark mark;    /* other than STEADY_GOOD: the runs of the point give no interval */
    double needed_jobs; /* of all runs; 0: unknown */
} SteadyPlan;

/* The part of its runs that is measured. */
static inline MeasureWindow steady_window(const SteadyPlan *plan)
{
    return (MeasureWindow){.from_ns = plan->warm_up_ns,
                           .until_ns = plan->warm_up_ns + plan->length_ns};
}

/* In the record of a run of a steady study: its plan, and the jobs that it measured. */
typedef enum {
    STEADY_WARM_UP_S,
    STEADY_LENGTH_S,
    STEADY_MARK,
    STEADY_NEEDED_JOBS,
    STEADY_JOBS,
    STEADY_PARTS
} SteadyPart;

typedef struct {
    const char *path; /* of the study file; of the scenario for a study of options alone */
    const char *description;
    const char *scenario_path;
    const ScenarioFile *scenario; /* without the changes of any point; NULL in a StudyOutcome that
                                     was read from a folder */
    int64_t until_ns; /* of the scenario: the latest end of a run; INT64_MAX: the last event */
    /* The time to which the totals of a run belong: that during which jobs of workloads arrive, if
     * it ends before until_ns, and until_ns otherwise; 0: unknown. */
    int64_t period_ns;
    bool recurs;  /* jobs of workloads arrive during the period: another one may follow it */
    bool replays; /* every run has the jobs of a list at their own times */
    /* Runs draw pieces of a list anew: the length of a piece, and how many the list has, of the one
     * that has the fewest; 0: none is drawn. */
    int64_t piece_ns, piece_count;
    Interval piece_trend; /* of the demand of these pieces (statistics/trend.h) */
    int32_t factor_count;
    const Factor *const *factors;
    const Design *design; /* its points are those of the study */
    int32_t point_count;
    const int32_t *levels; /* [point_count * factor_count]: use point_level */
    int32_t metric_count;
    const StudyMetric *metrics;
    int32_t value_count; /* of a record: metrics and parts */
    Horizon horizon;
    int32_t steady_part; /* HORIZON_STEADY: index in a record of the first SteadyPart */
    SeedPlan seeds;
    bool has_baseline;
    const int32_t *baseline; /* [factor_count] of levels; -1: that of the compared point */
    /* [point_count] the point that each point is compared with; NO_POINT: the study lacks it, or
     * the point is a baseline itself. NULL without a baseline. */
    const int32_t *compared_with;
    BoundList expect;           /* StudyExpectText (expect/study_expect.h) */
    struct StudyPolicy *policy; /* from outside (policy/study_policy.h); NULL: the scenario's */
    const struct Goal *goal;    /* of a plan (goal.h); NULL: the study has no objective */
} Study;

/* The study in the file `path`, or of the tree `root`, in which the scenario's path is relative to
 * `path`. The scenario is read, and each level of each factor is tried alone: all problems are
 * reported, each with its place. NULL when there are problems. `root` is borrowed. */
Study *study_read(Arena *arena, FileSource files, const char *path, Problems *problems);
Study *study_read_tree(Arena *arena, FileSource files, const char *path, const Json *root,
                       Problems *problems);

static inline const Level *point_level(const Study *study, int32_t point, int32_t factor)
{
    const int32_t level =
        study->levels[(size_t)point * (size_t)study->factor_count + (size_t)factor];
    return &study->factors[factor]->levels[level];
}

/* The settings of all factors at `point`, in the order of the factors. In `arena`. */
const Setting *point_settings(Arena *arena, const Study *study, int32_t point, int32_t *count);

/* "nodes=4 priority=spot"; "" without factors. In `arena`. */
const char *point_name(Arena *arena, const Study *study, int32_t point);

/* The seed of a replication of a point: first + replication, or with independent seeds a hash of
 * that and the point, below 2^52. */
uint64_t study_seed(const Study *study, int32_t point, int32_t replication);

/* Numbers the parts of the metrics, whose kinds are known, and the parts of a steady study: fills
 * in `part`, `part_count`, `value_count` and `steady_part`. */
void study_number_values(Study *study, StudyMetric *metrics);

/* The names of all numbers of a record: "cost_usd.total", "waited_within(20m)#1". In `arena`. */
const char *const *study_value_names(Arena *arena, const Study *study);

/* The metric called `name`; -1 when the study has none. */
int32_t study_find_metric(const Study *study, const char *name);

#endif
