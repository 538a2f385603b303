#include "sim/cloud/cluster/node.h"

#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/cloud/cluster/allocation.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/crew.h"
#include "sim/cloud/cluster/gpus.h"
#include "sim/cloud/cluster/placement.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/cluster/region.h"
#include "sim/cloud/cluster/tables.h"
#include "sim/cloud/storage/file_server.h"
#include "sim/model/bounded.h"
#include "sim/model/price.h"

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

enum { SETUP_CUT_OFF = -1 };

/* Ends the node's set-up task, if it runs. */
static void setup_ends(const Clusters *clusters, Node *node, int32_t exit_code)
{
    if (!node->is_in_setup)
        return;
    node->is_in_setup = false;
    node->setup_ended_ns = clusters->engine->now_ns;
    node->setup_exit_code = exit_code;
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

static void set_state(Clusters *clusters, Cluster *cluster, Node *node, NodeState state,
                      TraceCause cause)
{
    TraceRecord *record = node_trace(clusters, TRACE_NODE_STATE, node);
    record->node_state.was = node->state;
    record->cause = cause;
    place_set_remove(&cluster->places[node->state], node->place);
    place_set_add(&cluster->places[state], node->place);
    count_in_state(cluster, node, node->state, -1);
    count_in_state(cluster, node, state, 1);
    node->state = state;
    node->generation++; // pending events belonged to the old state
    setup_ends(clusters, node, SETUP_CUT_OFF);
    if (state != NODE_RUNNING) {
        node->job = (JobId){ID_NONE};
        node_set_free(cluster, node);
    }
    node_offer(cluster, node);
    recorder_emit_change(clusters->recorder, node_state_name(state), &node->state_since_ns);
    if (node->repair != REPAIR_NONE) // it was unusable until now
        crew_dismissed(clusters, node);
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
    node->is_silent = false; // the service no longer waits for its answers
    set_state(clusters, cluster, node, NODE_LEAVING, cause);
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

static void begin_preparation(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause,
                              int64_t reboot_ns)
{
    set_state(clusters, cluster, node, NODE_PREPARING, cause);
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
                   .address = cluster->address + (uint64_t)number};
    cluster->nodes[place] = node->id;
    cluster->current_nodes++;
    cluster->kinds[kind].current_nodes++;
    if (place >= cluster->place_count)
        cluster->place_count = place + 1;
    emit_kind(clusters, cluster, node);
    begin_preparation(clusters, cluster, node, cause, 0);
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
    node->is_silent = false;
    node->life++;
    node->released_ns = clusters->engine->now_ns;
    cluster->current_nodes--;
    cluster->kinds[node->kind].current_nodes--;
    cluster->nodes[node->place].index = ID_NONE;
    while (cluster->place_count > 0 && cluster->nodes[cluster->place_count - 1].index == ID_NONE)
        cluster->place_count--;
    set_state(clusters, cluster, node, NODE_STATE_COUNT, cause);
    node_bill(clusters, node, "released");
    quota_freed(clusters, cluster);
    if (was_retiring && cluster->retiring_nodes == 0)
        allocation_retired(clusters, cluster);
}

/* --- Preparation --- */

static void emit_error(Clusters *clusters, const Node *node, const NodeFailure *failure)
{
    static const char no_code[] = "InternalError"; // the service's default
    if (!recorder_takes(clusters->recorder, TRACE_NODE_ERROR))
        return;
    TraceRecord *record = node_trace(clusters, TRACE_NODE_ERROR, node);
    record->cause = failure->cause;
    record->name =
        arena_printf(clusters->arena, "%s: node %s: %s", failure->code ? failure->code : no_code,
                     node->name, failure->reason ? failure->reason : "it stopped working");
    recorder_emit(clusters->recorder);
}

static void set_failure(Clusters *clusters, Node *node, NodeFailure failure)
{
    node->last_failure = failure;
    node->failure = &node->last_failure;
    node->failed_ns = clusters->engine->now_ns;
    node->life++; // its pending failure becomes stale
}

/* The service has noticed `node->failure`. */
static void become_unusable(Clusters *clusters, Cluster *cluster, Node *node)
{
    const NodeFailure *failure = node->failure;
    bool was_preparing = node->state == NODE_PREPARING;
    node->is_silent = false;
    emit_error(clusters, node, failure);
    set_state(clusters, cluster, node, NODE_UNUSABLE, failure->cause);
    if (failure->recovery != RECOVERY_STAYS)
        crew_called(clusters, node);
    if (was_preparing)
        allocation_report_ready(clusters, cluster); // it may have been the last node in preparation
    autoscale_update(clusters, cluster);
}

static bool chance_strikes(const Clusters *clusters, int64_t chance_ppm, const Node *node,
                           int32_t kind, uint64_t occurrence)
{
    return engine_strikes(clusters->engine, chance_ppm, clusters->scenario->failures.rate_ppm,
                          RNG_CHANCE, node->address,
                          (uint64_t)kind << 32 | (occurrence & UINT32_MAX));
}

/* Removes the first failing preparation that applies to the node; false: none does. */
static bool take_failing_preparation(Cluster *cluster, const Node *node, NodeFailure *failure)
{
    for (FailingPreparation **at = &cluster->failing_preparations; *at; at = &(*at)->next) {
        if ((*at)->place != -1 && (*at)->place != node->place)
            continue;
        *failure = (*at)->failure;
        *at = (*at)->next;
        return true;
    }
    return false;
}

void cluster_fail_next_preparation(Clusters *clusters, Cluster *cluster, int32_t place,
                                   NodeFailure failure)
{
    FailingPreparation **last = &cluster->failing_preparations;
    while (*last)
        last = &(*last)->next;
    *last = ARENA_NEW(clusters->arena, FailingPreparation);
    **last = (FailingPreparation){.place = place, .failure = failure};
}

/* Why the mount fails; NULL: it succeeds. */
static const char *mount_trouble(Clusters *clusters, const Node *node, const char *mount,
                                 int32_t index)
{
    enum { MOUNTS_PER_PREPARATION = 256 };
    ShareId share = storage_find_share(clusters->storage, mount);
    uint64_t occurrence = (uint64_t)(node->preparations - 1) * MOUNTS_PER_PREPARATION +
                          (uint64_t)index % MOUNTS_PER_PREPARATION;
    if (!storage_has_share(clusters->storage, mount))
        return "doesn't exist";
    if (share_is_out(storage_share(clusters->storage, share)))
        return "does not answer";
    return chance_strikes(clusters, clusters->scenario->failures.mount_ppm, node, CHANCE_MOUNT,
                          occurrence)
               ? "refused the connection"
               : NULL;
}

/* Codes and messages are the service's if known (batchai-service notes, "Cluster errors"). */
static NodeFailure mount_failure(Clusters *clusters, const char *mount, bool is_blob,
                                 const char *trouble)
{
    bool is_server = file_server_is_share(mount);
    const char *what = is_server ? "file server" : "Azure file share";
    return (NodeFailure){.cause = CAUSE_MOUNT_FAILURE,
                         .code = is_blob     ? "BFSMountError"
                                 : is_server ? "InternalError"
                                             : "AZFMountError",
                         .reason = is_blob ? storage_blob_message(clusters->arena, mount, trouble)
                                           : arena_printf(clusters->arena,
                                                          "unable to mount %s \"%s\", which %s",
                                                          what, mount, trouble),
                         .recovery = RECOVERY_STAYS,
                         .repair_ns = INT64_MAX};
}

static bool mount_fails(Clusters *clusters, const Cluster *cluster, const Node *node,
                        NodeFailure *failure)
{
    const ClusterSpec *spec = cluster->spec;
    for (int32_t m = 0; m < spec->mount_count; m++) {
        const char *mount = spec->mounts[m];
        const char *trouble = mount_trouble(clusters, node, mount, m);
        if (!trouble)
            continue;
        *failure =
            mount_failure(clusters, mount, spec->is_blob_mount && spec->is_blob_mount[m], trouble);
        return true;
    }
    return false;
}

/* Whether the preparation before the set-up task fails. */
static bool preparation_fails(Clusters *clusters, Cluster *cluster, const Node *node,
                              NodeFailure *failure)
{
    if (take_failing_preparation(cluster, node, failure))
        return true;
    if (!chance_strikes(clusters, clusters->scenario->failures.preparation_ppm, node,
                        CHANCE_PREPARATION, (uint64_t)(node->preparations - 1)))
        return mount_fails(clusters, cluster, node, failure);
    *failure = (NodeFailure){.cause = CAUSE_PREPARATION_FAILURE,
                             .reason = "its start-up failed before any command of ours ran",
                             .recovery = RECOVERY_STAYS,
                             .repair_ns = INT64_MAX};
    return true;
}

/* Ends the set-up task, if there is one. Returns whether it failed. */
static bool setup_fails(Clusters *clusters, const Cluster *cluster, Node *node,
                        NodeFailure *failure)
{
    const ClusterSpec *spec = cluster->spec;
    int32_t exit_code = spec->setup_exit_code;
    if (!spec->setup_command)
        return false;
    if (exit_code == 0 && chance_strikes(clusters, clusters->scenario->failures.setup_ppm, node,
                                         CHANCE_SETUP, (uint64_t)(node->preparations - 1)))
        exit_code = 1;
    setup_ends(clusters, node, exit_code);
    if (exit_code == 0)
        return false;
    // The place of its output: batchai-service notes, "nodeStateCounts semantics".
    *failure =
        (NodeFailure){.cause = CAUSE_SETUP_FAILURE,
                      .reason = arena_printf(clusters->arena,
                                             "set-up task \"%s\" ended with exit code %d (see "
                                             "/mnt/batch/tasks/startup/stderr.txt on the node)",
                                             spec->setup_command, (int)exit_code),
                      .recovery = RECOVERY_STAYS,
                      .repair_ns = INT64_MAX};
    return true;
}

/* Begins the set-up task; false: it takes no time, or there is none. */
static bool begins_setup(Clusters *clusters, Cluster *cluster, Node *node)
{
    const ClusterSpec *spec = cluster->spec;
    if (!spec->setup_command)
        return false;
    if (node->setup_began_ns == INT64_MAX) {
        node->set_up_before = cluster->set_up_last;
        cluster->set_up_last = node->id;
    }
    cluster->setup_count++;
    node->is_in_setup = true;
    node->setup_began_ns = clusters->engine->now_ns;
    node->setup_ended_ns = INT64_MAX;
    if (spec->setup_ns.count == 0)
        return false;
    int64_t delay_ns = engine_draw(clusters->engine, spec->setup_ns, RNG_SETUP, node->address,
                                   (uint64_t)(node->preparations - 1));
    if (delay_ns == 0)
        return false;
    engine_push(clusters->engine, delay_ns, EVENT_NODE_PREPARED, node->id.index, node->generation,
                0);
    return true;
}

void cluster_node_prepared(Clusters *clusters, Node *node)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    NodeFailure failure;
    bool is_mounted = node->is_in_setup;
    bool fails = !is_mounted && preparation_fails(clusters, cluster, node, &failure);
    if (!fails && !is_mounted && begins_setup(clusters, cluster, node))
        return;
    if (fails || setup_fails(clusters, cluster, node, &failure)) {
        set_failure(clusters, node, failure);
        become_unusable(clusters, cluster, node);
        return;
    }
    set_state(clusters, cluster, node, NODE_IDLE, CAUSE_NONE);
    allocation_report_ready(clusters, cluster);
    clusters->jobs.nodes_changed(clusters->jobs.jobs, cluster->id);
    autoscale_update(clusters, cluster);
}

