#include "sim/study/follow/closed_form.h"

#include <math.h>

#include "sim/base/units.h"
#include "sim/cloud/spec/command.h"
#include "sim/model/queue.h"
#include "sim/model/random_math.h"

static const struct {
    const char *name, *words;
} gaps[] = {
#define X(name, text, words) {text, words},
    MODEL_GAPS(X)
#undef X
};
_Static_assert(sizeof gaps / sizeof gaps[0] == MODEL_GAP_COUNT, "one row per gap");

const char *model_gap_name(ModelGap gap)
{
    return gaps[gap].name;
}

const char *model_gap_words(ModelGap gap)
{
    return gaps[gap].words;
}

/* --- Service times --- */

/* The squared coefficient of variation of quantiles: values are uniform between two knots. */
static double cs2_of_quantiles(Quantiles quantiles)
{
    double mean = 0, square = 0;
    for (int32_t i = 1; i < quantiles.count; i++) {
        const QuantileKnot from = quantiles.knots[i - 1], to = quantiles.knots[i];
        const double part = (double)(to.probability_ppm - from.probability_ppm) / (double)PPM;
        const double a = (double)from.value, b = (double)to.value;
        mean += part * (a + b) / 2;
        square += part * (a * a + a * b + b * b) / 3;
    }
    return mean > 0 ? square / (mean * mean) - 1 : 0;
}

static double cs2_of(Distribution duration)
{
    const double shape = (double)duration.shape_ppm / (double)PPM;
    switch (duration.kind) {
    case DISTRIBUTION_EXPONENTIAL:
        return 1;
    case DISTRIBUTION_LOGNORMAL:
        return random_exp(shape * shape) - 1;
    case DISTRIBUTION_WEIBULL: {
        const double mean = random_gamma(1 + 1 / shape);
        return random_gamma(1 + 2 / shape) / (mean * mean) - 1;
    }
    case DISTRIBUTION_QUANTILES:
        break;
    }
    return cs2_of_quantiles(duration.quantiles);
}

/* --- The scenario --- */

static const ClusterSpec *only_cluster(const Scenario *scenario)
{
    const ClusterSpec *only = NULL;
    for (int32_t i = 0; i < scenario->command_count; i++) {
        if (scenario->commands[i].kind != COMMAND_CLUSTER_CREATE)
            continue;
        if (only != NULL)
            return NULL;
        only = scenario->commands[i].as.cluster_create;
    }
    return only;
}

static bool has_job_commands(const Scenario *scenario)
{
    int32_t i = 0;
    while (i < scenario->command_count && scenario->commands[i].kind != COMMAND_JOB_CREATE)
        i++;
    return i < scenario->command_count;
}

/* Why no model applies; NULL: one may. */
static const char *objection(const Scenario *scenario)
{
    if (scenario->workload_count != 1 || has_job_commands(scenario))
        return "the scenario has not exactly one workload";
    const Workload *workload = &scenario->workloads[0];
    if (workload->list != NULL)
        return "the jobs are a list, not a random process";
    if (only_cluster(scenario) == NULL)
        return "the scenario has not exactly one cluster";
    for (int32_t i = 0; i < workload->spec_count; i++) {
        if (workload->specs[i]->program->kind != PROGRAM_FIXED)
            return "the run times of jobs are not drawn from a distribution";
        if (workload->specs[i]->asks_for != REQUEST_NODES)
            return "jobs share nodes";
    }
    return NULL;
}

/* The mean number of nodes of a job. */
static double mean_nodes(const Workload *workload)
{
    double sum = 0;
    for (int32_t i = 0; i < workload->spec_count; i++)
        sum += (double)workload->probability_ppm[i] / (double)PPM *
               workload->specs[i]->nodes;
    return sum;
}

/* Arrivals in a second. */
static double rate_of(const Workload *workload)
{
    const double bursts = workload->arrivals == ARRIVALS_BURSTS ? workload->burst_jobs : 1;
    const double s = (double)NS_PER_S;
    if (workload->count > 0)
        return bursts * (double)workload->count / ((double)workload->within_ns / s);
    return bursts * (double)workload->rate.milli / 1000 / ((double)workload->rate.period_ns / s);
}

static bool can_lose_nodes(const Scenario *scenario, bool is_low_priority)
{
    const Failures *failures = &scenario->failures;
    return failures->nodes != NULL || failures->group_count > 0 ||
           (is_low_priority && (failures->preemption != NULL || failures->preemption_count > 0));
}

static void find_gaps(const Scenario *scenario, const ClusterSpec *cluster, bool is_steady,
                      bool is_exact, ClosedForm *form)
{
    const Workload *workload = &scenario->workloads[0];
    form->has_gap[GAP_GANGS] = mean_nodes(workload) > 1;
    form->has_gap[GAP_SCALING] = cluster->is_automatic;
    form->has_gap[GAP_LOSSES] = can_lose_nodes(scenario, cluster->is_low_priority);
    form->has_gap[GAP_ARRIVALS] =
        workload->arrivals != ARRIVALS_POISSON || workload->count > 0;
    form->has_gap[GAP_POLICY] = scenario->policy != POLICY_SERVICE;
    form->has_gap[GAP_HORIZON] = !is_steady;
    form->has_gap[GAP_STARTUP] = true;
    form->has_gap[GAP_APPROXIMATION] = !is_exact;
}

ClosedForm closed_form_of(Arena *arena, const Scenario *scenario, bool is_steady)
{
    ClosedForm form = {.none = objection(scenario)};
    if (form.none != NULL)
        return form;
    const Workload *workload = &scenario->workloads[0];
    const ClusterSpec *cluster = only_cluster(scenario);
    const Distribution duration = workload->specs[0]->program->duration;
    const double cs2 = cs2_of(duration);
    const double size = mean_nodes(workload);
    form.servers = cluster->is_automatic ? cluster->maximum_nodes : cluster->target_nodes;
    form.service_s = (double)distribution_mean(duration) / (double)NS_PER_S;
    form.load = rate_of(workload) * form.service_s * size;
    form.knows_waits = duration.kind == DISTRIBUTION_EXPONENTIAL;
    form.mean_wait_s =
        form.service_s * queue_general_mean_wait(form.servers, form.load, cs2);
    form.model = form.knows_waits ? arena_printf(arena, "M/M/%d", (int)form.servers)
                 : cs2 == 0       ? arena_printf(arena, "M/D/%d", (int)form.servers)
                                  : arena_printf(arena, "M/G/%d", (int)form.servers);
    find_gaps(scenario, cluster, is_steady, form.knows_waits || form.servers == 1, &form);
    return form;
}

double closed_form_within(const ClosedForm *form, double wait_s)
{
    return form->model != NULL && form->knows_waits
               ? queue_wait_within(form->servers, form->load, wait_s / form->service_s)
               : (double)NAN;
}
