#include "sim/study/follow/closed_form.h"

#include <inttypes.h>
#include <math.h>

#include "sim/base/ascii.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/cloud/spec/command.h"
#include "sim/model/queue.h"
#include "sim/model/random_math.h"
#include "sim/model/week_hours.h"

/* Facts that the model leaves out. X(ENUM, name, words) */
#define MODEL_GAPS(X)                                                                              \
    X(GANGS, "jobs of several nodes wait for all of them at once")                                 \
    X(SCALING, "nodes come and go, and need time to come")                                         \
    X(LOSSES, "nodes fail or are preempted, and work is done again")                               \
    X(ARRIVALS, "jobs do not arrive at one rate, independently of each other")                     \
    X(POLICY, "the queue is not first come, first served")                                         \
    X(HORIZON, "the study ends, and begins with an empty queue")                                   \
    X(STARTUP, "a job holds its nodes while it starts, too")                                       \
    X(APPROXIMATION, "service times are not exponential: the formula is an approximation")

typedef enum {
#define X(name, words) GAP_##name,
    MODEL_GAPS(X)
#undef X
        MODEL_GAP_COUNT
} ModelGap;

static const char *const gap_words[] = {
#define X(name, words) words,
    MODEL_GAPS(X)
#undef X
};

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
    int32_t i = 0;
    const Command *only = scenario_next_cluster(scenario, &i);
    const bool is_only = only != NULL && scenario_next_cluster(scenario, &i) == NULL;
    return is_only ? only->as.cluster_create : NULL;
}

static bool has_job_commands(const Scenario *scenario)
{
    int32_t i = 0;
    while (i < scenario->command_count && scenario->commands[i].kind != COMMAND_JOB_CREATE)
        i++;
    return i < scenario->command_count;
}

