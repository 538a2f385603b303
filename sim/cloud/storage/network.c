/* Exchanges of jobs that share a wire: each rack has one to all others.
 *
 * A ring that goes round the nodes rack by rack leaves and enters each rack once, so a job's bytes
 * cross the uplink of every rack that it has nodes in, once each way; uplinks are full duplex. A
 * job inside one rack crosses none. */
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/storage/wires.h"
#include "sim/cloud/world_parts.h"
#include "sim/model/fairness.h"

/* The uplinks of one cluster's racks. */
typedef struct {
    uint32_t *link; /* [rack] */
    int32_t rack_count, capacity;
} Racks;

typedef struct Network Network;
struct Network {
    Wires *wires;
    Racks *racks; /* [cluster] */
    uint32_t cluster_capacity;
    uint32_t *ticket; /* [job]: of its flow, + 1; 0: none */
    uint32_t job_capacity;
    uint32_t *links; /* of the job that begins */
    int32_t link_capacity;
};

static int32_t rack_of(const World *world, const Job *job, int32_t node)
{
    return world_node(world, job->nodes[node])->place / world->scenario->network.nodes_per_rack;
}

bool network_is_shared(const World *world, const Job *job)
{
    if (world->scenario->network.nodes_per_rack == 0 || !job->nodes)
        return false;
    for (int32_t n = 1; n < job->spec->nodes; n++)
        if (rack_of(world, job, n) != rack_of(world, job, 0))
            return true;
    return false;
}

/* --- Rows --- */

static Network *network_of(World *world)
{
    if (!world->network) {
        world->network = ARENA_NEW(world->arena, Network);
        world->network->wires = wires_create(world->arena);
    }
    return world->network;
}

static uint32_t doubled_to(uint32_t capacity, uint32_t index)
{
    invariant(index <= UINT32_MAX / 4);
    capacity = capacity == 0 ? 16 : capacity;
    while (capacity <= index)
        capacity *= 2;
    return capacity;
}

static uint32_t *ticket_of(World *world, const Job *job)
{
    Network *network = network_of(world);
    uint32_t index = job->id.index;
    if (index >= network->job_capacity) {
        uint32_t capacity = doubled_to(network->job_capacity, index);
        uint32_t *tickets = ARENA_ARRAY(world->arena, uint32_t, capacity);
        if (network->job_capacity > 0)
            memcpy(tickets, network->ticket, network->job_capacity * sizeof *tickets);
        network->ticket = tickets;
        network->job_capacity = capacity;
    }
    return &network->ticket[index];
}

static Racks *racks_of(World *world, ClusterId cluster)
{
    Network *network = network_of(world);
    if (cluster.index >= network->cluster_capacity) {
        uint32_t capacity = doubled_to(network->cluster_capacity, cluster.index);
        Racks *racks = ARENA_ARRAY(world->arena, Racks, capacity);
        if (network->cluster_capacity > 0)
            memcpy(racks, network->racks, network->cluster_capacity * sizeof *racks);
        network->racks = racks;
        network->cluster_capacity = capacity;
    }
    return &network->racks[cluster.index];
}

/* The uplink of a rack; those up to it are laid when they are first asked for. */
static uint32_t uplink_of(World *world, ClusterId cluster, int32_t rack)
{
    Racks *racks = racks_of(world, cluster);
    if (rack >= racks->capacity) {
        int32_t capacity = (int32_t)doubled_to((uint32_t)racks->capacity, (uint32_t)rack);
        uint32_t *link = ARENA_ARRAY(world->arena, uint32_t, capacity);
        if (racks->rack_count > 0)
            memcpy(link, racks->link, (size_t)racks->rack_count * sizeof *link);
        racks->link = link;
        racks->capacity = capacity;
    }
    for (; racks->rack_count <= rack; racks->rack_count++)
        racks->link[racks->rack_count] =
            wires_add_link(world->network->wires, world->scenario->network.uplink_bytes_per_s);
    return racks->link[rack];
}

/* --- Exchanges --- */

static bool has_link(const uint32_t *links, int32_t count, uint32_t link)
{
    // Nodes come in the order of their places, so it is nearly always the last one.
    for (int32_t i = count; i-- > 0;)
        if (links[i] == link)
            return true;
    return false;
}

/* Fills network->links with the uplinks of the job's racks, each once; returns how many. */
static int32_t find_uplinks(World *world, const Job *job)
{
    Network *network = network_of(world);
    int32_t count = 0;
    if (job->spec->nodes > network->link_capacity) {
        network->link_capacity = job->spec->nodes;
        network->links = ARENA_ARRAY(world->arena, uint32_t, network->link_capacity);
    }
    for (int32_t n = 0; n < job->spec->nodes; n++) {
        uint32_t link = uplink_of(world, job->cluster, rack_of(world, job, n));
        if (!has_link(network->links, count, link))
            network->links[count++] = link;
    }
    return count;
}

