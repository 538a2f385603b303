/* Private to sim/cloud/cluster: the nodes and GPUs that jobs take and give back (node.h). */

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/drain.h"
#include "sim/cloud/cluster/gpus.h"
#include "sim/cloud/cluster/node.h"
#include "sim/cloud/cluster/placement.h"
#include "sim/cloud/cluster/tables.h"

/* The lowest place from `from` on of an idle node of the kind, which must exist. */
static int32_t idle_place(const Cluster *cluster, int32_t kind, int32_t from)
{
    const PlaceSet *idle = &cluster->places[NODE_IDLE];
    int32_t place = place_set_up(idle, from);
    while (cluster->place_kinds[place] != kind)
        place = place_set_up(idle, place + 1);
    return place;
}

static void take_whole_nodes(Clusters *clusters, Cluster *cluster, JobId job, JobRequest request,
                             NodeId *taken)
{
    const int32_t kind = request_kind(request);
    for (int32_t found = 0, place = 0; found < request.nodes; found++) {
        place = idle_place(cluster, kind, place);
        Node *node = cluster_node_at(clusters, cluster, place);
        node_give(node, job);
        node_set_state(clusters, cluster, node, NODE_RUNNING, CAUSE_NONE);
        taken[found] = node->id;
    }
}

/* The part of a job for its `index`-th node. */
static PlacementPart part_of(JobRequest request, int32_t index, int32_t gpus_per_node)
{
    const NodeShare need = request_share(request, index, gpus_per_node);
    return (PlacementPart){.need = need,
                           .is_remainder = request.large_nodes > 0 &&
                                           request.large_gpus == gpus_per_node &&
                                           need.gpus < gpus_per_node};
}

/* Chooses the nodes of a job; no node is chosen twice. */
static void choose_nodes(Clusters *clusters, Cluster *cluster, JobRequest request, NodeId *chosen)
{
    const Placement *policy = placement_of(clusters->scenario->placement);
    const Room *room = &cluster_kind_of(cluster, request)->room;
    for (int32_t i = 0; i < request.nodes; i++) {
        const PlacementPart part = part_of(request, i, room->gpus_per_node);
        Node *node = cluster_node_at(clusters, cluster, policy->choose(room, part));
        node_withhold(cluster, node);
        chosen[i] = node->id;
    }
}

int32_t cluster_choose_kind(const Clusters *clusters, const Cluster *cluster, JobRequest request,
                            SlotLimit limit)
{
    if (cluster->kind_count == 1)
        return 0;
    PlacementChoice best = {.place = -1};
    int32_t chosen = KIND_NONE;
    for (const Room *kind = cluster_room(cluster); kind != NULL; kind = kind->next) {
        if (!request_fits_on(&request, &limit, kind))
            continue;
        const JobRequest on = request_on(request, kind->gpus_per_node);
        const PlacementChoice choice =
            on.kind == REQUEST_NODES
                ? (PlacementChoice){.place = idle_place(cluster, kind->kind, 0)}
                : placement_choice(clusters->scenario->placement, kind,
                                   part_of(on, 0, kind->gpus_per_node));
        if (best.place < 0 || placement_is_before(choice, best)) {
            best = choice;
            chosen = kind->kind;
        }
    }
    invariant(chosen != KIND_NONE);
    return chosen;
}

static void emit_placed(Clusters *clusters, const Node *node, NodeJob placed, int32_t gpus_per_node)
{
    TraceRecord *record = node_trace(clusters, TRACE_JOB_PLACED, node);
    record->job = placed.job;
    record->job_placed.gpus = placed.share.gpus;
    record->job_placed.gpus_per_node = gpus_per_node;
    recorder_emit(clusters->recorder);
}

static void take_gpus(Clusters *clusters, Cluster *cluster, JobId job, JobRequest request,
                      NodeId *taken)
{
    const int32_t gpus_per_node = cluster_kind_of(cluster, request)->whole.gpus;
    choose_nodes(clusters, cluster, request, taken);
    for (int32_t i = 0; i < request.nodes; i++) {
        Node *node = node_row(clusters, taken[i]);
        const NodeJob share = {.job = job, .share = request_share(request, i, gpus_per_node)};
        node_share(clusters, cluster, node, share);
        if (node->state == NODE_IDLE)
            node_set_state(clusters, cluster, node, NODE_RUNNING, CAUSE_NONE);
        else
            node_offer(cluster, node);
        emit_placed(clusters, node, share, gpus_per_node);
    }
}

void cluster_take(Clusters *clusters, Cluster *cluster, JobId job, JobRequest request,
                  NodeId *taken)
{
    invariant(request_fits_on(&request, &(SlotLimit){0}, &cluster_kind_of(cluster, request)->room));
    if (request.kind == REQUEST_NODES)
        take_whole_nodes(clusters, cluster, job, request, taken);
    else
        take_gpus(clusters, cluster, job, request, taken);
}

void cluster_node_freed(Clusters *clusters, Node *node, JobId job)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    invariant(node->state == NODE_RUNNING);
    node_take_back(cluster, node, job);
    if (node->is_withdrawn ||
        (node->shared_count == 0 && (node_leaves_instead(clusters, cluster, node) ||
                                     drain_begins_work(clusters, cluster, node))))
        return;
    if (node->shared_count == 0)
        node_set_state(clusters, cluster, node, NODE_IDLE, CAUSE_NONE);
    autoscale_update(clusters, cluster);
}

bool node_has_image(const Node *node, const ContainerImage *image)
{
    for (const CachedImage *cached = node->images; cached; cached = cached->next)
        if (strcmp(cached->image->name, image->name) == 0)
            return true;
    return false;
}

void node_keep_image(Clusters *clusters, Node *node, const ContainerImage *image)
{
    CachedImage *cached = ARENA_NEW(clusters->arena, CachedImage);
    *cached = (CachedImage){.image = image, .next = node->images};
    node->images = cached;
}
