#include "sim/model/fairness.h"

#include <stdbool.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

enum { NONE = -1, WAITING = -1 };

/* Where a flow crosses a link. */
typedef struct {
    int32_t flow, link;
    int64_t parts_ppm;
    int32_t next; /* the next crossing of the link; NONE */
} Crossing;

typedef struct {
    int64_t most_bytes_per_s;
    uint32_t first, end; /* its crossings */
} FairFlow;

typedef struct {
    int64_t bytes_per_s;
    int64_t left_bytes_per_s; /* not taken by flows that have stopped */
    int64_t waiting_ppm;      /* parts that still grow */
    int32_t first;            /* its first crossing; NONE */
    uint32_t stop;            /* its place in the heap of stops, + 1; 0: it is not there */
    bool is_touched;          /* by flows that stop in this round */
} FairLink;

/* A rate at which flows stop: a link is full, or a flow (link_count and above) at its limit. */
typedef struct {
    int64_t bytes_per_s;
    int32_t index;
} Stop;

struct FairNet {
    Arena *arena;
    FairLink *links;
    FairFlow *flows;
    int64_t *rates; /* [flow] */
    Crossing *crossings;
    Stop *stops;      /* a binary heap, the lowest rate first */
    uint32_t *places; /* of the stops of this round in the heap */
    int32_t *stopped; /* the flows that stop in this round */
    int32_t *touched; /* the links that they cross */
    uint32_t link_count, flow_count, crossing_count, stop_count, stopped_count, touched_count;
    uint32_t link_capacity, flow_capacity, rate_capacity, crossing_capacity, stop_capacity,
        place_capacity, stopped_capacity, touched_capacity;
};

FairNet *fair_net_create(Arena *arena)
{
    FairNet *net = ARENA_NEW(arena, FairNet);
    net->arena = arena;
    return net;
}

void fair_net_clear(FairNet *net)
{
    net->link_count = net->flow_count = net->crossing_count = 0;
}

int32_t fair_net_add_link(FairNet *net, int64_t bytes_per_s)
{
    invariant(bytes_per_s >= 0);
    net->links = array_room(net->arena, net->links, net->link_count + 1, &net->link_capacity,
                            sizeof *net->links);
    net->links[net->link_count] = (FairLink){.bytes_per_s = bytes_per_s, .first = NONE};
    return (int32_t)net->link_count++;
}

void fair_net_add_flow(FairNet *net, int64_t most_bytes_per_s)
{
    invariant(most_bytes_per_s >= 0);
    net->flows = array_room(net->arena, net->flows, net->flow_count + 1, &net->flow_capacity,
                            sizeof *net->flows);
    net->flows[net->flow_count++] = (FairFlow){.most_bytes_per_s = most_bytes_per_s,
                                               .first = net->crossing_count,
                                               .end = net->crossing_count};
}

void fair_net_cross(FairNet *net, int32_t link, int64_t parts_ppm)
{
    invariant(net->flow_count > 0 && link >= 0 && (uint32_t)link < net->link_count);
    net->crossings = array_room(net->arena, net->crossings, net->crossing_count + 1,
                                &net->crossing_capacity, sizeof *net->crossings);
    net->crossings[net->crossing_count] = (Crossing){.flow = (int32_t)net->flow_count - 1,
                                                     .link = link,
                                                     .parts_ppm = parts_ppm,
                                                     .next = net->links[link].first};
    net->links[link].first = (int32_t)net->crossing_count++;
    net->flows[net->flow_count - 1].end++;
}

/* --- The rates at which flows stop --- */

static void put_stop(FairNet *net, uint32_t place, Stop stop)
{
    net->stops[place] = stop;
    if ((uint32_t)stop.index < net->link_count)
        net->links[stop.index].stop = place + 1;
}

/* Puts a stop at `place`, which is free, or where it belongs above or below. */
static void settle(FairNet *net, uint32_t place, Stop stop)
{
    for (; place > 0 && stop.bytes_per_s < net->stops[(place - 1) / 2].bytes_per_s;
         place = (place - 1) / 2)
        put_stop(net, place, net->stops[(place - 1) / 2]);
    for (uint32_t child; (child = 2 * place + 1) < net->stop_count; place = child) {
        if (child + 1 < net->stop_count &&
            net->stops[child + 1].bytes_per_s < net->stops[child].bytes_per_s)
            child++;
        if (net->stops[child].bytes_per_s >= stop.bytes_per_s)
            break;
        put_stop(net, place, net->stops[child]);
    }
    put_stop(net, place, stop);
}

static void remove_first_stop(FairNet *net)
{
    const Stop first = net->stops[0], last = net->stops[--net->stop_count];
    if ((uint32_t)first.index < net->link_count)
        net->links[first.index].stop = 0;
    if (net->stop_count > 0)
        settle(net, 0, last);
}

/* The rate of all growing flows at which a link is full; INT64_MAX: none of them crosses it. */
static int64_t level_of(const FairLink *link)
{
    return link->waiting_ppm > 0 ? mul_div(link->left_bytes_per_s, PPM, link->waiting_ppm)
                                 : INT64_MAX;
}