/* Who begins or ends moves the ends of others: the event under way becomes stale. */
static void expect_next_end(World *world)
{
    int64_t end_ns = wires_next_end_ns(world->network->wires);
    world->network_generation++;
    if (end_ns != INT64_MAX)
        world_push(world, end_ns - world->now_ns, EVENT_NETWORK_NEXT_END, 0,
                   world->network_generation, 0);
}

void network_begin(World *world, Job *job, int64_t bytes, int64_t most_bytes_per_s)
{
    invariant(network_is_shared(world, job));
    invariant(most_bytes_per_s > 0);
    uint32_t *ticket = ticket_of(world, job);
    invariant(*ticket == 0);
    int32_t count = find_uplinks(world, job);
    *ticket = wires_begin(world->network->wires, job->id.index, bytes, most_bytes_per_s, count,
                          world->network->links, world->now_ns) +
              1;
    expect_next_end(world);
}

void network_end_came(World *world)
{
    Job *job = world_job_row(world, (JobId){wires_end_next(world->network->wires, world->now_ns)});
    *ticket_of(world, job) = 0;
    expect_next_end(world);
    train_job_exchanged(world, job);
}

void network_cancel(World *world, Job *job)
{
    if (!world->network || *ticket_of(world, job) == 0)
        return;
    wires_cancel(world->network->wires, *ticket_of(world, job) - 1, world->now_ns);
    *ticket_of(world, job) = 0;
    expect_next_end(world);
}

/* --- All at once --- */

/* What its own wires let through: the slowest hop of a ring between nodes. */
static int64_t own_bytes_per_s(const World *world, const Job *job)
{
    const VmSize *vm_size = world_cluster(world, job->cluster)->spec->vm_size;
    return mul_div(vm_size->network_bytes_per_s,
                   job->spec->program->exchange->network_efficiency_ppm, PPM);
}

typedef struct {
    Arena *arena;
    int32_t rack_count;
    FairLink *racks;
    int32_t flow_count;
    FairFlow *flows;
} Picture;

static void add_to_picture(const World *world, Picture *picture, const Job *job)
{
    int32_t *racks = ARENA_ARRAY(picture->arena, int32_t, job->spec->nodes);
    int32_t count = 0;
    for (int32_t n = 0; n < job->spec->nodes; n++) {
        int32_t rack = rack_of(world, job, n);
        bool is_known = false;
        for (int32_t i = count; i-- > 0 && !is_known;)
            is_known = racks[i] == rack;
        if (!is_known)
            racks[count++] = rack;
    }
    picture->flows[picture->flow_count++] = (FairFlow){
        .most_bytes_per_s = own_bytes_per_s(world, job), .link_count = count, .links = racks};
}

/* The jobs of `job`'s cluster that exchange across racks: itself first. Each is found at the first
 * of its nodes. */
static Picture picture_of(const World *world, const Job *job, Arena *arena)
{
    const NetworkTopology *topology = &world->scenario->network;
    const Cluster *cluster = world_cluster(world, job->cluster);
    int32_t racks = cluster->place_count / topology->nodes_per_rack + 1;
    Picture picture = {.arena = arena,
                       .rack_count = racks,
                       .racks = ARENA_ARRAY(arena, FairLink, racks),
                       .flows = ARENA_ARRAY(arena, FairFlow, cluster->place_count + 1)};
    for (int32_t r = 0; r < racks; r++)
        picture.racks[r].bytes_per_s = topology->uplink_bytes_per_s;
    add_to_picture(world, &picture, job);
    for (int32_t place = 0; place < cluster->place_count; place++) {
        NodeId id = cluster->nodes[place];
        if (id.index == ID_NONE || world_node(world, id)->job.index == ID_NONE)
            continue;
        const Job *other = world_job(world, world_node(world, id)->job);
        if (other != job && other->nodes[0].index == id.index && job_is_training(other) &&
            network_is_shared(world, other))
            add_to_picture(world, &picture, other);
    }
    return picture;
}

int64_t network_rate_bytes_per_s(const World *world, const Job *job)
{
    invariant(network_is_shared(world, job));
    Arena *arena = arena_create();
    Picture picture = picture_of(world, job, arena);
    int64_t *rates = ARENA_ARRAY(arena, int64_t, picture.flow_count);
    fair_rates(picture.rack_count, picture.racks, picture.flow_count, picture.flows, rates);
    int64_t rate = rates[0];
    arena_destroy(arena);
    return rate;
}

/* No uplink carries more than it can; who exchanges runs, across racks. */
void network_check(const World *world)
{
    const Network *network = world->network;
    int32_t exchanging = 0;
    if (!network)
        return;
    for (uint32_t j = 0; j < network->job_capacity; j++) {
        if (network->ticket[j] == 0)
            continue;
        const Job *job = world_job(world, (JobId){j});
        invariant(job_is_training(job));
        invariant(network_is_shared(world, job));
        exchanging++;
    }
    invariant(exchanging == wires_active(network->wires));
    for (uint32_t c = 0; c < network->cluster_capacity; c++)
        for (int32_t r = 0; r < network->racks[c].rack_count; r++)
            invariant(wires_link_load(network->wires, network->racks[c].link[r]) <=
                      world->scenario->network.uplink_bytes_per_s);
}
