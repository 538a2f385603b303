#include "sim/cloud/network/wires.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/record/ids.h"
#include "sim/engine/end_heap.h"
#include "sim/model/fairness.h"

/* Where a flow crosses a link: the link, the flow's place in the link's list, and its parts. */
typedef struct {
    uint32_t link;
    int32_t place;
    int64_t parts_ppm;
} Crossing;

typedef struct {
    uint32_t owner;
    uint32_t next_free; /* of a free row; ID_NONE: the last */
    uint64_t order;     /* of beginning */
    uint64_t stamp;     /* of the last search that found it */
    WireAmount left;    /* of each part, at `updated_ns` */
    int64_t updated_ns;
    int64_t rate_bytes_per_s;
    int64_t most_bytes_per_s;
    int32_t link_count, link_capacity;
    Crossing *links;
} Flow;

/* An entry of a link's list: a flow, and the index of the link in Flow.links. */
typedef struct {
    uint32_t flow;
    int32_t crossing;
} LinkFlow;

typedef struct {
    int64_t bytes_per_s;
    uint64_t stamp;
    int32_t found; /* index in Wires.found_links, and in the net */
    int32_t flow_count, flow_capacity;
    LinkFlow *flows;
    uint32_t next_free; /* of a removed link; ID_NONE: the last */
} Link;

struct Wires {
    Arena *run;
    Flow *flows;
    uint32_t flow_count, flow_capacity, first_free;
    Link *links;
    uint32_t link_count, link_capacity, first_free_link;
    EndHeap ends; /* by time, then by beginning */
    uint64_t begun;
    uint64_t searches;
    bool is_held; /* see wires_hold */
    /* The result of the last search, and the same to compute its rates. */
    uint32_t *found_flows, *found_links;
    uint32_t found_flow_count, found_link_count, found_flow_capacity, found_link_capacity;
    FairNet *net;
};

Wires *wires_create(Arena *run)
{
    Wires *wires = ARENA_NEW(run, Wires);
    wires->run = run;
    wires->first_free = wires->first_free_link = ID_NONE;
    wires->ends = end_heap_create(run);
    wires->net = fair_net_create(run);
    return wires;
}

/* The capacity, doubled until `needed` items fit. The arena keeps the old arrays, which together
 * are smaller than the new one. */
static int32_t grown(int32_t capacity, int32_t needed)
{
    invariant(needed <= INT32_MAX / 2);
    capacity = capacity == 0 ? 4 : capacity;
    while (capacity < needed)
        capacity *= 2;
    return capacity;
}

uint32_t wires_add_link(Wires *wires, int64_t bytes_per_s)
{
    invariant(bytes_per_s > 0);
    const uint32_t removed = wires->first_free_link;
    if (removed != ID_NONE) {
        wires->first_free_link = wires->links[removed].next_free;
        wires->links[removed].bytes_per_s = bytes_per_s;
        return removed;
    }
    if (wires->link_count == wires->link_capacity) {
        uint32_t capacity = wires->link_capacity == 0 ? 16 : 2 * wires->link_capacity;
        Link *links = ARENA_ARRAY(wires->run, Link, capacity);
        if (wires->link_count > 0)
            memcpy(links, wires->links, wires->link_count * sizeof *links);
        wires->links = links;
        wires->link_capacity = capacity;
    }
    wires->links[wires->link_count] = (Link){.bytes_per_s = bytes_per_s};
    return wires->link_count++;
}

void wires_remove_link(Wires *wires, uint32_t link)
{
    invariant(wires->links[link].flow_count == 0);
    wires->links[link].next_free = wires->first_free_link;
    wires->first_free_link = link;
}

/* --- Flows and links --- */

static void join_link(Wires *wires, uint32_t flow, int32_t crossing)
{
    Crossing *of_flow = &wires->flows[flow].links[crossing];
    Link *link = &wires->links[of_flow->link];
    if (link->flow_count == link->flow_capacity) {
        int32_t capacity = grown(link->flow_capacity, link->flow_count + 1);
        LinkFlow *flows = ARENA_ARRAY(wires->run, LinkFlow, capacity);
        if (link->flow_count > 0)
            memcpy(flows, link->flows, (size_t)link->flow_count * sizeof *flows);
        link->flows = flows;
        link->flow_capacity = capacity;
    }
    of_flow->place = link->flow_count;
    link->flows[link->flow_count++] = (LinkFlow){.flow = flow, .crossing = crossing};
}

/* Removes a flow from the link's list; the last entry takes its place. */
static void leave_link(Wires *wires, const Crossing *crossing)
{
    Link *link = &wires->links[crossing->link];
    LinkFlow last = link->flows[--link->flow_count];
    link->flows[crossing->place] = last;
    wires->flows[last.flow].links[last.crossing].place = crossing->place;
}

