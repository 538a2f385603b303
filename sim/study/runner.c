#include "sim/study/runner.h"

#include <pthread.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/signal_wait.h"
#include "sim/study/point_cache.h"
#include "sim/study/policy/study_policy.h"
#include "sim/study/single_run.h"

#define WATCH_NS (100 * NS_PER_MS)
#define LATER_NS (10 * NS_PER_MS) /* after which a source is asked again */

/* Shared by the threads; `lock` guards everything but `is_stopped` and the cache, which have their
 * own guards. */
typedef struct {
    const RunnerPlan *plan;
    PointCache *cache;
    pthread_mutex_t lock;
    pthread_cond_t more; /* a unit is done, or the work ends */
    pthread_t main_thread;
    int32_t at_work; /* threads */
    atomic_bool is_stopped;
    bool has_failed;
    Problems *problems;
} Crew;

/* The results of a unit until they are recorded. */
typedef struct {
    RunOutcome *outcomes;
    int64_t *took_ns;
    int32_t count;    /* of finished runs */
    RunOutcome again; /* of a run that is repeated */
    bool differs;     /* the run after those had another result when it was repeated */
} UnitResults;

/* --- One unit --- */

static UnitResults unit_results(Arena *arena, const Unit *unit, int32_t value_count)
{
    UnitResults results = {.outcomes = ARENA_ARRAY(arena, RunOutcome, unit->count),
                           .took_ns = ARENA_ARRAY(arena, int64_t, unit->count)};
    for (int32_t i = 0; i < unit->count; i++)
        results.outcomes[i] = (RunOutcome){.values = ARENA_ARRAY(arena, double, value_count),
                                           .flags = ARENA_ARRAY(arena, uint8_t, value_count)};
    results.again = (RunOutcome){.values = ARENA_ARRAY(arena, double, value_count),
                                 .flags = ARENA_ARRAY(arena, uint8_t, value_count)};
    return results;
}

/* `memory` is empty before and after each run. */
static void run_unit(Crew *crew, Arena *memory, const CachedPoint *cached, const Unit *unit,
                     UnitResults *results)
{
    const RunnerPlan *plan = crew->plan;
    const PointScenario *point = point_cache_scenario(cached);
    const SteadyPlan *steady =
        point_cache_plan(crew->cache, cached, plan->version, &crew->is_stopped);
    int64_t before_ns = machine_clock_ns();
    for (int32_t i = 0; i < unit->count && !atomic_load(&crew->is_stopped); i++) {
        const uint64_t seed = study_seed(plan->study, unit->point, unit->first + i);
        const bool has_run = single_run(memory, point, steady, seed, plan->version,
                                        &crew->is_stopped, &results->outcomes[i]);
        arena_reset(memory);
        if (has_run && plan->repeats) {
            if (!single_run(memory, point, steady, seed, plan->version, &crew->is_stopped,
                            &results->again))
                return;
            arena_reset(memory);
            results->differs = results->again.fingerprint != results->outcomes[i].fingerprint;
        }
        if (results->differs)
            return;
        if (!has_run)
            return;
        const int64_t now_ns = machine_clock_ns();
        results->took_ns[i] = now_ns - before_ns;
        before_ns = now_ns;
        results->count++;
    }
}

static void stop(Crew *crew)
{
    atomic_store(&crew->is_stopped, true);
    pthread_cond_broadcast(&crew->more);
}

static void fail(Crew *crew, const Status *status)
{
    problems_add_status(crew->problems, status);
    crew->has_failed = true;
    stop(crew);
}

static void record_unit(Crew *crew, const Unit *unit, const UnitResults *results)
{
    const RunnerPlan *plan = crew->plan;
    for (int32_t i = 0; i < results->count && !crew->has_failed; i++) {
        const RunOutcome *outcome = &results->outcomes[i];
        Status status = {0};
        const RunRecord record = {.point = unit->point,
                                  .replication = unit->first + i,
                                  .seed = study_seed(plan->study, unit->point, unit->first + i),
                                  .value_count = (uint32_t)plan->study->value_count,
                                  .values = outcome->values,
                                  .flags = outcome->flags,
                                  .fingerprint = outcome->fingerprint};
        if (plan->sink.append != NULL && !plan->sink.append(plan->sink.to, &record, &status))
            fail(crew, &status);
        else
            results_put(plan->results, &record, results->took_ns[i]);
        plan->results->job_count += outcome->job_count;
        plan->results->event_count += outcome->events;
    }
    if (results->count == unit->count)
        plan->source.done(plan->source.source, unit);
    pthread_cond_broadcast(&crew->more);
}

/* --- A thread --- */

/* Waits until a unit is done here, or a while: units of other processes may be done. */
static void wait_for_more(Crew *crew)
{
    const int64_t until_ns = machine_clock_ns() + LATER_NS;
    const struct timespec until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
    pthread_cond_timedwait(&crew->more, &crew->lock, &until);
}

/* The next unit; false: the work has ended. Called with the lock. */
static bool take_unit(Crew *crew, Unit *unit)
{
    const UnitSource source = crew->plan->source;
    while (!atomic_load(&crew->is_stopped)) {
        const UnitAnswer answer = source.next(source.source, unit);
        if (answer != UNIT_LATER)
            return answer == UNIT_READY;
        wait_for_more(crew);
    }
    return false;
}

