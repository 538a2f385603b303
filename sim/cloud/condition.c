#include "sim/cloud/condition.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/spec/event.h"
#include "sim/cloud/tables.h"
#include "sim/cloud/trigger.h"

/* --- Quantities --- */

/* The quantity of the subject in that row. */
static int64_t quantity_of(const World *world, Quantity quantity, uint32_t row)
{
    const CommandKind made_by = quantity_made_by(quantity);
    const Cluster *cluster =
        made_by == COMMAND_CLUSTER_CREATE ? cluster_by_id(world->clusters, (ClusterId){row}) : NULL;
    const Job *job = made_by == COMMAND_JOB_CREATE ? job_by_id(world->jobs, (JobId){row}) : NULL;
    const Share *share =
        made_by == COMMAND_SHARE_CREATE ? storage_share(world->storage, (ShareId){row}) : NULL;
    if (cluster == NULL && job == NULL && share == NULL)
        return 0; // it is forgotten
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
        return scheduler_queue_length(world->jobs, cluster->id);
    case QUANTITY_JOB_IS_QUEUED:
        return job->state == JOB_QUEUED;
    case QUANTITY_JOB_IS_RUNNING:
        return job->state == JOB_RUNNING;
    case QUANTITY_JOB_IS_SUCCEEDED:
        return job->state == JOB_SUCCEEDED;
    case QUANTITY_JOB_IS_FAILED:
        return job->state == JOB_FAILED;
    case QUANTITY_JOB_EPOCHS:
        return job_epochs_done(job, world->engine->now_ns);
    case QUANTITY_JOB_ATTEMPTS:
        return job->starts;
    case QUANTITY_SHARE_TRANSFERS:
        return share_active(share);
    case QUANTITY_COUNT:
        break;
    }
    invariant_broken("a known quantity", __FILE__, __LINE__);
}

int64_t world_quantity(const World *world, Quantity quantity, const char *subject)
{
    const uint32_t row = world_subject(world, quantity_made_by(quantity), subject);
    return row == ID_NONE ? 0 : quantity_of(world, quantity, row);
}

static bool meets(const Condition *condition, int64_t value)
{
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

bool world_condition_holds(const World *world, const Condition *condition)
{
    return meets(condition, world_quantity(world, condition->quantity, condition->subject));
}

bool world_condition_holds_of(const World *world, const Condition *condition, uint32_t row)
{
    return meets(condition, quantity_of(world, condition->quantity, row));
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

void conditions_update(World *world)
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
            engine_push(world->engine, condition->for_ns, EVENT_CONDITION, (uint32_t)command,
                        progress->condition_generation, 0);
    }
}

void condition_held(World *world, uint32_t command)
{
    int32_t left = 0;
    for (int32_t i = 0; i < world->awaited_condition_count; i++)
        if (world->awaited_conditions[i] != (int32_t)command)
            world->awaited_conditions[left++] = world->awaited_conditions[i];
    invariant(left == world->awaited_condition_count - 1);
    world->awaited_condition_count = left;
    world->progress[command].is_waiting = false;
    trigger_command_due(world, command);
}

bool condition_is_stale(const World *world, uint32_t command, uint32_t generation)
{
    return world->progress[command].condition_generation != generation;
}

/* The list of awaited conditions is in the order of the commands, without duplicates. */
void conditions_check(const World *world)
{
    for (int32_t i = 0; i < world->awaited_condition_count; i++) {
        int32_t command = world->awaited_conditions[i];
        invariant(i == 0 || command > world->awaited_conditions[i - 1]);
        invariant(world->scenario->commands[command].trigger.moment == MOMENT_CONDITION);
        invariant(world->progress[command].is_waiting && !world->progress[command].is_applied);
    }
}
