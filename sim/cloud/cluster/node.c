#include "sim/cloud/cluster/node.h"

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/cloud/cluster/allocation.h"
#include "sim/cloud/cluster/drain.h"
#include "sim/cloud/cluster/gpus.h"
#include "sim/cloud/cluster/maintenance.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/cluster/tables.h"
#include "sim/model/bounded.h"

const char *node_state_name(NodeState state)
{
    static const char *const names[] = {"preparing", "idle",     "running",
                                        "leaving",   "unusable", "released"};
    _Static_assert(sizeof names / sizeof names[0] == NODE_STATE_COUNT + 1, "one name per state");
    return names[state];
}

uint32_t node_count(const Clusters *clusters)
{
    return clusters->nodes.count;
}

uint32_t node_next(const Clusters *clusters, uint32_t node)
{
    return row_table_next(&clusters->nodes, node);
}

const Node *node_by_id(const Clusters *clusters, NodeId node)
{
    return row_table_at(&clusters->nodes, node.index);
}

Node *node_row(Clusters *clusters, NodeId node)
{
    return row_table_at(&clusters->nodes, node.index);
}

void node_forget(Clusters *clusters, NodeId node)
{
    invariant(node_by_id(clusters, node)->state == NODE_STATE_COUNT);
    invariant(node_by_id(clusters, node)->link.use_count == 0);
    row_table_clear(&clusters->nodes, node.index);
}

TraceRecord *node_trace(const Clusters *clusters, TraceKind kind, const Node *node)
{
    TraceRecord *record = recorder_begin(clusters->recorder, kind);
    record->cluster = node->cluster;
    record->node = node->id;
    record->job = node->job;
    return record;
}

/* --- States --- */

void node_setup_ends(const Clusters *clusters, Node *node, int32_t exit_code)
{
    if (!node->is_in_setup)
        return;
    node->is_in_setup = false;
    node->setup_ended_ns = clusters->engine->now_ns;
    node->setup_exit_code = exit_code;
}

void node_count_draining(Cluster *cluster, const Node *node, int32_t change)
{
    ClusterKind *kind = &cluster->kinds[node->kind];
    if (node->drain == DRAIN_WAITS && node->state == NODE_RUNNING)
        kind->draining_nodes += change;
    kind->room.unusable_nodes = kind->node_count[NODE_UNUSABLE] + kind->draining_nodes;
}

static void count_in_state(Cluster *cluster, const Node *node, NodeState state, int32_t change)
{
    ClusterKind *kind = &cluster->kinds[node->kind];
    if (state == NODE_STATE_COUNT)
        return;
    cluster->node_count[state] += change;
    kind->node_count[state] += change;
    kind->room.idle_nodes = kind->node_count[NODE_IDLE];
}

void node_set_state(Clusters *clusters, Cluster *cluster, Node *node, NodeState state,
                    TraceCause cause)
{
    TraceRecord *record = node_trace(clusters, TRACE_NODE_STATE, node);
    record->node_state.was = node->state;
    record->cause = cause;
    place_set_remove(&cluster->places[node->state], node->place);
    place_set_add(&cluster->places[state], node->place);
    count_in_state(cluster, node, node->state, -1);
    count_in_state(cluster, node, state, 1);
    node_count_draining(cluster, node, -1);
    node->state = state;
    node_count_draining(cluster, node, 1);
    node->generation++; // pending events belonged to the old state
    node_setup_ends(clusters, node, SETUP_CUT_OFF);
    if (state != NODE_RUNNING) {
        node->job = (JobId){ID_NONE};
        node_set_free(cluster, node);
    }
    node_offer(cluster, node);
    recorder_emit_change(clusters->recorder, node_state_name(state), &node->state_since_ns);
    if (node->repair != REPAIR_NONE) // it was unusable until now
        crew_dismissed(clusters, node);
    if (node->drain == DRAIN_NONE && state != NODE_PREPARING)
        maintenance_turn_ends(clusters, cluster, node);
}

