#include "sim/core/cluster.h"

#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/core/rng.h"
#include "sim/core/world_parts.h"
#include "sim/model/price.h"

const char *provisioning_state_name(ProvisioningState state)
{
    static const char *const names[] = {"creating", "succeeded", "failed", "deleting", "deleted"};
    return names[state];
}

const char *allocation_state_name(AllocationState state)
{
    static const char *const names[] = {"resizing", "steady"};
    return names[state];
}

const char *node_state_name(NodeState state)
{
    static const char *const names[] = {"preparing", "idle",     "running",
                                        "leaving",   "unusable", "released"};
    _Static_assert(sizeof names / sizeof names[0] == NODE_STATE_COUNT + 1, "one name per state");
    return names[state];
}

/* --- States --- */

static void set_provisioning(World *world, Cluster *cluster, ProvisioningState state)
{
    cluster->provisioning = state;
    world_tell_change(world, cluster_record(world, TRACE_CLUSTER_PROVISIONING, cluster),
                      provisioning_state_name(state), &cluster->provisioning_since_ns);
}

static void set_allocation(World *world, Cluster *cluster, AllocationState state)
{
    TraceRecord record = cluster_record(world, TRACE_CLUSTER_ALLOCATION, cluster);
    record.value[0] = cluster->target_nodes;
    record.value[1] = cluster->current_nodes;
    cluster->allocation = state;
    world_tell_change(world, record, allocation_state_name(state), &cluster->allocation_since_ns);
}

static void mark_idle(Cluster *cluster, const Node *node)
{
    uint64_t bit = UINT64_C(1) << node->place % PLACES_PER_WORD;
    uint64_t *word = &cluster->idle_places[node->place / PLACES_PER_WORD];
    *word = node->state == NODE_IDLE ? *word | bit : *word & ~bit;
}

static void set_node_state(World *world, Cluster *cluster, Node *node, NodeState state)
{
    TraceRecord record = node_record(world, TRACE_NODE_STATE, node);
    record.value[0] = node->state;
    if (node->state != NODE_STATE_COUNT)
        cluster->node_count[node->state]--;
    if (state != NODE_STATE_COUNT)
        cluster->node_count[state]++;
    node->state = state;
    node->generation++; // whatever was under way belonged to the old state
    mark_idle(cluster, node);
    world_tell_change(world, record, node_state_name(state), &node->state_since_ns);
}

static void set_retiring(Cluster *cluster, Node *node, bool is_retiring)
{
    cluster->retiring_nodes += is_retiring - node->is_retiring;
    node->is_retiring = is_retiring;
}

static bool is_ready(const Cluster *cluster)
{
    return cluster->allocation == ALLOCATION_STEADY && cluster->node_count[NODE_PREPARING] == 0 &&
           cluster->node_count[NODE_LEAVING] == 0 && cluster->current_nodes > 0;
}

static void tell_if_ready(World *world, Cluster *cluster)
{
    if (!is_ready(cluster))
        return;
    TraceRecord record = cluster_record(world, TRACE_CLUSTER_READY, cluster);
    record.value[0] = cluster->current_nodes;
    world_tell(world, &record);
    world_moment(world, MOMENT_CLUSTER_READY, cluster->path.name);
}

static void become_steady(World *world, Cluster *cluster)
{
    set_allocation(world, cluster, ALLOCATION_STEADY);
    world_moment(world, MOMENT_CLUSTER_STEADY, cluster->path.name);
    if (cluster->current_nodes == 0)
        world_moment(world, MOMENT_CLUSTER_EMPTY, cluster->path.name);
    tell_if_ready(world, cluster);
}

/* --- Growing --- */

/* Asks for the nodes that are missing. Anything under way for an earlier target is stale from here
 * on. */
static void begin_growing(World *world, Cluster *cluster)
{
    bool is_creation = cluster->resize_count == 0;
    Quantiles duration_ns = !is_creation                ? world_service(world)->allocation_resize_ns
                            : cluster->target_nodes > 0 ? world_service(world)->allocation_create_ns
                                                        : world_service(world)->allocation_empty_ns;
    int64_t delay_ns = world_draw(world, duration_ns, RNG_ALLOCATION, cluster->address,
                                  (uint64_t)cluster->resize_count);
    world_push(world, delay_ns, EVENT_CLUSTER_ALLOCATED, cluster->id.index, ++cluster->generation,
               0);
}

