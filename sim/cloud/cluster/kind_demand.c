#include "sim/cloud/cluster/kind_demand.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/cloud/cluster/tables.h"

static const ClusterKind *scaling_kind(const Cluster *cluster)
{
    return &cluster->kinds[cluster->scaling_kind];
}

/* --- Groups --- */

/* The kinds that the request allows and on which a job fits that runs alone. */
static KindSet kinds_that_fit(const Cluster *cluster, JobRequest request)
{
    KindSet kinds = 0;
    for (int32_t k = 0; k < cluster->kind_count; k++) {
        const NodeShare whole = cluster->kinds[k].whole;
        const int32_t most = k == cluster->scaling_kind ? cluster->maximum_nodes : INT32_MAX;
        if (request_allows(request, k) &&
            request_is_possible(request_on(request, whole.gpus), most, whole))
            kinds |= kind_set_of(k);
    }
    return kinds;
}

bool kind_demand_counts(const Cluster *cluster, JobRequest request)
{
    return kinds_that_fit(cluster, request) != 0;
}

/* Below 0: `a` is placed before `b`. The largest is first, and among equals the one that may not
 * wait for nodes of the scaling kind; 0: equal. */
static int64_t compare(const Cluster *cluster, JobRequest a, JobRequest b)
{
    const int32_t gpus_per_node = scaling_kind(cluster)->whole.gpus;
    const int64_t differences[] = {
        request_slots(b, gpus_per_node) - request_slots(a, gpus_per_node),
        (int64_t)b.nodes - a.nodes,
        (int64_t)request_allows(a, cluster->scaling_kind) -
            request_allows(b, cluster->scaling_kind),
        (int64_t)a.kinds - b.kinds,
        (int64_t)a.kind - b.kind,
        (int64_t)a.gpus - b.gpus,
        (int64_t)a.shape.gpus_per_node_max - b.shape.gpus_per_node_max,
        (int64_t)a.shape.nodes - b.shape.nodes,
    };
    size_t i = 0;
    while (i + 1 < sizeof differences / sizeof differences[0] && differences[i] == 0)
        i++;
    return differences[i];
}

