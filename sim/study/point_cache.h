/* The scenarios of the points that threads work on, each read once and shared. For several threads
 * at once. */
#ifndef SIM_STUDY_POINT_CACHE_H
#define SIM_STUDY_POINT_CACHE_H

#include "sim/study/steady_plan.h"

typedef struct PointCache PointCache;
typedef struct CachedPoint CachedPoint;

/* For `thread_count` threads, each of which takes one point at a time. */
PointCache *point_cache_create(Arena *arena, const Study *study, FileSource files,
                               int32_t thread_count);
void point_cache_destroy(PointCache *cache);

/* The scenario of `point`, which stays until it is returned. NULL with problems. */
CachedPoint *point_cache_take(PointCache *cache, int32_t point, Problems *problems);
const PointScenario *point_cache_scenario(const CachedPoint *cached);
/* The plan of the point's runs in a steady study: the first caller makes it, and the
 * others wait. NULL: the study is not steady, or `*is_stopped`. */
const SteadyPlan *point_cache_plan(PointCache *cache, const CachedPoint *cached,
                                   const char *version, const atomic_bool *is_stopped);
void point_cache_return(PointCache *cache, CachedPoint *cached);

#endif
