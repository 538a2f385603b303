#include "sim/output/metrics/metrics.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/capped.h"
#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/cloud/job/attempt.h"
#include "sim/model/price.h"

#define GIB (INT64_C(1) << 30)

/* A node as the fold sees it. */
typedef struct {
    NodeState state; /* NODE_STATE_COUNT before and after its life */
    int64_t since_ns;
    int64_t waited_ns[SHORTAGE_COUNT]; /* QueueClock of its cluster when it became idle */
    uint32_t cluster;
    bool is_shared;
    uint32_t job; /* ID_NONE unless it has the whole node */
    uint8_t kind; /* index in ClusterMetrics.kinds */
} NodeTrack;

/* The first job of a queue of a cluster. */
typedef struct {
    uint32_t job; /* 1 + its index; 0: none is known */
    Shortage shortage;
} QueueFirst;

/* How long at least one job has waited on a cluster, by shortage. The time that
 * an idle node waits for its gang is the difference of two readings, however many jobs come and go
 * in between. */
typedef struct {
    int32_t queued;    /* jobs that wait now ... */
    Shortage shortage; /* ... for this */
    int64_t since_ns;
    int64_t waited_ns[SHORTAGE_COUNT]; /* up to since_ns */
    QueueFirst *firsts;                /* [queue], if the records name them */
    uint32_t first_count, first_capacity;
} QueueClock;

struct MetricsFold {
    Arena *arena;
    const char *node_states[NODE_STATE_COUNT]; /* their names in records */
    const char *job_states[JOB_STATE_COUNT];
    const char *job_stages[STAGE_COUNT];
    const char *shortages[SHORTAGE_COUNT];
    RunMetrics run;
    uint32_t cluster_capacity, piece_capacity, job_cluster_capacity, share_capacity, file_capacity,
        refused_capacity;
    NodeTrack *nodes; /* [NodeId.index] */
    uint32_t node_count, node_capacity;
    QueueClock *clocks; /* [ClusterId.index], zero until a job waits there */
    uint32_t clock_capacity;
    uint32_t error_capacity, file_server_capacity;
    NameTable *file_index;  /* "account/share/path" -> index in run.files */
    NameTable *error_index; /* "cluster/what" -> index in run.errors */
};

/* The index of `name` in `names`; `count`: it is not one of them. The records of a world have the
 * names in the table themselves, so a comparison of texts is rare. */
static int index_of_name(const char *const *names, int count, const char *name)
{
    int i = 0;
    while (i < count && names[i] != name)
        i++;
    if (i < count || name == NULL)
        return i;
    for (i = 0; i < count && strcmp(names[i], name) != 0;)
        i++;
    return i;
}

static void add(int64_t *sum, int64_t value)
{
    *sum = capped_sum(*sum, value);
}

/* --- Clusters, jobs and shares, created when first mentioned --- */

static __attribute__((noinline)) void add_clusters(MetricsFold *fold, uint32_t id)
{
    RunMetrics *run = &fold->run;
    for (; run->cluster_count <= id; run->cluster_count++) {
        run->clusters = array_room(fold->arena, run->clusters, run->cluster_count + 1,
                                   &fold->cluster_capacity, sizeof *run->clusters);
        run->clusters[run->cluster_count] = (ClusterMetrics){.created_ns = METRIC_NEVER,
                                                             .steady_ns = METRIC_NEVER,
                                                             .ready_ns = METRIC_NEVER,
                                                             .deleted_ns = METRIC_NEVER};
    }
}

static inline ClusterMetrics *cluster_of(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t id = row->record.cluster.index;
    if (id >= run->cluster_count)
        add_clusters(fold, id);
    run->clusters[id].path = row->cluster;
    return &run->clusters[id];
}

static const JobDetails no_details = {.prepared_ns = METRIC_NEVER};

const JobDetails *job_details(const JobMetrics *job)
{
    return job->details != NULL ? job->details : &no_details;
}

int64_t job_use_ns(const JobMetrics *job, NodeUse use)
{
    return use == USE_USEFUL ? job->useful_ns : job_details(job)->use_ns[use];
}

/* The details of the job, to change them. */
static JobDetails *details_of(MetricsFold *fold, JobMetrics *job)
{
    if (job->details == NULL) {
        job->details = ARENA_NEW(fold->arena, JobDetails);
        *job->details = no_details;
    }
    return job->details;
}

static void training_forget_attempt(TrainingMetrics *training)
{
    training->begun_ns = METRIC_NEVER;
    training->trained_ns = METRIC_NEVER;
    training->epochs = 0;
    training->step_count = 0;
}

static void job_forget_attempt(JobMetrics *job)
{
    job->started_ns = METRIC_NEVER;
    job->ended_ns = METRIC_NEVER;
    if (job->details == NULL)
        return;
    job->details->prepared_ns = METRIC_NEVER;
    job->details->error = NULL;
    if (job->details->training != NULL)
        training_forget_attempt(job->details->training);
}

