#include "sim/cloud/fault/mishap.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/capped.h"
#include "sim/base/name_table.h"
#include "sim/base/row_table.h"
#include "sim/base/wide.h"
#include "sim/cloud/cluster/drain.h"
#include "sim/cloud/fault/tables.h"

Faults *faults_create(Arena *run, Engine *engine, TraceRecorder *recorder, const Scenario *scenario,
                      Names *names, Storage *storage, Clusters *clusters, Jobs *jobs)
{
    Faults *faults = ARENA_NEW(run, Faults);
    *faults = (Faults){.arena = run,
                       .engine = engine,
                       .recorder = recorder,
                       .scenario = scenario,
                       .names = names,
                       .storage = storage,
                       .clusters = clusters,
                       .jobs = jobs,
                       .strikes = name_table_create(run)};
    return faults;
}

/* The two draws of a failure: the time until it, and its repair. */
enum { DRAW_BETWEEN, DRAW_REPAIR };

/* The addresses of these draws of RNG_CHANCE are outside of those that clusters and jobs use. The
 * node's life is added to the second. */
#define DRAW_IS_LEMON (UINT64_C(1) << 47)
#define DRAW_IS_DETECTED (UINT64_C(1) << 46)

static const Failures *failures_of(const Faults *faults)
{
    return &faults->scenario->failures;
}

static int64_t bounded(WideUnsigned value)
{
    return value < (WideUnsigned)INT64_MAX ? (int64_t)value : INT64_MAX;
}

/* A drawn time until a failure, divided by Failures.rate_ppm, which is not 0. */
static int64_t at_rate(const Faults *faults, int64_t time_ns)
{
    return bounded((WideUnsigned)time_ns * (uint64_t)PPM / (uint64_t)failures_of(faults)->rate_ppm);
}

/* The address of a draw. */
typedef struct {
    RngStream stream;
    uint64_t entity, draw;
} DrawAddress;

/* The rest of a time that began at `begun_ns` and has not ended, drawn again; at least 1 ns. */
static int64_t rest_drawn_again(const Faults *faults, const FailureModel *model, DrawAddress at,
                                int64_t begun_ns)
{
    const WideUnsigned age_ns = (WideUnsigned)(faults->engine->now_ns - begun_ns);
    // The time at the modelled rate which, divided by the rate, is the age or less.
    const WideUnsigned least =
        ((age_ns + 1) * (uint64_t)failures_of(faults)->rate_ppm - 1) / (uint64_t)PPM;
    const uint64_t word = engine_word(faults->engine, at.stream, at.entity, at.draw);
    const int64_t time_ns =
        at_rate(faults, distribution_above(model->between, word, bounded(least)));
    if (time_ns == INT64_MAX)
        return INT64_MAX;
    return (WideUnsigned)time_ns > age_ns ? time_ns - (int64_t)age_ns : 1;
}

/* --- Nodes --- */

/* The number of a draw for the node's next failure, which its life counts. */
static uint64_t node_draw(const Node *node, uint64_t which)
{
    return (uint64_t)node->life * 2 + which;
}

/* Pushes the node's next failure, and before it, perhaps, the finding of a health check. */
static void push_failure_in(Faults *faults, const Node *node, int64_t until_ns)
{
    const Failures *failures = failures_of(faults);
    const int64_t warning_ns = until_ns < failures->warning_ns ? until_ns : failures->warning_ns;
    // The share of detected failures is not a rate: Failures.rate_ppm does not scale it.
    if (until_ns < INT64_MAX &&
        engine_strikes(faults->engine, failures->detected_ppm, PPM, RNG_CHANCE, node->address,
                       DRAW_IS_DETECTED + node->life))
        engine_push(faults->engine, until_ns - warning_ns, EVENT_NODE_SHOWS_SIGNS, node->id.index,
                    node->life, 0);
    engine_push(faults->engine, until_ns, EVENT_NODE_FAILS, node->id.index, node->life, 0);
}

static void push_failure(Faults *faults, const Node *node)
{
    const FailureModel *model = failures_of(faults)->nodes;
    if (!model)
        return;
    int64_t until_ns = engine_sample(faults->engine, model->between, RNG_NODE_FAILURE,
                                     node->address, node_draw(node, DRAW_BETWEEN));
    push_failure_in(faults, node, at_rate(faults, until_ns));
}

static void push_failure_again(Faults *faults, const Node *node)
{
    const FailureModel *model = failures_of(faults)->nodes;
    const DrawAddress at = {RNG_NODE_FAILURE, node->address, node_draw(node, DRAW_BETWEEN)};
    if (model != NULL && node->failure == NULL)
        push_failure_in(faults, node, rest_drawn_again(faults, model, at, node->life_ns));
}

/* The model of lifetimes of low-priority nodes of `family`; NULL: they are not preempted. */
static const FailureModel *preemption_of(const Failures *failures, const char *family)
{
    const FailureModel *of_others = NULL;
    if (failures->preemption)
        return failures->preemption;
    for (int32_t i = 0; i < failures->preemption_count; i++) {
        const Preemption *preemption = &failures->preemptions[i];
        if (ascii_same(preemption->family, family))
            return preemption->model;
        if (strcmp(preemption->family, FAMILY_NOT_LISTED) == 0)
            of_others = preemption->model;
    }
    return of_others;
}