/* --- Failures --- */

void node_withdraw(Clusters *clusters, Node *node, DeallocationOption deallocation,
                   TraceCause cause)
{
    if (node->state != NODE_RUNNING)
        return;
    node->is_withdrawn = true;
    if (node->job.index != ID_NONE)
        clusters->jobs.node_taken(clusters->jobs.jobs, node->job, node, deallocation, cause);
    while (node->shared_count > 0)
        clusters->jobs.node_taken(clusters->jobs.jobs, node->shared[0].job, node, deallocation,
                                  cause);
    node->is_withdrawn = false;
    // The jobs may start again at once on other nodes.
    clusters->jobs.nodes_changed(clusters->jobs.jobs, node->cluster);
}

bool node_is_in_service(const Clusters *clusters, const Node *node)
{
    (void)clusters;
    return node->state != NODE_STATE_COUNT && node->state != NODE_LEAVING;
}

bool node_works(const Clusters *clusters, const Node *node)
{
    return node_is_in_service(clusters, node) && node->state != NODE_UNUSABLE && !node->is_silent;
}

void cluster_node_crashes(Clusters *clusters, Node *node, NodeFailure failure)
{
    if (!node_works(clusters, node))
        return;
    set_failure(clusters, node, failure);
    node->is_silent = true;
    node->generation++; // its preparation stops
    setup_ends(clusters, node, SETUP_CUT_OFF);
    int64_t delay_ns =
        engine_draw(clusters->engine, clusters->scenario->service.failure_detection_ns,
                    RNG_DETECTION, node->address, node->life);
    engine_push(clusters->engine, delay_ns, EVENT_NODE_SILENT, node->id.index, node->life, 0);
    if (node->job.index != ID_NONE)
        clusters->jobs.node_fell_silent(clusters->jobs.jobs, node->job, node);
    for (int32_t i = 0; i < node->shared_count; i++)
        clusters->jobs.node_fell_silent(clusters->jobs.jobs, node->shared[i].job, node);
}

