/* One node's life: from allocation to release, and what goes wrong with it. */
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/cloud/cluster/cluster_parts.h"
#include "sim/model/bounded.h"
#include "sim/model/price.h"

const char *node_state_name(NodeState state)
{
    static const char *const names[] = {"preparing", "idle",     "running",
                                        "leaving",   "unusable", "released"};
    _Static_assert(sizeof names / sizeof names[0] == NODE_STATE_COUNT + 1, "one name per state");
    return names[state];
}

/* --- States --- */

enum { SETUP_CUT_OFF = -1 };

/* Its set-up task, if it runs, is over. */
static void setup_ends(const World *world, Node *node, int32_t exit_code)
{
    if (!node->is_in_setup)
        return;
    node->is_in_setup = false;
    node->setup_ended_ns = world->now_ns;
    node->setup_exit_code = exit_code;
}

static void set_state(World *world, Cluster *cluster, Node *node, NodeState state, TraceCause cause)
{
    TraceRecord record = node_record(world, TRACE_NODE_STATE, node);
    record.node_state.was = node->state;
    record.cause = cause;
    place_set_remove(&cluster->places[node->state], node->place);
    place_set_add(&cluster->places[state], node->place);
    if (node->state != NODE_STATE_COUNT)
        cluster->node_count[node->state]--;
    if (state != NODE_STATE_COUNT)
        cluster->node_count[state]++;
    node->state = state;
    node->generation++; // whatever was under way belonged to the old state
    setup_ends(world, node, SETUP_CUT_OFF);
    if (state != NODE_RUNNING)
        node->job = (JobId){ID_NONE};
    world_tell_change(world, record, node_state_name(state), &node->state_since_ns);
}

void node_set_retiring(Cluster *cluster, Node *node, bool is_retiring)
{
    cluster->retiring_nodes += is_retiring - node->is_retiring;
    node->is_retiring = is_retiring;
}

void node_leaves(World *world, Cluster *cluster, Node *node, TraceCause cause)
{
    node_set_retiring(cluster, node, false);
    node->is_silent = false; // nobody asks it any more
    set_state(world, cluster, node, NODE_LEAVING, cause);
}

/* --- Allocation and release --- */

static void reserve_place(World *world, Cluster *cluster)
{
    enum { PLACES_AT_FIRST = 64 };
    PlaceSet *free_places = &cluster->places[NODE_STATE_COUNT];
    if (free_places->count > 0)
        return;
    int32_t old = cluster->node_capacity;
    int32_t capacity = old > 0 ? 2 * old : PLACES_AT_FIRST;
    NodeId *nodes = ARENA_ARRAY(world->arena, NodeId, capacity);
    if (old > 0)
        memcpy(nodes, cluster->nodes, (size_t)old * sizeof *nodes);
    for (int32_t s = 0; s <= NODE_STATE_COUNT; s++)
        place_set_reserve(world->arena, &cluster->places[s], capacity);
    for (int32_t place = old; place < capacity; place++) {
        nodes[place].index = ID_NONE;
        place_set_add(free_places, place);
    }
    cluster->nodes = nodes;
    cluster->node_capacity = capacity;
}

static const char *new_node_name(World *world, const Cluster *cluster, int32_t number)
{
    char stamp[CIVIL_TEXT];
    stamp_print(world_unix_ms(world, world->now_ns), stamp);
    // Low-priority nodes carry "-p" (batchai-service notes, "Names of nodes").
    return arena_printf(world->arena, "tvm-%u_%d-%s%s", cluster->opaque_number, (int)number, stamp,
                        cluster->spec->is_low_priority ? "-p" : "");
}

static void begin_preparation(World *world, Cluster *cluster, Node *node, TraceCause cause,
                              int64_t reboot_ns)
{
    set_state(world, cluster, node, NODE_PREPARING, cause);
    int64_t delay_ns =
        world_draw(world, world_service(world)->node_preparation_ns, RNG_NODE_PREPARATION,
                   node->address, (uint64_t)node->preparations++);
    world_push(world, bounded_add(reboot_ns, delay_ns), EVENT_NODE_PREPARED, node->id.index,
               node->generation, 0);
}

