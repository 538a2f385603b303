/* Studies that follow a plan: small studies that are derived from a study and some of its points,
 * such as the winner and the next best. Each is the tree of an ordinary study file, for
 * study_read_tree with FOLLOW_PATH. Its runs are those of a sweep in a subfolder of the plan's, so
 * `show`, `report`, `sqlite` and resuming work there.
 *
 *     DIR/why          what the jobs of each point waited for, and where node time and money went
 *     DIR/headroom     the winner under more load
 *     DIR/growth       the winner and larger candidates under more load
 *     DIR/assumptions  the winner and the next best under other values of the catalogue
 *     DIR/preemption   the same under other rates of preemption
 *     DIR/sensitivity  the winner at random values of all assumptions at once
 *
 * The first factor is always "candidate", whose levels are the points by their names. Seeds are the
 * same at all points. */
#ifndef SIM_STUDY_FOLLOW_FOLLOW_H
#define SIM_STUDY_FOLLOW_FOLLOW_H

#include "sim/study/follow/assumption.h"

/* X(ENUM, name of the subfolder, name of the last factor or "") */
#define FOLLOW_KINDS(X)                                                                            \
    X(WHY, "why", "")                                                                              \
    X(HEADROOM, "headroom", "load")                                                                \
    X(GROWTH, "growth", "load")                                                                    \
    X(ASSUMPTIONS, "assumptions", "assumption")                                                    \
    X(PREEMPTION, "preemption", "rate")                                                            \
    X(SENSITIVITY, "sensitivity", "")

typedef enum {
#define X(name, folder, factor) FOLLOW_##name,
    FOLLOW_KINDS(X)
#undef X
        FOLLOW_KIND_COUNT
} FollowKind;

const char *follow_folder(FollowKind kind); /* "headroom" */
const char *follow_factor(FollowKind kind); /* "load" */

/* For study_read_tree: the trees name their scenario as the working folder sees it. */
#define FOLLOW_PATH "plan"

/* The study in DIR and what is to be followed. */
typedef struct {
    const Study *study; /* with its scenario and a goal */
    int32_t point_count;
    const int32_t *points; /* the winner first, then the next best. WHY: any points */
    uint64_t first_seed;
    int32_t seeds;
} FollowPlan;

/* The reasons of waiting, and where node time and money went, at each point. */
const Json *follow_why(Arena *arena, const FollowPlan *plan);

/* --- More load --- */

/* Multiples of the rates and counts of the workloads. */
extern const char *const headroom_loads[]; /* "1", "1.25", ..., NULL */
extern const char *const growth_loads[];
/* NULL without a problem, and `*reason`, when the scenario has no rates: jobs of commands and of
 * traces cannot be multiplied. NULL with problems if the scenario of the point is not valid. */
const Json *follow_headroom(Arena *arena, FileSource files, const FollowPlan *plan,
                            const char **reason, Problems *problems);
/* The same of all points of the plan: the winner, and larger candidates. NULL: it has no larger
 * ones. */
const Json *follow_growth(Arena *arena, FileSource files, const FollowPlan *plan,
                          Problems *problems);

/* --- Other values of the catalogue --- */

/* At most two points. Levels of "assumption" are FOLLOW_UNCHANGED, then "NAME low" and "NAME high"
 * of each assumption. */
#define FOLLOW_UNCHANGED "unchanged"
const Json *follow_assumptions(Arena *arena, const FollowPlan *plan,
                               const AssumptionList *assumptions);
/* Levels of "rate" are follow_rates: multiples of the rates of all models of preemption. NULL: the
 * scenario has none. */
extern const char *const follow_rates[]; /* "0.25", "0.5", "1", ..., NULL */
const Json *follow_preemption(Arena *arena, const FollowPlan *plan,
                              const AssumptionList *assumptions);

/* Every assumption is a separate factor, "a1", "a2", ... in the order of the list, between its
 * low and its high value. DESIGN_MORRIS: `size` trajectories; DESIGN_SALTELLI: `size` base points.
 */
const Json *follow_sensitivity(Arena *arena, const FollowPlan *plan,
                               const AssumptionList *assumptions, DesignKind design, int32_t size);

#endif
