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
    JobRequest request = fill_nodes(gpus, is_limited ? shape.gpus_per_node_max : gpus_per_node);
    if (shape.nodes > 0)
        request = divide_evenly(gpus, shape.nodes > request.nodes ? shape.nodes : request.nodes);
    request.shape = shape;
    return request;
}

JobRequest request_on(JobRequest request, int32_t gpus_per_node)
{
    if (request.kind != REQUEST_GPUS)
        return request;
    JobRequest other = request_of_shape(request.gpus, request.shape, gpus_per_node);
    other.kinds = request.kinds;
    other.cpus = request.cpus;
    other.memory_mib = request.memory_mib;
    return other;
}

int32_t request_kind(JobRequest request)
{
    int32_t kind = 0;
    while (!request_allows(request, kind))
        kind++;
    return kind;
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

/* total * part / whole, rounded up. */
static int32_t proportion_up(int32_t total, int64_t part, int64_t whole)
{
    return (int32_t)((total * part + whole - 1) / whole);
}

NodeShare request_share(JobRequest request, int32_t index, int32_t gpus_per_node)
{
    NodeShare share = {.gpus = request_part(request, index, gpus_per_node)};
    if (request.cpus == 0 && request.memory_mib == 0)
        return share;
    const int64_t gpus = request_gpus(request, gpus_per_node);
    const int64_t part = gpus > 0 ? share.gpus : 1, whole = gpus > 0 ? gpus : request.nodes;
    share.cpus = proportion_up(request.cpus, part, whole);
    share.memory_mib = proportion_up(request.memory_mib, part, whole);
    return share;
}

bool request_is_possible(JobRequest request, int32_t nodes, NodeShare whole)
{
    if (request.nodes > nodes)
        return false;
    return request.kind == REQUEST_NODES ||
           share_fits(request_share(request, 0, whole.gpus), whole);
}

int32_t room_place(const Room *kind, int32_t free, NodeShare need, int32_t from)
{
    const PlaceSet *places = &kind->places[free];
    if (places->count == 0)
        return -1;
    int32_t place = place_set_up(places, from);
    if ((need.cpus == 0 && need.memory_mib == 0) || kind->free == NULL)
        return place;
    while (place >= 0 && !share_fits(need, kind->free[place]))
        place = place_set_up(places, place + 1);
    return place;
}

/* The number of nodes that can give `need`; `enough` of them are not counted further. */
static int32_t nodes_with(const Room *kind, NodeShare need, int32_t enough)
{
    const bool counts_gpus = (need.cpus == 0 && need.memory_mib == 0) || kind->free == NULL;
    int32_t nodes = 0;
    for (int32_t free = need.gpus; free <= kind->gpus_per_node && nodes < enough; free++) {
        if (counts_gpus) {
            nodes += kind->places[free].count;
            continue;
        }
        for (int32_t place = room_place(kind, free, need, 0); place >= 0 && nodes < enough;
             place = room_place(kind, free, need, place + 1))
            nodes++;
    }
    return nodes;
}

/* Whether the limit lets the job start on nodes of the kind. */
static bool is_within_on(const JobRequest *request, const SlotLimit *limit, const Room *kind)
{
    return !limit->is_set || request_slots_on(*request, kind) <= limit->left;
}

/* Whether the limit lets the job start now. */
static bool is_within(const JobRequest *request, const SlotLimit *limit, const Room *room)
{
    for (const Room *kind = room; kind != NULL; kind = kind->next)
        if (request_allows(*request, kind->kind) && is_within_on(request, limit, kind))
            return true;
    return false;
}

Shortage request_shortage(const JobRequest *request, const SlotLimit *limit, const Room *room)
{
    JobRequest with_cpus = *request, gpus_alone = *request;
    with_cpus.memory_mib = gpus_alone.memory_mib = gpus_alone.cpus = 0;
    if (!is_within(request, limit, room))
        return SHORT_OF_LIMIT;
    if (!request_fits(&gpus_alone, limit, room))
        return SHORT_OF_GPUS;
    return request_fits(&with_cpus, limit, room) ? SHORT_OF_MEMORY : SHORT_OF_CORES;
}

/* The same for a job that shares nodes, apart from the limit. */
static bool parts_fit(JobRequest request, const Room *kind)
{
    if (request.kinds != 0)
        request = request_on(request, kind->gpus_per_node);
    // A node that can give the first share can give the last one.
    const NodeShare first = request_share(request, 0, kind->gpus_per_node);
    const NodeShare last = request_share(request, request.nodes - 1, kind->gpus_per_node);
    return nodes_with(kind, last, request.nodes) >= request.nodes &&
           nodes_with(kind, first, request.large_nodes) >= request.large_nodes;
}

bool request_fits_on(const JobRequest *request, const SlotLimit *limit, const Room *kind)
{
    if (!request_allows(*request, kind->kind) || !is_within_on(request, limit, kind))
        return false;
    return request->kind == REQUEST_NODES ? request->nodes <= kind->idle_nodes
                                          : parts_fit(*request, kind);
}

bool request_fits(const JobRequest *request, const SlotLimit *limit, const Room *room)
{
    for (const Room *kind = room; kind != NULL; kind = kind->next)
        if (request_fits_on(request, limit, kind))
            return true;
    return false;
}

bool request_may_start_on(const JobRequest *request, const SlotLimit *limit, const Room *kind)
{
    const int32_t most = kind->idle_nodes > kind->most_nodes ? kind->idle_nodes : kind->most_nodes;
    if (!request_allows(*request, kind->kind))
        return false;
    const JobRequest on =
        request->kinds != 0 ? request_on(*request, kind->gpus_per_node) : *request;
    return request_is_possible(on, most, room_whole(kind)) &&
           (!limit->is_set || request_slots_on(on, kind) <= limit->most);
}

bool request_may_start(const JobRequest *request, const SlotLimit *limit, const Room *room)
{
    for (const Room *kind = room; kind != NULL; kind = kind->next)
        if (request_may_start_on(request, limit, kind))
            return true;
    return false;
}

int64_t request_least_slots(JobRequest request, const Room *room)
{
    int64_t least = INT64_MAX;
    for (const Room *kind = room; kind != NULL; kind = kind->next) {
        const int64_t slots = request_slots_on(request, kind);
        if (request_allows(request, kind->kind) && slots < least)
            least = slots;
    }
    return least;
}

int64_t room_slots_of_kind(const Room *kind)
{
    int64_t slots = kind->gpus_per_node == 0 ? kind->idle_nodes : 0;
    for (int32_t free = 1; free <= kind->gpus_per_node; free++)
        slots += (int64_t)free * kind->places[free].count;
    return slots;
}

int64_t room_slots_of_nodes(const Room *kind, int32_t nodes)
{
    const JobRequest all = {.kind = REQUEST_NODES, .nodes = nodes};
    return request_slots_on(all, kind);
}
