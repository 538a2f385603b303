/* Private to sim/output/metrics: clusters and nodes, and where the time of nodes goes. */
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/units.h"
#include "sim/model/price.h"
#include "sim/output/metrics/fold.h"

void fold_cluster_provisioning(MetricsFold *fold, const TraceRow *row)
{
    ClusterMetrics *cluster = cluster_of(fold, row);
    cluster->provisioning = row->record.name;
    note_first(&cluster->created_ns, row->record.at_ns);
    if (strcmp(row->record.name, provisioning_state_name(PROVISIONING_DELETED)) == 0)
        cluster->deleted_ns = row->record.at_ns;
}

void fold_cluster_allocation(MetricsFold *fold, const TraceRow *row)
{
    ClusterMetrics *cluster = cluster_of(fold, row);
    cluster->allocation = row->record.name;
    if (strcmp(row->record.name, allocation_state_name(ALLOCATION_STEADY)) == 0)
        note_first(&cluster->steady_ns, row->record.at_ns);
}

void fold_cluster_ready(MetricsFold *fold, const TraceRow *row)
{
    note_first(&cluster_of(fold, row)->ready_ns, row->record.at_ns);
}

QueueClock *fold_clock_of(MetricsFold *fold, uint32_t cluster)
{
    if (cluster >= fold->clock_capacity)
        fold->clocks = array_room(fold->arena, fold->clocks, cluster + 1, &fold->clock_capacity,
                                  sizeof *fold->clocks);
    return &fold->clocks[cluster];
}

static int64_t clock_read(const QueueClock *clock, Shortage shortage, int64_t at_ns)
{
    const bool runs = clock->queued > 0 && clock->shortage == shortage;
    return clock->waited_ns[shortage] + (runs ? at_ns - clock->since_ns : 0);
}

/* The use of a free GPU, or of an idle node, while a job waits. */
static NodeUse use_of_shortage(Shortage shortage, bool counts_gpus)
{
    static const NodeUse uses[] = {
        [SHORT_OF_GPUS] = USE_STRANDED,          [SHORT_OF_CORES] = USE_SHORT_CORES,
        [SHORT_OF_MEMORY] = USE_SHORT_MEMORY,    [SHORT_OF_LIMIT] = USE_LIMITED,
        [SHORT_OF_NOTICE] = USE_LIMITED,         [SHORT_OF_GUARANTEE] = USE_LIMITED,
        [SHORT_OF_MAINTENANCE] = USE_MAINTENANCE};
    _Static_assert(sizeof uses / sizeof uses[0] == SHORTAGE_COUNT, "one use per shortage");
    return uses[shortage] == USE_STRANDED && !counts_gpus ? USE_GANG : uses[shortage];
}