/* Whether the runs of the unit count. */
static bool are_sound(Crew *crew, const Unit *unit, const UnitResults *results)
{
    Status status = {0};
    const Study *study = crew->plan->study;
    bool is_sound = study->policy == NULL || study_policy_holds(study->policy, &status);
    if (is_sound && results->differs) {
        const char *at = study->policy != NULL ? study_policy_path(study->policy) : study->path;
        is_sound =
            status_fail(&status, STATUS_BAD_INPUT, place_in(at, 0, 0),
                        "the run of point %" PRId32 " with seed %" PRIu64
                        " has another result when it is repeated",
                        unit->point, study_seed(study, unit->point, unit->first + results->count));
        status_hint(&status, study->policy != NULL
                                 ? "a policy depends on its view alone: no clock, no random "
                                   "numbers, no variable that outlives a call; `trainyard run "
                                   "--check-determinism` names the first record that differs"
                                 : "this is a fault of trainyard; please report it");
    }
    if (!is_sound)
        fail(crew, &status);
    return is_sound;
}

/* Returns with the lock. */
static void work_on(Crew *crew, Arena *arena, Arena *memory, const Unit *unit)
{
    Problems found = problems_create(arena);
    CachedPoint *cached = point_cache_take(crew->cache, unit->point, &found);
    UnitResults results = unit_results(arena, unit, crew->plan->study->value_count);
    if (cached != NULL) {
        run_unit(crew, memory, cached, unit, &results);
        point_cache_return(crew->cache, cached);
    }
    pthread_mutex_lock(&crew->lock);
    if (cached == NULL) {
        problems_merge(crew->problems, &found);
        crew->has_failed = true;
        stop(crew);
    }
    if (!crew->has_failed && are_sound(crew, unit, &results))
        record_unit(crew, unit, &results);
}

static void *work(void *shared)
{
    Crew *crew = shared;
    Arena *arena = arena_create(), *memory = arena_create();
    Unit unit;
    pthread_mutex_lock(&crew->lock);
    while (take_unit(crew, &unit)) {
        pthread_mutex_unlock(&crew->lock);
        const ArenaMark mark = arena_mark(arena);
        work_on(crew, arena, memory, &unit);
        arena_rewind(arena, mark);
    }
    crew->at_work--;
    pthread_cond_broadcast(&crew->more); // the others see the same end
    if (crew->at_work == 0)
        pthread_kill(crew->main_thread, SIGUSR2); // wakes it
    pthread_mutex_unlock(&crew->lock);
    arena_destroy(memory);
    arena_destroy(arena);
    return NULL;
}

/* --- The main thread --- */

static void watch(Crew *crew, bool is_asked)
{
    if (crew->plan->watch == NULL)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->plan->watch(crew->plan->watcher, is_asked);
    pthread_mutex_unlock(&crew->lock);
}

static bool is_at_work(Crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    const bool is_so = crew->at_work > 0;
    pthread_mutex_unlock(&crew->lock);
    return is_so;
}

static void stop_all(Crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    stop(crew);
    pthread_mutex_unlock(&crew->lock);
}

/* Waits until all threads have ended their work. */
static RunnerEnd supervise(Crew *crew, const SignalWait *signals, int *signal)
{
    const int64_t limit_ns = crew->plan->time_limit_ns;
    const int64_t began_ns = machine_clock_ns();
    RunnerEnd end = limit_ns > 0 ? RUNNER_FINISHED : RUNNER_LATE;
    while (is_at_work(crew)) {
        const int64_t left_ns = limit_ns - (machine_clock_ns() - began_ns);
        const bool is_late = end == RUNNER_FINISHED && left_ns <= 0;
        const int received =
            is_late
                ? 0
                : signal_wait_next(signals, left_ns > 0 && left_ns < WATCH_NS ? left_ns : WATCH_NS);
        if (received == SIGINT || received == SIGTERM) {
            *signal = received;
            end = RUNNER_SIGNALLED;
            stop_all(crew);
            signal_wait_release(signals); // a long run need not be waited for
        } else if (is_late) {
            end = RUNNER_LATE;
            stop_all(crew);
        } else {
            watch(crew, received == SIGUSR1);
        }
    }
    return crew->has_failed ? RUNNER_FAILED : end;
}

/* A condition whose waits end by the clock that is never set. */
static void create_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

RunnerEnd runner_run(const RunnerPlan *plan, int *signal, Problems *problems)
{
    Arena *arena = arena_create();
    Crew crew = {.plan = plan,
                 .cache = point_cache_create(arena, plan->study, plan->files, plan->thread_count),
                 .main_thread = pthread_self(),
                 .problems = problems};
    atomic_init(&crew.is_stopped, plan->time_limit_ns <= 0);
    pthread_mutex_init(&crew.lock, NULL);
    create_condition(&crew.more);
    const bool has_signals = plan->signals != NULL;
    const SignalWait signals = has_signals ? *plan->signals : signal_wait_begin();
    pthread_t *threads = ARENA_ARRAY(arena, pthread_t, plan->thread_count);
    int32_t started = 0;
    pthread_mutex_lock(&crew.lock);
    while (started < plan->thread_count &&
           pthread_create(&threads[started], NULL, work, &crew) == 0)
        started++;
    crew.at_work = started;
    if (started == 0) {
        Status status;
        status_fail(&status, STATUS_MACHINE, place_in("trainyard: sweep", 0, 0),
                    "no thread can be started");
        fail(&crew, &status);
    }
    pthread_mutex_unlock(&crew.lock);
    const RunnerEnd end = supervise(&crew, &signals, signal);
    for (int32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (!has_signals)
        signal_wait_end(&signals);
    point_cache_destroy(crew.cache);
    pthread_cond_destroy(&crew.more);
    pthread_mutex_destroy(&crew.lock);
    arena_destroy(arena);
    return end;
}