/* --- Rates --- */

static void find_link(Wires *wires, uint32_t index)
{
    Link *link = &wires->links[index];
    if (link->stamp == wires->searches)
        return;
    link->stamp = wires->searches;
    link->found = (int32_t)wires->found_link_count;
    wires->found_links = array_room(wires->run, wires->found_links, wires->found_link_count + 1,
                                    &wires->found_link_capacity, sizeof *wires->found_links);
    wires->found_links[wires->found_link_count++] = index;
}

static void find_flow(Wires *wires, uint32_t index)
{
    Flow *flow = &wires->flows[index];
    if (flow->stamp == wires->searches)
        return;
    flow->stamp = wires->searches;
    wires->found_flows = array_room(wires->run, wires->found_flows, wires->found_flow_count + 1,
                                    &wires->found_flow_capacity, sizeof *wires->found_flows);
    wires->found_flows[wires->found_flow_count++] = index;
    for (int32_t i = 0; i < flow->link_count; i++)
        find_link(wires, flow->links[i].link);
}

static void begin_search(Wires *wires)
{
    if (wires->is_held)
        return; // the search continues
    wires->searches++;
    wires->found_flow_count = wires->found_link_count = 0;
}

/* Finds all flows and links that are connected to the links found so far. */
static void search(Wires *wires)
{
    for (uint32_t l = 0; l < wires->found_link_count; l++) {
        const Link *link = &wires->links[wires->found_links[l]];
        for (int32_t i = 0; i < link->flow_count; i++)
            find_flow(wires, link->flows[i].flow);
    }
}

/* Makes the net of the links and flows that were found. */
static void describe_found(const Wires *wires)
{
    fair_net_clear(wires->net);
    for (uint32_t l = 0; l < wires->found_link_count; l++)
        fair_net_add_link(wires->net, wires->links[wires->found_links[l]].bytes_per_s);
    for (uint32_t f = 0; f < wires->found_flow_count; f++) {
        const Flow *flow = &wires->flows[wires->found_flows[f]];
        fair_net_add_flow(wires->net, flow->most_bytes_per_s);
        for (int32_t i = 0; i < flow->link_count; i++)
            fair_net_cross(wires->net, wires->links[flow->links[i].link].found,
                           flow->links[i].parts_ppm);
    }
}

static WireAmount left_at(const Flow *flow, int64_t now_ns)
{
    invariant(now_ns >= flow->updated_ns);
    WireAmount moved = (WireAmount)(now_ns - flow->updated_ns) * (WireAmount)flow->rate_bytes_per_s;
    return moved < flow->left ? flow->left - moved : 0;
}

static void bring_up_to_date(Flow *flow, int64_t now_ns)
{
    flow->left = left_at(flow, now_ns);
    flow->updated_ns = now_ns;
}

static int64_t end_ns(const Flow *flow)
{
    if (flow->left == 0)
        return flow->updated_ns;
    if (flow->rate_bytes_per_s == 0)
        return INT64_MAX;
    WireAmount rate = (WireAmount)flow->rate_bytes_per_s;
    WireAmount left_ns = flow->left / rate + (flow->left % rate != 0);
    if (left_ns >= (WireAmount)(INT64_MAX - flow->updated_ns))
        return INT64_MAX;
    return flow->updated_ns + (int64_t)left_ns;
}

/* If the rate does not change, the flow is not updated: its end does not move. */
static void set_rate(Wires *wires, uint32_t ticket, int64_t rate_bytes_per_s, int64_t now_ns)
{
    Flow *flow = &wires->flows[ticket];
    bool is_new = end_heap_find(&wires->ends, ticket) == NULL;
    if (rate_bytes_per_s == flow->rate_bytes_per_s && !is_new)
        return;
    bring_up_to_date(flow, now_ns);
    flow->rate_bytes_per_s = rate_bytes_per_s;
    end_heap_put(&wires->ends, ticket, (EndKey)end_ns(flow), flow->order);
}

static void share_out(Wires *wires, int64_t now_ns)
{
    if (wires->is_held)
        return;
    search(wires);
    describe_found(wires);
    const int64_t *rates = fair_net_rates(wires->net);
    for (uint32_t f = 0; f < wires->found_flow_count; f++)
        set_rate(wires, wires->found_flows[f], rates[f], now_ns);
}

/* --- Flows --- */

