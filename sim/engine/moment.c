/* Commands that wait for something to happen to a cluster or job. */
#include "sim/cloud/world_parts.h"

static bool is_about_cluster(Moment moment)
{
    return moment >= MOMENT_CLUSTER_STEADY && moment <= MOMENT_CLUSTER_DELETED;
}

static bool changes_cluster(CommandKind kind)
{
    return kind == COMMAND_CLUSTER_CREATE || kind == COMMAND_CLUSTER_RESIZE ||
           kind == COMMAND_CLUSTER_DELETE;
}

/* Triggers name a cluster or job without its workspace. */
static const char *listener_key(World *world, bool is_cluster, const char *name)
{
    return resource_key(world, is_cluster ? COMMAND_CLUSTER_CREATE : COMMAND_JOB_CREATE,
                        (ResourcePath){.name = name});
}

static const char *trigger_key(World *world, const Trigger *trigger)
{
    return listener_key(world, is_about_cluster(trigger->moment), trigger->subject);
}

static int32_t find_command(const NameTable *table, const char *key)
{
    uint32_t index;
    return name_table_find(table, key, &index) ? (int32_t)index : -1;
}

/* A trigger listens once the command before it in the list that changes its subject was applied:
 * after a resize, "ready" means ready again. */
static void find_changes(World *world)
{
    NameTable *last_changes = name_table_create(world->arena);
    for (int32_t i = 0; i < world->scenario->command_count; i++) {
        const Command *command = &world->scenario->commands[i];
        if (command->trigger.moment != MOMENT_AT && command->trigger.moment != MOMENT_CONDITION)
            world->progress[i].listens_after =
                find_command(last_changes, trigger_key(world, &command->trigger));
        bool is_cluster = changes_cluster(command->kind);
        if (is_cluster || command->kind == COMMAND_JOB_CREATE)
            name_table_set(last_changes, listener_key(world, is_cluster, command->path.name),
                           (uint32_t)i);
    }
}

/* From the last to the first, so that each subject's commands are chained in the list's order. */
static void chain_listeners(World *world)
{
    world->listeners = name_table_create(world->arena);
    for (int32_t i = world->scenario->command_count - 1; i >= 0; i--) {
        const Trigger *trigger = &world->scenario->commands[i].trigger;
        if (trigger->moment == MOMENT_AT || trigger->moment == MOMENT_CONDITION)
            continue;
        const char *key = trigger_key(world, trigger);
        world->progress[i].is_waiting = true;
        world->is_listened[trigger->moment] = true;
        world->progress[i].next = find_command(world->listeners, key);
        name_table_set(world->listeners, key, (uint32_t)i);
    }
}

void moments_prepare(World *world)
{
    find_changes(world);
    chain_listeners(world);
}

/* The first command from `i` on in the chain of a subject that waits for exactly this; -1: none. */
static int32_t next_waiting(const World *world, int32_t i, Moment moment, int64_t ordinal)
{
    for (; i >= 0; i = world->progress[i].next) {
        const CommandProgress *progress = &world->progress[i];
        const Trigger *trigger = &world->scenario->commands[i].trigger;
        bool can_listen =
            progress->listens_after < 0 || world->progress[progress->listens_after].is_applied;
        if (progress->is_waiting && trigger->moment == moment && trigger->ordinal == ordinal &&
            can_listen)
            return i;
    }
    return -1;
}

static int32_t first_listener(World *world, Moment moment, const char *subject)
{
    if (!world->is_listened[moment])
        return -1; // most moments of most jobs: no key is made for them
    return find_command(world->listeners, listener_key(world, is_about_cluster(moment), subject));
}

void world_moment(World *world, Moment moment, const char *subject)
{
    world_moment_nth(world, moment, subject, 0);
}

void world_moment_nth(World *world, Moment moment, const char *subject, int64_t ordinal)
{
    int32_t i = next_waiting(world, first_listener(world, moment, subject), moment, ordinal);
    while (i >= 0) {
        world->progress[i].is_waiting = false;
        world_push(world, world->scenario->commands[i].trigger.delay_ns, EVENT_COMMAND, (uint32_t)i,
                   0, 0);
        i = next_waiting(world, world->progress[i].next, moment, ordinal);
    }
}

int64_t world_next_awaited(World *world, Moment moment, const char *subject, int64_t from)
{
    int64_t next = INT64_MAX;
    for (int32_t i = first_listener(world, moment, subject); i >= 0; i = world->progress[i].next) {
        const Trigger *trigger = &world->scenario->commands[i].trigger;
        bool is_that = world->progress[i].is_waiting && trigger->moment == moment;
        if (is_that && trigger->ordinal >= from && trigger->ordinal < next)
            next = trigger->ordinal;
    }
    return next;
}

bool world_is_awaiting(const World *world, int32_t command)
{
    return world->progress[command].is_waiting;
}

bool world_has_applied(const World *world, int32_t command)
{
    return world->progress[command].is_applied;
}
