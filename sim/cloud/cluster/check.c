#include "sim/cloud/cluster/check.h"

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/crew.h"
#include "sim/cloud/cluster/gpus.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/cluster/tables.h"

/* A node is what is free of it and the shares of its jobs. It is offered if it takes jobs. */
static void check_gpus(const Node *node, const Cluster *cluster)
{
    const NodeShare free = cluster->free[node->place];
    const NodeShare whole = cluster->kinds[node->kind].whole;
    int64_t gpus = node->free_gpus, cpus = free.cpus, memory_mib = free.memory_mib;
    invariant(gpus >= 0 && cpus >= 0 && memory_mib >= 0);
    for (int32_t i = 0; i < node->shared_count; i++) {
        const NodeShare share = node->shared[i].share;
        invariant(share.gpus >= 0 && share.cpus >= 0 && share.memory_mib >= 0);
        gpus += share.gpus;
        cpus += share.cpus;
        memory_mib += share.memory_mib;
    }
    if (node->job.index != ID_NONE)
        invariant(gpus == 0 && node->shared_count == 0);
    else
        invariant(gpus == whole.gpus && free.gpus == node->free_gpus);
    invariant(cpus == whole.cpus && memory_mib == whole.memory_mib);
    const bool takes_jobs =
        node->state == NODE_IDLE || (node->state == NODE_RUNNING && node->shared_count > 0 &&
                                     !node->is_retiring && node->drain == DRAIN_NONE);
    invariant(node->offered == (takes_jobs ? node->free_gpus : -1));
}

/* One cluster holds a node until its release. A silent or unusable node has a failure. */
static void check_node(const Clusters *clusters, const Node *node)
{
    invariant(node->allocated_ns <= clusters->engine->now_ns);
    invariant(node->state_since_ns >= node->allocated_ns &&
              node->state_since_ns <= clusters->engine->now_ns);
    invariant((node->state == NODE_STATE_COUNT) == (node->released_ns != INT64_MAX));
    invariant((node->state == NODE_RUNNING) == node_has_job(node));
    invariant(!node->is_retiring || node->state == NODE_RUNNING);
    invariant(!node->is_withdrawn);
    invariant(node->drain != DRAIN_BEGUN || node->state == NODE_UNUSABLE);
    invariant(node->drain != DRAIN_WAITS || node->state == NODE_UNUSABLE ||
              node->state == NODE_RUNNING);
    invariant(!node->is_in_setup || node->state == NODE_PREPARING);
    invariant(!node->is_silent || (node->state != NODE_LEAVING && node->state != NODE_UNUSABLE &&
                                   node->state != NODE_STATE_COUNT));
    if (node->is_silent || node->state == NODE_UNUSABLE)
        invariant(node->failure != NULL && node->failed_ns <= clusters->engine->now_ns);
    if (node->state == NODE_STATE_COUNT)
        return;
    const Cluster *cluster = cluster_by_id(clusters, node->cluster);
    invariant(node->place >= 0 && node->place < cluster->place_count);
    invariant(cluster->nodes[node->place].index == node->id.index);
    check_gpus(node, cluster);
}

/* Every place is in exactly one set: that of its node's state, or of the free places. The places of
 * nodes that take jobs are in one more set, by their free GPUs. */
static void check_places(const Clusters *clusters, const Cluster *cluster)
{
    int32_t capacity = cluster->node_capacity;
    invariant(cluster->place_count >= 0 && cluster->place_count <= capacity);
    invariant(cluster->place_count == 0 ||
              cluster->nodes[cluster->place_count - 1].index != ID_NONE);
    for (int32_t place = 0; place < capacity; place++) {
        NodeId id = cluster->nodes[place];
        NodeState state = NODE_STATE_COUNT;
        invariant(id.index == ID_NONE || place < cluster->place_count);
        if (id.index != ID_NONE) {
            state = node_by_id(clusters, id)->state;
            invariant(state != NODE_STATE_COUNT && node_by_id(clusters, id)->place == place);
        }
        for (int32_t s = 0; s <= NODE_STATE_COUNT; s++)
            invariant(place_set_has(&cluster->places[s], place) == (s == (int32_t)state));
        const int32_t offered = id.index != ID_NONE ? node_by_id(clusters, id)->offered : -1;
        const int32_t kind = id.index != ID_NONE ? node_by_id(clusters, id)->kind : KIND_NONE;
        invariant(kind == KIND_NONE || cluster->place_kinds[place] == kind);
        for (int32_t k = 0; k < cluster->kind_count; k++)
            for (int32_t free = 0; free <= cluster->kinds[k].whole.gpus; free++)
                invariant(place_set_has(&cluster->kinds[k].places_by_free[free], place) ==
                          (k == kind && free == offered));
    }
}

/* The five counts match the held nodes and add up to the current number of nodes. */
static void check_counts(const Clusters *clusters, const Cluster *cluster)
{
    int32_t count[NODE_STATE_COUNT] = {0};
    int32_t retiring = 0, sum = 0;
    for (int32_t place = 0; place < cluster->place_count; place++) {
        if (cluster->nodes[place].index == ID_NONE)
            continue;
        const Node *node = node_by_id(clusters, cluster->nodes[place]);
        invariant(node->cluster.index == cluster->id.index);
        invariant(node->number > 0 && node->number < cluster->next_node_number);
        retiring += node->is_retiring;
        count[node->state]++;
    }
    for (int32_t s = 0; s < NODE_STATE_COUNT; s++) {
        invariant(count[s] == cluster->node_count[s]);
        invariant(count[s] == cluster->places[s].count);
        sum += count[s];
    }
    invariant(sum == cluster->current_nodes);
    invariant(retiring == cluster->retiring_nodes);
}

