#include "emu/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/session/secret_values.h"
#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/philox.h"
#include "sim/base/units.h"
#include "sim/cli/progress.h"
#include "sim/output/trace/fan.h"
#include "sim/scenario/config/secrets.h"

struct Session {
    Arena *arena;
    Arena *commands; /* what is bound, and kept */
    Arena *warnings; /* of the command that is applied */
    Store *store;
    const ScenarioFile *base;
    TraceFan *fan;
    World *world;
    Records records;
    int64_t sequence; /* of the last entry */
    int64_t entry_ns; /* its instant; 0 before the first */
    int64_t noted_ns; /* the time in the store */
    const char *tenant;
    int32_t listener_count;
    SessionListener *listeners;
};

/* The store's name of the present time. */
#define TIME_SETTING "now_ns"

/* --- Looking --- */

int64_t session_now_ns(const Session *session)
{
    return world_now_ns(session->world);
}

World *session_world(Session *session)
{
    return session->world;
}

Store *session_store(const Session *session)
{
    return session->store;
}

const ScenarioFile *session_base(const Session *session)
{
    return session->base;
}

const Scenario *session_scenario(const Session *session)
{
    return &session->base->scenario;
}

const char *session_subscription(const Session *session)
{
    return session->base->scenario.subscription;
}

const char *session_tenant(const Session *session)
{
    return session->tenant;
}

int64_t session_unix_ms(const Session *session)
{
    return world_unix_ms(session->world, session_now_ns(session));
}

const VmSize *session_vm_size(const Session *session, const char *name)
{
    return command_vm_size(session->base->reader, name);
}

int64_t session_sequence(const Session *session)
{
    return session->sequence;
}

Record *session_find(const Session *session, RecordKind kind, ResourcePath path)
{
    // A lookup changes only the table of names.
    return records_find(&((Session *)session)->records, kind, path);
}

const Record *session_next(const Session *session, RecordKind kind, ResourcePath scope,
                           uint32_t *at)
{
    return records_next(&((Session *)session)->records, kind, scope, at);
}

/* Prints the last `digits` digits of a number in hexadecimal. Returns the end. */
static char *hex_print(char *out, uint32_t number, int32_t digits)
{
    for (int32_t i = digits - 1; i >= 0; i--, number >>= 4)
        out[i] = "0123456789abcdef"[number & 15];
    return out + digits;
}

void session_guid(const Session *session, const char *purpose, uint64_t number, char out[GUID_TEXT])
{
    // The world's own words have counters whose upper 16 bits are not 0 (rng.h): none is met twice.
    const uint64_t entity = name_hash(purpose);
    invariant(number < UINT64_C(1) << 48);
    const PhiloxBlock counter = {
        {(uint32_t)entity, (uint32_t)(entity >> 32), (uint32_t)number, (uint32_t)(number >> 32)}};
    const PhiloxBlock words = philox(session->base->scenario.seed, counter);
    // Version 4, variant 1 (RFC 4122, 4.4). By hand, since each answer has one.
    const uint32_t groups[] = {words.word[0], words.word[1] >> 16, 0x4000 | (words.word[1] & 0xfff),
                               0x8000 | (words.word[2] >> 16 & 0x3fff), words.word[2] & 0xffff};
    for (int32_t i = 0; i < 5; i++) {
        out = hex_print(out, groups[i], i == 0 ? 8 : 4);
        if (i < 4)
            *out++ = '-';
    }
    *hex_print(out, words.word[3], 8) = '\0';
}

/* --- Time --- */

void session_advance(Session *session, int64_t until_ns)
{
    if (until_ns > world_now_ns(session->world))
        world_advance(session->world, until_ns);
}

int64_t session_stored_ns(Store *store)
{
    Arena *arena = arena_create();
    const char *text = store_setting(store, arena, TIME_SETTING);
    const int64_t at_ns = text != NULL ? strtoll(text, NULL, 10) : 0;
    arena_destroy(arena);
    return at_ns;
}

bool session_store_ns(Store *store, int64_t at_ns, Status *status)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, at_ns);
    return store_set(store, TIME_SETTING, text, status);
}

