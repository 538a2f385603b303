/* Nodes of a cluster that come and go together: allocationState, resizing and steady.
 *
 * While a cluster resizes exactly one thing is under way: an allocation (is_growing), the moment
 * between a resize and nodes leaving, jobs that are waited for (retiring nodes), or a release.
 * Nodes that are lost meanwhile are asked for when it is over. */
#include "sim/base/invariant.h"
#include "sim/cloud/cluster/cluster_parts.h"
#include "sim/model/bounded.h"

// The service's code and words for a quota (batchai-service notes, "Cluster errors"); for nodes
// that do not come its code was InternalError, and its words said nothing: these are ours.
static const char quota_code[] = "AccountCoreQuotaReached";
static const char quota_text[] = "The specified account has reached core quota";
static const char failure_code[] = "InternalError";

/* Draws of allocations that no resize began have addresses of their own: a node that is lost moves
 * no later resize. */
#define UNASKED_DRAWS (UINT64_C(1) << 32)

/* --- States --- */

void allocation_set(World *world, Cluster *cluster, AllocationState state, TraceCause cause)
{
    TraceRecord record = cluster_record(world, TRACE_CLUSTER_ALLOCATION, cluster);
    record.cluster_allocation.target = cluster->target_nodes;
    record.cluster_allocation.current = cluster->current_nodes;
    record.cause = cause;
    cluster->allocation = state;
    cluster->allocation_cause = cause;
    world_tell_change(world, record, allocation_state_name(state), &cluster->allocation_since_ns);
}

int32_t allocation_staying(const Cluster *cluster)
{
    return cluster->current_nodes - cluster->node_count[NODE_LEAVING];
}

void allocation_tell_if_ready(World *world, Cluster *cluster)
{
    int32_t usable = cluster->node_count[NODE_IDLE] + cluster->node_count[NODE_RUNNING];
    if (cluster->provisioning >= PROVISIONING_DELETING ||
        cluster->allocation != ALLOCATION_STEADY || cluster->node_count[NODE_PREPARING] > 0 ||
        usable == 0)
        return;
    TraceRecord record = cluster_record(world, TRACE_CLUSTER_READY, cluster);
    record.cluster_ready.nodes = usable;
    world_tell(world, &record);
    world_moment(world, MOMENT_CLUSTER_READY, cluster->path.name);
}

static void become_steady(World *world, Cluster *cluster)
{
    bool is_whole = cluster->current_nodes == cluster->target_nodes;
    invariant(is_whole || cluster->error_code);
    if (is_whole) {
        cluster->error_code = cluster->error_message = NULL;
        cluster->is_short_of_cores = false;
    }
    if (cluster->first_steady_ns == INT64_MAX)
        cluster->first_steady_ns = world->now_ns;
    allocation_set(world, cluster, ALLOCATION_STEADY, cluster->allocation_cause);
    world_moment(world, MOMENT_CLUSTER_STEADY, cluster->path.name);
    if (cluster->current_nodes == 0)
        world_moment(world, MOMENT_CLUSTER_EMPTY, cluster->path.name);
    allocation_tell_if_ready(world, cluster);
    autoscale_look(world, cluster);
}

/* --- Growing --- */

/* Whoever asks first has the cores. */
static void ask(World *world, Cluster *cluster)
{
    cluster->missing_nodes = cluster->target_nodes - cluster->current_nodes;
    cluster->asked_nodes = 0;
    cluster->asked_nodes = quota_room(world, cluster, cluster->missing_nodes);
    cluster->quota_message =
        cluster->asked_nodes < cluster->missing_nodes ? quota_words(world, cluster) : NULL;
}

static int64_t resize_ns(World *world, Cluster *cluster, TraceCause cause)
{
    bool is_asked = cause == CAUSE_RESIZE || cause == CAUSE_AUTOSCALE;
    uint64_t draw = is_asked ? (uint64_t)cluster->resize_count
                             : UNASKED_DRAWS + (uint64_t)cluster->allocation_count++;
    return world_draw(world, world_service(world)->allocation_resize_ns, RNG_ALLOCATION,
                      cluster->address, draw);
}