static const char *new_node_name(World *world, const Cluster *cluster, int32_t number)
{
    char stamp[CIVIL_TEXT];
    stamp_print(world_unix_ms(world, world->now_ns), stamp);
    // Low-priority nodes carry "-p" (batchai-service notes, "Names of nodes").
    return arena_printf(world->arena, "tvm-%u_%d-%s%s", cluster->opaque_number, (int)number, stamp,
                        cluster->spec->is_low_priority ? "-p" : "");
}

static void reserve_node(World *world, Cluster *cluster)
{
    if (cluster->current_nodes < cluster->node_capacity)
        return;
    int32_t capacity = cluster->node_capacity ? 2 * cluster->node_capacity : PLACES_PER_WORD;
    NodeId *nodes = ARENA_ARRAY(world->arena, NodeId, capacity);
    uint64_t *idle_places = ARENA_ARRAY(world->arena, uint64_t, capacity / PLACES_PER_WORD);
    if (cluster->current_nodes) {
        memcpy(nodes, cluster->nodes, (size_t)cluster->current_nodes * sizeof *nodes);
        memcpy(idle_places, cluster->idle_places,
               (size_t)cluster->current_nodes / PLACES_PER_WORD * sizeof *idle_places);
    }
    cluster->nodes = nodes;
    cluster->idle_places = idle_places;
    cluster->node_capacity = capacity;
}

static void add_node(World *world, Cluster *cluster)
{
    reserve_node(world, cluster);
    Node *node = ARENA_NEW(world->arena, Node);
    int32_t number = cluster->next_node_number++;
    *node = (Node){.id = {row_table_add(world->arena, &world->nodes, node)},
                   .cluster = cluster->id,
                   .number = number,
                   .place = cluster->current_nodes,
                   .state = NODE_STATE_COUNT,
                   .state_since_ns = world->now_ns,
                   .allocated_ns = world->now_ns,
                   .released_ns = INT64_MAX,
                   .job = {ID_NONE},
                   .speed_ppm = PPM,
                   .name = new_node_name(world, cluster, number),
                   .address = cluster->address + (uint64_t)number};
    cluster->nodes[cluster->current_nodes++] = node->id;
    cluster->place_count = cluster->current_nodes;
    set_node_state(world, cluster, node, NODE_PREPARING);
    int64_t delay_ns = world_draw(world, world_service(world)->node_preparation_ns,
                                  RNG_NODE_PREPARATION, node->address, 0);
    world_push(world, delay_ns, EVENT_NODE_PREPARED, node->id.index, node->generation, 0);
}

void cluster_nodes_allocated(World *world, Cluster *cluster)
{
    while (cluster->current_nodes < cluster->target_nodes)
        add_node(world, cluster);
    become_steady(world, cluster);
}

void cluster_node_prepared(World *world, Node *node)
{
    Cluster *cluster = world_cluster_row(world, node->cluster);
    set_node_state(world, cluster, node, NODE_IDLE);
    tell_if_ready(world, cluster);
    scheduler_wake(world, cluster);
}

/* --- Shrinking --- */

static void node_leaves(World *world, Cluster *cluster, Node *node)
{
    set_retiring(cluster, node, false);
    set_node_state(world, cluster, node, NODE_LEAVING);
}

static void push_release(World *world, Cluster *cluster)
{
    int64_t delay_ns = world_draw(world, world_service(world)->release_ns, RNG_NODE_RELEASE,
                                  cluster->address, (uint64_t)cluster->resize_count);
    world_push(world, delay_ns, EVENT_CLUSTER_RELEASED, cluster->id.index, cluster->generation, 0);
}

/* Takes away a running node and, as its job is over then, up to `most` of the job's nodes in all,
 * the newest first. Returns how many. */
static int32_t leave_with_gang(World *world, Cluster *cluster, Node *node, int32_t most,
                               DeallocationOption deallocation)
{
    Job *job = world_job_row(world, node->job);
    const NodeId *gang = job->nodes;
    job_loses_nodes(world, job, node, deallocation, CAUSE_SCALE_DOWN);
    node_leaves(world, cluster, node);
    int32_t count = 1;
    for (int32_t n = job->spec->nodes - 1; n >= 0 && count < most; n--) {
        Node *other = world_node_row(world, gang[n]);
        if (other->state != NODE_IDLE)
            continue;
        node_leaves(world, cluster, other);
        count++;
    }
    return count;
}

/* One node, and those that come free with it. Returns how many of `surplus` are dealt with. */
static int32_t take_away(World *world, Cluster *cluster, Node *node, int32_t surplus,
                         DeallocationOption deallocation)
{
    if (node->state == NODE_RUNNING && deallocation != DEALLOCATE_WAIT_FOR_JOB)
        return leave_with_gang(world, cluster, node, surplus, deallocation);
    if (node->state == NODE_RUNNING)
        set_retiring(cluster, node, true);
    else
        node_leaves(world, cluster, node);
    return 1;
}