/* The index of the group of the request, or of the first one after it. */
static uint32_t find_group(const Cluster *cluster, JobRequest request)
{
    uint32_t low = 0, high = cluster->waiting.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare(cluster, cluster->waiting.items[middle].request, request) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert_group(Clusters *clusters, WaitingGroups *groups, uint32_t at, WaitingGroup group)
{
    groups->items = array_room(clusters->arena, groups->items, groups->count + 1, &groups->capacity,
                               sizeof *groups->items);
    memmove(&groups->items[at + 1], &groups->items[at],
            (groups->count - at) * sizeof *groups->items);
    groups->items[at] = group;
    groups->count++;
}

static void remove_group(WaitingGroups *groups, uint32_t at)
{
    groups->count--;
    memmove(&groups->items[at], &groups->items[at + 1],
            (groups->count - at) * sizeof *groups->items);
}

void kind_demand_add(Clusters *clusters, Cluster *cluster, JobRequest request, int32_t jobs)
{
    WaitingGroups *groups = &cluster->waiting;
    const KindSet kinds = kinds_that_fit(cluster, request);
    if (kinds == 0)
        return; // it waits for ever
    request.cpus = request.memory_mib = 0;
    request = request_on(request, scaling_kind(cluster)->whole.gpus);
    request.kinds = kinds & KIND_SET_ALL;
    const uint32_t at = find_group(cluster, request);
    if (at == groups->count || compare(cluster, groups->items[at].request, request) != 0)
        insert_group(clusters, groups, at, (WaitingGroup){.request = request});
    groups->items[at].jobs += jobs;
    invariant(groups->items[at].jobs >= 0);
    if (groups->items[at].jobs == 0)
        remove_group(groups, at);
}

/* --- The other kinds --- */

/* The nodes of one kind that take jobs, or will once they are prepared. */
typedef struct {
    int64_t *gaps;  /* [free GPUs] nodes that have so many */
    int64_t *taken; /* the same of the nodes that the job has taken which is being placed */
    int64_t nodes;  /* their sum */
    int64_t idle;   /* those among them that run no job, which have all GPUs free */
    int32_t gpus_per_node;
} KindGaps;

static KindGaps gaps_of(const ClusterKind *kind)
{
    const int32_t all = kind->whole.gpus, coming = kind->node_count[NODE_PREPARING];
    KindGaps found = {.gaps = kind->gaps,
                      .taken = &kind->gaps[all + 1],
                      .nodes = coming,
                      .idle = (int64_t)kind->room.idle_nodes + coming,
                      .gpus_per_node = all};
    for (int32_t free = 0; free <= all; free++) {
        found.gaps[free] = kind->places_by_free[free].count;
        found.taken[free] = 0;
        found.nodes += found.gaps[free];
    }
    found.gaps[all] += coming;
    return found;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t nodes_with(const KindGaps *kind, int32_t gpus)
{
    int64_t nodes = 0;
    for (int32_t free = gpus; free <= kind->gpus_per_node; free++)
        nodes += kind->gaps[free];
    return nodes;
}

/* Takes `gpus` GPUs of each of `nodes` nodes that the job has not yet, the fullest with room first.
 */
static void take_parts(KindGaps *kind, int32_t gpus, int64_t nodes)
{
    for (int32_t free = gpus; nodes > 0; free++) {
        const int64_t taken = smaller(nodes, kind->gaps[free]);
        kind->gaps[free] -= taken;
        kind->taken[free - gpus] += taken;
        nodes -= taken;
    }
}

/* Places one job that asks for GPUs, on different nodes; false: it does not fit. */
static bool place_sharing(KindGaps *kind, JobRequest request)
{
    const int32_t large = request_part(request, 0, kind->gpus_per_node),
                  small = request_part(request, request.nodes - 1, kind->gpus_per_node);
    if (nodes_with(kind, large) < request.large_nodes || nodes_with(kind, small) < request.nodes)
        return false;
    take_parts(kind, large, request.large_nodes);
    take_parts(kind, small, request.nodes - request.large_nodes);
    for (int32_t free = 0; free <= kind->gpus_per_node; free++) {
        kind->gaps[free] += kind->taken[free];
        kind->taken[free] = 0;
    }
    kind->idle = smaller(kind->idle, kind->gaps[kind->gpus_per_node]);
    return true;
}

/* Places up to `jobs` jobs of the request; returns how many fit. */
static int64_t place(KindGaps *kind, JobRequest request, int64_t jobs)
{
    int64_t placed = 0;
    if (request.kind == REQUEST_NODES) {
        placed = smaller(jobs, kind->idle / request.nodes);
        kind->idle -= placed * request.nodes;
        kind->nodes -= placed * request.nodes;
        kind->gaps[kind->gpus_per_node] -= placed * request.nodes;
        return placed;
    }
    if (request_gpus(request, kind->gpus_per_node) == 0)
        return request.nodes <= kind->nodes ? jobs : 0; // they take nothing that is counted
    while (placed < jobs && place_sharing(kind, request))
        placed++;
    return placed;
}

/* --- The scaling kind --- */

static void need(const Cluster *cluster, JobRequest request, int64_t jobs, KindDemand *demand)
{
    const int32_t gpus_per_node = scaling_kind(cluster)->whole.gpus;
    if (request.kind == REQUEST_NODES) {
        demand->whole_nodes += jobs * request.nodes;
        return;
    }
    int64_t *parts = cluster->waiting_parts;
    parts[request_part(request, 0, gpus_per_node)] += jobs * request.large_nodes;
    parts[request_part(request, request.nodes - 1, gpus_per_node)] +=
        jobs * (request.nodes - request.large_nodes);
    demand->sharing_jobs += jobs;
    demand->widest = request.nodes > demand->widest ? request.nodes : demand->widest;
}

KindDemand kind_demand_find(const Cluster *cluster)
{
    KindDemand demand = {0};
    KindGaps gaps[NODE_KINDS_MAX];
    for (int32_t gpus = 0; gpus <= scaling_kind(cluster)->whole.gpus; gpus++)
        cluster->waiting_parts[gpus] = 0;
    for (int32_t k = 0; cluster->waiting.count > 0 && k < cluster->kind_count; k++)
        if (k != cluster->scaling_kind)
            gaps[k] = gaps_of(&cluster->kinds[k]);
    for (uint32_t i = 0; i < cluster->waiting.count && demand.whole_nodes < cluster->maximum_nodes;
         i++) {
        const WaitingGroup *group = &cluster->waiting.items[i];
        int64_t jobs = group->jobs;
        for (int32_t k = 0; k < cluster->kind_count && jobs > 0; k++)
            if (k != cluster->scaling_kind && request_allows(group->request, k))
                jobs -= place(&gaps[k], request_on(group->request, gaps[k].gpus_per_node), jobs);
        if (jobs > 0 && request_allows(group->request, cluster->scaling_kind))
            need(cluster, group->request, jobs, &demand);
    }
    return demand;
}
