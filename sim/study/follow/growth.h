/* The date on which growing load breaks a limit, from results under more load: of the winner, and
 * of larger candidates, which are needed later. */
#ifndef SIM_STUDY_FOLLOW_GROWTH_H
#define SIM_STUDY_FOLLOW_GROWTH_H

#include "sim/study/follow/cases.h"

/* The margin of a constraint at one load: how far its value is on the right side of the limit, in
 * the metric's unit, with its 95 % interval. */
typedef struct {
    double load; /* a multiple of today's */
    double margin, low, high;
} LoadMargin;

/* A load, as a multiple of today's. */
typedef struct {
    bool is_known;
    bool is_beyond;   /* no load that was simulated breaks the limit: it is at least `load` */
    double load;      /* where the margin is 0, between two loads on a straight line */
    double low, high; /* where the bounds of the margin are 0; INFINITY: beyond the loads */
} BreakingLoad;

/* `margins` of rising loads, the first 1. A margin below 0 at today's load breaks at 1. Pure. */
BreakingLoad breaking_load(const LoadMargin *margins, int32_t count);

/* Months until the load, which grows by `part` (0.05: 5 %) every month, is `load` times today's.
 * The margin is taken to be a straight line between two loads. Waits grow faster and faster with
 * the load, so the true margin is above the line, and the date is rather too early. INFINITY:
 * never. */
double growth_months(double load, double part);

/* The breaking load of all constraints of `plan` for candidate `candidate` of DIR/headroom or
 * DIR/growth: that of the constraint that breaks first, or -1. */
BreakingLoad follow_breaking_load(Arena *arena, const StudyOutcome *outcome, const Study *plan,
                                  int32_t candidate, int32_t *constraint);

/* A candidate that meets the constraints while the load is between that which the stage before it
 * can bear and its own. */
typedef struct {
    int32_t point;            /* of the plan */
    MetricEstimate objective; /* at today's load */
    BreakingLoad breaks;
    double months, low, high; /* until then; INFINITY: never, or later than simulated */
} GrowthStage;

/* The candidates of DIR/growth that bear more load than every better one, in the order of their
 * objectives; the winner is the first. `part` as in growth_months. Lives in `arena`. */
const GrowthStage *growth_stages(Arena *arena, const StudyOutcome *outcome, const Study *plan,
                                 double part, int32_t *count);

#endif