bool session_note_time(Session *session, Status *status)
{
    int64_t now_ns = world_now_ns(session->world);
    if (now_ns == session->noted_ns)
        return true;
    if (!session_store_ns(session->store, now_ns, status))
        return false;
    session->noted_ns = now_ns;
    return true;
}

/* Returns the next nanosecond without an event, and advances the world to the one before it.
 * INT64_MAX: there is no such nanosecond. */
static int64_t next_instant(Session *session)
{
    World *world = session->world;
    int64_t at_ns = world_now_ns(world) + 1;
    if (at_ns <= session->entry_ns)
        at_ns = session->entry_ns + 1; // the last entry changed nothing in the world
    world_advance(world, at_ns - 1);
    while (at_ns <= LAST_INSTANT_NS && world_next_event_ns(world) == at_ns)
        world_advance(world, at_ns++);
    return at_ns;
}

/* --- Subjects of commands --- */

/* Whether commands of this kind change the stored record of their subject, and so its stamp. A show
 * changes nothing; in the recordings, the course of a job leaves its stamp alone. */
static bool is_stamped(CommandKind kind)
{
    return kind != COMMAND_CLUSTER_SHOW && kind != COMMAND_JOB_SHOW && kind != COMMAND_JOB_FILES &&
           kind != COMMAND_JOB_TERMINATE && kind != COMMAND_JOB_RAN && kind != COMMAND_JOB_REACHED;
}

/* Updates the record of the command's subject after the command was applied. `entry` and `kept` are
 * in session->commands. */
static void note_subject(Session *session, const Command *command, const Json *entry,
                         const Json *kept)
{
    records_catch_up(&session->records);
    RecordKind kind = record_kind(command_made_by(command->kind));
    if (kind == RECORD_KIND_COUNT)
        return;
    Record *record = records_newest(&session->records, kind, command->path);
    if (record == NULL)
        return;
    if (is_stamped(command->kind))
        record->written_ns = session->entry_ns;
    if (record->created_ns == session->entry_ns) {
        record->sequence = session->sequence;
        if (kept == NULL)
            kept = json_find(entry, "/config/properties");
    }
    if (kept != NULL)
        record_keep(&session->records, record, kept);
}

/* --- Entries --- */

/* The session has the entry. */
static void note_entry(Session *session, const JournalEntry *entry)
{
    session->sequence = entry->sequence;
    session->entry_ns = entry->at_ns;
}

/* Passes warnings about a command on. Its subject is what "name" says. */
static void warn(const Session *session, const Json *entry, int64_t at_ns, const Problems *warnings)
{
    const Json *name = json_member(entry, "name");
    const char *subject = name != NULL && name->kind == JSON_STRING ? name->text : "";
    for (int32_t i = 0; i < session->listener_count; i++) {
        const SessionListener *to = &session->listeners[i];
        for (int32_t k = 0; to->warn != NULL && k < warnings->kept; k++)
            to->warn(to->listener.listener, at_ns, subject, &warnings->items[k]);
    }
}

static const Command *apply_and_warn(Session *session, Json *entry, int64_t at_ns,
                                     Problems *problems, Problems *warnings)
{
    Arena *arena = session->commands;
    Status status = {0};
    json_put_text(arena, entry, "at", arena_printf(arena, "%" PRId64 "ns", at_ns));
    const Command *command = command_read(session->base->reader, arena, entry, problems, warnings);
    if (command == NULL)
        return NULL;
    if (!world_apply_at(session->world, command, at_ns, &status)) {
        status.at = entry->at; // the memory of the command itself is freed
        problems_add_status(problems, &status);
        return NULL;
    }
    command_accept(session->base->reader, arena, command);
    warn(session, entry, at_ns, warnings);
    return command;
}

/* Binds and applies `entry`, which is in session->commands, at `at_ns`. */
static const Command *apply(Session *session, Json *entry, int64_t at_ns, Problems *problems)
{
    const ArenaMark mark = arena_mark(session->warnings);
    Problems warnings = problems_create(session->warnings);
    const Command *command = apply_and_warn(session, entry, at_ns, problems, &warnings);
    arena_rewind(session->warnings, mark);
    return command;
}

