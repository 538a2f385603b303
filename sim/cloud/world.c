#include "sim/cloud/world.h"

#include "sim/base/invariant.h"
#include "sim/cloud/world_check.h"
#include "sim/cloud/world_parts.h"

/* --- Time --- */

void world_push(World *world, int64_t delay_ns, EventKind kind, uint32_t subject,
                uint32_t generation, uint32_t detail)
{
    invariant(delay_ns >= 0);
    if (delay_ns >= INT64_MAX - world->now_ns) {
        // A limit that nobody reaches is none, and what is never (INT64_MAX) is not to happen.
        if (event_is_awaited(kind) && kind != EVENT_JOB_TIMED_OUT && delay_ns < INT64_MAX)
            world->is_out_of_time = true;
        return;
    }
    event_queue_push(world->events, (Event){.at_ns = world->now_ns + delay_ns,
                                            .kind = (uint32_t)kind,
                                            .subject = subject,
                                            .generation = generation,
                                            .detail = detail});
}

uint64_t world_word(const World *world, RngStream stream, uint64_t entity, uint64_t draw)
{
    const uint64_t word = rng_word(world->scenario->seed, stream, entity, draw);
    world->draws->count++;
    world->draws->sum += word;
    return word;
}

int64_t world_draw(const World *world, Quantiles quantiles, RngStream stream, uint64_t entity,
                   uint64_t draw)
{
    if (quantiles.count == 1)
        return quantiles.knots[0].value; // whatever the word
    return quantiles_at(quantiles, world_word(world, stream, entity, draw));
}

int64_t world_sample(const World *world, Distribution distribution, RngStream stream,
                     uint64_t entity, uint64_t draw)
{
    if (distribution.kind == DISTRIBUTION_QUANTILES)
        return world_draw(world, distribution.quantiles, stream, entity, draw);
    return distribution_at(distribution, world_word(world, stream, entity, draw));
}

const ServiceModel *world_service(const World *world)
{
    return &world->scenario->service;
}

/* --- Telling --- */

bool world_tells(const World *world, TraceKind kind)
{
    return world->sink.record && trace_kind_level(kind) <= world->sink.level;
}

TraceRecord world_record(const World *world, TraceKind kind)
{
    return (TraceRecord){.kind = kind,
                         .at_ns = world->now_ns,
                         .since_ns = world->now_ns,
                         .cluster = {ID_NONE},
                         .node = {ID_NONE},
                         .job = {ID_NONE},
                         .share = {ID_NONE}};
}

TraceRecord cluster_record(const World *world, TraceKind kind, const Cluster *cluster)
{
    TraceRecord record = world_record(world, kind);
    record.cluster = cluster->id;
    return record;
}

TraceRecord node_record(const World *world, TraceKind kind, const Node *node)
{
    TraceRecord record = world_record(world, kind);
    record.cluster = node->cluster;
    record.node = node->id;
    record.job = node->job;
    return record;
}

TraceRecord job_record(const World *world, TraceKind kind, const Job *job)
{
    TraceRecord record = world_record(world, kind);
    record.cluster = job->cluster;
    record.job = job->id;
    return record;
}

static void tell_untold(World *world);

void world_tell(World *world, const TraceRecord *record)
{
    if (!world_tells(world, record->kind))
        return;
    if (world->untold)
        tell_untold(world);
    world->sink.record(world->sink.listener, record);
}

void world_tell_change(World *world, TraceRecord record, const char *name, int64_t *since_ns)
{
    record.since_ns = *since_ns;
    record.name = name;
    *since_ns = world->now_ns;
    world_tell(world, &record);
}

/* --- Events --- */

static void tell_command(World *world, TraceKind kind, int32_t index, const char *name)
{
    TraceRecord record = world_record(world, kind);
    // command_skipped and command_refused have the same value.
    record.command_applied.ordinal = index;
    record.name = name;
    world_tell(world, &record);
}

static const char *command_title(World *world, const Command *command)
{
    return arena_printf(world->arena, "%s %s", command_name(command->kind), command->path.name);
}

