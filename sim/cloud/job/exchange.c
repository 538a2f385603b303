#include "sim/cloud/job/exchange.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/job/epochs.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/network/wires.h"
#include "sim/model/fairness.h"

/* The uplinks of one cluster's racks. */
typedef struct {
    uint32_t *link; /* [rack] */
    int32_t rack_count, capacity;
} Racks;

typedef struct Exchanges Exchanges;
struct Exchanges {
    Wires *wires;
    uint32_t generation; /* grows when the next end moves */
    Racks *racks;        /* [cluster] */
    uint32_t cluster_capacity;
    uint32_t *ticket; /* [job]: the ticket of its flow, + 1; 0: no flow */
    uint32_t job_capacity;
    uint32_t *links; /* the uplinks that find_uplinks found */
    int32_t link_capacity;
};

static int32_t rack_of(const Jobs *jobs, const Job *job, int32_t node)
{
    return node_by_id(jobs->clusters, job->nodes[node])->place /
           jobs->scenario->network.nodes_per_rack;
}

bool exchange_is_shared(const Jobs *jobs, const Job *job)
{
    if (jobs->scenario->network.nodes_per_rack == 0 || !job->nodes)
        return false;
    for (int32_t n = 1; n < job->request.nodes; n++)
        if (rack_of(jobs, job, n) != rack_of(jobs, job, 0))
            return true;
    return false;
}

/* --- Rows --- */

static Exchanges *exchanges_of(Jobs *jobs)
{
    if (!jobs->exchanges) {
        jobs->exchanges = ARENA_NEW(jobs->arena, Exchanges);
        jobs->exchanges->wires = wires_create(jobs->arena);
    }
    return jobs->exchanges;
}

static uint32_t doubled_to(uint32_t capacity, uint32_t index)
{
    invariant(index <= UINT32_MAX / 4);
    capacity = capacity == 0 ? 16 : capacity;
    while (capacity <= index)
        capacity *= 2;
    return capacity;
}

static uint32_t *ticket_of(Jobs *jobs, const Job *job)
{
    Exchanges *exchanges = exchanges_of(jobs);
    uint32_t index = job->id.index;
    if (index >= exchanges->job_capacity) {
        uint32_t capacity = doubled_to(exchanges->job_capacity, index);
        uint32_t *tickets = ARENA_ARRAY(jobs->arena, uint32_t, capacity);
        if (exchanges->job_capacity > 0)
            memcpy(tickets, exchanges->ticket, exchanges->job_capacity * sizeof *tickets);
        exchanges->ticket = tickets;
        exchanges->job_capacity = capacity;
    }
    return &exchanges->ticket[index];
}

static Racks *racks_of(Jobs *jobs, ClusterId cluster)
{
    Exchanges *exchanges = exchanges_of(jobs);
    if (cluster.index >= exchanges->cluster_capacity) {
        uint32_t capacity = doubled_to(exchanges->cluster_capacity, cluster.index);
        Racks *racks = ARENA_ARRAY(jobs->arena, Racks, capacity);
        if (exchanges->cluster_capacity > 0)
            memcpy(racks, exchanges->racks, exchanges->cluster_capacity * sizeof *racks);
        exchanges->racks = racks;
        exchanges->cluster_capacity = capacity;
    }
    return &exchanges->racks[cluster.index];
}

/* The uplink of a rack. Creates the uplinks of this rack and all lower ones if necessary. */
static uint32_t uplink_of(Jobs *jobs, ClusterId cluster, int32_t rack)
{
    Racks *racks = racks_of(jobs, cluster);
    if (rack >= racks->capacity) {
        int32_t capacity = (int32_t)doubled_to((uint32_t)racks->capacity, (uint32_t)rack);
        uint32_t *link = ARENA_ARRAY(jobs->arena, uint32_t, capacity);
        if (racks->rack_count > 0)
            memcpy(link, racks->link, (size_t)racks->rack_count * sizeof *link);
        racks->link = link;
        racks->capacity = capacity;
    }
    for (; racks->rack_count <= rack; racks->rack_count++)
        racks->link[racks->rack_count] =
            wires_add_link(jobs->exchanges->wires, jobs->scenario->network.uplink_bytes_per_s);
    return racks->link[rack];
}

/* --- Exchanges --- */

static bool has_link(const uint32_t *links, int32_t count, uint32_t link)
{
    // A job's nodes are in the order of their places, so the match is usually the last link.
    for (int32_t i = count; i-- > 0;)
        if (links[i] == link)
            return true;
    return false;
}

/* Fills exchanges->links with the uplinks of the job's racks, each once; returns how many. */
static int32_t find_uplinks(Jobs *jobs, const Job *job)
{
    Exchanges *exchanges = exchanges_of(jobs);
    int32_t count = 0;
    if (job->request.nodes > exchanges->link_capacity) {
        exchanges->link_capacity = job->request.nodes;
        exchanges->links = ARENA_ARRAY(jobs->arena, uint32_t, exchanges->link_capacity);
    }
    for (int32_t n = 0; n < job->request.nodes; n++) {
        uint32_t link = uplink_of(jobs, job->cluster, rack_of(jobs, job, n));
        if (!has_link(exchanges->links, count, link))
            exchanges->links[count++] = link;
    }
    return count;
}

/* Pushes the next end of a flow; the earlier event for it becomes stale. */
static void expect_next_end(Jobs *jobs)
{
    int64_t end_ns = wires_next_end_ns(jobs->exchanges->wires);
    jobs->exchanges->generation++;
    if (end_ns != INT64_MAX)
        engine_push(jobs->engine, end_ns - jobs->engine->now_ns, EVENT_NETWORK_NEXT_END, 0,
                    jobs->exchanges->generation, 0);
}