static bool is_in_time(int64_t at_ns, Status *status)
{
    if (at_ns <= LAST_INSTANT_NS)
        return true;
    status_fail(status, STATUS_CONFLICT, place_in("clock", 0, 0),
                "simulated time is over: it ends 292 years after its start");
    return status_hint(status, "use another folder for --state");
}

static bool enter(Session *session, const JournalEntry *line, const Json *secrets, Status *status)
{
    return is_in_time(line->at_ns, status) &&
           secret_values_store(session->store, line->sequence, secrets, status) &&
           store_enter(session->store, line, status);
}

/* Enters `line` and applies it. If the command is refused, the store has neither it nor its
 * secrets.
 */
static const Command *enter_and_apply(Session *session, const JournalEntry *line, Json *entry,
                                      const Json *secrets, Problems *problems)
{
    Status status = {0};
    const Command *command = NULL;
    if (!store_group_begin(session->store, &status)) {
        problems_add_status(problems, &status);
        return NULL;
    }
    if (enter(session, line, secrets, &status))
        command = apply(session, entry, line->at_ns, problems);
    else
        problems_add_status(problems, &status);
    const bool is_ended = store_group_end(session->store, command != NULL, &status);
    (void)is_ended; // else the next commit fails, which reports it
    return command;
}

/* The last source that was copied: neighbours in a tree nearly always have the same one. */
typedef struct {
    const char *theirs, *own;
} CopiedSource;

static const char *own_source(Arena *arena, const char *source, CopiedSource *last)
{
    if (source != NULL && source != last->theirs)
        *last = (CopiedSource){.theirs = source, .own = arena_strdup(arena, source)};
    return source != NULL ? last->own : NULL;
}

static void own_sources(Arena *arena, Json *tree, CopiedSource *last)
{
    tree->at.source = own_source(arena, tree->at.source, last);
    tree->key_at.source = own_source(arena, tree->key_at.source, last);
    for (Json *child = tree->first; child != NULL; child = child->next)
        own_sources(arena, child, last);
}

/* A copy of `value` without its secrets. Its places name their sources in the session's memory: the
 * request that the names come from ends, and the copy may stay. */
static Json *own_copy(Session *session, const Json *value)
{
    Json *copy = without_secrets(session->commands, value);
    own_sources(session->arena, copy, &(CopiedSource){NULL, NULL});
    return copy;
}

static void print_kept(Text *text, const Json *kept)
{
    if (kept != NULL)
        json_print(text, kept, JSON_COMPACT);
}

bool session_command(Session *session, const Json *command, const Json *kept, Problems *problems)
{
    const Json *at = json_member(command, "at");
    if (at != NULL) {
        problems_add(problems, STATUS_BAD_INPUT, at->key_at,
                     "the command is applied now, so \"at\" has no meaning");
        return false;
    }
    Arena *arena = session->commands;
    ArenaMark mark = arena_mark(arena);
    Json *shown = own_copy(session, command);
    const Json *secrets = secret_values_of(arena, command);
    Json *entry = secret_values_put(arena, shown, secrets);
    const Json *own = kept != NULL ? own_copy(session, kept) : NULL;
    Text text = {0}, kept_text = {0};
    json_print(&text, shown, JSON_COMPACT);
    print_kept(&kept_text, own);
    const JournalEntry line = {.sequence = session->sequence + 1,
                               .at_ns = next_instant(session),
                               .list = command_is_fault(entry) ? "faults" : "commands",
                               .command = text_string(&text),
                               .kept = text_string(&kept_text),
                               .subject = ""};
    const Command *applied = enter_and_apply(session, &line, entry, secrets, problems);
    if (applied != NULL) {
        note_entry(session, &line);
        note_subject(session, applied, shown, own);
    } else {
        arena_rewind(arena, mark);
    }
    text_free(&text);
    text_free(&kept_text);
    return applied != NULL;
}

Json *session_command_about(Arena *arena, CommandKind kind, ResourcePath path)
{
    const char *const members[][2] = {{"do", command_name(kind)},
                                      {"name", path.name},
                                      {"resource_group", path.group},
                                      {"workspace", path.workspace},
                                      {"experiment", path.experiment}};
    Json *command = json_object(arena);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i][1] != NULL)
            json_put_text(arena, command, members[i][0], members[i][1]);
    return command;
}

