#include "sim/study/steady_plan.h"

#include <math.h>

#include "sim/base/units.h"
#include "sim/study/point_estimate.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"

/* The pilot has at most a quarter of all jobs of a point. */
enum { PILOT_PART = 4, WARM_UPS_A_RUN = 4 };
#define PILOT_RESERVE 1.5
#define GROWTH_LEAST 0.2
#define GROWTH_CONFIDENCE 0.99
static const uint64_t pilot_seeds = UINT64_C(1) << 40;

typedef struct {
    const Study *study;
    const PointScenario *point;
    const char *version;
    const atomic_bool *is_stopped;
    Arena *arena; /* of a stage */
    int64_t jobs; /* of each run and workload */
    PilotRun runs[PILOT_RUNS];
    int64_t common; /* jobs that all runs have */
} Pilot;

/* Runs the pilot; metrics are about the jobs from `from_ns` on. */
static bool run_all(Pilot *pilot, int64_t from_ns)
{
    pilot->common = INT64_MAX;
    Arena *memory = arena_create();
    bool has_run = true;
    for (int32_t r = 0; has_run && r < PILOT_RUNS; r++) {
        const PilotPlan plan = {.seed = pilot->study->seeds.first + pilot_seeds + (uint64_t)r,
                                .jobs = pilot->jobs,
                                .from_ns = from_ns};
        has_run = single_run_pilot(pilot->arena, memory, pilot->point, &plan, pilot->version,
                                   pilot->is_stopped, &pilot->runs[r]);
        arena_reset(memory);
        if (pilot->runs[r].job_count < pilot->common)
            pilot->common = pilot->runs[r].job_count;
    }
    arena_destroy(memory);
    return has_run;
}

/* Whether the waits grow through the second half, for certain and by much. */
static bool grows(const double *series, int64_t count)
{
    const Drift drift = steady_drift(series, count, GROWTH_CONFIDENCE);
    double sum = 0;
    for (int64_t i = count / 2; i < count; i++)
        sum += series[i];
    return drift.mark == STEADY_UNSTABLE && drift.slope * (double)(count - count / 2) >
                                                GROWTH_LEAST * sum / (double)(count - count / 2);
}

/* The time after which no run has its first `deleted` jobs. */
static int64_t time_of_job(const Pilot *pilot, int64_t deleted)
{
    int64_t latest_ns = 0;
    for (int32_t r = 0; deleted > 0 && r < PILOT_RUNS; r++) {
        const int64_t at_ns = pilot->runs[r].submitted_ns[deleted - 1] + 1;
        latest_ns = at_ns > latest_ns ? at_ns : latest_ns;
    }
    return latest_ns;
}

typedef struct {
    WarmUp warm_up;
    bool grows;
} Stage;

static Stage look(Pilot *pilot)
{
    const double *waits[PILOT_RUNS];
    double *series = ARENA_ARRAY(pilot->arena, double, pilot->common);
    for (int32_t r = 0; r < PILOT_RUNS; r++)
        waits[r] = pilot->runs[r].waits;
    steady_mean_series(waits, PILOT_RUNS, pilot->common, series);
    return (Stage){steady_mser5(series, pilot->common), grows(series, pilot->common)};
}

/* The runs of the pilot's length, without warm-up, that the rule needs: (t s / width)^2. */
static double runs_needed(const Pilot *pilot, const StopRule *rule)
{
    double values[PILOT_RUNS];
    for (int32_t r = 0; r < PILOT_RUNS; r++) {
        values[r] = pilot->runs[r].values[rule->metric];
        if (isnan(values[r]))
            return (double)INFINITY;
    }
    const double width = rule->width_ppm > 0 ? fabs(statistics_mean(values, PILOT_RUNS)) *
                                                   (double)rule->width_ppm / (double)PPM
                                             : (double)rule->width_nano / 1e9;
    const double t = student_quantile(1 - (1 - STUDY_CONFIDENCE) / 2, PILOT_RUNS - 1);
    const double variance = statistics_variance(values, PILOT_RUNS);
    return variance > 0 ? t * t * variance / (width * width) : 0;
}

/* The time and the measured jobs of a pilot run from `from_ns` on, on average. */
static void measure(const Pilot *pilot, int64_t from_ns, double *jobs, double *ns)
{
    *jobs = *ns = 0;
    for (int32_t r = 0; r < PILOT_RUNS; r++) {
        const PilotRun *run = &pilot->runs[r];
        for (int64_t i = 0; i < run->job_count; i++)
            *jobs += run->submitted_ns[i] >= from_ns;
        *ns += (double)(run->arrivals_end_ns - from_ns);
    }
    *jobs /= PILOT_RUNS;
    *ns /= PILOT_RUNS;
}