/* The part of a span that is in the measured part of the run. */
static int64_t measured_ns(const RunMetrics *run, int64_t from_ns, int64_t to_ns)
{
    const MeasureWindow window = run->measure;
    const int64_t begin_ns = from_ns > window.from_ns ? from_ns : window.from_ns;
    const int64_t end_ns =
        window.until_ns != 0 && window.until_ns < to_ns ? window.until_ns : to_ns;
    return run->is_measured && end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* Adds the time of the free GPUs of shared nodes since it was last added. */
static __attribute__((noinline)) void add_free_gpus(MetricsFold *fold, uint32_t id,
                                                    ClusterMetrics *cluster, int64_t at_ns)
{
    const Wide free_gpus =
        (Wide)cluster->shared_nodes * cluster->gpus_per_node - cluster->shared_gpus;
    const Wide free_ns = free_gpus * (at_ns - cluster->shared_since_ns);
    const QueueClock *clock = fold_clock_of(fold, id);
    cluster->use_ns[clock->queued > 0 ? use_of_shortage(clock->shortage, true) : USE_IDLE] +=
        free_ns;
    cluster->shared_free_ns += free_ns;
    cluster->measured_free_ns +=
        free_gpus * measured_ns(&fold->run, cluster->shared_since_ns, at_ns);
    cluster->shared_since_ns = at_ns;
}

void fold_shared_until(MetricsFold *fold, uint32_t id, int64_t at_ns)
{
    if (id >= fold->run.cluster_count)
        return;
    ClusterMetrics *cluster = &fold->run.clusters[id];
    if (cluster->gpus_per_node > 0)
        add_free_gpus(fold, id, cluster, at_ns);
    for (uint32_t k = 0; k < cluster->kind_count; k++)
        if (cluster->kinds[k].gpus_per_node > 0)
            add_free_gpus(fold, id, &cluster->kinds[k], at_ns);
}

/* Brings the clock and the accounts that depend on it up to date, before it changes. */
QueueClock *fold_clock_stop(MetricsFold *fold, uint32_t cluster, int64_t at_ns)
{
    QueueClock *clock = fold_clock_of(fold, cluster);
    fold_shared_until(fold, cluster, at_ns);
    clock->waited_ns[clock->shortage] = clock_read(clock, clock->shortage, at_ns);
    clock->since_ns = at_ns;
    return clock;
}

/* The shortage of the first jobs of the queues: the first of SHORTAGES that one of them has; or
 * maintenance, if it defers all waiting jobs. */
Shortage fold_clock_shortage(const QueueClock *clock)
{
    Shortage shortage = SHORTAGE_COUNT;
    if (clock->deferred > 0 && clock->deferred == clock->queued)
        return SHORT_OF_MAINTENANCE;
    for (uint32_t i = 0; i < clock->first_count; i++)
        if (clock->firsts[i].job != 0 && clock->firsts[i].shortage < shortage)
            shortage = clock->firsts[i].shortage;
    return shortage < SHORTAGE_COUNT ? shortage : SHORT_OF_GPUS;
}

/* A job begins (change 1) or ends (change -1) to wait. */
void fold_clock_turn(MetricsFold *fold, uint32_t cluster, uint32_t job, int64_t at_ns,
                     int32_t change)
{
    QueueClock *clock = fold_clock_stop(fold, cluster, at_ns);
    clock->queued += change;
    for (uint32_t i = 0; i < clock->first_count; i++)
        if (clock->firsts[i].job == job + 1)
            clock->firsts[i].job = 0;
    clock->shortage = fold_clock_shortage(clock);
}

/* The use of a node's time in a state. Attempts give the uses of running time; idle time is
 * split. */
static const NodeUse use_of_state[] = {
    [NODE_PREPARING] = USE_PROVISIONING, [NODE_IDLE] = USE_IDLE,
    [NODE_RUNNING] = USE_UNATTRIBUTED,   [NODE_LEAVING] = USE_LEAVING,
    [NODE_UNUSABLE] = USE_UNUSABLE,
};
_Static_assert(sizeof use_of_state / sizeof use_of_state[0] == NODE_STATE_COUNT, "every state");

/* The node has become idle. */
static void node_reads_clock(MetricsFold *fold, NodeTrack *node)
{
    const QueueClock *clock = fold_clock_of(fold, node->cluster);
    for (int i = 0; i < SHORTAGE_COUNT; i++)
        node->waited_ns[i] = clock_read(clock, (Shortage)i, node->since_ns);
}

/* Adds the time for which a job waited while the node was idle, and returns the rest of it. */
static int64_t book_idle(const QueueClock *clock, const NodeTrack *node, int64_t at_ns,
                         ClusterMetrics *cluster)
{
    int64_t left_ns = at_ns - node->since_ns;
    const int32_t gpus = cluster->gpus_per_node;
    for (int i = 0; i < SHORTAGE_COUNT; i++) {
        const Shortage shortage = (Shortage)i;
        int64_t waited_ns = clock_read(clock, shortage, at_ns) - node->waited_ns[i];
        // A forged trace may move a node to another cluster.
        waited_ns = waited_ns < 0 ? 0 : waited_ns > left_ns ? left_ns : waited_ns;
        if (waited_ns == 0)
            continue;
        cluster->use_ns[use_of_shortage(shortage, gpus > 0)] +=
            (Wide)waited_ns * (gpus > 0 ? gpus : 1);
        left_ns -= waited_ns;
    }
    return left_ns;
}

/* `account` is the node's. */
static void node_book_use(MetricsFold *fold, const NodeTrack *node, ClusterMetrics *account,
                          int64_t at_ns)
{
    const int32_t slots = account->gpus_per_node > 0 ? account->gpus_per_node : 1;
    const int64_t span_ns = node->state == NODE_IDLE ? book_idle(fold_clock_of(fold, node->cluster),
                                                                 node, at_ns, account)
                                                     : at_ns - node->since_ns;
    const NodeUse use = node->is_drained ? USE_DRAINED : use_of_state[node->state];
    account->use_ns[use] += (Wide)span_ns * slots;
}

/* The first job of the cluster asks for GPUs: what was counted for nodes counts for their GPUs. */
static void count_gpus(ClusterMetrics *cluster, int32_t gpus_per_node, int64_t at_ns)
{
    cluster->gpus_per_node = gpus_per_node;
    cluster->shared_since_ns = at_ns;
    for (int use = 0; use < USE_COUNT; use++)
        cluster->use_ns[use] *= gpus_per_node;
    for (int use = 0; use < USE_OF_ATTEMPTS; use++)
        cluster->attempt_ns[use] *= gpus_per_node;
    fold_hours_of_gpus(cluster, gpus_per_node);
    cluster->use_ns[USE_STRANDED] = cluster->use_ns[USE_GANG];
    cluster->use_ns[USE_GANG] = 0;
}

/* The first job of a cluster asks for GPUs of a node with `gpus_per_node`. */
void fold_count_gpus(ClusterMetrics *cluster, int32_t gpus_per_node, int64_t at_ns)
{
    if (cluster->kind_count == 0)
        count_gpus(cluster, gpus_per_node, at_ns);
    for (uint32_t k = 0; k < cluster->kind_count; k++) {
        ClusterMetrics *kind = &cluster->kinds[k];
        if (kind->gpus_per_node == 0)
            count_gpus(kind, kind->gpus_of_kind > 0 ? kind->gpus_of_kind : 1, at_ns);
    }
}

/* The node, which is new, is of a kind. */
void fold_node_kind(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    ClusterMetrics *cluster = cluster_of(fold, row);
    NodeTrack *node = node_of(fold, row);
    if (record->node_kind.kind >= NODE_KINDS_MAX || node->state != NODE_STATE_COUNT)
        return; // of a forged trace
    const uint32_t kind = (uint32_t)record->node_kind.kind;
    const bool counts_gpus = cluster->kind_count > 0 && cluster->kinds[0].gpus_per_node > 0;
    cluster->kinds = array_room(fold->arena, cluster->kinds, kind + 1, &cluster->kind_capacity,
                                sizeof *cluster->kinds);
    if (kind >= cluster->kind_count)
        cluster->kind_count = kind + 1;
    cluster->kinds[kind].kind_name = record->name;
    cluster->kinds[kind].gpus_of_kind =
        (int32_t)(record->node_kind.gpus < INT32_MAX ? record->node_kind.gpus : INT32_MAX);
    node->kind = (uint8_t)kind;
    if (counts_gpus)
        fold_count_gpus(cluster, 0, record->at_ns);
}

/* Adds the time since the node's last transition to its state and use. `account` is the node's. */
static void node_close_span(MetricsFold *fold, NodeTrack *node, ClusterMetrics *account,
                            int64_t at_ns)
{
    if (node->state == NODE_STATE_COUNT)
        return;
    const int64_t span_ns = at_ns - node->since_ns;
    if (node->state == NODE_RUNNING)
        fold->run.measured_running_ns += measured_ns(&fold->run, node->since_ns, at_ns);
    else
        node_book_use(fold, node, account, at_ns);
    account->state_ns[node->state] += span_ns;
    account->drained_ns += node->is_drained ? span_ns : 0;
    if (node->job != ID_NONE)
        add(&job_at(fold, node->job)->node_ns, span_ns);
    node->since_ns = at_ns;
}

/* NODE_STATE_COUNT for a released node, and for the unknown name of a forged trace. */
static NodeState state_called(const MetricsFold *fold, const char *name)
{
    const int index = fold_name_index(fold->node_states, NODE_STATE_COUNT + 1, name);
    return index < NODE_STATE_COUNT ? (NodeState)index : NODE_STATE_COUNT;
}

static void count_nodes(ClusterMetrics *cluster, int32_t change)
{
    cluster->nodes_now += change;
    if (cluster->nodes_now > cluster->nodes_max)
        cluster->nodes_max = cluster->nodes_now;
}

void fold_node_state(MetricsFold *fold, const TraceRow *row)
{
    ClusterMetrics *cluster = cluster_of(fold, row);
    NodeTrack *node = node_of(fold, row);
    ClusterMetrics *account = account_of(fold, node->cluster, node->kind);
    const bool was_held = node->state != NODE_STATE_COUNT;
    node_close_span(fold, node, account, row->record.at_ns);
    fold_shared_until(fold, node->cluster, row->record.at_ns);
    account->shared_nodes -= node->is_shared;
    if (node->job != ID_NONE)
        job_at(fold, node->job)->nodes_now--;
    node->state = state_called(fold, row->record.name);
    node->since_ns = row->record.at_ns;
    node->is_drained = node->state == NODE_UNUSABLE && trace_cause_drains(row->record.cause);
    if (node->state == NODE_IDLE)
        node_reads_clock(fold, node);
    node->job = ID_NONE;
    const int32_t change = (node->state != NODE_STATE_COUNT) - was_held;
    count_nodes(cluster, change);
    if (account != cluster)
        count_nodes(account, change);
    node->is_shared = node->state == NODE_RUNNING && row->job == NULL;
    account->shared_nodes += node->is_shared;
    if (node->state == NODE_RUNNING && row->job != NULL) {
        JobMetrics *job = job_of(fold, row);
        job->kind = node->kind;
        node->job = row->record.job.index;
        job->nodes_now++;
        if (job->nodes_now > job->nodes_max)
            job->nodes_max = job->nodes_now;
    }
}

void fold_node_billed(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    cluster_of(fold, row);
    ClusterMetrics *cluster = account_of(fold, record->cluster.index, node_of(fold, row)->kind);
    const int64_t billed_ns = record->node_billed.billed_ns,
                  micro_usd_per_hour = record->node_billed.micro_usd_per_hour;
    const bool is_priced = price_is_known(micro_usd_per_hour);
    const int64_t micro_usd = cost_micro_usd(billed_ns, micro_usd_per_hour);
    const int64_t held_ns = record->at_ns - record->since_ns,
                  in_window_ns = measured_ns(&fold->run, record->since_ns, record->at_ns);
    cluster->held_ns += held_ns;
    if (fold->cycle_hours > 0)
        fold_held_hours(fold, cluster, record);
    cluster->billed_ns += billed_ns;
    add(&cluster->cost_micro_usd, micro_usd);
    cluster->is_unpriced |= !is_priced;
    fold->run.is_unpriced |= cluster->is_unpriced;
    fold->run.measured_held_ns += in_window_ns;
    if (in_window_ns > 0)
        add(&fold->run.measured_micro_usd, capped_proportion(micro_usd, in_window_ns, held_ns));
    if (strcmp(record->name, "held") == 0) {
        fold->run.held_nodes++;
        add(&fold->run.held_micro_usd_per_hour, is_priced ? micro_usd_per_hour : 0);
    }
}

void fold_nodes_end(MetricsFold *fold, int64_t at_ns)
{
    for (uint32_t i = 0; i < fold->node_count; i++) {
        NodeTrack *node = &fold->nodes[i];
        node_close_span(fold, node, account_of(fold, node->cluster, node->kind), at_ns);
    }
    for (uint32_t i = 0; i < fold->run.cluster_count; i++)
        fold_shared_until(fold, i, at_ns);
}