/* The counts of kinds match the held nodes and add up to those of the cluster. */
static void check_kinds(const Clusters *clusters, const Cluster *cluster)
{
    int32_t current = 0, target = 0, asked = 0;
    for (int32_t k = 0; k < cluster->kind_count; k++) {
        const ClusterKind *kind = &cluster->kinds[k];
        int32_t held = 0, draining = 0, count[NODE_STATE_COUNT] = {0};
        for (int32_t place = 0; place < cluster->place_count; place++) {
            const NodeId id = cluster->nodes[place];
            const Node *node = id.index != ID_NONE ? node_by_id(clusters, id) : NULL;
            if (node == NULL || node->kind != k)
                continue;
            held++;
            draining += node->drain == DRAIN_WAITS && node->state == NODE_RUNNING;
            count[node->state]++;
        }
        for (int32_t s = 0; s < NODE_STATE_COUNT; s++)
            invariant(count[s] == kind->node_count[s]);
        invariant(kind->current_nodes == held && kind->target_nodes >= 0);
        invariant(kind->room.idle_nodes == count[NODE_IDLE]);
        invariant(kind->draining_nodes == draining);
        invariant(kind->room.unusable_nodes == count[NODE_UNUSABLE] + draining);
        invariant(kind->room.most_nodes ==
                  (cluster_kind_scales(cluster, k) ? cluster->maximum_nodes : kind->target_nodes));
        current += kind->current_nodes;
        target += kind->target_nodes;
        asked += kind->asked_nodes;
    }
    invariant(current == cluster->current_nodes && target == cluster->target_nodes);
    invariant(asked == cluster->asked_nodes);
    invariant(!cluster->is_automatic || cluster_counts_demand(cluster));
}

/* So many nodes have their turn in a rolling maintenance. */
static void check_maintenance(const Clusters *clusters, const Cluster *cluster)
{
    for (int32_t i = 0; i < cluster->spec->maintenance_count; i++) {
        int32_t in_turn = 0;
        for (int32_t place = 0; place < cluster->place_count; place++)
            if (cluster->nodes[place].index != ID_NONE)
                in_turn += node_by_id(clusters, cluster->nodes[place])->maintenance_after == i + 1;
        invariant(cluster->maintenance[i].in_turn == in_turn);
        invariant(in_turn <= cluster->spec->maintenance[i].nodes_at_once);
    }
}

/* A steady cluster has its target number of nodes, or an error. */
static void check_allocation(const Cluster *cluster)
{
    bool is_steady = cluster->allocation == ALLOCATION_STEADY;
    invariant(cluster->asked_nodes >= 0 && cluster->asked_nodes <= cluster->missing_nodes);
    invariant(cluster->asked_nodes == 0 || cluster->is_growing);
    invariant(!cluster->is_growing || !is_steady);
    invariant(!cluster->is_growing || cluster->node_count[NODE_LEAVING] == 0);
    invariant(!cluster->is_short_of_cores || cluster->error_code != NULL);
    invariant((cluster->error_code != NULL) == (cluster->error_message != NULL));
    invariant(!is_steady || cluster->first_steady_ns != INT64_MAX);
    if (!is_steady)
        return;
    invariant(cluster->node_count[NODE_LEAVING] == 0);
    invariant(cluster->retiring_nodes == 0);
    for (int32_t k = 0; k < cluster->kind_count; k++)
        invariant(cluster->kinds[k].current_nodes <= cluster->kinds[k].target_nodes);
    invariant(cluster->current_nodes == cluster->target_nodes || cluster->error_code != NULL);
}

static void check_cluster(const Clusters *clusters, const Cluster *cluster)
{
    invariant(cluster->created_ns <= clusters->engine->now_ns);
    invariant(cluster->target_nodes >= 0 &&
              cluster->target_nodes <= clusters->scenario->service.nodes_per_cluster_max);
    invariant(cluster->current_nodes <= clusters->scenario->service.nodes_per_cluster_max);
    // An evaluation that could change something is due.
    invariant(cluster->is_tick_due || !autoscale_could_act(clusters, cluster));
    switch (cluster->provisioning) {
    case PROVISIONING_CREATING:
    case PROVISIONING_SUCCEEDED:
    case PROVISIONING_FAILED:
        check_allocation(cluster);
        return;
    case PROVISIONING_DELETING:
        invariant(cluster->node_count[NODE_LEAVING] == cluster->current_nodes);
        invariant(cluster->asked_nodes == 0);
        return;
    case PROVISIONING_DELETED:
        invariant(cluster->current_nodes == 0);
        return;
    }
}

int64_t clusters_check(const Clusters *clusters)
{
    int32_t living = 0;
    int64_t contained = 0;
    for (uint32_t n = 0; (n = node_next(clusters, n)) < clusters->nodes.count; n++)
        check_node(clusters, node_by_id(clusters, (NodeId){n}));
    for (uint32_t c = 0; (c = cluster_next(clusters, c)) < clusters->rows.count; c++) {
        const Cluster *cluster = cluster_by_id(clusters, (ClusterId){c});
        check_counts(clusters, cluster);
        check_kinds(clusters, cluster);
        check_maintenance(clusters, cluster);
        check_places(clusters, cluster);
        check_cluster(clusters, cluster);
        living += cluster->provisioning != PROVISIONING_DELETED;
        contained += container_check(clusters->resources, cluster->path, cluster->provisioning);
    }
    invariant(living == clusters->living_count);
    quotas_check(clusters);
    crews_check(clusters);
    return contained;
}
