#include "emu/kept.h"

#include <inttypes.h>

#include "emu/session/programs.h"
#include "sim/cli/report.h"

/* --- Listeners --- */

/* Counts changes of states that clients poll; progress within a job is not one. */
static void count_change(void *listener, const TraceRow *row)
{
    Kept *kept = listener;
    const TraceKind kind = row->record.kind;
    kept->changes++;
    if (kind == TRACE_JOB_STATE || kind == TRACE_JOB_PROVISIONING)
        kept->job_changes++;
}

static void watch_files(void *files, World *world)
{
    file_store_watch(files, world);
}

static void watch_moments(void *events, World *world)
{
    events_begin(events, world);
}

static void watch_outcomes(void *outcomes, World *world)
{
    outcomes_watch(outcomes, world);
}

static void warn_events(void *events, int64_t at_ns, const char *subject, const Status *warning)
{
    events_warn(events, at_ns, subject, warning);
}

/* A replayed command was logged when it was new. */
static void log_warning(void *listener, int64_t at_ns, const char *subject, const Status *warning)
{
    const Kept *kept = listener;
    (void)at_ns;
    if (!kept->is_open)
        return;
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    Status logged = *warning;
    logged.at = place_in(subject, 0, 0);
    problems_add_status(&problems, &logged);
    report_warnings(&problems);
    arena_destroy(arena);
}

/* Logs it, and sends it to those who wait for events: the disk has lost what a client wrote. */
static void report_damage(void *owner, const char *file, FilesRange range)
{
    Kept *kept = owner;
    Status status = {0};
    status_fail(&status, STATUS_MACHINE, place_in(file, 0, 0),
                "bytes %" PRId64 " to %" PRId64 " of the file differ from their checksum",
                range.first, range.last);
    status_hint(&status, "the disk has changed them; write them again, or delete the file");
    const int64_t now_ns = session_now_ns(kept->session);
    log_warning(kept, now_ns, file, &status);
    events_warn(kept->events, now_ns, file, &status);
}

/* --- Life --- */

Kept *kept_create(Arena *arena, const ScenarioFile *base)
{
    Kept *kept = ARENA_NEW(arena, Kept);
    kept->arena = arena;
    kept->base = base;
    return kept;
}

bool kept_open(Kept *kept, Store *store, Status *status)
{
    Arena *arena = kept->arena;
    kept->files = file_store_open(arena, store, status);
    if (!kept->files)
        return false;
    file_store_report_damage(kept->files, (DamageListener){kept, report_damage});
    kept->events = events_create(arena, &kept->base->scenario);
    kept->tally = tally_create(arena);
    kept->outcomes = outcomes_create(arena);
    const TraceListener changes = {
        .listener = kept, .level = TRACE_LEVEL_JOBS, .row = count_change};
    const SessionListener listeners[] = {
        {.listener = file_store_listener(kept->files), .watch = watch_files},
        {.listener = events_listener(kept->events), .watch = watch_moments, .warn = warn_events},
        {.listener = tally_listener(kept->tally)},
        {.listener = outcomes_listener(kept->outcomes), .watch = watch_outcomes},
        {.listener = changes, .warn = log_warning},
    };
    kept->session = session_open(arena, store, kept->base, listeners,
                                 (int32_t)(sizeof listeners / sizeof *listeners), status);
    kept->is_open = kept->session != NULL && outcomes_compare(kept->outcomes, store, status);
    return kept->is_open;
}

void kept_detach(Kept *kept)
{
    kept->is_open = false;
    programs_require(kept->session, false);
    session_detach(kept->session);
    file_store_detach(kept->files);
}

bool kept_attach(Kept *kept, Store *store, Status *status)
{
    if (!file_store_attach(kept->files, store, status))
        return false;
    file_store_report_damage(kept->files, (DamageListener){kept, report_damage});
    outcomes_attach(kept->outcomes, store);
    kept->is_open = session_attach(kept->session, store, status);
    return kept->is_open;
}

void kept_close(Kept *kept)
{
    session_close(kept->session);
    file_store_close(kept->files);
}