/* If the node is retiring, it leaves now, because its job has ended. */
static bool leaves_instead(Clusters *clusters, Cluster *cluster, Node *node)
{
    if (!node->is_retiring)
        return false;
    node_leaves(clusters, cluster, node, cluster->allocation_cause);
    if (cluster->retiring_nodes == 0)
        allocation_retired(clusters, cluster);
    return true;
}

void cluster_node_missed(Clusters *clusters, Node *node)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    if (!node->is_silent)
        return; // it has left since
    node_withdraw(clusters, node, DEALLOCATE_REQUEUE, node->failure->cause);
    if (!leaves_instead(clusters, cluster, node))
        become_unusable(clusters, cluster, node);
}

/* Prepares a failed node again. It keeps its age and its pulled images. */
static void recovers(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause,
                     int64_t reboot_ns)
{
    node->is_silent = false;
    node->failure = NULL;
    node->life++;
    node->life_ns = clusters->engine->now_ns;
    begin_preparation(clusters, cluster, node, cause, reboot_ns);
    clusters->faults.node_begins(clusters->faults.faults, node);
}

void cluster_node_repaired(Clusters *clusters, Node *node)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    if (node->state != NODE_UNUSABLE)
        return; // it has left since
    if (region_is_out(clusters)) {
        engine_push(clusters->engine, region_up_ns(clusters) - clusters->engine->now_ns,
                    EVENT_NODE_REPAIRED, node->id.index, node->life, 0);
        return;
    }
    switch (node->failure->recovery) {
    case RECOVERY_REBOOT:
        recovers(clusters, cluster, node, CAUSE_REPAIR, 0);
        return;
    case RECOVERY_REPLACE:
        node_release(clusters, cluster, node, CAUSE_REPLACEMENT);
        allocation_replace(clusters, cluster);
        return;
    case RECOVERY_STAYS:
    case RECOVERY_COUNT:
        break;
    }
    invariant_broken("a node that is to be repaired", __FILE__, __LINE__);
}