void node_add(World *world, Cluster *cluster, TraceCause cause)
{
    reserve_place(world, cluster);
    Node *node = ARENA_NEW(world->arena, Node);
    int32_t number = cluster->next_node_number++;
    int32_t place = place_set_up(&cluster->places[NODE_STATE_COUNT], 0);
    *node = (Node){.id = {row_table_add(world->arena, &world->nodes, node)},
                   .cluster = cluster->id,
                   .number = number,
                   .place = place,
                   .state = NODE_STATE_COUNT,
                   .state_since_ns = world->now_ns,
                   .allocated_ns = world->now_ns,
                   .released_ns = INT64_MAX,
                   .job = {ID_NONE},
                   .setup_began_ns = INT64_MAX,
                   .setup_ended_ns = INT64_MAX,
                   .set_up_before = {ID_NONE},
                   .speed_ppm = PPM,
                   .name = new_node_name(world, cluster, number),
                   .address = cluster->address + (uint64_t)number};
    cluster->nodes[place] = node->id;
    cluster->current_nodes++;
    if (place >= cluster->place_count)
        cluster->place_count = place + 1;
    begin_preparation(world, cluster, node, cause, 0);
    mishap_node_begins(world, node);
}

Bill world_node_bill(const World *world, ClusterId cluster, int64_t allocated_ns)
{
    const ClusterSpec *spec = world_cluster(world, cluster)->spec;
    return (Bill){.billed_ns = billed_ns(world->now_ns - allocated_ns,
                                         world_service(world)->billing_granularity_ns),
                  .micro_usd_per_hour = spec->is_low_priority
                                            ? spec->vm_size->low_priority_micro_usd_per_hour
                                            : spec->vm_size->dedicated_micro_usd_per_hour};
}

void node_bill(World *world, const Node *node, const char *why)
{
    const Bill bill = world_node_bill(world, node->cluster, node->allocated_ns);
    TraceRecord record = node_record(world, TRACE_NODE_BILLED, node);
    record.since_ns = node->allocated_ns;
    record.name = why;
    record.node_billed.billed_ns = bill.billed_ns;
    record.node_billed.micro_usd_per_hour = bill.micro_usd_per_hour;
    world_tell(world, &record);
}

void node_release(World *world, Cluster *cluster, Node *node, TraceCause cause)
{
    bool was_retiring = node->is_retiring;
    node_set_retiring(cluster, node, false);
    node->is_silent = false;
    node->life++;
    node->released_ns = world->now_ns;
    cluster->current_nodes--;
    cluster->nodes[node->place].index = ID_NONE;
    while (cluster->place_count > 0 && cluster->nodes[cluster->place_count - 1].index == ID_NONE)
        cluster->place_count--;
    set_state(world, cluster, node, NODE_STATE_COUNT, cause);
    node_bill(world, node, "released");
    quota_freed(world, cluster);
    if (was_retiring && cluster->retiring_nodes == 0)
        allocation_retired(world, cluster);
}

/* --- Preparation --- */

static void tell_error(World *world, const Node *node, const NodeFailure *failure)
{
    static const char no_code[] = "InternalError"; // the service's, where it knew no better
    if (!world_tells(world, TRACE_NODE_ERROR))
        return;
    TraceRecord record = node_record(world, TRACE_NODE_ERROR, node);
    record.cause = failure->cause;
    record.name =
        arena_printf(world->arena, "%s: node %s: %s", failure->code ? failure->code : no_code,
                     node->name, failure->reason ? failure->reason : "it stopped working");
    world_tell(world, &record);
}

static void keep_failure(World *world, Node *node, NodeFailure failure)
{
    node->last_failure = failure;
    node->failure = &node->last_failure;
    node->failed_ns = world->now_ns;
    node->life++; // the weather of the life that ends here is over
}

/* The service knows what `node->failure` says. */
static void become_unusable(World *world, Cluster *cluster, Node *node)
{
    const NodeFailure *failure = node->failure;
    bool was_preparing = node->state == NODE_PREPARING;
    node->is_silent = false;
    tell_error(world, node, failure);
    set_state(world, cluster, node, NODE_UNUSABLE, failure->cause);
    if (failure->recovery != RECOVERY_STAYS) {
        int64_t over_ns = bounded_add(node->failed_ns, failure->repair_ns);
        int64_t delay_ns = over_ns > world->now_ns ? over_ns - world->now_ns : 0;
        world_push(world, over_ns == INT64_MAX ? INT64_MAX : delay_ns, EVENT_NODE_REPAIRED,
                   node->id.index, node->life, 0);
    }
    if (was_preparing)
        allocation_tell_if_ready(world, cluster); // it was perhaps the last that was waited for
    autoscale_look(world, cluster);
}

