#include "sim/cloud/cluster/autoscale.h"

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/cloud/cluster/allocation.h"
#include "sim/cloud/cluster/kind_demand.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/cluster/tables.h"
#include "sim/model/bounded.h"

static const ClusterKind *scaling_kind(const Cluster *cluster)
{
    return &cluster->kinds[cluster->scaling_kind];
}

void autoscale_emit(Clusters *clusters, const Cluster *cluster)
{
    TraceRecord *record = cluster_trace(clusters, TRACE_CLUSTER_SCALING, cluster);
    record->cluster_scaling.minimum = cluster_limit(cluster, cluster->minimum_nodes);
    record->cluster_scaling.maximum = cluster_limit(cluster, cluster->maximum_nodes);
    record->cluster_scaling.target = cluster->target_nodes;
    record->name = cluster->is_automatic ? "automatic" : "manual";
    recorder_emit(clusters->recorder);
}

/* More nodes than this are as many as this, which is more than a cluster has. */
enum { WIDTH_MAX = 1 << 20 };

/* --- When --- */

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Puts up to `count` parts of `gpus` GPUs on `nodes` nodes with `free` free GPUs each. Returns how
 * many parts find room. */
static int64_t fill(int64_t *gaps, int32_t free, int64_t nodes, int32_t gpus, int64_t count)
{
    const int32_t each = free / gpus;
    const int64_t placed = count < nodes * each ? count : nodes * each;
    const int64_t full = placed / each, rest = placed % each;
    gaps[free] += nodes - full - (rest > 0);
    gaps[free - each * gpus] += full;
    if (rest > 0)
        gaps[free - (int32_t)rest * gpus]++;
    return placed;
}

/* The nodes that waiting jobs need in addition to those that are shared now. */
static int64_t nodes_to_add(const Cluster *cluster)
{
    const ClusterKind *kind = scaling_kind(cluster);
    const int32_t gpus_per_node = kind->whole.gpus;
    int64_t *gaps = kind->gaps, added = 0;
    for (int32_t free = 0; free <= gpus_per_node; free++)
        gaps[free] = kind->places_by_free[free].count;
    gaps[gpus_per_node] -= kind->node_count[NODE_IDLE];
    for (int32_t gpus = gpus_per_node; gpus > 0; gpus--) {
        int64_t count = cluster->waiting_parts[gpus];
        if (count == 0)
            continue;
        for (int32_t free = gpus; free <= gpus_per_node && count > 0; free++) {
            const int64_t nodes = gaps[free];
            gaps[free] = 0;
            count -= fill(gaps, free, nodes, gpus, count);
        }
        const int64_t nodes = divide_up(count, gpus_per_node / gpus);
        fill(gaps, gpus_per_node, nodes, gpus, count);
        added += nodes;
    }
    const bool needs_any = cluster->waiting_parts[0] > 0 && added + kind->shared_nodes == 0;
    return added + needs_any;
}

/* The nodes of the widest waiting job, whose parts are on different nodes. */
static int64_t widest(const Cluster *cluster)
{
    uint32_t width = cluster->width_capacity;
    while (width > 0 && cluster->waiting_widths[width - 1] == 0)
        width--;
    return width > 0 ? width - 1 : 0;
}

/* The nodes that jobs share, with those that waiting jobs would share. */
static int64_t nodes_to_share(const Cluster *cluster, int64_t least)
{
    const int64_t shared = scaling_kind(cluster)->shared_nodes + nodes_to_add(cluster);
    return shared > least ? shared : least;
}

static int64_t needed_nodes(const Cluster *cluster)
{
    const ClusterKind *kind = scaling_kind(cluster);
    if (cluster->kind_count == 1)
        return cluster->demand_nodes +
               (cluster->sharing_jobs > 0 // jobs usually ask for whole nodes
                    ? nodes_to_share(cluster, widest(cluster))
                    : kind->shared_nodes);
    const KindDemand demand = kind_demand_find(cluster);
    return kind->node_count[NODE_RUNNING] + demand.whole_nodes +
           (demand.sharing_jobs > 0 ? nodes_to_share(cluster, demand.widest) - kind->shared_nodes
                                    : 0);
}