/* Which nodes go first is not recorded; ours: those whose loss costs least (unusable, preparing,
 * idle, then running), the newest first among equals. */
static const NodeState leaving_order[] = {NODE_UNUSABLE, NODE_PREPARING, NODE_IDLE, NODE_RUNNING};

/* Makes nodes leave until no more than `target` would stay; none is retiring. */
static void choose_leaving(World *world, Cluster *cluster, int32_t target,
                           DeallocationOption deallocation)
{
    int32_t surplus = cluster->current_nodes - cluster->node_count[NODE_LEAVING] - target;
    invariant(cluster->retiring_nodes == 0);
    for (size_t s = 0; s < sizeof leaving_order / sizeof leaving_order[0]; s++)
        for (int32_t i = cluster->current_nodes - 1; i >= 0 && surplus > 0; i--) {
            Node *node = world_node_row(world, cluster->nodes[i]);
            if (node->state == leaving_order[s])
                surplus -= take_away(world, cluster, node, surplus, deallocation);
        }
    invariant(surplus <= 0);
}

void cluster_nodes_leave(World *world, Cluster *cluster)
{
    choose_leaving(world, cluster, cluster->target_nodes, cluster->deallocation);
    if (cluster->retiring_nodes == 0)
        push_release(world, cluster);
    scheduler_wake(world, cluster);
}

static void bill_node(World *world, Cluster *cluster, Node *node, const char *why)
{
    const VmSize *size = cluster->spec->vm_size;
    TraceRecord record = node_record(world, TRACE_NODE_BILLED, node);
    record.since_ns = node->allocated_ns;
    record.name = why;
    record.value[0] =
        billed_ns(world->now_ns - node->allocated_ns, world_service(world)->billing_granularity_ns);
    record.value[1] = cluster->spec->is_low_priority ? size->low_priority_micro_usd_per_hour
                                                     : size->dedicated_micro_usd_per_hour;
    world_tell(world, &record);
}

void cluster_bill_held_nodes(World *world, Cluster *cluster)
{
    for (int32_t i = 0; i < cluster->current_nodes; i++)
        bill_node(world, cluster, world_node_row(world, cluster->nodes[i]), "held");
}

/* No node is idle at a place that is not taken. */
static void clear_places(Cluster *cluster, int32_t from)
{
    for (int32_t place = from; place < cluster->node_capacity; place++)
        cluster->idle_places[place / PLACES_PER_WORD] &= ~(UINT64_C(1) << place % PLACES_PER_WORD);
}

/* Leaving nodes and the number of nodes drop together, as in the service. */
static void release_leaving(World *world, Cluster *cluster)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < cluster->current_nodes; i++) {
        Node *node = world_node_row(world, cluster->nodes[i]);
        if (node->state == NODE_LEAVING) {
            set_node_state(world, cluster, node, NODE_STATE_COUNT);
            node->released_ns = world->now_ns;
            bill_node(world, cluster, node, "released");
            continue;
        }
        node->place = kept;
        mark_idle(cluster, node);
        cluster->nodes[kept++] = node->id;
    }
    cluster->current_nodes = cluster->place_count = kept;
    clear_places(cluster, kept);
}

void cluster_nodes_released(World *world, Cluster *cluster)
{
    release_leaving(world, cluster);
    become_steady(world, cluster);
}

/* --- Commands --- */

static bool target_is_possible(World *world, Place at, const char *name, int32_t target_nodes,
                               Status *status)
{
    int32_t most = world_service(world)->nodes_per_cluster_max;
    if (target_nodes >= 0 && target_nodes <= most)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "cluster \"%s\": %d nodes asked for, expected 0 to %d", name,
                       (int)target_nodes, (int)most);
}

static bool quota_allows(World *world, const Command *command, Status *status)
{
    int32_t most = world_service(world)->clusters_max;
    if (world->living_clusters < most)
        return true;
    return status_fail(status, STATUS_QUOTA, command_place(command),
                       "Operation results in exceeding quota limits of "
                       "Microsoft.BatchAI/clusters. Maximum allowed: %d, Current in use: %d",
                       (int)most, (int)world->living_clusters);
}