static bool chance_strikes(const World *world, int64_t chance_ppm, const Node *node, int32_t kind,
                           uint64_t occurrence)
{
    return mishap_strikes(world, chance_ppm, RNG_CHANCE, node->address,
                          (uint64_t)kind << 32 | (occurrence & UINT32_MAX));
}

/* Takes out the first spoiled preparation that is this node's. */
static bool take_spoiled(Cluster *cluster, const Node *node, NodeFailure *failure)
{
    for (SpoiledPreparation **at = &cluster->spoiled_preparations; *at; at = &(*at)->next) {
        if ((*at)->place != -1 && (*at)->place != node->place)
            continue;
        *failure = (*at)->failure;
        *at = (*at)->next;
        return true;
    }
    return false;
}

void cluster_spoil_preparation(World *world, Cluster *cluster, int32_t place, NodeFailure failure)
{
    SpoiledPreparation **last = &cluster->spoiled_preparations;
    while (*last)
        last = &(*last)->next;
    *last = ARENA_NEW(world->arena, SpoiledPreparation);
    **last = (SpoiledPreparation){.place = place, .failure = failure};
}

/* NULL when the mount works; otherwise why not. */
static const char *mount_trouble(World *world, const Node *node, const char *mount, int32_t index)
{
    enum { MOUNTS_PER_PREPARATION = 256 };
    ShareId share = world_find_share(world, mount);
    uint64_t occurrence = (uint64_t)(node->preparations - 1) * MOUNTS_PER_PREPARATION +
                          (uint64_t)index % MOUNTS_PER_PREPARATION;
    if (share.index == ID_NONE)
        return "doesn't exist";
    if (share_is_out(world_share(world, share)))
        return "does not answer";
    return chance_strikes(world, world->scenario->failures.mount_ppm, node, CHANCE_MOUNT,
                          occurrence)
               ? "refused the connection"
               : NULL;
}

const char *blob_mount_message(World *world, const char *share, const char *trouble)
{
    return arena_printf(world->arena,
                        "unable to mount blob fuse file system (Azure Blob Container '%s' %s)",
                        strchr(share, '/') + 1, trouble);
}

/* Codes and words of the service where they are known (batchai-service notes, "Cluster errors"). */
static NodeFailure mount_failure(World *world, const char *mount, bool is_blob, const char *trouble)
{
    bool is_server = file_server_is_share(mount);
    const char *what = is_server ? "file server" : "Azure file share";
    return (NodeFailure){.cause = CAUSE_MOUNT_FAILURE,
                         .code = is_blob     ? "BFSMountError"
                                 : is_server ? "InternalError"
                                             : "AZFMountError",
                         .reason = is_blob ? blob_mount_message(world, mount, trouble)
                                           : arena_printf(world->arena,
                                                          "unable to mount %s \"%s\", which %s",
                                                          what, mount, trouble),
                         .recovery = RECOVERY_STAYS,
                         .repair_ns = INT64_MAX};
}

static bool mount_fails(World *world, const Cluster *cluster, const Node *node,
                        NodeFailure *failure)
{
    const ClusterSpec *spec = cluster->spec;
    for (int32_t m = 0; m < spec->mount_count; m++) {
        const char *mount = spec->mounts[m];
        const char *trouble = mount_trouble(world, node, mount, m);
        if (!trouble)
            continue;
        *failure =
            mount_failure(world, mount, spec->is_blob_mount && spec->is_blob_mount[m], trouble);
        return true;
    }
    return false;
}

/* Without its set-up task. */
static bool preparation_fails(World *world, Cluster *cluster, const Node *node,
                              NodeFailure *failure)
{
    if (take_spoiled(cluster, node, failure))
        return true;
    if (!chance_strikes(world, world->scenario->failures.preparation_ppm, node, CHANCE_PREPARATION,
                        (uint64_t)(node->preparations - 1)))
        return mount_fails(world, cluster, node, failure);
    *failure = (NodeFailure){.cause = CAUSE_PREPARATION_FAILURE,
                             .reason = "its start-up failed before any command of ours ran",
                             .recovery = RECOVERY_STAYS,
                             .repair_ns = INT64_MAX};
    return true;
}

