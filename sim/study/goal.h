/* The goal of a study that plans: what to minimise or maximise, what has to hold, how sure the
 * answer has to be, and which factors are weather: they are not chosen.
 *
 *     "minimise": "cost_usd.total",
 *     "subject_to": [{"share": "workloads.day.waited_within(20m)", "at_least": "95%"},
 *                    {"metric": "workloads.day.failed", "at_most": 0}],
 *     "confidence": "95%", "indifference": "2%", "budget": {"runs": 20000},
 *     "weather": "load", "weather_rule": "each"
 *
 * The members are read with the study (study.h), by `sweep` too. Metrics that only the goal names
 * are added to the study's. A part of indifference is one of the objective, and of each limit. */
#ifndef SIM_STUDY_GOAL_H
#define SIM_STUDY_GOAL_H

#include "sim/study/format/study_types.h"
#include "sim/study/study.h"

typedef enum { LIMIT_AT_LEAST, LIMIT_AT_MOST } LimitSide;

/* "95 % of the jobs wait at most 20 minutes", as a limit of a number of a run. A percentile of
 * waits or turnarounds that shall be at most a time is stored as the share that is at least the
 * percentile's: "queue_s.p95 at most 20m" is "waited_within(20m) at least 95 %". */
typedef struct {
    int32_t metric; /* index in Study.metrics */
    LimitSide side;
    double limit;        /* in the metric's unit; shares in [0, 1] */
    double indifference; /* >= 0, in the metric's unit: missing the limit by so little does not
                            matter */
    const char *words;   /* as in the study: "workloads.day.waited_within(20m) >= 95%" */
} GoalConstraint;

/* A point that a plan does not simulate, because the answer is known. */
typedef struct {
    int32_t point;
    bool is_refused; /* the scenario is not valid there; otherwise more work arrives than the nodes
                        can do */
    const char *reason;
} HopelessPoint;

typedef struct Goal {
    const char *study_path; /* of the study file; NULL: the study was made or changed by options */
    bool is_maximised;
    int32_t metric; /* of the objective, index in Study.metrics */
    /* Differences of the objective up to this do not matter: a part of its value, or an amount in
     * its unit. One of both is 0. */
    double indifference_part, indifference_amount;
    int32_t constraint_count;
    const GoalConstraint *constraints;
    double confidence;       /* that the answer is right: 0.95 */
    int64_t budget_runs;     /* 0: as many as the confidence needs */
    int32_t at_most;         /* replications of a candidate by which it is chosen */
    int32_t weather_count;   /* factors that are not chosen */
    const int32_t *weather;  /* [weather_count] indices of factors, rising */
    bool is_average_weather; /* constraints hold in the mean over the weathers, not in each */
    bool is_planned; /* the study runs as a plan; a sweep runs the points of such a study, too */
    /* Found before the first run of a plan, and read from its folder; a sweep runs these points. */
    /* Points that a theorem orders by their numbers of nodes (plan/monotone.h); 0: none. */
    int32_t ladder_count;
    const int32_t *ladder; /* [point_count] its number; -1: none. NULL without ladders */
    const int32_t *nodes;  /* [point_count] */
    int32_t hopeless_count;
    const HopelessPoint *hopeless; /* by point */
} Goal;

enum { GOAL_CONSTRAINTS_MAX = 64, GOAL_EXTENSION = 50 };

/* Whether constraint `index` limits the objective itself: both have the same value. */
bool goal_limits_objective(const Goal *goal, int32_t index);
/* Whether a table of candidates needs a column for constraint `index`: no values of its metric are
 * in the column of the objective or of an earlier constraint. */
bool goal_has_column(const Goal *goal, int32_t index);

/* Whether the levels of a factor are weather, and not chosen. */
bool goal_is_weather(const Goal *goal, int32_t factor);

/* Whether the study has an objective. */
bool goal_is_wanted(const StudyText *text);

/* A metric that the goal needs, and where it is named. */
typedef struct {
    const char *name;
    Place at;
} GoalMetric;
enum { GOAL_METRICS_MAX = GOAL_CONSTRAINTS_MAX + 1 };
/* Writes the metrics of the goal to `metrics`; returns their number. Members that are not metrics
 * are left out: goal_read reports them. */
int32_t goal_metrics(Arena *arena, const StudyText *text, GoalMetric metrics[GOAL_METRICS_MAX]);

/* Sets `study->goal`, whose metrics, seeds, factors and points are known; NULL without an
 * objective. False with problems. */
bool goal_read(Arena *arena, const StudyText *text, Study *study, Problems *problems);

/* An amount in the unit of a metric, in 10^-9: "30s", "2 USD", 0.02 for a number alone. False for
 * anything else, also for a negative one. */
bool goal_amount_read(const Json *node, const char *unit, int64_t *nano);
/* Whether values of the unit are written without it: counts and ratios. */
bool goal_unit_is_none(const char *unit);

#endif
