#include "sim/cloud/cluster/freed_room.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"

static void copy_kind(Arena *arena, const ClusterKind *kind, FreedRoom *room)
{
    const int32_t k = kind->room.kind, gpus = kind->whole.gpus;
    if (room->places[k] == NULL)
        room->places[k] = ARENA_ARRAY(arena, PlaceSet, 1 + (int64_t)gpus);
    for (int32_t free = 0; free <= gpus; free++)
        place_set_copy(arena, &room->places[k][free], &kind->places_by_free[free]);
    room->rooms[k] = kind->room;
    room->rooms[k].places = room->places[k];
    room->rooms[k].free = room->free;
    if (kind->room.next != NULL)
        room->rooms[k].next = &room->rooms[k + 1];
}

void freed_room_begin(Arena *arena, const Clusters *clusters, const Cluster *cluster,
                      FreedRoom *room)
{
    const uint32_t places = (uint32_t)cluster->node_capacity;
    room->cluster = cluster->id;
    room->free = array_room(arena, room->free, places, &room->free_capacity, sizeof *room->free);
    room->jobs = array_room(arena, room->jobs, places, &room->job_capacity, sizeof *room->jobs);
    if (places > 0)
        memcpy(room->free, cluster->free, places * sizeof *room->free);
    for (int32_t place = 0; place < cluster->place_count; place++) {
        const NodeId node = cluster->nodes[place];
        room->jobs[place] = node.index != ID_NONE ? node_job_count(node_by_id(clusters, node)) : 0;
    }
    for (int32_t k = 0; k < cluster->kind_count; k++)
        copy_kind(arena, &cluster->kinds[k], room);
}

const Room *freed_room(const FreedRoom *room)
{
    return &room->rooms[0];
}

/* Whether a job has the whole node, which then takes no other job. */
static bool is_whole(const FreedRoom *room, const Node *node)
{
    return node->job.index != ID_NONE && room->jobs[node->place] > 0;
}

/* Adds the node to the set for its free GPUs, or removes it. A node that leaves when its last job
 * ends takes no job, and neither does a drained one. */
static void offer(FreedRoom *room, const Node *node, bool is_offered)
{
    PlaceSet *sets = room->places[node->kind];
    if (node->is_retiring || node->drain != DRAIN_NONE || is_whole(room, node))
        return;
    PlaceSet *set = &sets[room->free[node->place].gpus];
    if (is_offered)
        place_set_add(set, node->place);
    else
        place_set_remove(set, node->place);
    if (room->jobs[node->place] == 0)
        room->rooms[node->kind].idle_nodes += is_offered ? 1 : -1;
}

/* The job gives (sign 1) its part of its `index`-th node back, or takes it (sign -1). A node that
 * it has as a whole counts as free in Cluster.free. */
static void change(FreedRoom *room, const Node *node, JobRequest request, int32_t index,
                   int32_t sign)
{
    const int32_t gpus_per_node = room->rooms[node->kind].gpus_per_node;
    offer(room, node, false);
    room->jobs[node->place] -= sign;
    if (request.kind != REQUEST_NODES) {
        const NodeShare share = request_share(request, index, gpus_per_node);
        NodeShare *free = &room->free[node->place];
        free->gpus += sign * share.gpus;
        free->cpus += sign * share.cpus;
        free->memory_mib += sign * share.memory_mib;
    }
    offer(room, node, true);
}

static void change_all(const Clusters *clusters, FreedRoom *room, JobRequest request,
                       const NodeId *nodes, int32_t sign)
{
    for (int32_t i = 0; i < request.nodes; i++) {
        const Node *node = node_by_id(clusters, nodes[i]);
        invariant(node->state == NODE_RUNNING && node->cluster.index == room->cluster.index);
        change(room, node, request, i, sign);
    }
}

void freed_room_give(const Clusters *clusters, FreedRoom *room, JobRequest request,
                     const NodeId *nodes)
{
    change_all(clusters, room, request, nodes, 1);
}

void freed_room_take(const Clusters *clusters, FreedRoom *room, JobRequest request,
                     const NodeId *nodes)
{
    change_all(clusters, room, request, nodes, -1);
}