void world_command(World *world, int32_t index)
{
    const Command *command = &world->scenario->commands[index];
    const char *title = command_title(world, command);
    Status status = {0};
    // Told and marked first: what follows from a command stands after it in the trace, and counts
    // for the triggers that wait for it.
    tell_command(world, TRACE_COMMAND_APPLIED, index, title);
    world->progress[index].is_applied = true;
    if (!world_apply(world, command, &status))
        tell_command(world, TRACE_COMMAND_REFUSED, index,
                     arena_printf(world->arena, "%s: %s", title, status.message));
}

/* A command from outside stands in the trace before what follows from it, as one of the scenario
 * does; but whether it is refused is known only when it is applied. */
static void tell_untold(World *world)
{
    const Command *command = world->untold;
    world->untold = NULL;
    tell_command(world, TRACE_COMMAND_APPLIED,
                 world->scenario->command_count + world->asked_count++,
                 command_title(world, command));
}

/* A stalled job does nothing more, but its limits still count. */
static bool job_work_is_stale(const Job *job, uint32_t generation)
{
    return job->generation != generation || job_is_stalled(job);
}

/* The generation that an event of this kind must carry to count. */
static bool is_stale(World *world, const Event *event)
{
    switch ((EventKind)event->kind) {
    case EVENT_COMMAND:
    case EVENT_SCHEDULE:
    case EVENT_GROUP_FAILS:
    case EVENT_REGION_UP:
    case EVENT_SHARE_RESTORED:
    case EVENT_WORKLOAD:
        return false;
    case EVENT_CONDITION:
        return world->progress[event->subject].condition_generation != event->generation;
    case EVENT_NETWORK_NEXT_END:
        return world->network_generation != event->generation;
    case EVENT_FILE_SERVER:
        return file_server_is_stale(world, event->subject, event->generation);
    case EVENT_NODE_FAILS:
    case EVENT_NODE_SILENT:
    case EVENT_NODE_REPAIRED:
        // Whatever the node does meanwhile: it is the weather of its life, not of its state.
        return world_node_row(world, (NodeId){event->subject})->life != event->generation;
    case EVENT_NODE_LIFETIME:
    case EVENT_NODE_PREEMPTED:
        // Broken or repaired, it is wanted back all the same.
        return world_node_row(world, (NodeId){event->subject})->state == NODE_STATE_COUNT;
    case EVENT_RESOURCE_DUE:
    case EVENT_CLUSTER_RECORDED:
    case EVENT_CLUSTER_DELETED:
        // The record's life goes on whatever the nodes do.
        return false;
    case EVENT_CLUSTER_ALLOCATED:
    case EVENT_CLUSTER_LEAVING:
    case EVENT_CLUSTER_RELEASED:
    case EVENT_CLUSTER_RETRY:
        return world_cluster_row(world, (ClusterId){event->subject})->generation !=
               event->generation;
    case EVENT_CLUSTER_AUTOSCALE:
        return world_cluster_row(world, (ClusterId){event->subject})->tick_generation !=
               event->generation;
    case EVENT_NODE_PREPARED:
        return world_node_row(world, (NodeId){event->subject})->generation != event->generation;
    case EVENT_JOB_RECORDED:
    case EVENT_JOB_ELIGIBLE:
    case EVENT_JOB_DELETED:
        return false;
    case EVENT_JOB_TERMINATED:
    case EVENT_JOB_TIMED_OUT:
    case EVENT_JOB_RUN_LENGTH:
        return world_job_row(world, (JobId){event->subject})->generation != event->generation;
    case EVENT_JOB_STAGE_DONE:
    case EVENT_JOB_PROGRAM_DONE:
    case EVENT_JOB_SHELL:
    case EVENT_JOB_MOMENT:
    case EVENT_JOB_STEP:
    case EVENT_JOB_KEPT:
    case EVENT_TRAINING_STEP:
    case EVENT_TRAINING_EXCHANGE:
    case EVENT_TRAINING_EPOCH:
    case EVENT_TRAINING_WHOLE:
    case EVENT_TRAINING_EVALUATED:
    case EVENT_TRAINING_CHECKPOINTED:
    case EVENT_TRAINING_SAVED:
    case EVENT_TRAINING_SCORED:
        return job_work_is_stale(world_job_row(world, (JobId){event->subject}), event->generation);
    case EVENT_TRANSFER_JOINS:
        return ((Transfer *)row_table_at(&world->transfers, event->subject))->generation !=
               event->generation;
    case EVENT_SHARE_NEXT_END:
        return world_share_row(world, (ShareId){event->subject})->generation != event->generation;
    case EVENT_KIND_COUNT:
        break;
    }
    invariant_broken("an event of a known kind", __FILE__, __LINE__);
}

