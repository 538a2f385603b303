#include "emu/session/outcomes.h"

#include <inttypes.h>
#include <string.h>

#include "emu/state/outcome_rows.h"
#include "sim/base/array.h"
#include "sim/base/civil_time.h"
#include "sim/base/text.h"
#include "sim/cloud/job/job_name.h"

static const char *const kind_words[OUTCOME_KINDS] = {"cluster", "job"};

/* --- What has changed --- */

static uint32_t count_of(const Outcomes *outcomes, OutcomeKind kind)
{
    return kind == OUTCOME_CLUSTER ? world_cluster_count(outcomes->world)
                                   : world_job_count(outcomes->world);
}

static void changed_add(Arena *arena, ChangedIds *changed, uint32_t id)
{
    for (; changed->id_count <= id; changed->id_count++) {
        changed->is_changed = array_room(arena, changed->is_changed, changed->id_count + 1,
                                         &changed->id_capacity, sizeof *changed->is_changed);
        changed->is_changed[changed->id_count] = false;
    }
    if (changed->is_changed[id])
        return;
    changed->is_changed[id] = true;
    changed->ids = array_room(arena, changed->ids, changed->count + 1, &changed->capacity,
                              sizeof *changed->ids);
    changed->ids[changed->count++] = id;
}

static void changed_clear(ChangedIds *changed)
{
    for (uint32_t i = 0; i < changed->count; i++)
        changed->is_changed[changed->ids[i]] = false;
    changed->count = 0;
}

/* A record of a job alone changes nothing of its cluster. */
static void on_row(void *listener, const TraceRow *row)
{
    Outcomes *outcomes = listener;
    const TraceRecord *record = &row->record;
    const bool is_of_job = record->job.index != ID_NONE && record->node.index == ID_NONE;
    if (record->cluster.index != ID_NONE && !is_of_job)
        changed_add(outcomes->arena, &outcomes->changed[OUTCOME_CLUSTER], record->cluster.index);
    if (record->job.index != ID_NONE)
        changed_add(outcomes->arena, &outcomes->changed[OUTCOME_JOB], record->job.index);
}

Outcomes *outcomes_create(Arena *arena)
{
    Outcomes *outcomes = ARENA_NEW(arena, Outcomes);
    outcomes->arena = arena;
    return outcomes;
}

void outcomes_watch(Outcomes *outcomes, const World *world)
{
    outcomes->world = world;
}

TraceListener outcomes_listener(Outcomes *outcomes)
{
    return (TraceListener){.listener = outcomes,
                           .level = TRACE_LEVEL_JOBS,
                           .ignores_workload_names = true,
                           .row = on_row};
}

/* --- States in words --- */

/* "succeeded 2018-07-18T18:50:11.748Z" */
static void print_time(const Outcomes *outcomes, Text *text, const char *words, int64_t at_ns)
{
    char at[CIVIL_TEXT];
    iso_time_print(world_unix_ms(outcomes->world, at_ns), at);
    text_printf(text, "%s%s %s", text->length > 0 ? ", " : "", words, at);
}

static void print_cluster(const Outcomes *outcomes, const Cluster *cluster, Text *text)
{
    if (cluster->provisioning != PROVISIONING_SUCCEEDED)
        print_time(outcomes, text, provisioning_state_name(cluster->provisioning),
                   cluster->provisioning_since_ns);
    print_time(outcomes, text, allocation_state_name(cluster->allocation),
               cluster->allocation_since_ns);
    text_printf(text, ", %" PRId32 " node%s", cluster->current_nodes,
                plural(cluster->current_nodes));
    for (NodeState state = 0; state < NODE_STATE_COUNT; state++)
        if (cluster->node_count[state] > 0)
            text_printf(text, ", %" PRId32 " %s", cluster->node_count[state],
                        node_state_name(state));
}