static Cluster *new_cluster(World *world, const Command *command)
{
    const ClusterSpec *spec = command->as.cluster_create;
    const char *key = resource_key(world, COMMAND_CLUSTER_CREATE, command->path);
    Cluster *cluster = ARENA_NEW(world->arena, Cluster);
    *cluster = (Cluster){.id = {row_table_add(world->arena, &world->clusters, cluster)},
                         .path = command->path,
                         .spec = spec,
                         .target_nodes = spec->target_nodes,
                         .first_steady_ns = INT64_MAX,
                         .deallocation = spec->deallocation,
                         .created_ns = world->now_ns,
                         .provisioning_since_ns = world->now_ns,
                         .allocation_since_ns = world->now_ns,
                         .next_node_number = 1,
                         .address = world_new_address(world, key)};
    cluster->opaque_number =
        (uint32_t)rng_word(world->scenario->seed, RNG_IDENTITY, cluster->address, 0);
    name_table_set(world->names, key, cluster->id.index);
    world->living_clusters++;
    return cluster;
}

bool cluster_create(World *world, const Command *command, Status *status)
{
    const ClusterSpec *spec = command->as.cluster_create;
    Place at = command_place(command);
    if (world_find_cluster(world, command->path))
        return status_fail(status, STATUS_CONFLICT, at, "cluster \"%s\" exists already",
                           command->path.name);
    if (!target_is_possible(world, at, command->path.name, spec->target_nodes, status) ||
        !quota_allows(world, command, status))
        return false;
    Cluster *cluster = new_cluster(world, command);
    set_provisioning(world, cluster, PROVISIONING_CREATING);
    set_allocation(world, cluster, ALLOCATION_RESIZING);
    int64_t delay_ns = world_draw(world, world_service(world)->cluster_record_ns,
                                  RNG_CLUSTER_RECORD, cluster->address, 0);
    world_push(world, delay_ns, EVENT_CLUSTER_RECORDED, cluster->id.index, 0, 0);
    begin_growing(world, cluster);
    return true;
}

void cluster_recorded(World *world, Cluster *cluster)
{
    if (cluster->provisioning == PROVISIONING_CREATING)
        set_provisioning(world, cluster, PROVISIONING_SUCCEEDED);
}

/* What an earlier resize still waits for is decided anew. */
static void forget_retirement(World *world, Cluster *cluster)
{
    for (int32_t i = 0; i < cluster->current_nodes && cluster->retiring_nodes > 0; i++)
        set_retiring(cluster, world_node_row(world, cluster->nodes[i]), false);
}

/* Nodes show as leaving a little later; with none to leave the cluster is steady again at once. */
static void begin_shrinking(World *world, Cluster *cluster, bool has_leaving)
{
    EventKind kind = has_leaving ? EVENT_CLUSTER_LEAVING : EVENT_CLUSTER_RELEASED;
    int64_t delay_ns =
        has_leaving ? world_draw(world, world_service(world)->leaving_delay_ns, RNG_ALLOCATION,
                                 cluster->address, (uint64_t)cluster->resize_count)
                    : 0;
    world_push(world, delay_ns, kind, cluster->id.index, ++cluster->generation, 0);
}

bool cluster_resize(World *world, Cluster *cluster, int32_t target_nodes,
                    DeallocationOption deallocation, Status *status)
{
    Place at = place_in(cluster->path.name, 0, 0);
    if (!target_is_possible(world, at, cluster->path.name, target_nodes, status))
        return false;
    if (cluster->provisioning >= PROVISIONING_DELETING)
        return status_fail(status, STATUS_CONFLICT, at, "cluster \"%s\" is being deleted",
                           cluster->path.name);
    cluster->resize_count++;
    cluster->target_nodes = target_nodes;
    cluster->deallocation = deallocation;
    set_allocation(world, cluster, ALLOCATION_RESIZING);
    forget_retirement(world, cluster);
    // Nodes on their way out go; the target counts the others.
    int32_t leaving = cluster->node_count[NODE_LEAVING];
    int32_t staying = cluster->current_nodes - leaving;
    if (target_nodes > staying) {
        release_leaving(world, cluster);
        begin_growing(world, cluster);
    } else {
        begin_shrinking(world, cluster, target_nodes < staying || leaving > 0);
    }
    return true;
}

bool cluster_delete(World *world, Cluster *cluster, Status *status)
{
    if (cluster->provisioning >= PROVISIONING_DELETING)
        return status_fail(status, STATUS_CONFLICT, place_in(cluster->path.name, 0, 0),
                           "cluster \"%s\" is being deleted already", cluster->path.name);
    Quantiles duration_ns = cluster->current_nodes > 0
                                ? world_service(world)->cluster_delete_ns
                                : world_service(world)->cluster_delete_empty_ns;
    cluster->generation++; // no resize goes on
    cluster->target_nodes = 0;
    set_provisioning(world, cluster, PROVISIONING_DELETING);
    forget_retirement(world, cluster);
    choose_leaving(world, cluster, 0, DEALLOCATE_TERMINATE);
    world_push(world, world_draw(world, duration_ns, RNG_DELETE, cluster->address, 0),
               EVENT_CLUSTER_DELETED, cluster->id.index, 0, 0);
    return true;
}

