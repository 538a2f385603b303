#include "emu/emulator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/arm/storage.h"
#include "emu/batchai/routes.h"
#include "emu/control/clock_api.h"
#include "emu/files/files.h"
#include "emu/files/report.h"
#include "emu/fork.h"
#include "emu/session/base.h"
#include "emu/session/programs.h"
#include "emu/undo.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cli/report.h"

/* --- Life --- */

/* The number of starts that have changed this state. */
#define STARTS_SETTING "starts"

/* Numbers requests from a value that no earlier start has reached, although no start records its
 * last number: ids made of these numbers (of leases, of copies) remain in the state. */
static void number_requests(Arena *arena, Emulator *emulator)
{
    enum { RUN_BITS = 32, START_BITS = 16 }; // together what session_guid takes
    const char *text = store_setting(emulator->store, arena, STARTS_SETTING);
    emulator->starts = text ? strtoull(text, NULL, 10) : 0;
    emulator->requests = emulator->starts % (UINT64_C(1) << START_BITS) << RUN_BITS;
}

/* Written with the first change: a start itself writes nothing, so that it works on a full disk. */
static bool count_start(Emulator *emulator, Status *status)
{
    char text[32];
    if (emulator->is_start_counted || !store_is_dirty(emulator->store))
        return true;
    emulator->is_start_counted = true;
    snprintf(text, sizeof text, "%" PRIu64, emulator->starts + 1);
    return store_set(emulator->store, STARTS_SETTING, text, status);
}

/* Adds the rules of the scenario. */
static bool add_api_faults(const Emulator *emulator, const ScenarioFile *base, Problems *problems)
{
    const Json *rules = json_member(base->root, "api_faults");
    const Json *rule = rules ? rules->first : NULL;
    while (rule && api_faults_add(emulator->control.api_faults, rule, problems) > 0)
        rule = rule->next;
    return rule == NULL;
}

static bool advance(void *emulator, int64_t until_ns)
{
    return emulator_advance(emulator, until_ns);
}

/* The copy has what clients of this round have done, so that is committed first. */
static bool copy(void *owner, const char *name, Status *status)
{
    Emulator *emulator = owner;
    return emulator_commit(emulator, status) && fork_offer(emulator->store, name, status);
}

static Json *undo(void *emulator, Arena *arena, bool is_accepted, Status *status)
{
    return undo_jump(emulator, arena, is_accepted, status);
}

/* --- What Azure Files asks for --- */

static int64_t now_ms(void *owner)
{
    const Emulator *emulator = owner;
    return session_unix_ms(emulator->session);
}

static int64_t machine_ms(void *owner)
{
    const Emulator *emulator = owner;
    return emulator->pace.real_unix_ms;
}

static const char *account_key(void *owner, Arena *arena, const char *account, int which)
{
    Emulator *emulator = owner;
    return arm_storage_key(&emulator->arm, arena, account, which);
}

static int64_t account_number(void *owner, const char *account)
{
    const Emulator *emulator = owner;
    const Record *record = storage_find(&emulator->arm, account);
    return record ? record->sequence : -1;
}

static void new_id(void *owner, const char *purpose, char out[FILES_ID])
{
    _Static_assert((int)FILES_ID == (int)GUID_TEXT, "an id is a GUID");
    const Emulator *emulator = owner;
    session_guid(emulator->session, purpose, emulator->requests, out);
}

static bool enter(void *owner, const Json *command, Problems *problems)
{
    Emulator *emulator = owner;
    return session_command(emulator->session, command, NULL, problems);
}

static AzureFiles azure_files(Emulator *emulator)
{
    const EmulatorSettings *settings = &emulator->settings;
    return (AzureFiles){.files = emulator->files,
                        .store = emulator->store,
                        .storage_suffix = settings->storage_suffix,
                        .addresses = &settings->addresses,
                        .is_files_only = settings->is_files_only,
                        .owner = emulator,
                        .now_ms = now_ms,
                        .machine_ms = machine_ms,
                        .account_key = account_key,
                        .account_number = account_number,
                        .new_id = new_id,
                        .enter = enter};
}

/* --- Parts --- */