static void print_job(const Outcomes *outcomes, const Job *job, Text *text)
{
    if (job->provisioning != PROVISIONING_SUCCEEDED)
        print_time(outcomes, text, provisioning_state_name(job->provisioning),
                   job->provisioning_since_ns);
    print_time(outcomes, text, job_state_name(job->state), job->state_since_ns);
    if (job->started_ns != INT64_MAX && job->state != JOB_RUNNING)
        print_time(outcomes, text, "started", job->started_ns);
    if (job->ended_ns != INT64_MAX)
        text_printf(text, ", exit code %" PRId32, job->exit_code);
}

/* A row, in texts that are used again for the next one. */
typedef struct {
    OutcomeRow row;
    Text name, state;
} Said;

static void said_free(Said *said)
{
    text_free(&said->name);
    text_free(&said->state);
}

static void print_name(Text *name, ResourcePath path)
{
    const char *const parts[] = {path.workspace, path.experiment, path.name};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] != NULL)
            text_printf(name, "%s%s", name->length > 0 ? "/" : "", parts[i]);
}

static void say(const Outcomes *outcomes, OutcomeKind kind, uint32_t id, Said *said)
{
    const World *world = outcomes->world;
    const bool is_there = id < count_of(outcomes, kind);
    const Cluster *cluster =
        is_there && kind == OUTCOME_CLUSTER ? world_cluster(world, (ClusterId){id}) : NULL;
    const Job *job = is_there && kind == OUTCOME_JOB ? world_job(world, (JobId){id}) : NULL;
    text_clear(&said->name);
    text_clear(&said->state);
    said->row = (OutcomeRow){.kind = kind_words[kind], .row = id};
    if (cluster != NULL && cluster->provisioning != PROVISIONING_DELETED) {
        print_name(&said->name, cluster->path);
        print_cluster(outcomes, cluster, &said->state);
    } else if (job != NULL && job->provisioning != PROVISIONING_DELETED) {
        Arena *arena = arena_create();
        print_name(&said->name, job_path(world_scenario(world), job, arena));
        print_job(outcomes, job, &said->state);
        arena_destroy(arena);
    } else {
        return;
    }
    said->row.name = text_string(&said->name);
    said->row.state = text_string(&said->state);
}

/* --- Comparing --- */

enum { NAMED_MOST = 10 };

typedef struct {
    Outcomes *outcomes;
    Said said;
    OutcomeKind kind; /* the next cluster or job of the world ... */
    uint32_t id;      /* ... that no row was compared with */
    int32_t count, different;
    Problems *warnings;
} Comparison;

/* `saw` and `now`: states; NULL: there is none. */
static void compare_states(Comparison *comparison, OutcomeKind kind, uint32_t id, const char *name,
                           const char *saw, const char *now)
{
    comparison->count++;
    if (saw != NULL && now != NULL && strcmp(saw, now) == 0)
        return;
    changed_add(comparison->outcomes->arena, &comparison->outcomes->changed[kind], id);
    if (comparison->different++ >= NAMED_MOST)
        return;
    problems_add(
        comparison->warnings, STATUS_CONFLICT,
        place_in(arena_printf(comparison->warnings->arena, "%s %s", kind_words[kind], name), 0, 0),
        "clients saw \"%s\", and now it is \"%s\"", saw != NULL ? saw : "deleted",
        now != NULL ? now : "deleted");
}

/* Clusters and jobs that exist before that one; clients saw them deleted. */
static void compare_up_to(Comparison *comparison, OutcomeKind kind, uint32_t id)
{
    while (comparison->kind < kind || (comparison->kind == kind && comparison->id < id)) {
        if (comparison->id >= count_of(comparison->outcomes, comparison->kind)) {
            comparison->kind++;
            comparison->id = 0;
            continue;
        }
        say(comparison->outcomes, comparison->kind, comparison->id, &comparison->said);
        const OutcomeRow *row = &comparison->said.row;
        if (row->state != NULL)
            compare_states(comparison, comparison->kind, row->row, row->name, NULL, row->state);
        comparison->id++;
    }
}

