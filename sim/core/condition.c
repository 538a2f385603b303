/* What can be counted of the world, and commands that wait for it. */
#include "sim/base/invariant.h"
#include "sim/core/world_parts.h"

/* --- Subjects --- */

/* Conditions know the names of clusters and jobs, not their workspaces: the newest of that name
 * counts. World.subjects has the names that anybody asked for; rows that came since are looked
 * through once, so that a question costs no search among all jobs. */
static const char *subject_key(World *world, CommandKind made_by, const char *name)
{
    return resource_key(world, made_by, (ResourcePath){.name = name});
}

static void see_row(World *world, CommandKind made_by, const char *name, uint32_t row)
{
    const char *key = subject_key(world, made_by, name);
    if (name_table_find(world->subjects, key, NULL))
        name_table_set(world->subjects, key, row);
}

static void see_new_rows(World *world)
{
    for (; world->clusters_seen < world->clusters.count; world->clusters_seen++)
        see_row(world, COMMAND_CLUSTER_CREATE,
                world_cluster(world, (ClusterId){world->clusters_seen})->path.name,
                world->clusters_seen);
    for (; world->jobs_seen < world->jobs.count; world->jobs_seen++)
        see_row(world, COMMAND_JOB_CREATE, world_job(world, (JobId){world->jobs_seen})->path.name,
                world->jobs_seen);
}

/* The newest row of that name, or ID_NONE. */
static uint32_t find_subject(World *world, CommandKind made_by, const char *name)
{
    uint32_t row = ID_NONE;
    if (!world->subjects)
        world->subjects = name_table_create(world->arena);
    if (!name_table_find(world->subjects, subject_key(world, made_by, name), NULL)) {
        // A name nobody asked for: all rows are looked through once more.
        name_table_set(world->subjects, subject_key(world, made_by, name), ID_NONE);
        world->clusters_seen = world->jobs_seen = 0;
    }
    see_new_rows(world);
    name_table_find(world->subjects, subject_key(world, made_by, name), &row);
    return row;
}

/* --- Quantities --- */

static int64_t cluster_quantity(const Cluster *cluster, Quantity quantity)
{
    switch (quantity) {
    case QUANTITY_CLUSTER_NODES:
        return cluster->current_nodes;
    case QUANTITY_CLUSTER_IDLE:
        return cluster->node_count[NODE_IDLE];
    case QUANTITY_CLUSTER_RUNNING:
        return cluster->node_count[NODE_RUNNING];
    case QUANTITY_CLUSTER_PREPARING:
        return cluster->node_count[NODE_PREPARING];
    case QUANTITY_CLUSTER_LEAVING:
        return cluster->node_count[NODE_LEAVING];
    case QUANTITY_CLUSTER_UNUSABLE:
        return cluster->node_count[NODE_UNUSABLE];
    case QUANTITY_CLUSTER_TARGET:
        return cluster->target_nodes;
    case QUANTITY_CLUSTER_QUEUED:
        return cluster->queue.length;
    case QUANTITY_JOB_IS_QUEUED:
    case QUANTITY_JOB_IS_RUNNING:
    case QUANTITY_JOB_IS_SUCCEEDED:
    case QUANTITY_JOB_IS_FAILED:
    case QUANTITY_JOB_EPOCHS:
    case QUANTITY_JOB_ATTEMPTS:
    case QUANTITY_SHARE_TRANSFERS:
    case QUANTITY_COUNT:
        break;
    }
    invariant_broken("a quantity of a cluster", __FILE__, __LINE__);
}