static JobMetrics *job_at(MetricsFold *fold, uint32_t id)
{
    return &fold->run.job_pieces[id / JOBS_A_PIECE][id % JOBS_A_PIECE];
}

static __attribute__((noinline)) void add_job(MetricsFold *fold)
{
    RunMetrics *run = &fold->run;
    const uint32_t id = run->job_count++;
    if (id % JOBS_A_PIECE == 0) {
        run->job_pieces = array_room(fold->arena, run->job_pieces, id / JOBS_A_PIECE + 1,
                                     &fold->piece_capacity, sizeof *run->job_pieces);
        run->job_pieces[id / JOBS_A_PIECE] = ARENA_ARRAY(fold->arena, JobMetrics, JOBS_A_PIECE);
    }
    JobMetrics *job = job_at(fold, id);
    *job = (JobMetrics){.submitted_ns = METRIC_NEVER,
                        .queued_since_ns = METRIC_NEVER,
                        .exit_code = -1,
                        .state = JOB_STATE_COUNT,
                        .cluster = {ID_NONE}};
    job_forget_attempt(job);
}

static __attribute__((noinline)) void job_is_on(MetricsFold *fold, JobMetrics *job,
                                                const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t cluster = row->record.cluster.index;
    job->cluster = row->record.cluster;
    if (cluster == ID_NONE)
        return;
    run->job_clusters = array_room(fold->arena, run->job_clusters, cluster + 1,
                                   &fold->job_cluster_capacity, sizeof *run->job_clusters);
    run->job_clusters[cluster] = row->cluster;
}

static inline JobMetrics *job_of(MetricsFold *fold, const TraceRow *row)
{
    const uint32_t id = row->record.job.index;
    while (fold->run.job_count <= id)
        add_job(fold);
    JobMetrics *job = job_at(fold, id);
    job->path = row->job;
    if (job->cluster.index != row->record.cluster.index)
        job_is_on(fold, job, row);
    return job;
}

static ShareMetrics *share_of(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t id = row->record.share.index;
    for (; run->share_count <= id; run->share_count++) {
        run->shares = array_room(fold->arena, run->shares, run->share_count + 1,
                                 &fold->share_capacity, sizeof *run->shares);
        run->shares[run->share_count] = (ShareMetrics){0};
    }
    run->shares[id].name = row->share;
    return &run->shares[id];
}

static __attribute__((noinline)) void add_nodes(MetricsFold *fold, uint32_t id)
{
    for (; fold->node_count <= id; fold->node_count++) {
        fold->nodes = array_room(fold->arena, fold->nodes, fold->node_count + 1,
                                 &fold->node_capacity, sizeof *fold->nodes);
        fold->nodes[fold->node_count] = (NodeTrack){.state = NODE_STATE_COUNT, .job = ID_NONE};
    }
}

static inline NodeTrack *node_of(MetricsFold *fold, const TraceRow *row)
{
    const uint32_t id = row->record.node.index;
    if (id >= fold->node_count)
        add_nodes(fold, id);
    fold->nodes[id].cluster = row->record.cluster.index;
    return &fold->nodes[id];
}

/* --- Clusters and nodes --- */

static void note_first(int64_t *moment_ns, int64_t at_ns)
{
    if (*moment_ns == METRIC_NEVER)
        *moment_ns = at_ns;
}

static void cluster_provisioning(MetricsFold *fold, const TraceRow *row)
{
    ClusterMetrics *cluster = cluster_of(fold, row);
    cluster->provisioning = row->record.name;
    note_first(&cluster->created_ns, row->record.at_ns);
    if (strcmp(row->record.name, provisioning_state_name(PROVISIONING_DELETED)) == 0)
        cluster->deleted_ns = row->record.at_ns;
}

static void cluster_allocation(MetricsFold *fold, const TraceRow *row)
{
    ClusterMetrics *cluster = cluster_of(fold, row);
    cluster->allocation = row->record.name;
    if (strcmp(row->record.name, allocation_state_name(ALLOCATION_STEADY)) == 0)
        note_first(&cluster->steady_ns, row->record.at_ns);
}

static void cluster_ready(MetricsFold *fold, const TraceRow *row)
{
    note_first(&cluster_of(fold, row)->ready_ns, row->record.at_ns);
}

/* --- Where node time goes --- */

static QueueClock *clock_of(MetricsFold *fold, uint32_t cluster)
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
    static const NodeUse uses[] = {[SHORT_OF_GPUS] = USE_STRANDED,
                                   [SHORT_OF_CORES] = USE_SHORT_CORES,
                                   [SHORT_OF_MEMORY] = USE_SHORT_MEMORY,
                                   [SHORT_OF_LIMIT] = USE_LIMITED,
                                   [SHORT_OF_GUARANTEE] = USE_LIMITED};
    _Static_assert(sizeof uses / sizeof uses[0] == SHORTAGE_COUNT, "one use per shortage");
    return uses[shortage] == USE_STRANDED && !counts_gpus ? USE_GANG : uses[shortage];
}