void exchange_begin(Jobs *jobs, Job *job, int64_t bytes, int64_t most_bytes_per_s)
{
    invariant(exchange_is_shared(jobs, job));
    invariant(most_bytes_per_s > 0);
    uint32_t *ticket = ticket_of(jobs, job);
    invariant(*ticket == 0);
    int32_t count = find_uplinks(jobs, job);
    *ticket = wires_begin(jobs->exchanges->wires, job->id.index, bytes, most_bytes_per_s, count,
                          jobs->exchanges->links, jobs->engine->now_ns) +
              1;
    expect_next_end(jobs);
}

void exchange_next_end(Jobs *jobs)
{
    Job *job = job_row(jobs, (JobId){wires_end_next(jobs->exchanges->wires, jobs->engine->now_ns)});
    *ticket_of(jobs, job) = 0;
    expect_next_end(jobs);
    epochs_exchange_done(jobs, job);
}

uint32_t exchange_generation(const Jobs *jobs)
{
    return jobs->exchanges->generation;
}

void exchange_cancel(Jobs *jobs, Job *job)
{
    if (!jobs->exchanges || *ticket_of(jobs, job) == 0)
        return;
    wires_cancel(jobs->exchanges->wires, *ticket_of(jobs, job) - 1, jobs->engine->now_ns);
    *ticket_of(jobs, job) = 0;
    expect_next_end(jobs);
}

/* --- Rates if all jobs exchange --- */

/* The rate that the network interfaces of the nodes allow. */
static int64_t own_bytes_per_s(const Jobs *jobs, const Job *job)
{
    const VmSize *vm_size = job_kind(jobs, job)->spec.vm_size;
    return mul_div(vm_size->network_bytes_per_s,
                   job->spec->program->exchange->network_efficiency_ppm, PPM);
}

/* The racks of a cluster and the jobs that train across them. */
typedef struct {
    Arena *arena;
    FairNet *net;
} Competition;

static void add_competitor(const Jobs *jobs, const Competition *competition, const Job *job)
{
    uint32_t *racks = ARENA_ARRAY(competition->arena, uint32_t, job->request.nodes);
    int32_t count = 0;
    fair_net_add_flow(competition->net, own_bytes_per_s(jobs, job));
    for (int32_t n = 0; n < job->request.nodes; n++) {
        const int32_t rack = rack_of(jobs, job, n);
        if (has_link(racks, count, (uint32_t)rack))
            continue;
        racks[count++] = (uint32_t)rack;
        fair_net_cross(competition->net, rack, PPM);
    }
}

/* Adds the job `id` on `node` if it competes with `job` and this is the first of its nodes. */
static void consider_competitor(const Jobs *jobs, const Competition *competition, const Job *job,
                                const Node *node, JobId id)
{
    const Job *other = job_by_id(jobs, id);
    if (other != job && other->nodes[0].index == node->id.index && job_is_training(other) &&
        exchange_is_shared(jobs, other))
        add_competitor(jobs, competition, other);
}

/* Adds all jobs that train across racks of `job`'s cluster, `job` first. Each other job is found by
 * the first of its nodes. */
static void add_competitors(const Jobs *jobs, const Competition *competition, const Job *job)
{
    const Cluster *cluster = cluster_by_id(jobs->clusters, job->cluster);
    add_competitor(jobs, competition, job);
    for (int32_t place = 0; place < cluster->place_count; place++) {
        const NodeId id = cluster->nodes[place];
        const Node *node = id.index != ID_NONE ? node_by_id(jobs->clusters, id) : NULL;
        for (int32_t i = 0; node != NULL && i < node_job_count(node); i++)
            consider_competitor(jobs, competition, job, node, node_job_at(node, i));
    }
}

int64_t exchange_rate_bytes_per_s(const Jobs *jobs, const Job *job)
{
    invariant(exchange_is_shared(jobs, job));
    const NetworkTopology *topology = &jobs->scenario->network;
    const Cluster *cluster = cluster_by_id(jobs->clusters, job->cluster);
    Arena *arena = arena_create();
    const Competition competition = {.arena = arena, .net = fair_net_create(arena)};
    for (int32_t r = 0; r <= cluster->place_count / topology->nodes_per_rack; r++)
        fair_net_add_link(competition.net, topology->uplink_bytes_per_s);
    add_competitors(jobs, &competition, job);
    const int64_t rate = fair_net_rates(competition.net)[0];
    arena_destroy(arena);
    return rate;
}

/* No uplink carries more than its rate. Jobs that exchange are training across racks. */
void exchanges_check(const Jobs *jobs)
{
    const Exchanges *exchanges = jobs->exchanges;
    int32_t exchanging = 0;
    if (!exchanges)
        return;
    for (uint32_t j = 0; j < exchanges->job_capacity; j++) {
        if (exchanges->ticket[j] == 0)
            continue;
        const Job *job = job_by_id(jobs, (JobId){j});
        invariant(job_is_training(job));
        invariant(exchange_is_shared(jobs, job));
        exchanging++;
    }
    invariant(exchanging == wires_active(exchanges->wires));
    for (uint32_t c = 0; c < exchanges->cluster_capacity; c++)
        for (int32_t r = 0; r < exchanges->racks[c].rack_count; r++)
            invariant(wires_link_load(exchanges->wires, exchanges->racks[c].link[r]) <=
                      jobs->scenario->network.uplink_bytes_per_s);
}