static void grow_in(World *world, Cluster *cluster, TraceCause cause, int64_t delay_ns)
{
    cluster->allocation_cause = cause;
    cluster->is_growing = true;
    cluster->growing_since_ns = world->now_ns;
    ask(world, cluster);
    world_push(world, delay_ns, EVENT_CLUSTER_ALLOCATED, cluster->id.index, ++cluster->generation,
               0);
}

void allocation_begin(World *world, Cluster *cluster, int64_t record_ns)
{
    const ServiceModel *service = world_service(world);
    bool is_empty = cluster->target_nodes == 0;
    int64_t delay_ns =
        world_draw(world, is_empty ? service->allocation_empty_ns : service->allocation_create_ns,
                   RNG_ALLOCATION, cluster->address, (uint64_t)cluster->resize_count);
    grow_in(world, cluster, CAUSE_CREATION, is_empty ? bounded_add(record_ns, delay_ns) : delay_ns);
}

void allocation_grow(World *world, Cluster *cluster, TraceCause cause)
{
    grow_in(world, cluster, cause, resize_ns(world, cluster, cause));
}

/* Whether the next node that was asked for comes. */
static bool node_comes(World *world, Cluster *cluster)
{
    uint64_t draw = (uint64_t)CHANCE_ALLOCATION << 32 | (uint64_t)cluster->asked_count++;
    return !mishap_strikes(world, world->scenario->failures.allocation_ppm, RNG_CHANCE,
                           cluster->address, draw);
}

static int32_t nodes_that_come(World *world, Cluster *cluster, int32_t asked)
{
    int32_t spoiled = cluster->spoiled_nodes < asked ? cluster->spoiled_nodes : asked;
    int32_t count = 0;
    if (asked > 0)
        cluster->spoiled_nodes = 0;
    if (mishap_region_is_out(world))
        return 0;
    for (int32_t i = spoiled; i < asked; i++)
        count += node_comes(world, cluster);
    return count;
}

static void note_error(World *world, Cluster *cluster, TraceCause cause, const char *code,
                       const char *message)
{
    cluster->error_code = code;
    cluster->error_message = message;
    TraceRecord record = cluster_record(world, TRACE_CLUSTER_ERROR, cluster);
    record.cause = cause;
    record.name = arena_printf(world->arena, "%s: %s", code, message);
    world_tell(world, &record);
}

/* Steady with fewer nodes. */
static void note_quota(World *world, Cluster *cluster, int32_t refused)
{
    note_error(world, cluster, CAUSE_QUOTA, quota_code,
               arena_printf(world->arena, "%s: %d of %d nodes are missing; %s", quota_text,
                            (int)refused, (int)cluster->target_nodes, cluster->quota_message));
    cluster->is_short_of_cores = true;
}

/* Nobody asks again and again for what never comes: a run would have no end. */
static bool is_retried(const World *world)
{
    const Failures *failures = &world->scenario->failures;
    return bounded_times(failures->allocation_ppm, failures->rate_ppm) < PPM * PPM &&
           mishap_region_up_ns(world) != INT64_MAX;
}

static void note_failure(World *world, Cluster *cluster, int32_t asked, int32_t failed)
{
    const char *why = mishap_region_is_out(world) ? ", for the region is out" : "";
    const char *next = is_retried(world) ? "; the service asks again" : "";
    note_error(world, cluster, CAUSE_ALLOCATION_FAILURE, failure_code,
               arena_printf(world->arena, "%d of %d nodes could not be allocated%s%s", (int)failed,
                            (int)asked, why, next));
    if (is_retried(world))
        world_push(world, world_service(world)->allocation_retry_ns, EVENT_CLUSTER_RETRY,
                   cluster->id.index, ++cluster->generation, 0);
}

/* One allocation after another until nothing is missing that the service would give. */
static void grow_again(World *world, Cluster *cluster, TraceCause cause)
{
    allocation_set(world, cluster, ALLOCATION_RESIZING, cause);
    allocation_grow(world, cluster, cause);
}

