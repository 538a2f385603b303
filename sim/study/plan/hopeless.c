#include "sim/study/plan/hopeless.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/philox.h"
#include "sim/base/units.h"
#include "sim/study/point_scenario.h"

enum { SATURATED_JOBS = 40000, BATCH_JOBS = 200, KINDS_MAX = 64, NODES_MAX = 20000 };
#define OVERLOAD 1.02
#define SURE_DEVIATIONS 4

/* --- A queue that is never empty --- */

typedef struct {
    double *free_at; /* [node_count], rising: when each node ends its last job */
    int32_t node_count;
} Nodes;

/* The first `need` nodes end at `end`. */
static void occupy(Nodes *nodes, int32_t need, double end)
{
    int32_t i = 0;
    for (; i + need < nodes->node_count && nodes->free_at[i + need] < end; i++)
        nodes->free_at[i] = nodes->free_at[i + need];
    for (int32_t n = 0; n < need; n++)
        nodes->free_at[i + n] = end;
}

static int32_t kind_at(const JobMix *mix, double chance)
{
    int32_t kind = 0;
    for (double below = mix->chances[0]; kind + 1 < mix->kind_count && below < chance;)
        below += mix->chances[++kind];
    return kind;
}

SaturatedQueue saturated_queue(const JobMix *mix, int32_t node_count)
{
    static const uint64_t key = 17; // no run has these random numbers
    Arena *scratch = arena_create();
    Nodes nodes = {ARENA_ARRAY(scratch, double, node_count), node_count};
    const int64_t work = (int64_t)4000000 / node_count * 10;
    const int32_t jobs = work < SATURATED_JOBS ? (int32_t)work : SATURATED_JOBS;
    const int32_t batches = jobs / BATCH_JOBS;
    double last = 0, begin = 0, batch_begin = 0, square = 0, sum = 0;
    for (int32_t i = 0; i < jobs; i++) {
        const PhiloxBlock words = philox(key, (PhiloxBlock){{(uint32_t)i}});
        const int32_t kind = kind_at(mix, ((double)words.word[0] + 0.5) / 4294967296.0);
        if (mix->nodes[kind] > node_count) {
            arena_destroy(scratch);
            return (SaturatedQueue){(double)INFINITY, 0};
        }
        const uint64_t word = (uint64_t)words.word[1] << 32 | words.word[2];
        last = fmax(last, nodes.free_at[mix->nodes[kind] - 1]);
        occupy(&nodes, mix->nodes[kind], last + (double)distribution_at(mix->times_ns[kind], word));
        if (i == BATCH_JOBS - 1) // the nodes are full
            begin = batch_begin = last;
        else if (i % BATCH_JOBS == BATCH_JOBS - 1) {
            sum += last - batch_begin;
            square += (last - batch_begin) * (last - batch_begin);
            batch_begin = last;
        }
    }
    const double count = batches - 1, mean = sum / count;
    const SaturatedQueue found = {(batch_begin - begin) / (count * BATCH_JOBS),
                                  sqrt(fmax(square / count - mean * mean, 0) / BATCH_JOBS)};
    arena_destroy(scratch);
    return found;
}

/* --- The work of a scenario --- */

typedef struct {
    const ClusterSpec *cluster;
    int32_t node_count; /* that it may have */
    double gap_ns;      /* between arrivals */
    int64_t jobs_max;
    JobMix mix;
    double node_ns; /* mean nodes times time of a job */
} Work;

/* The only cluster of the scenario; NULL if it may change, or its nodes are not all alike. */
static const ClusterSpec *only_cluster(const Scenario *scenario)
{
    const ClusterSpec *found = NULL;
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        const bool is_create = command->kind == COMMAND_CLUSTER_CREATE;
        if ((is_create && found != NULL) || command->kind == COMMAND_CLUSTER_RESIZE ||
            command->kind == COMMAND_CLUSTER_AUTOSCALE || command->kind == COMMAND_CLUSTER_DELETE ||
            command->kind == COMMAND_JOB_CREATE || command->kind == COMMAND_POLICY_CHANGE)
            return NULL;
        if (is_create)
            found = command->as.cluster_create;
    }
    return found != NULL && found->kind_count == 0 ? found : NULL;
}