const char *session_command_words(Arena *arena, const Json *command)
{
    const Json *kind = json_member(command, "do"), *name = json_member(command, "name");
    const bool is_named = name != NULL && name->kind == JSON_STRING;
    return arena_printf(arena, "%s%s%s",
                        kind != NULL && kind->kind == JSON_STRING ? kind->text : "",
                        is_named ? " " : "", is_named ? name->text : "");
}

/* --- Notes --- */

bool session_keep(Session *session, Record *record, const Json *kept, Status *status)
{
    const Json *own = kept != NULL ? own_copy(session, kept) : NULL;
    if (json_is_same(record_kept(record), own))
        return true;
    int64_t now_ns = world_now_ns(session->world);
    Text text = {0}, subject = {0};
    print_kept(&text, own);
    record_subject_print(record, &subject);
    const JournalEntry line = {.sequence = session->sequence + 1,
                               .at_ns = now_ns > session->entry_ns ? now_ns : session->entry_ns + 1,
                               .list = "notes",
                               .command = "",
                               .kept = text_string(&text),
                               .subject = text_string(&subject)};
    bool is_entered = is_in_time(line.at_ns, status) && store_enter(session->store, &line, status);
    if (is_entered) {
        note_entry(session, &line);
        record->written_ns = line.at_ns;
        record_keep(&session->records, record, own);
    }
    text_free(&text);
    text_free(&subject);
    return is_entered;
}

/* --- Forgetting --- */

void session_forget(Session *session)
{
    records_forget(&session->records);
    world_forget_deleted(session->world);
    trace_fan_forget(session->fan);
}

/* --- Opening --- */

/* NULL for an empty text, and for one that is not JSON. */
static Json *parse_line(Arena *arena, const char *text, Problems *problems)
{
    if (*text == '\0')
        return NULL;
    return json_parse(arena, "journal", text, strlen(text), JSON_STRICT, problems);
}

/* "entry 7 (job.create train at 2018-07-18T17:45:02Z) cannot be repeated: ..." */
static bool cannot_replay(const Session *session, const JournalEntry *line, const char *reason,
                          Status *status)
{
    char at[CIVIL_TEXT];
    Arena *arena = arena_create();
    Problems ignored = problems_create(arena);
    const Json *entry = parse_line(arena, line->command, &ignored);
    iso_time_print(session->base->scenario.start_unix_ms + line->at_ns / NS_PER_MS, at);
    status_fail(status, STATUS_BAD_INPUT, place_in("journal", 0, 0),
                "entry %" PRId64 " (%s at %s) cannot be repeated: %s", line->sequence,
                entry != NULL ? session_command_words(arena, entry) : line->list, at, reason);
    arena_destroy(arena);
    return status_hint(status, "this state was written by another version of trainyard; use that, "
                               "or choose another folder for --state");
}

static bool repeat_command(Session *session, const JournalEntry *line, Status *status)
{
    Problems problems = problems_create(session->arena);
    Json *entry = parse_line(session->commands, line->command, &problems);
    const Json *kept = parse_line(session->commands, line->kept, &problems);
    world_advance(session->world, line->at_ns - 1);
    if (world_next_event_ns(session->world) <= line->at_ns)
        return cannot_replay(session, line, "another event has its instant", status);
    if (entry == NULL || entry->kind != JSON_OBJECT)
        return cannot_replay(session, line, "it is not a command", status);
    const Json *secrets = secret_values_read(session->store, session->commands, line->sequence);
    Json *whole = secret_values_put(session->commands, entry, secrets);
    const Command *command = apply(session, whole, line->at_ns, &problems);
    if (problems.count > 0)
        return cannot_replay(session, line, problems.items[0].message, status);
    note_entry(session, line);
    note_subject(session, command, entry, kept);
    return true;
}