void cluster_nodes_allocated(World *world, Cluster *cluster)
{
    int32_t asked = cluster->asked_nodes;
    int32_t refused = cluster->missing_nodes - asked; // by a quota
    int32_t count = nodes_that_come(world, cluster, asked);
    cluster->is_growing = false;
    cluster->asked_nodes = 0;
    for (int32_t i = 0; i < count; i++)
        node_add(world, cluster, cluster->allocation_cause);
    cluster->is_short_of_cores = false;
    if (refused > 0)
        note_quota(world, cluster, refused);
    if (count < asked) {
        note_failure(world, cluster, asked, asked - count);
        become_steady(world, cluster);
        quota_freed(world, cluster);
        return;
    }
    int32_t lost = cluster->target_nodes - cluster->current_nodes - refused; // since it began
    if (lost > 0)
        grow_again(world, cluster, CAUSE_REPLACEMENT);
    else
        become_steady(world, cluster);
}

void cluster_retries(World *world, Cluster *cluster)
{
    grow_again(world, cluster, CAUSE_RETRY);
}

void allocation_replace(World *world, Cluster *cluster)
{
    if (cluster->provisioning >= PROVISIONING_DELETING ||
        cluster->current_nodes >= cluster->target_nodes)
        return;
    if (cluster->allocation == ALLOCATION_STEADY)
        grow_again(world, cluster, CAUSE_REPLACEMENT);
    else if (cluster->is_growing && cluster->growing_since_ns == world->now_ns)
        ask(world, cluster); // what is lost at one instant is asked for at once
}

void cluster_spoil_allocation(Cluster *cluster, int32_t count)
{
    cluster->spoiled_nodes += count;
}

/* --- Shrinking --- */

/* Nothing more is on its way out. */
static void settle(World *world, Cluster *cluster)
{
    if (cluster->current_nodes < cluster->target_nodes)
        grow_again(world, cluster, CAUSE_REPLACEMENT);
    else
        become_steady(world, cluster);
}

/* How long the nodes of the present resize still show as they were. Pure. */
static int64_t leaving_delay_ns(const World *world, const Cluster *cluster)
{
    return world_draw(world, world_service(world)->leaving_delay_ns, RNG_ALLOCATION,
                      cluster->address, (uint64_t)cluster->resize_count);
}

/* The nodes that leave are released, and the cluster is steady, as long after the resize as the
 * catalogue has it: `gone_ns` of that time has passed. */
static void begin_release(World *world, Cluster *cluster, int64_t gone_ns)
{
    if (cluster->node_count[NODE_LEAVING] == 0) {
        settle(world, cluster);
        return;
    }
    int64_t release_ns = world_draw(world, world_service(world)->release_ns, RNG_NODE_RELEASE,
                                    cluster->address, (uint64_t)cluster->resize_count);
    world_push(world, release_ns > gone_ns ? release_ns - gone_ns : 0, EVENT_CLUSTER_RELEASED,
               cluster->id.index, ++cluster->generation, 0);
}

void allocation_retired(World *world, Cluster *cluster)
{
    begin_release(world, cluster, 0);
}

/* Takes away a running node and, as its job is over then, up to `most` of the job's nodes in all,
 * the newest first. Returns how many. */
static int32_t leave_with_gang(World *world, Cluster *cluster, Node *node, int32_t most,
                               DeallocationOption deallocation, TraceCause cause)
{
    Job *job = world_job_row(world, node->job);
    const NodeId *gang = job->nodes;
    node_withdraw(world, node, deallocation,
                  cause == CAUSE_DELETION ? CAUSE_DELETION : CAUSE_SCALE_DOWN);
    node_leaves(world, cluster, node, cause);
    int32_t count = 1;
    for (int32_t n = job->spec->nodes - 1; n >= 0 && count < most; n--) {
        Node *other = world_node_row(world, gang[n]);
        if (other->state != NODE_IDLE)
            continue;
        node_leaves(world, cluster, other, cause);
        count++;
    }
    return count;
}

/* One node, and those that come free with it. Returns how many of `surplus` are dealt with. */
static int32_t take_away(World *world, Cluster *cluster, Node *node, int32_t surplus,
                         DeallocationOption deallocation, TraceCause cause)
{
    if (node->state == NODE_RUNNING && deallocation != DEALLOCATE_WAIT_FOR_JOB)
        return leave_with_gang(world, cluster, node, surplus, deallocation, cause);
    if (node->state == NODE_RUNNING)
        node_set_retiring(cluster, node, true);
    else
        node_leaves(world, cluster, node, cause);
    return 1;
}