void cluster_node_warned(Clusters *clusters, Node *node, int64_t notice_ns, TraceCause cause)
{
    if (node->state == NODE_STATE_COUNT || node->notice != CAUSE_NONE)
        return;
    node->notice = cause;
    TraceRecord *record = node_trace(clusters, TRACE_NODE_NOTICE, node);
    record->node_notice.notice_ns = notice_ns;
    record->cause = cause;
    recorder_emit(clusters->recorder);
    engine_push(clusters->engine, notice_ns, EVENT_NODE_PREEMPTED, node->id.index, 0, 0);
}

void cluster_node_preempted(Clusters *clusters, Node *node)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    if (node->state == NODE_STATE_COUNT)
        return;
    TraceCause cause = node->notice != CAUSE_NONE ? node->notice : CAUSE_PREEMPTION;
    // For the job any other cause is a preemption.
    node_withdraw(clusters, node, DEALLOCATE_REQUEUE,
                  cause == CAUSE_RUN_LENGTH ? CAUSE_RUN_LENGTH : CAUSE_PREEMPTION);
    node_release(clusters, cluster, node, cause);
    allocation_replace(clusters, cluster);
}

void cluster_node_reboots(Clusters *clusters, Node *node, TraceCause cause)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    if (!node_is_in_service(clusters, node))
        return;
    int64_t reboot_ns = engine_draw(clusters->engine, clusters->scenario->service.node_reboot_ns,
                                    RNG_REBOOT, node->address, (uint64_t)node->preparations);
    node_withdraw(clusters, node, DEALLOCATE_REQUEUE, cause);
    if (leaves_instead(clusters, cluster, node))
        return;
    if (node->failure)
        recovers(clusters, cluster, node, cause, reboot_ns);
    else
        begin_preparation(clusters, cluster, node, cause, reboot_ns);
}