/* Whether jobs lose no work, so that their time is that of their program. */
static bool has_no_failures(const Scenario *scenario, const ClusterSpec *cluster)
{
    return scenario->failures.nodes == NULL && scenario->failures.group_count == 0 &&
           !cluster->is_low_priority;
}

/* The nodes that limits and quotas allow. */
static int32_t nodes_of(const Scenario *scenario, const ClusterSpec *cluster)
{
    int64_t nodes = cluster->is_automatic ? cluster->maximum_nodes : cluster->target_nodes;
    for (int32_t q = 0; q < scenario->quota_count && cluster->vm_size->vcpus > 0; q++) {
        const CoreQuota *quota = &scenario->quotas[q];
        const int64_t room = quota_vcpus(quota, cluster->is_low_priority) / cluster->vm_size->vcpus;
        if (strcmp(quota->family, cluster->vm_size->family) == 0 && room < nodes)
            nodes = room;
    }
    return nodes < NODES_MAX ? (int32_t)nodes : 0;
}

/* Adds the shapes of a workload; false if their work is not known. */
static bool add_shapes(const Workload *workload, double share, double *chances, int32_t *nodes,
                       Distribution *times_ns, Work *work)
{
    for (int32_t s = 0; s < workload->spec_count; s++) {
        const JobSpec *spec = workload->specs[s];
        const int32_t kind = work->mix.kind_count;
        if (kind == KINDS_MAX || spec->asks_for != REQUEST_NODES ||
            spec->program->kind != PROGRAM_FIXED || spec->program->is_other)
            return false;
        chances[kind] = share * (double)workload->probability_ppm[s] / (double)PPM;
        nodes[kind] = spec->nodes;
        times_ns[kind] = spec->program->duration;
        work->node_ns += chances[kind] * spec->nodes * (double)distribution_mean(times_ns[kind]);
        work->mix.kind_count++;
    }
    return true;
}

/* The work of all workloads; false if it is not known. */
static bool work_of(Arena *arena, const Scenario *scenario, Work *work)
{
    double *chances = ARENA_ARRAY(arena, double, KINDS_MAX);
    int32_t *nodes = ARENA_ARRAY(arena, int32_t, KINDS_MAX);
    Distribution *times_ns = ARENA_ARRAY(arena, Distribution, KINDS_MAX);
    double rate = 0;
    *work = (Work){.cluster = only_cluster(scenario),
                   .mix = {0, chances, nodes, times_ns},
                   .jobs_max = INT64_MAX};
    if (work->cluster == NULL || scenario->workload_count == 0 || scenario->has_queue_limit ||
        !has_no_failures(scenario, work->cluster))
        return false;
    work->node_count = nodes_of(scenario, work->cluster);
    for (int32_t i = 0; i < scenario->workload_count; i++) {
        const Workload *workload = &scenario->workloads[i];
        if (workload->list != NULL || workload->arrivals != ARRIVALS_POISSON || workload->count > 0)
            return false;
        rate += (double)workload->rate.micro / PPM / (double)workload->rate.period_ns;
    }
    for (int32_t i = 0; i < scenario->workload_count; i++) {
        const Workload *workload = &scenario->workloads[i];
        const double own = (double)workload->rate.micro / PPM / (double)workload->rate.period_ns;
        if (!add_shapes(workload, own / rate, chances, nodes, times_ns, work))
            return false;
        work->jobs_max = scenario->workload_count == 1 && workload->end_ns == INT64_MAX
                             ? workload->jobs_max
                             : INT64_MAX;
    }
    work->gap_ns = 1 / rate;
    return work->node_count > 0;
}

/* --- Hopeless --- */

/* The time in "workloads.all.waited_within(20m)"; -1: it is not such a share. */
static int64_t limit_of_share(const char *metric)
{
    static const char name[] = "waited_within(";
    const char *at = strstr(metric, name);
    char text[32];
    Status unused = {0};
    int64_t ns;
    if (at == NULL)
        return -1;
    at += strlen(name);
    const size_t length = strcspn(at, ")");
    if (length >= sizeof text)
        return -1;
    memcpy(text, at, length);
    text[length] = '\0';
    return duration_parse(text, place_in("", 0, 0), &ns, &unused) ? ns : -1;
}