/* Which nodes go first is not recorded; ours: those whose loss costs least (unusable, preparing,
 * idle, then running), the highest place first among equals. */
static const NodeState leaving_order[] = {NODE_UNUSABLE, NODE_PREPARING, NODE_IDLE, NODE_RUNNING};

void allocation_choose(World *world, Cluster *cluster, int32_t target,
                       DeallocationOption deallocation, TraceCause cause)
{
    int32_t surplus = allocation_staying(cluster) - target;
    invariant(cluster->retiring_nodes == 0);
    for (size_t s = 0; s < sizeof leaving_order / sizeof leaving_order[0]; s++) {
        const PlaceSet *places = &cluster->places[leaving_order[s]];
        int32_t place = surplus > 0 ? place_set_down(places, cluster->place_count - 1) : -1;
        while (place >= 0) {
            Node *node = cluster_node_at(world, cluster, place);
            surplus -= take_away(world, cluster, node, surplus, deallocation, cause);
            place = surplus > 0 ? place_set_down(places, place - 1) : -1;
        }
    }
    invariant(surplus <= 0);
}

void cluster_nodes_leave(World *world, Cluster *cluster)
{
    if (cluster->allocation_cause == CAUSE_AUTOSCALE)
        autoscale_choose(world, cluster);
    else
        allocation_choose(world, cluster, cluster->target_nodes, cluster->deallocation,
                          CAUSE_RESIZE);
    if (cluster->retiring_nodes == 0)
        begin_release(world, cluster, leaving_delay_ns(world, cluster));
    scheduler_wake(world, cluster);
}

void allocation_release(World *world, Cluster *cluster, TraceCause cause)
{
    const PlaceSet *leaving = &cluster->places[NODE_LEAVING];
    for (int32_t place = 0; leaving->count > 0;) {
        place = place_set_up(leaving, place);
        node_release(world, cluster, cluster_node_at(world, cluster, place), cause);
    }
}

void cluster_nodes_released(World *world, Cluster *cluster)
{
    allocation_release(world, cluster, cluster->allocation_cause);
    settle(world, cluster);
}

/* --- Another target --- */

/* What an earlier resize still waits for is decided anew. */
static void forget_retirement(World *world, Cluster *cluster)
{
    int32_t place = 0;
    for (; cluster->retiring_nodes > 0; place++) {
        place = place_set_up(&cluster->places[NODE_RUNNING], place);
        node_set_retiring(cluster, cluster_node_at(world, cluster, place), false);
    }
}

/* Nothing that is under way matters any more. */
static void forget_allocation(World *world, Cluster *cluster)
{
    cluster->generation++;
    cluster->is_growing = false;
    cluster->asked_nodes = 0;
    forget_retirement(world, cluster);
}

/* Nodes show as leaving a little later; with none to leave the cluster is steady again at once. */
static void begin_shrinking(World *world, Cluster *cluster, bool has_leaving)
{
    EventKind kind = has_leaving ? EVENT_CLUSTER_LEAVING : EVENT_CLUSTER_RELEASED;
    int64_t delay_ns = has_leaving ? leaving_delay_ns(world, cluster) : 0;
    world_push(world, delay_ns, kind, cluster->id.index, cluster->generation, 0);
}

void allocation_resize(World *world, Cluster *cluster, int32_t target, TraceCause cause)
{
    cluster->resize_count++;
    cluster->target_nodes = target;
    forget_allocation(world, cluster);
    allocation_set(world, cluster, ALLOCATION_RESIZING, cause);
    // Nodes on their way out go; the target counts the others.
    int32_t leaving = cluster->node_count[NODE_LEAVING];
    int32_t staying = allocation_staying(cluster);
    if (target > staying) {
        allocation_release(world, cluster, cluster->allocation_cause);
        allocation_grow(world, cluster, cause);
    } else {
        begin_shrinking(world, cluster, target < staying || leaving > 0);
    }
    quota_freed(world, cluster);
}

void allocation_end(World *world, Cluster *cluster)
{
    cluster->target_nodes = 0;
    cluster->is_short_of_cores = false;
    forget_allocation(world, cluster);
    allocation_choose(world, cluster, 0, DEALLOCATE_TERMINATE, CAUSE_DELETION);
    quota_freed(world, cluster);
}
