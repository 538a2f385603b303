#include "sim/cloud/cluster/maintenance.h"

#include "sim/cloud/cluster/drain.h"
#include "sim/cloud/cluster/tables.h"
#include "sim/model/bounded.h"

static bool is_rolling(const MaintenanceSpec *spec)
{
    return spec->nodes_at_once > 0;
}

/* The time at which the maintenance begins next after `at_ns`; INT64_MAX: never. */
static int64_t begin_after(const MaintenanceSpec *spec, int64_t at_ns)
{
    if (at_ns < spec->begin_ns)
        return spec->begin_ns;
    if (spec->every_ns == 0)
        return INT64_MAX;
    const int64_t begun = (at_ns - spec->begin_ns) / spec->every_ns + 1;
    return bounded_add(spec->begin_ns, bounded_times(spec->every_ns, begun));
}

/* The begin of the first maintenance that has not ended at `now_ns`; INT64_MAX: all have. */
static int64_t next_begin(const MaintenanceSpec *spec, int64_t now_ns)
{
    return begin_after(spec, now_ns - spec->takes_ns);
}

static bool includes(const MaintenanceSpec *spec, int32_t kind)
{
    return spec->kinds == 0 || (spec->kinds & kind_set_of(kind)) != 0;
}

static void emit(const Clusters *clusters, const Cluster *cluster, int32_t index, const char *turn,
                 int64_t since_ns)
{
    TraceRecord *record = cluster_trace(clusters, TRACE_CLUSTER_MAINTENANCE, cluster);
    record->name = turn;
    record->since_ns = since_ns;
    record->cluster_maintenance.maintenance = index;
    for (int32_t k = 0; k < cluster->kind_count; k++) {
        if (!includes(&cluster->spec->maintenance[index], k))
            continue;
        record->cluster_maintenance.nodes += cluster->kinds[k].current_nodes;
        record->cluster_maintenance.running += cluster->kinds[k].node_count[NODE_RUNNING];
    }
    recorder_emit(clusters->recorder);
}

/* Records that a maintenance begins or ends, if it does so now. */
static void note_turn(const Clusters *clusters, const Cluster *cluster, int32_t index)
{
    const int64_t now_ns = clusters->engine->now_ns;
    const bool is_under_way = next_begin(&cluster->spec->maintenance[index], now_ns) <= now_ns;
    int64_t *since_ns = &cluster->maintenance[index].since_ns;
    if (is_under_way == (*since_ns < INT64_MAX))
        return;
    const int64_t began_ns = is_under_way ? now_ns : *since_ns;
    *since_ns = is_under_way ? now_ns : INT64_MAX;
    emit(clusters, cluster, index, is_under_way ? "begins" : "ends", began_ns);
}

static void close_kind(Cluster *cluster, int32_t kind, int64_t now_ns)
{
    Room *room = &cluster->kinds[kind].room;
    room->closes_ns = INT64_MAX;
    for (int32_t i = 0; i < cluster->spec->maintenance_count; i++) {
        const MaintenanceSpec *spec = &cluster->spec->maintenance[i];
        const int64_t begin_ns = next_begin(spec, now_ns);
        if (!is_rolling(spec) && includes(spec, kind) && begin_ns < room->closes_ns)
            room->closes_ns = begin_ns;
    }
    room->closes = room->closes_ns < INT64_MAX;
}

/* The next time at which a maintenance begins or ends; INT64_MAX: never. */
static int64_t next_turn(const ClusterSpec *spec, int64_t now_ns)
{
    int64_t turn_ns = INT64_MAX;
    for (int32_t i = 0; i < spec->maintenance_count; i++) {
        const MaintenanceSpec *maintenance = &spec->maintenance[i];
        int64_t at_ns = is_rolling(maintenance) ? begin_after(maintenance, now_ns)
                                                : next_begin(maintenance, now_ns);
        if (at_ns <= now_ns)
            at_ns = bounded_add(at_ns, maintenance->takes_ns);
        turn_ns = at_ns < turn_ns ? at_ns : turn_ns;
    }
    return turn_ns;
}

/* --- Rolling maintenance --- */

