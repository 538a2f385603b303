#include "sim/study/follow/point_why.h"

#include <math.h>

static const struct {
    const char *name, *words;
    bool is_of_jobs;
} bounds[] = {
#define X(name, text, words, of_jobs) {text, words, of_jobs},
    BOUNDS(X)
#undef X
};
_Static_assert(sizeof bounds / sizeof bounds[0] == BOUND_COUNT, "one row per bound");

const char *bound_name(Bound bound)
{
    return bounds[bound].name;
}

const char *bound_words(Bound bound)
{
    return bounds[bound].words;
}

bool bound_is_of_jobs(Bound bound)
{
    return bounds[bound].is_of_jobs;
}

Bound bound_of_wait(WaitCause cause)
{
    switch (cause) { // the compiler names a cause without a case
    case WAIT_SERVICE:
    case WAIT_CAUSE_COUNT:
        break;
    case WAIT_AHEAD:
    case WAIT_GANG:
        return BOUND_GANG;
    case WAIT_FRAGMENTATION:
        return BOUND_FRAGMENTATION;
    case WAIT_CORES:
        return BOUND_CORES;
    case WAIT_MEMORY:
        return BOUND_MEMORY;
    case WAIT_NODES:
    case WAIT_SCALING:
        return BOUND_NODES;
    case WAIT_REPAIR:
    case WAIT_PREEMPTION:
    case WAIT_FAILURE:
        return BOUND_LOSSES;
    case WAIT_QUOTA:
        return BOUND_QUOTA;
    case WAIT_UNAVAILABLE:
        return BOUND_UNAVAILABLE;
    case WAIT_MAXIMUM:
        return BOUND_MAXIMUM;
    case WAIT_LIMIT:
        return BOUND_LIMIT;
    case WAIT_MAINTENANCE:
        return BOUND_MAINTENANCE;
    case WAIT_NOTICE:
    case WAIT_PRECEDENCE:
        return BOUND_PRECEDENCE;
    }
    return BOUND_COUNT;
}

static const struct {
    NodeUse use;
    Bound bound;
} bound_of_use[] = {{USE_INPUT, BOUND_INPUT},
                    {USE_EXCHANGE, BOUND_NETWORK},
                    {USE_CHECKPOINT, BOUND_CHECKPOINT},
                    {USE_LOST, BOUND_WORK_LOST}};

double follow_mean(const StudyFindings *findings, int32_t point, const char *metric)
{
    const int32_t index = study_find_metric(findings->study, metric);
    double sum = 0;
    int32_t known = 0;
    for (int32_t r = 0; index >= 0 && r < findings->used[point]; r++) {
        const double value = results_value(findings->results, point, index, r);
        if (isnan(value))
            continue;
        sum += value;
        known++;
    }
    return known > 0 ? sum / known : (double)NAN;
}

static double mean_of(const StudyFindings *findings, int32_t point, const char *kind,
                      const char *name, const char *unit)
{
    Text metric = {0};
    text_printf(&metric, "%s.%s_%s", kind, name, unit);
    const double mean = follow_mean(findings, point, text_string(&metric));
    text_free(&metric);
    return mean;
}

/* Adds what is known. */
static void add_known(double *sum, double value)
{
    if (!isnan(value))
        *sum += value;
}

static void read_waits(const StudyFindings *findings, int32_t point, PointWhy *why)
{
    for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++) {
        why->wait_s[cause] =
            mean_of(findings, point, "waiting", wait_cause_name((WaitCause)cause), "s");
        add_known(&why->waited_s, why->wait_s[cause]);
    }
    for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++) {
        const Bound bound = bound_of_wait((WaitCause)cause);
        if (bound != BOUND_COUNT && why->waited_s > 0)
            add_known(&why->bound_part[bound], why->wait_s[cause] / why->waited_s);
    }
    for (int bound = 0; bound < BOUND_COUNT; bound++)
        if (bounds[bound].is_of_jobs && why->bound_part[bound] > why->bound_part[why->most])
            why->most = (Bound)bound;
}

static void read_uses(const StudyFindings *findings, int32_t point, PointWhy *why)
{
    double busy_s = 0;
    for (int use = 0; use < USE_COUNT; use++) {
        const char *name = node_use_name((NodeUse)use);
        why->use_s[use] = mean_of(findings, point, "attribution", name, "s");
        why->use_usd[use] = mean_of(findings, point, "attribution", name, "usd");
        add_known(&why->node_s, why->use_s[use]);
        add_known(&why->node_usd, why->use_usd[use]);
        if (use < USE_OF_ATTEMPTS && use != USE_GANG)
            add_known(&busy_s, why->use_s[use]);
        if (node_use_is_without_job((NodeUse)use))
            add_known(&why->stranded_usd, why->use_usd[use]);
    }
    for (size_t i = 0; busy_s > 0 && i < sizeof bound_of_use / sizeof bound_of_use[0]; i++)
        add_known(&why->bound_part[bound_of_use[i].bound],
                  why->use_s[bound_of_use[i].use] / busy_s);
}

PointWhy point_why(const StudyFindings *findings, int32_t point)
{
    PointWhy why = {.run_count = findings->used[point]};
    if (why.run_count == 0)
        return why;
    read_waits(findings, point, &why);
    read_uses(findings, point, &why);
    why.jobs = follow_mean(findings, point, "job_counts.submitted");
    why.failed = follow_mean(findings, point, "job_counts.failed");
    why.unfinished = follow_mean(findings, point, "job_counts.unfinished");
    return why;
}