/* The largest share of `jobs` jobs that can wait at most `limit_ns` when the queue grows. */
static double share_most(const Work *work, const SaturatedQueue *queue, double limit_ns)
{
    const double growth = queue->gap_ns - work->gap_ns;
    const double deviation =
        sqrt(queue->deviation_ns * queue->deviation_ns + work->gap_ns * work->gap_ns);
    // Job i waits for growth x i, less what the first jobs find free, less chance.
    const double free_ns = work->node_count * queue->gap_ns;
    const double b = SURE_DEVIATIONS * deviation;
    const double root = (b + sqrt(b * b + 4 * growth * (limit_ns + free_ns))) / (2 * growth);
    return root * root / (double)work->jobs_max;
}

/* Whether no constraint on waits can be met: by the growth of the queue. */
static bool misses_for_sure(const Study *study, const Work *work, const SaturatedQueue *queue)
{
    const Goal *goal = study->goal;
    for (int32_t i = 0; i < goal->constraint_count; i++) {
        const GoalConstraint *constraint = &goal->constraints[i];
        const int64_t limit_ns = limit_of_share(study->metrics[constraint->metric].name);
        if (constraint->side == LIMIT_AT_LEAST && limit_ns >= 0 && work->jobs_max < INT64_MAX &&
            share_most(work, queue, (double)limit_ns) <
                constraint->limit - constraint->indifference)
            return true;
    }
    return false;
}

static bool has_gangs(const JobMix *mix)
{
    for (int32_t i = 0; i < mix->kind_count; i++)
        if (mix->nodes[i] > 1)
            return true;
    return false;
}

static const char *reason_of(Arena *arena, const Work *work, double capacity)
{
    Text reason = {0};
    text_printf(&reason, "more work arrives than %" PRId32 " node%s can do: %.3g are needed",
                work->node_count, plural(work->node_count), work->node_ns / work->gap_ns);
    if (has_gangs(&work->mix))
        text_printf(&reason, ", and jobs of several nodes can keep only %.3g of them busy",
                    capacity);
    const char *copy = arena_strdup(arena, text_string(&reason));
    text_free(&reason);
    return copy;
}

/* NULL: it has to be simulated. */
static const char *overload_of(Arena *arena, const Study *study, const Scenario *scenario)
{
    Work work;
    if (study->goal->is_average_weather || !work_of(arena, scenario, &work))
        return NULL;
    const bool is_in_order = scenario->policy == POLICY_SERVICE;
    SaturatedQueue queue = {.gap_ns = work.node_ns / work.node_count};
    if (is_in_order)
        queue = saturated_queue(&work.mix, work.node_count);
    if (!isfinite(queue.gap_ns) || queue.gap_ns < OVERLOAD * work.gap_ns)
        return NULL;
    if (study->horizon.kind != HORIZON_STEADY &&
        !(is_in_order && misses_for_sure(study, &work, &queue)))
        return NULL;
    return reason_of(arena, &work, work.node_ns / queue.gap_ns);
}

int32_t hopeless_points_find(Arena *arena, const Study *study, FileSource files,
                             const HopelessPoint **out)
{
    HopelessPoint *found = ARENA_ARRAY(arena, HopelessPoint, study->point_count);
    int32_t count = 0;
    for (int32_t point = 0; point < study->point_count; point++) {
        Arena *scratch = arena_create();
        Problems problems = problems_create(scratch);
        const PointScenario *scenario =
            point_scenario_read(scratch, study, files, point, &problems);
        const char *reason = scenario != NULL
                                 ? overload_of(scratch, study, &scenario->file->scenario)
                                 : problems.items[0].message;
        if (reason != NULL)
            found[count++] = (HopelessPoint){.point = point,
                                             .is_refused = scenario == NULL,
                                             .reason = arena_strdup(arena, reason)};
        arena_destroy(scratch);
    }
    *out = found;
    return count;
}