void cluster_set_node_speed(Clusters *clusters, Node *node, int64_t speed_ppm)
{
    node->speed_ppm = speed_ppm;
    TraceRecord *record = node_trace(clusters, TRACE_NODE_SPEED, node);
    record->node_speed.speed_ppm = speed_ppm;
    recorder_emit(clusters->recorder);
}

/* --- For jobs --- */

/* The lowest place from `from` on of an idle node of the kind, which must exist. */
static int32_t idle_place(const Cluster *cluster, int32_t kind, int32_t from)
{
    const PlaceSet *idle = &cluster->places[NODE_IDLE];
    int32_t place = place_set_up(idle, from);
    while (cluster->place_kinds[place] != kind)
        place = place_set_up(idle, place + 1);
    return place;
}

static void take_whole_nodes(Clusters *clusters, Cluster *cluster, JobId job, JobRequest request,
                             NodeId *taken)
{
    const int32_t kind = request_kind(request);
    for (int32_t found = 0, place = 0; found < request.nodes; found++) {
        place = idle_place(cluster, kind, place);
        Node *node = cluster_node_at(clusters, cluster, place);
        node_give(node, job);
        set_state(clusters, cluster, node, NODE_RUNNING, CAUSE_NONE);
        taken[found] = node->id;
    }
}

/* The part of a job for its `index`-th node. */
static PlacementPart part_of(JobRequest request, int32_t index, int32_t gpus_per_node)
{
    const NodeShare need = request_share(request, index, gpus_per_node);
    return (PlacementPart){.need = need,
                           .is_remainder = request.large_nodes > 0 &&
                                           request.large_gpus == gpus_per_node &&
                                           need.gpus < gpus_per_node};
}