static void open_parts(Arena *arena, Emulator *emulator)
{
    const EmulatorSettings *settings = &emulator->settings;
    Session *session = emulator->session;
    Store *store = emulator->store;
    FileStore *files = emulator->files;
    Pace *pace = &emulator->pace;
    pace->controlled_ns = session_now_ns(session);
    emulator->arm = (Arm){.session = session,
                          .store = store,
                          .files = files,
                          .pace = pace,
                          .addresses = &settings->addresses,
                          .batchai = {"Microsoft.BatchAI", batchai_routes, &emulator->batchai}};
    emulator->azure_files = azure_files(emulator);
    emulator->batchai = (Batchai){.execution = runs_execution(&settings->runs),
                                  .azure_files = &emulator->azure_files};
    Control *control = &emulator->control;
    control->session = session;
    control->files = files;
    control->pace = pace;
    control->is_files_only = settings->is_files_only;
    control->counts = settings->counts;
    control->version = settings->version ? settings->version : "";
    control->events_max = 20000000;
    control->owner = emulator;
    control->advance = advance;
    control->copy = copy;
    control->undo = undo;
    emulator->runs = runs_open(arena, (RunsHost){.settings = &settings->runs,
                                                 .session = session,
                                                 .store = store,
                                                 .files = files,
                                                 .pace = pace});
}

/* The scenario of a new session; an existing session is compared with it. */
typedef struct {
    const char *scenario_path;
    ScenarioOverrides overrides;
    Problems *problems, *warnings;
} Beginning;

/* Before anything is made of a new session: whether it can begin with that scenario. */
static bool can_begin(Arena *arena, Emulator *emulator, const Beginning *from)
{
    const ScenarioFile *base = base_open(arena, NULL, from->scenario_path, from->overrides,
                                         from->problems, from->warnings);
    emulator->control.api_faults = api_faults_create(arena);
    const bool can = base && add_api_faults(emulator, base, from->problems);
    api_faults_destroy(emulator->control.api_faults);
    emulator->control.api_faults = NULL;
    return can;
}

/* Replays the session of the store, or begins it. */
static bool open_whole(Emulator *emulator, const Beginning *from, Status *status)
{
    session_memory_begin(&emulator->memory);
    heap_keep(emulator->memory.heap, (HeapRoot){.memory = emulator, .bytes = sizeof *emulator});
    Arena *arena = emulator->memory.arena;
    const ScenarioFile *base = base_open(arena, emulator->store, from->scenario_path,
                                         from->overrides, from->problems, from->warnings);
    if (!base)
        return false;
    emulator->kept = kept_create(arena, base);
    return kept_open(emulator->kept, emulator->store, status);
}

/* Continues the session of the store from its snapshot. */
static bool open_snapshot(Arena *arena, Emulator *emulator, const Beginning *from, Status *status)
{
    heap_keep(emulator->memory.heap, (HeapRoot){.memory = emulator, .bytes = sizeof *emulator});
    base_compare(arena, emulator->store, from->scenario_path, from->overrides, from->problems,
                 from->warnings);
    return kept_attach(emulator->kept, emulator->store, status);
}

static bool open_session(Arena *arena, Emulator *emulator, const Beginning *from, Status *status)
{
    const bool is_open = snapshots_restore(emulator, from->warnings)
                             ? open_snapshot(arena, emulator, from, status)
                             : open_whole(emulator, from, status);
    if (!is_open)
        return false;
    Control *control = &emulator->control;
    emulator->session = emulator->kept->session;
    emulator->files = emulator->kept->files;
    control->events = emulator->kept->events;
    control->tally = emulator->kept->tally;
    control->api_faults = api_faults_create(emulator->memory.arena);
    number_requests(arena, emulator);
    return add_api_faults(emulator, emulator->kept->base, from->problems) &&
           emulator_commit(emulator, status);
}

Emulator *emulator_open(Arena *arena, const char *folder, const char *scenario_path,
                        ScenarioOverrides overrides, const EmulatorSettings *settings, Clock clock,
                        Problems *problems, Problems *warnings)
{
    Status status = {0};
    const Beginning from = {scenario_path, overrides, problems, warnings};
    Emulator *emulator = ARENA_NEW(arena, Emulator);
    emulator->settings = *settings;
    emulator->pace.clock = clock;
    emulator->before = state_folder_before(folder);
    emulator->snapshots.writer = -1;
    emulator->memory = session_memory_reserve();
    if (!emulator->before.has_database && !can_begin(arena, emulator, &from)) {
        emulator_close(emulator);
        return NULL;
    }
    emulator->store =
        settings->recovers ? store_recover(folder, &status) : store_open(folder, &status);
    const bool is_open = emulator->store && open_session(arena, emulator, &from, &status);
    if (emulator->store)
        problems_merge(warnings, store_warnings(emulator->store));
    if (is_open) {
        fork_withdraw_offers(emulator->store);
        programs_require(emulator->session, settings->is_strict); // accepted jobs remain
        open_parts(emulator->memory.arena, emulator);
        (void)snapshots_have_room(emulator);
        return emulator;
    }
    if (status.code != STATUS_OK)
        problems_add_status(problems, &status);
    emulator_withdraw(emulator);
    return NULL;
}

