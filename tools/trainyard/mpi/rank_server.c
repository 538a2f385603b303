/* Private to tools/trainyard/mpi: rank 0, which hands out units and collects records. */
#include <inttypes.h>
#include <time.h>

#include "sim/base/invariant.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/report.h"
#include "sim/cli/signal_wait.h"
#include "sim/study/study_json.h"
#include "tools/trainyard/mpi/ranks_state.h"

#define POLL_NS NS_PER_MS
#define WATCH_NS (100 * NS_PER_MS)

typedef struct {
    Ranks *ranks;
    const RunnerPlan *plan;
    Problems *problems;
    bool is_stopping; /* no more units are handed out */
    bool has_failed;
    bool has_lost_units; /* a rank left before its units were done */
    bool *is_dismissed;  /* ranks that know that there are no more units */
    const char **names;  /* of the ranks, for messages */
    int64_t *since_ns;   /* when each rank got its last grant, or sent its last records */
    Text records;
} Server;

static void fail(Server *server, const Problems *found)
{
    problems_merge(server->problems, found);
    server->has_failed = true;
    server->is_stopping = true;
}

/* --- Records --- */

/* Adds what a rank has run to the results and to the journal. */
static bool keep(Server *server, const RunRecords *runs, int64_t took_ns, Status *status)
{
    const RunSink sink = server->plan->sink;
    for (int64_t i = 0; i < runs->count; i++) {
        if (!results_can_have(server->plan->results, &runs->items[i]))
            return status_fail(status, STATUS_MACHINE, place_in("trainyard: sweep", 0, 0),
                               "a rank reported a run that is not in the study");
        if (sink.append && !sink.append(sink.to, &runs->items[i], status))
            return false;
        results_put(server->plan->results, &runs->items[i], took_ns);
    }
    return true;
}

/* The mean time of the runs that a rank has just sent. */
static int64_t time_of_run(Server *server, int32_t rank, int64_t runs)
{
    const int64_t now_ns = machine_clock_ns();
    const int64_t took_ns = now_ns - server->since_ns[rank];
    server->since_ns[rank] = now_ns;
    return runs > 0 ? took_ns / runs : 0;
}

static void take_records(Server *server, int32_t rank)
{
    Arena *scratch = arena_create();
    Problems found = problems_create(scratch);
    JournalExtent extent;
    RunRecords runs = {0};
    Status status = {0};
    RunCollection *collection =
        run_collection_create(scratch, server->ranks->identity->metric_count);
    const bool is_right = journal_text_read(&server->ranks->crc, server->names[rank],
                                            server->records.data, server->records.length,
                                            server->ranks->identity, collection, &extent, &found) &&
                          run_collection_finish(collection, &runs, &found);
    if (!is_right) {
        status_hint(found.items, "all ranks must read the same files with the same program");
        fail(server, &found);
    } else if (!server->has_failed &&
               !keep(server, &runs, time_of_run(server, rank, runs.count), &status)) {
        problems_add_status(&found, &status);
        fail(server, &found);
    }
    arena_destroy(scratch);
}

/* --- Units --- */

int64_t ranks_grant_ns(const Ranks *ranks)
{
    const int64_t for_rank_0_ns = ranks->count * NS_PER_MS;
    const int64_t least_ns = 50 * NS_PER_MS;
    return for_rank_0_ns > least_ns ? for_rank_0_ns : least_ns;
}

/* Fills in units that together take about ranks_grant_ns, as far as that is known. */
static void fill_grant(Server *server, UnitMessage *grant)
{
    const UnitSource source = server->plan->source;
    int64_t sum_ns = 0;
    *grant = (UnitMessage){.kind = UNIT_NONE};
    while (!server->is_stopping && grant->unit_count < UNITS_MAX &&
           sum_ns < ranks_grant_ns(server->ranks)) {
        Unit *unit = &grant->units[grant->unit_count];
        grant->kind = (int32_t)source.next(source.source, unit);
        if (grant->kind != UNIT_READY)
            break;
        grant->unit_count++;
        const int64_t run_ns = results_mean_ns(server->plan->results, unit->point);
        sum_ns += run_ns > 0 ? run_ns * unit->count : ranks_grant_ns(server->ranks);
    }
    if (grant->unit_count > 0)
        grant->kind = UNIT_READY; // the rank asks again when it has run these
}

static void grant_units(Server *server, int32_t rank)
{
    UnitMessage grant;
    fill_grant(server, &grant);
    server->since_ns[rank] = machine_clock_ns();
    server->is_dismissed[rank] = grant.kind == UNIT_NONE;
    message_send_units(rank, &grant);
}