static int32_t wanted_nodes(const Cluster *cluster)
{
    int64_t wanted = needed_nodes(cluster);
    if (wanted > cluster->maximum_nodes)
        wanted = cluster->maximum_nodes;
    if (wanted < cluster->minimum_nodes)
        wanted = cluster->minimum_nodes;
    return (int32_t)wanted;
}

static bool has_cores_again(const Clusters *clusters, const Cluster *cluster)
{
    bool has_any = false;
    for (int32_t k = 0; cluster->is_short_of_cores && k < cluster->kind_count; k++) {
        const ClusterKind *kind = &cluster->kinds[k];
        has_any |= kind->current_nodes < kind->target_nodes && quota_room(clusters, kind, 1) > 0;
    }
    return has_any;
}

bool autoscale_could_act(const Clusters *clusters, const Cluster *cluster)
{
    if (!cluster->is_automatic || cluster->provisioning >= PROVISIONING_DELETING ||
        cluster->allocation != ALLOCATION_STEADY)
        return false;
    const ClusterKind *kind = scaling_kind(cluster);
    int32_t wanted = wanted_nodes(cluster);
    if (wanted > kind->target_nodes)
        return true;
    if (wanted == kind->target_nodes)
        return has_cores_again(clusters, cluster);
    // Scaling down: idle nodes leave sooner or later; busy nodes only above the maximum.
    int32_t spare = kind->node_count[NODE_IDLE] + kind->node_count[NODE_UNUSABLE];
    return spare > 0 || kind->current_nodes <= wanted ||
           kind->target_nodes > cluster->maximum_nodes;
}

/* The time of the next evaluation at or after now, without the last one. */
static int64_t next_tick_ns(const Clusters *clusters, const Cluster *cluster)
{
    int64_t period_ns = clusters->scenario->service.autoscale_period_ns;
    int64_t passed_ns = clusters->engine->now_ns - cluster->first_steady_ns;
    int64_t ticks = divide_up(passed_ns, period_ns);
    if (ticks == 0 || cluster->first_steady_ns + ticks * period_ns == cluster->ticked_ns)
        ticks++;
    return bounded_add(cluster->first_steady_ns, bounded_times(ticks, period_ns));
}

static void cancel_tick(Cluster *cluster)
{
    cluster->tick_generation++;
    cluster->is_tick_due = false;
}

void autoscale_update(Clusters *clusters, Cluster *cluster)
{
    bool could_act = autoscale_could_act(clusters, cluster);
    if (could_act == cluster->is_tick_due)
        return;
    if (!could_act) {
        cancel_tick(cluster);
        return;
    }
    cluster->is_tick_due = true;
    engine_push(clusters->engine, next_tick_ns(clusters, cluster) - clusters->engine->now_ns,
                EVENT_CLUSTER_AUTOSCALE, cluster->id.index, cluster->tick_generation, 0);
}

void autoscale_keep(Cluster *cluster)
{
    const int32_t staying = allocation_staying(scaling_kind(cluster));
    if (staying > scaling_kind(cluster)->target_nodes)
        allocation_set_target(cluster, cluster->scaling_kind, staying);
}

void autoscale_turn_off(Clusters *clusters, Cluster *cluster)
{
    cluster->is_automatic = false;
    allocation_note_most(cluster);
    autoscale_update(clusters, cluster);
}

static void count_width(Clusters *clusters, Cluster *cluster, int32_t nodes, int32_t jobs)
{
    const uint32_t width = (uint32_t)smaller(nodes, WIDTH_MAX);
    cluster->waiting_widths = array_room(clusters->arena, cluster->waiting_widths, width + 1,
                                         &cluster->width_capacity, sizeof(int64_t));
    cluster->waiting_widths[width] += jobs;
    cluster->sharing_jobs += jobs;
}

bool cluster_counts_demand(const Cluster *cluster)
{
    return cluster->kind_count == 1 || cluster->spec->is_automatic;
}

bool cluster_demand_lasts(const Cluster *cluster, JobRequest request)
{
    return cluster->kind_count == 1 && request.kind == REQUEST_NODES;
}