/* Lets events go out whose writes are on the disk. */
static void settle_events(Emulator *emulator)
{
    if (!emulator->is_ahead && !store_is_dirty(emulator->store))
        events_settle(emulator->kept->events);
}

/* The present time, and the states of that time. */
static bool note_present(Emulator *emulator, Status *status)
{
    return session_note_time(emulator->session, status) &&
           (!store_is_dirty(emulator->store) ||
            outcomes_store(emulator->kept->outcomes, emulator->store, status));
}

bool emulator_commit(Emulator *emulator, Status *status)
{
    if (store_is_dirty(emulator->store)) {
        store_removes(emulator->store, true); // what was begun is finished
        emulator->written_ns = emulator->pace.machine_ns;
    }
    if (!emulator->is_over)
        emulator->noted_changes = emulator->kept->changes;
    emulator->is_ahead = (!emulator->is_over && !note_present(emulator, status)) ||
                         !count_start(emulator, status) || !store_commit(emulator->store, status);
    settle_events(emulator);
    return !emulator->is_ahead;
}

bool emulator_is_over(const Emulator *emulator)
{
    return emulator->is_over;
}

bool emulator_rest(Emulator *emulator, Status *status)
{
    if (emulator->is_over)
        return emulator_commit(emulator, status);
    runs_end(emulator->runs);
    files_report_written(&emulator->azure_files);
    if (!outcomes_store(emulator->kept->outcomes, emulator->store, status) ||
        !emulator_commit(emulator, status))
        return false;
    snapshots_rest(emulator, false);
    return true;
}

void emulator_close(Emulator *emulator)
{
    if (!emulator)
        return;
    snapshots_close(emulator);
    runs_close(emulator->runs);
    if (emulator->kept)
        kept_close(emulator->kept);
    api_faults_destroy(emulator->control.api_faults);
    store_close(emulator->store);
    session_memory_close(&emulator->memory);
}

void emulator_withdraw(Emulator *emulator)
{
    if (emulator && emulator->store)
        state_folder_withdraw(store_folder(emulator->store), emulator->before);
    emulator_close(emulator);
}

/* --- Time --- */

/* Reports the files that clients have written to the world before its next event up to `until_ns`.
 * The report comes immediately before that event, so that its instant depends on simulated time
 * alone. */