void node_set_retiring(Cluster *cluster, Node *node, bool is_retiring)
{
    cluster->retiring_nodes += is_retiring - node->is_retiring;
    node->is_retiring = is_retiring;
    node_offer(cluster, node);
}

void node_leaves(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause)
{
    node_set_retiring(cluster, node, false);
    drain_ends(clusters, cluster, node);
    node->is_silent = false; // the service no longer waits for its answers
    node_set_state(clusters, cluster, node, NODE_LEAVING, cause);
}

/* --- Allocation and release --- */

static void add_places(Clusters *clusters, Cluster *cluster)
{
    enum { PLACES_AT_FIRST = 64 };
    int32_t old = cluster->node_capacity;
    int32_t capacity = old > 0 ? 2 * old : PLACES_AT_FIRST;
    NodeId *nodes = ARENA_ARRAY(clusters->arena, NodeId, capacity);
    int8_t *kinds = ARENA_ARRAY(clusters->arena, int8_t, capacity);
    if (old > 0) {
        memcpy(nodes, cluster->nodes, (size_t)old * sizeof *nodes);
        memcpy(kinds, cluster->place_kinds, (size_t)old * sizeof *kinds);
    }
    for (int32_t s = 0; s <= NODE_STATE_COUNT; s++)
        place_set_reserve(clusters->arena, &cluster->places[s], capacity);
    gpus_reserve(clusters, cluster, capacity);
    for (int32_t place = old; place < capacity; place++) {
        nodes[place].index = ID_NONE;
        kinds[place] = KIND_NONE;
        place_set_add(&cluster->places[NODE_STATE_COUNT], place);
    }
    cluster->nodes = nodes;
    cluster->place_kinds = kinds;
    cluster->node_capacity = capacity;
}

/* The lowest free place that a node of the kind may take; -1: all places are taken. */
static int32_t free_place(const Cluster *cluster, int32_t kind)
{
    const PlaceSet *free_places = &cluster->places[NODE_STATE_COUNT];
    int32_t place = free_places->count > 0 ? place_set_up(free_places, 0) : -1;
    while (place >= 0 && cluster->place_kinds[place] != KIND_NONE &&
           cluster->place_kinds[place] != kind)
        place = place_set_up(free_places, place + 1);
    return place;
}

/* The place of a new node of the kind, which belongs to the kind from now on. */
static int32_t take_place(Clusters *clusters, Cluster *cluster, int32_t kind)
{
    int32_t place = free_place(cluster, kind);
    if (place < 0) {
        add_places(clusters, cluster);
        place = free_place(cluster, kind);
    }
    cluster->place_kinds[place] = (int8_t)kind;
    return place;
}

/* Returns the end of the text, where it puts a NUL. */
static char *number_print(char *out, uint32_t number)
{
    int32_t count = 1;
    for (uint32_t left = number; left >= 10; left /= 10)
        count++;
    out = digits_print(out, number, count);
    *out = '\0';
    return out;
}

/* "tvm-676767296_1-20180718t174802z". Names of low-priority nodes end in "-p" (batchai-service
 * notes, "Names of nodes"). */
static const char *new_node_name(Clusters *clusters, const Cluster *cluster, int32_t number,
                                 bool is_low_priority)
{
    char stamp[CIVIL_TEXT], numbers[2 * CIVIL_TEXT];
    char *end = number_print(numbers, cluster->opaque_number);
    *end = '_';
    number_print(end + 1, (uint32_t)number);
    stamp_print(scenario_unix_ms(clusters->scenario, clusters->engine->now_ns), stamp);
    const char *const parts[] = {"tvm", numbers, stamp, "p"};
    return arena_join(clusters->arena, parts, is_low_priority ? 4 : 3, '-');
}

void node_begin_preparation(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause,
                            int64_t reboot_ns)
{
    node_set_state(clusters, cluster, node, NODE_PREPARING, cause);
    int64_t delay_ns =
        engine_draw(clusters->engine, clusters->scenario->service.node_preparation_ns,
                    RNG_NODE_PREPARATION, node->address, (uint64_t)node->preparations++);
    engine_push(clusters->engine, bounded_add(reboot_ns, delay_ns), EVENT_NODE_PREPARED,
                node->id.index, node->generation, 0);
}

