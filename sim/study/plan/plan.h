/* A plan: the candidate that is best by the goal of its study, and how sure that is.
 *
 * A candidate is a combination of levels of the factors that are chosen, a weather one of the
 * factors that are not (Goal.weather). Each pair is an ordinary point of the study. A plan
 * runs in rounds: after each round it decides which candidates need further runs. A decision
 * depends on the results of the rounds so far alone (selection.h), so a plan has the same bytes for
 * any number of threads and ranks, and after any interruptions. Runs of a sweep in the same folder
 * are used. */
#ifndef SIM_STUDY_PLAN_PLAN_H
#define SIM_STUDY_PLAN_PLAN_H

#include "sim/study/goal.h"

/* Candidates and weathers are numbered in the order of their first points. */
typedef struct {
    const Study *study; /* with a goal */
    int32_t candidate_count;
    int32_t weather_count;       /* at least 1: without factors of weather there is one weather */
    const int32_t *points;       /* [candidate_count * weather_count]: use plan_point */
    const int32_t *candidate_of; /* [point_count] */
    const int32_t *weather_of;   /* [point_count] */
} PlanGrid;

enum { PLAN_CANDIDATES_MAX = 10000, NO_CANDIDATE = -1 };

/* The candidates of a study with a goal. NULL with a problem if a candidate lacks a weather, or if
 * there are more than PLAN_CANDIDATES_MAX. Lives in `arena`, borrows `study`. */
const PlanGrid *plan_grid_create(Arena *arena, const Study *study, Problems *problems);

static inline int32_t plan_point(const PlanGrid *grid, int32_t candidate, int32_t weather)
{
    return grid->points[(size_t)candidate * (size_t)grid->weather_count + (size_t)weather];
}

/* "nodes=4 priority=spot"; "" when every factor is weather. In `arena`. */
const char *plan_candidate_name(Arena *arena, const PlanGrid *grid, int32_t candidate);
/* "load=1.5"; "" without weather. In `arena`. */
const char *plan_weather_name(Arena *arena, const PlanGrid *grid, int32_t weather);

#endif
