/* The tables of all members that a study file may have: a scenario, the factors that vary, and the
 * metrics to record. `trainyard schema study` prints them. */
#ifndef SIM_STUDY_FORMAT_STUDY_TYPES_H
#define SIM_STUDY_FORMAT_STUDY_TYPES_H

#include "sim/schema/bind.h"
#include "sim/schema/reference.h"

/* How the values between two ends are spaced. X(ENUM, name) */
#define SPACINGS(X)                                                                                \
    X(LINEAR, "linear") /* equal differences */                                                    \
    X(LOG, "log")       /* equal ratios */

typedef enum {
#define X(name, text) SPACING_##name,
    SPACINGS(X)
#undef X
} Spacing;

typedef struct {
    const Json *node;
    const Json *set; /* a pointer, or a list of pointers */
    BoundText param;
    const Json *values;  /* a list, or "1..16" */
    const Json *scale;   /* a list of numbers */
    const Json *choices; /* {name: {pointer: value}} */
    const Json *between; /* two ends */
    BoundInteger on;     /* Spacing */
    BoundInteger levels; /* of `between` */
} FactorText;

typedef struct {
    const Json *node;
    BoundInteger first, at_least, at_most, independent;
    const Json *until; /* {metric: ratio or amount} */
} SeedsText;

/* X(ENUM, name), as SteadyMethod */
#define STEADY_METHODS(X)                                                                          \
    X(REPLICATIONS, "replications")                                                                \
    X(BATCHES, "batch-means")

#define HORIZONS(X)                                                                                \
    X(TERMINATING, "terminating")                                                                  \
    X(STEADY, "steady")

typedef struct {
    const Json *node;
    BoundInteger kind;   /* HorizonKind */
    BoundInteger method; /* SteadyMethod */
    BoundText warm_up, length;
    BoundInteger jobs;
} HorizonText;

typedef struct {
    const Json *node;
    BoundText share, metric;
    const Json *at_least, *at_most; /* a number or a quantity */
} ConstraintText;

typedef struct {
    const Json *node;
    BoundInteger runs;
} BudgetText;

#define WEATHER_RULES(X)                                                                           \
    X(EACH, "each")                                                                                \
    X(AVERAGE, "average")

typedef enum {
#define X(name, text) WEATHER_##name,
    WEATHER_RULES(X)
#undef X
} WeatherRule;

typedef struct {
    const Json *node;
    BoundInteger version;
    BoundText description;
    BoundText scenario;
    const Json *factors; /* {name: FactorText} */
    const Json *zip;
    const Json *where;
    const Json *design;   /* "grid", {"sobol": 256} */
    HorizonText *horizon; /* NULL: absent */
    SeedsText *seeds;     /* NULL: absent */
    const Json *metrics;  /* NULL: those of the goal */
    const Json *baseline;
    /* The goal of a plan (goal.h). */
    BoundText minimise, maximise;
    BoundList subject_to; /* of ConstraintText */
    BoundText confidence;
    const Json *indifference; /* a part, or {metric: part or amount} */
    BudgetText *budget;       /* NULL: absent */
    const Json *weather;      /* a factor, or a list of factors */
    BoundInteger weather_rule;
    BoundList expect; /* StudyExpectText */
} StudyText;

/* An expected result of a study. */
typedef struct {
    const Json *node;
    const Json *at; /* {factor: level} */
    BoundText metric;
    BoundInteger of; /* StudySubject */
    const Json *equals, *between, *at_least, *at_most;
    BoundText idle;
    const Json *answer, *next_best, *nearest_miss, *sure; /* {factor: level} or "none" */
} StudyExpectText;

/* Expects that there is no such candidate. */
#define CANDIDATE_NONE "none"

#define FACTOR_ALL_VALUES "all"

enum { STUDY_FORMAT = 1, SEEDS_AT_LEAST = 20, REPLICATIONS_MAX = 10000000 };

/* The number that the limits of an expected metric are about. X(ENUM, name) */
#define STUDY_SUBJECTS(X)                                                                          \
    X(VALUE, "value")                                                                              \
    X(DIFFERENCE, "difference")

typedef enum {
#define X(name, text) STUDY_SUBJECT_##name,
    STUDY_SUBJECTS(X)
#undef X
} StudySubject;

extern const ObjectType study_type, factor_type;
extern const ReferenceExample study_examples[];

#endif