/* States the kind of a new node, unless all nodes of the cluster are of the same kind. */
static void emit_kind(Clusters *clusters, const Cluster *cluster, const Node *node)
{
    const ClusterKind *kind = &cluster->kinds[node->kind];
    if (cluster->kind_count == 1)
        return;
    TraceRecord *record = node_trace(clusters, TRACE_NODE_KIND, node);
    record->name = kind->spec.name;
    record->node_kind.kind = node->kind;
    record->node_kind.gpus = kind->whole.gpus;
    recorder_emit(clusters->recorder);
}

void node_add(Clusters *clusters, Cluster *cluster, int32_t kind, TraceCause cause)
{
    Node *node = ARENA_NEW(clusters->arena, Node);
    int32_t number = cluster->next_node_number++;
    int32_t place = take_place(clusters, cluster, kind);
    const bool is_low_priority = cluster->kinds[kind].spec.is_low_priority;
    *node = (Node){.id = {row_table_add(clusters->arena, &clusters->nodes, node)},
                   .cluster = cluster->id,
                   .number = number,
                   .place = place,
                   .kind = kind,
                   .state = NODE_STATE_COUNT,
                   .state_since_ns = clusters->engine->now_ns,
                   .life_ns = clusters->engine->now_ns,
                   .allocated_ns = clusters->engine->now_ns,
                   .released_ns = INT64_MAX,
                   .job = {ID_NONE},
                   .offered = -1,
                   .setup_began_ns = INT64_MAX,
                   .setup_ended_ns = INT64_MAX,
                   .set_up_before = {ID_NONE},
                   .speed_ppm = PPM,
                   .name = new_node_name(clusters, cluster, number, is_low_priority),
                   .address = cluster->address + (uint64_t)number,
                   .link.bytes_per_s = cluster->kinds[kind].spec.vm_size->network_bytes_per_s};
    cluster->nodes[place] = node->id;
    cluster->current_nodes++;
    cluster->kinds[kind].current_nodes++;
    if (place >= cluster->place_count)
        cluster->place_count = place + 1;
    emit_kind(clusters, cluster, node);
    node_begin_preparation(clusters, cluster, node, cause, 0);
    clusters->faults.node_begins(clusters->faults.faults, node);
}

Bill node_bill_now(const Clusters *clusters, ClusterId cluster, int32_t kind, int64_t allocated_ns)
{
    return (Bill){.billed_ns = billed_ns(clusters->engine->now_ns - allocated_ns,
                                         clusters->scenario->service.billing_granularity_ns),
                  .micro_usd_per_hour =
                      node_kind_price(cluster_by_id(clusters, cluster)->kinds[kind].spec)};
}

void node_bill(Clusters *clusters, const Node *node, const char *why)
{
    const Bill bill = node_bill_now(clusters, node->cluster, node->kind, node->allocated_ns);
    TraceRecord *record = node_trace(clusters, TRACE_NODE_BILLED, node);
    record->since_ns = node->allocated_ns;
    record->name = why;
    record->node_billed.billed_ns = bill.billed_ns;
    record->node_billed.micro_usd_per_hour = bill.micro_usd_per_hour;
    recorder_emit(clusters->recorder);
}

void node_release(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause)
{
    bool was_retiring = node->is_retiring;
    node_set_retiring(cluster, node, false);
    drain_ends(clusters, cluster, node);
    node->is_silent = false;
    node->life++;
    node->released_ns = clusters->engine->now_ns;
    cluster->current_nodes--;
    cluster->kinds[node->kind].current_nodes--;
    cluster->nodes[node->place].index = ID_NONE;
    while (cluster->place_count > 0 && cluster->nodes[cluster->place_count - 1].index == ID_NONE)
        cluster->place_count--;
    node_set_state(clusters, cluster, node, NODE_STATE_COUNT, cause);
    node_bill(clusters, node, "released");
    quota_freed(clusters, cluster);
    if (was_retiring && cluster->retiring_nodes == 0)
        allocation_retired(clusters, cluster);
}
