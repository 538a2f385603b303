#define _GNU_SOURCE // close_range, pipe2
#include "emu/snapshots.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu/emulator.h"
#include "sim/base/units.h"
#include "sim/cli/report.h"

/* Limits of the work that a start may have to repeat. An entry takes about 30 us, and an event less
 * than 1 us; a snapshot takes about 1 ms for each MB of memory, in another process. */
enum { ENTRIES_MOST = 8192, EVENTS_MOST = 1000000, BYTES_AN_ENTRY = 4096 };
enum { ENTRIES_AT_REST = 256, EVENTS_AT_REST = 20000 };
#define LOOK_NS (10 * NS_PER_MS) /* how often the child is looked at */

static const char *slot_path(const Emulator *emulator, Arena *arena, int slot)
{
    return state_path(arena, store_folder(emulator->store),
                      slot == 0 ? STATE_SNAPSHOT : STATE_OTHER_SNAPSHOT);
}

/* --- Using --- */

/* A snapshot from "SLOT SEQUENCE BYTES CHECKSUM AT_NS"; older ones have no time. */
static bool parse(const char *text, Snapshot *snapshot)
{
    enum { MEMBERS = 5 };
    snapshot->at_ns = INT64_MAX;
    return text &&
           sscanf(text, "%d %" SCNd64 " %" SCNd64 " %" SCNx64 " %" SCNd64, &snapshot->slot,
                  &snapshot->sequence, &snapshot->image.bytes, &snapshot->image.checksum,
                  &snapshot->at_ns) >= MEMBERS - 1 &&
           (snapshot->slot == 0 || snapshot->slot == 1);
}

bool snapshots_go_back(Store *store, int64_t sequence, int64_t at_ns, Status *status)
{
    Snapshot named = {0};
    Arena *arena = arena_create();
    const bool is_later = parse(store_setting(store, arena, STORE_SNAPSHOT_SETTING), &named) &&
                          (named.sequence > sequence || named.at_ns > at_ns);
    arena_destroy(arena);
    return !is_later || store_set(store, STORE_SNAPSHOT_SETTING, "", status);
}

bool snapshots_restore(Emulator *emulator, Problems *warnings)
{
    Snapshots *snapshots = &emulator->snapshots;
    Snapshot found = {0};
    Status status = {0};
    Arena *arena = arena_create();
    const bool is_named =
        parse(store_setting(emulator->store, arena, STORE_SNAPSHOT_SETTING), &found);
    const bool is_read =
        is_named && session_image_read(&emulator->memory, slot_path(emulator, arena, found.slot),
                                       found.image, &status);
    snapshots->has_other = true;
    if (is_read) {
        snapshots->used = found;
        emulator->kept = (Kept *)heap_kept(emulator->memory.heap).memory;
        emulator->memory.arena = emulator->kept->arena;
    } else if (is_named) {
        status_hint(&status, "the journal is repeated instead, which takes longer");
        problems_add_status(warnings, &status);
    }
    arena_destroy(arena);
    return is_read;
}

/* --- Writing --- */

/* The report of the child. */
typedef struct {
    bool is_written;
    ImageFacts image;
    char reason[sizeof(((const Status *)NULL)->message)];
} Report;

/* In the child: makes the session independent of this process, and writes it. */
static void write_image(Emulator *emulator, const char *path, int report_to)
{
    Report report = {0};
    Status status = {0};
    Kept *kept = emulator->kept;
    const HeapRoot root = {.memory = kept, .bytes = sizeof *kept};
    kept_detach(kept);
    session_forget(kept->session);
    heap_keep(emulator->memory.heap, root);
    heap_collect(emulator->memory.heap, &root, 1);
    report.is_written = session_image_write(&emulator->memory, path, &report.image, &status);
    memcpy(report.reason, status.message, sizeof report.reason);
    _exit(write(report_to, &report, sizeof report) == (ssize_t)sizeof report ? 0 : 1);
}

/* In the child: leaves the parent's files and clients to the parent. It ends with the parent. */
static void leave_parent(pid_t parent, int except)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    close_range(STDERR_FILENO + 1, (unsigned)except - 1, 0);
    close_range((unsigned)except + 1, ~0U, 0);
}

static void give_up(Snapshots *snapshots, const char *reason)
{
    snapshots->is_impossible = true;
    fprintf(stderr,
            "warning: no snapshot of the session was written, so that the next start repeats more "
            "of the journal: %s\n",
            reason);
}

bool snapshots_have_room(Emulator *emulator)
{
    Snapshots *snapshots = &emulator->snapshots;
    const int64_t bytes = (int64_t)heap_used_bytes(emulator->memory.heap);
    if (store_has_room(emulator->store, bytes))
        return true;
    if (!snapshots->has_warned)
        fprintf(stderr,
                "warning: the disk of %s has no room for a snapshot of the session (%" PRId64
                " MiB), so that the next start repeats more of the journal\n",
                store_folder(emulator->store), (bytes >> 20) + 1);
    snapshots->has_warned = true;
    return false;
}