static void report_files(Emulator *emulator, int64_t until_ns)
{
    const int64_t next_ns = world_next_event_ns(session_world(emulator->session));
    const int32_t count = next_ns <= until_ns ? files_unreported_count(&emulator->azure_files) : 0;
    if (count == 0)
        return;
    session_advance(emulator->session, next_ns - 1 - count);
    files_report_written(&emulator->azure_files);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

bool emulator_advance(Emulator *emulator, int64_t until_ns)
{
    Session *session = emulator->session;
    const World *world = session_world(session);
    runs_look(emulator->runs);
    report_files(emulator, least(until_ns, runs_reach_ns(emulator->runs)));
    // Event by event: none may pass the moment at which a command begins.
    while (runs_are_expected(emulator->runs) && world_next_event_ns(world) <= until_ns &&
           world_next_event_ns(world) <= runs_reach_ns(emulator->runs)) {
        session_advance(session, world_next_event_ns(world));
        runs_look(emulator->runs);
    }
    session_advance(session, least(until_ns, runs_reach_ns(emulator->runs)));
    return session_now_ns(session) >= until_ns;
}

/* Whether the world has a state, since `before`, that the clients who have asked wait for. */
static bool is_awaited(const Emulator *emulator, const Kept *before, int64_t since_ns)
{
    const Kept *kept = emulator->kept;
    if (kept->job_changes != before->job_changes)
        return true;
    return kept->changes != before->changes &&
           (!emulator->pace.polls_only_jobs ||
            session_now_ns(emulator->session) - since_ns > NS_PER_HOUR);
}

/* Runs the world to the next change that a client could wait for. If no event is due for a day,
 * runs it to the next event. */
static void jump(Emulator *emulator)
{
    const World *world = session_world(emulator->session);
    const Kept before = *emulator->kept;
    const int64_t since_ns = session_now_ns(emulator->session);
    const int64_t day_ns =
        least(session_now_ns(emulator->session), LAST_INSTANT_NS - NS_PER_DAY) + NS_PER_DAY;
    const int64_t next_ns = world_next_event_ns(world);
    const int64_t end_ns = next_ns < INT64_MAX && next_ns > day_ns ? next_ns : day_ns;
    const int64_t events_most = world_events(world) + emulator->control.events_max;
    Status ignored; // a disk that is full: time is noted with the next entry
    while (!is_awaited(emulator, &before, since_ns) && world_next_event_ns(world) <= end_ns &&
           world_events(world) < events_most)
        if (!emulator_advance(emulator, world_next_event_ns(world)))
            break;
    const bool is_noted =
        clock_api_jump(&emulator->control, session_now_ns(emulator->session), &ignored);
    (void)is_noted;
}

/* When writers have rested for so long that the log goes into the database: less is then lost with
 * the log. INT64_MAX: there is no log. */
static int64_t rest_ns(const Emulator *emulator)
{
    return store_has_log(emulator->store) && !store_is_dirty(emulator->store)
               ? emulator->written_ns + NS_PER_S
               : INT64_MAX;
}

void emulator_tidy(Emulator *emulator)
{
    file_store_catch_up(emulator->files);
    session_forget(emulator->session);
    heap_collect(emulator->memory.heap, NULL, 0);
}

void emulator_tick(Emulator *emulator, int64_t machine_ns, int64_t real_unix_ms)
{
    if (emulator->is_over)
        return;
    if (heap_is_due(emulator->memory.heap))
        emulator_tidy(emulator);
    if (emulator->pace.machine_ns == 0)
        clock_start(&emulator->pace.clock, machine_ns, session_now_ns(emulator->session));
    emulator->pace.machine_ns = machine_ns;
    emulator->pace.real_unix_ms = real_unix_ms;
    if (!emulator_advance(emulator, clock_now(&emulator->pace.clock, machine_ns)))
        clock_start(&emulator->pace.clock, machine_ns,
                    session_now_ns(emulator->session)); // held back
    if (emulator->pace.is_polled && emulator->pace.clock.kind == CLOCK_AUTO &&
        !emulator->pace.clock.is_paused)
        jump(emulator);
    emulator->pace.is_polled = false;
    runs_work(emulator->runs);
    if (!emulator->is_ahead)
        snapshots_work(emulator);
    settle_events(emulator);
    if (machine_ns >= rest_ns(emulator)) {
        emulator->written_ns = machine_ns; // a failure is tried again later
        store_checkpoint(emulator->store);
    }
}

int64_t emulator_next_ns(const Emulator *emulator)
{
    if (emulator->is_over)
        return INT64_MAX;
    if (emulator->pace.is_polled)
        return emulator->pace.machine_ns;
    const int64_t runs_ns = runs_next_ns(emulator->runs);
    const int64_t event_ns =
        clock_when(&emulator->pace.clock, world_next_event_ns(session_world(emulator->session)));
    const int64_t own_ns = least(rest_ns(emulator), snapshots_next_ns(emulator));
    return least(least(runs_ns, event_ns), own_ns);
}

/* --- As the handler of a server --- */

static void handler_tick(void *owner, int64_t machine_ns, int64_t unix_ms)
{
    emulator_tick(owner, machine_ns, unix_ms);
}

static int64_t handler_next_ns(void *owner)
{
    return emulator_next_ns(owner);
}

static void handler_handle(void *owner, const HttpRequest *request, HttpResponse *response)
{
    emulator_handle(owner, request, response);
}

static bool handler_is_dirty(void *owner)
{
    const Emulator *emulator = owner;
    return store_is_dirty(emulator->store);
}

static bool handler_commit(void *owner, Status *status)
{
    return emulator_commit(owner, status);
}

static bool handler_is_over(void *owner)
{
    return emulator_is_over(owner);
}

static void handler_refuse(void *owner, const HttpRequest *request, HttpResponse *response)
{
    emulator_refuse(owner, request, response);
}

ServerHandler emulator_handler(Emulator *emulator)
{
    return (ServerHandler){.owner = emulator,
                           .counts = emulator->settings.counts,
                           .tick = handler_tick,
                           .next_ns = handler_next_ns,
                           .handle = handler_handle,
                           .is_dirty = handler_is_dirty,
                           .commit = handler_commit,
                           .is_over = handler_is_over,
                           .refuse = handler_refuse,
                           .now_ms = now_ms,
                           .is_signed = files_address_is_ours};
}
