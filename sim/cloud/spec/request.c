#include "sim/cloud/spec/request.h"

/* Nodes of `most` GPUs until the last one. */
static JobRequest fill_nodes(int32_t gpus, int32_t most)
{
    const int32_t full = most > 0 && gpus > most ? (gpus - 1) / most : 0;
    return (JobRequest){.kind = REQUEST_GPUS,
                        .nodes = full + 1,
                        .gpus = gpus,
                        .large_nodes = full,
                        .large_gpus = full > 0 ? most : 0};
}

static JobRequest divide_evenly(int32_t gpus, int32_t nodes)
{
    return (JobRequest){.kind = REQUEST_GPUS,
                        .nodes = nodes,
                        .gpus = gpus,
                        .large_nodes = gpus % nodes,
                        .large_gpus = gpus % nodes > 0 ? gpus / nodes + 1 : 0};
}

JobRequest request_of_gpus(int32_t gpus, int32_t gpus_per_node)
{
    return fill_nodes(gpus, gpus_per_node);
}

JobRequest request_of_shape(int32_t gpus, RequestShape shape, int32_t gpus_per_node)
{
    const bool is_limited = shape.gpus_per_node_max > 0 && shape.gpus_per_node_max < gpus_per_node;
    const JobRequest filled =
        fill_nodes(gpus, is_limited ? shape.gpus_per_node_max : gpus_per_node);
    if (shape.nodes == 0)
        return filled;
    return divide_evenly(gpus, shape.nodes > filled.nodes ? shape.nodes : filled.nodes);
}

int32_t request_part(JobRequest request, int32_t index, int32_t gpus_per_node)
{
    if (request.kind == REQUEST_NODES)
        return gpus_per_node;
    if (request.kind == REQUEST_GPUS_PER_NODE)
        return request.gpus;
    if (index < request.large_nodes)
        return request.large_gpus;
    return (request.gpus - request.large_nodes * request.large_gpus) /
           (request.nodes - request.large_nodes);
}

int64_t request_gpus(JobRequest request, int32_t gpus_per_node)
{
    if (request.kind == REQUEST_GPUS)
        return request.gpus;
    return (int64_t)request.nodes * request_part(request, 0, gpus_per_node);
}

int64_t request_slots(JobRequest request, int32_t gpus_per_node)
{
    return request.kind == REQUEST_NODES && gpus_per_node == 0
               ? request.nodes
               : request_gpus(request, gpus_per_node);
}

bool request_is_possible(JobRequest request, int32_t nodes, int32_t gpus_per_node)
{
    return request.nodes <= nodes && request_part(request, 0, gpus_per_node) <= gpus_per_node;
}

/* The number of nodes with at least `gpus` free GPUs. */
static int32_t nodes_with(Room room, int32_t gpus)
{
    int32_t nodes = 0;
    for (int32_t free = gpus; free <= room.gpus_per_node; free++)
        nodes += room.places[free].count;
    return nodes;
}

bool request_is_within(JobRequest request, Room room)
{
    return !room.limit.is_set || request_slots(request, room.gpus_per_node) <= room.limit.left;
}

bool request_fits(JobRequest request, Room room)
{
    if (!request_is_within(request, room))
        return false;
    if (request.kind == REQUEST_NODES)
        return request.nodes <= room.idle_nodes;
    const int32_t first = request_part(request, 0, room.gpus_per_node);
    const int32_t last = request_part(request, request.nodes - 1, room.gpus_per_node);
    return nodes_with(room, last) >= request.nodes &&
           nodes_with(room, first) >= request.large_nodes;
}

int64_t room_slots(Room room)
{
    int64_t slots = room.gpus_per_node == 0 ? room.idle_nodes : 0;
    for (int32_t free = 1; free <= room.gpus_per_node; free++)
        slots += (int64_t)free * room.places[free].count;
    return room.limit.is_set && slots > room.limit.left ? room.limit.left : slots;
}