/* The next node of the maintenance that can be drained; NULL: all have had their turn. */
static Node *next_node(Clusters *clusters, const Cluster *cluster, int32_t index)
{
    MaintenanceRun *run = &cluster->maintenance[index];
    while (run->next_place < cluster->place_count) {
        Node *node = cluster_node_at(clusters, cluster, run->next_place++);
        if (node != NULL && node->number < run->end_number &&
            includes(&cluster->spec->maintenance[index], node->kind) &&
            node_can_drain(clusters, node))
            return node;
    }
    return NULL;
}

/* Drains as many nodes as may be in turn at once. Without any it ends. */
static void roll_on(Clusters *clusters, const Cluster *cluster, int32_t index)
{
    const MaintenanceSpec *spec = &cluster->spec->maintenance[index];
    MaintenanceRun *run = &cluster->maintenance[index];
    const NodeFailure work = {.cause = CAUSE_MAINTENANCE,
                              .reason = "the node is drained for maintenance",
                              .recovery = RECOVERY_REBOOT,
                              .repair_ns = spec->takes_ns};
    Node *node;
    while (run->in_turn < spec->nodes_at_once &&
           (node = next_node(clusters, cluster, index)) != NULL) {
        cluster_node_drained(clusters, node, work);
        node->maintenance_after = index + 1;
        run->in_turn++;
    }
    if (run->in_turn > 0)
        return;
    emit(clusters, cluster, index, "ends", run->since_ns);
    run->since_ns = INT64_MAX;
}

void maintenance_rolls(Clusters *clusters, Cluster *cluster)
{
    for (int32_t i = 0; i < cluster->spec->maintenance_count; i++) {
        MaintenanceRun *run = &cluster->maintenance[i];
        if (!is_rolling(&cluster->spec->maintenance[i]) || run->since_ns == INT64_MAX)
            continue;
        if (run->end_number == 0) { // it begins
            run->end_number = cluster->next_node_number;
            emit(clusters, cluster, i, "begins", run->since_ns);
        }
        roll_on(clusters, cluster, i);
    }
}

static void push_roll(Clusters *clusters, const Cluster *cluster)
{
    engine_push(clusters->engine, 0, EVENT_CLUSTER_ROLLS, cluster->id.index, 0, 0);
}

void maintenance_turn_ends(Clusters *clusters, Cluster *cluster, Node *node)
{
    if (node->maintenance_after == 0)
        return;
    cluster->maintenance[node->maintenance_after - 1].in_turn--;
    node->maintenance_after = 0;
    push_roll(clusters, cluster); // the caller may be in the middle of a change of several nodes
}

/* Begins a rolling maintenance, if it is due now and not under way. */
static void begin_roll(Clusters *clusters, Cluster *cluster, int32_t index)
{
    const int64_t now_ns = clusters->engine->now_ns;
    MaintenanceRun *run = &cluster->maintenance[index];
    if (run->since_ns < INT64_MAX ||
        begin_after(&cluster->spec->maintenance[index], now_ns - 1) != now_ns)
        return;
    *run = (MaintenanceRun){.since_ns = now_ns};
    push_roll(clusters, cluster);
}

/* --- Turns --- */

/* Brings the rooms up to date. */
static void turn(Clusters *clusters, Cluster *cluster)
{
    const int64_t now_ns = clusters->engine->now_ns;
    for (int32_t k = 0; k < cluster->kind_count; k++)
        close_kind(cluster, k, now_ns);
    for (int32_t i = 0; i < cluster->spec->maintenance_count; i++) {
        if (is_rolling(&cluster->spec->maintenance[i]))
            begin_roll(clusters, cluster, i);
        else
            note_turn(clusters, cluster, i);
    }
    engine_push_at(clusters->engine, next_turn(cluster->spec, now_ns), EVENT_CLUSTER_MAINTENANCE,
                   cluster->id.index, 0, 0);
}

void maintenance_create(Clusters *clusters, Cluster *cluster)
{
    const int32_t count = cluster->spec->maintenance_count;
    if (count == 0)
        return;
    cluster->maintenance = ARENA_ARRAY(clusters->arena, MaintenanceRun, count);
    for (int32_t i = 0; i < count; i++)
        cluster->maintenance[i].since_ns = INT64_MAX;
    turn(clusters, cluster);
}

void maintenance_turns(Clusters *clusters, Cluster *cluster)
{
    turn(clusters, cluster);
    clusters->jobs.nodes_changed(clusters->jobs.jobs, cluster->id);
}