/* A rank ends: after a failure, after a signal, or because there are no more units. */
static void take_leave(Server *server, int32_t rank, int exit_code)
{
    server->ranks->present--;
    if (exit_code != EXIT_FINE) {
        const StatusCode code = exit_code == EXIT_MACHINE ? STATUS_MACHINE : STATUS_BAD_INPUT;
        status_hint(problems_add(server->problems, code, place_in(server->names[rank], 0, 0),
                                 "this rank has failed"),
                    "its own message says why");
        server->has_failed = true;
    } else if (!server->is_dismissed[rank]) {
        server->has_lost_units = true;
    }
    server->is_stopping |= server->has_failed || server->has_lost_units;
}

static void take_request(Server *server, int32_t rank, const UnitMessage *request)
{
    const UnitSource source = server->plan->source;
    for (int32_t i = 0; i < request->unit_count && !server->has_failed; i++)
        source.done(source.source, &request->units[i]);
    if (request->kind == RANK_REQUEST_UNITS)
        grant_units(server, rank);
    else if (request->kind == RANK_REQUEST_LEAVE)
        take_leave(server, rank, request->exit_code);
}

/* --- The loop --- */

static void take_messages(Server *server)
{
    int32_t rank;
    UnitMessage request;
    for (;;) {
        switch (message_receive(&rank, &server->records, &request)) {
        case MESSAGE_NONE:
            return;
        case MESSAGE_RECORDS:
            take_records(server, rank);
            break;
        case MESSAGE_UNITS:
            take_request(server, rank, &request);
            break;
        }
    }
}

static void watch(const Server *server, bool is_asked)
{
    if (server->plan->watch)
        server->plan->watch(server->plan->watcher, is_asked);
}

static RunnerEnd serve(Server *server, const SignalWait *signals, int *signal)
{
    RunnerEnd end = RUNNER_FINISHED;
    const int64_t began_ns = machine_clock_ns();
    int64_t watch_ns = began_ns;
    while (server->ranks->present > 0) {
        take_messages(server);
        const int received = signal_wait_next(signals, POLL_NS);
        const int64_t now_ns = machine_clock_ns();
        if (received == SIGINT || received == SIGTERM) {
            *signal = received;
            end = RUNNER_SIGNALLED;
            server->is_stopping = true;
        } else if (end == RUNNER_FINISHED && now_ns - began_ns >= server->plan->time_limit_ns) {
            end = RUNNER_LATE;
            server->is_stopping = true;
        } else if (received == SIGUSR1 || now_ns >= watch_ns) {
            watch(server, received == SIGUSR1);
            watch_ns = now_ns + WATCH_NS;
        }
    }
    if (server->has_failed)
        return RUNNER_FAILED;
    if (end == RUNNER_FINISHED && server->has_lost_units) {
        *signal = SIGTERM; // only a signal lets a rank end early without a failure
        end = RUNNER_SIGNALLED;
    }
    return end;
}

static const char **rank_names(Arena *arena, int32_t count)
{
    const char **names = ARENA_ARRAY(arena, const char *, count);
    for (int32_t i = 0; i < count; i++)
        names[i] = arena_printf(arena, "rank %" PRId32, i);
    return names;
}

RunnerEnd ranks_serve(void *ranks, const RunnerPlan *plan, int *signal, Problems *problems)
{
    Arena *arena = arena_create();
    const JournalIdentity identity = study_identity(arena, plan->study, plan->version);
    Ranks *own = ranks;
    own->identity = &identity;
    crc32c_prepare(&own->crc);
    Server server = {.ranks = own,
                     .plan = plan,
                     .problems = problems,
                     .is_dismissed = ARENA_ARRAY(arena, bool, own->count),
                     .names = rank_names(problems->arena, own->count),
                     .since_ns = ARENA_ARRAY(arena, int64_t, own->count)};
    const SignalWait signals = signal_wait_begin();
    const RunnerEnd end = serve(&server, &signals, signal);
    signal_wait_end(&signals);
    own->identity = NULL;
    text_free(&server.records);
    arena_destroy(arena);
    return end;
}

void ranks_dismiss(Ranks *ranks)
{
    static const UnitMessage nothing = {.kind = UNIT_NONE};
    int32_t rank;
    Text records = {0};
    UnitMessage request;
    while (ranks->present > 0) {
        const MessageKind kind = message_receive(&rank, &records, &request);
        if (kind == MESSAGE_UNITS && request.kind == RANK_REQUEST_UNITS)
            message_send_units(rank, &nothing);
        else if (kind == MESSAGE_UNITS && request.kind == RANK_REQUEST_LEAVE)
            ranks->present--;
        else if (kind == MESSAGE_NONE)
            nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    text_free(&records);
}
