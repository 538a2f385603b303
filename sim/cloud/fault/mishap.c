/* What goes wrong by itself: random processes of nodes and groups of them. */
#include "sim/base/name_table.h"
#include "sim/cloud/world_parts.h"

/* Of the two draws of a failure: the time until it, and its repair. */
enum { DRAW_BETWEEN, DRAW_REPAIR };

/* What a draw of CHANCE is for, besides what others use it for. */
#define DRAW_IS_LEMON (UINT64_C(1) << 47)

static const Failures *failures_of(const World *world)
{
    return &world->scenario->failures;
}

__extension__ typedef unsigned __int128 Wide;

/* A drawn time until something fails: shorter as rates grow. The rate is not 0. */
static int64_t at_rate(const World *world, int64_t time_ns)
{
    int64_t rate_ppm = failures_of(world)->rate_ppm;
    Wide scaled = (Wide)time_ns * (uint64_t)PPM / (uint64_t)rate_ppm;
    return scaled < (Wide)INT64_MAX ? (int64_t)scaled : INT64_MAX;
}

bool mishap_strikes(const World *world, int64_t chance_ppm, RngStream stream, uint64_t entity,
                    uint64_t draw)
{
    Wide chance = (Wide)chance_ppm * (uint64_t)failures_of(world)->rate_ppm; // in 10^-12
    if (chance == 0)
        return false;
    // A word strikes at a larger chance if it does at a smaller one.
    uint64_t word = world_word(world, stream, entity, draw);
    return (Wide)(word >> 32) * (uint64_t)(PPM * PPM) < chance << 32;
}

/* --- Nodes --- */

/* The draws of a node's next failure: its life counts them, whatever ended the lives before. */
static uint64_t node_draw(const Node *node, uint64_t which)
{
    return (uint64_t)node->life * 2 + which;
}

static void push_failure(World *world, const Node *node)
{
    const FailureModel *model = failures_of(world)->nodes;
    if (!model)
        return;
    int64_t until_ns = world_sample(world, model->between, RNG_NODE_FAILURE, node->address,
                                    node_draw(node, DRAW_BETWEEN));
    world_push(world, at_rate(world, until_ns), EVENT_NODE_FAILS, node->id.index, node->life, 0);
}

static void push_lifetime(World *world, const Node *node)
{
    const FailureModel *model = failures_of(world)->preemption;
    if (!model || !world_cluster(world, node->cluster)->spec->is_low_priority)
        return;
    int64_t lifetime_ns = world_sample(world, model->between, RNG_NODE_LIFETIME, node->address, 0);
    world_push(world, at_rate(world, lifetime_ns), EVENT_NODE_LIFETIME, node->id.index, node->life,
               0);
}

void mishap_node_begins(World *world, Node *node)
{
    const Failures *failures = failures_of(world);
    if (failures->rate_ppm == 0)
        return;
    push_failure(world, node);
    if (node->life > 0)
        return; // repaired: it is as slow and as old as it was
    push_lifetime(world, node);
    if (mishap_strikes(world, failures->slow_node_ppm, RNG_CHANCE, node->address, DRAW_IS_LEMON))
        cluster_set_node_speed(world, node, failures->slow_node_speed_ppm);
}

/* A failure as `model` has it, with the repair that is drawn for it. */
static NodeFailure failure_of(const FailureModel *model, TraceCause cause, int64_t repair_ns)
{
    return (NodeFailure){.cause = cause,
                         .reason = model->reason,
                         .recovery = model->recovery,
                         .repair_ns = model->recovery == RECOVERY_STAYS ? INT64_MAX : repair_ns};
}

void mishap_node_fails(World *world, Node *node)
{
    const FailureModel *model = failures_of(world)->nodes;
    int64_t repair_ns = world_sample(world, model->repair, RNG_NODE_FAILURE, node->address,
                                     node_draw(node, DRAW_REPAIR));
    cluster_node_crashes(world, node, failure_of(model, CAUSE_CRASH, repair_ns));
}

void mishap_node_lifetime(World *world, Node *node)
{
    cluster_node_warned(world, node, world_service(world)->preemption_notice_ns, CAUSE_PREEMPTION);
}

/* --- Groups --- */

void mishap_tell_struck(World *world, const char *name, int32_t nodes, TraceCause cause)
{
    TraceRecord record = world_record(world, TRACE_GROUP_STRUCK);
    record.name = name;
    record.group_struck.nodes = nodes;
    record.cause = cause;
    world_tell(world, &record);
}