static void handle(World *world, const Event *event)
{
    ClusterId cluster = {event->subject};
    JobId job = {event->subject};
    NodeId node = {event->subject};
    switch ((EventKind)event->kind) {
    case EVENT_COMMAND:
        world_command(world, (int32_t)event->subject);
        return;
    case EVENT_RESOURCE_DUE:
        resource_due(world, event->subject);
        return;
    case EVENT_CLUSTER_RECORDED:
        cluster_recorded(world, world_cluster_row(world, cluster));
        return;
    case EVENT_CLUSTER_ALLOCATED:
        cluster_nodes_allocated(world, world_cluster_row(world, cluster));
        return;
    case EVENT_CLUSTER_LEAVING:
        cluster_nodes_leave(world, world_cluster_row(world, cluster));
        return;
    case EVENT_CLUSTER_RELEASED:
        cluster_nodes_released(world, world_cluster_row(world, cluster));
        return;
    case EVENT_CLUSTER_DELETED:
        cluster_deleted(world, world_cluster_row(world, cluster));
        return;
    case EVENT_SCHEDULE:
        scheduler_pass(world, world_cluster_row(world, cluster));
        return;
    case EVENT_NODE_PREPARED:
        cluster_node_prepared(world, world_node_row(world, node));
        return;
    case EVENT_JOB_RECORDED:
        job_recorded(world, world_job_row(world, job));
        return;
    case EVENT_JOB_ELIGIBLE:
        job_eligible(world, world_job_row(world, job));
        return;
    case EVENT_JOB_STAGE_DONE:
        job_stage_done(world, world_job_row(world, job), (int32_t)event->detail);
        return;
    case EVENT_JOB_PROGRAM_DONE:
        job_program_done(world, world_job_row(world, job));
        return;
    case EVENT_JOB_SHELL:
        job_shell_goes_on(world, world_job_row(world, job), event->detail);
        return;
    case EVENT_JOB_TERMINATED:
        job_terminated(world, world_job_row(world, job));
        return;
    case EVENT_JOB_DELETED:
        job_deleted(world, world_job_row(world, job));
        return;
    case EVENT_JOB_TIMED_OUT:
        job_timed_out(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_STEP:
        train_job_step(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_EPOCH:
        train_job_epoch(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_WHOLE:
        train_job_whole(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_EVALUATED:
        train_job_evaluated(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_CHECKPOINTED:
        train_job_checkpointed(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_SAVED:
        train_job_saved(world, world_job_row(world, job));
        return;
    case EVENT_TRAINING_SCORED:
        train_job_scored(world, world_job_row(world, job));
        return;
    case EVENT_TRANSFER_JOINS:
        transfer_joins(world, event->subject);
        return;
    case EVENT_SHARE_NEXT_END:
        share_end_came(world, (ShareId){event->subject});
        return;
    case EVENT_CLUSTER_AUTOSCALE:
        cluster_autoscale_tick(world, world_cluster_row(world, cluster));
        return;
    case EVENT_CLUSTER_RETRY:
        cluster_retries(world, world_cluster_row(world, cluster));
        return;
    case EVENT_NODE_FAILS:
        mishap_node_fails(world, world_node_row(world, node));
        return;
    case EVENT_NODE_SILENT:
        cluster_node_missed(world, world_node_row(world, node));
        return;
    case EVENT_NODE_REPAIRED:
        cluster_node_repaired(world, world_node_row(world, node));
        return;
    case EVENT_NODE_LIFETIME:
        mishap_node_lifetime(world, world_node_row(world, node));
        return;
    case EVENT_NODE_PREEMPTED:
        cluster_node_preempted(world, world_node_row(world, node));
        return;
    case EVENT_GROUP_FAILS:
        mishap_group_fails(world, event->subject);
        return;
    case EVENT_REGION_UP:
        mishap_region_up(world);
        return;
    case EVENT_JOB_RUN_LENGTH:
        job_ran_too_long(world, world_job_row(world, job));
        return;
    case EVENT_JOB_MOMENT:
        train_job_moment(world, world_job_row(world, job), event->detail);
        return;
    case EVENT_JOB_STEP:
        job_step_reached(world, world_job_row(world, job), event->detail);
        return;
    case EVENT_JOB_KEPT:
        job_kept_outside(world, world_job_row(world, job), event->detail);
        return;
    case EVENT_TRAINING_EXCHANGE:
        train_job_exchanges(world, world_job_row(world, job));
        return;
    case EVENT_SHARE_RESTORED:
        share_restored(world, (ShareId){event->subject}, event->detail);
        return;
    case EVENT_NETWORK_NEXT_END:
        network_end_came(world);
        return;
    case EVENT_FILE_SERVER:
        file_server_event(world, event->subject);
        return;
    case EVENT_WORKLOAD:
        workload_arrives(world, event->subject);
        return;
    case EVENT_CONDITION:
        condition_held(world, event->subject);
        return;
    case EVENT_KIND_COUNT:
        break;
    }
    invariant_broken("an event of a known kind", __FILE__, __LINE__);
}

/* --- Instants --- */

static void due_add(World *world, const Event *event)
{
    DueEvents *due = &world->due[event_phase((EventKind)event->kind)];
    if (due->begin == due->end)
        due->begin = due->end = 0;
    if (due->end == due->capacity) {
        due->capacity = due->capacity > 0 ? 2 * due->capacity : 16;
        Event *items = ARENA_ARRAY(world->arena, Event, due->capacity);
        for (int32_t i = due->begin; i < due->end; i++)
            items[i] = due->items[i];
        due->items = items;
    }
    due->items[due->end++] = *event;
    world->due_count++;
    world->due_ns = event->at_ns;
}

/* Which of the events due in `phase` runs next: the first, or any when order shall not matter. */
static int32_t due_choice(World *world, EventPhase phase)
{
    const DueEvents *due = &world->due[phase];
    uint64_t seed = world->scenario->shuffle_seed;
    if (seed == 0 || phase == PHASE_COMMAND)
        return due->begin;
    uint64_t word = rng_word(seed, RNG_SHUFFLE, 0, world->shuffles++);
    return due->begin + (int32_t)((word >> 32) * (uint64_t)(due->end - due->begin) >> 32);
}

static Event due_take(World *world)
{
    int phase = 0;
    while (world->due[phase].begin == world->due[phase].end)
        phase++;
    DueEvents *due = &world->due[phase];
    int32_t choice = due_choice(world, (EventPhase)phase);
    Event event = due->items[choice];
    due->items[choice] = due->items[due->begin++];
    world->due_count--;
    return event;
}

/* The next event at or before `until_ns`, by time, phase and order of pushing. */
static bool take_event(World *world, int64_t until_ns, Event *event)
{
    if (world->due_count == 0) {
        if (event_queue_next_ns(world->events) > until_ns || !event_queue_pop(world->events, event))
            return false;
        if (event_queue_next_ns(world->events) > event->at_ns)
            return true; // alone at its time, as most are
        due_add(world, event);
    }
    while (event_queue_next_ns(world->events) == world->due_ns) {
        Event other = {0};
        event_queue_pop(world->events, &other);
        due_add(world, &other);
    }
    *event = due_take(world);
    return true;
}

/* Nothing more happens at this time, unless a condition was waited for. Said once an instant, also
 * when the last of its events turns out stale. */
static void end_instant(World *world)
{
    if (!world->is_in_instant || world->due_count > 0 ||
        event_queue_next_ns(world->events) <= world->now_ns)
        return;
    world->is_in_instant = false;
    conditions_look(world);
    if (event_queue_next_ns(world->events) <= world->now_ns)
        return; // a condition begins to hold: what waited for it belongs to this instant
    if (world->sink.instant)
        world->sink.instant(world->sink.listener, world->now_ns);
}

/* Takes out the next event that counts, at or before `until_ns`. */
static bool next_event(World *world, int64_t until_ns, Event *event)
{
    for (; take_event(world, until_ns, event); end_instant(world))
        if (!is_stale(world, event))
            return true;
    return false;
}

static void run_event(World *world, const Event *event)
{
    invariant(event->at_ns >= world->now_ns);
    world->now_ns = event->at_ns;
    world->events_run++;
    world->is_in_instant = true;
    handle(world, event);
    if (world->checks_always)
        world_check(world);
    end_instant(world);
}

static void run_until(World *world, int64_t until_ns)
{
    for (Event event; next_event(world, until_ns, &event);)
        run_event(world, &event);
}

static bool is_awaited(void *context, const Event *event)
{
    return event_is_awaited((EventKind)event->kind) && !is_stale(context, event);
}

/* ... by a run without a set end. */
static bool is_given_up(const World *world)
{
    return world->given_up != NULL && world->scenario->until_ns == INT64_MAX;
}

/* Whether anything but weather is still to happen. */
static bool is_anything_awaited(World *world)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int32_t i = world->due[phase].begin; i < world->due[phase].end; i++)
            if (is_awaited(world, &world->due[phase].items[i]))
                return true;
    return event_queue_any(world->events, world, is_awaited);
}

/* The same, `event` included. Whatever is due together is one question: the answer does not hang on
 * which of it comes first. */
static bool is_going_on(World *world, const Event *event)
{
    return event_is_awaited((EventKind)event->kind) || is_anything_awaited(world);
}

/* Weather alone keeps no run going: without a set end it stops when nothing else can happen, or
 * nothing can come of what does. */
static void run_to_rest(World *world)
{
    for (Event event; next_event(world, INT64_MAX, &event) && is_going_on(world, &event);) {
        run_event(world, &event);
        if (is_given_up(world))
            return;
    }
}

static bool counts_next(void *context, const Event *event)
{
    World *world = context;
    return event->at_ns == world->looked_next_ns && !is_stale(world, event);
}

static bool has_turned_stale(void *context, const Event *event)
{
    return is_stale(context, event);
}

/* So that nobody waits for what will not happen: the limits of a job that has ended lie days ahead.
 * Looks where anything has happened that could have made the next of it stale, and through all that
 * is pending only where it is. */
static void forget_stale(World *world)
{
    if (world->looked_events == world->events_run)
        return;
    world->looked_events = world->events_run;
    world->looked_next_ns = event_queue_next_ns(world->events);
    if (world->looked_next_ns < INT64_MAX && !event_queue_any(world->events, world, counts_next))
        event_queue_remove(world->events, world, has_turned_stale);
}

void world_advance(World *world, int64_t until_ns)
{
    invariant(until_ns >= world->now_ns);
    run_until(world, until_ns);
    world->now_ns = until_ns;
    forget_stale(world);
}

bool world_apply_at(World *world, const Command *command, int64_t at_ns, Status *status)
{
    invariant(at_ns > world->now_ns);
    world_advance(world, at_ns - 1);
    invariant(event_queue_next_ns(world->events) > at_ns); // an instant of its own
    world->now_ns = at_ns;
    world->untold = command;
    if (!world_apply(world, command, status)) {
        invariant(world->untold != NULL); // refused is refused before anything changes
        world->untold = NULL;
        world->now_ns = at_ns - 1;
        return false;
    }
    if (world->untold)
        tell_untold(world);
    world->events_run++;
    world->is_in_instant = true;
    if (world->checks_always)
        world_check(world);
    end_instant(world);
    run_until(world, at_ns);
    return true;
}

bool world_run_instant(World *world)
{
    const int64_t until_ns = world->scenario->until_ns, at_ns = event_queue_next_ns(world->events);
    if (at_ns == INT64_MAX || at_ns > until_ns ||
        (until_ns == INT64_MAX && (is_given_up(world) || !is_anything_awaited(world))))
        return false;
    run_until(world, at_ns);
    return true;
}

static void end_run(World *world)
{
    for (int32_t i = 0; i < world->scenario->command_count; i++)
        if (!world->progress[i].is_applied)
            tell_command(world, TRACE_COMMAND_SKIPPED, i,
                         command_title(world, &world->scenario->commands[i]));
    for (uint32_t i = 0; i < world->jobs.count; i++)
        job_account_unfinished(world, row_table_at(&world->jobs, i));
    for (uint32_t i = 0; i < world->clusters.count; i++)
        cluster_bill_held_nodes(world, row_table_at(&world->clusters, i));
    file_servers_bill(world);
    TraceRecord record = world_record(world, TRACE_RUN_ENDED);
    record.since_ns = 0;
    if (is_given_up(world))
        record.name = world->given_up;
    else if (world->is_out_of_time && world->scenario->until_ns == INT64_MAX)
        record.name = "simulated time ends after 292 years, before all that was to happen";
    record.run_ended.events = world->events_run;
    record.run_ended.draws = world->draws->count;
    record.run_ended.drawn = (int64_t)(world->draws->sum & INT64_MAX);
    world_tell(world, &record);
}

void world_run(World *world)
{
    int64_t until_ns = world->scenario->until_ns;
    if (until_ns == INT64_MAX) {
        run_to_rest(world);
    } else {
        run_until(world, until_ns);
        // Cut short, or run out of events? Stale ones do not count: nothing would have happened.
        if (world->scenario->is_of_session || next_event(world, INT64_MAX, &(Event){0}))
            world->now_ns = until_ns;
    }
    end_run(world);
}

/* --- Life --- */

World *world_create(Arena *run, const Scenario *scenario, TraceSink sink)
{
    World *world = ARENA_NEW(run, World);
    world->arena = run;
    world->scenario = scenario;
    world->sink = sink;
    world->events = event_queue_create(run);
    world->draws = ARENA_NEW(run, DrawCount);
    world->names = name_table_create(run);
    world->former_names = name_table_create(run);
    world->files = file_set_create(run);
    world->first_free_transfer = ID_NONE;
    world->progress = ARENA_ARRAY(run, CommandProgress, scenario->command_count);
    quotas_prepare(world);
    moments_prepare(world);
    conditions_prepare(world);
    mishaps_prepare(world);
    workloads_prepare(world);
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Trigger *trigger = &scenario->commands[i].trigger;
        if (trigger->moment == MOMENT_AT)
            world_push(world, trigger->delay_ns, EVENT_COMMAND, (uint32_t)i, 0, 0);
    }
    if (event_queue_next_ns(world->events) > 0)
        conditions_look(world); // no instant at time 0 will end with it
    return world;
}

void world_check_always(World *world)
{
    world->checks_always = true;
}

/* --- Looking --- */

int64_t world_next_event_ns(const World *world)
{
    return event_queue_next_ns(world->events);
}

int64_t world_now_ns(const World *world)
{
    return world->now_ns;
}

int64_t world_events(const World *world)
{
    return world->events_run;
}

const Scenario *world_scenario(const World *world)
{
    return world->scenario;
}

int64_t world_unix_ms(const World *world, int64_t at_ns)
{
    return world->scenario->start_unix_ms + at_ns / NS_PER_MS;
}

uint32_t world_cluster_count(const World *world)
{
    return world->clusters.count;
}

int64_t world_living_clusters(const World *world)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < world_cluster_count(world); i++)
        count += world_cluster(world, (ClusterId){i})->provisioning != PROVISIONING_DELETED;
    return count;
}

uint32_t world_node_count(const World *world)
{
    return world->nodes.count;
}

uint32_t world_job_count(const World *world)
{
    return world->jobs.count;
}

uint32_t world_share_count(const World *world)
{
    return world->shares.count;
}

uint32_t world_resource_count(const World *world)
{
    return world->resources.count;
}

WorldResource world_resource(const World *world, uint32_t index)
{
    const Resource *resource = row_table_at(&world->resources, index);
    return (WorldResource){.made_by = resource->made_by,
                           .path = resource->path,
                           .created_ns = resource->created_ns,
                           .provisioning = resource->provisioning,
                           .provisioning_since_ns = resource->provisioning_since_ns};
}

uint32_t world_file_server_count(const World *world)
{
    return world->file_servers.count;
}

const FileServer *world_file_server(const World *world, uint32_t index)
{
    return row_table_at(&world->file_servers, index);
}

const Cluster *world_cluster(const World *world, ClusterId cluster)
{
    return row_table_at(&world->clusters, cluster.index);
}

const Node *world_node(const World *world, NodeId node)
{
    return row_table_at(&world->nodes, node.index);
}

const Job *world_job(const World *world, JobId job)
{
    return row_table_at(&world->jobs, job.index);
}

const StoredFile *world_file(const World *world, uint32_t file)
{
    return file_set_at(world->files, file);
}

const Share *world_share(const World *world, ShareId share)
{
    const ShareRow *row = row_table_at(&world->shares, share.index);
    return row->share;
}
