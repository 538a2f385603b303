#include "sim/cloud/cluster/allocation.h"

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/cluster/region.h"
#include "sim/cloud/cluster/tables.h"
#include "sim/model/bounded.h"

// The service's code and message for a quota (batchai-service notes, "Cluster errors"). For nodes
// that are not allocated its code was InternalError; the message is our own.
static const char quota_code[] = "AccountCoreQuotaReached";
static const char quota_text[] = "The specified account has reached core quota";
static const char failure_code[] = "InternalError";

/* Allocations that no resize began have separate draws: the loss of a node does not change the
 * draws of later resizes. */
#define UNREQUESTED_DRAWS (UINT64_C(1) << 32)

/* --- States --- */

void allocation_set(Clusters *clusters, Cluster *cluster, AllocationState state, TraceCause cause)
{
    TraceRecord *record = cluster_trace(clusters, TRACE_CLUSTER_ALLOCATION, cluster);
    record->cluster_allocation.target = cluster->target_nodes;
    record->cluster_allocation.current = cluster->current_nodes;
    record->cause = cause;
    cluster->allocation = state;
    cluster->allocation_cause = cause;
    recorder_emit_change(clusters->recorder, allocation_state_name(state),
                         &cluster->allocation_since_ns);
}

int32_t allocation_staying(const ClusterKind *kind)
{
    return kind->current_nodes - kind->node_count[NODE_LEAVING];
}

/* --- Targets --- */

void allocation_note_most(Cluster *cluster)
{
    for (int32_t k = 0; k < cluster->kind_count; k++)
        cluster->kinds[k].room.most_nodes = cluster_kind_scales(cluster, k)
                                                ? cluster->maximum_nodes
                                                : cluster->kinds[k].target_nodes;
}

void allocation_set_target(Cluster *cluster, int32_t kind, int32_t target)
{
    cluster->target_nodes += target - cluster->kinds[kind].target_nodes;
    cluster->kinds[kind].target_nodes = target;
    allocation_note_most(cluster);
}

/* How many more nodes of the kind than its target would stay; below 0: so many are missing. */
static int32_t surplus_of(const ClusterKind *kind)
{
    return allocation_staying(kind) - kind->target_nodes;
}

/* Whether a kind has more nodes than its target, or (sign -1) fewer. */
static bool has_surplus(const Cluster *cluster, int32_t sign)
{
    bool has_any = false;
    for (int32_t k = 0; k < cluster->kind_count; k++)
        has_any |= sign * surplus_of(&cluster->kinds[k]) > 0;
    return has_any;
}

/* --- Ready --- */

void allocation_report_ready(Clusters *clusters, Cluster *cluster)
{
    int32_t usable = cluster->node_count[NODE_IDLE] + cluster->node_count[NODE_RUNNING];
    if (cluster->provisioning >= PROVISIONING_DELETING ||
        cluster->allocation != ALLOCATION_STEADY || cluster->node_count[NODE_PREPARING] > 0 ||
        usable == 0)
        return;
    TraceRecord *record = cluster_trace(clusters, TRACE_CLUSTER_READY, cluster);
    record->cluster_ready.nodes = usable;
    recorder_emit(clusters->recorder);
    cluster_moment(clusters, cluster, MOMENT_CLUSTER_READY);
}

static void become_steady(Clusters *clusters, Cluster *cluster)
{
    bool is_whole = cluster->current_nodes == cluster->target_nodes;
    invariant(is_whole || cluster->error_code);
    if (is_whole) {
        cluster->error_code = cluster->error_message = NULL;
        cluster->is_short_of_cores = false;
    }
    if (cluster->first_steady_ns == INT64_MAX)
        cluster->first_steady_ns = clusters->engine->now_ns;
    allocation_set(clusters, cluster, ALLOCATION_STEADY, cluster->allocation_cause);
    cluster_moment(clusters, cluster, MOMENT_CLUSTER_STEADY);
    if (cluster->current_nodes == 0)
        cluster_moment(clusters, cluster, MOMENT_CLUSTER_EMPTY);
    allocation_report_ready(clusters, cluster);
    autoscale_update(clusters, cluster);
}

/* --- Growing --- */

/* No node is requested any more. */
static void forget_request(Cluster *cluster)
{
    cluster->asked_nodes = 0;
    for (int32_t k = 0; k < cluster->kind_count; k++)
        cluster->kinds[k].asked_nodes = 0;
}