/* The account of nodes of a kind: of the cluster itself if it has one kind only. */
static inline ClusterMetrics *account_of(MetricsFold *fold, uint32_t cluster, uint8_t kind)
{
    ClusterMetrics *all = &fold->run.clusters[cluster];
    return kind < all->kind_count ? &all->kinds[kind] : all;
}

/* Adds the time of the free GPUs of shared nodes since it was last added. */
static __attribute__((noinline)) void add_free_gpus(MetricsFold *fold, uint32_t id,
                                                    ClusterMetrics *cluster, int64_t at_ns)
{
    const Wide free_gpus =
        (Wide)cluster->shared_nodes * cluster->gpus_per_node - cluster->shared_gpus;
    const Wide free_ns = free_gpus * (at_ns - cluster->shared_since_ns);
    const QueueClock *clock = clock_of(fold, id);
    cluster->use_ns[clock->queued > 0 ? use_of_shortage(clock->shortage, true) : USE_IDLE] +=
        free_ns;
    cluster->shared_free_ns += free_ns;
    cluster->shared_since_ns = at_ns;
}

static inline void shared_close_span(MetricsFold *fold, uint32_t id, int64_t at_ns)
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
static QueueClock *clock_stop(MetricsFold *fold, uint32_t cluster, int64_t at_ns)
{
    QueueClock *clock = clock_of(fold, cluster);
    shared_close_span(fold, cluster, at_ns);
    clock->waited_ns[clock->shortage] = clock_read(clock, clock->shortage, at_ns);
    clock->since_ns = at_ns;
    return clock;
}

/* The shortage of the first jobs of the queues: the first of SHORTAGES that one of them has. */
static Shortage shortage_of(const QueueClock *clock)
{
    Shortage shortage = SHORTAGE_COUNT;
    for (uint32_t i = 0; i < clock->first_count; i++)
        if (clock->firsts[i].job != 0 && clock->firsts[i].shortage < shortage)
            shortage = clock->firsts[i].shortage;
    return shortage < SHORTAGE_COUNT ? shortage : SHORT_OF_GPUS;
}

/* A job begins (change 1) or ends (change -1) to wait. */
static void clock_turn(MetricsFold *fold, uint32_t cluster, uint32_t job, int64_t at_ns,
                       int32_t change)
{
    QueueClock *clock = clock_stop(fold, cluster, at_ns);
    clock->queued += change;
    for (uint32_t i = 0; i < clock->first_count; i++)
        if (clock->firsts[i].job == job + 1)
            clock->firsts[i].job = 0;
    clock->shortage = shortage_of(clock);
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
    const QueueClock *clock = clock_of(fold, node->cluster);
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
    const int64_t span_ns = node->state == NODE_IDLE
                                ? book_idle(clock_of(fold, node->cluster), node, at_ns, account)
                                : at_ns - node->since_ns;
    account->use_ns[use_of_state[node->state]] += (Wide)span_ns * slots;
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
    cluster->use_ns[USE_STRANDED] = cluster->use_ns[USE_GANG];
    cluster->use_ns[USE_GANG] = 0;
}

/* The first job of a cluster asks for GPUs of a node with `gpus_per_node`. */
static void begin_to_count_gpus(ClusterMetrics *cluster, int32_t gpus_per_node, int64_t at_ns)
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
static void node_kind(MetricsFold *fold, const TraceRow *row)
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
        begin_to_count_gpus(cluster, 0, record->at_ns);
}

/* Converts times of GPUs to times of nodes with `slots` GPUs each. The parts are rounded down, and
 * what is missing of the sum goes to the largest remainders, the first among equals. */
static void to_node_time(Wide *use_ns, int32_t slots)
{
    Wide sum_ns = 0, rest_ns = 0;
    Wide left[USE_COUNT];
    for (int use = 0; use < USE_COUNT; use++) {
        sum_ns += use_ns[use];
        left[use] = use_ns[use] % slots;
        use_ns[use] /= slots;
        rest_ns += use_ns[use];
    }
    for (rest_ns = sum_ns / slots - rest_ns; rest_ns > 0; rest_ns--) {
        int largest = 0;
        for (int use = 1; use < USE_COUNT; use++)
            if (left[use] > left[largest])
                largest = use;
        use_ns[largest]++;
        left[largest] = -1;
    }
}

