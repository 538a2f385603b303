/* What can be counted of the world, and commands that wait for it. */
#include "sim/base/invariant.h"
#include "sim/cloud/world_parts.h"

/* --- Subjects --- */

/* World.subjects has the names that anybody asked for; rows that came since are looked through
 * once, so that a question costs no search among all jobs. */

static bool is_leaving(const World *world, CommandKind made_by, uint32_t row)
{
    ProvisioningState state = made_by == COMMAND_CLUSTER_CREATE
                                  ? world_cluster(world, (ClusterId){row})->provisioning
                                  : world_job(world, (JobId){row})->provisioning;
    return state >= PROVISIONING_DELETING;
}

/* Rows come in order of their making, so the newer one counts where both are there, or neither. */
static void see_called(World *world, CommandKind made_by, ResourcePath called, uint32_t row)
{
    uint32_t before;
    const char *key = subject_key(world, made_by, called);
    if (name_table_find(world->subjects, key, &before) &&
        (before == ID_NONE || !is_leaving(world, made_by, row) ||
         is_leaving(world, made_by, before)))
        name_table_set(world->subjects, key, row);
}

static void see_row(World *world, CommandKind made_by, ResourcePath path, uint32_t row)
{
    see_called(world, made_by, path, row);
    see_called(world, made_by, (ResourcePath){.name = path.name}, row);
}

static void see_new_rows(World *world)
{
    for (; world->clusters_seen < world->clusters.count; world->clusters_seen++)
        see_row(world, COMMAND_CLUSTER_CREATE,
                world_cluster(world, (ClusterId){world->clusters_seen})->path,
                world->clusters_seen);
    for (; world->jobs_seen < world->jobs.count; world->jobs_seen++)
        see_row(world, COMMAND_JOB_CREATE, world_job(world, (JobId){world->jobs_seen})->path,
                world->jobs_seen);
}

/* All rows are looked through once more. */
static void look_anew(World *world, CommandKind made_by, ResourcePath called)
{
    name_table_set(world->subjects, subject_key(world, made_by, called), ID_NONE);
    world->clusters_seen = world->jobs_seen = 0;
}

static void lose_called(World *world, CommandKind made_by, ResourcePath called, uint32_t row)
{
    uint32_t known;
    if (name_table_find(world->subjects, subject_key(world, made_by, called), &known) &&
        known == row)
        look_anew(world, made_by, called);
}

void conditions_lose(World *world, CommandKind made_by, ResourcePath path, uint32_t row)
{
    if (!world->subjects)
        return;
    lose_called(world, made_by, path, row);
    lose_called(world, made_by, (ResourcePath){.name = path.name}, row);
}

uint32_t world_subject(const World *world, CommandKind made_by, const char *name)
{
    // Looking changes nothing but what is known about names.
    World *looked_at = (World *)world;
    const ResourcePath called = {.name = name};
    if (made_by == COMMAND_SHARE_CREATE)
        return world_find_share(world, name).index;
    if (!looked_at->subjects)
        looked_at->subjects = name_table_create(looked_at->arena);
    if (!name_table_find(looked_at->subjects, subject_key(looked_at, made_by, called), NULL))
        look_anew(looked_at, made_by, called); // a name nobody asked for
    see_new_rows(looked_at);
    uint32_t row = ID_NONE;
    name_table_find(looked_at->subjects, subject_key(looked_at, made_by, called), &row);
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

CommandKind quantity_made_by(Quantity quantity)
{
    if (quantity == QUANTITY_SHARE_TRANSFERS)
        return COMMAND_SHARE_CREATE;
    return quantity <= QUANTITY_CLUSTER_QUEUED ? COMMAND_CLUSTER_CREATE : COMMAND_JOB_CREATE;
}

/* Of what has that row. */
static int64_t quantity_of(const World *world, Quantity quantity, uint32_t row)
{
    if (quantity == QUANTITY_SHARE_TRANSFERS)
        return share_active(world_share(world, (ShareId){row}));
    return quantity_made_by(quantity) == COMMAND_CLUSTER_CREATE
               ? cluster_quantity(world_cluster(world, (ClusterId){row}), quantity)
               : job_quantity(world, world_job(world, (JobId){row}), quantity);
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