/* Chooses the nodes of a job; no node is chosen twice. */
static void choose_nodes(Clusters *clusters, Cluster *cluster, JobRequest request, NodeId *chosen)
{
    const Placement *policy = placement_of(clusters->scenario->placement);
    const Room *room = &cluster_kind_of(cluster, request)->room;
    for (int32_t i = 0; i < request.nodes; i++) {
        const PlacementPart part = part_of(request, i, room->gpus_per_node);
        Node *node = cluster_node_at(clusters, cluster, policy->choose(room, part));
        node_withhold(cluster, node);
        chosen[i] = node->id;
    }
}

int32_t cluster_choose_kind(const Clusters *clusters, const Cluster *cluster, JobRequest request,
                            SlotLimit limit)
{
    if (cluster->kind_count == 1)
        return 0;
    PlacementChoice best = {.place = -1};
    int32_t chosen = KIND_NONE;
    for (const Room *kind = cluster_room(cluster); kind != NULL; kind = kind->next) {
        if (!request_fits_on(&request, &limit, kind))
            continue;
        const JobRequest on = request_on(request, kind->gpus_per_node);
        const PlacementChoice choice =
            on.kind == REQUEST_NODES
                ? (PlacementChoice){.place = idle_place(cluster, kind->kind, 0)}
                : placement_choice(clusters->scenario->placement, kind,
                                   part_of(on, 0, kind->gpus_per_node));
        if (best.place < 0 || placement_is_before(choice, best)) {
            best = choice;
            chosen = kind->kind;
        }
    }
    invariant(chosen != KIND_NONE);
    return chosen;
}

static void emit_placed(Clusters *clusters, const Node *node, NodeJob placed, int32_t gpus_per_node)
{
    TraceRecord *record = node_trace(clusters, TRACE_JOB_PLACED, node);
    record->job = placed.job;
    record->job_placed.gpus = placed.share.gpus;
    record->job_placed.gpus_per_node = gpus_per_node;
    recorder_emit(clusters->recorder);
}

static void take_gpus(Clusters *clusters, Cluster *cluster, JobId job, JobRequest request,
                      NodeId *taken)
{
    const int32_t gpus_per_node = cluster_kind_of(cluster, request)->whole.gpus;
    choose_nodes(clusters, cluster, request, taken);
    for (int32_t i = 0; i < request.nodes; i++) {
        Node *node = node_row(clusters, taken[i]);
        const NodeJob share = {.job = job, .share = request_share(request, i, gpus_per_node)};
        node_share(clusters, cluster, node, share);
        if (node->state == NODE_IDLE)
            set_state(clusters, cluster, node, NODE_RUNNING, CAUSE_NONE);
        else
            node_offer(cluster, node);
        emit_placed(clusters, node, share, gpus_per_node);
    }
}

void cluster_take(Clusters *clusters, Cluster *cluster, JobId job, JobRequest request,
                  NodeId *taken)
{
    invariant(request_fits_on(&request, &(SlotLimit){0}, &cluster_kind_of(cluster, request)->room));
    if (request.kind == REQUEST_NODES)
        take_whole_nodes(clusters, cluster, job, request, taken);
    else
        take_gpus(clusters, cluster, job, request, taken);
}

void cluster_node_freed(Clusters *clusters, Node *node, JobId job)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    invariant(node->state == NODE_RUNNING);
    node_take_back(cluster, node, job);
    if (node->is_withdrawn || (node->shared_count == 0 && leaves_instead(clusters, cluster, node)))
        return;
    if (node->shared_count == 0)
        set_state(clusters, cluster, node, NODE_IDLE, CAUSE_NONE);
    autoscale_update(clusters, cluster);
}

bool node_has_image(const Node *node, const ContainerImage *image)
{
    for (const CachedImage *cached = node->images; cached; cached = cached->next)
        if (strcmp(cached->image->name, image->name) == 0)
            return true;
    return false;
}

void node_keep_image(Clusters *clusters, Node *node, const ContainerImage *image)
{
    CachedImage *cached = ARENA_NEW(clusters->arena, CachedImage);
    *cached = (CachedImage){.image = image, .next = node->images};
    node->images = cached;
}