/* Collects the nodes of a member in one cluster behind those that `nodes` has; NULL: only counts.
 */
static int32_t member_nodes(World *world, const Cluster *cluster, const GroupMember *member,
                            NodeTest *counts, NodeId *nodes)
{
    int32_t count = 0;
    for (int32_t place = member->first - 1; place < member->last && place < cluster->place_count;
         place++) {
        const Node *node = cluster_node_at(world, cluster, place);
        if (!node || !counts(world, node))
            continue;
        if (nodes)
            nodes[count] = node->id;
        count++;
    }
    return count;
}

/* Of all clusters of that name: a group knows no workspaces. */
static int32_t group_nodes(World *world, const NodeGroup *group, NodeTest *counts, NodeId *nodes)
{
    int32_t count = 0;
    for (int32_t m = 0; m < group->member_count; m++)
        for (uint32_t c = 0; c < world->clusters.count; c++) {
            const Cluster *cluster = row_table_at(&world->clusters, c);
            if (same_name(cluster->path.name, group->members[m].cluster))
                count += member_nodes(world, cluster, &group->members[m], counts,
                                      nodes ? nodes + count : NULL);
        }
    return count;
}

NodeId *mishap_group_nodes(World *world, const NodeGroup *group, NodeTest *counts, int32_t *count)
{
    *count = group_nodes(world, group, counts, NULL);
    NodeId *nodes = ARENA_ARRAY(world->arena, NodeId, *count);
    group_nodes(world, group, counts, nodes);
    return nodes;
}

/* A group's draws have its own address: neither its members nor other groups move them. */
static int64_t group_draw_ns(const World *world, uint32_t group, Distribution distribution,
                             uint64_t which)
{
    return world_sample(world, distribution, RNG_GROUP_FAILURE,
                        name_hash(failures_of(world)->groups[group]->name),
                        world->group_failures[group] * 2 + which);
}

static void push_group_failure(World *world, uint32_t group, int64_t repair_ns)
{
    const FailureModel *model = failures_of(world)->group_models[group];
    int64_t until_ns = at_rate(world, group_draw_ns(world, group, model->between, DRAW_BETWEEN));
    if (repair_ns > INT64_MAX - 1 - until_ns)
        return;
    // Time goes on, also where a group fails at once and is repaired at once.
    world_push(world, 1 + repair_ns + until_ns, EVENT_GROUP_FAILS, group, 0, 0);
}

void mishap_group_fails(World *world, uint32_t group)
{
    const NodeGroup *nodes_of = failures_of(world)->groups[group];
    const FailureModel *model = failures_of(world)->group_models[group];
    int64_t repair_ns = group_draw_ns(world, group, model->repair, DRAW_REPAIR);
    int32_t count;
    NodeId *nodes = mishap_group_nodes(world, nodes_of, node_works, &count);
    if (count > 0)
        mishap_tell_struck(world, nodes_of->name, count, CAUSE_GROUP);
    for (int32_t i = 0; i < count; i++)
        cluster_node_crashes(world, world_node_row(world, nodes[i]),
                             failure_of(model, CAUSE_GROUP, repair_ns));
    world->group_failures[group]++;
    push_group_failure(world, group, repair_ns);
}

void mishaps_prepare(World *world)
{
    const Failures *failures = failures_of(world);
    world->group_failures = ARENA_ARRAY(world->arena, uint64_t, failures->group_count);
    if (failures->rate_ppm == 0)
        return;
    for (int32_t group = 0; group < failures->group_count; group++)
        push_group_failure(world, (uint32_t)group, 0);
}

/* --- The region --- */

void mishap_region_goes_out(World *world, int64_t duration_ns)
{
    int64_t up_ns =
        duration_ns < INT64_MAX - world->now_ns ? world->now_ns + duration_ns : INT64_MAX;
    if (up_ns <= world->region_up_ns)
        return;
    world->region_up_ns = up_ns;
    world_push(world, duration_ns, EVENT_REGION_UP, 0, 0, 0);
}

/* Clusters ask again by themselves; this is only what a run waits for. */
void mishap_region_up(World *world)
{
    if (!mishap_region_is_out(world))
        world->region_up_ns = 0;
}

bool mishap_region_is_out(const World *world)
{
    return world->now_ns < world->region_up_ns;
}

int64_t mishap_region_up_ns(const World *world)
{
    return mishap_region_is_out(world) ? world->region_up_ns : world->now_ns;
}