/* Requests as many of the missing nodes as quotas allow; their cores are taken from now on. */
static void request_nodes(Clusters *clusters, Cluster *cluster)
{
    cluster->missing_nodes = cluster->target_nodes - cluster->current_nodes;
    cluster->quota_message = NULL;
    forget_request(cluster);
    for (int32_t k = 0; k < cluster->kind_count; k++) {
        ClusterKind *kind = &cluster->kinds[k];
        kind->missing_nodes = kind->target_nodes - kind->current_nodes;
        kind->asked_nodes = quota_room(clusters, kind, kind->missing_nodes);
        cluster->asked_nodes += kind->asked_nodes;
        if (kind->asked_nodes < kind->missing_nodes && cluster->quota_message == NULL)
            cluster->quota_message = quota_words(clusters, kind);
    }
}

static int64_t resize_ns(Clusters *clusters, Cluster *cluster, TraceCause cause)
{
    bool is_requested = cause == CAUSE_RESIZE || cause == CAUSE_AUTOSCALE;
    uint64_t draw = is_requested ? (uint64_t)cluster->resize_count
                                 : UNREQUESTED_DRAWS + (uint64_t)cluster->allocation_count++;
    const ServiceModel *service = &clusters->scenario->service;
    return engine_draw(clusters->engine,
                       cause == CAUSE_AUTOSCALE ? service->allocation_autoscale_ns
                                                : service->allocation_resize_ns,
                       RNG_ALLOCATION, cluster->address, draw);
}

static void grow_in(Clusters *clusters, Cluster *cluster, TraceCause cause, int64_t delay_ns)
{
    cluster->allocation_cause = cause;
    cluster->is_growing = true;
    cluster->growing_since_ns = clusters->engine->now_ns;
    request_nodes(clusters, cluster);
    engine_push(clusters->engine, delay_ns, EVENT_CLUSTER_ALLOCATED, cluster->id.index,
                ++cluster->generation, 0);
}

void allocation_begin(Clusters *clusters, Cluster *cluster, int64_t record_ns)
{
    const ServiceModel *service = &clusters->scenario->service;
    bool is_empty = cluster->target_nodes == 0;
    int64_t delay_ns = engine_draw(
        clusters->engine, is_empty ? service->allocation_empty_ns : service->allocation_create_ns,
        RNG_ALLOCATION, cluster->address, (uint64_t)cluster->resize_count);
    grow_in(clusters, cluster, CAUSE_CREATION,
            is_empty ? bounded_add(record_ns, delay_ns) : delay_ns);
}

/* Requests the missing nodes. Events for an earlier target become stale. The cluster is resizing.
 */
static void allocation_grow(Clusters *clusters, Cluster *cluster, TraceCause cause)
{
    grow_in(clusters, cluster, cause, resize_ns(clusters, cluster, cause));
}

/* Whether the next requested node is allocated. */
static bool node_comes(Clusters *clusters, Cluster *cluster)
{
    uint64_t draw = (uint64_t)CHANCE_ALLOCATION << 32 | (uint64_t)cluster->asked_count++;
    return !engine_strikes(clusters->engine, clusters->scenario->failures.allocation_ppm,
                           clusters->scenario->failures.rate_ppm, RNG_CHANCE, cluster->address,
                           draw);
}

/* Counts the nodes of each kind that come, out of those requested; returns the sum. Nodes fail
 * because of a fault in the order of kinds. */
static int32_t nodes_that_come(Clusters *clusters, Cluster *cluster, int32_t *counts)
{
    int64_t failing = cluster->failing_nodes;
    int32_t sum = 0;
    if (cluster->asked_nodes > 0)
        cluster->failing_nodes = 0;
    for (int32_t k = 0; k < cluster->kind_count; k++) {
        const int32_t asked = cluster->kinds[k].asked_nodes;
        const int32_t failed = failing < asked ? (int32_t)failing : asked;
        failing -= failed;
        for (int32_t i = failed; i < asked && !region_is_out(clusters); i++)
            counts[k] += node_comes(clusters, cluster);
        sum += counts[k];
    }
    return sum;
}