ClusterMetrics cluster_total(const ClusterMetrics *cluster)
{
    ClusterMetrics total = *cluster;
    for (uint32_t k = 0; k < cluster->kind_count; k++) {
        const ClusterMetrics *kind = &cluster->kinds[k];
        for (int state = 0; state < NODE_STATE_COUNT; state++)
            total.state_ns[state] += kind->state_ns[state];
        total.held_ns += kind->held_ns;
        total.billed_ns += kind->billed_ns;
        add(&total.cost_micro_usd, kind->cost_micro_usd);
        total.is_unpriced |= kind->is_unpriced;
        if (kind->gpus_per_node > total.gpus_per_node)
            total.gpus_per_node = kind->gpus_per_node;
    }
    return total;
}

static bool uses_of_one_kind(const ClusterMetrics *cluster, Wide *use_ns)
{
    Wide attempts_ns = 0, sum_ns = 0;
    for (int use = 0; use < USE_COUNT; use++)
        use_ns[use] = cluster->use_ns[use];
    for (int use = 0; use < USE_OF_ATTEMPTS; use++) {
        attempts_ns += cluster->attempt_ns[use];
        use_ns[use] += cluster->attempt_ns[use];
    }
    const int32_t slots = cluster->gpus_per_node > 0 ? cluster->gpus_per_node : 1;
    const Wide running_ns = cluster->state_ns[NODE_RUNNING] * slots - cluster->shared_free_ns;
    use_ns[USE_UNATTRIBUTED] = running_ns > attempts_ns ? running_ns - attempts_ns : 0;
    if (slots > 1)
        to_node_time(use_ns, slots);
    for (int use = 0; use < USE_COUNT; use++)
        sum_ns += use_ns[use];
    return sum_ns == cluster->held_ns;
}