/* The set-up task is over, if there is one. */
static bool setup_fails(World *world, const Cluster *cluster, Node *node, NodeFailure *failure)
{
    const ClusterSpec *spec = cluster->spec;
    int32_t exit_code = spec->setup_exit_code;
    if (!spec->setup_command)
        return false;
    if (exit_code == 0 && chance_strikes(world, world->scenario->failures.setup_ppm, node,
                                         CHANCE_SETUP, (uint64_t)(node->preparations - 1)))
        exit_code = 1;
    setup_ends(world, node, exit_code);
    if (exit_code == 0)
        return false;
    // Where the service left what it printed: batchai-service notes, "nodeStateCounts semantics".
    *failure =
        (NodeFailure){.cause = CAUSE_SETUP_FAILURE,
                      .reason = arena_printf(world->arena,
                                             "set-up task \"%s\" ended with exit code %d (see "
                                             "/mnt/batch/tasks/startup/stderr.txt on the node)",
                                             spec->setup_command, (int)exit_code),
                      .recovery = RECOVERY_STAYS,
                      .repair_ns = INT64_MAX};
    return true;
}

/* Begins the set-up task; false where it takes no time, or there is none. */
static bool begins_setup(World *world, Cluster *cluster, Node *node)
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
    node->setup_began_ns = world->now_ns;
    node->setup_ended_ns = INT64_MAX;
    if (spec->setup_ns.count == 0)
        return false;
    int64_t delay_ns = world_draw(world, spec->setup_ns, RNG_SETUP, node->address,
                                  (uint64_t)(node->preparations - 1));
    if (delay_ns == 0)
        return false;
    world_push(world, delay_ns, EVENT_NODE_PREPARED, node->id.index, node->generation, 0);
    return true;
}

void cluster_node_prepared(World *world, Node *node)
{
    Cluster *cluster = world_cluster_row(world, node->cluster);
    NodeFailure failure;
    bool is_mounted = node->is_in_setup;
    bool fails = !is_mounted && preparation_fails(world, cluster, node, &failure);
    if (!fails && !is_mounted && begins_setup(world, cluster, node))
        return;
    if (fails || setup_fails(world, cluster, node, &failure)) {
        keep_failure(world, node, failure);
        become_unusable(world, cluster, node);
        return;
    }
    set_state(world, cluster, node, NODE_IDLE, CAUSE_NONE);
    allocation_tell_if_ready(world, cluster);
    scheduler_wake(world, cluster);
    autoscale_look(world, cluster);
}

/* --- What goes wrong --- */

void node_withdraw(World *world, Node *node, DeallocationOption deallocation, TraceCause cause)
{
    if (node->state != NODE_RUNNING)
        return;
    node->is_withdrawn = true;
    job_loses_nodes(world, world_job_row(world, node->job), node, deallocation, cause);
    node->is_withdrawn = false;
    // It may start again at once, on others.
    scheduler_wake(world, world_cluster_row(world, node->cluster));
}

bool node_is_in_service(const World *world, const Node *node)
{
    (void)world;
    return node->state != NODE_STATE_COUNT && node->state != NODE_LEAVING;
}

bool node_works(const World *world, const Node *node)
{
    return node_is_in_service(world, node) && node->state != NODE_UNUSABLE && !node->is_silent;
}

void cluster_node_crashes(World *world, Node *node, NodeFailure failure)
{
    if (!node_works(world, node))
        return;
    keep_failure(world, node, failure);
    node->is_silent = true;
    node->generation++; // it prepares itself no further
    setup_ends(world, node, SETUP_CUT_OFF);
    int64_t delay_ns = world_draw(world, world_service(world)->failure_detection_ns, RNG_DETECTION,
                                  node->address, node->life);
    world_push(world, delay_ns, EVENT_NODE_SILENT, node->id.index, node->life, 0);
    if (node->state == NODE_RUNNING)
        job_stalls(world, world_job_row(world, node->job), node);
}

/* The resize that takes the node away has waited for its job only. */
static bool leaves_instead(World *world, Cluster *cluster, Node *node)
{
    if (!node->is_retiring)
        return false;
    node_leaves(world, cluster, node, cluster->allocation_cause);
    if (cluster->retiring_nodes == 0)
        allocation_retired(world, cluster);
    return true;
}

void cluster_node_missed(World *world, Node *node)
{
    Cluster *cluster = world_cluster_row(world, node->cluster);
    if (!node->is_silent)
        return; // on its way out meanwhile
    node_withdraw(world, node, DEALLOCATE_REQUEUE, node->failure->cause);
    if (!leaves_instead(world, cluster, node))
        become_unusable(world, cluster, node);
}

/* As new but for its age; what is pulled stays on its disk. */
static void recovers(World *world, Cluster *cluster, Node *node, TraceCause cause,
                     int64_t reboot_ns)
{
    node->is_silent = false;
    node->failure = NULL;
    node->life++;
    begin_preparation(world, cluster, node, cause, reboot_ns);
    mishap_node_begins(world, node);
}

