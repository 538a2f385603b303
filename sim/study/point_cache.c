#include "sim/study/point_cache.h"

#include <pthread.h>

#include "sim/base/invariant.h"

struct CachedPoint {
    int32_t point; /* NO_POINT: empty */
    int32_t user_count;
    int64_t used_at; /* the cache's count of takes */
    Arena *arena;
    const PointScenario *scenario;
};

typedef struct {
    enum { PLAN_UNKNOWN, PLAN_IN_THE_MAKING, PLAN_KNOWN } state;
    SteadyPlan plan;
} CachedPlan;

struct PointCache {
    const Study *study;
    FileSource files;
    // Held while a scenario is read: cJSON keeps the place of its last error in a global.
    pthread_mutex_t lock;
    int64_t takes;
    int32_t count;
    CachedPoint *entries;
    pthread_cond_t planned;
    CachedPlan *plans; /* [point_count]; NULL: the study is not steady */
};

enum { ENTRIES_PER_THREAD = 2 };

PointCache *point_cache_create(Arena *arena, const Study *study, FileSource files,
                               int32_t thread_count)
{
    PointCache *cache = ARENA_NEW(arena, PointCache);
    *cache =
        (PointCache){.study = study,
                     .files = files,
                     .count = ENTRIES_PER_THREAD * thread_count,
                     .entries = ARENA_ARRAY(arena, CachedPoint, ENTRIES_PER_THREAD * thread_count)};
    for (int32_t i = 0; i < cache->count; i++)
        cache->entries[i].point = NO_POINT;
    if (study->horizon.kind == HORIZON_STEADY)
        cache->plans = ARENA_ARRAY(arena, CachedPlan, study->point_count);
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->planned, NULL);
    return cache;
}

void point_cache_destroy(PointCache *cache)
{
    for (int32_t i = 0; i < cache->count; i++)
        arena_destroy(cache->entries[i].arena);
    pthread_cond_destroy(&cache->planned);
    pthread_mutex_destroy(&cache->lock);
}

/* The entry of `point`, or else the one that has not been used for longest. */
static CachedPoint *entry_for(PointCache *cache, int32_t point)
{
    CachedPoint *oldest = NULL;
    for (int32_t i = 0; i < cache->count; i++) {
        CachedPoint *entry = &cache->entries[i];
        if (entry->point == point)
            return entry;
        if (entry->user_count == 0 && (oldest == NULL || entry->used_at < oldest->used_at))
            oldest = entry;
    }
    invariant(oldest != NULL); // each thread uses one entry, and there are more
    return oldest;
}

CachedPoint *point_cache_take(PointCache *cache, int32_t point, Problems *problems)
{
    pthread_mutex_lock(&cache->lock);
    CachedPoint *entry = entry_for(cache, point);
    if (entry->point != point) {
        arena_destroy(entry->arena);
        entry->arena = arena_create();
        entry->scenario =
            point_scenario_read(entry->arena, cache->study, cache->files, point, problems);
        entry->point = entry->scenario != NULL ? point : NO_POINT;
    }
    const bool is_valid = entry->point == point;
    entry->user_count += is_valid;
    entry->used_at = ++cache->takes;
    pthread_mutex_unlock(&cache->lock);
    return is_valid ? entry : NULL;
}

const PointScenario *point_cache_scenario(const CachedPoint *cached)
{
    return cached->scenario;
}

const SteadyPlan *point_cache_plan(PointCache *cache, const CachedPoint *cached,
                                   const char *version, const atomic_bool *is_stopped)
{
    if (cache->plans == NULL)
        return NULL;
    CachedPlan *own = &cache->plans[cached->point];
    pthread_mutex_lock(&cache->lock);
    while (own->state == PLAN_IN_THE_MAKING)
        pthread_cond_wait(&cache->planned, &cache->lock);
    if (own->state == PLAN_UNKNOWN) {
        own->state = PLAN_IN_THE_MAKING;
        pthread_mutex_unlock(&cache->lock);
        SteadyPlan plan;
        const bool is_found =
            steady_plan_find(cache->study, cached->scenario, version, is_stopped, &plan);
        pthread_mutex_lock(&cache->lock);
        own->plan = plan;
        own->state = is_found ? PLAN_KNOWN : PLAN_UNKNOWN;
        pthread_cond_broadcast(&cache->planned);
    }
    const bool is_known = own->state == PLAN_KNOWN;
    pthread_mutex_unlock(&cache->lock);
    return is_known ? &own->plan : NULL;
}

void point_cache_return(PointCache *cache, CachedPoint *cached)
{
    pthread_mutex_lock(&cache->lock);
    cached->user_count--;
    pthread_mutex_unlock(&cache->lock);
}