static int64_t job_quantity(const World *world, const Job *job, Quantity quantity)
{
    switch (quantity) {
    case QUANTITY_JOB_IS_QUEUED:
        return job->state == JOB_QUEUED;
    case QUANTITY_JOB_IS_RUNNING:
        return job->state == JOB_RUNNING;
    case QUANTITY_JOB_IS_SUCCEEDED:
        return job->state == JOB_SUCCEEDED;
    case QUANTITY_JOB_IS_FAILED:
        return job->state == JOB_FAILED;
    case QUANTITY_JOB_EPOCHS:
        return job_epochs_done(job, world->now_ns);
    case QUANTITY_JOB_ATTEMPTS:
        return job->starts;
    case QUANTITY_CLUSTER_NODES:
    case QUANTITY_CLUSTER_IDLE:
    case QUANTITY_CLUSTER_RUNNING:
    case QUANTITY_CLUSTER_PREPARING:
    case QUANTITY_CLUSTER_LEAVING:
    case QUANTITY_CLUSTER_UNUSABLE:
    case QUANTITY_CLUSTER_TARGET:
    case QUANTITY_CLUSTER_QUEUED:
    case QUANTITY_SHARE_TRANSFERS:
    case QUANTITY_COUNT:
        break;
    }
    invariant_broken("a quantity of a job", __FILE__, __LINE__);
}

int64_t world_quantity(const World *world, Quantity quantity, const char *subject)
{
    // Looking changes nothing but what is known about names.
    World *looked_at = (World *)world;
    if (quantity == QUANTITY_SHARE_TRANSFERS) {
        ShareId share = world_find_share(world, subject);
        return share.index == ID_NONE ? 0 : share_active(world_share(world, share));
    }
    bool is_cluster = quantity <= QUANTITY_CLUSTER_QUEUED;
    uint32_t row =
        find_subject(looked_at, is_cluster ? COMMAND_CLUSTER_CREATE : COMMAND_JOB_CREATE, subject);
    if (row == ID_NONE)
        return 0;
    return is_cluster ? cluster_quantity(world_cluster(world, (ClusterId){row}), quantity)
                      : job_quantity(world, world_job(world, (JobId){row}), quantity);
}

bool world_condition_holds(const World *world, const Condition *condition)
{
    int64_t value = world_quantity(world, condition->quantity, condition->subject);
    switch (condition->comparator) {
    case COMPARE_LESS:
        return value < condition->value;
    case COMPARE_AT_MOST:
        return value <= condition->value;
    case COMPARE_EQUAL:
        return value == condition->value;
    case COMPARE_NOT_EQUAL:
        return value != condition->value;
    case COMPARE_AT_LEAST:
        return value >= condition->value;
    case COMPARE_MORE:
        return value > condition->value;
    case COMPARATOR_COUNT:
        break;
    }
    invariant_broken("a known comparator", __FILE__, __LINE__);
}

/* --- Commands that wait --- */

void conditions_prepare(World *world)
{
    world->awaited_conditions = ARENA_ARRAY(world->arena, int32_t, world->scenario->command_count);
    for (int32_t i = 0; i < world->scenario->command_count; i++) {
        if (world->scenario->commands[i].trigger.moment != MOMENT_CONDITION)
            continue;
        world->progress[i].is_waiting = true;
        world->awaited_conditions[world->awaited_condition_count++] = i;
    }
}

void conditions_look(World *world)
{
    for (int32_t i = 0; i < world->awaited_condition_count; i++) {
        int32_t command = world->awaited_conditions[i];
        CommandProgress *progress = &world->progress[command];
        const Condition *condition = world->scenario->commands[command].trigger.condition;
        bool holds = world_condition_holds(world, condition);
        if (holds == progress->holds)
            continue;
        progress->holds = holds;
        progress->condition_generation++;
        if (holds)
            world_push(world, condition->for_ns, EVENT_CONDITION, (uint32_t)command,
                       progress->condition_generation, 0);
    }
}

/* It has held long enough: once is all. */
void condition_held(World *world, uint32_t command)
{
    int32_t left = 0;
    for (int32_t i = 0; i < world->awaited_condition_count; i++)
        if (world->awaited_conditions[i] != (int32_t)command)
            world->awaited_conditions[left++] = world->awaited_conditions[i];
    invariant(left == world->awaited_condition_count - 1);
    world->awaited_condition_count = left;
    world->progress[command].is_waiting = false;
    world_command(world, (int32_t)command);
}