/* NULL: the node lives until it is released. */
static const FailureModel *lifetime_of(const Faults *faults, const Node *node)
{
    const NodeKind *kind =
        &cluster_kind_of_node(cluster_by_id(faults->clusters, node->cluster), node)->spec;
    return kind->is_low_priority ? preemption_of(failures_of(faults), kind->vm_size->family) : NULL;
}

static void push_lifetime(Faults *faults, const Node *node)
{
    const FailureModel *model = lifetime_of(faults, node);
    if (!model)
        return;
    int64_t lifetime_ns =
        engine_sample(faults->engine, model->between, RNG_NODE_LIFETIME, node->address, 0);
    engine_push(faults->engine, at_rate(faults, lifetime_ns), EVENT_NODE_LIFETIME, node->id.index,
                node->life, 0);
}

static void push_lifetime_again(Faults *faults, const Node *node)
{
    const FailureModel *model = lifetime_of(faults, node);
    const DrawAddress at = {RNG_NODE_LIFETIME, node->address, 0};
    if (model != NULL && node->notice == CAUSE_NONE)
        engine_push(faults->engine, rest_drawn_again(faults, model, at, node->allocated_ns),
                    EVENT_NODE_LIFETIME, node->id.index, node->life, 0);
}

static void node_begins(void *context, Node *node)
{
    Faults *faults = context;
    const Failures *failures = failures_of(faults);
    if (failures->rate_ppm == 0)
        return;
    push_failure(faults, node);
    if (node->life > 0)
        return; // repaired: it keeps its speed and its lifetime
    push_lifetime(faults, node);
    if (engine_strikes(faults->engine, failures->slow_node_ppm, faults->scenario->failures.rate_ppm,
                       RNG_CHANCE, node->address, DRAW_IS_LEMON))
        cluster_set_node_speed(faults->clusters, node, failures->slow_node_speed_ppm);
}

ClusterFaults faults_of_clusters(Faults *faults)
{
    return (ClusterFaults){.faults = faults, .node_begins = node_begins};
}

/* A failure by `model` with the drawn repair time. */
static NodeFailure failure_of(const FailureModel *model, TraceCause cause, int64_t repair_ns)
{
    return (NodeFailure){.cause = cause,
                         .reason = model->reason,
                         .recovery = model->recovery,
                         .repair_ns = model->recovery == RECOVERY_STAYS ? INT64_MAX : repair_ns};
}

/* The next failure of the node, or the same one when a health check finds its signs: the repair
 * takes as long. */
static NodeFailure next_failure(const Faults *faults, const Node *node, TraceCause cause)
{
    const FailureModel *model = failures_of(faults)->nodes;
    return failure_of(model, cause,
                      engine_sample(faults->engine, model->repair, RNG_NODE_FAILURE, node->address,
                                    node_draw(node, DRAW_REPAIR)));
}

void mishap_node_fails(Faults *faults, Node *node)
{
    cluster_node_crashes(faults->clusters, node, next_failure(faults, node, CAUSE_CRASH));
}

void mishap_node_shows_signs(Faults *faults, Node *node)
{
    if (!node_works(faults->clusters, node) || !node_can_drain(faults->clusters, node))
        return;
    NodeFailure work = next_failure(faults, node, CAUSE_HEALTH_CHECK);
    work.reason = arena_printf(faults->arena, "a health check found signs of a failure: %s",
                               work.reason != NULL ? work.reason : "the node will stop working");
    cluster_node_drained(faults->clusters, node, work);
}

void mishap_node_lifetime(Faults *faults, Node *node)
{
    cluster_node_warned(faults->clusters, node, faults->scenario->service.preemption_notice_ns,
                        CAUSE_PREEMPTION);
}

/* --- Groups --- */

void mishap_emit_struck(Faults *faults, const char *name, int32_t nodes, TraceCause cause)
{
    TraceRecord *record = recorder_begin(faults->recorder, TRACE_GROUP_STRUCK);
    record->name = name;
    record->group_struck.nodes = nodes;
    record->cause = cause;
    recorder_emit(faults->recorder);
}

/* Fills `nodes` with the nodes of a member in one cluster, and returns how many there are. NULL:
 * only counts them. */
static int32_t member_nodes(Faults *faults, const Cluster *cluster, const GroupMember *member,
                            NodeTest *counts, NodeId *nodes)
{
    int32_t count = 0;
    for (int32_t place = member->first - 1; place < member->last && place < cluster->place_count;
         place++) {
        const Node *node = cluster_node_at(faults->clusters, cluster, place);
        if (!node || !counts(faults->clusters, node))
            continue;
        if (nodes)
            nodes[count] = node->id;
        count++;
    }
    return count;
}