static void add_stop(FairNet *net, int64_t bytes_per_s, uint32_t index)
{
    net->stop_count++;
    settle(net, net->stop_count - 1, (Stop){bytes_per_s, (int32_t)index});
}

/* --- Rounds --- */

static void stop_flow(FairNet *net, int32_t flow, int64_t rate)
{
    if (net->rates[flow] != WAITING)
        return;
    net->rates[flow] = rate;
    net->stopped[net->stopped_count++] = flow;
}

static void make_stop(FairNet *net, Stop stop)
{
    if ((uint32_t)stop.index >= net->link_count) {
        stop_flow(net, stop.index - (int32_t)net->link_count, stop.bytes_per_s);
        return;
    }
    for (int32_t c = net->links[stop.index].first; c != NONE; c = net->crossings[c].next)
        stop_flow(net, net->crossings[c].flow, stop.bytes_per_s);
}

/* Stops the flows of the lowest rate: its stops are the top of the heap. All are found before any
 * flow takes its part, so the result does not depend on their order. */
static void make_stops(FairNet *net)
{
    const int64_t rate = net->stops[0].bytes_per_s;
    uint32_t count = 1;
    net->stopped_count = 0;
    net->places[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = net->places[i];
        make_stop(net, net->stops[place]);
        for (uint32_t child = 2 * place + 1; child <= 2 * place + 2; child++)
            if (child < net->stop_count && net->stops[child].bytes_per_s == rate)
                net->places[count++] = child;
    }
    invariant(net->stopped_count > 0);
}

/* A flow that has stopped takes its parts of a link. */
static void take_parts(FairNet *net, const Crossing *crossing)
{
    FairLink *link = &net->links[crossing->link];
    const int64_t taken = mul_div_up(net->rates[crossing->flow], crossing->parts_ppm, PPM);
    const int64_t left = link->left_bytes_per_s;
    link->left_bytes_per_s = taken < left ? left - taken : 0; // fractions round up
    link->waiting_ppm -= crossing->parts_ppm;
    if (!link->is_touched)
        net->touched[net->touched_count++] = crossing->link;
    link->is_touched = true;
}

/* The flows that have stopped leave the rest of their links to the others. */
static void leave_rest(FairNet *net)
{
    net->touched_count = 0;
    for (uint32_t i = 0; i < net->stopped_count; i++) {
        const FairFlow *flow = &net->flows[net->stopped[i]];
        for (uint32_t c = flow->first; c < flow->end; c++)
            take_parts(net, &net->crossings[c]);
    }
    for (uint32_t i = 0; i < net->touched_count; i++) {
        FairLink *link = &net->links[net->touched[i]];
        link->is_touched = false;
        if (link->stop > 0)
            settle(net, link->stop - 1, (Stop){level_of(link), net->touched[i]});
    }
}

/* Whether no growing flow stops there. */
static bool is_over(const FairNet *net, Stop stop)
{
    return (uint32_t)stop.index < net->link_count
               ? net->links[stop.index].waiting_ppm == 0
               : net->rates[(uint32_t)stop.index - net->link_count] != WAITING;
}

static void begin(FairNet *net)
{
    const uint32_t stops = net->link_count + net->flow_count;
    net->rates = array_room(net->arena, net->rates, net->flow_count, &net->rate_capacity,
                            sizeof *net->rates);
    net->stopped = array_room(net->arena, net->stopped, net->flow_count, &net->stopped_capacity,
                              sizeof *net->stopped);
    net->touched = array_room(net->arena, net->touched, net->link_count, &net->touched_capacity,
                              sizeof *net->touched);
    net->stops = array_room(net->arena, net->stops, stops, &net->stop_capacity, sizeof *net->stops);
    net->places =
        array_room(net->arena, net->places, stops, &net->place_capacity, sizeof *net->places);
    for (uint32_t f = 0; f < net->flow_count; f++)
        net->rates[f] = WAITING;
    for (uint32_t l = 0; l < net->link_count; l++) {
        net->links[l].left_bytes_per_s = net->links[l].bytes_per_s;
        net->links[l].waiting_ppm = 0;
    }
    for (uint32_t c = 0; c < net->crossing_count; c++)
        net->links[net->crossings[c].link].waiting_ppm += net->crossings[c].parts_ppm;
    net->stop_count = net->stopped_count = 0;
    for (uint32_t l = 0; l < net->link_count; l++)
        add_stop(net, level_of(&net->links[l]), l);
    for (uint32_t f = 0; f < net->flow_count; f++)
        add_stop(net, net->flows[f].most_bytes_per_s, net->link_count + f);
}

const int64_t *fair_net_rates(FairNet *net)
{
    begin(net);
    for (uint32_t waiting = net->flow_count; waiting > 0; waiting -= net->stopped_count) {
        leave_rest(net); // of the round before
        while (is_over(net, net->stops[0]))
            remove_first_stop(net);
        make_stops(net);
    }
    return net->rates;
}
