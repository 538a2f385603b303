/* Designs of experiments: which combinations of factor values a study runs.
 *
 * A design is a function of the factors, its kind and size, and a seed. Random parts are drawn at
 * addresses (seed, point, axis), so any order of evaluation gives the same points. Factors that are
 * zipped change together and are one axis of the design.
 *
 * A point has one value for each factor: the index of one of its levels, or a number within its
 * range. */
#ifndef SIM_STUDY_DESIGN_DESIGN_H
#define SIM_STUDY_DESIGN_DESIGN_H

#include "sim/base/status.h"

enum { DESIGN_POINTS_MOST = 10 * 1000 * 1000, DESIGN_SOBOL_AXES_MOST = 40 };

typedef struct {
    const char *name;    /* for messages */
    int32_t level_count; /* > 0: levels, a point's value is an index from 0; 0: a range */
    double low, high;    /* of a range; low < high, and 0 < low if `is_log` */
    bool is_log;         /* equal ratios are equally likely, instead of equal differences */
    int32_t zip;         /* 0: alone; factors with the same number > 0 change together */
} DesignFactor;

/* X(KIND, name in study files, what its size counts or "", how many points) */
#define DESIGN_KINDS(X)                                                                            \
    X(GRID, "grid", "", "every combination of levels")                                             \
    X(LATIN_HYPERCUBE, "latin_hypercube", "points",                                                \
      "each axis is cut into as many strata as points, each stratum is used once")                 \
    X(SOBOL, "sobol", "points", "Sobol' sequence, best with a power of 2")                         \
    X(MORRIS, "morris", "trajectories", "(axes + 1) points a trajectory: elementary effects")      \
    X(ONE_AT_A_TIME, "one-at-a-time", "", "the baseline, then each other value of each axis")      \
    X(SALTELLI, "saltelli", "base points", "(axes + 2) points a base point: Sobol' indices")

#define DESIGN_KIND(kind, name, size, help) DESIGN_##kind,
typedef enum { DESIGN_KINDS(DESIGN_KIND) DESIGN_KIND_COUNT } DesignKind;
#undef DESIGN_KIND

const char *design_kind_name(DesignKind kind);
/* "points", "trajectories", ...; "" for a kind without a size. */
const char *design_kind_size(DesignKind kind);

typedef struct {
    DesignKind kind;
    int32_t size;           /* >= 1 for kinds with a size */
    uint64_t seed;          /* of LATIN_HYPERCUBE, SOBOL, MORRIS, SALTELLI */
    const double *baseline; /* ONE_AT_A_TIME: a value for each factor; NULL: level 0 or `low` */
} DesignPlan;

typedef struct {
    DesignPlan plan;
    const DesignFactor *factors;
    int32_t factor_count;
    int32_t axis_count;
    const int32_t *axis_of; /* [factor]: axes are numbered in the order of their first factors */
    int32_t point_count;
    double *values; /* [point * factor_count + factor] */
    double *units;  /* [point * axis_count + axis]: the coordinate in [0, 1] that it was made from;
                       of a  grid and one at a time NULL */
} Design;

/* The points of a plan, in `arena`; `factors` is borrowed. A grid's last axis changes fastest.
 * Fails (place: `at`) when a grid has a range, zipped factors have different numbers of levels, a
 * range is empty, a plan with axes for Sobol' has too many, or there would be more than
 * DESIGN_POINTS_MOST points. Without factors there is one point without values. */
MUST_CHECK bool design_create(Arena *arena, const DesignPlan *plan, const DesignFactor *factors,
                              int32_t factor_count, Place at, Design *design, Status *status);

/* The number of points that the plan would have, for forecasts; may exceed DESIGN_POINTS_MOST.
 * INT64_MAX if it does not fit. Ranges in a grid count as one level. */
int64_t design_point_count(const DesignPlan *plan, const DesignFactor *factors,
                           int32_t factor_count);

/* The values of a point. */
static inline const double *design_point(const Design *design, int32_t point)
{
    return design->values + (int64_t)point * design->factor_count;
}

/* The value of a factor at the coordinate `unit` in [0, 1]: floor(unit * levels), or low + unit *
 * (high - low), or low * (high / low)^unit. */
double design_value(const DesignFactor *factor, double unit);

/* Keeps the points for which `keeps` is true, in their order; a `where` filter. MORRIS and SALTELLI
 * need all of their points: fails for them when a point would go. `at` is the place of the filter.
 */
typedef bool DesignKeeps(void *context, const Design *design, int32_t point, Status *status,
                         bool *is_kept);
MUST_CHECK bool design_filter(Design *design, DesignKeeps *keeps, void *context, Place at,
                              Status *status);

#endif