static void emit_error(Clusters *clusters, Cluster *cluster, TraceCause cause, const char *code,
                       const char *message)
{
    cluster->error_code = code;
    cluster->error_message = message;
    TraceRecord *record = cluster_trace(clusters, TRACE_CLUSTER_ERROR, cluster);
    record->cause = cause;
    record->name = arena_printf(clusters->arena, "%s: %s", code, message);
    recorder_emit(clusters->recorder);
}

/* A quota refused nodes: the cluster becomes steady with fewer nodes than its target. */
static void report_quota(Clusters *clusters, Cluster *cluster, int32_t refused)
{
    emit_error(clusters, cluster, CAUSE_QUOTA, quota_code,
               arena_printf(clusters->arena, "%s: %d of %d nodes are missing; %s", quota_text,
                            (int)refused, (int)cluster->target_nodes, cluster->quota_message));
    cluster->is_short_of_cores = true;
}

/* An allocation that can never succeed is not repeated, because the run would never end. */
static bool is_retried(const Clusters *clusters)
{
    const Failures *failures = &clusters->scenario->failures;
    return bounded_times(failures->allocation_ppm, failures->rate_ppm) < PPM * PPM &&
           region_up_ns(clusters) != INT64_MAX;
}

static void report_failure(Clusters *clusters, Cluster *cluster, int32_t asked, int32_t failed)
{
    const char *why = region_is_out(clusters) ? ", for the region is out" : "";
    const char *next = is_retried(clusters) ? "; the service asks again" : "";
    emit_error(clusters, cluster, CAUSE_ALLOCATION_FAILURE, failure_code,
               arena_printf(clusters->arena, "%d of %d nodes could not be allocated%s%s",
                            (int)failed, (int)asked, why, next));
    if (is_retried(clusters))
        engine_push(clusters->engine, clusters->scenario->service.allocation_retry_ns,
                    EVENT_CLUSTER_RETRY, cluster->id.index, ++cluster->generation, 0);
}

/* Begins one more allocation. */
static void grow_again(Clusters *clusters, Cluster *cluster, TraceCause cause)
{
    allocation_set(clusters, cluster, ALLOCATION_RESIZING, cause);
    allocation_grow(clusters, cluster, cause);
}

void cluster_nodes_allocated(Clusters *clusters, Cluster *cluster)
{
    int32_t asked = cluster->asked_nodes;
    int32_t refused = cluster->missing_nodes - asked; // by a quota
    int32_t counts[NODE_KINDS_MAX] = {0};
    const int32_t count = nodes_that_come(clusters, cluster, counts);
    cluster->is_growing = false;
    forget_request(cluster);
    for (int32_t k = 0; k < cluster->kind_count; k++)
        for (int32_t i = 0; i < counts[k]; i++)
            node_add(clusters, cluster, k, cluster->allocation_cause);
    cluster->is_short_of_cores = false;
    if (refused > 0)
        report_quota(clusters, cluster, refused);
    if (count < asked) {
        report_failure(clusters, cluster, asked, asked - count);
        become_steady(clusters, cluster);
        quota_freed(clusters, cluster);
        return;
    }
    int32_t lost = cluster->target_nodes - cluster->current_nodes - refused; // since it began
    if (lost > 0)
        grow_again(clusters, cluster, CAUSE_REPLACEMENT);
    else
        become_steady(clusters, cluster);
}

void cluster_retries(Clusters *clusters, Cluster *cluster)
{
    grow_again(clusters, cluster, CAUSE_RETRY);
}

void allocation_replace(Clusters *clusters, Cluster *cluster)
{
    if (cluster->provisioning >= PROVISIONING_DELETING ||
        cluster->current_nodes >= cluster->target_nodes)
        return;
    if (cluster->allocation == ALLOCATION_STEADY)
        grow_again(clusters, cluster, CAUSE_REPLACEMENT);
    else if (cluster->is_growing && cluster->growing_since_ns == clusters->engine->now_ns)
        request_nodes(clusters, cluster); // one request for all nodes lost at this instant
}

void cluster_fail_next_allocation(Cluster *cluster, int32_t count)
{
    cluster->failing_nodes += count;
}

/* --- Shrinking --- */

/* No node is leaving any more: requests lost nodes, or becomes steady. */
static void end_shrinking(Clusters *clusters, Cluster *cluster)
{
    if (has_surplus(cluster, -1))
        grow_again(clusters, cluster, CAUSE_REPLACEMENT);
    else
        become_steady(clusters, cluster);
}