static bool repeat_note(Session *session, const JournalEntry *line, Status *status)
{
    Problems problems = problems_create(session->arena);
    const Json *kept = parse_line(session->commands, line->kept, &problems);
    session_advance(session, line->at_ns); // an event may have created its subject
    records_catch_up(&session->records);
    Record *record = records_subject(&session->records, session->commands, line->subject);
    if (record == NULL || problems.count > 0)
        return cannot_replay(session, line, "its subject does not exist", status);
    record_keep(&session->records, record, kept);
    record->written_ns = line->at_ns;
    note_entry(session, line);
    return true;
}

/* As the emulator does between requests. Only the caller's stack leads to a session that is being
 * opened. */
static void tidy(Session *session)
{
    Heap *heap = arena_heap(session->arena);
    const HeapRoot root = {.memory = &session, .bytes = sizeof session};
    if (heap == NULL || !heap_is_due(heap))
        return;
    session_forget(session);
    heap_collect(heap, &root, 1);
}

/* A replay, and its progress in the session's time. */
typedef struct {
    Session *session;
    int64_t from_ns;
    Progress progress;
} Replay;

static bool repeat(void *owner, const JournalEntry *line, Status *status)
{
    Replay *replay = owner;
    Session *session = replay->session;
    tidy(session);
    progress_update(&replay->progress, (line->at_ns - replay->from_ns) / NS_PER_MS);
    if (line->sequence != session->sequence + 1 || line->at_ns <= session->entry_ns)
        return cannot_replay(session, line, "it does not follow the one before it", status);
    return strcmp(line->list, "notes") == 0 ? repeat_note(session, line, status)
                                            : repeat_command(session, line, status);
}

static void restore_time(Session *session)
{
    session->noted_ns = session_stored_ns(session->store);
    session_advance(session, session->noted_ns);
    session_advance(session, session->entry_ns); // if a note was the last entry
}

/* Repeats the entries of the journal that the session does not have yet. */
static bool catch_up(Session *session, Status *status)
{
    const JournalRange rest = {
        .after = session->sequence, .last = INT64_MAX, .count_max = INT64_MAX};
    const int64_t from_ns = session->entry_ns, until_ns = session_stored_ns(session->store);
    const int64_t passes_ns = until_ns > from_ns ? until_ns - from_ns : 0;
    Replay replay = {.session = session,
                     .from_ns = from_ns,
                     .progress = progress_start("replay", passes_ns / NS_PER_MS, false)};
    const bool is_repeated = store_replay(session->store, rest, &replay, repeat, status);
    progress_end(&replay.progress);
    if (!is_repeated)
        return false;
    world_advance(session->world, world_now_ns(session->world)); // events at the start
    restore_time(session);
    return true;
}

Session *session_open(Arena *arena, Store *store, const ScenarioFile *base,
                      const SessionListener *listeners, int32_t listener_count, Status *status)
{
    Session *session = ARENA_NEW(arena, Session);
    *session = (Session){.arena = arena,
                         .commands = arena_create_beside(arena),
                         .warnings = arena_create_beside(arena),
                         .store = store,
                         .base = base,
                         .fan = trace_fan_create(arena),
                         .listener_count = listener_count,
                         .listeners = ARENA_ARRAY(arena, SessionListener, listener_count)};
    for (int32_t i = 0; i < listener_count; i++)
        session->listeners[i] = listeners[i];
    char *tenant = arena_alloc(arena, GUID_TEXT);
    session_guid(session, "tenant", 0, tenant);
    session->tenant = tenant;
    for (int32_t i = 0; i < listener_count; i++)
        trace_fan_join(session->fan, listeners[i].listener);
    session->world = world_create(arena, &base->scenario, trace_fan_sink(session->fan));
    trace_fan_watch(session->fan, session->world);
    for (int32_t i = 0; i < listener_count; i++)
        if (listeners[i].watch != NULL)
            listeners[i].watch(listeners[i].listener.listener, session->world);
    records_begin(&session->records, arena, session->world, base->resource_group);
    if (!catch_up(session, status)) {
        session_close(session);
        return NULL;
    }
    return session;
}

void session_detach(Session *session)
{
    session->store = NULL;
}

bool session_attach(Session *session, Store *store, Status *status)
{
    session->store = store;
    return catch_up(session, status);
}

void session_close(Session *session)
{
    if (session == NULL)
        return;
    arena_destroy(session->commands);
    arena_destroy(session->warnings);
}