static void begin(Emulator *emulator)
{
    Snapshots *snapshots = &emulator->snapshots;
    int ends[2];
    if (!snapshots_have_room(emulator))
        return; // an end that is near to a full disk needs it more
    if (pipe2(ends, O_CLOEXEC) != 0) {
        give_up(snapshots, strerror(errno));
        return;
    }
    snapshots->made =
        (Snapshot){.slot = snapshots->used.image.bytes > 0 ? !snapshots->used.slot : 0,
                   .sequence = session_sequence(emulator->session),
                   .at_ns = session_now_ns(emulator->session)};
    snapshots->events = world_events(session_world(emulator->session));
    snapshots->has_other = true;
    Arena *arena = arena_create();
    const char *path = slot_path(emulator, arena, snapshots->made.slot);
    const pid_t parent = getpid();
    snapshots->process = fork();
    if (snapshots->process == 0) {
        leave_parent(parent, ends[1]);
        write_image(emulator, path, ends[1]);
    }
    arena_destroy(arena);
    close(ends[1]);
    snapshots->writer = ends[0];
    if (snapshots->process < 0) {
        give_up(snapshots, strerror(errno));
        snapshots_close(emulator);
    }
}

void snapshots_close(Emulator *emulator)
{
    Snapshots *snapshots = &emulator->snapshots;
    if (snapshots->writer < 0)
        return;
    close(snapshots->writer);
    snapshots->writer = -1;
    if (snapshots->process <= 0)
        return;
    kill(snapshots->process, SIGKILL);
    while (waitpid(snapshots->process, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Names the new snapshot in the store. */
static bool name_snapshot(Emulator *emulator, Status *status)
{
    char text[128];
    const Snapshot *made = &emulator->snapshots.made;
    snprintf(text, sizeof text, "%d %" PRId64 " %" PRId64 " %" PRIx64 " %" PRId64, made->slot,
             made->sequence, made->image.bytes, made->image.checksum, made->at_ns);
    if (!store_set(emulator->store, STORE_SNAPSHOT_SETTING, text, status))
        return false;
    emulator->snapshots.used = *made;
    return true;
}

/* Takes the report of the child; `waits` for it. False while there is none. */
static bool end_snapshot(Emulator *emulator, bool waits)
{
    Snapshots *snapshots = &emulator->snapshots;
    Report report;
    Status status = {0};
    (void)fcntl(snapshots->writer, F_SETFL, waits ? 0 : O_NONBLOCK);
    const ssize_t length = read(snapshots->writer, &report, sizeof report);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    snapshots_close(emulator);
    snapshots->made.image = report.image;
    if (length != (ssize_t)sizeof report)
        give_up(snapshots, "its process ended early");
    else if (!report.is_written)
        give_up(snapshots, report.reason);
    else if (!name_snapshot(emulator, &status))
        give_up(snapshots, status.message);
    return true;
}

/* --- When --- */

/* Whether more than so much has happened since the last one. */
static bool has_grown(const Emulator *emulator, int64_t entries, int64_t events)
{
    const Snapshots *snapshots = &emulator->snapshots;
    return session_sequence(emulator->session) - snapshots->used.sequence > entries ||
           world_events(session_world(emulator->session)) - snapshots->events > events;
}

/* Removes the file that the store does not name, also one of a process that was killed. */
static void remove_other(Emulator *emulator)
{
    Arena *arena = arena_create();
    Snapshots *snapshots = &emulator->snapshots;
    for (int slot = 0; slot < 2; slot++)
        if (snapshots->used.image.bytes == 0 || slot != snapshots->used.slot)
            unlink(slot_path(emulator, arena, slot));
    snapshots->has_other = false;
    arena_destroy(arena);
}

static int64_t entries_most(const Emulator *emulator)
{
    const int64_t of_memory = (int64_t)heap_used_bytes(emulator->memory.heap) / BYTES_AN_ENTRY;
    if (emulator->settings.snapshot_entries > 0)
        return emulator->settings.snapshot_entries;
    return of_memory > ENTRIES_MOST ? of_memory : ENTRIES_MOST;
}

void snapshots_work(Emulator *emulator)
{
    Snapshots *snapshots = &emulator->snapshots;
    if (store_is_dirty(emulator->store))
        return;
    if (snapshots->writer >= 0) {
        end_snapshot(emulator, false);
        return;
    }
    if (snapshots->has_other)
        remove_other(emulator);
    if (!snapshots->is_impossible && has_grown(emulator, entries_most(emulator), EVENTS_MOST))
        begin(emulator);
}

int64_t snapshots_next_ns(const Emulator *emulator)
{
    return emulator->snapshots.writer >= 0 ? emulator->pace.machine_ns + LOOK_NS : INT64_MAX;
}

void snapshots_rest(Emulator *emulator, bool is_forced)
{
    Snapshots *snapshots = &emulator->snapshots;
    Status status = {0};
    snapshots_close(emulator); // it is older
    if (!is_forced &&
        (snapshots->is_impossible || !has_grown(emulator, ENTRIES_AT_REST, EVENTS_AT_REST)))
        return;
    begin(emulator);
    while (snapshots->writer >= 0 && !end_snapshot(emulator, true))
        ;
    if (store_is_dirty(emulator->store) && !emulator_commit(emulator, &status))
        report_status(&status);
    else
        remove_other(emulator);
}
