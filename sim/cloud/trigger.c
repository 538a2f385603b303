#include "sim/cloud/trigger.h"

#include "sim/base/invariant.h"
#include "sim/cloud/apply.h"
#include "sim/cloud/spec/event.h"
#include "sim/cloud/tables.h"

static bool changes_cluster(CommandKind kind)
{
    return kind == COMMAND_CLUSTER_CREATE || kind == COMMAND_CLUSTER_RESIZE ||
           kind == COMMAND_CLUSTER_DELETE;
}

/* Triggers name a cluster or job without its workspace. */
static const char *listener_key(World *world, bool is_cluster, const char *name)
{
    return names_key(world->names, is_cluster ? COMMAND_CLUSTER_CREATE : COMMAND_JOB_CREATE,
                     (ResourcePath){.name = name});
}

static const char *trigger_key(World *world, const Trigger *trigger)
{
    return listener_key(world, moment_is_of_cluster(trigger->moment), trigger->subject);
}

static int32_t find_command(const NameTable *table, const char *key)
{
    uint32_t index;
    return name_table_find(table, key, &index) ? (int32_t)index : -1;
}

/* Fills in listens_after: a trigger listens only after the last earlier command in the list that
 * changes its subject was applied. After a resize, "ready" means ready again. */
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

/* Chains the commands of each subject, from the last to the first, so that each chain is in the
 * list's order. Returns the awaited moments, a bit for each. */
static uint32_t chain_listeners(World *world)
{
    uint32_t awaited = 0;
    world->listeners = name_table_create(world->arena);
    for (int32_t i = world->scenario->command_count - 1; i >= 0; i--) {
        const Trigger *trigger = &world->scenario->commands[i].trigger;
        if (trigger->moment == MOMENT_AT || trigger->moment == MOMENT_CONDITION)
            continue;
        const char *key = trigger_key(world, trigger);
        world->progress[i].is_waiting = true;
        awaited |= UINT32_C(1) << trigger->moment;
        world->progress[i].next = find_command(world->listeners, key);
        name_table_set(world->listeners, key, (uint32_t)i);
    }
    return awaited;
}

/* The first command from `i` on in a subject's chain that waits for this moment; -1: none. */
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
    return find_command(world->listeners,
                        listener_key(world, moment_is_of_cluster(moment), subject));
}

static void moment_happened(void *listener, const MomentNotice *notice)
{
    World *world = listener;
    const Moment moment = notice->moment;
    int32_t i = next_waiting(world, first_listener(world, moment, notice->subject), moment,
                             notice->ordinal);
    while (i >= 0) {
        world->progress[i].is_waiting = false;
        engine_push(world->engine, world->scenario->commands[i].trigger.delay_ns, EVENT_COMMAND,
                    (uint32_t)i, 0, 0);
        i = next_waiting(world, world->progress[i].next, moment, notice->ordinal);
    }
}

static int64_t next_awaited(void *listener, Moment moment, const char *subject, int64_t from)
{
    World *world = listener;
    int64_t next = INT64_MAX;
    for (int32_t i = first_listener(world, moment, subject); i >= 0; i = world->progress[i].next) {
        const Trigger *trigger = &world->scenario->commands[i].trigger;
        bool is_that = world->progress[i].is_waiting && trigger->moment == moment;
        if (is_that && trigger->ordinal >= from && trigger->ordinal < next)
            next = trigger->ordinal;
    }
    return next;
}

void triggers_prepare(World *world)
{
    find_changes(world);
    const MomentListener listener = {
        .listener = world, .happened = moment_happened, .next_awaited = next_awaited};
    recorder_listen(world->recorder, chain_listeners(world), listener);
}

void triggers_begin(World *world)
{
    for (int32_t i = 0; i < world->scenario->command_count; i++) {
        const Trigger *trigger = &world->scenario->commands[i].trigger;
        if (trigger->moment == MOMENT_AT)
            engine_push(world->engine, trigger->delay_ns, EVENT_COMMAND, (uint32_t)i, 0, 0);
    }
}

/* --- Applying --- */

static void emit_command(World *world, TraceKind kind, int32_t index, const char *name)
{
    TraceRecord *record = recorder_begin(world->recorder, kind);
    // command_skipped and command_refused have the same value.
    record->command_applied.ordinal = index;
    record->name = name;
    recorder_emit(world->recorder);
}

static const char *command_title(World *world, const Command *command)
{
    return arena_printf(world->arena, "%s %s", command_name(command->kind), command->path.name);
}

void trigger_command_due(World *world, uint32_t index)
{
    const Command *command = &world->scenario->commands[index];
    const char *title = command_title(world, command);
    Status status = {0};
    // Recorded and marked first: the consequences of a command come after it in the trace, and
    // count for the triggers that wait for it.
    emit_command(world, TRACE_COMMAND_APPLIED, (int32_t)index, title);
    world->progress[index].is_applied = true;
    if (!world_apply(world, command, &status))
        emit_command(world, TRACE_COMMAND_REFUSED, (int32_t)index,
                     arena_printf(world->arena, "%s: %s", title, status.message));
    if (command->trigger.every_ns > 0)
        engine_push(world->engine, command->trigger.every_ns, EVENT_COMMAND, index, 0, 0);
}

/* Records the command of world_apply_at, just before its first consequence. It cannot be recorded
 * earlier: only applying it shows whether the service refuses it. */
static void announce(void *context)
{
    World *world = context;
    const Command *command = world->announced;
    world->announced = NULL;
    emit_command(world, TRACE_COMMAND_APPLIED,
                 world->scenario->command_count + world->asked_count++,
                 command_title(world, command));
}

bool world_apply_at(World *world, const Command *command, int64_t at_ns, Status *status)
{
    engine_begin_instant(world->engine, at_ns);
    world->announced = command;
    recorder_announce_first(world->recorder, world, announce);
    if (!world_apply(world, command, status)) {
        invariant(world->announced != NULL); // a refused command has no consequences
        world->announced = NULL;
        recorder_announce_first(world->recorder, NULL, NULL);
        engine_leave_instant(world->engine);
        return false;
    }
    recorder_announce_first(world->recorder, NULL, NULL);
    if (world->announced)
        announce(world);
    engine_finish_instant(world->engine);
    return true;
}

void triggers_end(World *world)
{
    for (int32_t i = 0; i < world->scenario->command_count; i++)
        if (!world->progress[i].is_applied)
            emit_command(world, TRACE_COMMAND_SKIPPED, i,
                         command_title(world, &world->scenario->commands[i]));
}

bool world_is_awaiting(const World *world, int32_t command)
{
    return world->progress[command].is_waiting;
}

bool world_has_applied(const World *world, int32_t command)
{
    return world->progress[command].is_applied;
}
