#include "tests/support/observation.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/world.h"

enum { FIELDS_MAX = 8, ROWS_MAX = 1000, THINGS_MAX = 64, CHANGES_MAX = 1000 };

typedef enum {
    SUBMITTED,
    PROVISIONED,
    STEADY,
    READY,
    DELETING,
    GONE,
    STARTED,
    COMPLETED,
    MOMENTS
} ThingMoment;

static const char *const moment_names[] = {"submitted", "provisioned", "steady",  "ready",
                                           "deleting",  "gone",        "started", "completed"};
_Static_assert(sizeof moment_names / sizeof moment_names[0] == MOMENTS, "one name each");

typedef struct {
    bool is_job;
    const char *name;
} Thing;

typedef struct {
    int64_t at_ns;
    int32_t thing;
    const char *state;  /* of a `see` */
    ThingMoment moment; /* of a `wait` */
} Row;

typedef struct {
    int32_t thing;
    ThingMoment from, to;
    double low_s, high_s;
} Band;

struct Observation {
    const char *scenario;
    int32_t thing_count, see_count, wait_count, band_count;
    Thing things[THINGS_MAX];
    Row see[ROWS_MAX];
    Row wait[ROWS_MAX];
    Band bands[ROWS_MAX];
};

/* --- Reading --- */

static int32_t cut(Arena *arena, const char *line, size_t length, const char *fields[FIELDS_MAX])
{
    int32_t count = 0;
    const char *end = line + length;
    while (line <= end && count < FIELDS_MAX) {
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        const char *stop = tab != NULL ? tab : end;
        fields[count++] = arena_strndup(arena, line, (size_t)(stop - line));
        line = stop + 1;
    }
    return count;
}

static int32_t thing_of(Observation *o, const char *what, const char *name)
{
    bool is_job = strcmp(what, "job") == 0;
    if (!is_job && strcmp(what, "cluster") != 0)
        return -1;
    for (int32_t i = 0; i < o->thing_count; i++)
        if (o->things[i].is_job == is_job && strcmp(o->things[i].name, name) == 0)
            return i;
    if (o->thing_count == THINGS_MAX)
        return -1;
    o->things[o->thing_count] = (Thing){.is_job = is_job, .name = name};
    return o->thing_count++;
}

static ThingMoment moment_of(const char *name)
{
    int32_t m = 0;
    while (m < MOMENTS && strcmp(moment_names[m], name) != 0)
        m++;
    return (ThingMoment)m;
}

/* Up to 30 years; neither nan nor infinity. */
static bool read_seconds(const char *text, double *seconds)
{
    enum { SECONDS_MAX = 1000000000 };
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds >= 0 && *seconds <= SECONDS_MAX;
}

static bool read_row(Observation *o, const char *const *f, int32_t count)
{
    double at_s, high_s;
    if (count == 2 && strcmp(f[0], "scenario") == 0 && f[1][0] != '\0') {
        o->scenario = f[1];
        return true;
    }
    if (count == 5 && strcmp(f[0], "see") == 0 && o->see_count < ROWS_MAX) {
        Row *row = &o->see[o->see_count++];
        *row = (Row){.thing = thing_of(o, f[2], f[3]), .state = f[4]};
        if (!read_seconds(f[1], &at_s) || row->thing < 0)
            return false;
        row->at_ns = (int64_t)(at_s * NS_PER_S);
        return o->see_count < 2 || row[-1].at_ns <= row->at_ns;
    }
    if (count == 5 && strcmp(f[0], "wait") == 0 && o->wait_count < ROWS_MAX) {
        Row *row = &o->wait[o->wait_count++];
        *row = (Row){.thing = thing_of(o, f[2], f[3]), .moment = moment_of(f[4])};
        if (!read_seconds(f[1], &at_s) || row->thing < 0)
            return false;
        row->at_ns = (int64_t)(at_s * NS_PER_S);
        return row->moment < MOMENTS;
    }
    if (count >= 7 && strcmp(f[0], "band") == 0 && o->band_count < ROWS_MAX) {
        Band *band = &o->bands[o->band_count++];
        *band = (Band){
            .thing = thing_of(o, f[1], f[2]), .from = moment_of(f[3]), .to = moment_of(f[4])};
        if (!read_seconds(f[5], &at_s) || !read_seconds(f[6], &high_s))
            return false;
        band->low_s = at_s;
        band->high_s = high_s;
        return band->thing >= 0 && band->low_s <= band->high_s && band->from < MOMENTS &&
               band->to < MOMENTS;
    }
    return false;
}