static void compare_row(void *owner, const OutcomeRow *row)
{
    Comparison *comparison = owner;
    const OutcomeKind kind =
        strcmp(row->kind, kind_words[OUTCOME_JOB]) == 0 ? OUTCOME_JOB : OUTCOME_CLUSTER;
    compare_up_to(comparison, kind, row->row);
    say(comparison->outcomes, kind, row->row, &comparison->said);
    compare_states(comparison, kind, row->row, row->name, row->state, comparison->said.row.state);
    comparison->kind = kind;
    comparison->id = row->row + 1;
}

/* The journal of an older version, of whose outcomes nothing is known. */
static void warn_of_unknown(Outcomes *outcomes, Store *store)
{
    if (world_now_ns(outcomes->world) == 0)
        return; // a new session
    status_hint(problems_add(store_warnings(store), STATUS_CONFLICT,
                             place_in(store_folder(store), 0, 0),
                             "an older version of trainyard wrote this state, without the states "
                             "that clients saw: they may differ from those that this version "
                             "computes from the journal"),
                "from now on a start names the differences");
}

bool outcomes_compare(Outcomes *outcomes, Store *store, Status *status)
{
    Problems *warnings = store_warnings(store);
    Problems named = problems_create(warnings->arena);
    const OutcomesKept kept = outcome_rows_kept(store);
    Comparison comparison = {.outcomes = outcomes, .warnings = &named};
    Status summary = {0};
    bool is_read = true;
    outcomes_attach(outcomes, store);
    if (kept == OUTCOMES_UNKNOWN)
        warn_of_unknown(outcomes, store);
    if (kept != OUTCOMES_WHOLE)
        return true;
    for (OutcomeKind kind = 0; kind < OUTCOME_KINDS; kind++)
        changed_clear(&outcomes->changed[kind]); // by the replay
    is_read = outcome_rows_read(store, &comparison, compare_row, status);
    compare_up_to(&comparison, OUTCOME_KINDS, 0);
    said_free(&comparison.said);
    if (comparison.different == 0)
        return is_read;
    status_fail(&summary, STATUS_CONFLICT, place_in(store_folder(store), 0, 0),
                "this version of trainyard computes another course from the journal than the one "
                "that served it: %" PRId32 " of %" PRId32 " clusters and jobs differ%s",
                comparison.different, comparison.count,
                comparison.different > NAMED_MOST ? ", of which the first are named" : "");
    status_hint(&summary, "the session continues from the new course, and so do the files that "
                          "jobs have written; the other version still shows the old one");
    problems_add_status(warnings, &summary);
    problems_merge(warnings, &named);
    return is_read;
}

/* --- Storing --- */

void outcomes_attach(Outcomes *outcomes, Store *store)
{
    outcomes->are_whole = outcome_rows_kept(store) == OUTCOMES_WHOLE;
}

/* For a store without rows: all that exists. */
static void change_all(Outcomes *outcomes)
{
    const World *world = outcomes->world;
    for (uint32_t id = 0; id < world_cluster_count(world); id++)
        if (world_cluster(world, (ClusterId){id}) != NULL)
            changed_add(outcomes->arena, &outcomes->changed[OUTCOME_CLUSTER], id);
    for (uint32_t id = 0; id < world_job_count(world); id++)
        if (world_job(world, (JobId){id}) != NULL)
            changed_add(outcomes->arena, &outcomes->changed[OUTCOME_JOB], id);
}

bool outcomes_store(Outcomes *outcomes, Store *store, Status *status)
{
    Said said = {0};
    bool is_stored = true;
    if (!outcomes->are_whole) {
        change_all(outcomes);
        is_stored = outcome_rows_begin(store, status);
    }
    for (OutcomeKind kind = 0; kind < OUTCOME_KINDS; kind++) {
        const ChangedIds *changed = &outcomes->changed[kind];
        for (uint32_t i = 0; i < changed->count && is_stored; i++) {
            say(outcomes, kind, changed->ids[i], &said);
            is_stored = outcome_rows_put(store, &said.row, status);
        }
    }
    said_free(&said);
    if (!is_stored)
        return false;
    for (OutcomeKind kind = 0; kind < OUTCOME_KINDS; kind++)
        changed_clear(&outcomes->changed[kind]);
    outcomes->are_whole = true;
    return true;
}