static uint32_t new_flow(Wires *wires)
{
    uint32_t ticket = wires->first_free;
    if (ticket != ID_NONE) {
        wires->first_free = wires->flows[ticket].next_free;
        return ticket;
    }
    if (wires->flow_count == wires->flow_capacity) {
        uint32_t capacity = wires->flow_capacity == 0 ? 16 : 2 * wires->flow_capacity;
        Flow *flows = ARENA_ARRAY(wires->run, Flow, capacity);
        if (wires->flow_count > 0)
            memcpy(flows, wires->flows, wires->flow_count * sizeof *flows);
        wires->flows = flows;
        wires->flow_capacity = capacity;
    }
    return wires->flow_count++;
}

uint32_t wires_begin_parts(Wires *wires, uint32_t owner, WireAmount amount,
                           int64_t most_bytes_per_s, int32_t link_count, const uint32_t *links,
                           const int64_t *parts_ppm, int64_t now_ns)
{
    invariant(now_ns <= wires_next_end_ns(wires)); // ends come before beginnings at the same time
    uint32_t ticket = new_flow(wires);
    Flow *flow = &wires->flows[ticket];
    int32_t capacity = flow->link_capacity;
    Crossing *crossings = flow->links;
    if (link_count > capacity) {
        capacity = grown(capacity, link_count);
        crossings = ARENA_ARRAY(wires->run, Crossing, capacity);
    }
    *flow = (Flow){.owner = owner,
                   .order = wires->begun++,
                   .left = amount,
                   .updated_ns = now_ns,
                   .most_bytes_per_s = most_bytes_per_s,
                   .link_count = link_count,
                   .link_capacity = capacity,
                   .links = crossings};
    begin_search(wires);
    for (int32_t i = 0; i < link_count; i++) {
        flow->links[i].link = links[i];
        flow->links[i].parts_ppm = parts_ppm != NULL ? parts_ppm[i] : PPM;
        join_link(wires, ticket, i);
    }
    find_flow(wires, ticket);
    share_out(wires, now_ns);
    return ticket;
}

uint32_t wires_begin(Wires *wires, uint32_t owner, int64_t bytes, int64_t most_bytes_per_s,
                     int32_t link_count, const uint32_t *links, int64_t now_ns)
{
    invariant(bytes >= 0);
    return wires_begin_parts(wires, owner, (WireAmount)bytes * (WireAmount)NS_PER_S,
                             most_bytes_per_s, link_count, links, NULL, now_ns);
}

void wires_hold(Wires *wires)
{
    begin_search(wires);
    wires->is_held = true;
}

void wires_release(Wires *wires, int64_t now_ns)
{
    wires->is_held = false;
    share_out(wires, now_ns);
}

/* Removes a flow; flows on its links share its rate. */
static void remove_flow(Wires *wires, uint32_t ticket, int64_t now_ns)
{
    Flow *flow = &wires->flows[ticket];
    begin_search(wires);
    for (int32_t i = 0; i < flow->link_count; i++) {
        leave_link(wires, &flow->links[i]);
        find_link(wires, flow->links[i].link);
    }
    end_heap_remove(&wires->ends, ticket);
    flow->next_free = wires->first_free;
    wires->first_free = ticket;
    share_out(wires, now_ns);
}

int64_t wires_next_end_ns(const Wires *wires)
{
    const EndEntry *first = end_heap_first(&wires->ends);
    return first ? (int64_t)first->key : INT64_MAX;
}

uint32_t wires_end_next(Wires *wires, int64_t now_ns)
{
    invariant(now_ns == wires_next_end_ns(wires));
    uint32_t ticket = end_heap_first(&wires->ends)->id;
    remove_flow(wires, ticket, now_ns);
    return wires->flows[ticket].owner;
}

void wires_cancel(Wires *wires, uint32_t ticket, int64_t now_ns)
{
    invariant(end_heap_find(&wires->ends, ticket) != NULL);
    remove_flow(wires, ticket, now_ns);
}

/* --- Queries --- */

int32_t wires_active(const Wires *wires)
{
    return wires->ends.count;
}

int64_t wires_rate(const Wires *wires, uint32_t ticket)
{
    invariant(end_heap_find(&wires->ends, ticket) != NULL);
    return wires->flows[ticket].rate_bytes_per_s;
}

WireAmount wires_left(const Wires *wires, uint32_t ticket, int64_t now_ns)
{
    invariant(end_heap_find(&wires->ends, ticket) != NULL);
    return left_at(&wires->flows[ticket], now_ns);
}

static int64_t load_of(const Wires *wires, LinkFlow of)
{
    const Flow *flow = &wires->flows[of.flow];
    return mul_div_up(flow->rate_bytes_per_s, flow->links[of.crossing].parts_ppm, PPM);
}

int64_t wires_link_load(const Wires *wires, uint32_t link)
{
    int64_t load = 0;
    const Link *of = &wires->links[link];
    for (int32_t i = 0; i < of->flow_count; i++)
        load += load_of(wires, of->flows[i]);
    return load;
}