bool cluster_uses(const ClusterMetrics *cluster, Wide *use_ns)
{
    bool adds_up = uses_of_one_kind(cluster, use_ns);
    for (uint32_t k = 0; k < cluster->kind_count; k++) {
        Wide of_kind_ns[USE_COUNT];
        adds_up &= uses_of_one_kind(&cluster->kinds[k], of_kind_ns);
        for (int use = 0; use < USE_COUNT; use++)
            use_ns[use] += of_kind_ns[use];
    }
    return adds_up;
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

int64_t job_node_time_ns(const JobMetrics *job, int64_t time_ns)
{
    return job->gpus_per_node > 0 ? time_ns / job->gpus_per_node : time_ns;
}

static Wide busy_ns_of_one_kind(const ClusterMetrics *cluster)
{
    const Wide running_ns = cluster->state_ns[NODE_RUNNING];
    const int32_t slots = cluster->gpus_per_node;
    return slots > 0 ? (running_ns * slots - cluster->shared_free_ns) / slots : running_ns;
}

Wide cluster_busy_ns(const ClusterMetrics *cluster)
{
    Wide busy_ns = busy_ns_of_one_kind(cluster);
    for (uint32_t k = 0; k < cluster->kind_count; k++)
        busy_ns += busy_ns_of_one_kind(&cluster->kinds[k]);
    return busy_ns;
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
    if (node->job != ID_NONE)
        add(&job_at(fold, node->job)->node_ns, span_ns);
    node->since_ns = at_ns;
}

static void count_nodes(ClusterMetrics *cluster, int32_t change)
{
    cluster->nodes_now += change;
    if (cluster->nodes_now > cluster->nodes_max)
        cluster->nodes_max = cluster->nodes_now;
}

static void node_state(MetricsFold *fold, const TraceRow *row)
{
    ClusterMetrics *cluster = cluster_of(fold, row);
    NodeTrack *node = node_of(fold, row);
    ClusterMetrics *account = account_of(fold, node->cluster, node->kind);
    const bool was_held = node->state != NODE_STATE_COUNT;
    node_close_span(fold, node, account, row->record.at_ns);
    shared_close_span(fold, node->cluster, row->record.at_ns);
    account->shared_nodes -= node->is_shared;
    if (node->job != ID_NONE)
        job_at(fold, node->job)->nodes_now--;
    node->state = (NodeState)index_of_name(fold->node_states, NODE_STATE_COUNT, row->record.name);
    node->since_ns = row->record.at_ns;
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

static void node_billed(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    cluster_of(fold, row);
    ClusterMetrics *cluster = account_of(fold, record->cluster.index, node_of(fold, row)->kind);
    const int64_t billed_ns = record->node_billed.billed_ns,
                  micro_usd_per_hour = record->node_billed.micro_usd_per_hour;
    const bool is_priced = price_is_known(micro_usd_per_hour);
    const int64_t micro_usd =
        is_priced ? capped_proportion(billed_ns, micro_usd_per_hour, NS_PER_HOUR) : 0;
    const int64_t held_ns = record->at_ns - record->since_ns,
                  in_window_ns = measured_ns(&fold->run, record->since_ns, record->at_ns);
    cluster->held_ns += held_ns;
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

/* --- Jobs --- */

/* Adds the time that `job` has waited, if it is waiting. */
static void job_close_wait(MetricsFold *fold, uint32_t id, int64_t at_ns)
{
    JobMetrics *job = job_at(fold, id);
    if (job->queued_since_ns == METRIC_NEVER)
        return;
    add(&job->queue_ns, at_ns - job->queued_since_ns);
    job->queued_since_ns = METRIC_NEVER;
    clock_turn(fold, job->queue_cluster, id, at_ns, -1);
}

static void job_begins_wait(MetricsFold *fold, uint32_t id, int64_t at_ns)
{
    JobMetrics *job = job_at(fold, id);
    job->queued_since_ns = at_ns;
    job->queue_cluster = job->cluster.index;
    clock_turn(fold, job->queue_cluster, id, at_ns, 1);
}

/* The job is the first of its queue. */
static void job_waits(MetricsFold *fold, const TraceRow *row)
{
    enum { QUEUES_MAX = 1 << 16 }; // a forged trace may have any numbers
    const TraceRecord *record = &row->record;
    const int64_t queue = record->job_waits.queue;
    const int shortage = index_of_name(fold->shortages, SHORTAGE_COUNT, record->name);
    const JobMetrics *job = job_of(fold, row);
    if (queue >= QUEUES_MAX || shortage == SHORTAGE_COUNT || job->queued_since_ns == METRIC_NEVER)
        return;
    QueueClock *clock = clock_stop(fold, record->cluster.index, record->at_ns);
    clock->firsts = array_room(fold->arena, clock->firsts, (uint32_t)queue + 1,
                               &clock->first_capacity, sizeof *clock->firsts);
    if (clock->first_count <= queue)
        clock->first_count = (uint32_t)queue + 1;
    clock->firsts[queue] = (QueueFirst){record->job.index + 1, (Shortage)shortage};
    clock->shortage = shortage_of(clock);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The job takes GPUs of a node. */
static void job_placed(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    // A forged trace may have any numbers.
    const int64_t most = smaller(record->job_placed.gpus_per_node, INT32_MAX);
    const int32_t gpus_per_node = most > 0 ? (int32_t)most : 1; // a node without GPUs is one slot
    const int64_t gpus = smaller(record->job_placed.gpus, gpus_per_node);
    JobMetrics *job = job_of(fold, row);
    const uint8_t kind = node_of(fold, row)->kind;
    ClusterMetrics *all = cluster_of(fold, row);
    ClusterMetrics *cluster = account_of(fold, record->cluster.index, kind);
    if (cluster->gpus_per_node == 0)
        begin_to_count_gpus(all, gpus_per_node, record->at_ns);
    job->kind = kind;
    shared_close_span(fold, record->cluster.index, record->at_ns);
    cluster->shared_gpus += gpus;
    job->gpus_now = (int32_t)smaller(job->gpus_now + gpus, INT32_MAX);
    job->gpus_per_node = gpus_per_node;
    if (++job->nodes_now > job->nodes_max)
        job->nodes_max = job->nodes_now;
}

/* The job gives back the GPUs of shared nodes. */
static void job_leaves_gpus(MetricsFold *fold, const TraceRow *row, JobMetrics *job)
{
    const TraceRecord *record = &row->record;
    shared_close_span(fold, record->cluster.index, record->at_ns);
    cluster_of(fold, row);
    account_of(fold, record->cluster.index, job->kind)->shared_gpus -= job->gpus_now;
    add(&job->node_ns, capped_product(job->gpus_now, record->at_ns - record->since_ns));
    job->gpus_now = 0;
    job->nodes_now = 0;
}

static void job_attempt(MetricsFold *fold, const TraceRow *row)
{
    JobMetrics *job = job_of(fold, row);
    cluster_of(fold, row);
    ClusterMetrics *cluster = account_of(fold, row->record.cluster.index, job->kind);
    const bool is_of_gpus = job->gpus_per_node > 0;
    const int32_t slots = cluster->gpus_per_node > 0 && !is_of_gpus ? cluster->gpus_per_node : 1;
    Wide *attempt_ns = cluster->attempt_ns;
    job->attempts++;
    const TraceRecord *record = &row->record;
    if (is_of_gpus)
        job_leaves_gpus(fold, row, job);
    const int64_t use_ns[] = {
        [USE_USEFUL] = record->job_attempt.kept_ns,
        [USE_EXCHANGE] = record->job_attempt.exchange_ns,
        [USE_INPUT] = record->job_attempt.input_ns,
        [USE_GANG] = record->job_attempt.gang_ns,
        [USE_STARTUP] = record->job_attempt.startup_ns,
        [USE_CHECKPOINT] = record->job_attempt.checkpoint_ns,
        [USE_LOST] = record->job_attempt.lost_ns,
    };
    _Static_assert(sizeof use_ns / sizeof use_ns[0] == USE_OF_ATTEMPTS, "one value per use");
    add(&job->useful_ns, use_ns[USE_USEFUL]);
    if (job->details != NULL && job->details->training != NULL)
        add(&job->details->training->epochs_kept, record->job_attempt.epochs_kept);
    for (int use = 0; use < USE_OF_ATTEMPTS; use++) {
        if (use_ns[use] == 0)
            continue; // the usual case
        if (use != USE_USEFUL)
            add(&details_of(fold, job)->use_ns[use], use_ns[use]);
        attempt_ns[use] += (Wide)use_ns[use] * slots;
    }
}

static void job_state(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    JobMetrics *job = job_of(fold, row);
    note_first(&job->submitted_ns, record->at_ns);
    job_close_wait(fold, record->job.index, record->at_ns);
    const int state = index_of_name(fold->job_states, JOB_STATE_COUNT, record->name);
    if (state == JOB_QUEUED) {
        job_begins_wait(fold, record->job.index, record->at_ns);
        if (job->state != JOB_STATE_COUNT) {
            job->restarts++;
            job_forget_attempt(job);
        }
    }
    if (state == JOB_RUNNING)
        job->started_ns = record->at_ns;
    if (state == JOB_SUCCEEDED || state == JOB_FAILED)
        job->ended_ns = record->at_ns;
    job->state = (uint8_t)state;
    job->exit_code = (int32_t)smaller(record->job_state.exit_code, INT32_MAX);
    job->is_rejected = record->cause == CAUSE_FULL_QUEUE;
}

static void job_provisioning(MetricsFold *fold, const TraceRow *row)
{
    note_first(&job_of(fold, row)->submitted_ns, row->record.at_ns);
}

static void job_error(MetricsFold *fold, const TraceRow *row)
{
    details_of(fold, job_of(fold, row))->error = row->record.name;
}

static void job_stage(MetricsFold *fold, const TraceRow *row)
{
    JobMetrics *job = job_of(fold, row);
    if (index_of_name(fold->job_stages, STAGE_COUNT, row->record.name) <= STAGE_PREPARATION)
        details_of(fold, job)->prepared_ns =
            row->record.at_ns; // in order of time, so the last stage's end stays
}

/* The training of the job that the row is about; made when it is first mentioned. */
static TrainingMetrics *training_of(MetricsFold *fold, const TraceRow *row)
{
    JobDetails *details = details_of(fold, job_of(fold, row));
    if (details->training == NULL) {
        details->training = ARENA_NEW(fold->arena, TrainingMetrics);
        training_forget_attempt(details->training);
    }
    return details->training;
}

static void job_training(MetricsFold *fold, const TraceRow *row)
{
    TrainingMetrics *training = training_of(fold, row);
    training->begun_ns = row->record.at_ns;
    training->ranks = row->record.job_training.ranks;
    training->steps_per_epoch = row->record.job_training.steps;
    training->epochs_planned = row->record.job_training.epochs;
}

static void job_trained(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    TrainingMetrics *training = training_of(fold, row);
    training->trained_ns = record->at_ns;
    training->epochs = training->epochs_planned;
    training->steps = record->job_trained.steps;
    training->parts = record->job_trained.parts;
    training->evaluate_ns = record->job_trained.evaluate_ns;
    training->checkpoint_ns = record->job_trained.checkpoint_ns;
    training->accuracy_ppm = record->job_trained.accuracy_ppm;
    training->loss_micro = record->job_trained.loss_micro;
}

static void epoch(MetricsFold *fold, const TraceRow *row)
{
    training_of(fold, row)->epochs = row->record.epoch.epoch;
}

static void step(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    if (record->step.rank != 0)
        return; // a step is equally long for all ranks
    TrainingMetrics *training = training_of(fold, row);
    training->step_ns = array_room(fold->arena, training->step_ns, training->step_count + 1,
                                   &training->step_capacity, sizeof *training->step_ns);
    training->step_ns[training->step_count++] = record->at_ns - record->since_ns;
}

/* --- Shares --- */

/* Adds the storage that `file` has used since it was last written. */
static void file_close_span(RunMetrics *run, const FileMetrics *file, int64_t at_ns)
{
    if (file->is_gone)
        return;
    const Wide bytes_ns = (Wide)(at_ns - file->written_ns) * file->bytes;
    run->shares[file->share.index].stored_gib_ns += bytes_ns > 0 ? bytes_ns / GIB : 0;
}

static const char *file_name(const MetricsFold *fold, const TraceRow *row)
{
    return arena_printf(fold->arena, "%s/%s", row->share, row->record.name);
}

static FileMetrics *file_of(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const char *name = file_name(fold, row);
    uint32_t index = run->file_count;
    if (name_table_find(fold->file_index, name, &index))
        return &run->files[index];
    name_table_set(fold->file_index, name, index);
    run->file_count++;
    run->files = array_room(fold->arena, run->files, run->file_count, &fold->file_capacity,
                            sizeof *run->files);
    run->files[index] = (FileMetrics){.share = row->record.share, .path = row->record.name};
    return &run->files[index];
}

static void file_written(MetricsFold *fold, const TraceRow *row)
{
    share_of(fold, row);
    FileMetrics *file = file_of(fold, row);
    file_close_span(&fold->run, file, row->record.at_ns);
    file->share = row->record.share; // a deleted file of the same name is another file
    file->bytes = row->record.bytes;
    file->written_ns = row->record.at_ns;
    file->is_gone = false;
}

static void file_is_deleted(MetricsFold *fold, FileMetrics *file, int64_t at_ns)
{
    file_close_span(&fold->run, file, at_ns);
    file->is_gone = true;
}

static void file_deleted(MetricsFold *fold, const TraceRow *row)
{
    uint32_t index;
    if (name_table_find(fold->file_index, file_name(fold, row), &index))
        file_is_deleted(fold, &fold->run.files[index], row->record.at_ns);
}

/* Deleting a share deletes its files. */
static void resource_deleted(MetricsFold *fold, const TraceRow *row)
{
    for (uint32_t i = 0; row->share != NULL && i < fold->run.file_count; i++)
        if (fold->run.files[i].share.index == row->record.share.index)
            file_is_deleted(fold, &fold->run.files[i], row->record.at_ns);
}

/* --- What went wrong --- */

/* Many nodes may have the same error. */
static const char *error_words(MetricsFold *fold, const TraceRow *row)
{
    Text words = {0};
    trace_row_print_error(&words, row);
    const char *kept = arena_strdup(fold->arena, text_string(&words));
    text_free(&words);
    return kept;
}

static void error_add(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const bool is_of_nodes = record->kind == TRACE_NODE_ERROR;
    RunMetrics *run = &fold->run;
    const uint32_t index = run->error_count++;
    run->errors = array_room(fold->arena, run->errors, run->error_count, &fold->error_capacity,
                             sizeof *run->errors);
    run->errors[index] = (ErrorMetrics){.cluster = record->cluster,
                                        .what = is_of_nodes ? error_words(fold, row) : record->name,
                                        .cause = record->cause,
                                        .is_of_nodes = is_of_nodes,
                                        .first_ns = record->at_ns};
    cluster_of(fold, row);
}

static void something_failed(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const bool is_of_nodes = row->record.kind == TRACE_NODE_ERROR;
    Text name = {0};
    text_printf(&name, "%s/%d/", row->cluster, is_of_nodes);
    if (is_of_nodes)
        trace_row_print_error(&name, row);
    else
        text_add(&name, row->record.name);
    uint32_t index = run->error_count;
    if (!name_table_find(fold->error_index, text_string(&name), &index) && index < ERRORS_KEPT) {
        name_table_set(fold->error_index, text_string(&name), index);
        error_add(fold, row);
    }
    text_free(&name);
    if (index == run->error_count) {
        run->errors_left_out++;
        return;
    }
    run->errors[index].count++;
    run->errors[index].last_ns = row->record.at_ns;
}

static void file_server_billed(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t index = run->file_server_count++;
    run->file_servers = array_room(fold->arena, run->file_servers, run->file_server_count,
                                   &fold->file_server_capacity, sizeof *run->file_servers);
    const int64_t billed_ns = row->record.file_server_billed.billed_ns,
                  micro_usd_per_hour = row->record.file_server_billed.micro_usd_per_hour;
    const bool is_priced = price_is_known(micro_usd_per_hour);
    run->file_servers[index] = (FileServerMetrics){
        .name = row->record.name,
        .billed_ns = billed_ns,
        .cost_micro_usd =
            is_priced ? capped_proportion(billed_ns, micro_usd_per_hour, NS_PER_HOUR) : 0,
        .is_unpriced = !is_priced};
    run->is_unpriced |= run->file_servers[index].is_unpriced;
}

/* --- The run --- */

static void command_refused(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t index = run->refused_count++;
    run->refused = array_room(fold->arena, run->refused, run->refused_count,
                              &fold->refused_capacity, sizeof *run->refused);
    run->refused[index] = (RefusedCommand){.at_ns = row->record.at_ns,
                                           .is_refusal = row->record.kind == TRACE_COMMAND_REFUSED,
                                           .what = row->record.name};
}

static void run_ended(MetricsFold *fold, const TraceRow *row)
{
    for (uint32_t i = 0; i < fold->node_count; i++) {
        NodeTrack *node = &fold->nodes[i];
        node_close_span(fold, node, account_of(fold, node->cluster, node->kind), row->record.at_ns);
    }
    for (uint32_t i = 0; i < fold->run.cluster_count; i++)
        shared_close_span(fold, i, row->record.at_ns);
    for (uint32_t i = 0; i < fold->run.job_count; i++)
        job_close_wait(fold, i, row->record.at_ns);
    for (uint32_t i = 0; i < fold->run.file_count; i++)
        file_close_span(&fold->run, &fold->run.files[i], row->record.at_ns);
    fold->run.is_ended = true;
    fold->run.given_up = row->record.name;
    fold->run.events = row->record.run_ended.events;
    fold->run.draws = row->record.run_ended.draws;
}

/* The function for records of each kind; NULL: they change nothing. */
static void (*const folds[])(MetricsFold *fold, const TraceRow *row) = {
    [TRACE_COMMAND_APPLIED] = NULL,
    [TRACE_COMMAND_SKIPPED] = command_refused,
    [TRACE_COMMAND_REFUSED] = command_refused,
    [TRACE_RESOURCE_CREATED] = NULL,
    [TRACE_RESOURCE_DELETED] = resource_deleted,
    [TRACE_CLUSTER_PROVISIONING] = cluster_provisioning,
    [TRACE_CLUSTER_SCALING] = NULL,
    [TRACE_CLUSTER_ERROR] = something_failed,
    [TRACE_CLUSTER_ALLOCATION] = cluster_allocation,
    [TRACE_CLUSTER_READY] = cluster_ready,
    [TRACE_CLUSTER_SHOWN] = NULL,
    [TRACE_NODE_STATE] = node_state,
    [TRACE_NODE_ERROR] = something_failed,
    [TRACE_NODE_NOTICE] = NULL,
    [TRACE_NODE_SPEED] = NULL,
    [TRACE_GROUP_STRUCK] = NULL,
    [TRACE_NODE_BILLED] = node_billed,
    [TRACE_JOB_PROVISIONING] = job_provisioning,
    [TRACE_JOB_STATE] = job_state,
    [TRACE_JOB_ATTEMPT] = job_attempt,
    [TRACE_JOB_STALLED] = NULL,
    [TRACE_JOB_RESUMED] = NULL,
    [TRACE_JOB_ERROR] = job_error,
    [TRACE_JOB_STAGE] = job_stage,
    [TRACE_JOB_TRAINING] = job_training,
    [TRACE_JOB_TRAINED] = job_trained,
    [TRACE_EPOCH] = epoch,
    [TRACE_EVALUATION] = NULL,
    [TRACE_CHECKPOINT] = NULL,
    [TRACE_STEP] = step,
    [TRACE_TRANSFER] = NULL,
    [TRACE_FILE_WRITTEN] = file_written,
    [TRACE_FILE_DELETED] = file_deleted,
    [TRACE_SHARE_STATE] = NULL,
    [TRACE_FILE_SERVER_PROVISIONING] = NULL,
    [TRACE_FILE_SERVER_BILLED] = file_server_billed,
    [TRACE_USAGES_SHOWN] = NULL,
    [TRACE_JOB_SHOWN] = NULL,
    [TRACE_JOB_FILES_SHOWN] = NULL,
    [TRACE_RUN_ENDED] = run_ended,
    [TRACE_JOB_PLACED] = job_placed,
    [TRACE_NODE_REPAIR] = NULL,
    [TRACE_JOB_WAITS] = job_waits,
    [TRACE_NODE_KIND] = node_kind,
};
_Static_assert(sizeof folds / sizeof folds[0] == TRACE_KIND_COUNT, "every kind");

static void fold_row(void *listener, const TraceRow *row)
{
    MetricsFold *fold = listener;
    fold->run.ended_ns = row->record.at_ns;
    if (folds[row->record.kind] != NULL)
        folds[row->record.kind](fold, row);
}

MetricsFold *metrics_fold_create(Arena *arena)
{
    MetricsFold *fold = ARENA_NEW(arena, MetricsFold);
    fold->arena = arena;
    for (int state = 0; state < NODE_STATE_COUNT; state++)
        fold->node_states[state] = node_state_name((NodeState)state);
    for (int state = 0; state < JOB_STATE_COUNT; state++)
        fold->job_states[state] = job_state_name((JobState)state);
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        fold->job_stages[stage] = job_stage_name((JobStage)stage);
    for (int shortage = 0; shortage < SHORTAGE_COUNT; shortage++)
        fold->shortages[shortage] = shortage_name((Shortage)shortage);
    fold->file_index = name_table_create(arena);
    fold->error_index = name_table_create(arena);
    return fold;
}

void metrics_fold_measure(MetricsFold *fold, MeasureWindow window)
{
    fold->run.is_measured = window.from_ns > 0 || window.until_ns > 0;
    fold->run.measure = window;
}

TraceListener metrics_fold_listener(MetricsFold *fold, TraceLevel level)
{
    return (TraceListener){
        .listener = fold, .level = level, .row = fold_row, .ignores_workload_names = true};
}

const RunMetrics *metrics_fold_result(const MetricsFold *fold)
{
    return &fold->run;
}