void cluster_node_repaired(World *world, Node *node)
{
    Cluster *cluster = world_cluster_row(world, node->cluster);
    if (node->state != NODE_UNUSABLE)
        return; // on its way out meanwhile
    if (mishap_region_is_out(world)) {
        world_push(world, mishap_region_up_ns(world) - world->now_ns, EVENT_NODE_REPAIRED,
                   node->id.index, node->life, 0);
        return;
    }
    switch (node->failure->recovery) {
    case RECOVERY_REBOOT:
        recovers(world, cluster, node, CAUSE_REPAIR, 0);
        return;
    case RECOVERY_REPLACE:
        node_release(world, cluster, node, CAUSE_REPLACEMENT);
        allocation_replace(world, cluster);
        return;
    case RECOVERY_STAYS:
    case RECOVERY_COUNT:
        break;
    }
    invariant_broken("a node that is to be repaired", __FILE__, __LINE__);
}

void cluster_node_warned(World *world, Node *node, int64_t notice_ns, TraceCause cause)
{
    if (node->state == NODE_STATE_COUNT || node->notice != CAUSE_NONE)
        return;
    node->notice = cause;
    TraceRecord record = node_record(world, TRACE_NODE_NOTICE, node);
    record.node_notice.notice_ns = notice_ns;
    record.cause = cause;
    world_tell(world, &record);
    world_push(world, notice_ns, EVENT_NODE_PREEMPTED, node->id.index, 0, 0);
}

void cluster_node_preempted(World *world, Node *node)
{
    Cluster *cluster = world_cluster_row(world, node->cluster);
    if (node->state == NODE_STATE_COUNT)
        return;
    TraceCause cause = node->notice != CAUSE_NONE ? node->notice : CAUSE_PREEMPTION;
    // Whoever asked for it: to the job it is a preemption.
    node_withdraw(world, node, DEALLOCATE_REQUEUE,
                  cause == CAUSE_RUN_LENGTH ? CAUSE_RUN_LENGTH : CAUSE_PREEMPTION);
    node_release(world, cluster, node, cause);
    allocation_replace(world, cluster);
}

void cluster_node_reboots(World *world, Node *node, TraceCause cause)
{
    Cluster *cluster = world_cluster_row(world, node->cluster);
    if (!node_is_in_service(world, node))
        return;
    int64_t reboot_ns = world_draw(world, world_service(world)->node_reboot_ns, RNG_REBOOT,
                                   node->address, (uint64_t)node->preparations);
    node_withdraw(world, node, DEALLOCATE_REQUEUE, cause);
    if (leaves_instead(world, cluster, node))
        return;
    if (node->failure)
        recovers(world, cluster, node, cause, reboot_ns);
    else
        begin_preparation(world, cluster, node, cause, reboot_ns);
}

void cluster_set_node_speed(World *world, Node *node, int64_t speed_ppm)
{
    node->speed_ppm = speed_ppm;
    TraceRecord record = node_record(world, TRACE_NODE_SPEED, node);
    record.node_speed.speed_ppm = speed_ppm;
    world_tell(world, &record);
}

/* --- For jobs --- */

void cluster_take_nodes(World *world, Cluster *cluster, JobId job, int32_t count, NodeId *taken)
{
    const PlaceSet *idle = &cluster->places[NODE_IDLE];
    invariant(count <= idle->count);
    for (int32_t found = 0, place = 0; found < count; found++) {
        place = place_set_up(idle, place);
        Node *node = cluster_node_at(world, cluster, place);
        node->job = job;
        set_state(world, cluster, node, NODE_RUNNING, CAUSE_NONE);
        taken[found] = node->id;
    }
}

void cluster_node_freed(World *world, Node *node)
{
    Cluster *cluster = world_cluster_row(world, node->cluster);
    invariant(node->state == NODE_RUNNING);
    if (node->is_withdrawn || leaves_instead(world, cluster, node))
        return;
    set_state(world, cluster, node, NODE_IDLE, CAUSE_NONE);
    autoscale_look(world, cluster);
}

bool node_has_image(const Node *node, const ContainerImage *image)
{
    for (const CachedImage *cached = node->images; cached; cached = cached->next)
        if (strcmp(cached->image->name, image->name) == 0)
            return true;
    return false;
}

void node_keep_image(World *world, Node *node, const ContainerImage *image)
{
    CachedImage *cached = ARENA_NEW(world->arena, CachedImage);
    *cached = (CachedImage){.image = image, .next = node->images};
    node->images = cached;
}