/* How long nodes keep their old state after the present resize began. The same at each call. */
static int64_t leaving_delay_ns(const Clusters *clusters, const Cluster *cluster)
{
    return engine_draw(clusters->engine, clusters->scenario->service.leaving_delay_ns,
                       RNG_ALLOCATION, cluster->address, (uint64_t)cluster->resize_count);
}

/* Pushes the release of the leaving nodes, a drawn time from now of which `gone_ns` has passed. */
static void begin_release(Clusters *clusters, Cluster *cluster, int64_t gone_ns)
{
    if (cluster->node_count[NODE_LEAVING] == 0) {
        end_shrinking(clusters, cluster);
        return;
    }
    int64_t release_ns =
        engine_draw(clusters->engine, clusters->scenario->service.release_ns, RNG_NODE_RELEASE,
                    cluster->address, (uint64_t)cluster->resize_count);
    engine_push(clusters->engine, release_ns > gone_ns ? release_ns - gone_ns : 0,
                EVENT_CLUSTER_RELEASED, cluster->id.index, ++cluster->generation, 0);
}

void allocation_retired(Clusters *clusters, Cluster *cluster)
{
    begin_release(clusters, cluster, 0);
}

/* The node of the kind in one of the sets of places at the highest place below `end`; NULL: there
 * is none. */
static Node *highest_node(Clusters *clusters, const Cluster *cluster, const PlaceSet *places,
                          int32_t kind, int32_t end)
{
    int32_t place = places->count > 0 ? place_set_down(places, end - 1) : -1;
    while (place >= 0 && cluster->place_kinds[place] != kind)
        place = place_set_down(places, place - 1);
    return place >= 0 ? cluster_node_at(clusters, cluster, place) : NULL;
}

/* Makes a running node leave, which ends the attempts of its jobs. Then makes the other nodes of
 * these jobs, which are of its kind, leave that run no job now, highest place first, up to `most`
 * in all; those that were drained are unusable by now. Returns how many leave. No other node of the
 * kind is idle or unusable: such nodes leave before running ones. */
static int32_t remove_with_jobs(Clusters *clusters, Cluster *cluster, Node *node, int32_t most,
                                DeallocationOption deallocation, TraceCause cause)
{
    const PlaceSet *idle = &cluster->places[NODE_IDLE];
    const PlaceSet *unusable = &cluster->places[NODE_UNUSABLE];
    node_withdraw(clusters, node, deallocation,
                  cause == CAUSE_DELETION ? CAUSE_DELETION : CAUSE_SCALE_DOWN);
    node_leaves(clusters, cluster, node, cause);
    const int32_t kind = node->kind;
    int32_t count = 1;
    for (; count < most; count++) {
        node = highest_node(clusters, cluster, idle, kind, cluster->place_count);
        if (node == NULL)
            node = highest_node(clusters, cluster, unusable, kind, cluster->place_count);
        if (node == NULL)
            break;
        node_leaves(clusters, cluster, node, cause);
    }
    return count;
}

/* Makes a node leave or retire, and with it up to `surplus` nodes of its jobs. Returns how many. */
static int32_t remove_node(Clusters *clusters, Cluster *cluster, Node *node, int32_t surplus,
                           DeallocationOption deallocation, TraceCause cause)
{
    if (node->state == NODE_RUNNING && deallocation != DEALLOCATE_WAIT_FOR_JOB)
        return remove_with_jobs(clusters, cluster, node, surplus, deallocation, cause);
    if (node->state == NODE_RUNNING)
        node_set_retiring(cluster, node, true);
    else
        node_leaves(clusters, cluster, node, cause);
    return 1;
}

/* The service's order was not recorded. Assumption: nodes whose loss costs least leave first
 * (unusable, preparing, idle, then running), among equals the highest place. */
static const NodeState leaving_order[] = {NODE_UNUSABLE, NODE_PREPARING, NODE_IDLE, NODE_RUNNING};

static void choose_of_kind(Clusters *clusters, Cluster *cluster, int32_t kind,
                           DeallocationOption deallocation, TraceCause cause)
{
    int32_t surplus = surplus_of(&cluster->kinds[kind]);
    for (size_t s = 0; s < sizeof leaving_order / sizeof leaving_order[0]; s++) {
        const PlaceSet *places = &cluster->places[leaving_order[s]];
        int32_t end = cluster->place_count;
        Node *node;
        while (surplus > 0 && (node = highest_node(clusters, cluster, places, kind, end)) != NULL) {
            end = node->place;
            surplus -= remove_node(clusters, cluster, node, surplus, deallocation, cause);
        }
    }
    invariant(surplus <= 0);
}

