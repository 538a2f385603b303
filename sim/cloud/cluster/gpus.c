#include "sim/cloud/cluster/gpus.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/cluster/tables.h"

int32_t cluster_gpus_per_node(const Cluster *cluster)
{
    return cluster->kinds[0].whole.gpus;
}

const Room *cluster_room(const Cluster *cluster)
{
    return &cluster->kinds[0].room;
}

const ClusterKind *cluster_kind_of(const Cluster *cluster, JobRequest request)
{
    return &cluster->kinds[request_kind(request)];
}

const ClusterKind *cluster_kind_of_node(const Cluster *cluster, const Node *node)
{
    return &cluster->kinds[node->kind];
}

int32_t cluster_find_kind(const Cluster *cluster, const char *name)
{
    for (int32_t k = 0; k < cluster->kind_count; k++)
        if (ascii_same(cluster->kinds[k].spec.name, name))
            return k;
    return KIND_NONE;
}

/* --- Sets of nodes --- */

static void create_kind(Clusters *clusters, Cluster *cluster, int32_t index)
{
    ClusterKind *kind = &cluster->kinds[index];
    kind->spec = cluster_spec_kind(cluster->spec, index);
    kind->whole = vm_size_share(kind->spec.vm_size);
    quota_note_kind(clusters, kind);
    kind->places_by_free = ARENA_ARRAY(clusters->arena, PlaceSet, 1 + (int64_t)kind->whole.gpus);
    kind->gaps = ARENA_ARRAY(clusters->arena, int64_t, 2 * (1 + (int64_t)kind->whole.gpus));
    kind->room = (Room){.kind = index,
                        .gpus_per_node = kind->whole.gpus,
                        .cpus_per_node = kind->whole.cpus,
                        .memory_mib_per_node = kind->whole.memory_mib,
                        .speed_ppm = kind->spec.speed_ppm,
                        .places = kind->places_by_free,
                        .next = index + 1 < cluster->kind_count ? &kind[1].room : NULL};
}

void gpus_create(Clusters *clusters, Cluster *cluster)
{
    cluster->kind_count = cluster_spec_kind_count(cluster->spec);
    cluster->kinds = ARENA_ARRAY(clusters->arena, ClusterKind, cluster->kind_count);
    for (int32_t k = 0; k < cluster->kind_count; k++)
        create_kind(clusters, cluster, k);
    cluster->scaling_kind = cluster->spec->scaling_kind;
    cluster->waiting_parts = ARENA_ARRAY(
        clusters->arena, int64_t, 1 + (int64_t)cluster->kinds[cluster->scaling_kind].whole.gpus);
}

void gpus_reserve(Clusters *clusters, Cluster *cluster, int32_t capacity)
{
    NodeShare *free = ARENA_ARRAY(clusters->arena, NodeShare, capacity);
    if (cluster->node_capacity > 0)
        memcpy(free, cluster->free, (size_t)cluster->node_capacity * sizeof *free);
    cluster->free = free;
    for (int32_t k = 0; k < cluster->kind_count; k++) {
        ClusterKind *kind = &cluster->kinds[k];
        for (int32_t gpus = 0; gpus <= kind->whole.gpus; gpus++)
            place_set_reserve(clusters->arena, &kind->places_by_free[gpus], capacity);
        kind->room.free = free;
    }
}

void node_set_free(const Cluster *cluster, Node *node)
{
    const NodeShare whole = cluster->kinds[node->kind].whole;
    node->free_gpus = whole.gpus;
    cluster->free[node->place] = whole;
}

bool node_has_job(const Node *node)
{
    return node_job_count(node) > 0;
}

static bool takes_jobs(const Node *node)
{
    return node->state == NODE_IDLE || (node->state == NODE_RUNNING && node->job.index == ID_NONE &&
                                        !node->is_retiring && node->drain == DRAIN_NONE);
}

void node_withhold(Cluster *cluster, Node *node)
{
    place_set_remove(&cluster->kinds[node->kind].places_by_free[node->offered], node->place);
    node->offered = -1;
}

void node_offer(Cluster *cluster, Node *node)
{
    const int32_t belongs = takes_jobs(node) ? node->free_gpus : -1;
    if (belongs == node->offered)
        return;
    if (node->offered >= 0)
        node_withhold(cluster, node);
    if (belongs >= 0)
        place_set_add(&cluster->kinds[node->kind].places_by_free[belongs], node->place);
    node->offered = belongs;
}

/* --- Jobs on a node --- */

void node_give(Node *node, JobId job)
{
    invariant(!node_has_job(node));
    node->job = job;
    node->free_gpus = 0;
}

static void reserve_job(Clusters *clusters, Node *node)
{
    enum { JOBS_AT_FIRST = 4 };
    if (node->shared_count < node->shared_capacity)
        return;
    const int32_t capacity = node->shared_capacity > 0 ? 2 * node->shared_capacity : JOBS_AT_FIRST;
    NodeJob *jobs = ARENA_ARRAY(clusters->arena, NodeJob, capacity);
    if (node->shared_count > 0)
        memcpy(jobs, node->shared, (size_t)node->shared_count * sizeof *jobs);
    node->shared = jobs;
    node->shared_capacity = capacity;
}

void node_share(Clusters *clusters, Cluster *cluster, Node *node, NodeJob job)
{
    NodeShare *free = &cluster->free[node->place];
    invariant(node->job.index == ID_NONE && share_fits(job.share, *free));
    reserve_job(clusters, node);
    cluster->kinds[node->kind].shared_nodes += node->shared_count == 0;
    node->shared[node->shared_count++] = job;
    free->gpus -= job.share.gpus;
    free->cpus -= job.share.cpus;
    free->memory_mib -= job.share.memory_mib;
    node->free_gpus = free->gpus;
}

void node_take_back(Cluster *cluster, Node *node, JobId job)
{
    if (node->job.index != ID_NONE) {
        invariant(node->job.index == job.index);
        return; // it keeps the node until the node's next state, whose record names the job
    }
    int32_t i = 0;
    while (i < node->shared_count && node->shared[i].job.index != job.index)
        i++;
    invariant(i < node->shared_count);
    const NodeShare back = node->shared[i].share;
    NodeShare *free = &cluster->free[node->place];
    free->gpus += back.gpus;
    free->cpus += back.cpus;
    free->memory_mib += back.memory_mib;
    node->free_gpus = free->gpus;
    node->shared_count--;
    cluster->kinds[node->kind].shared_nodes -= node->shared_count == 0;
    memmove(&node->shared[i], &node->shared[i + 1],
            (size_t)(node->shared_count - i) * sizeof *node->shared);
    node_offer(cluster, node);
}