Observation *observation_read(Arena *arena, const char *text, const char **problem)
{
    Observation *o = ARENA_NEW(arena, Observation);
    for (int32_t line = 1; *text != '\0'; line++) {
        const char *fields[FIELDS_MAX];
        size_t length = strcspn(text, "\n");
        bool is_row = length > 0 && text[0] != '#';
        if (is_row && !read_row(o, fields, cut(arena, text, length, fields))) {
            *problem = arena_printf(arena, "line %d is not a row of an observation", (int)line);
            return NULL;
        }
        text += length + (text[length] == '\n');
    }
    *problem = "no line says which scenario";
    return o->scenario != NULL ? o : NULL;
}

const char *observation_scenario(const Observation *observation)
{
    return observation->scenario;
}

/* --- Running --- */

typedef struct {
    int64_t at_ns;
    const char *state;
} Change;

/* The states of a resource in a run. */
typedef struct {
    Change changes[CHANGES_MAX];
    int32_t count;
    int64_t moments_ns[MOMENTS]; /* the first time; -1: never */
} History;

typedef struct {
    Arena *arena;
    const Observation *observation;
    const World *world;
    History *histories; /* one per observed resource */
} Replay;

static void note_moment(History *history, ThingMoment moment, bool has_come, int64_t at_ns)
{
    if (has_come && history->moments_ns[moment] < 0)
        history->moments_ns[moment] = at_ns;
}

static const char *cluster_state(Replay *replay, const Cluster *c, History *history, int64_t at_ns)
{
    const int32_t *n = c->node_count;
    bool is_steady = c->allocation == ALLOCATION_STEADY;
    note_moment(history, SUBMITTED, true, c->created_ns);
    note_moment(history, PROVISIONED, c->provisioning == PROVISIONING_SUCCEEDED, at_ns);
    note_moment(history, STEADY, is_steady, at_ns);
    note_moment(history, READY,
                is_steady && c->current_nodes > 0 &&
                    n[NODE_IDLE] + n[NODE_RUNNING] == c->current_nodes,
                at_ns);
    note_moment(history, DELETING, c->provisioning == PROVISIONING_DELETING, at_ns);
    note_moment(history, GONE, c->provisioning == PROVISIONING_DELETED, at_ns);
    if (c->provisioning == PROVISIONING_DELETED)
        return "gone";
    return arena_printf(
        replay->arena, "%s %s %d %d/%d/%d/%d/%d", provisioning_state_name(c->provisioning),
        allocation_state_name(c->allocation), (int)c->current_nodes, (int)n[NODE_RUNNING],
        (int)n[NODE_IDLE], (int)n[NODE_UNUSABLE], (int)n[NODE_PREPARING], (int)n[NODE_LEAVING]);
}

static const char *job_state(Replay *replay, const Job *job, History *history, int64_t at_ns)
{
    bool is_over = job->state == JOB_SUCCEEDED || job->state == JOB_FAILED;
    note_moment(history, SUBMITTED, true, job->created_ns);
    note_moment(history, PROVISIONED, job->provisioning == PROVISIONING_SUCCEEDED, at_ns);
    note_moment(history, STARTED, job->state == JOB_RUNNING, at_ns);
    note_moment(history, COMPLETED, is_over, at_ns);
    note_moment(history, DELETING, job->provisioning == PROVISIONING_DELETING, at_ns);
    note_moment(history, GONE, job->provisioning == PROVISIONING_DELETED, at_ns);
    if (job->provisioning == PROVISIONING_DELETED)
        return "gone";
    const char *state =
        arena_printf(replay->arena, "%s %s", provisioning_state_name(job->provisioning),
                     job_state_name(job->state));
    return job->exit_code >= 0 ? arena_printf(replay->arena, "%s %d", state, (int)job->exit_code)
                               : state;
}

/* The present state of an observed resource; NULL before it exists. If several have the name, the
 * last one. */
static const char *state_now(Replay *replay, int32_t index, int64_t at_ns)
{
    const Thing *thing = &replay->observation->things[index];
    const char *state = NULL;
    for (uint32_t i = 0; !thing->is_job && i < world_cluster_count(replay->world); i++) {
        const Cluster *cluster = world_cluster(replay->world, (ClusterId){i});
        if (strcmp(cluster->path.name, thing->name) == 0)
            state = cluster_state(replay, cluster, &replay->histories[index], at_ns);
    }
    for (uint32_t i = 0; thing->is_job && i < world_job_count(replay->world); i++) {
        const Job *job = world_job(replay->world, (JobId){i});
        if (strcmp(job->path.name, thing->name) == 0)
            state = job_state(replay, job, &replay->histories[index], at_ns);
    }
    return state;
}

