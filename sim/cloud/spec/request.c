#include "sim/cloud/spec/request.h"

JobRequest request_of_gpus(int32_t gpus, int32_t gpus_per_node)
{
    int32_t nodes = 1;
    if (gpus_per_node > 0 && gpus > gpus_per_node)
        nodes = gpus / gpus_per_node + (gpus % gpus_per_node > 0);
    return (JobRequest){.kind = REQUEST_GPUS, .nodes = nodes, .gpus = gpus};
}

int32_t request_part(JobRequest request, int32_t index, int32_t gpus_per_node)
{
    if (request.kind == REQUEST_NODES)
        return gpus_per_node;
    if (request.kind == REQUEST_GPUS_PER_NODE || request.nodes == 1)
        return request.gpus;
    return index + 1 < request.nodes ? gpus_per_node
                                     : request.gpus - (request.nodes - 1) * gpus_per_node;
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

bool request_fits(JobRequest request, Room room)
{
    if (request.kind == REQUEST_NODES)
        return request.nodes <= room.idle_nodes;
    // The last node gives the remainder, all others equal parts of at least that size.
    const int32_t first = request_part(request, 0, room.gpus_per_node);
    const int32_t last = request_part(request, request.nodes - 1, room.gpus_per_node);
    return nodes_with(room, last) >= request.nodes && nodes_with(room, first) >= request.nodes - 1;
}

int64_t room_slots(Room room)
{
    int64_t slots = room.gpus_per_node == 0 ? room.idle_nodes : 0;
    for (int32_t free = 1; free <= room.gpus_per_node; free++)
        slots += (int64_t)free * room.places[free].count;
    return slots;
}