void cluster_deleted(World *world, Cluster *cluster)
{
    release_leaving(world, cluster);
    set_provisioning(world, cluster, PROVISIONING_DELETED);
    world->living_clusters--;
    world_forget(world, resource_key(world, COMMAND_CLUSTER_CREATE, cluster->path));
    world_moment(world, MOMENT_CLUSTER_DELETED, cluster->path.name);
}

/* --- For jobs --- */

void cluster_take_nodes(World *world, Cluster *cluster, JobId job, int32_t count, NodeId *taken)
{
    invariant(count <= cluster->node_count[NODE_IDLE]);
    int32_t found = 0;
    for (int32_t word = 0; found < count; word++)
        // A node that is taken clears its bit, so each is the lowest once.
        while (cluster->idle_places[word] != 0 && found < count) {
            int32_t place = word * PLACES_PER_WORD + __builtin_ctzll(cluster->idle_places[word]);
            Node *node = world_node_row(world, cluster->nodes[place]);
            node->job = job;
            set_node_state(world, cluster, node, NODE_RUNNING);
            taken[found++] = node->id;
        }
}

void cluster_node_freed(World *world, Node *node)
{
    Cluster *cluster = world_cluster_row(world, node->cluster);
    invariant(node->state == NODE_RUNNING);
    bool was_retiring = node->is_retiring;
    if (was_retiring)
        node_leaves(world, cluster, node);
    else
        set_node_state(world, cluster, node, NODE_IDLE);
    node->job = (JobId){ID_NONE};
    if (was_retiring && cluster->retiring_nodes == 0)
        push_release(world, cluster);
}

bool node_has_image(const Node *node, const ContainerImage *image)
{
    for (const CachedImage *cached = node->images; cached; cached = cached->next)
        if (cached->image == image)
            return true;
    return false;
}

void node_keep_image(World *world, Node *node, const ContainerImage *image)
{
    CachedImage *cached = ARENA_NEW(world->arena, CachedImage);
    *cached = (CachedImage){.image = image, .next = node->images};
    node->images = cached;
}

/* --- Autoscale --- */

bool cluster_autoscale(World *world, Cluster *cluster, int32_t minimum_nodes, int32_t maximum_nodes,
                       Status *status)
{
    (void)world;
    (void)cluster;
    (void)minimum_nodes;
    (void)maximum_nodes;
    (void)status;
    return true;
}

void cluster_autoscale_tick(World *world, Cluster *cluster)
{
    (void)world;
    (void)cluster;
}

void cluster_retries(World *world, Cluster *cluster)
{
    (void)world;
    (void)cluster;
}

void cluster_demand_changes(World *world, Cluster *cluster, int32_t nodes)
{
    (void)world;
    (void)cluster;
    (void)nodes;
}

void cluster_node_crashes(World *world, Node *node, NodeFailure failure)
{
    (void)world;
    (void)node;
    (void)failure;
}

void cluster_node_missed(World *world, Node *node)
{
    (void)world;
    (void)node;
}

void cluster_node_repaired(World *world, Node *node)
{
    (void)world;
    (void)node;
}

void cluster_node_warned(World *world, Node *node, int64_t notice_ns, TraceCause cause)
{
    (void)world;
    (void)node;
    (void)notice_ns;
    (void)cause;
}

void cluster_node_preempted(World *world, Node *node)
{
    (void)world;
    (void)node;
}

void cluster_node_reboots(World *world, Node *node, TraceCause cause)
{
    (void)world;
    (void)node;
    (void)cause;
}

void cluster_set_node_speed(World *world, Node *node, int64_t speed_ppm)
{
    (void)world;
    (void)node;
    (void)speed_ppm;
}

void cluster_spoil_allocation(Cluster *cluster, int32_t count)
{
    (void)cluster;
    (void)count;
}

void cluster_spoil_preparation(World *world, Cluster *cluster, int32_t place, NodeFailure failure)
{
    (void)world;
    (void)cluster;
    (void)place;
    (void)failure;
}

Node *cluster_node_at(World *world, const Cluster *cluster, int32_t place)
{
    if (place < 0 || place >= cluster->place_count || cluster->nodes[place].index == ID_NONE)
        return NULL;
    return world_node_row(world, cluster->nodes[place]);
}