static void look(void *listener, int64_t at_ns)
{
    Replay *replay = listener;
    for (int32_t t = 0; t < replay->observation->thing_count; t++) {
        History *history = &replay->histories[t];
        const char *state = state_now(replay, t, at_ns);
        bool is_new =
            state != NULL &&
            (history->count == 0 || strcmp(history->changes[history->count - 1].state, state) != 0);
        if (is_new && history->count < CHANGES_MAX)
            history->changes[history->count++] = (Change){.at_ns = at_ns, .state = state};
    }
}

static void run(Replay *replay, const Scenario *scenario, uint64_t seed)
{
    Scenario *own = ARENA_NEW(replay->arena, Scenario);
    *own = *scenario;
    own->seed = seed;
    replay->histories = ARENA_ARRAY(replay->arena, History, replay->observation->thing_count);
    for (int32_t t = 0; t < replay->observation->thing_count; t++)
        for (int32_t m = 0; m < MOMENTS; m++)
            replay->histories[t].moments_ns[m] = -1;
    World *world =
        world_create(replay->arena, own,
                     (TraceSink){.listener = replay, .level = TRACE_LEVEL_JOBS, .instant = look});
    replay->world = world;
    world_run(world);
}

/* --- Comparing --- */

static bool is_comparable(const Replay *replay)
{
    const Observation *o = replay->observation;
    for (int32_t i = 0; i < o->wait_count; i++) {
        const Row *row = &o->wait[i];
        int64_t came_ns = replay->histories[row->thing].moments_ns[row->moment];
        if (came_ns < 0 || came_ns > row->at_ns)
            return false;
    }
    return true;
}

/* Compares the observed states of a resource with its states in the run, in order. */
static bool has_order(Replay *replay, int32_t thing, bool *fits_polls, const char **why)
{
    const Observation *o = replay->observation;
    const History *history = &replay->histories[thing];
    int64_t last_poll_ns = 0; // it was not there yet
    int32_t at = -1;
    for (int32_t i = 0; i < o->see_count; i++) {
        const Row *row = &o->see[i];
        if (row->thing != thing)
            continue;
        int32_t next = at < 0 ? 0 : at;
        while (next < history->count && strcmp(history->changes[next].state, row->state) != 0)
            next++;
        if (next == history->count) {
            *why = arena_printf(replay->arena, "%s: no \"%s\" after \"%s\"", o->things[thing].name,
                                row->state, at < 0 ? "" : history->changes[at].state);
            return false;
        }
        // Two consecutive polls missed the states between.
        for (int32_t skipped = at + 1; skipped < next; skipped++)
            *fits_polls &= history->changes[skipped + 1].at_ns - history->changes[skipped].at_ns <
                           row->at_ns - last_poll_ns;
        at = next;
        last_poll_ns = row->at_ns;
    }
    return true;
}

static bool keeps_bands(Replay *replay, const char **why)
{
    const Observation *o = replay->observation;
    for (int32_t i = 0; i < o->band_count; i++) {
        const Band *band = &o->bands[i];
        const int64_t *moments_ns = replay->histories[band->thing].moments_ns;
        double took_s = (double)(moments_ns[band->to] - moments_ns[band->from]) / (double)NS_PER_S;
        bool has_come = moments_ns[band->from] >= 0 && moments_ns[band->to] >= 0;
        // A record's creation rounds up to whole ns.
        if (has_come && took_s >= band->low_s - 1e-6 && took_s <= band->high_s + 1e-6)
            continue;
        *why =
            arena_printf(replay->arena, "%s: %s to %s took %g s, recorded were %g to %g",
                         o->things[band->thing].name, moment_names[band->from],
                         moment_names[band->to], has_come ? took_s : -1, band->low_s, band->high_s);
        return false;
    }
    return true;
}

ReplayVerdict observation_replay(Arena *arena, const Observation *observation,
                                 const Scenario *scenario, uint64_t seed, const char **why)
{
    Replay replay = {.arena = arena, .observation = observation};
    run(&replay, scenario, seed);
    if (!is_comparable(&replay))
        return REPLAY_NOT_COMPARABLE;
    bool fits_polls = true;
    for (int32_t t = 0; t < observation->thing_count; t++)
        if (!has_order(&replay, t, &fits_polls, why))
            return REPLAY_CONTRADICTS;
    if (!keeps_bands(&replay, why))
        return REPLAY_CONTRADICTS;
    return fits_polls ? REPLAY_FITS_POLLS : REPLAY_AGREES;
}