/* The nodes that the cluster may have: its own limit, or that of a quota. */
static int32_t nodes_allowed(const Scenario *scenario, const ClusterSpec *cluster)
{
    const VmSize *size = cluster->vm_size;
    int64_t nodes = cluster->is_automatic ? cluster->maximum_nodes : cluster->target_nodes;
    for (int32_t i = 0; i < scenario->quota_count && size->vcpus > 0; i++) {
        const CoreQuota *quota = &scenario->quotas[i];
        const int64_t room = quota_vcpus(quota, cluster->is_low_priority) / size->vcpus;
        nodes = quota_counts(quota->family, size) && room < nodes ? room : nodes;
    }
    return (int32_t)nodes;
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
    if (only_cluster(scenario)->kind_count > 0)
        return "the nodes of the cluster are of several kinds";
    if (only_cluster(scenario)->maintenance_count > 0)
        return "the nodes of the cluster have planned maintenance";
    if (nodes_allowed(scenario, only_cluster(scenario)) < 1)
        return "the size and the quotas of the cluster leave it no node";
    for (int32_t i = 0; i < workload->spec_count; i++) {
        if (workload->specs[i]->program->kind != PROGRAM_FIXED)
            return "the run times of jobs are not drawn from a distribution";
        if (program_saves_work(workload->specs[i]->program))
            return "jobs write checkpoints, which take time";
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
        sum += (double)workload->probability_ppm[i] / (double)PPM * workload->specs[i]->nodes;
    return sum;
}

/* The mean factor on the rate over the week. */
static double mean_factor(const Workload *workload)
{
    double sum = 0;
    for (int32_t hour = 0; workload->factors != NULL && hour < HOURS_A_WEEK; hour++)
        sum += (double)workload->factors[hour];
    return workload->factors != NULL ? sum / HOURS_A_WEEK / (double)FACTOR_ONE : 1;
}

/* Mean arrivals in a second. */
static double rate_of(const Workload *workload)
{
    const double bursts = workload->arrivals == ARRIVALS_BURSTS ? workload->burst_jobs : 1;
    const double s = (double)NS_PER_S;
    if (workload->count > 0)
        return bursts * (double)workload->count / ((double)workload->within_ns / s);
    return bursts * mean_factor(workload) * (double)workload->rate.micro / PPM /
           ((double)workload->rate.period_ns / s);
}

static bool is_always_in_order(const Scenario *scenario)
{
    bool is_in_order = scenario->policy == POLICY_SERVICE;
    for (int32_t i = 0; i < scenario->command_count; i++)
        is_in_order &= scenario->commands[i].kind != COMMAND_POLICY_CHANGE;
    return is_in_order;
}

static bool can_lose_nodes(const Scenario *scenario, bool is_low_priority)
{
    const Failures *failures = &scenario->failures;
    return failures->nodes != NULL || failures->group_count > 0 ||
           (is_low_priority && (failures->preemption != NULL || failures->preemption_count > 0));
}

static void find_gaps(Arena *arena, const Scenario *scenario, bool is_steady, bool is_exact,
                      ClosedForm *form)
{
    const Workload *workload = &scenario->workloads[0];
    const ClusterSpec *cluster = only_cluster(scenario);
    const bool has_gap[MODEL_GAP_COUNT] = {
        [GAP_GANGS] = mean_nodes(workload) > 1,
        [GAP_SCALING] = cluster->is_automatic,
        [GAP_LOSSES] = can_lose_nodes(scenario, cluster->is_low_priority),
        [GAP_ARRIVALS] = workload->arrivals != ARRIVALS_POISSON || workload->count > 0,
        [GAP_POLICY] = !is_always_in_order(scenario),
        [GAP_HORIZON] = !is_steady,
        [GAP_STARTUP] = true,
        [GAP_APPROXIMATION] = !is_exact};
    form->gaps = ARENA_ARRAY(arena, const char *, MODEL_GAP_COUNT);
    for (int gap = 0; gap < MODEL_GAP_COUNT; gap++)
        if (has_gap[gap])
            form->gaps[form->gap_count++] = gap_words[gap];
}

/* The waits, and the jobs that a full queue rejects. */
static void find_waits(const Scenario *scenario, double load, double cs2, ClosedForm *form)
{
    double wait = queue_general_mean_wait(form->servers, load, cs2);
    if (scenario->has_queue_limit) {
        const QueueLoss loss = queue_limited(form->servers, scenario->queue_limit, load);
        form->rejected_ppm = (int64_t)(loss.lost * (double)PPM + 0.5);
        wait = loss.mean_wait;
    }
    if (!isinf(wait))
        form->mean_wait_ns = rounded_capped(wait * (double)form->service_ns);
}

/* "M/M/4"; with a limit the places of jobs that run or wait follow: "M/M/4/10". */
static const char *model_name(Arena *arena, const Scenario *scenario, double cs2, int32_t servers)
{
    const Distribution duration = scenario->workloads[0].specs[0]->program->duration;
    const char *times = duration.kind == DISTRIBUTION_EXPONENTIAL ? "M" : cs2 == 0 ? "D" : "G";
    const char *places =
        scenario->has_queue_limit
            ? arena_printf(arena, "/%" PRId64, (int64_t)servers + scenario->queue_limit)
            : "";
    return arena_printf(arena, "M/%s/%" PRId32 "%s", times, servers, places);
}

ClosedForm closed_form_of(Arena *arena, const Scenario *scenario, bool is_steady)
{
    ClosedForm form = {
        .none = objection(scenario), .mean_wait_ns = PLAIN_UNKNOWN, .rejected_ppm = PLAIN_UNKNOWN};
    if (form.none != NULL)
        return form;
    const Workload *workload = &scenario->workloads[0];
    const Distribution duration = workload->specs[0]->program->duration;
    const double cs2 = cs2_of(duration);
    const bool is_loss = scenario->has_queue_limit && scenario->queue_limit == 0;
    form.servers = nodes_allowed(scenario, only_cluster(scenario));
    form.service_ns = distribution_mean(duration);
    form.knows_waits = duration.kind == DISTRIBUTION_EXPONENTIAL && !scenario->has_queue_limit;
    const double service_s = (double)form.service_ns / (double)NS_PER_S;
    const double load = rate_of(workload) * service_s * mean_nodes(workload);
    form.load_ppm = rounded_capped(load * (double)PPM);
    find_waits(scenario, load, cs2, &form);
    form.model = model_name(arena, scenario, cs2, form.servers);
    const bool is_exact = duration.kind == DISTRIBUTION_EXPONENTIAL || is_loss ||
                          (form.servers == 1 && !scenario->has_queue_limit);
    find_gaps(arena, scenario, is_steady, is_exact, &form);
    return form;
}

const char *closed_form_words(Arena *arena, const ClosedForm *form)
{
    Text out = {0};
    if (form->mean_wait_ns == PLAIN_UNKNOWN) {
        text_add(&out, "more work arrives than the nodes can do");
        return text_move(arena, &out);
    }
    text_add(&out, "the mean wait is ");
    duration_print(&out, form->mean_wait_ns / NS_PER_S * NS_PER_S);
    if (form->rejected_ppm != PLAIN_UNKNOWN)
        text_printf(&out, ", and %.3g %% of the jobs are rejected",
                    (double)form->rejected_ppm / (double)PPM * 100);
    return text_move(arena, &out);
}

#define OWNER ClosedForm
static const Field closed_form_fields[] = {
    FIELD_ROW(TEXT, "model", model, .doc = "M/M/4, M/G/1, M/M/4/4, ..."),
    FIELD_ROW(TEXT, "none", none, .doc = "why no model applies"),
    FIELD_ROW(INTEGER, "servers", servers, .doc = "nodes that the cluster may have"),
    FIELD_DECIMAL("load", load_ppm, 6, "offered load in nodes"),
    FIELD_DECIMAL("service_s", service_ns, 9, "mean run time of a job", .unit = "s"),
    FIELD_DECIMAL("mean_wait_s", mean_wait_ns, 9, "mean time in the queue", .unit = "s", NULLABLE),
    FIELD_DECIMAL("rejected", rejected_ppm, 6, "share of jobs that find the queue full",
                  .unit = "1", NULLABLE),
    FIELD_ROW(BOOLEAN, "knows_waits", knows_waits, .doc = "the distribution of waits is known too"),
    FIELD_LIST(TEXTS, "gaps", gaps, gap_count, NULL, "what the model leaves out"),
    {0},
};
const ObjectType closed_form_type =
    OBJECT_TYPE("Closed form", "What queueing theory says about the recommended candidate.",
                closed_form_fields);
#undef OWNER
