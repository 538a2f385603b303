/* Private to tools/trainyard/mpi: the ranks that run units. */
#include <string.h>
#include <time.h>

#include "sim/base/invariant.h"
#include "sim/cli/machine_clock.h"
#include "tools/trainyard/mpi/ranks_state.h"

#define POLL_NS (100 * NS_PER_US)
/* Runs that have finished are sent at the latest after this time, even if more units are left. */
#define REPORT_NS NS_PER_S

void ranks_join(Ranks *ranks, const JournalIdentity *identity)
{
    ranks->identity = identity;
    crc32c_prepare(&ranks->crc);
    journal_header_print(&ranks->crc, identity, &ranks->records);
    ranks->header_length = ranks->records.length;
    ranks->reported_ns = machine_clock_ns();
}

/* --- Sending --- */

/* Sends the records and the units that are done. The first message has the header alone: rank 0
 * compares the identities before it hands anything out. */
static void report(Ranks *ranks, RankRequest kind)
{
    if (ranks->records.length > ranks->header_length || !ranks->has_joined)
        message_send_records(0, &ranks->records);
    ranks->has_joined = true;
    ranks->records.length = ranks->header_length;
    ranks->done.kind = (int32_t)kind;
    message_send_units(0, &ranks->done);
    ranks->done.unit_count = 0;
    ranks->reported_ns = machine_clock_ns();
}

static bool append(void *to, const RunRecord *record, Status *status)
{
    (void)status;
    Ranks *ranks = to;
    journal_record_print(&ranks->crc, record, &ranks->records);
    return true;
}

RunSink ranks_sink(Ranks *ranks)
{
    return (RunSink){.to = ranks, .append = append};
}

static void unit_done(void *source, const Unit *unit)
{
    Ranks *ranks = source;
    ranks->done.units[ranks->done.unit_count++] = *unit;
    if (ranks->done.unit_count == UNITS_MAX || machine_clock_ns() - ranks->reported_ns >= REPORT_NS)
        report(ranks, RANK_REQUEST_NONE);
}

/* --- Receiving --- */

/* Waits for the next grant. It sleeps between its looks, because Open MPI would wait with a busy
 * loop on a processor that other ranks may need. */
static void await_grant(Ranks *ranks)
{
    int32_t from;
    Text nothing = {0};
    while (message_receive(&from, &nothing, &ranks->grant) == MESSAGE_NONE)
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    ranks->next_granted = 0;
}

/* After UNIT_LATER the question is repeated at intervals that leave rank 0 time for its work. */
static UnitAnswer next_unit(void *source, Unit *unit)
{
    Ranks *ranks = source;
    const int64_t now_ns = machine_clock_ns();
    if (ranks->next_granted == ranks->grant.unit_count && ranks->grant.kind != UNIT_NONE &&
        now_ns >= ranks->ask_ns) {
        report(ranks, RANK_REQUEST_UNITS);
        await_grant(ranks);
        ranks->ask_ns = ranks->grant.kind == UNIT_LATER ? now_ns + ranks_grant_ns(ranks) / 4 : 0;
    }
    if (ranks->next_granted == ranks->grant.unit_count)
        return ranks->grant.kind == UNIT_NONE ? UNIT_NONE : UNIT_LATER;
    *unit = ranks->grant.units[ranks->next_granted++];
    return UNIT_READY;
}

UnitSource ranks_source(Ranks *ranks)
{
    return (UnitSource){.source = ranks, .next = next_unit, .done = unit_done};
}

void ranks_leave(Ranks *ranks, int exit_code)
{
    ranks->done.exit_code = exit_code;
    report(ranks, RANK_REQUEST_LEAVE);
    text_free(&ranks->records);
}