/* The same for a whole group, in all clusters of the members' names: a group names no workspace. */
static int32_t group_nodes(Faults *faults, const NodeGroup *group, NodeTest *counts, NodeId *nodes)
{
    int32_t count = 0;
    for (int32_t m = 0; m < group->member_count; m++)
        for (uint32_t c = 0;
             (c = cluster_next(faults->clusters, c)) < cluster_count(faults->clusters); c++) {
            const Cluster *cluster = cluster_by_id(faults->clusters, (ClusterId){c});
            if (same_name(cluster->path.name, group->members[m].cluster))
                count += member_nodes(faults, cluster, &group->members[m], counts,
                                      nodes ? nodes + count : NULL);
        }
    return count;
}

NodeId *mishap_group_nodes(Faults *faults, const NodeGroup *group, NodeTest *counts, int32_t *count)
{
    *count = group_nodes(faults, group, counts, NULL);
    NodeId *nodes = ARENA_ARRAY(faults->arena, NodeId, *count);
    group_nodes(faults, group, counts, nodes);
    return nodes;
}

/* A group's draws have a separate address, so members and other groups do not change them. */
static int64_t group_draw_ns(const Faults *faults, uint32_t group, Distribution distribution,
                             uint64_t which)
{
    return engine_sample(faults->engine, distribution, RNG_GROUP_FAILURE,
                         name_hash(failures_of(faults)->groups[group]->name),
                         faults->group_failures[group] * 2 + which);
}

static void push_group_failure(Faults *faults, uint32_t group, int64_t repair_ns)
{
    const FailureModel *model = failures_of(faults)->group_models[group];
    int64_t until_ns = at_rate(faults, group_draw_ns(faults, group, model->between, DRAW_BETWEEN));
    // At least 1 ns, so that time advances even if both drawn times are 0.
    const int64_t begins_after_ns = capped_sum(1, repair_ns);
    faults->group_begun_ns[group] = capped_sum(faults->engine->now_ns, begins_after_ns);
    engine_push(faults->engine, capped_sum(begins_after_ns, until_ns), EVENT_GROUP_FAILS, group, 0,
                0);
}

static void push_group_failure_again(Faults *faults, uint32_t group)
{
    const FailureModel *model = failures_of(faults)->group_models[group];
    const int64_t begun_ns = faults->group_begun_ns[group], now_ns = faults->engine->now_ns;
    const DrawAddress at = {RNG_GROUP_FAILURE, name_hash(failures_of(faults)->groups[group]->name),
                            faults->group_failures[group] * 2 + DRAW_BETWEEN};
    if (begun_ns > now_ns) // in repair until then
        push_group_failure(faults, group, begun_ns - now_ns - 1);
    else
        engine_push(faults->engine, rest_drawn_again(faults, model, at, begun_ns),
                    EVENT_GROUP_FAILS, group, 0, 0);
}

void mishap_group_fails(Faults *faults, uint32_t group)
{
    const NodeGroup *nodes_of = failures_of(faults)->groups[group];
    const FailureModel *model = failures_of(faults)->group_models[group];
    int64_t repair_ns = group_draw_ns(faults, group, model->repair, DRAW_REPAIR);
    int32_t count;
    NodeId *nodes = mishap_group_nodes(faults, nodes_of, node_works, &count);
    if (count > 0)
        mishap_emit_struck(faults, nodes_of->name, count, CAUSE_GROUP);
    for (int32_t i = 0; i < count; i++)
        cluster_node_crashes(faults->clusters, node_row(faults->clusters, nodes[i]),
                             failure_of(model, CAUSE_GROUP, repair_ns));
    faults->group_failures[group]++;
    push_group_failure(faults, group, repair_ns);
}

void mishaps_prepare(Faults *faults)
{
    const Failures *failures = failures_of(faults);
    faults->group_failures = ARENA_ARRAY(faults->arena, uint64_t, failures->group_count);
    faults->group_begun_ns = ARENA_ARRAY(faults->arena, int64_t, failures->group_count);
    if (failures->rate_ppm == 0)
        return;
    for (int32_t group = 0; group < failures->group_count; group++)
        push_group_failure(faults, (uint32_t)group, 0);
}

static bool is_mishap(void *context, const Event *event)
{
    (void)context;
    return event->kind == EVENT_NODE_FAILS || event->kind == EVENT_NODE_SHOWS_SIGNS ||
           event->kind == EVENT_NODE_LIFETIME || event->kind == EVENT_GROUP_FAILS;
}

void mishaps_draw_again(Faults *faults)
{
    const Failures *failures = failures_of(faults);
    if (failures->rate_ppm == 0)
        return;
    engine_remove_pending(faults->engine, NULL, is_mishap);
    for (uint32_t n = 0; (n = node_next(faults->clusters, n)) < node_count(faults->clusters); n++) {
        const Node *node = node_by_id(faults->clusters, (NodeId){n});
        if (node->state == NODE_STATE_COUNT)
            continue;
        push_failure_again(faults, node);
        push_lifetime_again(faults, node);
    }
    for (int32_t group = 0; group < failures->group_count; group++)
        push_group_failure_again(faults, (uint32_t)group);
}