void allocation_choose(Clusters *clusters, Cluster *cluster, DeallocationOption deallocation,
                       TraceCause cause)
{
    invariant(cluster->retiring_nodes == 0);
    for (int32_t k = 0; k < cluster->kind_count; k++)
        choose_of_kind(clusters, cluster, k, deallocation, cause);
}

void cluster_nodes_leave(Clusters *clusters, Cluster *cluster)
{
    if (cluster->allocation_cause == CAUSE_AUTOSCALE)
        autoscale_choose(clusters, cluster);
    else
        allocation_choose(clusters, cluster, cluster->deallocation, CAUSE_RESIZE);
    if (cluster->retiring_nodes == 0)
        begin_release(clusters, cluster, leaving_delay_ns(clusters, cluster));
    clusters->jobs.nodes_changed(clusters->jobs.jobs, cluster->id);
}

void allocation_release(Clusters *clusters, Cluster *cluster, TraceCause cause)
{
    const PlaceSet *leaving = &cluster->places[NODE_LEAVING];
    for (int32_t place = 0; leaving->count > 0;) {
        place = place_set_up(leaving, place);
        node_release(clusters, cluster, cluster_node_at(clusters, cluster, place), cause);
    }
}

void cluster_nodes_released(Clusters *clusters, Cluster *cluster)
{
    allocation_release(clusters, cluster, cluster->allocation_cause);
    end_shrinking(clusters, cluster);
}

/* --- Another target --- */

/* Running nodes that an earlier resize waits for no longer retire. */
static void cancel_retirement(Clusters *clusters, Cluster *cluster)
{
    int32_t place = 0;
    for (; cluster->retiring_nodes > 0; place++) {
        place = place_set_up(&cluster->places[NODE_RUNNING], place);
        node_set_retiring(cluster, cluster_node_at(clusters, cluster, place), false);
    }
}

/* Cancels the operation under way. */
static void cancel_allocation(Clusters *clusters, Cluster *cluster)
{
    cluster->generation++;
    cluster->is_growing = false;
    forget_request(cluster);
    cancel_retirement(clusters, cluster);
}

/* Nodes show as leaving after a delay. If none leaves, the cluster is steady again at this instant.
 */
static void begin_shrinking(Clusters *clusters, Cluster *cluster, bool has_leaving)
{
    EventKind kind = has_leaving ? EVENT_CLUSTER_LEAVING : EVENT_CLUSTER_RELEASED;
    int64_t delay_ns = has_leaving ? leaving_delay_ns(clusters, cluster) : 0;
    engine_push(clusters->engine, delay_ns, kind, cluster->id.index, cluster->generation, 0);
}

void allocation_resize(Clusters *clusters, Cluster *cluster, int32_t kind, int32_t target,
                       TraceCause cause)
{
    cluster->resize_count++;
    allocation_set_target(cluster, kind, target);
    cancel_allocation(clusters, cluster);
    allocation_set(clusters, cluster, ALLOCATION_RESIZING, cause);
    // Leaving nodes do not come back; the target counts the others. If another kind shrinks, nodes
    // are requested after that.
    const bool has_leaving = has_surplus(cluster, 1) || cluster->node_count[NODE_LEAVING] > 0;
    if (has_surplus(cluster, -1) && !has_surplus(cluster, 1)) {
        allocation_release(clusters, cluster, cluster->allocation_cause);
        allocation_grow(clusters, cluster, cause);
    } else {
        begin_shrinking(clusters, cluster, has_leaving);
    }
    quota_freed(clusters, cluster);
}

void allocation_end(Clusters *clusters, Cluster *cluster)
{
    for (int32_t k = 0; k < cluster->kind_count; k++)
        allocation_set_target(cluster, k, 0);
    cluster->is_short_of_cores = false;
    cancel_allocation(clusters, cluster);
    allocation_choose(clusters, cluster, DEALLOCATE_TERMINATE, CAUSE_DELETION);
    quota_freed(clusters, cluster);
}