static int64_t whole_seconds(double ns)
{
    const double seconds = ceil(ns / (double)NS_PER_S);
    return seconds < (double)(LAST_INSTANT_NS / NS_PER_S) / 4 ? (int64_t)seconds * NS_PER_S
                                                              : LAST_INSTANT_NS / 4;
}

/* After the warm-up is known, and the pilot has been measured without it. */
static void choose_length(const Pilot *pilot, SteadyPlan *plan)
{
    const SeedPlan *seeds = &pilot->study->seeds;
    double jobs, ns, runs = 0;
    measure(pilot, plan->warm_up_ns, &jobs, &ns);
    if (jobs < 1) { // the scenario creates no jobs
        *plan = (SteadyPlan){
            .warm_up_ns = plan->warm_up_ns, .length_ns = NS_PER_S, .mark = STEADY_TOO_SHORT};
        return;
    }
    for (int32_t i = 0; i < seeds->rule_count; i++)
        runs = fmax(runs, runs_needed(pilot, &seeds->rules[i]));
    plan->needed_jobs = PILOT_RESERVE * runs * jobs;
    const double longer = fmax(plan->needed_jobs / (jobs * seeds->at_least),
                               WARM_UPS_A_RUN * (double)plan->warm_up_ns / ns);
    const double all = seeds->at_least * (longer * jobs + jobs / ns * (double)plan->warm_up_ns);
    const double most = (double)pilot->study->horizon.jobs_most;
    if (all > most && plan->mark == STEADY_GOOD)
        plan->mark = STEADY_TOO_SHORT;
    if (plan->mark != STEADY_GOOD)
        plan->needed_jobs = fmax(plan->needed_jobs, all);
    plan->length_ns = whole_seconds(all > most ? longer * ns * most / all : longer * ns);
}

/* Doubles the pilot until its warm-up ends and nothing grows; `*from_ns` is the warm-up's end. */
static bool find_warm_up(Pilot *pilot, SteadyPlan *plan)
{
    const int64_t most = pilot->study->horizon.jobs_most / PILOT_PART / PILOT_RUNS;
    bool has_grown = false;
    for (pilot->jobs = most < PILOT_JOBS ? most : PILOT_JOBS;; pilot->jobs *= 2) {
        arena_reset(pilot->arena);
        if (!run_all(pilot, 0))
            return false;
        const Stage stage = look(pilot);
        const bool is_settled = stage.warm_up.mark == STEADY_GOOD && !stage.grows;
        const bool is_unstable = stage.grows && has_grown;
        has_grown = stage.grows;
        if (!is_settled && !is_unstable && 2 * pilot->jobs <= most)
            continue;
        const int64_t deleted =
            is_settled ? stage.warm_up.deleted : pilot->common / 2; // of a plan that is marked
        plan->mark = is_settled ? STEADY_GOOD : is_unstable ? STEADY_UNSTABLE : STEADY_TOO_SHORT;
        if (plan->warm_up_ns == HORIZON_AUTO)
            plan->warm_up_ns = whole_seconds((double)time_of_job(pilot, deleted));
        return true;
    }
}

bool steady_plan_find(const Study *study, const PointScenario *point, const char *version,
                      const atomic_bool *is_stopped, SteadyPlan *plan)
{
    *plan = (SteadyPlan){.warm_up_ns = study->horizon.warm_up_ns,
                         .length_ns = study->horizon.length_ns};
    if (plan->warm_up_ns != HORIZON_AUTO && plan->length_ns != HORIZON_AUTO)
        return true;
    Pilot pilot = {.study = study,
                   .point = point,
                   .version = version,
                   .is_stopped = is_stopped,
                   .arena = arena_create()};
    bool is_found = find_warm_up(&pilot, plan);
    if (is_found && plan->length_ns == HORIZON_AUTO && plan->mark != STEADY_UNSTABLE)
        is_found = run_all(&pilot, plan->warm_up_ns);
    if (is_found && plan->length_ns == HORIZON_AUTO) {
        if (plan->mark != STEADY_UNSTABLE)
            choose_length(&pilot, plan);
        else // there is nothing to measure: as long as the pilot
            plan->length_ns = plan->warm_up_ns > 0 ? plan->warm_up_ns : NS_PER_S;
    }
    arena_destroy(pilot.arena);
    return is_found;
}