void cluster_demand_changes(Clusters *clusters, Cluster *cluster, JobRequest request, int32_t jobs)
{
    const int32_t gpus_per_node = cluster_gpus_per_node(cluster);
    const int32_t large = request.large_nodes, last = request.nodes - 1;
    if (cluster->kind_count > 1) {
        kind_demand_add(clusters, cluster, request, jobs);
    } else if (request.kind == REQUEST_NODES) {
        cluster->demand_nodes += (int64_t)jobs * request.nodes;
    } else if (request_part(request, 0, gpus_per_node) <= gpus_per_node) {
        cluster->waiting_parts[request_part(request, 0, gpus_per_node)] += (int64_t)jobs * large;
        cluster->waiting_parts[request_part(request, last, gpus_per_node)] +=
            (int64_t)jobs * (request.nodes - large);
        count_width(clusters, cluster, request.nodes, jobs);
    }
    autoscale_update(clusters, cluster);
}

/* --- Which nodes --- */

/* The highest node of the scaling kind at or below `place` that has been in `state` for long
 * enough; NULL: none. */
static Node *spare_node(Clusters *clusters, const Cluster *cluster, NodeState state, int32_t place)
{
    int64_t since_ns =
        clusters->engine->now_ns - clusters->scenario->service.autoscale_look_back_ns;
    const PlaceSet *places = &cluster->places[state];
    for (place = place_set_down(places, place); place >= 0;
         place = place_set_down(places, place - 1)) {
        Node *node = cluster_node_at(clusters, cluster, place);
        if (node->kind == cluster->scaling_kind && node->state_since_ns <= since_ns)
            return node;
    }
    return NULL;
}

static const NodeState spare_order[] = {NODE_UNUSABLE, NODE_IDLE};

/* The number of nodes that could leave now, `most` at most. If `takes_them`, they leave. */
static int32_t spare_nodes(Clusters *clusters, Cluster *cluster, int32_t most, bool takes_them)
{
    int32_t count = 0;
    for (size_t s = 0; s < sizeof spare_order / sizeof spare_order[0]; s++) {
        int32_t place = cluster->place_count - 1;
        Node *node;
        while (count < most &&
               (node = spare_node(clusters, cluster, spare_order[s], place)) != NULL) {
            place = node->place - 1;
            count++;
            if (takes_them)
                node_leaves(clusters, cluster, node, CAUSE_AUTOSCALE);
        }
    }
    return count;
}

/* An evaluation of a steady cluster. */
static void evaluate(Clusters *clusters, Cluster *cluster)
{
    const ClusterKind *kind = scaling_kind(cluster);
    int32_t wanted = wanted_nodes(cluster), current = kind->current_nodes;
    int32_t target = wanted;
    if (wanted < current)
        target = smaller(current - spare_nodes(clusters, cluster, current - wanted, false),
                         cluster->maximum_nodes);
    // With the same target, only nodes that a quota refused are requested again, once it has cores.
    // A retry is under way for nodes that could not be allocated.
    if (target != kind->target_nodes || has_cores_again(clusters, cluster))
        allocation_resize(clusters, cluster, cluster->scaling_kind, target, CAUSE_AUTOSCALE);
}

void cluster_autoscale_tick(Clusters *clusters, Cluster *cluster)
{
    cluster->is_tick_due = false;
    cluster->ticked_ns = clusters->engine->now_ns;
    if (autoscale_could_act(clusters, cluster))
        evaluate(clusters, cluster);
    autoscale_update(clusters, cluster);
}

void autoscale_choose(Clusters *clusters, Cluster *cluster)
{
    const int32_t scaling = cluster->scaling_kind;
    const ClusterKind *kind = &cluster->kinds[scaling];
    spare_nodes(clusters, cluster, allocation_staying(kind) - kind->target_nodes, true);
    if (allocation_staying(kind) > cluster->maximum_nodes) {
        allocation_set_target(cluster, scaling, cluster->maximum_nodes);
        allocation_choose(clusters, cluster, cluster->spec->deallocation, CAUSE_AUTOSCALE);
    } else if (allocation_staying(kind) > kind->target_nodes) {
        allocation_set_target(cluster, scaling, allocation_staying(kind));
    }
}
